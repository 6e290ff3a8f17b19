//! Random loops full of bounds checks: what `checks` proves must be true. A wrong proof reads outside an array, which
//! the interpreter reports.
//!
//! Programs are text: a loop (or a loop in a loop) of three variables, whose next values are each other's, sums and
//! differences; tests and guards that compare anything with anything. Each runs from several beginnings.

use leat_random::{Random, setting};
use leat_ssa::interp::{self, End};
use leat_ssa::ir::{Func, Program};
use leat_ssa::passes::run_one;
use leat_ssa::{opt, parse, print, verify};
use std::fmt::Write;

struct Gen {
    random: Random,
    out: String,
    next: u32,
    blocks: u32,
    pool: Vec<String>,
    /// The handler in whose scope the blocks are, and what raises there, to be written at the end.
    handler: Option<u32>,
    raising: String,
}

impl Gen {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn value(&mut self) -> String {
        if self.below(5) == 0 {
            return self
                .pick(&["0", "0", "1", "-1", "2", "5", "6", "9223372036854775807", "-9223372036854775808"])
                .to_string();
        }
        let i = self.below(self.pool.len());
        self.pool[i].clone()
    }

    /// A value of the loop or the length.
    fn variable(&mut self) -> String {
        let i = self.below(self.pool.len());
        self.pool[i].clone()
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "    {text}");
    }

    fn cmp(&mut self) -> String {
        let (c, a, b) = (
            self.pick(&["eq", "ne", "lt", "le", "gt", "ge", "ult", "uge", "ugt", "ule"]),
            self.variable(),
            self.value(),
        );
        let v = self.name();
        self.line(&format!("{v} = cmp.{c} {a}, {b}"));
        v
    }

    fn step(&mut self) -> String {
        let (a, b) = (
            self.variable(),
            if self.below(3) == 0 {
                self.value()
            } else {
                self.pick(&["1", "1", "1", "2", "-1", "-9223372036854775808", "9223372036854775807"]).to_string()
            },
        );
        let v = self.name();
        match self.below(5) {
            0 => self.line(&format!("{v} = add {a}, {b}")),
            1 => {
                let s = self.name();
                self.line(&format!("{s} = add {a}, {b}"));
                self.line(&format!("{v} = sar {s}, 1"));
            }
            k => {
                let flag = self.name();
                self.line(&format!("{v}, {flag} = {} {a}, {b}", if k == 2 { "sub_ovf" } else { "add_ovf" }));
                self.guard(&flag, "Overflow");
            }
        }
        v
    }

    fn begin(&mut self, block: u32, params: &str) {
        let scope = self.handler.map_or(String::new(), |h| format!(" handler b{h}"));
        let _ = writeln!(self.out, "b{block}({params}){scope}:");
    }

    /// In a handler's scope, a check is a branch to a cold block, which goes to the handler.
    fn guard(&mut self, c: &str, exception: &str) {
        let Some(handler) = self.handler else { return self.line(&format!("guard {c}, {exception}")) };
        let (raise, go, packet) = (self.block(), self.block(), self.name());
        self.line(&format!("branch {c}, b{raise}(), b{go}()"));
        let _ = write!(
            self.raising,
            "b{raise}() cold:\n    {packet} = exn_packet {exception}\n    jump b{handler}({packet})\n"
        );
        self.begin(go, "");
    }

    fn access(&mut self) {
        let i = self.variable();
        let (c, x) = (self.name(), self.name());
        self.line(&format!("{c} = cmp.uge {i}, v3"));
        self.guard(&c, "Subscript");
        self.line(&format!("{x} = elem.u8 v0[{i}]"));
    }

    fn block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn body(&mut self, depth: u32, exit: u32) {
        for _ in 0..2 + self.below(5) {
            match self.below(9) {
                0..=2 => self.access(),
                3 | 4 => {
                    let v = self.step();
                    self.pool.push(v);
                }
                5 => {
                    let c = self.cmp();
                    self.guard(&c, "Fail");
                }
                6 => {
                    let (c, go) = (self.cmp(), self.block());
                    let (x, y, z) = (self.value(), self.value(), self.value());
                    let exit = format!("b{exit}({x}, {y}, {z})");
                    let go_to = format!("b{go}()");
                    let (a, b) = if self.below(2) == 0 { (exit, go_to) } else { (go_to, exit) };
                    self.line(&format!("branch {c}, {a}, {b}"));
                    self.begin(go, "");
                }
                7 => {
                    let (c, yes, no, join) = (self.cmp(), self.block(), self.block(), self.block());
                    self.line(&format!("branch {c}, b{yes}(), b{no}()"));
                    let mark = self.pool.len();
                    for b in [yes, no] {
                        self.begin(b, "");
                        if self.below(2) == 0 {
                            self.access();
                        }
                        let v = if self.below(2) == 0 { self.step() } else { self.value() };
                        self.line(&format!("jump b{join}({v})"));
                        self.pool.truncate(mark);
                    }
                    let v = self.name();
                    self.begin(join, &format!("{v}: i64"));
                    self.pool.push(v);
                }
                _ if depth > 0 => self.a_loop(depth - 1),
                _ => self.access(),
            }
        }
    }

    fn a_loop(&mut self, depth: u32) {
        let (head, exit) = (self.block(), self.block());
        let args = [self.value(), self.value(), self.value()];
        self.line(&format!("jump b{head}({})", args.join(", ")));
        let mark = self.pool.len();
        let vs = [self.name(), self.name(), self.name()];
        self.begin(head, &format!("{}: i64, {}: i64, {}: i64", vs[0], vs[1], vs[2]));
        self.pool.extend(vs.iter().cloned());
        // A test of the common kind, or hardly any program would get far.
        let (c, go) = (self.name(), self.block());
        let limit = self.pick(&["v3", "v3", "v2", "0", "4"]).to_string();
        let cond = self.pick(&["eq", "ge", "le", "lt", "gt"]);
        let v = vs[self.below(3)].clone();
        self.line(&format!("{c} = cmp.{cond} {v}, {limit}"));
        self.line(&format!("branch {c}, b{exit}({}, {}, {}), b{go}()", vs[0], vs[1], vs[2]));
        self.begin(go, "");
        self.body(depth, exit);
        let mut next = Vec::new();
        for v in &vs {
            next.push(match self.below(5) {
                0 => v.clone(),
                1 => self.variable(),
                _ => self.step(),
            });
        }
        self.line(&format!("jump b{head}({})", next.join(", ")));
        self.pool.truncate(mark);
        let outs = [self.name(), self.name(), self.name()];
        self.begin(exit, &format!("{}: i64, {}: i64, {}: i64", outs[0], outs[1], outs[2]));
        self.pool.extend(outs);
    }
}

