//! Match compilation: rules with nested patterns -> a `case` of one-level tests, by the decision trees of `tree`.
//!
//! # Differences
//!
//! - A right-hand side that several leaves reach becomes a local function of its variables.
//! - Of several trees, each but the first is a local function, which the one before it calls where it fails.

use crate::ctx::{Ctx, position, val};
use crate::ir::*;
use crate::occurrence::{Head, Occ, OccInfo, Parts, ROOT, Step};
use crate::tree::{BIND, MATCH, Tree, Trees, trees};
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_base::{Span, Symbol};
use leat_elab::builtin::ty;
use leat_elab::ir::{Pat, PatKind};

/// What happens when no rule matches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fail {
    Match,
    Bind,
    Reraise(Var),
}

/// Right-hand side of a rule.
pub(crate) enum Rhs {
    /// Until it is placed.
    Exp(Option<Exp>),
    /// The tuple of these variables' values (the value itself of one).
    Vars(Vec<Var>),
}

/// One match.
pub(crate) struct Match<'c, 't, 'p> {
    ctx: &'c mut Ctx<'t>,
    pats: &'p [Pat],
    rhs: Vec<Rhs>,
    scrut: Var,
    fail: Fail,
    /// Of the whole match.
    ty: Ty,
    span: Span,
    occs: Vec<OccInfo>,
    parts: Parts,
    /// By occurrence: the variable that holds it here.
    place: Vec<Option<Var>>,
    placed: Vec<Occ>,
    /// By rule: its local function, and its variables in order.
    shared: Vec<Option<(Var, Vec<Var>)>>,
}

