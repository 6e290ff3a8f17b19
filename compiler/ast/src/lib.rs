//! Source text -> tokens -> Ast.
//!
//! From: UTF-8 text ([`decode`] makes it of any bytes). To: a [`Program`], always, and all syntax
//! errors of the text. The fixity environment goes in and comes out changed, so that the next
//! file or line of the REPL continues it.
//!
//! Invariants: those that the head of [`ir`] lists (A1 to A5); every node has the place of its
//! text; a child is made before its parent, so an expression's id is greater than those of the
//! expressions in it; no path through the tree is longer than [`LONGEST_PATH`].
//!
//! Reading order: `ir.rs`, `token.rs`, `lexer.rs`, `fixity.rs`, `parser.rs` and its folder,
//! `visit.rs`, `print.rs`, `habits.rs`.
//!
//! ```
//! use leat_ast::{FixityEnv, ParseOptions, parse, print};
//! let (mut fixity, start) = (FixityEnv::basis(), FixityEnv::basis());
//! let (program, errors) = parse(leat_base::FileId(0), "val x=1+2*3", &ParseOptions::default(), &mut fixity);
//! assert!(errors.is_empty());
//! assert_eq!(print::print(&program, &start), "val x = 1 + 2 * 3\n");
//! ```

mod digits;
mod fixity;
pub mod habits;
pub mod ir;
mod lexer;
mod parser;
pub mod print;
mod token;
pub mod units;
mod visit;

pub use fixity::FixityEnv;
pub use ir::*;
pub use parser::DEEPEST;
pub use token::{T as TokenKind, Token};
pub use visit::{LONGEST_PATH, Node};

use leat_base::{Diagnostic, FileId};

/// What a text may contain beyond Standard ML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// `_prim "name" : ty` is an expression (sources of the library).
    pub allow_prim: bool,
}

/// Parses a text. There is always a program; where a diagnostic was given, an `Error` node may
/// stand in it. A first line that begins with `#!` is skipped. Texts nested up to [`DEEPEST`]
/// levels need 40 MB of stack.
pub fn parse(file: FileId, text: &str, opts: &ParseOptions, fixity: &mut FixityEnv) -> (Program, Vec<Diagnostic>) {
    parse_part(file, text, 0..text.len(), opts, fixity)
}

/// Parses a part of a text, as [`units::next`] has found it; places are those in the whole.
pub fn parse_part(
    file: FileId,
    text: &str,
    part: std::ops::Range<usize>,
    opts: &ParseOptions,
    fixity: &mut FixityEnv,
) -> (Program, Vec<Diagnostic>) {
    let text = &text[..part.end];
    let lexed = lexer::lex_from(file, text, part.start, opts.allow_prim);
    let (mut program, mut diagnostics) = parser::parse_tokens(file, text, lexed, fixity);
    diagnostics.extend(visit::limit_depth(&mut program));
    (program, diagnostics)
}

/// The text of a source file's bytes. Each byte that is not UTF-8 becomes a character for private use. In a string or
/// character constant it is that byte again, with a warning (old sources are in Latin-1); a comment may hold it, too;
/// elsewhere `parse` reports it.
pub fn decode(bytes: Vec<u8>) -> String {
    // The first byte of all characters that stand for bytes.
    const FIRST: u8 = 0xF4;
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !text.as_bytes().contains(&FIRST) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // One that the text itself has is not to be taken for a byte: its own bytes are.
            match leat_base::source::substituted(c) {
                None => out.push(c),
                Some(_) => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(leat_base::source::substitute)),
            }
        }
        out.extend(chunk.invalid().iter().map(|&byte| leat_base::source::substitute(byte)));
    }
    out
}

/// The tokens of a text, the last of them `Eof`. What stands between two of them is blanks and comments, if `parse`
/// finds no error in the text.
pub fn tokens(text: &str, opts: &ParseOptions) -> Vec<Token> {
    lexer::lex(FileId::NONE, text, opts.allow_prim).tokens
}

/// The tokens of a text, one a line with its place and kind: for `--dump=tokens`.
pub fn dump_tokens(text: &str, opts: &ParseOptions) -> String {
    let mut out = String::new();
    for t in lexer::lex(FileId::NONE, text, opts.allow_prim).tokens {
        let spelling = text.get(t.lo as usize..t.hi as usize).unwrap_or("");
        out.push_str(&format!("{}..{} {:?} {spelling}\n", t.lo, t.hi, t.kind));
    }
    out
}

/// How many tokens a text has: the work of the lexer alone, for row D2 of the lab.
pub fn count_tokens(text: &str, opts: &ParseOptions) -> usize {
    lexer::lex(FileId::NONE, text, opts.allow_prim).tokens.len()
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens() {
        let text = super::dump_tokens("#! skipped\nfn x=>A.b", &super::ParseOptions::default());
        assert_eq!(text, "11..13 Fn fn\n14..15 Alpha x\n15..17 DArrow =>\n17..20 Long A.b\n20..20 Eof \n");
    }
}
