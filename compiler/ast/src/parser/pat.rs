//! Patterns, and the rules of `fn`, `case` and `handle`.

use super::Parser;
use super::infix::Chain;
use crate::ir::*;
use crate::token::T;
use leat_base::{Diagnostic, Span, symbol::sym};

impl Parser<'_> {
    /// A whole pattern: `x :: xs`, `x : int`, `x as p`.
    pub(super) fn pat(&mut self) -> PatId {
        self.nested(Self::error_pat, |p| {
            let start = p.span();
            let mut pat = p.pat_infix();
            loop {
                if p.eat(T::Colon) {
                    let ty = p.ty();
                    let span = p.since(start);
                    pat = p.ast.pat(PatKind::Typed { pat, ty }, span);
                } else if p.is(T::As) {
                    return p.layered(pat, start);
                } else {
                    return pat;
                }
            }
        })
    }

    pub(super) fn error_pat(&mut self) -> PatId {
        let span = self.last_span().end();
        self.ast.pat(PatKind::Error, span)
    }

    /// At `as`, after a pattern that must be a variable, perhaps with a type.
    #[inline(never)]
    fn layered(&mut self, left: PatId, start: Span) -> PatId {
        let (id, ty) = match self.ast[left].kind {
            PatKind::Typed { pat, ty } => (pat, Some(ty)),
            _ => (left, None),
        };
        let head = match &self.ast[id].kind {
            PatKind::Id { id, op } => id.as_short().map(|name| (name, *op)),
            _ => None,
        };
        let parenthesised = self.text.as_bytes().get(start.lo as usize) == Some(&b'(');
        if (head.is_none() || parenthesised) && !matches!(self.ast[id].kind, PatKind::Error) {
            let span = self.since(start);
            self.report(|_| {
                Diagnostic::error(
                    "syntax/as",
                    span,
                    match head {
                        Some(_) => "the variable before `as` stands without parentheses",
                        None => "only a variable, perhaps with a type, may stand before `as`",
                    },
                )
                .help("write `x as (y :: ys)`: the name first, the pattern after `as`")
            });
        }
        self.bump();
        let pat = self.pat();
        let span = self.since(start);
        match head {
            Some((name, op)) => self.ast.pat(PatKind::Layered { name, op, ty, pat }, span),
            None => pat,
        }
    }

    /// `C p :: q :: r`
    fn pat_infix(&mut self) -> PatId {
        let first = self.pat_app();
        if self.infix_ahead(false).is_none() {
            return first;
        }
        let mut chain = Chain::new(first);
        while let Some((op, fixity)) = self.infix_ahead(false) {
            self.bump();
            chain.operator(self, op, fixity);
            let operand = self.pat_app();
            chain.operand(operand);
        }
        chain.finish(self)
    }

    /// The infix identifier at the current token. In patterns `=` is none: it ends them.
    pub(super) fn infix_ahead(&self, equals: bool) -> Option<(Name, Fixity)> {
        let symbol = self.short_symbol()?;
        let fixity = match self.fixity.get(symbol) {
            Fixity::Nonfix if self.is(T::Equals) => Fixity::Infix(4),
            Fixity::Nonfix => return None,
            fixity => fixity,
        };
        if self.is(T::Equals) && !equals {
            return None;
        }
        Some((Name { symbol, span: self.span() }, fixity))
    }

    /// Does an atomic pattern begin here (and no infix operator)?
    pub(super) fn atpat_ahead(&self) -> bool {
        match self.kind() {
            T::Hash => self.peek(1) == T::LBrack,
            T::Alpha | T::Symbolic => self.infix_ahead(false).is_none(),
            kind => kind.starts_atpat(),
        }
    }

    /// `C p` or an atomic pattern.
    fn pat_app(&mut self) -> PatId {
        let start = self.span();
        if let Some((name, _)) = self.infix_ahead(false) {
            self.report(|_| {
                Diagnostic::error(
                    "syntax/infix",
                    name.span,
                    format!("the infix identifier `{name}` has no left operand"),
                )
                .help(format!("write `op {name}` where it is not used as an infix"))
            });
            self.bump();
            let pat = self.ast.pat(PatKind::Id { id: LongId::short(name), op: true }, start);
            return self.pat_argument(pat, start);
        }
        let pat = self.atpat();
        if self.atpat_ahead() { self.pat_argument(pat, start) } else { pat }
    }

    /// After a first atomic pattern: its argument, if there is one.
    #[inline(never)]
    fn pat_argument(&mut self, head: PatId, start: Span) -> PatId {
        if !self.atpat_ahead() {
            return head;
        }
        let con = match &self.ast[head].kind {
            PatKind::Id { id, op } => Some((id.clone(), *op)),
            _ => None,
        };
        if con.is_none() {
            let span = self.ast[head].span;
            self.report(|p| {
                Diagnostic::error(
                    "syntax/pattern",
                    p.span(),
                    "two patterns side by side: only a constructor is applied in a pattern",
                )
                .label(span, "this is no constructor")
                .help("several values are matched as a tuple, `(p, q)`")
            });
        }
        let arg = self.atpat();
        let span = self.since(start);
        if self.atpat_ahead() {
            return self.further_patterns(head, arg, start);
        }
        match con {
            Some((con, op)) => self.ast.pat(PatKind::App { con, op, arg }, span),
            None => head,
        }
    }

    /// `x y z`, `SOME A x`. Their variables are bound: nothing more is known about the whole.
    #[inline(never)]
    fn further_patterns(&mut self, head: PatId, arg: PatId, start: Span) -> PatId {
        self.report(|p| {
            Diagnostic::error("syntax/pattern", p.span(), "a constructor has one argument, and `fn` has one parameter")
                .label(p.span(), "a further pattern")
                .help("nested constructors need parentheses, as in `SOME (A x)`")
                .help("a function of several arguments is `fn x => fn y => ...` or takes a tuple")
        });
        let mut parts = vec![head, arg];
        while self.atpat_ahead() {
            parts.push(self.atpat());
        }
        // What looks like a constructor is left out: alone it may lack its argument. So are expressions, where a `=` is
        // missing.
        let mut names = vec![];
        parts.retain(|&part| match &self.ast[part].kind {
            PatKind::Id { id, .. } if !id.symbol.as_str().starts_with(char::is_lowercase) => false,
            _ => !self.is_expression(part, &mut names),
        });
        let span = self.since(start);
        let arg = self.ast.pat(PatKind::Tuple(parts), span);
        let con = LongId::short(self.missing_name());
        self.ast.pat(PatKind::App { con, op: false, arg }, span)
    }

    /// An atomic pattern.
    pub(super) fn atpat(&mut self) -> PatId {
        let start = self.span();
        if let Some(constant) = self.opt_const() {
            if matches!(constant, Const::Real(_)) {
                // [A4]
                let d = Diagnostic::error("syntax/real-pattern", start, "a real constant cannot stand in a pattern")
                    .note("reals admit no equality")
                    .help("bind a variable and compare it with `Real.==`");
                self.diagnose(d);
                return self.ast.pat(PatKind::Wild, start);
            }
            return self.ast.pat(PatKind::Const(constant), start);
        }
        match self.kind() {
            T::Wild => {
                self.bump();
                self.ast.pat(PatKind::Wild, start)
            }
            T::Op => {
                self.bump();
                let id = self.op_id();
                let span = self.since(start);
                self.ast.pat(PatKind::Id { id, op: true }, span)
            }
            T::Alpha | T::Symbolic | T::Long => {
                let id = self.expect_long_id(true, "a pattern");
                self.ast.pat(PatKind::Id { id, op: false }, start)
            }
            T::LBrace => self.pat_record(),
            T::LParen => {
                self.bump();
                if self.eat(T::RParen) {
                    let span = self.since(start);
                    return self.ast.pat(PatKind::Tuple(vec![]), span);
                }
                let mut pats = self.pat_list(T::RParen);
                self.alternatives();
                self.expect_close(T::RParen, start, "the parenthesis");
                match pats.len() {
                    1 => pats.remove(0),
                    _ => {
                        let span = self.since(start);
                        self.ast.pat(PatKind::Tuple(pats), span)
                    }
                }
            }
            T::LBrack => {
                self.bump();
                let pats = self.pat_list(T::RBrack);
                self.expect_close(T::RBrack, start, "the list");
                let span = self.since(start);
                self.ast.pat(PatKind::List(pats), span)
            }
            T::Hash if self.peek(1) == T::LBrack => {
                self.bump();
                self.bump();
                let pats = self.pat_list(T::RBrack);
                self.expect_close(T::RBrack, start, "the vector");
                let span = self.since(start);
                self.ast.pat(PatKind::Vector(pats), span)
            }
            _ => {
                self.unexpected("a pattern");
                self.eat_word_as_name();
                self.error_pat()
            }
        }
    }

    /// `| p` inside parentheses, as some systems have it.
    #[inline(never)]
    fn alternatives(&mut self) {
        if !self.is(T::Bar) {
            return;
        }
        self.report(|p| {
            Diagnostic::error("syntax/or-pattern", p.span(), "Standard ML has no alternatives inside a pattern")
                .help("write a rule or a clause for each of them")
        });
        while self.eat(T::Bar) || self.eat(T::Comma) {
            self.pat();
        }
    }

    /// Patterns with commas between them; none directly before `close`.
    #[inline(never)]
    fn pat_list(&mut self, close: T) -> Vec<PatId> {
        let mut pats = vec![];
        if self.is(close) {
            return pats;
        }
        loop {
            pats.push(self.pat());
            if !self.eat(T::Comma) {
                return pats;
            }
        }
    }

    /// The identifier after `op`.
    pub(super) fn op_id(&mut self) -> LongId {
        if self.is(T::Equals) {
            let t = self.bump();
            return LongId::short(self.name_of(t));
        }
        self.expect_long_id(true, "an identifier after `op`")
    }

    /// `{a = p, b, c : ty as q, ...}`
    #[inline(never)]
    fn pat_record(&mut self) -> PatId {
        let start = self.span();
        self.bump();
        let mut fields: Vec<(Name, PatId)> = vec![];
        let mut flexible = None;
        if !self.is(T::RBrace) {
            loop {
                if self.is(T::Dots) {
                    flexible = Some(self.span());
                    self.bump();
                    if self.is(T::Comma) {
                        self.report(|p| {
                            Diagnostic::error(
                                "syntax/record",
                                p.span(),
                                "`...` must be the last item of a record pattern",
                            )
                        });
                        self.bump();
                        continue;
                    }
                    break;
                }
                let Some(label) = self.opt_label() else {
                    self.unexpected("a label or `...`");
                    break;
                };
                fields.push((label, self.pat_field(label)));
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.expect_close(T::RBrace, start, "the record pattern");
        let labels: Vec<Name> = fields.iter().map(|f| f.0).collect();
        self.check_distinct(&labels, "label");
        let span = self.since(start);
        self.ast.pat(PatKind::Record { fields, flexible }, span)
    }

    /// After a label: `= p`, or what stands for it.
    #[inline(never)]
    fn pat_field(&mut self, label: Name) -> PatId {
        if self.eat(T::Equals) {
            return self.pat();
        }
        if self.is(T::DArrow) {
            self.report(|p| {
                p.unexpected_diagnostic("`=`").help("a field of a record pattern is written `label = pattern`")
            });
            self.bump();
            return self.pat();
        }
        if label.symbol.as_tuple_label().is_some() {
            self.report(|p| p.unexpected_diagnostic("`=` after the numeric label"));
            return self.error_pat();
        }
        // `{<, ...}` binds `<`, which would need `op` elsewhere.
        let op = self.fixity.is_infix(label.symbol);
        let ty = if self.eat(T::Colon) { Some(self.ty()) } else { None };
        if self.eat(T::As) {
            let pat = self.pat();
            let span = self.since(label.span);
            let kind = PatKind::Layered { name: label, op, ty, pat };
            return self.ast.pat(kind, span);
        }
        let id = LongId::short(label);
        let pat = self.ast.pat(PatKind::Id { id, op }, label.span);
        match ty {
            Some(ty) => {
                let span = self.since(label.span);
                self.ast.pat(PatKind::Typed { pat, ty }, span)
            }
            None => pat,
        }
    }

    /// `pat => exp | pat => exp`
    pub(super) fn rules(&mut self) -> Vec<Rule> {
        if self.is(T::Bar) {
            self.report(|p| {
                Diagnostic::error("syntax/bar", p.span(), "no `|` stands before the first rule").help("remove the `|`")
            });
            self.bump();
        }
        let mut rules = vec![];
        loop {
            let start = self.span();
            let pat = self.pat();
            self.expect_double_arrow(rules.is_empty());
            let exp = self.exp();
            rules.push(Rule { pat, exp, span: self.since(start) });
            self.stray_closing_before(T::Bar);
            if self.further_clause_ahead() {
                return rules;
            }
            if !self.eat(T::Bar) {
                return rules;
            }
        }
    }

    /// At the `|` of a further clause of the function around these rules, which would belong to them: true if so, and
    /// said.
    #[inline(never)]
    fn further_clause_ahead(&mut self) -> bool {
        let is_name = self.is(T::Bar)
            && self.peek(1) == T::Alpha
            && self.functions.last().is_some_and(|name| name.0 == self.tokens[self.at + 1].value)
            && self.peek(2).starts_atpat();
        if !is_name || !self.equals_before_arrow() {
            return false;
        }
        self.report(|p| {
            let name = p.tokens[p.at + 1];
            let message = format!(
                "this clause of `{}` would be a rule of the `case`, `fn` or `handle` before it",
                p.text_of(name)
            );
            Diagnostic::error("syntax/clauses", name.span(p.file), message)
                .help("put the `case`, `fn` or `handle` expression of the clause before into parentheses")
        });
        true
    }

    /// Does `=` come before `=>`, behind the `|` and the name at which we are?
    #[inline(never)]
    fn equals_before_arrow(&self) -> bool {
        /// A clause's head is short.
        const FAR: usize = 500;
        let mut depth = 0usize;
        for n in 2..FAR {
            match self.peek(n) {
                T::LParen | T::LBrack | T::LBrace => depth += 1,
                T::RParen | T::RBrack | T::RBrace if depth > 0 => depth -= 1,
                T::Equals if depth == 0 => return true,
                T::DArrow | T::Bar | T::Semi | T::Eof | T::RParen | T::RBrack | T::RBrace if depth == 0 => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    fn expect_double_arrow(&mut self, first: bool) {
        self.stray_closing_before(T::DArrow);
        if self.eat(T::DArrow) {
            return;
        }
        let wrong = match self.kind() {
            T::Equals => true,
            T::Arrow => true,
            T::Alpha | T::Symbolic => self.short_symbol() == Some(sym::ASSIGN),
            _ => false,
        };
        if wrong {
            let equals = self.is(T::Equals);
            self.report(|p| {
                let d = p.unexpected_diagnostic("`=>`").note("a rule of `fn`, `case` or `handle` is written `pattern => expression`");
                if equals && !first {
                    d.help("if this is a further clause of `fun`, put the `case`, `fn` or `handle` before it into parentheses")
                } else {
                    d
                }
            });
            self.bump();
            return;
        }
        self.unexpected("`=>`");
        self.skip_to(T::DArrow);
    }
}