fn program(seed: u64) -> String {
    let mut g = Gen {
        random: Random::new(seed),
        out: String::new(),
        next: 9,
        blocks: 0,
        pool: Vec::new(),
        handler: None,
        raising: String::new(),
    };
    g.out.push_str(
        "data d0 = bytes \"\"\ndata d1 = bytes \"a\"\ndata d2 = bytes \"abcde\"\nfn f0 \"start\" (v0: i64, v1: i64, v2: i64) -> (i64) {\n\
         b0(v0: i64, v1: i64, v2: i64):\n    switch v0 {0: b1(), 1: b2()} else b3()\nb1():\n    tail_call f1(d0, v1, v2)\nb2():\n    \
         tail_call f1(d1, v1, v2)\nb3():\n    tail_call f1(d2, v1, v2)\n}\n\
         fn f1 \"loops\" (v0: ref, v1: i64, v2: i64) -> (i64) {\nb0(v0: ref, v1: i64, v2: i64):\n    v3 = length v0\n",
    );
    g.pool = vec!["v1".into(), "v2".into(), "v3".into()];
    if g.below(2) == 0 {
        let c = g.cmp();
        g.guard(&c, "Fail");
    }
    if g.below(2) == 0 {
        g.line("v4, v5 = sub_ovf v3, 1");
        g.guard("v5", "Overflow");
        g.pool.push("v4".into());
    }
    if g.below(3) == 0 {
        let (handler, inside) = (g.block(), g.block());
        g.line(&format!("scope b{inside}(), b{handler}()"));
        g.handler = Some(handler);
        g.begin(inside, "");
    }
    g.a_loop(1);
    let v = g.variable();
    let Some(handler) = g.handler else {
        g.line(&format!("return {v}"));
        g.out.push_str("}\n");
        return g.out;
    };
    let (end, packet, out) = (g.block(), g.name(), g.name());
    g.line(&format!("jump b{end}({v})"));
    let _ = write!(
        g.out,
        "{}b{handler}({packet}: ref) cold:\n    jump b{end}(-77)\nb{end}({out}: i64):\n    return {out}\n}}\n",
        g.raising
    );
    g.out
}

