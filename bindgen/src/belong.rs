//! Which of the files that a header includes belong to it.
//!
//! - The header itself; and where it has nothing but one `#include`, as `poll.h` has, the header that this names.
//! - Headers of its own library: those in its folder, unless that is one of all libraries, and those in a folder below
//!   that has its name.
//! - Of a header of the C library its private parts, in the folder `bits`: programs include `time.h` for `struct tm`,
//!   which is in `bits/types/struct_tm.h`. So are the kernel's headers that these include, as `asm/socket.h`. What such
//!   a header includes that programs may include, too, is not its part.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::clang::{Cursor, TEXT, Unit, kind};

/// Folders of the kernel's headers, which the C library's private parts include.
const KERNEL: [&str; 3] = ["linux", "asm", "asm-generic"];

/// All paths are whole, without links, but where it is said.
pub struct Belong<'a> {
    roots: &'a [PathBuf],
    /// The header, and what it stands for.
    own: Vec<PathBuf>,
    /// The folders that have the names of these.
    folders: Vec<PathBuf>,
    private: HashSet<PathBuf>,
    patterns: &'a [Regex],
    /// Files in the order of their distance from the header.
    reached: Vec<PathBuf>,
    /// Whole paths, by those of libclang.
    whole: HashMap<PathBuf, PathBuf>,
}

impl<'a> Belong<'a> {
    /// `named`: the header as it was named; None: the unit includes no file.
    pub fn new(unit: &Unit, named: &str, roots: &'a [PathBuf], patterns: &'a [Regex]) -> Option<Belong<'a>> {
        let mut whole: HashMap<PathBuf, PathBuf> = HashMap::new();
        let mut whole_of = |path: PathBuf| {
            let resolved = || std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            whole.entry(path.clone()).or_insert_with(resolved).clone()
        };
        // By file: what it includes, and how much else there is in it.
        let mut includes: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        let mut others: HashMap<PathBuf, usize> = HashMap::new();
        let mut main = None;
        for cursor in unit.cursors() {
            if cursor.kind() != kind::INCLUDE {
                if let Some(file) = cursor.file().filter(|_| !is_guard(unit, cursor)) {
                    *others.entry(whole_of(file)).or_default() += 1;
                }
                continue;
            }
            let (Some(from), Some(to)) = (cursor.file(), cursor.included()) else { continue };
            let (from, to) = (whole_of(from), whole_of(to));
            if from.ends_with(TEXT) {
                main.get_or_insert_with(|| to.clone());
            }
            let list = includes.entry(from).or_default();
            if !list.contains(&to) {
                list.push(to);
            }
        }
        let main = main?;
        let none = Vec::new();
        let included = |file: &PathBuf| includes.get(file).unwrap_or(&none);
        let mut own = vec![main.clone()];
        while let Some(last) = own.last()
            && !others.contains_key(last)
            && let [one] = &included(last)[..]
            && !own.contains(one)
        {
            own.push(one.clone());
        }
        let mut folders: Vec<PathBuf> = own.iter().map(|file| file.with_extension("")).collect();
        // The header's name may be a link to it.
        folders.extend(main.parent().map(|folder| folder.join(Path::new(named).file_stem().unwrap_or_default())));
        let mut belong =
            Belong { roots, own: own.clone(), folders, private: HashSet::new(), patterns, reached: Vec::new(), whole };
        let mut waiting: VecDeque<PathBuf> = own.into();
        while let Some(file) = waiting.pop_front() {
            let is_private = belong.private.contains(&file);
            for to in included(&file) {
                let part = belong.folder_of_all(to);
                let is_part = part.is_some_and(|part| part == "bits" || is_private && KERNEL.contains(&part));
                let is_system = is_private || belong.own.contains(&file) && belong.is_of_all(&file);
                if is_part && is_system && belong.private.insert(to.clone()) {
                    waiting.push_back(to.clone());
                }
            }
        }
        // All that it includes, nearest first.
        let mut seen: HashSet<&PathBuf> = HashSet::new();
        let mut waiting: VecDeque<&PathBuf> = VecDeque::from([&main]);
        while let Some(file) = waiting.pop_front() {
            if seen.insert(file) {
                belong.reached.push(file.clone());
                waiting.extend(included(file));
            }
        }
        Some(belong)
    }

    /// In which folder of one of the folders of all libraries it is.
    fn folder_of_all<'p>(&self, path: &'p Path) -> Option<&'p str> {
        let mut inside = self.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
        inside.find_map(|rest| {
            rest.parent()?.iter().next()?.to_str().filter(|first| *first == "bits" || KERNEL.contains(first))
        })
    }

    fn is_of_all(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// The whole path of a file that libclang names.
    fn whole(&self, file: &Path) -> PathBuf {
        self.whole.get(file).cloned().unwrap_or_else(|| file.to_path_buf())
    }

    /// Is a file bound, by libclang's path of it?
    pub fn has(&self, file: &Path) -> bool {
        let path = self.whole(file);
        self.patterns.iter().any(|pattern| fits(pattern, file))
            || self.own.contains(&path)
            || self.private.contains(&path)
            || self.is_beside(&path)
    }

    /// Is it a private part of the C library?
    pub fn is_private(&self, file: &Path) -> bool {
        self.private.contains(&self.whole(file))
    }

    fn is_beside(&self, path: &Path) -> bool {
        let Some(folder) = self.own[0].parent() else { return false };
        self.folders.iter().any(|own| path.starts_with(own))
            || !self.roots.iter().any(|root| root == folder) && path.starts_with(folder)
    }

    /// The patterns of `--headers` that are none of a file.
    pub fn vain(&self) -> impl Iterator<Item = &Regex> {
        self.patterns.iter().filter(|pattern| !self.whole.keys().any(|file| fits(pattern, file)))
    }

    /// What the header includes that is not bound and declares something of such a name, nearest first: the whole
    /// paths. Not those that no program includes by itself, and the compiler's.
    pub fn elsewhere(&self, unit: &Unit, name: Option<&Regex>) -> Vec<PathBuf> {
        let declared: HashSet<PathBuf> = unit
            .cursors()
            .into_iter()
            .filter(|cursor| ![kind::INCLUDE, kind::MACRO, kind::EXPANSION].contains(&cursor.kind()))
            .filter(|cursor| name.is_none_or(|pattern| pattern.is_match(&cursor.name())))
            .filter_map(|cursor| cursor.file())
            .filter(|file| !self.has(file))
            .map(|file| self.whole(&file))
            .collect();
        let is_inner = |file: &Path| {
            let is_gccs = file.components().any(|part| part.as_os_str() == "gcc" || part.as_os_str() == "clang");
            is_gccs && self.is_of_all(file) || self.folder_of_all(file).is_some()
        };
        self.reached.iter().filter(|file| declared.contains(*file) && !is_inner(file)).cloned().collect()
    }
}

fn fits(pattern: &Regex, file: &Path) -> bool {
    pattern.is_match(&file.display().to_string())
}

/// A macro without a text, as the one that tells whether a header was included before; and the use of a macro.
fn is_guard(unit: &Unit, cursor: Cursor<'_>) -> bool {
    cursor.kind() == kind::EXPANSION || cursor.kind() == kind::MACRO && unit.tokens(cursor).len() <= 1
}
