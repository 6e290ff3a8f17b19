//! Programs built by hand run in memory against a mock runtime.

// What is run is what the test has just compiled; a word of it is looked at where the test says it is.
#![allow(clippy::undocumented_unsafe_blocks)]

mod mock {
    pub mod build;
    mod runtime;
    pub use runtime::*;
}

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_ssa::ir::*;
use leat_translate::{Level, Options};
use mock::Mock;
use mock::build::{Build, program, target};

const LEVELS: [Level; 2] = [Level::Speed, Level::Fast];

fn options(level: Level, align: u32) -> Options {
    Options { level, align, verify: true, threads: 1, ..Options::default() }
}

/// Runs function 0 with every level, alignment, with and without stress; all answers must be the given one.
fn expect(p: Program, args: [u64; 4], answer: Result<u64, Builtin>) {
    expect_all(p, &[(args, answer)]);
}

fn expect_all(mut p: Program, cases: &[([u64; 4], Result<u64, Builtin>)]) {
    leat_ssa::safepoint::run(&mut p);
    if let Err(errors) = leat_ssa::verify::verify(&p, "test", true) {
        panic!("{errors:?}");
    }
    for level in LEVELS {
        for align in [8, 16, 32] {
            for stress in [false, true] {
                let mut m = Mock::new(align as usize);
                let loaded = m.load(&p, &options(level, align));
                m.set_stress(stress);
                for &(args, answer) in cases {
                    let got = m.call_fn(&loaded, 0, args);
                    let answer = answer.map_err(|e| e as u64);
                    assert_eq!(got, answer, "{args:?}: {level:?} align {align} stress {stress}");
                }
            }
        }
    }
}

/// A function of one block applied to two ints.
fn expression(build: impl Fn(&mut Build, Value, Value) -> Value, a: i64, b: i64, answer: Result<i64, Builtin>) {
    expressions(build, &[(a, b, answer)]);
}

/// The same applied to several pairs.
fn expressions(build: impl Fn(&mut Build, Value, Value) -> Value, cases: &[(i64, i64, Result<i64, Builtin>)]) {
    let (mut f, p) = Build::new("expression", &[Ty::I64, Ty::I64], &[Ty::I64]);
    let r = build(&mut f, p[0], p[1]);
    f.ret(&[r]);
    let cases: Vec<_> = cases.iter().map(|&(a, b, n)| ([a as u64, b as u64, 0, 0], n.map(|n| n as u64))).collect();
    expect_all(program(vec![f.f]), &cases);
}

/// By numbers that are not known, and by constants: the signs, and what has 32 bits and what has not.
fn divisions(op: Binary) {
    let divisors = [1, 2, 3, -3, 8, -8, 1_000_003, (1 << 32) - 1, 1 << 32, -(1 << 32), i64::MAX, i64::MIN, -1];
    let numbers = [0, 1, -1, 7, -7, 9, -9, 1 << 31, (1 << 32) - 1, 1 << 32, -(1 << 32) - 5, i64::MAX, i64::MIN];
    let answer = |a: i64, b: i64| {
        let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
        let wrong = rest != 0 && (a < 0) != (b < 0);
        match op {
            Binary::Div => quotient - i64::from(wrong),
            Binary::Mod if wrong => rest + b,
            Binary::SDiv => quotient,
            _ => rest,
        }
    };
    let mut all = vec![];
    for b in divisors {
        // The least number by -1 has no quotient: a guard stands before (S9).
        let has_answer = |a: i64| !(a == i64::MIN && b == -1 && matches!(op, Binary::Div | Binary::SDiv));
        let cases: Vec<_> = numbers.into_iter().filter(|&a| has_answer(a)).map(|a| (a, b, Ok(answer(a, b)))).collect();
        let by_constant = |f: &mut Build, a, _b| {
            let n = f.int(b);
            f.bin(op, a, n)
        };
        expressions(by_constant, &cases);
        all.extend(cases);
    }
    expressions(|f, a, b| f.bin(op, a, b), &all);
}

