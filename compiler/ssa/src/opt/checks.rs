//! Checks: bounds and overflow guards that never raise go; one iteration is peeled where that makes it provable.
//!
//! Ssa -> Ssa. Asks [`prove`] at each guard and branch. Keeps: what every run does; only guards and branches that
//! always go one way disappear, and comparisons that always say the same: so `x mod 10` of an `x` that is never
//! negative is the remainder, and that goes without a look at signs. An addition of what is never negative that may
//! still overflow becomes a comparison of the sum with the other operand: that is one instruction with the branch,
//! while the processor's flag is fetched into a register first.
//!
//! | shape | what is proved |
//! |---|---|
//! | `i` from 0 up, `i < len` or `i <> len` | bounds; `i + 1` |
//! | `n` from `len - 1` down to 0, exclusive or inclusive | bounds; `n - 1`; from the second iteration on, so one is peeled |
//! | `l + 1` at most once an iteration, beside a counter or a walk down a list | `l + 1`: as many iterations as memory has words |
//! | `i` from `start` to `start + len` behind a check `len <= size - start` | bounds |
//! | `n` from anything down to 0, `i` from anything up while `i <> n`, in a tight loop | `n - 1`, `i + 1` in one of two copies, entered by what its first values are |
//! | `(lo + hi) div 2` | between both |
//! | `s = (s * 31 + c) mod n` around a loop | `s` is not negative, and less than `n` |
//! | `i`, `j` up to constants, which some ways around the loop leave alone | what is computed of them |
//! | the same check again, or a weaker one | the second |

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::ir::*;
use crate::opt::prove::{Claim, END, NONE, Point, Prover, ROUNDS};
use crate::opt::{gvn, peel, rotate, simplify};
use rustc_hash::FxHashMap;

/// Most tests before a loop that make its guards needless.
const MAX_CLAIMS: usize = 2;

/// One function; whether it has changed.
pub fn function(f: &mut Function, datas: &[StaticData]) -> bool {
    function_within(f, datas, ROUNDS)
}

/// One function, where the least and most of the values of a loop may take so many rounds over it. With few, most loops
/// are given up, which real ones seldom are: for tests.
pub fn function_within(f: &mut Function, datas: &[StaticData], rounds: u32) -> bool {
    let found = round(f, true, rounds);
    if !found.peel.is_empty() || !found.version.is_empty() {
        if !found.peel.is_empty() {
            peel::peel(f, &found.peel);
        }
        if !found.version.is_empty() {
            peel::version(f, &found.version);
        }
        simplify::function(f, datas);
        gvn::function(f);
        let found = round(f, false, rounds);
        compare_sums(f, &found.sums);
        simplify::function(f, datas);
        true
    } else {
        compare_sums(f, &found.sums);
        if found.changed {
            simplify::function(f, datas);
        }
        found.changed || !found.sums.is_empty()
    }
}

#[derive(Default)]
struct Found {
    changed: bool,
    /// Loops of which one iteration is to be peeled.
    peel: Vec<Loop>,
    /// Loops that are to be entered only behind a test of what makes their guards needless, beside a copy for the rest.
    version: Vec<(Loop, Vec<Claim>)>,
    /// Sums and differences that may overflow, and whether the second operand is never negative: else the first one of
    /// a sum is.
    sums: FxHashMap<Value, bool>,
}

/// `v1, v2 = add_ovf a, b` -> `v1 = add a, b` and `v2 = cmp.lt v1, a`, for a `b` that is never negative; a difference
/// likewise, which overflows when it is greater than `a`. A comparison is one instruction with its branch.
fn compare_sums(f: &mut Function, sums: &FxHashMap<Value, bool>) {
    if sums.is_empty() {
        return;
    }
    for block in &mut f.blocks {
        let mut at = 0;
        while at < block.insts.len() {
            let inst = &mut block.insts[at];
            at += 1;
            if let Op::Ovf(op @ (Ovf::Add | Ovf::Sub), a, b) = inst.op
                && let Some(&second) = sums.get(&inst.results[0])
            {
                let than = if second { a } else { b };
                let (op, cond) = match op {
                    Ovf::Sub => (Binary::Sub, Cond::Gt),
                    _ => (Binary::Add, Cond::Lt),
                };
                let (sum, flag) = (inst.results[0], inst.results[1]);
                inst.op = Op::Binary(op, a, b);
                inst.results.truncate(1);
                let compare =
                    Inst { op: Op::Cmp(cond, sum, than), results: [flag].into_iter().collect(), loc: inst.loc };
                block.insts.insert(at, compare);
                at += 1;
            }
        }
    }
}

/// Whether the function has anything to prove: a check, or a division.
fn has_checks(f: &Function) -> bool {
    let asks = |op: &Op| matches!(op, Op::Guard(..) | Op::Ovf(..)) || may_need_signs(op);
    f.blocks.iter().any(|b| b.insts.iter().any(|i| asks(&i.op)) || raises(f, &b.term))
}

/// Whether it is a check in a handler's scope: a branch to what raises.
fn raises(f: &Function, term: &Term) -> bool {
    matches!(term, Term::Branch(_, yes, _) if f[yes.block].cold)
}

/// Whether it is a division that looks at signs.
fn may_need_signs(op: &Op) -> bool {
    matches!(op, Op::Binary(Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem, ..))
}

