//! `leat test`: files and options -> each test file's results, in processes of their own; a summary and an exit code.
//!
//! Each test is told of when its process begins and ends it, so that a test that takes its process with it is known,
//! and those behind it run in another one.
//!
//! Reading order: this file (options, the order of things), `plan` (what all have in common), `discover` (which files),
//! `supervise` (one file, its process and what becomes of it), `events` (what the process tells), `show` (text, JSON,
//! JUnit). The process itself is `leat test-file`, see `child`; what it runs is `lib/leat-test`.

mod child;
pub mod discover;
mod events;
mod plan;
mod show;
mod supervise;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::{Arg, ArgMatches, Command};

pub use child::{child_command, run_child};
use discover::TestFile;
use leat_debugger::console;
use leat_debugger::process::Config;
use leat_driver::project::TEST_LIBRARY;
use leat_driver::units::is_description;
pub use plan::quoted;
use plan::{Plan, plan};
use show::Show;

use crate::watch::{self, Watch};
use crate::{flag, interrupt, usage};

pub fn command() -> Command {
    let value = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).require_equals(true).help(help)
    };
    Command::new("test")
        .about("Runs the project's tests")
        .after_help(
            "Test files are `*_test.sml`, and `test.mlb` and `*_test.mlb` for those that have needs of their own.\n\
             Exit code: 0; 1 when a test fails, or no test is in the files; 2 for wrong usage, or when there are no files.",
        )
        .arg(
            Arg::new("file")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("test files, or folders with test files; nothing: the folder's project"),
        )
        .arg(value("filter", "TEXT", "only tests with this in their name"))
        .arg(
            value("jobs", "N", "files that run at once [default: the processors]")
                .value_parser(clap::value_parser!(u16).range(1..)),
        )
        .arg(
            value("timeout", "SECONDS", "a test that takes longer is ended [default: 60]")
                .value_parser(clap::value_parser!(u64).range(1..=86400)),
        )
        .arg(value("seed", "N", "the seed of properties' random values").value_parser(clap::value_parser!(u64)))
        .arg(flag("bless", "writes golden files instead of comparing with them"))
        .arg(value("workers", "N|auto", "worker threads of each test's process"))
        .arg(
            value("explore", "N", "runs each file with N interleavings of its threads")
                .value_parser(clap::value_parser!(u64).range(1..)),
        )
        .arg(
            value("sched-seed", "N", "the interleaving of that number, which --explore told of")
                .value_parser(clap::value_parser!(u64)),
        )
        .arg(flag("debug", "opens the debugger where the tests of one file fail with --sched-seed"))
        .arg(flag("race", "tells of loads and stores by two threads that nothing orders"))
        .arg(value("heap-max", "SIZE", "memory that a test's process may use [default: 1G]"))
        .arg(flag("watch", "runs again whenever a file changes"))
        .arg(flag("verbose", "shows each test, and what tests print"))
        .arg(
            value("message-format", "FORMAT", "on standard output: human, or json: an object a line")
                .value_parser(["human", "json"]),
        )
        .arg(
            value("junit", "FILE", "writes the results as JUnit's XML, too").value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(value("color", "WHEN", "colours").value_parser(["auto", "always", "never"]))
        .arg(Arg::new("lib").long("lib").require_equals(true).hide(true).value_parser(clap::value_parser!(PathBuf)))
        .args(crate::foreign_args())
}

pub fn run(matches: &ArgMatches) -> u8 {
    let named = matches.get_many::<PathBuf>("file").into_iter().flatten();
    let named: Vec<PathBuf> = named.filter(|file| !leat_driver::foreign::is_foreign(file)).cloned().collect();
    let plan = match plan(matches) {
        Ok(plan) => plan,
        Err(message) => return usage(&message),
    };
    if matches.get_flag("debug") {
        return debug(&plan, &named).unwrap_or_else(|message| usage(&message));
    }
    let show = Show::new(matches);
    interrupt::catch();
    if matches.get_flag("watch") {
        return again_and_again(&named, || match discover::find(&named, "test") {
            Ok(files) => drop(once(matches, &plan, &show, &files)),
            Err(message) => leat_driver::say::tell(&format!("leat: {message}\n")),
        });
    }
    match discover::find(&named, "test") {
        Ok(files) => once(matches, &plan, &show, &files),
        Err(message) => usage(&message),
    }
}

