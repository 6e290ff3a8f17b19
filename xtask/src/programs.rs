//! A directory of programs and their expected outputs -> a run of each in every mode, and what differs:
//! `cargo xtask programs`.
//!
//! Nothing of others is kept here: the directory is an argument. Three layouts are understood:
//!
//! - *Expected outputs*: beside `NAME.sml` stand `NAME.ok` (what it prints), `NAME.in` (its standard input),
//!   `NAME.args`; `NAME.amd64-linux.ok` is preferred on such a machine; `NAME.nonterm` says that it need only compile;
//!   programs in `fail/` must be rejected. That is how MLton's regression tests lie.
//! - *Tests that check themselves* (`--wrong=WORD`): a program passes when it ends well and no line has one of the
//!   words.
//! - *Differential* (`--against=SYSTEM`): a program passes when it prints what the other system makes it print.
//!
//! Each run has a scratch directory with the program's files and those that its text names, and a time-out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub const USAGE: &str = "\
usage: cargo xtask programs DIR [option ...]
  --leat=PATH         the command to test [default: beside this one]
  --modes=A,B         jit, O0, build, build-O0 [default: all four]
  --jobs=N            programs at once [default: one for each core]
  --timeout=SECONDS   for each step [default: 60]
  --only=A,B          only these programs
  --variant=A,B       NAME.A.ok is preferred to NAME.ok where it exists
  --skip=FILE         lines `NAME reason`: programs that are not run, with the reason
  --uses=no           run programs with _import, _export, _prim or a .mlb of their own too
  --prelude=FILE      text in front of every program
  --epilogue=FILE     text behind every program
  --wrong=A,B         tests that check themselves: words that a line of a passing program does not have
  --against=A,B       sml, poly, mlton: the output to expect is theirs, where installed
  --lib=DIR           the library's sources, handed on to leat
  --list-failures     names only, no differences
  --times             seconds that each program took in each mode";

/// A way to run a program; the words go to `leat run` or `leat build`.
#[derive(Clone, Copy, PartialEq)]
struct Mode {
    name: &'static str,
    built: bool,
    words: &'static [&'static str],
}

const MODES: &[Mode] = &[
    Mode { name: "jit", built: false, words: &[] },
    Mode { name: "O0", built: false, words: &["-O0"] },
    Mode { name: "build", built: true, words: &[] },
    Mode { name: "build-O0", built: true, words: &["-O0"] },
];

struct Options {
    dir: PathBuf,
    leat: PathBuf,
    modes: Vec<Mode>,
    jobs: usize,
    timeout: Duration,
    only: Vec<String>,
    variants: Vec<String>,
    skip: BTreeMap<String, String>,
    every_use: bool,
    prelude: String,
    epilogue: String,
    wrong: Vec<String>,
    against: Vec<String>,
    lib: Option<String>,
    list: bool,
    times: bool,
}

/// What is known of a program after its runs.
enum Verdict {
    Passed,
    /// Why it was not run.
    Skipped(String),
    /// Mode, and what was wrong.
    Failed(Vec<(String, String)>),
}

/// How a process ended: what it wrote, and whether it ended well.
struct Ended {
    stdout: String,
    stderr: String,
    code: Option<i32>,
    timed_out: bool,
    took: Duration,
}

/// `cargo xtask programs`, with the words after that.
pub fn main(words: impl Iterator<Item = String>) -> ExitCode {
    let options = match parse(words) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("xtask: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run_all(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {}: {error}", options.dir.display());
            ExitCode::FAILURE
        }
    }
}

