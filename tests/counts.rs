//! How many instructions five programs take, by callgrind, where valgrind is installed: `tests/counts/NAME.sml`, and
//! the counts in `tests/counts/counts.table`. A change that makes compiled code or the stubs of threads dearer by 3 %
//! fails.
//!
//! What is counted is compiled code and the assembly of the runtime: they are Leat's own, and the same on every
//! machine. Functions of Rust and C are left out, since another version of a compiler or of the C library has others.
//! `LEAT_BLESS=1` writes the table anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
const PROGRAMS: [&str; 5] = ["arrays", "calls", "channels", "lists", "strings"];
/// More or less than the table has, in hundredths.
const BOUND: f64 = 3.0;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/counts")
}

/// Whatever it answers: `callgrind_annotate --version` says its version, and that it has failed.
fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Instructions of a program.
fn count(name: &str) -> u64 {
    let scratch = TempDir::new().expect("a folder");
    let (built, out) = (scratch.path().join(name), scratch.path().join("out"));
    run(Command::new(LEAT).arg("build").arg("-o").arg(&built).arg(folder().join(format!("{name}.sml"))));
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display())).arg(&built);
    valgrind.env("LEAT_RUN", "--workers=1");
    let printed = run(&mut valgrind);
    let expected = fs::read_to_string(folder().join(format!("{name}.ok"))).expect("what it prints");
    assert_eq!(printed, expected, "{name}");
    let table = run(Command::new("callgrind_annotate").args(["--threshold=100", "--auto=no"]).arg(&out));
    // `1,234 (5.6%)  folder/lists.sml:merge'2 [program]`
    let rows: Vec<(u64, &str, &str)> = table
        .lines()
        .filter_map(|row| {
            let (number, rest) = row.trim_start().split_once(" (")?;
            let (_, place) = rest.split_once(")  ")?;
            let (file, function) = place.rsplit_once(':')?;
            let function = function.split([' ', '\'']).next()?;
            Some((number.replace(',', "").parse().ok()?, file, function))
        })
        .collect();
    let is_sml = |file: &str| file.ends_with(".sml");
    let named: BTreeSet<&str> = rows.iter().filter(|row| is_sml(row.1)).map(|row| row.2).collect();
    let is_counted = |&(_, file, function): &(u64, &str, &str)| {
        is_sml(file)
            || file == "???"
                && (named.contains(function) || function.starts_with("leat_fiber_") || function.ends_with("_stub"))
    };
    rows.iter().filter(|row| is_counted(row)).map(|row| row.0).sum()
}

#[test]
fn programs_take_as_many_instructions_as_they_did() {
    if !is_installed("valgrind") || !is_installed("callgrind_annotate") {
        eprintln!("left out: instructions are counted by callgrind, and valgrind is not installed here");
        return;
    }
    let path = folder().join("counts.table");
    let counts: BTreeMap<&str, u64> = PROGRAMS.into_iter().map(|name| (name, count(name))).collect();
    if env::var_os("LEAT_BLESS").is_some() {
        let text: String = counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect();
        fs::write(&path, text).expect("the table");
    }
    let table = fs::read_to_string(&path).expect("the table");
    let known: BTreeMap<&str, u64> = table
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, n)| (name, n.parse().expect("a count")))
        .collect();
    let mut wrong = String::new();
    for (name, count) in counts {
        let change = (count as f64 / known[name] as f64 - 1.0) * 100.0;
        if change.abs() > BOUND {
            wrong += &format!("{name}: {count} instructions, {change:+.1} %\n");
        }
    }
    assert!(wrong.is_empty(), "not what counts.table has; if that is meant, LEAT_BLESS=1 writes it anew:\n{wrong}");
}
