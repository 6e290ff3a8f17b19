//! A text with errors -> what is written in it by the habit of another language, as advice to the messages nearby.
//!
//! Whoever comes from OCaml, Haskell, Rust, Go, Python, JavaScript, Java or C writes what they know: `//`, `match x
//! with`, `a[0]`, `for i in 1..10`. The parser and the elaborator see nothing but tokens and names that do not fit,
//! often many of them. So where a line has errors its tokens are compared with a table of such habits ([`table`]), and
//! the first that fits tells how the same is written here: it takes the place of other advice, and the errors that
//! follow from the same lines are not told. What does not fit by its type explains no error of syntax: where there is
//! one, advice is given to that alone.
//!
//! A text without errors is never looked at, so nothing that is Standard ML is spoken of.
//!
//! Reading order: [`advise`], `table.rs` (its head explains the patterns), then the matching of patterns below.

mod table;

use crate::fixity::FixityEnv;
use crate::token::{T, Token};
use leat_base::{Diagnostic, FileId, Symbol};
use std::ops::Range;
use std::sync::OnceLock;
use table::{Row, TABLE};

/// A text as large as this is no one's handwriting.
const LARGEST: usize = 1 << 20;

/// How many pieces before and behind an error are looked at: a line may be long, a habit is short.
const NEAR: usize = 100;

/// A token, or a run of characters that begin none.
struct Piece<'a> {
    text: &'a str,
    /// None for what is no token.
    kind: Option<T>,
    lo: usize,
    hi: usize,
    line: usize,
    /// Bytes before it on its line.
    column: usize,
    /// It begins its line.
    first: bool,
    /// Nothing stands between it and what is before it.
    glued: bool,
}

/// An error of the text.
#[derive(Clone, Copy)]
struct Trouble<'d> {
    line: usize,
    /// Which of the diagnostics.
    index: usize,
    lo: usize,
    hi: usize,
    told: &'d Diagnostic,
}

impl Trouble<'_> {
    fn kind(&self) -> &str {
        self.told.code.split('/').next().unwrap_or_default()
    }

    /// Is it one of these: `syntax`, `scope`, `type`, a whole code, or `type:list`, an error that speaks of this type?
    /// Nothing stands for all. A parenthesis too many is nobody's habit.
    fn is_of(&self, near: &str) -> bool {
        near.is_empty()
            || !(self.told.code == "syntax/unmatched" && self.told.message.contains("`)`"))
                && near.split(' ').any(|one| match one.split_once(':') {
                    Some((kind, name)) => (kind == self.kind() || kind == self.told.code) && self.speaks_of(name),
                    None => one == self.kind() || one == self.told.code,
                })
    }

    fn speaks_of(&self, ty: &str) -> bool {
        let d = self.told;
        let texts = d.labels.iter().map(|label| &label.1).chain(&d.notes).chain([&d.message]);
        let ends = [format!("`{ty}`"), format!(" {ty}`"), format!(".{ty}`")];
        texts.into_iter().any(|text| ends.iter().any(|end| text.contains(end)))
    }
}

