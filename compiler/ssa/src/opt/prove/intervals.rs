//! Least and most of every value, loops' parameters included: what the definitions and the facts say together, to a
//! fixed point.
//!
//! After Cousot and Cousot, POPL 1977, with the facts of the prover at each use in place of a renaming at branches. A
//! parameter begins with nothing and grows by what its edges bring. What keeps growing goes on to the next number that
//! something is compared with, since a loop's end is one as a rule, and in the end as far as it can. So `i <> 300`
//! bounds an `i` that some ways around the loop add 1 to and others leave alone, which a question about one difference
//! does not see.

use super::{END, LEAST, MOST, NONE, Point, Prover, Rel, ZERO};
use crate::cfg::{Def, Loop};
use crate::ir::*;
use smallvec::SmallVec;

/// Times that a parameter grows by what comes, and by going to a constant.
const STEPS: u8 = 2;
const LEAPS: u8 = 6;
/// Most instructions of a function that is looked at.
const MOST_INSTS: usize = 4000;
/// Of what no way has brought a value to yet.
const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

struct Work {
    /// What was known before: never left.
    known: Vec<(i64, i64)>,
    marks: Vec<i64>,
    /// How often each parameter has grown.
    grown: Vec<u8>,
}

fn meet(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0.max(b.0), a.1.min(b.1))
}

fn word(range: (i128, i128)) -> (i64, i64) {
    let (low, high) = meet(range, (LEAST, MOST));
    if low > high { NOTHING } else { (low as i64, high as i64) }
}

/// What an operation with these operands gives, if it does not overflow.
pub(super) fn exact(op: Ovf, (a, b): (i128, i128), (c, d): (i128, i128)) -> (i128, i128) {
    match op {
        Ovf::Add => (a + c, b + d),
        Ovf::Sub => (a - d, b - c),
        Ovf::Mul => {
            let corners = [a * c, a * d, b * c, b * d];
            (corners.into_iter().min().unwrap_or(LEAST), corners.into_iter().max().unwrap_or(MOST))
        }
    }
}

