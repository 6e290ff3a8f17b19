//! Loop rotation: a loop that tests at its top tests at its bottom, behind a test of its own before the loop.
//!
//! Ssa -> Ssa. The header of a while-shaped loop is copied for the edges that enter the loop; the original is reached
//! from the latches only and merges with them, so an iteration has one jump less. Measured twice as fast for small
//! loops; the code generator does not do it. Keeps: order of effects, types; one iteration's test is code twice.

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::ir::*;
use crate::opt::repair::{self, Entered};
use crate::opt::simplify;
use rustc_hash::FxHashMap;

/// Most instructions of a header that is copied.
const MAX_HEADER: usize = 12;

/// One function; whether it has changed.
pub fn function(f: &mut Function, datas: &[StaticData]) -> bool {
    if !has_back_edge(f) {
        return false;
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    let mut edit = Edit { defs: Vec::new(), copies: FxHashMap::default() };
    let mut entered = None;
    for l in &loops.loops {
        if wanted(f, &cfg, &loops, l) {
            let entered = entered.get_or_insert_with(|| Entered::new(f, &cfg, &dom));
            rotate(f, &cfg, &loops, l, &entered.before(&dom, l.header), &mut edit);
        }
    }
    let changed = !edit.defs.is_empty() || !edit.copies.is_empty();
    if changed {
        // One repair for all loops, so that many of them cost no more.
        repair::repair(f, &edit.defs);
        simplify::function(f, datas);
    }
    changed
}

struct Edit {
    /// Values with two definitions: (original, its block, copy, its block).
    defs: Vec<(Value, Block, Value, Block)>,
    /// Copied headers by the blocks that they jump to; and the loop around their own.
    copies: FxHashMap<Block, Vec<(Block, Option<usize>)>>,
}

/// Whether any block jumps to itself or to an earlier one; blocks are in reverse postorder after each pass.
pub fn has_back_edge(f: &Function) -> bool {
    let mut back = false;
    for (i, block) in f.blocks.iter().enumerate() {
        block.term.each_target(|t| back |= t.block.0 as usize <= i);
    }
    back
}

/// Whether a block is in a loop or in one inside it.
fn inside(loops: &Loops, mut at: Option<usize>, l: &Loop) -> bool {
    while let Some(i) = at {
        if loops.loops[i].header == l.header {
            return true;
        }
        at = loops.loops[i].parent;
    }
    false
}

/// The exits of a loop at a block of it.
fn exits(f: &Function, loops: &Loops, l: &Loop, b: Block) -> Vec<Block> {
    let mut out = Vec::new();
    f[b].term.each_target(|t| {
        // Copies of headers have no entry; they only come to be while this runs, and a latch is no copy.
        if !inside(loops, loops.innermost.get(t.block.0 as usize).copied().flatten(), l) {
            out.push(t.block);
        }
    });
    out
}

fn wanted(f: &Function, cfg: &Cfg, loops: &Loops, l: &Loop) -> bool {
    if l.blocks.len() < 2
        || !cfg.reachable(l.header)
        || !matches!(f[l.header].term, Term::Branch(..) | Term::Switch(..))
    {
        return false;
    }
    let size = f[l.header].insts.iter().filter(|i| !i.op.is_const()).count();
    let calls = f[l.header].insts.iter().any(|i| i.op.is_safepoint() || matches!(i.op, Op::Alloc { .. }));
    // A check under a handler raises in a cold block: the loop is left there, but that is no test of its own.
    let tests = |&latch: &Block| exits(f, loops, l, latch).iter().any(|&b| !f[b].cold);
    size <= MAX_HEADER && !calls && !exits(f, loops, l, l.header).is_empty() && !l.latches.iter().any(tests)
}

fn rotate(f: &mut Function, cfg: &Cfg, loops: &Loops, l: &Loop, before: &impl Fn(u32) -> bool, edit: &mut Edit) {
    let header = l.header;
    let (blocks, values) = repair::copy_blocks(f, &[header], before);
    let copy = blocks[&header];
    // A jump of the header back to itself stays a jump to the original.
    f[copy].term.each_target_mut(|t| {
        if t.block == copy {
            t.block = header;
        }
    });
    let mut entering: Vec<Block> =
        cfg.preds(header).iter().copied().filter(|&b| !inside(loops, loops.innermost[b.0 as usize], l)).collect();
    if let Some(copies) = edit.copies.get(&header) {
        entering.extend(copies.iter().filter(|c| !inside(loops, c.1, l)).map(|c| c.0));
    }
    for b in entering {
        f[b].term.each_target_mut(|t| {
            if t.block == header {
                t.block = copy;
            }
        });
    }
    f[copy].term.each_target(|t| edit.copies.entry(t.block).or_default().push((copy, l.parent)));
    edit.defs.extend(repair::defined(f, header).into_iter().map(|v| (v, header, values[&v], copy)));
}
