//! Random programs of modules and types that grow: a seed -> the text of a Standard ML program that ends and prints
//! what it computed, as the generator beside makes them.
//!
//! - Functors, transparent and opaque, of one or two arguments with types that are shared or fixed; their bodies apply
//!   other functors, have state, exceptions and datatypes of their own, which each application makes anew. They are
//!   applied to what others made, some levels deep.
//! - Datatypes that are not regular: inside of itself such a type has other arguments, so that values of a few levels
//!   have as many instances of each constructor, of each function and of equality. (A function that calls itself at
//!   another type is not Standard ML; `tests/reject/polymorphic-recursion.sml`.)

use leat_random::Random;
use std::fmt::Write as _;

/// A closed type of values that are shown.
#[derive(Clone)]
enum Ty {
    Int,
    Str,
    Bool,
    Pair(Box<Ty>, Box<Ty>),
    List(Box<Ty>),
    Option(Box<Ty>),
    /// A parameter of a datatype: the first or the second.
    Param(usize),
}

/// `datatype ('a, 'b) nN = ZN | KN of 'a * (first, second) nN | JN of 'b * (first, second) nN`
struct Nested {
    inner: [Ty; 2],
}

const PRELUDE: &str = r#"
signature ELEM = sig type t val x : t val next : t -> t val show : t -> string val same : t * t -> bool end
fun brief s = if size s > 50 then String.substring (s, 0, 50) ^ "~" ^ Int.toString (size s) else s
fun take (0, _) = [] | take (_, []) = [] | take (n, x :: l) = x :: take (n - 1, l)
fun times (0, _, x) = x | times (n, f, x) = times (n - 1, f, f x)
fun pair x = (x, x)
fun showPair (f, g) (x, y) = brief ("<" ^ f x ^ "," ^ g y ^ ">")
fun showList f l = brief ("[" ^ String.concatWith "," (map f l) ^ "]")
fun showOption _ NONE = "NONE" | showOption f (SOME x) = "SOME " ^ f x
structure S0 = struct type t = int val x = 1 fun next n = (n * 7 + 3) mod 1009 val show = Int.toString val same = op = : t * t -> bool end
structure S1 = struct type t = string val x = "a" fun next s = if size s > 9 then "b" else s ^ "c" fun show s = s fun same (a : t, b) = a = b end
structure S2 :> ELEM = struct datatype t = A | B of t | C of int fun next A = C 5 | next (C n) = if n > 7 then B A else C (n + 1) | next (B t) = B (next t)
  val x = A fun show A = "A" | show (B t) = "B" ^ show t | show (C n) = Int.toString n val same = op = : t * t -> bool end
structure S3 :> ELEM = struct type t = int ref * real val x = (ref 2, 0.5) fun next (r, d) = (r := (!r * 5 + 1) mod 101; (ref (!r), d * 1.5))
  fun show (r, d) = Int.toString (!r) ^ "/" ^ Int.toString (trunc d mod 1000) fun same ((a, c), (b, d)) = !a = !b andalso Real.== (c, d) end
"#;

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(PRELUDE);
    functors(&mut random, &mut text);
    for n in 0..1 + random.below(3) {
        nested(&mut random, &mut text, n);
    }
    text.push_str("val () = print \"@end\\n\"\n");
    text
}

// ------------------------------------------------------------------ functors

