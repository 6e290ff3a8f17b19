//! Inlining: the body of a small function, or of one that is called in one place only, goes where the call was.
//!
//! Ssa -> Ssa, callees before callers, so that what is inlined has been made small. Recursive functions stay. In a
//! handler's scope (`Invoke`) what raised out of the callee jumps to the handler. Mono has inlined functions as values
//! already; here it is for what representation and contification have made small. Where functions that call each other
//! at their ends have become one, it is a loop. Functions that the library calls `noinline` stay.

use crate::ir::*;
use crate::opt::{rotate, simplify};
use leat_base::Symbol;
use leat_mono::places::Places;

/// A callee of no more instructions than this is inlined everywhere.
const SMALL: usize = 12;
/// A callee of no more instructions that may raise is inlined in a handler's scope: the raise becomes a jump.
const HANDLED: usize = 60;
/// A callee that is called once may be larger, but the caller does not grow beyond this.
const LARGE: usize = 4000;
/// A function of no more instructions, that calls itself in no more places (and not as a tail call), gets one copy of
/// itself in each: half the calls and checks. What it costs is compiling it three times over.
const RECURSIVE: usize = 16;
const SELF_CALLS: usize = 2;
/// A function of numbers alone (`fib`, `tak`) spends its time on calls, where others wait for memory. It may call
/// itself in more places, and its copies get copies, as long as all together are no larger than this.
const NUMERIC_SELF_CALLS: usize = 3;
const NUMERIC_ROUNDS: usize = 3;
const NUMERIC: usize = 224;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    let n = p.funcs.len();
    let mut calls = vec![0u32; n];
    let mut graph: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, f) in p.funcs.iter().enumerate() {
        each_callee(f, |g| {
            calls[g.0 as usize] += 1;
            graph[i].push(g.0);
        });
    }
    let order = post_order(&graph, p.main);
    let mut position = vec![u32::MAX; n];
    for (i, &f) in order.iter().enumerate() {
        position[f as usize] = i as u32;
    }
    let mut sizes: Vec<usize> = p.funcs.iter().map(size).collect();
    let mut taken: Vec<bool> = p.funcs.iter().map(|f| f.is_closure).collect();
    if let Some(main) = p.main {
        taken[main.0 as usize] = true;
    }
    // Only callees already treated: no cycle of calls is ever unrolled.
    let is_done = |callee: &Function, k: usize, caller: u32, graph: &[Vec<u32>]| {
        position[k] < position[caller as usize] && !graph[k].contains(&(k as u32)) && !callee.noinline
    };
    let mut places = Places::new(std::mem::take(&mut p.inlined));
    for &i in &order {
        let mut room = LARGE.saturating_sub(sizes[i as usize]);
        let mut chosen: Vec<Func> = Vec::new();
        let mut handled: Vec<Func> = Vec::new();
        each_callee(&p.funcs[i as usize], |g| {
            let k = g.0 as usize;
            let earlier = is_done(&p.funcs[k], k, i, &graph);
            let once = calls[k] == 1 && !taken[k];
            if earlier && (sizes[k] <= SMALL || (once && sizes[k] <= room)) && !chosen.contains(&g) && chosen.len() < 64
            {
                room = room.saturating_sub(sizes[k]);
                chosen.push(g);
            }
        });
        // A raise that becomes a jump would have to be noted.
        let in_scopes = !p.keeps_history;
        each_invoked(&p.funcs[i as usize], |g| {
            let k = g.0 as usize;
            let earlier = is_done(&p.funcs[k], k, i, &graph);
            if in_scopes
                && earlier
                && sizes[k] <= HANDLED.min(room)
                && !chosen.contains(&g)
                && !handled.contains(&g)
                && raises(&p.funcs[k])
            {
                room -= sizes[k];
                handled.push(g);
            }
        });
        let itself = Func(i);
        let own = own_calls(&p.funcs[i as usize], itself);
        let (most, rounds) =
            if is_numeric(&p.funcs[i as usize]) { (NUMERIC_SELF_CALLS, NUMERIC_ROUNDS) } else { (SELF_CALLS, 1) };
        let unroll = (1..=most).contains(&own) && sizes[i as usize] <= RECURSIVE;
        if chosen.is_empty() && handled.is_empty() && !unroll {
            continue;
        }
        let mut f = std::mem::replace(&mut p.funcs[i as usize], Function::new(String::new(), Vec::new()));
        if !chosen.is_empty() || !handled.is_empty() {
            inline_into(&mut f, &mut places, |g, in_scope| {
                let wanted = if in_scope {
                    in_scopes && (chosen.contains(&g) || handled.contains(&g))
                } else {
                    chosen.contains(&g)
                };
                wanted.then(|| &p.funcs[g.0 as usize])
            });
            simplify::function(&mut f, &p.datas);
        }
        if unroll && size(&f) <= 2 * RECURSIVE {
            let copy = f.clone();
            for _ in 0..rounds {
                if size(&f) + own_calls(&f, itself) * size(&copy) > NUMERIC {
                    break;
                }
                inline_into(&mut f, &mut places, |g, in_scope| {
                    (g == itself && (in_scopes || !in_scope)).then_some(&copy)
                });
                simplify::function(&mut f, &p.datas);
            }
        }
        loop_itself(&mut f, itself);
        // What was inlined into it may recur through it.
        graph[i as usize].clear();
        each_callee(&f, |g| graph[i as usize].push(g.0));
        sizes[i as usize] = size(&f);
        p.funcs[i as usize] = f;
    }
    p.inlined = places.inlined;
}

