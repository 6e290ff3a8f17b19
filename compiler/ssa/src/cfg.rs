//! The control-flow graph of a function: order, predecessors, dominators, loops.
//!
//! Dominators by Georgiadis and Tarjan's Semi-NCA with path compression, all without recursion: linear but for the
//! compression, so a function of a hundred thousand blocks is no trouble.

use crate::ir::{Block, BlockData, Function, Term, Value};

const NONE: u32 = u32::MAX;

/// Reachable blocks in reverse postorder and what follows from it. Block numbers are those of the function; a block
/// that is not reachable has `order` `u32::MAX`.
#[derive(Default)]
pub struct Cfg {
    /// Reachable blocks, reverse postorder; the entry first.
    pub rpo: Vec<Block>,
    /// Position in `rpo`, by block.
    pub order: Vec<u32>,
    /// Predecessors of all blocks in one list, one entry an edge, and where each block's begin.
    preds: Vec<Block>,
    starts: Vec<u32>,
    /// Successors likewise, and the walk's stack; kept for the next function.
    succs: Vec<Block>,
    succ_starts: Vec<u32>,
    stack: Vec<(Block, u32)>,
}

impl Cfg {
    pub fn new(f: &Function) -> Cfg {
        let mut cfg = Cfg::default();
        cfg.compute(f);
        cfg
    }

    /// Likewise where slow paths have become code: a block's handler is a successor too.
    pub fn with_handlers(f: &Function) -> Cfg {
        let mut cfg = Cfg::default();
        cfg.fill(f, |block, out| block.each_successor(out));
        cfg
    }

    /// The same tables for another function.
    pub fn compute(&mut self, f: &Function) {
        self.fill(f, |block, out| block.term.each_target(|t| out(t.block)));
    }

    fn fill(&mut self, f: &Function, successors: impl Fn(&BlockData, &mut dyn FnMut(Block))) {
        let n = f.blocks.len();
        self.succs.clear();
        self.succ_starts.clear();
        // A block has two successors as a rule; without this the lists grow step by step, for each new graph.
        self.succs.reserve(2 * n);
        self.succ_starts.reserve(n + 1);
        self.succ_starts.push(0);
        for block in &f.blocks {
            successors(block, &mut |to| self.succs.push(to));
            self.succ_starts.push(self.succs.len() as u32);
        }
        self.order.clear();
        self.order.resize(n, NONE);
        self.rpo.clear();
        self.rpo.reserve(n);
        self.stack.clear();
        // From the last successor to the first, so that the first comes first after its block.
        let last = |starts: &[u32], b: Block| starts[b.0 as usize + 1];
        self.stack.push((f.entry, last(&self.succ_starts, f.entry)));
        self.order[f.entry.0 as usize] = 0;
        while let Some((block, next)) = self.stack.last_mut() {
            let here = *block;
            if *next == self.succ_starts[here.0 as usize] {
                self.rpo.push(here);
                self.stack.pop();
                continue;
            }
            *next -= 1;
            let succ = self.succs[*next as usize];
            if self.order[succ.0 as usize] == NONE {
                self.order[succ.0 as usize] = 0;
                self.stack.push((succ, last(&self.succ_starts, succ)));
            }
        }
        self.rpo.reverse();
        for (i, &b) in self.rpo.iter().enumerate() {
            self.order[b.0 as usize] = i as u32;
        }
        // Edges of reachable blocks, by their head: counted, then placed from behind.
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        let edges = |b: Block| self.succ_starts[b.0 as usize] as usize..self.succ_starts[b.0 as usize + 1] as usize;
        for &b in &self.rpo {
            for succ in &self.succs[edges(b)] {
                self.starts[succ.0 as usize] += 1;
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.preds.clear();
        self.preds.resize(sum as usize, Block(0));
        for &b in self.rpo.iter().rev() {
            for succ in self.succs[edges(b)].iter().rev() {
                let slot = &mut self.starts[succ.0 as usize];
                *slot -= 1;
                self.preds[*slot as usize] = b;
            }
        }
    }

    #[inline]
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[self.succ_starts[block.0 as usize] as usize..self.succ_starts[block.0 as usize + 1] as usize]
    }

    /// In reverse postorder.
    #[inline]
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[self.starts[block.0 as usize] as usize..self.starts[block.0 as usize + 1] as usize]
    }

    #[inline]
    pub fn reachable(&self, block: Block) -> bool {
        self.order[block.0 as usize] != NONE
    }
}

