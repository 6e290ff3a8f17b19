//! From a question to facts and definitions: `a - b <= c` because of what is known of `a`, of `b`, of what they are
//! made of.

use crate::cfg::{Def, Loop};
use crate::ir::*;
use smallvec::SmallVec;

use super::{Claim, DEPTH, END, FAR, FUEL, LEAST, MOST, Point, Prover, Rel, ZERO};

impl Prover<'_> {
    // Questions.

    pub(in crate::opt) fn ask(&mut self, question: impl FnOnce(&mut Self) -> bool) -> bool {
        self.fuel = FUEL;
        self.hypotheses.clear();
        self.active.clear();
        self.claims.clear();
        self.depth = 0;
        question(self)
    }

    /// Whether the condition is always 0 here.
    pub(in crate::opt) fn never(&mut self, c: Value, at: Point) -> bool {
        match self.op(c) {
            Some((&Op::Cmp(cond, x, y), _)) => self.holds(cond.negated(), x, y, at),
            Some((&Op::Ovf(op, x, y), 1)) => self.fits(op, x, y, at),
            Some((&Op::Binary(Binary::And, x, y), _)) => self.never(x, at) || self.never(y, at),
            Some((&Op::Binary(Binary::Or, x, y), _)) => self.never(x, at) && self.never(y, at),
            _ => false,
        }
    }

    /// Whether the condition is never 0 here.
    pub(in crate::opt) fn always(&mut self, c: Value, at: Point) -> bool {
        match self.op(c) {
            Some((&Op::Cmp(cond, x, y), _)) => self.holds(cond, x, y, at),
            Some((&Op::Binary(Binary::Or, x, y), _)) => self.always(x, at) || self.always(y, at),
            _ => false,
        }
    }

    pub(super) fn holds(&mut self, c: Cond, x: Value, y: Value, at: Point) -> bool {
        let (a, b) = (self.range_at(x, at), self.range_at(y, at));
        let by_ranges = match c {
            Cond::Lt => a.1 < b.0,
            Cond::Le => a.1 <= b.0,
            Cond::Gt => b.1 < a.0,
            Cond::Ge => b.1 <= a.0,
            Cond::Ne => a.1 < b.0 || b.1 < a.0,
            Cond::ULt => a.0 >= 0 && a.1 < b.0,
            Cond::ULe => a.0 >= 0 && a.1 <= b.0,
            Cond::Eq | Cond::UGt | Cond::UGe => false,
        };
        if by_ranges {
            return true;
        }
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
    pub(super) fn differ(&self, x: Value, y: Value, at: Point) -> bool {
        let (x, y, d) = self.normal(x, y, 0);
        let of = if x == ZERO { y } else { x };
        self.facts_at(of, at).iter().any(|f| match f.rel {
            Rel::Ne(e) => (f.left == x && f.right == y && e == d) || (f.left == y && f.right == x && e == -d),
            _ => false,
        })
    }

    pub(super) fn within(&mut self, v: Value, low: i128, high: i128, at: Point) -> bool {
        self.prove(v, ZERO, high, at) && self.prove(ZERO, v, -low, at)
    }

    /// Whether the operation never overflows here.
    pub(super) fn fits(&mut self, op: Ovf, x: Value, y: Value, at: Point) -> bool {
        let half = FAR;
        let (low, high) = super::intervals::exact(op, self.range_at(x, at), self.range_at(y, at));
        if low >= LEAST && high <= MOST {
            return true;
        }
        match op {
            Ovf::Add => match (self.constant(x), self.constant(y)) {
                (_, Some(n)) => self.can_add(x, n, at),
                (Some(n), _) => self.can_add(y, n, at),
                _ => {
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

    pub(super) fn can_add(&mut self, x: Value, n: i128, at: Point) -> bool {
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
    pub(super) fn guesses(&self, x: Value) -> SmallVec<[(Value, i128); 2]> {
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
    pub(in crate::opt) fn testable(&self, l: &Loop, &(a, b, c): &Claim) -> bool {
        let known = |v: Value| v == ZERO || self.f[l.header].params.contains(&v) || self.outside(v, l.header);
        known(a) && known(b) && if a == ZERO || b == ZERO { c.abs() < 1 << 31 } else { c == 0 || c == -1 }
    }

    pub(super) fn is_param(&self, v: Value) -> bool {
        self.param(v).is_some()
    }

    /// The operands of an addition or subtraction, when its result is exact here: (x, y, whether y is subtracted).
    pub(super) fn exact(&mut self, v: Value, at: Point) -> Option<(Value, Value, bool)> {
        match self.op(v)? {
            (&Op::Ovf(op, x, y), 0) if op != Ovf::Mul => {
                let Some(Def::Inst { block, inst, .. }) = self.defs.get(v.0 as usize) else { return None };
                let flag = self.f[*block].insts[*inst as usize].results[1];
                let known = self
                    .facts_at(flag, at)
                    .iter()
                    .any(|f| f.left == flag && f.right == ZERO && matches!(f.rel, Rel::Le(d) if d <= 0));
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
    pub(super) fn prove(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
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

    pub(super) fn by_facts(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
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
                Rel::Unsigned(_) if f.left == b && a == ZERO && c >= 0 && self.prove(ZERO, f.right, 0, at) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    pub(super) fn by_definition(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
        (a != ZERO && self.by_left(a, b, c, at)) || (b != ZERO && self.by_right(a, b, c, at))
    }

    pub(super) fn by_left(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
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
            Op::Binary(Binary::Mod, _, y) => self.range(y).0 > 0 && self.prove(y, b, c + 1, at),
            Op::Binary(Binary::URem, _, y) => self.range(y).0 >= 0 && self.prove(y, b, c + 1, at),
            Op::Binary(Binary::Sar, s, n) if self.constant(n) == Some(1) => match self.exact(s, at) {
                Some((x, y, false)) => {
                    (self.prove(x, b, c, at) && self.prove(y, b, c + 1, at))
                        || (self.prove(y, b, c, at) && self.prove(x, b, c + 1, at))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// `x + y - b <= c`, by what is known of one as a rest: `y <= t + d` and `t = s - x`, so the sum is at most `s + d`.
    pub(super) fn by_rest(&mut self, x: Value, y: Value, b: Value, c: i128, at: Point) -> bool {
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

    pub(super) fn by_right(&mut self, a: Value, b: Value, c: i128, at: Point) -> bool {
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
    pub(super) fn param(&self, v: Value) -> Option<(Block, usize)> {
        match self.defs.get(v.0 as usize) {
            Some(&Def::Param { block, index }) if block != self.f.entry => Some((block, index as usize)),
            _ => None,
        }
    }

    /// Whether the value is the same at every entry of the block until its definition runs again.
    pub(super) fn outside(&self, v: Value, block: Block) -> bool {
        match self.defs.get(v.0 as usize) {
            _ if v == ZERO => true,
            Some(Def::Param { block: b, .. } | Def::Inst { block: b, .. }) => {
                *b != block && self.dom.dominates(*b, block)
            }
            _ => false,
        }
    }

    /// By what holds on every edge into the block whose parameter one of them, or both, is.
    pub(super) fn by_edges(&mut self, a: Value, b: Value, c: i128) -> bool {
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
}
