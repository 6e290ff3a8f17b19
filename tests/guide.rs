//! The pages of `docs/guide/` are true: each program in them is run as the page says, and prints what the page says.
//!
//! A block ```` ```sml NAME ```` (or `mlb`, `c`) is a file. A block ```` ```text leat WORDS ```` is a command, run in a
//! folder with the files that stand above it, and what it prints on both outputs. A line `...` there stands for any
//! lines, and at the end of a line for the rest of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

mod wait;
use wait::end_within;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// A program of the guide that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide");
    let mut pages: Vec<PathBuf> = fs::read_dir(&root).expect("the pages").flatten().map(|entry| entry.path()).collect();
    pages.retain(|page| page.extension().is_some_and(|suffix| suffix == "md"));
    pages.sort();
    assert!(!pages.is_empty(), "no pages in {}", root.display());
    let trials = pages.into_iter().map(|page| {
        let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&page))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// Writes the files of a page and runs its commands, in order.
fn check(page: &Path) -> Result<(), Failed> {
    let scratch = TempDir::new()?;
    let folder = scratch.path();
    let text = fs::read_to_string(page)?;
    blocks(&text).try_for_each(|(info, body)| match info.split_once(' ') {
        Some(("sml" | "mlb" | "c", name)) => Ok(fs::write(folder.join(name), format!("{body}\n"))?),
        Some(("text", command)) if command.starts_with("leat ") => compare(command, body, &run(command, folder)?),
        _ => Ok(()),
    })
}

/// The blocks of a page: what stands behind the opening fence, and the lines between the fences.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .map(|(info, body)| (info.trim(), body))
}

/// What a command prints, on both outputs, in the order of writing.
fn run(command: &str, folder: &Path) -> Result<String, Failed> {
    let path = folder.join("output.txt");
    let output = File::create(&path)?;
    let words = command.split_whitespace().skip(1);
    let mut child = Command::new(LEAT)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(output.try_clone()?)
        .stdout(output)
        .spawn()?;
    if end_within(&mut child, PATIENCE)?.is_none() {
        return Err(format!("`{command}` does not end").into());
    }
    Ok(fs::read_to_string(path)?)
}

fn compare(command: &str, expected: &str, got: &str) -> Result<(), Failed> {
    let expected: Vec<&str> = expected.lines().collect();
    let lines: Vec<&str> = got.lines().collect();
    if matches(&expected, &lines) {
        return Ok(());
    }
    Err(format!("`{command}` should print\n{}\nand prints\n{got}", expected.join("\n")).into())
}

/// Whether the lines are as expected; `...` stands for any number of lines, or for the rest of one.
fn matches(expected: &[&str], lines: &[&str]) -> bool {
    match (expected, lines) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=lines.len()).any(|n| matches(rest, &lines[n..])),
        ([first, rest @ ..], [line, more @ ..]) => {
            let is_it = first == line || first.strip_suffix("...").is_some_and(|begin| line.starts_with(begin));
            is_it && matches(rest, more)
        }
        _ => false,
    }
}
