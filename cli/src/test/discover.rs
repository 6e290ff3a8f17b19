//! Words of the command line, or the project -> the test files, each with the sources that it sees.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use leat_driver::project::{self, Trouble};
use leat_driver::say::tell;
use leat_driver::text::reason;
use leat_driver::units::{is_description, members::members};

use crate::files::is_there;

/// One test file: a source or a description.
#[derive(Debug)]
pub struct TestFile {
    pub path: PathBuf,
    /// What is compiled before it: the project's description, if it has one. The error is the message.
    pub project: Result<Option<PathBuf>, String>,
}

/// The files among these paths whose names end in `kind`, `test` or `bench`; the error is the message.
pub fn find(named: &[PathBuf], kind: &str) -> Result<Vec<TestFile>, String> {
    let mut paths = Vec::new();
    if named.is_empty() {
        let folder = match project::find(Path::new(".")) {
            Ok(project) => project.folder,
            // A folder with tests and nothing else is fine.
            Err(Trouble::Missing { .. } | Trouble::Several { .. } | Trouble::Foreign { .. }) => PathBuf::new(),
            Err(broken) => return Err(broken.to_string()),
        };
        walk(&folder, kind, &mut paths);
        if paths.is_empty() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            return Err(format!(
                "there are no {} in {}: files *_{kind}.sml, {kind}.mlb or *_{kind}.mlb",
                plural(kind),
                folder.display()
            ));
        }
    }
    for path in named {
        if path.is_dir() {
            let before = paths.len();
            walk(path, kind, &mut paths);
            if paths.len() == before {
                return Err(format!("there are no {} in {}", plural(kind), path.display()));
            }
        } else {
            is_there(path)?;
            paths.push(path.clone());
        }
    }
    // What a description names is part of it.
    let mut inside = HashSet::new();
    for path in paths.iter().filter(|path| is_description(path)) {
        let members = members(path, &leat_driver::Options::default())?;
        inside.extend(members.sources.iter().filter_map(|source| source.canonicalize().ok()));
    }
    paths.retain(|path| is_description(path) || !path.canonicalize().is_ok_and(|path| inside.contains(&path)));
    Ok(paths.into_iter().map(with_project).collect())
}

fn plural(kind: &str) -> &'static str {
    if kind == "bench" { "benchmarks" } else { "tests" }
}

/// The test files below a folder, in order. Folders that tools make, and hidden ones, have none. One that cannot be
/// read may have some: that is said.
fn walk(folder: &Path, kind: &str, found: &mut Vec<PathBuf>) {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = std::fs::read_dir(shown).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    let mut names: Vec<_> = names.unwrap_or_else(|error| {
        tell(&format!("leat: {}: {}\n", shown.display(), reason(&error)));
        Vec::new()
    });
    names.sort();
    for name in names {
        let path = folder.join(&name);
        let name = name.to_string_lossy();
        if path.is_dir() {
            let is_made = name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "_build");
            if !is_made && !path.is_symlink() {
                walk(&path, kind, found);
            }
        } else if is_of_kind(&path, kind) {
            found.push(path);
        }
    }
}

/// `x_test.sml`, `x-test.mlb`, `test.mlb`.
fn is_of_kind(path: &Path, kind: &str) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let suffix = path.extension().unwrap_or_default();
    let named = stem.strip_suffix(kind).is_some_and(|rest| rest.ends_with(['_', '-']));
    (suffix == "sml" && named) || (suffix == "mlb" && (named || stem == kind))
}

fn with_project(path: PathBuf) -> TestFile {
    let folder = path.parent().unwrap_or(Path::new(""));
    let project = match project::find(folder) {
        _ if is_description(&path) => Ok(None),
        Ok(project) => Ok(Some(project.description)),
        Err(Trouble::Missing { .. }) => Ok(None),
        Err(trouble @ Trouble::Foreign { .. }) => {
            tell(&format!("leat: {}: {trouble}\n", path.display()));
            Ok(None)
        }
        Err(Trouble::Several { folder, names }) => Err(format!(
            "several projects in {}: {}; call the one that the tests see {}.mlb, \
             or write {}.mlb beside the test, with all that it needs",
            folder.display(),
            names.join(", "),
            project::folder_name(&folder).unwrap_or_else(|| "FOLDER".to_string()),
            path.file_stem().unwrap_or_default().to_string_lossy()
        )),
        Err(trouble) => Err(trouble.to_string()),
    };
    TestFile { path, project }
}
