//! Lambda -> Mono: monomorphisation, flattening, naming of intermediate results.
//!
//! After Cejtin, Jagannathan and Weeks, Flow-directed closure conversion for typed languages, ESOP 2000 (MLton's
//! monomorphise); the normal form after Flanagan, Sabry, Duba and Felleisen, PLDI 1993. Keeps: order of evaluation;
//! each declaration stands where it stood, a polymorphic one with all its instances.
//!
//! `instances` has found out what is asked for; here the code of each instance is written at its declaration.
//!
//! Reading order: this file (the whole program, and what units share), `dec`, `exp`, `app`, `control`, `data`; `lines`
//! and `made` are beside.

mod app;
mod control;
mod data;
mod dec;
mod exp;
mod lines;
mod made;

use crate::builder::{Builder, Val, name_or};
use crate::closing::{Closing, TyEnv};
use crate::describe::Describing;
use crate::equality::Equality;
use crate::instances::{self, Inst, Instances};
use crate::ir::*;
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_base::{SourceMap, Span, Symbol};
use leat_lambda::ir::{self as lambda, Dec, TopDec};
use leat_lambda::session::{Slot, Unit};
use leat_lambda::tables::{self as elab, Tables};
use lines::Lines;
use made::made;
use rustc_hash::{FxHashMap, FxHashSet};

/// Translates a whole program: declarations in order, each variable declared before it is used. `sources` tells lines;
/// files that it does not know have none. The error is a limit that the program exceeds.
pub fn from_lambda<'a>(decs: &[&'a TopDec], tables: &'a Tables, sources: &SourceMap) -> Result<Program, String> {
    translate(decs, None, tables, sources)
}

/// Likewise a unit of a session: `main` evaluates its declarations, and shares values with other units by slots.
pub fn from_lambda_unit<'a>(unit: &'a Unit, tables: &'a Tables, sources: &SourceMap) -> Result<Program, String> {
    let decs: Vec<&TopDec> = unit.decs.iter().map(|top| &**top).collect();
    translate(&decs, Some(unit), tables, sources)
}

fn translate<'a>(
    decs: &[&'a TopDec],
    unit: Option<&Unit>,
    tables: &'a Tables,
    sources: &SourceMap,
) -> Result<Program, String> {
    let decs: Vec<&'a Dec> = decs.iter().map(|top| &top.dec).collect();
    let mut closing = Closing::new(tables);
    let instances = instances::collect(&decs, &mut closing)?;
    let values = vec![None; instances.count()];
    let mut lower = Lower {
        b: Builder::new(closing),
        instances,
        inst: Inst(0),
        tys: TyEnv::default(),
        env: FxHashMap::default(),
        values,
        prims: FxHashMap::default(),
        equality: Equality::default(),
        describing: Describing::default(),
        place: sym::MAIN,
        lines: Lines::new(sources),
        desc: Ty(0),
        keeps_history: false,
        inline: Inline::Auto,
    };
    lower.desc = lower.b.closing.types.intern(TyData::Ref(lower.b.closing.unit));
    let mut outermost = FxHashSet::default();
    let mut main = Builder::body(&mut lower, |lower| {
        for &(var, slot) in unit.map_or(&[][..], |unit| &unit.imports) {
            lower.import(var, slot);
            lower.note_outermost(var, &mut outermost);
        }
        for (i, dec) in decs.iter().enumerate() {
            lower.library_done(unit, i);
            lower.dec(dec)?;
            for var in dec.binds() {
                lower.note_outermost(var, &mut outermost);
                if let Some(slot) = unit.and_then(|unit| unit.exports.get(&var)) {
                    lower.export(var, *slot);
                }
            }
        }
        lower.library_done(unit, decs.len());
        if let Some(unit) = unit {
            lower.flag(unit.done);
        }
        Some(Vec::new())
    });
    if lower.keeps_history {
        let keep = Rhs::Prim { prim: Prim::ExnKeep, tys: Vec::new(), args: Vec::new() };
        main.binds.insert(0, Bind::Val { vars: Vec::new(), rhs: keep, loc: Loc::default() });
    }
    let made = made(&main, lower.b.types().datatypes.len());
    let open = unit.is_some_and(|unit| !unit.imports.is_empty());
    let comparisons = lower.equality.write(&mut lower.b, &made, open);
    let descriptions = lower.describing.write(&mut lower.b, &made, open);
    for functions in [comparisons, descriptions] {
        if !functions.is_empty() {
            main.binds.insert(0, Bind::Fun(functions));
        }
    }
    if unit.is_some() {
        lower.b.closing.settle();
    }
    Ok(Program {
        types: lower.b.closing.types,
        vars: lower.b.vars,
        strings: lower.b.strings,
        files: lower.lines.files,
        inlined: Vec::new(),
        sets_rounding: false,
        places_before: 0,
        keeps_history: lower.keeps_history,
        foreign: lower.b.foreigns,
        watch: Watch::Nothing,
        tells_types: false,
        main,
        outermost,
        desc_ty: Some(lower.desc),
    })
}

