//! A session: what is kept from one unit to the next, and what every stage may ask for.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::bufread::DeflateDecoder;
use leat_ast::{Fixity, FixityEnv};
use leat_base::{Diagnostic, FileId, SourceMap, Symbol};
use leat_elab::declared::Declared;
use leat_elab::ir::{Dec, TyName, Var};
use leat_elab::{Basis, Tables};
use leat_lambda::ir::Lambda;

use crate::front::FrontHost;
use crate::library::{self, Front};
use crate::options::Options;
use crate::own::Own;
use crate::probes::{self, Probes};
use crate::say::show;
use crate::stage::{Failure, Staged, Times, Wishes};
use crate::tooling::kept::Tooling;
use crate::units::shelves::{self, NamedIn};

static FRONT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/basis.front"));
static LAMBDA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/basis.lambda"));
static TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/basis.texts"));
/// Compressed.
static DECLARED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/basis.declared"));

/// One source of SML text.
pub enum Input<'a> {
    File(&'a Path),
    /// A name for messages, and the text.
    Text(&'a str, String),
}

/// A source text after the front end.
pub(crate) struct Unit {
    pub lambda: Lambda,
    /// What it binds.
    pub added: Basis,
    /// What it declares infix or nonfix at its top level.
    pub fixities: Vec<(Symbol, Fixity)>,
}

/// Likewise, with what a prompt asks besides.
pub(crate) struct PromptUnit {
    pub program: leat_ast::Program,
    pub unit: Unit,
    /// Its basis, with what it binds.
    pub basis: Basis,
    /// Variables from here on are the next stage's own.
    pub made: u32,
}

/// What is kept from one unit to the next: names, types, environments, files, times.
pub struct Session {
    pub options: Options,
    pub sources: SourceMap,
    /// Warnings of units without errors, about the user's own sources.
    pub warnings: Vec<Diagnostic>,
    /// Which sources are the user's own.
    pub(crate) own: Own,
    pub(crate) tables: Tables,
    pub(crate) basis: Basis,
    /// The library's: what `basis` was before the first unit.
    pub(crate) image: Basis,
    pub(crate) fixity: FixityEnv,
    pub(crate) lambda: Cow<'static, [u8]>,
    /// So many of the sources, the first ones, are in the image.
    image_files: usize,
    /// Where a library that was made for this session declares its names; nothing of the built-in one.
    declared: Option<Vec<u8>>,
    pub(crate) times: Times,
    /// A unit sets the rounding mode of reals.
    pub(crate) sets_rounding: bool,
    /// How many places the units have where something is made that threads wait for: see
    /// `leat_ssa::ir::Program::places`.
    pub(crate) places: u32,
    /// What the source that is compiled is named in: how it would name a library.
    pub(crate) named_in: NamedIn,
    /// Of a program that a debugger may stop.
    pub probes: Option<Box<Probes>>,
    debugger: Option<(Var, TyName)>,
    /// It works for a tool: see [`crate::tooling`].
    pub(crate) tooling: Option<Box<Tooling>>,
}

impl Session {
    /// Loads the Basis. Must be the first in the process to make a name.
    pub fn new(options: Options) -> Result<Session, Failure> {
        let start = Instant::now();
        let mut times = Times::default();
        let mut declared = None;
        let (front, lambda, texts): (Front<'static>, Cow<'static, [u8]>, &'static str) = match &options.library {
            None => (library::load(FRONT).map_err(Failure::Trouble)?, LAMBDA.into(), TEXTS),
            Some(folder) => {
                let (bytes, stages) = library::make_from(folder, options.wishes(), show)?;
                for (what, took) in stages.into_rows() {
                    times.took(format!("library {what}"), took);
                }
                let front = library::reload(bytes.front.leak()).map_err(Failure::Trouble)?;
                declared = Some(bytes.declared);
                (front, bytes.lambda.into(), bytes.texts.leak())
            }
        };
        let mut sources = SourceMap::new();
        for (name, text) in front.files(texts) {
            sources.add_static(name, text);
        }
        let image_files = front.files.len();
        let stages = times.total();
        times.took("basis".to_string(), start.elapsed().saturating_sub(stages));
        let probes = options.debug.clone().map(|inserted| Box::new(Probes::new(inserted)));
        Ok(Session {
            options,
            probes,
            debugger: front.debugger,
            sources,
            warnings: Vec::new(),
            own: Own::default(),
            tables: front.tables,
            image: front.basis.clone(),
            basis: front.basis,
            fixity: FixityEnv::basis(),
            lambda,
            image_files,
            declared,
            times,
            sets_rounding: false,
            places: 0,
            named_in: NamedIn::default(),
            tooling: None,
        })
    }

    /// A session without a library, with the library's sources: who compiles them begins with that.
    pub(crate) fn before_library(&self) -> Session {
        let mut sources = SourceMap::new();
        for (_, file) in self.sources.files().take(self.image_files) {
            sources.add(&file.name, &file.text);
        }
        let mut tables = Tables::default();
        let basis = leat_elab::initial_basis(&mut tables);
        Session {
            options: self.options.clone(),
            sources,
            warnings: Vec::new(),
            own: Own::default(),
            tables,
            image: basis.clone(),
            basis,
            fixity: FixityEnv::basis(),
            lambda: Cow::Borrowed(&[]),
            image_files: self.image_files,
            declared: None,
            times: Times::default(),
            sets_rounding: false,
            places: 0,
            named_in: NamedIn::default(),
            probes: None,
            debugger: None,
            tooling: None,
        }
    }

    /// Where the library's names are declared.
    pub(crate) fn declared(&self) -> Declared {
        let bytes = match &self.declared {
            Some(bytes) => Cow::Borrowed(&bytes[..]),
            None => {
                let mut bytes = Vec::new();
                DeflateDecoder::new(DECLARED)
                    .read_to_end(&mut bytes)
                    .expect("they were compressed when Leat was built");
                Cow::Owned(bytes)
            }
        };
        postcard::from_bytes(&bytes).expect("they were written by the same build")
    }

    /// All that the elaborator knows.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// For who computes with types.
    pub fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// What is in scope for the next unit.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The library's: what was in scope before the first unit.
    pub fn library_basis(&self) -> &Basis {
        &self.image
    }

    pub fn fixity(&self) -> &FixityEnv {
        &self.fixity
    }

    /// The times since the last call; nothing is known of them afterwards.
    pub fn take_times(&mut self) -> Vec<(String, Duration)> {
        std::mem::take(&mut self.times).into_rows()
    }

    /// Adds a time that a later stage took.
    pub fn took(&mut self, what: &str, time: Duration) {
        self.times.took(what.to_string(), time);
    }

    /// The table of `--time-passes`.
    pub fn times(&self) -> String {
        self.times.table()
    }

    /// What is built in, with the tables that it speaks of.
    pub fn library(&self) -> (&Basis, &Tables) {
        (&self.image, &self.tables)
    }

    /// Does `CM` mean the library's structure?
    pub fn has_own_cm(&self) -> bool {
        let cm = Symbol::intern("CM");
        self.basis.structure(cm) == self.image.structure(cm)
    }

    /// What a unit declares is known to the next.
    pub(crate) fn add(&mut self, unit: Unit) -> Lambda {
        self.basis = self.basis.plus(&unit.added);
        for (symbol, fixity) in unit.fixities {
            self.fixity.declare(symbol, fixity);
        }
        unit.lambda
    }

    /// A text from its beginning to its end.
    pub(crate) fn whole(&self, file: FileId) -> Range<usize> {
        0..self.sources.get(file).map_or(0, |source| source.text.len())
    }

    /// Refuses errors, and keeps warnings.
    pub(crate) fn warn(&mut self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        if !leat_base::diagnostic::has_errors(diagnostics) {
            self.keep(diagnostics);
        }
        self.refuse(diagnostics)?;
        let is_own = |d: &&Diagnostic| self.sources.get(d.span.file).is_none_or(|source| self.own.has(&source.name));
        let own: Vec<Diagnostic> = diagnostics.iter().filter(is_own).cloned().collect();
        self.warnings.extend(own);
        Ok(())
    }

    /// The warnings so far as the user wants them, with their number; they are told then.
    pub fn take_warnings(&mut self) -> String {
        let warnings = std::mem::take(&mut self.warnings);
        if warnings.is_empty() { String::new() } else { self.rendered(&warnings) }
    }

    /// Likewise where a program is to be run: what was said of its sources is counted, and where it is shown is named.
    /// What concerns the program as a whole is told in full, and so are tools.
    pub fn take_warnings_in_short(&mut self) -> String {
        let is_whole = |d: &Diagnostic| d.span == leat_base::Span::NONE || d.code.starts_with("unit/");
        let (whole, counted): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.warnings).into_iter().partition(|d| self.options.json || is_whole(d));
        let mut text = if whole.is_empty() { String::new() } else { self.rendered(&whole) };
        match leat_base::diagnostic::count(&counted) {
            0 => {}
            1 => text.push_str("1 warning: `leat check` shows it\n"),
            n => text.push_str(&format!("{n} warnings: `leat check` shows them\n")),
        }
        text
    }

    /// Messages as the user wants them.
    pub(crate) fn rendered(&self, diagnostics: &[Diagnostic]) -> String {
        match self.options.json {
            true => leat_base::json::render(diagnostics, &self.sources),
            false => leat_base::render(diagnostics, &self.sources, self.options.color),
        }
    }

    /// Gives a tool's file another text; what was read of the old one goes.
    pub(crate) fn replace_text(&mut self, file: FileId, text: &str) {
        self.sources.replace(file, text);
        if let Some(tooling) = &mut self.tooling {
            tooling.read.remove(&file);
        }
    }

    /// Adds a source file, or gives it its text of now: a tool's files have one number for ever.
    pub(crate) fn source_file(&mut self, name: &str, text: &str) -> FileId {
        let inserted = self.probes.as_mut().and_then(|probes| probes.insert(name, text));
        let text = inserted.as_deref().unwrap_or(text);
        let Some(tooling) = &mut self.tooling else { return self.sources.add(name, text) };
        match tooling.files.get(name).copied() {
            Some(file) => {
                if self.sources.get(file).is_none_or(|known| *known.text != *text) {
                    self.replace_text(file, text);
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

impl Staged for Session {
    fn wishes(&self) -> Wishes<'_> {
        self.options.wishes()
    }

    fn times(&mut self) -> &mut Times {
        &mut self.times
    }

    fn show(&self, text: &str) {
        show(text);
    }

    fn refuse(&self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        if leat_base::diagnostic::has_errors(diagnostics) {
            self.keep(diagnostics);
            return Err(Failure::Errors(self.rendered(diagnostics)));
        }
        Ok(())
    }
}

impl FrontHost for Session {
    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }

    fn instrument(&mut self, decs: Vec<Dec>) -> Vec<Dec> {
        let (Some(probes), Some(library)) = (&mut self.probes, self.debugger) else { return decs };
        let is_own = |name: &str| self.own.has(name);
        probes::instrument(decs, probes, &mut self.tables, &self.sources, library, &is_own)
    }

    fn advise(&self, diagnostics: &mut Vec<Diagnostic>) {
        shelves::advise(&self.options, &self.sources, self.named_in, diagnostics);
    }
}
