//! The front end kept warm for tools: edited texts -> diagnostics and indices, elaborating again only what may differ.
//!
//! A [`Front`] walks a program's description as a compilation does, with the same loader; but a unit that was analysed
//! before, with the same text in the same scope, is not analysed again, and an error does not end the walk. What a
//! scope is, tells its stamp ([`leat_elab::Basis::stamp`]). When an edited unit binds the same as before (`interface`),
//! it keeps its old bindings, so that nothing after it is analysed again.
//!
//! The tables of the elaborator only grow; here they are rolled back when an edited unit is analysed once more and
//! nothing else was since, and begun anew when more in them is of analyses that nobody can ask for than of those that
//! somebody can ([`Front::tidy`]). So memory is at most some times what the programs need that are open now. Other
//! programs of the project, which are walked to see all uses of a name ([`Front::walk_aside`]), are kept beside them,
//! so that the next question costs what has changed since; and forgotten when they are more than the open ones.

mod interface;
pub(crate) mod kept;
mod members;
pub(crate) mod unit;

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
    programs: HashMap<PathBuf, Known>,
    /// So many of the last programs that were walked aside are of interest now.
    joined: usize,
    /// Declarations of the library that must have one name: a specification and what matches it.
    library_links: Vec<(Span, Span)>,
    /// Its programs are the library itself: see [`Front::of_library`].
    is_of_library: bool,
}

