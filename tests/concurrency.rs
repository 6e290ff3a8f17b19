//! What belongs to concurrent programs and is no output of one run: reports, seeds.
//!
//! - Every program of `threads/` and `cml/`, and `light/threads.mlb`, in deterministic mode with a thousand seeds
//!   (`LEAT_SEEDS` says another number): none fails, and all print the same, or the same lines in another order where
//!   the order is the seed's. (Those of `order/` are about the order that one worker has without a seed.)
//! - `concurrency/lost-*.sml` and `first-choice.sml`, planted mistakes: `--explore` finds them, the seed that it names
//!   repeats them. In `lost-increment.sml` and `lost-modify.sml` no safepoint stands between load and store: a hundred
//!   seeds once cleared such a program, so the last line says at which points threads could switch; a built program's
//!   says "at safepoints only".
//! - `races/*.sml`, under `--race`: those with a list `.race` are racy, the report has each line of it, on one worker
//!   as on two, and the exit code is 66; the others, all of `threads/` and `cml/`, and those of `libs/` that serve HTTP
//!   or count have no race, and print what they should.
//! - `races/functions.table`: a program for each structure, in which each function on arrays and references meets a
//!   load, a store, and a store elsewhere. Most of these functions were once not watched, for the table did not exist:
//!   a value of a signature that has no row in it is an error.
//! - `concurrency/trace.sml`: what `--trace` writes is JSON, its spans nest, its times increase, its arrows have two
//!   ends.
//! - `cml/books.sml` and `cml/inflate.sml`: random programs that keep books, in a dozen modes. `BOOKS=n` says how many
//!   seeds each (12), `SEED=n` the first one (100).
//! - `concurrency/address-space.sml`: with limits on address space (`ulimit -v`) there is room for stacks, heap and the
//!   rest.
//! - `concurrency/os-threads.sml`: under the same limits, bound threads until one is refused. Also on one processor,
//!   where many are made before the first of them runs: each then asked the C library for memory when there was none
//!   left.
//! - `concurrency/lanes-beside-os-threads.sml`: likewise, and then lanes are made for light threads: they once took
//!   what the OS threads had left to the C library.
//! - `concurrency/many-workers.sml`: under such a limit, with more workers than usual.
//! - `concurrency/tree-of-threads.sml`: two workers do not give each other the lanes of half a million threads all the
//!   time. They did so 5,000 to 10,000 times, and took up to thirteen times the processor time of one; now 100 to 200
//!   times.
//! - `concurrency/queues-while-used.sml`: nobody is lost while a cell gets its queues. Their lock was free before the
//!   thread that had waited in the cell stood in its queue, and a worker that came then did not find that thread. With
//!   a collection at each second allocation most runs ended in a deadlock; without, one of a hundred.
//! - `concurrency/cancelled-while-it-checks.sml`: a thread that asks `Scope.check`, and has never waited, is cancelled
//!   at that moment. The worker that cancelled waited for ever for a wait of that thread, and each run of a second
//!   hung.
//! - `concurrency/joined-as-it-ends.sml`: whoever asks for the end of a thread at the moment of its end is told. A
//!   thread without properties looked first whether it had any, and only then said that it ends.
//! - `concurrency/no-os-threads.sml`: when the system refuses OS threads (`ulimit -u`), the program goes on with those
//!   it has.
//! - `concurrency/doit.sml`: when `RunCML.doit` ends by itself, and when that is reported as a deadlock.
//! - `concurrency/readme/`: the programs whose reports the README shows (its lines of the library had become old).
//! - `concurrency/quit.sml`: the report of all threads on SIGQUIT, by JIT and built, after which the program goes on.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use leat_random::setting;
use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::{NamedTempFile, TempPath};

#[cfg(target_os = "linux")]
mod alone;
mod foreground;
mod pin;
mod watched;
use foreground::foreground;
use pin::pin;
use watched::Watched;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

