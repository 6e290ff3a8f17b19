//! Unrolling: tight loops do four iterations a round, so that one poll serves four.
//!
//! Ssa -> Ssa, the last pass before the safepoints, which come to stand where a cycle closes. Where a counter ends the
//! loop, the four share a test too ([`counted`]); elsewhere each iteration keeps its exit. Measured: a poll in a loop
//! of one cycle an iteration costs 20 %. Counting the polls instead was slower. Keeps: order of effects, types.
//!
//! | loop | becomes |
//! |---|---|
//! | innermost, no call, allocation or other safepoint, at most 12 instructions, a counter's test at its end only | 4 iterations, 1 test |
//! | a counted one that counts the bytes equal to a constant | 16 iterations, 1 test, 1 comparison of 16 bytes |
//! | innermost, no call, allocation or other safepoint, at most 12 instructions | 4 iterations |
//! | likewise, at most 24 | 2 iterations |
//! | others | what they are: the poll is not what they cost |

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::ir::*;
use crate::ops::Effect;
use crate::opt::counted::{self, Counted};
use crate::opt::{gvn, peel, rotate, simplify};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

const MAX_FOUR: usize = 12;
const MAX_TWO: usize = 24;
const MAX_BLOCKS: usize = 6;
/// A function does not grow by more instructions than this.
const MAX_GROWTH: usize = 2000;

/// One function.
pub fn function(f: &mut Function, datas: &[StaticData]) {
    let mut room = MAX_GROWTH;
    let doubled = once(f, MAX_TWO, MAX_BLOCKS, &mut room);
    if doubled {
        once(f, 2 * MAX_FOUR, 2 * MAX_BLOCKS, &mut room);
    }
    if by_count(f, &mut room) || doubled {
        simplify::function(f, datas);
        // What an iteration stores or computes, the next one in its round need not load or compute.
        if gvn::function(f) {
            simplify::function(f, datas);
        }
        shorten_sums(f);
    }
}

/// `((p + a) + b) + c` with `p` a parameter of the block becomes `p + (a + (b + c))` when nothing else needs the parts:
/// a round waits for one addition of the last one's, not four, which was what the time of loops that count went into.
fn shorten_sums(f: &mut Function) {
    let uses = crate::cfg::use_counts(f);
    let ints = crate::cfg::int_constants(f);
    for b in 0..f.blocks.len() {
        let block = &f.blocks[b];
        if block.params.is_empty() || block.insts.len() < 3 {
            continue;
        }
        // The sum that each value of this block is, if its parts have no other use.
        let mut sums: FxHashMap<Value, Sum> = FxHashMap::default();
        for (i, inst) in block.insts.iter().enumerate() {
            let Op::Binary(Binary::Add, x, y) = inst.op else { continue };
            let longer = |v: &Value| uses[v.0 as usize] == 1 && sums.contains_key(v);
            let sum = if let Some(part) = [x, y].into_iter().find(longer)
                && let Some(mut sum) = sums.remove(&part)
            {
                sum.terms.push_back(if part == x { y } else { x });
                sum.at.push(i);
                sum
            } else if let Some(param) = [x, y].into_iter().find(|v| block.params.contains(v)) {
                Sum { param, terms: [if param == x { y } else { x }].into(), at: vec![i] }
            } else {
                continue;
            };
            sums.insert(inst.results[0], sum);
        }
        let mut last: FxHashMap<usize, Sum> = FxHashMap::default();
        let mut gone: FxHashSet<usize> = FxHashSet::default();
        let mut counts: FxHashMap<usize, Op> = FxHashMap::default();
        for sum in sums.into_values().filter(|s| s.terms.len() >= 3) {
            let (&end, parts) = sum.at.split_last().expect("three at least");
            gone.extend(parts);
            if let Some((count, parts)) = bytes_counted(block, &uses, &ints, &sum.terms) {
                gone.extend(parts);
                counts.insert(end, count);
            }
            last.insert(end, sum);
        }
        if last.is_empty() {
            continue;
        }
        let old = std::mem::take(&mut f.blocks[b].insts);
        let mut insts = Vec::with_capacity(old.len());
        for (i, mut inst) in old.into_iter().enumerate() {
            if let Some(mut sum) = last.remove(&i) {
                if let Some(count) = counts.remove(&i) {
                    let count = f.make(count, &[Ty::I64], inst.loc);
                    sum.terms = [count.results[0]].into();
                    insts.push(count);
                }
                while sum.terms.len() > 1 {
                    let (x, y) = (sum.terms[0], sum.terms[1]);
                    sum.terms.drain(..2);
                    let both = f.make(Op::Binary(Binary::Add, x, y), &[Ty::I64], inst.loc);
                    sum.terms.push_back(both.results[0]);
                    insts.push(both);
                }
                inst.op = Op::Binary(Binary::Add, sum.param, sum.terms[0]);
            }
            if !gone.contains(&i) {
                insts.push(inst);
            }
        }
        f.blocks[b].insts = insts;
    }
}