/// A division by a number above 1 of what is never negative: as one that needs no look at signs.
fn without_signs(p: &Prover, op: &Op, at: Point) -> Option<Op> {
    let &Op::Binary(op @ (Binary::Div | Binary::Mod | Binary::SDiv | Binary::SRem), x, y) = op else { return None };
    let (low, high) = p.range_at(x, at);
    (p.constant(y)? > 1 && 0 <= low && low <= high).then(|| {
        let op = if matches!(op, Binary::Div | Binary::SDiv) { Binary::NDiv } else { Binary::NRem };
        Op::Binary(op, x, y)
    })
}

/// Numbers of the loops that are to be peeled, and those that are to be entered behind a test of claims.
#[derive(Default)]
struct Wanted {
    peel: Vec<u32>,
    versions: FxHashMap<u32, Vec<Claim>>,
}

impl Wanted {
    /// A check that raises if `c` holds: whether it never does once the innermost loop's header has been granted what
    /// it needs, by one iteration or by a test in front of the loop.
    fn granting(&mut self, p: &mut Prover, f: &Function, loops: &[Loop], l: u32, (c, at): (Value, Point)) {
        if l == NONE || self.peel.contains(&l) {
            return;
        }
        p.granted = Some(loops[l as usize].header);
        let proved = p.ask(|p| p.never(c, at));
        p.granted = None;
        // What one iteration says of its bounds helps the next; what it says of overflow does not.
        if proved && matches!(p.op(c), Some((Op::Cmp(..), _))) {
            self.peel.push(l);
        } else if proved && peel::tight(f, &loops[l as usize]) {
            let claims = self.versions.entry(l).or_default();
            for &(a, b, c) in &p.claims {
                match claims.iter_mut().find(|old| (old.0, old.1) == (a, b)) {
                    Some(old) => old.2 = old.2.min(c),
                    None => claims.push((a, b, c)),
                }
            }
        }
    }
}

fn round(f: &mut Function, may_peel: bool, rounds: u32) -> Found {
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
    if !loops.is_empty() {
        p.intervals(&loops, rounds);
    }
    let mut innermost: Vec<u32> = vec![NONE; f.blocks.len()];
    for (i, l) in loops.iter().enumerate() {
        let inner = loops.iter().any(|m| m.parent == Some(i));
        if !inner && may_peel && peel::small(f, l) {
            l.blocks.iter().for_each(|b| innermost[b.0 as usize] = i as u32);
        }
    }
    let mut gone: Vec<(Block, u32)> = Vec::new();
    let mut decided: Vec<(Block, bool)> = Vec::new();
    let mut plain: Vec<(Block, u32, Op)> = Vec::new();
    let mut wanted = Wanted::default();
    for &b in &cfg.rpo {
        for (i, inst) in f[b].insts.iter().enumerate() {
            let at = Point { block: b, at: i as u32, edge: NONE };
            if let Op::Ovf(op @ (Ovf::Add | Ovf::Sub), x, y) = inst.op
                && p.constant(x).is_none()
                && p.constant(y).is_none()
            {
                if p.range_at(y, at).0 >= 0 {
                    found.sums.insert(inst.results[0], true);
                } else if op == Ovf::Add && p.range_at(x, at).0 >= 0 {
                    found.sums.insert(inst.results[0], false);
                }
            }
            if let Op::Cmp(c, x, y) = inst.op
                && let Some(truth) = p.decided(c, x, y, at)
            {
                plain.push((b, i as u32, Op::Iconst(i64::from(truth))));
            } else if let Some(op) = without_signs(&p, &inst.op, at) {
                plain.push((b, i as u32, op));
            }
            let Op::Guard(c, _) = inst.op else { continue };
            if p.ask(|p| p.never(c, at)) {
                gone.push((b, i as u32));
                continue;
            }
            wanted.granting(&mut p, f, &loops, innermost[b.0 as usize], (c, at));
        }
        if let Term::Branch(c, ..) = f[b].term {
            let at = Point { block: b, at: END, edge: NONE };
            if p.ask(|p| p.never(c, at)) {
                decided.push((b, false));
            } else if p.ask(|p| p.always(c, at)) {
                decided.push((b, true));
            } else if raises(f, &f[b].term) {
                wanted.granting(&mut p, f, &loops, innermost[b.0 as usize], (c, at));
            }
        }
    }
    let lengths = std::mem::take(&mut p.lengths);
    found.changed = !gone.is_empty() || !decided.is_empty() || !lengths.is_empty() || !plain.is_empty();
    let Wanted { peel, mut versions } = wanted;
    versions.retain(|l, claims| {
        !peel.contains(l) && claims.len() <= MAX_CLAIMS && claims.iter().all(|c| p.testable(&loops[*l as usize], c))
    });
    let mut versions: Vec<(u32, Vec<Claim>)> = versions.into_iter().collect();
    versions.sort_unstable_by_key(|v| v.0);
    found.version = versions.into_iter().map(|(l, claims)| (loops[l as usize].clone(), claims)).collect();
    found.peel = peel.into_iter().map(|l| loops[l as usize].clone()).collect();
    for (b, i, op) in plain {
        f[b].insts[i as usize].op = op;
    }
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