/// Functors `F0`, `F1`, ..., and structures made by them: `S4`, `S5`, ...
fn functors(random: &mut Random, text: &mut String) {
    let count = 3 + random.below(4);
    // How many arguments each has.
    let mut arity: Vec<usize> = vec![];
    for n in 0..count {
        let two = random.below(2) == 1;
        let head = match (two, random.below(3)) {
            (false, _) => format!("functor F{n} (A : ELEM)"),
            (true, 0) => format!("functor F{n} (structure A : ELEM structure B : ELEM where type t = A.t)"),
            (true, 1) => format!("functor F{n} (structure A : ELEM and B : ELEM sharing type A.t = B.t)"),
            (true, _) => format!("functor F{n} (structure A : ELEM structure B : ELEM)"),
        };
        // What is known of two arguments' types stands in the head: those of one type have the same argument twice.
        let twice = two && !head.ends_with("B : ELEM)");
        let seal = [" : ELEM", " :> ELEM", "", " :> ELEM where type t = A.t list"][random.below(4)];
        let body = match seal {
            " :> ELEM where type t = A.t list" => list_body("A"),
            _ => body(random, two, &arity),
        };
        let _ = writeln!(text, "{head}{seal} =\nstruct\n{body}end");
        arity.push(if twice { 3 } else { 1 + usize::from(two) });
    }
    let mut made = 4;
    for _ in 0..4 + random.below(6) {
        let f = random.below(count);
        // Mostly what was made last, so that they are deep.
        let mut any = || if random.below(2) == 0 { made - 1 } else { random.below(made) };
        let (a, b) = (any(), any());
        let arguments = match arity[f] {
            1 => format!("(S{a})"),
            2 => format!("(structure A = S{a} structure B = S{b})"),
            _ => format!("(structure A = S{a} structure B = S{a})"),
        };
        let _ = writeln!(text, "structure S{made} = F{f} {arguments}");
        made += 1;
    }
    for s in 0..made {
        let n = random.below(6);
        let _ = writeln!(
            text,
            "val () = let val a = times ({n}, S{s}.next, S{s}.x) val b = S{s}.next a in print (\"@S{s} \" ^ brief (S{s}.show a) ^ \" \" ^ brief (S{s}.show b) ^ \" \" ^ Bool.toString (S{s}.same (a, a)) ^ Bool.toString (S{s}.same (a, b)) ^ \"\\n\") end handle e => print (\"@S{s} raises \" ^ exnName e ^ \"\\n\")"
        );
    }
}

fn list_body(a: &str) -> String {
    format!(
        "  type t = {a}.t list\n  val x = [{a}.x]\n  fun next l = take (3, times (length l, {a}.next, {a}.x) :: l)\n  val show = showList {a}.show\n  fun same (l, m) = ListPair.allEq {a}.same (l, m)\n"
    )
}

/// What is between `struct` and `end`. A body with a second argument uses it.
fn body(random: &mut Random, two: bool, arity: &[usize]) -> String {
    let b = if two { "B" } else { "A" };
    let before: Vec<usize> = (0..arity.len()).filter(|&f| arity[f] == 1).collect();
    match random.below(7) {
        0 => format!(
            "  type t = A.t * {b}.t\n  val x = (A.x, {b}.x)\n  fun next (a, c) = (A.next a, {b}.next c)\n  val show = showPair (A.show, {b}.show)\n  fun same ((a, c), (d, e)) = A.same (a, d) andalso {b}.same (c, e)\n"
        ),
        1 => list_body(b),
        // State of its own.
        2 => format!(
            "  type t = A.t * int\n  val count = ref 0\n  val x = (A.x, 0)\n  fun next (a, n) = (count := !count + n + 1; if !count > 20 then raise Fail (A.show a) else (); (A.next a, !count))\n  fun show (a, n) = A.show a ^ \":\" ^ Int.toString n ^ {b}.show {b}.x\n  fun same ((a, n), (c, m)) = n = m andalso A.same (a, c)\n"
        ),
        // An exception of its own, which another application's handler does not catch.
        3 => format!(
            "  exception Mine of A.t\n  type t = exn\n  val x = Mine A.x\n  fun next (Mine a) = ((raise Mine (A.next a)) handle e as Mine _ => e)\n    | next e = raise e\n  fun show (Mine a) = \"Mine \" ^ A.show a | show e = exnName e ^ {b}.show {b}.x\n  fun same (Mine a, Mine c) = A.same (a, c) | same _ = false\n"
        ),
        // A datatype of its own, that is not regular.
        4 => format!(
            "  datatype 'a nest = N | C of 'a * ('a * 'a) nest\n  type t = A.t nest\n  val x = C (A.x, C ((A.x, A.next A.x), N))\n  fun next N = x | next (C (a, N)) = C (A.next a, C (pair a, C (pair (pair a), N)))\n    | next (C (a, C ((c, d), rest))) = C (c, C ((d, A.next a), rest))\n  fun show N = \"N\" | show (C (a, N)) = A.show a | show (C (a, C ((c, d), _))) = brief (A.show a ^ A.show c ^ A.show d ^ {b}.show {b}.x)\n  fun same (N, N) = true | same (C (a, _), C (c, _)) = A.same (a, c) | same _ = false\n"
        ),
        // What another functor makes of the argument.
        5 if !before.is_empty() => {
            let f = before[random.below(before.len())];
            format!(
                "  structure Inner = F{f} (A)\n  structure Other = F{f} ({b})\n  datatype t = L of Inner.t | R of Other.t * t\n  val x = R (Other.x, L Inner.x)\n  fun next (L i) = L (Inner.next i) | next (R (j, L i)) = R (Other.next j, R (j, L i)) | next (R (j, R (_, t))) = R (Other.next j, next t)\n  fun show (L i) = \"L\" ^ Inner.show i | show (R (j, t)) = brief (\"R\" ^ Other.show j ^ show t)\n  fun same (L i, L j) = Inner.same (i, j) | same (R (i, t), R (j, u)) = Other.same (i, j) andalso same (t, u) | same _ = false\n"
            )
        }
        // Functions in what it makes.
        _ => format!(
            "  type t = (A.t -> {b}.t * A.t) * A.t\n  val x = (fn a => ({b}.x, A.next a), A.x)\n  fun next (f, a) = let val (c, d) = f a in (fn e => ({b}.next c, #2 (f e)), d) end\n  fun show (f, a) = let val (c, d) = f a in brief ({b}.show c ^ \"-\" ^ A.show d ^ \"-\" ^ A.show a) end\n  fun same ((f, a) : t, (g, c) : t) = A.same (a, c) andalso {b}.same (#1 (f a), #1 (g c))\n"
        ),
    }
}

