//! Random well-typed programs do the same whatever the mode: not optimised, optimised, built, with a collection at
//! every 31st allocation; and, with `PEERS=1`, on SML/NJ and Poly/ML, where these are installed. Every fourth is one of
//! functors and of types that are not regular (`random/shapes.rs`).
//!
//! `PROGRAMS=n` runs more of them, `SEED=n` starts elsewhere. A failing one is cut down as long as it fails; what is left
//! stands in the message. Small programs, those of small steps (`random/steps.rs`) and of cells (`random/cells.rs`)
//! share a process, fifty of them: `SMALL=n` runs more of these. Those that raise at known lines (`random/raises.rs`)
//! are compared by their reports: `RAISES=n` runs more of them.

#[path = "random/cells.rs"]
mod cells;
#[path = "random/generator.rs"]
mod generator;
#[path = "random/raises.rs"]
mod raises;
#[path = "random/shapes.rs"]
mod shapes;
#[path = "random/shrink.rs"]
mod shrink;
#[path = "random/steps.rs"]
mod steps;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use leat_random::setting;
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// What a command prints that counts, or what went wrong.
fn outcome(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = stdout.lines().filter(|line| line.starts_with('@')).collect();
    if lines.last() != Some(&"@end") {
        return Err(format!("{}\n{stdout}{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(lines.join("\n"))
}

fn leat(words: &[&str], program: &Path) -> Result<String, String> {
    outcome(Command::new("timeout").arg("300").arg(LEAT).args(words).arg(program))
}

fn built(words: &[&str], program: &Path) -> Result<String, String> {
    let executable = program.with_extension("exe");
    let build = Command::new(LEAT).arg("build").args(words).arg(program).arg("-o").arg(&executable).output();
    let build = build.map_err(|error| error.to_string())?;
    if !build.status.success() {
        return Err(String::from_utf8_lossy(&build.stderr).into_owned());
    }
    outcome(Command::new("timeout").arg("300").arg(&executable))
}

/// A report that is not about the program, but about Leat.
fn is_defect(report: &str) -> bool {
    ["panicked", "defect of leat", "signal"].iter().any(|word| report.contains(word))
}

fn is_installed(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).exists()))
}

/// How many small programs run in one process.
const BATCH: u64 = 50;

#[test]
fn small_programs() {
    batches(2, |seed| generator::small(seed, seed % 2 == 1));
}

#[test]
fn programs_of_small_steps() {
    batches(6, steps::program);
}

#[test]
fn programs_of_cells_and_handlers() {
    batches(6, cells::program);
}

/// Reports name where an exception was raised and what had been called, optimised or not.
#[test]
fn places_of_raises() {
    let (count, first) = (setting("RAISES", 3), setting("SEED", 1));
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("raises.sml");
    for seed in first..first + count {
        let program = raises::program(seed, 16);
        fs::write(&file, &program.text).expect("written");
        for mode in [&["run"][..], &["run", "-O0"]] {
            let output =
                Command::new("timeout").arg("300").arg(LEAT).args(mode).arg(&file).stdin(Stdio::null()).output();
            let errors = String::from_utf8_lossy(&output.expect("leat runs").stderr).into_owned();
            let reports = reports(&errors);
            assert_eq!(reports.len(), program.stacks.len(), "seed {seed} {mode:?}\n{}\n{errors}", program.text);
            for (thread, (report, stack)) in reports.iter().zip(&program.stacks).enumerate() {
                if let Some(mistake) = raises::mistake(report, stack) {
                    panic!("seed {seed} {mode:?}, c{thread}: {mistake}\n{report:?}\n{stack:?}\n{}", program.text);
                }
            }
        }
    }
}

/// What the reports of threads name, innermost first, up to the function that was spawned.
fn reports(errors: &str) -> Vec<Vec<(String, usize)>> {
    let mut reports: Vec<Vec<(String, usize)>> = Vec::new();
    for line in errors.lines() {
        if line.starts_with("uncaught exception") {
            reports.push(Vec::new());
        }
        let Some((function, place)) = line.trim_start().strip_prefix("in ").and_then(|rest| rest.split_once(" at "))
        else {
            continue;
        };
        let (place, times) = place.rsplit_once(" x ").unwrap_or((place, "1"));
        let (Some((_, line)), Some(report)) = (place.rsplit_once(':'), reports.last_mut()) else { continue };
        if function != "main.fn" {
            let named = (function.to_string(), line.parse().expect("a line"));
            report.extend(std::iter::repeat_n(named, times.parse().expect("a number")));
        }
    }
    reports
}

