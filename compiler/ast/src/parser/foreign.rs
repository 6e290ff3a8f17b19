//! What other languages, and other implementations, write -> one message, and a place behind it where the parser goes
//! on.
//!
//! Braces around a function's body, declarations in it without `let`; and MLton's words for foreign functions.

use super::Parser;
use crate::ir::*;
use crate::token::T;
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};

/// MLton's words for foreign functions and for constants of the command line, without the underscore.
const FOREIGN: &[&str] =
    &["import", "export", "address", "symbol", "const", "build_const", "command_line_const", "overload", "prim"];

impl Parser<'_> {
    /// At `_import` or its like?
    pub(super) fn foreign_ahead(&self) -> bool {
        let next = self.tokens.get(self.at + 1);
        self.is(T::Wild)
            && next.is_some_and(|next| {
                next.kind == T::Alpha && next.lo == self.token().hi && FOREIGN.contains(&self.text_of(*next))
            })
    }

    /// `_import "f" public : real -> real;`: the semicolon belongs to it.
    pub(super) fn foreign(&mut self) -> ExpId {
        let start = self.span();
        let word = match self.text_of(self.tokens[self.at + 1]) {
            "import" => ForeignWord::Import,
            "export" => ForeignWord::Export,
            "address" => ForeignWord::Address,
            "symbol" => ForeignWord::Symbol,
            _ => return self.compilers_own(start),
        };
        self.bump();
        self.bump();
        let name = if self.is_asterisk() && word != ForeignWord::Address {
            self.bump();
            None
        } else {
            match self.opt_const() {
                Some(Const::String(bytes)) => Some(Symbol::intern(&String::from_utf8_lossy(&bytes))),
                _ => {
                    self.unexpected("the name of what is in C, as a string");
                    Some(sym::ERROR)
                }
            }
        };
        let mut attributes = Vec::new();
        while self.kind() == T::Alpha {
            attributes.push(self.name_of(self.token()));
            self.bump();
        }
        self.expect(T::Colon);
        let ty = self.ty();
        let ended = self.eat(T::Semi);
        let span = self.since(start);
        self.ast.exp(ExpKind::Foreign(Foreign { word, name, attributes, ty, ended }), span)
    }

    /// `_const "X" : int`, and what else only the sources of a compiler have.
    fn compilers_own(&mut self, start: Span) -> ExpId {
        let word = self.text_of(self.tokens[self.at + 1]).to_string();
        self.report(|p| {
            let span = start.to(p.tokens[p.at + 1].span(p.file));
            let message = format!("`_{word}` of MLton is not supported: this is only for the sources of a compiler");
            Diagnostic::error("syntax/foreign", span, message).help("a function of C is called by `_import`")
        });
        self.bump();
        self.bump();
        while self.kind() == T::String || self.kind() == T::Alpha || self.kind() == T::Hash {
            self.bump();
        }
        if self.eat(T::Colon) {
            self.ty();
        }
        let span = self.since(start);
        self.ast.exp(ExpKind::Error, span)
    }

    /// `{ ... }` around the body of a function, in the place of `=`, or behind it: true if it was there, and is passed.
    pub(super) fn braced_body(&mut self) -> bool {
        if !self.is(T::LBrace) {
            return false;
        }
        self.report(|p| {
            Diagnostic::error("syntax/braces", p.span(), "the body of a function follows `=`; braces are for records")
                .help("write `fun f x = ...`; several steps are `let ... in ... end`, or `(e1; e2)`")
        });
        self.skip_braces();
        true
    }

    /// At `{` that begins no record: `{ return x; }`, `{ print x }`.
    pub(super) fn is_block(&self) -> bool {
        if !self.is(T::LBrace) {
            return false;
        }
        match (self.peek(1), self.peek(2)) {
            (kind, _) if kind.starts_dec() => true,
            (T::If | T::While | T::Case | T::Let | T::Raise | T::LParen, _) => true,
            (T::Alpha | T::Long, next) => {
                !matches!(next, T::Equals | T::Comma | T::RBrace | T::Colon | T::As | T::DArrow | T::Dots)
            }
            _ => false,
        }
    }

    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                T::LBrace => depth += 1,
                T::RBrace => depth = depth.saturating_sub(1),
                T::Eof => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// After the `=` of the function at `name`: declarations that stand there without `let`. They are passed up to the
    /// next line that begins no further right than the function does.
    pub(super) fn bare_declarations(&mut self, name: Span) -> bool {
        if !matches!(self.kind(), T::Val | T::Fun | T::Datatype | T::Exception | T::Open) || !self.on_new_line() {
            return false;
        }
        let margin = self.column(self.line_start(name.lo));
        if self.column(self.token().lo as usize) <= margin {
            return false;
        }
        self.report(|p| {
            Diagnostic::error("syntax/let", p.span(), "declarations inside of a function stand in `let ... in ... end`")
                .label(name, "the body of this function begins with a declaration")
                .help("write `let` before the first of them, and `in`, the result and `end` behind the last")
        });
        let mut depth = 0usize;
        loop {
            match self.kind() {
                T::Eof => return true,
                T::Let | T::Local | T::Struct | T::Sig | T::LParen | T::LBrace | T::LBrack => depth += 1,
                T::End | T::RParen | T::RBrace | T::RBrack if depth == 0 => return true,
                T::End | T::RParen | T::RBrace | T::RBrack => depth -= 1,
                _ => {}
            }
            self.bump();
            let at = self.token().lo as usize;
            if self.on_new_line() && self.column(at) <= margin {
                return true;
            }
            // `in ... end` may have been written.
            if depth == 0 && self.is(T::In) {
                self.bump();
                depth += 1;
            }
        }
    }

    /// Bytes between the beginning of the line and a place.
    fn column(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        before.iter().rev().take_while(|&&b| b != b'\n').count()
    }

    /// The first place of the line of `at` that is no blank.
    fn line_start(&self, at: u32) -> usize {
        let at = at as usize;
        let start = at - self.column(at);
        let blanks = self.text.as_bytes()[start..at].iter().take_while(|b| b.is_ascii_whitespace()).count();
        start + blanks
    }
}