/// Immediate dominators of a graph with nodes `0..n`, by node; `u32::MAX` for the root and what it does not reach.
/// `succs` gives a node's successors.
pub fn immediate_dominators(n: usize, root: u32, succs: impl Fn(u32, &mut dyn FnMut(u32))) -> Vec<u32> {
    // Depth-first numbering.
    let mut number = vec![NONE; n];
    let mut node = Vec::with_capacity(n);
    let mut parent = Vec::with_capacity(n);
    let mut pred_edges: Vec<(u32, u32)> = Vec::new();
    let mut stack = vec![(root, NONE)];
    while let Some((v, from)) = stack.pop() {
        if from != NONE {
            pred_edges.push((v, from));
        }
        if number[v as usize] != NONE {
            continue;
        }
        let here = node.len() as u32;
        number[v as usize] = here;
        node.push(v);
        parent.push(if from == NONE { 0 } else { number[from as usize] });
        succs(v, &mut |w| stack.push((w, v)));
    }
    let count = node.len();
    // Predecessors in depth-first numbers, grouped by head.
    let mut start = vec![0u32; count + 1];
    for &(to, _) in &pred_edges {
        start[number[to as usize] as usize + 1] += 1;
    }
    for i in 0..count {
        start[i + 1] += start[i];
    }
    let mut fill = start.clone();
    let mut preds = vec![0u32; pred_edges.len()];
    for &(to, from) in &pred_edges {
        let slot = &mut fill[number[to as usize] as usize];
        preds[*slot as usize] = number[from as usize];
        *slot += 1;
    }
    // Semidominators, with a path-compressed forest of the nodes already processed.
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut label = semi.clone();
    let mut ancestor = vec![NONE; count];
    let mut path = Vec::new();
    for w in (1..count as u32).rev() {
        for &v in &preds[start[w as usize] as usize..start[w as usize + 1] as usize] {
            let u = eval(v, &mut ancestor, &mut label, &semi, &mut path);
            semi[w as usize] = semi[w as usize].min(semi[u as usize]);
        }
        ancestor[w as usize] = parent[w as usize];
    }
    // The immediate dominator is the nearest ancestor in the tree so far that is no deeper than the semidominator.
    let mut idom = parent;
    for w in 1..count as u32 {
        let mut d = idom[w as usize];
        while d > semi[w as usize] {
            d = idom[d as usize];
        }
        idom[w as usize] = d;
    }
    let mut out = vec![NONE; n];
    for w in 1..count {
        out[node[w] as usize] = node[idom[w] as usize];
    }
    out
}

/// The node of least semidominator on the way from `v` up to its tree's root (the root excluded), compressing the way.
fn eval(v: u32, ancestor: &mut [u32], label: &mut [u32], semi: &[u32], path: &mut Vec<u32>) -> u32 {
    if ancestor[v as usize] == NONE {
        return v;
    }
    path.clear();
    let mut at = v;
    while ancestor[ancestor[at as usize] as usize] != NONE {
        path.push(at);
        at = ancestor[at as usize];
    }
    let top = ancestor[at as usize];
    let mut best = label[at as usize];
    while let Some(x) = path.pop() {
        if semi[best as usize] < semi[label[x as usize] as usize] {
            label[x as usize] = best;
        }
        best = label[x as usize];
        ancestor[x as usize] = top;
    }
    label[v as usize]
}

/// The dominator tree.
pub struct Dominators {
    /// Immediate dominator by block; the entry's and those of unreachable blocks are themselves.
    pub idom: Vec<Block>,
    /// Preorder number in the tree, and the last number in the subtree.
    pre: Vec<u32>,
    last: Vec<u32>,
    /// Blocks in preorder of the tree.
    pub preorder: Vec<Block>,
    /// Depth in the tree.
    pub depth: Vec<u32>,
}

