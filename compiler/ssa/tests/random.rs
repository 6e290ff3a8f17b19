//! Random programs: what the optimised one does must be what the plain one does; every pass must leave it verified.
//!
//! A structured generator of Ssa with fixed seeds: arithmetic with and without checks, records, cells, arrays with
//! bounds checks, branches, switches, nested loops that count up and down to constants and lengths, calls, handlers.

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_random::{Random, setting};
use leat_ssa::interp::{self, End};
use leat_ssa::ir::*;
use leat_ssa::ops::values;
use leat_ssa::passes::{self, Level, Verify};

struct Gen<'a> {
    rng: &'a mut Random,
    f: Function,
    cur: Block,
    ints: Vec<Value>,
    /// Arrays of ints.
    arrays: Vec<Value>,
    /// Cells of an int.
    cells: Vec<Value>,
    /// Records of two ints and a cell.
    records: Vec<Value>,
    /// Functions that may be called: (number, parameters).
    callees: Vec<(Func, usize)>,
    handler: Option<Block>,
    budget: i32,
}

const L: Loc = Loc { file: 0, column: 0, line: 0, at: 0, copy: 0 };

impl Gen<'_> {
    fn push(&mut self, op: Op) -> Value {
        self.f.push(self.cur, op, L)
    }

    fn int(&mut self) -> Value {
        if self.rng.below(4) == 0 || self.ints.is_empty() {
            let n = match self.rng.below(6) {
                0 => *self.rng.pick(&[i64::MIN, i64::MAX, -1, i64::MAX - 1]),
                _ => self.rng.below(12) as i64 - 3,
            };
            return self.push(Op::Iconst(n));
        }
        let recent = self.ints.len().min(8);
        let skip = if self.rng.below(3) == 0 { self.ints.len() } else { recent };
        let i = self.ints.len() - 1 - self.rng.below(skip);
        self.ints[i]
    }

    fn block(&mut self) -> Block {
        self.f.new_block()
    }

    fn end(&mut self, term: Term) {
        self.f[self.cur].term = term;
    }

    fn guard(&mut self, c: Value, b: Builtin) {
        match self.handler {
            None => {
                self.push(Op::Guard(c, b));
            }
            Some(h) => {
                let (raise, next) = (self.block(), self.block());
                let packet = self.f.push(raise, Op::ExnPacket(b), L);
                self.f[raise].term = Term::Jump(Target::new(h, [packet]));
                self.end(Term::Branch(c, Target::new(raise, []), Target::new(next, [])));
                self.cur = next;
            }
        }
    }

    fn ovf(&mut self, op: Ovf, a: Value, b: Value) -> Value {
        let inst = self.f.make(Op::Ovf(op, a, b), &[Ty::I64, Ty::I64], L);
        let (v, o) = (inst.results[0], inst.results[1]);
        let cur = self.cur;
        self.f[cur].insts.push(inst);
        self.guard(o, Builtin::Overflow);
        v
    }

    fn call(&mut self, callee: Callee, args: &[Value], results: &[Ty]) -> Vec<Value> {
        match self.handler {
            Some(h) if !matches!(callee, Callee::Prim(_)) => {
                let ok = self.block();
                let vs = results.iter().map(|&ty| self.f.add_param(ok, ty)).collect();
                self.end(Term::Invoke {
                    callee,
                    args: values(args),
                    ok: Target::new(ok, []),
                    handler: Target::new(h, []),
                });
                self.cur = ok;
                vs
            }
            _ => {
                let inst = self.f.make(Op::Call(callee, values(args)), results, L);
                let vs = inst.results.to_vec();
                let cur = self.cur;
                self.f[cur].insts.push(inst);
                vs
            }
        }
    }

    fn print(&mut self, v: Value) {
        let s = self.call(Callee::Prim(Prim::IntToString), &[v], &[Ty::Ref])[0];
        self.call(Callee::Prim(Prim::Print), &[s], &[]);
        let nl = self.push(Op::Data(Data(0)));
        self.call(Callee::Prim(Prim::Print), &[nl], &[]);
    }

    fn cond(&mut self) -> Value {
        let (a, b) = (self.int(), self.int());
        let c = *self.rng.pick(&[
            Cond::Eq,
            Cond::Ne,
            Cond::Lt,
            Cond::Le,
            Cond::Gt,
            Cond::Ge,
            Cond::ULt,
            Cond::UGe,
            Cond::ULe,
        ]);
        self.push(Op::Cmp(c, a, b))
    }

    fn body(&mut self, depth: u32) {
        for _ in 0..1 + self.rng.below(5) {
            self.budget -= 1;
            if self.budget < 0 {
                return;
            }
            self.statement(depth);
        }
    }

    /// What is defined inside a part is not known after it.
    fn scoped(&mut self, part: impl FnOnce(&mut Self)) {
        let marks = (self.ints.len(), self.arrays.len(), self.cells.len(), self.records.len());
        part(self);
        self.ints.truncate(marks.0);
        self.arrays.truncate(marks.1);
        self.cells.truncate(marks.2);
        self.records.truncate(marks.3);
    }

    fn statement(&mut self, depth: u32) {
        match self.rng.below(21) {
            20 => {
                // The divisor is never 0, nor -1.
                let (a, b) = (self.int(), self.int());
                let by = match self.rng.below(3) {
                    0 => {
                        let n = *self.rng.pick(&[-100, -8, -3, 1, 2, 3, 8, 100, i64::MAX, i64::MIN]);
                        self.push(Op::Iconst(n))
                    }
                    1 => {
                        let (mask, one) = (self.push(Op::Iconst(255)), self.push(Op::Iconst(1)));
                        let low = self.push(Op::Binary(Binary::And, b, mask));
                        self.push(Op::Binary(Binary::Add, low, one))
                    }
                    _ => {
                        let (mask, high) = (self.push(Op::Iconst(254)), self.push(Op::Iconst(-256)));
                        let low = self.push(Op::Binary(Binary::And, b, mask));
                        self.push(Op::Binary(Binary::Or, low, high))
                    }
                };
                let op = *self.rng.pick(&[Binary::Div, Binary::Mod, Binary::SDiv, Binary::SRem]);
                let v = self.push(Op::Binary(op, a, by));
                self.ints.push(v);
            }
            0 | 1 => {
                let (a, b) = (self.int(), self.int());
                let op = *self.rng.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::And, Binary::Or, Binary::Xor]);
                let v = self.push(Op::Binary(op, a, b));
                self.ints.push(v);
            }
            2 => {
                let (a, mask) = (self.int(), *self.rng.pick(&[1i64, 7, 63]));
                let mask = self.push(Op::Iconst(mask));
                let n = self.push(Op::Binary(Binary::And, a, mask));
                let b = self.int();
                let op = *self.rng.pick(&[Binary::Shl, Binary::Shr, Binary::Sar]);
                let v = self.push(Op::Binary(op, b, n));
                self.ints.extend([n, v]);
            }
            3 | 4 => {
                let (a, b) = (self.int(), self.int());
                let op = *self.rng.pick(&[Ovf::Add, Ovf::Sub, Ovf::Add, Ovf::Sub, Ovf::Mul]);
                let v = self.ovf(op, a, b);
                self.ints.push(v);
            }
            5 => {
                let c = self.cond();
                let (a, b) = (self.int(), self.int());
                let v = self.push(Op::Select(c, a, b));
                self.ints.extend([v, c]);
            }
            6 => {
                let v = self.int();
                self.print(v);
            }
            7 => {
                let v = self.int();
                let cell = self.push(Op::Alloc { tag: 0, raws: values(&[v]), refs: values(&[]) });
                self.cells.push(cell);
            }
            8 if !self.cells.is_empty() => {
                let (obj, value) = (*self.rng.pick(&self.cells), self.int());
                self.push(Op::Store { obj, field: 0, value, barrier: false });
            }
            9 if !self.cells.is_empty() => {
                let obj = *self.rng.pick(&self.cells);
                let v = self.push(Op::Load { ty: Ty::I64, obj, field: 0, mutable: true });
                self.ints.push(v);
            }
            10 if !self.cells.is_empty() => {
                let (a, b, cell) = (self.int(), self.int(), *self.rng.pick(&self.cells));
                let r = self.push(Op::Alloc { tag: 1, raws: values(&[a, b]), refs: values(&[cell]) });
                self.records.push(r);
            }
            11 if !self.records.is_empty() => {
                let obj = *self.rng.pick(&self.records);
                let field = self.rng.below(2) as u32;
                let v = self.push(Op::Load { ty: Ty::I64, obj, field, mutable: false });
                let cell = self.push(Op::Load { ty: Ty::Ref, obj, field: 2, mutable: false });
                self.ints.push(v);
                self.cells.push(cell);
            }
            12 => {
                let n = self.push(Op::Iconst(5));
                let init = self.int();
                let shape = self.push(Op::Iconst(leat_ssa::repr::array_shape(Elem::I64)));
                let a = self.call(Callee::Prim(Prim::ArrayNew), &[n, init, shape], &[Ty::Ref])[0];
                self.arrays.push(a);
            }
            13 if !self.arrays.is_empty() => {
                let (array, index) = (*self.rng.pick(&self.arrays), self.int());
                self.access(array, index);
            }
            14 | 15 if depth > 0 => self.branch(depth),
            16 | 17 if depth > 0 => self.counted(depth),
            18 if !self.callees.is_empty() => {
                let (func, count) = *self.rng.pick(&self.callees.clone());
                let args: Vec<Value> = (0..count).map(|_| self.int()).collect();
                let v = self.call(Callee::Func(func), &args, &[Ty::I64]);
                self.ints.extend(v);
            }
            19 if depth > 0 && self.handler.is_none() => {
                let (catch, done, start) = (self.block(), self.block(), self.block());
                self.f.add_param(catch, Ty::Ref);
                let result = self.f.add_param(done, Ty::I64);
                self.end(Term::Jump(Target::new(start, [])));
                self.scoped(|g| {
                    g.cur = start;
                    g.handler = Some(catch);
                    g.body(depth - 1);
                    let v = g.int();
                    g.end(Term::Jump(Target::new(done, [v])));
                    g.handler = None;
                });
                self.scoped(|g| {
                    g.cur = catch;
                    g.body(depth - 1);
                    let v = g.int();
                    g.end(Term::Jump(Target::new(done, [v])));
                });
                self.cur = done;
                self.ints.push(result);
            }
            _ => {
                let c = self.cond();
                self.ints.push(c);
            }
        }
    }

    fn access(&mut self, array: Value, index: Value) {
        let length = self.push(Op::Length(array));
        let bad = self.push(Op::Cmp(Cond::UGe, index, length));
        self.guard(bad, Builtin::Subscript);
        if self.rng.below(2) == 0 {
            let v = self.push(Op::ElemLoad { elem: Elem::I64, array, index, mutable: true });
            self.ints.push(v);
        } else {
            let value = self.int();
            self.push(Op::ElemStore { elem: Elem::I64, array, index, value, barrier: false });
        }
    }

    fn branch(&mut self, depth: u32) {
        let join = self.block();
        let result = self.f.add_param(join, Ty::I64);
        let ways = 2 + self.rng.below(2);
        let blocks: Vec<Block> = (0..ways).map(|_| self.block()).collect();
        let to = |b: Block| Target::new(b, []);
        if ways == 2 {
            let c = if self.rng.below(3) == 0 { self.int() } else { self.cond() };
            self.end(Term::Branch(c, to(blocks[0]), to(blocks[1])));
        } else {
            let v = self.int();
            let n = self.rng.below(5) as i64;
            self.end(Term::Switch(v, vec![(n, to(blocks[0])), (n + 1, to(blocks[1]))], to(blocks[2])));
        }
        for b in blocks {
            self.scoped(|g| {
                g.cur = b;
                g.body(depth - 1);
                let v = g.int();
                g.end(Term::Jump(Target::new(join, [v])));
            });
        }
        self.cur = join;
        self.ints.push(result);
    }

    /// A loop over an index that goes up or down, as a function would: tested at the top, the bound a constant, a
    /// masked value or a length; often with accesses to an array.
    fn counted(&mut self, depth: u32) {
        let array = if self.arrays.is_empty() { None } else { Some(*self.rng.pick(&self.arrays)) };
        let limit = match (array, self.rng.below(3)) {
            (Some(a), 0 | 1) => self.push(Op::Length(a)),
            (_, 2) => {
                let (x, seven) = (self.int(), self.push(Op::Iconst(7)));
                self.push(Op::Binary(Binary::And, x, seven))
            }
            _ => {
                let n = self.rng.below(7) as i64;
                self.push(Op::Iconst(n))
            }
        };
        let down = self.rng.below(2) == 0;
        let one = self.push(Op::Iconst(1));
        let zero = self.push(Op::Iconst(0));
        let start = match (down, self.rng.below(3)) {
            (true, 0) => limit,
            (true, _) => self.ovf(Ovf::Sub, limit, one),
            (false, 0) => self.int_small(),
            (false, _) => zero,
        };
        let (header, body, exit) = (self.block(), self.block(), self.block());
        let i = self.f.add_param(header, Ty::I64);
        let acc = self.f.add_param(header, Ty::I64);
        // A second counter keeps every loop finite.
        let fuel = self.f.add_param(header, Ty::I64);
        let (first, twelve) = (self.int(), self.push(Op::Iconst(12)));
        self.end(Term::Jump(Target::new(header, [start, first, twelve])));
        self.cur = header;
        let in_header = self.rng.below(3) == 0;
        let done = match (down, self.rng.below(3)) {
            (true, 0) => self.push(Op::Cmp(Cond::Lt, i, zero)),
            (true, 1) => {
                let minus_one = self.push(Op::Iconst(-1));
                self.push(Op::Cmp(Cond::Eq, i, minus_one))
            }
            (true, _) => self.push(Op::Cmp(Cond::Eq, i, zero)),
            (false, 0) => self.push(Op::Cmp(Cond::Eq, i, limit)),
            (false, _) => self.push(Op::Cmp(Cond::Ge, i, limit)),
        };
        let empty = self.push(Op::Cmp(Cond::Eq, fuel, zero));
        let stop = self.push(Op::Binary(Binary::Or, done, empty));
        if in_header {
            // An exit that is no plain comparison of the index.
            self.end(Term::Branch(stop, Target::new(exit, []), Target::new(body, [])));
            self.cur = body;
        } else {
            let next = self.block();
            self.end(Term::Branch(done, Target::new(exit, []), Target::new(next, [])));
            self.cur = next;
            self.end(Term::Branch(empty, Target::new(exit, []), Target::new(body, [])));
            self.cur = body;
        }
        self.scoped(|g| {
            g.ints.extend([acc, i]);
            if let Some(a) = array {
                let index = if g.rng.below(3) == 0 { g.ovf(Ovf::Sub, i, one) } else { i };
                g.access(a, index);
            }
            g.body(depth - 1);
            let v = g.int();
            let next = g.ovf(if down { Ovf::Sub } else { Ovf::Add }, i, one);
            let less = g.push(Op::Binary(Binary::Sub, fuel, one));
            g.end(Term::Jump(Target::new(header, [next, v, less])));
        });
        self.cur = exit;
        self.ints.extend([acc, i]);
    }

    fn int_small(&mut self) -> Value {
        let n = self.rng.below(6) as i64 - 2;
        self.push(Op::Iconst(n))
    }
}

