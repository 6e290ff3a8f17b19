//! Local references: objects that stay in the function become values; allocations sink to where they are needed.
//!
//! Ssa -> Ssa. Keeps: order of effects, types. The allocations that nothing needs any more are left to `simplify`.
//!
//! | shape | becomes |
//! |---|---|
//! | a cell or record that is only loaded and stored | its fields are values, joined by block parameters |
//! | a parameter that is a fresh record of one shape on every edge, and only loaded | parameters, one a field |
//! | likewise, but it leaves its loop as a whole, and has no identity | likewise; it is made again behind the loop |
//! | an announced access of a local object ([`crate::watch`]) | nothing |
//! | an allocation that only one way behind it uses ([`sink`]) | stands on that way |
//!
//! Values that join are placed on demand, after Braun and others, Simple and efficient construction of static single
//! assignment form, CC 2013, without recursion.

use leat_abi::prim::Prim;

use crate::cfg::{Cfg, Dominators, Loops, cycles};
use crate::ir::*;
use crate::opt::{repair, rotate, simplify};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Most fields of a record that becomes values.
const MAX_FIELDS: usize = 8;
/// Rounds for records in records.
const ROUNDS: usize = 3;

/// Whether the program captures continuations. What a unit of a session calls may: a closure comes from another unit.
pub fn has_captures(p: &Program) -> bool {
    let captures = |callee: &Callee| matches!(callee, Callee::Prim(Prim::ContCapture | Prim::SegmentCopy));
    !p.slots.is_empty() || p.funcs.iter().any(|f| has_call(f, captures))
}

/// Whether a call of the function may return more than once, in a program that captures continuations. Then an object
/// that is stored into must stay one: its fields as values would be again what they were at the call.
fn may_return_again(f: &Function) -> bool {
    let again = |callee: &Callee| match callee {
        Callee::Func(_) | Callee::Closure(_) => true,
        Callee::Prim(p) => matches!(p, Prim::ContCapture | Prim::SegmentSwap),
        Callee::Foreign(..) => false,
    };
    has_call(f, again)
}

/// Whether the function has a call of one of these.
fn has_call(f: &Function, wanted: impl Fn(&Callee) -> bool) -> bool {
    f.blocks.iter().any(|b| {
        b.insts.iter().any(|i| matches!(&i.op, Op::Call(callee, _) if wanted(callee)))
            || matches!(&b.term, Term::Invoke { callee, .. } if wanted(callee))
    })
}

/// One function; whether it has changed. `captures`: the program captures continuations.
pub fn function(f: &mut Function, datas: &[StaticData], captures: bool) -> bool {
    let returns_again = captures && may_return_again(f);
    for round in 0..ROUNDS {
        let changed = f.blocks.iter().any(|b| b.insts.iter().any(|i| matches!(i.op, Op::Alloc { .. })))
            && fields(f, returns_again) | parameters(f);
        if !changed {
            return round > 0;
        }
        simplify::function(f, datas);
    }
    true
}

/// The types of an allocation's words, if there are not too many.
fn shape(f: &Function, op: &Op) -> Option<(u16, SmallVec<[Ty; 8]>)> {
    match op {
        Op::Alloc { tag, raws, refs } if raws.len() + refs.len() <= MAX_FIELDS => {
            Some((*tag, raws.iter().chain(refs).map(|&v| f.ty(v)).collect()))
        }
        _ => None,
    }
}

// Objects that are only loaded and stored.

/// A field of a local object: (object, field).
type Var = (Value, u32);

struct Fields<'a> {
    cfg: &'a Cfg,
    /// The variable's value at the end of each block that sets it.
    at_end: FxHashMap<(Var, Block), Value>,
    at_start: FxHashMap<(Var, Block), Value>,
    types: FxHashMap<Var, Ty>,
    /// Where the scope of each handler is entered.
    entered: FxHashMap<Block, Block>,
    /// Parameters whose arguments are still missing.
    waiting: Vec<(Var, Block)>,
}

