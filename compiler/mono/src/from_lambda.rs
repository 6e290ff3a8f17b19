//! Lambda -> Mono: monomorphisation, flattening, naming of intermediate results.
//!
//! After Cejtin, Jagannathan and Weeks, Flow-directed closure conversion for typed languages, ESOP 2000 (MLton's
//! monomorphise); the normal form after Flanagan, Sabry, Duba and Felleisen, PLDI 1993. Keeps: order of evaluation; each
//! declaration stands where it stood, a polymorphic one with all its instances.
//!
//! `instances` has found out what is asked for; here the code of each instance is written at its declaration.

use crate::builder::{Builder, Val, name_or};
use crate::closing::{Closing, TyEnv};
use crate::describe::Describing;
use crate::equality::Equality;
use crate::instances::{self, Inst, Instances};
use crate::ir::*;
use crate::prims::{self, PrimUse};
use leat_abi::exn::{BUILTINS, NOTE_AGAIN};
use leat_abi::foreign::{Foreign, Way};
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_base::{FileId, SourceMap, Span, Symbol};
use leat_lambda::ir::{self as lambda, Const, Dec, DecKind, ExnRef, Exp, ExpKind, TopDec};
use leat_lambda::session::{Slot, Unit};
use leat_lambda::tables::{self as elab, Tables, TyNameDef};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Translates a whole program: declarations in order, each variable declared before it is used. `sources` tells lines; files
/// that it does not know have none. The error is a limit that the program exceeds.
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
        lines: Lines { sources, files: Vec::new(), file_of: FxHashMap::default(), last: None },
        desc: Ty(0),
        keeps_history: false,
        inline: Inline::Auto,
    };
    lower.desc = lower.b.closing.types.intern(TyData::Ref(lower.b.closing.unit));
    let mut main = Builder::body(&mut lower, |lower| {
        for &(var, slot) in unit.map_or(&[][..], |unit| &unit.imports) {
            lower.import(var, slot);
        }
        for (i, dec) in decs.iter().enumerate() {
            lower.library_done(unit, i);
            lower.dec(dec)?;
            for var in dec.binds() {
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
        main,
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

    // -- declarations. `None`: control does not come out.

    fn dec(&mut self, dec: &'a Dec) -> Option<()> {
        match &dec.kind {
            DecKind::Val { tyvars, var, exp, .. } => {
                match &exp.kind {
                    ExpKind::Prim(prim, ty) => {
                        self.prims.insert(*var, (*prim, *ty));
                    }
                    ExpKind::Var(other, tys) if tys.is_empty() && tyvars.is_empty() => {
                        if let Some(&prim) = self.prims.get(other) {
                            self.prims.insert(*var, prim);
                        }
                    }
                    _ => {}
                }
                if tyvars.is_empty() {
                    let val = self.named(*var, exp)?;
                    self.env.insert(*var, val);
                    return Some(());
                }
                for inst in self.instances.children(self.inst, *var).to_vec() {
                    let val = self.inside(inst, |this| this.named(*var, exp))?;
                    self.values[inst.0 as usize] = Some(val);
                }
            }
            DecKind::Fun { tyvars, funs } => self.funs(!tyvars.is_empty(), funs),
            DecKind::Exception { var, name, arg } => {
                self.at(dec.span);
                let arg = arg.map(|ty| self.close(ty));
                let desc = self.b.fresh(name_or(*name, self.b.temp), self.desc);
                self.b.val(vec![desc], Rhs::NewExn { name: *name, arg });
                self.env.insert(*var, Val::Atom(Atom::Var(desc)));
            }
        }
        Some(())
    }

    /// Full name of a function declared here.
    fn full_name(&self, var: lambda::Var) -> Symbol {
        let info = &self.b.closing.tables.vars[var];
        if self.place == sym::MAIN && info.path != sym::EMPTY {
            return info.path;
        }
        self.inner_name(info.name)
    }

    fn inner_name(&self, name: Symbol) -> Symbol {
        let place = self.place.as_str();
        // Deep nests keep the outer names.
        if place.len() > 120 {
            return self.place;
        }
        Symbol::intern(&format!("{place}.{}", if name == sym::EMPTY { "fn" } else { name.as_str() }))
    }

    /// The value of a declared variable.
    fn named(&mut self, var: lambda::Var, exp: &'a Exp) -> Option<Val> {
        let name = self.name(var);
        if let ExpKind::Fn(param, body) = &exp.kind {
            let full = self.full_name(var);
            return Some(self.lambda(full, *param, body, exp));
        }
        if let ExpKind::Prim(prim, ty) = exp.kind {
            return self.prim_value(prim, ty, exp.span, Some(self.full_name(var)));
        }
        let outer = self.place;
        if outer == sym::MAIN && name.as_str() != "_" && !matches!(name, sym::EMPTY) {
            self.place = self.full_name(var);
        }
        let val = self.exp(exp);
        self.place = outer;
        let val = val?;
        self.b.rename(&val, name);
        Some(val)
    }

    fn funs(&mut self, poly: bool, funs: &'a [lambda::Fun]) {
        let mut group: Vec<(Inst, &'a lambda::Fun, Var, Symbol)> = Vec::new();
        for fun in funs {
            let instances = if poly { self.instances.children(self.inst, fun.var).to_vec() } else { vec![self.inst] };
            let name = if fun.join { self.place } else { self.full_name(fun.var) };
            for inst in instances {
                let ty = self.inside(inst, |this| {
                    let from = this.close(this.b.closing.tables.vars[fun.param].ty);
                    let to = this.close(fun.body.ty);
                    this.b.closing.arrow(from, to)
                });
                let var = self.b.fresh(name, ty);
                group.push((inst, fun, var, name));
                let val = Val::Atom(Atom::Var(var));
                if poly {
                    self.values[inst.0 as usize] = Some(val);
                } else {
                    self.env.insert(fun.var, val);
                }
            }
        }
        let mut functions = Vec::with_capacity(group.len());
        for (inst, fun, var, name) in group {
            self.at(fun.span);
            let loc = self.b.loc;
            functions.push(self.inside(inst, |this| Function {
                join: fun.join,
                ..this.function(var, name, fun.param, &fun.body, loc)
            }));
        }
        if !functions.is_empty() {
            self.b.bind(Bind::Fun(functions));
        }
    }

    // -- functions

    fn function(&mut self, var: Var, name: Symbol, param: lambda::Var, body: &'a Exp, loc: Loc) -> Function {
        let info = &self.b.closing.tables.vars[param];
        let (param_name, ty) = (info.name, info.ty);
        let from = self.close(ty);
        let to = self.close(body.ty);
        let outer = std::mem::replace(&mut self.place, name);
        let outer_inline = std::mem::take(&mut self.inline);
        let outer_loc = self.b.loc;
        let mut params = Vec::new();
        let body = Builder::function_body(self, |this| {
            let (vars, val) = this.b.new_params(param_name, from);
            params = vars;
            this.env.insert(param, val);
            let result = match &body.kind {
                // The next argument of a curried function: the function keeps its name.
                ExpKind::Fn(param, inner) => this.lambda(name, *param, inner, body),
                _ => this.exp(body)?,
            };
            Some(this.b.as_results(&result, to))
        });
        self.place = outer;
        self.b.loc = outer_loc;
        let inline = std::mem::replace(&mut self.inline, outer_inline);
        Function { var, params, body, loc, inline, join: false }
    }

    /// `fn param => body`; `exp` is the whole.
    fn lambda(&mut self, name: Symbol, param: lambda::Var, body: &'a Exp, exp: &Exp) -> Val {
        let ty = self.close(exp.ty);
        let var = self.b.fresh(name, ty);
        let loc = self.lines.loc(exp.span);
        let function = self.function(var, name, param, body, loc);
        self.b.bind(Bind::Fun(vec![function]));
        Val::Atom(Atom::Var(var))
    }

    /// A primitive as a value: a function of its declared name, or what a primitive without an argument gives.
    fn prim_value(&mut self, prim: Prim, ty: elab::Ty, span: Span, name: Option<Symbol>) -> Option<Val> {
        let is_function = matches!(self.b.closing.tables.types[ty], elab::TyData::Arrow(..));
        let prim = prims::prim_use(&mut self.b, prim, ty, &mut self.tys);
        self.at(span);
        if !is_function {
            return self.prim(&prim, &Val::Unit);
        }
        let name = name.unwrap_or_else(|| Symbol::intern(prim.prim.name()));
        Some(self.eta(name, prim.from, prim.to, |this, arg| this.prim(&prim, arg)))
    }

    /// A function of the closed types whose body `f` writes: constructors and primitives as values.
    fn eta(&mut self, name: Symbol, from: Ty, to: Ty, f: impl FnOnce(&mut Self, &Val) -> Option<Val>) -> Val {
        let ty = self.b.closing.arrow(from, to);
        let var = self.b.fresh(name, ty);
        let loc = self.b.loc;
        let mut params = Vec::new();
        let body = Builder::function_body(self, |this| {
            let (vars, arg) = this.b.new_params(this.b.temp, from);
            params = vars;
            let result = f(this, &arg)?;
            Some(this.b.as_results(&result, to))
        });
        self.b.bind(Bind::Fun(vec![Function { var, params, body, loc, inline: Inline::Auto, join: false }]));
        Val::Atom(Atom::Var(var))
    }

    // -- expressions. `None`: control does not come out.

    fn exp(&mut self, exp: &'a Exp) -> Option<Val> {
        let val = match &exp.kind {
            ExpKind::Const(Const::Int(n)) => Val::Atom(Atom::Int(*n)),
            ExpKind::Const(Const::Real(bits)) => Val::Atom(Atom::Real(*bits)),
            ExpKind::Const(Const::String(text)) => Val::Atom(Atom::Str(self.b.string(text))),
            ExpKind::Var(var, tys) => self.var(*var, tys),
            ExpKind::Con(name, con, tys) => self.con(exp, *name, *con, tys),
            ExpKind::ExnCon(exn) => self.exn_con(exp, *exn),
            ExpKind::Prim(prim, ty) => return self.prim_value(*prim, *ty, exp.span, None),
            ExpKind::Tuple(exps) => {
                let mut parts = Vec::with_capacity(exps.len());
                for exp in exps {
                    parts.push(self.exp(exp)?);
                }
                if parts.len() == 1 {
                    return parts.pop();
                }
                let ty = self.close(exp.ty);
                self.b.tuple(ty, parts)
            }
            ExpKind::Select(i, of) => {
                let val = self.exp(of)?;
                match &self.b.closing.tables.types[of.ty] {
                    elab::TyData::Record(fields) if fields.len() == 1 => val,
                    _ => {
                        self.at(exp.span);
                        self.b.select(&val, *i)
                    }
                }
            }
            ExpKind::Vector(exps) => self.vector(exp, exps)?,
            ExpKind::List(exps) => self.list(exp, exps)?,
            ExpKind::App(f, arg) => return self.app(exp, f, arg),
            ExpKind::Fn(param, body) => {
                let name = self.inner_name(sym::EMPTY);
                self.lambda(name, *param, body, exp)
            }
            ExpKind::Case { scrut, arms, default } => return self.case(exp, scrut, arms, default.as_deref()),
            ExpKind::If(a, b, c) => {
                let scrut = self.exp(a)?;
                let scrut = self.b.boxed(&scrut);
                let ty = self.close(exp.ty);
                let yes = self.arm(b, ty);
                let no = self.arm(c, ty);
                let arms = Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], no)]);
                return self.joined(exp, Rhs::Case { scrut, arms, default: None }, ty);
            }
            ExpKind::While(a, b) => {
                self.while_loop(exp, a, b);
                Val::Unit
            }
            ExpKind::Seq(exps) => {
                let mut last = Val::Unit;
                for exp in exps {
                    last = self.exp(exp)?;
                }
                last
            }
            ExpKind::Let(decs, body) => {
                for dec in decs {
                    self.dec(dec)?;
                }
                return self.exp(body);
            }
            ExpKind::Raise(packet) => {
                let again = if matches!(packet.kind, ExpKind::Var(..)) { NOTE_AGAIN } else { 0 };
                let packet = self.exp(packet)?;
                let packet = self.b.boxed(&packet);
                self.at(exp.span);
                // Gone at once in a program that does not ask for histories.
                let note = Rhs::Prim { prim: Prim::ExnNote, tys: Vec::new(), args: vec![packet, Atom::Int(again)] };
                self.b.val(Vec::new(), note);
                self.b.leave(Outcome::Raise(packet));
                return None;
            }
            ExpKind::Handle(body, packet, handler) => {
                let ty = self.close(exp.ty);
                let body = self.arm(body, ty);
                let exn_ty = self.b.closing.exn;
                let exn = self.b.fresh(self.name(*packet), exn_ty);
                self.env.insert(*packet, Val::Atom(Atom::Var(exn)));
                let handler = self.arm(handler, ty);
                return self.joined(exp, Rhs::Handle { body: Box::new(body), exn, handler: Box::new(handler) }, ty);
            }
        };
        Some(val)
    }

    /// A body that gives the flat values of an expression.
    fn arm(&mut self, exp: &'a Exp, ty: Ty) -> Body {
        Builder::body(self, |this| {
            let val = this.exp(exp)?;
            Some(this.b.as_results(&val, ty))
        })
    }

    /// Binds the results of a `Case` or `Handle`, if any of its bodies gives one.
    fn joined(&mut self, exp: &Exp, rhs: Rhs, ty: Ty) -> Option<Val> {
        self.at(exp.span);
        let returns = match &rhs {
            Rhs::Case { arms, default, .. } => arms.bodies().into_iter().chain(default.as_deref()).any(gives_values),
            Rhs::Handle { body, handler, .. } => gives_values(body) || gives_values(handler),
            _ => true,
        };
        let val = self.b.results(rhs, ty);
        if !returns {
            self.b.leave(Outcome::Unreachable);
            return None;
        }
        Some(val)
    }

    fn var(&mut self, var: lambda::Var, tys: &[elab::Ty]) -> Val {
        let found = match self.instances.poly(var) {
            None => self.env.get(&var).cloned(),
            Some(poly) => {
                let tys = instances::type_args(&mut self.b.closing, &mut self.tys, poly, tys);
                let inst = self.instances.find(self.inst, var, poly, &tys);
                inst.and_then(|inst| self.values[inst.0 as usize].clone())
            }
        };
        found.unwrap_or_else(|| panic!("L1: {}.{} is used before its declaration", self.name(var), var.0))
    }

    // -- application

    fn app(&mut self, exp: &'a Exp, f: &'a Exp, arg: &'a Exp) -> Option<Val> {
        match &f.kind {
            ExpKind::Con(name, con, tys) => {
                let arg = self.exp(arg)?;
                let data = self.data(*name, tys);
                let ty = self.close(exp.ty);
                self.at(exp.span);
                Some(Val::Atom(self.b.con(data, *con, Some(&arg), ty)))
            }
            ExpKind::ExnCon(exn) => {
                let arg_ty = self.close(arg.ty);
                let arg = self.exp(arg)?;
                self.at(exp.span);
                Some(self.packet(*exn, Some((&arg, arg_ty))))
            }
            ExpKind::Prim(Prim::Foreign, _) => {
                self.at(exp.span);
                Some(self.foreign(f.ty, arg))
            }
            ExpKind::Var(var, _) if self.prims.get(var).is_some_and(|(prim, _)| *prim == Prim::Foreign) => {
                self.at(exp.span);
                Some(self.foreign(f.ty, arg))
            }
            ExpKind::Prim(prim, ty) => {
                let prim = prims::prim_use(&mut self.b, *prim, *ty, &mut self.tys);
                let arg = self.exp(arg)?;
                self.at(exp.span);
                self.prim(&prim, &arg)
            }
            ExpKind::Var(var, tys) if self.prims.contains_key(var) => {
                let prim = self.prim_alias(*var, tys);
                let arg = self.exp(arg)?;
                self.at(exp.span);
                self.prim(&prim, &arg)
            }
            ExpKind::Fn(param, body) => {
                let val = self.exp(arg)?;
                self.b.rename(&val, self.name(*param));
                self.env.insert(*param, val);
                self.exp(body)
            }
            _ => {
                let f = self.exp(f)?;
                let f = self.b.boxed(&f);
                let from = self.close(arg.ty);
                let arg = self.exp(arg)?;
                let to = self.close(exp.ty);
                self.at(exp.span);
                let args = self.b.as_params(&arg, from);
                Some(self.b.results(Rhs::App { f, args }, to))
            }
        }
    }

    /// `Prim::Foreign` of this type, applied to a text.
    fn foreign(&mut self, ty: elab::Ty, text: &Exp) -> Val {
        let ExpKind::Const(Const::String(text)) = &text.kind else { panic!("L1: a foreign function without a text") };
        let text = String::from_utf8_lossy(text);
        let mut foreign = Foreign::read(&text).unwrap_or_else(|| panic!("L1: `{text}` says no foreign function"));
        let loc = self.b.loc;
        let file = self.lines.files.get(usize::from(loc.file)).map_or("", |name| name.as_str());
        foreign.place = format!("{file}:{}", loc.line);
        let types = &self.b.closing.tables.types;
        let arrow = |ty: elab::Ty| match &types[ty] {
            elab::TyData::Arrow(from, to) => Some((*from, *to)),
            _ => None,
        };
        let whole = arrow(ty).expect("L1: the primitive has a function type").1;
        // The getter of a pair; a function, and without a name the one that it gives.
        let first = match &types[whole] {
            elab::TyData::Record(fields) if foreign.way == Way::Symbol => {
                fields.first().and_then(|field| arrow(field.1))
            }
            _ => arrow(whole),
        };
        let named = foreign.name.is_some() || matches!(foreign.way, Way::Get | Way::Set);
        let second = match foreign.way {
            // The function that is given to C.
            Way::Export => first.and_then(|(from, _)| arrow(from)),
            _ => first.filter(|_| !named).and_then(|(_, to)| arrow(to)),
        };
        let mut shape = Vec::new();
        for (from, to) in first.into_iter().chain(second) {
            shape.push((self.close(from), self.close(to)));
        }
        let ty = self.close(whole);
        self.b.foreign(foreign, &shape, ty)
    }

    /// The primitive that a variable names, at the types of this mention.
    fn prim_alias(&mut self, var: lambda::Var, tys: &[elab::Ty]) -> PrimUse {
        let (prim, ty) = self.prims[&var];
        let inst = self.instances.poly(var).and_then(|poly| {
            let tys = instances::type_args(&mut self.b.closing, &mut self.tys, poly, tys);
            self.instances.find(self.inst, var, poly, &tys)
        });
        self.inside(inst.unwrap_or(self.inst), |this| prims::prim_use(&mut this.b, prim, ty, &mut this.tys))
    }

    fn prim(&mut self, prim: &PrimUse, arg: &Val) -> Option<Val> {
        self.keeps_history |= matches!(prim.prim, Prim::ExnHistory | Prim::DebugStop);
        if prim.prim == Prim::NoInline {
            self.inline = Inline::Never;
            return Some(Val::Unit);
        }
        // Only a copy in its caller knows who calls it.
        if prim.prim == Prim::RefHere {
            self.inline = Inline::Always;
        }
        if prim.prim == Prim::PolyEq {
            let parts = self.b.parts(arg);
            let ty = match self.b.types().get(prim.from) {
                TyData::Tuple(tys) => tys[0],
                _ => prim.from,
            };
            return Some(Val::Atom(self.equality.equal(&mut self.b, ty, &parts[0], &parts[1])));
        }
        if prim.prim == Prim::Describe {
            return Some(Val::Atom(self.describing.describe(&mut self.b, prim.to, prim.from, arg)));
        }
        self.b.prim_app(prim, arg)
    }

    // -- constructors

    fn data(&mut self, name: lambda::TyName, tys: &[elab::Ty]) -> Data {
        let args = tys.iter().map(|&ty| self.close(ty)).collect();
        let data = self.b.closing.instance(name, args);
        self.b.closing.look(data);
        data
    }

    fn con(&mut self, exp: &Exp, name: lambda::TyName, con: u32, tys: &[elab::Ty]) -> Val {
        let data = self.data(name, tys);
        let Some(from) = self.b.closing.con_arg(data, con) else { return Val::Atom(Atom::Con(data, con)) };
        let text = match &self.b.closing.tables.tynames[name].def {
            TyNameDef::Datatype { cons, .. } => cons.get(con as usize).map_or("con", |con| con.name.as_str()),
            _ => "con",
        };
        self.at(exp.span);
        let to = self.b.closing.types.intern(TyData::Data(data));
        self.eta(Symbol::intern(text), from, to, |this, arg| Some(Val::Atom(this.b.con(data, con, Some(arg), to))))
    }

    fn list(&mut self, exp: &'a Exp, exps: &'a [Exp]) -> Option<Val> {
        let ty = self.close(exp.ty);
        let TyData::Data(data) = *self.b.types().get(ty) else { panic!("M2: a list at a type that is none") };
        self.b.closing.look(data);
        let mut vals = Vec::with_capacity(exps.len());
        for exp in exps {
            vals.push(self.exp(exp)?);
        }
        self.at(exp.span);
        let mut list = Atom::Con(data, 0);
        if let Some(arg) = self.b.closing.con_arg(data, 1) {
            for val in vals.into_iter().rev() {
                let cell = self.b.tuple(arg, vec![val, Val::Atom(list)]);
                list = self.b.con(data, 1, Some(&cell), ty);
            }
        }
        Some(Val::Atom(list))
    }

    /// An array that is filled, then seen as a vector.
    fn vector(&mut self, exp: &'a Exp, exps: &'a [Exp]) -> Option<Val> {
        let ty = self.close(exp.ty);
        let elem = prims::element(&mut self.b.closing.types, ty).unwrap_or(self.b.closing.unit);
        if let Some(bits) = self.constants(elem, exps) {
            return Some(Val::Atom(self.b.atom(Rhs::Table { elem, bits }, ty)));
        }
        let mut atoms = Vec::with_capacity(exps.len());
        for exp in exps {
            let val = self.exp(exp)?;
            atoms.push(self.b.boxed(&val));
        }
        self.at(exp.span);
        let array_ty = self.b.closing.types.intern(TyData::Array(elem));
        let array = self.b.prim(Prim::ArrayNewUninit, vec![elem], vec![Atom::Int(atoms.len() as i64)], array_ty);
        for (i, atom) in atoms.into_iter().enumerate() {
            let args = vec![array, Atom::Int(i as i64), atom];
            self.b.val(Vec::new(), Rhs::Prim { prim: Prim::ArrayUpdateUnsafe, tys: vec![elem], args });
        }
        Some(Val::Atom(self.b.prim(Prim::Cast, vec![array_ty, ty], vec![array], ty)))
    }

    /// The elements of a vector's expression, where all are known and stand as they are in memory.
    fn constants(&self, elem: Ty, exps: &[Exp]) -> Option<Arc<[i64]>> {
        let TyData::Scalar(scalar) = self.b.closing.types.get(elem) else { return None };
        // A vector of characters is a string, a small real is rounded.
        if exps.is_empty() || matches!(scalar, Scalar::Char | Scalar::Real32) {
            return None;
        }
        let bits = exps.iter().map(|exp| match exp.kind {
            ExpKind::Const(Const::Int(n)) => Some(n),
            ExpKind::Const(Const::Real(bits)) => Some(bits as i64),
            _ => None,
        });
        bits.collect()
    }

    // -- exceptions

    fn desc(&mut self, exn: ExnRef) -> Atom {
        match exn {
            ExnRef::Builtin(n) => {
                let desc = self.desc;
                self.b.atom(Rhs::BuiltinExn(BUILTINS[n as usize].0), desc)
            }
            ExnRef::Var(var) => {
                let val = self.var(var, &[]);
                self.b.boxed(&val)
            }
        }
    }

    fn packet(&mut self, exn: ExnRef, arg: Option<(&Val, Ty)>) -> Val {
        let desc = self.desc(exn);
        let arg = arg.map(|(val, ty)| (self.b.boxed(val), ty));
        let exn = self.b.closing.exn;
        Val::Atom(self.b.atom(Rhs::Packet { desc, arg }, exn))
    }

    fn exn_con(&mut self, exp: &Exp, exn: ExnRef) -> Val {
        self.at(exp.span);
        let elab::TyData::Arrow(from, _) = self.b.closing.tables.types[exp.ty] else { return self.packet(exn, None) };
        let from = self.close(from);
        let name = match exn {
            ExnRef::Builtin(n) => BUILTINS[n as usize].1,
            ExnRef::Var(var) => self.name(var).as_str(),
        };
        let to = self.b.closing.exn;
        self.eta(Symbol::intern(name), from, to, |this, arg| Some(this.packet(exn, Some((arg, from)))))
    }

    // -- control

    fn case(&mut self, exp: &'a Exp, scrut: &'a Exp, arms: &'a lambda::Arms, default: Option<&'a Exp>) -> Option<Val> {
        let scrut_ty = self.close(scrut.ty);
        let scrut = self.exp(scrut)?;
        let scrut = self.b.boxed(&scrut);
        let ty = self.close(exp.ty);
        let arms = match arms {
            lambda::Arms::Con(_, arms) => {
                let TyData::Data(data) = *self.b.types().get(scrut_ty) else {
                    panic!("M2: a case of a type that is none")
                };
                self.b.closing.look(data);
                let mut out = Vec::with_capacity(arms.len());
                for (con, var, body) in arms {
                    let name = var.map_or(self.b.temp, |var| self.name(var));
                    let (fields, val) = self.b.con_fields(name, data, *con);
                    if let Some(var) = var {
                        self.env.insert(*var, val);
                    }
                    out.push((*con, fields, self.arm(body, ty)));
                }
                Arms::Con(data, out)
            }
            lambda::Arms::Int(arms) => Arms::Int(arms.iter().map(|(n, body)| (*n, self.arm(body, ty))).collect()),
            lambda::Arms::Str(arms) => Arms::Str(
                arms.iter()
                    .map(|(text, body)| {
                        let text = self.b.string(text);
                        (text, self.arm(body, ty))
                    })
                    .collect(),
            ),
            lambda::Arms::Exn(arms) => {
                self.at(exp.span);
                let desc_ty = self.desc;
                let desc = self.b.atom(Rhs::PacketDesc(scrut), desc_ty);
                return self.exn_arms(exp, scrut, desc, arms, default, ty);
            }
        };
        let default = default.map(|body| Box::new(self.arm(body, ty)));
        self.joined(exp, Rhs::Case { scrut, arms, default }, ty)
    }

    /// Tests the descriptors one after the other.
    fn exn_arms(
        &mut self,
        exp: &'a Exp,
        packet: Atom,
        desc: Atom,
        arms: &'a [(ExnRef, Option<lambda::Var>, Exp)],
        default: Option<&'a Exp>,
        ty: Ty,
    ) -> Option<Val> {
        let Some(((exn, var, body), rest)) = arms.split_first() else {
            return self.exp(default.expect("L2: packets are tested with a default"));
        };
        let wanted = self.desc(*exn);
        let bool = self.b.closing.bool;
        let found = self.b.prim(Prim::PtrEq, Vec::new(), vec![desc, wanted], bool);
        let yes = Builder::body(self, |this| {
            if let Some(var) = var {
                let arg_ty = this.b.closing.tables.vars[*var].ty;
                let arg_ty = this.close(arg_ty);
                this.at(exp.span);
                let name = this.name(*var);
                let arg = this.b.fresh(name, arg_ty);
                this.b.val(vec![arg], Rhs::PacketArg(packet, arg_ty));
                let val = this.b.val_of(Atom::Var(arg), arg_ty);
                this.env.insert(*var, val);
            }
            let val = this.exp(body)?;
            Some(this.b.as_results(&val, ty))
        });
        let no = Builder::body(self, |this| {
            let val = this.exn_arms(exp, packet, desc, rest, default, ty)?;
            Some(this.b.as_results(&val, ty))
        });
        let arms = Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], no)]);
        self.joined(exp, Rhs::Case { scrut: found, arms, default: None }, ty)
    }

    /// A function that calls itself while the condition holds.
    fn while_loop(&mut self, exp: &'a Exp, cond: &'a Exp, body: &'a Exp) {
        let ty = self.b.closing.types.intern(TyData::Arrow(Vec::new(), Vec::new()));
        let var = self.b.fresh(self.place, ty);
        self.at(exp.span);
        let loc = self.b.loc;
        let call = move || Rhs::App { f: Atom::Var(var), args: Vec::new() };
        let body = Builder::function_body(self, |this| {
            let scrut = this.exp(cond)?;
            let scrut = this.b.boxed(&scrut);
            let yes = Builder::body(this, |this| {
                this.exp(body)?;
                this.at(exp.span);
                this.b.val(Vec::new(), call());
                Some(Vec::new())
            });
            let arms = Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], Body::default())]);
            this.b.val(Vec::new(), Rhs::Case { scrut, arms, default: None });
            Some(Vec::new())
        });
        self.b.bind(Bind::Fun(vec![Function { var, params: Vec::new(), body, loc, inline: Inline::Auto, join: true }]));
        self.at(exp.span);
        self.b.val(Vec::new(), call());
    }
}

