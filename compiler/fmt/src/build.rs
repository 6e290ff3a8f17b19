//! Ast and tokens -> a document: the style itself.
//!
//! The tree says what belongs together, the tokens what is written: a cursor goes through them in order, each is put
//! into the document once, with the comments that stand before it. So parentheses, `op` and semicolons stay as they
//! are, and nothing can get lost without the cursor being wrong at the end.
//!
//! Reading order: this file, `dec.rs`, `exp.rs`, `pat.rs` (patterns and types), `module.rs`.

mod dec;
mod exp;
mod module;
mod pat;

use crate::doc::{BLANK, Docs, HARD, Id, LINE, NIL, width_of};
use crate::trivia::Trivia;
use leat_ast::{Ast, DecId, Program, Token, TokenKind as T};
use leat_base::Span;
use std::ops::Range;

pub(crate) struct Builder<'a> {
    ast: &'a Ast,
    text: &'a str,
    tokens: &'a [Token],
    trivia: &'a Trivia,
    /// For each `(`, the token that closes it.
    closing: Vec<u32>,
    /// The next token.
    at: usize,
    /// How many of the comments before the next token are in the document already.
    done: usize,
    /// A token was not the one that the tree says: a defect.
    pub lost: bool,
    pub docs: Docs,
}

impl<'a> Builder<'a> {
    pub fn new(program: &'a Program, text: &'a str, tokens: &'a [Token], trivia: &'a Trivia) -> Builder<'a> {
        Builder {
            ast: &program.ast,
            text,
            tokens,
            trivia,
            closing: closing(tokens),
            at: 0,
            done: 0,
            lost: false,
            docs: Docs::new(tokens.len() * 4),
        }
    }

    /// The whole text.
    pub fn program(&mut self, decs: &[DecId]) -> Id {
        let start = if self.text[..self.trivia.head].contains("#!") { HARD } else { NIL };
        let empty = start == HARD && self.trivia.first_lines(0) > 1;
        let start = if empty { self.docs.hard(true) } else { start };
        let decs = self.decs(decs, false);
        let (rest, _) = self.remaining(true);
        let end = self.expect(T::Eof);
        self.docs.cat(&[start, decs, rest, end])
    }

    // --------------------------------------------------------------- tokens

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn is(&self, kind: T) -> bool {
        self.token().kind == kind
    }

    fn peek(&self, n: usize) -> T {
        self.tokens.get(self.at + n).map_or(T::Eof, |t| t.kind)
    }

    /// The next token, which should be of this kind, with the comments before it and those that end its line.
    fn expect(&mut self, kind: T) -> Id {
        if !self.is(kind) {
            self.lost = true;
        }
        self.tok()
    }

    /// The next token if it is of this kind.
    fn opt(&mut self, kind: T) -> Id {
        if self.is(kind) { self.tok() } else { NIL }
    }

    /// The next token.
    fn tok(&mut self) -> Id {
        if self.at + 1 >= self.tokens.len() {
            self.lost |= !self.is(T::Eof);
            return NIL;
        }
        let leading = self.leading();
        let bare = self.bare(self.at);
        let mut parts: Vec<Id> = vec![leading, bare];
        self.at += 1;
        self.done = self.remarks();
        for c in self.trivia.before(self.at).take(self.done) {
            let comment = self.trivia.comments[c];
            parts.push(self.docs.remark(comment.lo, comment.hi));
        }
        self.docs.cat(&parts)
    }

    /// The comments before the next token, so that they stand outside of a group that it begins.
    fn leading(&mut self) -> Id {
        let range = self.trivia.before(self.at);
        let mut parts: Vec<Id> = vec![];
        let mut c = range.start + self.done;
        while c < range.end {
            let row = self.trivia.row(c, self.at);
            c = row.end;
            let after = self.trivia.lines_after(row.end - 1, self.at);
            let last = row.end == range.end && self.is(T::Eof);
            if after == 0 && !last {
                self.inline(row, &mut parts);
            } else {
                parts.push(self.own(row, after > 1 && !last));
            }
        }
        self.done = range.len();
        self.docs.cat(&parts)
    }

    /// Comments with something behind them on their line.
    fn inline(&mut self, row: Range<usize>, parts: &mut Vec<Id>) {
        for c in row {
            let comment = self.trivia.comments[c];
            let text = &self.text[comment.lo as usize..comment.hi as usize];
            parts.push(self.docs.inline(comment.lo, comment.hi, width_of(text.lines().next().unwrap_or(""))));
        }
    }

    /// Comments with a line of their own. `after`: an empty line comes behind them.
    fn own(&mut self, row: Range<usize>, after: bool) -> Id {
        let comments: Vec<(u32, u32)> =
            self.trivia.comments[row.clone()].iter().map(|comment| (comment.lo, comment.hi)).collect();
        let before = self.trivia.comments[row.start].lines_before > 1;
        self.docs.own(&comments, before, after)
    }

    fn bare(&mut self, at: usize) -> Id {
        let Token { lo, hi, .. } = self.tokens[at];
        let text = &self.text[lo as usize..hi as usize];
        self.docs.text(lo, hi, width_of(text.lines().next().unwrap_or("")))
    }

    /// How many of the comments before the next token stand on the line of the last one and end it.
    fn remarks(&self) -> usize {
        let range = self.trivia.before(self.at);
        if range.is_empty() || self.trivia.comments[range.start].lines_before > 0 {
            return 0;
        }
        let row = self.trivia.row(range.start, self.at);
        let after = self.trivia.lines_after(row.end - 1, self.at);
        if after > 0 || (self.is(T::Eof) && row.end == range.end) { row.len() } else { 0 }
    }

    /// The comments before the next token, which closes what they stand in: on its line if they and it stand behind
    /// what is before, otherwise on lines of their own; and whether that is so. `first`: with the line end that
    /// separates them from what is before.
    fn remaining(&mut self, first: bool) -> (Id, bool) {
        let range = self.trivia.before(self.at);
        let mut c = range.start + self.done;
        if c == range.end {
            return (NIL, false);
        }
        let mut parts = vec![];
        self.done = range.len();
        if !self.trivia.breaks(self.at) {
            self.inline(c..range.end, &mut parts);
            return (self.docs.cat(&parts), false);
        }
        let empty = self.trivia.comments[c].lines_before > 1;
        while c < range.end {
            let row = self.trivia.row(c, self.at);
            c = row.end;
            let after = c < range.end && self.trivia.lines_after(c - 1, self.at) > 1;
            parts.push(self.own(row, after));
        }
        let text = self.docs.cat(&parts);
        let line = if first { self.docs.hard(empty) } else { NIL };
        (self.docs.cat(&[line, text]), true)
    }

    /// Is an empty line before the next token, or before its comments?
    fn empty_line(&self) -> bool {
        if self.done > 0 {
            return self.trivia.lines_after(self.trivia.before(self.at).start + self.done - 1, self.at) > 1;
        }
        self.trivia.first_lines(self.at) > 1
    }

    /// A new line, behind an empty one where the text has one.
    fn new_line(&mut self, parts: &mut Vec<Id>) {
        let empty = self.empty_line();
        parts.push(self.docs.line(empty));
    }

    /// The `and` before the next bind, on a new line.
    fn and(&mut self, parts: &mut Vec<Id>) -> Id {
        self.new_line(parts);
        let leading = self.leading();
        parts.push(leading);
        self.expect(T::And)
    }

    /// Does the next token begin a line?
    fn on_new_line(&self) -> bool {
        self.trivia.breaks(self.at)
    }

    /// The first token at or behind a byte.
    fn token_at(&self, lo: u32) -> usize {
        let from = self.at;
        from + self.tokens[from..].partition_point(|t| t.lo < lo)
    }

    /// Is there a line end between the tokens of the node that begins here?
    fn breaks_within(&self, span: Span) -> bool {
        (self.at + 1..self.token_at(span.hi)).any(|i| self.trivia.breaks(i))
    }

    // --------------------------------------------------------------- shapes

    fn cat(&mut self, parts: &[Id]) -> Id {
        self.docs.cat(parts)
    }

    fn spaced(&mut self, parts: &[Id]) -> Id {
        let mut all = Vec::with_capacity(parts.len() * 2);
        for &part in parts {
            if part != NIL {
                if !all.is_empty() {
                    all.push(BLANK);
                }
                all.push(part);
            }
        }
        self.docs.cat(&all)
    }

    /// Does a `(` stand here that is around the node, and none of its own?
    fn is_wrapped(&self, span: Span) -> bool {
        let token = self.token();
        token.kind == T::LParen
            && token.lo < span.lo
            && self.tokens[self.closing[self.at] as usize].lo >= span.hi
            && (self.closing[self.at] as usize) < self.tokens.len() - 1
    }

    /// What stands in the parentheses around the node, or the node itself.
    fn wrapped(&mut self, span: Span, inner: &mut dyn FnMut(&mut Self) -> Id) -> Id {
        let mut opened = vec![];
        while self.is_wrapped(span) {
            opened.push(self.tok());
        }
        let mut doc = inner(self);
        for open in opened.into_iter().rev() {
            let (rest, _) = self.remaining(false);
            let inside = self.cat(&[doc, rest]);
            let inside = self.docs.align(inside);
            let close = self.expect(T::RParen);
            doc = self.cat(&[open, inside, close]);
        }
        doc
    }

    /// What follows `=`, `=>`, `then` and the like: on the same line if it fits, otherwise below.
    fn below(&mut self, by: u32, broken: bool, doc: Id) -> Id {
        let inside = self.cat(&[LINE, doc]);
        let inside = self.docs.nest(by, inside);
        self.docs.group_if(broken, inside)
    }

    /// A bracket, items with commas or semicolons, the closing bracket. Broken, the items stand below each other, or
    /// fill the lines if they are small.
    fn bracketed(&mut self, open: Id, keep: bool, items: &mut Items<'_, 'a>) -> Id {
        let mut parts: Vec<Id> = vec![];
        let mut separators = (0, 0);
        let mut small = true;
        let mut i = 0;
        loop {
            let leading = if self.closes() { NIL } else { self.leading() };
            let Some(mut item) = items(self, i) else { break };
            item.doc = self.cat(&[leading, item.doc]);
            small &= item.small && !self.docs.is_tall(item.doc);
            let mut item = item.doc;
            if matches!(self.token().kind, T::Comma | T::Semi) {
                let comma = self.tok();
                item = self.cat(&[item, comma]);
                separators.0 += 1;
                separators.1 += usize::from(self.on_new_line());
            }
            parts.push(item);
            // For the line before the next item.
            self.new_line(&mut parts);
            i += 1;
        }
        parts.pop();
        let (rest, tall) = self.remaining(!parts.is_empty());
        let vertical = keep && separators.0 > 0 && separators.0 == separators.1;
        let inside = if small && i > 4 && !vertical {
            let mut filled: Vec<Id> = vec![];
            for (n, pair) in parts.chunks(2).enumerate() {
                let line = if n == 0 { NIL } else { parts[2 * n - 1] };
                let item = self.docs.cat(&[line, pair[0]]);
                filled.push(self.docs.group(item));
            }
            filled.push(rest);
            self.docs.cat(&filled)
        } else {
            parts.push(rest);
            self.docs.cat(&parts)
        };
        let inside = self.docs.align(inside);
        let close = self.tok();
        let all = self.cat(&[open, inside, close]);
        self.docs.group_if(vertical || tall, all)
    }

    fn closes(&self) -> bool {
        matches!(self.token().kind, T::RParen | T::RBrack | T::RBrace)
    }

    /// A name, perhaps with `op`.
    fn name(&mut self) -> Id {
        let op = self.opt(T::Op);
        let name = self.tok();
        self.spaced(&[op, name])
    }

    /// `'a`, `('a, 'b)` or nothing.
    fn tyvars(&mut self) -> Id {
        if self.is(T::TyVar) {
            return self.tok();
        }
        if !(self.is(T::LParen) && self.peek(1) == T::TyVar) {
            return NIL;
        }
        let open = self.tok();
        self.bracketed(open, false, &mut |b, _| {
            if !b.is(T::TyVar) {
                return None;
            }
            Some(Item { doc: b.tok(), small: true })
        })
    }
}

/// An element of a list in brackets.
pub(crate) struct Item {
    doc: Id,
    /// A constant or a name: many of them may share a line.
    small: bool,
}

type Items<'f, 'a> = dyn FnMut(&mut Builder<'a>, usize) -> Option<Item> + 'f;

/// For each bracket that opens, the token that closes it; the last token where there is none.
fn closing(tokens: &[Token]) -> Vec<u32> {
    let mut closing = vec![tokens.len() as u32 - 1; tokens.len()];
    let mut open: Vec<usize> = vec![];
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            T::LParen | T::LBrack | T::LBrace => open.push(i),
            T::RParen | T::RBrack | T::RBrace => {
                if let Some(start) = open.pop() {
                    closing[start] = i as u32;
                }
            }
            _ => {}
        }
    }
    closing
}
