//! A file -> the program that it belongs to, the folder of its project, and the other programs of that project.
//!
//! The folder that the editor names is no limit: it may be a part of the project, as `src/` is. What a project is, say
//! the descriptions around a file, up to the repository's folder or the user's home folder.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use leat_base::Span;
use leat_driver::project::{before_test, is_test_source};
use leat_driver::tooling::{self, Found};
use leat_driver::units::{is_basis_file, is_description};

use crate::query::{self, is_local, one_name};
use crate::workspace::Workspace;

impl Workspace {
    /// The program that a file belongs to: of all descriptions around it, and of those in the editor's folders, the one
    /// that has it and has most files, an `.mlb` file before any `.cm` file; else the file itself.
    pub fn root_of(&self, path: &Path) -> PathBuf {
        if is_description(path) {
            return path.to_path_buf();
        }
        self.largest_with(path).unwrap_or_else(|| path.to_path_buf())
    }

    /// The folder of a file's project: the repository's; else that of the largest program that has it, or that its
    /// tests are for.
    pub fn project_of(&self, path: &Path, root: &Path) -> PathBuf {
        let folder = path.parent().unwrap_or(Path::new("/"));
        if let Some(repository) = folder.ancestors().find(|folder| folder.join(".git").exists()) {
            return repository.to_path_buf();
        }
        let own = if is_description(root) { Some(root.to_path_buf()) } else { before_test(root).into_iter().nth(1) };
        let largest = own.map(|own| self.largest_with(&own).unwrap_or(own));
        // A description may be in a folder beside that of a source.
        let around = largest.as_deref().and_then(Path::parent).unwrap_or(folder);
        around.ancestors().find(|around| folder.starts_with(around)).unwrap_or(folder).to_path_buf()
    }

    fn largest_with(&self, path: &Path) -> Option<PathBuf> {
        let mut candidates: BTreeSet<PathBuf> = BTreeSet::new();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        for folder in path.ancestors().skip(1) {
            let Ok(content) = std::fs::read_dir(folder) else { break };
            let here = content.flatten().map(|entry| entry.path());
            candidates.extend(here.filter(|path| is_description(path)));
            if folder.join(".git").exists() || home.as_deref() == Some(folder) {
                break;
            }
        }
        for folder in self.folders.iter().filter(|folder| path.starts_with(folder)) {
            candidates.extend(tooling::files(folder).descriptions);
        }
        let options = self.front.options();
        let sizes = candidates.into_iter().filter_map(|root| {
            let members = tooling::members(&root, options);
            // Of equal ones the one nearest to the file: by the steps up from it, and down again.
            let folder = root.parent().unwrap_or(Path::new("/"));
            let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
            let steps = folder.components().count() + path.components().count() - 2 * shared;
            let near = std::cmp::Reverse(steps);
            // Projects with both have the `.cm` file for a system whose libraries are not here.
            members.contains(path).then_some((is_basis_file(&root), members.len(), near, root))
        });
        sizes.max().map(|(.., root)| root)
    }

