//! Match compilation: rules with nested patterns -> a decision tree of one-level tests.
//!
//! After Maranget, Compiling Pattern Matching to Good Decision Trees, ML 2008, with the rows kept as lists of tests as in
//! Jacobs, How to Compile Pattern Matching, 2021. Keeps: the first rule that matches is taken; nothing is tested twice.
//!
//! # Differences
//!
//! - The occurrence to test is one of the first row's: the one that the longest run of first rows tests, then the one that
//!   most rows test, then the leftmost (Maranget's p, then d).
//! - A right-hand side that several leaves reach becomes a local function of its variables.
//! - A matrix whose tree would be large is cut in two halves, the second behind a local function, until each is small: so
//!   the code is linear in the patterns. Then exhaustiveness is not judged.

use crate::ctx::{Ctx, val};
use crate::ir::*;
use crate::missing;
use crate::occurrence::{Decision, Head, Occ, OccInfo, Parts, ROOT, Step};
use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};
use leat_elab::Tables;
use leat_elab::builtin::ty;
use leat_elab::ir::{Pat, PatKind, PrimTy, TyData, TyNameDef};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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

#[derive(Clone)]
struct Row<'p> {
    /// Patterns that can fail, left to right.
    tests: Vec<(Occ, &'p Pat)>,
    binds: Vec<(Var, Occ)>,
    rule: usize,
}

enum Tree<'p> {
    Fail,
    Leaf { rule: usize, binds: Vec<(Var, Occ)> },
    Switch { occ: Occ, arms: Vec<(Head<'p>, Tree<'p>)>, default: Option<Box<Tree<'p>>> },
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
    reached: Vec<bool>,
    /// Patterns without a rule, as text: the first few.
    missing: Vec<String>,
    /// Tests copied so far; the limit of this attempt.
    work: usize,
    limit: usize,
    /// Scratch, by occurrence: (rows of the leading run that test it, rows that test it).
    counts: Vec<(u32, u32)>,
    /// By occurrence: the variable that holds it here.
    place: Vec<Option<Var>>,
    placed: Vec<Occ>,
    /// By rule: its local function, and its variables in order.
    shared: Vec<Option<(Var, Vec<Var>)>>,
}

