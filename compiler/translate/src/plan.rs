//! Where each reference is when the collector may run: liveness, stack slots, and versions of references.
//!
//! The collector moves objects, so behind a safepoint a reference is another machine value. Ssa has one value, the
//! machine code one *version* of it for each stretch between safepoints. A stretch is an *epoch*: the number of the
//! last safepoint passed, or, where paths with different ones meet, an epoch of that block's own. Two ways lead from
//! version to version:
//!
//! - Memory. A reference live across a call in code that is not cold has a *home*: a block from which on its stack slot
//!   holds it always. The collector updates the slot, and the next use reloads. The home is the last block that
//!   dominates all those calls, taken out of loops as far as its definition allows; the store stands there. One that a
//!   loop with slow paths does not use has its home before the loop.
//! - Parameters. Others are live only across slow paths (heap checks, polls, calls in cold blocks). These spill them,
//!   and give the reloaded value to the join as a block parameter; where epochs meet they are parameters too. So a loop
//!   that allocates keeps its references in registers.
//!
//! Liveness walks from each use to the definition (Boissinot et al. 2008), so it costs what its result is large.
//! Slots are shared by a linear scan over live intervals in reverse postorder.
//!
//! Keeps: a slot named at a safepoint holds the current version there; constant references (immediates, static data)
//! are left alone, they never move.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use leat_abi::prim::Lower;
use leat_base::arena::EntityId;
use leat_ssa::ir::{Callee, Function, Op, Term, Ty, Value};
use rustc_hash::FxHashSet;

use crate::flow::{Flow, NONE};
use leat_ssa::ops::Use;

/// How a safepoint keeps what is live across it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SafepointKind {
    /// A conditional slow path: spills in its own block.
    SlowPath,
    /// A call in a cold block: spills before, reloads after.
    Spill,
    /// A call: everything live across it has its home before.
    Home,
}

/// A value live across a safepoint.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    pub value: Value,
    /// Used once more in the same block.
    pub again: bool,
}

/// One safepoint; those of a block stand together, in its order.
#[derive(Clone, Debug)]
pub struct Safepoint {
    pub kind: SafepointKind,
    live: Range<u32>,
}

/// See the module.
pub struct Plan {
    pub flow: Flow,
    /// References that the collector may move.
    pub tracked: Vec<bool>,
    /// Read as a 64-bit number, not as a condition only.
    pub data_use: Vec<bool>,
    pub safepoints: Vec<Safepoint>,
    /// Epoch at the start of each block.
    pub epoch_in: Vec<u32>,
    /// Parameters that a block has besides its own: versions of references.
    pub extra: Vec<Vec<Value>>,
    /// References whose home begins at the start of a block other than that of their definition.
    pub homes_at: Vec<Vec<Value>>,
    /// The first safepoint of each block.
    pub first_safepoint: Vec<u32>,
    /// Stack slots needed.
    pub slots: u32,
    home: Vec<u32>,
    def_block: Vec<u32>,
    slot: Vec<u32>,
    live: Vec<Live>,
}

/// The epoch behind a safepoint.
pub fn epoch_after(safepoint: u32) -> u32 {
    safepoint + 1
}

fn epoch_of_block(block: u32) -> u32 {
    block | 1 << 31
}

/// Whether a call may collect, switch threads or raise.
pub fn calls_out(callee: &Callee) -> bool {
    match callee {
        Callee::Func(_) | Callee::Closure(_) => true,
        Callee::Prim(p) => p.lower() == Lower::Runtime,
        Callee::Foreign(_, way) => way.goes_out(),
    }
}

/// Whether a call may raise at all, so that a handler is worth an exception table.
pub fn may_raise(callee: &Callee) -> bool {
    match callee {
        Callee::Func(_) | Callee::Closure(_) => true,
        // Memory may be used up.
        Callee::Prim(_) => calls_out(callee),
        Callee::Foreign(..) => false,
    }
}

fn kind_of(op: &Op, cold: bool) -> Option<SafepointKind> {
    match op {
        Op::HeapCheck(_) | Op::Poll => Some(SafepointKind::SlowPath),
        Op::Atomic(n) if *n < 0 => Some(SafepointKind::SlowPath),
        Op::Call(callee, _) if calls_out(callee) => Some(if cold { SafepointKind::Spill } else { SafepointKind::Home }),
        _ => None,
    }
}

