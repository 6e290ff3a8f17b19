//! The runner in front of fake peers: those that work keep their figures, whatever the others do.
//!
//! The audit's story: Debian's SML/NJ without Concurrent ML failed, and six rows lost Leat's own figures; a `python3` that
//! was a version manager's script was measured instead of Python.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A folder of its own for a test, gone behind it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab")
}

fn lab(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leat-bench"));
    let path = format!("{}:{}", data().join("bin").display(), std::env::var("PATH").unwrap());
    command.arg(format!("--programs={}", data().display())).args(words).env("PATH", path).stdin(Stdio::null());
    command
}

fn run(words: &[&str]) -> Output {
    lab(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `--list | head` ended in a panic.
#[test]
fn a_reader_that_has_gone_ends_no_run() {
    let out = Folder::new();
    for words in [&["--list"][..], &["F2", "--rounds=1", "-o", out.path().to_str().unwrap()]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = lab(words).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success() && !said.contains("panic"), "{words:?}: {:?} {said}", output.status);
    }
    assert!(out.read("run.jsonl").contains("figure"));
}

#[test]
fn a_failing_peer_costs_one_line() {
    let out = Folder::new();
    let begin = Instant::now();
    let output = run(&["F1", "--rounds=2", "-o", out.path().to_str().unwrap()]);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(begin.elapsed() < Duration::from_secs(60), "what hangs is ended: {said}");
    let lines = out.read("run.jsonl");
    let failed = |system: &str| {
        let head = format!("{{\"failed\":{{\"row\":\"F1\",\"system\":\"{system}\"");
        let all: Vec<&str> = lines.lines().filter(|line| line.starts_with(&head)).collect();
        assert_eq!(all.len(), 1, "{system}: {lines}");
        all[0].to_string()
    };
    for (system, reason) in [
        ("crashes", "SIGSEGV"),
        ("fails", "no luck today"),
        ("hangs", "still running after 2 s"),
        ("nonsense", "`hello`, which is no figure"),
        ("another name", "printed none of time"),
        ("no such file", "No such file"),
        ("cannot be built", "cannot be built: exit status: 3: error: no luck today"),
        ("absent", "leat-lab-no-such-program is not installed (nowhere)"),
        ("lacking", "lab-shim is here without its library"),
    ] {
        assert!(failed(system).contains(reason), "{system}: {}", failed(system));
    }
    for (system, value) in
        [("C", "100.0,100.0"), ("leat", "50.0,50.0"), ("shim", "30.0,30.0"), ("leaves a child", "7.0,7.0")]
    {
        let figure = format!("\"system\":\"{system}\",\"name\":\"time\",\"unit\":\"ns\",\"samples\":[{value}]");
        assert!(lines.contains(&figure), "{system}: {lines}");
    }
    // The real executable and its version, not those of the script in front.
    assert!(lines.contains("lab-real\",\"version\":\"real 1.2.3\""), "{lines}");
    // Better than 0.6 of C; not better than the best peer.
    assert!(said.contains("1 bars are met, 1 missed"), "{said}");
    // Memory is the program's: a shell has less than the lab's three megabytes.
    let resident = lines.lines().find(|line| line.contains("\"resident\"")).unwrap();
    let value: f64 = resident.split_once('[').unwrap().1.split([',', ']']).next().unwrap().parse().unwrap();
    assert!((100.0..2500.0).contains(&value), "{resident}");
    let page = out.read("index.html");
    for word in ["Peers of all kinds", "a machine of 1960", "still running after 2 s", "<svg", "missed"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn peers_are_chosen() {
    let out = Folder::new();
    let output = run(&["F1", "--peers=none", "--rounds=1", "-o", out.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(out.read("run.jsonl").contains("\"system\":\"shim\",\"reason\":\"left out by --peers\""));
    let output = run(&["F1", "--peers=Smalltalk", "-o", out.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "leat-bench: there is no peer Smalltalk; there are Absent, Lacking, Shim (--help lists the options)\n"
    );
}

#[test]
fn wrong_usage_is_one_line() {
    for (words, line) in [
        (&["F9"][..], "there is no row F9; there are F1 F2 F3"),
        (&["--fast"], "there is no option --fast"),
        (&["--rounds=0"], "--rounds takes a number from 1 to 1000"),
        (&["--compare", "x"], "--compare takes two runs"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert_eq!(text(&output.stderr), format!("leat-bench: {line} (--help lists the options)\n"));
    }
}

#[test]
fn an_unwritable_folder_is_told_at_once() {
    let output = run(&["F1", "-o", "/proc/leat-bench"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.starts_with("leat-bench: /proc/leat-bench: ") && error.lines().count() == 1, "{error}");
}

/// The figures are on the terminal, and the message says which file.
#[test]
fn a_full_disk_costs_the_files_only() {
    let out = Folder::new();
    symlink("/dev/full", out.path().join("run.jsonl")).unwrap();
    let output = run(&["F3", "--quick", "-o", out.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.lines().last().unwrap().contains("run.jsonl: No space left on device"), "{error}");
    let symlink_page = Folder::new();
    symlink("/dev/full", symlink_page.path().join("index.html")).unwrap();
    let output = run(&["F3", "--quick", "-o", symlink_page.path().to_str().unwrap()]);
    assert!(text(&output.stderr).contains("index.html: No space left on device"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("100 ns"), "{}", text(&output.stdout));
    assert!(symlink_page.read("run.jsonl").contains("\"row\":\"F3\""));
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let out = Folder::new();
    let begin = Instant::now();
    let child = lab(&["F3", "F2", "--rounds=5", "-o", out.path().to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Rows are in the order of the table: F2 begins, and takes minutes.
    let has_begun = || std::fs::read_to_string(out.path().join("run.jsonl")).is_ok_and(|text| text.contains("\"run\""));
    while !has_begun() && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(3));
    // SAFETY: a signal to our own child, which has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(begin.elapsed() < Duration::from_secs(60));
    assert!(text(&output.stderr).contains("interrupted: the report has what there was"), "{}", text(&output.stderr));
    assert!(out.read("run.jsonl").contains("\"name\":\"span\""), "{}", out.read("run.jsonl"));
    assert!(out.read("index.html").contains("A row that takes long"));
}

/// Two runs are in the history; a figure that got worse for sure makes the exit code 1.
#[test]
fn runs_are_compared() {
    let out = Folder::new();
    let folder = out.path().to_str().unwrap();
    for _ in 0..2 {
        assert!(run(&["F3", "--rounds=3", "-o", folder]).status.success());
    }
    let output = run(&["--history", "F3", "-o", folder]);
    assert!(text(&output.stdout).contains("F3 time at 10, leat: 50 ns -> 50 ns"), "{}", text(&output.stdout));
    assert!(out.read("history.html").contains("<svg"));
    let file = |name: &str| data().join(name).display().to_string();
    let output = run(&["--compare", &file("run.jsonl"), &file("slower.jsonl")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    golden("compare.txt", &text(&output.stdout));
    let output = run(&["--compare", &file("slower.jsonl"), &file("run.jsonl")]);
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["--compare", &file("run.jsonl"), "no-such-run", "-o", folder]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no-such-run is no file and no run of"), "{}", text(&output.stderr));
}

/// A run's JSON lines always give the same page.
#[test]
fn the_report_of_a_fixed_run() {
    let out = Folder::new();
    let file = data().join("run.jsonl").display().to_string();
    let output = run(&["--report", &file, "-o", out.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = out.read("index.html");
    // The style sheet is the same on every page.
    golden("index.html", page.split_once("</style></head>\n").unwrap().1);
}

/// A report of many hours is measured in pieces.
#[test]
fn runs_are_joined() {
    let out = Folder::new();
    let first = std::fs::read_to_string(data().join("run.jsonl")).unwrap();
    // Another run, later, of one row.
    let row =
        |line: &str| line.split_once("\"row\":\"").and_then(|(_, rest)| Some(rest.split_once('"')?.0.to_string()));
    let name = first.lines().find_map(row).unwrap();
    let second: Vec<String> = first
        .lines()
        .filter(|line| row(line).is_none_or(|row| row == name))
        .map(|line| line.replacen("\"commit\":\"", "\"commit\":\"later-", 1))
        .collect();
    let later = out.path().join("later.jsonl");
    std::fs::write(&later, second.join("\n") + "\n").unwrap();
    let files = [data().join("run.jsonl").display().to_string(), later.display().to_string()];
    let output = run(&["--join", &files[0], &files[1], "-o", out.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = out.read("index.html");
    assert!(page.contains(&format!("Measured at another time: {name}. Commit later-")), "{page}");
    // As many figures as before, and the file can be drawn again.
    let figures = |text: &str| text.lines().filter(|line| line.starts_with("{\"figure\"")).count();
    assert_eq!(figures(&out.read("run.jsonl")), figures(&first));
    let again = out.path().join("run.jsonl").display().to_string();
    assert!(run(&["--report", &again, "-o", out.path().to_str().unwrap()]).status.success());
    assert_eq!(out.read("index.html"), page);
}

/// Compares with a file of the folder; LEAT_BLESS=1 writes it.
fn golden(name: &str, text: &str) {
    let path = data().join(name);
    if std::env::var_os("LEAT_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{}: run with LEAT_BLESS=1 and look at the difference\n{text}", path.display());
}
