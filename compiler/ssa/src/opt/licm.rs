//! Loop-invariant motion: what is the same in every iteration is computed before the loop.
//!
//! Ssa -> Ssa, after rotation. A pure operation on values from outside goes to the block before the loop, from inner
//! loops outwards. Loads go only where the object is sure to be there: out of the loop's first block (which always
//! runs), or from the function's own closure. An element is never loaded before its bounds check. A guard that is the
//! same in every iteration goes out of the first block if nothing with an effect stands before it there; so does a pure
//! function of C, which may rely on the guards before it. Constants stay.

use crate::cfg::{Cfg, Def, Dominators, Loops, definitions};
use crate::ir::*;
use crate::ops::Effect;
use crate::opt::{rotate, simplify};
use leat_abi::foreign::Way;

/// One function; whether it may have changed: whether it has a loop.
pub fn function(f: &mut Function) -> bool {
    if !rotate::has_back_edge(f) {
        return false;
    }
    preheaders(f);
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    let mut place: Vec<Block> = definitions(f, &cfg)
        .into_iter()
        .map(|d| match d {
            Def::Param { block, .. } | Def::Inst { block, .. } => block,
            Def::None => Block(u32::MAX),
        })
        .collect();
    let consts: Vec<Option<Op>> = {
        let mut out = vec![None; f.values.len()];
        for inst in f.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.op.is_const()) {
            out[inst.results[0].0 as usize] = Some(inst.op.clone());
        }
        out
    };
    let closure = if f.is_closure { f[f.entry].params.first().copied() } else { None };
    let mut order: Vec<usize> = (0..loops.loops.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(loops.loops[i].depth));
    for i in order {
        let l = &loops.loops[i];
        let Some(&before) = cfg.preds(l.header).iter().find(|p| !l.latches.contains(p)) else { continue };
        if !matches!(f[before].term, Term::Jump(_)) {
            continue;
        }
        // In reverse postorder, so that operands go first.
        let mut blocks = l.blocks.clone();
        blocks.sort_unstable_by_key(|b| cfg.order[b.0 as usize]);
        let mut is_in = rustc_hash::FxHashSet::default();
        is_in.extend(blocks.iter().copied());
        for &b in &blocks {
            if loops.innermost[b.0 as usize] != Some(i) {
                // What could leave the inner loop stands before it now, in a block of this loop.
                continue;
            }
            let first = b == l.header;
            // Nothing with an effect stands before in the first block: an invariant guard may go first.
            let mut calm = first;
            let insts = std::mem::take(&mut f[b].insts);
            let mut stay = Vec::with_capacity(insts.len());
            for mut inst in insts {
                let ok = !inst.op.is_const()
                    && (movable(&inst.op, first, closure) || (calm && only_in_order(&inst.op)))
                    && {
                        let mut ok = true;
                        inst.op.each_operand(|v| {
                            ok &= consts.get(v.0 as usize).is_some_and(|c| c.is_some())
                                || !is_in.contains(&place[v.0 as usize])
                        });
                        ok
                    };
                if !ok {
                    calm &= !matches!(inst.op.effect(), Effect::Writes | Effect::Guards);
                    stay.push(inst);
                    continue;
                }
                // Constants among its operands are made anew there.
                let mut made: Vec<(Value, Value)> = Vec::new();
                let mut operands: smallvec::SmallVec<[Value; 3]> = smallvec::SmallVec::new();
                inst.op.each_operand(|v| operands.push(v));
                for v in operands {
                    if is_in.contains(&place[v.0 as usize])
                        && let Some(op) = consts[v.0 as usize].clone()
                    {
                        let ty = f.ty(v);
                        let c = f.make(op, &[ty], inst.loc);
                        made.push((v, c.results[0]));
                        place.push(before);
                        f[before].insts.push(c);
                    }
                }
                inst.op.map_operands(|v| made.iter().find(|m| m.0 == v).map_or(v, |m| m.1));
                inst.results.iter().for_each(|r| place[r.0 as usize] = before);
                f[before].insts.push(inst);
            }
            f[b].insts = stay;
        }
    }
    let _ = simplify::dead_code(f);
    true
}

fn movable(op: &Op, first: bool, closure: Option<Value>) -> bool {
    match op {
        Op::Load { mutable: false, obj, .. } => first || Some(*obj) == closure,
        Op::Length(_) | Op::Tag(_) => first,
        Op::ElemLoad { .. } => false,
        // The divisor is known not to be 0 only behind its guard, the dividend not to be negative only behind a test.
        Op::Binary(Binary::Div | Binary::Mod, ..) => false,
        Op::Binary(Binary::SDiv | Binary::SRem | Binary::UDiv | Binary::URem | Binary::NDiv | Binary::NRem, ..) => {
            false
        }
        Op::Call(Callee::Foreign(_, Way::Pure), _) => false,
        Op::Call(..) => first && op.effect() == Effect::Pure,
        op => op.effect() == Effect::Pure,
    }
}

/// What leaves the first block only behind all that stands before it.
fn only_in_order(op: &Op) -> bool {
    matches!(op, Op::Guard(..) | Op::Call(Callee::Foreign(_, Way::Pure), _))
}

/// Gives every loop a block before it that jumps to its header.
fn preheaders(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = Loops::new(f, &cfg, &dom);
    for l in &loops.loops {
        let outside: Vec<Block> = cfg.preds(l.header).iter().copied().filter(|p| !l.latches.contains(p)).collect();
        if let [one] = *outside
            && matches!(f[one].term, Term::Jump(_))
        {
            continue;
        }
        let before = f.new_block();
        f[before].handler = f[l.header].handler;
        let params: Vec<Value> = f[l.header].params.clone();
        let args: Values =
            params.iter().map(|&v| f.ty(v)).collect::<Vec<_>>().into_iter().map(|ty| f.add_param(before, ty)).collect();
        f[before].term = Term::Jump(Target { block: l.header, args });
        for p in outside {
            f[p].term.each_target_mut(|t| {
                if t.block == l.header {
                    t.block = before;
                }
            });
        }
    }
}
