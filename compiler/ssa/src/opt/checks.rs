//! Checks: bounds and overflow guards that never raise go; one iteration is peeled where that makes it provable.
//!
//! Ssa -> Ssa. A demand-driven prover of differences `a - b <= c` at a point of the function, after Bodik, Gupta and
//! Sarkar, ABCD: eliminating array bounds checks on demand, PLDI 2000. Keeps: what every run does; only guards and
//! branches that always go one way disappear.
//!
//! | shape | what is proved |
//! |---|---|
//! | `i` from 0 up, `i < len` or `i <> len` | bounds; `i + 1` |
//! | `n` from `len - 1` down to 0, exclusive or inclusive | bounds; `n - 1`; from the second iteration on, so one is peeled |
//! | `l + 1` at most once an iteration, beside a counter or a walk down a list | `l + 1`: as many iterations as memory has words |
//! | `i` from `start` to `start + len` behind a check `len <= size - start` | bounds |
//! | `n` from anything down to 0, `i` from anything up while `i <> n`, in a tight loop | `n - 1`, `i + 1` in one of two copies, entered by what its first values are |
//! | `(lo + hi) div 2` | between both |
//! | the same check again, or a weaker one | the second |
//!
//! Differences:
//! - No renaming at branches: a fact (a guard passed, an edge taken) says where it begins to hold, and serves at all
//!   points that this dominates, or on its edge.
//! - Both sides may be parameters of one block; then they are replaced together.
//! - `a <> b` beside `a <= b` gives `a < b`.
//! - An addition counts as exact where its overflow flag is known to be 0, or where that is proved on the way.
//!
//! Why an induction is sound: a hypothesis is about a parameter as its block was entered, and is used only for an earlier
//! entry of that block, behind an edge; what it is compared with strictly dominates the block, so it is the same then.

use crate::cfg::{self, Cfg, Def, Dominators, Loop, Loops};
use crate::ir::*;
use crate::opt::{gvn, peel, rotate, simplify};
use leat_abi::header::MAX_LENGTH;
use leat_abi::prim::Prim;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Steps that one question may take.
const FUEL: u32 = 160;
/// Deepest chain of reasons.
const DEPTH: u32 = 24;
/// Most iterations of a loop that counts through memory, and most that an iteration adds to what is bounded by that.
const TRIPS: i128 = 1 << 47;
const STEP: i128 = 1 << 12;
/// Most tests before a loop that make its guards needless.
const MAX_CLAIMS: usize = 2;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    let Program { funcs, datas, .. } = p;
    for f in funcs {
        function(f, datas);
    }
}

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    let found = round(f, true);
    if !found.peel.is_empty() || !found.version.is_empty() {
        if !found.peel.is_empty() {
            peel::peel(f, &found.peel);
        }
        if !found.version.is_empty() {
            peel::version(f, &found.version);
        }
        simplify::function(f, datas);
        gvn::function(f);
        round(f, false);
        simplify::function(f, datas);
    } else if found.changed {
        simplify::function(f, datas);
    }
}

#[derive(Default)]
struct Found {
    changed: bool,
    /// Loops of which one iteration is to be peeled.
    peel: Vec<Loop>,
    /// Loops that are to be entered only behind a test of what makes their guards needless, beside a copy for the rest.
    version: Vec<(Loop, Vec<Claim>)>,
}

/// Whether the function has anything to prove.
fn has_checks(f: &Function) -> bool {
    f.blocks.iter().any(|b| b.insts.iter().any(|i| matches!(i.op, Op::Guard(..) | Op::Ovf(..))))
}