#[test]
fn arithmetic() {
    let bin = |op| move |f: &mut Build, a, b| f.bin(op, a, b);
    expression(bin(Binary::Add), i64::MAX, 1, Ok(i64::MIN));
    expression(bin(Binary::Mul), 7, -6, Ok(-42));
    expression(bin(Binary::SDiv), -7, 2, Ok(-3));
    expression(bin(Binary::SRem), -7, 2, Ok(-1));
    expression(bin(Binary::UDiv), -1, 2, Ok(i64::MAX));
    for op in [Binary::Div, Binary::Mod, Binary::SDiv, Binary::SRem] {
        divisions(op);
    }
    for n in
        [2, 3, 7, 10, 60, 641, 1_000_003, (1 << 31) - 1, 1 << 32, (1 << 32) + 1, 3037000500, i64::MAX - 1, i64::MAX]
    {
        for a in [0, 1, n - 1, n, 2 * (n / 2) + 1, i64::MAX / n * n, i64::MAX / n * n - 1, i64::MAX] {
            let by = |op| {
                move |f: &mut Build, a: Value, _b| {
                    let n = f.int(n);
                    f.bin(op, a, n)
                }
            };
            expression(by(Binary::NDiv), a, 0, Ok(a / n));
            expression(by(Binary::NRem), a, 0, Ok(a % n));
        }
    }
    expression(bin(Binary::Shl), 3, 62, Ok(-1 << 62));
    expression(bin(Binary::Shr), -1, 63, Ok(1));
    expression(bin(Binary::Sar), i64::MIN, 63, Ok(-1));
    let unary = |op| move |f: &mut Build, a, _b| f.op(Op::Unary(op, a));
    expression(unary(Unary::Zext8), 0x1ff, 0, Ok(0xff));
    expression(unary(Unary::Sext8), 0x1ff, 0, Ok(-1));
    expression(unary(Unary::Sext32), 0x8000_0000, 0, Ok(-0x8000_0000));
    expression(unary(Unary::Not), 0, 0, Ok(-1));
    let through_real = |op| {
        move |f: &mut Build, a: Value, b: Value| {
            let (x, y) = (f.op(Op::Unary(Unary::FOfInt, a)), f.op(Op::Unary(Unary::FOfInt, b)));
            let q = f.bin(Binary::FDiv, x, y);
            let r = f.op(Op::Unary(op, q));
            f.op(Op::Unary(Unary::FToInt, r))
        }
    };
    expression(through_real(Unary::FFloor), -7, 2, Ok(-4));
    expression(through_real(Unary::FCeil), -7, 2, Ok(-3));
    expression(through_real(Unary::FNearest), 5, 2, Ok(2));
    expression(through_real(Unary::FTrunc), -7, 2, Ok(-3));
    expression(through_real(Unary::FNearest), 1, 0, Ok(i64::MAX));
    expression(through_real(Unary::FNearest), 0, 0, Ok(0));
}

#[test]
fn overflow_is_seen() {
    let checked = |op| move |f: &mut Build, a, b| f.add_checked(op, a, b);
    let constant = |op, n| {
        move |f: &mut Build, a, _b| {
            let n = f.int(n);
            f.add_checked(op, a, n)
        }
    };
    let over = Err(Builtin::Overflow);
    for (a, b) in [
        (i64::MAX, 1),
        (i64::MIN, -1),
        (5, -7),
        (i64::MAX, i64::MIN),
        (i64::MIN, i64::MIN),
        (0, i64::MIN),
        (-1, i64::MIN),
        (3, 0),
    ] {
        let answer = |r: Option<i64>| r.map_or(over, Ok);
        expression(checked(Ovf::Add), a, b, answer(a.checked_add(b)));
        expression(checked(Ovf::Sub), a, b, answer(a.checked_sub(b)));
        expression(checked(Ovf::Mul), a, b, answer(a.checked_mul(b)));
        expression(constant(Ovf::Add, b), a, 0, answer(a.checked_add(b)));
        expression(constant(Ovf::Sub, b), a, 0, answer(a.checked_sub(b)));
        expression(constant(Ovf::Mul, b), a, 0, answer(a.checked_mul(b)));
    }
}

#[test]
fn comparisons_as_values() {
    let both = |c| {
        move |f: &mut Build, a, b| {
            let x = f.cmp(c, a, b);
            let y = f.op(Op::Select(x, a, b));
            f.add(x, y)
        }
    };
    expression(both(Cond::Lt), -1, 1, Ok(0));
    expression(both(Cond::ULt), -1, 1, Ok(1));
    expression(both(Cond::Ge), 4, 4, Ok(5));
    let nan = |c| {
        move |f: &mut Build, a, b| {
            let (x, y) = (f.op(Op::Unary(Unary::FOfInt, a)), f.op(Op::Unary(Unary::FOfInt, b)));
            let n = f.bin(Binary::FDiv, x, y);
            f.op(Op::FCmp(c, n, n))
        }
    };
    for (c, n) in [(FCond::Eq, 0), (FCond::Ne, 1), (FCond::Lt, 0), (FCond::Ge, 0)] {
        expression(nan(c), 0, 0, Ok(n));
    }
}

