//! Proofs of differences: facts, and whether `a - b <= c` holds at a point of the function.
//!
//! Demand-driven, after Bodik, Gupta and Sarkar, ABCD: eliminating array bounds checks on demand, PLDI 2000. Changes
//! nothing; [`super::checks`] asks. Here: what is known from where on; [`questions`]: from a question to facts and
//! definitions; [`trips`]: parameters of loops that go through memory, which has an end; [`intervals`]: least and most
//! of all values.
//!
//! Differences:
//! - No renaming at branches: a fact (a guard passed, an edge taken) says where it begins to hold, and serves at all
//!   points that this dominates, or on its edge.
//! - Both sides may be parameters of one block; then they are replaced together.
//! - `a <> b` beside `a <= b` gives `a < b`.
//! - An addition counts as exact where its overflow flag is known to be 0, or where that is proved on the way.
//!
//! Why an induction is sound: a hypothesis is about a parameter as its block was entered, and is used only for an
//! earlier entry of that block, behind an edge; what it is compared with strictly dominates the block, so it is the
//! same then.

mod intervals;
mod questions;
mod trips;

use crate::cfg::{self, Cfg, Def, Dominators};
use crate::ir::*;
use leat_abi::header::MAX_LENGTH;
use leat_abi::prim::Prim;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Steps that one question may take.
pub(super) const FUEL: u32 = 160;
/// Most rounds over a loop for the least and most of its values, as a rule.
pub(super) const ROUNDS: u32 = 40;
/// Deepest chain of reasons.
pub(super) const DEPTH: u32 = 24;
/// Most facts of a value that are looked at, the last ones that were found, and most of these that a question is told.
const FACTS: usize = 400;
const VALID: usize = 24;
/// Most iterations of a loop that counts through memory, and most that an iteration adds to what is bounded by that.
pub(super) const TRIPS: i128 = 1 << 47;
pub(super) const STEP: i128 = 1 << 12;
/// An operand that may be as far as this from 0 says nothing of a sum.
pub(super) const FAR: i128 = 1 << 62;
pub(super) const NONE: u32 = u32::MAX;
pub(super) const END: u32 = u32::MAX;
/// Of values at a loop's header: left - right <= number.
pub type Claim = (Value, Value, i128);
/// Stands for the number 0 in a difference.
pub const ZERO: Value = Value(u32::MAX);
pub(super) const LEAST: i128 = i64::MIN as i128;
pub(super) const MOST: i128 = i64::MAX as i128;

/// Before an instruction of a block, at its end, or on one of its edges. A fact's: from there on, and on that edge.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) block: Block,
    pub(super) at: u32,
    /// Number of the edge, or `NONE`.
    pub(super) edge: u32,
}

#[derive(Clone, Copy)]
pub(super) enum Rel {
    /// left - right <= this
    Le(i128),
    /// left - right <> this
    Ne(i128),
    /// left < right (or <= when true), unsigned
    Unsigned(bool),
}

/// What is known from a point on.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) left: Value,
    pub(super) right: Value,
    pub(super) rel: Rel,
    pub(super) from: Point,
}

pub(super) struct Prover<'a> {
    pub(super) f: &'a Function,
    pub(super) cfg: &'a Cfg,
    pub(super) dom: &'a Dominators,
    pub(super) defs: Vec<Def>,
    pub(super) constants: Vec<Option<i64>>,
    /// Least and most of each value: by its definition alone, and of loops' parameters by [`trips`], until
    /// [`intervals`] has run.
    pub(super) ranges: Vec<(i64, i64)>,
    /// The same of each `Ovf`'s result where it has not overflowed: anything, until [`intervals`] has found it.
    pub(super) exact: Vec<(i64, i64)>,
    pub(super) facts: FxHashMap<Value, SmallVec<[Fact; 4]>>,
    /// Number of each block's first edge.
    pub(super) edges: Vec<u32>,
    /// Lengths of arrays that were made with a known count.
    pub(super) lengths: Vec<(Value, Value)>,
    /// Differences assumed for earlier iterations.
    pub(super) hypotheses: Vec<(Value, Value, i128)>,
    /// Questions under way at a point, since the last step over an edge.
    pub(super) active: Vec<(Value, Value, Point)>,
    pub(super) depth: u32,
    /// A loop's header whose entering edges count as proved, and what is claimed of them.
    pub(super) granted: Option<Block>,
    pub(super) claims: Vec<Claim>,
    pub(super) fuel: u32,
}

