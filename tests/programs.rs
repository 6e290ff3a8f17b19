//! Runs every program under `tests/` by the `leat` command, in every way that must not matter.
//!
//! - `lang/`: programs with their output (`NAME.ok`), by JIT and built, optimised and not, with a collection at every
//!   allocation, with 1, 2 and 8 workers.
//! - `threads/`: likewise; they use threads. Also on one processor, which the ticker then shares with the threads that compute:
//!   turns that depended on a tick between two switches went wrong there, in four of five runs.
//! - `order/`: likewise, with one worker only: the order of what they print is that of one worker.
//! - `basis/`: programs of the Basis Library's modules; with a collection at every 97th allocation.
//! - `libs/`: programs of the other libraries (`.mlb` files); at every 4,999th, with one worker.
//! - `light/`: the styles of `lib/light`, and the process networks of `bench/programs/light`; at every 997th.
//! - `cml/`, `io/`: Concurrent ML, and input and output by threads; likewise (`cml/` on one processor too), with a collection at every 97th allocation.
//! - `heavy/`: too large for that too; the rest likewise. The programs of `examples/`, too.
//! - `fail/`: programs that end with an error at run time: `NAME.ok` is the output, `NAME.err` what standard error
//!   contains, a line for each piece, the first line being the exit code.
//! - `reject/`: programs that do not compile: `NAME.err` is exactly what is reported. `LEAT_BLESS=1` rewrites it.
//!
//! A new case is a new file: `NAME.sml`, or `NAME.mlb` and what it lists. Beside a program may stand `NAME.args` (words for its command line)
//! and `NAME.flags` (options of the runtime).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::{NamedTempFile, TempPath};

mod pin;
use pin::pin;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// A program that takes longer hangs, on a machine with other work too: the longest takes a minute alone.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a program is run: the name in the test's name, and the words after `leat run`.
const MODES: &[(&str, &[&str])] = &[
    ("jit", &["--verify=each"]),
    ("jit-O0", &["-O0", "--verify=each"]),
    ("stress", &["--gc-stress=1", "--gc-verify", "--verify=off"]),
    ("stress-O0", &["-O0", "--gc-stress=1", "--gc-verify", "--verify=off"]),
    ("workers2", &["--workers=2", "--verify=off"]),
    ("workers8", &["--workers=8", "--verify=off"]),
    ("pinned", &["--verify=off"]),
    ("pinned-workers2", &["--workers=2", "--verify=off"]),
];

/// A folder of programs that must give the same output in all modes.
struct Folder {
    name: &'static str,
    /// A collection at every how many allocations; none of those runs if 0.
    stress: usize,
    /// Also with several workers.
    workers: bool,
    /// Also on one processor.
    pinned: bool,
}

