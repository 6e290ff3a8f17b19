//! Text of a CM file -> its exports and members, each with its place; all syntax errors.
//!
//! The language of SML/NJ's compilation manager: groups and libraries, aliases, export sets, members with classes and
//! options, and its preprocessor. What CM decides by `defined(structure A)` needs the members: it is asked back.
//! Differences: options of tools and versions mean nothing here.

use leat_base::{Diagnostic, FileId, Span, Symbol};

use super::mlb_parser::BYTE_ORDER_MARK;
use super::scope::{ModuleKind, Name};

/// A file.
#[derive(Debug)]
pub(super) struct Description {
    /// A library must say what it exports.
    pub library: bool,
    /// `alias path`: stands for another file.
    pub alias: Option<(String, Span)>,
    /// Nothing: a group's sources and subgroups export all.
    pub exports: Option<Vec<Export>>,
    pub members: Vec<Member>,
}

/// What is exported.
#[derive(Debug)]
pub(super) enum Export {
    /// `structure A`
    Name(ModuleKind, Name),
    /// `library(path)`, `group(path)`: what it exports.
    Description(String, Vec<Bind>, Span),
    /// `group(-)`: what all groups among the members export. A library is exported by its name alone.
    Groups,
    /// `source(path)`: what it declares.
    Source(Option<String>, Span),
    /// `exports - exports`
    Minus(Box<Export>, Box<Export>),
    /// `exports * exports`
    Both(Box<Export>, Box<Export>),
    /// `(exports)`
    All(Vec<Export>),
}

/// A member: its path and its class, if it is written, and what anchors stand for in that description.
#[derive(Debug)]
pub(super) struct Member {
    pub path: String,
    pub class: Option<String>,
    pub binds: Vec<Bind>,
    pub span: Span,
}

/// `bind:(anchor:NAME value:PATH)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bind {
    pub anchor: String,
    pub value: String,
}

/// Names with numbers that the preprocessor knows: what an SML/NJ on this machine would say.
fn variable(name: &str) -> Option<i64> {
    Some(match name {
        "SMLNJ_VERSION" => 110,
        "SMLNJ_MINOR_VERSION" => 99,
        "SMLNJ_PATCH_VERSION" => 7,
        "OPSYS_UNIX" | "LITTLE_ENDIAN" | "LEAT" | "NEW_CM" => 1,
        "SIZE_64" if cfg!(target_pointer_width = "64") => 1,
        "ARCH_AMD64" if cfg!(target_arch = "x86_64") => 1,
        "ARCH_ARM64" if cfg!(target_arch = "aarch64") => 1,
        "OS_LINUX" | "OPSYS_LINUX" if cfg!(target_os = "linux") => 1,
        _ => return None,
    })
}

/// Parses a file.
pub(super) fn parse(file: FileId, text: &str) -> (Description, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let text = preprocess(file, text, &mut errors);
    let tokens = tokens(file, text.as_bytes(), &mut errors);
    let mut parser = Parser { tokens, at: 0, errors, depth: 0 };
    let description = parser.description();
    (description, parser.errors)
}

// -------------------------------------------------------------- preprocessor