/// What `x rem y` may be, for a `y` that is positive: the same for every `x` that is large enough, or a loop that
/// computes `x` of it would grow step by step.
fn remainder((a, _): (i128, i128), (_, d): (i128, i128)) -> (i64, i64) {
    (if a >= 0 { 0 } else { 1 - d as i64 }, d as i64 - 1)
}

impl<'a> Prover<'a> {
    pub(super) fn new(f: &'a Function, cfg: &'a Cfg, dom: &'a Dominators) -> Self {
        let mut edges = Vec::with_capacity(f.blocks.len());
        let mut count = 0;
        for block in &f.blocks {
            edges.push(count);
            block.term.each_target(|_| count += 1);
        }
        Prover {
            f,
            cfg,
            dom,
            defs: cfg::definitions(f, cfg),
            constants: cfg::int_constants(f),
            ranges: vec![(i64::MIN, i64::MAX); f.values.len()],
            exact: vec![(i64::MIN, i64::MAX); f.values.len()],
            facts: FxHashMap::default(),
            edges,
            lengths: Vec::new(),
            hypotheses: Vec::new(),
            active: Vec::new(),
            depth: 0,
            granted: None,
            claims: Vec::new(),
            fuel: 0,
        }
    }

    pub(super) fn op(&self, v: Value) -> Option<(&'a Op, u32)> {
        match self.defs.get(v.0 as usize) {
            Some(&Def::Inst { block, inst, result }) => Some((&self.f[block].insts[inst as usize].op, result)),
            _ => None,
        }
    }

    pub(super) fn constant(&self, v: Value) -> Option<i128> {
        self.constants.get(v.0 as usize).copied().flatten().map(i128::from)
    }

    pub(super) fn range(&self, v: Value) -> (i128, i128) {
        if v == ZERO {
            return (0, 0);
        }
        let (low, high) = self.ranges[v.0 as usize];
        (i128::from(low), i128::from(high))
    }

    // Facts.

    /// Ranges of all values and the facts of all guards and edges.
    pub(super) fn collect(&mut self) {
        for &b in &self.cfg.rpo {
            for (i, inst) in self.f[b].insts.iter().enumerate() {
                if let Some(&v) = inst.results.first()
                    && self.f.ty(v) == Ty::I64
                {
                    self.ranges[v.0 as usize] = self.range_of(&inst.op, &|v| self.range(v));
                }
                let after = Point { block: b, at: i as u32 + 1, edge: NONE };
                match &inst.op {
                    Op::Ovf(..) => self.ranges[inst.results[1].0 as usize] = (0, 1),
                    Op::Guard(c, _) => self.assume(*c, false, after, 0),
                    Op::Call(Callee::Prim(Prim::ArrayNew | Prim::ArrayNewUninit), args) => {
                        self.le(args[0], ZERO, MAX_LENGTH as i128, after);
                        self.le(ZERO, args[0], 0, after);
                    }
                    Op::Length(a) => {
                        if let Some((Op::Call(Callee::Prim(Prim::ArrayNew | Prim::ArrayNewUninit), args), _)) =
                            self.op(*a)
                        {
                            self.lengths.push((inst.results[0], args[0]));
                            self.le(args[0], inst.results[0], 0, after);
                            self.le(inst.results[0], args[0], 0, after);
                        }
                    }
                    _ => {}
                }
            }
            let mut k = self.edges[b.0 as usize];
            // On the edge, and in its target when nothing else comes there.
            let place = |p: &Self, t: &Target, edge: u32| match p.cfg.preds(t.block) {
                [_] => Point { block: t.block, at: 0, edge },
                _ => Point { block: Block(NONE), at: 0, edge },
            };
            match &self.f[b].term {
                Term::Branch(c, yes, no) => {
                    let (on_yes, on_no) = (place(self, yes, k), place(self, no, k + 1));
                    self.assume(*c, true, on_yes, 0);
                    self.assume(*c, false, on_no, 0);
                }
                Term::Switch(v, cases, default) => {
                    for (n, t) in cases {
                        let on = place(self, t, k);
                        self.le(*v, ZERO, i128::from(*n), on);
                        self.le(ZERO, *v, -i128::from(*n), on);
                        k += 1;
                    }
                    let on = place(self, default, k);
                    for (n, _) in cases.iter().take(8) {
                        self.fact(*v, ZERO, Rel::Ne(i128::from(*n)), on);
                    }
                }
                _ => {}
            }
        }
    }

