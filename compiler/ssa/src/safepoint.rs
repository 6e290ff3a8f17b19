//! The safepoint pass: heap checks before allocations, polls on cycles, entry checks of recursive functions.
//!
//! Ssa -> Ssa, the last pass. It makes S10 and S11 hold:
//! - A heap check covers the allocations after it up to the next safepoint, the end of the block, or [`MAX_CHECK`]
//!   bytes; more where it would part two new objects of which one is stored into the other. Where places tell what is
//!   allocated, each allocation has its own, for the place of the check is what a profile sees.
//! - Every cycle of the call graph has a function that checks the stack limit at its entry: the functions where a
//!   depth-first walk finds a cycle closing. A call of an unknown closure may reach every function that has closures.
//! - Every cycle of a function's blocks has a safepoint on every path: where a walk through the blocks that have none
//!   finds a cycle closing, the closing block gets a poll.
//!
//! An atomic section that comes to no safepoint costs nothing: no thread is switched in it anyhow. Its begin and its
//! end become `atomic 0`, of which no code is made ([`sections`]).
//!
//! A call counts as a safepoint of a cycle only if its callee checks at its entry: the runtime's own need not reach
//! one.

use crate::ir::*;
use crate::scope;
use leat_abi::foreign::block;
use rustc_hash::FxHashMap;

mod sections;

/// Most bytes that one heap check asks for, if a single object is not larger.
pub const MAX_CHECK: i64 = 2048;

/// Bytes of a record in the nursery.
pub fn alloc_bytes(words: usize) -> i64 {
    ((words + 1) * leat_abi::header::WORD) as i64
}

/// Runs the pass over the whole program.
pub fn run(p: &mut Program) {
    for f in &mut p.funcs {
        scope::prepare(f);
        heap_checks(f, p.tells_types);
    }
    let checked = entry_checks(p);
    for (f, check) in p.funcs.iter_mut().zip(&checked) {
        f.entry_check = *check;
    }
    let certain = certain_functions(p);
    for f in &mut p.funcs {
        let closing = closing_blocks(f, &certain);
        for b in closing {
            let loc = f[b].insts.last().map_or(f[b].loc, |i| i.loc);
            f[b].insts.push(Inst { op: Op::Poll, results: Default::default(), loc });
        }
        sections::lighten(f);
        scope::settle(f);
    }
}

fn heap_checks(f: &mut Function, apart: bool) {
    // A store without a barrier relies on no collection coming between: that of a reference into a new closure.
    let relies = |inst: &Inst| matches!(inst.op, Op::Store { value, barrier: false, .. } if f.ty(value) == Ty::Ref);
    let together: Vec<bool> = f.blocks.iter().map(|block| !apart || block.insts.iter().any(relies)).collect();
    for (block, together) in f.blocks.iter_mut().zip(together) {
        if !block.insts.iter().any(|i| matches!(i.op, Op::Alloc { .. })) {
            continue;
        }
        let old = std::mem::take(&mut block.insts);
        let tied = before_ties(&old);
        // Position of the current check in the new list, and its bytes.
        let mut check: Option<(usize, i64)> = None;
        for (inst, tied) in old.into_iter().zip(tied) {
            match &inst.op {
                Op::Alloc { raws, refs, .. } => {
                    let bytes = alloc_bytes(raws.len() + refs.len());
                    let at = match check {
                        Some((at, sum)) if tied || sum + bytes <= MAX_CHECK && together => {
                            check = Some((at, sum + bytes));
                            at
                        }
                        _ => {
                            let at = block.insts.len();
                            block.insts.push(Inst { op: Op::HeapCheck(0), results: Default::default(), loc: inst.loc });
                            check = Some((at, bytes));
                            at
                        }
                    };
                    if let Some((_, sum)) = check {
                        block.insts[at].op = Op::HeapCheck(sum as u32);
                    }
                }
                op if op.is_safepoint() => check = None,
                _ => {}
            }
            block.insts.push(inst);
        }
    }
}

/// By instruction of a block: whether it stands between the allocation of an object and a store without a barrier of
/// another new object into it, as closures that capture each other are tied. No collection may come between: the one
/// would be old then, and nobody told that it refers to the other, which is young.
fn before_ties(insts: &[Inst]) -> Vec<bool> {
    let mut made: FxHashMap<Value, usize> = FxHashMap::default();
    let mut tied = vec![false; insts.len()];
    for (i, inst) in insts.iter().enumerate() {
        match inst.op {
            Op::Alloc { .. } => drop(made.insert(inst.results[0], i)),
            Op::Store { obj, value, barrier: false, .. } if made.contains_key(&value) => {
                if let Some(&from) = made.get(&obj) {
                    tied[from + 1..i].fill(true);
                }
            }
            _ => {}
        }
    }
    tied
}

