//! The verifier of Core. A unit without errors keeps:
//!
//! - C1: every type is a Core type of the tables, none is the error type, and its type variables are in scope;
//! - C2: every variable is bound before it is used (or by an earlier unit), and bound once;
//! - C3: a use has as many type arguments as its declaration has type variables, and its type is that instance;
//! - C4: an application's function takes its argument's type and gives the application's;
//! - C5: rules of one match agree in their pattern and result types, with what is matched and with the whole;
//! - C6: constructors exist, with an argument where they have one, of the type that the datatype says;
//! - C7: a binding's pattern has the type of its expression; a function group's members are `Fn`s;
//! - C8: conditions are bool, raised values exn, constants and records as their types say; overloaded operators are
//!   settled.
//!
//! Types are compared as the next stage sees them: through opaque types.

use crate::builtin::{ty, tyname};
use crate::ir::{
    Const, Dec, DecKind, ExnRef, Exp, ExpKind, Pat, PatKind, Rule, Ty, TyData, TyName, TyNameDef, TyVar, Var,
};
use crate::tables::Tables;
use leat_abi::exn::{Argument, BUILTINS};
use leat_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Checks a unit; the error names the invariant, the declaration and the place.
pub fn verify(decs: &[Dec], tables: &Tables) -> Result<(), String> {
    let mut tables = tables.clone();
    let mut v = Verifier {
        tables: &mut tables,
        bound: FxHashMap::default(),
        mine: FxHashSet::default(),
        expanded: FxHashMap::default(),
        tyvars: FxHashSet::default(),
        free: FxHashMap::default(),
        errors: vec![],
        inside: String::new(),
    };
    v.collect(decs);
    decs.iter().for_each(|d| v.dec(d));
    if v.errors.is_empty() { Ok(()) } else { Err(v.errors.join("\n")) }
}

struct Verifier<'t> {
    tables: &'t mut Tables,
    /// Variables in scope that this unit binds, with their type variables.
    bound: FxHashMap<Var, Vec<TyVar>>,
    /// All variables that this unit binds.
    mine: FxHashSet<Var>,
    expanded: FxHashMap<Ty, Ty>,
    /// Type variables in scope, and those that each type has.
    tyvars: FxHashSet<TyVar>,
    free: FxHashMap<Ty, Rc<[TyVar]>>,
    errors: Vec<String>,
    inside: String,
}

const MOST: usize = 20;