fn round(f: &mut Function, may_peel: bool) -> Found {
    let mut found = Found::default();
    if !has_checks(f) {
        return found;
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let mut p = Prover::new(f, &cfg, &dom);
    p.collect();
    let loops = if rotate::has_back_edge(f) { Loops::new(f, &cfg, &dom).loops } else { Vec::new() };
    p.trips(&loops);
    let mut innermost: Vec<u32> = vec![NONE; f.blocks.len()];
    for (i, l) in loops.iter().enumerate() {
        let inner = loops.iter().any(|m| m.parent == Some(i));
        if !inner && may_peel && peel::small(f, l) {
            l.blocks.iter().for_each(|b| innermost[b.0 as usize] = i as u32);
        }
    }
    let mut gone: Vec<(Block, u32)> = Vec::new();
    let mut decided: Vec<(Block, bool)> = Vec::new();
    let mut peel: Vec<u32> = Vec::new();
    let mut versions: FxHashMap<u32, Vec<Claim>> = FxHashMap::default();
    for &b in &cfg.rpo {
        for (i, inst) in f[b].insts.iter().enumerate() {
            let Op::Guard(c, _) = inst.op else { continue };
            let at = Point { block: b, at: i as u32, edge: NONE };
            if p.ask(|p| p.never(c, at)) {
                gone.push((b, i as u32));
                continue;
            }
            let l = innermost[b.0 as usize];
            if l == NONE || peel.contains(&l) {
                continue;
            }
            p.granted = Some(loops[l as usize].header);
            let proved = p.ask(|p| p.never(c, at));
            p.granted = None;
            // What one iteration says of its bounds helps the next; what it says of overflow does not.
            if proved && matches!(p.op(c), Some((Op::Cmp(..), _))) {
                peel.push(l);
            } else if proved && peel::tight(f, &loops[l as usize]) {
                let claims = versions.entry(l).or_default();
                for &(a, b, c) in &p.claims {
                    match claims.iter_mut().find(|old| (old.0, old.1) == (a, b)) {
                        Some(old) => old.2 = old.2.min(c),
                        None => claims.push((a, b, c)),
                    }
                }
            }
        }
        if let Term::Branch(c, ..) = f[b].term {
            let at = Point { block: b, at: END, edge: NONE };
            if p.ask(|p| p.never(c, at)) {
                decided.push((b, false));
            } else if p.ask(|p| p.always(c, at)) {
                decided.push((b, true));
            }
        }
    }
    let lengths = std::mem::take(&mut p.lengths);
    found.changed = !gone.is_empty() || !decided.is_empty() || !lengths.is_empty();
    versions.retain(|l, claims| !peel.contains(l) && claims.len() <= MAX_CLAIMS && claims.iter().all(|c| p.testable(&loops[*l as usize], c)));
    let mut versions: Vec<(u32, Vec<Claim>)> = versions.into_iter().collect();
    versions.sort_unstable_by_key(|v| v.0);
    found.version = versions.into_iter().map(|(l, claims)| (loops[l as usize].clone(), claims)).collect();
    found.peel = peel.into_iter().map(|l| loops[l as usize].clone()).collect();
    for &(b, i) in gone.iter().rev() {
        f[b].insts.remove(i as usize);
    }
    for (b, way) in decided {
        if let Term::Branch(_, yes, no) = &f[b].term {
            f[b].term = Term::Jump(if way { yes.clone() } else { no.clone() });
        }
    }
    if !lengths.is_empty() {
        let mut subst: Vec<Value> = (0..f.values.len() as u32).map(Value).collect();
        lengths.into_iter().for_each(|(v, n)| subst[v.0 as usize] = n);
        simplify::substitute(f, &mut subst);
    }
    found
}

/// An operand that may be as far as this from 0 says nothing of a sum.
const FAR: i128 = 1 << 62;
const NONE: u32 = u32::MAX;
const END: u32 = u32::MAX;
/// Of values at a loop's header: left - right <= number.
pub type Claim = (Value, Value, i128);
/// Stands for the number 0 in a difference.
pub const ZERO: Value = Value(u32::MAX);
const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = i64::MAX as i128;

/// Before an instruction of a block, at its end, or on one of its edges. A fact's: from there on, and on that edge.
#[derive(Clone, Copy, PartialEq)]
struct Point {
    block: Block,
    at: u32,
    /// Number of the edge, or `NONE`.
    edge: u32,
}

#[derive(Clone, Copy)]
enum Rel {
    /// left - right <= this
    Le(i128),
    /// left - right <> this
    Ne(i128),
    /// left < right (or <= when true), unsigned
    Unsigned(bool),
}

/// What is known from a point on.
#[derive(Clone, Copy)]
struct Fact {
    left: Value,
    right: Value,
    rel: Rel,
    from: Point,
}

struct Prover<'a> {
    f: &'a Function,
    cfg: &'a Cfg,
    dom: &'a Dominators,
    defs: Vec<Def>,
    constants: Vec<Option<i64>>,
    /// Least and most of each value by its definition alone.
    ranges: Vec<(i64, i64)>,
    facts: FxHashMap<Value, SmallVec<[Fact; 4]>>,
    /// Number of each block's first edge.
    edges: Vec<u32>,
    /// Lengths of arrays that were made with a known count.
    lengths: Vec<(Value, Value)>,
    /// Differences assumed for earlier iterations.
    hypotheses: Vec<(Value, Value, i128)>,
    /// Questions under way at a point, since the last step over an edge.
    active: Vec<(Value, Value, Point)>,
    depth: u32,
    /// A loop's header whose entering edges count as proved, and what is claimed of them.
    granted: Option<Block>,
    claims: Vec<Claim>,
    fuel: u32,
}