const FOLDERS: &[Folder] = &[
    Folder { name: "lang", stress: 1, workers: true, pinned: false },
    Folder { name: "threads", stress: 1, workers: true, pinned: true },
    Folder { name: "order", stress: 1, workers: false, pinned: false },
    Folder { name: "basis", stress: 199, workers: true, pinned: false },
    Folder { name: "libs", stress: 4999, workers: false, pinned: false },
    Folder { name: "light", stress: 997, workers: true, pinned: false },
    Folder { name: "cml", stress: 97, workers: true, pinned: true },
    Folder { name: "io", stress: 499, workers: true, pinned: false },
    Folder { name: "heavy", stress: 0, workers: true, pinned: false },
    Folder { name: "../examples", stress: 0, workers: true, pinned: false },
];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let mut trials = Vec::new();
    for folder in FOLDERS {
        for program in programs(&root.join(folder.name)) {
            let name = format!("{}/{}", folder.name.trim_start_matches("../"), stem(&program));
            for (mode, words) in MODES {
                let pinned = mode.starts_with("pinned");
                if folder.stress == 0 && mode.starts_with("stress")
                    || !folder.workers && mode.starts_with("workers")
                    || !folder.pinned && pinned
                {
                    continue;
                }
                let program = program.clone();
                let stress = format!("--gc-stress={}", folder.stress);
                let words: Vec<String> = words
                    .iter()
                    .map(|word| if *word == "--gc-stress=1" { stress.clone() } else { word.to_string() })
                    .collect();
                trials.push(Trial::test(format!("{name}::{mode}"), move || {
                    let mut command = Command::new(LEAT);
                    command.arg("run").args(&words).args(flags_of(&program)).arg(&program).args(arguments_of(&program));
                    if pinned {
                        pin(&mut command);
                    }
                    expect_ok(&program, &run(command)?)
                }));
            }
            for (mode, words) in [("built", &["--verify=off"][..]), ("built-O0", &["-O0", "--verify=off"][..])] {
                let program = program.clone();
                trials.push(Trial::test(format!("{name}::{mode}"), move || {
                    let executable = build(&program, words)?;
                    let mut command = Command::new(&executable);
                    command.args(arguments_of(&program)).env("LEAT_RUN", flags_of(&program).join(" "));
                    run(command).and_then(|output| expect_ok(&program, &output))
                }));
            }
        }
    }
    for program in programs(&root.join("fail")) {
        for (mode, words) in [("jit", &["--verify=each"][..]), ("jit-O0", &["-O0"][..])] {
            let program = program.clone();
            trials.push(Trial::test(format!("fail/{}::{mode}", stem(&program)), move || {
                let mut command = Command::new(LEAT);
                command.arg("run").args(words).args(flags_of(&program)).arg(&program).args(arguments_of(&program));
                expect_failure(&program, &run(command)?)
            }));
        }
        trials.push(Trial::test(format!("fail/{}::built", stem(&program)), move || {
            let executable = build(&program, &["--verify=off"])?;
            let mut command = Command::new(&executable);
            command.args(arguments_of(&program)).env("LEAT_RUN", flags_of(&program).join(" "));
            run(command).and_then(|output| expect_failure(&program, &output))
        }));
    }
    for program in programs(&root.join("reject")) {
        trials.push(Trial::test(format!("reject/{}", stem(&program)), move || {
            let mut command = Command::new(LEAT);
            // The name as a user in that folder would give it, so that no path stands in the expected text.
            command.current_dir(program.parent().expect("a file in a folder"));
            command.args(["check", "--color=never"]).arg(program.file_name().expect("a file"));
            let output = run(command)?;
            expect_rejection(&program, &output)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut programs: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_program(path)).collect();
    programs.sort();
    programs
}

/// `NAME.mlb`, and `NAME.sml` where no such file lists it.
fn is_program(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("mlb") => true,
        Some("sml") => !path.with_extension("mlb").exists(),
        _ => false,
    }
}

fn stem(program: &Path) -> String {
    program.file_stem().expect("a file name").to_string_lossy().into_owned()
}

fn arguments_of(program: &Path) -> Vec<String> {
    words_of(program, "args")
}

fn flags_of(program: &Path) -> Vec<String> {
    words_of(program, "flags")
}

fn words_of(program: &Path, extension: &str) -> Vec<String> {
    let text = fs::read_to_string(program.with_extension(extension)).unwrap_or_default();
    text.split_whitespace().map(str::to_string).collect()
}

/// The executable goes with its path: two programs of one name, or two modes of one program, are built side by side.
fn build(program: &Path, words: &[&str]) -> Result<TempPath, Failed> {
    let executable = NamedTempFile::new()?.into_temp_path();
    let mut command = Command::new(LEAT);
    command.arg("build").args(words).arg(program).arg("-o").arg(&executable);
    let output = run(command)?;
    if !output.status.success() {
        return Err(format!("leat build failed:\n{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(executable)
}

/// Runs a command with no input, and ends it when it hangs.
fn run(mut command: Command) -> Result<Output, Failed> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    // The readers empty both pipes, so that the child cannot block on them.
    let mut stdout = child.stdout.take().expect("piped");
    let mut stderr = child.stderr.take().expect("piped");
    let out = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stdout, &mut bytes);
        bytes
    });
    let err = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stderr, &mut bytes);
        bytes
    });
    let start = Instant::now();
    std::thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    let status = match receiver.recv_timeout(PATIENCE) {
        Ok(status) => status?,
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
            return Err(format!("no end after {:?}: {command:?}", start.elapsed()).into());
        }
    };
    let stdout = out.join().map_err(|_| "reader died")?;
    let stderr = err.join().map_err(|_| "reader died")?;
    Ok(Output { status, stdout, stderr })
}

fn expect_ok(program: &Path, output: &Output) -> Result<(), Failed> {
    expect_stdout(program, output)?;
    if !output.status.success() {
        return Err(format!("{}\nstandard error:\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(())
}

fn expect_stdout(program: &Path, output: &Output) -> Result<(), Failed> {
    let expected = fs::read(program.with_extension("ok")).unwrap_or_default();
    if output.stdout != expected {
        return Err(format!(
            "{}, output differs\n--- expected\n{}--- found\n{}--- standard error\n{}",
            output.status,
            String::from_utf8_lossy(&expected),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    Ok(())
}

fn expect_failure(program: &Path, output: &Output) -> Result<(), Failed> {
    expect_stdout(program, output)?;
    let expected = fs::read_to_string(program.with_extension("err"))?;
    let mut pieces = expected.lines();
    let code: i32 = pieces.next().unwrap_or("").trim().parse()?;
    let found = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(code) {
        return Err(format!("exit code {code} expected, {} found\nstandard error:\n{found}", output.status).into());
    }
    for piece in pieces {
        if !found.contains(piece) {
            return Err(format!("standard error has no {piece:?}:\n{found}").into());
        }
    }
    Ok(())
}

fn expect_rejection(program: &Path, output: &Output) -> Result<(), Failed> {
    let file = program.with_extension("err");
    if std::env::var_os("LEAT_BLESS").is_some() {
        fs::write(&file, &output.stderr)?;
        return Ok(());
    }
    if output.status.code() != Some(1) {
        return Err(format!("exit code 1 expected, {} found", output.status).into());
    }
    let expected = fs::read(&file)?;
    if output.stderr != expected {
        return Err(format!(
            "messages differ (LEAT_BLESS=1 rewrites them)\n--- expected\n{}--- found\n{}",
            String::from_utf8_lossy(&expected),
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    Ok(())
}
