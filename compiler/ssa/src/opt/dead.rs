//! Dead code: instructions and block parameters that nothing needs are dropped.
//!
//! Ssa -> Ssa, a part of `simplify`. Marks backwards from effects and ends of blocks, so that what only keeps itself
//! alive around a loop goes too.

use crate::ir::*;
use crate::ops::Effect;
use smallvec::SmallVec;

/// Tables by value, kept from one function to the next.
#[derive(Default)]
pub(crate) struct Pool {
    live: Vec<bool>,
    place: Vec<Place>,
    work: Vec<Value>,
    edges: Vec<SmallVec<[(u32, u32); 2]>>,
}

/// Takes a table and fills it anew.
pub(crate) fn table<T: Clone>(from: &mut Vec<T>, n: usize, item: T) -> Vec<T> {
    let mut out = std::mem::take(from);
    out.clear();
    out.resize(n, item);
    out
}

/// Where a value is defined: block and number there.
#[derive(Clone, Copy)]
enum Place {
    None,
    Param(u32, u32),
    Inst(u32, u32),
}

/// Keeps the parameters (and the arguments of every edge) that the masks keep.
pub(crate) fn filter_params(f: &mut Function, keep: &[Option<Vec<bool>>]) {
    for block in &mut f.blocks {
        block.term.each_target_mut(|t| {
            if let Some(mask) = &keep[t.block.0 as usize] {
                let given = mask.len() - t.args.len();
                let mut i = given;
                t.args.retain(|_| {
                    i += 1;
                    mask[i - 1]
                });
            }
        });
    }
    for (block, mask) in f.blocks.iter_mut().zip(keep) {
        if let Some(mask) = mask {
            let mut i = 0;
            block.params.retain(|_| {
                i += 1;
                mask[i - 1]
            });
        }
    }
}

/// Drops instructions and parameters that nothing needs: marks from the effects backwards.
pub(crate) fn dead_code(f: &mut Function) -> bool {
    run(f, &mut Pool::default())
}

/// Likewise, with tables to use.
pub(crate) fn run(f: &mut Function, pool: &mut Pool) -> bool {
    let n = f.values.len();
    let mut place = table(&mut pool.place, n, Place::None);
    // Edges into each block: (block, number of the target).
    let mut edges = table(&mut pool.edges, f.blocks.len(), SmallVec::new());
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, &p) in block.params.iter().enumerate() {
            place[p.0 as usize] = Place::Param(b as u32, i as u32);
        }
        for (i, inst) in block.insts.iter().enumerate() {
            inst.results.iter().for_each(|r| place[r.0 as usize] = Place::Inst(b as u32, i as u32));
        }
        let mut k = 0;
        block.term.each_target(|t| {
            edges[t.block.0 as usize].push((b as u32, k));
            k += 1;
        });
    }
    let mut live = table(&mut pool.live, n, false);
    let mut work = table(&mut pool.work, 0, Value(0));
    let mut mark = |v: Value, work: &mut Vec<Value>| {
        if !std::mem::replace(&mut live[v.0 as usize], true) {
            work.push(v);
        }
    };
    for block in &f.blocks {
        for inst in &block.insts {
            if matches!(inst.op.effect(), Effect::Writes | Effect::Guards) {
                inst.op.each_operand(|v| mark(v, &mut work));
            }
        }
        // Operands of the terminator, but not the arguments of its targets.
        match &block.term {
            Term::Branch(v, ..) | Term::Switch(v, ..) | Term::Raise(v) => mark(*v, &mut work),
            Term::Return(vs) => vs.iter().for_each(|&v| mark(v, &mut work)),
            Term::TailCall(callee, args) | Term::Invoke { callee, args, .. } => {
                callee.each_operand(|v| mark(v, &mut work));
                args.iter().for_each(|&v| mark(v, &mut work));
            }
            Term::Jump(_) | Term::Scope { .. } | Term::RaiseBuiltin(_) | Term::Unreachable => {}
        }
    }
    // What an invoke gives stays, though unused; so what other edges give in its place is needed.
    let mut given: Vec<usize> = vec![0; f.blocks.len()];
    for block in &f.blocks {
        block.term.each_target(|t| {
            let most = &mut given[t.block.0 as usize];
            *most = (*most).max(f[t.block].params.len() - t.args.len());
        });
    }
    for (b, &count) in given.iter().enumerate() {
        f.blocks[b].params[..count].iter().for_each(|&v| mark(v, &mut work));
    }
    while let Some(v) = work.pop() {
        match place[v.0 as usize] {
            Place::None => {}
            Place::Inst(b, i) => {
                let op = &f.blocks[b as usize].insts[i as usize].op;
                if !matches!(op.effect(), Effect::Writes | Effect::Guards) {
                    op.each_operand(|v| mark(v, &mut work));
                }
            }
            Place::Param(b, i) => {
                let count = f.blocks[b as usize].params.len();
                for &(from, k) in &edges[b as usize] {
                    let mut at = 0;
                    f.blocks[from as usize].term.each_target(|t| {
                        if at == k {
                            let given = count - t.args.len();
                            if let Some(j) = (i as usize).checked_sub(given) {
                                mark(t.args[j], &mut work);
                            }
                        }
                        at += 1;
                    });
                }
            }
        }
    }
    let mut changed = false;
    for block in &mut f.blocks {
        let before = block.insts.len();
        block.insts.retain_mut(|inst| {
            // An addition whose overflow nobody looks at wraps.
            if let Op::Ovf(op, a, b) = inst.op
                && !live[inst.results[1].0 as usize]
                && live[inst.results[0].0 as usize]
            {
                let op = match op {
                    Ovf::Add => Binary::Add,
                    Ovf::Sub => Binary::Sub,
                    Ovf::Mul => Binary::Mul,
                };
                inst.op = Op::Binary(op, a, b);
                inst.results.pop();
                changed = true;
            }
            matches!(inst.op.effect(), Effect::Writes | Effect::Guards)
                || inst.results.iter().any(|r| live[r.0 as usize])
        });
        changed |= block.insts.len() != before;
    }
    let mut keep: Vec<Option<Vec<bool>>> = Vec::new();
    let mut any = false;
    for (b, block) in f.blocks.iter().enumerate() {
        if b == f.entry.0 as usize || block.params.iter().all(|p| live[p.0 as usize]) {
            continue;
        }
        let mask: Vec<bool> = block.params.iter().map(|p| live[p.0 as usize]).collect();
        if mask.iter().any(|k| !k) {
            keep.resize(f.blocks.len(), None);
            keep[b] = Some(mask);
            any = true;
        }
    }
    if any {
        filter_params(f, &keep);
        changed = true;
    }
    pool.place = place;
    pool.edges = edges;
    pool.live = live;
    pool.work = work;
    changed
}
