//! Unrolling: tight loops do four iterations a round, so that one poll serves four.
//!
//! Ssa -> Ssa, the last pass before the safepoints, which come to stand where a cycle closes. Each iteration keeps its
//! exit, so nothing is assumed of their number. Measured: a poll in a loop of one cycle an iteration costs 20 %. Counting
//! the polls instead was slower. Keeps: order of effects, types.
//!
//! | loop | becomes |
//! |---|---|
//! | innermost, no call, allocation or other safepoint, at most 12 instructions | 4 iterations |
//! | likewise, at most 24 | 2 iterations |
//! | others | what they are: the poll is not what they cost |

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::ir::*;
use crate::opt::{peel, rotate, simplify};

const MAX_FOUR: usize = 12;
const MAX_TWO: usize = 24;
const MAX_BLOCKS: usize = 6;
/// A function does not grow by more instructions than this.
const MAX_GROWTH: usize = 2000;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    let Program { funcs, datas, .. } = p;
    for f in funcs {
        function(f, datas);
    }
}

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    let mut room = MAX_GROWTH;
    if once(f, MAX_TWO, MAX_BLOCKS, &mut room) {
        once(f, 2 * MAX_FOUR, 2 * MAX_BLOCKS, &mut room);
        simplify::function(f, datas);
    }
}

/// Doubles the loops of at most so many instructions and blocks that would poll.
fn once(f: &mut Function, most: usize, blocks: usize, room: &mut usize) -> bool {
    if !rotate::has_back_edge(f) {
        return false;
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    let mut has_inner = vec![false; loops.loops.len()];
    loops.loops.iter().filter_map(|l| l.parent).for_each(|p| has_inner[p] = true);
    let mut chosen: Vec<Loop> = Vec::new();
    for (i, l) in loops.loops.iter().enumerate() {
        if has_inner[i] || l.blocks.len() > blocks || !polls(f, l) {
            continue;
        }
        let size = peel::size(f, l);
        if size <= most && size <= *room {
            *room -= size;
            chosen.push(l.clone());
        }
    }
    if !chosen.is_empty() {
        peel::double(f, &chosen);
    }
    !chosen.is_empty()
}

/// Whether nothing in the loop is a safepoint, so that it will poll; and whether it is a plain loop with an end.
fn polls(f: &Function, l: &Loop) -> bool {
    let mut exits = false;
    for &b in &l.blocks {
        f[b].term.each_target(|t| exits |= !l.blocks.contains(&t.block));
        if f[b].cold
            || matches!(f[b].term, Term::Invoke { .. })
            || f[b].insts.iter().any(|i| i.op.is_safepoint() || matches!(i.op, Op::Alloc { .. }))
        {
            return false;
        }
    }
    exits
}