fn passes(p: &mut Program) {
    // Without the others first, what it sees is as it was written.
    let mut q = p.clone();
    run_one(&mut q, "checks");
    verify::verify(&q, "checks alone", false).expect("verified");
    for name in ["simplify", "gvn", "rotate", "gvn", "licm", "checks", "gvn", "select", "unroll"] {
        if std::env::var_os("LEAT_TRACE").is_some() {
            eprintln!("before {name}:\n{}", print::program(p));
        }
        run_one(p, name);
        if let Err(e) = verify::verify(p, name, false) {
            panic!("{}\n{}", e[0], print::program(p));
        }
    }
}

#[test]
fn proofs_are_true() {
    let count: u64 = setting("LEAT_RANDOM", 400);
    let first: u64 = setting("SEED", 1);
    const VALUES: [i64; 9] = [0, 1, -1, 2, 4, 5, 6, i64::MAX, i64::MIN];
    let (mut guards, mut left, mut runs) = (0, 0, 0);
    // The absolute value of the least integer is negative, so a step of -2^63 was a small one: a loop that ends before
    // its second round was taken for one with four rounds left.
    const BEFORE: [u64; 2] = [2_014_357, 2_034_518];
    for seed in BEFORE.into_iter().chain(first..first + count) {
        let text = program(seed);
        let plain = parse::program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        if let Err(e) = verify::verify(&plain, "parse", false) {
            panic!("{}\n{text}", e[0]);
        }
        let mut alone = plain.clone();
        run_one(&mut alone, "checks");
        // Loops that are given up: what was found of them until then must not be believed. (It was, of 41 variables and
        // more.)
        let mut hasty = plain.clone();
        let Program { funcs, datas, .. } = &mut hasty;
        for f in funcs {
            opt::checks::function_within(f, datas, (seed % 3) as u32);
        }
        let mut all = plain.clone();
        passes(&mut all);
        let count = |p: &Program| print::program(p).matches("guard").count();
        guards += count(&plain);
        left += count(&alone);
        for i in 0..24u64 {
            let args =
                [i % 3, VALUES[(seed + i * 5) as usize % 9] as u64, VALUES[(seed / 9 + i * 7) as usize % 9] as u64];
            let expected = interp::run(&plain, Func(0), &args, 3000);
            assert!(!matches!(expected.end, End::Trap(_)), "seed {seed}: {:?}", expected.end);
            for (name, p) in [("checks", &alone), ("hasty checks", &hasty), ("all", &all)] {
                let run = interp::run(p, Func(0), &args, 4000);
                let same = run.end == expected.end || expected.end == End::Steps;
                if !same || matches!(run.end, End::Trap(_)) {
                    let (x, y) = (expected.end, run.end);
                    panic!("seed {seed}, {args:?}, {name}: {y:?}, not {x:?}\n{text}\n{}", print::program(p));
                }
            }
            runs += 1;
        }
    }
    println!("{guards} guards, {left} left, {runs} runs");
}