struct Lower<'a, 's> {
    b: Builder<'a>,
    instances: Instances<'a>,
    /// The instance being written, and its types.
    inst: Inst,
    tys: TyEnv,
    /// Monomorphic variables.
    env: FxHashMap<lambda::Var, Val>,
    /// By instance.
    values: Vec<Option<Val>>,
    /// Variables that are another name of a primitive.
    prims: FxHashMap<lambda::Var, (Prim, elab::Ty)>,
    equality: Equality,
    describing: Describing,
    /// Name of the function being written.
    place: Symbol,
    lines: Lines<'s>,
    desc: Ty,
    /// See [`Program::keeps_history`].
    keeps_history: bool,
    /// What the function being written has said of itself.
    inline: Inline,
}

impl<'a> AsMut<Builder<'a>> for Lower<'a, '_> {
    fn as_mut(&mut self) -> &mut Builder<'a> {
        &mut self.b
    }
}

impl<'a> Lower<'a, '_> {
    fn close(&mut self, ty: elab::Ty) -> Ty {
        self.b.closing.close(ty, &mut self.tys)
    }

    /// The value of an earlier unit's variable.
    fn import(&mut self, var: lambda::Var, slot: Slot) {
        let ty = if slot.exception { self.desc } else { self.close(self.b.closing.tables.vars[var].ty) };
        let name = name_or(self.name(var), self.b.temp);
        let here = self.b.fresh(name, ty);
        let args = vec![Atom::Int(i64::from(slot.number))];
        self.b.val(vec![here], Rhs::Prim { prim: Prim::SlotGet, tys: vec![ty], args });
        let val = if slot.exception { Val::Atom(Atom::Var(here)) } else { self.b.val_of(Atom::Var(here), ty) };
        self.env.insert(var, val);
    }

    /// See [`Program::outermost`].
    fn note_outermost(&self, var: lambda::Var, outermost: &mut FxHashSet<Var>) {
        if let Some(val) = self.env.get(&var) {
            val.add_vars(outermost);
        }
    }

    /// Puts a variable that was just declared into its slot.
    fn export(&mut self, var: lambda::Var, slot: Slot) {
        let Some(val) = self.env.get(&var).cloned() else { return };
        let ty = if slot.exception { self.desc } else { self.close(self.b.closing.tables.vars[var].ty) };
        let atom = self.b.boxed(&val);
        self.put(slot.number, ty, atom);
    }

    /// After the library's part of a unit.
    fn library_done(&mut self, unit: Option<&Unit>, evaluated: usize) {
        if let Some(unit) = unit
            && let Some(slot) = unit.library_done
            && unit.library == evaluated
        {
            self.flag(slot);
        }
    }

    fn flag(&mut self, slot: u32) {
        let int = self.b.closing.int;
        self.put(slot, int, Atom::Int(1));
    }

    fn put(&mut self, slot: u32, ty: Ty, atom: Atom) {
        let args = vec![Atom::Int(i64::from(slot)), atom];
        self.b.val(Vec::new(), Rhs::Prim { prim: Prim::SlotSet, tys: vec![ty], args });
    }

    fn at(&mut self, span: Span) {
        self.b.loc = self.lines.loc(span);
    }

    fn name(&self, var: lambda::Var) -> Symbol {
        self.b.closing.tables.vars[var].name
    }

    /// Runs `f` inside an instance of a declaration of the current one.
    fn inside<R>(&mut self, inst: Inst, f: impl FnOnce(&mut Self) -> R) -> R {
        if inst == self.inst {
            return f(self);
        }
        let tys = std::mem::replace(&mut self.tys, TyEnv::new(self.instances.vars(inst)));
        let outer = std::mem::replace(&mut self.inst, inst);
        let result = f(self);
        self.tys = tys;
        self.inst = outer;
        result
    }
}
