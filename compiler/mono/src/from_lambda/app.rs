//! Applications: of functions, constructors, primitives and functions of C.

use super::Lower;
use crate::builder::Val;
use crate::instances;
use crate::ir::*;
use crate::prims::{self, PrimUse};
use leat_abi::foreign::{Foreign, Way};
use leat_abi::prim::Prim;
use leat_lambda::ir::{self as lambda, Const, Exp, ExpKind};
use leat_lambda::tables as elab;

impl<'a> Lower<'a, '_> {
    pub(super) fn app(&mut self, exp: &'a Exp, f: &'a Exp, arg: &'a Exp) -> Option<Val> {
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
        // The getter of a variable's pair; a function; and without a name what it gives of these.
        let getter = |ty: elab::Ty| match &types[ty] {
            elab::TyData::Record(fields) if foreign.way == Way::Symbol => {
                fields.first().and_then(|field| arrow(field.1))
            }
            _ => None,
        };
        let first = getter(whole).or_else(|| arrow(whole));
        let named = foreign.name.is_some() || matches!(foreign.way, Way::Get | Way::Set);
        let second = match foreign.way {
            // The function that is given to C.
            Way::Export => first.and_then(|(from, _)| arrow(from)),
            Way::Symbol => first.and_then(|(_, to)| getter(to)),
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

    pub(super) fn prim(&mut self, prim: &PrimUse, arg: &Val) -> Option<Val> {
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
}