/// Tail calls of itself, which inlining made of mutual ones, become jumps to a header behind a new entry.
fn loop_itself(f: &mut Function, itself: Func) {
    let is_own = |term: &Term| matches!(term, Term::TailCall(Callee::Func(g), _) if *g == itself);
    if !f.blocks.iter().any(|block| is_own(&block.term)) {
        return;
    }
    let header = f.entry;
    for block in &mut f.blocks {
        if is_own(&block.term)
            && let Term::TailCall(_, args) = std::mem::replace(&mut block.term, Term::Unreachable)
        {
            block.term = Term::Jump(Target { block: header, args });
        }
    }
    let types: Vec<Ty> = f[header].params.iter().map(|&v| f.ty(v)).collect();
    let entry = f.new_block();
    let args = types.into_iter().map(|ty| f.add_param(entry, ty)).collect();
    f[entry].term = Term::Jump(Target { block: header, args });
    f.entry = entry;
}

/// How often a function calls itself.
fn own_calls(function: &Function, itself: Func) -> usize {
    let mut calls = 0;
    each_callee(function, |g| calls += usize::from(g == itself));
    calls
}

/// Whether a function takes and gives nothing but numbers.
fn is_numeric(function: &Function) -> bool {
    let mut types =
        function[function.entry].params.iter().map(|&v| function.ty(v)).chain(function.results.iter().copied());
    types.all(|ty| ty != Ty::Ref)
}

fn each_callee(function: &Function, mut f: impl FnMut(Func)) {
    for block in &function.blocks {
        for inst in &block.insts {
            if let Op::Call(Callee::Func(g), _) = inst.op {
                f(g);
            }
        }
        if let Some(g) = block.term.function() {
            f(g);
        }
    }
}

/// The callees in handlers' scopes.
fn each_invoked(function: &Function, mut f: impl FnMut(Func)) {
    for block in &function.blocks {
        if let Term::Invoke { callee: Callee::Func(g), .. } = block.term {
            f(g);
        }
    }
}

/// Whether the function raises by itself.
fn raises(function: &Function) -> bool {
    function.blocks.iter().any(|block| matches!(block.term, Term::Raise(_) | Term::RaiseBuiltin(_)))
}

/// Instructions that become code.
fn size(f: &Function) -> usize {
    f.blocks.iter().map(|b| 1 + b.insts.iter().filter(|i| !i.op.is_const()).count()).sum()
}

/// Callees first.
fn post_order(graph: &[Vec<u32>], main: Option<Func>) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut out = Vec::with_capacity(graph.len());
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in main.iter().map(|f| f.0).chain(0..graph.len() as u32) {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some((v, at)) = stack.last_mut() {
            match graph[*v as usize].get(*at) {
                Some(&w) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[w as usize], true) {
                        stack.push((w, 0));
                    }
                }
                None => {
                    out.push(*v);
                    stack.pop();
                }
            }
        }
    }
    out
}

