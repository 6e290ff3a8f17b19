//! Where the units of a prompt's or a file's text end: at each semicolon that stands inside of nothing.
//!
//! Text -> the end of its first unit. No grammar, only what opens and closes: brackets, comments, and words up to `end`.

use crate::lexer;
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
    let lexed = lexer::lex_from(FileId::NONE, text, from, false);
    let opens_comment = |d: &Diagnostic| &text[d.span.lo as usize..d.span.hi as usize] == "(*";
    let is_open = lexed.diagnostics.iter().any(|d| d.code == "syntax/comment" && opens_comment(d));
    let mut depth = 0usize;
    for (i, token) in lexed.tokens.iter().enumerate() {
        match token.kind {
            T::Let | T::Local | T::Struct | T::Sig | T::Abstype | T::LParen | T::LBrack | T::LBrace => depth += 1,
            T::End | T::RParen | T::RBrack | T::RBrace => depth = depth.saturating_sub(1),
            T::Semi if depth == 0 => return Next::Unit(token.hi as usize),
            T::Eof if i == 0 && !is_open => return Next::Nothing,
            _ => {}
        }
    }
    Next::Open
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
}
