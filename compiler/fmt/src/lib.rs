//! Source text -> the same program in the one style of `leat fmt`.
//!
//! From: text. To: the same tokens and comments in the same order, with other blanks and line ends between them. A
//! comma or semicolon that stood behind a comment may stand before it; nothing else moves.
//!
//! What is kept of the text's own layout: empty lines (one of several), and whether a construct of several parts
//! (`let`, `case`, `if`, a row of operators, a record, ...) was on one line.
//!
//! Invariants, checked by [`verify`] before a text is answered:
//! - F1: the tokens are the same, and so are the nodes of the Ast;
//! - F2: the comments are the same in the same order, the blanks at the beginnings and ends of their lines apart.
//!
//! That a second run changes nothing is not checked each time; the tests do it.
//!
//! Reading order: `trivia.rs`, `build.rs` and its folder, `doc.rs`, `verify.rs`, `edits.rs`, `partly.rs`.

mod build;
mod doc;
mod edits;
mod partly;
mod trivia;
mod verify;

pub use edits::Edit;
pub use leat_ast::FixityEnv;
/// How bytes become the text that is formatted.
pub use leat_ast::decode;
pub use partly::{Partly, format_partly};

use leat_ast::{ParseOptions, Program, Token};
use leat_base::{Diagnostic, FileId, diagnostic::has_errors};
use std::ops::Range;

/// Why a text was not formatted.
#[derive(Clone, Debug)]
pub enum Error {
    /// It has syntax errors.
    Syntax(Vec<Diagnostic>),
    /// A defect of the formatter: the result would have been another program.
    Defect(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Syntax(diagnostics) => write!(f, "{} syntax errors", diagnostics.len()),
            Error::Defect(message) => write!(f, "a defect of leat fmt: {message}"),
        }
    }
}

/// The text in the style of `leat fmt`.
///
/// ```
/// assert_eq!(leat_fmt::format("val x=1(* one *)\n\n\n").unwrap(), "val x = 1 (* one *)\n");
/// ```
pub fn format(text: &str) -> Result<String, Error> {
    format_in(FileId::NONE, text, &FixityEnv::basis())
}

/// The same where these operators are infix at the beginning, with places of `file` in the diagnostics.
pub fn format_in(file: FileId, text: &str, fixity: &FixityEnv) -> Result<String, Error> {
    Ok(Formatted::new(file, text, fixity)?.text)
}

/// What to change in a text for the lines of a range (in bytes) to be in the style: the blanks between tokens that
/// differ. In a text with syntax errors, those of the declarations that can be read.
pub fn format_range(text: &str, range: Range<usize>, fixity: &FixityEnv) -> Result<Vec<Edit>, Error> {
    edits::of_range(text, range, fixity)
}

/// The least changes that make the text what [`format`] or [`format_partly`] answers: each is of the blanks between two
/// tokens.
pub fn edits(text: &str, fixity: &FixityEnv) -> Result<Vec<Edit>, Error> {
    edits::of_range(text, 0..text.len(), fixity)
}

/// Adds what a text declares to be infix at its top level.
pub fn add_infixes(text: &str, fixity: &mut FixityEnv) {
    if text.contains("infix") {
        leat_ast::parse(FileId::NONE, text, &OPTIONS, fixity);
    }
}

/// Library sources have `_prim`; whoever formats a text needs no leave for it.
const OPTIONS: ParseOptions = ParseOptions { allow_prim: true };

/// A text and what it became.
struct Formatted {
    text: String,
    /// Where each token and comment began in the text, and where it begins now.
    places: Vec<(u32, u32)>,
}

impl Formatted {
    fn new(file: FileId, text: &str, fixity: &FixityEnv) -> Result<Formatted, Error> {
        let (program, diagnostics) = parse(file, text, fixity);
        if has_errors(&diagnostics) {
            return Err(Error::Syntax(diagnostics));
        }
        let tokens = leat_ast::tokens(text, &OPTIONS);
        Formatted::of(&program, text, &tokens, fixity)
    }

    fn of(program: &Program, text: &str, tokens: &[Token], fixity: &FixityEnv) -> Result<Formatted, Error> {
        let trivia = trivia::Trivia::new(text, tokens).with_separators_first(tokens);
        let mut builder = build::Builder::new(program, text, tokens, &trivia);
        let root = builder.program(&program.decs);
        if builder.lost {
            return Err(Error::Defect("the tree and the tokens of the text differ".to_string()));
        }
        // The end of a script's first line is one as all others: `with_crlf` makes it whole.
        let head = text[..trivia.head].trim_end_matches('\r');
        let (out, places) = doc::layout(&builder.docs, root, text, head);
        let (out, places) = if uses_crlf(text) { with_crlf(&out, places) } else { (out, places) };
        verify::verify(program, (text, tokens, &trivia), &out, fixity).map_err(Error::Defect)?;
        Ok(Formatted { text: out, places })
    }
}

fn parse(file: FileId, text: &str, fixity: &FixityEnv) -> (Program, Vec<Diagnostic>) {
    leat_ast::parse(file, text, &OPTIONS, &mut fixity.clone())
}

/// The text with line ends as on Windows, and where the places are then.
fn with_crlf(text: &str, places: Vec<(u32, u32)>) -> (String, Vec<(u32, u32)>) {
    let ends: Vec<usize> = text.match_indices('\n').map(|(i, _)| i).collect();
    let moved = |at: u32| at + ends.partition_point(|&end| end < at as usize) as u32;
    (text.replace('\n', "\r\n"), places.into_iter().map(|(old, new)| (old, moved(new))).collect())
}

/// Does the first line end as on Windows?
fn uses_crlf(text: &str) -> bool {
    text.find('\n').is_some_and(|i| text[..i].ends_with('\r'))
}
