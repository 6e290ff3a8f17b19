//! The library's signatures -> those of their values that have no comment: there are none.
//!
//! `leat doc --library`, the editor's hover and `:doc` show what stands beside a value: so a new one comes with its sentence.

use std::path::{Path, PathBuf};

use leat_driver::docs::{Item, Module, Named, modules};

/// Not the Basis of 1997, which nobody asks for by name, nor the primitives.
fn is_read(file: &str) -> bool {
    !file.contains("1997") && !file.starts_with("prim/")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the library's folder") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "sml" || suffix == "sig") {
            found.push(path);
        }
    }
}

/// The values of a signature, and of those inside it, that have no comment.
fn bare(within: &str, items: &[Item], found: &mut Vec<String>) {
    for item in items {
        for name in &item.names {
            match name.kind {
                "val" if name.declared.is_none() && item.comment.trim().is_empty() => {
                    found.push(format!("{within}.{}", name.name))
                }
                "structure" => bare(&format!("{within}.{}", name.name), &item.items, found),
                _ => {}
            }
        }
    }
}

#[test]
fn values_have_comments() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lib");
    let mut files = Vec::new();
    sources(&lib, &mut files);
    files.sort();
    let mut missing = Vec::new();
    let mut values = 0;
    for path in files {
        let file = path.strip_prefix(&lib).expect("inside it").to_string_lossy().into_owned();
        if !is_read(&file) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source of the library");
        for Module { name, items, .. } in modules(&file, &text) {
            // A library's own have names that end in a prime.
            if name.ends_with('\'') {
                continue;
            }
            let specified = |name: &&Named| name.kind == "val" && name.declared.is_none();
            values += items.iter().flat_map(|item| &item.names).filter(specified).count();
            let mut found = Vec::new();
            bare(&name, &items, &mut found);
            missing.extend(found.iter().map(|value| format!("{file}: {value}")));
        }
    }
    assert!(values > 2500, "the library's signatures were not read: {values} values");
    assert!(missing.is_empty(), "values without a comment, write their sentences:\n{}", missing.join("\n"));
}
