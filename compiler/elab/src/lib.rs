//! Ast -> Core: the static semantics of the Definition of Standard ML (Revised), core and modules.
//!
//! [`elaborate`] takes a parsed unit and a [`Basis`], and answers Core declarations, the new basis and all messages. It
//! always answers; where something is wrong it goes on with a type that fits everything, so that one mistake gives one
//! message.
//!
//! In reading order:
//! - [`ir`], [`print`], [`verify`]: Core, its dump, its invariants (C1 to C8);
//! - [`basis`], [`lazy`], [`tables`], [`builtin`]: environments, signatures, functors; the tables of all of them; what
//!   every program starts with;
//! - `types`, `nodes`, `unify`, `scheme`: inference types with levels, and Core with them (`draft`); `ctx`: scopes;
//!   `naming`, `show`, `clash`, `unbound`, `broken`, `foreign`, `restricted`: messages;
//! - `ty`, `pat`, `exp`, `dec`, `datatype`: the core language;
//! - `realise`, `sig`, `matching`, `module`: the modules language;
//! - `undetermined`, `used`, `unused`, `finish`: the end of a unit; inference types become Core types;
//! - `index`, `noting`: what tools want to know of a text.
//!
//! Rules of the Definition are tagged `[Rule n]` where they are implemented. Some need no code: [Rule 5] [Rule 7]
//! [Rule 37] [Rule 40] [Rule 48] are about parentheses, which the parser drops, and atomic phrases, which are phrases.

pub mod basis;
mod broken;
pub mod builtin;
mod clash;
mod ctx;
mod datatype;
mod dec;
pub mod declared;
mod draft;
mod exp;
mod finish;
mod flexible;
mod foreign;
mod import;
pub mod index;
pub mod ir;
pub mod lazy;
mod matching;
mod module;
pub mod naming;
mod nodes;
mod noting;
mod pat;
mod prim;
pub mod print;
mod realise;
mod restricted;
mod scheme;
mod show;
mod sig;
pub mod tables;
mod ty;
mod types;
mod unbound;
mod undetermined;
mod unify;
mod unused;
mod used;
pub mod verify;

pub use basis::{Basis, Env, EnvId};
pub use builtin::initial_basis;
pub use index::Index;
pub use tables::Tables;
pub use unbound::edit_distance;
pub use unused::near_name;

use basis::{TyStr, TypeFcn};
use ctx::{Binding, Elab};
use ir::TyNameDef;
use leat_base::Diagnostic;

/// What a unit is elaborated as. `_prim` is the parser's option.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Warn about values other than `()` that a sequence throws away.
    pub sequences: bool,
    /// Make an [`Index`].
    pub index: bool,
    /// Without types in it: an index that is made for the places of declarations alone.
    pub without_types: bool,
    /// And put into it what may stand for the identifier at this place.
    pub ask: Option<leat_base::Span>,
    /// Which bindings to warn about that nothing uses.
    pub unused: WarnUnused,
    /// Foreign functions are allowed.
    pub foreign: bool,
    /// In a foreign type `int` and `word` have 64 bits, as outside of it; else they are C's `int` and `unsigned`.
    pub wide: bool,
    /// `--check-foreign`: every call of C is looked at, and so none is made in place.
    pub checks_foreign: bool,
}

/// Bindings that are warned about if nothing uses them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WarnUnused {
    #[default]
    Nothing,
    /// What `val`, `fun` and `as` bind inside of expressions, and between `local` and `in`.
    Bindings,
    /// These, and the variables of all other patterns.
    Variables,
}

/// The answer of [`elaborate`].
#[derive(Clone, Debug)]
pub struct Elaborated {
    /// The unit's Core, in order of evaluation. Meaningless when there is an error among the diagnostics.
    pub decs: Vec<ir::Dec>,
    /// What the unit binds.
    pub added: Basis,
    /// The basis that it was given, with what it binds.
    pub basis: Basis,
    pub diagnostics: Vec<Diagnostic>,
    /// If the options ask for it.
    pub index: Option<Index>,
}