// ------------------------------------------------------------------ types that are not regular

fn nested(random: &mut Random, text: &mut String, n: usize) {
    let data = Nested { inner: [argument(random, 0), argument(random, 1)] };
    let (first, second) = (ty_text(&data.inner[0]), ty_text(&data.inner[1]));
    let _ = writeln!(
        text,
        "datatype ('a, 'b) n{n} = Z{n} | K{n} of 'a * ({first}, {second}) n{n} | J{n} of 'b * ({first}, {second}) n{n}"
    );
    let _ = writeln!(text, "fun tail{n} (K{n} (_, r)) = r | tail{n} (J{n} (_, r)) = r | tail{n} Z{n} = raise Empty");
    let _ = writeln!(
        text,
        "fun head{n} (f, _) (K{n} (a, _)) = f a | head{n} (_, g) (J{n} (b, _)) = g b | head{n} _ Z{n} = raise Empty"
    );
    let start = [closed(random, 1), closed(random, 0)];
    let depth = 2 + random.below(3);
    // Two values that may be the same, level by level.
    let (mut left, mut right, mut levels) = (String::new(), String::new(), vec![start]);
    for i in 0..depth {
        let which = random.below(2);
        let ty = &levels[i][which];
        let value = value(random, ty);
        let other = if random.below(4) == 0 { self::value(random, ty) } else { value.clone() };
        let con = ["K", "J"][which];
        let _ = write!(left, "{con}{n} ({value}, ");
        let _ = write!(right, "{con}{n} ({other}, ");
        let next = [at(&data.inner[0], &levels[i]), at(&data.inner[1], &levels[i])];
        levels.push(next);
    }
    let close = ")".repeat(depth);
    let _ = writeln!(text, "val l{n} = {left}Z{n}{close}\nval r{n} = {right}Z{n}{close}");
    let tails = |i: usize, of: &str| format!("{}{of}{}", format!("tail{n} (").repeat(i), ")".repeat(i));
    for (i, level) in levels.iter().enumerate() {
        let shows = format!("({}, {})", show(&level[0]), show(&level[1]));
        let (l, r) = (tails(i, &format!("l{n}")), tails(i, &format!("r{n}")));
        let _ = writeln!(
            text,
            "val () = print (\"@{n} {i} \" ^ Bool.toString ({l} = {r}) ^ \" \" ^ brief (head{n} {shows} ({r})) ^ \"\\n\") handle e => print (\"@{n} {i} \" ^ exnName e ^ \"\\n\")"
        );
    }
    // Kept in a ref and in a vector, so that it is looked at when nobody knows it any more.
    let _ = writeln!(
        text,
        "val c{n} = ref l{n} val () = (if size (Int.toString (length (CommandLine.arguments ()))) > 0 then c{n} := r{n} else ())\nval () = print (\"@{n} \" ^ Bool.toString (Vector.sub (#[l{n}, !c{n}], 1) = l{n}) ^ \"\\n\")"
    );
}

