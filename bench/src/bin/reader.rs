//! Row D2: a large source -> how fast it is read: tokens, and tokens and syntax, in MB a second.
//!
//! usage: reader FOLDER: all `.sml` files below it are one text each; the best of five passes over all of them. A
//! thread besides reads the same, to see that the readers do not wait for each other.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::FileId;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: reader FOLDER");
        return ExitCode::from(2);
    };
    let mut texts = Vec::new();
    collect(Path::new(&folder), &mut texts);
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes == 0 {
        eprintln!("reader: {folder}: there is no .sml file");
        return ExitCode::FAILURE;
    }
    println!("lex-MB-per-s {:.1}", best(bytes, || texts.iter().map(|text| lex(text)).sum()));
    println!("parse-MB-per-s {:.1}", best(bytes, || texts.iter().map(|text| parse(text)).sum()));
    let two = best(2 * bytes, || {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| texts.iter().map(|text| parse(text)).sum::<usize>());
            texts.iter().map(|text| parse(text)).sum::<usize>() + other.join().unwrap_or(0)
        })
    });
    println!("two-readers-MB-per-s {two:.1}");
    ExitCode::SUCCESS
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|e| e == "sml") {
            texts.extend(std::fs::read_to_string(&path));
        }
    }
}

/// Megabytes a second of the quickest of five.
fn best(bytes: usize, mut pass: impl FnMut() -> usize) -> f64 {
    let once = || {
        let start = Instant::now();
        assert!(pass() > 0, "nothing was read");
        bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once).take(5).fold(0.0, f64::max)
}

fn lex(text: &str) -> usize {
    leat_ast::count_tokens(text, &ParseOptions::default())
}

fn parse(text: &str) -> usize {
    let (program, _) = leat_ast::parse(FileId(0), text, &ParseOptions::default(), &mut FixityEnv::basis());
    // So that nothing is left out as unused.
    std::hint::black_box(program);
    text.len()
}