/// `--debug`: the debugger, at the failure of one run.
fn debug(plan: &Plan, named: &[PathBuf]) -> Result<u8, String> {
    if plan.explore {
        return Err("--debug is for one interleaving: --sched-seed=N says which, and `leat debug --explore=N FILE` \
                    looks for one"
            .to_string());
    }
    let [file] = &discover::find(named, "test")?[..] else {
        return Err("--debug is for one file of tests".to_string());
    };
    let plan = console::Plan { config: debugged(plan, file)?, explore: 0, runs: true };
    Ok(console::run(plan, &mut std::io::stdin().lock(), &mut std::io::stdout()) as u8)
}

/// The run of a file's tests that `leat test` makes with this plan, for the debugger.
fn debugged(plan: &Plan, file: &TestFile) -> Result<Config, String> {
    let leat = std::env::current_exe().map_err(|error| error.to_string())?;
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let library = (!is_description(&file.path)).then(|| TEST_LIBRARY.to_string());
    let inputs = supervise::inputs(file)?;
    let shown = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    // The debugger says which seed.
    let runtime = plan.runtime.iter().filter(|word| !word.starts_with("--sched-seed=")).cloned();
    Ok(Config {
        leat,
        options: runtime.chain(plan.compile.iter().map(text)).collect(),
        inputs: shown(&plan.foreign).into_iter().chain(library).chain(shown(&inputs)).collect(),
        variables: supervise::environment(plan, 0).into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        files: vec![supervise::REPORT.to_string()],
        runs_in: file.path.parent().filter(|folder| !folder.as_os_str().is_empty()).map(PathBuf::from),
        seed: plan.sched_seed.unwrap_or(0),
        ..Config::default()
    })
}

/// `--watch`: does it, and again after each change of the files' projects. Ends by Ctrl-C.
fn again_and_again(named: &[PathBuf], mut work: impl FnMut()) -> u8 {
    let mut named = named.to_vec();
    let here = PathBuf::from(".");
    if named.is_empty() || leat_driver::project::find(&here).is_ok() {
        named.push(here);
    }
    let mut watch = Watch::new(&named);
    loop {
        // What has changed while the tests ran counts, too.
        watch.look();
        work();
        leat_driver::say::tell("waiting for a change (Ctrl-C ends)\n");
        while !watch.has_changed() {
            interrupt::end_by_it();
            std::thread::sleep(watch::PERIOD);
        }
        // An editor that writes several files writes them all.
        std::thread::sleep(watch::SETTLE);
        leat_driver::say::tell("\n");
    }
}

/// Runs all files, several at once; shows each when it is done and those before it are.
fn once(matches: &ArgMatches, plan: &Plan, show: &Show, files: &[TestFile]) -> u8 {
    let start = Instant::now();
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = matches.get_one::<u16>("jobs").map_or(processors, |n| usize::from(*n)).min(files.len()).max(1);
    let next = AtomicUsize::new(0);
    let done: Mutex<(usize, Vec<Option<supervise::Outcome>>)> = Mutex::new((0, files.iter().map(|_| None).collect()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while !interrupt::is_wanted()
                    && let Some((i, file)) = {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        files.get(i).map(|file| (i, file))
                    }
                {
                    let outcome = supervise::run(plan, file);
                    // Nobody is told that a test failed which the user has ended.
                    if interrupt::is_wanted() {
                        return;
                    }
                    let (shown, outcomes) = &mut *done.lock().expect("nothing panics with it");
                    outcomes[i] = Some(outcome);
                    while let Some(Some(outcome)) = outcomes.get(*shown) {
                        show.file(outcome);
                        *shown += 1;
                    }
                }
            });
        }
    });
    interrupt::end_orphans();
    interrupt::end_by_it();
    let outcomes: Vec<_> = done.into_inner().expect("nothing panics with it").1.into_iter().flatten().collect();
    if let Some(file) = matches.get_one::<PathBuf>("junit")
        && let Err(error) = std::fs::write(file, show::junit(&outcomes))
    {
        leat_driver::say::tell(&format!("leat: {}: {error}\n", file.display()));
        return 1;
    }
    show.summary(&outcomes, start.elapsed(), plan)
}