#[test]
fn switches() {
    // Dense, sparse, mixed, with the default in front and between.
    for cases in
        [vec![1, 2, 3, 4, 5, 6], vec![-5, 1000, 7], vec![0, 1, 2, 3, 4, 5, 100, 101, i64::MIN, i64::MAX, 50], vec![9]]
    {
        let (mut f, p) = Build::new("switch", &[Ty::I64], &[Ty::I64]);
        let out = f.block();
        let result = f.param(out, Ty::I64);
        let mut targets = Vec::new();
        let start = f.at;
        for &n in &cases {
            let b = f.block();
            f.at = b;
            let x = f.int(n.wrapping_mul(3));
            f.jump(out, &[x]);
            targets.push((n, target(b, &[])));
        }
        f.at = start;
        f.end(Term::Switch(p[0], targets, target(out, &[p[0]])));
        f.at = out;
        f.ret(&[result]);
        let p = program(vec![f.f]);
        for n in cases.iter().flat_map(|&n| [n, n.wrapping_add(1), n.wrapping_sub(1)]) {
            let mut m = Mock::new(8);
            let loaded = m.load(&p, &options(Level::Speed, 8));
            let want = if cases.contains(&n) { n.wrapping_mul(3) } else { n };
            assert_eq!(m.call_fn(&loaded, 0, [n as u64, 0, 0, 0]), Ok(want as u64));
        }
    }
}

/// `fun upto (i, n) = if i > n then nil else i :: upto (i + 1, n)`, by plain recursion.
fn upto(me: u32) -> Function {
    let (mut f, p) = Build::new("upto", &[Ty::I64, Ty::I64], &[Ty::Ref]);
    let (done, more) = (f.block(), f.block());
    let c = f.cmp(Cond::Gt, p[0], p[1]);
    f.branch(c, (done, &[]), (more, &[]));
    f.at = done;
    let nil = f.nil();
    f.ret(&[nil]);
    f.at = more;
    let one = f.int(1);
    let next = f.add_checked(Ovf::Add, p[0], one);
    let tail = f.call(Callee::Func(Func(me)), &[next, p[1]], &[Ty::Ref]);
    let cell = f.alloc(0, &[p[0]], &[tail[0]]);
    f.ret(&[cell]);
    f.f
}

/// A loop that adds a list up and makes a garbage pair for each element: its references stay in registers.
fn sum() -> Function {
    let (mut f, p) = Build::new("sum", &[Ty::Ref], &[Ty::I64]);
    let (head, body, out) = (f.block(), f.block(), f.block());
    let (l, s) = (f.param(head, Ty::Ref), f.param(head, Ty::I64));
    let zero = f.int(0);
    f.jump(head, &[p[0], zero]);
    f.at = head;
    let c = f.op(Op::IsImm(l));
    f.branch(c, (out, &[]), (body, &[]));
    f.at = body;
    let x = f.load(Ty::I64, l, 0);
    let pair = f.alloc(3, &[x], &[l, p[0]]);
    let back = f.load(Ty::Ref, pair, 1);
    let tail = f.load(Ty::Ref, back, 1);
    let tag = f.op(Op::Tag(pair));
    let three = f.int(3);
    let s1 = f.add(s, x);
    let s2 = f.add(s1, tag);
    let s3 = f.bin(Binary::Sub, s2, three);
    f.jump(head, &[tail, s3]);
    f.at = out;
    f.ret(&[s]);
    f.f
}

#[test]
fn lists() {
    let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
    let one = f.int(1);
    let a = f.call(Callee::Func(Func(1)), &[one, p[0]], &[Ty::Ref])[0];
    let b = f.call(Callee::Func(Func(1)), &[one, p[0]], &[Ty::Ref])[0];
    let x = f.call(Callee::Func(Func(2)), &[a], &[Ty::I64])[0];
    let y = f.call(Callee::Func(Func(2)), &[b], &[Ty::I64])[0];
    let z = f.call(Callee::Func(Func(2)), &[a], &[Ty::I64])[0];
    let s = f.add(x, y);
    let s = f.add(s, z);
    f.ret(&[s]);
    expect(program(vec![f.f, upto(1), sum()]), [300, 0, 0, 0], Ok(3 * 300 * 301 / 2));
}

#[test]
fn deep_recursion_and_static_data() {
    std::thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(|| {
            let mut p = program(vec![upto(0), sum()]);
            leat_ssa::safepoint::run(&mut p);
            let mut m = Mock::new(8);
            let loaded = m.load(&p, &options(Level::Speed, 8));
            let list = m.call_fn(&loaded, 0, [1, 1_000_000, 0, 0]).expect("no exception");
            assert_eq!(m.call_fn(&loaded, 1, [list, 0, 0, 0]), Ok(1_000_000 * 1_000_001 / 2));
        })
        .expect("a thread")
        .join()
        .expect("no panic");
}

