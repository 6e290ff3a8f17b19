//! The lab in trouble: full disks, signals, a second run, files that were cut off, words that mean nothing.

mod common;

use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, data, lab, run, text};

/// The run of a row that says so in its file: it has begun.
fn begun(words: &[&str], out: &Folder, file: &str) -> Child {
    begun_by(lab(words), out, file)
}

fn begun_by(mut command: Command, out: &Folder, file: &str) -> Child {
    let child = command.args(["-o", out.name()]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    let has_begun = || std::fs::read_to_string(out.path().join(file)).is_ok_and(|text| text.contains("\"run\""));
    while !has_begun() && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

fn signalled(child: Child, signal: libc::c_int) -> Output {
    // SAFETY: a signal to our own child, which has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, signal) };
    child.wait_with_output().unwrap()
}

/// Row F2 takes minutes. The report of an interrupted run said nothing of it, nor of the rows that it had not come to,
/// and the exit code was 0; some systems had a round more than others.
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let out = Folder::new();
    let begin = Instant::now();
    let child = begun(&["F3", "F2", "--rounds=5"], &out, "run.jsonl.new");
    std::thread::sleep(Duration::from_secs(2));
    let output = signalled(child, libc::SIGINT);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(begin.elapsed() < Duration::from_secs(60));
    assert!(said.contains("interrupted: the report has what there was"), "{said}");
    let lines = out.read("run.jsonl");
    let samples = |system: &str| {
        let line = lines.lines().find(|line| line.contains(&format!("\"system\":\"{system}\""))).unwrap_or("");
        line.split_once("samples\":[").map_or(0, |(_, rest)| rest.split(',').count())
    };
    assert!(samples("sleeps") > 0 && samples("sleeps") == samples("sleeps as long"), "{lines}");
    assert!(lines.contains("\"interrupted\":{\"by\":\"SIGINT\",\"within\":\"F2\",\"before\":[\"F3\"]}"), "{lines}");
    let sentence = "The run was interrupted (SIGINT); of F2 there is a part; not measured: F3.";
    assert!(text(&output.stdout).contains(sentence), "{}", text(&output.stdout));
    assert!(out.read("index.html").contains(sentence));
    let again = run(&["--report", &out.file("run.jsonl"), "-o", out.name()]);
    assert!(text(&again.stdout).contains(sentence), "{}", text(&again.stdout));
    assert!(out.read("index.html").contains(sentence));
}

/// A run that came to nothing had emptied the last run's file. A closed terminal (SIGHUP) left the row's programs
/// behind.
#[test]
fn a_run_that_measures_nothing_leaves_the_last_one_alone() {
    let out = Folder::new();
    let old = std::fs::read_to_string(data().join("run.jsonl")).unwrap();
    std::fs::write(out.path().join("run.jsonl"), &old).unwrap();
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let child = begun(&["F5"], &out, "run.jsonl.new");
        // A second run into the folder does not mix its lines with the first one's.
        if signal == libc::SIGINT {
            let second = run(&["F3", "--quick", "-o", out.name()]);
            assert_eq!(second.status.code(), Some(1));
            let line = format!(
                "leat-bench: another run writes to {}: wait for it, or name another folder with -o\n",
                out.name()
            );
            assert_eq!(text(&second.stderr), line);
        }
        let output = signalled(child, signal);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains("interrupted before anything was measured"), "{said}");
    }
    for (name, value) in [("CC", "/no-such-compiler -m64"), ("TMPDIR", "/no-such-folder")] {
        let output = lab(&["F3", "-o", out.name()]).env(name, value).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(value.split(' ').next().unwrap()), "{said}");
    }
    let output = run(&["F6", "-o", out.name()]);
    let said = text(&output.stderr);
    assert!(said.contains("no-such-program is missing: run `cargo build --release -p leat-bench` first"), "{said}");
    assert_eq!(out.read("run.jsonl"), old);
    let names: Vec<_> = std::fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["run.jsonl"]);
}

/// What `nohup` started goes on when its terminal is closed.
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let out = Folder::new();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_leat-bench")]);
    command.args([&format!("--programs={}", data().display()), "F5"]).stdin(Stdio::null());
    let mut child = begun_by(command, &out, "run.jsonl.new");
    // SAFETY: a signal to our own child, which has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGHUP) };
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None);
    assert_eq!(signalled(child, libc::SIGTERM).status.code(), Some(143));
}

