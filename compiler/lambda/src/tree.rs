//! The patterns of a match -> decision trees of one-level tests, and what is to be said of them: patterns that no rule
//! matches, rules that are never reached.
//!
//! After Maranget, Compiling Pattern Matching to Good Decision Trees, ML 2008, with the rows kept as lists of tests as
//! in Jacobs, How to Compile Pattern Matching, 2021. Keeps: the first rule that matches is taken; nothing is tested
//! twice.
//!
//! # Differences
//!
//! - The occurrence to test is one of the first row's: the one that the longest run of first rows tests, then the one
//!   that most rows test, then the leftmost (Maranget's p, then d).
//! - A matrix whose tree would be large is cut in two halves, the second behind a local function, until each is small:
//!   so the code is linear in the patterns. Then exhaustiveness is not judged.

use crate::ctx::position;
use crate::ir::*;
use crate::missing;
use crate::occurrence::{Decision, Head, Numbers, Occ, OccInfo, Parts, ROOT, Step, numbers};
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};
use leat_elab::Tables;
use leat_elab::builtin::tyname;
use leat_elab::ir::{Pat, PatKind, TyData, TyNameDef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What is said of values that no rule matches.
#[derive(Clone, Copy)]
pub(crate) struct Unmatched {
    code: &'static str,
    message: &'static str,
}

/// Of a `fn` or a `case`, which raises `Match`.
pub(crate) const MATCH: Unmatched =
    Unmatched { code: "match/nonexhaustive", message: "match not exhaustive: no rule for" };
/// Of a `val`, which raises `Bind`.
pub(crate) const BIND: Unmatched =
    Unmatched { code: "bind/nonexhaustive", message: "binding not exhaustive: no match for" };

#[derive(Clone)]
struct Row<'p> {
    /// Patterns that can fail, left to right.
    tests: Vec<(Occ, &'p Pat)>,
    binds: Vec<(Var, Occ)>,
    rule: usize,
}

pub(crate) enum Tree<'p> {
    Fail,
    Leaf { rule: usize, binds: Vec<(Var, Occ)> },
    Switch { occ: Occ, arms: Vec<(Head<'p>, Tree<'p>)>, default: Option<Box<Tree<'p>>> },
}

/// The trees of a match, to be tried one after the other, and the places that they look at.
pub(crate) struct Trees<'p> {
    pub trees: Vec<Tree<'p>>,
    pub occs: Vec<OccInfo>,
    pub parts: Parts,
}

/// Rules that are being taken apart.
struct Matrix<'t, 'p> {
    tables: &'t Tables,
    pats: &'t [&'p Pat],
    occs: Vec<OccInfo>,
    parts: Parts,
    reached: Vec<bool>,
    /// Patterns without a rule, as text: the first few of each of the first few failures.
    missing: Vec<Vec<String>>,
    /// Likewise of failures at an `IntInf.int` that is no `int`, whose constructors programs do not see: beside each
    /// there is one at a small number, unless it is the library that matches, by the constructors.
    large: Vec<Vec<String>>,
    /// Tests copied so far; the limit of this attempt.
    work: usize,
    limit: usize,
    /// Scratch, by occurrence: (rows of the leading run that test it, rows that test it).
    counts: Vec<(u32, u32)>,
}

/// A missing pattern beyond these is only counted.
const SHOWN: usize = 3;

/// The trees for the patterns of rules, of a value of this type. `unmatched` is what to say, at the place `span`, if
/// there are values that no rule matches; nothing of a handler, which raises them again.
pub(crate) fn trees<'p>(
    tables: &Tables,
    pats: &[&'p Pat],
    ty: Ty,
    unmatched: Option<Unmatched>,
    span: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Trees<'p> {
    let mut matrix = Matrix::new(tables, pats, ty);
    let rows: Vec<Row<'p>> = (0..pats.len()).map(|rule| matrix.row(rule)).collect();
    let tests: usize = rows.iter().map(|row| 1 + row.tests.len()).sum();
    matrix.limit = 50_000 + 64 * tests;
    let mut trees = Vec::new();
    matrix.build_within_limit(rows, &mut trees);
    matrix.warn_unreached(diagnostics);
    if let Some(unmatched) = unmatched
        && trees.len() == 1
    {
        matrix.warn_unmatched(unmatched, span, diagnostics);
    }
    Trees { trees, occs: matrix.occs, parts: matrix.parts }
}

