//! Chains of every construct of the language: what is written n times costs n times as much to compile.
//!
//! `chains/*.chains` are texts with lines that begin with `@`: a run of such lines is repeated n times. In them `{i}` is the
//! number of the repetition, from 0, and `{n}` how many there are; sums, products and remainders of these are worked
//! out.
//!
//! Work is counted, not timed: how large the program is behind each pass, and how many bytes the pass allocated. From n
//! to 2n, 4n and 8n repetitions each step may cost three times what the step before did: it is twice where work is
//! linear, and four times where it is quadratic. One of the steps may cost more: a limit is met there, as where a
//! program that was folded into a constant is not any more. And a line of a chain may cost a pass so many bytes, and no
//! more. `CHAIN=name` tries one chain, `CHAIN_N=n` begins elsewhere.
//!
//! At a prompt each line is compiled with what it reaches of those before it; what all lines together are compiled from
//! is counted likewise.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use leat_driver::{Input, Options, Session};
use leat_random::setting;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// The system's allocator, which counts.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the system's.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size.saturating_sub(layout.size()), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system's.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

// ------------------------------------------------------------------- chains

struct Chain {
    name: String,
    lines: Vec<String>,
}

fn chains() -> Vec<Chain> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/chains");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut chains: Vec<Chain> = Vec::new();
    for file in files {
        // What stands before the first chain says what the file is about.
        let mut begun = false;
        for line in fs::read_to_string(file).unwrap().lines() {
            if let Some(name) = line.strip_prefix("== ") {
                assert!(chains.iter().all(|chain| chain.name != name), "two chains are called {name}");
                chains.push(Chain { name: name.to_string(), lines: Vec::new() });
                begun = true;
            } else if begun {
                chains.last_mut().unwrap().lines.push(line.to_string());
            }
        }
    }
    if let Ok(only) = std::env::var("CHAIN") {
        chains.retain(|chain| chain.name == only);
    }
    assert!(!chains.is_empty());
    chains
}

impl Chain {
    fn text(&self, n: usize) -> String {
        let mut text = String::new();
        let mut lines = self.lines.iter().map(String::as_str).peekable();
        while let Some(line) = lines.next() {
            let Some(first) = line.strip_prefix('@') else {
                text += &filled(line, 0, n);
                text.push('\n');
                continue;
            };
            let mut run = vec![first];
            while let Some(next) = lines.next_if(|line| line.starts_with('@')) {
                run.push(&next[1..]);
            }
            for i in 0..n {
                for line in &run {
                    text += &filled(line, i, n);
                    text.push('\n');
                }
            }
        }
        text
    }
}

