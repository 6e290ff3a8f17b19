//! What lowering a unit carries: the tables, the messages, which variables are used; and how small expressions are
//! made.

use crate::ir::*;
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::{Diagnostic, Span, Symbol};
use leat_elab::Tables;
use leat_elab::builtin::ty;
use leat_elab::ir::{TyData, VarInfo};
use rustc_hash::FxHashSet;

pub(crate) struct Ctx<'t> {
    pub tables: &'t mut Tables,
    pub diagnostics: Vec<Diagnostic>,
    /// By variable: mentioned in an expression lowered so far.
    used: Vec<bool>,
    /// Applications lowered so far.
    pub applications: usize,
    /// Variables of packets that were raised before: those of handlers, and those that were kept in a value.
    pub raised: FxHashSet<Var>,
}

impl<'t> Ctx<'t> {
    pub fn new(tables: &'t mut Tables) -> Ctx<'t> {
        let used = vec![false; tables.vars.len()];
        Ctx { tables, diagnostics: Vec::new(), used, applications: 0, raised: FxHashSet::default() }
    }

    /// A new variable.
    pub fn fresh(&mut self, name: &str, ty: Ty, span: Span) -> Var {
        self.fresh_named(Symbol::intern(name), ty, span)
    }

    pub fn fresh_named(&mut self, name: Symbol, ty: Ty, span: Span) -> Var {
        self.tables.vars.push(VarInfo { name, path: name, ty, span })
    }

    pub fn is_used(&self, var: Var) -> bool {
        self.used.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// `x` as an expression: monomorphic, or inside the declaration that generalises it.
    pub fn var_exp(&mut self, var: Var, span: Span) -> Exp {
        let ty = self.tables.vars[var].ty;
        self.mark(var);
        Exp { kind: ExpKind::Var(var, Vec::new()), ty, span }
    }

    pub fn mark(&mut self, var: Var) {
        let i = var.0 as usize;
        if i >= self.used.len() {
            self.used.resize((i + 1).max(self.used.len() * 2), false);
        }
        self.used[i] = true;
    }

    pub fn unit_exp(&self, span: Span) -> Exp {
        Exp { kind: ExpKind::Tuple(Vec::new()), ty: ty::UNIT, span }
    }

    /// A tuple type.
    pub fn tuple_ty(&mut self, parts: &[Ty]) -> Ty {
        let fields = parts.iter().enumerate().map(|(i, &ty)| (Symbol::tuple_label(i + 1), ty)).collect();
        self.tables.intern(TyData::Record(fields))
    }

    pub fn arrow_ty(&mut self, from: Ty, to: Ty) -> Ty {
        self.tables.intern(TyData::Arrow(from, to))
    }

    /// `prim arg`, at the type `arg.ty -> ty`.
    pub fn prim_app(&mut self, prim: Prim, arg: Exp, ty: Ty, span: Span) -> Exp {
        let fn_ty = self.arrow_ty(arg.ty, ty);
        let f = Exp { kind: ExpKind::Prim(prim, fn_ty), ty: fn_ty, span };
        Exp { kind: ExpKind::App(Box::new(f), Box::new(arg)), ty, span }
    }

    pub fn raise_builtin(&mut self, builtin: Builtin, ty: Ty, span: Span) -> Exp {
        let packet = Exp { kind: ExpKind::ExnCon(builtin.into()), ty: ty::EXN, span };
        Exp { kind: ExpKind::Raise(Box::new(packet)), ty, span }
    }
}

/// Where a label stands in its record type; `hint` is looked at first, so that fields in order cost nothing.
pub(crate) fn position(tables: &Tables, record: Ty, label: Symbol, hint: usize) -> usize {
    let TyData::Record(fields) = &tables.types[record] else { return hint };
    if fields.get(hint).is_some_and(|field| field.0 == label) {
        return hint;
    }
    match label.as_tuple_label() {
        Some(n) if fields.get(n - 1).is_some_and(|field| field.0 == label) => n - 1,
        _ => fields.iter().position(|field| field.0 == label).unwrap_or(hint),
    }
}

/// `val x = exp`, monomorphic.
pub(crate) fn val(var: Var, exp: Exp) -> Dec {
    let span = exp.span;
    Dec { kind: DecKind::Val { tyvars: Vec::new(), var, exp, keep: false }, span }
}