fn parse(words: impl Iterator<Item = String>) -> Result<Options, String> {
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("leat")));
    let mut options = Options {
        dir: PathBuf::new(),
        leat: beside.unwrap_or_else(|| "leat".into()),
        modes: MODES.to_vec(),
        jobs: thread::available_parallelism().map_or(1, |n| n.get()),
        timeout: Duration::from_secs(60),
        only: Vec::new(),
        variants: Vec::new(),
        skip: BTreeMap::new(),
        every_use: false,
        prelude: String::new(),
        epilogue: String::new(),
        wrong: Vec::new(),
        against: Vec::new(),
        lib: None,
        list: false,
        times: false,
    };
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((&word, ""));
        let text = || fs::read_to_string(value).map_err(|error| format!("{value}: {error}"));
        let list = || value.split(',').map(str::to_string).collect::<Vec<_>>();
        match key {
            "--leat" => options.leat = absolute(value),
            "--modes" => options.modes = list().iter().map(|name| mode(name)).collect::<Result<_, _>>()?,
            "--jobs" => options.jobs = value.parse().map_err(|_| format!("`{word}`: a number is expected"))?,
            "--timeout" => {
                options.timeout =
                    Duration::from_secs(value.parse().map_err(|_| format!("`{word}`: seconds are expected"))?);
            }
            "--only" => options.only = list(),
            "--variant" => options.variants = list(),
            "--skip" => {
                let pairs = text()?;
                let pairs = pairs.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
                options.skip = pairs.map(|(name, reason)| (name.to_string(), reason.trim().to_string())).collect();
            }
            "--uses" => options.every_use = value == "no",
            "--prelude" => options.prelude = text()?,
            "--epilogue" => options.epilogue = text()?,
            "--wrong" => options.wrong = list(),
            "--against" => options.against = list(),
            "--lib" => options.lib = Some(format!("--lib={}", absolute(value).display())),
            "--list-failures" => options.list = true,
            "--times" => options.times = true,
            _ if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
            _ if options.dir.as_os_str().is_empty() => options.dir = absolute(&word),
            _ => return Err(format!("one directory is expected, `{word}` is a second")),
        }
    }
    if options.dir.as_os_str().is_empty() {
        return Err("a directory of programs is expected".into());
    }
    Ok(options)
}

fn mode(name: &str) -> Result<Mode, String> {
    MODES.iter().find(|mode| mode.name == name).copied().ok_or_else(|| format!("unknown mode `{name}`"))
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Runs everything and prints the summary; whether nothing failed.
fn run_all(options: &Options) -> io::Result<bool> {
    let mut names = stems(&options.dir)?;
    let mut rejects: Vec<String> =
        stems(&options.dir.join("fail")).unwrap_or_default().iter().map(|name| format!("fail/{name}")).collect();
    names.append(&mut rejects);
    if !options.only.is_empty() {
        names.retain(|name| options.only.contains(name));
    }
    let scratch = TempDir::new()?;
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<BTreeMap<&str, Verdict>> = Mutex::default();
    let times: Mutex<BTreeMap<&str, String>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = scratch.path().join(name.replace('/', "-"));
                    let mut took = String::new();
                    let verdict = judge(options, name, &place, &mut took)
                        .unwrap_or_else(|error| Verdict::Failed(vec![("driver".into(), error.to_string())]));
                    let _ = fs::remove_dir_all(&place);
                    verdicts.lock().expect("no panic").insert(name, verdict);
                    times.lock().expect("no panic").insert(name, took);
                }
            });
        }
    });
    if options.times {
        for (name, took) in times.into_inner().expect("no panic") {
            println!("{name:<24}{took}");
        }
    }
    Ok(report(options, verdicts.into_inner().expect("no panic")))
}

/// Prints failures and the summary.
fn report(options: &Options, verdicts: BTreeMap<&str, Verdict>) -> bool {
    let (mut passed, mut skipped, mut failed) = (0, 0, 0);
    for (name, verdict) in &verdicts {
        match verdict {
            Verdict::Passed => passed += 1,
            Verdict::Skipped(reason) => {
                skipped += 1;
                println!("skipped {name}: {reason}");
            }
            Verdict::Failed(modes) => {
                failed += 1;
                let list: Vec<&str> = modes.iter().map(|(mode, _)| mode.as_str()).collect();
                println!("FAILED {name} ({})", list.join(", "));
                let mut seen: Vec<&str> = Vec::new();
                for (mode, what) in modes.iter().filter(|_| !options.list) {
                    if !seen.contains(&what.as_str()) {
                        println!("  {mode}: {}", what.trim_end().replace('\n', "\n  "));
                        seen.push(what);
                    }
                }
            }
        }
    }
    let share = 100.0 * f64::from(passed) / f64::from((passed + failed).max(1));
    let modes: Vec<&str> = options.modes.iter().map(|mode| mode.name).collect();
    println!("{passed} of {} pass in {} ({share:.1} %), {skipped} skipped", passed + failed, modes.join(", "));
    failed == 0
}

