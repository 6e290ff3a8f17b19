//! Reach: functions, static objects and global slots that nothing refers to are dropped; the rest is renumbered.
//!
//! Ssa -> Ssa. Marks from `main` through calls, code addresses and static data; a slot that is never loaded is not
//! stored either. Also drops parameters of functions (not closures) that no function of theirs needs. A slot that only
//! `main` loads is a value of `main`'s.

use crate::cfg::{Cfg, Dominators};
use crate::ir::*;
use crate::opt::{dead, simplify};
use rustc_hash::FxHashMap;

/// The pass over a whole program.
pub fn run(p: &mut Program) {
    let main = p.main;
    if let Some(main) = main {
        // Inlining may have left the addresses of closures that nobody uses.
        dead::dead_code(&mut p.funcs[main.0 as usize]);
        let (funcs, ..) = reached(p, main);
        own_slots(p, main, &funcs);
        stores(p, &funcs);
    }
    dead_params(p);
    drop_unreached(p);
}

/// Drops what `main` never comes to.
pub(crate) fn drop_unreached(p: &mut Program) {
    let Some(main) = p.main else { return };
    let (funcs, datas, globals) = reached(p, main);
    drop_others(p, funcs, datas, globals);
}

/// The functions, static objects and slots that `main` may come to.
fn reached(p: &Program, main: Func) -> (Vec<bool>, Vec<bool>, Vec<bool>) {
    let mut funcs = vec![false; p.funcs.len()];
    let mut datas = vec![false; p.datas.len()];
    let mut globals = vec![false; p.globals.len()];
    let mut work = vec![main];
    let mut data_work: Vec<Data> = Vec::new();
    funcs[main.0 as usize] = true;
    while let Some(f) = work.pop() {
        let mut func = |g: Func, work: &mut Vec<Func>| {
            if !std::mem::replace(&mut funcs[g.0 as usize], true) {
                work.push(g);
            }
        };
        let mut data = |d: Data, data_work: &mut Vec<Data>| {
            if !std::mem::replace(&mut datas[d.0 as usize], true) {
                data_work.push(d);
            }
        };
        for block in &p.funcs[f.0 as usize].blocks {
            for inst in &block.insts {
                if let Some(g) = inst.op.function() {
                    func(g, &mut work);
                }
                match &inst.op {
                    Op::Data(d) => data(*d, &mut data_work),
                    Op::GlobalLoad(g) | Op::GlobalStore(g, _) => globals[g.0 as usize] = true,
                    _ => {}
                }
            }
            if let Some(g) = block.term.function() {
                func(g, &mut work);
            }
        }
        while let Some(d) = data_work.pop() {
            if let StaticData::Record { raws, refs, .. } = &p.datas[d.0 as usize] {
                for raw in raws {
                    if let RawInit::Code(g) = raw {
                        func(*g, &mut work);
                    }
                }
                for r in refs {
                    if let RefInit::Data(d) = r {
                        data(*d, &mut data_work);
                    }
                }
            }
        }
    }
    (funcs, datas, globals)
}

fn drop_others(p: &mut Program, funcs: Vec<bool>, datas: Vec<bool>, globals: Vec<bool>) {
    if [&funcs, &datas, &globals].iter().all(|marks| marks.iter().all(|&m| m)) {
        return;
    }
    let number = |marks: &[bool]| {
        let mut next = 0;
        marks
            .iter()
            .map(|&m| {
                next += u32::from(m);
                next.wrapping_sub(1)
            })
            .collect::<Vec<u32>>()
    };
    let (f_new, d_new, g_new) = (number(&funcs), number(&datas), number(&globals));
    let keep = |marks: Vec<bool>| {
        let mut i = 0;
        move || {
            i += 1;
            marks[i - 1]
        }
    };
    let mut kept = keep(funcs);
    p.funcs.retain(|_| kept());
    let mut kept = keep(datas);
    p.datas.retain(|_| kept());
    let mut kept = keep(globals.clone());
    p.globals.retain(|_| kept());
    if !p.slots.is_empty() {
        let mut kept = keep(globals);
        p.slots.retain(|_| kept());
    }
    renumber(p, &f_new, &d_new, Some(&g_new));
}