impl Dominators {
    pub fn new(f: &Function, cfg: &Cfg) -> Dominators {
        let n = f.blocks.len();
        let raw = immediate_dominators(n, f.entry.0, |b, out| cfg.succs(Block(b)).iter().for_each(|to| out(to.0)));
        let idom: Vec<Block> =
            (0..n as u32).map(|b| Block(if raw[b as usize] == NONE { b } else { raw[b as usize] })).collect();
        // Children in reverse postorder, as first child and next sibling.
        let mut first = vec![NONE; n];
        let mut next = vec![NONE; n];
        for &b in cfg.rpo.iter().skip(1).rev() {
            let d = idom[b.0 as usize].0 as usize;
            next[b.0 as usize] = first[d];
            first[d] = b.0;
        }
        let mut pre = vec![NONE; n];
        let mut last = vec![0; n];
        let mut depth = vec![0; n];
        let mut preorder = Vec::with_capacity(cfg.rpo.len());
        let mut at = f.entry.0;
        loop {
            pre[at as usize] = preorder.len() as u32;
            preorder.push(Block(at));
            if first[at as usize] != NONE {
                depth[first[at as usize] as usize] = depth[at as usize] + 1;
                at = first[at as usize];
                continue;
            }
            loop {
                last[at as usize] = preorder.len() as u32 - 1;
                if at == f.entry.0 {
                    return Dominators { idom, pre, last, preorder, depth };
                }
                if next[at as usize] != NONE {
                    depth[next[at as usize] as usize] = depth[at as usize];
                    at = next[at as usize];
                    break;
                }
                at = idom[at as usize].0;
            }
        }
    }

    /// The numbers of a block and of the last one that it dominates, in preorder of the tree: it dominates those
    /// between.
    #[inline]
    pub fn subtree(&self, block: Block) -> (u32, u32) {
        (self.pre[block.0 as usize], self.last[block.0 as usize])
    }

    /// Whether every way to `b` goes through `a`. Both reachable.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (a.0 as usize, b.0 as usize);
        self.pre[a] != NONE && self.pre[b] != NONE && self.pre[a] <= self.pre[b] && self.pre[b] <= self.last[a]
    }
}

/// A natural loop: all blocks from which a latch is reached without its header.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: Block,
    /// Blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// All blocks, the header first; those of inner loops too.
    pub blocks: Vec<Block>,
    /// Index of the loop around it.
    pub parent: Option<usize>,
    pub depth: u32,
}

/// All natural loops, inner ones before the loops around them. Irreducible cycles are in none.
pub struct Loops {
    pub loops: Vec<Loop>,
    /// Innermost loop by block.
    pub innermost: Vec<Option<usize>>,
}

/// Whether there are cycles, and whether one of them is entered at several blocks: that one is no natural loop.
pub fn cycles(cfg: &Cfg, dom: &Dominators) -> (bool, bool) {
    let (mut some, mut irreducible) = (false, false);
    for &b in &cfg.rpo {
        for &s in cfg.succs(b).iter().filter(|s| cfg.order[s.0 as usize] <= cfg.order[b.0 as usize]) {
            some = true;
            irreducible |= !dom.dominates(s, b);
        }
    }
    (some, irreducible)
}

impl Loops {
    /// The loops with no loop inside.
    pub fn leaves(&self) -> impl Iterator<Item = &Loop> {
        let mut has_inner = vec![false; self.loops.len()];
        self.loops.iter().filter_map(|l| l.parent).for_each(|p| has_inner[p] = true);
        self.loops.iter().zip(has_inner).filter(|(_, has_inner)| !has_inner).map(|(l, _)| l)
    }

    pub fn new(f: &Function, cfg: &Cfg, dom: &Dominators) -> Loops {
        let n = f.blocks.len();
        let mut loops: Vec<Loop> = Vec::new();
        let mut innermost: Vec<Option<usize>> = vec![None; n];
        // Headers from the last to the first in reverse postorder: inner loops come first.
        for &header in cfg.rpo.iter().rev() {
            let latches: Vec<Block> =
                cfg.preds(header).iter().copied().filter(|&p| cfg.reachable(p) && dom.dominates(header, p)).collect();
            if latches.is_empty() {
                continue;
            }
            let me = loops.len();
            let mut blocks = vec![header];
            let mut work: Vec<Block> = latches.clone();
            // The outermost loop so far around a block: blocks of inner loops are stepped over as one.
            let outermost = |loops: &[Loop], mut l: usize| {
                while let Some(p) = loops[l].parent {
                    l = p;
                }
                l
            };
            loops.push(Loop { header, latches, blocks: Vec::new(), parent: None, depth: 1 });
            innermost[header.0 as usize] = innermost[header.0 as usize].or(Some(me));
            while let Some(b) = work.pop() {
                match innermost[b.0 as usize] {
                    None => {
                        innermost[b.0 as usize] = Some(me);
                        blocks.push(b);
                        work.extend(cfg.preds(b).iter().copied().filter(|&p| cfg.reachable(p)));
                    }
                    Some(l) => {
                        let inner = outermost(&loops, l);
                        if inner != me {
                            loops[inner].parent = Some(me);
                            let head = loops[inner].header;
                            let members = std::mem::take(&mut loops[inner].blocks);
                            blocks.extend_from_slice(&members);
                            loops[inner].blocks = members;
                            work.extend(cfg.preds(head).iter().copied().filter(|&p| cfg.reachable(p)));
                        }
                    }
                }
            }
            loops[me].blocks = blocks;
        }
        for i in (0..loops.len()).rev() {
            if let Some(p) = loops[i].parent {
                loops[i].depth = loops[p].depth + 1;
            }
        }
        Loops { loops, innermost }
    }
}

