//! Random programs full of references, calls, handlers, loops and slow paths answer the same whether the collector
//! never runs or moves everything at every chance, and at both levels. What goes wrong here is a stale reference: a
//! missing slot, a version used behind a safepoint, a slot shared too early.
//!
//! `LEAT_CASES=100000 SEED=7` runs more.

// What is run is what the test has just compiled; a word of it is looked at where the test says it is.
#![allow(clippy::undocumented_unsafe_blocks)]

mod mock {
    pub mod build;
    mod runtime;
    pub use runtime::*;
}

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_random::{Random, setting};
use leat_ssa::ir::*;
use leat_translate::{Level, Options};
use mock::Mock;
use mock::build::{Build, program, target};

/// Every reference is a record of one int and two references; the first ones are static and refer to themselves.
struct Body<'a> {
    b: Build,
    r: &'a mut Random,
    ints: Vec<Value>,
    refs: Vec<Value>,
    me: usize,
    functions: usize,
    calls: usize,
    loops: usize,
    budget: usize,
}

const PARAMS: [Ty; 4] = [Ty::I64, Ty::Ref, Ty::Ref, Ty::I64];
const RESULTS: [Ty; 2] = [Ty::I64, Ty::Ref];

impl Body<'_> {
    fn int(&mut self) -> Value {
        // Often the last ones, else old ones: both near and far uses.
        let n = self.ints.len();
        if self.r.below(2) == 0 { self.ints[n - 1 - self.r.below(n.min(4))] } else { *self.r.pick(&self.ints) }
    }

    fn reference(&mut self) -> Value {
        let n = self.refs.len();
        if self.r.below(2) == 0 { self.refs[n - 1 - self.r.below(n.min(4))] } else { *self.r.pick(&self.refs) }
    }

    /// A condition that is not always the same.
    fn condition(&mut self) -> Value {
        let x = self.int();
        let mask = self.b.int(1 << self.r.below(4));
        let x = self.b.bin(Binary::And, x, mask);
        let zero = self.b.int(0);
        self.b.cmp(if self.r.below(2) == 0 { Cond::Eq } else { Cond::Ne }, x, zero)
    }

    fn alloc(&mut self) -> Value {
        let (n, x, y) = (self.int(), self.reference(), self.reference());
        self.b.alloc(1, &[n], &[x, y])
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.r.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.r.below(20) {
            0 | 1 => {
                let (x, y) = (self.int(), self.int());
                let op = *self.r.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Xor]);
                let v = self.b.bin(op, x, y);
                self.ints.push(v);
            }
            2..=4 => {
                let v = self.alloc();
                self.refs.push(v);
            }
            5 | 6 => {
                let o = self.reference();
                let v = self.b.op(Op::Load { ty: Ty::I64, obj: o, field: 0, mutable: true });
                self.ints.push(v);
            }
            7 | 8 => {
                let o = self.reference();
                let field = 1 + self.r.below(2) as u32;
                let v = self.b.op(Op::Load { ty: Ty::Ref, obj: o, field, mutable: true });
                self.refs.push(v);
            }
            9 => {
                let obj = self.alloc();
                let value = self.reference();
                self.b.op(Op::Store { obj, field: 1 + self.r.below(2) as u32, value, barrier: true });
                self.refs.push(obj);
            }
            10 => {
                let (c, x, y) = (self.condition(), self.reference(), self.reference());
                let v = self.b.op(Op::Select(c, x, y));
                self.refs.push(v);
            }
            11 => {
                if self.r.below(2) == 0 {
                    self.b.op(Op::Poll);
                } else {
                    self.b.op(Op::Atomic(1));
                    self.b.op(Op::Atomic(-1));
                }
            }
            12 => {
                let n = self.int();
                let v = self.b.call(Callee::Prim(Prim::GcStat), &[n], &[Ty::I64])[0];
                self.ints.push(v);
            }
            13 | 14 if self.calls > 0 => self.call(),
            15 if depth > 0 => self.handler(depth),
            16 | 17 if depth > 0 => self.choice(depth),
            18 if depth > 0 && self.loops > 0 => self.repeat(depth),
            19 => {
                let g = Global(0);
                if self.r.below(2) == 0 {
                    let x = self.reference();
                    self.b.op(Op::GlobalStore(g, x));
                } else {
                    let v = self.b.ops(Op::GlobalLoad(g), &[Ty::Ref])[0];
                    self.refs.push(v);
                }
            }
            _ => {
                let c = self.condition();
                let raise = self.r.below(12) == 0;
                if raise {
                    let (no, go) = (self.b.block(), self.b.block());
                    self.b.cold(no);
                    self.b.branch(c, (no, &[]), (go, &[]));
                    self.b.at = no;
                    self.b.end(Term::RaiseBuiltin(Builtin::Empty));
                    self.b.at = go;
                }
            }
        }
    }

    /// A function further on, so that calls end.
    fn callee(&mut self) -> Option<(Callee, Vec<Value>)> {
        if self.me + 1 >= self.functions || self.calls == 0 {
            return None;
        }
        self.calls -= 1;
        let f = Func((self.me + 1 + self.r.below(self.functions - self.me - 1)) as u32);
        if self.r.below(3) == 0 {
            let code = self.b.op(Op::FuncAddr(Func(f.0 + self.functions as u32)));
            let (n, x) = (self.int(), self.reference());
            let closure = self.b.alloc(0, &[code, n], &[x]);
            let args = vec![self.int(), self.reference()];
            return Some((Callee::Closure(closure), args));
        }
        let args = vec![self.int(), self.reference(), self.reference(), self.int()];
        Some((Callee::Func(f), args))
    }

    fn call(&mut self) {
        let Some((callee, args)) = self.callee() else { return };
        let r = self.b.call(callee, &args, &RESULTS);
        self.ints.push(r[0]);
        self.refs.push(r[1]);
    }

    fn handler(&mut self, depth: usize) {
        let (ok, bad, join) = (self.b.block(), self.b.block(), self.b.block());
        let (n, x) = (self.b.param(join, Ty::I64), self.b.param(join, Ty::Ref));
        let (pass, pass2) = (self.reference(), self.reference());
        let call = self.callee();
        let results: Vec<Value> = match &call {
            Some(_) => RESULTS.iter().map(|&t| self.b.param(ok, t)).collect(),
            None => Vec::new(),
        };
        let kept = self.b.param(ok, Ty::Ref);
        let packet = self.b.param(bad, Ty::Ref);
        let kept2 = self.b.param(bad, Ty::Ref);
        let (callee, args) = call.unwrap_or_else(|| {
            // Raises now and then.
            let number = self.int();
            let mask = self.b.int(31);
            let number = self.b.bin(Binary::And, number, mask);
            (Callee::Prim(Prim::ThreadSleepUntil), vec![number])
        });
        self.b.end(Term::Invoke {
            callee,
            args: args[..].into(),
            ok: target(ok, &[pass]),
            handler: target(bad, &[pass2]),
        });
        let (ints, refs) = (self.ints.len(), self.refs.len());

        self.b.at = ok;
        self.refs.push(kept);
        if let [a, b] = results[..] {
            self.ints.push(a);
            self.refs.push(b);
        }
        self.statements(depth - 1);
        let (a, b) = (self.int(), self.reference());
        self.b.jump(join, &[a, b]);
        self.ints.truncate(ints);
        self.refs.truncate(refs);

        self.b.at = bad;
        if self.r.below(2) == 0 {
            self.b.cold(bad);
        }
        let desc = self.b.load(Ty::Ref, packet, 0);
        let number = self.b.op(Op::ImmValue(desc));
        self.ints.push(number);
        self.refs.push(kept2);
        self.statements(depth - 1);
        let (a, b) = (self.int(), self.reference());
        self.b.jump(join, &[a, b]);
        self.ints.truncate(ints);
        self.refs.truncate(refs);

        self.b.at = join;
        self.ints.push(n);
        self.refs.push(x);
    }

    fn choice(&mut self, depth: usize) {
        let join = self.b.block();
        let (n, x) = (self.b.param(join, Ty::I64), self.b.param(join, Ty::Ref));
        let ways = 2 + self.r.below(3);
        let blocks: Vec<Block> = (0..ways).map(|_| self.b.block()).collect();
        if ways == 2 {
            let c = self.condition();
            self.b.branch(c, (blocks[0], &[]), (blocks[1], &[]));
        } else {
            let v = self.int();
            let mask = self.b.int(3);
            let v = self.b.bin(Binary::And, v, mask);
            let cases = blocks[1..].iter().zip(0..).map(|(&b, n)| (n, target(b, &[]))).collect();
            self.b.end(Term::Switch(v, cases, target(blocks[0], &[])));
        }
        let (ints, refs) = (self.ints.len(), self.refs.len());
        for block in blocks {
            self.b.at = block;
            if self.r.below(4) == 0 {
                self.b.cold(block);
            }
            self.statements(depth - 1);
            let (a, b) = (self.int(), self.reference());
            self.b.jump(join, &[a, b]);
            self.ints.truncate(ints);
            self.refs.truncate(refs);
        }
        self.b.at = join;
        self.ints.push(n);
        self.refs.push(x);
    }

    fn repeat(&mut self, depth: usize) {
        self.loops -= 1;
        let (head, out) = (self.b.block(), self.b.block());
        let (i, n, x) = (self.b.param(head, Ty::I64), self.b.param(head, Ty::I64), self.b.param(head, Ty::Ref));
        let times = self.b.int(1 + self.r.below(3) as i64);
        let (a, b) = (self.int(), self.reference());
        self.b.jump(head, &[times, a, b]);
        let (ints, refs) = (self.ints.len(), self.refs.len());
        self.b.at = head;
        self.ints.push(n);
        self.refs.push(x);
        self.statements(depth - 1);
        let (a, b) = (self.int(), self.reference());
        let one = self.b.int(1);
        let i2 = self.b.bin(Binary::Sub, i, one);
        let zero = self.b.int(0);
        let c = self.b.cmp(Cond::Gt, i2, zero);
        let (ro, rx) = (self.b.param(out, Ty::I64), self.b.param(out, Ty::Ref));
        self.b.branch(c, (head, &[i2, a, b]), (out, &[a, b]));
        self.ints.truncate(ints);
        self.refs.truncate(refs);
        self.b.at = out;
        self.ints.push(ro);
        self.refs.push(rx);
    }
}

