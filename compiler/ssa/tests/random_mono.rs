//! Random Mono programs: what Mono's interpreter does, the translation must do, plain and optimised.
//!
//! Nested and mutually recursive functions that capture, escape, are called known and unknown, in tail position and
//! not, inside handlers and outside; top-level variables; closures in tuples and cells. Each call has less fuel than
//! its caller, so every program ends.

use leat_abi::prim::Prim;
use leat_base::Symbol;
use leat_mono::ir::*;
use leat_random::{Random, setting};
use leat_ssa::interp::{self, End};
use leat_ssa::passes::{self, Level, Verify};

struct Gen {
    p: Program,
    random: Random,
    int: Ty,
    bool: Ty,
    exn: Ty,
    desc: Ty,
    cell: Ty,
    /// (fuel, x) -> int
    f: Ty,
    /// (f, fuel, x) -> int
    h: Ty,
    /// f * int
    pair: Ty,
    /// int -> f
    maker: Ty,
    budget: i32,
}

/// What a body can use.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<Atom>,
    /// Known functions and values of type `f`.
    fs: Vec<Var>,
    hs: Vec<Var>,
    makers: Vec<Var>,
    cells: Vec<Var>,
    pairs: Vec<Var>,
    descs: Vec<Var>,
    fuel: Option<Atom>,
}

fn val(vars: &[Var], rhs: Rhs) -> Bind {
    Bind::Val { vars: vars.to_vec(), rhs, loc: Loc::default() }
}

