//! Loops that go through memory make as many rounds as it has words: what they add to is bounded by that.

use crate::cfg::Loop;
use crate::ir::*;
use smallvec::SmallVec;

use super::{END, NONE, Point, Prover, STEP, TRIPS, ZERO};

impl Prover<'_> {
    // Loops whose iterations are bounded by memory.

    /// Gives ranges to the parameters of loops that grow by little in each of a bounded number of iterations.
    pub(in crate::opt) fn trips(&mut self, loops: &[Loop]) {
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

    /// Calls `each` with the argument that each edge into a loop's header gives a parameter; false when it does, or
    /// when an edge gives none.
    pub(super) fn each_arg(
        &mut self,
        l: &Loop,
        p: Value,
        mut each: impl FnMut(&mut Self, Value, Point, bool) -> bool,
    ) -> bool {
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
                        Some(i) => {
                            args.push((t.args[i], Point { block: pred, at: END, edge }, l.latches.contains(&pred)))
                        }
                        None => all = false,
                    }
                }
                edge += 1;
            });
        }
        all && args.into_iter().all(|(v, at, back)| each(self, v, at, back))
    }

    /// Whether the parameter goes one way through a bounded range, or down immutable objects (of which none is its own
    /// part).
    pub(super) fn counts(&mut self, l: &Loop, p: Value) -> bool {
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
                || s.guesses(p)
                    .into_iter()
                    .any(|(w, d)| s.prove(p, w, d - 1, at) && s.prove(w, ZERO, TRIPS - d + 1, at))
        };
        one_way && sign != 0 && above(self) && below(self)
    }

    /// Whether the parameter starts small and changes by little in an iteration.
    pub(super) fn accumulates(&mut self, l: &Loop, p: Value) -> bool {
        self.each_arg(l, p, |s, v, at, back| {
            if back { s.step(l, p, v, 0).is_some_and(|n| n <= STEP) } else { s.within(v, -TRIPS, TRIPS, at) }
        })
    }

    /// By how much at most the value differs from the loop's parameter, if it comes from it by small steps.
    pub(super) fn step(&mut self, l: &Loop, p: Value, v: Value, depth: u32) -> Option<i128> {
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
            Some((&Op::Select(_, x, y), _)) => {
                return Some(self.step(l, p, x, depth + 1)?.max(self.step(l, p, y, depth + 1)?));
            }
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