/// `2>&1 | head -1` and a full disk behind standard error ended a run of hours with a panic; a table that went into a full disk
/// was a success.
#[test]
fn output_that_cannot_be_written_ends_no_run() {
    let out = Folder::new();
    let full = || File::create("/dev/full").unwrap();
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    let row = ["F3", "--quick", "-o", out.name()];
    assert!(lab(&row).stderr(full()).output().unwrap().status.success());
    let output = lab(&row).stderr(closed.try_clone().unwrap()).stdout(closed).status().unwrap();
    assert!(output.success());
    assert_eq!(out.read("history.jsonl").lines().filter(|line| line.starts_with("{\"run\"")).count(), 2);
    let file = data().join("run.jsonl").display().to_string();
    for words in [&["--list"][..], &["--compare", &file, &file]] {
        let output = lab(words).stdout(full()).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("standard output: No space left"), "{}", text(&output.stderr));
    }
}

/// The figures are on the terminal, and the message says which file.
#[test]
fn a_full_disk_costs_the_files_only() {
    let out = Folder::new();
    symlink("/dev/full", out.path().join("run.jsonl")).unwrap();
    let output = run(&["F3", "--quick", "-o", out.name()]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.lines().last().unwrap().ends_with("run.jsonl: No space left on device (os error 28)"), "{error}");
    let symlink_page = Folder::new();
    symlink("/dev/full", symlink_page.path().join("index.html")).unwrap();
    let output = run(&["F3", "--quick", "-o", symlink_page.name()]);
    assert!(text(&output.stderr).contains("index.html: No space left on device"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("100 ns"), "{}", text(&output.stdout));
    assert!(symlink_page.read("run.jsonl").contains("\"row\":\"F3\""));
}

#[test]
fn an_unwritable_folder_is_told_at_once() {
    let output = run(&["F1", "-o", "/proc/leat-bench"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.starts_with("leat-bench: /proc/leat-bench: ") && error.lines().count() == 1, "{error}");
}

/// A full disk left half a line, to which the next run appended; then no run could be read. A report of such a file did
/// not say that it lacks something.
#[test]
fn files_that_were_cut_off() {
    let out = Folder::new();
    let history = out.path().join("history.jsonl");
    assert!(run(&["F3", "--quick", "-o", out.name()]).status.success());
    std::fs::write(&history, out.read("history.jsonl") + "{\"figure\":{\"row\":\"F3").unwrap();
    assert!(run(&["F3", "--quick", "-o", out.name()]).status.success());
    let output = run(&["--history", "-o", out.name()]);
    assert!(text(&output.stdout).contains("F3 time at 10, leat: 50 ns -> 50 ns"), "{}", text(&output.stdout));
    let named = format!("leat-bench: {}:4: this line cannot be read, and is left out\n", history.display());
    assert_eq!(text(&output.stderr), named);
    let output = run(&["--compare", "20", "20", "-o", out.name()]);
    assert_eq!(text(&output.stderr), named, "once, for two runs of one file");
    let output = run(&["--history", "F2", "-o", out.name()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no figure of F2 in it"), "{}", text(&output.stderr));
    let whole = std::fs::read_to_string(data().join("run.jsonl")).unwrap();
    let cut = out.path().join("cut.jsonl");
    std::fs::write(&cut, &whole[..whole.len() - 20]).unwrap();
    let output = run(&["--report", &out.file("cut.jsonl"), "-o", out.name()]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("the last line was cut off, and is left out"), "{}", text(&output.stderr));
}

/// Leat had crashed in B, and the comparison said that no figure of Leat got worse.
#[test]
fn figures_that_are_gone_are_no_success() {
    let out = Folder::new();
    let a = data().join("run.jsonl");
    let whole = std::fs::read_to_string(&a).unwrap();
    let compare = |keep: &dyn Fn(&str) -> bool, more: &str, words: &[&str]| {
        let lines: String = whole.lines().filter(|line| keep(line)).map(|line| format!("{line}\n")).collect();
        std::fs::write(out.path().join("b.jsonl"), lines + more).unwrap();
        let output = run(&[&["--compare", &a.display().to_string(), &out.file("b.jsonl")], words].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let is_lost = |line: &str| line.contains("\"figure\"") && line.contains("\"leat\"") && line.contains("\"F1\"");
    let failed = "{\"failed\":{\"row\":\"F1\",\"system\":\"leat\",\"reason\":\"signal: 11 (SIGSEGV)\"}}\n";
    let (code, said, _) = compare(&|line| !is_lost(line), failed, &[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("figures of Leat are in A only:\n  F1 leat: "), "{said}");
    assert!(said.contains("Leat failed: signal: 11 (SIGSEGV)"), "{said}");
    assert!(!said.contains("No figure of Leat got worse"), "{said}");
    let (code, said, _) = compare(&|line| !is_lost(line), "", &["F1"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("No figure of Leat could be compared."), "{said}");
    let (code, _, said) = compare(&|line| !line.contains("\"figure\""), "", &[]);
    assert_eq!((code, said.as_str()), (Some(1), "leat-bench: the two runs have no figure in common\n"));
    let (code, _, said) = compare(&|_| true, "", &["F2"]);
    assert_eq!((code, said.as_str()), (Some(1), "leat-bench: there is no figure of F2 in A or in B\n"));
    assert_eq!(compare(&|_| true, "", &[]).0, Some(0));
}

/// Words that meant nothing were left out in silence, or were taken for a folder.
#[test]
fn wrong_usage_is_one_line() {
    for (words, line) in [
        (&["F9"][..], "there is no row F9; there are F1 F2 F3 F4 F5 F6 F7 F8"),
        (&["--fast"], "unexpected argument '--fast' found"),
        (&["--rounds=0"], "invalid value '0' for '--rounds <N>': 0 is not in 1..=1000"),
        (&["--compare", "x"], "2 values required for '--compare <A> <B>' but 1 was provided"),
        (&["--peers="], "invalid value '' for '--peers <LIST>': a name is empty"),
        (&["--peers=Shim,"], "invalid value 'Shim,' for '--peers <LIST>': a name is empty"),
        (&["-o", "--quick"], "a value is required for '-o <DIR>' but none was supplied"),
        (&["--quick=yes"], "unexpected value 'yes' for '--quick' found; no more were expected"),
        (&["--list=foo"], "unexpected value 'foo' for '--list' found; no more were expected"),
        (&["--report", "x", "F1"], "--report takes one file, and draws all of its rows: what is F1?"),
        (&["--join"], "--join takes files"),
        (&["--join", "x", "--list"], "the argument '--join [<FILE>...]' cannot be used with '--list'"),
        (&["--docs"], "--docs with --programs needs -o: where rows.md goes"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert_eq!(text(&output.stderr), format!("leat-bench: {line} (--help lists the options)\n"));
    }
    use std::os::unix::ffi::OsStrExt;
    let output = lab(&[]).arg(std::ffi::OsStr::from_bytes(b"F\xff")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("invalid UTF-8"), "{}", text(&output.stderr));
}

/// `--join -o DIR FILE` took DIR for a file; of `--join A --join B` only B was there.
#[test]
fn files_are_joined_wherever_they_stand() {
    let out = Folder::new();
    let file = data().join("run.jsonl").display().to_string();
    for words in
        [&["--join", "-o", out.name(), &file, &file][..], &["--join", &file, "--join", &file, "-o", out.name()]]
    {
        let output = run(words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(out.read("run.jsonl").contains("\"part\""), "of the second file");
        std::fs::remove_file(out.path().join("run.jsonl")).unwrap();
    }
}

/// The page of another folder's rows went into the source tree.
#[test]
fn docs_of_other_programs_go_where_it_is_said() {
    let out = Folder::new();
    assert!(run(&["--docs", "-o", out.name()]).status.success());
    assert!(out.read("rows.md").contains("### F1: Peers of all kinds"));
}

/// Programs run in a scratch folder, from which a relative path is another one.
#[test]
fn relative_folders() {
    let out = Folder::new();
    std::fs::create_dir(out.path().join("scratch")).unwrap();
    symlink(data(), out.path().join("lab")).unwrap();
    for scratch in ["scratch", ""] {
        let mut command = lab(&["F3", "--quick", "--programs=lab", "-o", "out"]);
        let output = command.current_dir(out.path()).env("TMPDIR", scratch).output().unwrap();
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(out.read("out/run.jsonl").matches("\"figure\"").count(), 2);
    }
    assert_eq!(std::fs::read_dir(out.path().join("scratch")).unwrap().count(), 0);
}

/// A row that no report would show, for want of a document; and its file is named.
#[test]
fn a_table_that_is_wrong_is_refused() {
    let programs = Folder::new();
    for name in ["documents.toml", "tools.toml"] {
        std::fs::copy(data().join(name), programs.path().join(name)).unwrap();
    }
    std::fs::create_dir(programs.path().join("fake")).unwrap();
    let rows = std::fs::read_to_string(data().join("fake/rows.toml")).unwrap();
    let file = programs.path().join("fake/rows.toml");
    for (old, new, reason) in [
        ("id = \"F3\"", "id = \"G3\"", "row G3: its letter has no document"),
        ("times = 50", "times = 0", "row F2: `times` is 0, and must be from 1 to 10000"),
        ("run = \"sleep 100\"", "run = \" \"", "system leat, long: its `run` is blank"),
    ] {
        std::fs::write(&file, rows.replace(old, new)).unwrap();
        let output = run(&["--list", &format!("--programs={}", programs.name())]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        let head = format!("leat-bench: {}: {reason}", file.display());
        assert!(said.starts_with(&head) && said.lines().count() == 1, "{said}");
    }
}

fn script(path: &Path, text: &str, mode: u32) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Programs that print some of their names or others passed for whole; colours went raw to the terminal; a tool in a
/// folder with a space, or behind a file that is not executable, failed; one that hangs when it is asked for its
/// version cost twenty seconds, and passed for installed; what a program printed was lost when another session held its
/// output.
#[test]
fn odd_programs_and_tools() {
    let out = Folder::new();
    let (first, second) = (out.path().join("not executable"), out.path().join("with a space"));
    [&first, &second].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    script(&first.join("lab-spaced"), "echo time 1", 0o644);
    script(&second.join("lab-spaced"), "echo time 30", 0o755);
    script(&second.join("lab-asleep"), "sleep 60", 0o755);
    // Relative, as some have `node_modules/.bin` there.
    let path = format!("not executable:with a space:{}", std::env::var("PATH").unwrap());
    let begin = Instant::now();
    let mut command = lab(&["F4", "--rounds=1", "-o", out.name()]);
    let output = command.current_dir(out.path()).env("PATH", path).env("CC", "cc -O0 -DA=1").output().unwrap();
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(begin.elapsed() < Duration::from_secs(40), "{said}");
    let lines = out.read("run.jsonl");
    for line in [
        "C printed no other\n",
        "some names printed no other; printed extra, which the row does not have\n",
        "colours: failed: exit status: 3: error: \u{fffd}[31mred\u{fffd}\n",
        "asleep: failed: lab-asleep is not usable: `lab-asleep --version`: still running after 5 s\n",
    ] {
        assert!(said.contains(&format!("  {line}")), "{line}: {said}");
    }
    assert!(!said.contains("its own names printed"), "{said}");
    assert!(!out.read("index.html").contains('\u{1b}'));
    for (system, value) in [("spaced", "30.0"), ("holds the output", "7.0"), ("C by CC", "3.0")] {
        let figure = format!("\"system\":\"{system}\",\"name\":\"time\",\"unit\":\"ns\",\"samples\":[{value}]");
        assert!(lines.contains(&figure), "{system}: {lines}");
    }
    assert!(lines.contains("with a space/lab-spaced\",\"version\":\"time 30\""), "{lines}");
}

/// SML/NJ that prints without end wrote 2.7 GB in five seconds; and the script's scratch folder stayed in /tmp when the
/// lab ended it.
#[test]
fn the_script_of_smlnj_is_bounded() {
    let out = Folder::new();
    script(&out.path().join("sml"), "exec yes 'time 1'", 0o755);
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut command = Command::new("sh");
    command.arg(programs.join("smlnj.sh")).arg(out.path().join("sml")).arg(programs.join("loops")).args(["loops", "1"]);
    let output = command.current_dir(out.path()).env("TMPDIR", "/no-such-folder").output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("error: printed more than 32 MB"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1, "its copy is gone");
}
