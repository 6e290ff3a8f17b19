//! Expressions: each part is evaluated into variables, in the order that the Definition says.
//!
//! A method that gives an `Option` gives `None` where control does not come out.

use super::Lower;
use crate::builder::Val;
use crate::instances;
use crate::ir::*;
use leat_abi::exn::NOTE_AGAIN;
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_lambda::ir::{self as lambda, Const, Exp, ExpKind};
use leat_lambda::tables as elab;

impl<'a> Lower<'a, '_> {
    pub(super) fn exp(&mut self, exp: &'a Exp) -> Option<Val> {
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
                self.b.leave(Outcome::Raise(packet, self.b.loc));
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

    pub(super) fn var(&mut self, var: lambda::Var, tys: &[elab::Ty]) -> Val {
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
}
