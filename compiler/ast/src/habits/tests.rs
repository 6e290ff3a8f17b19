//! Lines that are right -> no habits.

use super::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the tree").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "sml" || e == "sig") {
            files.push(path);
        }
    }
}

/// Lines that are right, with an error of each kind somewhere: advice on another language would lead astray. What is
/// forgotten in Standard ML may look like a habit now and then, but seldom.
#[test]
fn right_lines_are_no_habits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in ["lib", "examples", "bench", "tests/basis"] {
        sources(&root.join(folder), &mut files);
    }
    let mut found: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let mut lines = 0;
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("a source")).into_owned();
        let pieces = pieces(&text, 0..text.len());
        for line in pieces.chunk_by(|a, b| a.line == b.line) {
            lines += 1;
            let start = pieces.partition_point(|piece| piece.line < line[0].line);
            let range = start..(start + line.len()).min(start + 2 * NEAR);
            // A message about each piece.
            for (code, step) in [("syntax/expected", line.len()), ("scope/value", 2), ("type/mismatch", 3)] {
                for piece in line.iter().step_by(step) {
                    let span = leat_base::Span { file: FileId::NONE, lo: piece.lo as u32, hi: piece.hi as u32 };
                    let told = Diagnostic::error(code, span, "");
                    let trouble = Trouble { line: 0, index: 0, lo: piece.lo, hi: piece.hi, told: &told };
                    // What is declared is not unbound.
                    let is_known =
                        |text| is_declared(&pieces, text) || FixityEnv::basis().is_infix(Symbol::intern(text));
                    if code == "scope/value"
                        && (piece.kind != Some(T::Alpha) && piece.kind != Some(T::Symbolic) || is_known(piece.text))
                    {
                        continue;
                    }
                    if let Some(habit) = find(&pieces, range.clone(), &[trouble], &FixityEnv::basis()) {
                        let shown = &text[line[0].lo..line[line.len() - 1].hi];
                        let shown = shown.to_string();
                        let all = found.entry((code, habit.help)).or_default();
                        if all.last() != Some(&shown) {
                            all.push(shown);
                        }
                    }
                }
            }
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for ((code, _), shown) in &found {
        *counts.entry(code).or_default() += shown.len();
    }
    let show = || {
        let row = |((code, help), shown): (&(&str, String), &Vec<String>)| {
            format!("{} {code}: {help}\n    {}", shown.len(), shown[..shown.len().min(5)].join("\n    "))
        };
        found.iter().map(row).collect::<Vec<_>>().join("\n")
    };
    assert!(lines > 20_000, "{lines} lines");
    assert!(
        counts.iter().all(|(&code, &n)| n * (if code.starts_with("scope") { 400 } else { 1000 }) < lines),
        "of {lines} lines: {counts:?}\n{}",
        show()
    );
}