/// What is known of a program.
#[derive(Default)]
struct Known {
    /// Those of its last complete walk, and of walks since that were interrupted.
    files: HashSet<FileId>,
    own: Own,
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
        let (folders, programs, library_links) = (Vec::new(), HashMap::new(), declared.links);
        Ok(Front { session, tables, folders, programs, joined: 0, library_links, is_of_library: false })
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
        // They are never analysed again, so the tables before them are of no use.
        let (folders, tables, library_links) = (Vec::new(), Tables::default(), self.library_links.clone());
        // The image is one of its programs: what is walked besides does not drive it out.
        let image = Known { files: session.sources.files().map(|(file, _)| file).collect(), own: Own::default() };
        let programs = HashMap::from([(PathBuf::from("$(SML_LIB)"), image)]);
        Front { session, tables, folders, programs, joined: 0, library_links, is_of_library: true }
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
        let (walk, own) = self.go_over(root, interrupt, awaited);
        self.tooling().asides.retain(|aside| aside.root != root);
        let known = self.programs.entry(root.to_path_buf()).or_default();
        if !walk.interrupted {
            known.files.clear();
        }
        known.own = own;
        known.files.extend(walk.units.iter().map(|unit| unit.file));
        if !walk.interrupted {
            self.drop_strangers();
        }
        walk
    }

    /// Analyses a program that is not open, or what has changed of it since this was done last. Until [`Front::close`],
    /// its units are among [`Front::all_units`].
    pub fn walk_aside(&mut self, root: &Path) {
        let tooling = self.tooling();
        let known = tooling.asides.iter().position(|aside| aside.root == root).map(|at| tooling.asides.remove(at));
        let units = known.map(|aside| aside.units).unwrap_or_default();
        tooling.open = Some(std::mem::replace(&mut tooling.units, units));
        let (walk, _) = self.go_over(root, None, &BTreeSet::new());
        let files: HashSet<FileId> = walk.units.iter().map(|unit| unit.file).collect();
        let tooling = self.tooling();
        let open = tooling.open.take().expect("put there above");
        let mut units = std::mem::replace(&mut tooling.units, open);
        units.retain(|file, _| files.contains(file));
        tooling.asides.push(Aside { root: root.to_path_buf(), units });
        self.joined += 1;
    }

    /// What was walked aside is seen no more. It is kept, as long as all of that is no more than the open programs.
    pub fn close(&mut self) {
        self.joined = 0;
        let tooling = self.tooling();
        let mut counted = HashSet::new();
        let most = Tooling::size([&tooling.units].into_iter(), &mut counted).max(SMALL);
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
        let (mut result, mut own) = (Ok(()), Own::default());
        for input in inputs {
            own.add(input, &self.folders);
            match self.session.read_program(Input::File(input)) {
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
        self.programs.iter().filter(|(_, known)| known.files.contains(file)).map(|(root, _)| root.clone()).collect()
    }

    /// The messages about units of a program that its user is told: of what others have written no warnings, unless the
    /// unit has errors, as `leat check` says them.
    pub fn told<'d>(&'d self, root: &Path, diagnostics: &'d [Diagnostic]) -> impl Iterator<Item = &'d Diagnostic> {
        let own = self.programs.get(root).map(|known| &known.own);
        let all = leat_base::diagnostic::has_errors(diagnostics);
        let is_own = move |d: &Diagnostic| match (own, self.session.sources.get(d.span.file)) {
            (Some(own), Some(source)) => own.has(&source.name),
            _ => true,
        };
        diagnostics.iter().filter(move |d| all || is_own(d))
    }

    /// Has this program been walked, and is it kept?
    pub fn holds(&self, root: &Path) -> bool {
        self.programs.contains_key(root)
    }

    /// A program is of no interest any more: its window is closed.
    pub fn forget(&mut self, root: &Path) {
        if self.programs.remove(root).is_some() {
            self.drop_strangers();
        }
    }

    /// Forgets the units of files that are in no program.
    fn drop_strangers(&mut self) {
        let Front { session, programs, .. } = self;
        let tooling = session.tooling.as_mut().expect("made in `new`");
        tooling.units.retain(|file, _| programs.values().any(|known| known.files.contains(file)));
    }

    /// Analyses the units of one file, whose text has changed, in the scope that they had. Answers them, or nothing
    /// when the file was in no walk or has been cut into other parts.
    pub fn again(&mut self, path: &Path) -> Option<Vec<Rc<Analysed>>> {
        let name = path.display().to_string();
        let file = *self.tooling().files.get(&name)?;
        let text = self.text(path)?;
        let [old] = &self.tooling().units.get(&file)?[..] else { return None };
        if old.range != (0..old.text.len()) || !leat_ast::units::requests(&text).is_empty() {
            return None;
        }
        let (basis, mut fixity, settings) =
            (old.before.borrow().clone(), old.fixity.clone(), old.scope.settings.clone());
        let named_in = old.named_in;
        self.session.replace_text(file, &text);
        let walked = self.tooling().walked.len();
        self.session.named_in = named_in;
        let done = self.session.check_unit(file, 0..text.len(), &basis, &mut fixity, &settings);
        self.session.named_in = NamedIn::default();
        let new = self.tooling().walked.split_off(walked);
        done.ok().map(|_| new)
    }

    /// What may stand at an identifier of a text that need not be that of the file: see
    /// [`leat_elab::index::Candidate`].
    pub fn ask(&mut self, path: &Path, text: &str, lo: u32, hi: u32) -> Option<(Index, Program)> {
        let name = path.display().to_string();
        let file = *self.tooling().files.get(&name)?;
        // The file may be of a program that was walked aside.
        let old = self.tooling().kept().find_map(|units| units.get(&file))?;
        let old = old.iter().find(|unit| unit.range.contains(&(lo as usize))).or(old.last())?.clone();
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
        Some((index, program))
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
        tooling.open = None;
        tooling.asides.clear();
        tooling.walked.clear();
        self.programs.clear();
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

    /// The last analysis of a file's units.
    pub fn units(&self, path: &Path) -> Vec<Rc<Analysed>> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let file = tooling.files.get(&path.display().to_string());
        file.and_then(|file| self.seen().find_map(|units| units.get(file))).cloned().unwrap_or_default()
    }

    /// The last analyses of all files. One that several programs have may be there several times.
    pub fn all_units(&self) -> Vec<Rc<Analysed>> {
        let mut seen: HashSet<*const Analysed> = HashSet::new();
        let units = self.seen().flat_map(|units| units.values().flatten());
        let mut all: Vec<Rc<Analysed>> = units.filter(|unit| seen.insert(Rc::as_ptr(unit))).cloned().collect();
        all.sort_by_key(|unit| (unit.file, unit.range.start));
        all
    }

    /// The units of the open programs, and of those that were walked aside for a question.
    fn seen(&self) -> impl Iterator<Item = &Units> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let asides = tooling.asides.iter().rev().take(self.joined);
        [&tooling.units].into_iter().chain(asides.map(|aside| &aside.units))
    }
}
