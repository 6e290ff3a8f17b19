//! Helpers of the loop passes: copies of blocks, and uses repaired when a value has a second definition.
//!
//! Where a use is reached by the original and by the copy, a parameter joins them: in the iterated dominance frontier
//! of the two, after Cytron and others, Efficiently computing static single assignment form, TOPLAS 1991, and only
//! where the value is asked for. So a handler's block gets none: what it uses was there when its scope was entered
//! (S12), and both definitions are before that. (Parameters at every join on the way, left to `simplify` when they
//! turned out to be one value, after Braun and others, CC 2013, stood in handlers too; and `simplify` does not see that
//! they are one value where a rotated loop, entered at two blocks, passes them around.)

use crate::cfg::{Cfg, Dominators};
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Copies blocks; answers each block's copy and each value's. What was inlined into them is called in the copy, too,
/// and gets another [`Loc::copy`] there, unless it was entered before ([`Entered`]).
pub fn copy_blocks(
    f: &mut Function,
    blocks: &[Block],
    before: impl Fn(u32) -> bool,
) -> (FxHashMap<Block, Block>, FxHashMap<Value, Value>) {
    let mut copies = f.copies;
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut place = |loc: &mut Loc| {
        if loc.at != 0 && loc.copy != Loc::ONE_COPY && !before(loc.at) {
            loc.copy = *numbers.entry(loc.copy).or_insert_with(|| {
                copies += 1;
                copies
            });
        }
    };
    let mut block_of: FxHashMap<Block, Block> = FxHashMap::default();
    let mut value_of: FxHashMap<Value, Value> = FxHashMap::default();
    for &b in blocks {
        let copy = f.new_block();
        block_of.insert(b, copy);
        let params = f[b].params.clone();
        for v in params.into_iter().chain(f[b].insts.iter().flat_map(|i| i.results.iter().copied()).collect::<Vec<_>>())
        {
            let ty = f.ty(v);
            value_of.insert(v, f.new_value(ty));
        }
    }
    let value = |v: Value| value_of.get(&v).copied().unwrap_or(v);
    for &b in blocks {
        let mut data = f[b].clone();
        data.params.iter_mut().for_each(|v| *v = value(*v));
        for inst in &mut data.insts {
            inst.op.map_operands(value);
            inst.results.iter_mut().for_each(|v| *v = value(*v));
            place(&mut inst.loc);
        }
        place(&mut data.loc);
        data.term.map_operands(value);
        data.term.each_target_mut(|t| t.block = block_of.get(&t.block).copied().unwrap_or(t.block));
        data.handler = data.handler.map(|h| block_of.get(&h).copied().unwrap_or(h));
        f[block_of[&b]] = data;
    }
    f.copies = copies;
    (block_of, value_of)
}

/// Where what was inlined stands: for each place, the span of its blocks in the preorder of the dominator tree.
///
/// It is made once for a function, before the first of its loops is copied, and serves all of them: a loop is entered
/// at its header only, so what can be reached without the loop is what the header does not dominate; and the copy of a
/// loop stands where the loop stands, and has the same places.
pub struct Entered {
    spans: FxHashMap<u32, (u32, u32)>,
}

impl Entered {
    pub fn new(f: &Function, cfg: &Cfg, dom: &Dominators) -> Entered {
        let mut spans: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for &b in &cfg.rpo {
            let here = dom.subtree(b).0;
            let mut last = 0;
            for at in f[b].insts.iter().map(|i| i.loc.at).chain([f[b].loc.at]) {
                if at != last && at != 0 {
                    let span = spans.entry(at).or_insert((here, here));
                    *span = (span.0.min(here), span.1.max(here));
                }
                last = at;
            }
        }
        Entered { spans }
    }

    /// Whether control may be in what was inlined at a place already when it comes to a loop.
    pub fn before(&self, dom: &Dominators, header: Block) -> impl Fn(u32) -> bool {
        let (first, last) = dom.subtree(header);
        move |at| self.spans.get(&at).is_some_and(|span| span.0 < first || span.1 > last)
    }
}

