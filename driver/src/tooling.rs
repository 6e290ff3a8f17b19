//! The front end kept warm for tools: edited texts -> diagnostics and indices, elaborating again only what may differ.
//!
//! A [`Front`] walks a program's description as a compilation does, with the same loader; but a unit that was analysed
//! before, with the same text in the same scope, is not analysed again, and an error does not end the walk. What a scope
//! is, tells its stamp ([`leat_elab::Basis::stamp`]). When an edited unit binds the same as before (`interface`), it
//! keeps its old bindings, so that nothing after it is analysed again.
//!
//! The tables of the elaborator only grow; here they are rolled back when an edited unit is analysed once more and
//! nothing else was since, and begun anew when too much in them is of old analyses.

mod interface;
mod members;

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use leat_ast::{FixityEnv, ParseOptions, Program};
use leat_base::{Diagnostic, FileId, SourceMap, Span, Symbol};
use leat_elab::ir::{Checkpoint, Tables};
use leat_elab::{Basis, Index};
use leat_lambda::ir::Lambda;

use crate::options::Options;
use crate::pipeline::{Failure, Input, Session, Unit, add_of_matches};
use crate::text::read_text;
use crate::units::settings::Settings;
use crate::units::{NamedIn, shelves};

pub use members::{descriptions, members};

/// A unit: a file, or a part of one between two requests of the prompt's kind.
pub struct Analysed {
    pub file: FileId,
    pub range: Range<usize>,
    /// The text that everything here is about.
    pub text: Arc<str>,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    pub index: RefCell<Index>,
    /// What was in scope.
    before: RefCell<Basis>,
    pub fixity: FixityEnv,
    settings: Settings,
    named_in: NamedIn,
    key: Key,
    added: Basis,
    fixities: Vec<(Symbol, leat_ast::Fixity)>,
    /// What it bound when others last could see it, unless that is `added`.
    seen: Option<Seen>,
    /// The tables before and after.
    tables: (Checkpoint, Checkpoint),
}

type Fixities = Vec<(Symbol, leat_ast::Fixity)>;
type Seen = (Basis, Fixities);

/// What an analysis depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    text: u64,
    scope: u64,
}

/// Texts of files: those of an editor's buffers, before those on disk.
#[derive(Default)]
pub(crate) struct Texts {
    buffers: HashMap<PathBuf, Arc<str>>,
    disk: HashMap<PathBuf, (Option<SystemTime>, Arc<str>)>,
}

impl Texts {
    /// The text of a file, or why there is none.
    pub fn read(&mut self, path: &Path) -> Result<Arc<str>, String> {
        if let Some(text) = self.buffers.get(path) {
            return Ok(text.clone());
        }
        let time = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        if let Some((known, text)) = self.disk.get(path)
            && time.is_some()
            && *known == time
        {
            return Ok(text.clone());
        }
        let text: Arc<str> = read_text(path)?.into();
        self.disk.insert(path.to_path_buf(), (time, text.clone()));
        Ok(text)
    }

    pub fn is_file(&self, path: &Path) -> bool {
        self.buffers.contains_key(path) || path.is_file()
    }
}

/// What a session has when it works for a tool.
pub(crate) struct Tooling {
    pub texts: Rc<RefCell<Texts>>,
    files: HashMap<String, FileId>,
    units: HashMap<FileId, Vec<Rc<Analysed>>>,
    /// What the present walk has come by, in order.
    walked: Vec<Rc<Analysed>>,
    /// Messages about descriptions.
    found: RefCell<Vec<Diagnostic>>,
    interrupt: Option<Rc<dyn Fn() -> bool>>,
}

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
    /// How large the tables were after the first walk, or when they were begun anew.
    size: usize,
}

/// The tables are begun anew when they have so many times the items that they had.
const GROWTH: usize = 4;
/// But not below so many items.
const SMALL: usize = 1 << 20;

impl Front {
    /// Loads the Basis. Must be the first in the process to make a name.
    pub fn new(options: Options) -> Result<Front, Failure> {
        let mut session = Session::new(options)?;
        session.image = session.image.stamped(1, 1);
        session.basis = session.image.clone();
        let tables = session.tables.clone();
        session.tooling = Some(Box::new(Tooling::new(&session)));
        let size = tables.checkpoint().size();
        Ok(Front { session, tables, size })
    }