/// A handler that needs references from before, from between, and the packet; the callee raises or not.
#[test]
fn handlers_reload() {
    for n in [0i64, 1, 2] {
        // thrower (n): 0 returns a pair; 1 raises Div in compiled code; 2 has the runtime raise Size.
        let (mut t, p) = Build::new("thrower", &[Ty::I64, Ty::Ref], &[Ty::Ref, Ty::I64]);
        let (raise, other, size, fine) = (t.block(), t.block(), t.block(), t.block());
        let (one, two) = (t.int(1), t.int(2));
        let c = t.cmp(Cond::Eq, p[0], one);
        t.branch(c, (raise, &[]), (other, &[]));
        t.at = raise;
        t.end(Term::RaiseBuiltin(Builtin::Div));
        t.at = other;
        let c = t.cmp(Cond::Eq, p[0], two);
        t.branch(c, (size, &[]), (fine, &[]));
        t.at = size;
        let number = t.int(Builtin::Size as i64);
        t.call(Callee::Prim(Prim::ThreadSleepUntil), &[number], &[]);
        t.jump(fine, &[]);
        t.at = fine;
        let pair = t.alloc(0, &[p[0]], &[p[1]]);
        let seven = t.int(7);
        t.ret(&[pair, seven]);

        let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
        let (ok, handler, out) = (f.block(), f.block(), f.block());
        let (pair, seven, kept) = (f.param(ok, Ty::Ref), f.param(ok, Ty::I64), f.param(ok, Ty::Ref));
        let packet = f.param(handler, Ty::Ref);
        let number = f.param(out, Ty::I64);
        let hundred = f.int(100);
        let nil = f.nil();
        let before = f.alloc(0, &[hundred], &[nil]);
        let other = f.alloc(0, &[p[0]], &[before]);
        let args: Values = [p[0], other][..].into();
        f.end(Term::Invoke {
            callee: Callee::Func(Func(1)),
            args,
            ok: target(ok, &[before]),
            handler: target(handler, &[]),
        });
        f.at = ok;
        let back = f.load(Ty::Ref, pair, 1);
        let back = f.load(Ty::Ref, back, 1);
        let same = f.op(Op::RefEq(back, kept));
        let x = f.load(Ty::I64, back, 0);
        let r = f.add(x, seven);
        let r = f.add(r, same);
        f.jump(out, &[r]);
        f.at = handler;
        f.op(Op::Call(Callee::Prim(Prim::GcCollect), [hundred][..].into()));
        let desc = f.load(Ty::Ref, packet, 0);
        let k = f.op(Op::ImmValue(desc));
        let back = f.load(Ty::Ref, other, 1);
        let same = f.op(Op::RefEq(back, before));
        let r = f.add(k, same);
        let x = f.load(Ty::I64, other, 0);
        let thousand = f.int(1000);
        let x = f.bin(Binary::Mul, x, thousand);
        let r = f.add(r, x);
        f.jump(out, &[r]);
        f.at = out;
        let x = f.load(Ty::I64, before, 0);
        let r = f.add(number, x);
        f.ret(&[r]);
        let answer = match n {
            0 => 100 + 7 + 1 + 100,
            1 => Builtin::Div as u64 + 1 + 1000 + 100,
            _ => Builtin::Size as u64 + 1 + 2000 + 100,
        };
        expect(program(vec![f.f, t.f]), [n as u64, 0, 0, 0], Ok(answer));
    }
}

/// Runtime primitives under a handler, raising or not; their results as int, string, and a leaf's real.
#[test]
fn primitives() {
    let (mut f, p) = Build::new("main", &[Ty::I64, Ty::I64], &[Ty::I64]);
    let (ok, handler, ok2) = (f.block(), f.block(), f.block());
    let string = f.param(ok2, Ty::Ref);
    let packet = f.param(handler, Ty::Ref);
    let one = f.int(1);
    let nil = f.nil();
    let kept = f.alloc(0, &[one], &[nil]);
    let sleep = Callee::Prim(Prim::ThreadSleepUntil);
    f.end(Term::Invoke { callee: sleep, args: [p[0]][..].into(), ok: target(ok, &[]), handler: target(handler, &[]) });
    f.at = ok;
    let text = Callee::Prim(Prim::IntToString);
    f.end(Term::Invoke { callee: text, args: [p[1]][..].into(), ok: target(ok2, &[]), handler: target(handler, &[]) });
    f.at = ok2;
    f.call(Callee::Prim(Prim::Print), &[string], &[]);
    let length = f.op(Op::Length(string));
    let (x, y) = (f.op(Op::Unary(Unary::FOfInt, length)), f.op(Op::Unary(Unary::FOfInt, length)));
    let power = f.call(Callee::Prim(Prim::RealPow), &[x, y], &[Ty::F64])[0];
    let n = f.op(Op::Unary(Unary::FToInt, power));
    let stat = f.call(Callee::Prim(Prim::GcStat), &[n], &[Ty::I64])[0];
    let k = f.load(Ty::I64, kept, 0);
    let digit = f.op(Op::ElemLoad { elem: Elem::U8, array: string, index: k, mutable: false });
    let r = f.add(stat, digit);
    f.ret(&[r]);
    f.at = handler;
    let k = f.load(Ty::Ref, packet, 0);
    let k = f.op(Op::ImmValue(k));
    let x = f.load(Ty::I64, kept, 0);
    let r = f.add(k, x);
    f.ret(&[r]);
    let p = program(vec![f.f]);
    expect(p.clone(), [9999, 472, 0, 0], Ok(2 * 27 + 1 + b'7' as u64));
    expect(p, [Builtin::Chr as u64, 472, 0, 0], Ok(Builtin::Chr as u64 + 1));
}

