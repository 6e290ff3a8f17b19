//! A file -> the program that it belongs to, the folder of its project, and the other programs of that project.
//!
//! The folder that the editor names is no limit: it may be a part of the project, as `src/` is. What a project is, say
//! the descriptions around a file, up to the repository's folder or the user's home folder.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use leat_base::{FileId, Span};
use leat_driver::project::{before_test, is_test_source};
use leat_driver::tooling;
use leat_driver::units::members::{Members, members};
use leat_driver::units::{is_basis_file, is_description};

use crate::query::{self, is_local, renamed_with};
use crate::survey::{Program, Survey, Windows};
use crate::text::is_word;
use crate::workspace::Workspace;

impl Workspace {
    /// The program that a file belongs to: of all descriptions around it, and of those in the editor's folders, the one
    /// that has it and has most files, an `.mlb` file before any `.cm` file; else the file itself.
    pub fn root_of(&self, path: &Path) -> PathBuf {
        if is_description(path) || !path.is_absolute() {
            return path.to_path_buf();
        }
        self.largest_with(path).unwrap_or_else(|| path.to_path_buf())
    }

    /// The folder of a file's project: the repository's; else that of the largest program that has it, or that its
    /// tests are for.
    pub fn project_of(&self, path: &Path, root: &Path) -> PathBuf {
        // What is in no file is a project of its own.
        if !path.is_absolute() {
            return path.to_path_buf();
        }
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
        // A new one has a window before it is on disk.
        let windows = || self.documents.keys().filter(|path| is_description(path));
        for folder in path.ancestors().skip(1) {
            candidates.extend(windows().filter(|window| window.parent() == Some(folder)).cloned());
            let Ok(content) = std::fs::read_dir(folder) else { break };
            let here = content.flatten().map(|entry| entry.path());
            candidates.extend(here.filter(|path| is_description(path)));
            if folder.join(".git").exists() || home.as_deref() == Some(folder) {
                break;
            }
        }
        for folder in self.folders.iter().filter(|folder| path.starts_with(folder)) {
            candidates.extend(tooling::files(folder).descriptions);
            candidates.extend(windows().filter(|window| window.starts_with(folder)).cloned());
        }
        let options = self.front.options();
        let mut by_windows = self.sources_by_windows();
        let only_in_windows = self.only_in_windows();
        let sizes = candidates.into_iter().filter_map(|root| {
            let Members { descriptions, sources, absent } = members(&root, options).unwrap_or_default();
            let mut members: BTreeSet<PathBuf> = descriptions.into_iter().chain(sources).collect();
            members.extend(absent.into_iter().filter(|file| file == path || only_in_windows.contains(file)));
            if let Some(sources) = by_windows.remove(&root) {
                members.retain(|member| is_description(member));
                members.extend(sources);
            }
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
    /// that have one of its declarations, and one of `names` in another file, even one that is in other programs too,
    /// since it may mean something else there; and those that have a use of it, but another declaration. `names` are
    /// its own and what it may be called next. `work` then sees all uses of both. Those of a local name stand in its
    /// own file, which is analysed already.
    pub fn with_all_uses<T>(
        &mut self,
        path: &Path,
        names: &[&str],
        declared: Span,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if query::unit_at(&self.front, path, declared.lo as usize).is_some_and(|unit| is_local(&unit, declared)) {
            return work(self);
        }
        let stale: Vec<PathBuf> =
            self.programs.iter().filter(|(_, program)| program.stale).map(|(root, _)| root.clone()).collect();
        // What a walk finds of an open program, the next walk tells: it is stale still.
        for root in &stale {
            self.walk(root, None, &BTreeSet::new());
        }
        let survey = self.survey(path);
        let programs = &survey.programs;
        // The open programs are walked.
        let mut walked: Vec<bool> = programs.iter().map(|program| self.front.holds(&program.root)).collect();
        // Whether a file has one of the names, of those that were asked.
        let mut named_in: Vec<Option<bool>> = vec![None; survey.files.len()];
        loop {
            // A signature that is found on the way may be matched by others.
            let (class, found) = renamed_with(&self.front, declared);
            let declares = self.files_of_spans(&survey, &class);
            let uses = self.files_of_spans(&survey, &found.iter().map(|name| name.span).collect());
            let has = |program: &Program, files: &[bool]| program.members.iter().any(|&member| files[member]);
            let front = &mut self.front;
            let mut may_use = |member: usize| {
                let has_one = |text: &str| names.iter().any(|name| has_name(text, name));
                *named_in[member]
                    .get_or_insert_with(|| front.text(&survey.files[member]).is_some_and(|text| has_one(&text)))
            };
            let next = programs.iter().enumerate().position(|(at, program)| {
                !walked[at]
                    && if has(program, &declares) {
                        // Where the file with the declaration alone has one, the uses are known.
                        program.members.iter().filter(|&&member| may_use(member)).nth(1).is_some()
                    } else {
                        // The name means something else there.
                        has(program, &uses)
                    }
            });
            let Some(at) = next else { break };
            self.front.walk_aside(&programs[at].root);
            walked[at] = true;
        }
        let result = work(self);
        self.front.close();
        result
    }

    /// A folder of a file's project that has too much to be looked at as a whole.
    pub fn cut_off(&self, path: &Path) -> Option<PathBuf> {
        self.survey(path).cut.clone()
    }

    /// Which files of a survey these places are in.
    fn files_of_spans(&self, survey: &Survey, spans: &HashSet<Span>) -> Vec<bool> {
        let files: HashSet<FileId> = spans.iter().map(|span| span.file).collect();
        let mut has = vec![false; survey.files.len()];
        let indices = files.into_iter().filter_map(|file| survey.index(&query::path_of(&self.front, file)?));
        indices.for_each(|index| has[index] = true);
        has
    }

    /// The files of the projects that the client has open, those of all their programs and tests.
    pub fn files_of_projects(&self) -> BTreeSet<PathBuf> {
        let mut projects: HashSet<&Path> = HashSet::new();
        let mut files = BTreeSet::new();
        for (path, document) in &self.documents {
            if projects.insert(&document.project) {
                files.extend(self.survey(path).files.iter().cloned());
            }
        }
        files
    }

    /// The descriptions of those programs of a file's project that have one of these declarations.
    pub fn descriptions_with(&self, path: &Path, class: &HashSet<Span>) -> BTreeSet<PathBuf> {
        let survey = self.survey(path);
        let declares = self.files_of_spans(&survey, class);
        let concerned = survey.programs.iter().filter(|program| program.members.iter().any(|&at| declares[at]));
        let members = concerned.flat_map(|program| &program.members).map(|&at| &survey.files[at]);
        members.filter(|member| is_description(member)).cloned().collect()
    }

    /// The programs of a file's project.
    fn survey(&self, path: &Path) -> Rc<Survey> {
        let mut folders: Vec<PathBuf> = self.folders.clone();
        folders.push(match self.documents.get(path) {
            Some(document) => document.project.clone(),
            None => self.project_of(path, &self.root_of(path)),
        });
        let windows = Windows { sources: self.sources_by_windows(), alone: self.only_in_windows() };
        let survey = Survey::of(folders, windows, self.front.options(), self.surveyed.take());
        self.surveyed.set(Some(survey.clone()));
        survey
    }

    /// The description that ought to name a file: the one of its folder's project, if none names the file.
    pub fn unlisted_in(&self, path: &Path, root: &Path) -> Option<PathBuf> {
        if path != root || is_description(path) || is_test_source(path) || !path.is_absolute() {
            return None;
        }
        let project = leat_driver::project::find(path.parent()?).ok()?;
        is_basis_file(&project.description).then_some(project.description)
    }
}

/// Does a name stand in a text, whatever it means there?
fn has_name(text: &str, name: &str) -> bool {
    let is_symbol = !name.starts_with(is_word);
    text.match_indices(name)
        .any(|(at, _)| is_symbol || !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}