fn function(rng: &mut Random, name: &str, params: usize, callees: &[(Func, usize)], results: Vec<Ty>) -> Function {
    let f = Function::new(name.into(), results.clone());
    let mut g = Gen {
        rng,
        cur: f.entry,
        f,
        ints: Vec::new(),
        arrays: Vec::new(),
        cells: Vec::new(),
        records: Vec::new(),
        callees: callees.to_vec(),
        handler: None,
        budget: 60,
    };
    for _ in 0..params {
        let entry = g.cur;
        let v = g.f.add_param(entry, Ty::I64);
        g.ints.push(v);
    }
    for _ in 0..4 {
        g.body(3);
    }
    let vs: Values = results.iter().map(|_| g.int()).collect();
    g.end(Term::Return(vs));
    leat_ssa::cfg::renumber_blocks(&mut g.f);
    g.f
}

fn program(seed: u64) -> Program {
    let mut rng = Random::new(seed);
    for _ in 0..4 {}
    let mut p = Program { datas: vec![StaticData::bytes(b"\n")], main: Some(Func(0)), ..Program::default() };
    p.funcs.push(Function::new("main".into(), Vec::new()));
    let mut callees: Vec<(Func, usize)> = Vec::new();
    for i in 1..4 {
        let params = rng.below(3) + 1;
        let f = function(&mut rng, &format!("f{i}"), params, &callees, vec![Ty::I64]);
        p.funcs.push(f);
        callees.push((Func(i), params));
    }
    p.funcs[0] = function(&mut rng, "main", 0, &callees, Vec::new());
    p
}

