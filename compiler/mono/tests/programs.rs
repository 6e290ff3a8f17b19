//! Texts through all stages up to Mono, verified after each, run by the interpreter: what they print and how they end.

mod common;

use common::{run_deep, sizes};

/// Programs with what they print.
const PRINTS: &[(&str, &str)] = &[
    // Order of evaluation, labels out of order, shadowing.
    (r#"val r = {b = (print "b"; 1), a = (print "a"; 2)} val () = sayi (#a r * 10 + #b r)"#, "ba21\n"),
    (r#"val () = app sayi (map (fn x => x * x) [1, 2, 3])"#, "1\n4\n9\n"),
    (r#"fun f (x, y) = x - y val g = f val () = sayi (g (10, 3)) val p = (7, 4) val () = sayi (g p)"#, "7\n3\n"),
    (r#"val () = app (fn (a, b) => sayi (a + b)) [(1, 2), (3, 4)]"#, "3\n7\n"),
    // Tuples larger than what is flattened.
    (
        r#"fun f (a, b, c, d, e, f, g, h, i, j, k, l, m, n) = a + n
           fun five x = (x, x + 1, x + 2, x + 3, x + 4)
           val (a, _, _, _, e) = five 10
           val t = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
           val () = (sayi (f t); sayi (a + e); app (fn t => sayi (f t)) [t])"#,
        "15\n24\n15\n",
    ),
    // Curried functions, local polymorphism inside polymorphism.
    (
        r#"fun pair x = let fun both y = (x, y) in (both 1, both "s") end
           val ((a, b), (c, d)) = pair true
           val ((e, _), (_, g)) = pair 5
           val () = (sayb a; sayi b; sayb c; say d; sayi e; say g)
           fun curry f a b = f (a, b)
           val () = sayi (curry (fn (a, b) => a * b) 6 7)"#,
        "true\n1\ntrue\ns\n5\ns\n42\n",
    ),
    // Exceptions: generative, with arguments, re-raised, handled in order.
    (
        r#"exception E of int exception F
           fun t f = (f (); "none") handle E n => "E " ^ itos n | F => "F" | Overflow => "Overflow"
           val () = say (t (fn () => raise E 3))
           val () = say (t (fn () => raise F))
           val () = say (t (fn () => ()))
           val () = sayi ((sayi (1 div 0); 1) handle Div => 2)
           val () = say (t (fn () => sayi (4611686018427387904 * 2)))
           fun make () = let exception G in (fn () => raise G, fn f => (f () handle G => say "mine")) end
           val (r1, h1) = make () val (r2, h2) = make ()
           val () = h1 r1
           val () = (h1 r2) handle _ => say "other""#,
        "E 3\nF\nnone\n2\nOverflow\nmine\nother\n",
    ),
    (r#"val () = (case [1] of [] => () | [x, y] => ()) handle Match => say "match""#, "match\n"),
    (r#"val () = let val [x] = [1, 2] in sayi x end handle Bind => say "bind""#, "bind\n"),
    (r#"val x :: _ = [5, 6] val (SOME y, _) = (SOME 1, 2) val () = sayi (x + y)"#, "6\n"),
    // References, arrays, while, sequences.
    (
        r#"val r = ref 0 val () = while !r < 3 do (sayi (!r); r := !r + 1)
           val a = array (3, (1, 2)) val () = update (a, 1, (5, 6))
           val (x, y) = sub (a, 1) val () = sayi (x * y + length a)
           val () = (sub (a, 3); ()) handle Subscript => say "sub"
           val u = ref () val () = u := () val () = !u
           val ref z = ref 9 val () = sayi z
           fun g (ref 0) = "zero" | g (ref n) = itos n val () = (say (g (ref 0)); say (g (ref 4)))"#,
        "0\n1\n2\n33\nsub\n9\nzero\n4\n",
    ),
    // Equality at many types.
    (
        r#"datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
           datatype color = Red | Green | Blue
           val t = Node (Leaf, (1, "a"), Node (Leaf, (2, "b"), Leaf))
           fun copy Leaf = Leaf | copy (Node (l, x, r)) = Node (copy l, x, copy r)
           val r = ref 1
           val () = (sayb (t = copy t); sayb (t = Leaf); sayb (Red = Green); sayb (Blue = Blue);
             sayb ([1, 2, 3] = [1, 2, 3]); sayb ([1, 2] = [1, 2, 3]); sayb ("ab" = "a" ^ "b"); sayb (r = r);
             sayb (r = ref 1); sayb ((1, (2, "x")) = (1, (2, "x"))); sayb (() = ()); sayb (SOME () = NONE);
             sayb ({a = #"x", b = 0w1} = {b = 0w1, a = #"x"}))
           fun mem (x, nil) = false | mem (x, y :: ys) = x = y orelse mem (x, ys)
           val () = (sayb (mem (3, [1, 2, 3])); sayb (mem (SOME "q", [NONE])))
           val eq = op = val () = sayb (eq ((1, 2), (1, 2)))"#,
        "true\nfalse\nfalse\ntrue\ntrue\nfalse\ntrue\ntrue\nfalse\ntrue\ntrue\nfalse\ntrue\ntrue\nfalse\ntrue\n",
    ),
    // A non-regular datatype: its instances have no end.
    (
        r#"datatype 'a t = R of 'a | L of ('a t) t
           fun f (R x) = x | f (L _) = 0
           val () = (sayi (f (R 5)); sayi (f (L (R (R 1)))))
           datatype 'a perfect = Zero of 'a | Succ of ('a * 'a) perfect
           val p = Succ (Succ (Zero ((1, 2), (3, 4))))
           val () = case p of Succ (Succ (Zero ((a, _), _))) => sayi a | _ => say "?"
           val () = sayb (p = Succ (Zero (1, 2)))"#,
        "5\n0\n1\nfalse\n",
    ),
    // Strings, characters, words and ints in patterns.
    (
        r#"fun s "one" = 1 | s "two" = 2 | s _ = 0
           fun c #"a" = "A" | c #"b" = "B" | c _ = "?"
           fun w 0w0 = 0 | w 0w255 = 1 | w _ = 2
           fun n ~1 = "neg" | n 0 = "zero" | n _ = "many"
           val () = (sayi (s "two"); sayi (s "x"); say (c #"b"); sayi (w 0w255); say (n ~1); say (n 7))"#,
        "2\n0\nB\n1\nneg\nmany\n",
    ),
    // A rule that several leaves reach.
    (
        r#"fun f (0, y) = y | f (x, 0) = x | f (x, y) = x * 100 + y
           fun g (SOME x, _) = x | g (_, SOME y) = y + 10 | g (NONE, NONE) = 0
           fun h (x as (1, _), _) = #2 x | h (_, (2, y)) = y | h ((a, b), (c, d)) = a + b + c + d
           val () = app sayi [f (0, 3), f (4, 0), f (5, 6), g (SOME 1, NONE), g (NONE, SOME 2), g (NONE, NONE),
             h ((1, 7), (2, 8)), h ((3, 7), (2, 8)), h ((3, 4), (5, 6))]"#,
        "3\n4\n506\n1\n12\n0\n7\n8\n18\n",
    ),
    // Constructors, exceptions and primitives as functions.
    (
        r#"exception E of int * int
           val () = app (fn SOME (x, y) => sayi (x + y) | NONE => ()) (map SOME [(1, 2), (3, 4)])
           val () = app (fn e => (raise e) handle E (x, y) => sayi (x * y)) (map E [(5, 6)])
           val () = app (fn r => sayi (!r)) (map ref [1])
           fun fold f a nil = a | fold f a (x :: xs) = fold f (f (x, a)) xs
           val () = sayi (fold op + 0 [1, 2, 3])
           val () = app sayi (fold op :: [] [1, 2])
           val () = app (fn f => sayi (f {a = 1, b = 2})) [#a, #b]"#,
        "3\n7\n30\n1\n6\n2\n1\n1\n2\n",
    ),
    // Abstract types are seen through; functors.
    (
        r#"signature S = sig type t val make : int -> t val get : t -> int end
           structure A :> S = struct type t = int * int fun make n = (n, n + 1) fun get (a, b) = a + b end
           val () = sayi (A.get (A.make 3))
           functor F (X : S) = struct exception E of X.t fun twice n = X.get (X.make n) * 2 end
           structure B = F (A) structure C = F (A)
           val () = sayi (B.twice 1)
           val () = (raise B.E (A.make 1)) handle C.E _ => say "C" | B.E x => sayi (A.get x)"#,
        "7\n6\n3\n",
    ),
    // One-label records, unit arguments, unit fields.
    (
        r#"val {a} = {a = 4} val () = sayi (#a {a = a + 1})
           datatype u = U of unit | V
           fun f (U ()) = 1 | f V = 2 val () = sayi (f (U ()) * 10 + f V)
           val l = [(), ()] fun len nil = 0 | len (() :: r) = 1 + len r val () = sayi (len l)
           val () = sayb (map (fn () => ()) l = l)"#,
        "5\n12\n2\ntrue\n",
    ),
    // A tuple that a closure needs whole is one object; values through polymorphic code.
    (
        r#"fun id x = x val (a, b) = id (1, "x") val () = (sayi a; say b)
           fun const x _ = x
           val f = const (3, 4) val (c, d) = f () val () = sayi (c + d)
           val fs = map (fn x => fn () => x) [(1, 2), (3, 4)]
           val () = app (fn f => let val (x, y) = f () in sayi (x * y) end) fs"#,
        "1\nx\n7\n2\n12\n",
    ),
    // Mutual recursion; closures that escape.
    (
        r#"fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1)
           val () = sayb (even 100001)
           fun counter () = let val r = ref 0 in fn () => (r := !r + 1; !r) end
           val c = counter () val _ = c () val () = sayi (c ())"#,
        "false\n2\n",
    ),
    (r#"val () = say "before" val _ = exit 3 : int val () = say "after""#, "before\n"),
    (r#"fun f x = if x then exit 0 else "no" val () = say (f false)"#, "no\n"),
    (r#"val v = #[1, 2, 3] val () = sayi (vsub (v, 2)) val () = sayb (#[(1, 2)] = #[(1, 2)])"#, "3\ntrue\n"),
    // The value of a polymorphic declaration whose pattern can fail.
    (r#"val () = let val NONE = SOME (fn x => x) in () end handle Bind => say "bind""#, "bind\n"),
    (r#"val (f, g) = (fn x => x, fn x => (x, x)) val (a, b) = g (f 1) val () = (sayi (a + b); say (f "s"))"#, "2\ns\n"),
    // `raise` wherever a value may stand.
    (
        r#"exception E
           fun f x = (1, if x then raise E else 2)
           val () = (sayi (#2 (f false)); sayi (#1 (f true))) handle E => say "E"
           val () = (fn _ => say "no") (raise E) handle E => say "arg"
           fun g () = (raise E) : int * int
           val () = let val (x, y) = g () in sayi (x + y) end handle E => say "let""#,
        "2\nE\narg\nlet\n",
    ),
    // A known case of SOME f, where nobody uses f, was counted as the end of SOME's own use of f: in the copy of the
    // function that inlining makes, f was dropped and SOME f stayed.
    (
        r#"fun fst (a, _) = a
           fun v n = if n <= 0 then 0 else if (case SOME (fn _ => 0) of NONE => true | SOME _ => fst (true, 3)) then 1 else 0
           fun w n = v (n mod 3)
           val () = sayi (w ~1)"#,
        "1\n",
    ),
];

#[test]
fn programs_print() {
    let mut wrong = 0;
    for (text, expected) in PRINTS {
        let printed = run_deep(text).map(|(ended, _)| String::from_utf8_lossy(&ended.stdout).into_owned());
        if printed.as_deref() != Some(*expected) {
            println!("{text}\n-- expected\n{expected}\n-- printed\n{}", printed.as_deref().unwrap_or("(failed)"));
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0);
}

#[test]
fn programs_end() {
    let (ended, _) = run_deep("exception Mine of int val () = raise Mine 3").unwrap();
    assert_eq!((ended.code, ended.uncaught.as_deref()), (1, Some("Mine")));
    let (ended, _) = run_deep("val _ = exit 7 : unit").unwrap();
    assert_eq!((ended.code, ended.uncaught), (7, None));
}

/// Matches with their warnings.
const WARNINGS: &[(&str, &str)] = &[
    ("fun f nil = 0 | f [x] = x", "match/nonexhaustive: `_ :: _ :: _`"),
    ("fun f (nil, _) = 0 | f (_, nil) = 1", "`(_ :: _, _ :: _)`"),
    ("fun f (x :: nil) = x", "`nil`, `_ :: _ :: _`"),
    ("fun f (SOME (1, true)) = 0", "`NONE`, `SOME (0, _)`, `SOME (1, false)`"),
    ("fun f 0 = 0 | f 1 = 2", "`2`"),
    ("fun f #\"a\" = 0", "`#\"b\"`"),
    ("fun f \"\" = 0 | f \"a\" = 1", "`\"aa\"`"),
    ("fun f {a = 1, b = _} = 0", "`{a = 0, ...}`"),
    ("fun f (ref 0) = 0", "`ref 1`"),
    (
        "datatype t = A | B of t * t fun f (B (A, B (A, _))) = 0 | f A = 1",
        "`B (A, A)`, `B (A, B (B _, _))`, `B (B _, _)`",
    ),
    // Of constructors that one default branch stands for only the first was named.
    ("datatype t = A | B of int | C | D fun f A = 1", "`B _`, `C`, `D`"),
    ("datatype t = A | B of int | C | D | E fun f A = 1", "`B _`, `C`, `D` and others"),
    ("datatype t = A | B | C fun f (A, B) = 1 | f (_, C) = 2", "`(B, B)`, `(C, B)`, `(_, A)`"),
    ("datatype t = A | B | C fun f (A, A) = 1", "`(A, B)`, `(A, C)`, `(B, _)` and others"),
    ("fun f (x : int) = x val _ = fn Div => 1", "`_`"),
    ("fun f _ = 0 | f 1 = 2", "match/redundant"),
    ("fun f true = 0 | f false = 1 | f _ = 2", "match/redundant"),
    ("fun f (1, _) = 0 | f (_, 1) = 1 | f (1, 1) = 2 | f _ = 3", "match/redundant"),
    ("val SOME x = SOME 1", "bind/nonexhaustive: `NONE`"),
    // Exhaustive, or nothing is said.
    ("val x = 1 handle Div => 2", ""),
    ("fun f (SOME x, _) = x | f (_, SOME y) = y | f (NONE, NONE) = 0", ""),
    ("fun f true = 0 | f false = 1", ""),
    ("val (a, b) = (1, 2) val {c, ...} = {c = 1, d = 2} val ref x = ref 1", ""),
];

#[test]
fn matches_are_judged() {
    for (text, expected) in WARNINGS {
        let (_, warnings) = run_deep(text).expect("lowered");
        // A code, and patterns in backquotes.
        let code = expected.split(':').next().filter(|code| code.contains("/") && !code.contains('`'));
        let patterns: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let fine = expected.is_empty() == warnings.is_empty()
            && code.is_none_or(|code| warnings.contains(code))
            && patterns.iter().all(|pattern| warnings.contains(&format!("`{pattern}`")))
            && expected.ends_with(" and others") == warnings.contains(" and others");
        assert!(fine, "{text}: {warnings}");
    }
}

/// A family of programs whose size grows; none may take long or much stack.
fn large(name: &str) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    match name {
        "list literal" => {
            let items: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
            let _ = write!(
                text,
                "val l = [{}] fun len (nil, n) = n | len (_ :: r, n) = len (r, n + 1) val () = sayi (len (l, 0))",
                items.join(",")
            );
        }
        "case of ints" => {
            let _ = write!(text, "fun f 0 = 0");
            (1..5_000).for_each(|i| write!(text, " | f {i} = {}", i * 2).expect("a string takes all"));
            let _ = write!(text, " | f _ = ~1 val () = sayi (f 4999)");
        }
        "case of pairs" => {
            let _ = write!(text, "fun f (0, \"0\") = 0");
            (1..5_000).for_each(|i| write!(text, " | f ({i}, \"{i}\") = {i}").expect("a string takes all"));
            let _ = write!(text, " | f _ = ~1 val () = sayi (f (4999, \"4999\"))");
        }
        "enumeration" => {
            let _ = write!(text, "datatype t = C0");
            (1..5_000).for_each(|i| write!(text, " | C{i}").expect("a string takes all"));
            let _ = write!(text, " fun f C0 = 0");
            (1..5_000).for_each(|i| write!(text, " | f C{i} = {i}").expect("a string takes all"));
            let _ = write!(text, " val () = sayi (f C4998)");
        }
        "exceptions" => {
            (0..2_000).for_each(|i| write!(text, "exception E{i} ").expect("a string takes all"));
            let _ = write!(text, "fun f () = raise E1999 val () = f () handle E0 => sayi 0");
            (1..2_000).for_each(|i| write!(text, " | E{i} => sayi {i}").expect("a string takes all"));
        }
        "nesting" => {
            let _ = write!(text, "val () = sayi ({}1{})", "(1 + ".repeat(1_500), ")".repeat(1_500));
        }
        "lets" => {
            let _ = write!(text, "val () = let val x0 = 1");
            (1..10_000).for_each(|i| write!(text, " val x{i} = x{} + 1", i - 1).expect("a string takes all"));
            let _ = write!(text, " in sayi x9999 end");
        }
        "functions" => {
            let _ = write!(text, "fun f0 x = x");
            (1..5_000).for_each(|i| write!(text, " fun f{i} x = f{} x", i - 1).expect("a string takes all"));
            let _ = write!(text, " val () = (sayi (f4999 1); say (f4999 \"s\"))");
        }
        "wild columns" => {
            // Each rule looks at another column: the tree would have 2^18 leaves.
            for i in 0..18 {
                let pat: Vec<&str> = (0..18).map(|j| if i == j { "true" } else { "_" }).collect();
                let _ = write!(text, "{} f ({}) = {i}", if i == 0 { "fun" } else { "|" }, pat.join(","));
            }
            let all = vec!["false"; 17].join(",");
            let _ = write!(text, " | f _ = ~1 val () = sayi (f ({all}, true))");
        }
        "pairs of rules" => {
            // Rules that test two columns each: trees explode with many heuristics.
            for i in 0..40 {
                let pat: Vec<&str> = (0..40)
                    .map(|j| {
                        if i == j {
                            "0"
                        } else if (i + 7) % 40 == j {
                            "1"
                        } else {
                            "_"
                        }
                    })
                    .collect();
                let _ = write!(text, "{} f ({}) = {i}", if i == 0 { "fun" } else { "|" }, pat.join(","));
            }
            let all = vec!["2"; 40].join(",");
            let _ = write!(text, " | f _ = ~1 val () = sayi (f ({all}))");
        }
        _ => unreachable!(),
    }
    text
}

#[test]
fn large_programs_take_little_time() {
    for (name, printed) in [
        ("list literal", "10000\n"),
        ("case of ints", "9998\n"),
        ("case of pairs", "4999\n"),
        ("enumeration", "4998\n"),
        ("exceptions", "1999\n"),
        ("nesting", "1501\n"),
        ("lets", "10000\n"),
        ("functions", "1\ns\n"),
        ("wild columns", "17\n"),
        ("pairs of rules", "~1\n"),
    ] {
        let start = std::time::Instant::now();
        let (ended, _) = run_deep(&large(name)).expect(name);
        println!("{name}: {:?}", start.elapsed());
        assert_eq!(String::from_utf8_lossy(&ended.stdout), printed, "{name}");
        assert!(start.elapsed().as_secs() < 10, "{name} took {:?}", start.elapsed());
    }
}

/// The layouts of SML/NJ's pretty printer are partial applications, `hovBox (i, descs)`. The worker of such a function
/// had only its wrapper as a caller, so it was inlined there; and the wrapper, with all of that, at each of 2,000 uses.
/// Behind the passes, half of a compiler of 60,000 lines was copies of such closures.
#[test]
fn a_partial_application_is_a_small_closure() {
    let steps: String = (0..40).map(|i| format!("say (k ^ itos (s + {i})); ")).collect();
    let uses: Vec<String> = (0..50).map(|i| format!("box ({i}, \"k{i}\")")).collect();
    let text = format!(
        "fun box (n, k) s = ({steps} sayi (n + s)) val l = [{}] val () = app (fn f => f 1) (rev l)",
        uses.join(", ")
    );
    let (before, after) = sizes(&text);
    assert!(after < 2 * before, "{before} instructions have become {after}");
}
