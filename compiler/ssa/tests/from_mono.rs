//! Mono programs built by hand, translated, verified, optimised and run; each must print what is expected.

use leat_abi::exn::Builtin;
use leat_abi::prim::Prim;
use leat_base::Symbol;
use leat_mono::ir::*;
use leat_ssa::interp::{self, End};
use leat_ssa::passes::{self, Level, Verify};

/// A program under construction, with the types that the tests use.
struct B {
    p: Program,
    int: Ty,
    string: Ty,
    bool: Ty,
    exn: Ty,
    /// `int list`
    list: Ty,
    /// `string option`: the bare pointer when SOME
    option: Ty,
}

const LIST: Data = Data(1);
const OPTION: Data = Data(2);

impl B {
    fn new() -> B {
        let mut p = Program::default();
        let int = p.types.intern(TyData::Scalar(Scalar::Int));
        let string = p.types.intern(TyData::Scalar(Scalar::String));
        let exn = p.types.intern(TyData::Scalar(Scalar::Exn));
        let bool = p.types.intern(TyData::Data(BOOL));
        let list = p.types.intern(TyData::Data(LIST));
        let option = p.types.intern(TyData::Data(OPTION));
        let con = |name: &str, fields: &[Ty]| Con { name: Symbol::intern(name), fields: fields.to_vec() };
        p.types.datatypes = vec![
            Datatype { name: "bool".into(), cons: vec![con("false", &[]), con("true", &[])] },
            Datatype { name: "int list".into(), cons: vec![con("nil", &[]), con("::", &[int, list])] },
            Datatype { name: "string option".into(), cons: vec![con("NONE", &[]), con("SOME", &[string])] },
        ];
        B { p, int, string, bool, exn, list, option }
    }

    fn v(&mut self, name: &str, ty: Ty) -> Var {
        self.p.new_var(Symbol::intern(name), ty)
    }

    fn arrow(&mut self, params: &[Ty], results: &[Ty]) -> Ty {
        self.p.types.intern(TyData::Arrow(params.to_vec(), results.to_vec()))
    }

    fn str(&mut self, text: &str) -> Atom {
        self.p.strings.push(text.as_bytes().into());
        Atom::Str(self.p.strings.len() as u32 - 1)
    }

    /// `print (Int.toString a); print "\n"`
    fn print_int(&mut self, a: Atom) -> Vec<Bind> {
        let s = self.v("s", self.string);
        let nl = self.str("\n");
        vec![
            val(&[s], prim(Prim::IntToString, &[a])),
            val(&[], prim(Prim::Print, &[Atom::Var(s)])),
            val(&[], prim(Prim::Print, &[nl])),
        ]
    }
}

fn val(vars: &[Var], rhs: Rhs) -> Bind {
    Bind::Val { vars: vars.to_vec(), rhs, loc: Loc::default() }
}

fn prim(prim: Prim, args: &[Atom]) -> Rhs {
    Rhs::Prim { prim, tys: Vec::new(), args: args.to_vec() }
}

fn app(f: Var, args: &[Atom]) -> Rhs {
    Rhs::App { f: Atom::Var(f), args: args.to_vec() }
}

fn body(binds: Vec<Bind>, result: &[Atom]) -> Body {
    Body { binds, result: Outcome::Values(result.to_vec()) }
}

/// A body that is a tail call or a case giving `vars`.
fn tail(mut binds: Vec<Bind>, vars: &[Var], rhs: Rhs) -> Body {
    binds.push(val(vars, rhs));
    body(binds, &vars.iter().map(|&v| Atom::Var(v)).collect::<Vec<_>>())
}

fn fun(var: Var, params: &[Var], body: Body) -> Function {
    Function { var, params: params.to_vec(), body, loc: Loc::default(), inline: Inline::Auto, join: false }
}

fn if_(cond: Var, yes: Body, no: Body) -> Rhs {
    Rhs::Case { scrut: Atom::Var(cond), arms: Arms::Con(BOOL, vec![(1, vec![], yes)]), default: Some(Box::new(no)) }
}

fn x(v: Var) -> Atom {
    Atom::Var(v)
}

const N: fn(i64) -> Atom = Atom::Int;