const STEPS: u64 = 300_000;

#[test]
fn optimised_programs_do_the_same() {
    let count: u64 = setting("LEAT_RANDOM", 300);
    let first: u64 = setting("SEED", 1);
    let (mut before, mut after) = (0, 0);
    for seed in first..first + count {
        let plain = program(seed);
        let text = leat_ssa::print::program(&plain);
        let expected = interp::run(&plain, Func(0), &[], STEPS);
        assert!(
            !matches!(expected.end, End::Trap(_)),
            "seed {seed}: the generator is wrong: {:?}\n{text}",
            expected.end
        );
        if expected.end == End::Steps {
            continue;
        }
        // Each prefix of the pipeline is compared, so that the pass is known.
        let mut p = plain.clone();
        let mut wrong: Option<String> = None;
        let result = passes::run(
            &mut p,
            Level::Full,
            Verify::Each,
            Some(&mut |pass, p| {
                if wrong.is_some() {
                    return;
                }
                let run = interp::run(p, p.main.unwrap_or(Func(0)), &[], STEPS * 2);
                if (&run.end, &run.output) != (&expected.end, &expected.output) {
                    wrong = Some(format!(
                        "seed {seed}: after {pass}: {:?} {:?}, not {:?} {:?}\n{}",
                        run.end,
                        run.output,
                        expected.end,
                        expected.output,
                        leat_ssa::print::program(p)
                    ));
                }
            }),
            &mut |_, _| {},
        );
        if let Err(errors) = result {
            let errors: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
            panic!("seed {seed}: {}\n{}\nfrom\n{text}", errors.join("\n"), leat_ssa::print::program(&p));
        }
        if let Some(message) = wrong {
            panic!("{message}\nfrom\n{text}");
        }
        // Function by function, which nobody looks at, gives the same as pass by pass.
        let mut unseen = plain.clone();
        passes::run(&mut unseen, Level::Full, Verify::Off, None, &mut |_, _| {}).expect("nothing is verified");
        assert_eq!(leat_ssa::print::program(&unseen), leat_ssa::print::program(&p), "seed {seed}");
        let run = interp::run(&p, p.main.unwrap_or(Func(0)), &[], STEPS * 2);
        before += expected.steps;
        after += run.steps;
    }
    println!("steps before {before}, after {after}");
    assert!(after < before);
}

