//! What a session keeps of each unit when it works for a tool: see [`crate::tooling`].

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use leat_ast::{FixityEnv, Program};
use leat_base::{Diagnostic, FileId, SourceMap, Symbol};
use leat_elab::tables::Checkpoint;
use leat_elab::{Basis, Index};

use crate::text::Texts;
use crate::units::settings::Settings;
use crate::units::shelves::NamedIn;
use crate::units::uses::Read;

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
    pub(super) before: RefCell<Basis>,
    pub fixity: FixityEnv,
    pub(super) named_in: NamedIn,
    pub(super) scope: Scope,
    /// What others see that it binds. It may have been made by an earlier analysis, which has bound the same.
    pub(super) added: RefCell<Basis>,
    /// What this analysis has bound: the types of the index have these names.
    pub(super) own: RefCell<Basis>,
    pub(super) fixities: Vec<(Symbol, leat_ast::Fixity)>,
    /// What it bound when others last could see it, unless that is `added`.
    pub(super) seen: RefCell<Option<Seen>>,
    /// The tables before and after.
    pub(super) tables: (Checkpoint, Checkpoint),
}

pub(super) type Fixities = Vec<(Symbol, leat_ast::Fixity)>;
pub(super) type Seen = (Basis, Fixities);

/// What an analysis depends on, besides the text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// The stamp of the basis, which says what that was made of.
    pub basis: u64,
    pub infixes: Fixities,
    pub settings: Settings,
}

impl Analysed {
    /// What is in scope after it.
    pub fn after(&self) -> Basis {
        self.before.borrow().plus(&self.own.borrow())
    }
}

/// The last analysis of each unit of a program, by file. A file that the program has in several scopes has several for
/// one part, in the order of elaboration.
pub(super) type Units = HashMap<FileId, Vec<Rc<Analysed>>>;

/// A program that is not open, and was walked to see all uses of a name: kept for the next question. One scope is not
/// the other, so its units are not those of the open programs, unless both are in a part that they share.
pub(super) struct Aside {
    pub root: PathBuf,
    pub units: Units,
}

/// What a session has when it works for a tool.
pub(crate) struct Tooling {
    pub texts: Rc<RefCell<Texts>>,
    pub files: HashMap<String, FileId>,
    /// Of the program that is being walked; nothing between walks.
    pub units: Units,
    /// Of the others that are open, by their roots. Each has its own: a file may mean one thing in one program and
    /// another in the next.
    pub(super) open: BTreeMap<PathBuf, Units>,
    /// What groups of CM know of their sources; of a text that is another one now, nothing.
    pub read: HashMap<FileId, Rc<Read>>,
    /// The one that was asked for last comes last.
    pub(super) asides: Vec<Aside>,
    /// What the present walk has come by, in order.
    pub walked: Vec<Rc<Analysed>>,
    /// Messages about descriptions.
    pub found: RefCell<Vec<Diagnostic>>,
    pub interrupt: Option<Rc<dyn Fn() -> bool>>,
    /// The walk stops behind the first of these files that it had to analyse.
    pub awaited: HashSet<String>,
    /// It has come by that file.
    pub reached: Option<FileId>,
    /// A word at which the analysis of a text fails as by a defect of Leat. Tests give it, to see what a tool does
    /// then.
    pub defect: Option<String>,
}

/// The variable that has [`Tooling::defect`].
const DEFECT: &str = "LEAT_PLANTED_DEFECT";

impl Tooling {
    pub fn new(sources: &SourceMap) -> Tooling {
        Tooling {
            texts: Rc::default(),
            files: sources.files().map(|(id, file)| (file.name.to_string(), id)).collect(),
            units: Units::new(),
            open: BTreeMap::new(),
            read: HashMap::new(),
            asides: Vec::new(),
            walked: Vec::new(),
            found: RefCell::default(),
            interrupt: None,
            awaited: HashSet::new(),
            reached: None,
            defect: std::env::var(DEFECT).ok().filter(|word| !word.is_empty()),
        }
    }

    /// All analyses that are kept: those of the present walk first.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Units> {
        [&self.units].into_iter().chain(self.open.values()).chain(self.asides.iter().map(|aside| &aside.units))
    }

    pub(super) fn kept_mut(&mut self) -> impl Iterator<Item = &mut Units> {
        let asides = self.asides.iter_mut().map(|aside| &mut aside.units);
        [&mut self.units].into_iter().chain(self.open.values_mut()).chain(asides)
    }

    /// What is kept of a program that was walked aside.
    pub(super) fn take_aside(&mut self, root: &Path) -> Option<Units> {
        let at = self.asides.iter().position(|aside| aside.root == root)?;
        Some(self.asides.remove(at).units)
    }

    /// What the walk that is done has found: the analyses that it has come by; and if it did not come to its end, those
    /// that it did not reach.
    pub(super) fn take_walked(&mut self, walked: &[Rc<Analysed>], interrupted: bool) -> Units {
        let before = std::mem::take(&mut self.units);
        if interrupted {
            return before;
        }
        let mut units = Units::new();
        for unit in walked {
            let of_file = units.entry(unit.file).or_default();
            if !of_file.iter().any(|known| Rc::ptr_eq(known, unit)) {
                of_file.push(unit.clone());
            }
        }
        units
    }

    /// How much of the tables these analyses have made, each counted once, but for those that are counted already.
    pub(super) fn size<'u>(units: impl Iterator<Item = &'u Units>, counted: &mut HashSet<*const Analysed>) -> usize {
        let new = units.flat_map(|units| units.values().flatten()).filter(|unit| counted.insert(Rc::as_ptr(unit)));
        new.map(|unit| unit.tables.1.size().saturating_sub(unit.tables.0.size())).sum()
    }
}