/// Elaborates one unit. It never fails: see the diagnostics. `tables` only grow.
pub fn elaborate(program: &leat_ast::ir::Program, basis: &Basis, tables: &mut Tables, options: &Options) -> Elaborated {
    let mut elab = Elab::new(program, basis, tables);
    (elab.foreign, elab.wide, elab.checks_foreign) = (options.foreign, options.wide, options.checks_foreign);
    elab.unused = used::Unused::new(options.unused, program.file);
    elab.pending.thrown_away = options.sequences.then(Vec::new);
    elab.notes = options.index.then(|| Box::new(ctx::Notes::new(options)));
    let start = elab.mark();
    let mut decs = vec![];
    let mut ends = program.ends.iter().peekable();
    for (i, &dec) in program.decs.iter().enumerate() {
        let mut semicolon = false;
        while ends.next_if(|&&end| end as usize <= i).is_some() {
            semicolon = true;
        }
        if semicolon {
            elab.settle_overloads();
        }
        elab.elab_strdec(dec, &mut decs);
    }
    elab.settle_overloads();
    elab.settle_flexible();
    elab.warn_undetermined(start);
    elab.warn_thrown_away();
    let decs = elab.finish_decs(decs);
    elab.warn_unused();
    elab.close_top(start);
    let index = elab.finish_notes();
    let layer = elab.layer_since(start);
    let mut diagnostics = elab.diagnostics;
    // A declaration that is cut has guessed types.
    let is_cut = |d: &Diagnostic| {
        let holds = |cut: &leat_base::Span| cut.lo <= d.span.lo && d.span.hi <= cut.hi;
        d.code.starts_with("type/") && program.ast.cut.iter().any(holds)
    };
    diagnostics.retain(|d| !is_cut(d));
    register_operators(&layer, tables);
    let added = Basis::of(layer);
    Elaborated { decs, basis: basis.plus(&added), added, diagnostics, index }
}

/// Remembers the library's structures that hold the overloaded operators of IntInf and the sized types: the first of
/// each name, so that a program's own structure of that name changes nothing. [Definition, E]
fn register_operators(layer: &basis::Layer, tables: &mut Tables) {
    for &(structure, name) in builtin::OVERLOAD_STRUCTURES {
        let structure = leat_base::Symbol::intern(structure);
        if let Some(&env) = layer.env.strs.get(structure) {
            register(tables, basis::OverloadedType { name, env, structure, size: None });
        }
    }
    for &(structure, env) in layer.env.strs.iter() {
        if let Some((signed, bits)) = sized(structure.as_str())
            && let tycon = leat_base::Symbol::intern(if signed { "int" } else { "word" })
            && let Some(TyStr { fcn: TypeFcn::Name(name), .. }) = tables.modules.envs[env].tys.get(tycon)
            && let TyNameDef::Abstract { .. } = tables.tynames[*name].def
        {
            let name = *name;
            register(tables, basis::OverloadedType { name, env, structure, size: Some((signed, bits)) });
        }
    }
}

fn register(tables: &mut Tables, new: basis::OverloadedType) {
    let known = &mut tables.modules.overloaded;
    if known.iter().all(|o| o.name != new.name && o.structure != new.structure) {
        known.push(new);
    }
}

/// `Int5` is signed and has 5 bits, `Word31` is not and has 31: structures of the library with abstract types. Those of 8
/// and 16 bits have primitive types, so an abstract one is a program's own.
fn sized(structure: &str) -> Option<(bool, u32)> {
    let (signed, bits) = match structure.strip_prefix("Int") {
        Some(bits) => (true, bits),
        None => (false, structure.strip_prefix("Word")?),
    };
    if bits.starts_with('0') {
        return None;
    }
    let bits = bits.parse().ok().filter(|bits| (1..=builtin::MOST_BITS).contains(bits) && ![8, 16].contains(bits))?;
    Some((signed, bits))
}

impl Elab<'_> {
    /// Replaces what stayed open to the end of the unit in its bindings.
    fn close_top(&mut self, start: ctx::Mark) {
        let mut closing = self.closing();
        if closing.open.is_empty() {
            return;
        }
        for name in self.vals_since(start) {
            if let Some(Binding::Done(entry)) = self.own_val(name) {
                let mut entry = entry.clone();
                if self.close_entry(&mut closing, &mut entry) {
                    self.replace_val(name, Binding::Done(entry));
                }
            }
        }
        for name in self.scope_names(2) {
            if let Some(env) = self.structure(name) {
                let closed = self.close_env(&mut closing, env);
                self.replace_str(name, closed);
            }
        }
    }
}
