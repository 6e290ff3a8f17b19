//! A text with syntax errors -> those top-level declarations in the style that can be read alone; the rest as it is,
//! byte for byte.
//!
//! The parser goes on behind an error; which declarations it then finds is a guess. So each must be one declaration
//! when it is read alone, and begin its line. Neighbours with nothing but blanks, comments and semicolons between them
//! are formatted together.

use crate::{Error, Formatted, OPTIONS, parse, trivia::Trivia, uses_crlf, verify, with_crlf};
use leat_ast::{DecKind, FixityEnv, TokenKind as T};
use leat_base::{Diagnostic, FileId, diagnostic::has_errors};
use std::ops::Range;

/// A text of which not everything could be formatted.
#[derive(Clone, Debug)]
pub struct Partly {
    pub text: String,
    /// Why not: its syntax errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// A text in the style; where it has syntax errors, what can be read of it. Never answers [`Error::Syntax`].
pub fn format_partly(file: FileId, text: &str, fixity: &FixityEnv) -> Result<Partly, Error> {
    let diagnostics = match Formatted::new(file, text, fixity) {
        Ok(formatted) => return Ok(Partly { text: formatted.text, diagnostics: vec![] }),
        Err(Error::Syntax(diagnostics)) => diagnostics,
        Err(defect) => return Err(defect),
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, formatted) in pieces(file, text, fixity) {
        out.push_str(&text[at..range.start]);
        out.push_str(&formatted.text);
        at = range.end;
    }
    out.push_str(&text[at..]);
    let tokens = leat_ast::tokens(text, &OPTIONS);
    let trivia = Trivia::new(text, &tokens);
    verify::same_words((text, &tokens, &trivia), &out).map_err(Error::Defect)?;
    Ok(Partly { text: out, diagnostics })
}

/// The parts of the text that can be formatted, in order, and what they become, without a line end behind them.
pub(crate) fn pieces(file: FileId, text: &str, fixity: &FixityEnv) -> Vec<(Range<usize>, Formatted)> {
    let (program, _) = parse(file, text, fixity);
    let mut fixity = fixity.clone();
    // With what is infix at their beginnings.
    let mut runs: Vec<(Range<usize>, FixityEnv)> = vec![];
    let mut is_open = false;
    for &dec in &program.decs {
        let dec = &program.ast[dec];
        let range = dec.span.lo as usize..dec.span.hi as usize;
        let before = fixity.clone();
        let is_good = !matches!(dec.kind, DecKind::Error) && is_declaration(file, &text[range.clone()], &mut fixity);
        match runs.last_mut() {
            Some((run, _)) if is_good && is_open && is_gap(&text[run.end..range.start]) => run.end = range.end,
            _ if is_good && begins_line(text, range.start) => runs.push((range, before)),
            _ => {
                is_open = false;
                continue;
            }
        }
        is_open = true;
    }
    let crlf = uses_crlf(text);
    let formatted = runs.into_iter().filter_map(|(range, fixity)| {
        let piece = &text[range.clone()];
        let mut formatted = Formatted::new(file, piece, &fixity).ok()?;
        if crlf && !uses_crlf(piece) {
            let (text, places) = with_crlf(&formatted.text, formatted.places);
            formatted = Formatted { text, places };
        }
        formatted.text.truncate(formatted.text.trim_end_matches(['\r', '\n']).len());
        Some((range, formatted))
    });
    formatted.collect()
}

/// Is it one declaration without errors? Adds what it declares to be infix.
fn is_declaration(file: FileId, text: &str, fixity: &mut FixityEnv) -> bool {
    let mut after = fixity.clone();
    let (program, diagnostics) = leat_ast::parse(file, text, &OPTIONS, &mut after);
    let is_one = program.decs.len() == 1 && !has_errors(&diagnostics);
    if is_one {
        *fixity = after;
    }
    is_one
}

/// Nothing but blanks, comments and semicolons?
fn is_gap(text: &str) -> bool {
    leat_ast::tokens(text, &OPTIONS).iter().all(|token| matches!(token.kind, T::Semi | T::Eof))
}

fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n') || &text[..at] == "\u{FEFF}"
}
