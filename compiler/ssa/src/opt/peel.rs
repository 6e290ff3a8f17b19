//! Copies of whole loops: in front of the loop (one iteration peeled), in it (two iterations a round), or beside it.
//!
//! Ssa -> Ssa; `checks` and `unroll` say when. Each exit then has two ways to it, so uses behind the loop are repaired,
//! once for all loops. Keeps: order of effects, types. What the copy makes redundant is left to `simplify`.

use crate::cfg::{Cfg, Dominators, Loop};
use crate::ir::*;
use crate::opt::prove::{Claim, ZERO};
use crate::opt::repair::{self, Entered, Entries};
use rustc_hash::FxHashMap;

/// Most instructions and blocks of a loop that is peeled.
const MAX_INSTS: usize = 40;
const MAX_BLOCKS: usize = 12;

/// Instructions that become code.
pub fn size(f: &Function, l: &Loop) -> usize {
    l.blocks.iter().map(|&b| f[b].insts.iter().filter(|i| !i.op.is_const()).count()).sum()
}

/// Whether a loop is small enough to be peeled.
pub fn small(f: &Function, l: &Loop) -> bool {
    l.blocks.len() <= MAX_BLOCKS
        && size(f, l) <= MAX_INSTS
        && !l.blocks.iter().any(|&b| matches!(f[b].term, Term::Scope { .. }))
}

/// Whether a few instructions more or less are what the loop costs: it is small, and nothing in it is a safepoint.
pub fn tight(f: &Function, l: &Loop) -> bool {
    l.blocks.len() <= MAX_BLOCKS / 2
        && size(f, l) <= MAX_INSTS / 2
        && l.blocks.iter().all(|&b| {
            !f[b].cold
                && !matches!(f[b].term, Term::Invoke { .. } | Term::Scope { .. })
                && !f[b].insts.iter().any(|i| i.op.is_safepoint() || matches!(i.op, Op::Alloc { .. }))
        })
}

/// The first iteration of each loop becomes code of its own: what enters the loop goes to the copy, and the copy goes
/// on to the loop. The loops have no block in common.
pub fn peel(f: &mut Function, loops: &[Loop]) {
    copy(f, loops, |f, i, copies, entries| {
        let header = loops[i as usize].header;
        let copy = copies[&header];
        // The copy's jumps to itself are next iterations.
        for &b in copies.values() {
            f[b].term.each_target_mut(|t| {
                if t.block == copy {
                    t.block = header;
                }
            });
            entries.keep(i, b);
        }
        entries.add(header, i, copy);
    });
}

/// Two iterations a round: each loop's jumps back go to a copy, the copy's to the loop.
pub fn double(f: &mut Function, loops: &[Loop]) {
    copy(f, loops, |f, i, copies, _| {
        let l = &loops[i as usize];
        let copy = copies[&l.header];
        for &b in &l.blocks {
            for (b, from, to) in [(b, l.header, copy), (copies[&b], copy, l.header)] {
                f[b].term.each_target_mut(|t| {
                    if t.block == from {
                        t.block = to;
                    }
                });
            }
        }
    });
}

/// Each loop is entered only where its claims hold; otherwise a copy of it is, which is cold.
pub fn version(f: &mut Function, loops: &[(Loop, Vec<Claim>)]) {
    let only: Vec<Loop> = loops.iter().map(|l| l.0.clone()).collect();
    copy(f, &only, |f, i, copies, entries| {
        let (l, claims) = &loops[i as usize];
        let test = f.new_block();
        f[test].handler = f[l.header].handler;
        let params = f[l.header].params.clone();
        let types: Vec<Ty> = params.iter().map(|&v| f.ty(v)).collect();
        let args: Values = types.into_iter().map(|ty| f.add_param(test, ty)).collect();
        entries.add(l.header, i, test);
        entries.keep(i, test);
        let loc = f[l.header].insts.first().map(|i| i.loc).unwrap_or_default();
        let first = |v: Value| params.iter().position(|&p| p == v).map_or(v, |i| args[i]);
        let mut all: Option<Value> = None;
        for &(a, b, c) in claims {
            let op = if a == ZERO {
                let least = f.push(test, Op::Iconst(-c as i64), loc);
                Op::Cmp(Cond::Ge, first(b), least)
            } else if b == ZERO {
                let most = f.push(test, Op::Iconst(c as i64), loc);
                Op::Cmp(Cond::Le, first(a), most)
            } else {
                Op::Cmp(if c == 0 { Cond::Le } else { Cond::Lt }, first(a), first(b))
            };
            let one = f.push(test, op, loc);
            all = Some(all.map_or(one, |other| f.push(test, Op::Binary(Binary::And, other, one), loc)));
        }
        let all = all.unwrap_or_else(|| f.push(test, Op::Iconst(1), loc));
        let (fast, slow) = (Target { block: l.header, args: args.clone() }, Target { block: copies[&l.header], args });
        f[test].term = Term::Branch(all, fast, slow);
        l.blocks.iter().for_each(|&b| f[copies[&b]].cold = true);
    });
}

/// Copies the loops, and repairs the uses of what they define. `connect` gets a loop's number and the copies of its
/// blocks.
fn copy(
    f: &mut Function,
    loops: &[Loop],
    connect: impl Fn(&mut Function, u32, &FxHashMap<Block, Block>, &mut Entries),
) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let entered = Entered::new(f, &cfg, &dom);
    let mut group = vec![u32::MAX; f.blocks.len()];
    let mut defs = Vec::new();
    let mut entries = Entries::default();
    for (i, l) in (0..).zip(loops) {
        let (blocks, values) = repair::copy_blocks(f, &l.blocks, entered.before(&dom, l.header));
        for &b in &l.blocks {
            group[b.0 as usize] = i;
            entries.keep(i, b);
            defs.extend(repair::defined(f, b).into_iter().map(|v| (v, b, values[&v], blocks[&b])));
        }
        connect(f, i, &blocks, &mut entries);
    }
    entries.enter(f);
    repair::repair_outside(f, &defs, &group);
}
