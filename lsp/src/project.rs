//! A file -> the program that it belongs to, the folder of its project, and the other programs of that project.
//!
//! The folder that the editor names is no limit: it may be a part of the project, as `src/` is. What a project is, say
//! the descriptions around a file, up to the repository's folder or the user's home folder.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use leat_base::{FileId, Span};
use leat_driver::Options;
use leat_driver::project::{before_test, is_test_source};
use leat_driver::tooling;
use leat_driver::units::members::{Members, members_of_each};
use leat_driver::units::{is_basis_file, is_description};

use crate::query::{self, is_local, renamed_with};
use crate::survey::{Program, Survey, Windows};
use crate::text::is_word;
use crate::workspace::Workspace;

/// What was read of the disk to find the programs of files: each folder and each description once. It is kept while
/// messages wait that came together, as when an editor opens or saves all its windows; after the next notice of a
/// change on disk it is out of date.
#[derive(Default)]
pub(crate) struct Look {
    /// The descriptions in a folder; nothing for a folder that cannot be read.
    in_folders: HashMap<PathBuf, Option<Rc<[PathBuf]>>>,
    /// The descriptions at or below a folder.
    below_folders: HashMap<PathBuf, Rc<[PathBuf]>>,
    described: HashMap<PathBuf, Described>,
}

/// What a description on disk says.
struct Described {
    descriptions: HashSet<PathBuf>,
    sources: HashSet<PathBuf>,
    absent: HashSet<PathBuf>,
}

impl Look {
    fn in_folder(&mut self, folder: &Path) -> Option<Rc<[PathBuf]>> {
        if let Some(known) = self.in_folders.get(folder) {
            return known.clone();
        }
        let read = std::fs::read_dir(folder).ok();
        let here = read.map(|content| content.flatten().map(|entry| entry.path()));
        let here = here.map(|all| all.filter(|path| is_description(path)).collect::<Rc<[PathBuf]>>());
        self.in_folders.insert(folder.to_path_buf(), here.clone());
        here
    }

    fn below(&mut self, folder: &Path) -> Rc<[PathBuf]> {
        let read = || tooling::files(folder).descriptions.into();
        self.below_folders.entry(folder.to_path_buf()).or_insert_with(read).clone()
    }

    /// Reads those of some descriptions that were not read.
    fn read(&mut self, roots: &BTreeSet<PathBuf>, options: &Options) {
        let new: Vec<&PathBuf> = roots.iter().filter(|root| !self.described.contains_key(*root)).collect();
        let all = members_of_each(new.iter().map(|root| root.as_path()), options);
        for (root, Members { descriptions, sources, absent }) in new.into_iter().zip(all) {
            let (descriptions, sources) = (descriptions.into_iter().collect(), sources.into_iter().collect());
            let described = Described { descriptions, sources, absent: absent.into_iter().collect() };
            self.described.insert(root.clone(), described);
        }
    }
}

impl Described {
    /// How many files the program has that a file is in; nothing if it has not that file. `sources` are those by the
    /// windows, if these say others.
    fn size_with(&self, path: &Path, sources: Option<&BTreeSet<PathBuf>>, windows: &Windows) -> Option<usize> {
        let is_there = |file: &&PathBuf| *file == path || windows.alone.contains(*file);
        // What a description names, and only a window has, is a file of it.
        let added: Vec<&PathBuf> = self.absent.iter().filter(is_there).collect();
        let (descriptions, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            added.into_iter().partition(|file| is_description(file));
        let descriptions: HashSet<&PathBuf> = self.descriptions.iter().chain(descriptions).collect();
        let (has_source, sources) = match sources {
            Some(sources) => (sources.contains(path), sources.len()),
            None => {
                let others: Vec<&PathBuf> = others.into_iter().filter(|file| !self.sources.contains(*file)).collect();
                let has = self.sources.contains(path) || others.iter().any(|file| *file == path);
                (has, self.sources.len() + others.len())
            }
        };
        (has_source || descriptions.contains(&path.to_path_buf())).then_some(descriptions.len() + sources)
    }
}

impl Workspace {
    /// The program that a file belongs to: of all descriptions around it, and of those in the editor's folders, the one
    /// that has it and has most files, an `.mlb` file before any `.cm` file; else the file itself.
    pub fn root_of(&self, path: &Path, windows: &Windows, look: &mut Look) -> PathBuf {
        if is_description(path) || !path.is_absolute() {
            return path.to_path_buf();
        }
        self.largest_with(path, windows, look).unwrap_or_else(|| path.to_path_buf())
    }

    /// The folder of a file's project: the repository's; else that of the largest program that has it, or that its
    /// tests are for.
    pub fn project_of(&self, path: &Path, root: &Path, windows: &Windows, look: &mut Look) -> PathBuf {
        // What is in no file is a project of its own.
        if !path.is_absolute() {
            return path.to_path_buf();
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        if let Some(repository) = folder.ancestors().find(|folder| folder.join(".git").exists()) {
            return repository.to_path_buf();
        }
        let own = if is_description(root) { Some(root.to_path_buf()) } else { before_test(root).into_iter().nth(1) };
        let largest = own.map(|own| self.largest_with(&own, windows, look).unwrap_or(own));
        // A description may be in a folder beside that of a source.
        let around = largest.as_deref().and_then(Path::parent).unwrap_or(folder);
        around.ancestors().find(|around| folder.starts_with(around)).unwrap_or(folder).to_path_buf()
    }

    fn largest_with(&self, path: &Path, windows: &Windows, look: &mut Look) -> Option<PathBuf> {
        let mut candidates: BTreeSet<PathBuf> = BTreeSet::new();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        // A new one has a window before it is on disk.
        let opened = || self.documents.keys().filter(|path| is_description(path));
        for folder in path.ancestors().skip(1) {
            candidates.extend(opened().filter(|window| window.parent() == Some(folder)).cloned());
            let Some(here) = look.in_folder(folder) else { break };
            candidates.extend(here.iter().cloned());
            if folder.join(".git").exists() || home.as_deref() == Some(folder) {
                break;
            }
        }
        for folder in self.folders.iter().filter(|folder| path.starts_with(folder)) {
            candidates.extend(look.below(folder).iter().cloned());
            candidates.extend(opened().filter(|window| window.starts_with(folder)).cloned());
        }
        look.read(&candidates, self.front.options());
        let sizes = candidates.into_iter().filter_map(|root| {
            let size = look.described.get(&root)?.size_with(path, windows.sources.get(&root), windows)?;
            // Of equal ones the one nearest to the file: by the steps up from it, and down again.
            let folder = root.parent().unwrap_or(Path::new("/"));
            let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
            let steps = folder.components().count() + path.components().count() - 2 * shared;
            let near = std::cmp::Reverse(steps);
            // Projects with both have the `.cm` file for a system whose libraries are not here.
            Some((is_basis_file(&root), size, near, root))
        });
        sizes.max().map(|(.., root)| root)
    }

    /// What the windows have that the disk has not.
    pub fn windows(&self) -> Windows {
        Windows { sources: self.sources_by_windows(), alone: self.only_in_windows() }
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
        // What has changed on disk, nobody need have told.
        for root in self.front.outdated() {
            if let Some(program) = self.programs.get_mut(&root) {
                program.stale = true;
            }
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
        let (windows, mut look) = (self.windows(), Look::default());
        let mut folders: Vec<PathBuf> = self.folders.clone();
        folders.push(match self.documents.get(path) {
            Some(document) => document.project.clone(),
            None => self.project_of(path, &self.root_of(path, &windows, &mut look), &windows, &mut look),
        });
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
