//! The end of a unit, or of a functor's body: draft -> Core. Inference types become Core types, overloaded operators
//! primitives; recursive uses of a polymorphic function get its own type variables.

use crate::builtin::{ty, tyname};
use crate::ctx::Elab;
use crate::draft;
use crate::ir::{Const, Dec, DecKind, Exp, ExpKind, Fun, Pat, PatKind, Rule, Ty, TyData, Var};
use crate::types::Type;
use crate::used::How;
use leat_abi::prim::Prim;
use leat_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::mem::MaybeUninit;

/// What a walk over declarations carries.
#[derive(Default)]
pub(crate) struct Finisher {
    /// Functions of a group that is generalised together, with its type variables as arguments.
    recursive: FxHashMap<Var, Vec<Ty>>,
    /// How many `let` are around.
    inside: u32,
}

impl Elab<'_> {
    /// Finishes declarations, and the types of all variables made so far.
    pub(crate) fn finish_decs(&mut self, decs: Vec<draft::Dec>) -> Vec<Dec> {
        let decs = self.finish_all_decs(&mut Finisher::default(), decs);
        for (var, ty) in std::mem::take(&mut self.var_types) {
            let ty = self.finish(ty);
            self.tables.vars[var].ty = ty;
        }
        decs
    }

    fn finish_types(&mut self, types: Vec<Type>) -> Vec<Ty> {
        types.into_iter().map(|t| self.finish(t)).collect()
    }

    fn finish_all_decs(&mut self, f: &mut Finisher, decs: Vec<draft::Dec>) -> Vec<Dec> {
        decs.into_iter().map(|d| self.finish_dec(f, d)).collect()
    }

    fn finish_dec(&mut self, f: &mut Finisher, dec: draft::Dec) -> Dec {
        let kind = match dec.kind {
            DecKind::Val { mut tyvars, pat, exp } => {
                if f.inside > 0
                    && let Some(unused) = &mut self.unused
                {
                    unused.bind_pat(&pat, How::Declared);
                }
                let bound = self.first_flexible(&pat);
                tyvars.extend(bound.map_or(vec![], |var| self.row_tyvars(var)));
                DecKind::Val { tyvars, pat: self.finish_pat(pat), exp: self.finish_exp(f, exp) }
            }
            DecKind::Fun { mut tyvars, funs } => {
                tyvars.extend(funs.first().map_or(vec![], |fun| self.row_tyvars(fun.var)));
                if !tyvars.is_empty() {
                    let args: Vec<Ty> = tyvars.iter().map(|&v| self.tables.intern(TyData::Var(v))).collect();
                    for fun in &funs {
                        f.recursive.insert(fun.var, args.clone());
                    }
                }
                if f.inside > 0
                    && let Some(unused) = &mut self.unused
                {
                    funs.iter().for_each(|fun| unused.bind(fun.var, How::Function));
                }
                let funs =
                    funs.into_iter().map(|fun| Fun { var: fun.var, exp: self.finish_exp(f, fun.exp), span: fun.span });
                DecKind::Fun { tyvars, funs: funs.collect() }
            }
            DecKind::Exception { var, name, arg } => DecKind::Exception { var, name, arg: arg.map(|t| self.finish(t)) },
        };
        Dec { kind, span: dec.span }
    }

    fn finish_pat(&mut self, pat: draft::Pat) -> Pat {
        let ty = self.finish(pat.ty);
        let kind = match pat.kind {
            PatKind::Wild => PatKind::Wild,
            PatKind::Var(v) => PatKind::Var(v),
            PatKind::Const(Const::Int(small)) if self.is_intinf(ty) => {
                let arg = Pat { kind: PatKind::Const(Const::Int(small)), ty: ty::INT, span: pat.span };
                PatKind::Con(tyname::INTINF, 0, vec![], Some(Box::new(arg)))
            }
            PatKind::Const(c) => PatKind::Const(c),
            PatKind::Con(t, index, inst, arg) => {
                PatKind::Con(t, index, self.finish_types(inst), arg.map(|p| self.finish_boxed_pat(p)))
            }
            PatKind::Exn(exn, arg) => PatKind::Exn(exn, arg.map(|p| self.finish_boxed_pat(p))),
            PatKind::Ref(p) => PatKind::Ref(self.finish_boxed_pat(p)),
            PatKind::Record(fields) => {
                PatKind::Record(fields.into_iter().map(|(l, p)| (l, self.finish_pat(p))).collect())
            }
            PatKind::Vector(ps) => PatKind::Vector(ps.into_iter().map(|p| self.finish_pat(p)).collect()),
            PatKind::Layered(v, p) => PatKind::Layered(v, self.finish_boxed_pat(p)),
        };
        Pat { kind, ty, span: pat.span }
    }

    fn finish_boxed_pat(&mut self, pat: Box<draft::Pat>) -> Box<Pat> {
        in_the_box(pat, |pat| self.finish_pat(pat))
    }

    fn finish_rules(&mut self, f: &mut Finisher, rules: Vec<draft::Rule>) -> Vec<Rule> {
        let rules = rules.into_iter().map(|rule| {
            if let Some(unused) = &mut self.unused {
                unused.bind_pat(&rule.pat, How::Pattern);
            }
            Rule { pat: self.finish_pat(rule.pat), exp: self.finish_exp(f, rule.exp) }
        });
        rules.collect()
    }

    fn finish_boxed(&mut self, f: &mut Finisher, e: Box<draft::Exp>) -> Box<Exp> {
        in_the_box(e, |e| self.finish_exp(f, e))
    }

    fn finish_exps(&mut self, f: &mut Finisher, es: Vec<draft::Exp>) -> Vec<Exp> {
        es.into_iter().map(|e| self.finish_exp(f, e)).collect()
    }

    fn finish_exp(&mut self, f: &mut Finisher, e: draft::Exp) -> Exp {
        let ty = self.finish(e.ty);
        let span = e.span;
        let kind = match e.kind {
            ExpKind::Const(c) => self.finish_const(c, ty, span),
            ExpKind::ExnCon(exn) => ExpKind::ExnCon(exn),
            ExpKind::Var(v, mut inst) => {
                if let Some(unused) = &mut self.unused {
                    unused.mark(v);
                }
                match f.recursive.get(&v) {
                    Some(args) if inst.is_empty() => ExpKind::Var(v, args.clone()),
                    _ => {
                        self.finish_rows(v, &mut inst);
                        ExpKind::Var(v, self.finish_types(inst))
                    }
                }
            }
            ExpKind::Con(t, index, inst) => ExpKind::Con(t, index, self.finish_types(inst)),
            ExpKind::RefCon(t) => ExpKind::RefCon(self.finish(t)),
            ExpKind::Selector(label, t) => ExpKind::Selector(label, self.finish(t)),
            ExpKind::Overloaded(site) => match self.library_operator(site as usize) {
                Some(var) => ExpKind::Var(var, vec![]),
                None => ExpKind::Prim(self.overloaded_prim(site as usize), ty),
            },
            ExpKind::Prim(prim, t) => ExpKind::Prim(prim, self.finish(t)),
            ExpKind::Record(fields) => {
                ExpKind::Record(fields.into_iter().map(|(l, e)| (l, self.finish_exp(f, e))).collect())
            }
            ExpKind::Vector(es) => ExpKind::Vector(self.finish_exps(f, es)),
            ExpKind::List(es) => ExpKind::List(self.finish_exps(f, es)),
            ExpKind::Seq(es) => ExpKind::Seq(self.finish_exps(f, es)),
            ExpKind::App(fun, arg) => ExpKind::App(self.finish_boxed(f, fun), self.finish_boxed(f, arg)),
            ExpKind::While(cond, body) => ExpKind::While(self.finish_boxed(f, cond), self.finish_boxed(f, body)),
            ExpKind::Fn(rules) => ExpKind::Fn(self.finish_rules(f, rules)),
            ExpKind::Case(e, rules) => ExpKind::Case(self.finish_boxed(f, e), self.finish_rules(f, rules)),
            ExpKind::Handle(e, rules) => ExpKind::Handle(self.finish_boxed(f, e), self.finish_rules(f, rules)),
            ExpKind::If(cond, then, els) => {
                ExpKind::If(self.finish_boxed(f, cond), self.finish_boxed(f, then), self.finish_boxed(f, els))
            }
            ExpKind::Let(decs, body) => {
                f.inside += 1;
                let decs = self.finish_all_decs(f, decs);
                f.inside -= 1;
                ExpKind::Let(decs, self.finish_boxed(f, body))
            }
            ExpKind::Raise(e) => ExpKind::Raise(self.finish_boxed(f, e)),
        };
        Exp { kind, ty, span }
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
    fn finish_const(&mut self, c: Const, ty: Ty, span: Span) -> ExpKind {
        match c {
            Const::Real(bits) if matches!(self.tables.types[ty], TyData::Con(tyname::REAL32, _)) => {
                let single = self.pending.singles.get(&span).copied().unwrap_or(f64::from_bits(bits) as f32);
                if single.is_infinite() {
                    self.error("constant/range", span, "this constant is too large for a `Real32.real`");
                }
                ExpKind::Const(Const::Real(f64::from(single).to_bits()))
            }
            Const::Int(small) if self.is_intinf(ty) => {
                let arg = Exp { kind: ExpKind::Const(Const::Int(small)), ty: ty::INT, span };
                let arrow = self.tables.intern(TyData::Arrow(arg.ty, ty));
                let con = Exp { kind: ExpKind::Con(tyname::INTINF, 0, vec![]), ty: arrow, span };
                ExpKind::App(Box::new(con), Box::new(arg))
            }
            c => ExpKind::Const(c),
        }
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

/// What `f` makes of the content of a box, in the same box. A draft and its Core have one layout, and a third of what
/// finishing costs was to allocate boxes and to free others. (Vectors do the same by themselves.)
fn in_the_box<A, B>(from: Box<A>, f: impl FnOnce(A) -> B) -> Box<B> {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()) };
    let place = Box::into_raw(from);
    // SAFETY: the content is taken out once; behind that the memory is a box without content, of a type of the same
    // layout, which is freed as such if `f` panics.
    unsafe {
        let content = place.read();
        let mut to = Box::from_raw(place.cast::<MaybeUninit<B>>());
        to.write(f(content));
        to.assume_init()
    }
}