/// Makes values of the fields of local objects; answers whether there were any.
fn fields(f: &mut Function, returns_again: bool) -> bool {
    let mut local: FxHashMap<Value, SmallVec<[Ty; 8]>> = FxHashMap::default();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let Some((_, types)) = shape(f, &inst.op) {
            local.insert(inst.results[0], types);
        }
    }
    // Those that escape, or whose fields are seen as something else.
    let mut accessed: FxHashSet<Value> = FxHashSet::default();
    for block in &f.blocks {
        for inst in &block.insts {
            match &inst.op {
                Op::Load { obj, field, ty, .. } => {
                    accessed.insert(*obj);
                    if local.get(obj).is_some_and(|types| types.get(*field as usize) != Some(ty)) {
                        local.remove(obj);
                    }
                }
                Op::Store { obj, field, value, .. } => {
                    accessed.insert(*obj);
                    if returns_again
                        || local.get(obj).is_some_and(|types| types.get(*field as usize) != Some(&f.ty(*value)))
                    {
                        local.remove(obj);
                    }
                    local.remove(value);
                }
                // Nobody sees the accesses of what stays here.
                Op::Call(Callee::Prim(Prim::Access), _) => {}
                op => op.each_operand(|v| drop(local.remove(&v))),
            }
        }
        block.term.each_operand(|v| drop(local.remove(&v)));
    }
    if !local.keys().any(|v| accessed.contains(v)) {
        return false;
    }
    let cfg = Cfg::new(f);
    seen_by_handlers(f, &cfg, &mut local);
    let mut s = Fields {
        cfg: &cfg,
        at_end: FxHashMap::default(),
        at_start: FxHashMap::default(),
        types: FxHashMap::default(),
        entered: crate::scope::entered(f).map(|(at, h)| (h, at)).collect(),
        waiting: Vec::new(),
    };
    for &b in &cfg.rpo {
        for inst in &f[b].insts {
            match &inst.op {
                Op::Alloc { raws, refs, .. } if local.contains_key(&inst.results[0]) => {
                    for (i, &v) in raws.iter().chain(refs).enumerate() {
                        let var = (inst.results[0], i as u32);
                        s.types.insert(var, f.ty(v));
                        s.at_end.insert((var, b), v);
                    }
                }
                Op::Store { obj, field, value, .. } if local.contains_key(obj) => {
                    s.at_end.insert(((*obj, *field), b), *value);
                }
                _ => {}
            }
        }
    }
    let mut found: Vec<(Value, Value)> = Vec::new();
    for &b in &cfg.rpo {
        let mut here: FxHashMap<Var, Value> = FxHashMap::default();
        let old = std::mem::take(&mut f[b].insts);
        let mut insts = Vec::with_capacity(old.len());
        for inst in old {
            match &inst.op {
                Op::Alloc { raws, refs, .. } if local.contains_key(&inst.results[0]) => {
                    here.extend(raws.iter().chain(refs).enumerate().map(|(i, &v)| ((inst.results[0], i as u32), v)));
                }
                Op::Store { obj, field, value, .. } if local.contains_key(obj) => {
                    here.insert((*obj, *field), *value);
                }
                Op::Load { obj, field, .. } if local.contains_key(obj) => {
                    let var = (*obj, *field);
                    let value = match here.get(&var) {
                        Some(&v) => v,
                        None => s.start(f, b, var),
                    };
                    found.push((inst.results[0], value));
                }
                Op::Call(Callee::Prim(Prim::Access), args) if local.contains_key(&args[0]) => {}
                _ => insts.push(inst),
            }
        }
        f[b].insts = insts;
    }
    // First come, first served: arguments in the order of the parameters.
    let mut next = 0;
    while let Some(&(var, b)) = s.waiting.get(next) {
        next += 1;
        repair::pass(f, &cfg, b, |f, pred| match s.at_end.get(&(var, pred)) {
            Some(&v) => v,
            None => s.start(f, pred, var),
        });
    }
    let mut subst: Vec<Value> = (0..f.values.len() as u32).map(Value).collect();
    found.into_iter().for_each(|(load, value)| subst[load.0 as usize] = value);
    simplify::substitute(f, &mut subst);
    true
}

