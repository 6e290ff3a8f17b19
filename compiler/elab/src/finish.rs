//! The end of a unit, or of a functor's body: inference types in Core become Core types, overloaded operators become
//! primitives, recursive uses of a polymorphic function get its own type variables.

use crate::builtin::{ty, tyname};
use crate::ctx::Elab;
use crate::ir::{Const, Dec, DecKind, Exp, ExpKind, Pat, PatKind, Rule, Ty, TyData, Var};
use crate::types::Type;
use crate::used::How;
use leat_abi::prim::Prim;
use leat_base::Diagnostic;
use rustc_hash::FxHashMap;

/// What a walk over declarations carries.
#[derive(Default)]
pub(crate) struct Finisher {
    /// Functions of a group that is generalised together, with its type variables as arguments.
    recursive: FxHashMap<Var, Vec<Ty>>,
    /// How many `let` are around.
    inside: u32,
}

impl Elab<'_> {
    /// Finishes declarations in place, and the types of all variables made so far.
    pub(crate) fn finish_decs(&mut self, decs: &mut [Dec]) {
        let mut f = Finisher::default();
        decs.iter_mut().for_each(|d| self.finish_dec(&mut f, d));
        for (var, ty) in std::mem::take(&mut self.var_types) {
            let ty = self.finish(ty);
            self.tables.vars[var].ty = ty;
        }
    }

    fn finish_ty(&mut self, ty: &mut Ty) {
        *ty = self.finish(Type::of(*ty));
    }

    fn finish_dec(&mut self, f: &mut Finisher, dec: &mut Dec) {
        match &mut dec.kind {
            DecKind::Val { tyvars, pat, exp } => {
                if f.inside > 0
                    && let Some(unused) = &mut self.unused
                {
                    unused.bind_pat(pat, How::Declared);
                }
                let bound = self.first_flexible(pat);
                tyvars.extend(bound.map_or(vec![], |var| self.row_tyvars(var)));
                self.finish_pat(pat);
                self.finish_exp(f, exp);
            }
            DecKind::Fun { tyvars, funs } => {
                tyvars.extend(funs.first().map_or(vec![], |fun| self.row_tyvars(fun.var)));
                if !tyvars.is_empty() {
                    let args: Vec<Ty> = tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
                    for fun in funs.iter() {
                        f.recursive.insert(fun.var, args.clone());
                    }
                }
                if f.inside > 0
                    && let Some(unused) = &mut self.unused
                {
                    funs.iter().for_each(|fun| unused.bind(fun.var, How::Function));
                }
                funs.iter_mut().for_each(|fun| self.finish_exp(f, &mut fun.exp));
            }
            DecKind::Exception { arg, .. } => {
                if let Some(arg) = arg {
                    self.finish_ty(arg);
                }
            }
        }
    }

    fn finish_pat(&mut self, pat: &mut Pat) {
        self.finish_ty(&mut pat.ty);
        match &mut pat.kind {
            PatKind::Const(_) => self.finish_const_pat(pat),
            PatKind::Wild | PatKind::Var(_) => {}
            PatKind::Con(_, _, inst, arg) => {
                inst.iter_mut().for_each(|t| self.finish_ty(t));
                if let Some(arg) = arg {
                    self.finish_pat(arg);
                }
            }
            PatKind::Exn(_, arg) => {
                if let Some(arg) = arg {
                    self.finish_pat(arg);
                }
            }
            PatKind::Ref(p) | PatKind::Layered(_, p) => self.finish_pat(p),
            PatKind::Record(fields) => fields.iter_mut().for_each(|f| self.finish_pat(&mut f.1)),
            PatKind::Vector(ps) => ps.iter_mut().for_each(|p| self.finish_pat(p)),
        }
    }

    fn finish_rules(&mut self, f: &mut Finisher, rules: &mut [Rule]) {
        for rule in rules {
            if let Some(unused) = &mut self.unused {
                unused.bind_pat(&rule.pat, How::Pattern);
            }
            self.finish_pat(&mut rule.pat);
            self.finish_exp(f, &mut rule.exp);
        }
    }

    fn finish_exp(&mut self, f: &mut Finisher, e: &mut Exp) {
        self.finish_ty(&mut e.ty);
        match &mut e.kind {
            ExpKind::Const(_) => self.finish_const(e),
            ExpKind::ExnCon(_) => {}
            ExpKind::Var(v, inst) => {
                if let Some(unused) = &mut self.unused {
                    unused.mark(*v);
                }
                if inst.is_empty()
                    && let Some(args) = f.recursive.get(v)
                {
                    inst.clone_from(args);
                } else {
                    self.finish_rows(*v, inst);
                    inst.iter_mut().for_each(|t| self.finish_ty(t));
                }
            }
            ExpKind::Con(_, _, inst) => inst.iter_mut().for_each(|t| self.finish_ty(t)),
            ExpKind::RefCon(t) | ExpKind::Selector(_, t) => self.finish_ty(t),
            ExpKind::Overloaded(site) => {
                let site = *site as usize;
                e.kind = match self.library_operator(site) {
                    Some(var) => ExpKind::Var(var, vec![]),
                    None => ExpKind::Prim(self.overloaded_prim(site), e.ty),
                };
            }
            ExpKind::Prim(_, t) => self.finish_ty(t),
            ExpKind::Record(fields) => fields.iter_mut().for_each(|x| self.finish_exp(f, &mut x.1)),
            ExpKind::Vector(es) | ExpKind::List(es) | ExpKind::Seq(es) => {
                es.iter_mut().for_each(|x| self.finish_exp(f, x));
            }
            ExpKind::App(a, b) | ExpKind::While(a, b) => {
                self.finish_exp(f, a);
                self.finish_exp(f, b);
            }
            ExpKind::Fn(rules) => self.finish_rules(f, rules),
            ExpKind::Case(x, rules) | ExpKind::Handle(x, rules) => {
                self.finish_exp(f, x);
                self.finish_rules(f, rules);
            }
            ExpKind::If(a, b, c) => {
                self.finish_exp(f, a);
                self.finish_exp(f, b);
                self.finish_exp(f, c);
            }
            ExpKind::Let(decs, body) => {
                f.inside += 1;
                decs.iter_mut().for_each(|d| self.finish_dec(f, d));
                f.inside -= 1;
                self.finish_exp(f, body);
            }
            ExpKind::Raise(x) => self.finish_exp(f, x),
        }
    }

    /// The library's function for an overloaded operator, where its type has no primitives: IntInf and the sized types.
    fn library_operator(&mut self, site: usize) -> Option<Var> {
        let (op, operand) = (self.pending.overloads[site].op, self.pending.overloads[site].operand);
        let ty = self.finish(operand);
        let TyData::Con(name, _) = self.tables.types[ty] else { return None };
        let env = self.tables.modules.overloaded.iter().find(|o| o.name == name)?.env;
        match self.tables.modules.envs[env].vals.get(op.symbol()) {
            Some(crate::basis::ValEntry::Var { var, .. }) => Some(*var),
            _ => None,
        }
    }

    /// A constant of type IntInf.int is a constructed value. One that no int holds has been made in the beginning, see
    /// [`Elab::large_exp`].
    fn finish_const(&mut self, e: &mut Exp) {
        if let ExpKind::Const(Const::Real(bits)) = &mut e.kind
            && matches!(self.tables.types[e.ty], TyData::Con(tyname::REAL32, _))
        {
            *bits = f64::from(f64::from_bits(*bits) as f32).to_bits();
        }
        let ExpKind::Const(Const::Int(small)) = e.kind else { return };
        if !self.is_intinf(e.ty) {
            return;
        }
        let span = e.span;
        let arg = Exp { kind: ExpKind::Const(Const::Int(small)), ty: ty::INT, span };
        let arrow = self.tables.intern(TyData::Arrow(arg.ty, e.ty));
        let con = Exp { kind: ExpKind::Con(tyname::INTINF, 0, vec![]), ty: arrow, span };
        e.kind = ExpKind::App(Box::new(con), Box::new(arg));
    }

    fn finish_const_pat(&mut self, p: &mut Pat) {
        let PatKind::Const(Const::Int(small)) = p.kind else { return };
        if !self.is_intinf(p.ty) {
            return;
        }
        let arg = Pat { kind: PatKind::Const(Const::Int(small)), ty: ty::INT, span: p.span };
        p.kind = PatKind::Con(tyname::INTINF, 0, vec![], Some(Box::new(arg)));
    }

    fn is_intinf(&self, ty: Ty) -> bool {
        matches!(self.tables.types[ty], TyData::Con(tyname::INTINF, _))
    }

    /// The primitive of an overloaded operator, by the naming scheme `<tycon>_<op>`. [Definition, E.1]
    fn overloaded_prim(&mut self, site: usize) -> Prim {
        let (op, operand, span) = {
            let s = &self.pending.overloads[site];
            (s.op, s.operand, s.span)
        };
        let ty = self.finish(operand);
        let TyData::Con(name, _) = self.tables.types[ty] else { return Prim::IntAdd };
        if name == tyname::ERROR {
            return Prim::IntAdd;
        }
        let prim = format!("{}_{}", self.tables.tynames[name].name, op.suffix());
        match Prim::by_name(&prim) {
            Some(p) => p,
            None => {
                let d = Diagnostic::error(
                    "prim/unknown",
                    span,
                    format!("`{}` is not there yet for this type", op.symbol()),
                );
                self.report(d.note(format!("it needs the primitive `{prim}`")));
                Prim::IntAdd
            }
        }
    }
}
