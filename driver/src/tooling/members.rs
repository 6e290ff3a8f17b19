//! Folders and descriptions -> which program a file belongs to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::options::Options;
use crate::project;
use crate::units::{self, members::Members};

/// What stands at or below a folder, nearest first.
#[derive(Default)]
pub struct Found {
    /// The folders that were looked at.
    pub folders: Vec<PathBuf>,
    pub descriptions: Vec<PathBuf>,
    /// Sources of tests and benchmarks.
    pub tests: Vec<PathBuf>,
    /// There are more than [`MOST`] files and folders: those that lie deepest were not looked at.
    pub is_cut: bool,
}

/// More files and folders than this are not looked at: somebody may have opened a whole disk.
pub const MOST: usize = 50_000;

/// All descriptions and tests at or below a folder. Hidden folders and those of tools are left out.
pub fn files(folder: &Path) -> Found {
    let mut found = Found::default();
    let mut folders = vec![folder.to_path_buf()];
    let mut next = 0;
    let mut entries = 0;
    while let Some(folder) = folders.get(next).cloned() {
        next += 1;
        let content = std::fs::read_dir(&folder);
        found.folders.push(folder);
        let Ok(content) = content else { continue };
        // The folder knows what its entries are; only links must be looked at.
        let kind = |entry: std::fs::DirEntry| (entry.path(), entry.file_type().ok().filter(|kind| !kind.is_symlink()));
        let mut here: Vec<(PathBuf, Option<std::fs::FileType>)> = content.flatten().map(kind).collect();
        here.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, kind) in here {
            let is_file = || kind.map_or_else(|| path.is_file(), |kind| kind.is_file());
            let is_folder = || kind.is_some_and(|kind| kind.is_dir());
            entries += 1;
            if entries > MOST {
                found.is_cut = true;
                return found;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || matches!(&*name, "node_modules" | "target" | "_build") {
                continue;
            }
            if units::is_description(&path) && is_file() {
                found.descriptions.push(path);
            } else if project::is_test_source(&path) && is_file() {
                found.tests.push(path);
            } else if is_folder() {
                folders.push(path);
            }
        }
    }
    found
}

/// The files of a program on disk: the descriptions, and their sources. Nothing is elaborated; what cannot be read is
/// left out.
pub fn members(root: &Path, options: &Options) -> BTreeSet<PathBuf> {
    let Members { descriptions, sources, .. } = units::members::members(root, options).unwrap_or_default();
    descriptions.into_iter().chain(sources).collect()
}