    /// Of the first result of an operation, by those of its operands.
    pub(super) fn range_of(&self, op: &Op, range: &dyn Fn(Value) -> (i128, i128)) -> (i64, i64) {
        let full = (i64::MIN, i64::MAX);
        // Nothing has come to an operand yet.
        let nothing = (i64::MAX, i64::MIN);
        let fit = |low: i128, high: i128| if low < LEAST || high > MOST { full } else { (low as i64, high as i64) };
        match *op {
            Op::Iconst(n) => (n, n),
            Op::Cmp(..) | Op::FCmp(..) | Op::RefEq(..) | Op::IsImm(_) | Op::Cas { .. } => (0, 1),
            Op::ImmValue(_) => (0, i64::MAX),
            Op::Tag(_) | Op::ElemLoad { elem: Elem::U16, .. } => (0, 0xffff),
            Op::Length(_) => (0, MAX_LENGTH as i64),
            Op::ElemLoad { elem: Elem::U8, .. } => (0, 0xff),
            Op::ElemLoad { elem: Elem::I8, .. } => (-0x80, 0x7f),
            Op::ElemLoad { elem: Elem::I16, .. } => (-0x8000, 0x7fff),
            Op::ElemLoad { elem: Elem::U32, .. } => (0, 0xffff_ffff),
            Op::ElemLoad { elem: Elem::I32, .. } => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Op::Unary(Unary::Zext8, _) => (0, 0xff),
            Op::Unary(Unary::Zext16, _) => (0, 0xffff),
            Op::Unary(Unary::Zext32, _) => (0, 0xffff_ffff),
            Op::Unary(Unary::Sext8, _) => (-0x80, 0x7f),
            Op::Unary(Unary::Sext16, _) => (-0x8000, 0x7fff),
            Op::Unary(Unary::Sext32, _) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Op::Select(c, x, y) => {
                if [x, y].into_iter().map(range).any(|(low, high)| low > high) {
                    return nothing;
                }
                let ((a, b), (c, d)) = (self.chosen(c, true, x, range), self.chosen(c, false, y, range));
                match (a > b, c > d) {
                    (true, true) => nothing,
                    (true, false) => fit(c, d),
                    (false, true) => fit(a, b),
                    (false, false) => fit(a.min(c), b.max(d)),
                }
            }
            Op::Binary(op, x, y) => {
                let ((a, b), (c, d)) = (range(x), range(y));
                if a > b || c > d {
                    return nothing;
                }
                // x - x quot n * n is the remainder.
                if op == Binary::Sub
                    && let Some((&Op::Binary(Binary::Mul, quotient, n), _)) = self.op(y)
                    && let Some((&Op::Binary(op @ (Binary::Div | Binary::SDiv | Binary::NDiv), of, by), _)) =
                        self.op(quotient)
                    && of == x
                    && let Some(n) = self.constant(n)
                    && n > 0
                    && self.constant(by) == Some(n)
                {
                    return if op == Binary::Div { (0, n as i64 - 1) } else { remainder((a, b), (n, n)) };
                }
                match op {
                    Binary::Add => fit(a + c, b + d),
                    Binary::Sub => fit(a - d, b - c),
                    Binary::Mul => {
                        let (low, high) = intervals::exact(Ovf::Mul, (a, b), (c, d));
                        fit(low, high)
                    }
                    Binary::And if a >= 0 && c >= 0 => (0, b.min(d) as i64),
                    Binary::And if a >= 0 => (0, b as i64),
                    Binary::And if c >= 0 => (0, d as i64),
                    Binary::Shr if c == d && c > 0 && c < 64 => (0, (u64::MAX >> c) as i64),
                    Binary::Sar if c == d && (0..64).contains(&c) => ((a >> c) as i64, (b >> c) as i64),
                    Binary::Shl if c == d && (0..63).contains(&c) => fit(a << c, b << c),
                    Binary::URem if c > 0 && a >= 0 => (0, (b.min(d - 1)) as i64),
                    Binary::URem if c >= 0 => (0, (d - 1).max(0) as i64),
                    Binary::UDiv if a >= 0 && c > 0 => (0, b as i64),
                    Binary::Mod if c > 0 => (0, d as i64 - 1),
                    Binary::Mod if d < 0 => (c as i64 + 1, 0),
                    Binary::Div if c > 0 => {
                        let low = if a < 0 { a.div_euclid(c) } else { a / d };
                        (low as i64, if b < 0 { b.div_euclid(d) } else { b / c } as i64)
                    }
                    Binary::SRem | Binary::NRem if c > 0 => remainder((a, b), (c, d)),
                    Binary::SDiv | Binary::NDiv if c > 0 && a >= 0 => (0, (b / c) as i64),
                    _ => full,
                }
            }
            Op::Ovf(op, x, y) => {
                let (low, high) = intervals::exact(op, range(x), range(y));
                fit(low, high)
            }
            _ => full,
        }
    }

