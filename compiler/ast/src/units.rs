//! Where the units of a prompt's or a file's text end: at each semicolon that stands inside of nothing.
//! Also which of its declarations ask for a description, as SML/NJ's programs do.
//!
//! Text -> the end of its first unit. No grammar, only what opens and closes: brackets, comments, and words up to
//! `end`.

use std::ops::Range;

use crate::lexer::{self, Lexed};
use crate::token::T;
use leat_base::{Diagnostic, FileId};

/// What the text from a place on begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// A unit that ends here, with its semicolon.
    Unit(usize),
    /// The beginning of a unit, perhaps all of it but the semicolon.
    Open,
    /// Nothing but space and comments, up to the end.
    Nothing,
}

/// Looks for the end of the unit that begins at byte `from`.
pub fn next(text: &str, from: usize) -> Next {
    // No token behind the unit is read: a file of many units would be read once for each of them.
    let (mut depth, mut end) = (0, None);
    let lexed = lexer::lex_up_to(FileId::NONE, text, (from, 0), false, 64, |token| {
        depth = depth_after(token.kind, depth);
        let ends = token.kind == T::Semi && depth == 0;
        if ends {
            end = Some(token.hi as usize);
        }
        ends
    });
    match end {
        Some(end) => Next::Unit(end),
        None if lexed.tokens[0].kind == T::Eof && !has_open_comment(&lexed, text) => Next::Nothing,
        None => Next::Open,
    }
}

fn has_open_comment(lexed: &Lexed, text: &str) -> bool {
    lexed.diagnostics.iter().any(|d| opens_comment(d, text))
}

fn opens_comment(d: &Diagnostic, text: &str) -> bool {
    d.code == "syntax/comment" && &text[d.span.lo as usize..d.span.hi as usize] == "(*"
}

/// Whether lines that come later may change the tokens that a message is about: a comment that is open, a constant with
/// a gap or without its end.
fn may_go_on(d: &Diagnostic, text: &str) -> bool {
    opens_comment(d, text) || d.code == "syntax/string"
}

/// A text that grows by whole lines, as somebody types it.
#[derive(Default)]
pub struct Growing {
    text: String,
    /// Up to here no line that is added later can change the tokens; how much is open there.
    read: usize,
    depth: usize,
    /// Parentheses alone: what `*)` means depends on them.
    parens: usize,
    /// Is there a token behind the last unit, or where none is, at all?
    is_open: bool,
    has_unit: bool,
}

/// How far a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Space and comments.
    Nothing,
    /// Its end belongs to a unit whose semicolon is missing, or to a comment.
    Open,
    /// Units, and nothing behind the last of them.
    Whole,
}