    fn tooling(&mut self) -> &mut Tooling {
        self.session.tooling.as_mut().expect("made in `new`")
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

    /// Analyses a program: a description, or a source. `interrupt` is asked before each unit that must be analysed.
    pub fn walk(&mut self, root: &Path, interrupt: Option<Rc<dyn Fn() -> bool>>) -> Walk {
        self.session.basis = self.session.image.clone();
        self.session.fixity = FixityEnv::basis();
        self.session.warnings.clear();
        self.session.named_in = NamedIn::default();
        let tooling = self.tooling();
        tooling.interrupt = interrupt;
        tooling.walked.clear();
        tooling.found.take();
        let result = self.session.front_end(Input::File(root));
        let tooling = self.tooling();
        tooling.interrupt = None;
        let mut walk =
            Walk { units: std::mem::take(&mut tooling.walked), diagnostics: tooling.found.take(), ..Walk::default() };
        match result {
            Ok(_) => {}
            Err(Failure::Stopped) => walk.interrupted = true,
            Err(Failure::Trouble(message)) => walk.trouble = Some(message),
            // They are among the diagnostics.
            Err(Failure::Errors(_)) => {}
        }
        walk
    }

    /// Analyses the units of one file, whose text has changed, in the scope that they had. Answers them, or nothing when
    /// the file was in no walk or has been cut into other parts.
    pub fn again(&mut self, path: &Path) -> Option<Vec<Rc<Analysed>>> {
        let name = path.display().to_string();
        let file = *self.tooling().files.get(&name)?;
        let old = self.tooling().units.get(&file)?.clone();
        let text = self.text(path)?;
        if old.len() != 1 || old[0].range != (0..old[0].text.len()) || !leat_ast::units::requests(&text).is_empty() {
            return None;
        }
        self.session.sources.replace(file, &text);
        let old = &old[0];
        let (basis, mut fixity, settings) = (old.before.borrow().clone(), old.fixity.clone(), old.settings.clone());
        let walked = self.tooling().walked.len();
        self.session.named_in = old.named_in;
        let done = unit(&mut self.session, file, 0..text.len(), &basis, &mut fixity, &settings);
        self.session.named_in = NamedIn::default();
        let new = self.tooling().walked.split_off(walked);
        done.ok().map(|_| new)
    }

    /// What may stand at an identifier of a text that need not be that of the file: see [`leat_elab::index::Candidate`].
    pub fn ask(&mut self, path: &Path, text: &str, lo: u32, hi: u32) -> Option<(Index, Program)> {
        let name = path.display().to_string();
        let file = *self.tooling().files.get(&name)?;
        let old = self.tooling().units.get(&file)?;
        let old = old.iter().find(|unit| unit.range.contains(&(lo as usize))).or(old.last())?.clone();
        let before = self.session.tables.checkpoint();
        let mut fixity = old.fixity.clone();
        let options = ParseOptions { allow_prim: old.settings.allow_prim };
        let range = old.range.start.min(text.len())..text.len();
        let (program, _) = leat_ast::parse_part(file, text, range, &options, &mut fixity);
        let mut options = old.settings.elaboration();
        options.index = true;
        options.ask = Some(Span::new(file, lo, hi));
        let done = leat_elab::elaborate(&program, &old.before.borrow(), &mut self.session.tables, &options);
        // Types of the answer are texts already; the others are of no use now.
        let mut index = done.index.unwrap_or_default();
        index.types.clear();
        self.session.tables.roll_back(before);
        Some((index, program))
    }

    /// Forgets what was analysed, when too much of the tables is of texts that are no more.
    pub fn tidy(&mut self) -> bool {
        let size = self.session.tables.checkpoint().size();
        if size < SMALL.max(GROWTH * self.size) {
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
        tooling.walked.clear();
        self.size = self.session.tables.checkpoint().size();
    }

    /// A walk is complete: from now on the tables are measured by their size of now.
    pub fn settle(&mut self) {
        self.size = self.size.max(self.session.tables.checkpoint().size() / 2);
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
        file.and_then(|file| tooling.units.get(file)).cloned().unwrap_or_default()
    }

    /// The last analyses of all files.
    pub fn all_units(&self) -> Vec<Rc<Analysed>> {
        let tooling = self.session.tooling.as_ref().expect("made in `new`");
        let mut all: Vec<Rc<Analysed>> = tooling.units.values().flatten().cloned().collect();
        all.sort_by_key(|unit| (unit.file, unit.range.start));
        all
    }
}

impl Tooling {
    fn new(session: &Session) -> Tooling {
        Tooling {
            texts: Rc::default(),
            files: session.sources.files().map(|(id, file)| (file.name.to_string(), id)).collect(),
            units: HashMap::new(),
            walked: Vec::new(),
            found: RefCell::default(),
            interrupt: None,
        }
    }
}

impl Session {
    /// Adds a source file, or gives it its text of now: a tool's files have one number for ever.
    pub(crate) fn source_file(&mut self, name: &str, text: &str) -> FileId {
        let Some(tooling) = &mut self.tooling else { return self.sources.add(name, text) };
        match tooling.files.get(name) {
            Some(&file) => {
                if self.sources.get(file).is_none_or(|known| *known.text != *text) {
                    self.sources.replace(file, text);
                }
                file
            }
            None => {
                let file = self.sources.add(name, text);
                tooling.files.insert(name.to_string(), file);
                file
            }
        }
    }

    /// Keeps messages for a tool, besides what is done with them.
    pub(crate) fn keep(&self, diagnostics: &[Diagnostic]) {
        if let Some(tooling) = &self.tooling {
            tooling.found.borrow_mut().extend_from_slice(diagnostics);
        }
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What [`Session::unit`] does for a tool: never fails but when interrupted, and remembers.
pub(crate) fn unit(
    session: &mut Session,
    file: FileId,
    part: Range<usize>,
    basis: &Basis,
    fixity: &mut FixityEnv,
    settings: &Settings,
) -> Result<Unit, Failure> {
    let whole = session.sources.get(file).map_or("", |source| &*source.text);
    let infixes: Fixities = fixity.iter().collect();
    let infixes: Vec<(u32, String)> = infixes.iter().map(|(name, f)| (name.0, format!("{f:?}"))).collect();
    let key = Key {
        text: hash((&whole[..part.end], part.start)),
        scope: hash((basis.stamp(), infixes, format!("{settings:?}"))),
    };
    let text: Arc<str> = whole.into();
    let tooling = session.tooling.as_mut().expect("a tool's session");
    let of_file = tooling.units.entry(file).or_default();
    let known = of_file.iter().find(|unit| unit.key == key && unit.range == part).cloned();
    let unit = match known {
        Some(unit) => {
            // The same names, but they may have moved.
            unit.before.replace(basis.clone());
            unit
        }
        None => {
            if tooling.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
                return Err(Failure::Stopped);
            }
            // What stands in this place of the file now, or stood there in the same scope.
            let old = of_file.iter().position(|unit| unit.range.start == part.start && unit.key.scope == key.scope);
            let old = old.or_else(|| of_file.iter().position(|unit| unit.range.start == part.start));
            let old = old.map(|i| of_file.remove(i));
            let new = Rc::new(analyse(session, (file, part, text), basis, fixity.clone(), settings, key, old));
            let tooling = session.tooling.as_mut().expect("as above");
            let of_file = tooling.units.entry(file).or_default();
            of_file.retain(|unit| unit.range.end <= new.range.start || unit.range.start >= new.range.end);
            of_file.push(new.clone());
            new
        }
    };
    for (name, declared) in &unit.fixities {
        fixity.declare(*name, *declared);
    }
    let tooling = session.tooling.as_mut().expect("as above");
    tooling.walked.push(unit.clone());
    Ok(Unit { lambda: Lambda::default(), added: unit.added.clone(), fixities: unit.fixities.clone() })
}

fn analyse(
    session: &mut Session,
    (file, range, text): (FileId, Range<usize>, Arc<str>),
    basis: &Basis,
    fixity: FixityEnv,
    settings: &Settings,
    key: Key,
    old: Option<Rc<Analysed>>,
) -> Analysed {
    let mut seen = None;
    if let Some(old) = &old {
        if session.tables.checkpoint() == old.tables.1 {
            // Nobody has seen what it bound last, and nothing but that is lost.
            session.tables.roll_back(old.tables.0);
            seen = old.seen.clone();
        } else {
            seen = Some((old.added.clone(), old.fixities.clone()));
        }
    }
    let before = session.tables.checkpoint();
    let parse_options = ParseOptions { allow_prim: settings.allow_prim };
    let mut inner = fixity.clone();
    let ((program, mut diagnostics), fixities) =
        inner.recording(|fixity| leat_ast::parse_part(file, &text, range.clone(), &parse_options, fixity));
    let mut options = settings.elaboration();
    options.index = true;
    let elaborated = leat_elab::elaborate(&program, basis, &mut session.tables, &options);
    diagnostics.extend(elaborated.diagnostics);
    shelves::advise(session, &mut diagnostics);
    if !leat_base::diagnostic::has_errors(&diagnostics) {
        let options = leat_lambda::Options { library: settings.library };
        let (_, more) = leat_lambda::lower(elaborated.decs, &mut session.tables, options);
        add_of_matches(&mut diagnostics, more);
        settings.adjust(&mut diagnostics);
    }
    let after = session.tables.checkpoint();
    let mut added = elaborated.added;
    // For those who depend on it: is it as it was?
    if let Some((bound, infixes)) = &seen
        && *infixes == fixities
        && let Some(same) = interface::same(&mut session.tables, before, bound, &added)
    {
        move_places(session, &same.moved);
        added = same.basis;
        seen = Some((added.clone(), fixities.clone()));
    }
    let index = elaborated.index.unwrap_or_default();
    Analysed {
        file,
        range,
        text,
        program,
        diagnostics,
        index: RefCell::new(index),
        before: RefCell::new(basis.clone()),
        fixity,
        settings: settings.clone(),
        named_in: session.named_in,
        key,
        added,
        fixities,
        seen,
        tables: (before, after),
    }
}

/// Declarations have moved: so do the notes of all who use them.
fn move_places(session: &mut Session, moved: &HashMap<Span, Span>) {
    if moved.is_empty() {
        return;
    }
    let Some(tooling) = &mut session.tooling else { return };
    for unit in tooling.units.values().flatten() {
        let mut index = unit.index.borrow_mut();
        let Index { names, links, .. } = &mut *index;
        let ends = links.iter_mut().flat_map(|(a, b)| [a, b]);
        for place in names.iter_mut().map(|name| &mut name.declared).chain(ends) {
            if let Some(new) = moved.get(place) {
                *place = *new;
            }
        }
    }
}

impl Analysed {
    /// What is in scope after it.
    pub fn after(&self) -> Basis {
        self.before.borrow().plus(&self.added)
    }
}
