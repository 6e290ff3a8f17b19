//! The check before a text is answered: F1 and F2 of [`crate`].

use crate::trivia::Trivia;
use leat_ast::{Ast, FixityEnv, Program, Token, TokenKind as T};
use std::mem::discriminant;

/// Compares a text with what was made of it; the error says where they differ.
pub(crate) fn verify(
    program: &Program,
    old: (&str, &[Token], &Trivia),
    out: &str,
    fixity: &FixityEnv,
) -> Result<(), String> {
    let (again, diagnostics) = crate::parse(program.file, out, fixity);
    same_words(old, out)?;
    if leat_base::diagnostic::has_errors(&diagnostics) {
        return Err("F1: the result does not parse".to_string());
    }
    if !same_nodes(&program.ast, &again.ast) || program.ends != again.ends {
        return Err("F1: the result has another tree".to_string());
    }
    Ok(())
}

/// The same tokens and comments in the same order?
pub(crate) fn same_words((text, tokens, trivia): (&str, &[Token], &Trivia), out: &str) -> Result<(), String> {
    let new_tokens = leat_ast::tokens(out, &crate::OPTIONS);
    let new_trivia = Trivia::new(out, &new_tokens);
    same_tokens(text, tokens, out, &new_tokens)?;
    same_comments(text, trivia, out, &new_trivia)
}

/// The same nodes in the same order? What they are made of are the tokens, which have been compared.
fn same_nodes(a: &Ast, b: &Ast) -> bool {
    macro_rules! same {
        ($($arena:ident)*) => {
            $(a.$arena.len() == b.$arena.len()
                && a.$arena.iter().zip(b.$arena.iter()).all(|(a, b)| discriminant(&a.1.kind) == discriminant(&b.1.kind)))&&*
        };
    }
    same!(exps pats tys decs strexps sigexps specs)
}

fn slice(text: &str, lo: u32, hi: u32) -> &str {
    &text[lo as usize..hi as usize]
}

fn line_of(text: &str, at: u32) -> usize {
    text[..at as usize].matches('\n').count() + 1
}

fn same_tokens(text: &str, tokens: &[Token], out: &str, new: &[Token]) -> Result<(), String> {
    for (a, b) in tokens.iter().zip(new) {
        let (old, new) = (slice(text, a.lo, a.hi), slice(out, b.lo, b.hi));
        let same = a.kind == b.kind && (old == new || (a.kind == T::String && same_lines(old, new)));
        if !same {
            return Err(format!("F1: the token `{old}` of line {} became `{new}`", line_of(text, a.lo)));
        }
    }
    if tokens.len() != new.len() {
        return Err(format!("F1: {} tokens became {}", tokens.len(), new.len()));
    }
    Ok(())
}

fn same_comments(text: &str, trivia: &Trivia, out: &str, new: &Trivia) -> Result<(), String> {
    for (a, b) in trivia.comments.iter().zip(&new.comments) {
        let (old, new) = (slice(text, a.lo, a.hi), slice(out, b.lo, b.hi));
        if old != new && !same_lines(old, new) {
            return Err(format!("F2: the comment of line {} became another", line_of(text, a.lo)));
        }
    }
    if trivia.comments.len() != new.comments.len() {
        return Err(format!("F2: {} comments became {}", trivia.comments.len(), new.comments.len()));
    }
    Ok(())
}

/// The same lines, blanks at their beginnings and ends apart?
fn same_lines(a: &str, b: &str) -> bool {
    a.split('\n').map(str::trim).eq(b.split('\n').map(str::trim))
}