/// Translates at both levels, verifies after each pass, runs; answers the text of the unoptimised program.
fn check(b: B, expected: &str, end: End) -> String {
    let mut shown = String::new();
    for level in [Level::None, Level::Full] {
        let mut p = leat_ssa::from_mono::from_mono(&b.p).expect("within limits");
        let mut text = leat_ssa::print::program(&p);
        if level == Level::None {
            shown = text.clone();
        }
        let mut show = |_: &str, p: &leat_ssa::ir::Program| text = leat_ssa::print::program(p);
        let result = passes::run(&mut p, level, Verify::Each, Some(&mut show), &mut |_, _| {});
        if let Err(errors) = result {
            panic!("{text}\n{}", errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"));
        }
        let run = interp::run(&p, p.main.expect("main"), &[], 1_000_000);
        assert_eq!((run.output.as_str(), &run.end), (expected, &end), "{level:?}\n{text}");
        // What is printed can be read and does the same.
        let again = leat_ssa::parse::program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let rerun = interp::run(&again, again.main.expect("main"), &[], 1_000_000);
        assert_eq!((rerun.output.as_str(), &rerun.end), (expected, &end), "{text}");
    }
    shown
}

fn done() -> End {
    End::Returned(vec![])
}

/// fun fib n = if n < 2 then n else fib (n-1) + fib (n-2)
#[test]
fn fib() {
    let mut b = B::new();
    let ty = b.arrow(&[b.int], &[b.int]);
    let fib = b.v("fib", ty);
    let int = b.int;
    let names = ["n", "r", "a", "c", "d", "e", "s"];
    let [n, r, a, c, d, e, s] = names.map(|name| b.v(name, int));
    let t = b.v("t", b.bool);
    let no = body(
        vec![
            val(&[a], prim(Prim::IntSub, &[x(n), N(1)])),
            val(&[c], app(fib, &[x(a)])),
            val(&[d], prim(Prim::IntSub, &[x(n), N(2)])),
            val(&[e], app(fib, &[x(d)])),
            val(&[s], prim(Prim::IntAdd, &[x(c), x(e)])),
        ],
        &[x(s)],
    );
    let code = tail(vec![val(&[t], prim(Prim::IntLt, &[x(n), N(2)]))], &[r], if_(t, body(vec![], &[x(n)]), no));
    let out = b.v("out", b.int);
    let mut binds = vec![Bind::Fun(vec![fun(fib, &[n], code)]), val(&[out], app(fib, &[N(15)]))];
    binds.extend(b.print_int(x(out)));
    b.p.main = body(binds, &[]);
    check(b, "610\n", done());
}

/// fun loop (i, acc) = if i > limit then acc else loop (i + 1, acc + i), called from one place: blocks of main.
#[test]
fn a_loop_is_contified() {
    let mut b = B::new();
    let int = b.int;
    let ty = b.arrow(&[int, int], &[int]);
    let f = b.v("loop", ty);
    let [i, acc, j, sum, r, out, limit] = ["i", "acc", "j", "sum", "r", "out", "limit"].map(|name| b.v(name, int));
    let t = b.v("t", b.bool);
    let no = tail(
        vec![val(&[j], prim(Prim::IntAdd, &[x(i), N(1)])), val(&[sum], prim(Prim::IntAdd, &[x(acc), x(i)]))],
        &[],
        Rhs::Atoms(vec![]),
    );
    let again = b.v("again", int);
    let no = tail(no.binds, &[again], app(f, &[x(j), x(sum)]));
    let code = tail(vec![val(&[t], prim(Prim::IntGt, &[x(i), x(limit)]))], &[r], if_(t, body(vec![], &[x(acc)]), no));
    let mut binds = vec![
        val(&[limit], prim(Prim::ArgCount, &[])),
        Bind::Fun(vec![fun(f, &[i, acc], code)]),
        val(&[out], app(f, &[N(0), N(0)])),
    ];
    binds[0] = val(&[limit], Rhs::Atoms(vec![N(100)]));
    binds.extend(b.print_int(x(out)));
    b.p.main = body(binds, &[]);
    let text = check(b, "5050\n", done());
    assert_eq!(text.matches("\nfn ").count(), 1, "{text}");
}

/// A function that captures a variable and escapes into an unknown call; and map over a list.
#[test]
fn closures_and_lists() {
    let mut b = B::new();
    let (int, list) = (b.int, b.list);
    let ii = b.arrow(&[int], &[int]);
    let map_ty = b.arrow(&[ii, list], &[list]);
    let make_ty = b.arrow(&[int], &[ii]);
    let (map, make, add) = (b.v("map", map_ty), b.v("make", make_ty), b.v("add", ii));
    let g = b.v("g", ii);
    let [h, y, n, m, s, s2, n2, total] = ["h", "y", "n", "m", "s", "s2", "n2", "total"].map(|name| b.v(name, int));
    let [l, rest, mapped, out, r, l1, l2, l3, l4] =
        ["l", "rest", "mapped", "out", "r", "l1", "l2", "l3", "l4"].map(|name| b.v(name, list));
    let cons = |a, l| Rhs::Con { data: LIST, con: 1, args: vec![a, l] };
    // fun map (g, l) = case l of nil => nil | h :: rest => g h :: map (g, rest)
    let arm = body(
        vec![
            val(&[y], app(g, &[x(h)])),
            val(&[mapped], app(map, &[x(g), x(rest)])),
            val(&[out], cons(x(y), x(mapped))),
        ],
        &[x(out)],
    );
    let arms = Arms::Con(LIST, vec![(0, vec![], body(vec![], &[Atom::Con(LIST, 0)])), (1, vec![h, rest], arm)]);
    let map_body = tail(vec![], &[r], Rhs::Case { scrut: x(l), arms, default: None });
    // fun make n = fn m => m + n
    let add_fun = fun(add, &[m], body(vec![val(&[s], prim(Prim::IntAdd, &[x(m), x(n)]))], &[x(s)]));
    let make_body = body(vec![Bind::Fun(vec![add_fun])], &[x(add)]);
    // fun sum (l, n) = case l of nil => n | h :: rest => sum (rest, n + h)
    let sum_ty = b.arrow(&[list, int], &[int]);
    let sum = b.v("sum", sum_ty);
    let (l5, h5, rest5, r5, again) =
        (b.v("l", list), b.v("h", int), b.v("rest", list), b.v("r", int), b.v("again", int));
    let arm = tail(vec![val(&[s2], prim(Prim::IntAdd, &[x(n2), x(h5)]))], &[again], app(sum, &[x(rest5), x(s2)]));
    let arms = Arms::Con(LIST, vec![(0, vec![], body(vec![], &[x(n2)])), (1, vec![h5, rest5], arm)]);
    let sum_body = tail(vec![], &[r5], Rhs::Case { scrut: x(l5), arms, default: None });
    let f = b.v("f", ii);
    let mut binds = vec![
        Bind::Fun(vec![fun(map, &[g, l], map_body)]),
        Bind::Fun(vec![fun(make, &[n], make_body)]),
        Bind::Fun(vec![fun(sum, &[l5, n2], sum_body)]),
        val(&[f], app(make, &[N(10)])),
        val(&[l1], cons(N(1), Atom::Con(LIST, 0))),
        val(&[l2], cons(N(2), x(l1))),
        val(&[l3], cons(N(3), x(l2))),
        val(&[l4], app(map, &[x(f), x(l3)])),
        val(&[total], app(sum, &[x(l4), N(0)])),
    ];
    binds.extend(b.print_int(x(total)));
    b.p.main = body(binds, &[]);
    let text = check(b, "36\n", done());
    assert!(text.contains("record 0 [3] [d"), "a constant list is static:\n{text}");
}

/// Two closures that capture each other and a variable: allocated, then tied by stores.
#[test]
fn mutually_recursive_closures() {
    let mut b = B::new();
    let (int, bool_) = (b.int, b.bool);
    let ty = b.arrow(&[int], &[int]);
    let outer_ty = b.arrow(&[int], &[ty, ty]);
    let (outer, even, odd) = (b.v("outer", outer_ty), b.v("even", ty), b.v("odd", ty));
    let k = b.v("k", int);
    let part = |b: &mut B, me: Var, other: Var, base: Atom| {
        let (n, m, r, again) = (b.v("n", int), b.v("m", int), b.v("r", int), b.v("again", int));
        let t = b.v("t", bool_);
        let no = tail(vec![val(&[m], prim(Prim::IntSub, &[x(n), x(k)]))], &[again], app(other, &[x(m)]));
        let code = tail(vec![val(&[t], prim(Prim::IntLe, &[x(n), N(0)]))], &[r], if_(t, body(vec![], &[base]), no));
        fun(me, &[n], code)
    };
    let group = vec![part(&mut b, even, odd, N(1)), part(&mut b, odd, even, N(0))];
    let outer_body = body(vec![Bind::Fun(group)], &[x(even), x(odd)]);
    let (e, o) = (b.v("e", ty), b.v("o", ty));
    let (r1, r2) = (b.v("r1", int), b.v("r2", int));
    let mut binds = vec![
        Bind::Fun(vec![fun(outer, &[k], outer_body)]),
        val(&[e, o], app(outer, &[N(1)])),
        val(&[r1], app(e, &[N(10)])),
        val(&[r2], app(o, &[N(10)])),
    ];
    binds.extend(b.print_int(x(r1)));
    binds.extend(b.print_int(x(r2)));
    b.p.main = body(binds, &[]);
    check(b, "1\n0\n", done());
}

/// A raise in the handler's scope is a jump, a call an invoke; the packet's argument comes through; what no handler
/// takes ends the program.
#[test]
fn exceptions() {
    let mut b = B::new();
    let (int, exn, string) = (b.int, b.exn, b.string);
    let desc_ty = b.p.types.intern(TyData::Ref(string));
    let ty = b.arrow(&[int], &[int]);
    let (f, desc) = (b.v("f", ty), b.v("E", desc_ty));
    let [n, q, out, out2, got, a1] = ["n", "q", "out", "out2", "got", "a1"].map(|name| b.v(name, int));
    let t = b.v("t", b.bool);
    let packet = b.v("packet", exn);
    // fun f n = if n > 5 then raise E n else 100 div n
    let raise = Body {
        binds: vec![val(&[packet], Rhs::Packet { desc: x(desc), arg: Some((x(n), int)) })],
        result: Outcome::Raise(x(packet), Loc::default()),
    };
    let r = b.v("r", int);
    let code = tail(
        vec![val(&[t], prim(Prim::IntGt, &[x(n), N(5)]))],
        &[r],
        if_(t, raise, body(vec![val(&[q], prim(Prim::IntDiv, &[N(100), x(n)]))], &[x(q)])),
    );
    // (f 9 + 0) handle E k => k | e => raise e
    let handled = |b: &mut B, arg: i64, got: Var, out: Var| {
        let (e, d, same, r, f_out) =
            (b.v("e", exn), b.v("d", desc_ty), b.v("same", b.bool), b.v("r", int), b.v("f_out", int));
        let yes = body(vec![val(&[got], Rhs::PacketArg(x(e), int))], &[x(got)]);
        let no = Body { binds: vec![], result: Outcome::Raise(x(e), Loc::default()) };
        let handler = tail(
            vec![val(&[d], Rhs::PacketDesc(x(e))), val(&[same], prim(Prim::PtrEq, &[x(d), x(desc)]))],
            &[r],
            if_(same, yes, no),
        );
        let inside = body(vec![val(&[f_out], app(f, &[N(arg)]))], &[x(f_out)]);
        val(&[out], Rhs::Handle { body: Box::new(inside), exn: e, handler: Box::new(handler) })
    };
    let mut binds = vec![
        val(&[desc], Rhs::NewExn { name: Symbol::intern("E"), arg: Some(int) }),
        Bind::Fun(vec![fun(f, &[n], code)]),
    ];
    let first = handled(&mut b, 9, got, out);
    binds.push(first);
    binds.extend(b.print_int(x(out)));
    let got2 = b.v("got2", int);
    let second = handled(&mut b, 7, got2, a1);
    binds.push(second);
    binds.extend(b.print_int(x(a1)));
    let got3 = b.v("got3", int);
    let third = handled(&mut b, 0, got3, out2);
    binds.push(third);
    b.p.main = body(binds, &[]);
    check(b, "9\n7\n", End::Raised("Div".into()));
}

/// Raises and checks inside a scope never leave the function.
#[test]
fn local_raises_are_jumps() {
    let mut b = B::new();
    let (int, exn) = (b.int, b.exn);
    let [i, j, q, sum, acc, again, r, out, h] =
        ["i", "j", "q", "sum", "acc", "again", "r", "out", "h"].map(|name| b.v(name, int));
    let (e, t) = (b.v("e", exn), b.v("t", b.bool));
    let ty = b.arrow(&[int, int], &[int]);
    let f = b.v("loop", ty);
    // fun loop (i, acc) = if i < ~2 then acc else loop (i - 1, acc + (60 div i handle Div => 1000))
    let scope = body(vec![val(&[q], prim(Prim::IntDiv, &[N(60), x(i)]))], &[x(q)]);
    let handle = Rhs::Handle { body: Box::new(scope), exn: e, handler: Box::new(body(vec![], &[N(1000)])) };
    let no = tail(
        vec![
            val(&[h], handle),
            val(&[sum], prim(Prim::IntAdd, &[x(acc), x(h)])),
            val(&[j], prim(Prim::IntSub, &[x(i), N(1)])),
        ],
        &[again],
        app(f, &[x(j), x(sum)]),
    );
    let code = tail(vec![val(&[t], prim(Prim::IntLt, &[x(i), N(-2)]))], &[r], if_(t, body(vec![], &[x(acc)]), no));
    let mut binds = vec![Bind::Fun(vec![fun(f, &[i, acc], code)]), val(&[out], app(f, &[N(3), N(0)]))];
    binds.extend(b.print_int(x(out)));
    b.p.main = body(binds, &[]);
    // 20 + 30 + 60 + 1000 - 60 - 30
    let text = check(b, "1020\n", done());
    assert!(!text.contains("invoke"), "{text}");
    let _ = Builtin::Div;
}

/// Strings tell by length, then by text; an option of a string is the bare string.
#[test]
fn strings_and_options() {
    let mut b = B::new();
    let (int, string, option) = (b.int, b.string, b.option);
    let ty = b.arrow(&[option], &[int]);
    let f = b.v("f", ty);
    let (o, s) = (b.v("o", option), b.v("s", string));
    let (r, inner) = (b.v("r", int), b.v("inner", int));
    let text = |b: &mut B, t: &str| match b.str(t) {
        Atom::Str(i) => i,
        _ => unreachable!(),
    };
    let arms = Arms::Str(vec![
        (text(&mut b, "one"), body(vec![], &[N(1)])),
        (text(&mut b, "two"), body(vec![], &[N(2)])),
        (text(&mut b, "three"), body(vec![], &[N(3)])),
        (text(&mut b, ""), body(vec![], &[N(0)])),
    ]);
    let case = Rhs::Case { scrut: x(s), arms, default: Some(Box::new(body(vec![], &[N(-1)]))) };
    let arms = Arms::Con(OPTION, vec![(0, vec![], body(vec![], &[N(-2)])), (1, vec![s], tail(vec![], &[inner], case))]);
    let code = tail(vec![], &[r], Rhs::Case { scrut: x(o), arms, default: None });
    let mut binds = vec![Bind::Fun(vec![fun(f, &[o], code)])];
    for t in ["one", "two", "three", "", "six"] {
        let (some, out) = (b.v("some", option), b.v("out", int));
        let t = b.str(t);
        binds.push(val(&[some], Rhs::Con { data: OPTION, con: 1, args: vec![t] }));
        binds.push(val(&[out], app(f, &[x(some)])));
        binds.extend(b.print_int(x(out)));
    }
    let out = b.v("out", int);
    binds.push(val(&[out], app(f, &[Atom::Con(OPTION, 0)])));
    binds.extend(b.print_int(x(out)));
    b.p.main = body(binds, &[]);
    check(b, "1\n2\n3\n0\n~1\n~2\n", done());
}

/// div and mod round down, quot and rem to zero, for all signs, and shifts beyond the word give 0 or the sign.
#[test]
fn arithmetic() {
    let mut b = B::new();
    let int = b.int;
    let mut binds = Vec::new();
    let mut expected = String::new();
    let unknown_ty = b.arrow(&[int], &[int]);
    let id = b.v("id", unknown_ty);
    let (n, m, r, r2) = (b.v("n", int), b.v("m", int), b.v("r", int), b.v("r2", int));
    let t = b.v("t", b.bool);
    // A recursive identity, so that constants are not seen through.
    let no = tail(vec![val(&[m], prim(Prim::IntSub, &[x(n), N(1_000_000)]))], &[r2], app(id, &[x(m)]));
    let code = tail(vec![val(&[t], prim(Prim::IntLt, &[x(n), N(1_000_000)]))], &[r], if_(t, body(vec![], &[x(n)]), no));
    binds.push(Bind::Fun(vec![fun(id, &[n], code)]));
    for (a, d) in [(7i64, 2i64), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5), (-1, 4), (9, -1)] {
        let floor = a.div_euclid(d) - i64::from(d < 0 && a.rem_euclid(d) != 0);
        let rows =
            [(Prim::IntDiv, floor), (Prim::IntMod, a - floor * d), (Prim::IntQuot, a / d), (Prim::IntRem, a % d)];
        for (p, want) in rows {
            for constant in [false, true] {
                let (av, dv, out) = (b.v("a", int), b.v("d", int), b.v("out", int));
                binds.push(val(&[av], app(id, &[N(a)])));
                binds.push(val(&[dv], if constant { Rhs::Atoms(vec![N(d)]) } else { app(id, &[N(d)]) }));
                binds.push(val(&[out], prim(p, &[x(av), x(dv)])));
                binds.extend(b.print_int(x(out)));
                expected.push_str(&format!("{want}\n").replace('-', "~"));
            }
        }
    }
    for (p, a, n, want) in [
        (Prim::WordShl, 1i64, 3i64, 8i64),
        (Prim::WordShl, 1, 64, 0),
        (Prim::WordShr, -1, 63, 1),
        (Prim::WordShr, -1, 200, 0),
        (Prim::WordSar, -8, 1, -4),
        (Prim::WordSar, -8, 99, -1),
    ] {
        for constant in [false, true] {
            let (nv, out) = (b.v("n", int), b.v("out", int));
            binds.push(val(&[nv], if constant { Rhs::Atoms(vec![N(n)]) } else { app(id, &[N(n)]) }));
            binds.push(val(&[out], prim(p, &[N(a), x(nv)])));
            binds.extend(b.print_int(x(out)));
            expected.push_str(&format!("{want}\n").replace('-', "~"));
        }
    }
    b.p.main = body(binds, &[]);
    check(b, &expected, done());
}

