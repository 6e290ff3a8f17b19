//! Every program of the tree, compiled with all invariants checked after each pass, optimised and not.
//!
//! A pass that broke an invariant was found by other people's programs, months after; the tests of whole programs check
//! theirs, but examples, the lab's programs, other libraries and what sessions compile were taken on trust. They are
//! some hundreds, so a run takes a slice of them, another one each day; `VERIFY=all` takes all of them. (The variable
//! `LEAT_VERIFY=each` makes every test verify what it compiles.)

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// Slices of the whole.
const SLICES: u64 = 16;

fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|suffix| suffix == "sml" || suffix == "mlb" || suffix == "cm") {
            out.push(path);
        }
    }
}

#[test]
fn programs_keep_all_invariants() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for folder in ["tests", "examples", "bench", "lib", "repl/tests"] {
        programs(&root.join(folder), &mut all);
    }
    all.sort();
    assert!(all.len() > 200, "the programs are not where they were");
    let day = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    let whole = std::env::var("VERIFY").is_ok_and(|what| what == "all");
    let (mut compiled, mut wrong) = (0, Vec::new());
    for (i, program) in all.iter().enumerate() {
        if !whole && i as u64 % SLICES != day % SLICES {
            continue;
        }
        for level in ["-O1", "-O0"] {
            let output = Command::new("timeout")
                .args(["300", LEAT, "run", level, "--verify=each", "--stop-after=ssa"])
                .arg(program)
                .current_dir(program.parent().unwrap_or(&root))
                .stdin(Stdio::null())
                .output()
                .expect("leat runs");
            let report = String::from_utf8_lossy(&output.stderr);
            compiled += usize::from(output.status.success());
            // A part of a program, or one that is to be refused, is not compiled: only that it is said.
            if report.contains("defect of leat") || report.contains("panicked") || output.status.code() == Some(124) {
                wrong.push(format!("{level} {}\n{}", program.display(), report.chars().take(1500).collect::<String>()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compiled > 10, "only {compiled} programs were compiled");
}