/// What a returning callee does.
enum Site {
    /// Results go to the block.
    Call(Block),
    /// Results go to the caller's caller.
    Tail,
    /// Results go to the block, packets to the target, those of slow paths to the handler.
    Invoke(Block, Target, Block),
}

fn inline_into<'a>(f: &mut Function, places: &mut Places, body: impl Fn(Func, bool) -> Option<&'a Function>) {
    let wanted = |callee: &Callee, in_scope: bool| match callee {
        Callee::Func(g) => body(*g, in_scope),
        _ => None,
    };
    // New blocks come behind; those that were copied are not looked at again, the rests of split blocks are.
    let mut work: Vec<Block> = (0..f.blocks.len() as u32).rev().map(Block).collect();
    while let Some(b) = work.pop() {
        if f[b].insts.iter().any(|i| matches!(&i.op, Op::Call(callee, _) if wanted(callee, false).is_some())) {
            // Each call ends a block. The instructions move once, however many calls there are.
            let (insts, loc) = (std::mem::take(&mut f[b].insts), f[b].loc);
            let term = std::mem::replace(&mut f[b].term, Term::Unreachable);
            let mut here = b;
            for inst in insts {
                let wanted = match &inst.op {
                    Op::Call(callee, _) => wanted(callee, false),
                    _ => None,
                };
                let (Op::Call(_, args), Some(g)) = (&inst.op, wanted) else {
                    f[here].insts.push(inst);
                    continue;
                };
                let rest = f.new_block();
                f[rest].params = inst.results.to_vec();
                f[rest].cold = f[b].cold;
                f[rest].handler = f[b].handler;
                f[rest].loc = loc;
                f[here].loc = inst.loc;
                let start = copy(f, here, g, &Site::Call(rest), places);
                f[here].term = Term::Jump(Target { block: start, args: args.clone() });
                here = rest;
            }
            f[here].term = term;
            work.push(here);
            continue;
        }
        match &f[b].term {
            Term::TailCall(callee, args) => {
                if let Some(g) = wanted(callee, false) {
                    let args = args.clone();
                    let start = copy(f, b, g, &Site::Tail, places);
                    f[b].term = Term::Jump(Target { block: start, args });
                }
            }
            Term::Invoke { callee, args, ok, handler } => {
                if let Some(g) = wanted(callee, true) {
                    let (args, ok, handler) = (args.clone(), ok.clone(), handler.clone());
                    // A block of its own takes the results and passes them on before the target's arguments.
                    let done = f.new_block();
                    let types = g.results.clone();
                    let mut vs: Values = types.into_iter().map(|ty| f.add_param(done, ty)).collect();
                    vs.extend(ok.args);
                    f[done].term = Term::Jump(Target { block: ok.block, args: vs });
                    f[done].handler = f[b].handler;
                    f[done].loc = f[b].loc;
                    // A scope that has nothing but calls is a jump by now ([`crate::scope::tidy`]).
                    let in_scope = f[b].handler == Some(handler.block);
                    let catch = if in_scope { handler.block } else { catch(f, b, &handler) };
                    let start = copy(f, b, g, &Site::Invoke(done, handler, catch), places);
                    let body = Target { block: start, args };
                    f[b].term = match in_scope {
                        true => Term::Jump(body),
                        false => Term::Scope { body, handler: Target::new(catch, []) },
                    };
                }
            }
            _ => {}
        }
    }
}

/// A handler for what the slow paths of a callee raise, at the end of a block that invokes it: it goes where the
/// exceptions of calls go. Its scope stands in the scope of that block, which need not be the one around where
/// exceptions go: what was inlined into a scope raises past that scope's own handler.
fn catch(f: &mut Function, at: Block, to: &Target) -> Block {
    let catch = f.new_block();
    let packet = f.add_param(catch, Ty::Ref);
    f[catch].cold = true;
    f[catch].handler = f[at].handler;
    f[catch].loc = f[at].loc;
    f[catch].term = raise_to(to, packet);
    catch
}