/// The text with blanks for what the directives take away, and for the directives.
fn preprocess(file: FileId, text: &str, errors: &mut Vec<Diagnostic>) -> String {
    /// An `#if`: is this branch taken, was one taken, where is it?
    struct If {
        on: bool,
        done: bool,
        span: Span,
    }
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<If> = Vec::new();
    let mut at = 0;
    // A byte order mark is no part of the first line.
    let text = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => {
            at = BYTE_ORDER_MARK.len_utf8();
            out.extend(std::iter::repeat_n(' ', at));
            rest
        }
        None => text,
    };
    let start = at;
    for line in text.split_inclusive('\n') {
        let span = Span::new(file, at as u32, (at + line.trim_end().len()) as u32);
        let first = at == start && line.starts_with("#!");
        at += line.len();
        let mut error = |message: &str| errors.push(Diagnostic::error("unit/syntax", span, message));
        let visible = open.iter().all(|branch| branch.on);
        let directive = line.trim_start().strip_prefix('#').filter(|_| !first).map(str::trim);
        let blank = |out: &mut String| out.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        let Some(directive) = directive else {
            if visible && !first {
                out.push_str(line)
            } else {
                blank(&mut out)
            }
            continue;
        };
        blank(&mut out);
        let (word, rest) =
            directive.split_at(directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len()));
        let mut condition = |wanted: bool| {
            wanted
                && condition(rest).unwrap_or_else(|message| {
                    error(&message);
                    false
                })
        };
        // Where a part around is hidden, its directives only count.
        let around = open.split_last().is_none_or(|(_, outer)| outer.iter().all(|branch| branch.on));
        match (word, open.last_mut()) {
            ("if", _) => {
                let on = condition(visible);
                open.push(If { on, done: on, span });
            }
            ("elif", Some(last)) => {
                last.on = condition(around && !last.done);
                last.done |= last.on;
            }
            ("else", Some(last)) => {
                last.on = !last.done;
                last.done = true;
            }
            ("endif", Some(_)) => {
                open.pop();
            }
            ("elif" | "else" | "endif", None) => error(&format!("there is no `#if` before this `#{word}`")),
            ("error", _) if visible => error(&format!("the file says: {}", rest.trim())),
            ("error" | "line", _) => {}
            _ if !visible => {}
            _ => error(&format!("there is no directive `#{word}`")),
        }
    }
    if let Some(last) = open.last() {
        errors.push(Diagnostic::error("unit/syntax", last.span, "this `#if` has no `#endif`"));
    }
    out
}

/// The value of an expression of the preprocessor.
fn condition(text: &str) -> Result<bool, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let same: fn(char) -> bool = match first {
            'a'..='z' | 'A'..='Z' | '_' => |c| c.is_ascii_alphanumeric() || c == '_' || c == '\'',
            '0'..='9' => |c| c.is_ascii_digit(),
            '<' | '>' | '=' | '!' => |c| matches!(c, '<' | '>' | '=' | '!'),
            '&' | '|' => |c| matches!(c, '&' | '|'),
            _ => |_| false,
        };
        let length = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    let mut at = 0;
    let value = operators(&words, &mut at, 0)?;
    match words.get(at) {
        Some(word) => Err(format!("expected the end of the condition, found `{word}`")),
        None => value.map(|value| value != 0),
    }
}

/// Operators by precedence, loosest first; as Standard ML writes them, and as older files do.
const OPERATORS: &[&[&str]] = &[
    &["orelse", "||"],
    &["andalso", "&&"],
    &["=", "==", "<>", "!=", "<", "<=", ">", ">="],
    &["+", "-"],
    &["*", "div", "/", "mod", "%"],
];

/// A number, or why there is none: that only matters if somebody asks, as in `defined(X) andalso X > 1`.
type Value = Result<i64, String>;

/// The outer error is one of syntax.
fn operators(words: &[&str], at: &mut usize, level: usize) -> Result<Value, String> {
    let Some(here) = OPERATORS.get(level) else { return operand(words, at) };
    let mut left = operators(words, at, level + 1)?;
    while let Some(op) = words.get(*at).filter(|word| here.contains(word)) {
        *at += 1;
        let right = operators(words, at, level + 1)?;
        left = match (*op, left) {
            ("orelse" | "||", Ok(l)) if l != 0 => Ok(1),
            ("andalso" | "&&", Ok(0)) => Ok(0),
            (op, Ok(l)) => right.and_then(|r| apply(op, l, r).ok_or_else(|| "this condition has no value".to_string())),
            (_, wrong) => wrong,
        };
    }
    Ok(left)
}

fn apply(op: &str, left: i64, right: i64) -> Option<i64> {
    let truth = |b: bool| Some(i64::from(b));
    match op {
        "orelse" | "||" | "andalso" | "&&" => truth(right != 0),
        "=" | "==" => truth(left == right),
        "<>" | "!=" => truth(left != right),
        "<" => truth(left < right),
        "<=" => truth(left <= right),
        ">" => truth(left > right),
        ">=" => truth(left >= right),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "div" | "/" => left.checked_div_euclid(right),
        _ => left.checked_rem_euclid(right),
    }
}

