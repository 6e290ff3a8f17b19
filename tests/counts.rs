//! How many instructions six programs take, by callgrind, where valgrind is installed: `tests/counts/NAME.sml`, and
//! the counts in `tests/counts/counts.table`. A change that makes compiled code or the stubs of threads dearer by 3 %
//! fails.
//!
//! What is counted is compiled code and the assembly of the runtime: they are Leat's own, and the same on every
//! machine. Functions of Rust and C are left out, since another version of a compiler or of the C library has others.
//! `LEAT_BLESS=1` writes the table anew.

#[path = "client/callgrind.rs"]
mod callgrind;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use callgrind::Charged;
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
const PROGRAMS: [&str; 6] = ["arrays", "calls", "channels", "lists", "strings", "tuples"];
/// More or less than the table has, in hundredths.
const BOUND: f64 = 3.0;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/counts")
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Instructions of a program; none where valgrind is not installed.
fn count(name: &str) -> Option<u64> {
    let scratch = TempDir::new().expect("a folder");
    let (built, output) = (scratch.path().join(name), scratch.path().join("output"));
    run(Command::new(LEAT).arg("build").arg("-o").arg(&built).arg(folder().join(format!("{name}.sml"))));
    let file = fs::File::create(&output).expect("a file");
    let functions = callgrind::functions(&built, &[], "--workers=1", file.into())?;
    let expected = fs::read_to_string(folder().join(format!("{name}.ok"))).expect("what it prints");
    assert_eq!(fs::read_to_string(&output).expect("what was printed"), expected, "{name}");
    let is_stub = |function: &str| function.starts_with("leat_fiber_") || function.ends_with("_stub");
    let counted = functions.iter().filter(|f| f.file.ends_with(".sml") || f.file == "???" && is_stub(&f.name));
    Some(counted.map(Charged::all).sum())
}

#[test]
fn programs_take_as_many_instructions_as_they_did() {
    let path = folder().join("counts.table");
    let mut counts = BTreeMap::new();
    for name in PROGRAMS {
        let Some(count) = count(name) else { return };
        counts.insert(name, count);
    }
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
