//! Comments that are wider than 120 columns -> the same paragraphs, wrapped: `cargo xtask comments FOLDER ...`. rustfmt
//! leaves comments alone.
//!
//! A paragraph is a row of comment lines with the same beginning; an item of a list is one too. Drawings, tables and
//! what stands in fences stay as they are, and so does a word that is too wide. What stands in backticks is one word.

use std::fs;
use std::io;
use std::path::Path;

const WIDTH: usize = 120;

/// Wraps the comments of all Rust files below a folder; how many files have changed.
pub fn wrap_all(folder: &Path) -> io::Result<usize> {
    let mut files = Vec::new();
    super::collect(folder, &mut files)?;
    let mut changed = 0;
    for file in files {
        let text = fs::read_to_string(&file)?;
        let wrapped = wrapped(&text);
        if wrapped != text {
            fs::write(&file, wrapped)?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// A text with its comments wrapped.
fn wrapped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let in_string = lines_in_strings(text);
    let mut out = String::new();
    let mut at = 0;
    let mut fence = false;
    while at < lines.len() {
        let comment = |i: usize| lines.get(i).filter(|_| !in_string[i]).and_then(|line| Comment::of(line));
        let Some(first) = comment(at) else {
            fence = false;
            out += lines[at];
            out.push('\n');
            at += 1;
            continue;
        };
        if first.text.trim_start().starts_with("```") {
            fence = !fence;
        }
        let mut end = at + 1;
        if !fence && first.is_prose() {
            while comment(end).is_some_and(|next| first.goes_on_with(&next)) {
                end += 1;
            }
        }
        let paragraph = &lines[at..end];
        if !fence && first.is_prose() && paragraph.iter().any(|line| line.chars().count() > WIDTH) {
            let rest: Vec<&str> = (at + 1..end).filter_map(|i| comment(i).map(|next| next.text.trim())).collect();
            first.write(&rest, &mut out);
        } else {
            paragraph.iter().for_each(|line| out += &format!("{line}\n"));
        }
        at = end;
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

/// A line that is nothing but a comment.
struct Comment<'a> {
    /// Blanks and the kind of comment: `    ///`.
    head: &'a str,
    /// What follows, with its first blank.
    text: &'a str,
}

impl<'a> Comment<'a> {
    fn of(line: &'a str) -> Option<Comment<'a>> {
        let start = line.len() - line.trim_start().len();
        let kind = ["///", "//!", "//"].into_iter().find(|kind| line[start..].starts_with(kind))?;
        let (head, text) = line.split_at(start + kind.len());
        (text.is_empty() || text.starts_with(' ')).then_some(Comment { head, text })
    }

    /// How far the text of an item, or of a paragraph, is indented behind the head.
    fn indent(&self) -> usize {
        let text = self.text.trim_start();
        let blanks = self.text.len() - text.len();
        let number = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match text {
            _ if text.starts_with("- ") || text.starts_with("* ") => blanks + 2,
            _ if number > 0 && text[number..].starts_with(". ") => blanks + number + 2,
            _ => blanks,
        }
    }

    fn is_item(&self) -> bool {
        self.indent() > self.text.len() - self.text.trim_start().len()
    }

    fn is_prose(&self) -> bool {
        let text = self.text.trim_start();
        let is_drawing = self.indent() > 1 && !self.is_item() || text.contains("   ");
        !text.is_empty() && !is_drawing && !text.starts_with(['#', '|', '`', '[', '='])
    }

    /// Whether a line belongs to the paragraph that begins with this one.
    fn goes_on_with(&self, next: &Comment) -> bool {
        let text = next.text.trim_start();
        let is_plain =
            !text.is_empty() && !next.is_item() && !text.starts_with(['#', '|', '=']) && !text.starts_with("```");
        next.head == self.head && is_plain && next.indent() == self.indent() && !text.contains("   ")
    }

    fn write(&self, rest: &[&str], out: &mut String) {
        let indent = " ".repeat(self.indent());
        let mut line = format!("{}{}", self.head, &self.text[..self.text.len() - self.text.trim_start().len()]);
        let mut is_first = true;
        let all = [&[self.text.trim()], rest].concat().join(" ");
        for word in words(&all) {
            if !is_first && line.chars().count() + 1 + word.chars().count() > WIDTH {
                *out += line.trim_end();
                out.push('\n');
                line = format!("{}{indent}", self.head);
                is_first = true;
            }
            if !is_first {
                line.push(' ');
            }
            line += &word;
            is_first = false;
        }
        *out += &line;
        out.push('\n');
    }
}

/// Words of a text; one that opens a pair of backticks goes on to its end.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in text.split_whitespace() {
        match words.last_mut().filter(|_| is_open) {
            Some(last) => *last += &format!(" {word}"),
            None => words.push(word.to_string()),
        }
        is_open ^= word.matches('`').count() % 2 == 1;
    }
    words
}

/// Of each line whether it begins inside of a string, or of a comment of several lines.
fn lines_in_strings(text: &str) -> Vec<bool> {
    let bytes = text.as_bytes();
    let mut inside = vec![false];
    let mut at = 0;
    let skip = |inside: &mut Vec<bool>, from: usize, to: usize| {
        (from..to.min(bytes.len())).filter(|&i| bytes[i] == b'\n').for_each(|_| inside.push(true));
        to
    };
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
        let hashes = rest.iter().skip(1).take_while(|&&b| b == b'#').count();
        if rest.starts_with(b"//") {
            at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let end = text[at..].find("*/").map_or(rest.len(), |n| n + 2);
            at = skip(&mut inside, at, at + end);
        } else if rest[0] == b'r'
            && rest.get(1 + hashes) == Some(&b'"')
            && !(before.is_ascii_alphanumeric() || before == b'_')
        {
            let close = format!("\"{}", "#".repeat(hashes));
            let end = text[at + 2 + hashes..].find(&close).map_or(rest.len(), |n| n + 2 + hashes + close.len());
            at = skip(&mut inside, at, at + end);
        } else if rest[0] == b'"' {
            let mut end = 1;
            while end < rest.len() && rest[end] != b'"' {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            at = skip(&mut inside, at, at + end + 1);
        } else if rest[0] == b'\'' && (rest.get(1) == Some(&b'\\') || rest.get(2) == Some(&b'\'')) {
            // A character, not a lifetime.
            let end = rest.iter().skip(2).position(|&b| b == b'\'').map_or(1, |n| n + 3);
            at = skip(&mut inside, at, at + end);
        } else {
            if rest[0] == b'\n' {
                inside.push(false);
            }
            at += 1;
        }
    }
    inside.resize(text.lines().count().max(1), false);
    inside
}

/// Rooms whose comments are no wider than 120 columns; once a twentieth of the tree's lines of comments was.
#[cfg(test)]
const WRAPPED: &[&str] = &[
    "base",
    "bench",
    "bindgen",
    "cli",
    "compiler",
    "debugger",
    "driver",
    "fuzz",
    "lsp",
    "profile",
    "random",
    "repl",
    "runtime/abi",
    "runtime/fiber",
    "runtime/io",
    "runtime/tls",
    "tests",
    "words",
    "xtask",
];

#[test]
fn comments_are_no_wider_than_the_code() {
    let mut wide = String::new();
    for room in WRAPPED {
        let mut files = Vec::new();
        super::collect(&super::root().join(room), &mut files).unwrap();
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            if wrapped(&text) != text {
                wide += &format!("{}\n", file.display());
            }
        }
    }
    assert!(wide.is_empty(), "`cargo xtask comments FOLDER` wraps the comments of these:\n{wide}");
}

#[test]
fn paragraphs_are_wrapped_and_nothing_else() {
    let long = "word ".repeat(30);
    let text = format!(
        "/// {long}end.\n/// And on.\n///\n/// - {long}`a b c`\n///   second\n/// | {long} |\nlet s = \"\n// {long}\n\";\n"
    );
    let wrapped = wrapped(&text);
    let lines: Vec<&str> = wrapped.lines().collect();
    assert!(lines[1].starts_with("/// word") && lines[1].ends_with("end. And on."), "{wrapped}");
    assert_eq!(lines[2], "///");
    assert!(lines[4].starts_with("///   word") && lines[4].ends_with("`a b c` second"), "{wrapped}");
    assert!(lines[5].len() > WIDTH && lines[7].len() > WIDTH, "{wrapped}");
    assert_eq!(super::comments::wrapped(&wrapped), wrapped);
}
