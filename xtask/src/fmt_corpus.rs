//! `cargo xtask fmt-corpus DIR`: formats every SML file of a folder, twice, and counts what goes wrong.
//!
//! For other people's programs, which do not lie in this tree. Nothing is written but the report. A file that does not
//! parse is counted and left out: many are of other dialects, or parts of files. With `DUMP=DIR` the results are
//! written there, for reading.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub const USAGE: &str = "       cargo xtask fmt-corpus DIR...";

#[derive(Default)]
struct Counts {
    files: usize,
    lines: usize,
    bytes: usize,
    changed: usize,
    unparsed: usize,
    failures: usize,
    long: usize,
    time: Duration,
}

pub fn main(folders: impl Iterator<Item = String>) -> ExitCode {
    let folders: Vec<String> = folders.collect();
    if folders.is_empty() {
        eprintln!("usage:\n{USAGE}");
        return ExitCode::from(2);
    }
    let work = move || {
        let mut all = 0;
        for folder in folders {
            all += of_folder(Path::new(&folder)).failures;
        }
        all
    };
    // Some files are nested deeply.
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work).expect("a thread");
    ExitCode::from(u8::from(thread.join().expect("the work does not panic") > 0))
}

fn of_folder(folder: &Path) -> Counts {
    let mut files = vec![];
    find(folder, &mut files);
    files.sort();
    let mut counts = Counts::default();
    for file in files {
        let Ok(bytes) = fs::read(&file) else { continue };
        let text = leat_ast::decode(bytes);
        if let Err(message) = one(&file, &text, &mut counts) {
            counts.failures += 1;
            println!("{}: {message}", file.display());
        }
    }
    let Counts { files, lines, bytes, changed, unparsed, failures, long, time } = counts;
    println!(
        "{}: {files} files, {lines} lines, {} KB; {changed} changed, {long} lines too long, {unparsed} files do not parse; \
         {failures} failures; {:.2} s, {:.0} lines/s",
        folder.display(),
        bytes / 1000,
        time.as_secs_f64(),
        lines as f64 / time.as_secs_f64()
    );
    counts
}

fn one(file: &Path, text: &str, counts: &mut Counts) -> Result<(), String> {
    let start = Instant::now();
    let first = match leat_fmt::format(text) {
        Ok(first) => first,
        Err(leat_fmt::Error::Syntax(_)) => {
            counts.unparsed += 1;
            return partly(text);
        }
        Err(leat_fmt::Error::Defect(message)) => {
            counts.files += 1;
            return Err(message);
        }
    };
    counts.time += start.elapsed();
    counts.files += 1;
    counts.lines += text.lines().count();
    counts.bytes += text.len();
    counts.changed += usize::from(first != text);
    counts.long += first.lines().filter(|line| line.chars().count() > 100).count();
    if let Some(folder) = std::env::var_os("DUMP") {
        let name = file.to_string_lossy().replace('/', "+");
        fs::write(PathBuf::from(folder).join(name), &first).map_err(|e| e.to_string())?;
    }
    match leat_fmt::format(&first) {
        Ok(second) if second == first => {}
        Ok(second) => return Err(difference(&first, &second)),
        Err(error) => return Err(format!("the second time: {error:?}")),
    }
    let edits = leat_fmt::edits(text, &leat_fmt::FixityEnv::basis()).map_err(|e| format!("{e:?}"))?;
    let (mut edited, mut at) = (String::new(), 0);
    for edit in &edits {
        edited.push_str(&text[at..edit.range.start]);
        edited.push_str(&edit.text);
        at = edit.range.end;
    }
    edited.push_str(&text[at..]);
    if edited == first { Ok(()) } else { Err(format!("edits: {}", difference(&first, &edited))) }
}

/// A text with syntax errors: what can be read of it is formatted, and that twice is no other than once.
fn partly(text: &str) -> Result<(), String> {
    let basis = leat_fmt::FixityEnv::basis();
    let again = |text: &str| {
        let partly = leat_fmt::format_partly(leat_base::FileId::NONE, text, &basis);
        partly.map(|partly| partly.text).map_err(|error| format!("in parts: {error}"))
    };
    let first = again(text)?;
    let second = again(&first)?;
    if first == second { Ok(()) } else { Err(format!("in parts: {}", difference(&first, &second))) }
}

fn difference(a: &str, b: &str) -> String {
    let mut lines = a.lines().zip(b.lines()).enumerate();
    match lines.find(|(_, (a, b))| a != b) {
        Some((i, (a, b))) => format!("not the same twice, line {}:\n  {a}\n  {b}", i + 1),
        None => "not the same twice: the end".to_string(),
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|e| e == "sml" || e == "sig" || e == "fun" || e == "ML") {
            files.push(path);
        }
    }
}
