//! Three profiles of programs that nobody wrote agree with each other and with what is known: `--calls`, `--time`, and
//! callgrind, which counts by line.
//!
//! An inlined loop once stood at the `print` behind it: 89 % of a program that its author could not find. The programs
//! of `calls.rs` and `profile.rs`, whose authors knew where to look, had no such loop. So these have loops of each form
//! that the compiler knows, each function with a number of rounds that is known, and each round with the same work.

#[path = "client/callgrind.rs"]
mod callgrind;
#[path = "client/profile.rs"]
mod client;

use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use client::{build, profile};
use leat_profile::{Profile, Summary};
use leat_random::{Random, setting};
use tempfile::TempDir;

/// One round of work: a chain of multiplications, which takes as long everywhere, since nothing of it can be done
/// beside.
const STEP: &str = "let val x = Word.xorb (x, Word.>> (x, 0w29)) * 0w7046029254386353131 in \
    Word.xorb (x, Word.>> (x, 0w32)) * 0w6364136223846793005 end";

/// A function of a generated program.
struct Known {
    name: String,
    /// Its lines, the first one and the one behind the last.
    lines: (u64, u64),
    /// How often it is called, for each time that the program repeats itself.
    calls: u64,
    /// Steps that stand in its own text and are run, likewise.
    steps: u64,
    /// Whether its loop is the library's: by line, that stands in its line where it is inlined.
    library: bool,
}

struct Program {
    text: String,
    functions: Vec<Known>,
}

/// What a round does: a step in the function's own text, a step in `mix`, or a call of another function.
#[derive(Clone, Copy)]
enum Body {
    Own,
    Mix,
    Other(usize),
}

fn generate(random: &mut Random) -> Program {
    // The lists stand in the first line, which is written last, and which is no function's.
    let mut text = String::from("\nfun mix x =\n  ");
    let _ = writeln!(text, "{STEP}");
    let line_after = |text: &str| text.lines().count() as u64 + 1;
    let mut functions =
        vec![Known { name: "mix".into(), lines: (2, line_after(&text)), calls: 0, steps: 0, library: false }];
    let mut bodies = vec![(Body::Own, 1)];
    for i in 1..4 + random.below(5) {
        let body = match random.below(4) {
            0 | 1 => Body::Own,
            2 => Body::Mix,
            // Few rounds: what such functions call grows with each level.
            _ if i > 1 => Body::Other(1 + random.below(i - 1)),
            _ => Body::Own,
        };
        let (rounds, call) = match body {
            Body::Own => (50 + random.below(200), STEP.to_string()),
            Body::Mix => (50 + random.below(200), "mix x".to_string()),
            Body::Other(j) => (2 + random.below(4), format!("f{j} x")),
        };
        let first = line_after(&text);
        let form = random.below(7);
        let _ = match form {
            0 => write!(
                text,
                "fun f{i} x =\n  let\n    fun go (0, x) = x\n      | go (k, x) =\n          go (k - 1,\n            {call})\n  in\n    go ({rounds}, x)\n  end\n"
            ),
            1 => write!(
                text,
                "fun f{i} x =\n  let\n    val (k, cell) = (ref {rounds}, ref x)\n  in\n    while !k > 0 do\n      let val x = !cell in\n        cell := ({call});\n        k := !k - 1\n      end;\n    !cell\n  end\n"
            ),
            2 => write!(text, "fun f{i} x =\n  List.foldl (fn (_, x) =>\n    {call}) x list{i}\n"),
            3 => write!(
                text,
                "fun f{i} x =\n  let\n    fun go (k, x) = if k = 0 then x else\n      go (k - 1,\n        {call})\n  in\n    go ({rounds}, x) handle Overflow => 0w7\n  end\n"
            ),
            4 => write!(
                text,
                "fun f{i} x =\n  let\n    fun go 0 = x\n      | go k =\n          let val x = go (k - 1) in\n            {call}\n          end\n  in\n    go {rounds}\n  end\n"
            ),
            5 => write!(text, "fun f{i} x =\n  Vector.foldl (fn (_, x) =>\n    {call}) x (Vector.fromList list{i})\n"),
            _ => write!(
                text,
                "fun f{i} x =\n  let\n    fun even (0, x) = x\n      | even (k, x) = odd (k - 1, x)\n    and odd (k, x) =\n      if k < 0 then x else even (k,\n        {call})\n  in\n    even ({rounds}, x)\n  end\n"
            ),
        };
        let lines = (first, line_after(&text));
        functions.push(Known { name: format!("f{i}"), lines, calls: 0, steps: 0, library: form == 2 || form == 5 });
        bodies.push((body, rounds as u64));
    }
    let lists: Vec<String> =
        (1..functions.len()).map(|i| format!("val list{i} = List.tabulate ({}, fn i => i)", bodies[i].1)).collect();
    let mut text = lists.join(" ") + &text;
    text += "val scale = valOf (Int.fromString (hd (CommandLine.arguments ())))\n";
    text += "fun repeat (0, _, x) = x\n  | repeat (k, f, x) = repeat (k - 1, f, f x)\n";
    for i in 1..functions.len() {
        if i + 1 == functions.len() || random.one_in(2) {
            let times = 5 + random.below(20) as u64;
            let _ =
                writeln!(text, "val () =\n  print (Word.toString (repeat (scale * {times}, f{i}, 0w{i})) ^ \"\\n\")");
            functions[i].calls += times;
        }
    }
    // A function calls those that stand before it.
    for i in (1..functions.len()).rev() {
        let (body, rounds) = bodies[i];
        let all = functions[i].calls * rounds;
        match body {
            Body::Own => functions[i].steps += all,
            Body::Mix => functions[0].calls += all,
            Body::Other(j) => functions[j].calls += all,
        }
    }
    functions[0].steps = functions[0].calls;
    Program { text, functions }
}

