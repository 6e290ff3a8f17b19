//! Declarations and functions: each instance of a polymorphic one is written where it is declared.
//!
//! A method that gives an `Option` gives `None` where control does not come out.

use super::Lower;
use crate::builder::{Builder, Val, name_or};
use crate::instances::Inst;
use crate::ir::*;
use crate::prims;
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_base::{Span, Symbol};
use leat_lambda::ir::{self as lambda, Dec, DecKind, Exp, ExpKind};
use leat_lambda::tables as elab;

impl<'a> Lower<'a, '_> {
    pub(super) fn dec(&mut self, dec: &'a Dec) -> Option<()> {
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

    pub(super) fn inner_name(&self, name: Symbol) -> Symbol {
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
    pub(super) fn lambda(&mut self, name: Symbol, param: lambda::Var, body: &'a Exp, exp: &Exp) -> Val {
        let ty = self.close(exp.ty);
        let var = self.b.fresh(name, ty);
        let loc = self.lines.loc(exp.span);
        let function = self.function(var, name, param, body, loc);
        self.b.bind(Bind::Fun(vec![function]));
        Val::Atom(Atom::Var(var))
    }

    /// A primitive as a value: a function of its declared name, or what a primitive without an argument gives.
    pub(super) fn prim_value(&mut self, prim: Prim, ty: elab::Ty, span: Span, name: Option<Symbol>) -> Option<Val> {
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
    pub(super) fn eta(
        &mut self,
        name: Symbol,
        from: Ty,
        to: Ty,
        f: impl FnOnce(&mut Self, &Val) -> Option<Val>,
    ) -> Val {
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
}
