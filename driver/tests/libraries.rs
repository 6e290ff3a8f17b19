//! The library's own `.mlb` files are elaborated, all of them: what they list is there.

use std::path::{Path, PathBuf};

use leat_driver::{Failure, Input, Options, Session};

/// Some of these files once listed signatures that nobody had written, and nobody heard of it.
#[test]
fn every_name_that_they_list_is_declared() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lib");
    let mut files = Vec::new();
    collect(&lib, &mut files);
    files.sort();
    assert!(files.len() > 20, "the library's files are not where they were");
    let names = files.iter().map(|file| format!("$(SML_LIB)/{}\n", file.strip_prefix(&lib).unwrap().display()));
    let folder = tempfile::TempDir::new().unwrap();
    let all = folder.path().join("all.mlb");
    std::fs::write(&all, names.collect::<String>()).unwrap();
    let mut session = Session::new(Options::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let result = session.read_program(Input::File(&all)).map(|_| ());
    if let Err(Failure::Errors(text) | Failure::Trouble(text)) = result {
        panic!("{text}");
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|suffix| suffix == "mlb") {
            files.push(path);
        }
    }
}