/// Gives what is referred to the numbers in these tables; without one for slots they keep theirs.
pub(crate) fn renumber(p: &mut Program, f_new: &[u32], d_new: &[u32], g_new: Option<&[u32]>) {
    let func = |f: &mut Func| f.0 = f_new[f.0 as usize];
    p.main.iter_mut().for_each(func);
    for data in &mut p.datas {
        if let StaticData::Record { raws, refs, .. } = data {
            for raw in raws {
                if let RawInit::Code(g) = raw {
                    func(g);
                }
            }
            for r in refs {
                if let RefInit::Data(d) = r {
                    d.0 = d_new[d.0 as usize];
                }
            }
        }
    }
    for f in &mut p.funcs {
        for block in &mut f.blocks {
            for inst in &mut block.insts {
                match &mut inst.op {
                    Op::Call(Callee::Func(g), _) | Op::FuncAddr(g) => func(g),
                    Op::Data(d) => d.0 = d_new[d.0 as usize],
                    Op::GlobalLoad(g) | Op::GlobalStore(g, _) => {
                        if let Some(new) = g_new {
                            g.0 = new[g.0 as usize];
                        }
                    }
                    _ => {}
                }
            }
            if let Term::TailCall(Callee::Func(g), _) | Term::Invoke { callee: Callee::Func(g), .. } = &mut block.term {
                func(g);
            }
        }
    }
}

/// The loads of slots that `main` alone loads, and stores once before, become the value that it stores. Besides being
/// quicker, that ends the value's life: a slot is a root to the program's end, so what the inlined closures of a
/// finished part of `main` had was never freed, nor finalized.
fn own_slots(p: &mut Program, main: Func, funcs: &[bool]) {
    // By slot: where `main` stores it, unless something else speaks against it.
    let mut stored: Vec<Option<(Block, usize, Value)>> = vec![None; p.globals.len()];
    let mut barred: Vec<bool> = (0..p.globals.len()).map(|g| p.slots.get(g).is_some_and(|&s| s != PRIVATE)).collect();
    let mut loads: Vec<(Block, usize, Global, Value)> = Vec::new();
    for (i, f) in p.funcs.iter().enumerate().filter(|f| funcs[f.0]) {
        for (b, block) in f.blocks.iter().enumerate() {
            for (k, inst) in block.insts.iter().enumerate() {
                match inst.op {
                    Op::GlobalLoad(g) if i as u32 == main.0 => loads.push((Block(b as u32), k, g, inst.results[0])),
                    Op::GlobalStore(g, v) if i as u32 == main.0 => {
                        barred[g.0 as usize] |= stored[g.0 as usize].replace((Block(b as u32), k, v)).is_some();
                    }
                    Op::GlobalLoad(g) | Op::GlobalStore(g, _) => barred[g.0 as usize] = true,
                    _ => {}
                }
            }
        }
    }
    if loads.is_empty() {
        return;
    }
    let Program { funcs, datas, .. } = p;
    let f = &mut funcs[main.0 as usize];
    let cfg = Cfg::new(f);
    let dom = Dominators::new(f, &cfg);
    for &(b, k, g, _) in &loads {
        let before = |(at, i, _)| if at == b { i < k } else { dom.dominates(at, b) };
        barred[g.0 as usize] |= !stored[g.0 as usize].is_some_and(before);
    }
    let mut became: FxHashMap<Value, Value> = FxHashMap::default();
    for &(.., g, result) in loads.iter().filter(|l| !barred[l.2.0 as usize]) {
        if let Some((.., value)) = stored[g.0 as usize] {
            became.insert(result, value);
        }
    }
    if became.is_empty() {
        return;
    }
    let follow = |mut v: Value| {
        while let Some(&next) = became.get(&v) {
            v = next;
        }
        v
    };
    for block in &mut f.blocks {
        block.insts.retain(|inst| !matches!(inst.op, Op::GlobalLoad(g) if !barred[g.0 as usize]));
        block.insts.iter_mut().for_each(|inst| inst.op.map_operands(follow));
        block.term.map_operands(follow);
    }
    // A slot may have held the constant 0, and a division by it stand behind its guard (S9).
    simplify::function(f, datas);
}

