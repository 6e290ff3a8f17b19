//! Mutants of whole programs, by the whole command: text to run. Whatever the text is, `leat run` ends by itself or
//! runs on; it never crashes, never finds its own invariants broken, and optimised and not it does the same.
//!
//! `FUZZ=n` runs more of them, `SEED=n` others. The sources are the programs of `tests/lang`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use leat_random::{Random, setting};
use tempfile::TempDir;

mod wait;
use wait::end_within;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// A mutant may well loop; then it is ended, which is no failure.
const PATIENCE: Duration = Duration::from_secs(3);

/// What came of a run.
#[derive(Debug, PartialEq)]
enum End {
    Code(i32, String),
    /// It was still running.
    Endless,
    /// A limit was reached: where depends on the mode.
    Limit,
    Broken(String),
}

/// Words, numbers, symbols, blanks.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        '0'..='9' => 4,
        c if c.is_alphanumeric() || c == '_' || c == '\'' => 0,
        c if c.is_whitespace() => 1,
        '(' | ')' | ',' | ';' | '[' | ']' | '{' | '}' | '"' => 2,
        _ => 3,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (i, c) in text.char_indices() {
        let kind = kind(c);
        if last.is_some_and(|last| last != kind || kind == 2) {
            pieces.push(&text[start..i]);
            start = i;
        }
        last = Some(kind);
    }
    pieces.push(&text[start..]);
    pieces
}

/// One or two pieces replaced by others of the same kind, or taken away: most of these are still well formed.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut all = pieces(text);
    for _ in 0..1 + random.below(2) {
        let solid: Vec<usize> = (0..all.len()).filter(|&i| !all[i].trim().is_empty()).collect();
        let i = solid[random.below(solid.len())];
        let class = |piece: &str| {
            piece.chars().next().map_or(' ', |c| {
                if c.is_numeric() {
                    '0'
                } else if c.is_alphabetic() {
                    'a'
                } else {
                    c
                }
            })
        };
        match random.below(8) {
            0 => all[i] = " ",
            1 => all[i] = ["0", "1", "~1", "63", "64", "4611686018427387904", "9223372036854775807"][random.below(7)],
            _ => {
                let others: Vec<usize> = solid.iter().copied().filter(|&j| class(all[j]) == class(all[i])).collect();
                all[i] = all[others[random.below(others.len())]];
            }
        }
    }
    all.concat()
}

fn run(program: &Path, words: &[&str]) -> End {
    let out = program.with_extension("out");
    let err = program.with_extension("err");
    let file = |path: &Path| Stdio::from(fs::File::create(path).expect("a file for output"));
    let mut child = Command::new(LEAT)
        .args(["run", "--heap-max=128M", "--color=never"])
        .args(words)
        .arg(program)
        .stdin(Stdio::null())
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .expect("leat starts");
    let Some(status) = end_within(&mut child, PATIENCE).expect("a child") else { return End::Endless };
    let stderr = String::from_utf8_lossy(&fs::read(&err).unwrap_or_default()).into_owned();
    let stdout = String::from_utf8_lossy(&fs::read(&out).unwrap_or_default()).into_owned();
    match status.code() {
        Some(0 | 1) if stderr.contains("panicked") || stderr.contains("internal error") => End::Broken(stderr),
        Some(1) if stderr.contains("memory") || stderr.contains("StackOverflow") || stderr.contains("Size") => {
            End::Limit
        }
        // A stack that ran out and was handled: the history tells how deep it was.
        Some(0 | 1) if stdout.contains(" frames more ...") => End::Limit,
        Some(code @ (0 | 1)) => End::Code(code, stdout),
        other => End::Broken(format!("{status} ({other:?})\n{stderr}")),
    }
}

#[test]
fn mutants_of_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/lang");
    let mut sources: Vec<_> = fs::read_dir(folder)
        .expect("tests/lang")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sml"))
        .collect();
    sources.sort();
    let texts: Vec<String> = sources.iter().map(|path| fs::read_to_string(path).expect("a program")).collect();
    let count = setting("FUZZ", 150);
    let mut random = Random::new(setting("SEED", 1));
    let scratch = TempDir::new().expect("a scratch folder");
    let program = scratch.path().join("mutant.sml");
    let mut ran = 0;
    for _ in 0..count {
        let text = mutate(&texts[random.below(texts.len())], &mut random);
        fs::write(&program, &text).expect("written");
        let optimised = run(&program, &["--verify=each"]);
        let plain = run(&program, &["-O0", "--verify=each"]);
        for end in [&optimised, &plain] {
            if let End::Broken(report) = end {
                panic!("{report}\n--- the program\n{text}");
            }
        }
        if let (End::Code(..), End::Code(..)) = (&optimised, &plain) {
            assert_eq!(optimised, plain, "optimised and not differ in\n{text}");
        }
        ran += u64::from(matches!(&optimised, End::Code(_, out) if !out.is_empty()));
    }
    assert!(ran > count / 20, "only {ran} of {count} mutants ran: they try too little");
}