impl Verifier<'_> {
    fn fail(&mut self, text: String) {
        if self.errors.len() < MOST {
            self.errors.push(format!("{text}, in `{}`", self.inside));
        }
    }

    fn collect(&mut self, decs: &[Dec]) {
        for d in decs {
            match &d.kind {
                DecKind::Val { pat, .. } => {
                    let mut vars = vec![];
                    pat.variables(&mut vars);
                    self.mine.extend(vars);
                }
                DecKind::Fun { funs, .. } => self.mine.extend(funs.iter().map(|f| f.var)),
                DecKind::Exception { var, .. } => {
                    self.mine.insert(*var);
                }
            }
        }
    }

    /// Opaque types opened, all the way down.
    fn open(&mut self, t: Ty) -> Ty {
        if let Some(&done) = self.expanded.get(&t) {
            return done;
        }
        let outer = self.tables.expand_abstract(t);
        let new = match self.tables.types[outer].clone() {
            TyData::Var(_) => outer,
            TyData::Con(name, args) => {
                let args = args.into_iter().map(|a| self.open(a)).collect();
                self.tables.intern(TyData::Con(name, args))
            }
            TyData::Arrow(a, b) => {
                let (a, b) = (self.open(a), self.open(b));
                self.tables.intern(TyData::Arrow(a, b))
            }
            TyData::Record(fields) => {
                let fields = fields.into_iter().map(|(l, t)| (l, self.open(t))).collect();
                self.tables.intern(TyData::Record(fields))
            }
        };
        self.expanded.insert(t, new);
        new
    }

    fn check_ty(&mut self, t: Ty) -> bool {
        if t.0 as usize >= self.tables.types.len() {
            self.fail(format!("C1: {t} is not a type of the tables"));
            return false;
        }
        let free = self.free_tyvars(t);
        if let Some(v) = free.iter().find(|v| !self.tyvars.contains(v)) {
            let text = crate::print::ty(self.tables, t);
            self.fail(format!("C1: the type variable {v} of `{text}` is not in scope"));
        }
        true
    }

    fn free_tyvars(&mut self, t: Ty) -> Rc<[TyVar]> {
        if let Some(done) = self.free.get(&t) {
            return done.clone();
        }
        let parts: Vec<Ty> = match &self.tables.types[t] {
            TyData::Var(v) => {
                let own: Rc<[TyVar]> = Rc::new([*v]);
                self.free.insert(t, own.clone());
                return own;
            }
            TyData::Con(_, args) => args.clone(),
            TyData::Arrow(a, b) => vec![*a, *b],
            TyData::Record(fields) => fields.iter().map(|f| f.1).collect(),
        };
        let mut all: Vec<TyVar> = vec![];
        for part in parts {
            for &v in self.free_tyvars(part).iter() {
                if !all.contains(&v) {
                    all.push(v);
                }
            }
        }
        let all: Rc<[TyVar]> = all.into();
        self.free.insert(t, all.clone());
        all
    }

    /// Runs `f` with type variables in scope.
    fn under(&mut self, tyvars: &[TyVar], f: impl FnOnce(&mut Self)) {
        let new: Vec<TyVar> = tyvars.iter().copied().filter(|&v| self.tyvars.insert(v)).collect();
        f(self);
        for v in new {
            self.tyvars.remove(&v);
        }
    }

    fn same(&mut self, rule: &str, what: &str, a: Ty, b: Ty) {
        if !self.check_ty(a) || !self.check_ty(b) {
            return;
        }
        if a != b && self.open(a) != self.open(b) {
            let (x, y) = (crate::print::ty(self.tables, a), crate::print::ty(self.tables, b));
            self.fail(format!("{rule}: {what}: `{x}` is not `{y}`"));
        }
    }

    fn bind(&mut self, v: Var, tyvars: &[TyVar]) {
        if self.bound.insert(v, tyvars.to_vec()).is_some() {
            self.fail(format!("C2: {v} is bound twice"));
        }
    }

    fn dec(&mut self, d: &Dec) {
        match &d.kind {
            DecKind::Val { tyvars, pat, exp } => {
                let mut vars = vec![];
                pat.variables(&mut vars);
                if let Some(&v) = vars.first() {
                    self.inside = self.tables.vars[v].path.to_string();
                }
                self.under(tyvars, |this| {
                    this.exp(exp);
                    this.same("C7", "pattern and expression of a `val`", pat.ty, exp.ty);
                    this.pat(pat, tyvars);
                });
            }
            DecKind::Fun { tyvars, funs } => {
                for f in funs {
                    self.bind(f.var, tyvars);
                }
                self.under(tyvars, |this| {
                    for f in funs {
                        this.inside = this.tables.vars[f.var].path.to_string();
                        if !matches!(f.exp.kind, ExpKind::Fn(_)) {
                            this.fail(format!("C7: {} is not bound to a `Fn`", f.var));
                        }
                        this.exp(&f.exp);
                        let declared = this.tables.vars[f.var].ty;
                        this.same("C7", "a function and its variable", declared, f.exp.ty);
                    }
                });
            }
            DecKind::Exception { var, arg, .. } => {
                self.bind(*var, &[]);
                if let Some(arg) = arg {
                    self.check_ty(*arg);
                }
            }
        }
    }

    fn con(&mut self, t: TyName, index: u32, inst: &[Ty]) -> Option<(Option<Ty>, Ty)> {
        let TyNameDef::Datatype { tyvars, cons } = self.tables.tynames[t].def.clone() else {
            self.fail(format!("C6: {t} is not a datatype"));
            return None;
        };
        let Some(con) = cons.get(index as usize) else {
            self.fail(format!("C6: {t} has no constructor {index}"));
            return None;
        };
        if inst.len() != tyvars.len() || inst.iter().any(|&t| !self.check_ty(t)) {
            self.fail(format!("C6: {t} has {} type arguments", inst.len()));
            return None;
        }
        if let Some(arg) = con.arg {
            // A datatype is closed, wherever it stands.
            let around = std::mem::replace(&mut self.tyvars, tyvars.iter().copied().collect());
            self.check_ty(arg);
            self.tyvars = around;
        }
        let arg = con.arg.map(|a| self.tables.substitute(a, &tyvars, inst));
        let result = self.tables.intern(TyData::Con(t, inst.to_vec()));
        Some((arg, result))
    }

    fn exn(&mut self, e: ExnRef) -> Option<Ty> {
        match e {
            ExnRef::Builtin(n) => {
                let row = BUILTINS.get(n as usize);
                if row.is_none() {
                    self.fail(format!("C6: no builtin exception {n}"));
                }
                row.and_then(|r| (r.2 != Argument::None).then_some(ty::STRING))
            }
            ExnRef::Var(v) => {
                if self.mine.contains(&v) && !self.bound.contains_key(&v) {
                    self.fail(format!("C2: exception {v} is used before it is bound"));
                }
                match self.tables.types[self.tables.vars[v].ty] {
                    TyData::Arrow(a, _) => Some(a),
                    _ => None,
                }
            }
        }
    }

    fn pat(&mut self, p: &Pat, tyvars: &[TyVar]) {
        if !self.check_ty(p.ty) {
            return;
        }
        match &p.kind {
            PatKind::Wild => {}
            PatKind::Var(v) => {
                self.bind(*v, tyvars);
                let declared = self.tables.vars[*v].ty;
                self.same("C2", "a variable and its pattern", declared, p.ty);
            }
            PatKind::Layered(v, inner) => {
                self.bind(*v, tyvars);
                self.same("C5", "both sides of `as`", p.ty, inner.ty);
                self.pat(inner, tyvars);
            }
            PatKind::Const(c) => self.constant(c, p.ty),
            PatKind::Con(t, index, inst, arg) => {
                if let Some((wanted, result)) = self.con(*t, *index, inst) {
                    self.same("C6", "a constructor pattern", result, p.ty);
                    self.con_arg(wanted, arg.as_deref(), tyvars);
                }
            }
            PatKind::Exn(e, arg) => {
                self.same("C6", "an exception pattern", ty::EXN, p.ty);
                let wanted = self.exn(*e);
                self.con_arg(wanted, arg.as_deref(), tyvars);
            }
            PatKind::Ref(inner) => {
                let cell = self.tables.intern(TyData::Con(tyname::REF, vec![inner.ty]));
                self.same("C6", "a ref pattern", cell, p.ty);
                self.pat(inner, tyvars);
            }
            PatKind::Record(fields) => {
                let open = self.open(p.ty);
                let TyData::Record(row) = self.tables.types[open].clone() else {
                    return self.fail("C8: a record pattern is not of a record type".to_string());
                };
                for (label, f) in fields {
                    match row.iter().find(|r| r.0 == *label) {
                        Some(r) => self.same("C8", "a field of a record pattern", r.1, f.ty),
                        None => self.fail(format!("C8: a record pattern has a field `{label}` of its own")),
                    }
                    self.pat(f, tyvars);
                }
            }
            PatKind::Vector(ps) => {
                for q in ps {
                    let vector = self.tables.intern(TyData::Con(tyname::VECTOR, vec![q.ty]));
                    self.same("C8", "a vector pattern", vector, p.ty);
                    self.pat(q, tyvars);
                }
            }
        }
    }

    fn con_arg(&mut self, wanted: Option<Ty>, arg: Option<&Pat>, tyvars: &[TyVar]) {
        match (wanted, arg) {
            (Some(t), Some(p)) => {
                self.same("C6", "a constructor's argument pattern", t, p.ty);
                self.pat(p, tyvars);
            }
            (None, None) => {}
            _ => self.fail("C6: a constructor pattern has an argument too many or too few".to_string()),
        }
    }

    fn constant(&mut self, c: &Const, t: Ty) {
        let open = self.open(t);
        let ok = match (&self.tables.types[open], c) {
            (TyData::Con(n, _), Const::Int(_)) => n.0 <= tyname::CHAR.0,
            (TyData::Con(n, _), Const::Real(_)) => *n == tyname::REAL || *n == tyname::REAL32,
            (TyData::Con(n, _), Const::String(_)) => *n == tyname::STRING,
            _ => false,
        };
        if !ok {
            let t = crate::print::ty(self.tables, t);
            self.fail(format!("C8: a constant of type `{t}`"));
        }
    }

    fn rules(&mut self, rules: &[Rule], from: Ty, to: Ty) {
        for r in rules {
            self.same("C5", "what is matched and a pattern", from, r.pat.ty);
            self.pat(&r.pat, &[]);
            self.exp(&r.exp);
            self.same("C5", "a match and an arm", to, r.exp.ty);
        }
    }

    fn arrow(&mut self, t: Ty) -> Option<(Ty, Ty)> {
        if !self.check_ty(t) {
            return None;
        }
        let open = self.tables.expand_abstract(t);
        match self.tables.types[open] {
            TyData::Arrow(a, b) => Some((a, b)),
            _ => {
                let t = crate::print::ty(self.tables, t);
                self.fail(format!("C4: `{t}` is not a function type"));
                None
            }
        }
    }

    fn elements(&mut self, es: &[Exp], con: TyName, t: Ty) {
        for e in es {
            self.exp(e);
            let whole = self.tables.intern(TyData::Con(con, vec![e.ty]));
            self.same("C8", "an element and its list or vector", whole, t);
        }
    }

    fn exp(&mut self, e: &Exp) {
        if !self.check_ty(e.ty) {
            return;
        }
        if e.ty == ty::ERROR {
            self.fail("C1: the error type".to_string());
        }
        match &e.kind {
            ExpKind::Const(c) => self.constant(c, e.ty),
            ExpKind::Var(v, inst) => self.use_var(*v, inst, e.ty),
            ExpKind::Con(t, index, inst) => {
                if let Some((arg, result)) = self.con(*t, *index, inst) {
                    let whole = match arg {
                        Some(a) => self.tables.intern(TyData::Arrow(a, result)),
                        None => result,
                    };
                    self.same("C6", "a constructor", whole, e.ty);
                }
            }
            ExpKind::ExnCon(x) => {
                let whole = match self.exn(*x) {
                    Some(a) => self.tables.intern(TyData::Arrow(a, ty::EXN)),
                    None => ty::EXN,
                };
                self.same("C6", "an exception constructor", whole, e.ty);
            }
            ExpKind::RefCon(t) => {
                let cell = self.tables.intern(TyData::Con(tyname::REF, vec![*t]));
                let whole = self.tables.intern(TyData::Arrow(*t, cell));
                self.same("C6", "ref", whole, e.ty);
            }
            ExpKind::Prim(_, t) => self.same("C8", "a primitive", *t, e.ty),
            ExpKind::Overloaded(_) => self.fail("C8: an overloaded operator is not settled".to_string()),
            ExpKind::Record(fields) => {
                let mut row: Vec<(Symbol, Ty)> = fields.iter().map(|f| (f.0, f.1.ty)).collect();
                row.sort_by(|a, b| crate::basis::compare_labels(a.0, b.0));
                fields.iter().for_each(|f| self.exp(&f.1));
                let whole = self.tables.intern(TyData::Record(row));
                self.same("C8", "a record", whole, e.ty);
            }
            ExpKind::Selector(label, t) => {
                let open = self.open(*t);
                let field = match &self.tables.types[open] {
                    TyData::Record(row) => row.iter().find(|r| r.0 == *label).map(|r| r.1),
                    _ => None,
                };
                match field {
                    Some(f) => {
                        let whole = self.tables.intern(TyData::Arrow(*t, f));
                        self.same("C8", "a selector", whole, e.ty);
                    }
                    None => self.fail(format!("C8: a selector of `{label}` from a type without it")),
                }
            }
            ExpKind::Vector(es) => self.elements(es, tyname::VECTOR, e.ty),
            ExpKind::List(es) => self.elements(es, tyname::LIST, e.ty),
            ExpKind::App(f, a) => {
                self.exp(f);
                self.exp(a);
                if let Some((from, to)) = self.arrow(f.ty) {
                    self.same("C4", "a function's parameter and its argument", from, a.ty);
                    self.same("C4", "a function's result and the application", to, e.ty);
                }
            }
            ExpKind::Fn(rules) => {
                if let Some((from, to)) = self.arrow(e.ty) {
                    self.rules(rules, from, to);
                }
            }
            ExpKind::Case(x, rules) => {
                self.exp(x);
                self.rules(rules, x.ty, e.ty);
            }
            ExpKind::If(c, t, x) => {
                self.exp(c);
                self.same("C8", "a condition", ty::BOOL, c.ty);
                self.exp(t);
                self.exp(x);
                self.same("C5", "a branch", t.ty, e.ty);
                self.same("C5", "a branch", x.ty, e.ty);
            }
            ExpKind::While(c, b) => {
                self.exp(c);
                self.same("C8", "a condition", ty::BOOL, c.ty);
                self.exp(b);
                self.same("C8", "a loop", ty::UNIT, e.ty);
            }
            ExpKind::Seq(es) => {
                es.iter().for_each(|x| self.exp(x));
                let last = es.last().map_or(ty::UNIT, |x| x.ty);
                self.same("C5", "a sequence", last, e.ty);
            }
            ExpKind::Let(decs, body) => {
                let outside = std::mem::take(&mut self.inside);
                self.collect(decs);
                decs.iter().for_each(|d| self.dec(d));
                self.inside = outside;
                self.exp(body);
                self.same("C5", "a `let` and its body", body.ty, e.ty);
            }
            ExpKind::Raise(x) => {
                self.exp(x);
                self.same("C8", "a raised value", ty::EXN, x.ty);
            }
            ExpKind::Handle(x, rules) => {
                self.exp(x);
                self.same("C5", "a guarded expression", x.ty, e.ty);
                self.rules(rules, ty::EXN, e.ty);
            }
        }
    }

    fn use_var(&mut self, v: Var, inst: &[Ty], t: Ty) {
        if v.0 as usize >= self.tables.vars.len() {
            return self.fail(format!("C2: {v} is not a variable of the tables"));
        }
        let declared = self.tables.vars[v].ty;
        match self.bound.get(&v).cloned() {
            Some(tyvars) => {
                if tyvars.len() != inst.len() {
                    let name = self.tables.vars[v].name;
                    return self.fail(format!("C3: `{name}` has {} type arguments, not {}", inst.len(), tyvars.len()));
                }
                if inst.iter().any(|&i| !self.check_ty(i)) {
                    return;
                }
                let wanted = self.tables.substitute(declared, &tyvars, inst);
                self.same("C3", "a variable's use", wanted, t);
            }
            None if self.mine.contains(&v) => {
                let name = self.tables.vars[v].name;
                self.fail(format!("C2: `{name}` ({v}) is used before it is bound"));
            }
            None => {}
        }
    }
}
