//! Selections: a branch around a few cheap pure operations computes both ways and selects.
//!
//! Ssa -> Ssa, after `checks`: what could raise must be gone. `if c then l + 1 else l` becomes `l + c`, so a loop over
//! data that nobody can predict has no branch. Keeps: order of effects, types.
//!
//! | shape | becomes |
//! |---|---|
//! | `branch c, j(x), j(y)` | `jump j(select c, x, y)` |
//! | `branch c, b(), j(y)`; `b: pure; jump j(x)` | likewise, `b`'s operations in front |
//! | `branch c, b(), d()`; both jump to `j` | likewise |
//! | `select c, x + 1, x` where c is 0 or 1 | `x + c` |
//!
//! A branch stays where the processor's guess is worth more than a sure answer: where the condition is on the fields of
//! objects that an array refers to, and the selected number is an index of later loads. Which child of a heap's node is
//! less is such a choice: the processor guesses, and fetches the guess's children meanwhile; a selection would have it
//! wait for two loads, one after the other, at each level. (A walk through a heap of four million records took 700 ms
//! with selections, and takes 250 with branches. Loads of numbers from the array itself are selected by: a binary
//! search in the caches takes half of the time so.)

use crate::cfg::{Cfg, Def, definitions};
use crate::ir::*;
use crate::opt::simplify;
use smallvec::SmallVec;

/// Most operations that are computed in vain, and most values that are selected.
const MAX_INSTS: usize = 2;
const MAX_SELECTS: usize = 2;

/// One function; whether it has changed.
pub fn function(f: &mut Function, datas: &[StaticData]) -> bool {
    let cfg = Cfg::new(f);
    let mut changed = false;
    let mut guesses = None;
    // From the last block to the first: inner selections come before those around them.
    for &b in cfg.rpo.iter().rev() {
        changed |= block(f, &cfg, b, &mut guesses);
    }
    if changed {
        adds(f);
        simplify::function(f, datas);
    }
    changed
}

/// What a way of a branch does: the block that it goes through, if any, and where it comes out.
fn way(f: &Function, cfg: &Cfg, t: &Target) -> Option<(Option<Block>, Target)> {
    let through = &f[t.block];
    let cheap = cfg.preds(t.block).len() == 1
        && through.params.is_empty()
        && !through.cold
        && through.insts.iter().all(|i| i.op.is_const() || is_cheap(&i.op))
        && through.insts.iter().filter(|i| !i.op.is_const()).count() <= MAX_INSTS;
    match &through.term {
        Term::Jump(next) if cheap && next.block != t.block => Some((Some(t.block), next.clone())),
        _ => None,
    }
}

/// One cycle, and without a trap.
fn is_cheap(op: &Op) -> bool {
    match op {
        Op::Unary(u, _) => u.types() == (Ty::I64, Ty::I64),
        Op::Binary(b, ..) => {
            matches!(
                b,
                Binary::Add
                    | Binary::Sub
                    | Binary::And
                    | Binary::Or
                    | Binary::Xor
                    | Binary::Shl
                    | Binary::Shr
                    | Binary::Sar
            )
        }
        Op::Cmp(..) | Op::Select(..) => true,
        _ => false,
    }
}

/// What is worth a guess: by value, whether it is a comparison of fields of objects from arrays, and whether it is an
/// index of a load or goes into one.
struct Guesses {
    compares: Vec<bool>,
    indexes: Vec<bool>,
}