fn main() {
    let arguments = Arguments::from_args();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut trials = Vec::new();
    for folder in ["threads", "cml"] {
        let mut programs: Vec<PathBuf> =
            fs::read_dir(tests.join(folder)).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        programs.retain(|path| path.extension().is_some_and(|extension| extension == "sml"));
        programs.sort();
        for program in programs {
            let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
            trials.push(Trial::test(format!("seeds/{folder}/{name}"), move || seeds(&program)));
        }
    }
    let styles = tests.join("light/threads.mlb");
    trials.push(Trial::test("seeds/light/threads", move || seeds(&styles)));
    for name in ["lost-update.sml", "lost-increment.sml", "lost-modify.mlb", "first-choice.sml"] {
        let planted = tests.join("concurrency").join(name);
        trials.push(Trial::test(format!("explore/finds-{name}"), move || explore(&planted)));
    }
    for folder in ["races", "threads", "cml"] {
        let mut programs: Vec<PathBuf> =
            fs::read_dir(tests.join(folder)).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        programs.retain(|path| path.extension().is_some_and(|extension| extension == "sml"));
        programs.sort();
        for program in programs {
            let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
            trials.push(Trial::test(format!("race/{folder}/{name}"), move || races(&program, RACE_WAYS)));
        }
    }
    // Clients of these have time-outs, so they are not run in the slowest ways.
    for name in [
        "http-server",
        "http-client",
        "http-forms",
        "http-ways",
        "websocket-receive-event",
        "http-echo-large",
        "metrics",
        "plist-threads",
        "regex-threads",
        "time-limit-threads",
        "tls-sendvecevt-stuck",
        "uuid",
    ] {
        let program = tests.join("libs").join(name).with_extension("mlb");
        trials.push(Trial::test(format!("race/libs/{name}"), move || races(&program, &RACE_WAYS[..2])));
    }
    let (programs, lacking) = watched::programs(&tests);
    trials.push(Trial::test("race/functions", move || match lacking[..] {
        [] => Ok(()),
        _ => Err(format!("no row in races/functions.table for {lacking:?}").into()),
    }));
    for program in programs {
        trials.push(Trial::test(format!("race/functions/{}", program.name), move || functions(&program)));
    }
    let racy = tests.join("races/increment.sml");
    trials.push(Trial::test("race/built", move || race_built(&racy)));
    let planted = tests.join("concurrency/lost-increment.sml");
    trials.push(Trial::test("explore/built", move || explore_built(&planted)));
    trials.push(Trial::test("explore/one-worker", explore_on_two_workers));
    for (mode, words) in
        [("jit", &[][..]), ("workers2", &["--workers=2"][..]), ("poll", &["--io-backend=poll", "--gc-stress=97"][..])]
    {
        let program = tests.join("concurrency/trace.sml");
        trials.push(Trial::test(format!("trace/{mode}"), move || {
            let file = scratch()?;
            let option = format!("--trace={}", file.display());
            trace(Command::new(LEAT).args(["run", &option]).args(words).arg(&program), &file)
        }));
    }
    let program = tests.join("concurrency/trace.sml");
    trials.push(Trial::test("trace/built", move || {
        let (executable, file) = (build(&program)?, scratch()?);
        trace(Command::new(&executable).env("LEAT_RUN", format!("--trace={}", file.display())), &file)
    }));
    for name in ["books", "inflate"] {
        let program = tests.join("cml").join(name).with_extension("sml");
        trials.push(Trial::test(name, move || books(&program)));
    }
    let space = tests.join("concurrency/address-space.sml");
    trials.push(Trial::test("address-space", move || address_space(&space, "all awake\n")));
    let bound = tests.join("concurrency/os-threads.sml");
    trials.push(Trial::test("os-threads", move || os_threads(&bound)));
    let lanes = tests.join("concurrency/lanes-beside-os-threads.sml");
    trials.push(Trial::test("lanes-beside-os-threads", move || lanes_beside_os_threads(&lanes)));
    let clock = tests.join("concurrency/fake-clock.sml");
    trials.push(Trial::test("fake-clock", move || fake_clock(&clock)));
    let workers = tests.join("concurrency/many-workers.sml");
    trials.push(Trial::test("many-workers", move || many_workers(&workers)));
    let tree = tests.join("concurrency/tree-of-threads.sml");
    trials.push(Trial::test("tree-of-threads", move || tree_of_threads(&tree)));
    let queues = tests.join("concurrency/queues-while-used.sml");
    trials.push(Trial::test("queues-while-used", move || queues_while_used(&queues)));
    for (name, workers) in [("cancelled-while-it-checks", 4), ("joined-as-it-ends", 2)] {
        let program = tests.join("concurrency").join(name).with_extension("sml");
        trials.push(Trial::test(name, move || {
            let mut command = Command::new(LEAT);
            command.arg("run").arg(format!("--workers={workers}")).arg(&program);
            limited(&mut command, "all have ended\n")
        }));
    }
    #[cfg(target_os = "linux")]
    {
        let single = tests.join("concurrency/no-os-threads.sml");
        trials.push(Trial::test("no-os-threads", move || no_os_threads(&single)));
        let plain = tests.join("concurrency/no-os-threads.sml");
        trials.push(Trial::test("no-os-threads-for-leat", move || no_os_threads_for_leat(&plain)));
    }
    let doit = tests.join("concurrency/doit.sml");
    trials.push(Trial::test("doit", move || doit_ends(&doit)));
    trials.push(Trial::test("readme", readme));
    let quit = tests.join("concurrency/quit.sml");
    for (mode, words) in [("jit", &[][..]), ("workers2", &["--workers=2"][..])] {
        let quit = quit.clone();
        trials.push(Trial::test(format!("quit/{mode}"), move || {
            report_on_quit(Command::new(LEAT).arg("run").args(words).arg(&quit))
        }));
    }
    trials.push(Trial::test("quit/built", move || {
        let executable = build(&quit)?;
        report_on_quit(&mut Command::new(&executable))
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

// -- seeds

fn seeds(program: &Path) -> Result<(), Failed> {
    let count = std::env::var("LEAT_SEEDS").unwrap_or("1000".into());
    let found = run(Command::new(LEAT).arg("run").arg(format!("--explore={count}")).arg(program))?;
    let report = text(&found.stderr);
    let verdict = report.lines().find(|line| line.contains("none fails")).unwrap_or("");
    if !found.status.success() || verdict.is_empty() {
        return Err(report.into());
    }
    // All are the same: then one shows what they are. Else one of each kind is named.
    let named = verdict.split("with the seeds ").nth(1).unwrap_or("1");
    let expected = fs::read(program.with_extension("ok"))?;
    for seed in named.split(' ') {
        let found = run(Command::new(LEAT).arg("run").arg(format!("--sched-seed={seed}")).arg(program))?;
        let mut lines =
            [text(&expected), text(&found.stdout)].map(|t| t.lines().map(str::to_string).collect::<Vec<_>>());
        lines.iter_mut().for_each(|lines| lines.sort());
        if lines[0] != lines[1] {
            return Err(format!("--sched-seed={seed} prints\n{}", text(&found.stdout)).into());
        }
    }
    Ok(())
}

// -- random programs with books

fn books(program: &Path) -> Result<(), Failed> {
    let (count, first) = (setting("BOOKS", 12), setting("SEED", 100));
    // What one process does, so that a long campaign is many of them.
    const CHUNK: u64 = 100;
    let mut modes = Vec::new();
    for workers in ["--workers=1", "--workers=2", "--workers=4"] {
        for heap in [&[][..], &["--gc-stress=499"], &["--nursery=64K", "--lanes=4"]] {
            modes.push([&[workers], heap].concat());
        }
    }
    modes.extend([vec!["--workers=2", "--scatter"], vec!["--workers=8", "--scatter", "--gc-stress=499"]]);
    modes.extend([vec!["--sched-seed=1"], vec!["--sched-seed=2"], vec!["--sched-seed=3", "--gc-stress=997"]]);
    for start in (first..first + count).step_by(CHUNK as usize) {
        let chunk = CHUNK.min(first + count - start);
        for mode in &modes {
            let words = [start.to_string(), chunk.to_string()];
            let found = run(Command::new(LEAT).arg("run").args(mode).arg(program).args(&words))?;
            if !found.status.success() || text(&found.stdout) != "the books balance\n" {
                let command = format!("leat run {} {} {}", mode.join(" "), program.display(), words.join(" "));
                let (out, err) = (text(&found.stdout), text(&found.stderr));
                return Err(format!("{command}: {}\n{out}{err}", found.status).into());
            }
        }
    }
    Ok(())
}

// -- a planted mistake

fn explore(program: &Path) -> Result<(), Failed> {
    let found = run(Command::new(LEAT).args(["run", "--explore=200"]).arg(program))?;
    let report = text(&found.stderr);
    let line = report.lines().find(|line| line.contains("repeats it")).ok_or(format!("no seed is named:\n{report}"))?;
    // `seed 10 fails: exit code 1; --sched-seed=10 repeats it`
    let option = line.split(' ').find(|word| word.starts_with("--sched-seed=")).ok_or("no option")?;
    // What that run printed stands above.
    let printed = report.lines().take_while(|line| !line.contains("repeats it")).collect::<Vec<_>>().join("\n");
    if found.status.code() != Some(1) || !line.contains("fails: exit code 1") || !printed.contains("counted ") {
        return Err(format!("{}\n{report}", found.status).into());
    }
    // A seed is another run in the debugger, which looks for one itself.
    let advice = format!("`leat debug --explore=200 {}` goes to such a failure", program.display());
    if !report.contains(&advice) {
        return Err(format!("the debugger's command is not named:\n{report}").into());
    }
    let (seeds, accesses) = (" of 200 seeds fail: ", " loads and stores of references and arrays, and at ");
    let last = report.lines().last().unwrap_or("");
    if !report.contains(seeds) || !last.starts_with("explored: 200 seeds; ") || !last.contains(accesses) {
        return Err(format!("no summary at the end:\n{report}").into());
    }
    for _ in 0..3 {
        let again = run(Command::new(LEAT).args(["run", option]).arg(program))?;
        if again.status.code() != Some(1) || text(&again.stdout).trim_end() != printed.trim_end() {
            return Err(format!("{option} gives {}, {}", again.status, text(&again.stdout)).into());
        }
    }
    Ok(())
}

/// A built program announces nothing, so nothing is found between two safepoints; it says so.
fn explore_built(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    let found = run(Command::new(&executable).env("LEAT_RUN", "--explore=20"))?;
    let report = text(&found.stderr);
    if !report.lines().last().is_some_and(|last| last.contains("at ") && last.contains(" safepoints only, not between"))
    {
        return Err(report.into());
    }
    Ok(())
}

/// On two workers not everything is the seed's.
fn explore_on_two_workers() -> Result<(), Failed> {
    for option in ["--explore=5", "--sched-seed=5"] {
        let found = run(Command::new(LEAT).args(["run", option, "--workers=2", "-e", "print \"ran\""]))?;
        let report = text(&found.stderr);
        if found.status.code() != Some(2) || !report.contains("exclude each other: a seed decides everything on one") {
            return Err(format!("{}: {}{report}", found.status, text(&found.stdout)).into());
        }
    }
    Ok(())
}

// -- races

const RACE_WAYS: &[&[&str]] = &[&[], &["--workers=2"], &["--gc-stress=7"], &["-O0"]];

fn races(program: &Path, ways: &[&[&str]]) -> Result<(), Failed> {
    let wanted = fs::read_to_string(program.with_extension("race")).ok();
    for &words in ways {
        let found = run(Command::new(LEAT).args(["run", "--race"]).args(words).arg(program))?;
        let report = text(&found.stderr);
        let fail = |what: &str| Err(format!("{words:?}: {what}: {}\n{report}", found.status).into());
        let Some(wanted) = &wanted else {
            if !found.status.success() || report.contains("race") {
                return fail("a race where none is");
            }
            let mut lines = [fs::read(program.with_extension("ok"))?, found.stdout.clone()]
                .map(|bytes| text(&bytes).lines().map(str::to_string).collect::<Vec<_>>());
            lines.iter_mut().for_each(|lines| lines.sort());
            if lines[0] != lines[1] {
                return fail("another output");
            }
            continue;
        };
        if found.status.code() != Some(66) || !report.ends_with(" found\n") {
            return fail("no race");
        }
        if let Some(line) = wanted.lines().find(|line| !report.contains(line)) {
            return fail(line);
        }
    }
    Ok(())
}

/// The races are in the lines where they should be, and nowhere else.
fn functions(program: &Watched) -> Result<(), Failed> {
    let file = tempfile::Builder::new().suffix(".sml").tempfile()?.into_temp_path();
    fs::write(&file, &program.text)?;
    let place = format!("{}:", file.file_name().expect("a name").to_string_lossy());
    for words in [&[][..], &["-O0"][..]] {
        let found = run(Command::new(LEAT).args(["run", "--race"]).args(words).arg(&file))?;
        let report = text(&found.stderr);
        let lines = report.split(&place).skip(1);
        let numbers = lines.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok());
        let told: BTreeSet<usize> = numbers.filter(|&line| line >= program.first).collect();
        let named = |lines: Vec<&usize>| {
            let lines = lines.into_iter().filter_map(|line| program.text.lines().nth(line - 1));
            lines.map(|line| format!("\n  {line}")).collect::<String>()
        };
        let (missed, false_ones) =
            (named(program.racy.difference(&told).collect()), named(told.difference(&program.racy).collect()));
        if found.status.code() != Some(66) || !missed.is_empty() || !false_ones.is_empty() {
            let what = format!("{words:?}: {}, missed:{missed}\nno race:{false_ones}\n{report}", found.status);
            return Err(what.into());
        }
    }
    Ok(())
}

/// A built program announces nothing, so it refuses to look.
fn race_built(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    let found = run(Command::new(&executable).env("LEAT_RUN", "--race"))?;
    let report = text(&found.stderr);
    if found.status.code() != Some(2) || !report.contains("leat run --race") {
        return Err(format!("{}: {report}", found.status).into());
    }
    Ok(())
}

// -- the end of RunCML.doit

/// Threads are left over twice, which is no mistake, and one deadlock is.
fn doit_ends(program: &Path) -> Result<(), Failed> {
    for words in [&[][..], &["--workers=2"][..]] {
        let found = run(Command::new(LEAT).arg("run").args(words).arg(program))?;
        let (output, report) = (text(&found.stdout), text(&found.stderr));
        let expected = fs::read_to_string(program.with_extension("ok"))?;
        if output != expected || report.matches("deadlock: ").count() != 1 || !report.contains(", receiving") {
            return Err(format!("{output}{report}").into());
        }
    }
    Ok(())
}

// -- limits

/// Under limits of 4, 8 and 20 GB, and with several workers.
fn address_space(program: &Path, expected: &str) -> Result<(), Failed> {
    let executable = build(program)?;
    for (kilobytes, workers) in [(4_000_000, 1), (8_000_000, 2), (20_000_000, 1), (20_000_000, 4)] {
        limited(&mut within(&executable, kilobytes, workers), expected)?;
    }
    Ok(())
}

fn os_threads(program: &Path) -> Result<(), Failed> {
    let expected = "many, then again\nagain\n";
    address_space(program, expected)?;
    let executable = build(program)?;
    // What is left when the last stack does not fit: up to eight megabytes.
    for kilobytes in (4_000_000..4_008_000).step_by(200) {
        limited(pin(&mut within(&executable, kilobytes, 1)), expected)?;
    }
    Ok(())
}

fn lanes_beside_os_threads(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    for kilobytes in [1_000_000, 2_000_000, 4_000_000, 4_001_700, 4_003_600, 4_007_000] {
        limited(pin(&mut within(&executable, kilobytes, 1)), "many\ndone\n")?;
    }
    Ok(())
}

fn fake_clock(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    for words in ["--workers=2", "--workers=4 --scatter", "--workers=4 --scatter --io-backend=poll"] {
        let mut command = Command::new(&executable);
        command.env("LEAT_RUN", format!("--fake-clock {words}"));
        limited(&mut command, "bound too early: 0\nmessage too early: 0\npipe too early: 0\n")?;
    }
    Ok(())
}

/// Asked for at the start, and later.
fn many_workers(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    for workers in [1, 32, 64] {
        limited(&mut within(&executable, 20_000_000, workers), "128000000\n")?;
    }
    Ok(())
}

fn tree_of_threads(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    for workers in ["--workers=1", "--workers=2", "--workers=8"] {
        limited(Command::new(&executable).env("LEAT_RUN", workers), "262144\n")?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn no_os_threads(program: &Path) -> Result<(), Failed> {
    let executable = build(program)?;
    for words in ["", "--workers=2", "--fake-clock", "--fake-clock --workers=2"] {
        let mut command = Command::new(&executable);
        limited(alone::alone(command.env("LEAT_RUN", words)), "28\ntrue\n3 names\nagain\n")?;
    }
    Ok(())
}

fn queues_while_used(program: &Path) -> Result<(), Failed> {
    let mut command = Command::new(LEAT);
    command.args(["run", "--workers=8", "--scatter", "--gc-stress=2"]).arg(program);
    limited(&mut command, "all have ended\n")
}

/// `leat` compiles on a thread of its own, so without any it says so. (Where the second one was refused, these three
/// ended with a panic.)
#[cfg(target_os = "linux")]
fn no_os_threads_for_leat(program: &Path) -> Result<(), Failed> {
    for name in ["build", "debug", "lsp"] {
        let mut command = Command::new(LEAT);
        command.arg(name);
        if name != "lsp" {
            command.arg(program);
        }
        let found = run(alone::alone(&mut command))?;
        let said = text(&found.stderr);
        if !matches!(found.status.code(), Some(1 | 2)) || !said.contains("cannot start") || !said.contains("thread") {
            return Err(format!("leat {name}: {}: {said}", found.status).into());
        }
    }
    Ok(())
}

fn within(executable: &Path, kilobytes: u32, workers: u32) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\"")]).arg(executable);
    command.env("LEAT_RUN", format!("--workers={workers}"));
    command
}

fn limited(command: &mut Command, expected: &str) -> Result<(), Failed> {
    let found = run(command)?;
    if !found.status.success() || text(&found.stdout) != expected {
        return Err(format!("{command:?}: {}{}", text(&found.stdout), text(&found.stderr)).into());
    }
    Ok(())
}

// -- the README

/// Shows what is reported, to the letter.
fn readme() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let shown = fs::read_to_string(root.join("README.md"))?;
    for program in ["uncaught.sml", "waiting.sml"] {
        let found = run(Command::new(LEAT).current_dir(root.join("tests/concurrency/readme")).args(["run", program]))?;
        let report = text(&found.stderr);
        if report.is_empty() || !shown.contains(&report) {
            return Err(format!("README.md does not show what {program} reports:\n{report}").into());
        }
    }
    Ok(())
}

