//! Jumps: ways through blocks that only pass control on are shortened, chains of blocks become one.
//!
//! Ssa -> Ssa, a part of `simplify`. A jump whose constant argument decides the branch that it comes to goes where the
//! branch would go. Keeps: what every run does; a block's parameters are used below it only while all ways come by it.

use crate::cfg::Cfg;
use crate::ir::*;
use smallvec::SmallVec;

/// Whether all uses of a block's parameters are in the block itself.
fn params_stay(f: &Function, b: Block, uses: &[u32]) -> bool {
    let block = &f[b];
    if block.params.is_empty() {
        return true;
    }
    let mut here: SmallVec<[u32; 8]> = SmallVec::from_elem(0, block.params.len());
    let mut count = |v: Value| {
        if let Some(i) = block.params.iter().position(|&p| p == v) {
            here[i] += 1;
        }
    };
    block.insts.iter().for_each(|inst| inst.op.each_operand(&mut count));
    block.term.each_operand(&mut count);
    block.params.iter().zip(&here).all(|(p, &n)| uses[p.0 as usize] == n)
}

/// What a block that only passes control on does with an edge.
fn forward(f: &Function, ints: &[Option<i64>], stays: &mut [Option<bool>], uses: &[u32], t: &Target) -> Option<Target> {
    let block = &f[t.block];
    if block.insts.len() > 2 || t.block == f.entry || block.params.len() != t.args.len() {
        return None;
    }
    match &block.term {
        Term::Jump(next) if next.block != t.block && block.insts.is_empty() => {}
        Term::Branch(..) => {}
        Term::Switch(..) if block.insts.is_empty() => {}
        _ => return None,
    }
    let stay = *stays[t.block.0 as usize].get_or_insert_with(|| {
        params_stay(f, t.block, uses)
            && block.insts.iter().all(|i| {
                i.results.iter().all(|&r| {
                    // Results must be used in the block's own instructions and terminator only, not as arguments.
                    let mut n = 0;
                    block.insts.iter().for_each(|i| i.op.each_operand(|v| n += u32::from(v == r)));
                    match &block.term {
                        Term::Branch(c, ..) => n += u32::from(*c == r),
                        Term::Switch(c, ..) => n += u32::from(*c == r),
                        _ => {}
                    }
                    uses[r.0 as usize] == n
                })
            })
    });
    if !stay {
        return None;
    }
    let arg = |v: Value| block.params.iter().position(|&p| p == v).map_or(v, |i| t.args[i]);
    // The few instructions before a branch are evaluated on this edge.
    let mut local: SmallVec<[(Value, i64); 4]> = SmallVec::new();
    let int = |v: Value, local: &[(Value, i64)]| match local.iter().find(|l| l.0 == v) {
        Some(l) => Some(l.1),
        None => ints.get(arg(v).0 as usize).copied().flatten(),
    };
    for inst in &block.insts {
        let value = match &inst.op {
            Op::Iconst(n) => *n,
            Op::Cmp(c, x, y) => i64::from(c.holds(int(*x, &local)?, int(*y, &local)?)),
            _ => return None,
        };
        local.push((inst.results[0], value));
    }
    let next = match &block.term {
        Term::Jump(next) => next,
        Term::Branch(c, yes, no) => {
            if int(*c, &local)? != 0 {
                yes
            } else {
                no
            }
        }
        Term::Switch(c, cases, default) => {
            let n = int(*c, &local)?;
            cases.iter().find(|x| x.0 == n).map_or(default, |x| &x.1)
        }
        _ => return None,
    };
    Some(Target { block: next.block, args: next.args.iter().map(|&v| arg(v)).collect() })
}