impl Gen {
    fn new(seed: u64) -> Gen {
        let mut p = Program::default();
        let t = &mut p.types;
        t.datatypes.push(Datatype {
            name: "bool".into(),
            cons: ["false", "true"].map(|n| Con { name: Symbol::intern(n), fields: vec![] }).to_vec(),
        });
        let int = t.intern(TyData::Scalar(Scalar::Int));
        let bool = t.intern(TyData::Data(BOOL));
        let exn = t.intern(TyData::Scalar(Scalar::Exn));
        let unit = t.intern(TyData::Tuple(vec![]));
        let desc = t.intern(TyData::Ref(unit));
        let cell = t.intern(TyData::Ref(int));
        let f = t.intern(TyData::Arrow(vec![int, int], vec![int]));
        let h = t.intern(TyData::Arrow(vec![f, int, int], vec![int]));
        let pair = t.intern(TyData::Tuple(vec![f, int]));
        let maker = t.intern(TyData::Arrow(vec![int], vec![f]));
        p.desc_ty = Some(desc);
        p.strings.push(b"\n".to_vec().into());
        let random = Random::new(seed);
        Gen { p, random, int, bool, exn, desc, cell, f, h, pair, maker, budget: 260 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *self.random.pick(items)
    }

    fn v(&mut self, name: &str, ty: Ty) -> Var {
        self.p.new_var(Symbol::intern(name), ty)
    }

    fn int(&mut self, s: &Scope) -> Atom {
        if s.ints.is_empty() || self.below(4) == 0 {
            return Atom::Int(self.below(9) as i64 - 2);
        }
        let recent = s.ints.len().min(5);
        let from = if self.below(2) == 0 { s.ints.len() - recent } else { 0 };
        let i = from + self.below(s.ints.len() - from);
        s.ints[i]
    }

    fn less_fuel(&mut self, s: &Scope, binds: &mut Vec<Bind>) -> Atom {
        match s.fuel {
            None => Atom::Int(5),
            Some(fuel) => {
                let less = self.v("less", self.int);
                binds.push(val(&[less], Rhs::Prim { prim: Prim::IntSub, tys: vec![], args: vec![fuel, Atom::Int(1)] }));
                Atom::Var(less)
            }
        }
    }

    /// A call that gives an int.
    fn call(&mut self, s: &Scope, binds: &mut Vec<Bind>) -> Option<Rhs> {
        let fuel = self.less_fuel(s, binds);
        let x = self.int(s);
        if !s.hs.is_empty() && !s.fs.is_empty() && self.below(3) == 0 {
            let (h, f) = (self.pick(&s.hs), self.pick(&s.fs));
            return Some(Rhs::App { f: Atom::Var(h), args: vec![Atom::Var(f), fuel, x] });
        }
        if s.fs.is_empty() {
            return None;
        }
        let recent = if self.below(2) == 0 { s.fs.len().min(2) } else { s.fs.len() };
        let i = s.fs.len() - 1 - self.below(recent);
        Some(Rhs::App { f: Atom::Var(s.fs[i]), args: vec![fuel, x] })
    }

    fn cond(&mut self, s: &Scope, binds: &mut Vec<Bind>) -> Var {
        let c = self.v("c", self.bool);
        let args = vec![self.int(s), self.int(s)];
        let prim = self.pick(&[Prim::IntLt, Prim::IntLe, Prim::IntEq, Prim::IntGt]);
        binds.push(val(&[c], Rhs::Prim { prim, tys: vec![], args }));
        c
    }

    fn case(&mut self, s: &Scope, binds: &mut Vec<Bind>, depth: u32) -> Rhs {
        if self.below(3) == 0 {
            let scrut = self.int(s);
            let mut arms = Vec::new();
            for n in 0..1 + self.below(3) as i64 {
                let mut inner = s.clone();
                arms.push((n, self.body(&mut inner, depth - 1)));
            }
            let default = Some(Box::new(self.body(&mut s.clone(), depth - 1)));
            return Rhs::Case { scrut, arms: Arms::Int(arms), default };
        }
        let c = self.cond(s, binds);
        let yes = self.body(&mut s.clone(), depth - 1);
        let no = self.body(&mut s.clone(), depth - 1);
        Rhs::Case { scrut: Atom::Var(c), arms: Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], no)]), default: None }
    }

    fn handle(&mut self, s: &Scope, depth: u32) -> Rhs {
        let body = Box::new(self.body(&mut s.clone(), depth - 1));
        let exn = self.v("e", self.exn);
        let mut binds = Vec::new();
        let mut inner = s.clone();
        // Many look at how far the body came.
        if !s.cells.is_empty() && self.below(2) == 0 {
            let got = self.load(s, &mut binds);
            inner.ints.push(got);
        }
        // Some look at the packet.
        if let Some(&desc) = s.descs.last() {
            let (d, same, got, r) =
                (self.v("d", self.desc), self.v("same", self.bool), self.v("got", self.int), self.v("r", self.int));
            binds.push(val(&[d], Rhs::PacketDesc(Atom::Var(exn))));
            let args = vec![Atom::Var(d), Atom::Var(desc)];
            binds.push(val(&[same], Rhs::Prim { prim: Prim::PtrEq, tys: vec![], args }));
            let yes = Body {
                binds: vec![val(&[got], Rhs::PacketArg(Atom::Var(exn), self.int))],
                result: Outcome::Values(vec![Atom::Var(got)]),
            };
            let no = if self.below(2) == 0 {
                Body { binds: vec![], result: Outcome::Raise(Atom::Var(exn), Loc::default()) }
            } else {
                self.body(&mut inner, depth - 1)
            };
            let arms = Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], no)]);
            binds.push(val(&[r], Rhs::Case { scrut: Atom::Var(same), arms, default: None }));
            let handler = Body { binds, result: Outcome::Values(vec![Atom::Var(r)]) };
            return Rhs::Handle { body, exn, handler: Box::new(handler) };
        }
        let mut handler = self.body(&mut inner, depth - 1);
        handler.binds.splice(0..0, binds);
        Rhs::Handle { body, exn, handler: Box::new(handler) }
    }

    /// What is in one of the cells.
    fn load(&mut self, s: &Scope, binds: &mut Vec<Bind>) -> Atom {
        let (cell, got) = (self.pick(&s.cells), self.v("got", self.int));
        let args = vec![Atom::Var(cell)];
        binds.push(val(&[got], Rhs::Prim { prim: Prim::RefGet, tys: vec![self.int], args }));
        Atom::Var(got)
    }

    /// `(cell := x div y; !cell) handle _ => z`: a scope in which nothing raises from a slow path.
    fn attempt(&mut self, s: &Scope) -> Rhs {
        let (cell, n, exn) = (self.pick(&s.cells), self.v("n", self.int), self.v("e", self.exn));
        let mut binds = Vec::new();
        let (x, y) = (self.int(s), self.int(s));
        binds.push(val(&[n], Rhs::Prim { prim: Prim::IntDiv, tys: vec![], args: vec![x, y] }));
        let args = vec![Atom::Var(cell), Atom::Var(n)];
        binds.push(val(&[], Rhs::Prim { prim: Prim::RefSet, tys: vec![self.int], args }));
        let result = Outcome::Values(vec![self.load(s, &mut binds)]);
        let handler = Body { binds: vec![], result: Outcome::Values(vec![self.int(s)]) };
        Rhs::Handle { body: Box::new(Body { binds, result }), exn, handler: Box::new(handler) }
    }

    /// A function of type `f`: without fuel it gives its argument.
    fn function(&mut self, var: Var, outer: &Scope, depth: u32, hof: bool) -> Function {
        let mut s = outer.clone();
        let (fuel, x, r, c) =
            (self.v("fuel", self.int), self.v("x", self.int), self.v("r", self.int), self.v("c", self.bool));
        let mut params = Vec::new();
        if hof {
            let g = self.v("g", self.f);
            params.push(g);
            s.fs.push(g);
        }
        params.extend([fuel, x]);
        s.fuel = Some(Atom::Var(fuel));
        s.ints.push(Atom::Var(x));
        let args = vec![Atom::Var(fuel), Atom::Int(1)];
        let test = val(&[c], Rhs::Prim { prim: Prim::IntLt, tys: vec![], args });
        let stop = Body { binds: vec![], result: Outcome::Values(vec![Atom::Var(x)]) };
        let go = self.body(&mut s, depth);
        let arms = Arms::Con(BOOL, vec![(1, vec![], stop)]);
        let case = val(&[r], Rhs::Case { scrut: Atom::Var(c), arms, default: Some(Box::new(go)) });
        let body = Body { binds: vec![test, case], result: Outcome::Values(vec![Atom::Var(r)]) };
        Function { var, params, body, loc: Loc::default(), inline: Inline::Auto, join: false }
    }

    fn statement(&mut self, s: &mut Scope, binds: &mut Vec<Bind>, depth: u32) {
        self.budget -= 1;
        match self.below(15) {
            0 | 1 => {
                let v = self.v("a", self.int);
                let args = vec![self.int(s), self.int(s)];
                let prim =
                    self.pick(&[Prim::WordAdd, Prim::IntSub, Prim::IntAdd, Prim::WordXor, Prim::IntDiv, Prim::IntMul]);
                binds.push(val(&[v], Rhs::Prim { prim, tys: vec![], args }));
                s.ints.push(Atom::Var(v));
            }
            2 => {
                let text = self.v("text", self.p.types.index[&TyData::Scalar(Scalar::String)]);
                let arg = self.int(s);
                binds.push(val(&[text], Rhs::Prim { prim: Prim::IntToString, tys: vec![], args: vec![arg] }));
                for a in [Atom::Var(text), Atom::Str(0)] {
                    binds.push(val(&[], Rhs::Prim { prim: Prim::Print, tys: vec![], args: vec![a] }));
                }
            }
            3..=5 if depth > 0 => {
                // One function or two that may call each other.
                let hof = self.below(3) == 0;
                let count = if hof { 1 } else { 1 + self.below(2) };
                let ty = if hof { self.h } else { self.f };
                let vars: Vec<Var> = (0..count).map(|i| self.v(["f", "g"][i], ty)).collect();
                if hof { &mut s.hs } else { &mut s.fs }.extend(&vars);
                let scope = s.clone();
                let group = vars.iter().map(|&v| self.function(v, &scope, depth - 1, hof)).collect();
                binds.push(Bind::Fun(group));
            }
            6 if depth > 0 => {
                // fun maker n = let fun f .. in f end
                let (maker, n, f) = (self.v("maker", self.maker), self.v("n", self.int), self.v("made", self.f));
                let mut inner = s.clone();
                inner.ints.push(Atom::Var(n));
                inner.fuel = None;
                inner.fs.clear();
                inner.hs.clear();
                inner.makers.clear();
                let function = self.function(f, &inner, depth - 1, false);
                let body = Body { binds: vec![Bind::Fun(vec![function])], result: Outcome::Values(vec![Atom::Var(f)]) };
                let function = Function {
                    var: maker,
                    params: vec![n],
                    body,
                    loc: Loc::default(),
                    inline: Inline::Auto,
                    join: false,
                };
                binds.push(Bind::Fun(vec![function]));
                s.makers.push(maker);
            }
            7 if !s.makers.is_empty() => {
                let (made, maker, arg) = (self.v("m", self.f), self.pick(&s.makers), self.int(s));
                binds.push(val(&[made], Rhs::App { f: Atom::Var(maker), args: vec![arg] }));
                s.fs.push(made);
            }
            8 if !s.fs.is_empty() => {
                let (pair, f, n) = (self.v("pair", self.pair), self.pick(&s.fs), self.int(s));
                binds.push(val(&[pair], Rhs::Tuple(vec![Atom::Var(f), n])));
                s.pairs.push(pair);
            }
            9 if !s.pairs.is_empty() => {
                let (pair, f, n) = (self.pick(&s.pairs), self.v("part", self.f), self.v("part", self.int));
                binds.push(val(&[f], Rhs::Select(0, Atom::Var(pair))));
                binds.push(val(&[n], Rhs::Select(1, Atom::Var(pair))));
                s.fs.push(f);
                s.ints.push(Atom::Var(n));
            }
            10 => {
                let tys = vec![self.int];
                if s.cells.is_empty() || self.below(3) == 0 {
                    let (cell, n) = (self.v("cell", self.cell), self.int(s));
                    binds.push(val(&[cell], Rhs::Prim { prim: Prim::RefNew, tys, args: vec![n] }));
                    s.cells.push(cell);
                } else {
                    let (cell, n) = (self.pick(&s.cells), self.int(s));
                    let args = vec![Atom::Var(cell), n];
                    binds.push(val(&[], Rhs::Prim { prim: Prim::RefSet, tys, args }));
                    let got = self.load(s, binds);
                    s.ints.push(got);
                }
            }
            11 if depth > 0 => {
                let v = self.v("v", self.int);
                let rhs = if self.below(2) == 0 { self.case(s, binds, depth) } else { self.handle(s, depth) };
                binds.push(val(&[v], rhs));
                s.ints.push(Atom::Var(v));
            }
            12 if !s.cells.is_empty() => {
                let (v, rhs) = (self.v("v", self.int), self.attempt(s));
                binds.push(val(&[v], rhs));
                s.ints.push(Atom::Var(v));
            }
            13 if self.below(3) == 0 => {
                let desc = self.v("E", self.desc);
                binds.push(val(&[desc], Rhs::NewExn { name: Symbol::intern("E"), arg: Some(self.int) }));
                s.descs.push(desc);
            }
            _ => {
                if let Some(rhs) = self.call(s, binds) {
                    let v = self.v("v", self.int);
                    binds.push(val(&[v], rhs));
                    s.ints.push(Atom::Var(v));
                }
            }
        }
    }

    /// A body that gives one int.
    fn body(&mut self, s: &mut Scope, depth: u32) -> Body {
        let mut binds = Vec::new();
        for _ in 0..1 + self.below(4) {
            if self.budget > 0 {
                self.statement(s, &mut binds, depth);
            }
        }
        let tail = match self.below(8) {
            0..=2 => self.call(s, &mut binds),
            3 if depth > 0 && self.budget > 0 => Some(self.case(s, &mut binds, depth)),
            4 if depth > 0 && self.budget > 0 => Some(self.handle(s, depth)),
            5 if !s.descs.is_empty() => {
                let (packet, desc, n) = (self.v("packet", self.exn), self.pick(&s.descs), self.int(s));
                binds.push(val(&[packet], Rhs::Packet { desc: Atom::Var(desc), arg: Some((n, self.int)) }));
                return Body { binds, result: Outcome::Raise(Atom::Var(packet), Loc::default()) };
            }
            _ => None,
        };
        let result = match tail {
            Some(rhs) => {
                let r = self.v("r", self.int);
                binds.push(val(&[r], rhs));
                Atom::Var(r)
            }
            None => self.int(s),
        };
        Body { binds, result: Outcome::Values(vec![result]) }
    }

    fn program(mut self) -> Program {
        self.p.types.intern(TyData::Scalar(Scalar::String));
        let mut s = Scope::default();
        let mut binds = Vec::new();
        while self.budget > 0 {
            self.statement(&mut s, &mut binds, 3);
        }
        self.p.main = Body { binds, result: Outcome::Values(vec![]) };
        self.p
    }
}

