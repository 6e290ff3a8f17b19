//! Handlers that only look at their packet and raise it again: which blocks run where nothing has been called since.
//!
//! `f x handle Foo => 0` lets any other exception go on. The frames that its raise has passed are over then, but their
//! words still stand below the handler's frame, so a report may show the way from the first raise on. A raise of that
//! kind calls a stub of its own, which leaves `Tcb::raised_sp` as it is. Where a handler is reached by a jump, since
//! its own function has raised, that word is set to 0.
//!
//! A handler that calls something first, and one that keeps the packet for later, begins with the primitive
//! `exn_place`, which notes at once where the packet was raised.
//!
//! Keeps: from the landing to such a raise nothing is called, and no slow path runs: all this writes below the frame.

use leat_abi::prim::Prim;
use leat_base::arena::EntityId;
use leat_ssa::ir::{Block, Callee, Function, Op, Target, Term, Value};

use crate::flow::Flow;

/// See the module. By Ssa block; empty where no handler raises again.
#[derive(Default)]
pub struct Again {
    /// The packet that has landed, if nothing was called before the block's end since.
    at_end: Vec<Option<Value>>,
    /// The same where the block begins.
    at_start: Vec<Option<Value>>,
    /// Which parameter of a block is such a packet, or one that the function itself has raised.
    packet: Vec<Option<usize>>,
    /// The function has handlers that note places.
    pub places: bool,
}

impl Again {
    /// Analyses a function.
    pub fn new(f: &Function, flow: &Flow) -> Again {
        let has = |is: fn(&Term) -> bool| flow.order.iter().any(|b| is(&f.blocks[b.index()].term));
        let places = flow.order.iter().any(|b| f.blocks[b.index()].insts.iter().any(|inst| is_place(&inst.op)));
        let raises = || has(|term| matches!(term, Term::Invoke { .. })) && has(|term| matches!(term, Term::Raise(_)));
        if !(places || raises()) {
            return Again::default();
        }
        let blocks = f.blocks.len();
        let mut again =
            Again { at_end: vec![None; blocks], at_start: vec![None; blocks], packet: vec![None; blocks], places };
        for b in &flow.order {
            if let Term::Invoke { handler, .. } = &f.blocks[b.index()].term {
                again.packet[handler.block.index()] = Some(0);
            }
        }
        for (place, &b) in flow.order.iter().enumerate() {
            let block = &f.blocks[b.index()];
            let begins = again.begins(f, flow, place, b);
            let goes_on =
                block.insts.iter().all(|inst| only_looks(&inst.op)) && !matches!(block.term, Term::Invoke { .. });
            again.at_start[b.index()] = begins;
            again.at_end[b.index()] = begins.filter(|_| goes_on);
        }
        again
    }

    /// What has landed where the block begins. A predecessor of which nothing is known yet, or from which none comes,
    /// may still raise by a jump or a branch, as these can say so.
    fn begins(&mut self, f: &Function, flow: &Flow, place: usize, b: Block) -> Option<Value> {
        let mut preds = flow.preds(place as u32).iter().map(|&p| flow.order[p as usize]);
        let packet = self.packet[b.index()].or_else(|| {
            preds.clone().find_map(|p| {
                let landed = self.at_end[p.index()]?;
                let mut at = None;
                edges(f, p, b, |t| at = at.or(t.args.iter().position(|&arg| arg == landed)));
                at
            })
        });
        let Some(at) = packet else {
            let first = self.at_end[preds.next()?.index()]?;
            return preds.all(|p| self.at_end[p.index()] == Some(first)).then_some(first);
        };
        let is_right = preds.all(|p| match &f.blocks[p.index()].term {
            Term::Invoke { ok, .. } => ok.block != b,
            Term::Switch(..) => {
                let mut is_right = true;
                edges(f, p, b, |t| is_right &= self.at_end[p.index()] == Some(t.args[at]));
                is_right
            }
            _ => true,
        });
        self.packet[b.index()] = packet.filter(|_| is_right);
        is_right.then(|| f.blocks[b.index()].params[at])
    }

    /// Whether this packet has landed, and nothing was called in front of the block's `exn_place` of it.
    pub fn has_just_landed(&self, f: &Function, block: Block, packet: Value) -> bool {
        self.at_start[block.index()] == Some(packet)
            && f.blocks[block.index()].insts.iter().find(|inst| !only_looks(&inst.op)).is_some_and(
                |inst| matches!(&inst.op, Op::Call(Callee::Prim(Prim::ExnPlace), args) if args[0] == packet),
            )
    }

    /// Whether a raise of this packet at the end of a block is one of a packet that has just landed.
    pub fn is_again(&self, block: Block, packet: Value) -> bool {
        self.at_end.get(block.index()).is_some_and(|&landed| landed == Some(packet))
    }

    /// Whether a jump or an edge of a branch is a raise of the function's own.
    pub fn is_own(&self, from: Block, to: &Target) -> bool {
        self.packet_of(to.block).is_some_and(|at| !self.is_again(from, to.args[at]))
    }

    /// Whether the block takes packets that have landed.
    pub fn takes_packets(&self, block: Block) -> bool {
        self.packet_of(block).is_some()
    }

    fn packet_of(&self, block: Block) -> Option<usize> {
        self.packet.get(block.index()).copied().flatten()
    }
}

/// The ways by which a block's end, no call, leads to another block.
fn edges(f: &Function, from: Block, to: Block, mut visit: impl FnMut(&Target)) {
    if let term @ (Term::Jump(_) | Term::Branch(..) | Term::Switch(..)) = &f.blocks[from.index()].term {
        term.each_target(|t| {
            if t.block == to {
                visit(t);
            }
        });
    }
}

fn is_place(op: &Op) -> bool {
    matches!(op, Op::Call(Callee::Prim(Prim::ExnPlace), _))
}

/// Whether an operation reads at most, without a call in any form of machine code. (`exn_again` is a store.)
fn only_looks(op: &Op) -> bool {
    matches!(
        op,
        Op::Iconst(_)
            | Op::RefImm(_)
            | Op::Data(_)
            | Op::Cmp(..)
            | Op::RefEq(..)
            | Op::IsImm(_)
            | Op::ImmValue(_)
            | Op::Select(..)
            | Op::Load { .. }
            | Op::Tag(_)
            | Op::Length(_)
            | Op::ElemLoad { .. }
            | Op::GlobalLoad(_)
            | Op::ExnDesc(_)
            | Op::ExnPacket(_)
            | Op::Call(Callee::Prim(Prim::ExnAgain), _)
    )
}
