//! Constructors, lists, vectors and exceptions: what an expression builds.

use super::Lower;
use crate::builder::{Builder, Val};
use crate::ir::*;
use crate::prims;
use leat_abi::exn::BUILTINS;
use leat_abi::prim::Prim;
use leat_base::Symbol;
use leat_lambda::ir::{self as lambda, Const, ExnRef, Exp, ExpKind};
use leat_lambda::tables::{self as elab, TyNameDef};
use std::sync::Arc;

/// A list with more elements that are calls, or may be, is made as they come. (A table of 4,000 calls once took 32 MB
/// of the executable for what each of them kept.)
const MOST_CALLS: usize = 64;

/// Made without a call.
fn is_made(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Const(_)
        | ExpKind::Var(..)
        | ExpKind::Con(..)
        | ExpKind::ExnCon(_)
        | ExpKind::Prim(..)
        | ExpKind::Fn(..) => true,
        ExpKind::Tuple(exps) | ExpKind::List(exps) | ExpKind::Vector(exps) => exps.iter().all(is_made),
        ExpKind::App(f, arg) => matches!(f.kind, ExpKind::Con(..) | ExpKind::ExnCon(_)) && is_made(arg),
        _ => false,
    }
}

impl<'a> Lower<'a, '_> {
    pub(super) fn data(&mut self, name: lambda::TyName, tys: &[elab::Ty]) -> Data {
        let args = tys.iter().map(|&ty| self.close(ty)).collect();
        let data = self.b.closing.instance(name, args);
        self.b.closing.look(data);
        data
    }

    pub(super) fn con(&mut self, exp: &Exp, name: lambda::TyName, con: u32, tys: &[elab::Ty]) -> Val {
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

    pub(super) fn list(&mut self, exp: &'a Exp, exps: &'a [Exp]) -> Option<Val> {
        let ty = self.close(exp.ty);
        let TyData::Data(data) = *self.b.types().get(ty) else { panic!("M2: a list at a type that is none") };
        self.b.closing.look(data);
        let Some(arg) = self.b.closing.con_arg(data, 1) else { return Some(Val::Atom(Atom::Con(data, 0))) };
        if exps.iter().filter(|exp| !is_made(exp)).count() > MOST_CALLS {
            return self.long_list(exp, exps, data);
        }
        let mut vals = Vec::with_capacity(exps.len());
        for exp in exps {
            vals.push(self.exp(exp)?);
        }
        self.at(exp.span);
        let mut list = Atom::Con(data, 0);
        for val in vals.into_iter().rev() {
            let cell = self.b.tuple(arg, vec![val, Val::Atom(list)]);
            list = self.b.con(data, 1, Some(&cell), ty);
        }
        Some(Val::Atom(list))
    }

    /// Each element is put in front as it comes, and the list is turned round in the end: so the calls that make the
    /// elements have one value to keep, and not each call those of all calls before it.
    fn long_list(&mut self, exp: &'a Exp, exps: &'a [Exp], data: Data) -> Option<Val> {
        let ty = self.close(exp.ty);
        let arg = self.b.closing.con_arg(data, 1)?;
        let mut list = Atom::Con(data, 0);
        for exp in exps {
            let val = self.exp(exp)?;
            self.at(exp.span);
            let cell = self.b.tuple(arg, vec![val, Val::Atom(list)]);
            list = self.b.con(data, 1, Some(&cell), ty);
        }
        self.at(exp.span);
        let arrow = self.b.closing.types.intern(TyData::Arrow(vec![ty, ty], vec![ty]));
        let turn = self.b.fresh(Symbol::intern("turn"), arrow);
        let (from, to) = (self.b.fresh(self.b.temp, ty), self.b.fresh(self.b.temp, ty));
        let body = Builder::function_body(&mut self.b, |b| {
            let (fields, cell) = b.con_fields(b.temp, data, 1);
            let next = Builder::body(b, |b| {
                let [first, rest] = &b.parts(&cell)[..] else { panic!("M2: a cell is a pair") };
                let cell = b.tuple(arg, vec![first.clone(), Val::Atom(Atom::Var(to))]);
                let args = vec![b.boxed(rest), b.con(data, 1, Some(&cell), ty)];
                Some(vec![b.atom(Rhs::App { f: Atom::Var(turn), args }, ty)])
            });
            let end = Body { binds: Vec::new(), result: Outcome::Values(vec![Atom::Var(to)]) };
            let arms = Arms::Con(data, vec![(1, fields, next)]);
            Some(vec![b.atom(Rhs::Case { scrut: Atom::Var(from), arms, default: Some(Box::new(end)) }, ty)])
        });
        let loc = self.b.loc;
        let function = Function { var: turn, params: vec![from, to], body, loc, inline: Inline::Auto, join: false };
        self.b.bind(Bind::Fun(vec![function]));
        let args = vec![list, Atom::Con(data, 0)];
        Some(Val::Atom(self.b.atom(Rhs::App { f: Atom::Var(turn), args }, ty)))
    }

    /// An array that is filled, then seen as a vector.
    pub(super) fn vector(&mut self, exp: &'a Exp, exps: &'a [Exp]) -> Option<Val> {
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

    pub(super) fn desc(&mut self, exn: ExnRef) -> Atom {
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

    pub(super) fn packet(&mut self, exn: ExnRef, arg: Option<(&Val, Ty)>) -> Val {
        let desc = self.desc(exn);
        let arg = arg.map(|(val, ty)| (self.b.boxed(val), ty));
        let exn = self.b.closing.exn;
        Val::Atom(self.b.atom(Rhs::Packet { desc, arg }, exn))
    }

    pub(super) fn exn_con(&mut self, exp: &Exp, exn: ExnRef) -> Val {
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
}