/// An object that a scope stores into and its handler may load from stays one: an exception of a slow path comes from
/// anywhere in the scope, and brings no values along.
fn seen_by_handlers(f: &Function, cfg: &Cfg, local: &mut FxHashMap<Value, SmallVec<[Ty; 8]>>) {
    if f.blocks.iter().all(|b| b.handler.is_none()) {
        return;
    }
    let mut made: FxHashMap<Value, Block> = FxHashMap::default();
    let mut loaded: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
    // By object: the handlers of the scopes that store into it.
    let mut stored: FxHashMap<Value, SmallVec<[Block; 4]>> = FxHashMap::default();
    let mut throwing: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
    for &b in &cfg.rpo {
        if let Some(h) = f[b].handler {
            throwing.entry(h).or_default().push(b);
        }
        for inst in &f[b].insts {
            match inst.op {
                Op::Alloc { .. } if local.contains_key(&inst.results[0]) => drop(made.insert(inst.results[0], b)),
                Op::Load { obj, .. } if local.contains_key(&obj) => {
                    let blocks = loaded.entry(obj).or_default();
                    if blocks.last() != Some(&b) {
                        blocks.push(b);
                    }
                }
                Op::Store { obj, .. } if local.contains_key(&obj) && f[b].handler.is_some() => {
                    // Those of the scopes around this one, too.
                    let handlers = stored.entry(obj).or_default();
                    for h in std::iter::successors(f[b].handler, |&h| f[h].handler) {
                        if !handlers.contains(&h) {
                            handlers.push(h);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if stored.is_empty() {
        return;
    }
    let dom = Dominators::new(f, cfg);
    for (obj, handlers) in stored {
        let (Some(&at), Some(loads)) = (made.get(&obj), loaded.get(&obj)) else { continue };
        let handlers: FxHashSet<Block> = handlers.into_iter().filter(|&h| dom.dominates(at, h)).collect();
        // From its loads back to where it is made, so a walk goes where the object is in use and no further: with as
        // many handlers as blocks, walks from the handlers on would take their product.
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = loads.clone();
        while let Some(b) = work.pop() {
            if handlers.contains(&b) {
                local.remove(&obj);
                break;
            }
            if seen.insert(b) && b != at {
                work.extend(cfg.preds(b));
                work.extend(throwing.get(&b).into_iter().flatten());
            }
        }
    }
}

impl Fields<'_> {
    /// The variable's value at the start of a block; the allocation dominates it.
    fn start(&mut self, f: &mut Function, b: Block, var: Var) -> Value {
        let mut way: SmallVec<[Block; 8]> = SmallVec::new();
        let mut at = b;
        let value = loop {
            if let Some(&known) = self.at_start.get(&(var, at)) {
                break known;
            }
            way.push(at);
            // A handler takes no values; what it loads has not been stored since its scope was entered.
            let only = match (self.entered.get(&at), self.cfg.preds(at)) {
                (Some(&before), _) => Some(before),
                (None, [pred]) => Some(*pred),
                _ => None,
            };
            if let Some(pred) = only {
                if let Some(&v) = self.at_end.get(&(var, pred)) {
                    break v;
                }
                at = pred;
                continue;
            }
            let param = f.add_param(at, self.types[&var]);
            self.waiting.push((var, at));
            break param;
        };
        self.at_start.extend(way.into_iter().map(|b| ((var, b), value)));
        value
    }
}

// Parameters that are fresh records.

/// What the arguments of a parameter are.
#[derive(Clone)]
enum Fresh {
    Unknown,
    No,
    Shape(u16, SmallVec<[Ty; 8]>, usize),
}

/// Makes parameters of the fields of parameters that are fresh records on every edge; answers whether there were any.
fn parameters(f: &mut Function) -> bool {
    let n = f.values.len();
    // The words of each record that is never stored into, with the number of its raw words.
    let mut words: FxHashMap<Value, (u16, usize, Values)> = FxHashMap::default();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let Op::Alloc { tag, raws, refs } = &inst.op
            && shape(f, &inst.op).is_some()
        {
            words.insert(inst.results[0], (*tag, raws.len(), raws.iter().chain(refs).copied().collect()));
        }
    }
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let Op::Store { obj, .. } | Op::Cas { obj, .. } = &inst.op {
            words.remove(obj);
        }
    }
    if words.is_empty() {
        return false;
    }
    let unique = unique(f, &words);
    let mut fresh = vec![Fresh::No; n];
    let mut place: FxHashMap<Value, (Block, usize)> = FxHashMap::default();
    // Parameters that are given something unique.
    let mut given_unique: FxHashSet<Value> = FxHashSet::default();
    for (b, block) in f.blocks.iter().enumerate() {
        if b != f.entry.0 as usize {
            for (i, &p) in block.params.iter().enumerate().filter(|(_, p)| f.ty(**p) == Ty::Ref) {
                fresh[p.0 as usize] = Fresh::Unknown;
                place.insert(p, (Block(b as u32), i));
            }
        }
    }
    for block in &f.blocks {
        block.term.each_target(|t| {
            let params = &f[t.block].params;
            let given = params.len() - t.args.len();
            params[..given].iter().for_each(|p| fresh[p.0 as usize] = Fresh::No);
            for (&p, &a) in params[given..].iter().zip(&t.args) {
                let state = &mut fresh[p.0 as usize];
                if a == p || matches!(state, Fresh::No) {
                    continue;
                }
                let Some((tag, raws, vs)) = words.get(&a) else {
                    *state = Fresh::No;
                    continue;
                };
                let types: SmallVec<[Ty; 8]> = vs.iter().map(|&v| f.ty(v)).collect();
                if unique.contains(&a) {
                    given_unique.insert(p);
                }
                match state {
                    Fresh::Unknown => *state = Fresh::Shape(*tag, types, *raws),
                    Fresh::Shape(t, ts, r) if (*t, &*ts, *r) == (*tag, &types, *raws) => {}
                    _ => *state = Fresh::No,
                }
            }
        });
    }
    // Only loads of the fields as they are; other uses must stand behind the loop.
    let mut others: FxHashMap<Value, SmallVec<[Block; 2]>> = FxHashMap::default();
    for (b, block) in f.blocks.iter().enumerate() {
        for inst in &block.insts {
            match &inst.op {
                Op::Load { obj, field, ty, mutable: false } => {
                    if let Fresh::Shape(_, types, _) = &fresh[obj.0 as usize]
                        && types.get(*field as usize) != Some(ty)
                    {
                        fresh[obj.0 as usize] = Fresh::No;
                    }
                }
                // Identity, and what may be written, cannot be made again.
                Op::RefEq(..) | Op::Store { .. } | Op::Cas { .. } | Op::Load { .. } => {
                    inst.op.each_operand(|v| fresh[v.0 as usize] = Fresh::No);
                }
                op => op.each_operand(|v| {
                    if !matches!(fresh[v.0 as usize], Fresh::No) {
                        others.entry(v).or_default().push(Block(b as u32));
                    }
                }),
            }
        }
        let mut other = |v: Value| {
            if !matches!(fresh[v.0 as usize], Fresh::No) {
                others.entry(v).or_default().push(Block(b as u32));
            }
        };
        let mut to_itself: SmallVec<[Value; 4]> = SmallVec::new();
        block.term.each_target(|t| {
            let params = &f[t.block].params;
            let given = params.len() - t.args.len();
            to_itself.extend(params[given..].iter().zip(&t.args).filter(|(p, a)| p == a).map(|(p, _)| *p));
        });
        // It may be passed to another parameter, too.
        block.term.each_operand(|v| match to_itself.iter().position(|&p| p == v) {
            Some(i) => drop(to_itself.swap_remove(i)),
            None => other(v),
        });
    }
    let mut chosen: Vec<Value> =
        (0..n as u32).map(Value).filter(|v| matches!(fresh[v.0 as usize], Fresh::Shape(..))).collect();
    if chosen.iter().any(|v| others.contains_key(v)) {
        let cfg = Cfg::new(f);
        let dom = Dominators::new(f, &cfg);
        let loops = Loops::new(f, &cfg, &dom).loops;
        chosen.retain(|v| match others.get(v) {
            None => true,
            Some(_) if given_unique.contains(v) => false,
            Some(blocks) => loops
                .iter()
                .find(|l| l.header == place[v].0)
                .is_some_and(|l| blocks.iter().all(|b| cfg.reachable(*b) && !l.blocks.contains(b))),
        });
    }
    // One parameter of a block at a time keeps positions simple; the next round takes the next one.
    let mut by_block: FxHashMap<Block, Split> = FxHashMap::default();
    for p in chosen {
        let (b, index) = place[&p];
        if let Fresh::Shape(tag, types, raws) = &fresh[p.0 as usize]
            && !by_block.contains_key(&b)
        {
            let count = f[b].params.len();
            let parts: Values = types.iter().map(|&ty| f.add_param(b, ty)).collect();
            f[b].params.remove(index);
            by_block.insert(b, Split { param: p, index, count, tag: *tag, raws: *raws, parts });
        }
    }
    split(f, &by_block, &words);
    !by_block.is_empty()
}

/// The objects that may have an identity, so that no other one with the same fields is as good: a reference is a record
/// of one word, the descriptor of an exception a number and a text that are known when compiling. A constructor with
/// one field looks like the first, a tuple like the second; those that a program has in loops seldom leave them whole.
fn unique(f: &Function, words: &FxHashMap<Value, (u16, usize, Values)>) -> FxHashSet<Value> {
    let mut constants: FxHashSet<Value> = FxHashSet::default();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if matches!(inst.op, Op::Iconst(_) | Op::Data(_)) {
            constants.extend(inst.results.first());
        }
    }
    let known = |v: &Value| constants.contains(v);
    words
        .iter()
        .filter(|(_, (_, raws, vs))| vs.len() == 1 || vs.len() == 2 && *raws == 1 && vs.iter().all(known))
        .map(|(&v, _)| v)
        .collect()
}

/// A parameter that becomes several.
struct Split {
    param: Value,
    index: usize,
    /// Parameters of its block before.
    count: usize,
    tag: u16,
    raws: usize,
    parts: Values,
}

fn split(f: &mut Function, by_block: &FxHashMap<Block, Split>, words: &FxHashMap<Value, (u16, usize, Values)>) {
    let splits: FxHashMap<Value, &Split> = by_block.values().map(|s| (s.param, s)).collect();
    let mut found: Vec<(Value, Value)> = Vec::new();
    for b in 0..f.blocks.len() {
        let mut data = std::mem::take(&mut f.blocks[b]);
        data.term.each_target_mut(|t| {
            if let Some(s) = by_block.get(&t.block) {
                let arg = t.args.remove(s.index - (s.count - t.args.len()));
                let own = if arg == s.param { &s.parts } else { &words[&arg].2 };
                t.args.extend(own.iter().copied());
            }
        });
        // What needs the whole makes it again, once a block.
        let mut made: SmallVec<[(Value, Inst); 2]> = SmallVec::new();
        let mut whole = |f: &mut Function, v: Value| {
            let Some(s) = splits.get(&v) else { return v };
            if let Some((_, inst)) = made.iter().find(|m| m.0 == v) {
                return inst.results[0];
            }
            let op = Op::Alloc {
                tag: s.tag,
                raws: Values::from_slice(&s.parts[..s.raws]),
                refs: Values::from_slice(&s.parts[s.raws..]),
            };
            let inst = f.make(op, &[Ty::Ref], Loc::default());
            let v_new = inst.results[0];
            made.push((v, inst));
            v_new
        };
        data.insts.retain_mut(|inst| {
            if let Op::Load { obj, field, .. } = inst.op
                && let Some(s) = splits.get(&obj)
            {
                found.push((inst.results[0], s.parts[field as usize]));
                return false;
            }
            inst.op.map_operands(|v| whole(f, v));
            true
        });
        data.term.map_operands(|v| whole(f, v));
        data.insts.splice(0..0, made.into_iter().map(|m| m.1));
        f.blocks[b] = data;
    }
    let mut subst: Vec<Value> = (0..f.values.len() as u32).map(Value).collect();
    found.into_iter().for_each(|(load, value)| subst[load.0 as usize] = value);
    simplify::substitute(f, &mut subst);
}

// Sinking.

/// How deep in atomic sections each block begins, counted from the function's entry; none where there are no sections.
fn depths(f: &Function, cfg: &Cfg) -> Option<Vec<i64>> {
    if !f.blocks.iter().any(|b| b.insts.iter().any(|i| matches!(i.op, Op::Atomic(_)))) {
        return None;
    }
    // What the program leaves unbalanced counts as deep as it can be on the ways from the entry.
    let mut depths = vec![0_i64; f.blocks.len()];
    for &b in &cfg.rpo {
        let end = depths[b.0 as usize] + deeper(&f[b].insts);
        f[b].term.each_target(|to| {
            let depth = &mut depths[to.block.0 as usize];
            *depth = end.max(*depth);
        });
    }
    Some(depths)
}

/// Whether an operation uses a value.
fn uses(op: &Op, v: Value) -> bool {
    let mut found = false;
    op.each_operand(|operand| found |= operand == v);
    found
}

/// How many atomic sections these instructions enter and do not leave.
fn deeper(insts: &[Inst]) -> i64 {
    insts.iter().map(|i| if let Op::Atomic(n) = i.op { n } else { 0 }).sum()
}

/// Allocations go to where all their uses are, unless that is in a loop or an atomic section that they are not in. (In
/// a section there is no place for a heap check: no exception can be raised from it, and it would not be a light one.)
pub fn sink(f: &mut Function, captures: bool) {
    // Behind a call that returns again there would be a new object each time.
    if captures && may_return_again(f) {
        return;
    }
    if f.blocks.len() < 2 || !f.blocks.iter().any(|b| b.insts.iter().any(|i| matches!(i.op, Op::Alloc { .. }))) {
        return;
    }
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    let loops = if rotate::has_back_edge(f) { Some(Loops::new(f, &cfg, &dom)) } else { None };
    // A cycle that is entered at several blocks is none of these loops: nothing may move into it.
    if loops.is_some() && cycles(&cfg, &dom).1 {
        return;
    }
    // Whether every loop around `to` is around `from` too.
    let no_deeper = |from: Block, to: Block| {
        let Some(l) = &loops else { return true };
        let Some(inner) = l.innermost[to.0 as usize] else { return true };
        let mut around = l.innermost[from.0 as usize];
        while let Some(i) = around {
            if i == inner {
                return true;
            }
            around = l.loops[i].parent;
        }
        false
    };
    let common = |mut a: Block, mut b: Block| {
        while a != b {
            if dom.depth[a.0 as usize] < dom.depth[b.0 as usize] {
                std::mem::swap(&mut a, &mut b);
            }
            a = dom.idom[a.0 as usize];
        }
        a
    };
    let depths = depths(f, &cfg);
    let as_deep = |from: Block, i: usize, to: Block| {
        let Some(depths) = &depths else { return true };
        let made = depths[from.0 as usize] + deeper(&f[from].insts[..i]);
        let insts = &f[to].insts;
        let v = f[from].insts[i].results[0];
        let deepest = match insts.iter().position(|inst| uses(&inst.op, v)) {
            Some(first) => deeper(&insts[..first]),
            None => (0..=insts.len()).map(|n| deeper(&insts[..n])).max().unwrap_or(0),
        };
        depths[to.0 as usize] + deepest <= made
    };
    let mut used: Vec<Option<Block>> = vec![None; f.values.len()];
    let mut moves: Vec<(Value, Block)> = Vec::new();
    for &b in cfg.rpo.iter().rev() {
        f[b].term.each_operand(|v| {
            let u = &mut used[v.0 as usize];
            *u = Some(u.map_or(b, |old| common(old, b)));
        });
        for (i, inst) in f[b].insts.iter().enumerate().rev() {
            let mut at = b;
            if let Op::Alloc { .. } = inst.op
                && let Some(to) = used[inst.results[0].0 as usize]
                && to != b
                && f[to].handler == f[b].handler
                && no_deeper(b, to)
                && as_deep(b, i, to)
            {
                moves.push((inst.results[0], to));
                at = to;
            }
            inst.op.each_operand(|v| {
                let u = &mut used[v.0 as usize];
                *u = Some(u.map_or(at, |old| common(old, at)));
            });
        }
    }
    if moves.is_empty() {
        return;
    }
    let mut taken: FxHashMap<Value, Inst> = FxHashMap::default();
    let goes: FxHashMap<Value, Block> = moves.iter().copied().collect();
    for block in &mut f.blocks {
        let mut kept = Vec::with_capacity(block.insts.len());
        for inst in std::mem::take(&mut block.insts) {
            match inst.results.first() {
                Some(v) if goes.contains_key(v) => drop(taken.insert(*v, inst)),
                _ => kept.push(inst),
            }
        }
        block.insts = kept;
    }
    // Users first, so that what they use comes to stand before them.
    for (v, to) in moves {
        let Some(inst) = taken.remove(&v) else { continue };
        let at = f[to].insts.iter().position(|i| uses(&i.op, v)).unwrap_or(f[to].insts.len());
        f[to].insts.insert(at, inst);
    }
}