impl<'a> Prover<'a> {
    fn new(f: &'a Function, cfg: &'a Cfg, dom: &'a Dominators) -> Self {
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

    fn op(&self, v: Value) -> Option<(&'a Op, u32)> {
        match self.defs.get(v.0 as usize) {
            Some(&Def::Inst { block, inst, result }) => Some((&self.f[block].insts[inst as usize].op, result)),
            _ => None,
        }
    }

    fn constant(&self, v: Value) -> Option<i128> {
        self.constants.get(v.0 as usize).copied().flatten().map(i128::from)
    }

    fn range(&self, v: Value) -> (i128, i128) {
        if v == ZERO {
            return (0, 0);
        }
        let (low, high) = self.ranges[v.0 as usize];
        (i128::from(low), i128::from(high))
    }

    // Facts.

    /// Ranges of all values and the facts of all guards and edges.
    fn collect(&mut self) {
        for &b in &self.cfg.rpo {
            for (i, inst) in self.f[b].insts.iter().enumerate() {
                if let Some(&v) = inst.results.first()
                    && self.f.ty(v) == Ty::I64
                {
                    self.ranges[v.0 as usize] = self.range_of(&inst.op);
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
                        if let Some((Op::Call(Callee::Prim(Prim::ArrayNew | Prim::ArrayNewUninit), args), _)) = self.op(*a) {
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

    fn range_of(&self, op: &Op) -> (i64, i64) {
        let full = (i64::MIN, i64::MAX);
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
            Op::Select(_, a, b) => {
                let ((a, b), (c, d)) = (self.ranges[a.0 as usize], self.ranges[b.0 as usize]);
                (a.min(c), b.max(d))
            }
            Op::Binary(op, x, y) => {
                let ((a, b), (c, d)) = (self.range(x), self.range(y));
                match op {
                    Binary::Add => fit(a + c, b + d),
                    Binary::Sub => fit(a - d, b - c),
                    Binary::And if a >= 0 && c >= 0 => (0, b.min(d) as i64),
                    Binary::And if a >= 0 => (0, b as i64),
                    Binary::And if c >= 0 => (0, d as i64),
                    Binary::Shr if c == d && c > 0 && c < 64 => (0, (u64::MAX >> c) as i64),
                    Binary::Sar if c == d && (0..64).contains(&c) => ((a >> c) as i64, (b >> c) as i64),
                    Binary::Shl if c == d && (0..63).contains(&c) => fit(a << c, b << c),
                    Binary::URem if c > 0 && a >= 0 => (0, (b.min(d - 1)) as i64),
                    Binary::URem if c >= 0 => (0, (d - 1).max(0) as i64),
                    Binary::UDiv if a >= 0 && c > 0 => (0, b as i64),
                    Binary::SRem if c > 0 => (if a >= 0 { 0 } else { 1 - d as i64 }, d as i64 - 1),
                    Binary::SDiv if c > 0 && a >= 0 => (0, b as i64),
                    _ => full,
                }
            }
            Op::Ovf(op, x, y) => {
                let ((a, b), (c, d)) = (self.range(x), self.range(y));
                match op {
                    Ovf::Add => fit(a + c, b + d),
                    Ovf::Sub => fit(a - d, b - c),
                    Ovf::Mul => full,
                }
            }
            _ => full,
        }
    }

    fn fact(&mut self, left: Value, right: Value, rel: Rel, from: Point) {
        let fact = Fact { left, right, rel, from };
        for v in [left, right] {
            if v != ZERO {
                self.facts.entry(v).or_default().push(fact);
            }
        }
    }

    /// left - right <= d from a point on; constants become part of the number.
    fn le(&mut self, left: Value, right: Value, d: i128, from: Point) {
        let (left, right, d) = self.normal(left, right, d);
        if left != right {
            self.fact(left, right, Rel::Le(d), from);
        }
    }

    fn normal(&self, mut left: Value, mut right: Value, mut d: i128) -> (Value, Value, i128) {
        if let Some(n) = self.constant(left) {
            (left, d) = (ZERO, d - n);
        }
        if let Some(n) = self.constant(right) {
            (right, d) = (ZERO, d + n);
        }
        (left, right, d)
    }

    /// The value is not 0 (`truth`), or is 0, from a point on.
    fn assume(&mut self, v: Value, truth: bool, from: Point, depth: u32) {
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

    fn compare(&mut self, c: Cond, x: Value, y: Value, from: Point) {
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

    fn valid(&self, fact: &Fact, at: Point) -> bool {
        let Point { block, at: from, edge } = fact.from;
        if edge != NONE && edge == at.edge {
            true
        } else if block == at.block {
            from <= at.at
        } else {
            block.0 != NONE && self.dom.dominates(block, at.block)
        }
    }

    /// The facts about a value that hold at a point, at most 24.
    fn facts_at(&self, v: Value, at: Point) -> SmallVec<[Fact; 8]> {
        match self.facts.get(&v) {
            Some(all) => all.iter().rev().filter(|f| self.valid(f, at)).take(24).copied().collect(),
            None => SmallVec::new(),
        }
    }

    // Questions.

    fn ask(&mut self, question: impl FnOnce(&mut Self) -> bool) -> bool {
        self.fuel = FUEL;
        self.hypotheses.clear();
        self.active.clear();
        self.claims.clear();
        self.depth = 0;
        question(self)
    }

    /// Whether the condition is always 0 here.
    fn never(&mut self, c: Value, at: Point) -> bool {
        match self.op(c) {
            Some((&Op::Cmp(cond, x, y), _)) => self.holds(cond.negated(), x, y, at),
            Some((&Op::Ovf(op, x, y), 1)) => self.fits(op, x, y, at),
            Some((&Op::Binary(Binary::And, x, y), _)) => self.never(x, at) || self.never(y, at),
            Some((&Op::Binary(Binary::Or, x, y), _)) => self.never(x, at) && self.never(y, at),
            _ => false,
        }
    }

    /// Whether the condition is never 0 here.
    fn always(&mut self, c: Value, at: Point) -> bool {
        match self.op(c) {
            Some((&Op::Cmp(cond, x, y), _)) => self.holds(cond, x, y, at),
            Some((&Op::Binary(Binary::Or, x, y), _)) => self.always(x, at) || self.always(y, at),
            _ => false,
        }
    }

    fn holds(&mut self, c: Cond, x: Value, y: Value, at: Point) -> bool {
        match c {
            Cond::Lt => self.prove(x, y, -1, at),
            Cond::Le => self.prove(x, y, 0, at),
            Cond::Gt => self.prove(y, x, -1, at),
            Cond::Ge => self.prove(y, x, 0, at),
            Cond::Eq => self.prove(x, y, 0, at) && self.prove(y, x, 0, at),
            Cond::Ne => self.differ(x, y, at) || self.prove(x, y, -1, at) || self.prove(y, x, -1, at),
            Cond::ULt => self.prove(ZERO, x, 0, at) && self.prove(x, y, -1, at),
            Cond::ULe => self.prove(ZERO, x, 0, at) && self.prove(x, y, 0, at),
            Cond::UGt => self.holds(Cond::ULt, y, x, at),
            Cond::UGe => self.holds(Cond::ULe, y, x, at),
        }
    }

    /// Whether a fact says that they differ.
    fn differ(&self, x: Value, y: Value, at: Point) -> bool {
        let (x, y, d) = self.normal(x, y, 0);
        let of = if x == ZERO { y } else { x };
        self.facts_at(of, at).iter().any(|f| match f.rel {
            Rel::Ne(e) => (f.left == x && f.right == y && e == d) || (f.left == y && f.right == x && e == -d),
            _ => false,
        })
    }

    fn within(&mut self, v: Value, low: i128, high: i128, at: Point) -> bool {
        self.prove(v, ZERO, high, at) && self.prove(ZERO, v, -low, at)
    }

    /// Whether the operation never overflows here.
    fn fits(&mut self, op: Ovf, x: Value, y: Value, at: Point) -> bool {
        let half = FAR;
        match op {
            Ovf::Add => match (self.constant(x), self.constant(y)) {
                (_, Some(n)) => self.can_add(x, n, at),
                (Some(n), _) => self.can_add(y, n, at),
                _ => {
                    let (a, b) = (self.range(x), self.range(y));
                    if a.0 + b.0 >= LEAST && a.1 + b.1 <= MOST {
                        return true;
                    }
                    let positive = self.prove(ZERO, x, 0, at) && self.prove(ZERO, y, 0, at);
                    (positive && self.by_rest(x, y, ZERO, MOST, at))
                        || (self.within(x, -half, half - 1, at) && self.within(y, -half, half - 1, at))
                }
            },
            Ovf::Sub => match self.constant(y) {
                Some(n) => self.can_add(x, -n, at),
                None => {
                    (self.prove(ZERO, x, 0, at) && self.prove(ZERO, y, 0, at))
                        || (self.within(x, -half, half - 1, at) && self.within(y, -half, half - 1, at))
                }
            },
            Ovf::Mul => {
                let (x, y) = if self.constant(x).is_some() { (y, x) } else { (x, y) };
                match self.constant(y) {
                    Some(0) => true,
                    Some(n) => self.within(x, -(MOST / n.abs()), MOST / n.abs(), at),
                    None => {
                        let root = (1i128 << 31) - 1;
                        self.within(x, -root, root, at) && self.within(y, -root, root, at)
                    }
                }
            }
        }
    }

    fn can_add(&mut self, x: Value, n: i128, at: Point) -> bool {
        // Where a loop does not keep the bound itself, it may keep a stronger one.
        let (a, b, c) = if n >= 0 { (x, ZERO, MOST - n) } else { (ZERO, x, n - LEAST) };
        self.prove(a, b, c, at)
            || (self.is_param(x) && [0, -1].into_iter().any(|stronger| stronger <= c && self.prove(a, b, stronger, at)))
            || self.guesses(x).into_iter().any(|(w, d)| {
                // x stays on one side of what it is compared with at the loop's end.
                if n >= 0 {
                    self.prove(x, w, d - 1, at) && self.prove(w, ZERO, MOST - n - (d - 1), at)
                } else {
                    self.prove(w, x, -d - 1, at) && self.prove(ZERO, w, n + d + 1 - LEAST, at)
                }
            })
    }

    /// What the arguments that come back for a parameter differ from: (w, d) for `x <> w + d`.
    fn guesses(&self, x: Value) -> SmallVec<[(Value, i128); 2]> {
        let mut out = SmallVec::new();
        let Some((block, index)) = self.param(x) else { return out };
        let count = self.f[block].params.len();
        for &pred in self.cfg.preds(block) {
            if !self.dom.dominates(block, pred) {
                continue;
            }
            let mut edge = self.edges[pred.0 as usize];
            self.f[pred].term.each_target(|t| {
                if t.block == block
                    && let Some(i) = index.checked_sub(count - t.args.len())
                {
                    for f in self.facts_at(t.args[i], Point { block: pred, at: END, edge }) {
                        if let Rel::Ne(d) = f.rel
                            && f.left != ZERO
                            && f.right != ZERO
                            && out.len() < 2
                        {
                            out.push(if f.left == t.args[i] { (f.right, d) } else { (f.left, -d) });
                        }
                    }
                }
                edge += 1;
            });
        }
        out
    }

    /// Whether a claim can be tested before the loop: between its parameters, values from outside, and small numbers.
    fn testable(&self, l: &Loop, &(a, b, c): &Claim) -> bool {
        let known = |v: Value| v == ZERO || self.f[l.header].params.contains(&v) || self.outside(v, l.header);
        known(a) && known(b) && if a == ZERO || b == ZERO { c.abs() < 1 << 31 } else { c == 0 || c == -1 }
    }

    fn is_param(&self, v: Value) -> bool {
        self.param(v).is_some()
    }

    /// The operands of an addition or subtraction, when its result is exact here: (x, y, whether y is subtracted).
    fn exact(&mut self, v: Value, at: Point) -> Option<(Value, Value, bool)> {
        match self.op(v)? {
            (&Op::Ovf(op, x, y), 0) if op != Ovf::Mul => {
                let Some(Def::Inst { block, inst, .. }) = self.defs.get(v.0 as usize) else { return None };
                let flag = self.f[*block].insts[*inst as usize].results[1];
                let known = self.facts_at(flag, at).iter().any(|f| f.left == flag && f.right == ZERO && matches!(f.rel, Rel::Le(d) if d <= 0));
                (known || self.fits(op, x, y, at)).then_some((x, y, op == Ovf::Sub))
            }
            (&Op::Binary(op @ (Binary::Add | Binary::Sub), x, y), _) => {
                let sub = op == Binary::Sub;
                self.fits(if sub { Ovf::Sub } else { Ovf::Add }, x, y, at).then_some((x, y, sub))
            }
            _ => None,
        }
    }

    /// Whether `a - b <= c` at a point.
    fn prove(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        let (a, b, c) = self.normal(a, b, c);
        if a == b {
            return c >= 0;
        }
        if self.range(a).1 - self.range(b).0 <= c {
            return true;
        }
        // No two words differ by less than this.
        if c < -(1 << 64) {
            return false;
        }
        if self.hypotheses.iter().any(|h| h.0 == a && h.1 == b && h.2 <= c) {
            return true;
        }
        if self.fuel == 0 || self.depth >= DEPTH || self.active.contains(&(a, b, at)) {
            return false;
        }
        self.fuel -= 1;
        self.depth += 1;
        self.active.push((a, b, at));
        let claims = self.claims.len();
        let proved = self.by_facts(a, b, c, at) || self.by_definition(a, b, c, at) || self.by_edges(a, b, c);
        if !proved {
            self.claims.truncate(claims);
        }
        self.active.pop();
        self.depth -= 1;
        proved
    }

    fn by_facts(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        let of_a = if a == ZERO { SmallVec::new() } else { self.facts_at(a, at) };
        let of_b = if b == ZERO { SmallVec::new() } else { self.facts_at(b, at) };
        if of_a.iter().chain(&of_b).any(|f| f.left == a && f.right == b && matches!(f.rel, Rel::Le(d) if d <= c)) {
            return true;
        }
        // a - b <= c + 1, and it is not c + 1.
        let differs = of_a.iter().chain(&of_b).any(|f| match f.rel {
            Rel::Ne(d) => (f.left == a && f.right == b && d == c + 1) || (f.left == b && f.right == a && d == -(c + 1)),
            _ => false,
        });
        if differs {
            // Not under way any longer: it is another question.
            let question = self.active.pop();
            let weaker = self.prove(a, b, c + 1, at);
            self.active.extend(question);
            if weaker {
                return true;
            }
        }
        for f in &of_a {
            match f.rel {
                Rel::Le(d) if f.left == a && f.right != b && self.prove(f.right, b, c - d, at) => return true,
                Rel::Unsigned(equal) if f.left == a && f.right != a => {
                    let d = if equal { 0 } else { -1 };
                    if self.prove(f.right, b, c - d, at) && self.prove(ZERO, f.right, 0, at) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        for f in &of_b {
            match f.rel {
                Rel::Le(d) if f.right == b && f.left != a && self.prove(a, f.left, c - d, at) => return true,
                // b is below something that is not negative, so it is not negative itself.
                Rel::Unsigned(_) if f.left == b && a == ZERO && c >= 0 && self.prove(ZERO, f.right, 0, at) => return true,
                _ => {}
            }
        }
        false
    }

    fn by_definition(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        (a != ZERO && self.by_left(a, b, c, at)) || (b != ZERO && self.by_right(a, b, c, at))
    }

    fn by_left(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        let Some((op, _)) = self.op(a) else { return false };
        match *op {
            Op::Ovf(..) | Op::Binary(Binary::Add | Binary::Sub, ..) => {
                let Some((x, y, sub)) = self.exact(a, at) else { return false };
                if sub {
                    let low = self.range(y).0;
                    return low > -FAR && self.prove(x, b, c + low, at);
                }
                let (far_x, far_y) = (self.range(x).1, self.range(y).1);
                (far_y < FAR && self.prove(x, b, c - far_y, at))
                    || (far_x < FAR && self.prove(y, b, c - far_x, at))
                    || self.by_rest(x, y, b, c, at)
            }
            Op::Select(_, x, y) => self.prove(x, b, c, at) && self.prove(y, b, c, at),
            Op::Binary(Binary::And, x, y) => {
                (self.range(y).0 >= 0 && self.prove(y, b, c, at)) || (self.range(x).0 >= 0 && self.prove(x, b, c, at))
            }
            Op::Binary(Binary::URem, _, y) => self.range(y).0 >= 0 && self.prove(y, b, c + 1, at),
            Op::Binary(Binary::Sar, s, n) if self.constant(n) == Some(1) => match self.exact(s, at) {
                Some((x, y, false)) => {
                    (self.prove(x, b, c, at) && self.prove(y, b, c + 1, at)) || (self.prove(y, b, c, at) && self.prove(x, b, c + 1, at))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// `x + y - b <= c`, by what is known of one as a rest: `y <= t + d` and `t = s - x`, so the sum is at most `s + d`.
    fn by_rest(&mut self, x: Value, y: Value, b: Value, c: i128, at: Point) -> bool {
        for (x, y) in [(x, y), (y, x)] {
            for f in self.facts_at(y, at) {
                if let Rel::Le(d) = f.rel
                    && f.left == y
                    && f.right != ZERO
                    && let Some((&Op::Ovf(Ovf::Sub, ..) | &Op::Binary(Binary::Sub, ..), _)) = self.op(f.right)
                    && let Some((s, z, true)) = self.exact(f.right, at)
                    && z == x
                    && self.prove(s, b, c - d, at)
                {
                    return true;
                }
            }
        }
        false
    }

    fn by_right(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        let Some((op, _)) = self.op(b) else { return false };
        match *op {
            Op::Ovf(..) | Op::Binary(Binary::Add | Binary::Sub, ..) => {
                let Some((x, y, sub)) = self.exact(b, at) else { return false };
                if sub {
                    let high = self.range(y).1;
                    return high < FAR && self.prove(a, x, c - high, at);
                }
                let (low_x, low_y) = (self.range(x).0, self.range(y).0);
                (low_y > -FAR && self.prove(a, x, c + low_y, at)) || (low_x > -FAR && self.prove(a, y, c + low_x, at))
            }
            Op::Select(_, x, y) => self.prove(a, x, c, at) && self.prove(a, y, c, at),
            Op::Binary(Binary::Sar, s, n) if self.constant(n) == Some(1) => match self.exact(s, at) {
                Some((x, y, false)) => self.prove(a, x, c, at) && self.prove(a, y, c, at),
                _ => false,
            },
            _ => false,
        }
    }

    /// The block whose parameter the value is.
    fn param(&self, v: Value) -> Option<(Block, usize)> {
        match self.defs.get(v.0 as usize) {
            Some(&Def::Param { block, index }) if block != self.f.entry => Some((block, index as usize)),
            _ => None,
        }
    }

    /// Whether the value is the same at every entry of the block until its definition runs again.
    fn outside(&self, v: Value, block: Block) -> bool {
        match self.defs.get(v.0 as usize) {
            _ if v == ZERO => true,
            Some(Def::Param { block: b, .. } | Def::Inst { block: b, .. }) => *b != block && self.dom.dominates(*b, block),
            _ => false,
        }
    }

    /// By what holds on every edge into the block whose parameter one of them, or both, is.
    fn by_edges(&mut self, a: Value, b: Value, c: i128) -> bool {
        let (of_a, of_b) = (self.param(a), self.param(b));
        let block = match (of_a, of_b) {
            (Some((x, _)), Some((y, _))) if x == y => x,
            (Some((x, _)), _) if self.outside(b, x) => x,
            (_, Some((y, _))) if self.outside(a, y) => y,
            _ => return false,
        };
        // A stronger claim than one that is being proved may hold where that does not, but not a third time.
        if self.hypotheses.iter().filter(|h| h.0 == a && h.1 == b).count() >= 2 {
            return false;
        }
        self.hypotheses.push((a, b, c));
        let active = std::mem::take(&mut self.active);
        let preds = self.cfg.preds(block);
        let mut proved = true;
        'edges: for (i, &pred) in preds.iter().enumerate() {
            if preds[..i].contains(&pred) {
                continue;
            }
            if self.granted == Some(block) && !self.dom.dominates(block, pred) {
                self.claims.push((a, b, c));
                continue;
            }
            let mut edge = self.edges[pred.0 as usize];
            let mut ways: SmallVec<[(Value, Value, u32); 2]> = SmallVec::new();
            let count = self.f[block].params.len();
            let mut given = false;
            self.f[pred].term.each_target(|t| {
                if t.block == block {
                    // An invoke gives the first parameters: nothing is known of them.
                    let shift = count - t.args.len();
                    let mut arg = |v: Value, of: Option<(Block, usize)>| match of {
                        Some((b, i)) if b == block => match i.checked_sub(shift) {
                            Some(i) => t.args[i],
                            None => {
                                given = true;
                                v
                            }
                        },
                        _ => v,
                    };
                    ways.push((arg(a, of_a), arg(b, of_b), edge));
                }
                edge += 1;
            });
            if given {
                proved = false;
                break;
            }
            for (x, y, edge) in ways {
                if !self.prove(x, y, c, Point { block: pred, at: END, edge }) {
                    proved = false;
                    break 'edges;
                }
            }
        }
        self.hypotheses.pop();
        self.active = active;
        proved
    }

    // Loops whose iterations are bounded by memory.

    /// Gives ranges to the parameters of loops that grow by little in each of a bounded number of iterations.
    fn trips(&mut self, loops: &[Loop]) {
        for l in loops {
            let params = &self.f[l.header].params;
            if params.len() > 32 || l.blocks.len() > 200 {
                continue;
            }
            if !params.iter().any(|&p| self.ask(|s| s.counts(l, p))) {
                continue;
            }
            for &p in params {
                if self.f.ty(p) == Ty::I64 && self.ask(|s| s.accumulates(l, p)) {
                    let bound = (TRIPS * STEP * 2 + TRIPS) as i64;
                    self.ranges[p.0 as usize] = (-bound, bound);
                }
            }
        }
    }

    /// Calls `each` with the argument that each edge into a loop's header gives a parameter; false when it does, or when
    /// an edge gives none.
    fn each_arg(&mut self, l: &Loop, p: Value, mut each: impl FnMut(&mut Self, Value, Point, bool) -> bool) -> bool {
        let Some((header, index)) = self.param(p) else { return false };
        let count = self.f[header].params.len();
        let mut args: SmallVec<[(Value, Point, bool); 4]> = SmallVec::new();
        let mut all = true;
        let mut seen: SmallVec<[Block; 4]> = SmallVec::new();
        for &pred in self.cfg.preds(header) {
            if seen.contains(&pred) {
                continue;
            }
            seen.push(pred);
            let mut edge = self.edges[pred.0 as usize];
            self.f[pred].term.each_target(|t| {
                if t.block == header {
                    match index.checked_sub(count - t.args.len()) {
                        Some(i) => args.push((t.args[i], Point { block: pred, at: END, edge }, l.latches.contains(&pred))),
                        None => all = false,
                    }
                }
                edge += 1;
            });
        }
        all && args.into_iter().all(|(v, at, back)| each(self, v, at, back))
    }

    /// Whether the parameter goes one way through a bounded range, or down immutable objects (of which none is its own part).
    fn counts(&mut self, l: &Loop, p: Value) -> bool {
        if self.f.ty(p) == Ty::Ref {
            return self.each_arg(l, p, |s, v, _, back| {
                !back || matches!(s.op(v), Some((&Op::Load { obj, mutable: false, .. }, _)) if obj == p)
            });
        }
        if self.f.ty(p) != Ty::I64 {
            return false;
        }
        let mut sign = 0;
        let one_way = self.each_arg(l, p, |s, v, at, back| {
            if !back {
                return true;
            }
            let (mut v, mut sum) = (v, 0);
            for _ in 0..8 {
                if v == p {
                    break;
                }
                let Some((x, y, sub)) = s.exact(v, at) else { return false };
                let (x, y) = if s.constant(x).is_some() && !sub { (y, x) } else { (x, y) };
                let Some(n) = s.constant(y) else { return false };
                sum += if sub { -n } else { n };
                v = x;
            }
            let same = sum != 0 && (sign == 0 || sign == sum.signum());
            sign = sum.signum();
            v == p && same
        });
        let at = Point { block: l.header, at: 0, edge: NONE };
        let above = |s: &mut Self| [TRIPS, 0, -1].into_iter().any(|c| s.prove(ZERO, p, c, at));
        let below = |s: &mut Self| {
            s.prove(p, ZERO, TRIPS, at)
                || s.guesses(p).into_iter().any(|(w, d)| s.prove(p, w, d - 1, at) && s.prove(w, ZERO, TRIPS - d + 1, at))
        };
        one_way && sign != 0 && above(self) && below(self)
    }

    /// Whether the parameter starts small and changes by little in an iteration.
    fn accumulates(&mut self, l: &Loop, p: Value) -> bool {
        self.each_arg(l, p, |s, v, at, back| {
            if back { s.step(l, p, v, 0).is_some_and(|n| n <= STEP) } else { s.within(v, -TRIPS, TRIPS, at) }
        })
    }

    /// By how much at most the value differs from the loop's parameter, if it comes from it by small steps.
    fn step(&mut self, l: &Loop, p: Value, v: Value, depth: u32) -> Option<i128> {
        if v == p {
            return Some(0);
        }
        if self.fuel == 0 || depth > 16 {
            return None;
        }
        self.fuel -= 1;
        let small = |s: &Self, v: Value| {
            let (low, high) = s.range(v);
            low.abs().max(high.abs())
        };
        match self.op(v) {
            None => {}
            Some((&(Op::Binary(Binary::Add, x, y) | Op::Ovf(Ovf::Add, x, y)), 0)) => {
                let (x, y) = if small(self, x) <= STEP { (y, x) } else { (x, y) };
                return Some(small(self, y) + self.step(l, p, x, depth + 1)?);
            }
            Some((&(Op::Binary(Binary::Sub, x, y) | Op::Ovf(Ovf::Sub, x, y)), 0)) => {
                return Some(small(self, y) + self.step(l, p, x, depth + 1)?);
            }
            Some((&Op::Select(_, x, y), _)) => return Some(self.step(l, p, x, depth + 1)?.max(self.step(l, p, y, depth + 1)?)),
            Some(_) => return None,
        }
        let (block, index) = self.param(v)?;
        if block == l.header || !l.blocks.contains(&block) {
            return None;
        }
        let mut most = 0;
        for &pred in self.cfg.preds(block) {
            // An inner loop may take its step any number of times.
            if self.dom.dominates(block, pred) {
                return None;
            }
            let count = self.f[block].params.len();
            let mut args: SmallVec<[Option<Value>; 2]> = SmallVec::new();
            self.f[pred].term.each_target(|t| {
                if t.block == block {
                    args.push(index.checked_sub(count - t.args.len()).map(|i| t.args[i]));
                }
            });
            for arg in args {
                most = most.max(self.step(l, p, arg?, depth + 1)?);
            }
        }
        Some(most)
    }
}