/// Programs of so many batches, or as many as are wanted: each batch is a process.
fn batches(usual: u64, program: impl Fn(u64) -> String) {
    let (count, first) = (setting("SMALL", usual * BATCH), setting("SEED", 1));
    let folder = TempDir::new().expect("a folder");
    let scratch = folder.path();
    let all = scratch.join("all.mlb");
    let alone = scratch.join("alone.sml");
    for start in (first..first + count).step_by(BATCH as usize) {
        let seeds = start..(start + BATCH).min(first + count);
        let mut text = String::from(
            "ann \"redundantMatch ignore\" \"nonexhaustiveMatch ignore\" \"warnUnused false\" in\n$(SML_LIB)/basis/basis.mlb\n",
        );
        for seed in seeds.clone() {
            let file = format!("p{}.sml", seed - start);
            fs::write(scratch.join(&file), program(seed)).expect("written");
            text += &format!("local {file} in end\n");
        }
        fs::write(&all, text + "end\n").expect("written");
        let expected = leat(&["run", "-O0"], &all);
        let optimised = leat(&["run"], &all);
        // Every sixteenth batch is built, too.
        let as_built = if (start / BATCH).is_multiple_of(16) { built(&[], &all) } else { expected.clone() };
        if expected.is_ok() && optimised == expected && as_built == expected {
            continue;
        }
        for seed in seeds {
            let text = program(seed);
            let differs = |text: &str| {
                fs::write(&alone, text).expect("written");
                match (leat(&["run", "-O0"], &alone), leat(&["run"], &alone), built(&[], &alone)) {
                    (Ok(expected), run, built) => run.as_ref() != Ok(&expected) || built != Ok(expected),
                    (Err(report), ..) => is_defect(&report),
                }
            };
            if differs(&text) {
                panic!("seed {seed}\nthe least that fails:\n{}", shrink::shrink(&text, 300, differs));
            }
        }
        panic!("seeds {start}..: only together\n-O0: {expected:?}\noptimised: {optimised:?}\nbuilt: {as_built:?}");
    }
}

#[test]
fn random_programs() {
    let (count, first) = (setting("PROGRAMS", 24), setting("SEED", 1));
    let folder = TempDir::new().expect("a folder");
    let scratch = folder.path();
    let program = scratch.join("program.sml");
    let peers = std::env::var_os("PEERS").is_some();
    let (sml, poly) = (peers && is_installed("sml"), peers && is_installed("poly"));
    for seed in first..first + count {
        let wide = seed % 2 == 1;
        let text = if seed % 4 == 3 { shapes::program(seed) } else { generator::program(seed, wide) };
        fs::write(&program, &text).expect("written");
        let plainly = || leat(&["run", "-O0", "--verify=each"], &program);
        let expected = plainly();
        let check = |mode: &str, again: &dyn Fn() -> Result<String, String>| {
            let found = again();
            if found.is_ok() && found == expected {
                return;
            }
            let small = shrink::shrink(&text, 300, |text| {
                fs::write(&program, text).expect("written");
                match (plainly(), again()) {
                    (Ok(expected), found) => found != Ok(expected),
                    (Err(report), _) => expected.is_err() && is_defect(&report),
                }
            });
            panic!("seed {seed}\n-O0: {expected:?}\n{mode}: {found:?}\nthe least that fails:\n{small}");
        };
        // Some compile for minutes there, or (Poly/ML 5.7.1) to an Overflow of the compiler's own.
        let check_peer = |peer: &str, again: &dyn Fn() -> Result<String, String>| match again() {
            Err(report) if report.contains("124") || report.contains("unexpectedly raised while compiling") => {}
            _ => check(peer, again),
        };
        check("optimised", &|| leat(&["run", "--verify=each"], &program));
        // What is wrong between two collections shows at some intervals only.
        let stress = format!("--gc-stress={}", [3, 31, 7, 131][seed as usize / 4 % 4]);
        check("stress", &|| leat(&["run", "--verify=off", &stress, "--gc-verify"], &program));
        check("built", &|| built(&[], &program));
        let by_sml = || {
            // Redundant rules are errors there, unless it is told otherwise.
            let start = scratch.join("start.sml");
            let text = format!("Control.MC.matchRedundantError := false; use \"{}\";", program.display());
            fs::write(&start, text).expect("written");
            outcome(Command::new("timeout").arg("60").arg("sml").arg(&start))
        };
        if !wide && seed % 4 == 0 && sml {
            check_peer("SML/NJ", &by_sml);
        }
        if !wide && seed % 4 == 2 && poly {
            let by_poly = || outcome(Command::new("timeout").args(["60", "poly", "-q", "--use"]).arg(&program));
            // Poly/ML 5.7.1 takes `Word.andb (x - x, y)` of constants for `y`; SML/NJ decides.
            if !sml || by_sml() != expected {
                check_peer("Poly/ML", &by_poly);
            }
        }
    }
}
