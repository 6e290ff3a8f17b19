//! The front end kept warm for tools: edited texts -> diagnostics and indices, elaborating again only what may differ.
//!
//! A [`Front`] walks a program's description as a compilation does, with the same loader; but a unit that was analysed
//! before, with the same text in the same scope, is not analysed again, and an error does not end the walk. What a
//! scope is, tells its stamp ([`leat_elab::Basis::stamp`]). When an edited unit binds the same as before (`interface`),
//! it keeps its old bindings, so that nothing after it is analysed again.
//!
//! The tables of the elaborator only grow; here they are rolled back when an edited unit is analysed once more and
//! nothing else was since, and begun anew when more in them is of analyses that nobody can ask for than of those that
//! somebody can ([`Front::tidy`]). So memory is at most some times what the programs need that are open now. Each
//! program has its own analyses, for one file may mean different things in two; what means the same is shared. Other
//! programs of the project, which are walked to see all uses of a name ([`Front::walk_aside`]), are kept beside them,
//! so that the next question costs what has changed since; and forgotten when they are more than the open ones.

mod interface;
pub(crate) mod kept;
mod members;
pub(crate) mod unit;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use leat_ast::{FixityEnv, ParseOptions, Program};
use leat_base::{Diagnostic, FileId, SourceMap, Span};
use leat_elab::{Basis, Index, Tables};

use crate::options::{Options, Verify};
use crate::own::Own;
use crate::session::{Input, Session};
use crate::stage::Failure;
use crate::text::Noted;
use crate::units::Done;
use crate::units::settings::Settings;
use crate::units::shelves::NamedIn;

pub use kept::Analysed;
use kept::{Aside, Tooling, Units};
pub use members::{Found, MOST, files, members};

/// What a walk over a program has found.
#[derive(Default)]
pub struct Walk {
    /// In the order of elaboration.
    pub units: Vec<Rc<Analysed>>,
    /// About the descriptions themselves.
    pub diagnostics: Vec<Diagnostic>,
    /// There is no such program, and why.
    pub trouble: Option<String>,
    /// It was interrupted: what is here is the beginning.
    pub interrupted: bool,
}

/// See the head of the file.
pub struct Front {
    session: Session,
    tables: Tables,
    /// The folders that the user works in.
    folders: Vec<PathBuf>,
    /// Whose the sources are of the programs that are open.
    programs: HashMap<PathBuf, Own>,
    /// What the last walk over each of them has read.
    noted: HashMap<PathBuf, Noted>,
    /// Of a file that several programs have, the one that is asked.
    homes: HashMap<PathBuf, PathBuf>,
    /// So many of the last programs that were walked aside are of interest now.
    joined: usize,
    /// Declarations of the library that must have one name: a specification and what matches it.
    library_links: Vec<(Span, Span)>,
    /// Its programs are the library itself: see [`Front::of_library`].
    is_of_library: bool,
}

/// The tables are not begun anew for less than so many items of old analyses.
const SMALL: usize = 1 << 19;

impl Front {
    /// Loads the Basis. Must be the first in the process to make a name.
    pub fn new(options: Options) -> Result<Front, Failure> {
        // Core and Lambda are not whole here: see `unit::drop_bodies`.
        let mut session = Session::new(Options { verify: Verify::Off, ..options })?;
        let declared = session.declared();
        session.image = declared.put(&mut session.tables, &session.image).stamped(1, 1);
        session.basis = session.image.clone();
        let tables = session.tables.clone();
        session.tooling = Some(Box::new(Tooling::new(&session.sources)));
        Ok(Front::with(session, tables, declared.links, false))
    }

    /// The front end in which the library's own sources are the program: each file of the image is analysed, in the
    /// scope that it had when the image was made. What a tool can ask of a program it can ask of them.
    pub fn of_library(&self) -> Front {
        let mut session = self.session.before_library();
        session.tooling = Some(Box::new(Tooling::new(&session.sources)));
        let files: Vec<FileId> = session.sources.files().map(|(file, _)| file).collect();
        let (mut basis, mut fixity) = (session.basis.clone(), FixityEnv::basis());
        for file in files {
            let part = session.whole(file);
            // It was without errors when the image was made, and is not interrupted.
            let Ok(unit) = session.check_unit(file, part, &basis, &mut fixity, &Settings::library()) else { break };
            basis = basis.plus(&unit.added);
        }
        session.image = basis;
        let image = PathBuf::from("$(SML_LIB)");
        let tooling = session.tooling.as_mut().expect("made above");
        tooling.walked.clear();
        let units = std::mem::take(&mut tooling.units);
        tooling.open.insert(image.clone(), units);
        // They are never analysed again, so the tables before them are of no use.
        let mut front = Front::with(session, Tables::default(), self.library_links.clone(), true);
        // The image is one of its programs: what is walked besides does not drive it out.
        front.programs.insert(image, Own::default());
        front
    }