impl Plan {
    /// Plans a function.
    pub fn new(f: &Function) -> Plan {
        let flow = Flow::new(f);
        let blocks = flow.order.len();
        let values = f.values.len();
        let mut plan = Plan {
            flow,
            tracked: vec![false; values],
            data_use: vec![false; values],
            safepoints: Vec::new(),
            epoch_in: vec![0; blocks],
            extra: vec![Vec::new(); blocks],
            homes_at: vec![Vec::new(); blocks],
            first_safepoint: vec![0; blocks],
            slots: 0,
            home: vec![NONE; values],
            def_block: vec![NONE; values],
            slot: vec![NONE; values],
            live: Vec::new(),
        };
        plan.definitions(f);
        let live_in = plan.live_in(f);
        let last = plan.find_safepoints(f, &live_in);
        if !plan.safepoints.is_empty() {
            plan.home_before_loops(f);
            plan.settle_homes();
            plan.epochs(&last, &live_in);
        }
        plan
    }

    /// What is live across a safepoint.
    pub fn live(&self, safepoint: u32) -> &[Live] {
        let range = &self.safepoints[safepoint as usize].live;
        &self.live[range.start as usize..range.end as usize]
    }

    /// Whether the slot of a value holds it everywhere in a block (behind its stores at the start).
    pub fn at_home(&self, v: Value, block: u32) -> bool {
        let home = self.home[v.index()];
        home != NONE && self.flow.dominates(home, block)
    }

    /// Whether the slot holds it already when a block is entered.
    pub fn at_home_before(&self, v: Value, block: u32) -> bool {
        self.home[v.index()] != block && self.at_home(v, block)
    }

    /// Whether the home begins with the definition.
    pub fn home_at_definition(&self, v: Value) -> bool {
        let home = self.home[v.index()];
        home != NONE && home == self.def_block[v.index()]
    }

    /// The stack slot of a value that is live across a safepoint.
    pub fn slot(&self, v: Value) -> u32 {
        debug_assert_ne!(self.slot[v.index()], NONE, "{v} has no slot");
        self.slot[v.index()]
    }

    fn definitions(&mut self, f: &Function) {
        for (b, &block) in self.flow.order.iter().enumerate() {
            let block = &f.blocks[block.index()];
            for &p in &block.params {
                self.def_block[p.index()] = b as u32;
                self.tracked[p.index()] = f.values[p.index()] == Ty::Ref;
            }
            for inst in &block.insts {
                let moves = !matches!(inst.op, Op::RefImm(_) | Op::Data(_));
                for &r in &inst.results {
                    self.def_block[r.index()] = b as u32;
                    self.tracked[r.index()] = moves && f.values[r.index()] == Ty::Ref;
                }
            }
        }
    }

    /// The tracked references live at the start of each block, its parameters apart.
    fn live_in(&mut self, f: &Function) -> Vec<Vec<Value>> {
        let blocks = self.flow.order.len();
        let mut crossing: Vec<(Value, u32)> = Vec::new();
        for b in 0..blocks as u32 {
            let block = &f.blocks[self.flow.order[b as usize].index()];
            let mut read = |v: Value, how: Use| {
                if how == Use::Data {
                    self.data_use[v.index()] = true;
                }
                if self.tracked[v.index()] && self.def_block[v.index()] != b && crossing.last() != Some(&(v, b)) {
                    crossing.push((v, b));
                }
            };
            for inst in &block.insts {
                inst.op.each_use(&mut read);
            }
            block.term.each_own_use(&mut read);
            block.term.each_target(|t| t.args.iter().for_each(|&v| read(v, Use::Data)));
        }
        crossing.sort_unstable();
        let mut live_in = vec![Vec::new(); blocks];
        let mut seen = vec![NONE; blocks];
        let mut work = Vec::new();
        for (v, b) in crossing {
            work.push(b);
            while let Some(b) = work.pop() {
                if seen[b as usize] == v.0 {
                    continue;
                }
                seen[b as usize] = v.0;
                live_in[b as usize].push(v);
                for &p in self.flow.preds(b) {
                    if p != self.def_block[v.index()] && seen[p as usize] != v.0 {
                        work.push(p);
                    }
                }
            }
        }
        live_in
    }

