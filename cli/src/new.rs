//! `leat new`: a name and a kind -> a folder with a project that checks, passes its tests and runs.
//!
//! The files are those under `src/new/`, one folder a kind and one for what all have; `NAME`, `STRUCTURE` and
//! `SIGNATURE` in them stand for the project's name and for what SML calls its structure and signature.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgGroup, ArgMatches, Command};
use leat_driver::say::{show, tell};

use crate::{flag, usage};

/// A file of a template: its path, its text.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("new/", $folder, "/", $path)))),*]
    };
}

const ALL: &[File] = files!("all": "gitignore", "ci.yml");
const PROGRAM: &[File] = files!("program":
    "README.md", "NAME.mlb", "main.sml", "src/sources.mlb", "src/count.sig", "src/count.sml", "src/count_test.sml");
const LIBRARY: &[File] =
    files!("library": "README.md", "NAME.mlb", "src/NAME.sig", "src/NAME.sml", "src/NAME_test.sml");
/// The sources are those of the example, which the tests run.
const SERVER: &[File] = &[
    ("README.md", include_str!("new/server/README.md")),
    ("NAME.mlb", include_str!("new/server/NAME.mlb")),
    ("main.sml", include_str!("../../examples/service/main.sml")),
    ("src/sources.mlb", include_str!("../../examples/service/src/sources.mlb")),
    ("src/store.sig", include_str!("../../examples/service/src/store.sig")),
    ("src/memory.sml", include_str!("../../examples/service/src/memory.sml")),
    ("src/service.sml", include_str!("../../examples/service/src/service.sml")),
    ("src/serve.sml", include_str!("../../examples/service/src/serve.sml")),
    ("src/service_test.sml", include_str!("../../examples/service/src/service_test.sml")),
];

pub fn command() -> Command {
    Command::new("new")
        .about("Begins a project: a folder with sources, tests and what else belongs there")
        .arg(
            Arg::new("path")
                .value_name("NAME")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("the folder, `.` for this one; its name is the project's"),
        )
        .arg(flag("program", "a program with a command line [the default]"))
        .arg(flag("library", "a library: a structure with its signature"))
        .arg(flag("server", "a service over HTTP: JSON, logs, metrics, tests"))
        .group(ArgGroup::new("kind").args(["program", "library", "server"]))
}

pub fn run(matches: &ArgMatches) -> u8 {
    let path = matches.get_one::<PathBuf>("path").expect("required");
    let kind = match () {
        _ if matches.get_flag("library") => LIBRARY,
        _ if matches.get_flag("server") => SERVER,
        _ => PROGRAM,
    };
    // `.` is called as the shell calls it.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let name = match project_name(if path.file_name().is_some() { path } else { &whole }) {
        Ok(name) => name,
        Err(message) => return usage(&message),
    };
    if let Some(what) = taken(&name, kind) {
        return usage(&format!("`{name}` is what {what} is called; choose another name"));
    }
    let mut made = Vec::new();
    let result = make(path, &name, kind, &mut made);
    if result.is_err() {
        // What is half made would be in the way of the next attempt. A folder that has something else stays.
        for path in made.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
    match result {
        Ok(()) => {
            let shown = path.display();
            show(&format!("made {shown}\n"));
            if path != Path::new(".") {
                show(&format!("  cd {shown}\n"));
            }
            show("  leat test\n");
            if kind.as_ptr() != LIBRARY.as_ptr() {
                show("  leat run\n");
            }
            0
        }
        Err(message) => {
            tell(&format!("leat: {message}\n"));
            1
        }
    }
}

/// The last part of the path, if a structure, a file and a folder may all be called so.
fn project_name(path: &Path) -> Result<String, String> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(good) {
        return Err(format!(
            "`{}`: a project's name begins with a letter and has letters, digits, `-` and `_`",
            path.display()
        ));
    }
    if leat_driver::project::is_test(Path::new(name)) {
        return Err(format!("`{name}` is what tests are called; choose another name"));
    }
    Ok(name.to_string())
}

/// What else has the name: a folder beside the program, or, for a library, a structure that its tests use.
fn taken(name: &str, kind: &[File]) -> Option<&'static str> {
    if kind.as_ptr() != LIBRARY.as_ptr() {
        return (name == "src").then_some("the folder of sources");
    }
    ["Test", "Expect", "Show", "Gen", "List"].contains(&&*structure_name(name)).then_some("a structure that tests use")
}

/// `json-tools` -> `JsonTools`.
fn structure_name(name: &str) -> String {
    let parts = name.split(['-', '_']).filter(|part| !part.is_empty());
    parts.map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

/// `made`: the files and folders, those inside of others behind them.
fn make(folder: &Path, name: &str, kind: &[File], made: &mut Vec<PathBuf>) -> Result<(), String> {
    let trouble = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if let Ok(entries) = fs::read_dir(folder) {
        // A repository that has just been made has `.git`, maybe a `.gitignore`, which stays.
        let mut names = entries.flatten().map(|entry| entry.file_name());
        if names.any(|name| !name.to_string_lossy().starts_with('.')) {
            return Err(format!("{}: is there already, and is not empty", folder.display()));
        }
    } else if folder.exists() {
        return Err(format!("{}: is a file", folder.display()));
    }
    let (structure, signature) = (structure_name(name), name.to_ascii_uppercase().replace('-', "_"));
    for (path, text) in kind.iter().chain(ALL) {
        // Git and its hosts would take the templates' own for this repository's.
        let path = match *path {
            "gitignore" => ".gitignore".to_string(),
            "ci.yml" => ".github/workflows/ci.yml".to_string(),
            path => path.replace("NAME", name),
        };
        let file = folder.join(path);
        let text = text.replace("STRUCTURE", &structure).replace("SIGNATURE", &signature).replace("NAME", name);
        // How long the name is decides where lines end.
        let is_source = file.extension().is_some_and(|suffix| suffix == "sml" || suffix == "sig");
        let text = if is_source { leat_fmt::format(&text).unwrap_or(text) } else { text };
        if file.exists() {
            continue;
        }
        let parent = file.parent().unwrap_or(folder);
        let mut absent: Vec<&Path> = parent.ancestors().take_while(|folder| !folder.exists()).collect();
        absent.retain(|folder| !folder.as_os_str().is_empty());
        for folder in absent.into_iter().rev() {
            made.push(folder.to_path_buf());
            fs::create_dir(folder).map_err(|error| trouble(folder, error))?;
        }
        made.push(file.clone());
        fs::write(&file, text).map_err(|error| trouble(&file, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(structure_name("json-tools_2"), "JsonTools2");
        for bad in ["", "2x", "a b", "..", "a/b.c", "x_test", "é"] {
            assert!(project_name(Path::new(bad)).is_err(), "{bad}");
        }
        assert_eq!(project_name(Path::new("some/where/tea")), Ok("tea".to_string()));
    }
}