fn operand(words: &[&str], at: &mut usize) -> Result<Value, String> {
    let word = *words.get(*at).ok_or("the condition is not complete")?;
    *at += 1;
    let close = |at: &mut usize| match words.get(*at) {
        Some(&")") => {
            *at += 1;
            Ok(())
        }
        _ => Err("a `)` is missing in this condition".to_string()),
    };
    match word {
        "(" => {
            let value = operators(words, at, 0)?;
            close(at)?;
            Ok(value)
        }
        "not" | "!" => Ok(operand(words, at)?.map(|value| i64::from(value == 0))),
        "-" | "~" => Ok(operand(words, at)?.map(i64::wrapping_neg)),
        "defined" if words.get(*at) == Some(&"(") => {
            let kind = matches!(words.get(*at + 1), Some(&"structure" | &"signature" | &"functor"));
            *at += if kind { 2 } else { 1 };
            let name = *words.get(*at).ok_or("the condition is not complete")?;
            *at += 1;
            close(at)?;
            // No module is defined when a description is read: members come later.
            Ok(Ok(i64::from(!kind && variable(name).is_some())))
        }
        _ if word.bytes().all(|b| b.is_ascii_digit()) => Ok(word.parse().map_err(|_| format!("{word} is too large"))),
        _ if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            // As SML/NJ has it: what is not defined is 0.
            Ok(Ok(variable(word).unwrap_or(0)))
        }
        _ => Err(format!("expected a number or a name in this condition, found `{word}`")),
    }
}

// ------------------------------------------------------------------- tokens

#[derive(Clone, PartialEq, Eq, Debug)]
enum Tok {
    Open,
    Close,
    Colon,
    Text(String),
    Quoted(String),
    End,
}

fn tokens(file: FileId, text: &[u8], errors: &mut Vec<Diagnostic>) -> Vec<(Tok, Span)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        let tok = match text[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'(' if text.get(at + 1) == Some(&b'*') => {
                let mut depth = 0;
                while at < text.len() {
                    match &text[at..text.len().min(at + 2)] {
                        b"(*" => (depth, at) = (depth + 1, at + 2),
                        b"*)" => (depth, at) = (depth - 1, at + 2),
                        _ => at += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
                if depth > 0 {
                    let span = Span::new(file, start as u32, start as u32 + 2);
                    errors.push(Diagnostic::error("unit/syntax", span, "this comment has no end"));
                }
                continue;
            }
            b'(' | b')' | b':' => {
                at += 1;
                match text[start] {
                    b'(' => Tok::Open,
                    b')' => Tok::Close,
                    _ => Tok::Colon,
                }
            }
            b'"' => {
                let end = text[at + 1..].iter().position(|b| matches!(b, b'"' | b'\n')).map(|i| at + 1 + i);
                let end = end.unwrap_or(text.len());
                if text.get(end) != Some(&b'"') {
                    let span = Span::new(file, start as u32, end as u32);
                    errors.push(Diagnostic::error("unit/syntax", span, "this string has no end"));
                }
                at = (end + 1).min(text.len());
                Tok::Quoted(String::from_utf8_lossy(&text[start + 1..end]).into_owned())
            }
            _ => {
                let stops = |b: &u8| b.is_ascii_whitespace() || b"():\"".contains(b);
                at += text[at..].iter().position(stops).unwrap_or(text.len() - at);
                Tok::Text(String::from_utf8_lossy(&text[start..at]).into_owned())
            }
        };
        tokens.push((tok, Span::new(file, start as u32, at as u32)));
    }
    tokens.push((Tok::End, Span::new(file, text.len() as u32, text.len() as u32)));
    tokens
}

// ------------------------------------------------------------------ phrases

struct Parser {
    tokens: Vec<(Tok, Span)>,
    at: usize,
    errors: Vec<Diagnostic>,
    depth: usize,
}

/// CM's keywords are written in small or capital letters, or with a capital first.
fn keyword(token: &Tok) -> Option<&'static str> {
    let Tok::Text(text) = token else { return None };
    const WORDS: &[&str] =
        &["alias", "group", "library", "is", "structure", "signature", "functor", "funsig", "source"];
    let word = WORDS.iter().find(|word| word.eq_ignore_ascii_case(text))?;
    let capital = text.bytes().all(|b| b.is_ascii_uppercase());
    let small = text.bytes().skip(1).all(|b| b.is_ascii_lowercase());
    (capital || small).then_some(word)
}

