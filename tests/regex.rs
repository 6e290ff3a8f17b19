//! `Regex`, the library's regular expressions, against Rust's crate `regex`: random expressions and texts, and the
//! crate's own tests.
//!
//! Spans of all matches and of their groups are compared. `EXPRESSIONS=n` says how many expressions (2,000), `SEED=n`
//! the seed. The crate's tests are not part of this repository; `REGEX_CASES` names its folder `testdata`:
//!
//! ```text
//! REGEX_CASES=~/regex/testdata cargo test --release -p leat --test regex -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leat_random::{Random, setting};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

struct Case {
    flags: String,
    expression: Vec<u8>,
    text: Vec<u8>,
    limit: usize,
}

/// What the library says of each case, a line for each.
fn judged(cases: &[Case]) -> Vec<String> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/regex-cases/judge.mlb");
    let mut run = Command::new(LEAT)
        .arg("run")
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("leat runs");
    let mut text = String::new();
    for case in cases {
        let _ = write!(text, "{}\t", case.flags);
        case.expression.iter().for_each(|byte| _ = write!(text, "{byte:02x}"));
        text.push('\t');
        case.text.iter().for_each(|byte| _ = write!(text, "{byte:02x}"));
        let _ = writeln!(text, "\t{}", case.limit);
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

/// Spans as the program prints them.
fn printed<'a>(matches: impl Iterator<Item = Vec<Option<(usize, usize)>>> + 'a) -> String {
    let span = |span: &Option<(usize, usize)>| span.map_or("-".to_string(), |(from, to)| format!("{from}-{to}"));
    matches.map(|spans| spans.iter().map(span).collect::<Vec<_>>().join(",")).collect::<Vec<_>>().join(" ")
}

/// Makes expressions; those of Unicode have other characters.
struct Maker<'a> {
    random: &'a mut Random,
    unicode: bool,
    groups: usize,
}

impl Maker<'_> {
    fn literal(&mut self) -> String {
        let ascii = ["a", "b", "c", "x", "A", "B", "_", "1", " ", "\\n", "\\.", "\\x62"];
        let wide = ["é", "É", "ß", "σ", "Σ", "ς", "K", "\\u20ac", "\\x{1F600}", "日", "k"];
        let bytes = ["\\xff", "\\xc3", "\\xa9", "\\x00"];
        if !self.random.one_in(4) {
            self.random.pick(&ascii).to_string()
        } else if self.unicode {
            self.random.pick(&wide).to_string()
        } else {
            self.random.pick(&bytes).to_string()
        }
    }

    fn class(&mut self) -> String {
        let mut text = if self.random.one_in(3) { "[^" } else { "[" }.to_string();
        for _ in 0..1 + self.random.below(3) {
            let items =
                ["a-c", "b", "x-z", "0-9", "\\d", "\\w", "\\s", "\\S", "[:alpha:]", "[:^digit:]", "\\-", "A-B", "\\n"];
            let wide = ["é", "α-ω", "\\p{Lu}", "\\p{Greek}", "\\pN", "日-本", "\\u00e0-\\u00ff", "\\P{L}"];
            let item = if self.unicode && self.random.one_in(3) {
                *self.random.pick(&wide)
            } else {
                *self.random.pick(&items)
            };
            text.push_str(item);
        }
        text + "]"
    }

    fn atom(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 12 } else { 20 }) {
            0..=5 => self.literal(),
            6 => ".".to_string(),
            7 | 8 => self.class(),
            9 => self.random.pick(&["\\d", "\\w", "\\s", "\\D", "\\W", "\\S"]).to_string(),
            10 => self.random.pick(&["^", "$", "\\b", "\\B", "\\A", "\\z"]).to_string(),
            11 if self.unicode => {
                self.random.pick(&["\\pL", "\\p{Ll}", "\\P{Lu}", "\\p{Cyrillic}", "\\p{^Alphabetic}"]).to_string()
            }
            11 => self.literal(),
            12..=14 => {
                self.groups += 1;
                format!("({})", self.alternatives(depth - 1))
            }
            15..=17 => format!("(?:{})", self.alternatives(depth - 1)),
            18 => {
                let flags = *self.random.pick(&["i", "s", "m", "U", "i-s", "ms"]);
                format!("(?{flags}:{})", self.alternatives(depth - 1))
            }
            _ => {
                self.groups += 1;
                let name = self.groups;
                format!("(?P<g{name}>{})", self.alternatives(depth - 1))
            }
        }
    }

    fn repeated(&mut self, depth: usize) -> String {
        let atom = self.atom(depth);
        if !self.random.one_in(3) {
            return atom;
        }
        let times = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0}", "{1,}?"];
        let times = *self.random.pick(&times);
        // Groups that are never tried have no number there.
        if times == "{0}" && atom.contains('(') { atom } else { atom + times }
    }

    fn alternatives(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for i in 0..1 + self.random.below(5).saturating_sub(2) {
            if i > 0 {
                text.push('|');
            }
            for _ in 0..self.random.below(4) {
                text.push_str(&self.repeated(depth));
            }
        }
        text
    }
}

