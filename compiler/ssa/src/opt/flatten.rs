//! Flattening: a tight loop that makes a few rounds, known when compiling, becomes these rounds one after the other.
//!
//! Ssa -> Ssa, behind `rotate`: the loop tests at its bottom, so it makes one round at least. A round is peeled off
//! until the last one's test says that the loop is never entered, and `simplify` drops it. So the four bytes of a word
//! that is put together in a loop are loaded at constant offsets, and their checks are provable. Keeps: order of
//! effects, types.

use crate::cfg::{Cfg, Dominators, Loop, Loops};
use crate::ir::*;
use crate::opt::{peel, rotate, simplify};

/// Most rounds of a loop, and most instructions of all of them.
const MAX_ROUNDS: usize = 8;
const MAX_INSTS: usize = 100;
/// Loops in loops: so often something is peeled at most.
const MAX_PEELS: usize = 24;

/// One function; whether it has changed.
pub fn function(f: &mut Function, datas: &[StaticData]) -> bool {
    for peels in 0..MAX_PEELS {
        if !rotate::has_back_edge(f) {
            return peels > 0;
        }
        let cfg = Cfg::new(f);
        let dom = Dominators::new(f, &cfg);
        let loops = Loops::new(f, &cfg, &dom);
        let mut ints = None;
        let mut chosen = Vec::new();
        for l in loops.leaves() {
            if l.latches.len() != 1 || !peel::tight(f, l) {
                continue;
            }
            let ints = ints.get_or_insert_with(|| crate::cfg::int_constants(f));
            if rounds(f, l, ints).is_some_and(|n| n * peel::size(f, l) <= MAX_INSTS) {
                chosen.push(l.clone());
            }
        }
        if chosen.is_empty() {
            return peels > 0;
        }
        peel::peel(f, &chosen);
        simplify::function(f, datas);
    }
    true
}

/// How many rounds a loop makes, if its latch's test decides that, and they are few.
fn rounds(f: &Function, l: &Loop, ints: &[Option<i64>]) -> Option<usize> {
    let latch = l.latches[0];
    let Term::Branch(c, yes, no) = &f[latch].term else { return None };
    let (back, on_yes) = match (yes.block == l.header, no.block == l.header) {
        (true, false) => (yes, true),
        (false, true) => (no, false),
        _ => return None,
    };
    let op = |v: Value| {
        let found = l.blocks.iter().flat_map(|&b| &f[b].insts).find(|i| i.results.first() == Some(&v));
        found.map(|i| &i.op)
    };
    let constant = |v: Value| ints[v.0 as usize];
    // The tested value, and what goes on.
    let (cond, x, limit) = match op(*c) {
        Some(&Op::Cmp(cond, x, y)) => match (constant(x), constant(y)) {
            (None, Some(k)) => (cond, x, k),
            (Some(k), None) => (cond.swapped(), y, k),
            _ => return None,
        },
        _ => (Cond::Ne, *c, 0),
    };
    let cond = if on_yes { cond } else { cond.negated() };
    for (counter, &n) in f[l.header].params.iter().enumerate() {
        let next = back.args[counter];
        let step = match op(next) {
            Some(&Op::Binary(Binary::Add, a, b) | &Op::Ovf(Ovf::Add, a, b)) if a == n => constant(b),
            Some(&Op::Binary(Binary::Sub, a, b) | &Op::Ovf(Ovf::Sub, a, b)) if a == n => {
                constant(b).and_then(i64::checked_neg)
            }
            _ => None,
        };
        let (Some(step), true) = (step, x == n || x == next) else { continue };
        let mut value = first(f, l, counter, ints)?;
        for round in 1..=MAX_ROUNDS {
            let after = value.checked_add(step)?;
            if !holds(cond, if x == n { value } else { after }, limit) {
                return Some(round);
            }
            value = after;
        }
        return None;
    }
    None
}

/// The constant that the parameter has whenever the loop is entered.
fn first(f: &Function, l: &Loop, counter: usize, ints: &[Option<i64>]) -> Option<i64> {
    let mut value = None;
    let mut same = true;
    for (b, block) in f.blocks.iter().enumerate() {
        if l.blocks.contains(&Block(b as u32)) {
            continue;
        }
        block.term.each_target(|t| {
            if t.block == l.header {
                let arg = t.args.get(counter).and_then(|v| ints[v.0 as usize]);
                same &= arg.is_some() && value.is_none_or(|v| Some(v) == arg);
                value = value.or(arg);
            }
        });
    }
    value.filter(|_| same)
}

fn holds(cond: Cond, x: i64, y: i64) -> bool {
    match cond {
        Cond::Eq => x == y,
        Cond::Ne => x != y,
        Cond::Lt => x < y,
        Cond::Le => x <= y,
        Cond::Gt => x > y,
        Cond::Ge => x >= y,
        Cond::ULt => (x as u64) < y as u64,
        Cond::ULe => x as u64 <= y as u64,
        Cond::UGt => x as u64 > y as u64,
        Cond::UGe => x as u64 >= y as u64,
    }
}
