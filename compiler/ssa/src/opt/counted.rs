//! Counted loops: rounds of four iterations without a test while four are left, then the loop itself for the rest.
//! Sixteen where they count the bytes that are equal to one, which become an instruction or two in the end.
//!
//! Ssa -> Ssa, a part of `unroll`. The test is made so that it needs no fact from elsewhere: with `limit = m - 3s`
//! computed before the loop, without overflow, `n < limit` says that the next three tests of `n + s, n + 2s, n + 3s`
//! against `m` go on. Where `n` is tested, and not `n + s`, it is `m - 4s`.
//!
//! ```text
//! entry: branch n < limit, fast, loop              n: the counter; s > 0: its step; `<` is `>` when it counts down
//! fast:  body, body, body, body                    (n becomes n + 4s)
//!        branch n < limit, fast, rest
//! rest:  branch n < m, loop, exit
//! loop:  body; branch n < m, loop, exit            as it was
//! ```

use crate::cfg::{Cfg, Def, Dominators, Loop};
use crate::ir::*;
use crate::opt::repair::{self, Entered, Entries};

/// A loop whose only exit is its latch's test of a counter.
pub struct Counted {
    latch: Block,
    /// Place of the counter among the header's parameters.
    counter: usize,
    step: i64,
    limit: Limit,
    /// Iterations a round.
    rounds: usize,
}

/// What the counter of the next iteration is tested against, moved by the iterations that are not tested.
#[derive(Clone, Copy)]
enum Limit {
    Constant(i64),
    /// A value from outside, plus a number.
    Value(Value, i64),
}

/// Greatest step of a counter.
const MAX_STEP: u64 = 1 << 20;

/// Whether the loop is one that this module unrolls.
pub fn counted(f: &Function, l: &Loop, dom: &Dominators, defs: &[Def], ints: &[Option<i64>]) -> Option<Counted> {
    let [latch] = *l.latches else { return None };
    let exits = |b: Block| {
        let mut out = false;
        f[b].term.each_target(|t| out |= !l.blocks.contains(&t.block));
        out
    };
    if l.blocks.iter().any(|&b| b != latch && exits(b)) {
        return None;
    }
    let Term::Branch(c, yes, no) = &f[latch].term else { return None };
    let (back, on_yes) = match (yes.block == l.header, no.block == l.header) {
        (true, false) => (yes, true),
        (false, true) => (no, false),
        _ => return None,
    };
    let op = |v: Value| match defs[v.0 as usize] {
        Def::Inst { block, inst, result: 0 } => Some(&f[block].insts[inst as usize].op),
        _ => None,
    };
    // The tested value, and what goes on.
    let (cond, x, y) = match op(*c) {
        Some(Op::Cmp(cond, x, y)) => (if on_yes { *cond } else { cond.negated() }, *x, Some(*y)),
        _ if on_yes => (Cond::Ne, *c, None),
        _ => return None,
    };
    let params = &f[l.header].params;
    for (counter, &n) in params.iter().enumerate() {
        let next = back.args[counter];
        let Some(&Op::Binary(Binary::Add, a, b)) = op(next) else { continue };
        let (Some(step), true) = (ints[b.0 as usize], a == n) else { continue };
        if step == 0 || step.unsigned_abs() > MAX_STEP {
            continue;
        }
        // `m` against the counter, or the counter against `m`.
        let (cond, x, m) = match y {
            Some(y) if y == n || y == next => (cond.swapped(), y, Some(x)),
            _ => (cond, x, y),
        };
        let goes_on = match cond {
            Cond::Ne => true,
            Cond::Lt | Cond::Le => step > 0,
            Cond::Gt | Cond::Ge => step < 0,
            _ => false,
        };
        if !goes_on || (x != n && x != next) {
            continue;
        }
        let rounds = if counts_bytes(f, l, ints) { 16 } else { 4 };
        // The third of four tested values is n + 3s when the test is of the next one. When it is of this one, a round
        // must end before m, too: n + 4s is compared with the limit in place of n + 3s, and it must not have wrapped.
        let ahead = (rounds as i64 - i64::from(x == next)) * step;
        let limit = match m {
            None => Limit::Constant(-ahead),
            Some(m) => match ints[m.0 as usize] {
                Some(k) => Limit::Constant(k.checked_sub(ahead)?),
                None => {
                    let outside = match defs[m.0 as usize] {
                        Def::Param { block, .. } | Def::Inst { block, .. } => {
                            !l.blocks.contains(&block) && dom.dominates(block, l.header)
                        }
                        Def::None => false,
                    };
                    if !outside {
                        return None;
                    }
                    Limit::Value(m, -ahead)
                }
            },
        };
        return Some(Counted { latch, counter, step, limit, rounds });
    }
    None
}