/// How long each pass takes: `cargo test --release -p leat-ssa --test random speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut p = Program { datas: vec![StaticData::bytes(b"\n")], main: Some(Func(0)), ..Program::default() };
    p.funcs.push(Function::new("main".into(), Vec::new()));
    let mut rng = Random::new(12345);
    for i in 1..2000u32 {
        let callees: Vec<(Func, usize)> =
            if i > 2 { vec![(Func(i - 1), 2), (Func(i / 2).max(Func(1)), 2)] } else { Vec::new() };
        let f = function(&mut rng, "f", 2, &callees, vec![Ty::I64]);
        p.funcs.push(f);
    }
    // All are reached.
    p.datas.push(StaticData::Record {
        tag: 0,
        raws: (1..2000).map(|i| RawInit::Code(Func(i))).collect(),
        refs: Vec::new(),
    });
    let mut main = Function::new("main".into(), Vec::new());
    let entry = main.entry;
    let all = main.push(entry, Op::Data(Data(1)), L);
    let print = main.make(Op::Call(Callee::Prim(Prim::Print), values(&[all])), &[], L);
    main[entry].insts.push(print);
    main[entry].term = Term::Return(Values::new());
    p.funcs[0] = main;
    for f in &mut p.funcs[1..] {
        f.is_closure = true;
    }
    let size = |p: &Program| -> usize { p.funcs.iter().flat_map(|f| &f.blocks).map(|b| b.insts.len() + 1).sum() };
    let mut before = size(&p);
    // Nanoseconds on a processor: others may be busy on this machine.
    let cpu = || -> f64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0)
    };
    let (mut start, mut total) = (0.0, 0.0);
    for f in &mut p.funcs[1..] {
        let closure = f.new_value(Ty::Ref);
        let entry = f.entry;
        f[entry].params.insert(0, closure);
    }
    for inst in p.funcs.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts) {
        if let Op::Data(d) = &mut inst.op {
            d.0 = 1;
        }
    }
    let _ = passes::run(
        &mut p,
        Level::Full,
        Verify::Off,
        Some(&mut |pass, p| {
            let took = cpu() - start;
            total += took;
            let n = size(p);
            let per = took / before as f64;
            println!(
                "{pass:12} {:8.2} ms {n:7} insts {:4} functions, {per:5.0} ns each: {:6.0}k functions of 30 a second",
                took / 1e6,
                p.funcs.len(),
                1e6 / per / 30.0
            );
            before = n;
            start = cpu();
        }),
        &mut |_, _| {},
    );
    println!("total {:.1} ms", total / 1e6);
}