/// Places of expressions as files, lines and columns.
struct Lines<'s> {
    sources: &'s SourceMap,
    files: Vec<String>,
    file_of: FxHashMap<FileId, u16>,
    /// The last line looked up: file, its first byte and the next line's, place.
    last: Option<(FileId, u32, u32, Loc)>,
}

impl Lines<'_> {
    fn loc(&mut self, span: Span) -> Loc {
        if let Some((file, lo, hi, loc)) = self.last
            && file == span.file
            && (lo..hi).contains(&span.lo)
        {
            return Loc { column: self.column(span, lo), ..loc };
        }
        let Some(file) = self.sources.get(span.file) else { return Loc::default() };
        let number = match self.file_of.get(&span.file) {
            Some(&number) => number,
            None => {
                // A program of more files than this has places in the first ones only.
                let Ok(number) = u16::try_from(self.files.len()) else { return Loc::default() };
                self.files.push(file.name.to_string());
                self.file_of.insert(span.file, number);
                number
            }
        };
        let (line, _) = file.line_column(span.lo);
        let lo = file.line_start(line).unwrap_or(0);
        let hi = file.line_start(line + 1).unwrap_or(u32::MAX);
        let loc = Loc { file: number, line, ..Loc::default() };
        self.last = Some((span.file, lo, hi, loc));
        Loc { column: self.column(span, lo), ..loc }
    }

    /// The column of a place in the line that begins at this byte; 0 far out in a line that no person has written.
    fn column(&self, span: Span, line: u32) -> u16 {
        let is_near = span.lo - line < u32::from(u16::MAX) / 16;
        let file = self.sources.get(span.file).filter(|file| is_near && span.lo as usize <= file.text.len());
        file.map_or(0, |file| file.column(line, span.lo) as u16)
    }
}

