//! Mistakes are planted in the library of Concurrent ML, one at a time, and the programs of `cml/` must notice each of
//! them.
//!
//! `planted.table` lists them: the file of `lib/`, what is wrong then, the lines that are there (`-`, however they are broken)
//! and those that take their place (`+`). A program that keeps books is worth what it finds: before there was this
//! test, `cml/inflate.sml` had found 8 of 13 mistakes, and those that need a second worker could not show at all,
//! because threads that communicate are kept on one (`fold.rs`). So the programs run with `--scatter`, and the library
//! has pauses at the places where another worker may come in between; the table begins with them.
//!
//! `PLANTED=n` plants every n-th mistake (16); `PLANTED=1` all of them, which takes half an hour. `MISTAKE=n` plants that one.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use leat_random::setting;

mod wait;
use wait::end_within;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// A program that takes longer hangs. Each takes a second or two, and some more on a busy machine.
const PATIENCE: Duration = Duration::from_secs(25);
/// The same where all is right: then nothing is lost by waiting.
const LONG_PATIENCE: Duration = Duration::from_secs(300);

/// How a program runs: its file under `tests/`, words of its command line, numbers of workers.
const RUNS: &[(&str, &[&str], &[u32])] = &[
    ("cml/inflate", &["1", "60"], &[1]),
    ("cml/inflate", &["1", "150"], &[2, 4, 8]),
    ("order/queues", &[], &[1]),
    ("cml/laws", &[], &[1, 2]),
    ("cml/bounded", &[], &[1, 2, 4]),
    ("cml/scopes", &[], &[1, 2]),
    ("cml/nested-nacks", &[], &[1]),
    ("cml/nack-and-partner", &[], &[1]),
    ("cml/crossfire", &[], &[2, 4]),
    ("cml/inflate", &["1000", "600"], &[2, 4]),
];
/// The files in which a lock is taken as [`LOCK`] says: there is a pause before it, too.
const LOCKING: &[&str] = &["cml/channel.sml", "cml/sync-var.sml", "cml/mailbox.sml", "cml/bounded.sml"];
const LOCK: &str = "Lock'.lock lock;";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

struct Change {
    file: String,
    what: String,
    old: String,
    new: String,
}

/// The pauses, and the mistakes.
fn table() -> (Vec<Change>, Vec<Change>) {
    let text = fs::read_to_string(root().join("tests/planted.table")).expect("the table");
    let mut changes: Vec<Change> = Vec::new();
    for line in text.lines() {
        if let Some((file, what)) = line.strip_prefix("@ ").and_then(|line| line.split_once(": ")) {
            changes.push(Change { file: file.into(), what: what.into(), old: String::new(), new: String::new() });
        } else if let Some(change) = changes.last_mut() {
            let (side, line) = match line.split_at_checked(1) {
                Some(("-", line)) => (&mut change.old, line),
                Some(("+", line)) => (&mut change.new, line),
                _ => continue,
            };
            if !side.is_empty() {
                side.push('\n');
            }
            side.push_str(line);
        }
    }
    let (pauses, mistakes) = changes.into_iter().partition(|change| change.what == "pause");
    (pauses, mistakes)
}

/// The file with the change. Blanks and line ends do not count where the old text is looked for: they are the
/// formatter's.
fn applied(text: &str, change: &Change) -> String {
    let places: Vec<usize> = text.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| at).collect();
    let (bare, old) = (without_blanks(text), without_blanks(&change.old));
    let found: Vec<usize> = bare.match_indices(&old).map(|(at, _)| bare[..at].chars().count()).collect();
    assert_eq!(found.len(), 1, "{}: {}: so often in the file:\n{}", change.file, change.what, change.old);
    let (first, last) = (found[0], found[0] + old.chars().count());
    let (from, to) = (places[first], places.get(last).copied().unwrap_or(text.len()));
    // The blanks after it stay.
    let to = from + text[from..to].trim_end().len();
    format!("{}{}{}", &text[..from], change.new.trim(), &text[to..])
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the library").map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().expect("its kind").is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// A copy of the library with pauses, and perhaps a mistake.
fn library(to: &Path, pauses: &[Change], mistake: Option<&Change>) {
    let lib = root().join("lib");
    copy(&lib, to);
    let edit = |file: &str, edit: &dyn Fn(String) -> String| {
        let file = to.join(file);
        let text = fs::read_to_string(&file).expect("a file of the library");
        fs::write(file, edit(text)).expect("a file of the copy");
    };
    // The mistake first: the table has it as the library is.
    if let Some(mistake) = mistake {
        edit(&mistake.file, &|text| applied(&text, mistake));
    }
    for pause in pauses {
        edit(&pause.file, &|text| applied(&text, pause));
    }
    for file in LOCKING {
        edit(file, &|text| text.replace(LOCK, &format!("jitter (); {LOCK}")));
    }
}

/// Runs all programs with that library until one of them does not do what it should; says what it did.
fn first_fault(folder: &Path, lib: &Path, patience: Duration) -> Option<String> {
    for (program, words, workers) in RUNS {
        let source = root().join("tests").join(program).with_extension("sml");
        let executable = folder.join(program.replace('/', "-"));
        let mut compiler = Command::new(LEAT);
        compiler.arg("build").arg(format!("--lib={}", lib.display())).arg("-o").arg(&executable).arg(&source);
        let made = compiler.output().expect("the compiler");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let expected = fs::read(source.with_extension("ok")).expect("what it should print");
        for workers in *workers {
            let options = format!("--workers={workers} --scatter");
            let told = |what: &str| Some(format!("{program} {} with {options}: {what}", words.join(" ")));
            let mut child = Command::new(&executable)
                .args(*words)
                .env("LEAT_RUN", &options)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program");
            let Some(status) = end_within(&mut child, patience).expect("its end") else { return told("it hangs") };
            let mut found = Vec::new();
            child.stdout.take().expect("a pipe").read_to_end(&mut found).expect("what it printed");
            if !status.success() || found != expected {
                return told(&format!("{status}\n{}", String::from_utf8_lossy(&found)));
            }
        }
    }
    None
}

#[test]
fn the_table_is_of_this_library() {
    let (pauses, mistakes) = table();
    assert!(pauses.len() >= 4 && mistakes.len() >= 60);
    for change in pauses.iter().chain(&mistakes) {
        let text = fs::read_to_string(root().join("lib").join(&change.file)).expect("a file of the library");
        assert_ne!(
            without_blanks(&applied(&text, change)),
            without_blanks(&text),
            "{}: {} changes nothing",
            change.file,
            change.what
        );
    }
}

#[test]
fn the_library_with_pauses_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let lib = folder.path().join("lib");
    library(&lib, &table().0, None);
    assert_eq!(first_fault(folder.path(), &lib, LONG_PATIENCE), None);
}

#[test]
fn mistakes_are_noticed() {
    let (pauses, mistakes) = table();
    let (every, only) = (setting("PLANTED", 16) as usize, setting("MISTAKE", u64::MAX) as usize);
    let mut missed = Vec::new();
    for (number, mistake) in mistakes.iter().enumerate() {
        if if only < mistakes.len() { number != only } else { number % every != 0 } {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let lib = folder.path().join("lib");
        library(&lib, &pauses, Some(mistake));
        let name = format!("{number}: {}: {}", mistake.file, mistake.what);
        match first_fault(folder.path(), &lib, PATIENCE) {
            Some(how) => println!("{name}\n    {}", how.lines().next().unwrap_or("")),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "nobody noticed\n{}", missed.join("\n"));
}
