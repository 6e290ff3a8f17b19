//! Text of an ML Basis file -> its declarations, each with its place; all syntax errors.
//!
//! The grammar is MLton's ("ML Basis syntax and semantics"). Eight words more are for the library's own files: `_image`
//! is everything that is built in, `_toplevel` its values and types, `_infixes` what it declares infix; `_types`,
//! `_exceptions`, `_values`, `_overloads` and `_equal` are the parts of `_toplevel`.

use std::ops::Range;

use leat_base::{Diagnostic, FileId, Span, Symbol};

use super::scope::{ModuleKind, Name, TopPart};

/// A declaration.
#[derive(Debug)]
pub(super) enum Dec {
    /// `basis b = basexp and ...`
    Basis(Vec<(Name, Exp)>),
    /// `local basdec in basdec end`
    Local(Vec<Dec>, Vec<Dec>),
    /// `open b b`
    Open(Vec<Name>),
    /// `structure A = B and ...`; with one name it stands for itself.
    Module(ModuleKind, Vec<(Name, Name)>),
    /// `file.sml`, `other.mlb`
    File(String, Span),
    /// `ann "..." in basdec end`
    Ann(Vec<(String, Span)>, Vec<Dec>),
    /// `_image` and its like.
    Builtin(Builtin),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Builtin {
    Image,
    Toplevel,
    Part(TopPart),
    Infixes,
}

/// An expression.
#[derive(Debug)]
pub(super) enum Exp {
    /// `bas basdec end`
    Bas(Vec<Dec>),
    /// `b`
    Id(Name),
    /// `let basdec in basexp end`
    Let(Vec<Dec>, Box<Exp>),
}

/// Parses a file. `own`: it is one of the library's.
pub(super) fn parse(file: FileId, text: &str, own: bool) -> (Vec<Dec>, Vec<Diagnostic>) {
    let (mut parser, _) = Parser::of(file, text, own);
    let decs = parser.file_decs();
    (decs, parser.errors)
}

/// What a file is made of, for who lays it out.
pub(super) struct Parts {
    /// The last one is the file's end.
    pub tokens: Vec<Token>,
    pub comments: Vec<Range<usize>>,
    /// The tokens at which declarations start.
    pub starts: Vec<usize>,
}

/// The parts of a file. The error: it cannot be read.
pub(super) fn parts(file: FileId, text: &str) -> Result<Parts, Vec<Diagnostic>> {
    let (mut parser, comments) = Parser::of(file, text, true);
    parser.file_decs();
    let Parser { tokens, errors, starts, .. } = parser;
    if errors.is_empty() { Ok(Parts { tokens, comments, starts }) } else { Err(errors) }
}

/// What a file of text may begin with: editors write it, and nobody sees it.
pub(super) const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// How much of the beginning is no token: a byte order mark, and the first line of a script.
pub(super) fn head(text: &str) -> usize {
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    if text[mark..].starts_with("#!") { text.find('\n').unwrap_or(text.len()) } else { mark }
}

/// Are there so many `local` and `let` inside each other, nobody wrote it.
const DEEPEST: usize = 1000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A keyword, `=` or `;`.
    Word(&'static str),
    /// A name, or a file's name without quotes.
    Text(String),
    Quoted(String),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Tok,
    pub span: Span,
}

const WORDS: &[&str] =
    &["ann", "and", "bas", "basis", "end", "functor", "in", "let", "local", "open", "signature", "structure"];

/// The words that stand for what is built in.
const BUILTINS: &[(&str, Builtin)] = &[
    ("_image", Builtin::Image),
    ("_toplevel", Builtin::Toplevel),
    ("_infixes", Builtin::Infixes),
    ("_types", Builtin::Part(TopPart::Types)),
    ("_exceptions", Builtin::Part(TopPart::Exceptions)),
    ("_values", Builtin::Part(TopPart::Values)),
    ("_overloads", Builtin::Part(TopPart::Overloads)),
    ("_equal", Builtin::Part(TopPart::Equal)),
];

// ------------------------------------------------------------------- tokens

struct Lexer<'t> {
    file: FileId,
    text: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Range<usize>>,
    errors: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0c => self.at += 1,
                b'(' if self.text.get(start + 1) == Some(&b'*') => self.comment(),
                b'"' => self.string(),
                b'=' | b';' => {
                    self.at += 1;
                    self.push(Tok::Word(if byte == b'=' { "=" } else { ";" }), start);
                }
                _ if self.part_length(start) > 0 => self.word(),
                _ => {
                    self.at += 1;
                    while self.at < self.text.len() && self.text[self.at] & 0xC0 == 0x80 {
                        self.at += 1;
                    }
                    let help = match byte {
                        b'$' => {
                            let behind = &self.text[self.at..];
                            self.at += usize::from(behind.starts_with(b"(") && !behind.starts_with(b"(*"));
                            path_variable(behind)
                        }
                        _ => "names with unusual characters stand in quotes: `\"a b.sml\"`".to_string(),
                    };
                    self.error("this character has no meaning in an ML Basis file", start).help(&help);
                    self.skip_word();
                }
            }
        }
        let end = self.text.len();
        self.push(Tok::End, end);
    }

    fn push(&mut self, kind: Tok, start: usize) {
        let span = Span::new(self.file, start as u32, self.at.max(start) as u32);
        self.tokens.push(Token { kind, span });
    }

    fn error(&mut self, message: &str, start: usize) -> Helped<'_> {
        let span = Span::new(self.file, start as u32, self.at as u32);
        self.errors.push(Diagnostic::error("unit/syntax", span, message));
        Helped(&mut self.errors)
    }

    fn comment(&mut self) {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.text.len() {
            match &self.text[self.at..self.text.len().min(self.at + 2)] {
                b"(*" => {
                    depth += 1;
                    self.at += 2;
                }
                b"*)" => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        self.comments.push(start..self.at);
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        let end = std::mem::replace(&mut self.at, start + 2);
        self.error("this comment has no end", start);
        self.at = end;
    }

    /// What is written together with a character that has no meaning is a part of the same mistake.
    fn skip_word(&mut self) {
        let ends = |rest: &[u8]| {
            rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || b"\"=;".contains(byte))
                || rest.starts_with(b"(*")
        };
        while !ends(&self.text[self.at..]) {
            self.at += 1;
        }
    }

    /// Bytes that one character of a name, or one `$(NAME)`, takes at `at`; 0 if there is none.
    fn part_length(&self, at: usize) -> usize {
        match self.text.get(at) {
            Some(b) if b.is_ascii_alphanumeric() || b"_'./-+~%@,".contains(b) => 1,
            Some(b'$') if self.text.get(at + 1) == Some(&b'(') => {
                let name = &self.text[at + 2..];
                let length = name.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(name.len());
                if length > 0 && name.get(length) == Some(&b')') { length + 3 } else { 0 }
            }
            _ => 0,
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.part_length(self.at) > 0 {
            self.at += self.part_length(self.at);
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let kind = match WORDS.iter().chain(BUILTINS.iter().map(|(word, _)| word)).find(|word| **word == text) {
            Some(word) => Tok::Word(word),
            None => Tok::Text(text),
        };
        self.push(kind, start);
    }

    /// A string constant of Standard ML.
    fn string(&mut self) {
        let start = self.at;
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            let at = self.at;
            match self.text.get(at) {
                Some(b'"') => {
                    self.at += 1;
                    self.push(Tok::Quoted(String::from_utf8_lossy(&bytes).into_owned()), start);
                    return;
                }
                None | Some(b'\n') => {
                    self.error("this string has no end", start);
                    return;
                }
                Some(b'\\') => {
                    if !self.escape(&mut bytes) {
                        self.at = at + 2.min(self.text.len() - at);
                        self.error("this is not an escape sequence", at);
                    }
                }
                Some(&byte) => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> bool {
        let rest = &self.text[self.at + 1..];
        let number = |digits: &[u8], radix| {
            std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, radix).ok())
        };
        let simple = |c: u8| b"abtnvfr\"\\".iter().position(|&x| x == c).map(|i| b"\x07\x08\t\n\x0b\x0c\r\"\\"[i]);
        let (byte, length) = match rest {
            [c, ..] if simple(*c).is_some() => (simple(*c).map(u32::from), 1),
            [b'^', c @ 64..=95, ..] => (Some(u32::from(c - 64)), 2),
            [b'u', a, b, c, d, ..] => (number(&[*a, *b, *c, *d], 16), 5),
            [a, b, c, ..] if a.is_ascii_digit() => (number(&[*a, *b, *c], 10), 3),
            [c, ..] if c.is_ascii_whitespace() => {
                let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
                if rest.get(blanks) != Some(&b'\\') {
                    return false;
                }
                self.at += blanks + 2;
                return true;
            }
            _ => return false,
        };
        let Some(byte) = byte.and_then(|byte| u8::try_from(byte).ok()) else { return false };
        bytes.push(byte);
        self.at += 1 + length;
        true
    }
}

/// The last error, to be helped.
/// How the name of a path variable is written that `$` does not begin well: `$SML_LIB/basis/basis.mlb` of the ML Kit.
fn path_variable(behind: &[u8]) -> String {
    let name = behind.strip_prefix(b"(").unwrap_or(behind);
    let length = name.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(name.len());
    let name = if length > 0 { String::from_utf8_lossy(&name[..length]) } else { "NAME".into() };
    format!("a path variable stands in parentheses: `$({name})`")
}

struct Helped<'e>(&'e mut Vec<Diagnostic>);

impl Helped<'_> {
    fn help(self, text: &str) {
        if let Some(last) = self.0.last_mut() {
            last.help.push(text.to_string());
        }
    }
}