    /// Analyses, to their ends, all programs of the project that may have a name which is declared at `declared`: those
    /// that have one of its declarations, and a file with this name that no other program has. `work` then sees all its
    /// uses. Those of a local name stand in its own file, which is analysed already.
    pub fn with_all_uses<T>(
        &mut self,
        path: &Path,
        name: &str,
        declared: Span,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if query::unit_at(&self.front, path, declared.lo as usize).is_some_and(|unit| is_local(&unit, declared)) {
            return work(self);
        }
        let stale: Vec<PathBuf> =
            self.programs.iter().filter(|(_, program)| program.stale).map(|(root, _)| root.clone()).collect();
        let mut walked: HashSet<PathBuf> = HashSet::new();
        // What a walk finds of an open program, the next walk tells: it is stale still.
        for root in stale {
            self.front.walk(&root, None, &BTreeSet::new());
            walked.insert(root);
        }
        let programs = self.programs_of_project(path);
        let mut covered: HashSet<PathBuf> = HashSet::new();
        for (root, members) in &programs {
            if self.front.holds(root) {
                covered.extend(members.iter().cloned());
            }
        }
        loop {
            // A signature that is found on the way may be matched by others.
            let class = one_name(&self.front, declared);
            let files: HashSet<PathBuf> =
                class.iter().filter_map(|span| query::path_of(&self.front, span.file)).collect();
            let next = programs.iter().find(|(root, members)| {
                !walked.contains(root)
                    && members.iter().any(|member| files.contains(member))
                    && members.iter().any(|member| {
                        !covered.contains(member) && self.front.text(member).is_some_and(|text| text.contains(name))
                    })
            });
            let Some((root, members)) = next else { break };
            if self.front.holds(root) {
                self.front.walk(root, None, &BTreeSet::new());
            } else {
                self.front.walk_aside(root);
            }
            walked.insert(root.clone());
            covered.extend(members.iter().cloned());
        }
        let result = work(self);
        self.front.close();
        result
    }

    /// The files of the projects that the client has open, those of all their programs and tests.
    pub fn files_of_projects(&self) -> BTreeSet<PathBuf> {
        let mut projects: HashSet<&Path> = HashSet::new();
        let mut files = BTreeSet::new();
        for (path, document) in &self.documents {
            if projects.insert(&document.project) {
                files.extend(self.programs_of_project(path).into_iter().flat_map(|(_, members)| members));
            }
        }
        files
    }

    /// The descriptions of those programs of a file's project that have one of these declarations.
    pub fn descriptions_with(&self, path: &Path, class: &HashSet<Span>) -> BTreeSet<PathBuf> {
        let files: HashSet<PathBuf> = class.iter().filter_map(|span| query::path_of(&self.front, span.file)).collect();
        let programs = self.programs_of_project(path).into_iter().map(|(_, members)| members);
        let concerned = programs.filter(|members| members.iter().any(|member| files.contains(member)));
        concerned.flatten().filter(|member| is_description(member)).collect()
    }

    /// The programs of a file's project with their files, largest first.
    fn programs_of_project(&self, path: &Path) -> Vec<(PathBuf, BTreeSet<PathBuf>)> {
        let options = self.front.options();
        let mut folders: Vec<PathBuf> = self.folders.clone();
        folders.push(match self.documents.get(path) {
            Some(document) => document.project.clone(),
            None => self.project_of(path, &self.root_of(path)),
        });
        folders.sort();
        folders.dedup();
        let (mut roots, mut tests) = (Vec::new(), BTreeSet::new());
        let mut seen: HashSet<PathBuf> = HashSet::new();
        // What is in a folder that is there already comes by that one.
        let outermost =
            folders.iter().filter(|one| !folders.iter().any(|other| other != *one && one.starts_with(other)));
        for folder in outermost {
            let Found { descriptions, tests: here } = tooling::files(folder);
            tests.extend(here);
            roots.extend(descriptions.into_iter().filter(|root| seen.insert(root.clone())));
        }
        let members = tooling::members_of_each(&roots, options);
        let mut programs: Vec<(PathBuf, BTreeSet<PathBuf>)> = roots.into_iter().zip(members).collect();
        // A test that a description names is a source of that program.
        tests.retain(|test| !programs.iter().any(|(_, members)| members.contains(test)));
        programs.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        for test in tests {
            let mut members: BTreeSet<PathBuf> = BTreeSet::from([test.clone()]);
            if let Some(project) = before_test(&test).into_iter().nth(1) {
                members.extend(tooling::members(&project, options));
            }
            programs.push((test, members));
        }
        programs
    }

    /// The description that ought to name a file: the one of its folder's project, if none names the file.
    pub fn unlisted_in(&self, path: &Path, root: &Path) -> Option<PathBuf> {
        if path != root || is_description(path) || is_test_source(path) {
            return None;
        }
        let project = leat_driver::project::find(path.parent()?).ok()?;
        is_basis_file(&project.description).then_some(project.description)
    }
}