fn random_text(random: &mut Random, unicode: bool) -> Vec<u8> {
    let ascii = ["a", "b", "c", "x", "A", "B", "_", "1", " ", "\n", ".", "ab", "abc", "aaaa"];
    let wide = ["é", "É", "ß", "σ", "Σ", "ς", "\u{212a}", "€", "\u{1F600}", "日", "本", "и", "k", "\u{a0}"];
    let mut text = Vec::new();
    let plain = random.one_in(2);
    for _ in 0..random.below(20) {
        if plain || !random.one_in(3) {
            text.extend_from_slice(random.pick(&ascii).as_bytes());
        } else if unicode {
            text.extend_from_slice(random.pick(&wide).as_bytes());
        } else {
            text.push(*random.pick(b"\xff\xc3\xa9\x00\x80z"));
        }
    }
    text
}

#[test]
fn random_expressions() {
    let (count, seed) = (setting("EXPRESSIONS", 2000), setting("SEED", 1));
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    let mut expected = Vec::new();
    while cases.len() < 4 * count as usize {
        let unicode = random.one_in(2);
        let expression = Maker { random: &mut random, unicode, groups: 0 }.alternatives(3);
        let flag = |random: &mut Random| random.one_in(4);
        let (fold, lines, dot, swap) = (flag(&mut random), flag(&mut random), flag(&mut random), random.one_in(8));
        let mut flags = String::new();
        for (on, letter) in [(fold, 'i'), (lines, 'm'), (dot, 's'), (swap, 'U'), (unicode, 'u')] {
            if on {
                flags.push(letter);
            }
        }
        let Ok(regex) = regex::bytes::RegexBuilder::new(&expression)
            .case_insensitive(fold)
            .multi_line(lines)
            .dot_matches_new_line(dot)
            .swap_greed(swap)
            .unicode(unicode)
            .build()
        else {
            continue;
        };
        let strict = regex::RegexBuilder::new(&expression)
            .case_insensitive(fold)
            .multi_line(lines)
            .dot_matches_new_line(dot)
            .swap_greed(swap)
            .build();
        for _ in 0..4 {
            let text = random_text(&mut random, unicode);
            let answer =
                if unicode {
                    // An empty match does not divide a character.
                    let strict = strict.as_ref().expect("the same expression");
                    let text = std::str::from_utf8(&text).expect("made of characters");
                    printed(strict.captures_iter(text).map(|groups| {
                        groups.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
                    }))
                } else {
                    printed(regex.captures_iter(&text).map(|groups| {
                        groups.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
                    }))
                };
            expected.push(answer);
            cases.push(Case {
                flags: flags.clone(),
                expression: expression.clone().into_bytes(),
                text,
                limit: usize::MAX >> 2,
            });
        }
    }
    let mut wrong = 0;
    for ((case, answer), expected) in cases.iter().zip(judged(&cases)).zip(&expected) {
        if answer != *expected {
            wrong += 1;
            if wrong <= 20 {
                println!(
                    "(?{}) {} in {:?}:\n  {answer}\n  expected {expected}",
                    case.flags,
                    String::from_utf8_lossy(&case.expression),
                    String::from_utf8_lossy(&case.text)
                );
            }
        }
    }
    assert_eq!(wrong, 0, "of {} cases with the seed {seed}", cases.len());
}

