//! Chores of the tree: `cargo xtask map | definition | basis | diagnostics` write documents, `comments` wraps comments,
//! `dist` makes a tarball; `programs`, `campaign`, `fmt-corpus`, `oracles` and `regex-tests` test for long.
//!
//! The map is made of the first sentence of each crate's and file's `//!` comment; a test compares it, so that it is
//! true.

mod campaign;
#[cfg(test)]
mod circles;
mod comments;
mod definition;
mod dist;
mod fmt_corpus;
mod oracles;
mod programs;
mod regex_tests;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folders of the tree in the order of the data's flow.
const CRATES: &[&str] = &[
    "base",
    "compiler/ast",
    "compiler/fmt",
    "compiler/elab",
    "compiler/lambda",
    "compiler/mono",
    "compiler/ssa",
    "compiler/translate",
    "runtime/abi",
    "runtime/fiber",
    "runtime/io",
    "runtime/memory",
    "runtime/tls",
    "runtime/entry",
    "driver",
    "lsp",
    "repl",
    "profile",
    "bindgen",
    "debugger",
    "cli",
    "bench",
    "random",
    "words",
    "xtask",
];
/// The page with a line for each file.
const MAP: &str = "docs/internals/map.md";
const MAP_HEAD: &str = "\
# The files

A line for each Rust file: the first sentence of the comment at its top.
This page is written by `cargo xtask map`; [ARCHITECTURE.md](../../ARCHITECTURE.md) says what the crates are, and where to begin.
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent").to_path_buf()
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("map") => done(map().and_then(|text| fs::write(root().join(MAP), text))),
        Some("definition") => done(definition::write()),
        Some("comments") => comments(std::env::args().skip(2)),
        Some("basis") => bless("leat-driver", "basis"),
        Some("diagnostics") => bless("leat", "diagnostics"),
        Some("dist") => done(dist::make(&root())),
        Some("lsp-storm") => lsp_storm(std::env::args().skip(2)),
        Some("campaign") => campaign::main(std::env::args().skip(2)),
        Some("fmt-corpus") => fmt_corpus::main(std::env::args().skip(2)),
        Some("oracles") => oracles::main(std::env::args().skip(2)),
        Some("regex-tests") => regex_tests::main(std::env::args().skip(2)),
        Some("programs") => programs::main(std::env::args().skip(2)),
        _ => {
            eprintln!(
                "usage: cargo xtask map | definition | basis | diagnostics | comments FOLDER ... | dist | lsp-storm DIR [--minutes=N]\n{}\n{}\n{}\n{}\n{}",
                fmt_corpus::USAGE,
                programs::USAGE,
                regex_tests::USAGE,
                oracles::USAGE,
                campaign::USAGE
            );
            ExitCode::from(2)
        }
    }
}