impl<'t, 'p> Matrix<'t, 'p> {
    fn new(tables: &'t Tables, pats: &'t [&'p Pat], ty: Ty) -> Matrix<'t, 'p> {
        Matrix {
            tables,
            pats,
            occs: vec![OccInfo { parent: None, ty, name: sym::EMPTY }],
            parts: FxHashMap::default(),
            reached: vec![false; pats.len()],
            missing: Vec::new(),
            large: Vec::new(),
            work: 0,
            limit: 0,
            counts: Vec::new(),
        }
    }

    // -- rows

    fn row(&mut self, rule: usize) -> Row<'p> {
        let mut row = Row { tests: Vec::new(), binds: Vec::new(), rule };
        let pat = self.pats[rule];
        self.push_pat(&mut row, pat, ROOT);
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
                        let index = position(self.tables, pat.ty, *label, i) as u32;
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
            self.occs[occ.0 as usize].name = self.tables.vars[var].name;
        }
    }

    fn part(&mut self, occ: Occ, step: Step, ty: Ty) -> Occ {
        *self.parts.entry((occ, step)).or_insert_with(|| {
            self.occs.push(OccInfo { parent: Some((occ, step)), ty, name: sym::EMPTY });
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
            let is_large = path.iter().any(|(_, decision)| is_large_number(decision));
            if (if is_large { &self.large } else { &self.missing }).len() <= SHOWN {
                let texts = self.described(path);
                if is_large { &mut self.large } else { &mut self.missing }.push(texts);
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
            // The caller throws such a tree away. What one test copies may be the square of the rows.
            if self.work > self.limit {
                return Tree::Fail;
            }
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

    /// The patterns that take this path to a failure: the first few, since where several constructors have no rule one
    /// default branch fails for all of them.
    fn described(&self, path: &[(Occ, Decision<'p>)]) -> Vec<String> {
        let mut path = path.to_vec();
        let open: Vec<(usize, Vec<Head<'p>>)> =
            path.iter().enumerate().filter_map(|(at, (_, decision))| Some((at, self.absent(decision)?))).collect();
        let mut choice = vec![0; open.len()];
        let mut texts = Vec::new();
        loop {
            for ((at, absent), &chosen) in open.iter().zip(&choice) {
                path[*at].1 = Decision::Is(absent[chosen]);
            }
            let text = missing::describe(self.tables, &self.occs, &self.parts, &path);
            // Of a large pattern not all is written.
            if texts.contains(&text) {
                return texts;
            }
            texts.push(text);
            let next = (0..open.len()).rev().find(|&at| choice[at] + 1 < open[at].1.len());
            let Some(next) = next.filter(|_| texts.len() <= SHOWN) else { return texts };
            choice[next] += 1;
            choice[next + 1..].fill(0);
        }
    }

    /// The first few constructors that a default branch stands for.
    fn absent(&self, decision: &Decision<'p>) -> Option<Vec<Head<'p>>> {
        let Decision::Not(heads) = decision else { return None };
        let Head::Con(name, _) = heads[0] else { return None };
        // Whatever is missing, a small number is.
        if name == tyname::INTINF && !is_large_number(decision) {
            return None;
        }
        let TyNameDef::Datatype { cons, .. } = &self.tables.tynames[name].def else { return None };
        // They are sorted.
        let mut known = heads.iter().peekable();
        let is_absent = |con: &Head<'p>| known.next_if_eq(&con).is_none();
        let all = (0..cons.len() as u32).map(|con| Head::Con(name, con));
        Some(all.filter(is_absent).take(SHOWN + 1).collect()).filter(|absent: &Vec<_>| !absent.is_empty())
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
            Head::Con(name, _) => match &self.tables.tynames[name].def {
                TyNameDef::Datatype { cons, .. } => Some(cons.len()),
                _ => None,
            },
            Head::Int(_) => values(self.tables, self.occs[occ.0 as usize].ty),
            Head::Str(_) | Head::Exn(_) | Head::Len(_) => None,
        }
    }

    /// A variable of a pattern that has nearly the name of a constructor of its type.
    fn misspelt(&self, pat: &Pat) -> Option<Suspect> {
        match &pat.kind {
            PatKind::Var(var) => {
                let name = self.tables.vars[*var].name;
                let TyData::Con(ty, _) = &self.tables.types[pat.ty] else { return None };
                let TyNameDef::Datatype { cons, .. } = &self.tables.tynames[*ty].def else { return None };
                // The library's own.
                if *ty == tyname::INTINF {
                    return None;
                }
                let con = leat_elab::near_name(name.as_str(), cons.iter().map(|con| con.name))?;
                Some((pat.span, name, con))
            }
            PatKind::Con(_, _, _, arg) | PatKind::Exn(_, arg) => self.misspelt(arg.as_deref()?),
            PatKind::Ref(inner) | PatKind::Layered(_, inner) => self.misspelt(inner),
            PatKind::Record(fields) => fields.iter().find_map(|f| self.misspelt(&f.1)),
            PatKind::Vector(parts) => parts.iter().find_map(|part| self.misspelt(part)),
            PatKind::Wild | PatKind::Const(_) => None,
        }
    }

    /// The variable to blame for a rule that is never reached: of a rule before it that matches all that it matches,
    /// where no rule does that has no such variable.
    fn blamed(&self, rule: usize, suspects: &[Option<Suspect>]) -> Option<Suspect> {
        let before = || self.pats[..rule].iter().zip(suspects);
        let pat = self.pats[rule];
        let suspect = before().find_map(|(other, suspect)| suspect.filter(|_| covers(other, Some(pat))))?;
        let is_alone = !before().any(|(other, suspect)| suspect.is_none() && covers(other, Some(pat)));
        is_alone.then_some(suspect)
    }

    fn warn_unreached(&self, diagnostics: &mut Vec<Diagnostic>) {
        if self.reached.iter().all(|&reached| reached) {
            return;
        }
        let suspects: Vec<Option<Suspect>> = self.pats.iter().map(|pat| self.misspelt(pat)).collect();
        let mut misspelt = FxHashSet::default();
        for (i, (pat, reached)) in self.pats.iter().zip(&self.reached).enumerate() {
            if !reached {
                if let Some((span, name, con)) = self.blamed(i, &suspects) {
                    // One mistake: the other rules that it hides are not spoken of.
                    if misspelt.insert(span) {
                        let message = format!("`{name}` is a variable here, not a constructor: it matches everything");
                        let d = Diagnostic::warning("match/redundant", span, message)
                            .label(pat.span, "so this rule is never reached");
                        diagnostics.push(d.fix(format!("did you mean the constructor `{con}`?"), span, con.as_str()));
                    }
                    continue;
                }
                let message = "this rule is never reached: the rules before it match everything that it matches";
                diagnostics.push(Diagnostic::warning("match/redundant", pat.span, message));
            }
        }
    }

    fn warn_unmatched(&self, unmatched: Unmatched, span: Span, diagnostics: &mut Vec<Diagnostic>) {
        let missing = if self.missing.is_empty() { &self.large } else { &self.missing };
        if missing.is_empty() {
            return;
        }
        let Unmatched { code, message } = unmatched;
        // One pattern of each failure, and then more of the first ones.
        let count: usize = missing.iter().map(Vec::len).sum();
        let mut more = SHOWN.saturating_sub(missing.len());
        let mut shown = Vec::new();
        for texts in missing.iter().take(SHOWN) {
            let own = texts.len().min(1 + more);
            more -= own - 1;
            shown.extend(texts[..own].iter().map(|text| format!("`{text}`")));
        }
        let others = if count > shown.len() { " and others" } else { "" };
        let message = format!("{message} {}{others}", shown.join(", "));
        diagnostics.push(Diagnostic::warning(code, span, message));
    }
}

/// Does it leave an `IntInf.int` to the constructors of those that are no `int`? Constructor 0 is of the small ones.
fn is_large_number(decision: &Decision<'_>) -> bool {
    match decision {
        Decision::Is(Head::Con(tyname::INTINF, con)) => *con > 0,
        Decision::Not(heads) => heads[0] == Head::Con(tyname::INTINF, 0),
        Decision::Is(_) => false,
    }
}

/// How many values a type of integers has, if that is not too many to be listed.
pub(crate) fn values(tables: &Tables, ty: Ty) -> Option<usize> {
    match numbers(tables, ty)? {
        Numbers::Char => Some(1 << 8),
        Numbers::Int(bits) | Numbers::Word(bits) => (bits < 32).then(|| 1 << bits),
    }
}

/// A variable that may have been meant as a constructor, and that constructor.
type Suspect = (Span, Symbol, Symbol);

/// Does the first pattern match every value that the second one, or where there is none anything, matches? What only
/// the number of a type's constructors tells is not seen.
fn covers(before: &Pat, pat: Option<&Pat>) -> bool {
    let pat = pat.filter(|pat| !matches!(pat.kind, PatKind::Wild | PatKind::Var(_)));
    let args = |before: &Option<Box<Pat>>, arg: &Option<Box<Pat>>| {
        before.as_deref().is_none_or(|before| covers(before, arg.as_deref()))
    };
    match (&before.kind, pat.map(|pat| &pat.kind)) {
        (PatKind::Wild | PatKind::Var(_), _) => true,
        (PatKind::Layered(_, inner), _) => covers(inner, pat),
        (_, Some(PatKind::Layered(_, inner))) => covers(before, Some(inner)),
        (PatKind::Record(fields), Some(PatKind::Record(others))) => fields
            .iter()
            .all(|(label, field)| covers(field, others.iter().find(|other| other.0 == *label).map(|other| &other.1))),
        (PatKind::Record(fields), _) => fields.iter().all(|field| covers(&field.1, None)),
        (PatKind::Ref(inner), Some(PatKind::Ref(other))) => covers(inner, Some(other)),
        (PatKind::Ref(inner), _) => covers(inner, None),
        (PatKind::Const(known), Some(PatKind::Const(other))) => known == other,
        (PatKind::Con(_, con, _, before), Some(PatKind::Con(_, other, _, arg))) => con == other && args(before, arg),
        (PatKind::Exn(exn, before), Some(PatKind::Exn(other, arg))) => exn == other && args(before, arg),
        (PatKind::Vector(parts), Some(PatKind::Vector(others))) => {
            parts.len() == others.len() && parts.iter().zip(others).all(|(part, other)| covers(part, Some(other)))
        }
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use leat_elab::builtin::ty;

    /// `(a, c, _)` and then `(_, _, b)`, with other constants in each row: the first column divides the former, and
    /// each part gets all of the latter. The limit was asked between tests alone, when the square of the rows had been
    /// copied.
    #[test]
    fn what_one_test_copies_has_a_limit() {
        let mut tables = Tables::default();
        leat_elab::initial_basis(&mut tables);
        let labels = [1, 2, 3].map(Symbol::tuple_label);
        let triple = tables.intern(TyData::Record(labels.map(|label| (label, ty::STRING)).to_vec()));
        let pat = |kind, ty| Pat { kind, ty, span: Span::NONE };
        let wild = || pat(PatKind::Wild, ty::STRING);
        let text =
            |c: char, i: usize| pat(PatKind::Const(Const::String(format!("{c}{i}").into_bytes().into())), ty::STRING);
        let row = |parts: [Pat; 3]| pat(PatKind::Record(labels.into_iter().zip(parts).collect()), triple);
        let n = 2_000;
        let former = (0..n).map(|i| row([text('a', i), text('c', i), wild()]));
        let latter = (0..n).map(|i| row([wild(), wild(), text('b', i)]));
        let pats: Vec<Pat> = former.chain(latter).collect();
        let pats: Vec<&Pat> = pats.iter().collect();
        let mut matrix = Matrix::new(&tables, &pats, triple);
        let rows = (0..pats.len()).map(|rule| matrix.row(rule)).collect();
        matrix.limit = 100_000;
        matrix.build(rows, &mut Vec::new());
        assert!((100_000..110_000).contains(&matrix.work), "{}", matrix.work);
    }
}
