//! `leat profile --calls`: counts that are known, and those of callgrind, in memory and built, on one worker and on two.

#[path = "client/callgrind.rs"]
mod callgrind;
#[path = "client/profile.rs"]
mod client;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use client::{build, profile};
use leat_profile::{Profile, Summary};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/profiles").join(name)
}

fn succeeds(command: &mut Command) -> Output {
    let run = command.output().expect("it can be started");
    assert!(run.status.success(), "{command:?}: {}", String::from_utf8_lossy(&run.stderr));
    run
}

/// What a run has counted.
fn counted(name: &str, built: bool, workers: usize, argument: &str) -> Profile {
    let folder = tempfile::tempdir().expect("a folder");
    let executable = built.then(|| folder.path().join("program"));
    if let Some(executable) = &executable {
        build(&program(name), &["--count-calls"], executable);
    }
    profile(&program(name), executable.as_deref(), "calls", workers, &[argument])
}

/// Own instructions and calls of each function.
fn by_name(profile: &Profile) -> HashMap<String, (u64, u64)> {
    let summary = Summary::new(profile);
    let mut costs: HashMap<String, (u64, u64)> = HashMap::new();
    for (function, cost) in profile.functions.iter().zip(&summary.functions) {
        assert!(cost.all <= summary.total, "{} costs more than everything", function.name);
        let sum = costs.entry(function.name.clone()).or_default();
        sum.0 += cost.own;
        sum.1 += cost.count;
    }
    costs
}

/// Own instructions of each SML function of a built program, by callgrind; none if it is not installed.
fn by_callgrind(name: &str, argument: &str) -> Option<HashMap<String, u64>> {
    let folder = tempfile::tempdir().expect("a folder");
    let executable = folder.path().join("program");
    build(&program(name), &[], &executable);
    let mut costs = HashMap::new();
    for function in callgrind::functions(&executable, &[argument], "", Stdio::null())? {
        if function.file.ends_with(".sml") {
            *costs.entry(function.name.clone()).or_default() += function.all();
        }
    }
    Some(costs)
}

/// Each of the ways to run a program.
fn each_way(check: impl Fn(bool, usize)) {
    for (built, workers) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
        check(built, workers);
    }
}

#[test]
fn calls_are_counted_exactly() {
    each_way(|built, workers| {
        let costs = by_name(&counted("recursion.sml", built, workers, "20"));
        // 100 lists of 60 numbers: for each a call for each number and one for the end, and `@` for each rest of it,
        // which goes by two.
        assert_eq!(costs["rev"].1, 100 * 61, "calls of rev, built: {built}, workers: {workers}");
        let appends: u64 = (0..60).map(|rest| rest / 2 + 1).sum();
        assert_eq!(costs["List.@"].1, 100 * appends, "calls of @, built: {built}, workers: {workers}");
        assert_eq!(costs["List.length.count"].1, 100, "calls of length, built: {built}, workers: {workers}");
        // 100 numbers and their 100 answers.
        let costs = by_name(&counted("threads.sml", built, workers, "12"));
        let messages = costs["Channel'.send"].1;
        assert_eq!(messages, 200, "calls of send, built: {built}, workers: {workers}");
        // Inlined calls: two in one line had one place and counted as one, and so did the copies that unrolling makes.
        let costs = by_name(&counted("line.sml", built, workers, "1000"));
        let [both, half, other, go] = ["both", "half", "other", "go"].map(|f| costs[f].1);
        // The first call of `other` has a constant: the compiler has computed it.
        assert_eq!((both, half, other, go), (1000, 2000, 765, 1), "built: {built}, workers: {workers}");
        // A function without an instruction of its own had no calls, though what it calls had.
        let costs = by_name(&counted("inlined.sml", built, workers, ""));
        assert_eq!(["fact", "outer", "outer.go"].map(|f| costs[f].1), [1000; 3], "built: {built}, workers: {workers}");
        // A curried function is two, a wrapper and a worker; each call counted twice.
        let costs = by_name(&counted("curried.sml", built, workers, ""));
        let known = ["hanoi", "walk", "power"].map(|f| costs[f].1);
        assert_eq!(known, [1023, 101 + 51, 6 + 11 + 21], "built: {built}, workers: {workers}");
        // Three threads, whose calls are as one to two to three.
        let costs = by_name(&counted("shares.sml", built, workers, "14"));
        let [one, two, three] = ["one", "two", "three"].map(|f| costs[f]);
        assert_eq!((two.1, three.1), (2 * one.1, 3 * one.1), "built: {built}, workers: {workers}");
        // A time slice that ends, or a stack that grows, costs some instructions in whoever runs.
        for (found, known) in [(two.0, 2 * one.0), (three.0, 3 * one.0)] {
            assert!(found.abs_diff(known) * 100 <= known, "{found}, {known}, built: {built}, workers: {workers}");
        }
    });
}