/// New ways into loops: for each header, the loop's number and the block that takes its place for all that is not of
/// the loop. They are made for all loops first, and then taken in one walk over the function ([`Entries::enter`]).
#[derive(Default)]
pub struct Entries {
    /// Each block's loop, `u32::MAX` for none; blocks that are not in it belong to none either.
    group: Vec<u32>,
    to: FxHashMap<Block, (u32, Block)>,
}

impl Entries {
    /// From now on `to` is where loop `l` is entered.
    pub fn add(&mut self, header: Block, l: u32, to: Block) {
        self.to.insert(header, (l, to));
    }

    /// This block goes to the loop's header as it did.
    pub fn keep(&mut self, l: u32, block: Block) {
        let at = block.0 as usize;
        if self.group.len() <= at {
            self.group.resize(at + 1, u32::MAX);
        }
        self.group[at] = l;
    }

    pub fn enter(&self, f: &mut Function) {
        if self.to.is_empty() {
            return;
        }
        for (i, block) in f.blocks.iter_mut().enumerate() {
            let own = self.group.get(i).copied().unwrap_or(u32::MAX);
            block.term.each_target_mut(|t| {
                if let Some(&(_, to)) = self.to.get(&t.block).filter(|entry| entry.0 != own) {
                    t.block = to;
                }
            });
        }
    }
}

struct Repair<'a> {
    cfg: &'a Cfg,
    dom: &'a Dominators,
    /// Dominance frontiers: the joins where what a block knows meets something else.
    frontier: Vec<SmallVec<[Block; 2]>>,
    /// Each value's original and copied definition: (block, value).
    defs: FxHashMap<Value, [(Block, Value); 2]>,
    /// The joins of definitions in two blocks.
    joins: FxHashMap<[Block; 2], FxHashSet<Block>>,
    /// The value at the start of a block.
    at_start: FxHashMap<(Value, Block), Value>,
    /// Parameters whose arguments are still missing: (variable, block).
    waiting: Vec<(Value, Block)>,
}

/// Each block's dominance frontier, after Cooper, Harvey and Kennedy, A simple, fast dominance algorithm, 2001.
fn frontiers(f: &Function, cfg: &Cfg, dom: &Dominators) -> Vec<SmallVec<[Block; 2]>> {
    let mut frontier: Vec<SmallVec<[Block; 2]>> = vec![SmallVec::new(); f.blocks.len()];
    for &b in &cfg.rpo {
        let (preds, idom) = (cfg.preds(b), dom.idom[b.0 as usize]);
        // The entry has no predecessors (S6).
        for &pred in preds.iter().filter(|_| preds.len() > 1) {
            let mut at = pred;
            while at != idom {
                let found = &mut frontier[at.0 as usize];
                // Joins come one after the other, so one that is there stands last; then it is there above, too.
                if found.last() == Some(&b) {
                    break;
                }
                found.push(b);
                at = dom.idom[at.0 as usize];
            }
        }
    }
    frontier
}

/// Repairs the uses of values that have a copy now. `values`: (original, its block, copy, its block). Uses in the
/// defining blocks stay as they are. The graph must be as it will be.
pub fn repair(f: &mut Function, values: &[(Value, Block, Value, Block)]) {
    repair_outside(f, values, &[]);
}

