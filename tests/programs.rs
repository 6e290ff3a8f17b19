//! Runs every program under `tests/` by the `leat` command, in every way that must not matter.
//!
//! [`FOLDERS`] says which folder is run in which of these ways, and [`OTHERS`] what the other folders are; `tests/README.md` has
//! its tables from here. Besides:
//!
//! - `fail/`: programs that end with an error at run time: `NAME.ok` is the output, `NAME.err` what standard error
//!   contains, a line for each piece, the first line being the exit code.
//! - `reject/`: programs that do not compile: `NAME.err` is exactly what is reported. `LEAT_BLESS=1` rewrites it.
//!
//! A new case is a new file: `NAME.sml`, or `NAME.mlb` and what it lists. Beside a program may stand `NAME.args` (words
//! for its command line, in which `{dir}` is the program's folder) and `NAME.flags` (options of the runtime).

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
    ("slices", &["--pause=0.1", "--gc-thread", "--gc-stress=1", "--gc-verify", "--verify=off"]),
    ("slices-workers2", &["--workers=2", "--pause=0.1", "--gc-thread", "--gc-stress=1", "--gc-verify", "--verify=off"]),
    ("workers2", &["--workers=2", "--verify=off"]),
    ("workers8", &["--workers=8", "--verify=off"]),
    ("scattered", &["--workers=4", "--scatter", "--verify=off"]),
    ("pinned", &["--verify=off"]),
    ("pinned-workers2", &["--workers=2", "--verify=off"]),
];

/// A folder of programs that must give the same output in all modes.
struct Folder {
    name: &'static str,
    /// What stands in it.
    what: &'static str,
    /// A collection at every how many allocations; none of those runs if 0.
    stress: usize,
    /// With so many workers at most: 1, 2, or 8, and then also with 4 that are scattered.
    workers: usize,
    /// Also on one processor, which the ticker then shares with the threads that compute: turns that depended on a tick
    /// between two switches went wrong there, in four of five runs.
    pinned: bool,
    /// Only in memory without optimisation, and built with it: `verified.rs` looks at each pass of these programs
    /// anyway.
    brief: bool,
}

const FOLDERS: &[Folder] = &[
    Folder { name: "lang", what: "the language", stress: 1, workers: 2, pinned: false, brief: false },
    Folder { name: "threads", what: "threads", stress: 1, workers: 8, pinned: true, brief: false },
    Folder {
        name: "order",
        what: "threads whose order of output is that of one worker",
        stress: 1,
        workers: 1,
        pinned: false,
        brief: false,
    },
    Folder { name: "basis", what: "the Basis Library", stress: 199, workers: 1, pinned: false, brief: false },
    Folder {
        name: "libs",
        what: "the other libraries (`.mlb` files)",
        stress: 4999,
        workers: 1,
        pinned: false,
        brief: false,
    },
    Folder {
        name: "light",
        what: "the styles of `lib/light`, and the process networks of `bench/programs/light`",
        stress: 997,
        workers: 8,
        pinned: false,
        brief: false,
    },
    Folder { name: "cml", what: "Concurrent ML", stress: 97, workers: 8, pinned: true, brief: false },
    Folder { name: "io", what: "input and output by threads", stress: 499, workers: 8, pinned: false, brief: false },
    Folder {
        name: "heavy",
        what: "programs that would take too long with forced collections",
        stress: 0,
        workers: 8,
        pinned: false,
        brief: false,
    },
    Folder {
        name: "../bench/programs/everyday/sml",
        what: "the everyday programs of the lab, at small sizes",
        stress: 0,
        workers: 1,
        pinned: false,
        brief: true,
    },
    Folder { name: "../examples", what: "the examples", stress: 0, workers: 8, pinned: false, brief: false },
];