// ------------------------------------------------------------------ phrases

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    errors: Vec<Diagnostic>,
    own: bool,
    depth: usize,
    /// It is nested too deeply: nothing more is said.
    given_up: bool,
    /// The tokens at which declarations start.
    starts: Vec<usize>,
}

impl Parser {
    /// A text's parser, and its comments.
    fn of(file: FileId, text: &str, own: bool) -> (Parser, Vec<Range<usize>>) {
        let bytes = text.as_bytes();
        let mut lexer = Lexer { file, text: bytes, at: head(text), tokens: vec![], comments: vec![], errors: vec![] };
        lexer.run();
        let Lexer { tokens, comments, errors, .. } = lexer;
        (Parser { tokens, at: 0, errors, own, depth: 0, given_up: false, starts: vec![] }, comments)
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn is(&self, word: &str) -> bool {
        matches!(self.token().kind, Tok::Word(w) if w == word)
    }

    fn opt(&mut self, word: &str) -> bool {
        let is = self.is(word);
        self.at += usize::from(is);
        is
    }

    fn unexpected(&mut self, wanted: &str) {
        let token = self.token().clone();
        let found = match token.kind {
            Tok::Word(word) => format!("`{word}`"),
            Tok::Text(text) => format!("`{text}`"),
            Tok::Quoted(_) => "a string".to_string(),
            Tok::End => "the end of the file".to_string(),
        };
        // One mistake, one message.
        if self.errors.last().is_none_or(|last| last.span != token.span) && !self.given_up {
            self.errors.push(Diagnostic::error("unit/syntax", token.span, format!("expected {wanted}, found {found}")));
        }
    }

    fn expect(&mut self, word: &'static str, opened: Option<(&str, Span)>) {
        if self.opt(word) {
            return;
        }
        let before = self.errors.len();
        self.unexpected(&format!("`{word}`"));
        if let (Some((keyword, span)), true) = (opened, self.errors.len() > before)
            && let Some(last) = self.errors.last_mut()
        {
            last.labels.push((span, format!("this `{keyword}` is opened here")));
        }
    }

    fn expect_name(&mut self, what: &str) -> Option<Name> {
        let token = self.token().clone();
        match token.kind {
            Tok::Text(text) if is_name(&text) => {
                self.at += 1;
                Some(Name { symbol: Symbol::intern(&text), span: token.span })
            }
            kind => {
                self.unexpected(what);
                // What stands in the place of a name is no file.
                self.at += usize::from(matches!(kind, Tok::Text(_) | Tok::Quoted(_)));
                None
            }
        }
    }

    fn file_decs(&mut self) -> Vec<Dec> {
        let mut decs = self.decs();
        while self.token().kind != Tok::End {
            self.unexpected("a declaration or a file");
            self.at += 1;
            decs.extend(self.decs());
        }
        decs
    }

    fn decs(&mut self) -> Vec<Dec> {
        let mut decs = Vec::new();
        self.depth += 1;
        loop {
            if self.opt(";") {
                continue;
            }
            let start = self.at;
            if self.depth > DEEPEST {
                self.unexpected("fewer phrases inside each other");
                self.given_up = true;
                self.at = self.tokens.len() - 1;
            }
            let Some(dec) = self.opt_dec() else {
                if self.at == start {
                    break;
                }
                continue;
            };
            self.starts.push(start);
            decs.push(dec);
        }
        self.depth -= 1;
        decs
    }

    /// A declaration, if one begins here. Nothing with progress: an error was reported.
    fn opt_dec(&mut self) -> Option<Dec> {
        let token = self.token().clone();
        let here = |word| Some((word, token.span));
        let word = match token.kind {
            Tok::Word(word) => word,
            Tok::Quoted(text) => {
                self.at += 1;
                return self.file(text, token.span);
            }
            Tok::Text(text) => {
                self.at += 1;
                return self.file(text, token.span);
            }
            Tok::End => return None,
        };
        match word {
            "basis" => {
                self.at += 1;
                let mut binds = Vec::new();
                loop {
                    let name = self.expect_name("the name of a basis");
                    self.expect("=", None);
                    if let (Some(exp), Some(name)) = (self.exp(), name) {
                        binds.push((name, exp));
                    }
                    if !self.opt("and") {
                        return Some(Dec::Basis(binds));
                    }
                }
            }
            "local" => {
                self.at += 1;
                let first = self.decs();
                self.expect("in", here("local"));
                let second = self.decs();
                self.expect("end", here("local"));
                Some(Dec::Local(first, second))
            }
            "open" => {
                self.at += 1;
                let mut names = Vec::new();
                names.extend(self.expect_name("the name of a basis"));
                while let Tok::Text(text) = &self.token().kind
                    && is_name(text)
                {
                    names.extend(self.expect_name("the name of a basis"));
                }
                Some(Dec::Open(names))
            }
            "structure" | "signature" | "functor" => {
                self.at += 1;
                let kind = match word {
                    "structure" => ModuleKind::Structure,
                    "signature" => ModuleKind::Signature,
                    _ => ModuleKind::Functor,
                };
                let what = format!("the name of a {word}");
                let mut binds = Vec::new();
                loop {
                    let name = self.expect_name(&what);
                    let old = if self.opt("=") { self.expect_name(&what) } else { name };
                    binds.extend(name.zip(old));
                    if !self.opt("and") {
                        return Some(Dec::Module(kind, binds));
                    }
                }
            }
            "ann" => {
                self.at += 1;
                let mut annotations = Vec::new();
                while let Tok::Quoted(text) = &self.token().kind {
                    annotations.push((text.clone(), self.token().span));
                    self.at += 1;
                }
                // A word before `in` is an annotation without its quotes.
                let words =
                    self.tokens[self.at..].iter().take_while(|token| matches!(token.kind, Tok::Text(_))).count();
                let are_annotations = words > 0 && self.tokens[self.at + words].kind == Tok::Word("in");
                if annotations.is_empty() || are_annotations {
                    self.unexpected("an annotation in quotes");
                }
                self.at += if are_annotations { words } else { 0 };
                self.expect("in", here("ann"));
                let decs = self.decs();
                self.expect("end", here("ann"));
                Some(Dec::Ann(annotations, decs))
            }
            // Expressions: one message for all of it.
            "bas" | "let" => {
                self.unexpected("a declaration or a file");
                if let Some(last) = self.errors.last_mut().filter(|last| last.span == token.span) {
                    last.help.push(format!("`{word}` begins what stands behind `basis NAME =`"));
                }
                self.exp();
                None
            }
            _ => {
                let &(_, builtin) = BUILTINS.iter().find(|(name, _)| self.own && *name == word)?;
                self.at += 1;
                Some(Dec::Builtin(builtin))
            }
        }
    }

    fn file(&mut self, text: String, span: Span) -> Option<Dec> {
        let suffix = text.rsplit_once('.').map_or("", |(_, suffix)| suffix);
        if matches!(suffix, "sml" | "sig" | "fun" | "ML" | "mlb") {
            return Some(Dec::File(text, span));
        }
        // What is wrong with it has been said, if it ends at a character that has no meaning.
        if self.errors.iter().any(|error| error.span.lo == span.hi) {
            return None;
        }
        let d = Diagnostic::error("unit/syntax", span, format!("`{text}` is neither a keyword nor the name of a file"));
        self.errors.push(if is_name(&text) {
            d.help(format!("`open {text}` shows what the basis `{text}` holds"))
        } else {
            d.help("names of files end in .sml, .sig, .fun or .mlb")
        });
        None
    }

    fn exp(&mut self) -> Option<Exp> {
        let token = self.token().clone();
        let here = |word| Some((word, token.span));
        match token.kind {
            Tok::Word("bas") => {
                self.at += 1;
                let decs = self.decs();
                self.expect("end", here("bas"));
                Some(Exp::Bas(decs))
            }
            Tok::Word("let") => {
                self.at += 1;
                let decs = self.decs();
                self.expect("in", here("let"));
                self.depth += 1;
                let exp = if self.depth > DEEPEST {
                    self.unexpected("fewer phrases inside each other");
                    self.given_up = true;
                    None
                } else {
                    self.exp()
                };
                self.depth -= 1;
                self.expect("end", here("let"));
                Some(Exp::Let(decs, Box::new(exp?)))
            }
            _ => self.expect_name("`bas`, `let` or the name of a basis").map(Exp::Id),
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        parse(FileId(0), text, false)
            .1
            .into_iter()
            .map(|d| format!("{}..{} {}", d.span.lo, d.span.hi, d.message))
            .collect()
    }

    #[test]
    fn the_whole_language() {
        let text = r#"#!/usr/bin/env leat
            (* comment (* nested *) *)
            basis b = bas a.sml end and c = let $(SML_LIB)/basis/basis.mlb in b end
            local open b c in structure A = B and C signature S functor F = G end;
            ann "nonexhaustiveMatch ignore" "warnUnused \
                \true" in ../dir-1/x'.fun "a b\046sml" end
            d.sig e.ML f/g.mlb $(HOME)/$(X)y.sml"#;
        let (decs, errors) = parse(FileId(0), text, false);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(decs.len(), 7);
        let Dec::Ann(words, files) = &decs[2] else { panic!("{decs:?}") };
        assert_eq!(words[1].0, "warnUnused true");
        assert!(matches!(&files[1], Dec::File(name, _) if name == "a b.sml"), "{files:?}");
    }

    /// A mark had no meaning, and nobody saw in the message which character that was.
    #[test]
    fn a_byte_order_mark() {
        for text in ["\u{FEFF}a.sml", "\u{FEFF}#!/usr/bin/env leat\na.sml"] {
            assert_eq!(errors(text), [""; 0]);
            assert_eq!(parse(FileId(0), text, false).0.len(), 1);
        }
    }

    /// The ML Kit writes path variables without parentheses: the help for them was about names with odd characters.
    #[test]
    fn path_variables() {
        let help = |text: &str| parse(FileId(0), text, false).1[0].help.clone();
        let stands = |name: &str| vec![format!("a path variable stands in parentheses: `$({name})`")];
        assert_eq!(help("$SML_LIB/basis/basis.mlb"), stands("SML_LIB"));
        assert_eq!(help("$(SML_LIB/basis/basis.mlb"), stands("SML_LIB"));
        assert_eq!(help("$/basis.cm"), stands("NAME"));
        assert_eq!(errors("$(SML_LIB/a.mlb"), ["0..2 this character has no meaning in an ML Basis file"]);
        assert_eq!(errors("$(SML_LIB)/basis/basis.mlb"), [""; 0]);
    }

    #[test]
    fn mistakes() {
        assert_eq!(errors("local a.sml"), ["11..11 expected `in`, found the end of the file"]);
        assert_eq!(
            errors("a.txt b.sml end c"),
            [
                "0..5 `a.txt` is neither a keyword nor the name of a file",
                "12..15 expected a declaration or a file, found `end`",
                "16..17 `c` is neither a keyword nor the name of a file"
            ]
        );
        // These were two to five messages each.
        assert_eq!(
            errors("ann nonexhaustiveMatch in a.sml end"),
            ["4..22 expected an annotation in quotes, found `nonexhaustiveMatch`"]
        );
        assert_eq!(
            errors("ann \"x y\" warnUnused true in a.sml end"),
            ["10..20 expected an annotation in quotes, found `warnUnused`"]
        );
        assert_eq!(errors("ann \"x y\" a.sml end"), ["10..15 expected `in`, found `a.sml`"]);
        assert_eq!(errors("let in bas end end a.sml"), ["0..3 expected a declaration or a file, found `let`"]);
        assert_eq!(errors("bas local a.sml in end end"), ["0..3 expected a declaration or a file, found `bas`"]);
        for text in ["$(FOO", "$FOO", "a#b", "functor F(X)", "é.x", "aéb.x"] {
            assert_eq!(errors(text).len(), 1, "{text}: {:?}", errors(text));
        }
        assert_eq!(errors("_image"), ["0..6 expected a declaration or a file, found `_image`"]);
        assert_eq!(errors("\"abc\n (* x é"), ["0..4 this string has no end", "6..8 this comment has no end"]);
        assert_eq!(
            errors("structure a.sml = 3"),
            [
                "10..15 expected the name of a structure, found `a.sml`",
                "18..19 expected the name of a structure, found `3`"
            ]
        );
        assert_eq!(errors(&"local ".repeat(100_000)).len(), 1);
        assert_eq!(errors(&"basis b = bas ".repeat(100_000)).len(), 1);
        assert!(!errors("\"\\q\\").is_empty() && !errors("é $( $(X").is_empty());
    }
}