/// Calls `f` with each callee of a function.
fn each_callee(function: &Function, mut f: impl FnMut(Callee)) {
    for block in &function.blocks {
        for inst in &block.insts {
            if let Op::Call(callee, _) = &inst.op {
                f(*callee);
            }
        }
        if let Term::TailCall(callee, _) | Term::Invoke { callee, .. } = &block.term {
            f(*callee);
        }
    }
}

/// The call graph, `n` standing for every unknown closure.
fn call_graph(p: &Program) -> Vec<Vec<u32>> {
    let n = p.funcs.len();
    let mut graph: Vec<Vec<u32>> = Vec::with_capacity(n + 1);
    for f in &p.funcs {
        let mut out = Vec::new();
        each_callee(f, |callee| match callee {
            Callee::Func(g) => out.push(g.0),
            Callee::Closure(_) => out.push(n as u32),
            Callee::Prim(_) | Callee::Foreign(..) => {}
        });
        out.sort_unstable();
        out.dedup();
        graph.push(out);
    }
    graph.push((0..n as u32).filter(|&i| p.funcs[i as usize].is_closure).collect());
    graph
}

/// The functions whose entry must check, so that every cycle of calls has one that does.
fn entry_checks(p: &Program) -> Vec<bool> {
    let n = p.funcs.len();
    let graph = call_graph(p);
    let component = components(&graph);
    let mut checked = vec![false; n];
    // Cycles by way of unknown calls: every closure that may come to one again.
    for &f in &graph[n] {
        if component[f as usize] == component[n] {
            checked[f as usize] = true;
        }
    }
    // Cycles of known calls.
    for node in closing_nodes(n, |v, out| {
        for &w in &graph[v as usize] {
            if (w as usize) < n && !checked[w as usize] && component[w as usize] == component[v as usize] {
                out(w);
            }
        }
    }) {
        checked[node.1 as usize] = true;
    }
    check_long_chains(p, &graph, &mut checked);
    checked
}

/// Most bytes of frames without a check, as far as they can be foreseen: half of the room below a stack's limit.
const MAX_UNCHECKED: usize = 128 << 10;

/// Functions that do not call themselves check, too, where they and those that they call would take more than
/// [`MAX_UNCHECKED`] bytes without a check. The functions that do not check form no cycle any more.
fn check_long_chains(p: &Program, graph: &[Vec<u32>], checked: &mut [bool]) {
    let n = p.funcs.len();
    let frames: Vec<usize> = p.funcs.iter().map(|f| most_of_frame(p, f)).collect();
    let frame = |f: usize| frames.get(f).copied().unwrap_or(0);
    let mut below = vec![0usize; n + 1];
    let mut seen = vec![false; n + 1];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..=n {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some(&mut (v, ref mut at)) = stack.last_mut() {
            if let Some(&w) = graph[v].get(*at) {
                *at += 1;
                let w = w as usize;
                if (w == n || !checked[w]) && !std::mem::replace(&mut seen[w], true) {
                    stack.push((w, 0));
                }
                continue;
            }
            let takes = |&w: &u32| {
                let w = w as usize;
                frame(w) + if w < n && checked[w] { 0 } else { below[w] }
            };
            below[v] = graph[v].iter().map(takes).max().unwrap_or(0);
            if v < n && frame(v) + below[v] > MAX_UNCHECKED {
                checked[v] = true;
            }
            stack.pop();
        }
    }
}

/// The frame's size is not known yet: a slot for each value, at most, and the words for calls of C, which are those of
/// the largest of them.
fn most_of_frame(p: &Program, f: &Function) -> usize {
    let mut of_c = 0;
    each_callee(f, |callee| {
        if let Callee::Foreign(number, _) = callee {
            let foreign = &p.foreign[number as usize];
            of_c = of_c.max(foreign.cells().count() + block::Filled::new(foreign).words());
        }
    });
    8 * (f.values.len() + of_c) + 128
}

/// The edges that close a cycle in a depth-first walk of a graph: (from, to).
fn closing_nodes(n: usize, succs: impl Fn(u32, &mut dyn FnMut(u32))) -> Vec<(u32, u32)> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; n];
    let mut closing = Vec::new();
    let mut stack: Vec<(u32, Vec<u32>)> = Vec::new();
    let list = |v: u32| {
        let mut out = Vec::new();
        succs(v, &mut |w| out.push(w));
        out
    };
    for root in 0..n as u32 {
        if state[root as usize] != NEW {
            continue;
        }
        state[root as usize] = OPEN;
        stack.push((root, list(root)));
        while let Some((v, rest)) = stack.last_mut() {
            let v = *v;
            match rest.pop() {
                None => {
                    state[v as usize] = DONE;
                    stack.pop();
                }
                Some(w) => match state[w as usize] {
                    NEW => {
                        state[w as usize] = OPEN;
                        stack.push((w, list(w)));
                    }
                    OPEN => closing.push((v, w)),
                    _ => {}
                },
            }
        }
    }
    closing
}