/// Adds advice to the errors of the text's part, and leaves out what follows from them. `fixity`: what is infix there.
pub fn advise(file: FileId, text: &str, part: Range<usize>, fixity: &FixityEnv, diagnostics: &mut Vec<Diagnostic>) {
    let own = |d: &Diagnostic| {
        d.is_error() && d.span.file == file && part.contains(&(d.span.lo as usize).min(part.end.saturating_sub(1)))
    };
    if part.len() > LARGEST || !diagnostics.iter().any(own) {
        return;
    }
    if diagnostics.iter().any(|d| own(d) && d.code.starts_with("syntax/")) {
        // Half of a text uses nothing, and determines no types.
        diagnostics.retain(|d| d.code != "bind/unused" && d.code != "type/undetermined");
    }
    let pieces = pieces(text, part.clone());
    let ends: Vec<usize> = text.match_indices('\n').map(|end| end.0).collect();
    let told = diagnostics.clone();
    let mut troubles: Vec<Trouble<'_>> = (told.iter().enumerate().filter(|(_, d)| own(d)))
        .map(|(index, told)| {
            let (lo, hi) = (told.span.lo as usize, told.span.hi as usize);
            Trouble { line: ends.partition_point(|&end| end < lo), index, lo, hi, told }
        })
        .collect();
    troubles.sort_by_key(|t| (t.line, t.lo));
    let mut dropped = vec![];
    let mut done = 0;
    for here in troubles.chunk_by(|a, b| a.line == b.line) {
        let line = here[0].line;
        if line < done {
            continue;
        }
        let start = pieces.partition_point(|piece| piece.line < line);
        let end = pieces.partition_point(|piece| piece.line <= line);
        let error = pieces.partition_point(|piece| piece.hi <= here[0].lo).clamp(start, end);
        let range = start.max(error.saturating_sub(NEAR))..end.min(error + NEAR);
        let is_syntax = |t: &Trouble<'_>| t.kind() == "syntax";
        let of_types = |t: &Trouble<'_>| t.kind() == "type";
        let mut explained = here.to_vec();
        if here.iter().any(is_syntax) {
            explained.retain(|t| !of_types(t));
        }
        let Some(found) = find(&pieces, range, &explained, fixity) else { continue };
        done = last_line(&pieces, found.at..end) + 1;
        // A name explains no branch that is missing, unless it stands for `else if`.
        let of_name = told[found.trouble].code.starts_with("scope/");
        let stays = |t: &Trouble<'_>| {
            let message = &t.told.message;
            of_name && message.starts_with("expected `else`") && !message.ends_with("found `then`")
        };
        let follow =
            troubles.iter().filter(|t| (line..done).contains(&t.line) && t.index != found.trouble && !stays(t));
        dropped.extend(follow.map(|t| t.index));
        let d = &mut diagnostics[found.trouble];
        // What the elaborator says of types, and the parser of a body in braces, is nearer to the case.
        if d.help.iter().all(|help| help.ends_with("is an argument missing?"))
            || found.is_sure
            || !(d.code.starts_with("type/") && d.code != "type/not-a-function" || d.code == "syntax/braces")
        {
            d.help = vec![found.help];
            d.fixes.clear();
        }
        if d.code.starts_with("syntax/") {
            d.notes.clear();
        }
    }
    let mut i = 0;
    diagnostics.retain(|_| {
        i += 1;
        !dropped.contains(&(i - 1))
    });
}

/// A habit at a place.
struct Found {
    /// Its first piece.
    at: usize,
    /// The diagnostic that it explains.
    trouble: usize,
    /// The row is for messages of this very code.
    is_sure: bool,
    help: String,
}

/// The first habit of a line, by the order of the table.
fn find(pieces: &[Piece<'_>], line: Range<usize>, troubles: &[Trouble<'_>], fixity: &FixityEnv) -> Option<Found> {
    static ELEMENTS: OnceLock<Vec<Vec<Element<'static>>>> = OnceLock::new();
    let rows = ELEMENTS.get_or_init(|| TABLE.iter().map(|row| elements(row.pattern)).collect());
    for (Row { near, help, .. }, elements) in TABLE.iter().zip(rows) {
        if !troubles.iter().any(|t| t.is_of(near)) {
            continue;
        }
        for at in line.clone() {
            let mut matched = vec![];
            if !matches(elements, pieces, at, line.end, &mut matched) {
                continue;
            }
            let Some(trouble) = troubles.iter().find(|t| t.is_of(near) && explains(pieces, near, &matched, t)) else {
                continue;
            };
            let mut help = help.to_string();
            let names = matched.iter().filter(|m| m.1.is_some()).map(|m| &pieces[m.0]);
            let names = names.filter(|piece| matches!(piece.kind, Some(T::Alpha | T::Int | T::Long)));
            for (i, name) in names.enumerate() {
                help = help.replace(&format!("{{{i}}}"), name.text);
            }
            return Some(Found { at, trouble: trouble.index, is_sure: *near == trouble.told.code, help });
        }
    }
    line.clone().find_map(|at| {
        let trouble = troubles.iter().find(|t| t.is_of("syntax scope"))?;
        Some(Found { at, trouble: trouble.index, is_sure: false, help: own(pieces, at, fixity)? })
    })
}

