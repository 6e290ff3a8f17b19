//! Scopes of handlers: which blocks may raise from a slow path, and where such an exception goes.
//!
//! Ssa -> Ssa. A heap check, a poll, the end of an atomic section may raise (memory is used up, the thread is
//! interrupted), and so may a runtime primitive that allocates. They come late or stand in the middle of a block, so
//! their way to the handler is no edge of the graph: the block names its handler, and `Scope`, where the handler's
//! scope is entered, has an edge to it. So whatever the handler uses was there before the scope was entered (S12),
//! passes keep that as they keep all dominance, and loops in a scope are loops like any other.
//!
//! A scope in which nothing raises like that is a plain jump ([`tidy`]); before code is made, calls of primitives
//! become `Invoke`s ([`prepare`]), and only blocks with a slow path keep their handler ([`settle`]).

use crate::cfg::{self, Cfg, Dominators, Loops};
use crate::ir::*;
use crate::ops::{is_runtime, values};

/// Arguments of a primitive under a handler, at most: what the registers hold behind the thread block.
const MAX_ARGS: usize = 5;

/// Whether an operation of a block with a handler may raise to it.
fn may_raise(op: &Op) -> bool {
    match op {
        Op::Alloc { .. } | Op::HeapCheck(_) | Op::Poll => true,
        Op::Atomic(n) => *n < 0,
        Op::Call(Callee::Prim(p), args) => is_runtime(*p) && args.len() <= MAX_ARGS,
        _ => false,
    }
}

/// Whether an operation raises by way of its slow path.
fn has_slow_path(op: &Op) -> bool {
    matches!(op, Op::HeapCheck(_) | Op::Poll) || matches!(op, Op::Atomic(n) if *n < 0)
}

/// The blocks that enter a scope, with its handler.
pub fn entered(f: &Function) -> impl Iterator<Item = (Block, Block)> + '_ {
    f.blocks.iter().enumerate().filter_map(|(b, block)| match &block.term {
        Term::Scope { handler, .. } => Some((Block(b as u32), handler.block)),
        _ => None,
    })
}

/// Makes jumps of the scopes in which nothing raises from a slow path: without allocation, call, loop.
pub fn tidy(f: &mut Function) -> bool {
    let entered: Vec<(Block, Block)> = entered(f).collect();
    if entered.is_empty() {
        return false;
    }
    let mut needed = vec![false; f.blocks.len()];
    for block in &f.blocks {
        if let Some(h) = block.handler
            && block.insts.iter().any(|i| may_raise(&i.op))
        {
            needed[h.0 as usize] = true;
        }
    }
    if entered.iter().any(|(_, h)| !needed[h.0 as usize]) {
        in_loops(f, &entered, &mut needed);
    }
    let mut changed = false;
    for (at, h) in entered {
        if !needed[h.0 as usize]
            && let Term::Scope { body, .. } = std::mem::replace(&mut f[at].term, Term::Unreachable)
        {
            f[at].term = Term::Jump(body);
            changed = true;
        }
    }
    if changed {
        // The blocks of a scope that is gone are in the next one around it that stays.
        for b in 0..f.blocks.len() {
            let mut at = Block(b as u32);
            let stays =
                std::iter::successors(f[at].handler, |&around| f[around].handler).find(|h| needed[h.0 as usize]);
            // The handlers on the way are in that scope, too.
            while f[at].handler != stays
                && let Some(around) = std::mem::replace(&mut f[at].handler, stays)
            {
                at = around;
            }
        }
    }
    changed
}

/// A loop inside of a scope may get a poll.
fn in_loops(f: &Function, entered: &[(Block, Block)], needed: &mut [bool]) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let (has_cycles, irreducible) = cfg::cycles(&cfg, &dom);
    if !has_cycles {
        return;
    }
    let Loops { loops, innermost } = Loops::new(f, &cfg, &dom);
    for &b in &cfg.rpo {
        let Some(h) = f[b].handler else { continue };
        if needed[h.0 as usize] || irreducible {
            needed[h.0 as usize] = true;
            continue;
        }
        // Its innermost loop: one that the scope is not entered in.
        let Some(inner) = innermost[b.0 as usize] else { continue };
        let around = |at: Block| {
            let up = |&l: &usize| loops[l].parent;
            std::iter::successors(innermost[at.0 as usize], up).any(|l| l == inner)
        };
        needed[h.0 as usize] = entered.iter().filter(|e| e.1 == h).any(|e| !around(e.0));
    }
}

/// Before heap checks and polls are placed: the scopes that are needed stay, calls of primitives in them become
/// `Invoke`s.
pub fn prepare(f: &mut Function) {
    if tidy(f) {
        cfg::renumber_blocks(f);
    }
    for b in 0..f.blocks.len() {
        let at = Block(b as u32);
        let Some(handler) = f[at].handler else { continue };
        let raises = |op: &Op| matches!(op, Op::Call(..)) && may_raise(op);
        if !f[at].insts.iter().any(|inst| raises(&inst.op)) {
            continue;
        }
        // Each call ends a block. The instructions move once, however many calls there are.
        let (insts, cold, end) = (std::mem::take(&mut f[at].insts), f[at].cold, f[at].loc);
        let term = std::mem::replace(&mut f[at].term, Term::Unreachable);
        let mut here = at;
        for inst in insts {
            let (Op::Call(callee, args), true) = (&inst.op, raises(&inst.op)) else {
                f[here].insts.push(inst);
                continue;
            };
            let (callee, args) = (*callee, values(args));
            let rest = f.new_block();
            f[rest] = BlockData {
                params: inst.results.to_vec(),
                cold,
                handler: Some(handler),
                loc: end,
                ..BlockData::default()
            };
            f[here].loc = inst.loc;
            f[here].term = Term::Invoke { callee, args, ok: Target::new(rest, []), handler: Target::new(handler, []) };
            here = rest;
        }
        f[here].term = term;
    }
}

/// Behind the safepoint pass: only blocks with a slow path keep their handler.
pub fn settle(f: &mut Function) {
    for block in &mut f.blocks {
        if !block.insts.iter().any(|i| has_slow_path(&i.op)) {
            block.handler = None;
        }
    }
    if tidy(f) {
        cfg::renumber_blocks(f);
    }
}

/// The block behind `b`, if there is one, that is in a scope which `b` neither is in nor enters (S12). Before
/// [`settle`], after which blocks that raise nothing name no handler.
pub fn entered_aside(f: &Function, b: Block) -> Option<Block> {
    let around = |h: Block| std::iter::successors(f[b].handler, |&h| f[h].handler).any(|known| known == h);
    let enters = |h: Block| matches!(&f[b].term, Term::Scope { handler, .. } if handler.block == h);
    let mut found = None;
    f[b].term.each_target(|to| {
        if f[to.block].handler.is_some_and(|h| !enters(h) && !around(h)) {
            found = Some(to.block);
        }
    });
    found
}

/// What breaks S12 in a block that has a handler.
pub fn broken(f: &Function, dom: &Dominators, b: Block, h: Block) -> Option<&'static str> {
    let entry = dom.idom[h.0 as usize];
    match f[h].params.as_slice() {
        [packet] if f.ty(*packet) == Ty::Ref => {}
        _ => return Some("its handler does not take a packet and nothing else"),
    }
    if entry == b || !dom.dominates(entry, b) {
        return Some("its handler's scope is not entered before it");
    }
    None
}