/// Gives blocks their numbers in reverse postorder and drops unreachable ones.
pub fn renumber_blocks(f: &mut Function) {
    renumber(f, &mut Cfg::default());
}

/// Likewise, with tables to use.
pub fn renumber(f: &mut Function, cfg: &mut Cfg) {
    cfg.compute(f);
    if cfg.rpo.len() == f.blocks.len() && cfg.rpo.iter().enumerate().all(|(i, b)| b.0 as usize == i) {
        return;
    }
    let mut old: Vec<crate::ir::BlockData> = std::mem::take(&mut f.blocks);
    for &b in &cfg.rpo {
        let mut data = std::mem::take(&mut old[b.0 as usize]);
        data.term.each_target_mut(|t| t.block = Block(cfg.order[t.block.0 as usize]));
        data.handler = data.handler.map(|h| Block(cfg.order[h.0 as usize])).filter(|h| h.0 != NONE);
        f.blocks.push(data);
    }
    f.entry = Block(0);
}

/// Gives values new numbers in the order of their definitions, when many that have one are gone: what was folded,
/// shared or never used. Tables by value are then as large as the function is, and what is near in it is near there.
/// No block may be unreachable.
pub fn renumber_values(f: &mut Function) {
    let defined = |b: &BlockData| b.params.len() + b.insts.iter().map(|inst| inst.results.len()).sum::<usize>();
    let defined: usize = f.blocks.iter().map(defined).sum();
    if f.values.len() <= defined + defined / 4 {
        return;
    }
    let mut numbers = vec![NONE; f.values.len()];
    let old = std::mem::replace(&mut f.values, Vec::with_capacity(defined));
    for block in &mut f.blocks {
        for v in block.params.iter_mut().chain(block.insts.iter_mut().flat_map(|inst| &mut inst.results)) {
            numbers[v.0 as usize] = f.values.len() as u32;
            f.values.push(old[v.0 as usize]);
            *v = Value(numbers[v.0 as usize]);
        }
    }
    let number = |v: Value| {
        debug_assert_ne!(numbers[v.0 as usize], NONE, "S4: {v:?} is defined");
        Value(numbers[v.0 as usize])
    };
    for block in &mut f.blocks {
        block.insts.iter_mut().for_each(|inst| inst.op.map_operands(number));
        block.term.map_operands(number);
    }
}

/// Where each value is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    None,
    Param { block: Block, index: u32 },
    Inst { block: Block, inst: u32, result: u32 },
}

/// The definition of every value in reachable code order.
pub fn definitions(f: &Function, cfg: &Cfg) -> Vec<Def> {
    let mut defs = vec![Def::None; f.values.len()];
    for &block in &cfg.rpo {
        for (i, &p) in f[block].params.iter().enumerate() {
            defs[p.0 as usize] = Def::Param { block, index: i as u32 };
        }
        for (i, inst) in f[block].insts.iter().enumerate() {
            for (r, &v) in inst.results.iter().enumerate() {
                defs[v.0 as usize] = Def::Inst { block, inst: i as u32, result: r as u32 };
            }
        }
    }
    defs
}

/// The constant integer of each value that is one.
pub fn int_constants(f: &Function) -> Vec<Option<i64>> {
    let mut out = vec![None; f.values.len()];
    for block in &f.blocks {
        for inst in &block.insts {
            if let crate::ir::Op::Iconst(n) = inst.op {
                out[inst.results[0].0 as usize] = Some(n);
            }
        }
    }
    out
}

/// How often each value is used.
pub fn use_counts(f: &Function) -> Vec<u32> {
    let mut uses = vec![0u32; f.values.len()];
    let mut count = |v: Value| uses[v.0 as usize] += 1;
    for block in &f.blocks {
        block.insts.iter().for_each(|inst| inst.op.each_operand(&mut count));
        block.term.each_operand(&mut count);
    }
    uses
}

/// Whether a block does nothing but end.
pub fn is_empty_block(f: &Function, block: Block) -> bool {
    f[block].insts.is_empty() && matches!(f[block].term, Term::Unreachable)
}
