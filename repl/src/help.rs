//! What helps at a terminal: completion of names, colours, brackets.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leat_ast::TokenKind;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;

/// Names by what stands before them: `""`, `"List"`.
pub type Names = Rc<RefCell<HashMap<String, Vec<String>>>>;

/// Commands of the prompt.
pub const COMMANDS: [&str; 13] = [
    ":browse", ":depth", ":doc", ":help", ":length", ":load", ":quit", ":reset", ":set", ":string", ":time", ":type",
    ":use",
];

pub struct Help {
    pub names: Names,
    pub color: bool,
    /// The line that is being edited, and where the cursor is, as of its last change.
    pub line: RefCell<(String, usize)>,
}

impl Help {
    /// The line that was edited last, up to the cursor and behind it.
    pub fn line(&self) -> (String, String) {
        let (line, at) = &*self.line.borrow();
        let (left, right) = line.split_at(*at);
        (left.to_string(), right.to_string())
    }
}

impl Helper for Help {}
impl Validator for Help {}
impl Hinter for Help {
    type Hint = String;

    /// There are no hints, but this is asked after each change.
    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        *self.line.borrow_mut() = (line.to_string(), at);
        None
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')
}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..at];
        let pair = |text: &str| Pair { display: text.to_string(), replacement: text.to_string() };
        if before.starts_with(':') && !before.contains(' ') {
            let found = COMMANDS.iter().filter(|command| command.starts_with(before));
            // Most are followed by a word.
            let alone = [":help", ":quit", ":reset"];
            let whole =
                |command: &&str| if alone.contains(command) { command.to_string() } else { format!("{command} ") };
            let pairs = found.map(|command| Pair { display: command.to_string(), replacement: whole(command) });
            return Ok((0, pairs.collect()));
        }
        if ends_in_text(before) {
            return Ok((at, Vec::new()));
        }
        let start =
            before.rfind(|c: char| !is_part(c)).map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let (qualifier, last, from) = match word.rsplit_once('.') {
            Some((qualifier, last)) => (qualifier, last, start + qualifier.len() + 1),
            None => ("", word, start),
        };
        if last.is_empty() && qualifier.is_empty() {
            return Ok((start, Vec::new()));
        }
        let names = self.names.borrow();
        let mut found: Vec<Pair> = names
            .get(qualifier)
            .into_iter()
            .flatten()
            .filter(|name| name.starts_with(last))
            .map(|name| pair(name.as_str()))
            .collect();
        if qualifier.is_empty() {
            found.extend(
                TokenKind::WORDS.iter().filter(|keyword| keyword.starts_with(last)).map(|keyword| pair(keyword)),
            );
        }
        Ok((from, found))
    }
}

impl Highlighter for Help {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.color { Cow::Owned(colored(line)) } else { Cow::Borrowed(line) }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.color { Cow::Owned(format!("\x1b[1;34m{prompt}\x1b[0m")) } else { Cow::Borrowed(prompt) }
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.color
    }
}

/// A line with keywords, strings, numbers and comments set off.
fn colored(line: &str) -> String {
    const KEYWORD: &str = "\x1b[35m";
    const STRING: &str = "\x1b[32m";
    const NUMBER: &str = "\x1b[36m";
    const COMMENT: &str = "\x1b[2m";
    let mut out = String::with_capacity(line.len() * 2);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (length, color) = if rest.starts_with("(*") {
            (rest.find("*)").map_or(rest.len(), |end| end + 2), COMMENT)
        } else if c == '"' {
            (string_length(rest).unwrap_or(rest.len()), STRING)
        } else if c.is_ascii_digit() {
            (rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()), NUMBER)
        } else if is_part(c) {
            let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            (length, if TokenKind::word(&rest[..length]).is_some() { KEYWORD } else { "" })
        } else {
            (c.len_utf8(), "")
        };
        let (word, after) = rest.split_at(length);
        match color {
            "" => out.push_str(word),
            color => out.extend([color, word, "\x1b[0m"]),
        }
        rest = after;
    }
    out
}

/// Whether the end of a line stands in a string constant or in a comment.
fn ends_in_text(line: &str) -> bool {
    let (mut rest, mut comments) = (line, 0);
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("(*") {
            comments += 1;
            2
        } else if comments > 0 && rest.starts_with("*)") {
            comments -= 1;
            2
        } else if comments == 0 && c == '"' {
            match string_length(rest) {
                Some(length) => length,
                None => return true,
            }
        } else {
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    comments > 0
}

/// Of the string constant that a text begins with, if it ends.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_change_no_text() {
        for line in ["val x = \"a\\\"b\" ^ c 12 (* é *) \"open", "(* fn", "ä let in end'"] {
            let colored = colored(line);
            let mut plain = String::new();
            let mut inside = false;
            for c in colored.chars() {
                match c {
                    '\x1b' => inside = true,
                    'm' if inside => inside = false,
                    _ if inside => {}
                    c => plain.push(c),
                }
            }
            assert_eq!(plain, line);
        }
    }

    #[test]
    fn completes_members_and_commands() {
        let names: Names = Rc::default();
        names
            .borrow_mut()
            .insert("List".to_string(), vec!["map".to_string(), "mapPartial".to_string(), "nil".to_string()]);
        names.borrow_mut().insert(String::new(), vec!["foldl".to_string()]);
        let help = Help { names, color: false, line: RefCell::default() };
        let history = rustyline::history::MemHistory::new();
        let complete = |line: &str| {
            let (at, found) = help.complete(line, line.len(), &Context::new(&history)).expect("names");
            (at, found.into_iter().map(|pair| pair.replacement).collect::<Vec<_>>())
        };
        assert_eq!(complete("val x = List.ma"), (13, vec!["map".to_string(), "mapPartial".to_string()]));
        assert_eq!(complete("fo"), (0, vec!["foldl".to_string()]));
        assert_eq!(complete(":br"), (0, vec![":browse ".to_string()]));
        assert_eq!(complete(":q"), (0, vec![":quit".to_string()]));
        // Neither in strings nor in comments, but behind them.
        for (line, found) in [
            ("\"a\\\" fo", 0),
            ("(* (* *) fo", 0),
            ("print \"fo", 0),
            ("\"(*\" fo", 1),
            ("(* \" *) fo", 1),
            ("#\"\\\"\" fo", 1),
        ] {
            assert_eq!(complete(line).1.len(), found, "{line}");
        }
    }
}