/// What stands in a fresh array in place of an address is told from addresses; at types with immediates among their
/// values, and at types without addresses, nothing is. The hash tables of the library count on it.
#[test]
fn an_array_lacks_what_nobody_stored() {
    let mut b = B::new();
    let (int, string, option) = (b.int, b.string, b.option);
    let mut binds = Vec::new();
    for (elem, stored) in [(string, b.str("x")), (option, b.str("y")), (int, N(7))] {
        let ty = b.p.types.intern(TyData::Array(elem));
        let array = b.v("array", ty);
        let of = |prim: Prim, args: &[Atom]| Rhs::Prim { prim, tys: vec![elem], args: args.to_vec() };
        binds.push(val(&[array], of(Prim::ArrayNewUninit, &[N(2)])));
        let stored = if elem == option {
            let some = b.v("some", option);
            binds.push(val(&[some], Rhs::Con { data: OPTION, con: 1, args: vec![stored] }));
            x(some)
        } else {
            stored
        };
        binds.push(val(&[], of(Prim::ArrayUpdateUnsafe, &[x(array), N(1), stored])));
        for index in [0, 1] {
            let (value, lacks, shown) = (b.v("value", elem), b.v("lacks", b.bool), b.v("shown", int));
            binds.push(val(&[value], of(Prim::ArraySubUnsafe, &[x(array), N(index)])));
            binds.push(val(&[lacks], of(Prim::ArrayLacks, &[x(array), x(value)])));
            binds.push(val(&[shown], if_(lacks, body(vec![], &[N(1)]), body(vec![], &[N(0)]))));
            binds.extend(b.print_int(x(shown)));
        }
    }
    b.p.main = body(binds, &[]);
    let shown = check(b, "1\n0\n0\n0\n0\n0\n", End::Returned(vec![]));
    assert_eq!(shown.matches("is_imm").count(), 2, "{shown}");
}
