//! Control flow of one function: reverse postorder, predecessors, dominators (Cooper, Harvey and Kennedy 2001), loop depths.
//!
//! From here on a block is its place in reverse postorder; unreachable blocks have none.

use leat_base::arena::EntityId;
use leat_ssa::ir::{Block, Function};

use crate::uses;

/// No block.
pub const NONE: u32 = u32::MAX;

/// The control flow of one function.
pub struct Flow {
    /// Ssa block of each place.
    pub order: Vec<Block>,
    /// Place of each Ssa block, or [`NONE`].
    pub place: Vec<u32>,
    /// Immediate dominator of each place; the entry's is itself.
    pub idom: Vec<u32>,
    /// How many loops a place is in.
    pub depth: Vec<u32>,
    /// Header of the innermost loop that a place is in, or [`NONE`].
    pub innermost: Vec<u32>,
    /// Header of the next loop around the one that a place heads.
    around: Vec<u32>,
    preds: Vec<u32>,
    pred_start: Vec<u32>,
    dom_in: Vec<u32>,
    dom_out: Vec<u32>,
}

impl Flow {
    /// Analyses a function.
    pub fn new(f: &Function) -> Flow {
        let (order, place) = postorder(f);
        let n = order.len();
        let mut edges = Vec::new();
        for (i, &b) in order.iter().enumerate() {
            uses::successors(&f.blocks[b.index()], &mut |to| edges.push((place[to.index()], i as u32)));
        }
        let mut pred_start = vec![0; n + 1];
        for &(to, _) in &edges {
            pred_start[to as usize + 1] += 1;
        }
        for i in 0..n {
            pred_start[i + 1] += pred_start[i];
        }
        let mut fill = pred_start.clone();
        let mut preds = vec![0; edges.len()];
        for &(to, from) in &edges {
            preds[fill[to as usize] as usize] = from;
            fill[to as usize] += 1;
        }
        let mut flow = Flow {
            order,
            place,
            idom: vec![NONE; n],
            depth: vec![0; n],
            innermost: vec![NONE; n],
            around: vec![NONE; n],
            preds,
            pred_start,
            dom_in: vec![0; n],
            dom_out: vec![0; n],
        };
        flow.dominators();
        flow.dominator_intervals();
        flow.loops();
        flow
    }

    /// Predecessors; one that comes by two edges stands twice.
    pub fn preds(&self, b: u32) -> &[u32] {
        &self.preds[self.pred_start[b as usize] as usize..self.pred_start[b as usize + 1] as usize]
    }

    /// Whether every path to `b` leads through `a`.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        self.dom_in[a as usize] <= self.dom_in[b as usize] && self.dom_out[b as usize] <= self.dom_out[a as usize]
    }

    /// Headers of the loops that a block is in, from the innermost out.
    pub fn loops_around(&self, b: u32) -> impl Iterator<Item = u32> {
        let header = |h: u32| (h != NONE).then_some(h);
        std::iter::successors(header(self.innermost[b as usize]), move |&h| header(self.around[h as usize]))
    }

    /// The blocks so that each stands behind its dominators and all that one dominates stand together.
    pub fn dominator_order(&self) -> Vec<u32> {
        let mut order = vec![0; self.order.len()];
        for (b, &at) in self.dom_in.iter().enumerate() {
            order[at as usize] = b as u32;
        }
        order
    }

    /// The last block that dominates both.
    pub fn common_dominator(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if a > b {
                a = self.idom[a as usize];
            } else {
                b = self.idom[b as usize];
            }
        }
        a
    }

    fn dominators(&mut self) {
        if self.order.is_empty() {
            return;
        }
        self.idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for b in 1..self.order.len() as u32 {
                let mut dom = NONE;
                for i in self.pred_start[b as usize]..self.pred_start[b as usize + 1] {
                    let p = self.preds[i as usize];
                    if self.idom[p as usize] != NONE {
                        dom = if dom == NONE { p } else { self.common_dominator(dom, p) };
                    }
                }
                if self.idom[b as usize] != dom {
                    self.idom[b as usize] = dom;
                    changed = true;
                }
            }
        }
    }

    /// Numbers the dominator tree so that `dominates` is two comparisons. Children have larger places than parents, so
    /// subtree sizes add up backwards and first numbers are handed out forwards.
    fn dominator_intervals(&mut self) {
        let n = self.order.len();
        let mut size = vec![1u32; n];
        for b in (1..n).rev() {
            size[self.idom[b] as usize] += size[b];
        }
        let mut next = vec![0u32; n];
        for b in 0..n {
            let start = if b == 0 {
                0
            } else {
                let parent = self.idom[b] as usize;
                let at = next[parent];
                next[parent] += size[b];
                at
            };
            self.dom_in[b] = start;
            self.dom_out[b] = start + size[b];
            next[b] = start + 1;
        }
    }

    /// Natural loops; back edges to one header are one loop. Outer headers come first, inner ones overwrite.
    fn loops(&mut self) {
        let n = self.order.len() as u32;
        let mut mark = vec![NONE; n as usize];
        let mut work = Vec::new();
        for header in 0..n {
            for i in self.pred_start[header as usize]..self.pred_start[header as usize + 1] {
                let latch = self.preds[i as usize];
                if latch >= header && self.dominates(header, latch) {
                    work.push(latch);
                }
            }
            if work.is_empty() {
                continue;
            }
            mark[header as usize] = header;
            self.depth[header as usize] += 1;
            self.around[header as usize] = self.innermost[header as usize];
            self.innermost[header as usize] = header;
            while let Some(b) = work.pop() {
                if mark[b as usize] != header {
                    mark[b as usize] = header;
                    self.depth[b as usize] += 1;
                    self.innermost[b as usize] = header;
                    work.extend_from_slice(
                        &self.preds[self.pred_start[b as usize] as usize..self.pred_start[b as usize + 1] as usize],
                    );
                }
            }
        }
    }
}

/// Whether a block may run more than once in a call.
pub fn has_cycle(f: &Function) -> bool {
    let (order, place) = postorder(f);
    order.iter().enumerate().any(|(i, b)| {
        let mut back = false;
        uses::successors(&f.blocks[b.index()], &mut |to| back |= place[to.index()] <= i as u32);
        back
    })
}

/// Reverse postorder without recursion; the second successor is visited first, so that the first one follows its block.
fn postorder(f: &Function) -> (Vec<Block>, Vec<u32>) {
    let mut place = vec![NONE; f.blocks.len()];
    let mut order = Vec::with_capacity(f.blocks.len());
    let mut stack: Vec<(Block, Vec<Block>)> = Vec::new();
    let successors = |b: Block| {
        let mut list = Vec::new();
        uses::successors(&f.blocks[b.index()], &mut |to| list.push(to));
        list
    };
    place[f.entry.index()] = 0;
    stack.push((f.entry, successors(f.entry)));
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if place[next.index()] == NONE {
                    place[next.index()] = 0;
                    stack.push((next, successors(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    for (i, &b) in order.iter().enumerate() {
        place[b.index()] = i as u32;
    }
    (order, place)
}
