//! What callgrind counts in a program, by function.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Instructions by file and line.
pub type Counts = BTreeMap<(String, u64), u64>;

/// A function, with its recursive calls, and its own instructions by the file and the line that each is charged to.
pub struct Charged {
    pub name: String,
    pub file: String,
    pub instructions: Counts,
}

impl Charged {
    pub fn all(&self) -> u64 {
        self.instructions.values().sum()
    }
}

/// The functions of a run of a built program, whose output goes to `output`; none, and a word about it, where valgrind
/// is not installed.
pub fn functions(program: &Path, arguments: &[&str], options: &str, output: Stdio) -> Option<Vec<Charged>> {
    // Some versions of valgrind's tools say their version, and that they have failed.
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: valgrind is not installed");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("counts");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", file.display()));
    valgrind.arg(program).args(arguments).env("LEAT_RUN", options).stdout(output);
    let run = valgrind.output().expect("valgrind runs");
    assert!(run.status.success(), "{valgrind:?}: {}", String::from_utf8_lossy(&run.stderr));
    Some(read(&std::fs::read_to_string(&file).expect("what callgrind has written")))
}

/// What callgrind has written.
///
/// `fl=` names the file of the functions that follow, and `fi=` and `fe=` that of some lines of a function: the next
/// function is of the file of `fl=` again. The `callgrind_annotate` of Valgrind 3.19 takes it to be of the last file
/// that was named, so which functions it shows without a file depends on the order in which they are written.
fn read(counts: &str) -> Vec<Charged> {
    // A name is written once, with a number, and is the number from then on: `(3) recursion.sml`, `(3)`.
    let mut names: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut name = |kind, text| match str::split_once(text, ' ') {
        Some((number, name)) => {
            names.insert((kind, number), name);
            name
        }
        None => *names.get(&(kind, text)).unwrap_or_else(|| panic!("no name was given to {text}")),
    };
    let mut found: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let (mut file, mut part, mut function, mut row) = ("", "", "", 0_u64);
    let mut is_of_call = false;
    for line in counts.lines() {
        match line.split_once('=') {
            Some(("fl", text)) => file = name("file", text),
            Some(("fi" | "fe", text)) => part = name("file", text),
            Some(("cfi" | "cfl", text)) => _ = name("file", text),
            Some(("cfn", text)) => _ = name("function", text),
            Some(("fn", text)) => {
                part = file;
                function = without_level(name("function", text));
            }
            Some(("calls", _)) => is_of_call = true,
            Some(_) => {}
            // `12 345`, `+1 345`, `* 345`: a line of the source, and instructions; behind `calls=`, those of the call.
            None if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) => {
                let (place, count) = line.split_once(' ').expect("a line and a count");
                row = match place {
                    "*" => row,
                    _ if place.starts_with(['+', '-']) => row.strict_add_signed(place.parse().expect("a distance")),
                    _ => place.parse().expect("a line"),
                };
                if !std::mem::take(&mut is_of_call) {
                    let count: u64 = count.parse().expect("a count");
                    *found.entry((function, file)).or_default().entry((part.to_string(), row)).or_default() += count;
                }
            }
            None => {}
        }
    }
    let charged = |((name, file), instructions): ((&str, &str), _)| Charged {
        name: name.to_string(),
        file: file.to_string(),
        instructions,
    };
    found.into_iter().map(charged).collect()
}

/// The name of a function, of which recursive calls have a level behind it: `insert'2`.
fn without_level(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((function, level)) if !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()) => function,
        _ => name,
    }
}
