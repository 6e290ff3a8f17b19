//! Copies of whole loops: in front of the loop (one iteration peeled), or in it (two iterations a round).
//!
//! Ssa -> Ssa; `checks` and `unroll` say when. Each exit then has two ways to it, so uses behind the loop are repaired,
//! once for all loops. Keeps: order of effects, types. What the copy makes redundant is left to `simplify`.

use crate::cfg::Loop;
use crate::ir::*;
use crate::opt::repair;

/// Most instructions and blocks of a loop that is peeled.
const MAX_INSTS: usize = 40;
const MAX_BLOCKS: usize = 12;

/// Instructions that become code.
pub fn size(f: &Function, l: &Loop) -> usize {
    l.blocks.iter().map(|&b| f[b].insts.iter().filter(|i| !i.op.is_const()).count()).sum()
}

/// Whether a loop is small enough to be peeled.
pub fn small(f: &Function, l: &Loop) -> bool {
    l.blocks.len() <= MAX_BLOCKS && size(f, l) <= MAX_INSTS
}

/// The first iteration of each loop becomes code of its own: what enters the loop goes to the copy, and the copy goes on
/// to the loop. The loops have no block in common.
pub fn peel(f: &mut Function, loops: &[Loop]) {
    copy(f, loops, |f, l, copy_of| {
        let copy = copy_of(l.header);
        // Now the copy's jumps to itself are next iterations, and all others to the header enter.
        for b in 0..f.blocks.len() as u32 {
            let b = Block(b);
            if !l.blocks.contains(&b) {
                f[b].term.each_target_mut(|t| {
                    t.block = if t.block == copy { l.header } else if t.block == l.header { copy } else { t.block };
                });
            }
        }
    });
}

/// Two iterations a round: each loop's jumps back go to a copy, the copy's to the loop.
pub fn double(f: &mut Function, loops: &[Loop]) {
    copy(f, loops, |f, l, copy_of| {
        let copy = copy_of(l.header);
        for &b in &l.blocks {
            for (b, from, to) in [(b, l.header, copy), (copy_of(b), copy, l.header)] {
                f[b].term.each_target_mut(|t| {
                    if t.block == from {
                        t.block = to;
                    }
                });
            }
        }
    });
}

fn copy(f: &mut Function, loops: &[Loop], connect: impl Fn(&mut Function, &Loop, &dyn Fn(Block) -> Block)) {
    let mut group = vec![u32::MAX; f.blocks.len()];
    let mut defs = Vec::new();
    for (i, l) in loops.iter().enumerate() {
        let (blocks, values) = repair::copy_blocks(f, &l.blocks);
        connect(f, l, &|b| blocks[&b]);
        for &b in &l.blocks {
            group[b.0 as usize] = i as u32;
            defs.extend(repair::defined(f, b).into_iter().map(|v| (v, b, values[&v], blocks[&b])));
        }
    }
    repair::repair_outside(f, &defs, &group);
}