// -- traces

fn trace(command: &mut Command, file: &Path) -> Result<(), Failed> {
    let found = run(command)?;
    let json = fs::read_to_string(file);
    if !found.status.success() || text(&found.stdout) != "traced\n" {
        return Err(format!("{}, {}{}", found.status, text(&found.stdout), text(&found.stderr)).into());
    }
    let mut rest = &*json?;
    let Json::Array(events) = Json::parse(&mut rest).ok_or_else(|| format!("no JSON at {:.80}", rest))? else {
        return Err("no array".into());
    };
    if !rest.trim().is_empty() {
        return Err(format!("more behind the array: {rest:.80}").into());
    }
    let mut told = 0.0;
    let mut starts: HashMap<u64, f64> = HashMap::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    // By group and track: begin, end.
    let mut tracks: HashMap<(u64, u64), Vec<(f64, f64)>> = HashMap::new();
    for event in &events {
        let word = |name| event.field(name).and_then(Json::text).ok_or(format!("no {name} in {event:?}"));
        let number = |name| event.field(name).and_then(Json::number).ok_or(format!("no {name} in {event:?}"));
        *names.entry(word("name")?.to_string()).or_default() += 1;
        let track = (number("pid")? as u64, number("tid")? as u64);
        let kind = word("ph")?;
        if kind == "M" {
            let name = event.field("args").and_then(|args| args.field("name")).and_then(Json::text).unwrap_or("");
            *names.entry(name.to_string()).or_default() += 1;
            continue;
        }
        let at = number("ts")?;
        // Events are written in the order in which they are over; an arrow may begin in a span that is over, and the
        // first of a collection's two phases is written with the second.
        let over = if kind == "X" { at + number("dur")? } else { at };
        if kind != "s" && word("name")? != "copying what is young" && over < told - 0.0015 {
            return Err(format!("told at {told}, then {event:?}").into());
        }
        told = over.max(told);
        match kind {
            "X" => tracks.entry(track).or_default().push((at, over)),
            "s" => drop(starts.insert(number("id")? as u64, at)),
            "f" if starts.remove(&(number("id")? as u64)).is_some_and(|from| from <= at) => {}
            "i" => {}
            _ => return Err(format!("unexpected: {event:?}").into()),
        }
    }
    for (track, spans) in &mut tracks {
        // By begin, the longest first.
        spans.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut open: Vec<f64> = Vec::new();
        for &(begin, end) in spans.iter() {
            while open.last().is_some_and(|&end| end <= begin + 0.0015) {
                open.pop();
            }
            if open.last().is_some_and(|&outer| end > outer + 0.0015) || track.0 == 2 && !open.is_empty() {
                return Err(
                    format!("on track {track:?} the span {begin} to {end} is crossed by one to {open:?}").into()
                );
            }
            open.push(end);
        }
    }
    let wanted = [
        "workers",
        "threads",
        "worker 0",
        "the \"sender\"",
        "half\nway",
        "running",
        "ready",
        "new",
        "sending",
        "receiving",
        "sleeping",
        "minor collection",
        "stopping the workers",
        "copying what is young",
        "idle",
        "poller",
        "wake",
        "exit",
        "thread 1",
        "thread 2",
    ];
    let missing: Vec<_> = wanted.iter().filter(|name| !names.contains_key(**name)).collect();
    if !missing.is_empty() || names["running"] < 1000 || names["wake"] < 1000 {
        return Err(format!("missing: {missing:?} in {names:?}").into());
    }
    Ok(())
}