impl Guesses {
    fn new(f: &Function, cfg: &Cfg) -> Guesses {
        let n = f.values.len();
        let (mut elements, mut fields) = (vec![false; n], vec![false; n]);
        let mut guesses = Guesses { compares: vec![false; n], indexes: vec![false; n] };
        let insts = || cfg.rpo.iter().flat_map(|&b| &f[b].insts);
        for inst in insts() {
            let Some(result) = inst.results.first().map(|v| v.0 as usize) else { continue };
            match inst.op {
                Op::ElemLoad { elem, .. } => elements[result] = elem == Elem::Ref,
                Op::Load { obj, ty: Ty::I64, .. } => fields[result] = elements[obj.0 as usize],
                Op::Cmp(_, x, y) => guesses.compares[result] = fields[x.0 as usize] && fields[y.0 as usize],
                _ => {}
            }
        }
        // Hardly any function has one, and the rest is the larger part of the work.
        if !guesses.compares.contains(&true) {
            return guesses;
        }
        // What an index is computed from, by definition; and the parameters, by the arguments of each edge.
        let mut from: Vec<SmallVec<[Value; 2]>> = vec![SmallVec::new(); n];
        let mut work = Vec::new();
        for inst in insts() {
            match inst.op {
                Op::ElemLoad { index, .. } => work.push(index),
                Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl, x, y) | Op::Ovf(_, x, y) => {
                    from[inst.results[0].0 as usize].extend([x, y]);
                }
                _ => {}
            }
        }
        for &b in &cfg.rpo {
            f[b].term.each_target(|t| {
                let params = &f[t.block].params;
                for (param, &arg) in params[params.len() - t.args.len()..].iter().zip(&t.args) {
                    from[param.0 as usize].push(arg);
                }
            });
        }
        while let Some(v) = work.pop() {
            if !std::mem::replace(&mut guesses.indexes[v.0 as usize], true) {
                work.extend(from[v.0 as usize].iter().copied());
            }
        }
        guesses
    }

    /// Values that came later are selections.
    fn is_worth(&self, condition: Value, to: &[Value]) -> bool {
        let has = |set: &[bool], v: Value| set.get(v.0 as usize).copied().unwrap_or(false);
        has(&self.compares, condition) && to.iter().any(|&v| has(&self.indexes, v))
    }
}

fn block(f: &mut Function, cfg: &Cfg, b: Block, guesses: &mut Option<Guesses>) -> bool {
    let Term::Branch(c, yes, no) = &f[b].term else { return false };
    let (c, yes, no) = (*c, yes.clone(), no.clone());
    let (on_yes, on_no) = (way(f, cfg, &yes), way(f, cfg, &no));
    let (through, yes, no) = match (on_yes, on_no) {
        (Some((x, to)), Some((y, other))) if to.block == other.block => ([x, y], to, other),
        (Some((x, to)), _) if to.block == no.block => ([x, None], to, no),
        (_, Some((y, to))) if to.block == yes.block => ([None, y], yes, to),
        _ if yes.block == no.block => ([None, None], yes, no),
        _ => return false,
    };
    // A loop's test stays a branch.
    if yes.block == b || f[yes.block].cold || yes.args.len() != f[yes.block].params.len() {
        return false;
    }
    let differ: SmallVec<[usize; 4]> = (0..yes.args.len()).filter(|&i| yes.args[i] != no.args[i]).collect();
    let integer = |i: usize| f.ty(yes.args[i]) == Ty::I64;
    if differ.len() > MAX_SELECTS || !differ.iter().all(|&i| integer(i)) {
        return false;
    }
    let params: SmallVec<[Value; 4]> = differ.iter().map(|&i| f[yes.block].params[i]).collect();
    if !differ.is_empty() && guesses.get_or_insert_with(|| Guesses::new(f, cfg)).is_worth(c, &params) {
        return false;
    }
    let loc = f[b].insts.last().map(|i| i.loc).unwrap_or_default();
    for t in through.into_iter().flatten() {
        let insts = std::mem::take(&mut f[t].insts);
        f[b].insts.extend(insts);
        f[t].term = Term::Unreachable;
    }
    let mut args = yes.args.clone();
    for i in differ {
        args[i] = f.push(b, Op::Select(c, yes.args[i], no.args[i]), loc);
    }
    f[b].term = Term::Jump(Target { block: yes.block, args });
    true
}

/// `select c, x + 1, x` is `x + c` for a comparison.
fn adds(f: &mut Function) {
    let cfg = Cfg::new(f);
    let defs = definitions(f, &cfg);
    let ints = crate::cfg::int_constants(f);
    let op = |v: Value| match defs[v.0 as usize] {
        Def::Inst { block, inst, result: 0 } => Some(&f[block].insts[inst as usize].op),
        _ => None,
    };
    let mut new: Vec<(Block, usize, Op)> = Vec::new();
    for &b in &cfg.rpo {
        for (i, inst) in f[b].insts.iter().enumerate() {
            if let Op::Select(c, x, y) = inst.op
                && let Some(Op::Binary(Binary::Add, z, one)) = op(x)
                && *z == y
                && ints[one.0 as usize] == Some(1)
                && matches!(op(c), Some(Op::Cmp(..) | Op::FCmp(..) | Op::RefEq(..) | Op::IsImm(_)))
            {
                new.push((b, i, Op::Binary(Binary::Add, y, c)));
            }
        }
    }
    for (b, i, op) in new {
        f[b].insts[i].op = op;
    }
}