/// Copies a function's blocks into another's, where block `at` ends by calling it; answers the copy of the entry, whose
/// parameters are the function's.
fn copy(f: &mut Function, at: Block, from: &Function, site: &Site, places: &mut Places) -> Block {
    let call = f[at].loc;
    let handler = match site {
        Site::Invoke(.., catch) => Some(*catch),
        Site::Call(_) | Site::Tail => f[at].handler,
    };
    let mut copied = places.enter((Symbol::intern(&from.name), from.loc.line), call, rotate::has_back_edge(from));
    let values = f.values.len() as u32;
    f.values.extend_from_slice(&from.values);
    let blocks = f.blocks.len() as u32;
    let shift = |v: Value| Value(v.0 + values);
    f.blocks.extend(from.blocks.iter().map(|_| BlockData::default()));
    for (i, block) in from.blocks.iter().enumerate() {
        let mut here = Block(blocks + i as u32);
        f[here].params = block.params.iter().map(|&v| shift(v)).collect();
        f[here].cold = block.cold;
        f[here].handler = block.handler.map(|h| Block(h.0 + blocks)).or(handler);
        let loc = places.place(&mut copied, block.loc);
        f[here].loc = loc;
        let mut term = block.term.clone();
        term.map_operands(shift);
        term.each_target_mut(|t| t.block = Block(t.block.0 + blocks));
        for inst in &block.insts {
            let mut inst = inst.clone();
            inst.loc = places.place(&mut copied, inst.loc);
            inst.op.map_operands(shift);
            inst.results.iter_mut().for_each(|v| *v = shift(*v));
            if let Site::Invoke(_, handler, _) = site
                && let Some(next) = scoped(f, here, &inst, handler)
            {
                f[next].loc = std::mem::replace(&mut f[here].loc, inst.loc);
                here = next;
                continue;
            }
            f[here].insts.push(inst);
        }
        f[here].term = match (term, site) {
            (Term::Return(args), Site::Call(rest) | Site::Invoke(rest, ..)) => {
                Term::Jump(Target { block: *rest, args })
            }
            (Term::TailCall(callee, args), Site::Call(rest)) => {
                let types: Vec<Ty> = from.results.clone();
                let call = f.make(Op::Call(callee, args), &types, loc);
                let args = Values::from_slice(&call.results);
                f[here].insts.push(call);
                Term::Jump(Target { block: *rest, args })
            }
            (Term::TailCall(callee, args), Site::Invoke(rest, handler, _)) => {
                Term::Invoke { callee, args, ok: Target::new(*rest, []), handler: handler.clone() }
            }
            (Term::Raise(packet), Site::Invoke(_, handler, _)) => raise_to(handler, packet),
            (Term::RaiseBuiltin(b), Site::Invoke(_, handler, _)) => {
                let packet = f.push(here, Op::ExnPacket(b), loc);
                raise_to(handler, packet)
            }
            (term, _) => term,
        };
    }
    Block(blocks + from.entry.0)
}

fn raise_to(handler: &Target, packet: Value) -> Term {
    let mut args: Values = smallvec::smallvec![packet];
    args.extend_from_slice(&handler.args);
    Term::Jump(Target { block: handler.block, args })
}

/// In a handler's scope, a guard branches and a call invokes; answers the block where it goes on.
fn scoped(f: &mut Function, here: Block, inst: &Inst, handler: &Target) -> Option<Block> {
    match &inst.op {
        Op::Guard(c, builtin) => {
            let (raise, next) = (f.new_block(), f.new_block());
            let packet = f.push(raise, Op::ExnPacket(*builtin), inst.loc);
            f[raise].cold = true;
            f[raise].handler = f[handler.block].handler;
            f[raise].loc = inst.loc;
            f[raise].term = raise_to(handler, packet);
            f[here].term = Term::Branch(*c, Target::new(raise, []), Target::new(next, []));
            f[next].cold = f[here].cold;
            f[next].handler = f[here].handler;
            Some(next)
        }
        Op::Call(callee, args) if may_raise(callee) => {
            let next = f.new_block();
            f[next].params = inst.results.to_vec();
            f[next].cold = f[here].cold;
            f[next].handler = f[here].handler;
            f[here].term = Term::Invoke {
                callee: *callee,
                args: args.clone(),
                ok: Target::new(next, []),
                handler: handler.clone(),
            };
            Some(next)
        }
        _ => None,
    }
}

fn may_raise(callee: &Callee) -> bool {
    match callee {
        Callee::Prim(p) => p.raises() != leat_abi::prim::Raises::Nothing,
        Callee::Foreign(..) => false,
        _ => true,
    }
}