impl Parser {
    fn token(&self) -> &Tok {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> Tok {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn opt(&mut self, tok: &Tok) -> bool {
        let is = self.token() == tok && *tok != Tok::End;
        if is {
            self.next();
        }
        is
    }

    fn unexpected(&mut self, wanted: &str) {
        let found = match self.token() {
            Tok::Open => "`(`".to_string(),
            Tok::Close => "`)`".to_string(),
            Tok::Colon => "`:`".to_string(),
            Tok::Text(text) => format!("`{text}`"),
            Tok::Quoted(_) => "a string".to_string(),
            Tok::End => "the end of the file".to_string(),
        };
        let span = self.span();
        if self.errors.last().is_none_or(|last| last.span != span) {
            self.errors.push(Diagnostic::error("unit/syntax", span, format!("expected {wanted}, found {found}")));
        }
    }

    fn description(&mut self) -> Description {
        let mut description = Description { library: false, alias: None, exports: None, members: Vec::new() };
        match keyword(self.token()) {
            Some("alias") => {
                self.next();
                let span = self.span();
                description.alias = self.path().map(|path| (path, span));
                return description;
            }
            Some(word @ ("group" | "library")) => {
                self.next();
                description.library = word == "library";
            }
            _ => self.unexpected("`Group`, `Library` or `Alias`"),
        }
        // A library's version, or a group's owner.
        if matches!(self.token(), Tok::Open) && !matches!(self.tokens.get(self.at + 1).map(|t| &t.0), Some(Tok::Open)) {
            let save = self.at;
            self.skip_parentheses();
            if keyword(&self.tokens[save + 1].0).is_some_and(|word| word != "is") {
                self.at = save;
            }
        }
        let mut exports = Vec::new();
        while !matches!(keyword(self.token()), Some("is")) && *self.token() != Tok::End {
            let start = self.at;
            exports.extend(self.export());
            if self.at == start {
                self.unexpected("`structure`, `signature`, `functor`, `library`, `group`, `source` or `is`");
                self.next();
            }
        }
        if *self.token() == Tok::End {
            self.unexpected("`is`");
        } else {
            self.next();
        }
        description.exports = (description.library || !exports.is_empty()).then_some(exports);
        while *self.token() != Tok::End {
            description.members.extend(self.member());
        }
        description
    }

    /// An export set with its operators.
    fn export(&mut self) -> Option<Export> {
        let mut left = self.export_atom()?;
        while let Tok::Text(text) = self.token()
            && matches!(text.as_str(), "-" | "*")
        {
            let minus = text == "-";
            self.next();
            let right = Box::new(self.export_atom()?);
            left = if minus { Export::Minus(Box::new(left), right) } else { Export::Both(Box::new(left), right) };
        }
        Some(left)
    }

    fn export_atom(&mut self) -> Option<Export> {
        if *self.token() == Tok::Open {
            self.next();
            let mut exports = Vec::new();
            self.depth += 1;
            while !matches!(self.token(), Tok::Close | Tok::End) && self.depth < 1000 {
                exports.push(self.export()?);
            }
            self.depth -= 1;
            if !self.opt(&Tok::Close) {
                self.unexpected("`)`");
                self.at = self.tokens.len() - 1;
            }
            return Some(Export::All(exports));
        }
        let word = keyword(self.token())?;
        let kind = match word {
            "structure" => Some(ModuleKind::Structure),
            "signature" => Some(ModuleKind::Signature),
            // Functor signatures are SML/NJ's own.
            "functor" | "funsig" => Some(ModuleKind::Functor),
            _ => None,
        };
        if word == "is" || word == "alias" {
            return None;
        }
        self.next();
        let span = self.span();
        if let Some(kind) = kind {
            return match self.next() {
                Tok::Text(text) => Some(Export::Name(kind, Name { symbol: Symbol::intern(&text), span })),
                _ => {
                    self.at -= 1;
                    self.unexpected(&format!("the name of a {word}"));
                    None
                }
            };
        }
        if !self.opt(&Tok::Open) {
            self.unexpected("`(`");
            return None;
        }
        let all = word != "library" && self.opt(&Tok::Text("-".to_string()));
        let path = if all { None } else { Some(self.path()?) };
        let binds = self.options();
        if !self.opt(&Tok::Close) {
            self.unexpected("`)`");
        }
        Some(match path {
            path if word == "source" => Export::Source(path, span),
            Some(path) => Export::Description(path, binds, span),
            None => Export::Groups,
        })
    }

    fn path(&mut self) -> Option<String> {
        match self.token().clone() {
            Tok::Text(path) | Tok::Quoted(path) => {
                self.next();
                Some(path)
            }
            _ => {
                self.unexpected("the name of a file");
                None
            }
        }
    }

    /// `path : class (options)`
    fn member(&mut self) -> Option<Member> {
        let span = self.span();
        let Some(path) = self.path() else {
            self.next();
            return None;
        };
        let mut class = None;
        if self.opt(&Tok::Colon) {
            class = self.path().map(|class| class.to_ascii_lowercase());
        }
        let binds = self.options();
        Some(Member { path, class, binds, span })
    }

    /// `(option option ...)`, any number of times: the `bind` options of it. An option is a word, or a word, a colon, and a
    /// path or options in brackets.
    fn options(&mut self) -> Vec<Bind> {
        let mut binds = Vec::new();
        while *self.token() == Tok::Open {
            let start = self.at;
            self.skip_parentheses();
            // A bracket that is not closed has been told of.
            let close = if self.tokens[self.at - 1].0 == Tok::Close { self.at - 1 } else { self.at };
            let mut at = start + 1;
            while at < close {
                if !self.begins_bind(at) {
                    at += 1;
                    continue;
                }
                let text = |i: usize| match &self.tokens[i].0 {
                    Tok::Text(text) | Tok::Quoted(text) => Some(text.clone()),
                    _ => None,
                };
                let word = |i: usize, word: &str| matches!(&self.tokens[i].0, Tok::Text(text) if text == word);
                let colon = |i: usize| self.tokens[i].0 == Tok::Colon;
                // bind : ( anchor : NAME value : PATH )
                let whole = at + 9 < self.tokens.len()
                    && self.tokens[at + 2].0 == Tok::Open
                    && word(at + 3, "anchor")
                    && colon(at + 4)
                    && word(at + 6, "value")
                    && colon(at + 7)
                    && self.tokens[at + 9].0 == Tok::Close;
                match (whole.then(|| text(at + 5)).flatten(), whole.then(|| text(at + 8)).flatten()) {
                    (Some(anchor), Some(value)) => {
                        let anchor = anchor.trim_start_matches('$').to_string();
                        binds.push(Bind { anchor, value });
                        at += 10;
                    }
                    _ => {
                        let message = "this `bind` has another form than `bind:(anchor:NAME value:PATH)`";
                        self.errors.push(Diagnostic::error("unit/syntax", self.tokens[at].1, message));
                        at += 2;
                    }
                }
            }
        }
        binds
    }

    fn begins_bind(&self, at: usize) -> bool {
        matches!(&self.tokens[at].0, Tok::Text(text) if text == "bind")
            && self.tokens.get(at + 1).is_some_and(|token| token.0 == Tok::Colon)
    }

    fn skip_parentheses(&mut self) {
        let (start, mut depth) = (self.span(), 0);
        loop {
            match self.next() {
                Tok::Open => depth += 1,
                Tok::Close => depth -= 1,
                Tok::End => {
                    self.errors.push(Diagnostic::error("unit/syntax", start, "this `(` is not closed"));
                    return;
                }
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library() {
        let text = "(* c *)\nLibrary (1.2)\n  structure A signature B (library($/x.cm) - structure C)\n source(-) is\n\
            #if defined(SMLNJ_VERSION) andalso (SMLNJ_VERSION * 100 + SMLNJ_MINOR_VERSION >= 11030)\n  $/basis.cm\n\
            #else\n  old.sml\n#endif\n  a.sml : sml (lrsplit: 0)\n  \"b c.grm\":mlyacc\n";
        let (d, errors) = parse(FileId(0), text);
        assert!(errors.is_empty(), "{errors:?}");
        assert!(d.library);
        assert_eq!(d.exports.unwrap().len(), 4);
        let members: Vec<_> = d.members.iter().map(|m| (m.path.as_str(), m.class.as_deref())).collect();
        assert_eq!(members, [("$/basis.cm", None), ("a.sml", Some("sml")), ("b c.grm", Some("mlyacc"))]);
        assert_eq!(&text[d.members[1].span.lo as usize..d.members[1].span.hi as usize], "a.sml");
    }

    /// In a part that is hidden, conditions and directives that nobody knows were told of.
    #[test]
    fn hidden_directives() {
        let text = "Group is\n#if 0\n#if 1\n#elif (\n  a.sml\n#else\n  b.sml\n#endif\n#pragma x\n#endif\n  c.sml\n";
        let (d, errors) = parse(FileId(0), text);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(d.members.iter().map(|m| m.path.as_str()).collect::<Vec<_>>(), ["c.sml"]);
    }

    #[test]
    fn conditions() {
        for (text, value) in [
            ("defined(NOBODY) andalso NOBODY > 3", Ok(false)),
            ("!defined(NOBODY) && SMLNJ_VERSION >= 110 || NOBODY", Ok(true)),
            ("1 + 2 * 3 = 7 andalso not (1 == 2)", Ok(true)),
            ("NOBODY", Ok(false)),
            ("NOBODY = 0 andalso NOBODY + 1 = 1", Ok(true)),
            ("1 div 0", Err("this condition has no value".to_string())),
            ("(1", Err("a `)` is missing in this condition".to_string())),
            ("", Err("the condition is not complete".to_string())),
        ] {
            assert_eq!(condition(text), value, "{text}");
        }
    }

    #[test]
    fn bindings() {
        let text = "Group library(b.cm (bind:(anchor:x value:y))) is a.cm (version:1.2 bind:(anchor:lib value:$my/lib)\n\
            bind:(anchor:u value:\"/a b\")) c.sml (bind) b.cm:cm (bind:(anchor:x value:y))";
        let (d, errors) = parse(FileId(0), text);
        assert!(errors.is_empty(), "{errors:?}");
        let bind = |anchor: &str, value: &str| Bind { anchor: anchor.to_string(), value: value.to_string() };
        assert_eq!(d.members[0].binds, [bind("lib", "$my/lib"), bind("u", "/a b")]);
        assert_eq!((&d.members[1].binds[..], &d.members[2].binds[..]), (&[][..], &[bind("x", "y")][..]));
        assert!(matches!(&d.exports.unwrap()[..], [Export::Description(_, binds, _)] if *binds == [bind("x", "y")]));
        for text in ["a.cm (bind:x)", "a.cm (bind:(anchor:x))", "a.cm (bind:(value:y anchor:x))", "a.cm (bind:"] {
            assert_eq!(
                parse(FileId(0), &format!("Group is {text}")).1.len(),
                1 + usize::from(text.ends_with(':')),
                "{text}"
            );
        }
    }

    #[test]
    fn groups() {
        for text in ["Group is a.sml", "GROUP (owner.cm) is a.sml", "group is\na.sml", "Group structure A is a.sml"] {
            let (d, errors) = parse(FileId(0), text);
            assert!(errors.is_empty() && d.members.len() == 1, "{text}: {errors:?}");
        }
        assert_eq!(parse(FileId(0), "alias $/x.cm").0.alias.unwrap().0, "$/x.cm");
    }

    /// A mark was taken for a part of the first word, and nobody saw in the message what was wrong with that.
    #[test]
    fn a_byte_order_mark() {
        for text in [
            "\u{FEFF}Group is a.sml",
            "\u{FEFF}#!/usr/bin/env leat\ngroup is a.sml",
            "\u{FEFF}#if 1\ngroup is\n#endif\na.sml",
        ] {
            let (d, errors) = parse(FileId(0), text);
            assert!(errors.is_empty(), "{text}: {errors:?}");
            assert_eq!(&text[d.members[0].span.lo as usize..d.members[0].span.hi as usize], "a.sml");
        }
    }

    #[test]
    fn mistakes() {
        let errors = |text: &str| -> Vec<String> { parse(FileId(0), text).1.into_iter().map(|d| d.message).collect() };
        assert_eq!(
            errors("a.sml"),
            ["expected `Group`, `Library` or `Alias`, found `a.sml`", "expected `is`, found the end of the file"]
        );
        assert_eq!(
            errors("Group is\n#if 1 div X\na.sml\n"),
            ["this condition has no value", "this `#if` has no `#endif`"]
        );
        assert_eq!(
            errors("Group is\n#endif\n#foo"),
            ["there is no `#if` before this `#endif`", "there is no directive `#foo`"]
        );
        assert_eq!(errors("Group is (* a.sml"), ["this comment has no end"]);
        // `is` is taken for the structure's name.
        assert_eq!(errors("Group structure is a.sml").len(), 2);
        assert_eq!(errors(&format!("Library {} is", "(".repeat(100_000))).len(), 2);
    }
}
