//! `--watch`: the tests run again whenever a file of the project changes.
//!
//! The files' times are looked at a few times a second: for the hundreds of files of a project that costs nothing, and it
//! works on every file system, also on those that tell nobody of changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use leat_driver::project;

/// Runs `work`, and again after each change. Ends by Ctrl-C.
pub fn run(named: &[PathBuf], mut work: impl FnMut()) -> u8 {
    let mut roots: Vec<PathBuf> = named.iter().filter(|path| path.is_dir()).cloned().collect();
    roots.push(project::find(Path::new(".")).map_or_else(|_| PathBuf::from("."), |project| project.folder));
    for root in &mut roots {
        if root.as_os_str().is_empty() {
            *root = PathBuf::from(".");
        }
    }
    loop {
        let before = times(&roots);
        work();
        leat_driver::say::tell("waiting for a change (Ctrl-C ends)\n");
        // What has changed while the tests ran counts, too.
        while times(&roots) == before {
            std::thread::sleep(Duration::from_millis(250));
        }
        // An editor that writes several files writes them all.
        std::thread::sleep(Duration::from_millis(50));
        leat_driver::say::tell("\n");
    }
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
