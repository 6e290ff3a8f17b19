//! The runner in front of fake peers: those that work keep their figures, whatever the others do.
//!
//! The audit's story: Debian's SML/NJ without Concurrent ML failed, and six rows lost Leat's own figures; a `python3`
//! that was a version manager's script was measured instead of Python.

mod common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Folder, data, golden, lab, run, text};

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

/// What is fast and wrong has no figure; files are made once for a row, and the best of a round's runs counts.
#[test]
fn what_is_printed_is_compared() {
    let out = Folder::new();
    let output = run(&["F7", "F8", "--rounds=2", "-o", out.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = out.read("run.jsonl");
    for system in ["Go, the file", "leat, a file"] {
        let head = format!("{{\"figure\":{{\"row\":\"F7\",\"system\":\"{system}\"");
        let figure = lines.lines().find(|line| line.starts_with(&head)).unwrap_or_else(|| panic!("{system}: {lines}"));
        let samples = figure.split_once("\"samples\":[").unwrap().1.split(']').next().unwrap();
        assert_eq!(samples.split(',').count(), 2, "{figure}");
    }
    assert!(lines.contains("printed no more and not `lines` in line 2"), "{lines}");
    assert!(lines.contains("cannot be prepared: exit status: 3: error: no luck today"), "{lines}");
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
        "leat-bench: there is no peer Smalltalk; there are Absent, Asleep, Lacking, Shim, Spaced (--help lists the options)\n"
    );
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
