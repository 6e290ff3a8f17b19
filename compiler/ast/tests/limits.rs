//! Large and deep texts, and random ones: nothing overflows the stack, takes long, or panics.

use leat_ast::{
    Const, DEEPEST, DecKind, ExpKind, FixityEnv, LONGEST_PATH, Magnitude, ParseOptions, Program, decode, parse, print,
};
use leat_base::{Diagnostic, FileId, SourceMap, render};
use leat_random::{Random, setting};

fn read(text: &str) -> (Program, Vec<Diagnostic>) {
    parse(FileId(0), text, &ParseOptions::default(), &mut FixityEnv::basis())
}

/// Parses without errors, prints, and the print parses and prints the same again.
fn fine(text: &str) {
    let (program, errors) = read(text);
    assert!(errors.is_empty(), "{:?}", &errors[..1]);
    let printed = print::print(&program, &FixityEnv::basis());
    let (again, errors) = read(&printed);
    assert!(errors.is_empty(), "{:?}", &errors[..1]);
    assert!(print::print(&again, &FixityEnv::basis()) == printed);
}

#[test]
fn long_chains() {
    let n = 10_000;
    fine(&format!("val x = [{}0]", "1, ".repeat(n)));
    fine(&format!("val x = {}nil", "1 :: ".repeat(n)));
    fine(&format!("val {}nil = x", "y :: ".repeat(n)));
    fine(&format!("val x = {}nil", "a @ ".repeat(n)));
    fine(&format!("val x = {}1", "1 + ".repeat(n)));
    fine(&format!("val x = {}1", "1 * 2 + ".repeat(n)));
    fine(&format!("val x = {}c", "if a then b else ".repeat(n)));
    fine(&format!("val x = {}c", "a andalso ".repeat(n)));
    fine(&format!("val x = {}c", "a orelse ".repeat(n)));
    fine(&format!("val x = f{}", " a".repeat(n)));
    fine(&format!("val x = ({}c)", "a; ".repeat(n)));
    fine(&format!("type t = {}int", "int -> ".repeat(n)));
    fine(&format!("type t = {}int", "int * ".repeat(n)));
    fine(&format!("type t = int{}", " list".repeat(n)));
    fine(&"val x = 1 ".repeat(n));
    fine(&format!("fun f 0 = 1{}", " | f x = 2".repeat(n)));
    fine(&format!("datatype t = A{}", (0..n).map(|i| format!(" | A{i}")).collect::<String>()));
    fine(&format!("val x = case y of A => 1{}", " | B => 2".repeat(n)));
}

/// Runs on a stack of the size that `parse` asks for; a test's own thread has less.
fn with_stack(f: fn()) {
    std::thread::Builder::new().stack_size(40 << 20).spawn(f).unwrap().join().unwrap();
}

/// A chain that the later stages could not follow is an error, and its declaration is gone.
#[test]
fn endless_chains() {
    let n = LONGEST_PATH + 10;
    for text in [
        format!("val x = {}1 val y = 2", "1 + ".repeat(n)),
        format!("val x = {}nil val y = 2", "(1) :: ".repeat(n)),
        format!("type t = int{} val y = 2", " list".repeat(n)),
    ] {
        let (program, errors) = read(&text);
        assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), ["syntax/too-deep"]);
        assert_eq!(program.decs.len(), 1);
    }
    let (program, errors) = read(&format!("val x = [{}0]", "1, ".repeat(n)));
    assert!(errors.is_empty() && program.decs.len() == 1);
}

/// An argument of a functor without its parentheses is mended, and one inside of it: that nests, too, and had no limit.
#[test]
fn functors_without_parentheses() {
    with_stack(|| {
        let (program, errors) = read(&format!("structure A = {}X val y = 2", "F ".repeat(100_000)));
        assert!(!errors.is_empty() && errors.iter().all(|error| error.code == "syntax/functor"));
        // Behind the limit the text is given up; that is one message too many.
        assert_eq!(program.decs.len(), 1);
    });
}

/// Nesting up to the limit is understood, more is one clear error.
#[test]
fn deep_nesting() {
    with_stack(deep_nesting_cases);
}