fn gives_values(body: &Body) -> bool {
    matches!(body.result, Outcome::Values(_))
}

/// By datatype: does the program make a value of it?
fn made(body: &Body, count: usize) -> Vec<bool> {
    struct Made(Vec<bool>);
    impl Made {
        fn atom(&mut self, atom: &Atom) {
            if let Atom::Con(data, _) = atom {
                self.0[data.0 as usize] = true;
            }
        }
        fn body(&mut self, body: &Body) {
            for bind in &body.binds {
                match bind {
                    Bind::Fun(functions) => functions.iter().for_each(|function| self.body(&function.body)),
                    Bind::Val { rhs, .. } => self.rhs(rhs),
                }
            }
            match &body.result {
                Outcome::Values(atoms) => atoms.iter().for_each(|atom| self.atom(atom)),
                Outcome::Raise(atom) => self.atom(atom),
                Outcome::Unreachable => {}
            }
        }
        fn rhs(&mut self, rhs: &Rhs) {
            match rhs {
                Rhs::Con { data, args, .. } => {
                    self.0[data.0 as usize] = true;
                    args.iter().for_each(|atom| self.atom(atom));
                }
                Rhs::Atoms(args) | Rhs::Tuple(args) | Rhs::Prim { args, .. } | Rhs::App { args, .. } => {
                    args.iter().for_each(|atom| self.atom(atom));
                }
                Rhs::Packet { arg: Some((atom, _)), .. } => self.atom(atom),
                Rhs::Case { arms, default, .. } => {
                    arms.bodies().into_iter().chain(default.as_deref()).for_each(|body| self.body(body));
                }
                Rhs::Handle { body, handler, .. } => {
                    self.body(body);
                    self.body(handler);
                }
                _ => {}
            }
        }
    }
    let mut made = Made(vec![false; count]);
    made.0[BOOL.0 as usize] = true;
    made.body(body);
    made.0
}