    fn with(session: Session, tables: Tables, library_links: Vec<(Span, Span)>, is_of_library: bool) -> Front {
        let (folders, programs, noted, homes) = (Vec::new(), HashMap::new(), HashMap::new(), HashMap::new());
        Front { session, tables, folders, programs, noted, homes, joined: 0, library_links, is_of_library }
    }

    /// Is the library itself the program?
    pub fn is_of_library(&self) -> bool {
        self.is_of_library
    }

    /// Declarations of the library that must have one name: a specification and what matches it.
    pub fn library_links(&self) -> &[(Span, Span)] {
        &self.library_links
    }

    fn tooling(&mut self) -> &mut Tooling {
        self.session.tooling.as_mut().expect("made in `new`")
    }

    /// The folders that the user works in are others: they say whose the sources of programs are that are walked next.
    pub fn set_folders(&mut self, folders: &[PathBuf]) {
        self.folders = folders.to_vec();
    }

    /// Questions about a file are about what it is in this program; without one, in the open one that
    /// [`Front::units`] chooses.
    pub fn set_home(&mut self, path: &Path, root: Option<&Path>) {
        match root {
            Some(root) => drop(self.homes.insert(path.to_path_buf(), root.to_path_buf())),
            None => drop(self.homes.remove(path)),
        }
    }

    /// The text of a file in an editor, or that it is on disk again.
    pub fn set_buffer(&mut self, path: &Path, text: Option<Arc<str>>) {
        let mut texts = self.tooling().texts.borrow_mut();
        match text {
            Some(text) => drop(texts.buffers.insert(path.to_path_buf(), text)),
            None => drop(texts.buffers.remove(path)),
        }
    }

    /// The text that a file has now.
    pub fn text(&mut self, path: &Path) -> Option<Arc<str>> {
        self.tooling().texts.borrow_mut().read(path).ok()
    }

    /// Analyses a program: a description, a source, or a source of tests with its project. `interrupt` is asked before
    /// each unit that must be analysed; and the walk counts as interrupted behind the first of the awaited files that
    /// had to be analysed.
    pub fn walk(&mut self, root: &Path, interrupt: Option<Rc<dyn Fn() -> bool>>, awaited: &BTreeSet<PathBuf>) -> Walk {
        let tooling = self.tooling();
        let aside = tooling.take_aside(root);
        tooling.units = tooling.open.remove(root).or(aside).unwrap_or_default();
        self.tooling().texts.borrow_mut().note();
        let (walk, own) = self.go_over(root, interrupt, awaited);
        let noted = self.tooling().texts.borrow_mut().take_noted();
        self.noted.insert(root.to_path_buf(), noted);
        let tooling = self.tooling();
        let units = tooling.take_walked(&walk.units, walk.interrupted);
        tooling.open.insert(root.to_path_buf(), units);
        self.programs.insert(root.to_path_buf(), own);
        walk
    }

    /// Analyses a program that is not open, or what has changed of it since this was done last. Until [`Front::close`],
    /// its units are among [`Front::all_units`].
    pub fn walk_aside(&mut self, root: &Path) {
        let tooling = self.tooling();
        tooling.units = tooling.take_aside(root).unwrap_or_default();
        let (walk, _) = self.go_over(root, None, &BTreeSet::new());
        let tooling = self.tooling();
        let units = tooling.take_walked(&walk.units, false);
        tooling.asides.push(Aside { root: root.to_path_buf(), units });
        self.joined += 1;
    }

    /// What was walked aside is seen no more. It is kept, as long as all of that is no more than the open programs.
    pub fn close(&mut self) {
        self.joined = 0;
        let tooling = self.tooling();
        let mut counted = HashSet::new();
        let most = Tooling::size(tooling.open.values(), &mut counted).max(SMALL);
        while {
            let asides = tooling.asides.iter().map(|aside| &aside.units);
            Tooling::size(asides, &mut counted.clone()) > most
        } {
            tooling.asides.remove(0);
        }
    }