const STEPS: u64 = 60_000;

/// A slot of `main` that held 0 became the constant 0, a divisor behind its guard: S9 after `reach`.
const BEFORE: [u64; 4] = [2_014_215, 2_017_933, 2_025_947, 2_031_704];

fn compare(seed: u64) {
    let mono = Gen::new(seed).program();
    let Ok(expected) = leat_mono::interp::run(&mono, &[], STEPS) else { return };
    let stdout = String::from_utf8_lossy(&expected.stdout).into_owned();
    let end = match expected.uncaught {
        None => End::Returned(vec![]),
        Some(name) => End::Raised(name),
    };
    let show = || leat_mono::print::print(&mono);
    for level in [Level::None, Level::Full] {
        let mut p = leat_ssa::from_mono::from_mono(&mono).expect("within limits");
        let mut wrong = None;
        let result = passes::run(
            &mut p,
            level,
            Verify::Each,
            Some(&mut |pass, p| {
                if wrong.is_none() {
                    let run = interp::run(p, p.main.expect("main"), &[], STEPS * 30);
                    if run.end != End::Steps && (&run.end, &run.output) != (&end, &stdout) {
                        let text = leat_ssa::print::program(p);
                        wrong = Some(format!(
                            "after {pass}: {:?} {:?}, not {end:?} {stdout:?}\n{text}",
                            run.end, run.output
                        ));
                    }
                }
            }),
            &mut |_, _| {},
        );
        if let Err(errors) = result {
            let errors: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
            panic!("seed {seed}: {}\n{}\nfrom\n{}", errors.join("\n"), leat_ssa::print::program(&p), show());
        }
        if let Some(message) = wrong {
            panic!("seed {seed}: {message}\nfrom\n{}", show());
        }
    }
}

#[test]
fn translated_programs_do_the_same() {
    let count: u64 = setting("LEAT_RANDOM", 300);
    let first: u64 = setting("SEED", 1);
    // Mono's interpreter recurses as the program does.
    let run = std::thread::Builder::new().stack_size(1 << 30).spawn(move || {
        for seed in BEFORE.into_iter().chain(first..first + count) {
            compare(seed);
        }
    });
    run.expect("a thread").join().unwrap_or_else(|e| std::panic::resume_unwind(e));
}
