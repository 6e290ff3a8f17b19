//! The cases of two other parsers of HTTP/1.1 against ours: what they refuse is refused here, too, but for what is
//! listed.
//!
//! The cases are not part of this repository. `LLHTTP` names a folder with those of llhttp (its `test`, with
//! `request/*.md` and `response/*.md`), `HTTPARSE` the sources of httparse (with `src/lib.rs` and `tests/uri.rs`);
//! without them the tests say so and are left out:
//!
//! ```text
//! LLHTTP=~/llhttp/test HTTPARSE=~/httparse cargo test --release -p leat --test http_cases -- --nocapture
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// What the other parser says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    Taken,
    Refused,
    /// It waits for more.
    Unfinished,
}

struct Case {
    name: String,
    is_request: bool,
    bytes: Vec<u8>,
    said: Said,
}

/// The folder that a variable names, if it is set.
fn named(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("the variable {variable} names no folder with cases: this test is left out");
    }
    folder
}

/// What our parser says of each, one line a case.
fn judged(cases: &[Case]) -> Vec<String> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/http-cases/judge.mlb");
    let mut run = Command::new(LEAT)
        .arg("run")
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("leat runs");
    let mut text = String::new();
    for case in cases {
        text.push_str(if case.is_request { "request " } else { "response " });
        case.bytes.iter().for_each(|byte| text.push_str(&format!("{byte:02x}")));
        text.push('\n');
    }
    let mut input = run.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).expect("it reads"));
    let output = run.wait_with_output().expect("it ends");
    writer.join().expect("all is written");
    assert!(output.status.success());
    let lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect();
    assert_eq!(lines.len(), cases.len());
    lines
}

/// llhttp asks for no Host, and httparse knows no field.
fn with_host(mut bytes: Vec<u8>) -> Vec<u8> {
    let lower = bytes.to_ascii_lowercase();
    let has = |what: &[u8]| lower.windows(what.len()).any(|window| window == what);
    if !has(b"\nhost:") && has(b" http/1.1\r\n") {
        let end = lower.windows(2).position(|window| window == b"\r\n").map_or(0, |at| at + 2);
        // Empty lines may stand before the first one.
        let end = if lower[..end].trim_ascii().is_empty() { 0 } else { end };
        if end > 0 {
            bytes.splice(end..end, *b"Host: x\r\n");
        }
    }
    bytes
}

/// Compares: `looser` are the names of cases that are taken here though the other refuses them, each with the reason. A
/// name that is none, or no longer needed, is a mistake, too.
fn compare(who: &str, cases: &[Case], least: usize, looser: &[(&str, &str)]) {
    assert!(cases.len() >= least, "only {} cases of {who} were found", cases.len());
    let (mut same, mut stricter, mut wrong) = (0, BTreeMap::<String, Vec<&str>>::new(), Vec::new());
    let mut needed = vec![false; looser.len()];
    for (case, verdict) in cases.iter().zip(judged(cases)) {
        match (case.said, &*verdict) {
            (Said::Taken, "taken") => same += 1,
            (Said::Refused, "taken") => match looser.iter().position(|(name, _)| case.name.contains(name)) {
                Some(at) => needed[at] = true,
                None => wrong.push(format!("{}: {:?}", case.name, String::from_utf8_lossy(&case.bytes))),
            },
            // Here the end of the text is the end of the message.
            (Said::Refused, _) => same += 1,
            (Said::Unfinished, "taken") => {
                stricter.entry("goes on where we see the end".into()).or_default().push(&case.name)
            }
            (Said::Unfinished, _) => same += 1,
            (Said::Taken, why) => stricter.entry(why.to_string()).or_default().push(&case.name),
        }
    }
    println!("{who}: {} cases, {same} alike; it takes what we do not:", cases.len());
    for (why, names) in &stricter {
        println!("{:4} {why}: {}", names.len(), names.join("; "));
    }
    assert!(wrong.is_empty(), "{who} refuses what is taken here:\n{}", wrong.join("\n"));
    let idle: Vec<_> = looser.iter().zip(&needed).filter(|(_, needed)| !**needed).map(|((name, _), _)| *name).collect();
    assert!(idle.is_empty(), "{who}: no case is taken here and refused there for {idle:?}");
    // Most are alike, or the cases were not understood.
    assert!(2 * same > cases.len(), "{who}: only {same} of {} are alike", cases.len());
}

// -- llhttp: Markdown, with the message and what the parser tells of it

/// The text of a message as llhttp's own tests make it: line ends are CR LF, a backslash before one leaves it out, and
/// so on.
fn message(text: &str) -> Vec<u8> {
    let text = text.strip_suffix('\n').unwrap_or(text).replace("\\\n", "").replace('\n', "\r\n");
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let digits = |radix: u32, most: usize, from: &[u8]| {
            from.iter().take(most).take_while(|b| (**b as char).is_digit(radix)).count()
        };
        let number = |from: &[u8], radix| {
            u32::from_str_radix(std::str::from_utf8(from).expect("digits"), radix).expect("a number") as u8
        };
        match rest.first() {
            Some(b'x') if digits(16, 2, &rest[1..]) > 0 => {
                let count = digits(16, 2, &rest[1..]);
                bytes.push(number(&rest[1..1 + count], 16));
                rest = &rest[1 + count..];
            }
            Some(b'0'..=b'7') => {
                let count = digits(8, 3, rest);
                bytes.push(number(&rest[..count], 8));
                rest = &rest[count..];
            }
            Some(&letter @ (b'r' | b'n' | b't' | b'f')) => {
                bytes.push(match letter {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b't' => b'\t',
                    _ => 12,
                });
                rest = &rest[1..];
            }
            _ => bytes.push(b'\\'),
        }
    }
    bytes
}

