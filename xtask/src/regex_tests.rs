//! `cargo xtask regex-tests FOLDER`: the tests of Rust's crate `regex` (its folder `testdata`), by the library's expressions.
//!
//! The tests do not lie in this tree: they come with the crate's sources. What SML/NJ's syntax cannot say (lazy
//! repetition, word boundaries, flags, characters beyond ASCII) is counted and left out; what it says in another way is
//! translated. The crate prefers the first alternative, and the library the longest match: there a match that begins
//! where the test says, and is longer, counts as such.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

pub const USAGE: &str = "       cargo xtask regex-tests FOLDER";

const DRIVER: &str = include_str!("regex_tests.sml");
const DESCRIPTION: &str = "\
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/leat/digest.mlb
$(SML_LIB)/smlnj-lib/Util/smlnj-lib.mlb
$(SML_LIB)/smlnj-lib/RegExp/regexp-lib.mlb
regex_tests.sml
";

/// A match: where it begins and ends, and the groups that took part.
type Spans = Vec<(usize, usize)>;

struct Test {
    name: String,
    expression: String,
    text: String,
    /// Matches follow each other from the text's beginning.
    follows: bool,
    limit: usize,
    expected: Vec<Spans>,
    what: Translated,
}

/// An expression in SML/NJ's syntax.
struct Translated {
    text: String,
    lines: bool,
    /// Its groups are those of the test.
    groups: bool,
    alternatives: bool,
    /// It looks at where the text begins, so only the first match is compared: a later search begins a text of its own.
    begins: bool,
}

pub fn main(folders: impl Iterator<Item = String>) -> ExitCode {
    let folders: Vec<String> = folders.collect();
    if folders.is_empty() {
        eprintln!("usage:\n{USAGE}");
        return ExitCode::from(2);
    }
    match folders.iter().map(|folder| of_folder(Path::new(folder))).sum::<io::Result<usize>>() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// How many tests fail.
fn of_folder(folder: &Path) -> io::Result<usize> {
    let mut left_out = BTreeMap::new();
    let mut tests = Vec::new();
    for file in files(folder)? {
        let table: toml::Table = fs::read_to_string(&file)?.parse().map_err(io::Error::other)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for entry in table.get("test").and_then(|entry| entry.as_array()).into_iter().flatten() {
            match test(&stem, entry) {
                Ok(test) => tests.push(test),
                Err(reason) => *left_out.entry(reason).or_insert(0) += 1,
            }
        }
    }
    let answers = answers(&tests)?;
    let (mut same, mut longer, mut groups, mut failures) = (0, 0, 0, 0);
    for (test, answer) in tests.iter().zip(&answers) {
        match judge(test, answer) {
            Verdict::Same { groups: compared } => {
                same += 1;
                groups += compared as usize;
            }
            Verdict::Longer => longer += 1,
            Verdict::Unread => *left_out.entry("the syntax has not such").or_insert(0) += 1,
            Verdict::Wrong => {
                failures += 1;
                println!(
                    "{}: `{}` in {:?}: expected {:?}, found {answer}",
                    test.name, test.expression, test.text, test.expected
                );
            }
        }
    }
    println!(
        "{}: {same} tests have the same matches ({groups} of them were compared with their groups), {longer} a longer match than \
         the first alternative's, {failures} fail",
        folder.display()
    );
    for (reason, count) in left_out {
        println!("  {count} left out: {reason}");
    }
    Ok(failures)
}

fn files(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A test that the library can be asked, or why it cannot.
fn test(file: &str, entry: &toml::Value) -> Result<Test, &'static str> {
    let text = |key: &str| entry.get(key).and_then(|value| value.as_str());
    let flag = |key: &str| entry.get(key).and_then(|value| value.as_bool()).unwrap_or(false);
    let Some(expression) = text("regex") else { return Err("a set of expressions") };
    if entry.get("compiles").is_some() {
        return Err("an expression that does not compile");
    }
    if flag("case-insensitive") || entry.get("line-terminator").is_some() {
        return Err("flags");
    }
    if entry.get("bounds").is_some() {
        return Err("a part of the text");
    }
    if text("search-kind").is_some_and(|kind| kind != "leftmost") {
        return Err("not the leftmost match");
    }
    if text("match-kind").is_some_and(|kind| kind != "leftmost-first") {
        return Err("every match that an automaton sees");
    }
    let haystack = text("haystack").ok_or("a set of expressions")?;
    if flag("unescape") || !haystack.is_ascii() || !expression.is_ascii() {
        return Err("characters beyond ASCII");
    }
    let what = translate(expression)?;
    let limit = entry.get("match-limit").and_then(|value| value.as_integer()).unwrap_or(1000) as usize;
    let limit = if what.begins { 1 } else { limit };
    let expected = entry.get("matches").and_then(|value| value.as_array()).ok_or("a set of expressions")?;
    Ok(Test {
        name: format!("{file}/{}", text("name").unwrap_or_default()),
        expression: expression.to_string(),
        text: haystack.to_string(),
        follows: flag("anchored"),
        limit,
        expected: expected.iter().take(limit).map(spans).collect::<Option<_>>().ok_or("a set of expressions")?,
        what,
    })
}

/// `[0, 3]`, `[[0, 3], [], [1, 2]]`, or one of these as `span` or `spans` of a table.
fn spans(value: &toml::Value) -> Option<Spans> {
    if let Some(table) = value.as_table() {
        return spans(table.get("span").or(table.get("spans"))?);
    }
    let list = value.as_array()?;
    let span = |list: &[toml::Value]| match list {
        [from, to] => Some((from.as_integer()? as usize, to.as_integer()? as usize)),
        _ => None,
    };
    if list.first()?.is_integer() {
        return Some(vec![span(list)?]);
    }
    let parts = list.iter().map(|part| part.as_array()).collect::<Option<Vec<_>>>()?;
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| span(part)).collect()
}

