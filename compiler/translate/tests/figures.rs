//! Speed of compiled loops and of compiling, printed:
//! `cargo test --release -p leat-translate --test figures -- --ignored --nocapture`.

// What is run is what the test has just compiled; a word of it is looked at where the test says it is.
#![allow(clippy::undocumented_unsafe_blocks)]

mod mock {
    pub mod build;
    mod runtime;
    pub use runtime::*;
}

use std::time::Instant;

use leat_ssa::ir::*;
use leat_translate::{Jit, Level, Options};
use mock::Mock;
use mock::build::{Build, program};

/// Best of several, in nanoseconds.
fn best(times: usize, mut run: impl FnMut()) -> f64 {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_nanos() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// `while n > 0 do n := n - 1`, rotated, checked, with or without a poll.
fn countdown(poll: bool) -> Function {
    let (mut f, p) = Build::new("countdown", &[Ty::I64], &[Ty::I64]);
    let (body, out) = (f.block(), f.block());
    let n = f.param(body, Ty::I64);
    let r = f.param(out, Ty::I64);
    let zero = f.int(0);
    let one = f.int(1);
    let c = f.cmp(Cond::Gt, p[0], zero);
    f.branch(c, (body, &[p[0]]), (out, &[p[0]]));
    f.at = body;
    let n2 = f.add_checked(Ovf::Sub, n, one);
    if poll {
        f.op(Op::Poll);
    }
    let c = f.cmp(Cond::Gt, n2, zero);
    f.branch(c, (body, &[n2]), (out, &[n2]));
    f.at = out;
    f.ret(&[r]);
    f.f
}

/// Counts newlines of a string: bounds check, overflow check, branch.
fn newlines() -> Function {
    let (mut f, p) = Build::new("newlines", &[Ty::Ref], &[Ty::I64]);
    let (body, yes, next, out) = (f.block(), f.block(), f.block(), f.block());
    let (i, k) = (f.param(body, Ty::I64), f.param(body, Ty::I64));
    let k3 = f.param(next, Ty::I64);
    let r = f.param(out, Ty::I64);
    let zero = f.int(0);
    let one = f.int(1);
    let ten = f.int(10);
    let length = f.op(Op::Length(p[0]));
    let c = f.cmp(Cond::Lt, zero, length);
    f.branch(c, (body, &[zero, zero]), (out, &[zero]));
    f.at = body;
    let outside = f.cmp(Cond::UGe, i, length);
    f.op(Op::Guard(outside, leat_abi::exn::Builtin::Subscript));
    let x = f.op(Op::ElemLoad { elem: Elem::U8, array: p[0], index: i, mutable: false });
    let c = f.cmp(Cond::Eq, x, ten);
    f.branch(c, (yes, &[]), (next, &[k]));
    f.at = yes;
    let k2 = f.add_checked(Ovf::Add, k, one);
    f.jump(next, &[k2]);
    f.at = next;
    let i2 = f.add(i, one);
    let c = f.cmp(Cond::Lt, i2, length);
    f.branch(c, (body, &[i2, k3]), (out, &[k3]));
    f.at = out;
    f.ret(&[r]);
    f.f
}

fn fib(me: u32, entry_check: bool) -> Function {
    let (mut f, p) = Build::new("fib", &[Ty::I64], &[Ty::I64]);
    f.f.entry_check = entry_check;
    let (small, large) = (f.block(), f.block());
    let (one, two) = (f.int(1), f.int(2));
    let c = f.cmp(Cond::Lt, p[0], two);
    f.branch(c, (small, &[]), (large, &[]));
    f.at = small;
    f.ret(&[p[0]]);
    f.at = large;
    let a = f.add_checked(Ovf::Sub, p[0], one);
    let a = f.call(Callee::Func(Func(me)), &[a], &[Ty::I64])[0];
    let b = f.add_checked(Ovf::Sub, p[0], two);
    let b = f.call(Callee::Func(Func(me)), &[b], &[Ty::I64])[0];
    let r = f.add_checked(Ovf::Add, a, b);
    f.ret(&[r]);
    f.f
}

/// A loop that conses, with four references live around it.
fn cons_loop() -> Function {
    let (mut f, p) = Build::new("cons", &[Ty::I64, Ty::Ref, Ty::Ref, Ty::Ref], &[Ty::Ref, Ty::Ref, Ty::Ref, Ty::Ref]);
    let (body, out) = (f.block(), f.block());
    let (i, l) = (f.param(body, Ty::I64), f.param(body, Ty::Ref));
    let nil = f.nil();
    let one = f.int(1);
    let zero = f.int(0);
    f.jump(body, &[p[0], nil]);
    f.at = body;
    let cell = f.alloc(0, &[i], &[l]);
    let i2 = f.bin(Binary::Sub, i, one);
    let c = f.cmp(Cond::Gt, i2, zero);
    f.branch(c, (body, &[i2, cell]), (out, &[]));
    f.at = out;
    f.ret(&[cell, p[1], p[2], p[3]]);
    f.f
}

#[test]
#[ignore = "figures, not a test"]
fn loops() {
    let mut p = program(vec![countdown(false), countdown(true), newlines(), fib(3, false), fib(4, true), cons_loop()]);
    leat_ssa::safepoint::run(&mut p);
    for (i, f) in p.funcs.iter_mut().enumerate() {
        if i != 5 {
            for b in &mut f.blocks {
                b.insts.retain(|inst| inst.op != Op::Poll || i == 1);
            }
            f.entry_check = i == 4;
        }
    }
    for level in [Level::Speed, Level::Fast] {
        let mut m = Mock::new(8);
        let loaded = m.load(&p, &Options { level, symbols: leat_translate::Symbols::Perf, ..Options::default() });
        let start = m.tcb.alloc;
        let text = m.allocate(leat_abi::header::raw_array(0, 610_000)) as u64;
        for i in 0..610_000 {
            unsafe { *((text as usize + i) as *mut u8) = if i % 40 == 0 { 10 } else { 97 } };
        }
        let keep = m.tcb.alloc;
        let mut time = |name: &str, f: usize, args: [u64; 4], units: f64| {
            let ns = best(7, || {
                m.tcb.alloc = keep;
                m.call_fn(&loaded, f, args).expect("no exception");
            });
            println!("{level:?} {name}: {:.2} ns each, {:.2} ms", ns / units, ns / 1e6);
        };
        time("countdown", 0, [100_000_000, 0, 0, 0], 1e8);
        time("countdown with poll", 1, [100_000_000, 0, 0, 0], 1e8);
        time("newlines", 2, [text, 0, 0, 0], 610_000.0);
        time("fib 35", 3, [35, 0, 0, 0], 29_860_703.0);
        time("fib 35 with entry check", 4, [35, 0, 0, 0], 29_860_703.0);
        time("cons 1M", 5, [1_000_000, 1, 1, 1], 1e6);
        m.tcb.alloc = start;
    }
}

#[test]
#[ignore = "figures, not a test"]
fn compiling() {
    let hello = program(vec![fib(0, true)]);
    let new = best(20, || drop(Jit::new(&mock::symbols(), &Options::default()).expect("a region")));
    let all = best(20, || {
        let mut jit = Jit::new(&mock::symbols(), &Options::default()).expect("a region");
        jit.add(&hello).expect("compiles");
    });
    println!("new region {:.0} us, with one function {:.0} us", new / 1e3, all / 1e3);
    let funcs: Vec<Function> =
        (0..250).flat_map(|i| [newlines(), fib(4 * i + 1, true), cons_loop(), countdown(true)]).collect();
    let mut p = program(funcs);
    leat_ssa::safepoint::run(&mut p);
    for (level, threads) in [(Level::Speed, 1), (Level::Speed, 2), (Level::Fast, 1)] {
        let options = Options { level, threads, ..Options::default() };
        let ns = best(3, || {
            let mut jit = Jit::new(&mock::symbols(), &options).expect("a region");
            jit.add(&p).expect("compiles");
        });
        println!(
            "{level:?}, {threads} threads: {} functions in {:.1} ms, {:.0} a second",
            p.funcs.len(),
            ns / 1e6,
            p.funcs.len() as f64 / ns * 1e9
        );
    }
    let start = Instant::now();
    let bytes = leat_translate::emit_object(&p, &Options::default()).expect("an object").len();
    println!("object of {bytes} bytes in {:.1} ms", start.elapsed().as_nanos() as f64 / 1e6);
}

#[test]
#[ignore = "text to look at; LEAT_SSA names a printed program to be shown instead"]
fn machine_code() {
    if let Ok(path) = std::env::var("LEAT_SSA") {
        let text = std::fs::read_to_string(path).expect("a file");
        let p = leat_ssa::parse::program(&text).expect("Ssa");
        println!(
            "{}",
            leat_translate::dump(&p, &Options::default(), leat_translate::Dump::Asm, None).expect("compiles")
        );
        return;
    }
    let mut p = program(vec![countdown(false), countdown(true), newlines(), fib(3, false), fib(4, true), cons_loop()]);
    leat_ssa::safepoint::run(&mut p);
    for (i, f) in p.funcs.iter_mut().enumerate() {
        if i != 5 {
            for b in &mut f.blocks {
                b.insts.retain(|inst| inst.op != Op::Poll || i == 1);
            }
            f.entry_check = i == 4;
        }
    }
    println!("{}", leat_translate::dump(&p, &Options::default(), leat_translate::Dump::Asm, None).expect("compiles"));
}

#[test]
#[ignore = "figures, not a test; alone in its process"]
fn first() {
    let mut p = program(vec![fib(0, true), newlines()]);
    leat_ssa::safepoint::run(&mut p);
    let level = if std::env::var("LEAT_FAST").is_ok() { Level::Fast } else { Level::Speed };
    for _ in 0..4 {
        let start = Instant::now();
        let mut jit = Jit::new(&mock::symbols(), &Options { level, ..Options::default() }).expect("a region");
        let new = start.elapsed();
        jit.add(&p).expect("compiles");
        println!("new {new:?}, all {:?}", start.elapsed());
    }
}

/// Functions far larger than people write, to see that time stays in proportion.
#[test]
#[ignore = "figures, not a test"]
fn large_functions() {
    let calls = |n: i64| {
        let (mut f, p) = Build::new("calls", &[Ty::Ref], &[Ty::Ref]);
        let mut refs = vec![p[0]];
        for i in 0..n {
            let x = f.int(i);
            let last = refs[refs.len() - 1];
            let old = refs[refs.len().saturating_sub(20)];
            let cell = f.alloc(0, &[x], &[last, old]);
            let r = f.call(Callee::Func(Func(0)), &[cell], &[Ty::Ref])[0];
            refs.push(r);
        }
        f.ret(&refs[refs.len() - 1..]);
        f.f
    };
    let chain = |n: i64| {
        let (mut f, p) = Build::new("chain", &[Ty::I64, Ty::Ref], &[Ty::Ref]);
        let join = f.block();
        let r = f.param(join, Ty::Ref);
        for i in 0..n {
            let (yes, no) = (f.block(), f.block());
            let x = f.int(3 * i);
            let c = f.cmp(Cond::Eq, p[0], x);
            f.branch(c, (yes, &[]), (no, &[]));
            f.at = yes;
            let cell = f.alloc(0, &[x], &[p[1]]);
            f.jump(join, &[cell]);
            f.at = no;
        }
        f.jump(join, &[p[1]]);
        f.at = join;
        f.ret(&[r]);
        f.f
    };
    for n in [250, 500, 1000, 2000, 4000] {
        for (what, f) in [("calls", calls(n)), ("chain", chain(n))] {
            let mut p = program(vec![f]);
            leat_ssa::safepoint::run(&mut p);
            for level in [Level::Speed, Level::Fast] {
                let start = Instant::now();
                let mut jit = Jit::new(&mock::symbols(), &Options { level, ..Options::default() }).expect("a region");
                jit.add(&p).expect("compiles");
                println!("{what} {n} {level:?}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
}