    /// Lists the safepoints with what is live across them, gives out slots, collects homes; gives each block's last
    /// safepoint.
    fn find_safepoints(&mut self, f: &Function, live_in: &[Vec<Value>]) -> Vec<u32> {
        let values = f.values.len();
        let mut last_safepoint = vec![NONE; self.flow.order.len()];
        // Last use in the block that `stamp` names; block that a value is live out of; ends of live intervals.
        let mut last = vec![0u32; values];
        let mut stamp = vec![NONE; values];
        let mut out = vec![NONE; values];
        let mut start = vec![0u32; values];
        let mut end = vec![0u32; values];
        let mut needs_slot: Vec<Value> = Vec::new();
        let mut now: Vec<Value> = Vec::new();
        let mut base = 0u32;
        for b in 0..self.flow.order.len() as u32 {
            let block = &f.blocks[self.flow.order[b as usize].index()];
            let term_at = block.insts.len() as u32 + 1;
            block.each_successor(|to| {
                for &v in &live_in[self.flow.place[to.index()] as usize] {
                    out[v.index()] = b;
                    end[v.index()] = base + term_at + 2;
                }
            });
            let mut read = |v: Value, at: u32| {
                if self.tracked[v.index()] {
                    last[v.index()] = at;
                    stamp[v.index()] = b;
                    end[v.index()] = end[v.index()].max(base + at);
                }
            };
            for (i, inst) in block.insts.iter().enumerate() {
                inst.op.each_operand(|v| read(v, i as u32 + 1));
            }
            block.term.each_own_use(|v, _| read(v, term_at));
            block.term.each_target(|t| t.args.iter().for_each(|&v| read(v, term_at + 1)));

            now.clear();
            now.extend_from_slice(&live_in[b as usize]);
            for &p in &block.params {
                if self.tracked[p.index()] {
                    start[p.index()] = base;
                    now.push(p);
                }
            }
            self.first_safepoint[b as usize] = self.safepoints.len() as u32;
            let mut safepoint = |plan: &mut Plan, now: &mut Vec<Value>, kind: SafepointKind, at: u32| {
                let again = |v: Value| stamp[v.index()] == b && last[v.index()] > at;
                now.retain(|&v| out[v.index()] == b || again(v));
                let first = plan.live.len() as u32;
                for &v in now.iter() {
                    plan.live.push(Live { value: v, again: again(v) });
                    if plan.slot[v.index()] == NONE {
                        plan.slot[v.index()] = 0;
                        needs_slot.push(v);
                    }
                    if kind == SafepointKind::Home {
                        let home = &mut plan.home[v.index()];
                        *home = if *home == NONE { b } else { plan.flow.common_dominator(*home, b) };
                    }
                }
                last_safepoint[b as usize] = plan.safepoints.len() as u32;
                plan.safepoints.push(Safepoint { kind, live: first..plan.live.len() as u32 });
            };
            if b == 0 && f.entry_check {
                safepoint(self, &mut now, SafepointKind::SlowPath, 0);
            }
            for (i, inst) in block.insts.iter().enumerate() {
                if let Some(kind) = kind_of(&inst.op, block.cold) {
                    safepoint(self, &mut now, kind, i as u32 + 1);
                }
                for &r in &inst.results {
                    if self.tracked[r.index()] {
                        start[r.index()] = base + i as u32 + 1;
                        now.push(r);
                    }
                }
            }
            if let Term::Invoke { callee, .. } = &block.term
                && calls_out(callee)
            {
                safepoint(self, &mut now, SafepointKind::Home, term_at);
            }
            base += term_at + 3;
        }
        self.share_slots(needs_slot, &start, &end);
        last_safepoint
    }