/// Many arguments and results, of both classes, through closures and tail calls in constant stack.
#[test]
fn conventions() {
    let ints = 12;
    let types: Vec<Ty> = (0..ints).map(|i| if i % 3 == 2 { Ty::Ref } else { Ty::I64 }).chain([Ty::F64; 3]).collect();
    // rotate (closure, n, values): until n = 0, tail calls itself through the closure with the ints rotated.
    let all: Vec<Ty> = [Ty::Ref, Ty::I64].into_iter().chain(types.iter().copied()).collect();
    let (mut r, p) = Build::new("rotate", &all, &types);
    r.f.is_closure = true;
    let (done, more) = (r.block(), r.block());
    let zero = r.int(0);
    let c = r.cmp(Cond::Eq, p[1], zero);
    r.branch(c, (done, &[]), (more, &[]));
    r.at = done;
    r.ret(&p[2..]);
    r.at = more;
    let one = r.int(1);
    let n = r.bin(Binary::Sub, p[1], one);
    let mut args = vec![n];
    for i in 0..types.len() {
        // Within a class: each takes its successor of the same type.
        let same: Vec<usize> = (0..types.len()).filter(|&j| types[j] == types[i]).collect();
        let at = same.iter().position(|&j| j == i).unwrap_or(0);
        args.push(p[2 + same[(at + 1) % same.len()]]);
    }
    let junk = r.alloc(0, &[n], &[p[0], p[4]]);
    let closure = r.load(Ty::Ref, junk, 1);
    r.end(Term::TailCall(Callee::Closure(closure), args[..].into()));

    let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
    let code = f.op(Op::FuncAddr(Func(1)));
    let closure = f.alloc(0, &[code], &[]);
    let mut args = vec![p[0]];
    for (i, &t) in types.iter().enumerate() {
        let n = f.int(1 << i);
        args.push(match t {
            Ty::Ref => f.alloc(0, &[n], &[closure]),
            Ty::F64 => f.op(Op::Unary(Unary::FOfInt, n)),
            _ => n,
        });
    }
    let results = f.call(Callee::Closure(closure), &args, &types);
    let mut sum = f.int(0);
    for (i, &v) in results.iter().enumerate() {
        let n = match types[i] {
            Ty::Ref => f.load(Ty::I64, v, 0),
            Ty::F64 => f.op(Op::Unary(Unary::FToInt, v)),
            _ => v,
        };
        let k = f.int(i as i64 + 1);
        let n = f.bin(Binary::Mul, n, k);
        sum = f.add(sum, n);
    }
    f.ret(&[sum]);
    let expected = |n: usize| -> u64 {
        (0..types.len())
            .map(|i| {
                let same: Vec<usize> = (0..types.len()).filter(|&j| types[j] == types[i]).collect();
                let at = same.iter().position(|&j| j == i).unwrap_or(0);
                (1u64 << same[(at + n) % same.len()]) * (i as u64 + 1)
            })
            .sum()
    };
    let p = program(vec![f.f, r.f]);
    expect(p.clone(), [5, 0, 0, 0], Ok(expected(5)));
    let mut p = p;
    leat_ssa::safepoint::run(&mut p);
    let mut m = Mock::new(8);
    let loaded = m.load(&p, &options(Level::Speed, 8));
    assert_eq!(m.call_fn(&loaded, 0, [3_000_000, 0, 0, 0]), Ok(expected(3_000_000)));
}