/// A block that loads a byte, compares it with a constant and adds, and nothing else.
fn counts_bytes(f: &Function, l: &Loop, ints: &[Option<i64>]) -> bool {
    let [block] = l.blocks.as_slice() else { return false };
    let insts = &f[*block].insts;
    let loads = insts.iter().filter(|i| matches!(i.op, Op::ElemLoad { elem: Elem::U8, .. })).count();
    let tests =
        insts.iter().filter(|i| matches!(i.op, Op::Cmp(Cond::Eq, _, b) if ints[b.0 as usize].is_some())).count();
    let plain =
        |op: &Op| op.is_const() || matches!(op, Op::ElemLoad { .. } | Op::Cmp(..) | Op::Binary(Binary::Add, ..));
    loads == 1 && tests >= 1 && insts.iter().all(|i| plain(&i.op))
}

/// Unrolls the loops, one repair for all.
pub fn unroll(f: &mut Function, loops: &[(Loop, Counted)]) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let entered = Entered::new(f, &cfg, &dom);
    let mut group = vec![u32::MAX; f.blocks.len()];
    let mut defs = Vec::new();
    let mut entries = Entries::default();
    for (i, (l, c)) in (0..).zip(loops) {
        let New { entry, rest, copy: (last_blocks, last_values) } = one(f, l, c, entered.before(&dom, l.header));
        entries.add(l.header, i, entry);
        entries.keep(i, entry);
        entries.keep(i, rest);
        for &b in &l.blocks {
            group[b.0 as usize] = i;
            entries.keep(i, b);
            defs.extend(repair::defined(f, b).into_iter().map(|v| (v, b, last_values[&v], last_blocks[&b])));
        }
    }
    entries.enter(f);
    repair::repair_outside(f, &defs, &group);
}

type Copies = (rustc_hash::FxHashMap<Block, Block>, rustc_hash::FxHashMap<Value, Value>);

/// What one unrolled loop has got: the test before it, the way to what is left, and its last copy.
struct New {
    entry: Block,
    rest: Block,
    copy: Copies,
}

fn one(f: &mut Function, l: &Loop, c: &Counted, before: impl Fn(u32) -> bool) -> New {
    let header = l.header;
    let loc = f[header].insts.first().map(|i| i.loc).unwrap_or_default();
    let mut copies: Vec<Copies> = (0..c.rounds).map(|_| repair::copy_blocks(f, &l.blocks, &before)).collect();
    // Before the loop: the limit, if it does not overflow, and the first test.
    let entry = f.new_block();
    f[entry].handler = f[header].handler;
    let types: Vec<Ty> = f[header].params.iter().map(|&v| f.ty(v)).collect();
    let args: Values = types.into_iter().map(|ty| f.add_param(entry, ty)).collect();
    let before = if c.step > 0 { Cond::Lt } else { Cond::Gt };
    let (limit, fits) = match c.limit {
        Limit::Constant(n) => (f.push(entry, Op::Iconst(n), loc), None),
        Limit::Value(m, d) => {
            let d = f.push(entry, Op::Iconst(d), loc);
            let sum = f.make(Op::Ovf(Ovf::Add, m, d), &[Ty::I64, Ty::I64], loc);
            let (limit, flag) = (sum.results[0], sum.results[1]);
            f[entry].insts.push(sum);
            let zero = f.push(entry, Op::Iconst(0), loc);
            (limit, Some(f.push(entry, Op::Cmp(Cond::Eq, flag, zero), loc)))
        }
    };
    let mut go = f.push(entry, Op::Cmp(before, args[c.counter], limit), loc);
    if let Some(fits) = fits {
        go = f.push(entry, Op::Binary(Binary::And, go, fits), loc);
    }
    let first = copies[0].0[&header];
    f[entry].term = Term::Branch(go, Target { block: first, args: args.clone() }, Target { block: header, args });
    // The copies, one after the other.
    let rest = f.new_block();
    f[rest].handler = f[header].handler;
    for i in 0..c.rounds {
        let own = copies[i].0[&header];
        let latch = copies[i].0[&c.latch];
        let term = std::mem::replace(&mut f[latch].term, Term::Unreachable);
        let Term::Branch(test, yes, no) = term else { continue };
        let back = if yes.block == own { yes.args.clone() } else { no.args.clone() };
        if i + 1 < c.rounds {
            f[latch].term = Term::Jump(Target { block: copies[i + 1].0[&header], args: back });
            continue;
        }
        let go = f.push(latch, Op::Cmp(before, back[c.counter], limit), loc);
        f[latch].term = Term::Branch(go, Target { block: first, args: back }, Target::new(rest, []));
        let mut term = Term::Branch(test, yes, no);
        term.each_target_mut(|t| {
            if t.block == own {
                t.block = header;
            }
        });
        f[rest].term = term;
    }
    New { entry, rest, copy: copies.pop().expect("several") }
}

/// What [`counted`] needs to know of a function.
pub fn facts(f: &Function, cfg: &Cfg) -> (Vec<Def>, Vec<Option<i64>>) {
    (crate::cfg::definitions(f, cfg), crate::cfg::int_constants(f))
}