/// The names of the programs in a directory, in order.
fn stems(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "sml") && path.is_file() {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Runs one program in every mode.
fn judge(options: &Options, name: &str, place: &Path, took: &mut String) -> io::Result<Verdict> {
    if let Some(reason) = options.skip.get(name) {
        return Ok(Verdict::Skipped(reason.clone()));
    }
    let source = options.dir.join(format!("{name}.sml"));
    let text = String::from_utf8_lossy(&fs::read(&source)?).into_owned();
    if !options.every_use {
        for word in ["_import", "_export", "_prim", "_address", "_symbol"] {
            let inner = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'');
            if text.match_indices(word).any(|(at, _)| !inner(at)) {
                return Ok(Verdict::Skipped(format!("uses {word}")));
            }
        }
        if source.with_extension("mlb").exists() {
            return Ok(Verdict::Skipped("has a .mlb of its own".into()));
        }
    }
    lay_out(options, name, &text, place)?;
    let file = format!("{}.sml", name.rsplit('/').next().unwrap_or(name));
    if name.starts_with("fail/") {
        return Ok(rejected(&finish(command(options, place, "check", &[]).arg(&file), options)?));
    }
    let input = options.dir.join(format!("{name}.in"));
    let words = fs::read_to_string(options.dir.join(format!("{name}.args"))).unwrap_or_default();
    let compile_only = options.dir.join(format!("{name}.nonterm")).exists();
    let mut failures = Vec::new();
    let expected = expectation(options, name, place, &file)?;
    if options.wrong.is_empty() && expected.is_none() && !compile_only {
        let checked = finish(command(options, place, "check", &[]).arg(&file), options)?;
        return Ok(match checked.code {
            Some(0) => Verdict::Skipped("compiles; has no expected output".into()),
            _ => Verdict::Failed(vec![("check".into(), checked.how())]),
        });
    }
    for mode in &options.modes {
        if compile_only && mode.built {
            continue;
        }
        if compile_only {
            let checked = finish(command(options, place, "check", mode.words).arg(&file), options)?;
            failures.extend((checked.code != Some(0)).then(|| (mode.name.to_string(), checked.how())));
            continue;
        }
        // The program's own name is `./NAME`, be it a script or an executable.
        let own = format!("./{}", file.trim_end_matches(".sml"));
        if mode.built {
            let built = finish(command(options, place, "build", mode.words).args([&file, "-o", &own]), options)?;
            let _ = write!(took, " {} {:.2} +", mode.name, built.took.as_secs_f64());
            if built.code != Some(0) {
                failures.push((mode.name.to_string(), format!("leat build: {}", built.how())));
                continue;
            }
        } else {
            script(options, mode, &place.join(&file), &place.join(&own))?;
        }
        let run = || -> io::Result<Command> {
            let mut run =
                if mode.built { Command::new(place.join(&own)) } else { command(options, place, "run", mode.words) };
            if mode.built {
                std::os::unix::process::CommandExt::arg0(&mut run, &own);
            } else {
                run.arg(&own);
            }
            run.args(words.split_whitespace()).current_dir(place);
            run.stdin(if input.exists() { Stdio::from(File::open(&input)?) } else { Stdio::null() });
            Ok(run)
        };
        let ended = finish(&mut run()?, options)?;
        let _ = write!(took, " {} {:.2}", mode.name, ended.took.as_secs_f64());
        let mut wrong = match &expected {
            _ if ended.timed_out => Some("does not end in time".to_string()),
            Some(expected) => differs(expected, &ended),
            None => complains(options, &ended),
        };
        if let Some(expected) = &expected
            && wrong.is_some()
            && !ended.stderr.is_empty()
            && !ended.timed_out
        {
            // It may write to both streams: then their order counts. What the compiler says comes before that.
            let both = finish_to(&mut run()?, options, true)?;
            let warnings = match mode.built {
                true => String::new(),
                false => finish(command(options, place, "check", &[]).arg(&own), options)?.stderr,
            };
            if both.code == ended.code
                && !wrong_code(expected, &both)
                && both.stdout.strip_prefix(&warnings) == Some(expected)
            {
                wrong = None;
            }
        }
        failures.extend(wrong.map(|wrong| (mode.name.to_string(), wrong)));
    }
    Ok(if failures.is_empty() { Verdict::Passed } else { Verdict::Failed(failures) })
}