/// The lines between this one, which begins a block of code, and its end.
fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> String {
    lines.take_while(|line| !line.starts_with("```")).map(|line| format!("{line}\n")).collect()
}

fn of_markdown(file: &str, text: &str, is_request: bool, cases: &mut Vec<Case>) {
    let mut lines = text.lines();
    let (mut titles, mut meta, mut input) = (Vec::<&str>::new(), "", None);
    while let Some(line) = lines.next() {
        let level = line.bytes().take_while(|&b| b == b'#').count();
        if level > 0 {
            titles.truncate(level.saturating_sub(2));
            titles.push(line[level..].trim());
        } else if line.starts_with("<!--") {
            meta = line;
        } else if line.starts_with("```http") {
            input = Some(block(&mut lines));
        } else if line.starts_with("```log") {
            let log = block(&mut lines);
            let kind = if is_request { "\"type\": \"request\"" } else { "\"type\": \"response\"" };
            let Some(input) = input.take() else { continue };
            // Those of a lenient mode, of a pause, and those that JavaScript makes are of no use here.
            if !meta.contains(kind) || meta.contains("pause") || meta.contains("skip") || input.contains("${") {
                continue;
            }
            // It stops at an Upgrade and at CONNECT, which are the server's affair here.
            let said = if log.contains("error code=") && !log.contains("Pause on CONNECT/Upgrade") {
                Said::Refused
            } else if log.contains("message complete") {
                Said::Taken
            } else {
                Said::Unfinished
            };
            let bytes = message(&input);
            let bytes = if is_request { with_host(bytes) } else { bytes };
            cases.push(Case { name: format!("{file}: {}", titles.join(", ")), is_request, bytes, said });
        }
    }
}

#[test]
fn llhttp() {
    let Some(folder) = named("LLHTTP") else { return };
    let mut cases = Vec::new();
    for (name, is_request) in [("request", true), ("response", false)] {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder.join(name)).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "md")) {
            let stem = format!("{name}/{}", file.file_stem().expect("a name").to_string_lossy());
            of_markdown(&stem, &fs::read_to_string(file).expect("a text"), is_request, &mut cases);
        }
    }
    let looser = [
        ("HTTP protocol and ANNOUNCE method", "any word is a method"),
        ("Invalid method", "any word is a method"),
        ("No extension after semicolon", "an extension that is empty is passed over"),
        ("keep-alive disabled and 204 status", "what follows the last answer is the connection's affair"),
        ("keep-alive disabled, content-length", "likewise"),
    ];
    compare("llhttp", &cases, 150, &looser);
}

// -- httparse: calls of a macro, with a name, a text of bytes, and what the parser gives

/// The bytes of a literal of Rust that begins here, and what stands behind it.
fn literal(text: &str) -> Option<(Vec<u8>, &str)> {
    let text = text.trim_start();
    let mut rest = text.strip_prefix("b\"").or_else(|| text.strip_prefix('"'))?.as_bytes();
    let mut bytes = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((bytes, std::str::from_utf8(rest).ok()?)),
            b'\\' => {
                let (&letter, after) = rest.split_first()?;
                rest = after;
                match letter {
                    b'r' => bytes.push(b'\r'),
                    b'n' => bytes.push(b'\n'),
                    b't' => bytes.push(b'\t'),
                    b'0' => bytes.push(0),
                    b'x' => {
                        bytes.push(u8::from_str_radix(std::str::from_utf8(rest.get(..2)?).ok()?, 16).ok()?);
                        rest = &rest[2..];
                    }
                    b'\n' => rest = rest.trim_ascii_start(),
                    other => bytes.push(other),
                }
            }
            other => bytes.push(other),
        }
    }
}

fn of_macros(text: &str, call: &str, is_request: bool, cases: &mut Vec<Case>) {
    for part in text.split(call).skip(1) {
        let Some((name, rest)) = part.split_once(',') else { continue };
        let name = name.trim();
        // The definition of the macro itself has a pattern here.
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let Some((bytes, rest)) = literal(rest) else { continue };
        let said = match rest.split_once('|').map(|(result, _)| result) {
            Some(result) if result.contains("Err(") => Said::Refused,
            Some(result) if result.contains("Partial") => Said::Unfinished,
            _ => Said::Taken,
        };
        let bytes = if is_request { with_host(bytes) } else { bytes };
        cases.push(Case { name: name.to_string(), is_request, bytes, said });
    }
}

#[test]
fn httparse() {
    let Some(folder) = named("HTTPARSE") else { return };
    let mut cases = Vec::new();
    for file in ["src/lib.rs", "tests/uri.rs"] {
        let text = fs::read_to_string(folder.join(file)).expect("a source");
        of_macros(&text, "req! {", true, &mut cases);
        of_macros(&text, "res! {", false, &mut cases);
    }
    compare("httparse", &cases, 150, &[]);
}