/// The way back of a loop stands in the loop's function, not in what stands before it in memory.
#[test]
fn loops_have_their_ways_back() {
    each_way(|built, workers| {
        let costs = by_name(&counted("loop.sml", built, workers, ""));
        let all: u64 = costs.values().map(|cost| cost.0).sum();
        let loops = ["loop", "find", "find.go", "rep"].map(|f| costs.get(f).map_or(0, |cost| cost.0));
        let elsewhere = all - loops.iter().sum::<u64>();
        assert!(1000 * elsewhere < all, "{elsewhere} of {all} elsewhere, built: {built}, workers: {workers}");
    });
}

/// Functions of one name have a row each, at their places.
#[test]
fn functions_of_one_name() {
    each_way(|built, workers| {
        let profile = counted("one-name.sml", built, workers, "");
        let summary = Summary::new(&profile);
        let functions = profile.functions.iter().zip(&summary.functions);
        let mut loops: Vec<_> = functions.filter(|(f, _)| f.name == "work.loop").collect();
        loops.sort_by_key(|(f, _)| f.line);
        let places: Vec<_> = loops.iter().map(|(f, cost)| (f.line, cost.count)).collect();
        assert_eq!(places, [(4, 1), (6, 1)], "built: {built}, workers: {workers}");
        let [first, second] = [0, 1].map(|i| loops[i].1.own);
        assert!((2 * first..4 * first).contains(&second), "{first}, {second}, built: {built}, workers: {workers}");
    });
}

/// Shares of what all SML code costs agree with callgrind's within two points, built or not, and on two workers a
/// function costs what it costs on one. (Its share need not be the same there: two workers that exchange messages wait
/// for each other, a little more or less in each run.) No inlining moves these functions: callgrind would charge them
/// to whom they are inlined into.
fn agrees(name: &str, argument: &str, functions: &[&str]) {
    let Some(known) = by_callgrind(name, argument) else { return };
    let all: u64 = known.values().sum();
    for built in [false, true] {
        let [one, two] = [1, 2].map(|workers| by_name(&counted(name, built, workers, argument)));
        let total: u64 = one.values().map(|cost| cost.0).sum();
        for f in functions {
            let (alone, shared) = (one[*f].0, two[*f].0);
            let ours = 100.0 * alone as f64 / total as f64;
            let theirs = 100.0 * known[*f] as f64 / all as f64;
            assert!(
                (ours - theirs).abs() <= 2.0,
                "{f} of {name}: {ours:.1} % where callgrind has {theirs:.1} %, built: {built}"
            );
            assert!(
                shared.abs_diff(alone) * 50 <= alone,
                "{f} of {name}: {shared} instructions on two workers, {alone} on one, built: {built}"
            );
        }
    }
}

#[test]
fn three_threads_agree_with_callgrind() {
    agrees("shares.sml", "18", &["one", "two", "three"]);
}

#[test]
fn recursion_agrees_with_callgrind() {
    agrees("recursion.sml", "18", &["List.@", "fib", "rev"]);
}

#[test]
fn a_server_agrees_with_callgrind() {
    agrees("threads.sml", "12", &["fib"]);
}

/// Callers and their calls, and what a program says that cannot count.
#[test]
fn the_command_counts() {
    let run = succeeds(
        Command::new(LEAT).args(["profile", "--calls", "--callers=rev"]).arg(program("recursion.sml")).arg("20"),
    );
    let table = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(table.contains("instructions of compiled code"), "{table}");
    // 100 lists of 60 numbers: all calls but the first are by itself.
    let by_itself = |line: &str| line.split_whitespace().skip(1).take(2).eq(["6000", "rev"]);
    assert!(table.lines().any(by_itself), "{table}");
    let folder = tempfile::tempdir().expect("a folder");
    let executable = folder.path().join("plain");
    build(&program("recursion.sml"), &[], &executable);
    let run = Command::new(LEAT).args(["profile", "--calls"]).arg(&executable).output().expect("leat runs");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && text.contains("leat build --count-calls"), "{text}");
}
