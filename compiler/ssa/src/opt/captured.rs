//! What a closure has captured is loaded before anything that a collection may come in.
//!
//! Ssa -> Ssa. A closure is alive up to the last load from it, and so is all that it captured: what the function has
//! used for the last time would stay. (A job that walks down a lazy list, and says its name at the end, kept the whole
//! list.) So where several variables are loaded and one of them behind a call or in a further block, all loads stand at
//! the entry. A function that uses its closure for anything else needs it anyway. Keeps: order of effects, types.

use crate::ir::*;
use crate::opt::jumps::substitute;
use rustc_hash::FxHashMap;

/// One function.
pub fn function(f: &mut Function) {
    if !f.is_closure {
        return;
    }
    let Some(&closure) = f[f.entry].params.first() else { return };
    let is_call = |inst: &Inst| matches!(inst.op, Op::Call(..));
    let field_of = |inst: &Inst| match inst.op {
        Op::Load { obj, field, mutable: false, ty } if obj == closure => Some((field, ty)),
        _ => None,
    };
    let (mut calls, mut late, mut otherwise) = (false, false, false);
    let mut fields: FxHashMap<u32, Ty> = FxHashMap::default();
    for (b, block) in f.blocks.iter().enumerate() {
        // Of the entry, what stands before its first call is early.
        let mut early = f.entry == Block(b as u32);
        for inst in &block.insts {
            calls |= is_call(inst);
            early &= !is_call(inst);
            match field_of(inst) {
                Some((field, ty)) => {
                    fields.insert(field, ty);
                    late |= !early;
                }
                None => inst.op.each_operand(|v| otherwise |= v == closure),
            }
        }
        calls |= matches!(block.term, Term::Invoke { .. });
        block.term.each_operand(|v| otherwise |= v == closure);
    }
    if !calls || !late || otherwise || fields.len() < 2 || fields.values().all(|&ty| ty != Ty::Ref) {
        return;
    }
    let mut first: FxHashMap<u32, Value> = FxHashMap::default();
    let mut loads = Vec::with_capacity(fields.len());
    let mut subst: Vec<Value> = (0..f.values.len() as u32).map(Value).collect();
    for block in &mut f.blocks {
        block.insts.retain(|inst| {
            let Some((field, _)) = field_of(inst) else { return true };
            match first.get(&field) {
                Some(&value) => subst[inst.results[0].0 as usize] = value,
                None => {
                    first.insert(field, inst.results[0]);
                    loads.push(inst.clone());
                }
            }
            false
        });
    }
    let entry = f.entry;
    f[entry].insts.splice(0..0, loads);
    substitute(f, &mut subst);
}