/// From the crate's syntax to SML/NJ's.
fn translate(expression: &str) -> Result<Translated, &'static str> {
    let (rest, lines) = match expression.strip_prefix("(?m)") {
        Some(rest) => (rest, true),
        None => (expression, false),
    };
    let mut result = Translated { text: String::new(), lines, groups: !lines, alternatives: false, begins: lines };
    let out = &mut result.text;
    let mut chars = rest.chars().peekable();
    // Behind something that can be repeated, or a repetition.
    let (mut repeated, mut empty) = (false, true);
    while let Some(c) = chars.next() {
        if repeated && c == '?' {
            return Err("lazy repetition");
        }
        repeated = matches!(c, '*' | '+' | '?');
        let was_empty = std::mem::replace(&mut empty, false);
        match c {
            '\\' => match chars.next().ok_or("an escape")? {
                'd' => out.push_str("[0-9]"),
                'w' => out.push_str("[0-9A-Za-z_]"),
                's' => out.push_str("[ \\t\\n\\r\\f\\x0b]"),
                'D' => out.push_str("[^0-9]"),
                'W' => out.push_str("[^0-9A-Za-z_]"),
                'S' => out.push_str("[^ \\t\\n\\r\\f\\x0b]"),
                'A' if !lines => {
                    result.begins = true;
                    out.push('^');
                }
                'z' if !lines => out.push('$'),
                c @ ('n' | 'r' | 't' | 'f') => {
                    out.push('\\');
                    out.push(c);
                }
                c if c.is_ascii_punctuation() && c != '<' && c != '>' => {
                    out.push('\\');
                    out.push(c);
                }
                _ => return Err("word boundaries and other escapes"),
            },
            '[' => {
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if chars.next_if_eq(&']').is_some() {
                    out.push(']');
                }
                loop {
                    let c = chars.next().ok_or("brackets that do not end")?;
                    match c {
                        ']' => break,
                        '[' => return Err("brackets in brackets"),
                        '&' | '~' | '-' if chars.peek() == Some(&c) => return Err("operations on sets"),
                        '\\' => match chars.next().ok_or("an escape")? {
                            c @ ('n' | 'r' | 't' | 'f') => {
                                out.push('\\');
                                out.push(c);
                            }
                            c if c.is_ascii_punctuation() => {
                                out.push('\\');
                                out.push(c);
                            }
                            _ => return Err("escapes in brackets"),
                        },
                        c => out.push(c),
                    }
                }
                out.push(']');
            }
            '(' => {
                if chars.next_if_eq(&'?').is_some() {
                    if chars.next_if_eq(&':').is_some() {
                        result.groups = false;
                    } else {
                        chars.next_if_eq(&'P');
                        if chars.next_if_eq(&'<').is_none() {
                            return Err("flags");
                        }
                        while chars.next().is_some_and(|c| c != '>') {}
                    }
                }
                out.push('(');
                empty = true;
            }
            '{' => {
                out.push('{');
                for c in chars.by_ref() {
                    out.push(c);
                    if c == '}' {
                        break;
                    }
                }
                repeated = true;
            }
            '|' => {
                result.alternatives = true;
                if was_empty {
                    result.groups = false;
                    out.push_str("()");
                }
                out.push('|');
                empty = true;
            }
            ')' => {
                out.push(')');
            }
            ']' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '^' => {
                result.begins = true;
                out.push('^');
            }
            c => out.push(c),
        }
    }
    if empty {
        result.groups = false;
        out.push_str("()");
    }
    Ok(result)
}

