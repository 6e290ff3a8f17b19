//! Text -> tokens, all at once into a buffer that only the parser sees.
//!
//! After chapter 2 of the Definition. Bytes are classed by a table; each token is read by one
//! small loop. Errors are reported and the text goes on: a bad escape keeps the string, an
//! unclosed string ends at its line, or where it seems to be closed in a later one, a stray character is skipped.
//!
//! Differences: a string may hold UTF-8 (its bytes); `(*)` opens a comment like any `(*`.

use crate::token::{T, Token};
use leat_base::source::substituted;
use leat_base::symbol::sym;
use leat_base::{Diagnostic, FileId, Span, Symbol};

/// What lexing answers: the last token is always `Eof`.
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    /// The bytes of string and character constants.
    pub strings: Vec<Box<[u8]>>,
    /// Qualifiers and last name of long identifiers.
    pub longs: Vec<(Box<[Symbol]>, Symbol)>,
    pub diagnostics: Vec<Diagnostic>,
}

const ALPHA: u8 = 1; // letters, `_` and `'` inside an identifier
const DIGIT: u8 = 2;
const SYMBOLIC: u8 = 4;
const BLANK: u8 = 8;
const LETTER: u8 = 16; // may begin an identifier

static CLASS: [u8; 256] = {
    let mut t = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        if b.is_ascii_alphabetic() {
            t[i] = ALPHA | LETTER;
        } else if b == b'_' || b == b'\'' {
            t[i] = ALPHA;
        } else if b.is_ascii_digit() {
            t[i] = DIGIT;
        } else if matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C) {
            t[i] = BLANK;
        }
        i += 1;
    }
    let signs = b"!%&$#+-/:<=>?@\\~`^|*";
    let mut i = 0;
    while i < signs.len() {
        t[signs[i] as usize] = SYMBOLIC;
        i += 1;
    }
    t
};

#[inline]
fn class(b: u8) -> u8 {
    CLASS[b as usize]
}

/// The first byte of all substitutes in UTF-8.
const FIRST_OF_SUBSTITUTE: u8 = 0xF4;

/// More errors than this in one text are not reported.
const MOST_ERRORS: usize = 1000;

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    allow_prim: bool,
    open_parens: usize,
    /// The first constant with a byte that is not UTF-8, and how many there are.
    raw: Option<(Span, usize)>,
    out: Lexed,
}

/// Reads all tokens of a text. A first line that begins with `#!` is skipped, as is a byte order mark.
pub(crate) fn lex(file: FileId, text: &str, allow_prim: bool) -> Lexed {
    lex_from(file, text, 0, allow_prim)
}

/// Likewise of what stands behind a byte that begins no token in the middle.
pub(crate) fn lex_from(file: FileId, text: &str, from: usize, allow_prim: bool) -> Lexed {
    let capacity = (text.len() - from) / 4 + 8;
    lex_up_to(file, text, (from, 0), allow_prim, capacity, |_| false)
}

/// Likewise up to the first token that is the last one wanted, with room for `capacity` tokens at first. Before the
/// first byte so many parentheses are open.
pub(crate) fn lex_up_to(
    file: FileId,
    text: &str,
    (from, open_parens): (usize, usize),
    allow_prim: bool,
    capacity: usize,
    is_last: impl FnMut(&Token) -> bool,
) -> Lexed {
    let out = Lexed { tokens: Vec::with_capacity(capacity), strings: vec![], longs: vec![], diagnostics: vec![] };
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), at: from, allow_prim, open_parens, raw: None, out };
    if u32::try_from(text.len()).is_err() {
        lexer.error("syntax/too-large", 0, 0, "this file is larger than 4 GB");
        lexer.bytes = &[];
    } else {
        if from == 0 && text.starts_with('\u{FEFF}') {
            lexer.at = 3;
        }
        if from == 0 && lexer.bytes[lexer.at..].starts_with(b"#!") {
            lexer.at = text.find('\n').unwrap_or(text.len());
        }
        lexer.run(is_last);
        lexer.warn_of_raw_bytes();
    }
    let end = lexer.bytes.len() as u32;
    lexer.out.tokens.push(Token { kind: T::Eof, lo: end, hi: end, value: 0 });
    lexer.out
}