fn deep_nesting_cases() {
    let some = DEEPEST as usize / 2 - 10;
    let many = 100_000;
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("f (", "1", ")"),
        ("#[", "1", "]"),
        ("let val x = ", "1", " in x end"),
        ("if ", "a", " then b else c"),
        ("fn x => ", "x", ""),
        ("case x of y => ", "x", ""),
        ("raise ", "x", ""),
        ("while x do ", "x", ""),
        ("{a = ", "1", "}"),
        ("(1, ", "1", ")"),
    ] {
        let text = |n: usize| format!("val x = {}{middle}{}", open.repeat(n), close.repeat(n));
        fine(&text(some));
        let (_, errors) = read(&text(many));
        assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), ["syntax/too-deep"], "{open}");
    }
    for (before, open, middle, close, after) in [
        ("val ", "(", "x", ")", " = 1"),
        ("val ", "SOME (", "x", ")", " = 1"),
        ("val ", "x as ", "x", "", " = 1"),
        ("type t = ", "(", "int", ")", ""),
        ("type t = ", "{a : ", "int", "}", ""),
        ("structure A = ", "struct structure A = ", "B", " end", ""),
        ("structure A = ", "F (", "B", ")", ""),
        ("signature A = ", "sig structure A : ", "B", " end", ""),
        ("", "local ", "", " in end", ""),
    ] {
        let text = |n: usize| format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n));
        fine(&text(some));
        let (_, errors) = read(&text(many));
        assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), ["syntax/too-deep"], "{open}");
    }
    fine(&format!("{}val x = 1{}", "(*".repeat(many), "*)".repeat(many)).replace("val x = 1", ""));
}

#[test]
fn huge_constants() {
    let digits = "7".repeat(10_000);
    let (program, errors) = read(&format!("val x = ~{digits} val y = {digits}.{digits}e{digits} val z = \"{digits}\""));
    assert!(errors.is_empty());
    let DecKind::Val { binds, .. } = &program.ast[program.decs[0]].kind else { panic!() };
    let ExpKind::Const(Const::Int(i)) = &program.ast[binds[0].exp].kind else { panic!() };
    assert!(i.negative && i.magnitude == Magnitude::Big(digits.as_str().into()));
    assert_eq!((i.to_i64(), i.to_u64()), (None, None));
}

#[test]
fn values_of_constants() {
    let (program, _) = read("val x = [9223372036854775807, ~9223372036854775808, 0x7F, ~0x80, 9223372036854775808]");
    let DecKind::Val { binds, .. } = &program.ast[program.decs[0]].kind else { panic!() };
    let ExpKind::List(es) = &program.ast[binds[0].exp].kind else { panic!() };
    let values: Vec<_> = es
        .iter()
        .map(|&e| match &program.ast[e].kind {
            ExpKind::Const(Const::Int(i)) => i.to_i64(),
            _ => panic!(),
        })
        .collect();
    assert_eq!(values, [Some(i64::MAX), Some(i64::MIN), Some(127), Some(-128), None]);
    assert_eq!(leat_ast::real_value("~1.5e~3"), -0.0015);
}

/// The fixities of one text hold in the next, as in a session.
#[test]
fn fixity_continues() {
    let mut fixity = FixityEnv::basis();
    let mut next = |text: &str| {
        let (_, errors) = parse(FileId(0), text, &ParseOptions::default(), &mut fixity);
        errors.len()
    };
    assert_eq!(next("infix 4 <=> fun a <=> b = a"), 0);
    assert_eq!(next("val x = 1 <=> 2"), 0);
    assert_eq!(next("structure S = struct nonfix <=> val x = <=> (1, 2) end"), 0);
    assert_eq!(next("val x = <=> (1, 2)"), 1);
    assert_eq!(next("nonfix <=>"), 0);
    assert_eq!(next("val x = <=> (1, 2)"), 0);
}

/// Every place of every part is inside the text, also of odd ones.
#[test]
fn places_of_long_identifiers() {
    let (program, _) = read("val x = List.Pair.map");
    let DecKind::Val { binds, .. } = &program.ast[program.decs[0]].kind else { panic!() };
    let ExpKind::Id { id, .. } = &program.ast[binds[0].exp].kind else { panic!() };
    let parts: Vec<_> = id.parts().map(|n| (n.symbol.as_str(), n.span.lo, n.span.hi)).collect();
    assert_eq!(parts, [("List", 8, 12), ("Pair", 13, 17), ("map", 18, 21)]);
    assert_eq!((id.last().span.lo, id.to_string()), (18, "List.Pair.map".to_string()));
}