/// The other folders: what stands in them, and the file that runs them.
const OTHERS: &[(&str, &str, &str)] = &[
    ("bad", "what is wrong on purpose: inputs for the command line", "units.rs"),
    (
        "bindgen",
        "headers of C, what `leat bindgen` makes of them, and programs over libraries of the system",
        "bindgen.rs",
    ),
    ("chains", "texts in which a line is repeated n times: chains of every construct", "growth.rs"),
    ("client", "a client of the language server, and readers of profiles and of what callgrind counts", "lsp.rs"),
    ("concurrency", "programs whose reports are compared: deadlocks, crashes, seeds, signals", "concurrency.rs"),
    ("counts", "programs whose instructions are counted; `counts.table` has the counts", "counts.rs"),
    ("editors", "what a user does in an editor, as scripts of that editor", "editors.rs"),
    ("debug", "programs that `debug_terminal.rs` debugs, too", "debug.rs"),
    (
        "fail",
        "programs that end with an error at run time: `NAME.ok` is the output, `NAME.err` the exit code and pieces of standard error",
        "programs.rs",
    ),
    ("foreign", "programs that call C, with their files of C, and what is wrong with an `_import`", "foreign.rs"),
    ("http-cases", "a program that judges messages of HTTP, for the cases of other parsers", "http_cases.rs"),
    ("profiles", "programs whose costs are known; `calls.rs` and `debug_info.rs` use them too", "profile.rs"),
    ("races", "programs with races, and without: `NAME.race` is what the detector tells", "concurrency.rs"),
    ("random", "generators of well-typed programs, and their settings", "random.rs"),
    (
        "regex-cases",
        "a program that finds the matches of expressions in texts, for the cases of another library",
        "regex.rs",
    ),
    ("reject", "programs that do not compile: `NAME.err` is exactly what is reported", "programs.rs"),
    ("shell", "scripts that use the command as a user does: `NAME.ok` is what they print", "shell.rs"),
    ("tls", "programs that speak TLS with OpenSSL, and some to compare sizes", "tls.rs"),
    ("units", "sessions over `.mlb` and `.cm` descriptions", "units.rs"),
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
                let stressed = mode.starts_with("stress") || mode.starts_with("slices");
                // Without optimisation only where each allocation collects, and without slices only where many do: the
                // suite is to end within half an hour.
                if folder.stress == 0 && stressed
                    || *mode == "stress-O0" && folder.stress > 1
                    || *mode == "stress" && folder.stress > 1000
                    || *mode == "workers2" && folder.workers < 2
                    || (*mode == "workers8" || *mode == "scattered") && folder.workers < 8
                    || !folder.pinned && (pinned || *mode == "slices-workers2")
                    || folder.brief && *mode != "jit-O0"
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
                // Built differs from in memory behind the optimiser; without that once more only where it is small
                // work.
                if mode == "built-O0" && folder.stress != 1 {
                    continue;
                }
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
    trials.push(Trial::test("README.md", {
        let root = root.clone();
        move || tables_are_true(&root)
    }));
    trials.push(Trial::test("front-door", move || commands_are_there(&root.join(".."))));
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
    let folder = program.parent().expect("a file in a folder").to_string_lossy();
    text.split_whitespace().map(|word| word.replace("{dir}", &folder)).collect()
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

// -- README.md, tests/README.md

/// The first block of commands in the README has two, one that builds and runs Leat and one that runs all tests; CI
/// runs the second one. (Once the README had lost it, and CI said that it was there.)
fn commands_are_there(project: &Path) -> Result<(), Failed> {
    let page = fs::read_to_string(project.join("README.md"))?;
    let block = page.split("```\n").nth(1).ok_or("the README has no commands")?;
    let commands: Vec<&str> = block.lines().map(|line| line.split("  ").next().unwrap_or_default()).collect();
    let [run, test] = commands[..] else {
        return Err(format!("the README's first block has these commands: {commands:?}").into());
    };
    let program = run.strip_prefix("cargo run --release -- run ").ok_or("the first command does not run a program")?;
    if !project.join(program).is_file() {
        return Err(format!("there is no {program}").into());
    }
    let ci = fs::read_to_string(project.join(".ci/run"))?;
    if !test.starts_with("cargo test") || !ci.lines().any(|line| line.split(" 2>").next() == Some(test)) {
        return Err(format!("CI does not run the README's `{test}`").into());
    }
    Ok(())
}

/// The tables of `tests/README.md` say what [`FOLDERS`], [`OTHERS`] and the heads of the files here say, and every
/// folder is in one of the two. (Once they left out 6 of 19 folders, and gave frequencies that no test had.)
/// `LEAT_BLESS=1` rewrites them.
fn tables_are_true(root: &Path) -> Result<(), Failed> {
    let named = |name: &str| FOLDERS.iter().any(|f| f.name == name) || OTHERS.iter().any(|(other, ..)| *other == name);
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(root)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            folders.push(name);
        } else if name.ends_with(".rs") {
            files.push(name);
        }
    }
    files.sort();
    if let Some(name) = folders.iter().find(|name| !named(name)) {
        return Err(format!("tests/{name} is in neither FOLDERS nor OTHERS of tests/programs.rs").into());
    }
    let mut tables = String::from(
        "| folder | what stands in it | a collection at every | workers | one processor |\n|---|---|---|---|---|\n",
    );
    let yes = |it| if it { "yes" } else { "" };
    for f in FOLDERS {
        let stress = match f.stress {
            0 => String::new(),
            1 => "allocation".to_string(),
            n => format!("{n} allocations"),
        };
        let name = f.name.trim_start_matches("../");
        let workers = match f.workers {
            1 => "1",
            2 => "1, 2",
            _ => "1, 2, 4, 8",
        };
        tables += &format!("| `{name}/` | {} | {stress} | {workers} | {} |\n", f.what, yes(f.pinned));
    }
    tables += "\n| folder | what stands in it | run by |\n|---|---|---|\n";
    for (name, what, file) in OTHERS {
        if !files.iter().any(|f| f == file) || !folders.iter().any(|f| f == name) {
            return Err(format!("there is no {name} or no {file} in tests/").into());
        }
        tables += &format!("| `{name}/` | {what} | `{file}` |\n");
    }
    tables += "\n| file | what it does |\n|---|---|\n";
    for file in &files {
        tables += &format!("| `{file}` | {} |\n", first_sentence(&fs::read_to_string(root.join(file))?));
    }
    let page = root.join("README.md");
    let text = fs::read_to_string(&page)?;
    let (begin, end) = ("<!-- begin: tables, written by a test -->\n", "<!-- end: tables -->");
    let (Some(from), Some(upto)) = (text.find(begin).map(|at| at + begin.len()), text.find(end)) else {
        return Err("tests/README.md has no place for its tables".into());
    };
    if text[from..upto] == tables {
        return Ok(());
    }
    if std::env::var_os("LEAT_BLESS").is_some() {
        fs::write(&page, format!("{}{tables}{}", &text[..from], &text[upto..]))?;
        return Ok(());
    }
    Err("the tables of tests/README.md are not what the tests do; LEAT_BLESS=1 writes them".into())
}

/// Of the comment at the head of a file.
fn first_sentence(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//! ")).collect();
    let head = lines.join(" ");
    match head.find(". ") {
        Some(at) => head[..=at].to_string(),
        None => head,
    }
}
