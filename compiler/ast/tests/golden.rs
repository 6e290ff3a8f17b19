//! Grammar cases and error messages, as data.
//!
//! `data/grammar.txt` and `data/errors.txt` hold cases: a line `--- name`, the source, a line
//! `===`, what is expected. For the grammar that is the text with all parentheses written out,
//! for errors what the user sees. `LEAT_BLESS=1 cargo test -p leat-ast` rewrites them.

use leat_ast::{FixityEnv, ParseOptions, parse, print};
use leat_base::{SourceMap, render};
use std::fmt::Write;

struct Case {
    name: String,
    source: String,
    expected: String,
}

fn load(file: &str) -> Vec<Case> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.trim_start_matches("--- ")
        .split("\n--- ")
        .map(|case| {
            let (name, rest) = case.split_once('\n').unwrap();
            let (source, expected) = rest.split_once("\n===\n").unwrap_or((rest, ""));
            Case {
                name: name.into(),
                source: source.into(),
                expected: expected
                    .lines()
                    .map(|l| l.trim_end().to_string() + "\n")
                    .collect::<String>()
                    .trim_end()
                    .to_string()
                    + "\n",
            }
        })
        .collect()
}

fn check(file: &str, answer: impl Fn(&Case) -> String) {
    let (mut wrong, mut blessed) = (vec![], String::new());
    for case in load(file) {
        let got =
            answer(&case).lines().map(|l| l.trim_end().to_string() + "\n").collect::<String>().trim_end().to_string()
                + "\n";
        if got != case.expected {
            wrong.push(format!("{}:\n{}\n-- expected:\n{}-- got:\n{got}", case.name, case.source, case.expected));
        }
        let _ = write!(blessed, "--- {}\n{}\n===\n{got}\n", case.name, case.source);
    }
    if std::env::var_os("LEAT_BLESS").is_some() {
        std::fs::write(format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR")), blessed).unwrap();
    } else if !wrong.is_empty() {
        panic!("{} of {file} differ\n\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// Escapes that let a case have bytes that a text file should not: `<NUL>`, `<CR>`, `<FF>`.
fn unescape(source: &str) -> String {
    leat_ast::decode(
        source
            .split("<FF>")
            .map(|s| s.replace("<NUL>", "\0").replace("<CR>", "\r").into_bytes())
            .collect::<Vec<_>>()
            .join(&0xFFu8),
    )
}

#[test]
fn grammar() {
    check("grammar.txt", |case| {
        let mut sources = SourceMap::new();
        let file = sources.add("case.sml", &case.source);
        let opts = ParseOptions { allow_prim: true };
        let start = FixityEnv::basis();
        let read = |text: &str| parse(file, text, &opts, &mut start.clone());
        let (program, diagnostics) = read(&case.source);
        if !diagnostics.is_empty() {
            return render(&diagnostics, &sources, false);
        }
        // What is printed parses without error and prints the same again, in both styles.
        let explicit = print::print_explicit(&program, &start);
        let plain = print::print(&program, &start);
        for text in [&explicit, &plain] {
            let (again, errors) = read(text);
            assert!(errors.is_empty(), "{}: {text}\n{errors:?}", case.name);
            assert_eq!(print::print(&again, &start), plain, "{}: printing is stable", case.name);
            assert_eq!(print::print_explicit(&again, &start), explicit, "{}: printing keeps the tree", case.name);
        }
        explicit
    });
}

#[test]
fn errors() {
    check("errors.txt", |case| {
        let mut sources = SourceMap::new();
        let text = unescape(&case.source);
        let file = sources.add("case.sml", &text);
        let (_, diagnostics) = parse(file, &text, &ParseOptions::default(), &mut FixityEnv::basis());
        render(&diagnostics, &sources, false)
    });
}