/// Threads jumps through empty blocks and through branches that a constant argument decides.
pub(crate) fn thread(f: &mut Function) -> bool {
    let mut changed = false;
    let passes_on = |(i, b): (usize, &BlockData)| {
        i != f.entry.0 as usize
            && b.insts.len() <= 2
            && matches!(
                b.term,
                Term::Jump(_) | Term::Branch(..) | Term::Switch(..) | Term::Return(_) | Term::RaiseBuiltin(_)
            )
            && (b.insts.is_empty() || matches!(b.term, Term::Branch(..)) && !b.params.is_empty())
    };
    if !f.blocks.iter().enumerate().any(passes_on) {
        return false;
    }
    let mut uses = crate::cfg::use_counts(f);
    let ints = crate::cfg::int_constants(f);
    let mut stays: Vec<Option<bool>> = vec![None; f.blocks.len()];
    for b in 0..f.blocks.len() as u32 {
        let b = Block(b);
        let mut term = std::mem::replace(&mut f[b].term, Term::Unreachable);
        let invoke = matches!(term, Term::Invoke { .. } | Term::Scope { .. });
        let mut before: SmallVec<[Value; 8]> = SmallVec::new();
        term.each_operand(|v| before.push(v));
        let mut touched = false;
        term.each_target_mut(|t| {
            // A chain of a few; longer ones in the next round. Block `b` itself has no terminator now.
            for _ in 0..4 {
                if t.block == b || (invoke && !f[t.block].params.is_empty()) {
                    break;
                }
                match forward(f, &ints, &mut stays, &uses, t) {
                    Some(next) if !invoke || next.args.is_empty() => {
                        *t = next;
                        touched = true;
                    }
                    _ => break,
                }
            }
        });
        // A jump to a block that only returns returns, and does it where that block did.
        if let Term::Jump(t) = &term
            && t.block != b
            && f[t.block].insts.is_empty()
        {
            let target = &f[t.block];
            let arg = |v: Value| target.params.iter().position(|&p| p == v).map_or(v, |i| t.args[i]);
            let end = match &target.term {
                Term::Return(vs) => Some(Term::Return(vs.iter().map(|&v| arg(v)).collect())),
                Term::RaiseBuiltin(e) => Some(Term::RaiseBuiltin(*e)),
                _ => None,
            };
            if let Some(end) = end {
                f[b].loc = target.loc;
                term = end;
                touched = true;
            }
        }
        if touched {
            changed = true;
            before.iter().for_each(|v| uses[v.0 as usize] -= 1);
            term.each_operand(|v| uses[v.0 as usize] += 1);
        }
        f[b].term = term;
    }
    changed
}

/// Appends a block to the only block that jumps to it; answers whether parameters became something else by it.
pub(crate) fn merge(f: &mut Function, cfg: &mut Cfg) -> bool {
    cfg.compute(f);
    // Threading may have left blocks without a way to them; their jumps must not count.
    for b in 0..f.blocks.len() as u32 {
        if !cfg.reachable(Block(b)) {
            f[Block(b)] = BlockData::default();
        }
    }
    let mut subst: Vec<Value> = Vec::new();
    let mut gone = vec![false; f.blocks.len()];
    for &b in &cfg.rpo {
        if gone[b.0 as usize] {
            continue;
        }
        while let Term::Jump(t) = &f[b].term {
            let next = t.block;
            if next == f.entry || next == b || cfg.preds(next).len() != 1 || f[next].handler != f[b].handler {
                break;
            }
            let Term::Jump(t) = std::mem::replace(&mut f[b].term, Term::Unreachable) else { unreachable!("just seen") };
            let block = std::mem::take(&mut f[next]);
            if subst.is_empty() {
                subst = (0..f.values.len() as u32).map(Value).collect();
            }
            for (&p, &a) in block.params.iter().zip(&t.args) {
                subst[p.0 as usize] = a;
            }
            f[b].insts.extend(block.insts);
            f[b].term = block.term;
            f[b].loc = block.loc;
            // A block that is always followed by a cold one is as hot as itself.
            gone[next.0 as usize] = true;
        }
    }
    if !gone.iter().any(|&g| g) {
        return false;
    }
    let any = subst.iter().enumerate().any(|(i, v)| v.0 as usize != i);
    if any {
        substitute(f, &mut subst);
    }
    any
}

/// Replaces values everywhere; chains are followed.
pub(crate) fn substitute(f: &mut Function, subst: &mut [Value]) {
    let mut resolve = |v: Value| {
        let mut at = v;
        while subst[at.0 as usize] != at {
            at = subst[at.0 as usize];
        }
        let mut from = v;
        while subst[from.0 as usize] != at {
            from = std::mem::replace(&mut subst[from.0 as usize], at);
        }
        at
    };
    for block in &mut f.blocks {
        block.insts.iter_mut().for_each(|inst| inst.op.map_operands(&mut resolve));
        block.term.map_operands(&mut resolve);
    }
}
