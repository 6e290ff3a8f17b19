//! The programs of a project and the files that they have: read once, and again when something of it has changed on
//! disk.
//!
//! Reading a project means to list its folders and to read its descriptions, which takes longer than the question that
//! needs it. So a survey notes how each folder and each description stood when it was made, and what the descriptions
//! name that is not there; it holds as long as all of that stands as it stood. Where descriptions are open and not
//! saved, it also holds what the programs have by their windows; and a file that has only a window is a member, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use leat_driver::Options;
use leat_driver::project::{before_test, is_test_source};
use leat_driver::text::Stamp;
use leat_driver::tooling::{self, Found};
use leat_driver::units::members::{Members, members, members_of_each};

/// The programs below some folders.
pub(crate) struct Survey {
    /// Those it was made of.
    folders: Vec<PathBuf>,
    windows: Windows,
    /// What it was made from.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// Nothing of that had changed just before.
    lasts: bool,
    /// The files of all programs; what follows has their indices here.
    pub files: Vec<PathBuf>,
    numbers: HashMap<PathBuf, usize>,
    /// Largest first, and tests behind them.
    pub programs: Vec<Program>,
    /// A folder that was not looked at to its end, since it has too much.
    pub cut: Option<PathBuf>,
}

/// What the windows have that the disk has not.
#[derive(Clone, PartialEq)]
pub(crate) struct Windows {
    /// See [`Workspace::sources_by_windows`](crate::workspace::Workspace::sources_by_windows).
    pub sources: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// See [`Workspace::only_in_windows`](crate::workspace::Workspace::only_in_windows).
    pub alone: BTreeSet<PathBuf>,
}

impl Windows {
    /// What a program's descriptions name, and only a window has, is a source of it.
    fn add_alone(&self, Members { sources, absent, .. }: &mut Members) {
        let alone = absent.iter().filter(|file| self.alone.contains(*file) && !sources.contains(*file));
        let alone: Vec<PathBuf> = alone.cloned().collect();
        sources.extend(alone);
    }
}

/// A description, or a test with its project.
pub(crate) struct Program {
    pub root: PathBuf,
    /// Its files, the descriptions first.
    pub members: Vec<usize>,
}

impl Survey {
    /// The programs below these folders: those of `known`, if it is still so.
    pub fn of(mut folders: Vec<PathBuf>, windows: Windows, options: &Options, known: Option<Rc<Survey>>) -> Rc<Survey> {
        folders.sort();
        folders.dedup();
        let is_same = |known: &Rc<Survey>| known.folders == folders && known.windows == windows && known.holds();
        match known.filter(is_same) {
            Some(known) => known,
            None => Rc::new(Survey::new(folders, windows, options)),
        }
    }

    fn holds(&self) -> bool {
        self.lasts && self.stamps.iter().all(|(path, then)| Stamp::of(path) == *then)
    }

    fn new(folders: Vec<PathBuf>, windows: Windows, options: &Options) -> Survey {
        let begin = SystemTime::now();
        let mut survey = Survey {
            folders: folders.clone(),
            windows: windows.clone(),
            stamps: Vec::new(),
            lasts: true,
            files: Vec::new(),
            numbers: HashMap::new(),
            programs: Vec::new(),
            cut: None,
        };
        // What changes from here on has a time behind `begin`, so that the survey does not last.
        let mut noted: HashSet<PathBuf> = HashSet::new();
        let mut note = |survey: &mut Survey, path: &Path| {
            if noted.insert(path.to_path_buf()) {
                let stamp = Stamp::of(path);
                survey.lasts &= stamp.as_ref().is_none_or(|stamp| stamp.lasts_from(begin));
                survey.stamps.push((path.to_path_buf(), stamp));
            }
        };
        let (mut roots, mut tests) = (Vec::new(), BTreeSet::new());
        // What is in a folder that is there already comes by that one.
        let outermost =
            folders.iter().filter(|one| !folders.iter().any(|other| other != *one && one.starts_with(other)));
        for folder in outermost {
            // The project of a test may be the description of a folder above.
            folder.ancestors().skip(1).for_each(|above| note(&mut survey, above));
            let Found { folders, descriptions, tests: here, is_cut } = tooling::files(folder);
            if is_cut {
                survey.cut = Some(folder.clone());
            }
            folders.iter().for_each(|folder| note(&mut survey, folder));
            tests.extend(here);
            roots.extend(descriptions);
            let is_test = |path: &&PathBuf| is_test_source(path) && path.starts_with(folder);
            tests.extend(windows.alone.iter().filter(is_test).cloned());
        }
        let described = members_of_each(roots.iter().map(PathBuf::as_path), options);
        let mut programs: Vec<(PathBuf, Members)> = roots.into_iter().zip(described).collect();
        for (root, sources) in windows.sources.iter().filter(|(root, _)| folders.iter().any(|at| root.starts_with(at)))
        {
            let at = programs.iter().position(|(other, _)| other == root).unwrap_or_else(|| {
                // It has a window, and is not on disk.
                programs.push((root.clone(), Members { descriptions: vec![root.clone()], ..Members::default() }));
                programs.len() - 1
            });
            programs[at].1.sources = sources.iter().cloned().collect();
        }
        programs.iter_mut().for_each(|(_, members)| windows.add_alone(members));
        programs.sort_by_key(|(_, members)| std::cmp::Reverse(members.descriptions.len() + members.sources.len()));
        // A test that a description names is a source of that program.
        let sources: HashSet<&PathBuf> = programs.iter().flat_map(|(_, members)| &members.sources).collect();
        tests.retain(|test| !sources.contains(test));
        for test in tests {
            let project = before_test(&test).into_iter().nth(1);
            project.iter().for_each(|project| note(&mut survey, project));
            let by_window = project.as_ref().and_then(|project| windows.sources.get(project));
            let mut members = project.as_ref().and_then(|project| members(project, options).ok()).unwrap_or_default();
            if let Some(sources) = by_window {
                members.sources = sources.iter().cloned().collect();
            }
            windows.add_alone(&mut members);
            members.sources.push(test.clone());
            programs.push((test, members));
        }
        for (root, Members { descriptions, sources, absent }) in programs {
            // Also of a description that could not be read.
            note(&mut survey, &root);
            let all = descriptions.iter().chain(&sources).chain(&absent);
            all.filter_map(|file| file.parent()).for_each(|folder| note(&mut survey, folder));
            descriptions.iter().chain(&absent).for_each(|file| note(&mut survey, file));
            let members = descriptions.into_iter().chain(sources).map(|file| survey.number(file)).collect();
            survey.programs.push(Program { root, members });
        }
        survey
    }

    fn number(&mut self, file: PathBuf) -> usize {
        *self.numbers.entry(file).or_insert_with_key(|file| {
            self.files.push(file.clone());
            self.files.len() - 1
        })
    }

    /// The index of a file.
    pub fn index(&self, file: &Path) -> Option<usize> {
        self.numbers.get(file).copied()
    }
}