/// What the library says of each test.
fn answers(tests: &[Test]) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("regex_tests.mlb"), DESCRIPTION)?;
    fs::write(folder.path().join("regex_tests.sml"), DRIVER)?;
    let hex = |text: &str| {
        text.bytes().fold(String::new(), |mut all, byte| {
            let _ = write!(all, "{byte:02x}");
            all
        })
    };
    let mut input = String::new();
    for test in tests {
        let way = if test.follows { 'A' } else { 'F' };
        let lines = if test.what.lines { 'L' } else { 'G' };
        let _ = writeln!(input, "{way}{lines}\t{}\t{}\t{}", test.limit, hex(&test.what.text), hex(&test.text));
    }
    fs::write(folder.path().join("input"), input)?;
    let output = Command::new(crate::root().join("target/release/leat"))
        .arg("run")
        .arg(folder.path().join("regex_tests.mlb"))
        .stdin(Stdio::from(fs::File::open(folder.path().join("input"))?))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("the driver ended with {}", output.status)));
    }
    let answers: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect();
    if answers.len() != tests.len() {
        return Err(io::Error::other(format!("{} answers to {} tests", answers.len(), tests.len())));
    }
    Ok(answers)
}

enum Verdict {
    Same { groups: bool },
    Longer,
    Unread,
    Wrong,
}

fn judge(test: &Test, answer: &str) -> Verdict {
    if answer == "no" {
        return Verdict::Unread;
    }
    let number = |text: &str| text.parse::<usize>().ok();
    let span = |text: &str| text.split_once('-').and_then(|(from, to)| Some((number(from)?, number(to)?)));
    let found: Option<Vec<Spans>> =
        answer.split_whitespace().map(|found| found.split(',').map(span).collect()).collect();
    let Some(found) = found else { return Verdict::Wrong };
    for (expected, found) in test.expected.iter().zip(&found) {
        if expected[0] != found[0] {
            let longer = expected[0].0 == found[0].0 && expected[0].1 < found[0].1;
            return if longer { Verdict::Longer } else { Verdict::Wrong };
        }
    }
    if found.len() != test.expected.len() {
        return Verdict::Wrong;
    }
    // Of equally long matches the library takes the last alternative's groups.
    let groups = test.what.groups
        && !test.what.alternatives
        && test.expected.iter().any(|spans| spans.len() > 1)
        && test.expected.iter().zip(&found).all(|(expected, found)| expected == found);
    Verdict::Same { groups }
}
