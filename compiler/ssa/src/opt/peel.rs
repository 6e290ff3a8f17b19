//! Copies of whole loops: in front of the loop (one iteration peeled), or in it (two iterations a round).
//!
//! Ssa -> Ssa; `checks` and `unroll` say when. Each exit then has two ways to it, so uses behind the loop are repaired.
//! Keeps: order of effects, types. What the copy makes redundant is left to `simplify`.

use crate::cfg::Loop;
use crate::ir::*;
use crate::opt::repair;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// The first iteration becomes code of its own: what enters the loop goes to the copy, and the copy goes on to the loop.
pub fn peel(f: &mut Function, l: &Loop) {
    let (blocks, values) = repair::copy_blocks(f, &l.blocks);
    let copy = blocks[&l.header];
    for b in 0..f.blocks.len() as u32 {
        let b = Block(b);
        if !blocks.contains_key(&b) {
            // The copies' jumps back are next iterations.
            f[b].term.each_target_mut(|t| {
                t.block = if t.block == copy { l.header } else if t.block == l.header { copy } else { t.block };
            });
        }
    }
    join(f, l, &blocks, &values);
}

/// Two iterations a round: the loop's jumps back go to a copy, the copy's to the loop.
pub fn double(f: &mut Function, l: &Loop) {
    let (blocks, values) = repair::copy_blocks(f, &l.blocks);
    let copy = blocks[&l.header];
    for &b in &l.blocks {
        f[b].term.each_target_mut(|t| {
            if t.block == l.header {
                t.block = copy;
            }
        });
        f[blocks[&b]].term.each_target_mut(|t| {
            if t.block == copy {
                t.block = l.header;
            }
        });
    }
    join(f, l, &blocks, &values);
}

/// Repairs the uses behind a loop that has a copy now.
fn join(f: &mut Function, l: &Loop, blocks: &FxHashMap<Block, Block>, values: &FxHashMap<Value, Value>) {
    let inside: FxHashSet<Block> = blocks.iter().flat_map(|(&b, &c)| [b, c]).collect();
    let mut used: FxHashSet<Value> = FxHashSet::default();
    for (b, block) in f.blocks.iter().enumerate() {
        if !inside.contains(&Block(b as u32)) {
            let mut see = |v: Value| drop(values.contains_key(&v) && used.insert(v));
            block.insts.iter().for_each(|i| i.op.each_operand(&mut see));
            block.term.each_operand(&mut see);
        }
    }
    let mut defs = Vec::new();
    for &b in &l.blocks {
        for v in repair::defined(f, b) {
            if used.contains(&v) {
                defs.push((v, b, values[&v], blocks[&b]));
            }
        }
    }
    if !defs.is_empty() {
        repair::repair(f, &defs, |b| inside.contains(&b));
    }
}
