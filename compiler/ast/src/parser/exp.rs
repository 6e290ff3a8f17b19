//! Expressions. From the outside in: `handle`, `orelse`, `andalso`, `: ty`, infix operators,
//! application, atoms; `raise`, `if`, `while`, `case` and `fn` reach as far right as they can.

use super::infix::Chain;
use super::{Around, Level, Parser};
use crate::ir::*;
use crate::token::T;
use leat_base::{Diagnostic, Span, Symbol, symbol::sym};

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn exp(&mut self) -> ExpId {
        self.nested(Self::error_exp, |p| {
            let start = p.span();
            let mut exp = p.exp_orelse();
            while p.eat(T::Handle) {
                let rules = p.rules();
                let span = p.since(start);
                exp = p.ast.exp(ExpKind::Handle { exp, rules }, span);
            }
            exp
        })
    }

    pub(super) fn error_exp(&mut self) -> ExpId {
        let span = self.last_span().end();
        self.ast.exp(ExpKind::Error, span)
    }

    fn exp_orelse(&mut self) -> ExpId {
        let start = self.span();
        let mut exp = self.exp_andalso();
        while self.eat(T::Orelse) {
            let rhs = self.exp_andalso();
            let span = self.since(start);
            exp = self.ast.exp(ExpKind::OrElse(exp, rhs), span);
        }
        exp
    }

    fn exp_andalso(&mut self) -> ExpId {
        let start = self.span();
        let mut exp = self.exp_typed();
        while self.eat(T::Andalso) {
            let rhs = self.exp_typed();
            let span = self.since(start);
            exp = self.ast.exp(ExpKind::AndAlso(exp, rhs), span);
        }
        exp
    }

    fn exp_typed(&mut self) -> ExpId {
        if self.kind().starts_open_exp() {
            return self.exp_open();
        }
        let start = self.span();
        let mut exp = self.exp_infix();
        while self.eat(T::Colon) {
            let ty = self.ty();
            let span = self.since(start);
            exp = self.ast.exp(ExpKind::Typed { exp, ty }, span);
        }
        exp
    }

    /// At `raise`, `if`, `while`, `case` or `fn`.
    fn exp_open(&mut self) -> ExpId {
        let start = self.span();
        let kind = match self.kind() {
            T::If => return self.exp_if(),
            T::Raise => {
                self.bump();
                ExpKind::Raise(self.exp())
            }
            T::While => {
                self.bump();
                let cond = self.exp();
                self.stray_closing_before(T::Do);
                if !self.expect(T::Do) {
                    self.skip_to(T::Do);
                }
                ExpKind::While { cond, body: self.exp() }
            }
            T::Case => {
                self.bump();
                let exp = self.exp();
                self.stray_closing_before(T::Of);
                if !self.is(T::Of) {
                    self.report(|p| p.unexpected_diagnostic("`of`").label(start, "of this `case`"));
                    self.skip_to(T::Of);
                } else {
                    self.bump();
                }
                ExpKind::Case { exp, rules: self.rules() }
            }
            _ => {
                self.bump();
                ExpKind::Fn(self.rules())
            }
        };
        let span = self.since(start);
        self.ast.exp(kind, span)
    }

    /// `if a then b else if c then d else e`: a loop along the `else if`s.
    #[inline(never)]
    fn exp_if(&mut self) -> ExpId {
        let mut arms: Vec<(Span, ExpId, ExpId)> = vec![];
        let last = loop {
            let start = self.span();
            self.bump();
            let cond = self.exp();
            self.stray_closing_before(T::Then);
            if !self.is(T::Then) {
                self.report(|p| p.unexpected_diagnostic("`then`").label(start, "of this `if`"));
                self.skip_to(T::Then);
            } else {
                self.bump();
            }
            let then = self.exp();
            arms.push((start, cond, then));
            if self.is(T::Semi) && self.peek(1) == T::Else {
                self.report(|p| {
                    Diagnostic::error("syntax/expected", p.span(), "no `;` stands before `else`")
                        .help("remove the `;`; several expressions in a branch are written `(e1; e2)`")
                });
                self.bump();
            } else if self.is(T::Semi) && self.else_ahead() {
                self.branch_in_steps();
            }
            self.stray_closing_before(T::Else);
            if !self.eat(T::Else) {
                self.report(|p| {
                    p.unexpected_diagnostic("`else`")
                        .label(start, "of this `if`")
                        .note("every `if` has an `else`; where there is nothing to do, write `else ()`")
                });
                break self.error_exp();
            }
            if !self.is(T::If) {
                break self.exp();
            }
        };
        let end = self.last_span();
        arms.into_iter()
            .rev()
            .fold(last, |els, (start, cond, then)| self.ast.exp(ExpKind::If { cond, then, els }, start.to(end)))
    }

    /// At a `;` behind a branch: does its `if` have an `else` further on?
    #[inline(never)]
    fn else_ahead(&self) -> bool {
        /// So far nobody writes without parentheses.
        const FAR: usize = 500;
        let (mut depth, mut ifs) = (0usize, 0usize);
        for n in 1..FAR {
            match self.peek(n) {
                T::LParen | T::LBrack | T::LBrace | T::Let => depth += 1,
                T::RParen | T::RBrack | T::RBrace | T::End if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                T::If => ifs += 1,
                T::Else if ifs > 0 => ifs -= 1,
                T::Else => return true,
                T::RParen | T::RBrack | T::RBrace | T::End | T::In | T::Comma | T::Bar | T::And | T::Eof => {
                    return false;
                }
                kind if kind.starts_dec() => return false,
                _ => {}
            }
        }
        false
    }

    /// At the `;` of `if c then a; b else d`.
    #[inline(never)]
    fn branch_in_steps(&mut self) {
        self.report(|p| {
            p.unexpected_diagnostic("`else`").help("several expressions in a branch stand in parentheses: `(e1; e2)`")
        });
        while self.eat(T::Semi) && !self.is(T::Else) {
            self.exp();
        }
    }

    /// Applications with infix operators between them.
    fn exp_infix(&mut self) -> ExpId {
        let first = self.exp_app();
        if self.infix_ahead(true).is_none() {
            return first;
        }
        let mut chain = Chain::new(first);
        while let Some((op, fixity)) = self.infix_ahead(true) {
            self.bump();
            chain.operator(self, op, fixity);
            let operand = self.exp_app();
            chain.operand(operand);
        }
        chain.finish(self)
    }

    /// `f a b`
    fn exp_app(&mut self) -> ExpId {
        let start = self.span();
        let mut exp = if let Some((name, _)) = self.infix_ahead(true) {
            self.infix_without_operand(name);
            self.bump();
            if name.symbol == sym::MINUS && self.atexp_ahead() {
                // `-5`: has the type of what is negated.
                return self.exp_app();
            }
            self.ast.exp(ExpKind::Id { id: LongId::short(name), op: true }, start)
        } else if self.kind().starts_open_exp() {
            return self.open_exp_as_operand("an operand");
        } else {
            self.atexp()
        };
        loop {
            if self.atexp_ahead() {
                let arg = self.atexp();
                let span = self.since(start);
                exp = self.ast.exp(ExpKind::App { fun: exp, arg }, span);
            } else if self.kind().starts_open_exp() {
                let arg = self.open_exp_as_operand("an argument");
                let span = self.since(start);
                return self.ast.exp(ExpKind::App { fun: exp, arg }, span);
            } else {
                return exp;
            }
        }
    }

    fn atexp_ahead(&self) -> bool {
        match self.kind() {
            T::Alpha | T::Symbolic => self.infix_ahead(true).is_none(),
            kind => kind.starts_atexp(),
        }
    }

    #[inline(never)]
    fn infix_without_operand(&mut self, name: Name) {
        self.report(|p| {
            let d = Diagnostic::error(
                "syntax/infix",
                name.span,
                format!("the infix operator `{name}` has no left operand"),
            );
            match (name.symbol, p.peek(1)) {
                (sym::MINUS, T::Int | T::Real) => {
                    d.help(format!("a negative constant is written with a tilde: `~{}`", p.text_of(p.tokens[p.at + 1])))
                }
                (sym::MINUS, _) => d.help("the negation of a number is written `~x`"),
                _ => d.help(format!("write `op {name}` to use it as an ordinary function")),
            }
        });
    }

    /// `raise`, `if`, `while`, `case` or `fn` where an argument or operand stands.
    #[inline(never)]
    fn open_exp_as_operand(&mut self, what: &str) -> ExpId {
        self.report(|p| {
            let word = p.kind().describe();
            Diagnostic::error("syntax/parentheses", p.span(), format!("{word} as {what} must stand in parentheses"))
                .help(format!("put the {word} expression into parentheses; or is a `;` missing before it?"))
        });
        self.exp_open()
    }

    /// An atomic expression.
    fn atexp(&mut self) -> ExpId {
        let start = self.span();
        if let Some(constant) = self.opt_const() {
            return self.ast.exp(ExpKind::Const(constant), start);
        }
        let kind = match self.kind() {
            T::Op => {
                self.bump();
                ExpKind::Id { id: self.op_id(), op: true }
            }
            T::Alpha | T::Symbolic | T::Long => {
                ExpKind::Id { id: self.expect_long_id(true, "an expression"), op: false }
            }
            T::LBrace => self.exp_record(),
            T::LParen => return self.exp_paren(),
            T::LBrack => {
                self.bump();
                ExpKind::List(self.exp_list(start, "the list"))
            }
            T::Hash => {
                self.bump();
                if self.is(T::LBrack) {
                    self.bump();
                    ExpKind::Vector(self.exp_list(start, "the vector"))
                } else if let Some(label) = self.opt_label() {
                    ExpKind::Selector(label)
                } else {
                    self.unexpected("a label after `#`");
                    ExpKind::Error
                }
            }
            T::Let => return self.exp_let(),
            T::Prim => self.exp_prim(),
            T::Wild if self.foreign_ahead() => return self.foreign(),
            _ => {
                self.unexpected("an expression");
                // `_` and a type variable are taken for an expression; other tokens may serve the constructs around.
                if matches!(self.kind(), T::Wild | T::TyVar) {
                    self.bump();
                }
                return self.error_exp();
            }
        };
        let span = self.since(start);
        self.ast.exp(kind, span)
    }

    /// After `[` or `#[`: elements up to and with `]`.
    #[inline(never)]
    fn exp_list(&mut self, open: Span, what: &str) -> Vec<ExpId> {
        let mut exps = vec![];
        if self.eat(T::RBrack) {
            return exps;
        }
        self.open.push(T::RBrack);
        let mut complained = false;
        loop {
            exps.push(self.exp());
            if self.is(T::Semi) {
                if complained {
                    self.bump();
                    continue;
                }
                complained = true;
                self.report(|p| {
                    p.unexpected_diagnostic("`,` or `]`")
                        .label(open, format!("{what} is opened here"))
                        .note("the elements of a list have commas between them")
                });
                self.bump();
                continue;
            }
            self.stray_closing_in_list(T::RBrack);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect_close_list(T::RBrack, open, what);
        self.open.pop();
        exps
    }

    /// The end of a list with commas.
    #[inline(never)]
    fn expect_close_list(&mut self, close: T, open: Span, what: &str) {
        if self.eat(close) {
            return;
        }
        self.report(|p| {
            p.unexpected_diagnostic(&format!("`,` or {}", close.describe()))
                .label(open, format!("{what} is opened here"))
        });
        self.skip_to(close);
    }

    /// `()`, `(e)`, `(e, e)`, `(e; e)`
    #[inline(never)]
    fn exp_paren(&mut self) -> ExpId {
        let start = self.span();
        self.bump();
        if self.eat(T::RParen) {
            let span = self.since(start);
            return self.ast.exp(ExpKind::Tuple(vec![]), span);
        }
        self.open.push(T::RParen);
        let mut exps = vec![self.exp()];
        self.stray_closing_in_list(T::RParen);
        let separator = self.kind();
        if !matches!(separator, T::Comma | T::Semi) {
            self.expect_close(T::RParen, start, "the parenthesis");
            self.open.pop();
            return exps[0];
        }
        while self.is(separator) {
            self.bump();
            if separator == T::Semi && self.is(T::RParen) {
                self.report(|p| {
                    Diagnostic::error("syntax/expected", p.last_span(), "no `;` stands before `)`")
                        .help("remove the `;`; to give back nothing, end in `; ()`")
                });
                break;
            }
            exps.push(self.exp());
        }
        if matches!(self.kind(), T::Comma | T::Semi) {
            let wrong = self.kind();
            self.report(|p| {
                p.unexpected_diagnostic(&format!("{} or `)`", separator.describe()))
                    .label(start, "the parenthesis is opened here")
                    .help("a tuple and a sequence need parentheses of their own: `((a; b), c)`")
            });
            while self.is(wrong) || self.is(separator) {
                self.bump();
                exps.push(self.exp());
            }
        }
        self.expect_close(T::RParen, start, "the parenthesis");
        self.open.pop();
        let span = self.since(start);
        if exps.len() == 1 {
            return exps[0];
        }
        self.ast.exp(if separator == T::Comma { ExpKind::Tuple(exps) } else { ExpKind::Seq(exps) }, span)
    }

    /// `{a = e, b = e}`
    #[inline(never)]
    fn exp_record(&mut self) -> ExpKind {
        let start = self.span();
        self.bump();
        self.open.push(T::RBrace);
        let mut fields: Vec<(Name, ExpId)> = vec![];
        if !self.is(T::RBrace) {
            loop {
                let Some(label) = self.opt_label() else {
                    self.report(|p| {
                        let d = p.unexpected_diagnostic("a label");
                        if p.is(T::Dots) { d.note("`...` stands only in record patterns") } else { d }
                    });
                    break;
                };
                let exp = if self.eat(T::Equals) { self.exp() } else { self.field_without_equals(label) };
                fields.push((label, exp));
                self.stray_closing_in_list(T::RBrace);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.expect_close_list(T::RBrace, start, "the record");
        self.open.pop();
        let labels: Vec<Name> = fields.iter().map(|f| f.0).collect();
        self.check_distinct(&labels, "label");
        ExpKind::Record(fields)
    }

    #[inline(never)]
    fn field_without_equals(&mut self, label: Name) -> ExpId {
        match self.kind() {
            T::Colon | T::DArrow => {
                self.report(|p| {
                    p.unexpected_diagnostic("`=`").help("a field of a record is written `label = expression`")
                });
                self.bump();
                self.exp()
            }
            T::Comma | T::RBrace => {
                self.report(|p| p.unexpected_diagnostic("`=`").help(format!("write `{label} = {label}`")));
                self.ast.exp(ExpKind::Id { id: LongId::short(label), op: false }, label.span)
            }
            _ => {
                self.unexpected("`=`");
                self.error_exp()
            }
        }
    }

    /// `let dec in e; e end`
    #[inline(never)]
    fn exp_let(&mut self) -> ExpId {
        let start = self.span();
        self.bump();
        let mark = self.fixity.enter();
        let decs = self.decs(Level::Core, Around::Block);
        let has_in = self.eat(T::In) || {
            self.report(|p| p.unexpected_diagnostic("`in`").label(start, "of this `let`"));
            !self.is(T::End) && self.skip_to(T::In)
        };
        let body_start = self.span();
        let body = if !has_in && self.is(T::End) {
            self.error_exp()
        } else {
            let mut exps = vec![self.exp()];
            while self.eat(T::Semi) {
                if self.is(T::End) {
                    self.report(|p| {
                        Diagnostic::error("syntax/expected", p.last_span(), "no `;` stands before `end`")
                            .help("remove the `;`; to give back nothing, end in `; ()`")
                    });
                    break;
                }
                exps.push(self.exp());
            }
            match exps.len() {
                1 => exps[0],
                _ => {
                    let span = self.since(body_start);
                    self.ast.exp(ExpKind::Seq(exps), span)
                }
            }
        };
        self.fixity.leave(mark);
        self.expect_close(T::End, start, "this `let`");
        let span = self.since(start);
        self.ast.exp(ExpKind::Let { decs, body }, span)
    }

    /// `_prim "name" : ty`
    #[inline(never)]
    fn exp_prim(&mut self) -> ExpKind {
        self.bump();
        let name = match self.opt_const() {
            Some(Const::String(bytes)) => Symbol::intern(&String::from_utf8_lossy(&bytes)),
            _ => {
                self.unexpected("the name of a primitive as a string");
                sym::ERROR
            }
        };
        self.expect(T::Colon);
        ExpKind::Prim { name, ty: self.ty() }
    }
}