fn done(result: std::io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Wraps the comments of folders.
fn comments(folders: impl Iterator<Item = String>) -> ExitCode {
    let changed = folders.map(|folder| comments::wrap_all(Path::new(&folder))).sum::<std::io::Result<usize>>();
    done(changed.map(|files| println!("{files} files changed")))
}

/// Random edits of the sources below a folder, in the language server: `lsp-storm DIR [--minutes=N]`.
fn lsp_storm(mut words: impl Iterator<Item = String>) -> ExitCode {
    let (folder, minutes) = (words.next(), words.next());
    let minutes = minutes.as_deref().map_or(Some("60"), |word| word.strip_prefix("--minutes="));
    let (Some(folder), Some(minutes)) = (folder, minutes) else {
        eprintln!("usage: cargo xtask lsp-storm DIR [--minutes=N]");
        return ExitCode::from(2);
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["test", "--quiet", "--release", "--package", "leat", "--test", "lsp", "--", "--nocapture", "storms"];
    let mut command = std::process::Command::new(cargo);
    command.args(words).env("LEAT_STORM", fs::canonicalize(&folder).unwrap_or(folder.into()));
    let status = command.env("LEAT_STORM_MINUTES", minutes).current_dir(root()).status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Has a test write the document that it compares.
fn bless(package: &str, test: &str) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // With `leat` among the packages, what `cargo build` has compiled serves here too.
    let words = ["test", "--quiet", "--release", "--package", "leat", "--package", package, "--test", test];
    let status = std::process::Command::new(cargo).args(words).env("LEAT_BLESS", "1").current_dir(root()).status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The code map: a section for each crate, a line for each of its files.
fn map() -> std::io::Result<String> {
    let mut out = String::from(MAP_HEAD);
    for name in CRATES {
        let src = root().join(name).join("src");
        let mut files = Vec::new();
        collect(&src, &mut files)?;
        files.sort();
        let head = files.iter().find(|file| {
            let name = file.strip_prefix(&src).unwrap_or(file);
            name == Path::new("lib.rs") || name == Path::new("main.rs")
        });
        let about = head.map(|file| first_sentence(file)).transpose()?.unwrap_or_default();
        let _ = writeln!(out, "\n## {name}\n\n{}\n", as_markdown(&about));
        for file in files.iter().filter(|file| Some(*file) != head) {
            let short = file.strip_prefix(&src).unwrap_or(file).display().to_string();
            let _ = writeln!(out, "- [{short}](../../{name}/src/{short}): {}", as_markdown(&first_sentence(file)?));
        }
    }
    Ok(out)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The first sentence of the `//!` comment, however many lines it takes.
fn first_sentence(file: &Path) -> std::io::Result<String> {
    let text = fs::read_to_string(file)?;
    let lines = text.lines().skip_while(|line| !line.starts_with("//!")).map_while(|line| line.strip_prefix("//!"));
    let paragraph = lines.map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    Ok(sentence(&paragraph).to_string())
}

/// A paragraph up to its first full stop that a capital, or a name in code's letters, comes behind.
fn sentence(paragraph: &str) -> &str {
    let ends = |at: usize| {
        let behind = paragraph[at + 1..].strip_prefix(' ')?;
        behind.starts_with(|c: char| c.is_uppercase() || matches!(c, '`' | '[')).then_some(at + 1)
    };
    let end = paragraph.match_indices('.').find_map(|(at, _)| ends(at));
    paragraph[..end.unwrap_or(paragraph.len())].trim_end_matches(':')
}

/// Rust's own links to names become the names, and what looks like HTML becomes text.
fn as_markdown(sentence: &str) -> String {
    let mut out = String::new();
    for (at, part) in sentence.split('`').enumerate() {
        let is_code = at % 2 == 1;
        if at > 0 {
            out.push('`');
        }
        out.push_str(&if is_code { part.to_string() } else { part.replace('<', "\\<").replace('*', "\\*") });
    }
    out.replace("[`", "`").replace("`]", "`")
}

#[cfg(test)]
mod tests {
    /// The map once named files that were long gone; now it cannot.
    #[test]
    fn the_code_map_is_true() {
        let text = std::fs::read_to_string(super::root().join(super::MAP)).unwrap();
        assert!(text == super::map().unwrap(), "run `cargo xtask map`");
    }

    /// The map once had lines, not sentences, and 33 of them stopped in the middle.
    #[test]
    fn a_sentence_ends_at_its_full_stop() {
        use super::{as_markdown, sentence};
        assert_eq!(sentence("Text of A.B and 0.5 more. `x` is. More."), "Text of A.B and 0.5 more.");
        assert_eq!(sentence("Types, which keep:"), "Types, which keep");
        assert_eq!(as_markdown("`<a>` -> [`crate::types`], <b>"), "`<a>` -> `crate::types`, \\<b>");
    }

    #[test]
    fn every_file_says_what_it_is() {
        for name in super::CRATES {
            let mut files = Vec::new();
            super::collect(&super::root().join(name).join("src"), &mut files).unwrap();
            for file in files {
                assert!(!super::first_sentence(&file).unwrap().is_empty(), "{} has no `//!` line", file.display());
            }
        }
    }
}