/// A test of the crate as a case, and what is expected; or why it is left out.
fn of_crate(entry: &toml::Value) -> Result<(Case, String), &'static str> {
    let text = |key: &str| entry.get(key).and_then(|value| value.as_str());
    let flag = |key: &str, default| entry.get(key).and_then(|value| value.as_bool()).unwrap_or(default);
    let Some(expression) = text("regex") else { return Err("a set of expressions") };
    let limit = entry.get("match-limit").and_then(|value| value.as_integer()).map_or(usize::MAX >> 2, |n| n as usize);
    let anchored = flag("anchored", false);
    if anchored && limit != 1 || entry.get("bounds").is_some() || entry.get("line-terminator").is_some() {
        return Err("a search of another kind");
    }
    if text("search-kind").is_some_and(|kind| kind != "leftmost")
        || text("match-kind").is_some_and(|kind| kind != "leftmost-first")
    {
        return Err("a search of another kind");
    }
    let mut haystack = text("haystack").ok_or("a set of expressions")?.as_bytes().to_vec();
    if flag("unescape", false) {
        haystack = unescaped(&haystack);
    }
    let unicode = flag("unicode", true);
    if unicode && !flag("utf8", true) {
        return Err("empty matches inside of characters");
    }
    let mut flags = String::new();
    if unicode {
        flags.push('u');
    }
    if flag("case-insensitive", false) {
        flags.push('i');
    }
    let compiles = flag("compiles", true);
    let span = |value: &toml::Value| {
        let list = value.as_array()?;
        match list.as_slice() {
            [from, to] => Some((from.as_integer()? as usize, to.as_integer()? as usize)),
            _ => None,
        }
    };
    let spans = |value: &toml::Value| {
        let value = value.get("spans").or(value.get("span")).unwrap_or(value);
        let list = value.as_array().cloned().unwrap_or_default();
        match list.first() {
            Some(first) if first.is_integer() => vec![span(value)],
            _ => list.iter().map(span).collect(),
        }
    };
    let matches = entry.get("matches").and_then(|value| value.as_array()).cloned().unwrap_or_default();
    let expected = if compiles { printed(matches.iter().map(spans)) } else { "error".to_string() };
    let expression = if anchored { format!("\\A(?:{expression})") } else { expression.to_string() };
    Ok((Case { flags, expression: expression.into_bytes(), text: haystack, limit }, expected))
}

/// `\xHH` and the usual escapes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail) {
            (b'\\', [b'x', high, low, ..]) => {
                let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
                out.push(16 * digit(*high) + digit(*low));
                rest = &tail[3..];
            }
            (b'\\', [escaped, ..]) => {
                out.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'0' => 0,
                    other => *other,
                });
                rest = &tail[1..];
            }
            _ => out.push(byte),
        }
    }
    out
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "REGEX_CASES names the folder testdata of the crate regex"]
fn tests_of_the_crate() {
    let folder = std::env::var_os("REGEX_CASES").map(PathBuf::from).expect("the variable REGEX_CASES names the folder");
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let (mut names, mut cases, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for file in files(&folder) {
        // Of another crate, which knows ASCII alone.
        if file.file_stem().is_some_and(|stem| stem == "regex-lite") {
            continue;
        }
        let table: toml::Table = fs::read_to_string(&file).expect("a file").parse().expect("TOML");
        for entry in table.get("test").and_then(|entry| entry.as_array()).into_iter().flatten() {
            match of_crate(entry) {
                Ok((case, answer)) => {
                    let name = entry.get("name").and_then(|name| name.as_str()).unwrap_or_default();
                    names.push(format!("{}/{name}", file.file_stem().unwrap_or_default().to_string_lossy()));
                    cases.push(case);
                    expected.push(answer);
                }
                Err(reason) => *left_out.entry(reason.to_string()).or_default() += 1,
            }
        }
    }
    let (mut same, mut differ) = (0, 0);
    for (((name, case), answer), expected) in names.iter().zip(&cases).zip(judged(&cases)).zip(&expected) {
        // The tests leave out the groups behind the last one that takes part.
        let shown: Vec<&str> = answer.split(' ').collect();
        let wanted: Vec<&str> = expected.split(' ').collect();
        let fits = |(shown, wanted): (&&str, &&str)| {
            let bare = shown.split(',').next();
            shown.trim_end_matches(",-") == wanted.trim_end_matches(",-") || bare == Some(*wanted)
        };
        if (expected == "error" && answer.starts_with("error"))
            || (shown.len() == wanted.len() && shown.iter().zip(&wanted).all(fits))
        {
            same += 1;
        } else if let (Some(reason), true) = (answer.strip_prefix("error "), expected != "error") {
            let reason = reason.trim_start_matches(|c: char| c.is_ascii_digit());
            println!("{name}: {} does not compile:{reason}", String::from_utf8_lossy(&case.expression));
            *left_out.entry(format!("no expression:{reason}")).or_default() += 1;
        } else {
            differ += 1;
            println!(
                "{name}: (?{}) {} in {:?}: {answer}, expected {expected}",
                case.flags,
                String::from_utf8_lossy(&case.expression),
                String::from_utf8_lossy(&case.text)
            );
        }
    }
    println!("{same} tests are as expected, {differ} differ");
    for (reason, count) in left_out {
        println!("  {count} left out: {reason}");
    }
    assert_eq!(differ, 0);
}