impl<'a> Lexer<'a> {
    #[inline]
    fn peek(&self, n: usize) -> u8 {
        self.bytes.get(self.at + n).copied().unwrap_or(0)
    }

    #[inline]
    fn skip_class(&mut self, mask: u8) {
        while self.at < self.bytes.len() && class(self.bytes[self.at]) & mask != 0 {
            self.at += 1;
        }
    }

    #[inline]
    fn push(&mut self, kind: T, lo: usize, value: u32) {
        self.out.tokens.push(Token { kind, lo: lo as u32, hi: self.at as u32, value });
    }

    fn diagnose(&mut self, d: Diagnostic) {
        if self.out.diagnostics.len() < MOST_ERRORS {
            self.out.diagnostics.push(d);
        }
    }

    /// Bytes of another encoding stay in the program's strings, as its author saw them. One message for the whole text.
    fn warn_of_raw_bytes(&mut self) {
        let Some((span, count)) = self.raw else { return };
        let mut d =
            Diagnostic::warning("syntax/not-utf-8", span, "this constant is not UTF-8; its bytes are kept as they are");
        if count > 1 {
            d = d.note(format!("this text has {count} such constants"));
        }
        self.diagnose(d.help("save the text as UTF-8, or write the bytes as escapes, like `\\233`"));
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.file, lo as u32, hi as u32)
    }

    fn error(&mut self, code: &'static str, lo: usize, hi: usize, message: impl Into<String>) {
        let d = Diagnostic::error(code, self.span(lo, hi), message);
        self.diagnose(d);
    }

    fn run(&mut self, mut is_last: impl FnMut(&Token) -> bool) {
        while self.at < self.bytes.len() {
            let before = self.out.tokens.len();
            let lo = self.at;
            let b = self.bytes[lo];
            let c = class(b);
            if c & BLANK != 0 {
                self.skip_class(BLANK);
            } else if c & LETTER != 0 {
                self.identifier(lo);
            } else if c & DIGIT != 0 {
                self.number(lo);
            } else if c & SYMBOLIC != 0 {
                match (b, self.peek(1)) {
                    (b'~', d) if class(d) & DIGIT != 0 => self.number(lo),
                    (b'#', b'"') => self.character(lo),
                    _ => self.symbolic(lo),
                }
            } else {
                self.other(lo, b);
            }
            if self.out.tokens.len() > before && self.out.tokens.last().is_some_and(&mut is_last) {
                return;
            }
        }
    }

    fn other(&mut self, lo: usize, b: u8) {
        let kind = match b {
            b'(' if self.peek(1) == b'*' => return self.comment(lo),
            b'(' => {
                self.open_parens += 1;
                T::LParen
            }
            b')' => {
                self.open_parens = self.open_parens.saturating_sub(1);
                T::RParen
            }
            b'[' => T::LBrack,
            b']' => T::RBrack,
            b'{' => T::LBrace,
            b'}' => T::RBrace,
            b',' => T::Comma,
            b';' => T::Semi,
            b'"' => return self.string_constant(lo),
            b'\'' => {
                self.skip_class(ALPHA | DIGIT);
                let symbol = Symbol::intern(&self.text[lo..self.at]);
                return self.push(T::TyVar, lo, symbol.0);
            }
            b'_' => {
                if self.allow_prim
                    && self.bytes[lo..].starts_with(b"_prim")
                    && class(self.peek(5)) & (ALPHA | DIGIT) == 0
                {
                    self.at += 5;
                    return self.push(T::Prim, lo, 0);
                }
                T::Wild
            }
            b'.' if self.bytes[lo..].starts_with(b"...") => {
                self.at += 3;
                return self.push(T::Dots, lo, 0);
            }
            _ => return self.stray(lo),
        };
        self.at += 1;
        self.push(kind, lo, 0);
    }

    /// Characters that begin no token; a run of them is one error.
    fn stray(&mut self, lo: usize) {
        let first = self.text[lo..].chars().next().unwrap_or('\0');
        for c in self.text[lo..].chars() {
            let known = c.is_ascii() && (class(c as u8) != 0 || b"()[]{},;\"".contains(&(c as u8)));
            if known || (c == '.') != (first == '.') {
                break;
            }
            self.at += c.len_utf8();
        }
        let span = self.span(lo, self.at);
        let d = |message: String| Diagnostic::error("syntax/character", span, message);
        let d = match first {
            '.' => d("`.` is not expected here".into())
                .note("a dot stands inside a long identifier, as in `List.map`, without blanks around it, or between the digits of a real constant"),
            c if substituted(c).is_some() => d("this is not UTF-8 text".into()),
            c if c.is_control() => d(format!("the control character U+{:04X} is not expected here", c as u32)),
            '\u{A0}' | '\u{2000}'..='\u{200B}' | '\u{3000}' | '\u{FEFF}' => {
                d(format!("the invisible blank U+{:04X} is not expected here", first as u32)).help("use an ordinary blank")
            }
            '“' | '”' | '„' => d(format!("the character `{first}` is not expected here")).help("strings are written in straight quotes: \"text\""),
            '‘' | '’' => d(format!("the character `{first}` is not expected here")).help("use a straight quote: '"),
            '−' | '–' => d(format!("the character `{first}` is not expected here")).help("minus is written `-`, and the sign of a negative constant `~`"),
            c => d(format!("the character `{c}` is not expected here")).note("identifiers are made of ASCII letters, digits, `_` and `'`"),
        };
        self.diagnose(d);
    }

    fn identifier(&mut self, lo: usize) {
        self.skip_class(ALPHA | DIGIT);
        let text = &self.text[lo..self.at];
        if self.peek(0) == b'.' && T::word(text).is_none() && (self.has_part_behind_dot() || self.ends_in_dot()) {
            return self.long_identifier(lo);
        }
        match T::word(text) {
            Some(word) => self.push(word, lo, 0),
            None => self.push(T::Alpha, lo, Symbol::intern(text).0),
        }
    }

    /// At a dot: does an identifier begin behind it?
    fn has_part_behind_dot(&self) -> bool {
        class(self.peek(1)) & (LETTER | SYMBOLIC) != 0
    }

    /// At a dot: does what cannot go on with an identifier stand behind it? So does a name look that is half written.
    fn ends_in_dot(&self) -> bool {
        self.bytes.get(self.at + 1).is_none_or(|&next| class(next) & BLANK != 0 || b")]},;".contains(&next))
    }

    /// Behind the dot of a long identifier without a last name: what stands for that is [`sym::ERROR`].
    fn missing_part(&mut self, lo: usize) {
        let path = &self.text[lo..self.at];
        let shown =
            if path.len() > 80 { &path[path[..path.len() - 1].rfind('.').map_or(0, |dot| dot + 1)..] } else { path };
        let message = format!("a name is missing behind `{shown}`");
        let d = Diagnostic::error("syntax/expected", self.span(self.at - 1, self.at), message);
        let rest = self.text[self.at..].trim_start_matches([' ', '\t']);
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        let goes_on = word.starts_with(|c: char| c.is_ascii_alphabetic()) && T::word(word).is_none();
        self.diagnose(match goes_on {
            true => d.help("between the parts of a long identifier there are no blanks: `List.map`"),
            false => d,
        });
    }

    /// After `A` with `.` ahead, and the start of an identifier or nothing behind it.
    fn long_identifier(&mut self, lo: usize) {
        let mut qualifiers = vec![Symbol::intern(&self.text[lo..self.at])];
        loop {
            let is_half = !self.has_part_behind_dot();
            self.at += 1;
            if is_half {
                self.missing_part(lo);
                let index = self.out.longs.len() as u32;
                self.out.longs.push((qualifiers.into_boxed_slice(), sym::ERROR));
                return self.push(T::Long, lo, index);
            }
            let part = self.at;
            let letters = class(self.bytes[part]) & LETTER != 0;
            self.skip_class(if letters { ALPHA | DIGIT } else { SYMBOLIC });
            let text = &self.text[part..self.at];
            let reserved = if letters { T::word(text) } else { T::sign(text) };
            if let Some(word) = reserved {
                let d = Diagnostic::error(
                    "syntax/reserved",
                    self.span(part, self.at),
                    format!("{} is a reserved word and cannot be part of a long identifier", word.describe()),
                );
                self.diagnose(d);
            }
            let symbol = Symbol::intern(text);
            if letters && self.peek(0) == b'.' && (self.has_part_behind_dot() || self.ends_in_dot()) {
                qualifiers.push(symbol);
                continue;
            }
            let index = self.out.longs.len() as u32;
            self.out.longs.push((qualifiers.into_boxed_slice(), symbol));
            return self.push(T::Long, lo, index);
        }
    }

    fn symbolic(&mut self, lo: usize) {
        self.skip_class(SYMBOLIC);
        let text = &self.text[lo..self.at];
        match T::sign(text) {
            Some(sign) => self.push(sign, lo, 0),
            None => {
                // `(op *)` and `( *)` are legal; where no parenthesis is open, a comment was closed twice.
                if text == "*" && self.peek(0) == b')' && self.open_parens == 0 {
                    self.at += 1;
                    return self.error("syntax/comment", lo, self.at, "this `*)` closes no comment");
                }
                self.push(T::Symbolic, lo, Symbol::intern(text).0);
            }
        }
    }

    fn number(&mut self, lo: usize) {
        let negative = self.bytes[lo] == b'~';
        if negative {
            self.at += 1;
        }
        let hex_digit = |b: u8| b.is_ascii_hexdigit();
        if self.peek(0) == b'0' {
            if self.peek(1) == b'x' && hex_digit(self.peek(2)) {
                self.at += 2;
                while hex_digit(self.peek(0)) {
                    self.at += 1;
                }
                return self.push(T::Int, lo, 0);
            }
            // A word constant has no sign: `~0w1` is the constant `~0` and the name `w1`.
            let digits = match (self.peek(1), self.peek(2)) {
                (b'w', b'x') if hex_digit(self.peek(3)) && !negative => Some(3),
                (b'w', d) if d.is_ascii_digit() && !negative => Some(2),
                _ => None,
            };
            if let Some(skip) = digits {
                self.at += skip;
                while if skip == 3 { hex_digit(self.peek(0)) } else { self.peek(0).is_ascii_digit() } {
                    self.at += 1;
                }
                return self.push(T::Word, lo, 0);
            }
        }
        self.skip_class(DIGIT);
        let mut kind = T::Int;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.skip_class(DIGIT);
            kind = T::Real;
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(self.peek(1) == b'~');
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.skip_class(DIGIT);
                kind = T::Real;
            } else if kind == T::Real && matches!(self.peek(1), b'-' | b'+') && self.peek(2).is_ascii_digit() {
                let d = Diagnostic::error(
                    "syntax/constant",
                    self.span(self.at, self.at + 2),
                    "the exponent of a real constant is written with `~` for minus",
                )
                .help("write `1.5e~3` for 0.0015 and `1.5e3` for 1500");
                self.diagnose(d);
                self.at += 2;
                self.skip_class(DIGIT);
            }
        }
        self.push(kind, lo, 0);
    }

    fn comment(&mut self, lo: usize) {
        // Openings that wait for their end; only the first and the last matter to the message.
        let mut last = lo;
        let mut depth = 1usize;
        self.at += 2;
        while let Some(&b) = self.bytes.get(self.at) {
            match b {
                b'*' if self.peek(1) == b')' => {
                    self.at += 2;
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                b'(' if self.peek(1) == b'*' => {
                    last = self.at;
                    depth += 1;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        let mut d = Diagnostic::error("syntax/comment", self.span(lo, lo + 2), "this comment is never closed")
            .label(self.span(lo, lo + 2), "opened here");
        if last != lo {
            d = d
                .label(self.span(last, last + 2), "another comment is opened inside it here")
                .note("comments nest: each `(*` needs its `*)`");
        } else if self.bytes.get(lo + 2) == Some(&b')') {
            d = d.help("`(*)` opens a comment; the operator in parentheses is written `op *`");
        }
        self.diagnose(d);
    }

    fn string_constant(&mut self, lo: usize) {
        self.at += 1;
        let bytes = self.string_body(lo);
        let index = self.out.strings.len() as u32;
        self.out.strings.push(bytes.into_boxed_slice());
        self.push(T::String, lo, index);
    }

    fn character(&mut self, lo: usize) {
        self.at += 2;
        let before = self.out.diagnostics.len();
        let mut bytes = self.string_body(lo);
        if bytes.len() != 1 {
            if self.out.diagnostics.len() == before {
                let span = self.span(lo, self.at);
                let d = match std::str::from_utf8(&bytes) {
                    Ok(s) if s.chars().count() == 1 => Diagnostic::error(
                        "syntax/character-constant",
                        span,
                        "this character does not fit into a `char`, which is one byte",
                    )
                    .help("use a string; its bytes are the character's UTF-8 encoding"),
                    _ => Diagnostic::error(
                        "syntax/character-constant",
                        span,
                        format!("a character constant has exactly one character, this one has {}", bytes.len()),
                    ),
                };
                self.diagnose(d);
            }
            bytes = vec![bytes.first().copied().unwrap_or(b'?')];
        }
        let index = self.out.strings.len() as u32;
        self.out.strings.push(bytes.into_boxed_slice());
        self.push(T::Char, lo, index);
    }

    /// After the opening quote: the bytes up to and past the closing one, or up to the line's end.
    fn string_body(&mut self, open: usize) -> Vec<u8> {
        let mut out = vec![];
        let mut raw = false;
        loop {
            let run = self.at;
            while let Some(&b) = self.bytes.get(self.at) {
                if b == b'"' || b == b'\\' || b < 0x20 || b == 0x7F || b == FIRST_OF_SUBSTITUTE {
                    break;
                }
                self.at += 1;
            }
            out.extend_from_slice(&self.bytes[run..self.at]);
            let lo = self.at;
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    if raw {
                        let (first, count) = self.raw.unwrap_or((self.span(open, self.at), 0));
                        self.raw = Some((first, count + 1));
                    }
                    return out;
                }
                Some(b'\\') => self.escape(&mut out, open),
                None | Some(b'\n' | b'\r') => {
                    let quote = if self.bytes[open] == b'#' { open + 1 } else { open };
                    let d = Diagnostic::error("syntax/string", self.span(open, quote + 1), "this string is not closed on its line")
                        .label(self.span(open, quote + 1), "opened here")
                        .help("a line end inside a string is written `\\n`; a string goes on in the next line when this line ends in `\\` and the next begins with `\\`");
                    self.diagnose(d);
                    if quote == open
                        && let Some(end) = self.end_in_later_line()
                    {
                        self.at = end;
                    }
                    return out;
                }
                Some(&FIRST_OF_SUBSTITUTE) => {
                    let c = self.text[lo..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    self.at += c.len_utf8();
                    match substituted(c) {
                        Some(byte) => {
                            out.push(byte);
                            raw = true;
                        }
                        None => out.extend_from_slice(&self.bytes[lo..self.at]),
                    }
                }
                Some(&b) => {
                    self.at += 1;
                    let escape = match b {
                        b'\t' => "\\t".to_string(),
                        _ => format!("\\{b:03}"),
                    };
                    let what =
                        if b == b'\t' { "a tab".to_string() } else { format!("the control character U+{b:04X}") };
                    let d = Diagnostic::error(
                        "syntax/string",
                        self.span(lo, self.at),
                        format!("{what} inside a string must be written `{escape}`"),
                    );
                    self.diagnose(d);
                    out.push(b);
                }
            }
        }
    }

    /// At the end of a line in which a string was not closed: the place behind the quote that closes it in a later
    /// line, if its author has written it over several lines. That is the first one with an odd number of quotes; where
    /// a declaration begins before it, the quote is missing.
    #[inline(never)]
    fn end_in_later_line(&self) -> Option<usize> {
        const MOST_LINES: usize = 100;
        let mut at = self.at;
        for _ in 0..MOST_LINES {
            let begin = at + self.bytes.get(at..)?.iter().position(|&b| b == b'\n')? + 1;
            let rest = &self.bytes[begin..];
            let line = &rest[..rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())];
            let word = line.trim_ascii_start();
            let word = &word[..word.iter().position(|&b| class(b) & ALPHA == 0).unwrap_or(word.len())];
            let word = std::str::from_utf8(word).unwrap_or("");
            if T::word(word).is_some_and(T::starts_dec) || line.trim_ascii_start().starts_with(b"|") {
                return None;
            }
            let quotes = line.iter().enumerate().filter(|&(i, &b)| b == b'"' && (i == 0 || line[i - 1] != b'\\'));
            let mut quotes = quotes.map(|(i, _)| i);
            if let Some(first) = quotes.next()
                && quotes.count() % 2 == 0
            {
                return Some(begin + first + 1);
            }
            at = begin;
        }
        None
    }

    /// At a backslash.
    fn escape(&mut self, out: &mut Vec<u8>, open: usize) {
        let lo = self.at;
        let b = self.peek(1);
        let simple = match b {
            b'a' => 7,
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'v' => 11,
            b'f' => 12,
            b'r' => 13,
            b'"' | b'\\' => b,
            _ => 0,
        };
        if simple != 0 {
            self.at += 2;
            return out.push(simple);
        }
        match b {
            b'^' if (64..=95).contains(&self.peek(2)) => {
                out.push(self.peek(2) - 64);
                self.at += 3;
            }
            b'0'..=b'9' => {
                self.at += 1;
                let digits = self.bytes[self.at..].iter().take(3).take_while(|d| d.is_ascii_digit()).count();
                let value =
                    self.bytes[self.at..self.at + digits].iter().fold(0u32, |v, d| v * 10 + u32::from(d - b'0'));
                self.at += digits;
                if digits < 3 {
                    self.error("syntax/escape", lo, self.at, "a numeric escape has three digits, as in `\\065`");
                } else if value > 255 {
                    self.error("syntax/escape", lo, self.at, "a numeric escape is at most `\\255`");
                }
                out.push(value as u8);
            }
            b'u' | b'U' => {
                let want = if b == b'u' { 4 } else { 8 };
                self.at += 2;
                let digits = self.bytes[self.at..].iter().take(want).take_while(|d| d.is_ascii_hexdigit()).count();
                let value = u32::from_str_radix(&self.text[self.at..self.at + digits], 16).unwrap_or(0);
                self.at += digits;
                if digits < want {
                    self.error(
                        "syntax/escape",
                        lo,
                        self.at,
                        format!("`\\{}` is followed by {want} hexadecimal digits", b as char),
                    );
                } else if value > 255 {
                    let d = Diagnostic::error(
                        "syntax/escape",
                        self.span(lo, self.at),
                        "this character does not fit into a `char`, which is one byte",
                    );
                    let d = match char::from_u32(value) {
                        Some(c) => d.help(format!("write the character itself, `{c}`: a string holds its UTF-8 bytes")),
                        None => d,
                    };
                    self.diagnose(d);
                }
                out.push(value as u8);
            }
            _ if class(b) & BLANK != 0 => {
                self.at += 1;
                self.skip_class(BLANK);
                if self.peek(0) == b'\\' && self.at < self.bytes.len() {
                    self.at += 1;
                    return;
                }
                let quote = if self.bytes[open] == b'#' { open + 1 } else { open };
                let d = Diagnostic::error(
                    "syntax/string",
                    self.span(lo, lo + 1),
                    "this gap in a string is not closed by another `\\`",
                )
                .label(self.span(open, quote + 1), "the string is opened here")
                .note("between two `\\` a string may have blanks and line ends that do not count");
                self.diagnose(d);
            }
            _ if self.at + 1 >= self.bytes.len() => self.at += 1,
            _ => {
                let c = self.text[lo + 1..].chars().next().unwrap_or('?');
                self.at += 1;
                if b == b'^' {
                    self.at += 1;
                    self.error(
                        "syntax/escape",
                        lo,
                        self.at,
                        "`\\^` is followed by one of `@`, `A` to `Z`, `[`, `\\`, `]`, `^`, `_`",
                    );
                    return;
                }
                if !c.is_control() {
                    self.at += c.len_utf8();
                }
                let d = Diagnostic::error("syntax/escape", self.span(lo, self.at), "this escape is unknown")
                    .note("the escapes are \\a \\b \\t \\n \\v \\f \\r \\\" \\\\ \\^C \\065 \\u0041, and a gap \\ ... \\ of blanks");
                self.diagnose(d);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bar is 50 MB/s; asserted with room for a busy machine.
    #[test]
    fn fast() {
        let text =
            "fun f (x : int) = let val y = [1, 2, x] in case y of nil => x | z :: _ => z * x + 17 end\n".repeat(20_000);
        let start = std::time::Instant::now();
        let lexed = lex(FileId(0), &text, false);
        let speed = text.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{speed:.0} MB/s, {} tokens", lexed.tokens.len());
        assert!(speed > 10.0);
    }
}