    /// Walks over a program; and whose its sources are.
    fn go_over(
        &mut self,
        root: &Path,
        interrupt: Option<Rc<dyn Fn() -> bool>>,
        awaited: &BTreeSet<PathBuf>,
    ) -> (Walk, Own) {
        self.session.basis = self.session.image.clone();
        self.session.fixity = FixityEnv::basis();
        self.session.warnings.clear();
        self.session.named_in = NamedIn::default();
        let tooling = self.tooling();
        tooling.interrupt = interrupt;
        tooling.awaited = awaited.iter().map(|path| path.display().to_string()).collect();
        tooling.reached = None;
        tooling.walked.clear();
        tooling.found.take();
        let before = crate::project::before_test(root);
        let inputs = before.iter().map(PathBuf::as_path).chain([root]);
        let (mut result, mut own, mut done) = (Ok(()), Own::default(), Done::default());
        for input in inputs {
            own.add(input, &self.folders);
            match self.session.read_input(Input::File(input), &mut done) {
                Ok(_) => {}
                // What has errors binds what is known of it.
                Err(Failure::Errors(text)) => result = Err(Failure::Errors(text)),
                Err(failure) => {
                    result = Err(failure);
                    break;
                }
            }
        }
        let tooling = self.tooling();
        tooling.interrupt = None;
        tooling.awaited.clear();
        tooling.reached = None;
        let mut walk =
            Walk { units: std::mem::take(&mut tooling.walked), diagnostics: tooling.found.take(), ..Walk::default() };
        match result {
            Ok(_) => {}
            Err(Failure::Stopped) => walk.interrupted = true,
            Err(Failure::Trouble(message)) => walk.trouble = Some(message),
            // They are among the diagnostics.
            Err(Failure::Errors(_)) => {}
        }
        (walk, own)
    }