    /// The range of a value where a condition has this truth: of what is compared with a number, and that plus a
    /// number.
    fn chosen(&self, c: Value, truth: bool, v: Value, range: &dyn Fn(Value) -> (i128, i128)) -> (i128, i128) {
        let Some((&Op::Cmp(cond, x, n), _)) = self.op(c) else { return range(v) };
        let Some(n) = self.constant(n) else { return range(v) };
        let plus = match self.op(v) {
            _ if v == x => 0,
            Some((&Op::Binary(Binary::Add, y, m), _)) if y == x => match self.constant(m) {
                Some(m) => m,
                None => return range(v),
            },
            _ => return range(v),
        };
        let (mut low, mut high) = range(x);
        match if truth { cond } else { cond.negated() } {
            Cond::Lt => high = high.min(n - 1),
            Cond::Le => high = high.min(n),
            Cond::Gt => low = low.max(n + 1),
            Cond::Ge => low = low.max(n),
            _ => {}
        }
        if low > high {
            (low, high)
        } else if low + plus < LEAST || high + plus > MOST {
            range(v)
        } else {
            (low + plus, high + plus)
        }
    }

    /// Whether a comparison is decided by what its operands may be.
    pub(super) fn decided(&self, c: Cond, x: Value, y: Value, at: Point) -> Option<bool> {
        let (x, y, less) = match c {
            Cond::Lt => (x, y, true),
            Cond::Ge => (x, y, false),
            Cond::Gt => (y, x, true),
            Cond::Le => (y, x, false),
            _ => return None,
        };
        let ((a, b), (c, d)) = (self.range_at(x, at), self.range_at(y, at));
        if a > b || c > d {
            None
        } else if b < c {
            Some(less)
        } else if a >= d {
            Some(!less)
        } else {
            None
        }
    }