/// As much of JSON as a test needs.
#[derive(Debug)]
enum Json {
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn field(&self, name: &str) -> Option<&Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter().find(|field| field.0 == name).map(|field| &field.1)
    }

    fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    fn number(&self) -> Option<f64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }

    /// Takes a value from the front.
    fn parse(rest: &mut &str) -> Option<Json> {
        *rest = rest.trim_start();
        match rest.chars().next()? {
            '[' => Self::items(rest, '[', ']', Self::parse).map(Json::Array),
            '{' => Self::items(rest, '{', '}', |rest| {
                *rest = rest.trim_start();
                let name = Self::quoted(rest)?;
                *rest = rest.trim_start().strip_prefix(':')?;
                Some((name, Self::parse(rest)?))
            })
            .map(Json::Object),
            '"' => Self::quoted(rest).map(Json::Text),
            _ => {
                let end = rest.find(|c: char| !c.is_ascii_digit() && !".-+eE".contains(c)).unwrap_or(rest.len());
                let (number, after) = rest.split_at(end);
                *rest = after;
                number.parse().ok().map(Json::Number)
            }
        }
    }

    fn items<T>(rest: &mut &str, open: char, close: char, item: impl Fn(&mut &str) -> Option<T>) -> Option<Vec<T>> {
        *rest = rest.strip_prefix(open)?.trim_start();
        let mut items = Vec::new();
        if let Some(after) = rest.strip_prefix(close) {
            *rest = after;
            return Some(items);
        }
        loop {
            items.push(item(rest)?);
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(close) {
                *rest = after;
                return Some(items);
            }
            *rest = rest.strip_prefix(',')?;
        }
    }

    fn quoted(rest: &mut &str) -> Option<String> {
        let mut text = String::new();
        let mut chars = rest.strip_prefix('"')?.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'u' => {
                        let code: String = chars.by_ref().take(4).collect();
                        text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                    }
                    c @ ('"' | '\\') => text.push(c),
                    _ => return None,
                },
                c if c < ' ' => return None,
                c => text.push(c),
            }
        }
        *rest = chars.as_str();
        Some(text)
    }
}