/// Likewise for whole loops: `group` gives each block's loop (`u32::MAX` for none); a use in the loop of the value's
/// definition stays as it is.
pub fn repair_outside(f: &mut Function, values: &[(Value, Block, Value, Block)], group: &[u32]) {
    let group_of = |b: Block| group.get(b.0 as usize).copied().filter(|&g| g != u32::MAX);
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let mut r = Repair {
        cfg: &cfg,
        dom: &dom,
        frontier: frontiers(f, &cfg, &dom),
        defs: values.iter().map(|&(v, b, w, c)| (v, [(b, v), (c, w)])).collect(),
        joins: FxHashMap::default(),
        at_start: FxHashMap::default(),
        waiting: Vec::new(),
    };
    for &b in &cfg.rpo {
        let here = group_of(b);
        let mut data = std::mem::take(&mut f[b]);
        for inst in &mut data.insts {
            inst.op.map_operands(|v| r.used(f, b, v, here, &group_of));
        }
        data.term.map_operands(|v| r.used(f, b, v, here, &group_of));
        // Parameters may have been added meanwhile.
        let added = std::mem::take(&mut f[b].params);
        data.params.extend(added);
        f[b] = data;
    }
    // First come, first served: the arguments stand in the parameters' order.
    let mut next = 0;
    while let Some(&(v, b)) = r.waiting.get(next) {
        next += 1;
        pass(f, &cfg, b, |f, pred| r.at_end(f, pred, v));
    }
}

/// Each way to the block passes one more argument: the value that there is at the end of the predecessor.
pub(super) fn pass(f: &mut Function, cfg: &Cfg, b: Block, mut at_end: impl FnMut(&mut Function, Block) -> Value) {
    let mut seen: SmallVec<[Block; 4]> = SmallVec::new();
    for &pred in cfg.preds(b) {
        if seen.contains(&pred) {
            continue;
        }
        seen.push(pred);
        let value = at_end(f, pred);
        f[pred].term.each_target_mut(|t| {
            if t.block == b {
                t.args.push(value);
            }
        });
    }
}

impl Repair<'_> {
    fn used(
        &mut self,
        f: &mut Function,
        b: Block,
        v: Value,
        here: Option<u32>,
        group: &impl Fn(Block) -> Option<u32>,
    ) -> Value {
        match self.defs.get(&v) {
            None => v,
            Some(defs) if here.is_some() && group(defs[0].0) == here => v,
            Some(defs) if defs.iter().any(|d| d.0 == b) => v,
            Some(_) => self.at_start(f, b, v),
        }
    }

    fn at_end(&mut self, f: &mut Function, b: Block, v: Value) -> Value {
        match self.defs[&v].iter().find(|d| d.0 == b) {
            Some(d) => d.1,
            None => self.at_start(f, b, v),
        }
    }

    fn at_start(&mut self, f: &mut Function, b: Block, v: Value) -> Value {
        let defs = self.defs[&v];
        let mut way: SmallVec<[Block; 8]> = SmallVec::new();
        let mut at = b;
        let value = loop {
            if let Some(&known) = self.at_start.get(&(v, at)) {
                break known;
            }
            way.push(at);
            if self.is_join([defs[0].0, defs[1].0], at) {
                let ty = f.ty(v);
                let param = f.new_value(ty);
                f[at].params.push(param);
                self.waiting.push((v, at));
                break param;
            }
            // No other definition is between it and the block that comes before on every way.
            assert_ne!(at, f.entry, "S4: {v} is used where it is not defined");
            at = self.dom.idom[at.0 as usize];
            if let Some(d) = defs.iter().find(|d| d.0 == at) {
                break d.1;
            }
        };
        for b in way {
            self.at_start.insert((v, b), value);
        }
        value
    }

    /// Whether different definitions, in these blocks, may reach the start of a block.
    fn is_join(&mut self, defs: [Block; 2], b: Block) -> bool {
        if self.cfg.preds(b).len() < 2 {
            return false;
        }
        let frontier = &self.frontier;
        let joins = self.joins.entry(defs).or_insert_with(|| {
            let mut joins = FxHashSet::default();
            let mut work: Vec<Block> = defs.to_vec();
            while let Some(at) = work.pop() {
                let new = frontier[at.0 as usize].iter().filter(|&&join| joins.insert(join));
                work.extend(new.copied());
            }
            joins
        });
        joins.contains(&b)
    }
}

/// The values that a block defines.
pub fn defined(f: &Function, b: Block) -> Vec<Value> {
    f[b].params.iter().copied().chain(f[b].insts.iter().flat_map(|i| i.results.iter().copied())).collect()
}