/// Static strings and records, closures without free variables, globals, arrays with barriers, compare and swap.
#[test]
fn data_and_globals() {
    let (mut k, p) = Build::new("constant", &[Ty::Ref, Ty::I64], &[Ty::I64]);
    k.f.is_closure = true;
    let n = k.load(Ty::I64, p[0], 1);
    let r = k.add(n, p[1]);
    k.ret(&[r]);

    let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
    let closure = f.op(Op::Data(Data(1)));
    let r = f.call(Callee::Closure(closure), &[p[0]], &[Ty::I64])[0];
    let string = f.load(Ty::Ref, closure, 2);
    let length = f.op(Op::Length(string));
    let nil = f.nil();
    let cell = f.alloc(0, &[], &[nil]);
    f.op(Op::GlobalStore(Global(0), r));
    f.op(Op::GlobalStore(Global(1), cell));
    let new = f.alloc(0, &[length], &[]);
    let yes = f.op(Op::Cas { ty: Ty::Ref, obj: cell, field: 0, old: nil, new });
    let newer = f.alloc(0, &[length], &[]);
    let no = f.op(Op::Cas { ty: Ty::Ref, obj: cell, field: 0, old: nil, new: newer });
    let one = f.int(1);
    f.call(Callee::Prim(Prim::GcCollect), &[one], &[]);
    let cell = f.ops(Op::GlobalLoad(Global(1)), &[Ty::Ref])[0];
    let held = f.op(Op::Load { ty: Ty::Ref, obj: cell, field: 0, mutable: true });
    f.op(Op::Store { obj: cell, field: 0, value: nil, barrier: true });
    let n = f.load(Ty::I64, held, 0);
    let r = f.ops(Op::GlobalLoad(Global(0)), &[Ty::I64])[0];
    let ten = f.int(10);
    let x = f.bin(Binary::Mul, n, ten);
    let r = f.add(r, x);
    let thousand = f.int(1000);
    let x = f.bin(Binary::Mul, yes, thousand);
    let r = f.add(r, x);
    let r = f.add(r, no);
    f.ret(&[r]);
    let mut p = program(vec![f.f, k.f]);
    p.globals = vec![Ty::I64, Ty::Ref];
    p.datas = vec![
        StaticData::bytes(b"hello"),
        StaticData::Record {
            tag: 0,
            raws: vec![RawInit::Code(Func(1)), RawInit::Int(20)],
            refs: vec![RefInit::Data(Data(0)), RefInit::Imm(1)],
        },
    ];
    expect(p, [3, 0, 0, 0], Ok(20 + 3 + 50 + 1000));
}

/// Nested loops with a poll, a call in a cold block, and references that are needed after each of them.
#[test]
fn cold_calls_and_polls() {
    let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
    let (outer, inner, rare, next, step, out) = (f.block(), f.block(), f.block(), f.block(), f.block(), f.block());
    f.cold(rare);
    let (i, list) = (f.param(outer, Ty::I64), f.param(outer, Ty::Ref));
    let (j, s) = (f.param(inner, Ty::I64), f.param(inner, Ty::I64));
    let s2 = f.param(next, Ty::I64);
    let zero = f.int(0);
    let one = f.int(1);
    let nil = f.nil();
    let fixed = f.alloc(0, &[p[0]], &[nil]);
    let first = f.alloc(0, &[one], &[fixed]);
    f.jump(outer, &[zero, first]);
    f.at = outer;
    let c = f.cmp(Cond::Lt, i, p[0]);
    f.branch(c, (inner, &[zero, zero]), (out, &[]));
    f.at = inner;
    f.op(Op::Poll);
    let x = f.load(Ty::I64, list, 0);
    let t = f.add(s, x);
    let five = f.int(5);
    let c = f.cmp(Cond::Eq, j, five);
    f.branch(c, (rare, &[]), (next, &[t]));
    f.at = rare;
    let y = f.call(Callee::Prim(Prim::GcStat), &[t], &[Ty::I64])[0];
    let n = f.load(Ty::I64, fixed, 0);
    let y = f.add(y, n);
    f.jump(next, &[y]);
    f.at = next;
    let j2 = f.add(j, one);
    let ten = f.int(10);
    let c = f.cmp(Cond::Lt, j2, ten);
    f.branch(c, (inner, &[j2, s2]), (step, &[]));
    f.at = step;
    let i2 = f.add(i, one);
    let seven = f.int(7);
    let r = f.bin(Binary::URem, s2, seven);
    let cell = f.alloc(0, &[r], &[list]);
    f.jump(outer, &[i2, cell]);
    f.at = out;
    let a = f.load(Ty::I64, list, 0);
    let rest = f.load(Ty::Ref, list, 1);
    let b = f.load(Ty::I64, rest, 0);
    let c = f.load(Ty::I64, fixed, 0);
    let r = f.add(a, b);
    let r = f.add(r, c);
    f.ret(&[r]);
    // The same in Rust.
    let n = 40u64;
    let mut cells = vec![n, 1];
    for _ in 0..n {
        let mut s = 0;
        for j in 0..10 {
            s += cells[cells.len() - 1];
            if j == 5 {
                s = 2 * s + 1 + n;
            }
        }
        cells.push(s % 7);
    }
    let answer = cells[cells.len() - 1] + cells[cells.len() - 2] + n;
    expect(program(vec![f.f]), [n, 0, 0, 0], Ok(answer));
}

