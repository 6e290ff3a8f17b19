//! Control flow of one function as the code generator wants it: what [`leat_ssa::cfg`] finds, by place.
//!
//! From here on a block is its place in reverse postorder; unreachable blocks have none. Slow paths have become code
//! here, so a block's handler is one of its successors.

use leat_base::arena::EntityId;
use leat_ssa::cfg::{Cfg, Dominators, Loops};
use leat_ssa::ir::{Block, Function};

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
    innermost: Vec<u32>,
    /// Header of the next loop around the one that a place heads.
    around: Vec<u32>,
    preds: Vec<u32>,
    pred_start: Vec<u32>,
    dominators: Dominators,
}

impl Flow {
    /// Analyses a function.
    pub fn new(f: &Function) -> Flow {
        let cfg = Cfg::with_handlers(f);
        let dominators = Dominators::new(f, &cfg);
        let loops = Loops::new(f, &cfg, &dominators);
        let n = cfg.rpo.len();
        let place = |b: Block| cfg.order[b.index()];
        let header = |l: Option<usize>| l.map_or(NONE, |l| place(loops.loops[l].header));
        let (mut idom, mut depth, mut innermost) =
            (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
        let (mut preds, mut pred_start) = (Vec::new(), Vec::with_capacity(n + 1));
        pred_start.push(0);
        for &b in &cfg.rpo {
            let inside = loops.innermost[b.index()];
            idom.push(place(dominators.idom[b.index()]));
            depth.push(inside.map_or(0, |l| loops.loops[l].depth));
            innermost.push(header(inside));
            preds.extend(cfg.preds(b).iter().map(|&p| place(p)));
            pred_start.push(preds.len() as u32);
        }
        let mut around = vec![NONE; n];
        for l in &loops.loops {
            around[place(l.header) as usize] = header(l.parent);
        }
        Flow { idom, depth, innermost, around, preds, pred_start, dominators, place: cfg.order, order: cfg.rpo }
    }

    /// Predecessors; one that comes by two edges stands twice.
    pub fn preds(&self, b: u32) -> &[u32] {
        &self.preds[self.pred_start[b as usize] as usize..self.pred_start[b as usize + 1] as usize]
    }

    /// Whether every path to `b` leads through `a`.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        self.dominators.dominates(self.order[a as usize], self.order[b as usize])
    }

    /// Headers of the loops that a block is in, from the innermost out.
    pub fn loops_around(&self, b: u32) -> impl Iterator<Item = u32> {
        let header = |h: u32| (h != NONE).then_some(h);
        std::iter::successors(header(self.innermost[b as usize]), move |&h| header(self.around[h as usize]))
    }

    /// The blocks so that each stands behind its dominators and all that one dominates stand together.
    pub fn dominator_order(&self) -> Vec<u32> {
        self.dominators.preorder.iter().map(|b| self.place[b.index()]).collect()
    }

    /// The last block that dominates both. As fast as `a` is near to it, however deep `b` is: who asks for one block
    /// after the other climbs each step once.
    pub fn common_dominator(&self, mut a: u32, b: u32) -> u32 {
        while !self.dominates(a, b) {
            a = self.idom[a as usize];
        }
        a
    }
}

/// Whether a block may run more than once in a call.
pub fn has_cycle(f: &Function) -> bool {
    let cfg = Cfg::with_handlers(f);
    let place = |b: Block| cfg.order[b.index()];
    cfg.rpo.iter().any(|&b| cfg.succs(b).iter().any(|&to| place(to) <= place(b)))
}