/// Sixteen comparisons of neighbouring bytes with a constant, needed for their sum alone: their number as one
/// operation, and where the parts stand that are not needed any more.
fn bytes_counted(
    block: &BlockData,
    uses: &[u32],
    ints: &[Option<i64>],
    terms: &VecDeque<Value>,
) -> Option<(Op, Vec<usize>)> {
    if terms.len() != 16 || block.insts.iter().any(|i| i.op.effect() == Effect::Writes) {
        return None;
    }
    let at = |v: Value| block.insts.iter().position(|i| i.results.first() == Some(&v));
    let mut parts = Vec::new();
    let mut bytes: Vec<(i64, Value)> = Vec::new();
    let mut same: Option<(Value, Value, i64)> = None;
    for &term in terms {
        let test = at(term).filter(|_| uses[term.0 as usize] == 1)?;
        let Op::Cmp(Cond::Eq, byte, k) = block.insts[test].op else { return None };
        let k = ints[k.0 as usize].filter(|k| (0..256).contains(k))?;
        let load = at(byte).filter(|_| uses[byte.0 as usize] == 1)?;
        let Op::ElemLoad { elem: Elem::U8, array, index, .. } = block.insts[load].op else { return None };
        let (base, offset) = match at(index).map(|i| &block.insts[i].op) {
            Some(&Op::Binary(Binary::Add, x, d)) if ints[d.0 as usize].is_some() => (x, ints[d.0 as usize]?),
            _ => (index, 0),
        };
        if *same.get_or_insert((array, base, k)) != (array, base, k) {
            return None;
        }
        parts.extend([test, load]);
        bytes.push((offset, index));
    }
    bytes.sort_unstable_by_key(|b| b.0);
    let (first, index) = bytes[0];
    if bytes.iter().zip(0..).any(|(b, i)| b.0 != first.wrapping_add(i)) {
        return None;
    }
    let (array, _, byte) = same?;
    Some((Op::CountBytes { array, index, byte: byte as u8 }, parts))
}

/// A parameter of a block plus some values.
struct Sum {
    param: Value,
    terms: VecDeque<Value>,
    /// The additions, the last one last.
    at: Vec<usize>,
}

/// The innermost loops of at most so many instructions and blocks that would poll, with their form if they are counted.
fn candidates(f: &Function, most: usize, blocks: usize) -> Vec<(Loop, Option<Counted>)> {
    if !rotate::has_back_edge(f) {
        return Vec::new();
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    let mut tables = None;
    let mut out = Vec::new();
    for l in loops.leaves() {
        let size = peel::size(f, l);
        if l.blocks.len() <= blocks && size <= most && polls(f, l) {
            let (defs, ints) = tables.get_or_insert_with(|| counted::facts(f, &cfg));
            let form = if size <= MAX_FOUR && l.blocks.len() <= MAX_BLOCKS {
                counted::counted(f, l, &dom, defs, ints)
            } else {
                None
            };
            out.push((l.clone(), form));
        }
    }
    out
}

/// Doubles the loops that are not counted.
fn once(f: &mut Function, most: usize, blocks: usize, room: &mut usize) -> bool {
    let mut chosen: Vec<Loop> = Vec::new();
    for (l, form) in candidates(f, most, blocks) {
        let size = peel::size(f, &l);
        if form.is_none() && size <= *room {
            *room -= size;
            chosen.push(l);
        }
    }
    if !chosen.is_empty() {
        peel::double(f, &chosen);
    }
    !chosen.is_empty()
}

/// Unrolls those that are.
fn by_count(f: &mut Function, room: &mut usize) -> bool {
    let mut chosen: Vec<(Loop, Counted)> = Vec::new();
    for (l, form) in candidates(f, MAX_FOUR, MAX_BLOCKS) {
        let size = 4 * peel::size(f, &l) + 4;
        if let Some(form) = form
            && size <= *room
        {
            *room -= size;
            chosen.push((l, form));
        }
    }
    if !chosen.is_empty() {
        counted::unroll(f, &chosen);
    }
    !chosen.is_empty()
}

/// Whether nothing in the loop is a safepoint, so that it will poll; and whether it is a plain loop with an end.
fn polls(f: &Function, l: &Loop) -> bool {
    let mut exits = false;
    for &b in &l.blocks {
        f[b].term.each_target(|t| exits |= !l.blocks.contains(&t.block));
        if f[b].cold
            || matches!(f[b].term, Term::Invoke { .. } | Term::Scope { .. })
            || f[b].insts.iter().any(|i| i.op.is_safepoint() || matches!(i.op, Op::Alloc { .. }))
        {
            return false;
        }
    }
    exits
}