#[test]
fn atomic_sections_serve_what_was_put_off() {
    let (mut f, p) = Build::new("main", &[Ty::Ref], &[Ty::I64]);
    f.op(Op::Atomic(1));
    f.op(Op::Atomic(1));
    f.op(Op::Atomic(-1));
    f.op(Op::Atomic(-1));
    let n = f.load(Ty::I64, p[0], 0);
    f.ret(&[n]);
    let mut m = Mock::new(8);
    let loaded = m.load(&program(vec![f.f]), &options(Level::Speed, 8));
    for asked in [0, 1] {
        m.polls = 0;
        m.tcb.poll.store(asked, std::sync::atomic::Ordering::Relaxed);
        let object = m.record(0, &[42], &[]);
        assert_eq!(m.call_fn(&loaded, 0, [object, 0, 0, 0]), Ok(42));
        assert_eq!((m.polls, m.tcb.atomic_depth), (asked, 0));
    }
}

/// A loop in a handler's scope polls and ends an atomic section; an exception that comes there goes to the handler,
/// with the references and numbers of before the scope as the collector has left them.
#[test]
fn slow_paths_raise_to_handlers_of_their_function() {
    let (mut f, p) = Build::new("main", &[Ty::I64], &[Ty::I64]);
    let (body, latch, out, handler) = (f.block(), f.block(), f.block(), f.block());
    f.cold(handler);
    let (i, list) = (f.param(body, Ty::I64), f.param(body, Ty::Ref));
    let packet = f.param(handler, Ty::Ref);
    let (one, nil) = (f.int(1), f.nil());
    let kept = f.alloc(0, &[p[0]], &[nil]);
    let zero = f.int(0);
    f.end(Term::Scope { body: target(body, &[zero, kept]), handler: target(handler, &[]) });
    f.at = body;
    f.op(Op::Poll);
    // With a safepoint in it: it would cost nothing without one.
    f.op(Op::Atomic(1));
    let cell = f.alloc(0, &[i], &[list]);
    let i2 = f.add(i, one);
    f.op(Op::Atomic(-1));
    let c = f.cmp(Cond::Lt, i2, p[0]);
    f.branch(c, (latch, &[]), (out, &[]));
    f.at = latch;
    f.jump(body, &[i2, cell]);
    f.at = out;
    let n = f.load(Ty::I64, cell, 0);
    f.ret(&[n]);
    f.at = handler;
    let is = f.load(Ty::Ref, packet, 0);
    let interrupt = f.op(Op::RefImm(2 * Builtin::Interrupt as u64 + 1));
    let same = f.op(Op::RefEq(is, interrupt));
    let n = f.load(Ty::I64, kept, 0);
    let hundred = f.int(100);
    let r = f.bin(Binary::Mul, n, hundred);
    let r = f.add(r, same);
    f.ret(&[r]);
    let mut f = f.f;
    for b in [body, latch] {
        f[b].handler = Some(handler);
    }
    let mut p = program(vec![f]);
    leat_ssa::safepoint::run(&mut p);
    leat_ssa::verify::verify(&p, "test", true).unwrap_or_else(|e| panic!("{}", e[0]));
    for level in LEVELS {
        for (at, answer) in [(0, 9), (1, 1001), (2, 1001), (3, 1001), (17, 1001), (20, 1001), (21, 9)] {
            for stress in [false, true] {
                let mut m = Mock::new(8);
                let loaded = m.load(&p, &options(level, 8));
                m.set_stress(stress);
                m.interrupted_at = at;
                m.tcb.poll.store(1, std::sync::atomic::Ordering::Relaxed);
                assert_eq!(m.call_fn(&loaded, 0, [10, 0, 0, 0]), Ok(answer), "{level:?}, poll {at}, stress {stress}");
                assert_eq!(m.tcb.pending_exn, 0);
            }
        }
    }
}

#[test]
fn broken_programs_are_refused() {
    let (mut f, _) = Build::new("main", &[], &[Ty::Ref]);
    let nil = f.nil();
    let cell = f.alloc(0, &[], &[nil]);
    f.ret(&[cell]);
    let mut jit = leat_translate::Jit::new(&mock::symbols(), &options(Level::Speed, 8)).expect("a region");
    let error = jit.add(&program(vec![f.f])).expect_err("no heap check");
    assert!(error.0.contains("S11"), "{error}");
    let missing =
        leat_translate::Jit::new(&[], &options(Level::Speed, 8)).expect("a region").add(&program(vec![upto(0)]));
    assert!(missing.is_err());
    assert!(leat_translate::Jit::new(&[], &Options { align: 24, ..Options::default() }).is_err());
}