fn generate(r: &mut Random) -> Program {
    let functions = 2 + r.below(4);
    let mut funcs = Vec::new();
    for me in 0..functions {
        let (b, p) = Build::new(&format!("f{me}"), &PARAMS, &RESULTS);
        let budget = 12 + r.below(40);
        let mut body =
            Body { b, r, ints: vec![p[0], p[3]], refs: vec![p[1], p[2]], me, functions, calls: 2, loops: 2, budget };
        let fixed = body.b.op(Op::Data(Data(0)));
        body.refs.push(fixed);
        body.statements(3);
        // The answer depends on much of what is live.
        let mut sum = body.int();
        for _ in 0..6 {
            let o = body.reference();
            let n = body.b.op(Op::Load { ty: Ty::I64, obj: o, field: 0, mutable: true });
            let three = body.b.int(3);
            sum = body.b.bin(Binary::Mul, sum, three);
            sum = body.b.bin(Binary::Xor, sum, n);
        }
        let last = body.reference();
        if me + 1 < functions && body.r.below(4) == 0 {
            let f = Func((me + 1) as u32);
            let other = body.reference();
            body.b.end(Term::TailCall(Callee::Func(f), [sum, last, other, sum][..].into()));
        } else {
            body.b.ret(&[sum, last]);
        }
        funcs.push(body.b.f);
    }
    // For each a closure that holds an int and a reference, and calls or tail calls it.
    for k in 0..functions {
        let (mut b, p) = Build::new(&format!("closure{k}"), &[Ty::Ref, Ty::I64, Ty::Ref], &RESULTS);
        b.f.is_closure = true;
        let (n, x) = (b.load(Ty::I64, p[0], 1), b.load(Ty::Ref, p[0], 2));
        let callee = Callee::Func(Func(k as u32));
        if r.below(2) == 0 {
            b.end(Term::TailCall(callee, [p[1], x, p[2], n][..].into()));
        } else {
            let results = b.call(callee, &[p[1], x, p[2], n], &RESULTS);
            let m = b.load(Ty::I64, x, 0);
            let m = b.add(m, results[0]);
            b.ret(&[m, results[1]]);
        }
        funcs.push(b.f);
    }
    let mut p = program(funcs);
    p.main = None;
    p.globals = vec![Ty::Ref];
    p.datas = (0..2)
        .map(|i| StaticData::Record {
            tag: 1,
            raws: vec![RawInit::Int(11 + i)],
            refs: vec![RefInit::Data(Data(1)), RefInit::Data(Data(0))],
        })
        .collect();
    leat_ssa::safepoint::run(&mut p);
    p
}