/// Drops stores to slots that are never loaded. A session's slots may be loaded by a later unit.
fn stores(p: &mut Program, funcs: &[bool]) {
    let mut loaded = vec![false; p.globals.len()];
    for (loaded, &slot) in loaded.iter_mut().zip(&p.slots) {
        *loaded = slot != PRIVATE;
    }
    let reached = p.funcs.iter().zip(funcs).filter(|f| *f.1);
    for inst in reached.flat_map(|f| &f.0.blocks).flat_map(|b| &b.insts) {
        if let Op::GlobalLoad(g) = inst.op {
            loaded[g.0 as usize] = true;
        }
    }
    if loaded.iter().all(|&l| l) {
        return;
    }
    for block in p.funcs.iter_mut().flat_map(|f| &mut f.blocks) {
        block.insts.retain(|inst| !matches!(inst.op, Op::GlobalStore(g, _) if !loaded[g.0 as usize]));
    }
}

/// A function, and the number of one of its parameters.
type Param = (u32, u32);

/// Parameters that are used for nothing but the same parameter of a recursive call are dropped, with their arguments.
fn dead_params(p: &mut Program) {
    // needed[f][i]: parameter i of f is used for something.
    let mut needed: Vec<Vec<bool>> = p.funcs.iter().map(|f| vec![f.is_closure; f[f.entry].params.len()]).collect();
    if let Some(main) = p.main {
        needed[main.0 as usize].iter_mut().for_each(|n| *n = true);
    }
    // A parameter that is passed on as a parameter waits for that one: (f, i) waits for (g, j).
    let mut waits: Vec<(Param, Param)> = Vec::new();
    for (i, f) in p.funcs.iter().enumerate() {
        let params = &f[f.entry].params;
        if params.is_empty() || f.is_closure {
            continue;
        }
        let mut index = vec![u32::MAX; f.values.len()];
        params.iter().enumerate().for_each(|(k, v)| index[v.0 as usize] = k as u32);
        let mut plain = |v: Value| {
            if index[v.0 as usize] != u32::MAX {
                needed[i][index[v.0 as usize] as usize] = true;
            }
        };
        let call = |g: Func, args: &Values, waits: &mut Vec<(Param, Param)>| {
            for (j, v) in args.iter().enumerate() {
                if index[v.0 as usize] != u32::MAX {
                    waits.push(((g.0, j as u32), (i as u32, index[v.0 as usize])));
                }
            }
        };
        for block in &f.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::Call(Callee::Func(g), args) => call(*g, args, &mut waits),
                    op => op.each_operand(&mut plain),
                }
            }
            match &block.term {
                Term::TailCall(Callee::Func(g), args) => call(*g, args, &mut waits),
                Term::Invoke { callee: Callee::Func(g), args, ok, handler } => {
                    call(*g, args, &mut waits);
                    ok.args.iter().chain(&handler.args).for_each(|&v| plain(v));
                }
                term => term.each_operand(&mut plain),
            }
        }
    }
    if needed.iter().all(|f| f.iter().all(|&n| n)) {
        return;
    }
    // What is needed makes what is passed to it needed.
    waits.sort_unstable();
    let mut work: Vec<(u32, u32)> = Vec::new();
    for (f, params) in needed.iter().enumerate() {
        work.extend(params.iter().enumerate().filter(|(_, n)| **n).map(|(i, _)| (f as u32, i as u32)));
    }
    while let Some(at) = work.pop() {
        let from = waits.partition_point(|w| w.0 < at);
        for &(_, (f, i)) in waits[from..].iter().take_while(|w| w.0 == at) {
            if !std::mem::replace(&mut needed[f as usize][i as usize], true) {
                work.push((f, i));
            }
        }
    }
    if needed.iter().all(|f| f.iter().all(|&n| n)) {
        return;
    }
    let filter = |g: Func, args: &mut Values| {
        let mut i = 0;
        args.retain(|_| {
            i += 1;
            needed[g.0 as usize][i - 1]
        });
    };
    for (i, f) in p.funcs.iter_mut().enumerate() {
        let mut k = 0;
        let entry = f.entry;
        f[entry].params.retain(|_| {
            k += 1;
            needed[i][k - 1]
        });
        for block in &mut f.blocks {
            for inst in &mut block.insts {
                if let Op::Call(Callee::Func(g), args) = &mut inst.op {
                    filter(*g, args);
                }
            }
            if let Term::TailCall(Callee::Func(g), args) | Term::Invoke { callee: Callee::Func(g), args, .. } =
                &mut block.term
            {
                filter(*g, args);
            }
        }
    }
}