/// What a datatype's argument becomes inside of it; `grows` once a level, so that four levels are small.
fn argument(random: &mut Random, own: usize) -> Ty {
    let (a, b) = (|| Box::new(Ty::Param(own)), || Box::new(Ty::Param(1 - own)));
    match random.below(7) {
        0 => Ty::Pair(a(), a()),
        1 => Ty::Pair(a(), b()),
        2 => Ty::List(a()),
        3 => Ty::Option(b()),
        4 => Ty::Param(1 - own),
        5 => Ty::Int,
        _ => Ty::List(Box::new(Ty::Pair(b(), Box::new(Ty::Int)))),
    }
}

fn closed(random: &mut Random, depth: usize) -> Ty {
    let simple = [Ty::Int, Ty::Str, Ty::Bool][random.below(3)].clone();
    match random.below(4) {
        0 if depth > 0 => Ty::Pair(Box::new(closed(random, depth - 1)), Box::new(simple)),
        1 if depth > 0 => Ty::List(Box::new(simple)),
        _ => simple,
    }
}

/// With the parameters replaced.
fn at(ty: &Ty, params: &[Ty; 2]) -> Ty {
    match ty {
        Ty::Param(i) => params[*i].clone(),
        Ty::Pair(a, b) => Ty::Pair(Box::new(at(a, params)), Box::new(at(b, params))),
        Ty::List(a) => Ty::List(Box::new(at(a, params))),
        Ty::Option(a) => Ty::Option(Box::new(at(a, params))),
        Ty::Int | Ty::Str | Ty::Bool => ty.clone(),
    }
}

fn ty_text(ty: &Ty) -> String {
    match ty {
        Ty::Int => "int".into(),
        Ty::Str => "string".into(),
        Ty::Bool => "bool".into(),
        Ty::Pair(a, b) => format!("({} * {})", ty_text(a), ty_text(b)),
        Ty::List(a) => format!("{} list", ty_text(a)),
        Ty::Option(a) => format!("{} option", ty_text(a)),
        Ty::Param(i) => ["'a", "'b"][*i].into(),
    }
}

fn value(random: &mut Random, ty: &Ty) -> String {
    match ty {
        Ty::Int => random.below(100).to_string(),
        Ty::Str => ["\"\"", "\"s\"", "\"word\""][random.below(3)].into(),
        Ty::Bool => ["true", "false"][random.below(2)].into(),
        Ty::Pair(a, b) => format!("({}, {})", value(random, a), value(random, b)),
        Ty::List(a) => {
            let items: Vec<String> = (0..1 + random.below(2)).map(|_| value(random, a)).collect();
            format!("[{}]", items.join(", "))
        }
        Ty::Option(a) => format!("(SOME {})", value(random, a)),
        Ty::Param(_) => unreachable!("values have closed types"),
    }
}

/// The function that turns a value into text.
fn show(ty: &Ty) -> String {
    match ty {
        Ty::Int => "Int.toString".into(),
        Ty::Str => "(fn s => s)".into(),
        Ty::Bool => "Bool.toString".into(),
        Ty::Pair(a, b) => format!("(showPair ({}, {}))", show(a), show(b)),
        Ty::List(a) => format!("(showList {})", show(a)),
        Ty::Option(a) => format!("(showOption {})", show(a)),
        Ty::Param(_) => unreachable!("shown types are closed"),
    }
}
