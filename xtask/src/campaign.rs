//! The long form of the random tests: seeds and minutes -> how much was tried and what was found:
//! `cargo xtask campaign`.
//!
//! Each leg is a test of the tree that takes a count and a seed from its environment and cuts down what it finds. They
//! run in turn, a round each, one process at a time and with the lowest priority, until the minutes are over. A leg
//! that finds something goes on with the seeds behind it. `docs/internals/campaign.md` says what was tried so far.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

pub const USAGE: &str = "       cargo xtask campaign [--minutes=N] [--seed=N] [--only=LEG,LEG]";

/// A test with a count.
struct Leg {
    name: &'static str,
    package: &'static str,
    test: &'static str,
    /// Of a test with several functions, the one that is meant.
    only: &'static str,
    /// The variable of its count; that of its first seed is `SEED`.
    count: &'static str,
    /// How many a round has: a minute or two of them.
    round: u64,
    /// Does each case have a seed of its own? Else one seed is for a round.
    by_case: bool,
    /// What is counted.
    unit: &'static str,
}

const LEGS: &[Leg] = &[
    Leg { only: "random_programs", ..leg("programs", "leat", "random", "PROGRAMS", 100, true, "random programs") },
    Leg { only: "small_programs", ..leg("small", "leat", "random", "SMALL", 1000, true, "small random programs") },
    leg("arithmetic", "leat", "arithmetic", "PROGRAMS", 100, true, "programs of 100 operations"),
    leg("mutants", "leat", "fuzz", "FUZZ", 300, false, "mutants run"),
    leg("http", "leat", "httpd", "HTTPD", 100_000, false, "changed requests"),
    leg("parsers", "leat", "parsers", "PARSERS", 100_000, false, "changed texts of each kind"),
    leg("cancelling", "leat", "cancelling", "CANCELLING", 1000, false, "calls cancelled"),
    leg("pipeline", "leat", "pipeline", "PIPELINE", 1000, false, "mutants to Ssa"),
    leg("front", "leat-elab", "mutants", "MUTANTS", 20_000, false, "mutants elaborated"),
    leg("modules", "leat-elab", "modules", "MODULES", 20_000, true, "modules"),
    ssa_leg("ssa", "random", 3000, "Ssa programs"),
    ssa_leg("ssa-loops", "random_loops", 3000, "Ssa loops"),
    ssa_leg("ssa-mono", "random_mono", 3000, "Mono programs"),
];

const fn leg(
    name: &'static str,
    package: &'static str,
    test: &'static str,
    count: &'static str,
    round: u64,
    by_case: bool,
    unit: &'static str,
) -> Leg {
    Leg { name, package, test, only: "", count, round, by_case, unit }
}

const fn ssa_leg(name: &'static str, test: &'static str, round: u64, unit: &'static str) -> Leg {
    Leg { name, package: "leat-ssa", test, only: "", count: "LEAT_RANDOM", round, by_case: true, unit }
}

pub fn main(args: impl Iterator<Item = String>) -> ExitCode {
    let (mut minutes, mut seed, mut only) = (30, 1, None);
    for arg in args {
        let taken = match arg.split_once('=') {
            Some(("--minutes", n)) => n.parse().map(|n| minutes = n).is_ok(),
            Some(("--seed", n)) => n.parse().map(|n| seed = n).is_ok(),
            Some(("--only", names)) => {
                only = Some(names.to_string());
                names.split(',').all(|name| LEGS.iter().any(|leg| leg.name == name))
            }
            _ => false,
        };
        if !taken {
            eprintln!("usage:\n{USAGE}\nlegs: {}", LEGS.iter().map(|leg| leg.name).collect::<Vec<_>>().join(", "));
            return ExitCode::from(2);
        }
    }
    let wanted = |leg: &&Leg| only.as_ref().is_none_or(|only| only.split(',').any(|name| name == leg.name));
    let legs: Vec<&Leg> = LEGS.iter().filter(wanted).collect();
    campaign(&legs, Duration::from_secs(60 * minutes), seed)
}

fn campaign(legs: &[&Leg], time: Duration, first: u64) -> ExitCode {
    let log = super::root().join("target/campaign.txt");
    let _ = fs::create_dir_all(log.parent().unwrap_or(Path::new(".")));
    for leg in legs {
        // Built before the clock starts.
        let built = cargo(leg, &["--no-run"]).status();
        if !built.is_ok_and(|status| status.success()) {
            eprintln!("xtask: the test `{}` does not build", leg.test);
            return ExitCode::FAILURE;
        }
    }
    let start = Instant::now();
    let mut done = vec![(0u64, 0u64); legs.len()];
    let (mut reports, mut round) = (String::new(), 0);
    while start.elapsed() < time {
        for (i, leg) in legs.iter().enumerate() {
            if start.elapsed() >= time {
                break;
            }
            // Seeds of cases follow each other; a leg with one seed a round takes the round's number.
            let seed = first + if leg.by_case { round * leg.round } else { round };
            let output = cargo(leg, &[]).env(leg.count, leg.round.to_string()).env("SEED", seed.to_string()).output();
            match output {
                Ok(output) if output.status.success() => done[i].0 += leg.round,
                Ok(output) => {
                    done[i].1 += 1;
                    let text = String::from_utf8_lossy(&output.stdout);
                    let _ = writeln!(reports, "== {} from seed {seed}\n{text}", leg.name);
                    eprintln!("{}: something was found from seed {seed}; {} has it", leg.name, log.display());
                }
                Err(error) => {
                    eprintln!("xtask: {error}");
                    return ExitCode::FAILURE;
                }
            }
            let _ = fs::write(&log, table(legs, &done, first, start.elapsed()) + &reports);
        }
        round += 1;
    }
    print!("{}", table(legs, &done, first, start.elapsed()));
    if reports.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The counts, as the page has them. A round in which something was found does not count.
fn table(legs: &[&Leg], done: &[(u64, u64)], first: u64, time: Duration) -> String {
    let mut out = format!(
        "seeds from {first}, {} minutes\n\n| leg | tried | what | rounds that found something |\n|---|---:|---|---:|\n",
        time.as_secs() / 60
    );
    for (leg, (count, wrong)) in legs.iter().zip(done) {
        let _ = writeln!(out, "| {} | {count} | {} | {wrong} |", leg.name, leg.unit);
    }
    out
}

fn cargo(leg: &Leg, more: &[&str]) -> Command {
    let mut command = Command::new("nice");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    command.args(["-n", "19", &cargo, "test", "--release", "-q", "-p", leg.package, "--test", leg.test]);
    if !leg.only.is_empty() && more.is_empty() {
        command.arg(leg.only);
    }
    command.args(more).current_dir(super::root());
    command
}