    pub(super) fn fact(&mut self, left: Value, right: Value, rel: Rel, from: Point) {
        let fact = Fact { left, right, rel, from };
        for v in [left, right] {
            if v != ZERO {
                self.facts.entry(v).or_default().push(fact);
            }
        }
    }

    /// left - right <= d from a point on; constants become part of the number.
    pub(super) fn le(&mut self, left: Value, right: Value, d: i128, from: Point) {
        let (left, right, d) = self.normal(left, right, d);
        if left != right {
            self.fact(left, right, Rel::Le(d), from);
        }
    }

    pub(super) fn normal(&self, mut left: Value, mut right: Value, mut d: i128) -> (Value, Value, i128) {
        if let Some(n) = self.constant(left) {
            (left, d) = (ZERO, d - n);
        }
        if let Some(n) = self.constant(right) {
            (right, d) = (ZERO, d + n);
        }
        (left, right, d)
    }

    /// The value is not 0 (`truth`), or is 0, from a point on.
    pub(super) fn assume(&mut self, v: Value, truth: bool, from: Point, depth: u32) {
        match self.op(v) {
            Some((&Op::Cmp(c, x, y), _)) => self.compare(if truth { c } else { c.negated() }, x, y, from),
            Some((&Op::Binary(Binary::And, x, y), _)) if truth && depth < 4 => {
                self.assume(x, true, from, depth + 1);
                self.assume(y, true, from, depth + 1);
            }
            Some((&Op::Binary(Binary::Or, x, y), _)) if !truth && depth < 4 => {
                self.assume(x, false, from, depth + 1);
                self.assume(y, false, from, depth + 1);
            }
            _ if truth => self.fact(v, ZERO, Rel::Ne(0), from),
            _ => {
                self.le(v, ZERO, 0, from);
                self.le(ZERO, v, 0, from);
            }
        }
    }

    pub(super) fn compare(&mut self, c: Cond, x: Value, y: Value, from: Point) {
        match c {
            Cond::Lt => self.le(x, y, -1, from),
            Cond::Le => self.le(x, y, 0, from),
            Cond::Gt => self.le(y, x, -1, from),
            Cond::Ge => self.le(y, x, 0, from),
            Cond::Eq => {
                self.le(x, y, 0, from);
                self.le(y, x, 0, from);
            }
            Cond::Ne => {
                let (x, y, d) = self.normal(x, y, 0);
                self.fact(x, y, Rel::Ne(d), from);
            }
            Cond::ULt | Cond::ULe => {
                let equal = c == Cond::ULe;
                // Below something that is not negative.
                if self.range(y).0 >= 0 {
                    self.le(x, y, if equal { 0 } else { -1 }, from);
                    self.le(ZERO, x, 0, from);
                } else if self.constant(y).is_none() && self.constant(x).is_none() {
                    self.fact(x, y, Rel::Unsigned(equal), from);
                }
            }
            Cond::UGt => self.compare(Cond::ULt, y, x, from),
            Cond::UGe => self.compare(Cond::ULe, y, x, from),
        }
    }

    pub(super) fn valid(&self, fact: &Fact, at: Point) -> bool {
        let Point { block, at: from, edge } = fact.from;
        if edge != NONE && edge == at.edge {
            true
        } else if block == at.block {
            from <= at.at
        } else {
            block.0 != NONE && self.dom.dominates(block, at.block)
        }
    }

    /// The facts about a value that hold at a point, as many as [`FACTS`] and [`VALID`] allow.
    pub(super) fn facts_at(&self, v: Value, at: Point) -> SmallVec<[Fact; 8]> {
        self.each_fact(v, at).copied().collect()
    }

    pub(super) fn each_fact(&self, v: Value, at: Point) -> impl Iterator<Item = &Fact> {
        let all = self.facts.get(&v).map_or(&[][..], |all| all);
        all.iter().rev().take(FACTS).filter(move |f| self.valid(f, at)).take(VALID)
    }
}