/// The program as a script that can be started by its name, as some do with themselves.
fn script(options: &Options, mode: &Mode, source: &Path, own: &Path) -> io::Result<()> {
    let words: Vec<&str> = mode.words.iter().copied().chain(options.lib.as_deref()).collect();
    let mut text = format!("#!/usr/bin/env -S {} run {}\n", options.leat.display(), words.join(" ")).into_bytes();
    text.extend(fs::read(source)?);
    fs::write(own, text)?;
    #[cfg(unix)]
    fs::set_permissions(own, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// Is the exit code zero where the expected text says otherwise, or the other way round?
fn wrong_code(expected: &str, ended: &Ended) -> bool {
    expected.lines().any(|line| line == "Nonzero exit status.") != (ended.code != Some(0))
}

/// The scratch directory: the program between prelude and epilogue, its companions, and the files that its text names.
fn lay_out(options: &Options, name: &str, text: &str, place: &Path) -> io::Result<()> {
    fs::create_dir_all(place)?;
    let source = options.dir.join(format!("{name}.sml"));
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for entry in fs::read_dir(source.parent().unwrap_or(&options.dir))? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let companion = file.strip_prefix(&stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if path.is_file() && (companion || text.contains(&format!("\"{file}\""))) {
            fs::copy(&path, place.join(&file))?;
        }
    }
    if options.prelude.is_empty() && options.epilogue.is_empty() {
        return Ok(());
    }
    fs::write(place.join(format!("{stem}.sml")), format!("{}{text}\n{}", options.prelude, options.epilogue))
}

/// What the program should print: by another system, or by its file.
fn expectation(options: &Options, name: &str, place: &Path, file: &str) -> io::Result<Option<String>> {
    for system in &options.against {
        let mut other = match system.as_str() {
            // At its prompt SML/NJ prints every binding; a file that is loaded by `use` in a quiet session does not.
            "sml" => {
                let script = format!(
                    "Control.Print.out := {{say = fn _ => (), flush = fn () => ()}};\n\
                     val () = use \"{file}\" handle _ => OS.Process.exit OS.Process.failure;\n\
                     val () = OS.Process.exit OS.Process.success;\n"
                );
                fs::write(place.join("leat-drive.sml"), script)?;
                let mut other = Command::new("sml");
                other.arg("leat-drive.sml");
                other
            }
            // Likewise; its compiler's messages and the bindings go to a stream of their own.
            "poly" => {
                let script = format!(
                    "let val ins = TextIO.openIn \"{file}\"\n\
                     in while not (TextIO.endOfStream ins) do\n\
                     PolyML.compiler (fn () => TextIO.input1 ins, [PolyML.Compiler.CPOutStream ignore]) () end\n\
                     handle _ => OS.Process.exit OS.Process.failure;\n"
                );
                fs::write(place.join("leat-drive.sml"), script)?;
                let mut other = Command::new("poly");
                other.args(["-q", "--error-exit", "--use", "leat-drive.sml"]);
                other
            }
            _ => {
                let mut compile = Command::new(system);
                compile.current_dir(place).args(["-output", "leat-other", file]);
                match finish(&mut compile, options) {
                    Ok(ended) if ended.code == Some(0) => Command::new(place.join("leat-other")),
                    _ => continue,
                }
            }
        };
        let input = options.dir.join(format!("{name}.in"));
        other.current_dir(place);
        other.stdin(if input.exists() { Stdio::from(File::open(&input)?) } else { Stdio::null() });
        if let Ok(ended) = finish(&mut other, options)
            && ended.code == Some(0)
        {
            return Ok(Some(ended.stdout));
        }
    }
    if !options.against.is_empty() || !options.wrong.is_empty() {
        return Ok(None);
    }
    let machine = if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" };
    let kinds = [format!("{machine}-{}.ok", std::env::consts::OS), format!("{machine}.ok")];
    let kinds = options.variants.iter().map(|v| format!("{v}.ok")).chain(kinds).chain(["ok".to_string()]);
    let mut found = kinds.filter_map(|kind| fs::read(options.dir.join(format!("{name}.{kind}"))).ok());
    let found = found.next().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // Such a file says that there is one for each representation of another system.
    Ok(found.filter(|text| !text.trim_end().ends_with(".ok missing")))
}

/// `leat check`, `run` or `build` with the words of a mode, in the scratch directory.
fn command(options: &Options, place: &Path, verb: &str, words: &[&str]) -> Command {
    let mut command = Command::new(&options.leat);
    command.current_dir(place).arg(verb).args(words).args(&options.lib).arg("--color=never");
    command.stdin(Stdio::null());
    command
}

/// A program in `fail/` passes when it is rejected with a message, not when the compiler breaks.
fn rejected(ended: &Ended) -> Verdict {
    let clean = ended.code == Some(1) && !ended.timed_out && !ended.stderr.contains("panicked");
    if clean {
        Verdict::Passed
    } else {
        Verdict::Failed(vec![("check".into(), format!("is not rejected: {}", ended.how()))])
    }
}

/// What is wrong with a program that checks itself.
fn complains(options: &Options, ended: &Ended) -> Option<String> {
    let bad: Vec<&str> =
        ended.stdout.lines().filter(|line| options.wrong.iter().any(|word| line.contains(word.as_str()))).collect();
    match () {
        _ if !bad.is_empty() => Some(bad.join("\n")),
        _ if ended.code != Some(0) => Some(ended.how()),
        _ => None,
    }
}

/// What is wrong with a program's output. Where the expected text ends with an uncaught exception, ours is on standard
/// error in our words: the exception and its message must be the same, and the exit code must not be zero.
fn differs(expected: &str, ended: &Ended) -> Option<String> {
    let nonzero = expected.lines().any(|line| line == "Nonzero exit status.");
    let of_us =
        |line: &&str| !(nonzero && (line.starts_with("unhandled exception: ") || *line == "Nonzero exit status."));
    if nonzero {
        let theirs = expected.lines().find_map(|line| line.strip_prefix("unhandled exception: "));
        let ours = ended.stderr.lines().find_map(|line| line.strip_prefix("uncaught exception "));
        if theirs != ours || ended.code == Some(0) {
            return Some(format!("expected the exception {}: {}", theirs.unwrap_or("(none)"), ended.how()));
        }
    } else if ended.code != Some(0) {
        return Some(ended.how());
    }
    if !nonzero && ended.stdout == expected {
        return None;
    }
    let theirs: Vec<&str> = expected.lines().filter(of_us).collect();
    if nonzero && ended.stdout.lines().eq(theirs.iter().copied()) {
        return None;
    }
    let ours: Vec<&str> = ended.stdout.lines().collect();
    Some(difference(&theirs, &ours, &ended.stderr))
}

/// The first lines that differ: `-` as expected, `+` as printed.
fn difference(theirs: &[&str], ours: &[&str], stderr: &str) -> String {
    let mut out = String::from("prints something else\n");
    let mut shown = 0;
    for at in 0..theirs.len().max(ours.len()) {
        let (old, new) = (theirs.get(at), ours.get(at));
        if old != new && shown < 6 {
            shown += 1;
            let _ = writeln!(out, "{}:", at + 1);
            let _ = old.map(|line| writeln!(out, "- {line}"));
            let _ = new.map(|line| writeln!(out, "+ {line}"));
        }
    }
    for line in stderr.lines().take(6) {
        let _ = writeln!(out, "! {line}");
    }
    out
}

impl Ended {
    /// The end of a process in a few lines.
    fn how(&self) -> String {
        let code = match (self.timed_out, self.code) {
            (true, _) => "does not end in time".to_string(),
            (_, Some(code)) => format!("exit code {code}"),
            (_, None) => "ended by a signal".to_string(),
        };
        let lines: Vec<&str> = self.stderr.lines().take(12).collect();
        format!("{code}\n{}", lines.join("\n"))
    }
}

/// Runs a command to its end, or to the time-out.
fn finish(command: &mut Command, options: &Options) -> io::Result<Ended> {
    finish_to(command, options, false)
}

/// Likewise; with `both`, standard error goes to where standard output goes. What it writes goes to files, so that no
/// pipe can fill or stay open.
fn finish_to(command: &mut Command, options: &Options, both: bool) -> io::Result<Ended> {
    let place = command.get_current_dir().map_or_else(std::env::temp_dir, Path::to_path_buf);
    let (out, err) = (place.join("leat-stdout"), place.join("leat-stderr"));
    let start = Instant::now();
    let (stdout, stderr) = (File::create(&out)?, File::create(&err)?);
    let stderr = if both { stdout.try_clone()? } else { stderr };
    let mut child = command.stdout(stdout).stderr(stderr).spawn()?;
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > options.timeout {
            timed_out = true;
            let _ = child.kill();
            break child.wait()?;
        }
        let nap = (start.elapsed() / 20).clamp(Duration::from_millis(1), Duration::from_millis(50));
        thread::sleep(nap);
    };
    let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Ended { stdout: text(&out)?, stderr: text(&err)?, code: status.code(), timed_out, took: start.elapsed() })
}
