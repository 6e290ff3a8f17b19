//! Atomic sections without a safepoint -> no code: their begins and ends become `atomic 0`.
//!
//! Ssa -> Ssa, after the polls and heap checks are there. A thread is switched at safepoints only, and a worker gives a
//! lock away only there; so a section that comes to none needs no count of its depth. Up to here its begin and end have
//! kept the optimiser from moving loads and stores across them, which is all that is left to do for them.
//!
//! Begins and ends go together: an end is made light only if every way to it comes from begins that are, and a begin
//! only if every way from it comes to ends that are, before any safepoint, return, handler or way back.

use rustc_hash::{FxHashMap, FxHashSet};

use leat_abi::prim::Raises;

use crate::cfg::Cfg;
use crate::ir::*;
use crate::ops::Effect;

/// A place of an operation: its block and its index there.
type Place = (u32, usize);

/// Makes the light sections of a function light.
pub fn lighten(f: &mut Function) {
    let mut ends_of: FxHashMap<Place, Vec<Place>> = FxHashMap::default();
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if matches!(inst.op, Op::Atomic(1))
                && let Some(ends) = ends(f, (b as u32, i))
            {
                ends_of.insert((b as u32, i), ends);
            }
        }
    }
    if ends_of.is_empty() {
        return;
    }
    let cfg = Cfg::new(f);
    let mut begins_of: FxHashMap<Place, Option<Vec<Place>>> = FxHashMap::default();
    for &end in ends_of.values().flatten() {
        begins_of.entry(end).or_insert_with(|| begins(f, &cfg, end));
    }
    // A begin stays heavy with one of its ends, and an end with one of its begins.
    loop {
        let heavy: Vec<Place> = ends_of
            .iter()
            .filter(|(_, ends)| {
                ends.iter().any(|end| match &begins_of[end] {
                    Some(begins) => begins.iter().any(|begin| !ends_of.contains_key(begin)),
                    None => true,
                })
            })
            .map(|(&begin, _)| begin)
            .collect();
        if heavy.is_empty() {
            break;
        }
        heavy.iter().for_each(|begin| {
            ends_of.remove(begin);
        });
    }
    for (begin, ends) in &ends_of {
        for &(b, i) in ends.iter().chain([begin]) {
            f.blocks[b as usize].insts[i].op = Op::Atomic(0);
        }
    }
}

/// The ends that a begin comes to; None if it may come to anything else before.
fn ends(f: &Function, begin: Place) -> Option<Vec<Place>> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![(begin.0, begin.1 + 1)];
    while let Some((b, from)) = work.pop() {
        let block = &f.blocks[b as usize];
        let mut ended = false;
        for (i, inst) in block.insts.iter().enumerate().skip(from) {
            match inst.op {
                Op::Atomic(-1) => {
                    found.push((b, i));
                    ended = true;
                    break;
                }
                Op::Atomic(_) => return None,
                ref op if op.is_safepoint() || may_raise(op) => return None,
                _ => {}
            }
        }
        if ended {
            continue;
        }
        if !matches!(block.term, Term::Jump(_) | Term::Branch(..) | Term::Switch(..)) {
            return None;
        }
        // Blocks are in reverse postorder: only the end of a loop goes back.
        let mut back = false;
        block.term.each_target(|t| {
            back |= t.block.0 <= b;
            if seen.insert(t.block.0) {
                work.push((t.block.0, 0));
            }
        });
        if back {
            return None;
        }
    }
    Some(found)
}

/// A handler may end the section, too.
pub(super) fn may_raise(op: &Op) -> bool {
    match op {
        Op::Call(Callee::Prim(p), _) => p.raises() != Raises::Nothing,
        Op::Call(Callee::Foreign(..), _) => false,
        Op::Call(..) => true,
        op => op.effect() == Effect::Guards,
    }
}

/// The begins from which an end is reached; None if it is reached from elsewhere.
fn begins(f: &Function, cfg: &Cfg, end: Place) -> Option<Vec<Place>> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![(end.0, end.1)];
    while let Some((b, upto)) = work.pop() {
        let before = f.blocks[b as usize].insts.iter().take(upto).rposition(|inst| matches!(inst.op, Op::Atomic(_)));
        match before {
            Some(i) if matches!(f.blocks[b as usize].insts[i].op, Op::Atomic(1)) => found.push((b, i)),
            Some(_) => return None,
            None if b == f.entry.0 || cfg.preds(Block(b)).is_empty() => return None,
            None => {
                for &Block(p) in cfg.preds(Block(b)) {
                    if seen.insert(p) {
                        work.push((p, f.blocks[p as usize].insts.len()));
                    }
                }
            }
        }
    }
    Some(found)
}