#[test]
fn collections_change_nothing() {
    let (first, cases) = (setting("SEED", 1), setting("LEAT_CASES", 400));
    let mut mock = Mock::new(8);
    let (mut collections, mut raised) = (0, 0);
    for seed in first..first + cases {
        let mut r = Random::new(seed);
        let p = generate(&mut r);
        let verified = leat_ssa::verify::verify(&p, "random", true);
        assert!(verified.is_ok(), "seed {seed}: {verified:?}\n{}", leat_ssa::print::program(&p));
        let mut answers = Vec::new();
        for level in [Level::Speed, Level::Fast] {
            mock.forget();
            let options = Options { level, verify: seed % 8 == 0, threads: 1, ..Options::default() };
            let loaded = mock.load(&p, &options);
            for stress in [false, true] {
                let a = mock.record(1, &[5], &[1, 1]);
                let start = [a, a];
                unsafe {
                    *((a + 8) as *mut u64) = a;
                    *((a + 16) as *mut u64) = a;
                    *loaded.globals = a;
                }
                mock.set_stress(stress);
                mock.tcb.poll.store(stress as u64, std::sync::atomic::Ordering::Relaxed);
                let before = mock.collections;
                answers.push((level, stress, mock.call_fn(&loaded, 0, [seed, start[0], start[1], seed >> 3])));
                collections += mock.collections - before;
            }
        }
        let same = answers.iter().all(|a| a.2 == answers[0].2);
        raised += answers[0].2.is_err() as u64;
        assert!(same, "seed {seed}: {answers:?}\n{}", leat_ssa::print::program(&p));
    }
    println!("{collections} collections, {raised} of {cases} ended in an exception");
}