impl<'c, 't, 'p> Match<'c, 't, 'p> {
    /// A match of the variable `scrut`; `ty` is the type of the result.
    pub fn new(
        ctx: &'c mut Ctx<'t>,
        pats: &'p [Pat],
        rhs: Vec<Rhs>,
        scrut: Var,
        fail: Fail,
        ty: Ty,
        span: Span,
    ) -> Match<'c, 't, 'p> {
        Match {
            ctx,
            pats,
            rhs,
            scrut,
            fail,
            ty,
            span,
            occs: Vec::new(),
            parts: Parts::default(),
            place: Vec::new(),
            placed: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The match as an expression; says what is wrong with it.
    pub fn compile(mut self) -> Exp {
        let pats: Vec<&Pat> = self.pats.iter().collect();
        let root = self.ctx.tables.vars[self.scrut].ty;
        let unmatched = match self.fail {
            Fail::Match => Some(MATCH),
            Fail::Bind => Some(BIND),
            Fail::Reraise(_) => None,
        };
        let Trees { trees, occs, parts } =
            trees(self.ctx.tables, &pats, root, unmatched, self.span, &mut self.ctx.diagnostics);
        self.place = vec![None; occs.len()];
        self.place[ROOT.0 as usize] = Some(self.scrut);
        (self.occs, self.parts) = (occs, parts);
        self.emit_all(trees)
    }

    /// If the one pattern always matches and only looks into immutable records: each variable with its part of `scrut`.
    pub fn irrefutable(&self, scrut: &Exp) -> Option<Vec<(Var, Exp)>> {
        fn go(m: &Match<'_, '_, '_>, pat: &Pat, at: &Exp, out: &mut Vec<(Var, Exp)>) -> bool {
            match &pat.kind {
                PatKind::Wild => true,
                PatKind::Var(var) => {
                    out.push((*var, at.clone()));
                    true
                }
                PatKind::Layered(var, pat) => {
                    out.push((*var, at.clone()));
                    go(m, pat, at, out)
                }
                PatKind::Record(fields) => fields.iter().enumerate().all(|(i, (label, field))| {
                    let index = position(m.ctx.tables, pat.ty, *label, i) as u32;
                    let kind = ExpKind::Select(index, Box::new(at.clone()));
                    go(m, field, &Exp { kind, ty: field.ty, span: at.span }, out)
                }),
                _ => false,
            }
        }
        let mut out = Vec::new();
        go(self, &self.pats[0], scrut, &mut out).then_some(out)
    }

    /// The variables of the first pattern, left to right.
    pub fn variables(&self) -> Vec<Var> {
        let mut out = Vec::new();
        variables(&self.pats[0], &mut out);
        out
    }

    fn emit_all(mut self, trees: Vec<Tree<'p>>) -> Exp {
        let mut leaves = vec![0; self.pats.len()];
        trees.iter().for_each(|tree| count_leaves(tree, &mut leaves));
        let mut decs = Vec::new();
        for (rule, &count) in leaves.iter().enumerate() {
            let shared = if count > 1 { Some(self.share(rule, &mut decs)) } else { None };
            self.shared.push(shared);
        }
        let next_ty = self.ctx.arrow_ty(ty::UNIT, self.ty);
        let mut next = None;
        let last = trees.len() - 1;
        for (i, tree) in trees.into_iter().enumerate().rev() {
            let exp = self.emit(tree, next);
            if i > 0 {
                // Tried when the tree before it fails.
                let var = self.ctx.fresh("next", next_ty, self.span);
                let param = self.ctx.fresh("_", ty::UNIT, self.span);
                let fun = Fun { var, param, body: exp, span: self.span, join: true };
                decs.push(Dec { kind: DecKind::Fun { tyvars: Vec::new(), funs: vec![fun] }, span: self.span });
                next = Some(var);
            } else {
                debug_assert!(last == 0 || next.is_some());
                return self.with_decs(decs, exp);
            }
        }
        unreachable!("there is a tree")
    }

    /// A local function of the rule's variables for its right-hand side.
    fn share(&mut self, rule: usize, decs: &mut Vec<Dec>) -> (Var, Vec<Var>) {
        let Rhs::Exp(exp) = &mut self.rhs[rule] else { unreachable!("one rule has one leaf") };
        let rhs = exp.take().expect("a right-hand side is placed once");
        let mut vars = Vec::new();
        variables(&self.pats[rule], &mut vars);
        vars.retain(|&var| self.ctx.is_used(var));
        let span = rhs.span;
        let tys: Vec<Ty> = vars.iter().map(|&var| self.ctx.tables.vars[var].ty).collect();
        let (param, body) = match vars[..] {
            [var] => (var, rhs),
            _ => {
                let ty = self.ctx.tuple_ty(&tys);
                let param = self.ctx.fresh("vars", ty, span);
                let mut inner = Vec::with_capacity(vars.len());
                for (i, (&var, &ty)) in vars.iter().zip(&tys).enumerate() {
                    let tuple = self.ctx.var_exp(param, span);
                    inner.push(val(var, Exp { kind: ExpKind::Select(i as u32, Box::new(tuple)), ty, span }));
                }
                let body = self.with_decs(inner, rhs);
                (param, body)
            }
        };
        let param_ty = self.ctx.tables.vars[param].ty;
        let ty = self.ctx.arrow_ty(param_ty, body.ty);
        let var = self.ctx.fresh("rule", ty, span);
        let fun = Fun { var, param, body, span, join: true };
        decs.push(Dec { kind: DecKind::Fun { tyvars: Vec::new(), funs: vec![fun] }, span });
        (var, vars)
    }

    fn with_decs(&self, decs: Vec<Dec>, exp: Exp) -> Exp {
        if decs.is_empty() {
            return exp;
        }
        let (ty, span) = (exp.ty, exp.span);
        Exp { kind: ExpKind::Let(decs, Box::new(exp)), ty, span }
    }

    fn emit(&mut self, tree: Tree<'p>, next: Option<Var>) -> Exp {
        match tree {
            Tree::Fail => self.emit_fail(next),
            Tree::Leaf { rule, binds } => self.emit_leaf(rule, &binds),
            Tree::Switch { occ, arms, default } => {
                let mark = self.placed.len();
                let mut decs = Vec::new();
                let var = self.materialise(occ, None, &mut decs);
                let mut scrut = self.ctx.var_exp(var, self.span);
                let arms = match arms[0].0 {
                    Head::Con(name, _) => {
                        let arms = arms.into_iter().map(|(head, tree)| {
                            let Head::Con(_, con) = head else { unreachable!("one signature") };
                            let (arg, exp) = self.emit_arm(occ, Step::ConArg(con), tree, next);
                            (con, arg, exp)
                        });
                        Arms::Con(name, arms.collect())
                    }
                    Head::Exn(_) => {
                        let arms = arms.into_iter().map(|(head, tree)| {
                            let Head::Exn(exn) = head else { unreachable!("one signature") };
                            let (arg, exp) = self.emit_arm(occ, Step::ExnArg(exn), tree, next);
                            (exn, arg, exp)
                        });
                        Arms::Exn(arms.collect())
                    }
                    Head::Str(_) => Arms::Str(
                        arms.into_iter()
                            .map(|(head, tree)| {
                                let Head::Str(text) = head else { unreachable!("one signature") };
                                (text.into(), self.emit_inner(tree, next))
                            })
                            .collect(),
                    ),
                    Head::Int(_) | Head::Len(_) => {
                        if let Head::Len(_) = arms[0].0 {
                            scrut = self.ctx.prim_app(Prim::ArrayLength, scrut, ty::INT, self.span);
                        }
                        Arms::Int(
                            arms.into_iter()
                                .map(|(head, tree)| {
                                    let n = match head {
                                        Head::Int(n) => n,
                                        Head::Len(n) => i64::from(n),
                                        _ => unreachable!("one signature"),
                                    };
                                    (n, self.emit_inner(tree, next))
                                })
                                .collect(),
                        )
                    }
                };
                let default = default.map(|tree| Box::new(self.emit_inner(*tree, next)));
                self.forget(mark);
                let kind = ExpKind::Case { scrut: Box::new(scrut), arms, default };
                self.with_decs(decs, Exp { kind, ty: self.ty, span: self.span })
            }
        }
    }

    fn emit_fail(&mut self, next: Option<Var>) -> Exp {
        match (next, self.fail) {
            (Some(next), _) => {
                let f = self.ctx.var_exp(next, self.span);
                let unit = self.ctx.unit_exp(self.span);
                Exp { kind: ExpKind::App(Box::new(f), Box::new(unit)), ty: self.ty, span: self.span }
            }
            (None, Fail::Match) => self.ctx.raise_builtin(Builtin::Match, self.ty, self.span),
            (None, Fail::Bind) => self.ctx.raise_builtin(Builtin::Bind, self.ty, self.span),
            (None, Fail::Reraise(packet)) => {
                let packet = self.ctx.var_exp(packet, self.span);
                Exp { kind: ExpKind::Raise(Box::new(packet)), ty: self.ty, span: self.span }
            }
        }
    }

    fn emit_inner(&mut self, tree: Tree<'p>, next: Option<Var>) -> Exp {
        let mark = self.placed.len();
        let exp = self.emit(tree, next);
        self.forget(mark);
        exp
    }

    /// An arm that binds the part `step` of `occ`, if a pattern looks at it.
    fn emit_arm(&mut self, occ: Occ, step: Step, tree: Tree<'p>, next: Option<Var>) -> (Option<Var>, Exp) {
        let mark = self.placed.len();
        let arg = self.parts.get(&(occ, step)).copied().map(|part| {
            let var = self.fresh_for(part);
            self.set_place(part, var);
            var
        });
        let exp = self.emit(tree, next);
        self.forget(mark);
        (arg, exp)
    }

    fn emit_leaf(&mut self, rule: usize, binds: &[(Var, Occ)]) -> Exp {
        let mark = self.placed.len();
        let mut decs = Vec::new();
        let exp = match self.shared[rule].take() {
            Some((f, vars)) => {
                let args: Vec<Exp> = vars.iter().map(|&var| self.value_of(var, binds, &mut decs)).collect();
                let f_exp = self.ctx.var_exp(f, self.span);
                self.shared[rule] = Some((f, vars));
                let arg = self.tuple_of(args);
                Exp { kind: ExpKind::App(Box::new(f_exp), Box::new(arg)), ty: self.ty, span: self.span }
            }
            None => match &mut self.rhs[rule] {
                Rhs::Exp(exp) => {
                    let exp = exp.take().expect("a right-hand side is placed once");
                    for &(var, occ) in binds {
                        if !self.ctx.is_used(var) {
                            continue;
                        }
                        let at = self.materialise(occ, Some(var), &mut decs);
                        if at != var {
                            let exp = self.ctx.var_exp(at, self.span);
                            decs.push(val(var, exp));
                        }
                    }
                    exp
                }
                Rhs::Vars(vars) => {
                    let vars = std::mem::take(vars);
                    let args: Vec<Exp> = vars.iter().map(|&var| self.value_of(var, binds, &mut decs)).collect();
                    self.tuple_of(args)
                }
            },
        };
        self.forget(mark);
        self.with_decs(decs, exp)
    }

    fn value_of(&mut self, var: Var, binds: &[(Var, Occ)], decs: &mut Vec<Dec>) -> Exp {
        let occ = binds.iter().find(|bind| bind.0 == var).map_or(ROOT, |bind| bind.1);
        let at = self.materialise(occ, None, decs);
        self.ctx.var_exp(at, self.span)
    }

    fn tuple_of(&mut self, mut exps: Vec<Exp>) -> Exp {
        if exps.len() == 1 {
            return exps.remove(0);
        }
        let tys: Vec<Ty> = exps.iter().map(|exp| exp.ty).collect();
        let ty = self.ctx.tuple_ty(&tys);
        Exp { kind: ExpKind::Tuple(exps), ty, span: self.span }
    }

    /// The variable that holds the value at `occ`; declares it, and those on the way, where there is none yet.
    /// A new one for `occ` itself is `wanted`, if given.
    fn materialise(&mut self, occ: Occ, wanted: Option<Var>, decs: &mut Vec<Dec>) -> Var {
        if let Some(var) = self.place[occ.0 as usize] {
            return var;
        }
        let info = &self.occs[occ.0 as usize];
        let (ty, span) = (info.ty, self.span);
        let Some((parent, step)) = info.parent else { return self.scrut };
        let whole = self.materialise(parent, None, decs);
        let whole = self.ctx.var_exp(whole, span);
        let exp = match step {
            Step::Field(i) => Exp { kind: ExpKind::Select(i, Box::new(whole)), ty, span },
            Step::Content => self.ctx.prim_app(Prim::RefGet, whole, ty, span),
            Step::Elem(_, i) => {
                let index = Exp { kind: ExpKind::Const(Const::Int(i64::from(i))), ty: ty::INT, span };
                let arg = self.tuple_of(vec![whole, index]);
                self.ctx.prim_app(Prim::VectorSubUnsafe, arg, ty, span)
            }
            // Bound by the arm that found the constructor.
            Step::ConArg(_) | Step::ExnArg(_) => whole,
        };
        let var = wanted.unwrap_or_else(|| self.fresh_for(occ));
        decs.push(val(var, exp));
        self.set_place(occ, var);
        var
    }

    fn fresh_for(&mut self, occ: Occ) -> Var {
        let OccInfo { ty, name, .. } = self.occs[occ.0 as usize];
        let name = if name == sym::EMPTY { Symbol::intern("part") } else { name };
        self.ctx.fresh_named(name, ty, self.span)
    }

    fn set_place(&mut self, occ: Occ, var: Var) {
        self.place[occ.0 as usize] = Some(var);
        self.placed.push(occ);
    }

    /// Undoes the places made since.
    fn forget(&mut self, mark: usize) {
        for occ in self.placed.drain(mark..) {
            self.place[occ.0 as usize] = None;
        }
    }
}

fn variables(pat: &Pat, out: &mut Vec<Var>) {
    match &pat.kind {
        PatKind::Wild | PatKind::Const(_) => {}
        PatKind::Var(var) => out.push(*var),
        PatKind::Layered(var, pat) => {
            out.push(*var);
            variables(pat, out);
        }
        PatKind::Con(_, _, _, arg) | PatKind::Exn(_, arg) => {
            if let Some(arg) = arg {
                variables(arg, out);
            }
        }
        PatKind::Ref(pat) => variables(pat, out),
        PatKind::Record(fields) => fields.iter().for_each(|(_, pat)| variables(pat, out)),
        PatKind::Vector(pats) => pats.iter().for_each(|pat| variables(pat, out)),
    }
}

fn count_leaves(tree: &Tree<'_>, counts: &mut [u32]) {
    match tree {
        Tree::Fail => {}
        Tree::Leaf { rule, .. } => counts[*rule] += 1,
        Tree::Switch { arms, default, .. } => {
            arms.iter().for_each(|(_, tree)| count_leaves(tree, counts));
            if let Some(tree) = default {
                count_leaves(tree, counts);
            }
        }
    }
}