/// What each function has cost by a profile: itself, and the functions in its text.
fn costs(program: &Program, profile: &Profile) -> Vec<u64> {
    let summary = Summary::new(profile);
    let own = |known: &Known| {
        let is_of =
            |name: &str| name.strip_prefix(&known.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let functions = profile.functions.iter().zip(&summary.functions);
        functions.filter(|(f, _)| f.file.ends_with(".sml") && is_of(&f.name)).map(|(_, cost)| cost.own).sum()
    };
    program.functions.iter().map(own).collect()
}

/// Shares of what the functions cost together, in per cent.
fn shares(costs: &[u64]) -> Vec<f64> {
    let all: u64 = costs.iter().sum();
    costs.iter().map(|&cost| 100.0 * cost as f64 / all.max(1) as f64).collect()
}

#[track_caller]
fn near(program: &Program, found: &[f64], known: &[f64], bound: f64, what: &str) {
    for (f, (found, known)) in program.functions.iter().zip(found.iter().zip(known)) {
        let name = &f.name;
        assert!((found - known).abs() <= bound, "{name}: {found:.1} % {what} {known:.1} %\n{}", program.text);
    }
}

fn agrees(random: &mut Random) {
    let program = generate(random);
    let folder = TempDir::new().expect("a folder");
    let source = folder.path().join("program.sml");
    fs::write(&source, &program.text).expect("the program");
    let text = &program.text;
    let steps: Vec<u64> = program.functions.iter().map(|f| f.steps).collect();
    let total: u64 = steps.iter().sum();
    let known = shares(&steps);
    let scale = 1 + 200_000 / total;

    let [counting, plain] = ["counting", "plain"].map(|name| folder.path().join(name));
    build(&source, &["--count-calls"], &counting);
    build(&source, &[], &plain);
    let mut by_calls = Vec::new();
    for built in [None, Some(&*counting)] {
        let profile = profile(&source, built, "calls", 1, &[&scale.to_string()]);
        let summary = Summary::new(&profile);
        by_calls = costs(&program, &profile);
        // What does no work stands there only by mistake: an inlined loop once was `print`'s.
        let functions = profile.functions.iter().zip(&summary.functions);
        for (f, cost) in functions.filter(|(f, _)| ["main", "print", "repeat"].contains(&&*f.name)) {
            let share = 100 * cost.own / summary.total;
            assert!(share < 2, "{share} % stands in {}, built: {}\n{text}", f.name, built.is_some());
        }
        // A round takes the instructions of a step and some more.
        for (f, cost) in program.functions.iter().zip(&by_calls).filter(|(f, _)| f.steps > 0) {
            let each = *cost as f64 / (f.steps * scale) as f64;
            assert!((6.0..24.0).contains(&each), "{each:.1} instructions for a round of {}\n{text}", f.name);
        }
    }

    if let Some(functions) = callgrind::functions(&plain, &[&scale.to_string()], "", Stdio::null()) {
        let mut by_line = vec![0; program.functions.len()];
        for ((file, line), count) in functions.iter().flat_map(|f| &f.instructions) {
            let of = |f: &Known| file.ends_with("program.sml") && (f.lines.0..f.lines.1).contains(line);
            if let Some(i) = program.functions.iter().position(of) {
                by_line[i] += count;
            }
        }
        for (i, f) in program.functions.iter().enumerate().filter(|(_, f)| f.library) {
            let (name, found, all) = (&f.name, by_calls[i], by_line[i]);
            assert!(found <= all, "{found} instructions of {name} by --calls, and by callgrind {all}\n{text}");
            (by_calls[i], by_line[i]) = (0, 0);
        }
        near(&program, &shares(&by_calls), &shares(&by_line), 3.0, "by --calls, and by callgrind");
    }

    // Some thousand samples. A loop around the steps takes a little time of its own, more in some forms than in others.
    let scale = 1 + 120_000_000 / total;
    for built in [None, Some(&*plain)] {
        let by_time = costs(&program, &profile(&source, built, "time", 1, &[&scale.to_string()]));
        near(&program, &shares(&by_time), &known, 20.0, "by --time, where known is");
    }
}

#[test]
fn all_ways_to_measure_agree() {
    let first = setting("SEED", 1);
    for seed in first..first + setting("PROGRAMS", 4) {
        agrees(&mut Random::new(seed));
    }
}