/// A missing pattern beyond these is only counted.
const SHOWN: usize = 3;

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
        let root = OccInfo { parent: None, ty: ctx.tables.vars[scrut].ty, name: sym::EMPTY };
        Match {
            ctx,
            pats,
            rhs,
            scrut,
            fail,
            ty,
            span,
            occs: vec![root],
            parts: FxHashMap::default(),
            reached: vec![false; pats.len()],
            missing: Vec::new(),
            work: 0,
            limit: 0,
            counts: Vec::new(),
            place: vec![Some(scrut)],
            placed: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The match as an expression; says what is wrong with it.
    pub fn compile(mut self) -> Exp {
        let rows: Vec<Row<'p>> = (0..self.pats.len()).map(|rule| self.row(rule)).collect();
        let tests: usize = rows.iter().map(|row| 1 + row.tests.len()).sum();
        self.limit = 50_000 + 64 * tests;
        let mut trees = Vec::new();
        self.build_within_limit(rows, &mut trees);
        self.warn(trees.len() == 1);
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
                    let index = m.ctx.position(pat.ty, *label, i) as u32;
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

    // -- rows

    fn row(&mut self, rule: usize) -> Row<'p> {
        let mut row = Row { tests: Vec::new(), binds: Vec::new(), rule };
        let pats = self.pats;
        self.push_pat(&mut row, &pats[rule], ROOT);
        row
    }

    /// Adds what `pat` asks of the value at `occ`.
    fn push_pat(&mut self, row: &mut Row<'p>, pat: &'p Pat, occ: Occ) {
        match &pat.kind {
            // [Rule 132]
            PatKind::Wild => {}
            // [Rule 135]
            PatKind::Var(var) => self.push_bind(row, *var, occ),
            // [Rule 149]
            PatKind::Layered(var, inner) => {
                self.push_bind(row, *var, occ);
                self.push_pat(row, inner, occ);
            }
            // [Rule 138] [Rule 140] [Rule 141] [Rule 142]
            PatKind::Record(fields) => {
                for (i, (label, field)) in fields.iter().enumerate() {
                    if !matches!(field.kind, PatKind::Wild) {
                        let index = self.ctx.position(pat.ty, *label, i) as u32;
                        let part = self.part(occ, Step::Field(index), field.ty);
                        self.push_pat(row, field, part);
                    }
                }
            }
            // [Rule 148]
            PatKind::Ref(content) => {
                if !matches!(content.kind, PatKind::Wild) {
                    let part = self.part(occ, Step::Content, content.ty);
                    self.push_pat(row, content, part);
                }
            }
            // [Rule 133] [Rule 134] [Rule 136] [Rule 137] [Rule 144] [Rule 145] [Rule 146] [Rule 147]
            PatKind::Const(_) | PatKind::Con(..) | PatKind::Exn(..) | PatKind::Vector(_) => row.tests.push((occ, pat)),
        }
    }

    fn push_bind(&mut self, row: &mut Row<'p>, var: Var, occ: Occ) {
        row.binds.push((var, occ));
        if self.occs[occ.0 as usize].name == sym::EMPTY {
            self.occs[occ.0 as usize].name = self.ctx.tables.vars[var].name;
        }
    }

    fn part(&mut self, occ: Occ, step: Step, ty: Ty) -> Occ {
        *self.parts.entry((occ, step)).or_insert_with(|| {
            self.occs.push(OccInfo { parent: Some((occ, step)), ty, name: sym::EMPTY });
            self.place.push(None);
            Occ(self.occs.len() as u32 - 1)
        })
    }

    /// Adds what a test that succeeded still asks of the parts.
    fn push_parts(&mut self, row: &mut Row<'p>, pat: &'p Pat, occ: Occ) {
        match &pat.kind {
            PatKind::Con(_, con, _, Some(arg)) if !matches!(arg.kind, PatKind::Wild) => {
                let part = self.part(occ, Step::ConArg(*con), arg.ty);
                self.push_pat(row, arg, part);
            }
            PatKind::Exn(exn, Some(arg)) if !matches!(arg.kind, PatKind::Wild) => {
                let part = self.part(occ, Step::ExnArg(*exn), arg.ty);
                self.push_pat(row, arg, part);
            }
            PatKind::Vector(elems) => {
                for (i, elem) in elems.iter().enumerate() {
                    if !matches!(elem.kind, PatKind::Wild) {
                        let part = self.part(occ, Step::Elem(elems.len() as u32, i as u32), elem.ty);
                        self.push_pat(row, elem, part);
                    }
                }
            }
            _ => {}
        }
    }

    // -- the tree

    /// Trees to be tried one after the other; one, unless that would be too large.
    fn build_within_limit(&mut self, mut rows: Vec<Row<'p>>, out: &mut Vec<Tree<'p>>) {
        self.work = 0;
        if rows.len() < 2 {
            self.limit = usize::MAX;
        }
        let attempt = if rows.len() < 2 { std::mem::take(&mut rows) } else { rows.clone() };
        let reached = self.reached.clone();
        let tree = self.build(attempt, &mut Vec::new());
        if self.work <= self.limit {
            out.push(tree);
            return;
        }
        self.reached = reached;
        let second = rows.split_off(rows.len() / 2);
        for half in [rows, second] {
            let tests: usize = half.iter().map(|row| 1 + row.tests.len()).sum();
            self.limit = 1_000 + 64 * tests;
            self.build_within_limit(half, out);
        }
    }

    fn build(&mut self, rows: Vec<Row<'p>>, path: &mut Vec<(Occ, Decision<'p>)>) -> Tree<'p> {
        let Some(first) = rows.first() else {
            if self.missing.len() <= SHOWN {
                let text = missing::describe(self.ctx.tables, &self.occs, &self.parts, path);
                self.missing.push(text);
            }
            return Tree::Fail;
        };
        if first.tests.is_empty() {
            self.reached[first.rule] = true;
            return Tree::Leaf { rule: first.rule, binds: first.binds.clone() };
        }
        if self.work > self.limit {
            return Tree::Fail;
        }
        let occ = self.choose(&rows);

        // Rows by what the test finds; a row without the test goes to all, and to the default.
        let mut buckets: Vec<(Head<'p>, Vec<Row<'p>>)> = Vec::new();
        let mut bucket_of: FxHashMap<Head<'p>, usize> = FxHashMap::default();
        let mut default: Vec<Row<'p>> = Vec::new();
        for mut row in rows {
            self.work += 1 + row.tests.len();
            match row.tests.iter().position(|test| test.0 == occ) {
                Some(i) => {
                    let (_, pat) = row.tests.remove(i);
                    let head = head(pat);
                    let bucket = *bucket_of.entry(head).or_insert_with(|| {
                        self.work += default.iter().map(|row| 1 + row.tests.len()).sum::<usize>();
                        buckets.push((head, default.clone()));
                        buckets.len() - 1
                    });
                    if !is_settled(&buckets[bucket].1) {
                        self.push_parts(&mut row, pat, occ);
                        buckets[bucket].1.push(row);
                    }
                }
                None => {
                    for (_, bucket) in &mut buckets {
                        if !is_settled(bucket) {
                            self.work += 1 + row.tests.len();
                            bucket.push(row.clone());
                        }
                    }
                    if !is_settled(&default) {
                        default.push(row);
                    }
                }
            }
        }

        buckets.sort_by_key(|(head, _)| match head {
            Head::Con(_, con) => i64::from(*con),
            Head::Int(n) => *n,
            Head::Len(n) => i64::from(*n),
            Head::Str(_) | Head::Exn(_) => 0,
        });
        let complete = self.signature(buckets[0].0, occ) == Some(buckets.len());
        let heads: Rc<[Head<'p>]> = buckets.iter().map(|bucket| bucket.0).collect();
        let mut arms = Vec::with_capacity(buckets.len());
        for (head, rows) in buckets {
            path.push((occ, Decision::Is(head)));
            arms.push((head, self.build(rows, path)));
            path.pop();
        }
        let default = (!complete).then(|| {
            path.push((occ, Decision::Not(heads)));
            let tree = self.build(default, path);
            path.pop();
            Box::new(tree)
        });
        Tree::Switch { occ, arms, default }
    }

    fn choose(&mut self, rows: &[Row<'p>]) -> Occ {
        if rows.len() == 1 || rows[0].tests.len() == 1 {
            return rows[0].tests[0].0;
        }
        self.counts.resize(self.occs.len(), (0, 0));
        for (i, row) in rows.iter().enumerate() {
            for (occ, _) in &row.tests {
                let count = &mut self.counts[occ.0 as usize];
                count.0 += u32::from(count.0 as usize == i);
                count.1 += 1;
            }
        }
        let mut best = rows[0].tests[0].0;
        for (occ, _) in &rows[0].tests[1..] {
            if self.counts[occ.0 as usize] > self.counts[best.0 as usize] {
                best = *occ;
            }
        }
        for row in rows {
            for (occ, _) in &row.tests {
                self.counts[occ.0 as usize] = (0, 0);
            }
        }
        best
    }

    /// How many heads there are besides this one and with it; nothing when they have no end.
    fn signature(&self, head: Head<'p>, occ: Occ) -> Option<usize> {
        match head {
            Head::Con(name, _) => match &self.ctx.tables.tynames[name].def {
                TyNameDef::Datatype { cons, .. } => Some(cons.len()),
                _ => None,
            },
            Head::Int(_) => values(self.ctx.tables, self.occs[occ.0 as usize].ty),
            Head::Str(_) | Head::Exn(_) | Head::Len(_) => None,
        }
    }

    /// A variable of a pattern that has nearly the name of a constructor of its type.
    fn misspelt(&self, pat: &leat_elab::ir::Pat) -> Option<(leat_base::Span, leat_base::Symbol, leat_base::Symbol)> {
        match &pat.kind {
            leat_elab::ir::PatKind::Var(var) => {
                let name = self.ctx.tables.vars[*var].name;
                let TyData::Con(ty, _) = &self.ctx.tables.types[pat.ty] else { return None };
                let TyNameDef::Datatype { cons, .. } = &self.ctx.tables.tynames[*ty].def else { return None };
                let con = leat_elab::near_name(name.as_str(), cons.iter().map(|con| con.name))?;
                Some((pat.span, name, con))
            }
            leat_elab::ir::PatKind::Con(_, _, _, arg) | leat_elab::ir::PatKind::Exn(_, arg) => {
                self.misspelt(arg.as_deref()?)
            }
            leat_elab::ir::PatKind::Ref(inner) | leat_elab::ir::PatKind::Layered(_, inner) => self.misspelt(inner),
            leat_elab::ir::PatKind::Record(fields) => fields.iter().find_map(|f| self.misspelt(&f.1)),
            leat_elab::ir::PatKind::Vector(parts) => parts.iter().find_map(|part| self.misspelt(part)),
            leat_elab::ir::PatKind::Wild | leat_elab::ir::PatKind::Const(_) => None,
        }
    }

    fn warn(&mut self, exact: bool) {
        let mut misspelt = rustc_hash::FxHashSet::default();
        for (i, (pat, reached)) in self.pats.iter().zip(&self.reached).enumerate() {
            if !reached {
                if let Some((span, name, con)) = self.pats[..i].iter().find_map(|before| self.misspelt(before)) {
                    // One mistake: the other rules that it hides are not spoken of.
                    if misspelt.insert(span) {
                        let message = format!("`{name}` is a variable here, not a constructor: it matches everything");
                        let d = Diagnostic::warning("match/redundant", span, message)
                            .label(pat.span, "so this rule is never reached");
                        self.ctx.diagnostics.push(d.fix(
                            format!("did you mean the constructor `{con}`?"),
                            span,
                            con.as_str(),
                        ));
                    }
                    continue;
                }
                let message = "this rule is never reached: the rules before it match everything that it matches";
                self.ctx.diagnostics.push(Diagnostic::warning("match/redundant", pat.span, message));
            }
        }
        if !exact || self.missing.is_empty() {
            return;
        }
        let (code, message) = match self.fail {
            Fail::Match => ("match/nonexhaustive", "match not exhaustive: no rule for"),
            Fail::Bind => ("bind/nonexhaustive", "binding not exhaustive: no match for"),
            Fail::Reraise(_) => return,
        };
        let shown: Vec<String> = self.missing.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
        let others = if self.missing.len() > SHOWN { " and others" } else { "" };
        let message = format!("{message} {}{others}", shown.join(", "));
        self.ctx.diagnostics.push(Diagnostic::warning(code, self.span, message));
    }

    // -- the expression

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

/// How many values a type of integers has, if that is not too many to be listed.
pub(crate) fn values(tables: &Tables, ty: Ty) -> Option<usize> {
    let TyData::Con(name, _) = tables.types[ty] else { return None };
    match tables.tynames[name].def {
        TyNameDef::Prim(PrimTy::Char | PrimTy::Word8 | PrimTy::Int8) => Some(1 << 8),
        TyNameDef::Prim(PrimTy::Word16 | PrimTy::Int16) => Some(1 << 16),
        // Of 5 bits, say: a type that the library makes.
        TyNameDef::Abstract { .. } => {
            let sized = tables.modules.overloaded.iter().find(|o| o.name == name)?;
            sized.size.map(|(_, bits)| 1 << bits)
        }
        _ => None,
    }
}

fn head(pat: &Pat) -> Head<'_> {
    match &pat.kind {
        PatKind::Con(name, con, _, _) => Head::Con(*name, *con),
        PatKind::Exn(exn, _) => Head::Exn(*exn),
        PatKind::Vector(elems) => Head::Len(elems.len() as u32),
        PatKind::Const(Const::String(text)) => Head::Str(text),
        PatKind::Const(Const::Int(n)) => Head::Int(*n),
        // The elaborator has reported it: a real is no pattern.
        PatKind::Const(Const::Real(bits)) => Head::Int(*bits as i64),
        _ => unreachable!("not a test"),
    }
}

/// Does the last row match everything, so that later rows never matter?
fn is_settled(rows: &[Row<'_>]) -> bool {
    rows.last().is_some_and(|row| row.tests.is_empty())
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
