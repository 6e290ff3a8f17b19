//! `--watch`: the tests run again whenever a file of the project changes.
//!
//! The files' times are looked at a few times a second: for the hundreds of files of a project that costs nothing, and it
//! works on every file system, also on those that tell nobody of changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use leat_driver::project;

use super::interrupt;

/// Runs `work`, and again after each change. Ends by Ctrl-C.
pub fn run(named: &[PathBuf], mut work: impl FnMut()) -> u8 {
    let mut named = named.to_vec();
    let here = PathBuf::from(".");
    if named.is_empty() || project::find(&here).is_ok() {
        named.push(here);
    }
    let roots = roots(&named);
    loop {
        let before = times(&roots);
        work();
        leat_driver::say::tell("waiting for a change (Ctrl-C ends)\n");
        // What has changed while the tests ran counts, too.
        while times(&roots) == before {
            interrupt::end_by_it();
            std::thread::sleep(Duration::from_millis(250));
        }
        // An editor that writes several files writes them all.
        std::thread::sleep(Duration::from_millis(50));
        leat_driver::say::tell("\n");
    }
}

/// The folders of the projects that files and folders belong to; where there is no project, their own.
fn roots(named: &[PathBuf]) -> Vec<PathBuf> {
    let root = |path: &PathBuf| {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let found = project::find(folder).map_or_else(|_| folder.to_path_buf(), |project| project.folder);
        // The folder in which we are has no name.
        if found.as_os_str().is_empty() { PathBuf::from(".") } else { found }
    };
    named.iter().map(root).collect()
}

/// Of all files that may matter. What the tests write themselves does not.
fn times(roots: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    let mut folders = roots.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !name.to_string_lossy().starts_with('.') && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if is_source(&path)
                && let Ok(time) = entry.metadata().and_then(|data| data.modified())
            {
                found.insert(path, time);
            }
        }
    }
    found
}

/// Golden files change by `--bless` only, which should not begin a second run.
fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| ["sml", "sig", "fun", "mlb", "cm"].iter().any(|known| suffix == *known))
}