/// Is the habit of these pieces why the error was made?
fn explains(pieces: &[Piece<'_>], near: &str, matched: &[(usize, Option<&str>)], t: &Trouble<'_>) -> bool {
    let is_name = |piece: &Piece<'_>| matches!(piece.kind, Some(T::Alpha | T::Symbolic | T::Long));
    // The names that make the habit: a program may have names of its own that are spelt so.
    let words = matched.iter().filter(|m| m.1.is_none()).map(|m| &pieces[m.0]).filter(|piece| is_name(piece));
    let overlaps = |piece: &Piece<'_>| piece.lo < t.hi && t.lo < piece.hi;
    let is_own = || words.clone().any(|word| is_declared(pieces, word.text));
    let (Some(first), Some(last)) = (matched.first(), matched.last()) else { return true };
    let (first, last) = (first.0, last.0);
    let covers = |lo: usize, hi: usize| pieces[first].lo < hi && lo < pieces[last].hi;
    let beside = |lo: usize, hi: usize| {
        pieces[first.saturating_sub(1)].lo < hi && lo < pieces[(last + 1).min(pieces.len() - 1)].hi
    };
    match t.kind() {
        "scope" => {
            let mut named = words.clone().filter(|piece| piece.kind == Some(T::Alpha)).peekable();
            match named.peek() {
                // What begins with a sign is none of the program's own: `#define SIZE 3`.
                Some(_) if is_name(&pieces[first]) => named.any(overlaps),
                Some(_) => matched.iter().any(|m| overlaps(&pieces[m.0])),
                None => covers(t.lo, t.hi),
            }
        }
        "syntax" => !is_own(),
        // A name that has a type is one of the program's own.
        _ if near.is_empty() && words.clone().next().is_some() => false,
        // The message about an operator is at one of its operands.
        _ if t.told.code == "type/overload" => beside(t.lo, t.hi) && !is_own(),
        _ => {
            let labels = t.told.labels.iter().map(|label| (label.0.lo as usize, label.0.hi as usize));
            labels.chain([(t.lo, t.hi)]).any(|(lo, hi)| covers(lo, hi)) && !is_own()
        }
    }
}

/// What needs more than a pattern: symbols that stand too close, and the forms of numbers.
fn own(pieces: &[Piece<'_>], at: usize, fixity: &FixityEnv) -> Option<String> {
    let piece = &pieces[at];
    match piece.kind? {
        T::Symbolic if !fixity.is_infix(Symbol::intern(piece.text)) && !is_declared(pieces, piece.text) => {
            let (left, right) = parted(piece.text)?;
            Some(format!("`{}` is one symbol: put a blank between `{left}` and `{right}`", piece.text))
        }
        T::Alpha | T::Wild if piece.glued && at > 0 && matches!(pieces[at - 1].kind, Some(T::Int | T::Real)) => {
            number(pieces[at - 1].text, piece.text)
        }
        _ => None,
    }
}

/// Does the text itself declare the name, or use it as a label or as an element of a tuple?
fn is_declared(pieces: &[Piece<'_>], name: &str) -> bool {
    let text = |i: usize| pieces.get(i).map_or("", |piece| piece.text);
    (1..pieces.len()).filter(|&i| pieces[i].text == name).any(|i| {
        let ends = ["=", ":", ","].contains(&text(i + 1));
        match pieces[i - 1].kind {
            Some(T::Fun | T::Fn | T::Op | T::Infix | T::Infixr | T::Nonfix | T::Type | T::Datatype | T::Exception) => {
                true
            }
            Some(T::Val | T::Rec) => ends,
            Some(T::And) => pieces[i - 1].first,
            Some(T::LBrace | T::LParen | T::Comma) => [",", ":", "=", "}", ")"].contains(&text(i + 1)),
            Some(T::Int) => i > 1 && matches!(pieces[i - 2].kind, Some(T::Infix | T::Infixr)),
            _ => false,
        }
    })
}

/// `=~` -> `=` and `~`.
fn parted(symbol: &str) -> Option<(&str, &str)> {
    const LEFT: &[&str] =
        &["=>", "->", ":=", "<>", "<=", ">=", "::", ":>", "=", ":", "|", "<", ">", "+", "-", "*", "/", "^", "@"];
    let left = LEFT.iter().find(|left| symbol.starts_with(**left))?;
    let right = &symbol[left.len()..];
    (!right.is_empty() && right.bytes().all(|b| b"~!#".contains(&b))).then_some((*left, right))
}

/// What stands directly behind the digits of a number.
fn number(digits: &str, suffix: &str) -> Option<String> {
    let rest = suffix.get(1..).unwrap_or_default();
    let is_of = |radix: u32| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix) || c == '_');
    let value = |radix: u32| u64::from_str_radix(&rest.replace('_', ""), radix).ok();
    match suffix.as_bytes().first()? {
        b'b' | b'B' if digits == "0" && is_of(2) => Some(format!(
            "binary numbers are of Successor ML: write it in base 16, as `0x{:X}`, or in base 10",
            value(2)?
        )),
        b'o' | b'O' if digits == "0" && is_of(8) => {
            Some(format!("there are no octal numbers: write it in base 16, as `0x{:X}`, or in base 10", value(8)?))
        }
        b'X' if digits == "0" => Some(format!("a number in base 16 is written with a small x: `0x{rest}`")),
        b'_' => Some("underscores in numbers are of Successor ML: write the digits without them".to_string()),
        _ if ["f", "F", "d", "D", "f32", "f64"].contains(&suffix) => {
            Some("a number has no suffix: one with a point, as `1.0`, is a `real`".to_string())
        }
        _ if ["u", "U", "l", "L", "n", "ul", "UL", "i32", "i64", "u8", "u32", "u64", "usize"].contains(&suffix) => {
            Some("a number has no suffix: its type is that of its place, or written behind it, as in `1 : IntInf.int`; a word is `0w1`".to_string())
        }
        _ => None,
    }
}

/// What goes on behind a block that ends by its indentation.
const MORE: &[&str] = &["else", "elif", "except", "finally"];

/// The last line of what begins in a line: a block in braces or, behind a colon at the line's end, what is indented
/// deeper.
fn last_line(pieces: &[Piece<'_>], line: Range<usize>) -> usize {
    let Some(last) = pieces[line.clone()].last() else { return 0 };
    match last.text {
        "{" => {
            let mut depth = 0usize;
            for (i, piece) in pieces.iter().enumerate().skip(line.end - 1) {
                match piece.text {
                    "{" => depth += 1,
                    "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                // `} else {` goes on.
                let goes_on =
                    || pieces[i..].iter().take_while(|p| p.line == piece.line).last().is_some_and(|p| p.text == "{");
                if depth == 0 && !goes_on() {
                    return piece.line;
                }
            }
            last.line
        }
        ":" => {
            // The habit may stand in the middle of its line.
            let margin = (0..=line.start).rev().find(|&i| pieces[i].first).map_or(0, |i| pieces[i].column);
            let begins = (line.end..pieces.len()).filter(|&i| pieces[i].first);
            let goes_on = |i: usize| pieces[i].column == margin && MORE.contains(&pieces[i].text);
            let inside = begins.take_while(|&i| pieces[i].column > margin || goes_on(i));
            inside.last().map_or(last.line, |i| pieces[i].line)
        }
        _ => last.line,
    }
}

fn pieces(text: &str, part: Range<usize>) -> Vec<Piece<'_>> {
    let tokens = crate::lexer::lex_from(FileId::NONE, &text[..part.end], part.start, false).tokens;
    let mut out: Vec<Piece<'_>> = vec![];
    let mut at = part.start;
    // The line, and where it begins.
    let mut line = text[..at].matches('\n').count();
    let mut begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    fn add<'a>(
        out: &mut Vec<Piece<'a>>,
        text: &'a str,
        kind: Option<T>,
        lo: usize,
        hi: usize,
        line: usize,
        begin: usize,
    ) {
        let last = out.last();
        let first = last.is_none_or(|last| last.line < line);
        let glued = last.is_some_and(|last| last.hi == lo);
        out.push(Piece { text: &text[lo..hi], kind, lo, hi, line, column: lo - begin, first, glued });
    }
    for &Token { kind, lo, hi, .. } in &tokens {
        let (lo, hi) = (lo as usize, hi as usize);
        // Blanks, comments, and characters that begin no token.
        let gap = &text[at.min(lo)..lo];
        let (mut depth, mut i) = (0usize, 0);
        while i < gap.len() {
            let rest = &gap[i..];
            let c = rest.chars().next().unwrap_or(' ');
            if rest.starts_with("(*") {
                (depth, i) = (depth + 1, i + 2);
            } else if rest.starts_with("*)") && depth > 0 {
                (depth, i) = (depth - 1, i + 2);
            } else if depth > 0 || c.is_whitespace() {
                i += c.len_utf8();
                if c == '\n' {
                    (line, begin) = (line + 1, at + i);
                }
            } else {
                let run: usize = rest.chars().take_while(|&other| other == c).map(char::len_utf8).sum();
                add(&mut out, text, None, at + i, at + i + run, line, begin);
                i += run;
            }
        }
        if kind != T::Eof {
            add(&mut out, text, Some(kind), lo, hi, line, begin);
        }
        if let Some(end) = text[lo..hi].rfind('\n') {
            (line, begin) = (line + text[lo..hi].matches('\n').count(), lo + end + 1);
        }
        at = hi;
    }
    out
}

/// A part of a pattern.
enum Element<'p> {
    First,
    Last,
    /// Pieces of the same line, as few as possible, none of these.
    Some(Vec<&'p str>),
    One {
        what: &'p str,
        glued: Option<bool>,
    },
}

/// The parts of a pattern. `^` is a beginning only at its beginning, `$` an end only at its end: both are operators,
/// too.
fn elements<'p>(pattern: &'p str) -> Vec<Element<'p>> {
    let last = pattern.matches(' ').count();
    let element = |(i, word): (usize, &'p str)| match word {
        "^" if i == 0 => Element::First,
        "$" if i == last && last > 0 => Element::Last,
        "..." => Element::Some(vec![]),
        _ => match (word.strip_prefix("...-"), word.strip_prefix('‿'), word.strip_prefix('␣')) {
            (Some(others), ..) => Element::Some(others.split(',').collect()),
            (_, Some(what), _) => Element::One { what, glued: Some(true) },
            (.., Some(what)) => Element::One { what, glued: Some(false) },
            _ => Element::One { what: word, glued: None },
        },
    };
    pattern.split(' ').enumerate().map(element).collect()
}

