//! Match compilation against its definition: random rules on all values of a depth, the first rule that matches wins.
//!
//! Every function is run by the interpreter; rules that are never taken and values that no rule matches are compared
//! with the warnings.

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::SourceMap;
use leat_elab::Tables;
use leat_lambda::ir::TopDec;
use leat_random::{Random, setting};
use std::fmt::Write;

/// Values of `datatype t = A | B of t * t | C of int`, and patterns for them.
#[derive(Clone)]
enum Term {
    Wild,
    A,
    B(Box<(Term, Term)>),
    C(i64),
    /// A constructor with a pattern that matches any int.
    AnyC,
}

fn pattern(random: &mut Random, depth: u32) -> Term {
    match random.below(if depth == 0 { 3 } else { 8 }) {
        0 => Term::Wild,
        1 => Term::A,
        2 => Term::C(random.below(3) as i64),
        3 => Term::AnyC,
        _ => Term::B(Box::new((pattern(random, depth - 1), pattern(random, depth - 1)))),
    }
}

fn values(depth: u32) -> Vec<Term> {
    let mut out = vec![Term::A, Term::C(0), Term::C(1), Term::C(7)];
    if depth > 0 {
        let inner = values(depth - 1);
        for a in &inner {
            out.extend(inner.iter().map(|b| Term::B(Box::new((a.clone(), b.clone())))));
        }
    }
    out
}

fn matches(pattern: &Term, value: &Term) -> bool {
    match (pattern, value) {
        (Term::Wild, _) | (Term::A, Term::A) | (Term::AnyC, Term::C(_)) => true,
        (Term::C(a), Term::C(b)) => a == b,
        (Term::B(p), Term::B(v)) => matches(&p.0, &v.0) && matches(&p.1, &v.1),
        _ => false,
    }
}

fn show(term: &Term, out: &mut String) {
    match term {
        Term::Wild => out.push('_'),
        Term::A => out.push('A'),
        Term::C(n) => out.push_str(&format!("C {n}")),
        Term::AnyC => out.push_str("C _"),
        Term::B(pair) => {
            out.push_str("B (");
            show(&pair.0, out);
            out.push_str(", ");
            show(&pair.1, out);
            out.push(')');
        }
    }
}

#[test]
fn the_first_rule_that_matches_is_taken() {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(compare).unwrap();
    thread.join().unwrap();
}

fn compare() {
    let mut random = Random::new(setting("SEED", 1));
    let values = values(2);
    let functions: Vec<Vec<Term>> = (0..150)
        .map(|_| {
            let rules = 1 + random.below(9);
            (0..rules).map(|_| pattern(&mut random, 3)).collect()
        })
        .collect();

    let mut text = String::from(
        "val print = _prim \"print\" : string -> unit\nval itos = _prim \"int_to_string\" : int -> string\n\
         datatype t = A | B of t * t | C of int\nval vs = [",
    );
    for (i, value) in values.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        show(value, &mut text);
    }
    text.push_str(
        "]\nfun try f nil = print \"\\n\" | try f (v :: r) = (print (itos (f v) handle Match => \"-\"); try f r)\n",
    );
    let mut expected = String::new();
    let mut first_line = text.lines().count() as u32 + 1;
    let mut judged = Vec::new();
    for (f, rules) in functions.iter().enumerate() {
        let mut taken = vec![false; rules.len()];
        let mut misses = false;
        for (i, rule) in rules.iter().enumerate() {
            let _ = write!(text, "{} ", if i == 0 { format!("val f{f} = fn") } else { "  |".to_string() });
            show(rule, &mut text);
            let _ = writeln!(text, " => {i}");
        }
        for value in &values {
            match rules.iter().position(|rule| matches(rule, value)) {
                Some(i) => {
                    taken[i] = true;
                    let _ = write!(expected, "{i}");
                }
                None => {
                    misses = true;
                    expected.push('-');
                }
            }
        }
        expected.push('\n');
        judged.push((first_line, taken, misses));
        first_line += rules.len() as u32;
    }
    for f in 0..functions.len() {
        let _ = writeln!(text, "val () = try f{f} vs");
    }

    let mut sources = SourceMap::new();
    let mut tables = Tables::default();
    let basis = leat_elab::initial_basis(&mut tables);
    let file = sources.add("matches.sml", &text);
    let options = ParseOptions { allow_prim: true };
    let (program, errors) = leat_ast::parse(file, &text, &options, &mut FixityEnv::basis());
    let elaborated = leat_elab::elaborate(&program, &basis, &mut tables, &leat_elab::Options::default());
    let all: Vec<_> = errors.into_iter().chain(elaborated.diagnostics).collect();
    assert!(!leat_base::diagnostic::has_errors(&all), "{}", leat_base::diagnostic::render_short(&all, &sources));
    let (lambda, warnings) = leat_lambda::lower(elaborated.decs, &mut tables, leat_lambda::Options::default());
    leat_lambda::verify::verify(lambda.decs.iter(), &tables).unwrap();
    let decs: Vec<&TopDec> = lambda.decs.iter().collect();
    let mono = leat_mono::from_lambda(&decs, &tables, &sources).unwrap();
    leat_mono::verify::verify(&mono, "from_lambda").unwrap();
    let ended = leat_mono::interp::run(&mono, &[], 1_000_000_000).unwrap();
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    for ((got, wanted), rules) in printed.lines().zip(expected.lines()).zip(&functions) {
        let mut shown = String::new();
        rules.iter().for_each(|rule| {
            show(rule, &mut shown);
            shown.push('\n');
        });
        assert_eq!(got, wanted, "{shown}");
    }
    assert_eq!(printed.lines().count(), functions.len());

    // A rule that was taken is not redundant; a value without a rule has its warning.
    let line = |span| sources.line_column(span).map_or(0, |place| place.0);
    for (first, taken, misses) in judged {
        for (i, taken) in taken.iter().enumerate() {
            let redundant = warnings.iter().any(|w| w.code == "match/redundant" && line(w.span) == first + i as u32);
            assert!(!(redundant && *taken), "line {}", first + i as u32);
        }
        let open = warnings.iter().any(|w| w.code == "match/nonexhaustive" && line(w.span) == first);
        assert!(open || !misses, "line {first}");
    }
}