/// `{i+3}` and its like replaced by numbers; other braces stay.
fn filled(line: &str, i: usize, n: usize) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('{') {
        out += &rest[..start];
        rest = &rest[start..];
        match rest.find('}').and_then(|end| Some((end, worth(&rest[1..end], i as i64, n as i64)?))) {
            Some((end, value)) => {
                out += &value.to_string();
                rest = &rest[end + 1..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// `i`, `n` and numbers, joined by `+`, `-` and `%`, from left to right, `%` first.
fn worth(text: &str, i: i64, n: i64) -> Option<i64> {
    if !text.starts_with(['i', 'n']) {
        return None;
    }
    let atom = |text: &str| match text {
        "i" => Some(i),
        "n" => Some(n),
        _ => text.parse().ok(),
    };
    let mut sum = 0;
    for (at, part) in text.split_inclusive(['+', '-']).enumerate() {
        let sign =
            if at > 0 && text[..part.as_ptr() as usize - text.as_ptr() as usize].ends_with('-') { -1 } else { 1 };
        let part = part.trim_end_matches(['+', '-']);
        let value = match part.split_once('%') {
            Some((left, right)) => atom(left)? % atom(right)?,
            None => atom(part)?,
        };
        sum += sign * value;
    }
    Some(sum)
}

// --------------------------------------------------------------------- work

/// By pass: how large the program is behind it, and how many bytes it allocated.
type Work = BTreeMap<String, (usize, usize)>;

static WORK: Mutex<(Work, usize)> = Mutex::new((BTreeMap::new(), 0));

fn note(pass: &str, size: usize) {
    let mut work = WORK.lock().unwrap();
    let allocated = ALLOCATED.load(Ordering::Relaxed) - work.1;
    work.0.insert(pass.to_string(), (size, allocated));
    work.1 = ALLOCATED.load(Ordering::Relaxed);
}

fn work_of(session: &mut Session, chain: &Chain, n: usize) -> Work {
    *WORK.lock().unwrap() = (Work::new(), ALLOCATED.load(Ordering::Relaxed));
    // Before the first pass of Mono come parsing, types, matches, and instances.
    let result = session.compile_alone(Input::Text(&chain.name, chain.text(n)));
    if let Err(failure) = result {
        panic!("{} of {n}: {failure:?}", chain.name);
    }
    std::mem::take(&mut WORK.lock().unwrap().0)
}

/// A step of less is noise: tables that double.
const LEAST_SIZE: usize = 400;
const LEAST_BYTES: usize = 1 << 20;
/// What a line may cost a pass.
const MOST_BYTES: usize = 200_000;

/// How many times larger than it came in a program may be where all limits of inlining are met: two rounds, of which
/// each may make it three times as large before the unused is dropped.
const MOST_COPIES: usize = 9;
/// The first pass that is observed.
const FIRST: &str = "mono from_lambda";

/// Do the last two steps both cost more than three times what the step before did?
fn grows(work: [usize; 4], least: usize) -> bool {
    let steps = [work[1].saturating_sub(work[0]), work[2].saturating_sub(work[1]), work[3].saturating_sub(work[2])];
    steps.windows(2).all(|step| step[1] > 3 * step[0] + least)
}

#[test]
fn work_is_linear() {
    let first = setting("CHAIN_N", 50) as usize;
    let found = leat_driver::with_deep_stack(move || {
        let options = Options { observer: Some(note), ..Options::default() };
        let mut session = Session::new(options).unwrap_or_else(|failure| panic!("{failure:?}"));
        let mut found = Vec::new();
        let mut most = (0, String::new());
        for chain in chains() {
            let works = [1, 2, 4, 8].map(|times| work_of(&mut session, &chain, first * times));
            assert!(works[0].len() > 20, "passes are not observed");
            // What has limits (copies of functions are no larger than some size) may grow faster up to them, and no
            // more behind them: what grows is asked for the next size, too.
            let mut next: Option<Work> = None;
            for pass in works[0].keys() {
                let sizes = works.each_ref().map(|work| work[pass].0);
                let bytes = works.each_ref().map(|work| work[pass].1);
                // Where limits are met a chain may be folded to its half, and the rest not at all.
                if grows(sizes, LEAST_SIZE) && (sizes[3] > MOST_COPIES * works[3][FIRST].0 || pass == FIRST) {
                    found.push(format!("{}: size behind {pass}: {sizes:?}", chain.name));
                }
                let still = bytes[3] <= MOST_BYTES * 8 * first && grows(bytes, LEAST_BYTES) && {
                    let next = next.get_or_insert_with(|| work_of(&mut session, &chain, first * 16));
                    grows([bytes[1], bytes[2], bytes[3], next[pass].1], LEAST_BYTES)
                };
                if still || bytes[3] > MOST_BYTES * 8 * first {
                    found.push(format!("{}: bytes allocated by {pass}: {bytes:?}", chain.name));
                }
                most = most.max((bytes[3] / (8 * first), format!("{} by {pass}", chain.name)));
            }
        }
        println!("most bytes a line: {} of {}", most.0, most.1);
        found
    });
    let found = found.unwrap();
    assert!(found.is_empty(), "for n, 2n, 4n, 8n, n = {first}:\n{}", found.join("\n"));
}

/// How many functions `leat repl` compiles for these lines.
fn lowered(line: impl Fn(usize) -> String, n: usize) -> usize {
    let text: String = (0..n).map(|i| line(i) + ";\n").collect();
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("lines");
    fs::write(&file, text).unwrap();
    let output = Command::new("timeout")
        .args(["60", LEAT, "repl", "--dump=mono:after=from_lambda"])
        .stdin(fs::File::open(file).unwrap())
        .env_remove("LEAT_RUN")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.trim_start().starts_with("fun ")).count()
}

/// Each function uses the one before. A declaration was compiled with all that it reaches, and then thrown away; so n
/// of them cost n squared, which a program of 3,000 functions that is loaded by `use` felt as 15 seconds. And so did n
/// declarations with a call behind each: every call compiled all functions once more.
#[test]
fn prompts_are_linear() {
    let first = setting("CHAIN_N", 50) as usize;
    let before = |i: usize| if i == 0 { "~".to_string() } else { format!("f{} ", i - 1) };
    let declared = |i: usize| format!("fun f{i} x = if x > {i} then x else f{i} (x + 1) + {}x", before(i));
    assert_eq!(lowered(declared, first), 0, "declarations of functions are compiled");
    let opened = |i: usize| format!("local fun g x = {}x + 1 in val f{i} = g end", before(i));
    assert_eq!(lowered(opened, first), 0, "other names of functions are compiled");

    let called = |i: usize| match i % 2 {
        0 => format!("fun f{} x = {}x + 1", i / 2, before(i / 2)),
        _ => format!("val y{i} = f{} 3", i / 2),
    };
    let sizes = [4, 8, 16, 32].map(|times| lowered(called, first * times));
    println!("at the prompt: {sizes:?}");
    assert!(sizes[0] > first && !grows(sizes, LEAST_SIZE), "functions that are compiled: {sizes:?}");
}

#[test]
fn growth_is_seen() {
    assert!(!grows([1000, 2000, 4000, 8000], 0));
    // n log n
    assert!(!grows([50, 100, 200, 400].map(|n: usize| n * n.ilog2() as usize), 0));
    // A limit is met.
    assert!(!grows([50, 50, 400, 800], 0));
    assert!(grows([50, 100, 200, 400].map(|n| n * n), 0));
    assert!(grows([5, 10, 20, 40].map(|n| 1 << n), 0));
}

// ------------------------------------------------------------------ meaning

fn leat(words: &[&str], text: &str, name: &str, folder: &Path) -> String {
    let file = folder.join(format!("{name}.sml"));
    fs::write(&file, text).unwrap();
    let output = Command::new("timeout")
        .args(["60", LEAT, "run"])
        .args(words)
        .arg(&file)
        .stdin(Stdio::null())
        .env_remove("LEAT_RUN")
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    let report: Vec<&str> =
        report.lines().filter(|line| line.contains("defect") || line.contains("panicked")).collect();
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), report.join("\n"))
}

/// Optimised and not, a chain of few and of many links does the same, and every pass keeps the invariants.
#[test]
fn chains_do_the_same() {
    let folder = tempfile::TempDir::new().unwrap();
    for chain in chains() {
        for n in [2, 7, 40] {
            let text = chain.text(n);
            let plain = leat(&["-O0"], &text, &chain.name, folder.path());
            let optimised = leat(&["--verify=each"], &text, &chain.name, folder.path());
            assert_eq!(plain, optimised, "{} of {n}", chain.name);
            assert!(plain.starts_with("exit status: 0"), "{} of {n}: {plain}", chain.name);
        }
    }
}

#[test]
fn lines_are_filled() {
    let chain = Chain {
        name: String::new(),
        lines: ["a {n}", "@b {i} {i+1} {n-1-i}", "@c {i%2}", "{a = 1}"].map(String::from).to_vec(),
    };
    assert_eq!(chain.text(3), "a 3\nb 0 1 2\nc 0\nb 1 2 1\nc 1\nb 2 3 0\nc 0\n{a = 1}\n");
}
