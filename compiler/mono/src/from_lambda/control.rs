//! Control: tests with their arms, handlers, loops; and what comes out of them.

use super::Lower;
use crate::builder::{Builder, Val};
use crate::ir::*;
use leat_abi::prim::Prim;
use leat_lambda::ir::{self as lambda, ExnRef, Exp};

impl<'a> Lower<'a, '_> {
    pub(super) fn case(
        &mut self,
        exp: &'a Exp,
        scrut: &'a Exp,
        arms: &'a lambda::Arms,
        default: Option<&'a Exp>,
    ) -> Option<Val> {
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
    pub(super) fn while_loop(&mut self, exp: &'a Exp, cond: &'a Exp, body: &'a Exp) {
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

    /// A body that gives the flat values of an expression.
    pub(super) fn arm(&mut self, exp: &'a Exp, ty: Ty) -> Body {
        Builder::body(self, |this| {
            let val = this.exp(exp)?;
            Some(this.b.as_results(&val, ty))
        })
    }

    /// Binds the results of a `Case` or `Handle`, if any of its bodies gives one.
    pub(super) fn joined(&mut self, exp: &Exp, rhs: Rhs, ty: Ty) -> Option<Val> {
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
}

fn gives_values(body: &Body) -> bool {
    matches!(body.result, Outcome::Values(_))
}