/// Token soup, and grammar cases with tokens dropped, doubled, swapped and bytes changed. The
/// seed is fixed, so a failure repeats; `SEED=n` takes another.
#[test]
fn random_texts() {
    let words: Vec<&str> = "abstype and andalso as case datatype do else end exception fn fun handle if in infix infixr \
        let local nonfix of op open orelse raise rec then type val with withtype while eqtype functor include sharing sig \
        signature struct structure where ( ) [ ] { } , : :> ; ... _ | = => -> # * + :: x y f A B.c A.+ 'a ''b 0 1 ~1 0x1 0w1 \
        1.5 \"s\" #\"c\" (* *) \" #[ int list 5 \\ \u{e9} \0 \n \n"
        .split(' ')
        .chain([" ", "\n", "\t"])
        .collect();
    let corpus = include_str!("data/grammar.txt").to_string() + include_str!("data/errors.txt");
    let cases: Vec<&str> = corpus.split("\n--- ").map(|c| c.split("===").next().unwrap_or(c)).collect();
    let mut random = Random::new(setting("SEED", 1));
    for round in 0..20_000 {
        let mut text: Vec<u8> = if round % 2 == 0 {
            (0..random.below(60)).flat_map(|_| [words[random.below(words.len())], " "]).collect::<String>().into_bytes()
        } else {
            let case = cases[random.below(cases.len())];
            let mut pieces: Vec<&str> = case.split_inclusive([' ', '\n', '(', ')']).collect();
            for _ in 0..1 + random.below(4) {
                if pieces.is_empty() {
                    break;
                }
                let (i, j) = (random.below(pieces.len()), random.below(pieces.len()));
                match random.below(4) {
                    0 => drop(pieces.remove(i)),
                    1 => pieces.insert(i, pieces[j]),
                    2 => pieces.swap(i, j),
                    _ => pieces.insert(i, words[random.below(words.len())]),
                }
            }
            pieces.concat().into_bytes()
        };
        if random.below(4) == 0 && !text.is_empty() {
            let i = random.below(text.len());
            text[i] = random.below(256) as u8;
        }
        let text = decode(text);
        let (program, errors) = read(&text);
        for e in &errors {
            let (lo, hi) = (e.span.lo as usize, e.span.hi as usize);
            assert!(lo <= hi && hi <= text.len(), "{e:?}");
        }
        let printed = print::print(&program, &FixityEnv::basis());
        print::print_explicit(&program, &FixityEnv::basis());
        if errors.is_empty() {
            let (again, errors) = read(&printed);
            assert!(errors.is_empty(), "{text}\n-- printed:\n{printed}\n{errors:?}");
            assert_eq!(print::print(&again, &FixityEnv::basis()), printed);
        } else if round % 16 == 1 {
            let mut sources = SourceMap::new();
            sources.add("random.sml", &text);
            render(&errors, &sources, round % 32 == 1);
        }
    }
}

/// More than 50 MB of text a second through the lexer, and a good part of it through the parser:
/// here only that nothing is quadratic.
#[test]
fn large_texts() {
    with_stack(large_texts_cases);
}

fn large_texts_cases() {
    let text =
        "fun f (x : int) = let val y = [1, 2, x] in case y of nil => x | z :: _ => z * x + 17 end\n".repeat(20_000);
    let start = std::time::Instant::now();
    let (program, errors) = read(&text);
    let seconds = start.elapsed().as_secs_f64();
    assert!(errors.is_empty() && program.decs.len() == 20_000);
    println!("{:.1} MB/s, {} expressions", text.len() as f64 / seconds / 1e6, program.ast.exps.len());
    assert!(seconds < 5.0);
    let (_, errors) = read(&");\n".repeat(1_000_000));
    assert_eq!(errors.len(), 1000);
    let mut sources = SourceMap::new();
    sources.add("brackets.sml", &");\n".repeat(1_000_000));
    render(&errors, &sources, false);
    let (_, errors) = read(&"(".repeat(1_000_000));
    assert!(!errors.is_empty());
    let (_, errors) = read(&"let ".repeat(1_000_000));
    assert!(!errors.is_empty());
    let (_, errors) = read(&"val x = (1 ".repeat(100_000));
    assert!(!errors.is_empty());
    let (_, errors) = read(&"val x = let fun f (".repeat(100_000));
    assert!(!errors.is_empty());
}