    /// The programs that have been walked and have this file.
    pub fn programs_with(&self, path: &Path) -> Vec<PathBuf> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let Some(file) = tooling.files.get(&path.display().to_string()) else { return Vec::new() };
        tooling.open.iter().filter(|(_, units)| units.contains_key(file)).map(|(root, _)| root.clone()).collect()
    }

    /// The messages about units of a program that its user is told: of what others have written no warnings, unless the
    /// unit has errors, as `leat check` says them.
    pub fn told<'d>(&'d self, root: &Path, diagnostics: &'d [Diagnostic]) -> impl Iterator<Item = &'d Diagnostic> {
        let own = self.programs.get(root);
        let all = leat_base::diagnostic::has_errors(diagnostics);
        let is_own = move |d: &Diagnostic| match (own, self.session.sources.get(d.span.file)) {
            (Some(own), Some(source)) => own.has(&source.name),
            _ => true,
        };
        diagnostics.iter().filter(move |d| all || is_own(d))
    }

    /// The open programs that would be others if they were walked now: a file of theirs has another text than it had
    /// then, or has come, or is gone. Nobody need have said so: not every editor tells of what changes on disk.
    pub fn outdated(&self) -> Vec<PathBuf> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        tooling.texts.borrow_mut().differing(self.noted.iter()).into_iter().cloned().collect()
    }

    /// Has this program been walked, and is it kept?
    pub fn holds(&self, root: &Path) -> bool {
        self.programs.contains_key(root)
    }

    /// A program is of no interest any more: its window is closed.
    pub fn forget(&mut self, root: &Path) {
        self.programs.remove(root);
        self.noted.remove(root);
        self.tooling().open.remove(root);
    }

    /// Analyses the units of one file, whose text has changed, in the scope that they had. Answers them, or nothing
    /// when the file was in no walk, or in several scopes of a program, or has been cut into other parts.
    pub fn again(&mut self, path: &Path) -> Option<Vec<Rc<Analysed>>> {
        let file = *self.tooling().files.get(&path.display().to_string())?;
        let root = self.home_of(path, file)?.to_path_buf();
        let text = self.text(path)?;
        let tooling = self.tooling();
        let [old] = &tooling.open.get(&root)?.get(&file)?[..] else { return None };
        if old.range != (0..old.text.len()) || !leat_ast::units::requests(&text).is_empty() {
            return None;
        }
        let (basis, mut fixity, settings) =
            (old.before.borrow().clone(), old.fixity.clone(), old.scope.settings.clone());
        let named_in = old.named_in;
        tooling.units = tooling.open.remove(&root)?;
        self.session.replace_text(file, &text);
        self.session.named_in = named_in;
        let done = self.session.check_unit(file, 0..text.len(), &basis, &mut fixity, &settings);
        self.session.named_in = NamedIn::default();
        let tooling = self.tooling();
        let units = std::mem::take(&mut tooling.units);
        tooling.open.insert(root, units);
        let new = std::mem::take(&mut tooling.walked);
        done.ok().map(|_| new)
    }

    /// What may stand at an identifier of a text that need not be that of the file: see
    /// [`leat_elab::index::Candidate`].
    pub fn ask(&mut self, path: &Path, text: &str, lo: u32, hi: u32) -> Option<(Index, Program)> {
        let units = self.units(path);
        let old = units.iter().find(|unit| unit.range.contains(&(lo as usize))).or(units.last())?;
        Some(self.ask_in(old, text, lo, hi))
    }

    /// The same of this unit, which may be of any program.
    pub fn ask_in(&mut self, old: &Analysed, text: &str, lo: u32, hi: u32) -> (Index, Program) {
        let file = old.file;
        let before = self.session.tables.checkpoint();
        let mut fixity = old.fixity.clone();
        let options = ParseOptions { allow_prim: old.scope.settings.allow_prim };
        let range = old.range.start.min(text.len())..text.len();
        let (program, _) = leat_ast::parse_part(file, text, range, &options, &mut fixity);
        let mut options = old.scope.settings.elaboration();
        options.index = true;
        options.ask = Some(Span::new(file, lo, hi));
        let done = leat_elab::elaborate(&program, &old.before.borrow(), &mut self.session.tables, &options);
        // Types of the answer are texts already; the others are of no use now.
        let mut index = done.index.unwrap_or_default();
        index.types.clear();
        self.session.tables.roll_back(before);
        (index, program)
    }

    /// Forgets what was analysed, when more of the tables is of texts that are no more than of those that are.
    pub fn tidy(&mut self) -> bool {
        let live = Tooling::size(self.tooling().kept(), &mut HashSet::new());
        let all = self.session.tables.checkpoint().size().saturating_sub(self.tables.checkpoint().size());
        if all.saturating_sub(live) < SMALL.max(live) {
            return false;
        }
        self.begin_anew();
        true
    }

    /// Forgets what was analysed.
    pub fn begin_anew(&mut self) {
        self.session.tables = self.tables.clone();
        let tooling = self.tooling();
        tooling.units.clear();
        tooling.open.clear();
        tooling.asides.clear();
        tooling.walked.clear();
        self.programs.clear();
        self.noted.clear();
        self.joined = 0;
    }

    pub fn sources(&self) -> &SourceMap {
        &self.session.sources
    }

    pub fn tables(&self) -> &Tables {
        &self.session.tables
    }

    /// What programs see of the library.
    pub fn library(&self) -> &Basis {
        &self.session.image
    }

    pub fn options(&self) -> &Options {
        &self.session.options
    }

    /// The last analysis of a file's units, in its home ([`Front::set_home`]). Without that, in an open program of an
    /// `.mlb` file rather than another one, and in the one with most files; and if none is open that has it, in one
    /// that was walked aside for the present question.
    pub fn units(&self, path: &Path) -> Vec<Rc<Analysed>> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let Some(file) = tooling.files.get(&path.display().to_string()) else { return Vec::new() };
        let units = match self.home_of(path, *file) {
            Some(root) => tooling.open[root].get(file),
            None => self.seen().find_map(|units| units.get(file)),
        };
        let mut found: Vec<Rc<Analysed>> = Vec::new();
        for unit in units.into_iter().flatten() {
            // Of a part that the program has in several scopes, what it is in the first.
            if found.iter().all(|other| unit.range.end <= other.range.start || unit.range.start >= other.range.end) {
                found.push(unit.clone());
            }
        }
        found
    }

    /// The open program that is asked about a file.
    fn home_of(&self, path: &Path, file: FileId) -> Option<&Path> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let home = self.homes.get(path);
        let with = tooling.open.iter().filter(|(_, units)| units.contains_key(&file));
        let best = with.max_by_key(|(root, units)| {
            (home == Some(*root), crate::units::is_basis_file(root), units.len(), Reverse(*root))
        });
        best.map(|(root, _)| &**root)
    }

    /// What the units of a file are in each program that has it.
    pub fn units_in_all(&self, path: &Path) -> Vec<Rc<Analysed>> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let Some(file) = tooling.files.get(&path.display().to_string()) else { return Vec::new() };
        distinct(self.seen().filter_map(|units| units.get(file)).flatten())
    }

    /// The last analyses of all files. One that programs have in several scopes is there several times.
    pub fn all_units(&self) -> Vec<Rc<Analysed>> {
        let mut all = distinct(self.seen().flat_map(|units| units.values().flatten()));
        all.sort_by_key(|unit| (unit.file, unit.range.start));
        all
    }

    /// The units of the open programs, and of those that were walked aside for a question.
    fn seen(&self) -> impl Iterator<Item = &Units> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let asides = tooling.asides.iter().rev().take(self.joined);
        tooling.open.values().chain(asides.map(|aside| &aside.units))
    }
}

/// Each unit once: what means the same in several programs is one.
fn distinct<'u>(units: impl Iterator<Item = &'u Rc<Analysed>>) -> Vec<Rc<Analysed>> {
    let mut seen: HashSet<*const Analysed> = HashSet::new();
    units.filter(|unit| seen.insert(Rc::as_ptr(unit))).cloned().collect()
}