    /// Linear scan.
    fn share_slots(&mut self, mut values: Vec<Value>, start: &[u32], end: &[u32]) {
        values.sort_unstable_by_key(|v| (start[v.index()], v.0));
        let mut busy: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut free: Vec<u32> = Vec::new();
        for v in values {
            while let Some(&Reverse((until, slot))) = busy.peek()
                && until <= start[v.index()]
            {
                busy.pop();
                free.push(slot);
            }
            let slot = free.pop().unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            });
            self.slot[v.index()] = slot;
            busy.push(Reverse((end[v.index()], slot)));
        }
    }

    /// Values that only pass through a loop would be parameters of it for the sake of its slow paths.
    fn home_before_loops(&mut self, f: &Function) {
        if self.flow.depth.iter().all(|&d| d == 0) {
            return;
        }
        let mut passing = Vec::new();
        let mut wanted = vec![false; f.values.len()];
        for b in 0..self.flow.order.len() {
            let end = self.first_safepoint.get(b + 1).map_or(self.safepoints.len() as u32, |&n| n);
            for i in self.first_safepoint[b]..end {
                if self.safepoints[i as usize].kind != SafepointKind::Home && self.flow.depth[b] > 0 {
                    for l in self.live(i) {
                        passing.push((l.value, b as u32));
                    }
                }
            }
        }
        for &(v, _) in &passing {
            wanted[v.index()] = true;
        }
        let mut used: FxHashSet<(Value, u32)> = FxHashSet::default();
        for b in 0..self.flow.order.len() as u32 {
            let block = &f.blocks[self.flow.order[b as usize].index()];
            let mut read = |v: Value| {
                if wanted[v.index()] {
                    for header in self.flow.loops_around(b) {
                        if !used.insert((v, header)) {
                            break;
                        }
                    }
                }
            };
            for inst in &block.insts {
                inst.op.each_operand(&mut read);
            }
            block.term.each_operand(&mut read);
        }
        for (v, b) in passing {
            let def = self.def_block[v.index()];
            let passes = |h: &u32| !used.contains(&(v, *h)) && !self.flow.dominates(*h, def);
            if let Some(header) = self.flow.loops_around(b).take_while(passes).last() {
                let before = self.flow.idom[header as usize];
                let home = self.home[v.index()];
                self.home[v.index()] = if home == NONE { before } else { self.flow.common_dominator(home, before) };
            }
        }
    }

    /// Takes homes out of loops that the definition is not in.
    fn settle_homes(&mut self) {
        for v in 0..self.home.len() {
            let (mut home, def) = (self.home[v], self.def_block[v]);
            if home == NONE {
                continue;
            }
            while home != def && self.flow.depth[home as usize] > self.flow.depth[def as usize] {
                home = self.flow.idom[home as usize];
            }
            self.home[v] = home;
            if home != def {
                self.homes_at[home as usize].push(Value(v as u32));
            }
        }
    }

    /// Epochs are the versions of one variable that every safepoint sets: where they meet is the iterated dominance
    /// frontier of the blocks with safepoints (Cytron et al. 1991).
    fn epochs(&mut self, last: &[u32], live_in: &[Vec<Value>]) {
        let n = self.flow.order.len() as u32;
        let mut frontier: Vec<(u32, u32)> = Vec::new();
        let mut seen = vec![NONE; n as usize];
        for b in 0..n {
            let preds = self.flow.preds(b);
            if preds.len() < 2 {
                continue;
            }
            for &p in preds {
                let mut runner = p;
                while runner != self.flow.idom[b as usize] && seen[runner as usize] != b {
                    seen[runner as usize] = b;
                    frontier.push((runner, b));
                    runner = self.flow.idom[runner as usize];
                }
            }
        }
        frontier.sort_unstable();
        let mut meets = vec![false; n as usize];
        let mut work: Vec<u32> = (0..n).filter(|&b| last[b as usize] != NONE).collect();
        while let Some(b) = work.pop() {
            let from = frontier.partition_point(|&(runner, _)| runner < b);
            for &(_, at) in frontier[from..].iter().take_while(|&&(runner, _)| runner == b) {
                if !meets[at as usize] {
                    meets[at as usize] = true;
                    work.push(at);
                }
            }
        }
        for b in 1..n {
            let dom = self.flow.idom[b as usize] as usize;
            self.epoch_in[b as usize] = match last[dom] {
                _ if meets[b as usize] => epoch_of_block(b),
                NONE => self.epoch_in[dom],
                safepoint => epoch_after(safepoint),
            };
            if meets[b as usize] {
                let extra = live_in[b as usize].iter().copied().filter(|&v| !self.at_home_before(v, b)).collect();
                self.extra[b as usize] = extra;
            }
        }
    }
}