/// Do the pieces from one on fit the elements? Those of a line end before `end`. The pieces that were found are added:
/// with the kind of a name that stands for any, or with nothing where the pattern names the piece itself.
fn matches<'p>(
    elements: &[Element<'p>],
    pieces: &[Piece<'_>],
    at: usize,
    end: usize,
    matched: &mut Vec<(usize, Option<&'p str>)>,
) -> bool {
    let Some((element, rest)) = elements.split_first() else { return true };
    match element {
        Element::First => pieces.get(at).is_some_and(|piece| piece.first) && matches(rest, pieces, at, end, matched),
        Element::Last => at == end && matches(rest, pieces, at, end, matched),
        Element::Some(others) => {
            for next in at..=end {
                let known = matched.len();
                if matches(rest, pieces, next, end, matched) {
                    return true;
                }
                matched.truncate(known);
                if next == end || others.contains(&pieces[next].text) {
                    return false;
                }
            }
            false
        }
        Element::One { what, glued } => {
            let Some(piece) = pieces[..end].get(at) else { return false };
            if glued.is_some_and(|glued| glued != piece.glued) || !is_of(what, piece) {
                return false;
            }
            let is_any = what.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
            matched.push((at, is_any.then_some(*what)));
            matches(rest, pieces, at + 1, end, matched)
        }
    }
}

/// Is the piece what a pattern's word says?
fn is_of(what: &str, piece: &Piece<'_>) -> bool {
    let begins = |test: fn(&char) -> bool| piece.text.chars().next().is_some_and(|c| test(&c));
    match what {
        "<any>" => true,
        "<name>" => piece.kind == Some(T::Alpha),
        "<lower>" => piece.kind == Some(T::Alpha) && begins(char::is_ascii_lowercase),
        "<upper>" => piece.kind == Some(T::Alpha) && begins(char::is_ascii_uppercase),
        "<int>" => piece.kind == Some(T::Int),
        "<string>" => piece.kind == Some(T::String),
        "<dots>" => piece.kind == Some(T::Dots),
        "<tyvar>" => piece.kind == Some(T::TyVar),
        "<long>" => piece.kind == Some(T::Long),
        "<atom>" => {
            matches!(piece.kind, Some(T::Alpha | T::Int | T::Real | T::String | T::Char | T::Long)) || piece.text == ")"
        }
        "<argument>" => {
            matches!(piece.kind, Some(T::Alpha | T::Int | T::Wild | T::String | T::Char))
                || ["(", "[", "{"].contains(&piece.text)
        }
        _ => match what.strip_prefix("<long:").and_then(|rest| rest.strip_suffix('>')) {
            Some(structure) => {
                piece.kind == Some(T::Long)
                    && piece.text.strip_prefix(structure).is_some_and(|rest| rest.starts_with('.'))
            }
            None => what == piece.text,
        },
    }
}

#[cfg(test)]
mod tests;