/// The strongly connected component of each node (Tarjan 1972, without recursion).
fn components(graph: &[Vec<u32>]) -> Vec<u32> {
    let n = graph.len();
    const NONE: u32 = u32::MAX;
    let (mut index, mut low, mut component) = (vec![NONE; n], vec![0u32; n], vec![NONE; n]);
    let (mut next, mut count) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in 0..n as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        stack.push((root, 0));
        while let Some(&mut (v, ref mut at)) = stack.last_mut() {
            let vi = v as usize;
            if *at == 0 {
                index[vi] = next;
                low[vi] = next;
                next += 1;
                open.push(v);
            }
            if let Some(&w) = graph[vi].get(*at) {
                *at += 1;
                if index[w as usize] == NONE {
                    stack.push((w, 0));
                } else if component[w as usize] == NONE {
                    low[vi] = low[vi].min(index[w as usize]);
                }
                continue;
            }
            if graph[vi].is_empty() {
                *at = 1;
            }
            if low[vi] == index[vi] {
                loop {
                    let w = open.pop().expect("v is open");
                    component[w as usize] = count;
                    if w == v {
                        break;
                    }
                }
                count += 1;
            }
            stack.pop();
            if let Some(&(u, _)) = stack.last() {
                low[u as usize] = low[u as usize].min(low[vi]);
            }
        }
    }
    component
}

/// Functions that come to a safepoint whenever they are called. One that raises before it does not: its caller may go
/// on in a handler, around a loop.
fn certain_functions(p: &Program) -> Vec<bool> {
    let is_one = |op: &Op| matches!(op, Op::HeapCheck(_) | Op::Poll);
    p.funcs
        .iter()
        .map(|f| {
            let first = f[f.entry].insts.iter().map(|i| &i.op).find(|&op| is_one(op) || sections::may_raise(op));
            f.entry_check || first.is_some_and(is_one)
        })
        .collect()
}

fn has_safepoint(f: &Function, b: Block, certain: &[bool]) -> bool {
    let sure = |callee: &Callee| matches!(callee, Callee::Func(g) if certain[g.0 as usize]);
    f[b].insts.iter().any(|i| match &i.op {
        Op::HeapCheck(_) | Op::Poll => true,
        Op::Call(callee, _) => sure(callee),
        _ => false,
    }) || matches!(&f[b].term, Term::Invoke { callee, .. } if sure(callee))
}

/// The blocks that close a cycle without a safepoint.
fn closing_blocks(f: &Function, certain: &[bool]) -> Vec<Block> {
    // Most functions have no cycle at all: blocks are in reverse postorder, so no jump goes back.
    let mut back = false;
    for (i, block) in f.blocks.iter().enumerate() {
        block.term.each_target(|t| back |= t.block.0 as usize <= i);
    }
    if !back {
        return Vec::new();
    }
    let safe: Vec<bool> = (0..f.blocks.len() as u32).map(|b| has_safepoint(f, Block(b), certain)).collect();
    let edges = closing_nodes(f.blocks.len(), |b, out| {
        let mut to = |t: &Target| {
            if !safe[t.block.0 as usize] {
                out(t.block.0);
            }
        };
        match &f[Block(b)].term {
            _ if safe[b as usize] => {}
            // To the handler it is a slow path's exception that leads.
            Term::Scope { body, .. } => to(body),
            term => term.each_target(to),
        }
    });
    let mut blocks: Vec<Block> = edges.into_iter().map(|(from, _)| Block(from)).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// What breaks S10, for the verifier: cycles without a safepoint.
pub fn uncovered_cycles(p: &Program) -> Vec<(Func, String)> {
    let mut out = Vec::new();
    let n = p.funcs.len();
    let graph = call_graph(p);
    let edges = closing_nodes(n + 1, |v, each| {
        if v as usize == n || !p.funcs[v as usize].entry_check {
            for &w in &graph[v as usize] {
                if w as usize == n || !p.funcs[w as usize].entry_check {
                    each(w);
                }
            }
        }
    });
    for (from, to) in edges {
        let func = Func(if (from as usize) < n { from } else { to });
        out.push((
            func,
            format!("\"{}\": S10: a cycle of calls without an entry check", p.funcs[func.0 as usize].name),
        ));
    }
    let certain = certain_functions(p);
    for (i, f) in p.funcs.iter().enumerate() {
        for b in closing_blocks(f, &certain) {
            out.push((Func(i as u32), format!("\"{}\", {b}: S10: a cycle without a safepoint", f.name)));
        }
    }
    out
}