// -- SIGQUIT

/// What the report says of the threads of `quit.sml`.
const REPORTED: &[&str] = &[
    "11 threads\n",
    "thread 1 (main), waiting to read:\n",
    "thread 2 \"the sender\", sending on the channel made at ",
    "thread 3 \"the receiver\", receiving on the channel made at ",
    ", choosing among events:\n",
    "thread 5, waiting to read:\n",
    ", waiting for the variable made at ",
    ", waiting for a message to what was made at ",
    ", waiting for a thread to end:\n",
    ", sleeping:\n",
    "in sender at ",
    "quit.sml:11\n",
    "\nscheduler: workers ",
    ", threads started 11, ended 0, switches ",
    "\ncollector: minor ",
    "\nwaiting: timers 2, descriptors 2, ",
];

fn report_on_quit(command: &mut Command) -> Result<(), Failed> {
    let mut child = foreground(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let result = quit_until_all_are_reported(&mut child);
    let _ = child.kill();
    let _ = child.wait();
    result
}

/// Some threads may not have got to where they block when the first line is printed, so it is asked more than once.
fn quit_until_all_are_reported(child: &mut Child) -> Result<(), Failed> {
    let report = Arc::new(Mutex::new(Vec::new()));
    let mut stderr = child.stderr.take().expect("piped");
    let written = report.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            written.lock().expect("no panic").extend_from_slice(&buffer[..count]);
        }
    });
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line)?;
    if line != "blocked\n" {
        return Err(format!("the first line is {line:?}").into());
    }
    let start = Instant::now();
    loop {
        report.lock().expect("no panic").clear();
        if !Command::new("kill").args(["-QUIT", &child.id().to_string()]).status()?.success() {
            return Err("the program is not there any more".into());
        }
        std::thread::sleep(Duration::from_millis(100));
        let found = text(&report.lock().expect("no panic"));
        let missing: Vec<_> = REPORTED.iter().filter(|piece| !found.contains(**piece)).collect();
        // One runs all the time: at its safepoint it is running, or ready.
        let runs = found.contains("thread 11, running:\n") || found.contains("thread 11, ready:\n");
        if missing.is_empty() && runs {
            break;
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("the report has no {missing:?}:\n{found}").into());
        }
    }
    child.stdin.take().expect("piped").write_all(b"go on\n")?;
    let mut rest = String::new();
    stdout.read_to_string(&mut rest)?;
    let status = child.wait()?;
    if rest != "8 went on\n" || !status.success() {
        return Err(format!("{status} after {rest:?}").into());
    }
    Ok(())
}

// -- running

/// A file of a test's own, which goes with it.
fn scratch() -> Result<TempPath, Failed> {
    Ok(NamedTempFile::new()?.into_temp_path())
}

fn build(program: &Path) -> Result<TempPath, Failed> {
    let executable = scratch()?;
    let output = run(Command::new(LEAT).arg("build").arg(program).arg("-o").arg(&executable))?;
    if !output.status.success() {
        return Err(text(&output.stderr).into());
    }
    Ok(executable)
}

/// Runs a command with no input, and ends it when it hangs.
fn run(command: &mut Command) -> Result<Output, Failed> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = child.id().to_string();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(PATIENCE) {
        Ok(output) => Ok(output?),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &pid]).status();
            Err(format!("no end after {PATIENCE:?}: {command:?}").into())
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
