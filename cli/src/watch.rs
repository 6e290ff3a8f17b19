//! Files and folders that the user named -> whether a source of theirs has changed: for `--watch`.
//!
//! The files' times are looked at a few times a second: for the hundreds of files of a project that costs nothing, and
//! it works on every file system, also on those that tell nobody of changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use leat_driver::project;
use leat_driver::units::is_description;
use leat_driver::units::members::members_of_each;

/// How often the times are looked at.
pub const PERIOD: Duration = Duration::from_millis(250);

/// How long after a change whoever writes several files has written them all.
pub const SETTLE: Duration = Duration::from_millis(50);

/// What is watched, and how it was when it was looked at.
pub struct Watch {
    roots: Vec<Root>,
    /// What the projects' descriptions name, wherever it is.
    members: Vec<PathBuf>,
    times: BTreeMap<PathBuf, SystemTime>,
}

/// A folder, with those in it or without.
struct Root {
    folder: PathBuf,
    whole: bool,
    /// The project's, which may name files of other folders.
    description: Option<PathBuf>,
}

impl Watch {
    /// The projects that these files and folders belong to; where there is no project, a folder that is named, or the
    /// one that a file stands in, without those in it: it may be anybody's home.
    pub fn new(named: &[PathBuf]) -> Watch {
        Watch { roots: named.iter().map(root).collect(), members: Vec::new(), times: BTreeMap::new() }
    }

    /// What is there now is no change.
    pub fn look(&mut self) {
        let options = leat_driver::Options::default();
        let descriptions = self.roots.iter().filter_map(|root| root.description.as_deref());
        let all = members_of_each(descriptions, &options);
        self.members = all.into_iter().flat_map(|of| of.descriptions.into_iter().chain(of.sources)).collect();
        self.times = times(&self.roots, &self.members);
    }

    /// Has anything changed since then?
    pub fn has_changed(&self) -> bool {
        times(&self.roots, &self.members) != self.times
    }
}

fn root(path: &PathBuf) -> Root {
    let is_folder = path.is_dir();
    let folder = if is_folder { path } else { path.parent().unwrap_or(path) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (found, whole, description) = match project::find(folder) {
        Ok(project) => (project.folder, true, Some(project.description)),
        Err(_) => (folder.to_path_buf(), is_folder, Some(path.clone()).filter(|path| is_description(path))),
    };
    // The folder in which we are has no name.
    Root { folder: if found.as_os_str().is_empty() { PathBuf::from(".") } else { found }, whole, description }
}

/// Of all files that may matter. What the tests write themselves does not.
fn times(roots: &[Root], members: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let time = |path: &PathBuf| std::fs::metadata(path).and_then(|data| data.modified());
    let mut found: BTreeMap<_, _> = members.iter().filter_map(|path| Some((path.clone(), time(path).ok()?))).collect();
    let mut folders: Vec<(PathBuf, bool)> = roots.iter().map(|root| (root.folder.clone(), root.whole)).collect();
    while let Some((folder, whole)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if whole && !name.to_string_lossy().starts_with('.') && name != "target" && name != "node_modules" {
                    folders.push((path, true));
                }
            } else if is_source(&path)
                && let Ok(time) = time(&path)
            {
                found.insert(path, time);
            }
        }
    }
    found
}

/// Golden files change by `--bless` only, which should not begin a second run.
fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| ["sml", "sig", "fun", "mlb", "cm", "c", "h"].iter().any(|known| suffix == *known))
}