impl Growing {
    /// Adds a line; its time is that of the line, whatever was added before, where no comment is open.
    pub fn add(&mut self, line: &str) -> Standing {
        self.text.push_str(line);
        let (mut at, mut depth, mut parens) = (self.read, self.depth, self.parens);
        let (mut is_open, mut has_unit) = (self.is_open, self.has_unit);
        let mut goes_on = false;
        // Unit by unit, since each begins with nothing open.
        let last = loop {
            let mut end = None;
            let lexed = lexer::lex_up_to(FileId::NONE, &self.text, (at, parens), false, 64, |token| {
                depth = depth_after(token.kind, depth);
                match token.kind {
                    T::LParen => parens += 1,
                    T::RParen => parens = parens.saturating_sub(1),
                    _ => {}
                }
                is_open = token.kind != T::Semi || depth > 0;
                if !is_open {
                    end = Some(token.hi as usize);
                }
                !is_open
            });
            goes_on |= lexed.diagnostics.iter().any(|d| may_go_on(d, &self.text));
            let Some(end) = end else { break lexed };
            (at, parens, has_unit) = (end, 0, true);
        };
        if !goes_on && self.text.ends_with('\n') {
            (self.read, self.depth, self.parens) = (self.text.len(), depth, parens);
            (self.is_open, self.has_unit) = (is_open, has_unit);
        }
        match (is_open || has_open_comment(&last, &self.text), has_unit) {
            (true, _) => Standing::Open,
            (false, true) => Standing::Whole,
            (false, false) => Standing::Nothing,
        }
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes the text away, and begins again.
    pub fn take(&mut self) -> String {
        std::mem::take(self).text
    }
}

/// How many brackets and words up to `end` are open behind a token.
pub fn depth_after(kind: T, depth: usize) -> usize {
    match kind {
        T::Let | T::Local | T::Struct | T::Sig | T::Abstype | T::LParen | T::LBrack | T::LBrace => depth + 1,
        T::End | T::RParen | T::RBrack | T::RBrace => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The file, if the text is one unit and that is `use "file"`, `val _ = use "file"` or `val () = use "file"`.
pub fn used_file(text: &str) -> Option<String> {
    if !text.contains("use") {
        return None;
    }
    let lexed = lexer::lex_from(FileId::NONE, text, 0, false);
    let kinds: Vec<T> = lexed.tokens.iter().map(|token| token.kind).collect();
    let mut at = match kinds[..] {
        [T::Val, T::Wild, T::Equals, ..] => 3,
        [T::Val, T::LParen, T::RParen, T::Equals, ..] => 4,
        _ => 0,
    };
    let function = lexed.tokens.get(at)?;
    if function.kind != T::Alpha || &text[function.lo as usize..function.hi as usize] != "use" {
        return None;
    }
    at += 1;
    let (constant, end) = match kinds[at..] {
        [T::LParen, T::String, T::RParen, ..] => (at + 1, at + 3),
        [T::String, ..] => (at, at + 1),
        _ => return None,
    };
    if kinds[end..].iter().any(|kind| !matches!(kind, T::Semi | T::Eof)) || !lexed.diagnostics.is_empty() {
        return None;
    }
    String::from_utf8(lexed.strings[lexed.tokens[constant].value as usize].to_vec()).ok()
}

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// `CM.make "$/regexp-lib.cm";`: a description, of SML/NJ's compilation manager.
    Description,
    /// `use "file.sml";`: a source, to be read as if it stood there.
    File,
}

/// A declaration that asks for a description or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub kind: Asked,
    /// The description's name, and the place of its constant.
    pub name: String,
    pub place: Range<usize>,
    /// The whole declaration, with the semicolon behind it.
    pub part: Range<usize>,
}

/// The requests at the top level of a text, in order: `CM.make "x";` and `val _ = CM.make "x"`, also `autoload`,
/// `recomp`, and `use "x";`.
pub fn requests(text: &str) -> Vec<Request> {
    let mut found = Vec::new();
    if !text.contains("CM.") && !text.contains("use") {
        return found;
    }
    let lexed = lexer::lex_from(FileId::NONE, text, 0, false);
    let (mut depth, mut i) = (0, 0);
    // An expression is a declaration at the beginning and behind a semicolon.
    let mut fresh = true;
    while let Some(token) = lexed.tokens.get(i) {
        if let Some((request, after)) = request(&lexed, i, fresh).filter(|_| depth == 0) {
            found.push(request);
            (i, fresh) = (after, true);
            continue;
        }
        depth = depth_after(token.kind, depth);
        fresh = token.kind == T::Semi;
        i += 1;
    }
    found
}

/// The request that begins with token `i`, and the token behind it.
fn request(lexed: &Lexed, i: usize, fresh: bool) -> Option<(Request, usize)> {
    let kind = |i: usize| lexed.tokens.get(i).map_or(T::Eof, |token| token.kind);
    let bound = [kind(i), kind(i + 1), kind(i + 2)] == [T::Val, T::Wild, T::Equals];
    let call = if bound { i + 3 } else { i };
    if !(bound || fresh) {
        return None;
    }
    let asked = match kind(call) {
        T::Long => {
            let (qualifiers, function) = &lexed.longs[lexed.tokens[call].value as usize];
            let cm = matches!(&**qualifiers, [cm] if cm.as_str() == "CM");
            (cm && matches!(function.as_str(), "make" | "autoload" | "recomp")).then_some(Asked::Description)
        }
        T::Alpha => (leat_base::Symbol(lexed.tokens[call].value).as_str() == "use").then_some(Asked::File),
        _ => None,
    }?;
    let (constant, end) = match [kind(call + 1), kind(call + 2), kind(call + 3)] {
        [T::LParen, T::String, T::RParen] => (call + 2, call + 4),
        [T::String, ..] => (call + 1, call + 2),
        _ => return None,
    };
    let ends = match kind(end) {
        T::Semi | T::Eof => true,
        kind => bound && kind.starts_dec(),
    };
    if !ends {
        return None;
    }
    let string = lexed.tokens[constant];
    let name = String::from_utf8(lexed.strings[string.value as usize].to_vec()).ok()?;
    let after = if kind(end) == T::Semi { end + 1 } else { end };
    let part = lexed.tokens[i].lo as usize..lexed.tokens[after - 1].hi as usize;
    Some((Request { kind: asked, name, place: string.lo as usize..string.hi as usize, part }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_end_at_outer_semicolons() {
        for (text, expected) in [
            ("", Next::Nothing),
            ("  (* nothing; *)\n", Next::Nothing),
            ("val x = 1", Next::Open),
            ("val x = 1; val", Next::Unit(10)),
            (";", Next::Unit(1)),
            ("(a; b); c;", Next::Unit(7)),
            ("let val x = 1; in x; x end;", Next::Unit(27)),
            ("structure S = struct val x = 1; end", Next::Open),
            ("local val x = 1; in val y = 2; end; z", Next::Unit(35)),
            ("val s = \";\";", Next::Unit(12)),
            ("1 (* ; *", Next::Open),
            ("(* ; *", Next::Open),
            ("abstype t = A with val x = A; end;", Next::Unit(34)),
            ("end;", Next::Unit(4)),
        ] {
            assert_eq!(next(text, 0), expected, "{text}");
        }
        assert_eq!(next("val x = 1; y;", 10), Next::Unit(13));
    }

    /// What `Growing` says of lines is what `next` says of them together.
    #[test]
    fn lines_are_whole_when_their_units_are() {
        let pieces = [
            "val x = 1",
            ";",
            "(* c",
            "*)",
            "let",
            "in x end",
            "\"a\\",
            "\\b\"",
            "",
            "# \"",
            "1; 2",
            "end",
            "(",
            "op *) 1",
            ")",
            "(end; *)",
        ];
        let mut seed = 7u64;
        for _ in 0..4000 {
            let (mut growing, mut text) = (Growing::default(), String::new());
            for _ in 0..6 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let line = format!("{}\n", pieces[(seed >> 33) as usize % pieces.len()]);
                text.push_str(&line);
                let (mut at, mut units) = (0, false);
                let expected = loop {
                    match next(&text, at) {
                        Next::Unit(end) => (at, units) = (end, true),
                        Next::Open => break Standing::Open,
                        Next::Nothing => break if units { Standing::Whole } else { Standing::Nothing },
                    }
                };
                assert_eq!(growing.add(&line), expected, "{text}");
            }
        }
    }

    /// What is wrong in one line does not concern the next one, unless it may go on there. All lines behind it were
    /// read again with each line.
    #[test]
    fn a_line_with_a_mistake_is_read_once() {
        for (line, goes_on) in [
            ("val x = 1 ? 2\n", false),
            ("val x = \"\\q\"\n", false),
            ("val x = \u{1}\n", false),
            ("val x = 1 (* and\n", true),
            ("val x = \"a\\\n", true),
        ] {
            let mut growing = Growing::default();
            growing.add(line);
            assert_eq!(growing.read, if goes_on { 0 } else { line.len() }, "{line}");
        }
    }

    /// A comment before it had hidden it: the unit was compared as text.
    #[test]
    fn used_files_are_seen_behind_comments() {
        for text in [
            "use \"b.sml\"",
            "(* version 1 *)\n\nuse \"b.sml\";",
            "  use(* (* ; *) *) ( \"b.\\115ml\" ) ; (* done *) ",
            "val _ = use \"b.sml\"",
            "val(* c *)() = use \"b.sml\";",
        ] {
            assert_eq!(used_file(text).as_deref(), Some("b.sml"), "{text}");
        }
        for text in [
            "use \"b.sml\" handle _ => ()",
            "use b",
            "f (use \"b.sml\")",
            "val use = \"b.sml\"",
            "S.use \"b.sml\"",
            "user \"b.sml\"",
            "(* use \"b.sml\" *)",
            "use \"b.sml",
            "use \"a\\qb.sml\"",
        ] {
            assert_eq!(used_file(text), None, "{text}");
        }
    }

    #[test]
    fn requests_are_declarations_of_their_own() {
        let names = |text: &str| requests(text).into_iter().map(|request| request.name).collect::<Vec<_>>();
        assert_eq!(names("(* CM.make \"no\"; *) CM.make \"a\"; val x = 1; CM.autoload (\"b\"); x"), ["a", "b"]);
        assert_eq!(
            names("val x = 1 val _ = CM.make \"a\" val _ = CM.recomp \"b\" fun f x = x;CM.make \"c\""),
            ["a", "b", "c"]
        );
        for text in [
            "val x = CM.make \"a\";",
            "f CM.make \"a\";",
            "CM.make \"a\" andalso b;",
            "val _ = CM.make \"a\" handle _ => false",
            "let val _ = CM.make \"a\" in () end;",
            "(CM.make \"a\"; ());",
            "CM.make name;",
            "CML.make \"a\"; CM.stabilize \"a\";",
            "CM.make",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
        let kinds: Vec<Asked> = requests("use \"a\"; val u = use (* *) CM.make \"b\"; val _ = use (\"c\")")
            .into_iter()
            .map(|request| request.kind)
            .collect();
        assert_eq!(kinds, [Asked::File, Asked::File]);
        let text = " CM.make \"a\" ; val x = 1";
        assert_eq!(&text[requests(text)[0].part.clone()], "CM.make \"a\" ;");
        assert_eq!(&text[requests(text)[0].place.clone()], "\"a\"");
    }
}