/// Later programs find the earlier ones' globals where they were, and share the jumps to the runtime.
#[test]
fn several_programs_in_one_region() {
    let store = |n: i64| {
        let (mut f, _) = Build::new("store", &[], &[Ty::I64]);
        let n = f.int(n);
        f.op(Op::GlobalStore(Global(0), n));
        let r = f.call(Callee::Prim(Prim::GcStat), &[n], &[Ty::I64])[0];
        f.ret(&[r]);
        let mut p = program(vec![f.f]);
        p.globals = vec![Ty::I64];
        p
    };
    let mut m = Mock::new(8);
    let mut jit = leat_translate::Jit::new(&mock::symbols(), &options(Level::Speed, 8)).expect("a region");
    for n in 1..=3 {
        let loaded = jit.add(&store(n)).expect("compiles");
        m.register(&loaded);
        assert_eq!(m.call(loaded.main, [0; 4]), Ok(2 * n as u64 + 1));
        let globals: Vec<u64> = (0..3).map(|i| unsafe { *loaded.globals.add(i) }).collect();
        assert_eq!(globals, (1..=3).map(|k| if k <= n as u64 { k } else { 0 }).collect::<Vec<_>>());
    }
}

/// Call sites know their lines, functions their names.
#[test]
fn sites_have_lines() {
    let p = program(vec![upto(0)]);
    let mut m = Mock::new(8);
    let mut p = p;
    leat_ssa::safepoint::run(&mut p);
    let loaded = m.load(&p, &options(Level::Speed, 8));
    let sites: Vec<_> =
        (0..loaded.table.site_slots).map(|i| unsafe { &*loaded.table.sites.add(i) }).filter(|s| s.ret != 0).collect();
    assert!(sites.iter().all(|s| s.line > 0), "{sites:?}");
    let mut places = Vec::new();
    loaded.table.each_place(sites[0], |function, file, _| places.push((function, file)));
    assert_eq!(places, [("upto", "test.sml")]);
}

/// An old array's store is logged when it puts in what may be young; a field's store once an object.
#[test]
fn barriers() {
    let (mut f, p) = Build::new("store", &[Ty::Ref, Ty::Ref, Ty::Ref], &[]);
    let two = f.int(2);
    f.op(Op::ElemStore { elem: Elem::Ref, array: p[0], index: two, value: p[1], barrier: true });
    f.op(Op::Store { obj: p[2], field: 1, value: p[1], barrier: true });
    f.ret(&[]);
    let mut m = Mock::new(8);
    let loaded = m.load(&program(vec![f.f]), &options(Level::Speed, 8));
    (m.tcb.young_base, m.tcb.young_half) = (m.tcb.alloc as u64, 1 << 20);
    let array = m.allocate(leat_abi::header::ref_array(4)) as u64;
    let object = m.record(0, &[7], &[1]);
    let unlog = |o: u64| unsafe { *((o - 8) as *mut u64) |= leat_abi::header::UNLOGGED };
    for (value, old, logged) in [(object, false, 0), (object, true, 2), (3, true, 1)] {
        m.logged = 0;
        if old {
            unlog(array);
            unlog(object);
        }
        assert!(m.call_fn(&loaded, 0, [array, value, object, 0]).is_ok());
        assert_eq!(unsafe { (*((array + 16) as *const u64), *((object + 8) as *const u64)) }, (value, value));
        assert_eq!(m.logged, logged, "{value:#x} {old}");
    }
}

/// Compiled by several threads, functions stand in the program's order, and their calls find each other.
#[test]
fn many_functions_in_parallel() {
    let n = 100;
    let funcs = (0..n).map(|i| {
        let (mut f, p) = Build::new(&format!("f{i}"), &[Ty::I64], &[Ty::I64]);
        let k = f.int(i);
        let x = f.add(p[0], k);
        let r = if i + 1 < n { f.call(Callee::Func(Func(i as u32 + 1)), &[x], &[Ty::I64])[0] } else { x };
        f.ret(&[r]);
        f.f
    });
    let p = program(funcs.collect());
    let mut m = Mock::new(8);
    let loaded = m.load(&p, &Options { threads: 4, ..options(Level::Speed, 8) });
    assert_eq!(m.call_fn(&loaded, 0, [1, 0, 0, 0]), Ok(1 + n as u64 * (n as u64 - 1) / 2));
}