impl Prover<'_> {
    /// Least and most of a value at a point; the least is greater when nothing comes there.
    pub(in crate::opt) fn range_at(&self, v: Value, at: Point) -> (i128, i128) {
        if v == ZERO || self.constant(v).is_some() {
            return self.range(v);
        }
        let range = self.by_its_facts(v, at);
        // What is known of `i` is known of `i + 1`.
        let (x, n) = match self.op(v) {
            Some((&(Op::Binary(Binary::Add, x, y) | Op::Ovf(Ovf::Add, x, y)), 0)) => (x, self.constant(y)),
            Some((&(Op::Binary(Binary::Sub, x, y) | Op::Ovf(Ovf::Sub, x, y)), 0)) => (x, self.constant(y).map(|n| -n)),
            _ => return range,
        };
        let Some(n) = n else { return range };
        let (low, high) = self.by_its_facts(x, at);
        if low + n >= LEAST && high + n <= MOST { meet(range, (low + n, high + n)) } else { range }
    }

    fn by_its_facts(&self, v: Value, at: Point) -> (i128, i128) {
        let mut range = self.range(v);
        if let Some(&Def::Inst { block, inst, result: 0 }) = self.defs.get(v.0 as usize)
            && let inst = &self.f[block].insts[inst as usize]
            && matches!(inst.op, Op::Ovf(..))
            && let flag = inst.results[1]
            && self
                .each_fact(flag, at)
                .any(|f| f.left == flag && f.right == ZERO && matches!(f.rel, Rel::Le(d) if d <= 0))
        {
            let (low, high) = self.exact[v.0 as usize];
            range = meet(range, (i128::from(low), i128::from(high)));
        }
        let mut others: SmallVec<[i128; 4]> = SmallVec::new();
        for f in self.each_fact(v, at) {
            match (f.rel, f.left == v) {
                (Rel::Le(d), true) => range.1 = range.1.min(self.range(f.right).1 + d),
                (Rel::Le(d), false) => range.0 = range.0.max(self.range(f.left).0 - d),
                (Rel::Ne(d), true) if f.right == ZERO => others.push(d),
                (Rel::Ne(d), false) if f.left == ZERO => others.push(-d),
                _ => {}
            }
        }
        for other in others {
            if range.0 == other {
                range.0 += 1;
            }
            if range.1 == other {
                range.1 -= 1;
            }
        }
        range
    }

    /// Makes `ranges` as small as the facts and the edges allow. A loop that needs more than so many rounds is given
    /// up, and with it all that was found.
    pub(in crate::opt) fn intervals(&mut self, loops: &[Loop], rounds: u32) {
        let (f, cfg) = (self.f, self.cfg);
        if f.blocks.iter().map(|b| b.insts.len()).sum::<usize>() > MOST_INSTS {
            return;
        }
        let known = self.ranges.clone();
        // What something is compared with.
        let mut marks: Vec<i64> = Vec::new();
        for fact in self.facts.values().flatten() {
            let (Rel::Le(d) | Rel::Ne(d)) = fact.rel else { continue };
            let n = match (fact.left, fact.right) {
                (_, ZERO) => d,
                (ZERO, _) => -d,
                _ => continue,
            };
            if let Ok(n) = i64::try_from(n) {
                marks.extend([n.saturating_sub(1), n, n.saturating_add(1)]);
            }
        }
        marks.sort_unstable();
        marks.dedup();
        for &b in &cfg.rpo {
            if b != f.entry {
                f[b].params.iter().for_each(|p| self.ranges[p.0 as usize] = NOTHING);
            }
        }
        let mut work = Work { known, marks, grown: vec![0; f.values.len()] };
        // Loop by loop, so that what stands behind a loop is not looked at in each of its rounds.
        let mut outermost: Vec<u32> = vec![NONE; f.blocks.len()];
        for (i, l) in loops.iter().enumerate().filter(|(_, l)| l.parent.is_none()) {
            l.blocks.iter().for_each(|b| outermost[b.0 as usize] = i as u32);
        }
        for &b in &cfg.rpo {
            let l = outermost[b.0 as usize];
            if l == NONE {
                self.block(b, &mut work);
            } else if loops[l as usize].header == b {
                let inside: Vec<Block> = cfg.rpo.iter().copied().filter(|b| outermost[b.0 as usize] == l).collect();
                for _ in 0..rounds {
                    if !self.round(&inside, &mut work) {
                        break;
                    }
                }
            }
        }
        // What is believed must hold everywhere at once.
        if self.round(&cfg.rpo, &mut work) {
            self.ranges = work.known;
            self.exact.fill((i64::MIN, i64::MAX));
            return;
        }
        // Where nothing comes, the prover is not to find a contradiction.
        for (range, known) in self.ranges.iter_mut().zip(work.known) {
            if range.0 > range.1 {
                *range = known;
            }
        }
    }

    /// Once over all of these: whether anything new came.
    fn round(&mut self, blocks: &[Block], work: &mut Work) -> bool {
        let mut new = false;
        blocks.iter().for_each(|&b| new |= self.block(b, work));
        new
    }

    /// The ranges of what a block computes, and what it brings to others: whether that is new to one.
    fn block(&mut self, b: Block, work: &mut Work) -> bool {
        let f = self.f;
        self.through(b, &work.known);
        let mut edge = self.edges[b.0 as usize];
        let mut new = false;
        f[b].term.each_target(|t| {
            let params = &f[t.block].params;
            let given = params.len() - t.args.len();
            for (i, &p) in params.iter().enumerate() {
                if f.ty(p) != Ty::I64 {
                    continue;
                }
                let comes = match i.checked_sub(given) {
                    Some(i) => self.range_at(t.args[i], Point { block: b, at: END, edge }),
                    None => (LEAST, MOST),
                };
                let cap = work.known[p.0 as usize];
                let comes = meet(comes, (i128::from(cap.0), i128::from(cap.1)));
                if comes.0 <= comes.1 {
                    new |= self.grow(p, word(comes), cap, work);
                }
            }
            edge += 1;
        });
        new
    }

    /// The ranges of what a block computes.
    fn through(&mut self, b: Block, known: &[(i64, i64)]) {
        let f = self.f;
        for (i, inst) in f[b].insts.iter().enumerate() {
            let Some(&v) = inst.results.first() else { continue };
            if f.ty(v) != Ty::I64 {
                continue;
            }
            let at = Point { block: b, at: i as u32, edge: NONE };
            let range = match inst.op {
                Op::Ovf(op, x, y) => {
                    let (x, y) = (self.range_at(x, at), self.range_at(y, at));
                    if x.0 > x.1 || y.0 > y.1 {
                        self.exact[v.0 as usize] = NOTHING;
                        NOTHING
                    } else {
                        let exact = exact(op, x, y);
                        self.exact[v.0 as usize] = word(exact);
                        if exact.0 < LEAST || exact.1 > MOST { (i64::MIN, i64::MAX) } else { word(exact) }
                    }
                }
                _ => self.range_of(&inst.op, &|v| self.range_at(v, at)),
            };
            let cap = known[v.0 as usize];
            self.ranges[v.0 as usize] = (range.0.max(cap.0), range.1.min(cap.1));
        }
    }

    /// Whether a parameter has more values than before.
    fn grow(&mut self, p: Value, comes: (i64, i64), cap: (i64, i64), work: &mut Work) -> bool {
        let old = self.ranges[p.0 as usize];
        if old.0 > old.1 {
            self.ranges[p.0 as usize] = comes;
            return true;
        }
        let mut new = (old.0.min(comes.0), old.1.max(comes.1));
        if new == old {
            return false;
        }
        let (marks, times) = (&work.marks, &mut work.grown[p.0 as usize]);
        *times = times.saturating_add(1);
        if *times > STEPS {
            let leap = *times <= STEPS + LEAPS;
            if new.0 < old.0 {
                let below = marks.partition_point(|&m| m <= new.0);
                new.0 = if leap && below > 0 { marks[below - 1].max(cap.0) } else { cap.0 };
            }
            if new.1 > old.1 {
                let above = marks.partition_point(|&m| m < new.1);
                new.1 = if leap && above < marks.len() { marks[above].min(cap.1) } else { cap.1 };
            }
        }
        self.ranges[p.0 as usize] = new;
        true
    }
}
