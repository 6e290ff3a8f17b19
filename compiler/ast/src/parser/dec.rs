//! Declarations of the core language, and lists of declarations with recovery.

use super::infix::Chain;
use super::{Around, Level, Parser};
use crate::ir::*;
use crate::token::{T, Token};
use leat_base::{Diagnostic, Span, symbol::sym};

/// A piece of the head of a `fun` clause.
enum Item {
    Operand { pat: PatId, parenthesised: bool },
    Operator(Name),
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) -> Vec<DecId> {
        self.decs(Level::Top, Around::Nothing)
    }

    /// Declarations up to the token that ends the list, which is not taken: `in`, `end`, or a closing bracket if
    /// something stands around the list, otherwise the end of the file.
    pub(super) fn decs(&mut self, level: Level, around: Around) -> Vec<DecId> {
        let closed = around != Around::Nothing;
        let mut out = vec![];
        let first = self.at;
        // The declaration before this place has an error, so what stands between it and the next is a part of it.
        let mut is_broken = false;
        loop {
            let kind = self.kind();
            if kind.starts_dec() {
                if closed && self.is_behind_list(first.saturating_sub(1), first) {
                    return out;
                }
                let follows = self.at > 0 && self.tokens[self.at - 1].kind != T::Semi;
                let error = self.last_error;
                out.push(self.dec(level));
                is_broken = self.last_error != error;
                if let (true, [.., before, this]) = (follows, &out[..]) {
                    self.check_new_function(*before, *this);
                }
                continue;
            }
            let is_exp = level == Level::Top
                && !closed
                && (kind.starts_atexp() || kind.starts_open_exp())
                && (!is_broken || self.on_new_line());
            let ends = matches!(kind, T::Semi | T::Eof) || closed && matches!(kind, T::In | T::End);
            if is_broken && !is_exp && !ends {
                self.last_error = Some(self.at);
            }
            match kind {
                T::Semi => {
                    if level == Level::Top && !closed {
                        self.ends.push(out.len() as u32);
                    }
                    self.bump();
                    is_broken = false;
                }
                T::Eof => return out,
                T::In | T::End if closed => return out,
                T::In | T::End => self.closes_nothing(),
                T::RParen | T::RBrack | T::RBrace => {
                    let before = out.last().filter(|_| self.tokens[self.at - 1].kind != T::Semi).copied();
                    if !self.stray_closing(around == Around::Block) {
                        return out;
                    }
                    self.cut(before);
                }
                _ if is_exp => {
                    is_broken = false;
                    self.after_dec(out.last().copied());
                    let exp = self.exp();
                    let span = self.ast[exp].span;
                    out.push(self.ast.dec(DecKind::Exp(exp), span));
                    if !self.is(T::Semi) && !self.is(T::Eof) && !self.kind().starts_dec() {
                        self.unexpected("`;` or a declaration");
                        self.skip_to_dec();
                    }
                }
                _ => {
                    let start = self.span();
                    self.stray_in_decs(level);
                    is_broken = true;
                    self.skip_to_dec();
                    let span = self.since(start);
                    out.push(self.ast.dec(DecKind::Error, span));
                }
            }
        }
    }

    /// Behind a bracket that closes nothing, and that perhaps cuts a declaration short: the rest of this is skipped.
    #[inline(never)]
    fn cut(&mut self, dec: Option<DecId>) {
        let kind = self.kind();
        let goes_on =
            kind.starts_dec() || matches!(kind, T::Semi | T::In | T::End | T::Eof) || self.open.contains(&kind);
        if !goes_on {
            self.skip_to_dec();
        }
        self.stray = false;
        if let Some(dec) = dec {
            let start = self.ast[dec].span;
            let span = self.since(start);
            self.ast.cut.push(span);
        }
    }

    /// At an expression: a declaration before it must have ended with a semicolon.
    #[inline(never)]
    fn after_dec(&mut self, before: Option<DecId>) {
        let Some(before) = before else { return };
        if self.tokens[self.at - 1].kind == T::Semi || matches!(self.ast[before].kind, DecKind::Error) {
            return;
        }
        self.report(|p| {
            let d = p.unexpected_at(p.span(), "`;` or a declaration");
            match &p.ast[before].kind {
                DecKind::Datatype { .. } | DecKind::Abstype { .. } | DecKind::Exception(_) if p.is(T::LParen) => {
                    d.help("the type of a constructor's argument is written as in `Complex of real * real`")
                }
                DecKind::Open(_) => d
                    .note("all names behind `open` are structures, up to a `;` or a declaration")
                    .help(format!("write `;` before `{}`", p.text_of(p.token()))),
                _ => d
                    .note("an expression at top level stands by itself: a `;` ends what comes before it")
                    .help("write `val () = ...` or `val _ = ...`"),
            }
        });
    }

    #[inline(never)]
    fn stray_in_decs(&mut self, level: Level) {
        self.report(|p| {
            let kind = p.kind();
            if kind.starts_spec() {
                return Diagnostic::error(
                    "syntax/expected",
                    p.span(),
                    format!("{} stands only in signatures", kind.describe()),
                );
            }
            let d =
                p.unexpected_at(p.span(), if level == Level::Core { "a declaration or `in`" } else { "a declaration" });
            match kind {
                T::Rec => d.help("write `val rec f = fn ...` or `fun f ...`"),
                T::Comma => {
                    d.help("nothing stands between declarations, each begins with its word: `val x = 1 val y = 2`")
                }
                T::Alpha if matches!(p.peek(1), T::Equals | T::Colon) => {
                    d.help("a declaration begins with `val` or `fun`, as in `val x = 1`")
                }
                T::Bar => d.help("a clause of `fun` or a rule must follow the one before it directly"),
                T::And => d.note("`and` continues a declaration of the same kind"),
                kind if kind.starts_atexp() || kind.starts_open_exp() => {
                    if p.text_of(p.token()) == "use" && matches!(p.peek(1), T::String | T::LParen) {
                        d.help("a file is used by a declaration of its own, inside of nothing: `use \"file.sml\";`")
                    } else {
                        d.help("an expression is evaluated for its effect by `val () = ...` or `val _ = ...`")
                    }
                }
                _ => d,
            }
        });
    }

    /// Skips at least one token, then to one that begins a declaration or ends the list; blocks
    /// are skipped as wholes, but a declaration at the beginning of a line is always found.
    #[inline(never)]
    fn skip_to_dec(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                T::Eof => return,
                T::Let | T::Struct | T::Sig | T::Local => depth += 1,
                T::End if depth > 0 => depth -= 1,
                _ => {}
            }
            self.bump();
            let kind = self.kind();
            let stop = kind.starts_dec() || matches!(kind, T::Semi | T::In | T::End);
            if stop && (depth == 0 || (kind.starts_dec() && self.begins_line())) {
                return;
            }
        }
    }

    /// At a keyword that begins a declaration.
    fn dec(&mut self, level: Level) -> DecId {
        self.nested(
            |p| {
                let span = p.last_span().end();
                p.ast.dec(DecKind::Error, span)
            },
            |p| {
                let start = p.span();
                let kind = p.dec_kind(level);
                let span = p.since(start);
                if std::mem::take(&mut p.stray) {
                    p.ast.cut.push(span);
                }
                p.ast.dec(kind, span)
            },
        )
    }

    fn dec_kind(&mut self, level: Level) -> DecKind {
        let kind = self.kind();
        let start = self.span();
        // [A5]
        let misplaced = match kind {
            T::Structure if level == Level::Core => {
                Some("a structure is declared at top level or inside another structure")
            }
            T::Signature if level != Level::Top => Some("a signature is declared at top level"),
            T::Functor if level != Level::Top => Some("a functor is declared at top level"),
            _ => None,
        };
        if let Some(message) = misplaced {
            self.report(|p| Diagnostic::error("syntax/place", p.span(), format!("{message}, not here")));
        }
        self.bump();
        match kind {
            T::Val => self.val_dec(),
            T::Fun => self.fun_dec(),
            T::Type => DecKind::Type(self.typ_binds()),
            T::Datatype => self.datatype_dec(),
            T::Abstype => {
                let datbinds = self.dat_binds();
                let withtype = self.opt_withtype();
                self.expect(T::With);
                let decs = self.decs(Level::Core, Around::Block);
                self.expect_close(T::End, start, "this `abstype`");
                DecKind::Abstype { datbinds, withtype, decs }
            }
            T::Exception => self.exception_dec(),
            T::Local => {
                let mark = self.fixity.enter();
                let decs = self.decs(level, Around::Block);
                if !self.is(T::In) {
                    self.report(|p| p.unexpected_diagnostic("`in`").label(start, "of this `local`"));
                } else {
                    self.bump();
                }
                let middle = self.fixity.here();
                let body = self.decs(level, Around::Block);
                self.expect_close(T::End, start, "this `local`");
                self.fixity.leave_local(mark, middle);
                DecKind::Local { decs, body }
            }
            T::Open => {
                let mut ids = vec![self.expect_long_id(false, "the name of a structure")];
                while !self.is_applied_to_string()
                    && let Some(id) = self.opt_long_id(false)
                {
                    ids.push(id);
                }
                DecKind::Open(ids)
            }
            T::Infix | T::Infixr | T::Nonfix => {
                let (fixity, names) = self.fixity_names(kind);
                for name in &names {
                    self.fixity.declare(name.symbol, fixity);
                }
                DecKind::Fixity { fixity, names }
            }
            T::Structure => self.structure_dec(),
            T::Signature => self.signature_dec(),
            _ => self.functor_dec(),
        }
    }

    /// At `f "text"` or `f ("text")`: no name of a structure, but an expression that a `;` should stand before.
    fn is_applied_to_string(&self) -> bool {
        matches!([self.peek(1), self.peek(2), self.peek(3)], [T::String, ..] | [T::LParen, T::String, T::RParen])
    }

    /// After `infix`, `infixr` or `nonfix`: the precedence and the identifiers.
    #[inline(never)]
    pub(super) fn fixity_names(&mut self, kind: T) -> (Fixity, Vec<Name>) {
        let mut precedence = 0;
        if self.is(T::Int) && kind != T::Nonfix {
            let t = self.bump();
            match self.text_of(t).as_bytes() {
                [digit @ b'0'..=b'9'] => precedence = digit - b'0',
                _ => {
                    let span = t.span(self.file);
                    self.diagnose(Diagnostic::error("syntax/fixity", span, "a precedence is a digit from 0 to 9"));
                }
            }
        }
        let mut names = vec![];
        while let Some(symbol) = self.short_symbol() {
            let t = self.bump();
            names.push(Name { symbol, span: t.span(self.file) });
        }
        if names.is_empty() {
            self.unexpected("an identifier");
        }
        let fixity = match kind {
            T::Infix => Fixity::Infix(precedence),
            T::Infixr => Fixity::Infixr(precedence),
            _ => Fixity::Nonfix,
        };
        (fixity, names)
    }

    /// Takes the `=` of a binding; other signs that are meant for it are reported and taken.
    pub(super) fn expect_equals(&mut self, what: &str) {
        if self.eat(T::Equals) {
            return;
        }
        if self.is(T::DArrow) || self.short_symbol() == Some(sym::ASSIGN) {
            self.report(|p| p.unexpected_diagnostic("`=`").note(format!("{what} is written with `=`")));
            self.bump();
            return;
        }
        self.unexpected("`=`");
        self.skip_to(T::Equals);
    }

    /// After `and`: drops a keyword that was repeated.
    pub(super) fn eat_and(&mut self, keyword: T) -> bool {
        if !self.eat(T::And) {
            return false;
        }
        if self.is(keyword) {
            self.report(|p| {
                let word = keyword.describe();
                Diagnostic::error("syntax/expected", p.span(), format!("{word} is not repeated after `and`"))
                    .help(format!("remove the {word}"))
            });
            self.bump();
        }
        true
    }

    #[inline(never)]
    fn val_dec(&mut self) -> DecKind {
        let tyvars = self.tyvar_seq();
        let mut binds = vec![];
        let mut rec = false;
        loop {
            while self.eat(T::Rec) {
                rec = true;
            }
            let start = self.span();
            let pat = self.pat();
            self.expect_equals("a `val` declaration");
            let exp = self.exp();
            if rec {
                self.check_rec(exp);
            }
            binds.push(ValBind { rec, pat, exp, span: self.since(start) });
            if !self.eat_and(T::Val) {
                return DecKind::Val { tyvars, binds };
            }
        }
    }

    /// [A3] Section 2.9: the right side under `rec` is a `fn`.
    fn check_rec(&mut self, exp: ExpId) {
        let mut inner = exp;
        while let ExpKind::Typed { exp, .. } = self.ast[inner].kind {
            inner = exp;
        }
        if !matches!(self.ast[inner].kind, ExpKind::Fn(_) | ExpKind::Error) {
            let d = Diagnostic::error(
                "syntax/rec",
                self.ast[exp].span,
                "the right side of `val rec` must be a `fn` expression",
            )
            .help("leave `rec` out if the value does not mention itself");
            self.diagnose(d);
        }
    }

    #[inline(never)]
    fn fun_dec(&mut self) -> DecKind {
        if self.is(T::Rec) {
            self.report(|p| {
                Diagnostic::error("syntax/expected", p.span(), "`fun` is recursive without `rec`")
                    .help("remove the `rec`")
            });
            self.bump();
        }
        let tyvars = self.tyvar_seq();
        let mut binds = vec![];
        loop {
            binds.push(self.fun_bind());
            if !self.eat_and(T::Fun) {
                return DecKind::Fun { tyvars, binds };
            }
        }
    }

    fn fun_bind(&mut self) -> FunBind {
        let start = self.span();
        if self.is(T::Bar) {
            self.report(|p| {
                Diagnostic::error("syntax/bar", p.span(), "no `|` stands before the first clause")
                    .help("remove the `|`")
            });
            self.bump();
        }
        let said = self.diagnostics.len();
        let (name, first) = self.clause();
        let mut unclear = self.is_unclear(&first, said);
        let mut clauses = vec![first];
        while self.another_clause() {
            if self.is(T::Fun) {
                self.report(|p| {
                    Diagnostic::error("syntax/expected", p.span(), "`fun` is not repeated after `|`")
                        .help("a further clause of the same function begins with the function's name; another function begins with `fun` or `and`, without `|`")
                });
                self.bump();
            }
            let said = self.diagnostics.len();
            let (other, mut clause) = self.clause();
            unclear |= self.is_unclear(&clause, said);
            self.check_clause(name, &mut clauses[0], other, &mut clause, unclear);
            clauses.push(clause);
        }
        FunBind { name, clauses, span: self.since(start) }
    }

    /// Takes the `|` before a further clause.
    fn another_clause(&mut self) -> bool {
        self.stray_closing_before(T::Bar);
        self.eat(T::Bar)
    }

    /// A clause of which it is not known how many arguments it has: its `=` is missing, or the head has had a message
    /// about an infix, behind so many others.
    fn is_unclear(&self, clause: &Clause, said: usize) -> bool {
        let body = &self.ast[clause.body];
        let is_of_head = |d: &Diagnostic| d.code == "syntax/infix" && d.span.lo < body.span.lo;
        matches!(body.kind, ExpKind::Error) || self.diagnostics.iter().skip(said).any(is_of_head)
    }

    /// [A2]
    fn check_clause(&mut self, name: Name, first: &mut Clause, other: Name, clause: &mut Clause, unclear: bool) {
        if name.symbol == sym::ERROR || other.symbol == sym::ERROR {
            return;
        }
        if name.symbol != other.symbol {
            let d = Diagnostic::error(
                "syntax/clauses",
                other.span,
                format!("this clause defines `{other}`, the first one `{name}`"),
            )
            .label(name.span, "the first clause")
            .help("all clauses of one function begin with its name; a new function begins with `and` or `fun`");
            self.diagnose(d);
        } else if first.args.len() != clause.args.len() && !unclear {
            let count = |n: usize| {
                if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") }
            };
            let d = Diagnostic::error(
                "syntax/clauses",
                other.span,
                format!(
                    "this clause of `{name}` has {}, the first one {}",
                    count(clause.args.len()),
                    count(first.args.len())
                ),
            )
            .label(name.span, "the first clause")
            .help("a constructor with its argument needs parentheses: `f (SOME x)`");
            self.diagnose(d);
            let fewer = first.args.len().min(clause.args.len());
            self.join_constructors(first, fewer);
            self.join_constructors(clause, fewer);
        }
    }

    /// `f SOME x`: what looks like a constructor is joined with the argument behind it, if so many are left then.
    /// Nothing more is known about the two than their variables.
    fn join_constructors(&mut self, clause: &mut Clause, wanted: usize) {
        let mut joined: Vec<PatId> = vec![];
        let mut args = clause.args.iter().copied().peekable();
        while let Some(arg) = args.next() {
            let is_bare = match &self.ast[arg].kind {
                PatKind::Id { id, op: false } => id.symbol.as_str().starts_with(char::is_uppercase),
                _ => false,
            };
            joined.push(match args.next_if(|_| is_bare) {
                Some(inner) => {
                    let span = self.ast[arg].span.to(self.ast[inner].span);
                    let con = LongId::short(self.missing_name());
                    self.ast.pat(PatKind::App { con, op: false, arg: inner }, span)
                }
                None => arg,
            });
        }
        if joined.len() == wanted {
            clause.args = joined;
        }
    }

    /// A function directly behind one of the same name that takes only some values: most likely a further clause is
    /// meant.
    #[inline(never)]
    fn check_new_function(&mut self, before: DecId, this: DecId) {
        let (DecKind::Fun { binds: before, .. }, DecKind::Fun { binds, .. }) =
            (&self.ast[before].kind, &self.ast[this].kind)
        else {
            return;
        };
        let ([before], [this]) = (&before[..], &binds[..]) else { return };
        let arity = |bind: &FunBind| bind.clauses.first().map_or(0, |clause| clause.args.len());
        let is_partial = before.clauses.iter().all(|clause| clause.args.iter().any(|&pat| self.is_partial(pat)));
        if before.name.symbol != this.name.symbol || arity(before) != arity(this) || !is_partial {
            return;
        }
        let name = this.name;
        let message = format!("this is a new function `{name}`, which hides the one before it");
        let d = Diagnostic::warning("syntax/clauses", name.span, message)
            .label(before.name.span, format!("this `{name}` takes only some values"))
            .help("a further clause of the same function begins with `|` in the place of `fun`");
        self.diagnose(d);
    }

    /// Are there values that the pattern does not match, by its looks?
    fn is_partial(&self, pat: PatId) -> bool {
        match &self.ast[pat].kind {
            PatKind::Const(_) | PatKind::List(_) | PatKind::Vector(_) | PatKind::Infix { .. } => true,
            PatKind::Id { id, .. } => {
                let name = id.symbol.as_str();
                name == "nil" || name.starts_with(|c: char| c.is_ascii_uppercase())
            }
            PatKind::Record { fields, .. } => fields.iter().any(|field| self.is_partial(field.1)),
            PatKind::Tuple(pats) => pats.iter().any(|&pat| self.is_partial(pat)),
            PatKind::Typed { pat, .. } | PatKind::Layered { pat, .. } => self.is_partial(*pat),
            // A datatype of one constructor matches everything.
            PatKind::App { con, .. } => ["SOME", "::"].contains(&con.symbol.as_str()),
            PatKind::Wild | PatKind::Error => false,
        }
    }

    /// `f p q : ty = e`, `p ++ q = e`, `(p ++ q) r = e`
    fn clause(&mut self) -> (Name, Clause) {
        let start = self.span();
        let said = self.diagnostics.len();
        let mut items = vec![];
        let mut places = vec![];
        loop {
            places.push(self.at);
            if let Some((name, _)) = self.infix_ahead(false) {
                self.bump();
                items.push(Item::Operator(name));
            } else if self.atpat_ahead() && !self.is_block() {
                let parenthesised = self.is(T::LParen);
                items.push(Item::Operand { pat: self.atpat(), parenthesised });
            } else {
                break;
            }
        }
        if items.is_empty() {
            self.unexpected("the name of a function and its arguments");
        }
        self.stray_closing_before(T::Equals);
        let items_missing = items.is_empty();
        let head = self.since(start);
        if self.is_clause_end()
            && let Some(answer) = self.swallowed_body(&items, &places, said, start)
        {
            return answer;
        }
        let (name, mut args, infix) = self.clause_head(items, head);
        let result = if self.eat(T::Colon) { Some(self.ty()) } else { None };
        if !items_missing && self.braced_body() {
            let body = self.error_exp();
            return (name, Clause { args, result, body, infix, span: self.since(start) });
        }
        if self.is_clause_end() {
            self.unexpected("`=`");
            // Where the body began is not known, so neither is how many arguments there are.
            if !self.kind().starts_open_exp() && !items_missing {
                args.extend(result.is_none().then(|| self.error_pat()));
                if !self.bare_declarations(name.span) {
                    self.skip_clause(name);
                }
                let body = self.error_exp();
                return (name, Clause { args, result, body, infix, span: self.since(start) });
            }
        } else {
            self.expect_equals("a `fun` declaration");
        }
        self.functions.push(name.symbol);
        let body = if self.is_block() && self.braced_body() || self.bare_declarations(name.span) {
            self.error_exp()
        } else {
            self.exp()
        };
        self.functions.pop();
        (name, Clause { args, result, body, infix, span: self.since(start) })
    }

    /// At what follows a clause's body, or can only stand in one: its `=` is missing.
    fn is_clause_end(&self) -> bool {
        let kind = self.kind();
        let ends = matches!(
            kind,
            T::Semi | T::Eof | T::End | T::In | T::Bar | T::And | T::RParen | T::RBrack | T::RBrace | T::Then | T::Else
        );
        let goes_on = matches!(kind, T::Of | T::Do | T::Handle | T::Andalso | T::Orelse);
        ends || goes_on || kind.starts_dec() || kind.starts_open_exp()
    }

    /// `fun f x  g (x + 1)`: the body was read as further arguments. Says so where that can be seen: an infix, a pattern
    /// that is none, or a name that stands there twice. `places` are the tokens at which the items begin, `said` is the
    /// number of messages before them.
    #[inline(never)]
    fn swallowed_body(&mut self, items: &[Item], places: &[usize], said: usize, start: Span) -> Option<(Name, Clause)> {
        let name = match items.first()? {
            Item::Operand { pat, parenthesised: false } => match &self.ast[*pat].kind {
                PatKind::Id { id, .. } => id.as_short()?,
                _ => return None,
            },
            _ => return None,
        };
        let mut names = vec![name.symbol];
        // The last item at which the body can begin.
        let mut latest = None;
        for (i, item) in items.iter().enumerate().skip(1) {
            let is_body = match item {
                Item::Operator(_) => true,
                Item::Operand { pat, .. } => self.is_expression(*pat, &mut names),
            };
            if is_body {
                latest = Some(if matches!(item, Item::Operator(_)) { i - 1 } else { i });
                break;
            }
        }
        let latest = latest.filter(|&latest| latest >= 2)?;
        let gap = |i: usize| {
            let (before, this) = (self.tokens[places[i] - 1], self.tokens[places[i]]);
            self.text.get(before.hi as usize..this.lo as usize).unwrap_or("")
        };
        let begins = (2..=latest).find(|&i| gap(i).contains('\n')).or((2..=latest).find(|&i| gap(i).len() > 1));
        let begins = begins.or((latest == 2).then_some(2));
        self.diagnostics.truncate(said);
        let message = format!("`=` is missing between the arguments of `{name}` and its body");
        let place = match begins {
            Some(i) => self.tokens[places[i] - 1].span(self.file).end(),
            None => self.tokens[places[1]].span(self.file).to(self.last_span()),
        };
        let text = if begins.is_some() { "expected `=`" } else { "expected `=` in here" };
        self.diagnose(Diagnostic::error("syntax/expected", place, message).label(place, text));
        self.last_error = Some(self.at);
        let args: Vec<PatId> = items[1..begins.unwrap_or(1)]
            .iter()
            .filter_map(|item| match item {
                Item::Operand { pat, .. } => Some(*pat),
                Item::Operator(_) => None,
            })
            .collect();
        let args = if args.is_empty() { vec![self.error_pat()] } else { args };
        self.skip_clause(name);
        let body = self.error_exp();
        Some((name, Clause { args, result: None, body, infix: false, span: self.since(start) }))
    }

    /// Does something in a pattern show that an expression is meant? `names` are those that were seen.
    pub(super) fn is_expression(&self, pat: PatId, names: &mut Vec<leat_base::Symbol>) -> bool {
        let is_small = |id: &LongId| id.symbol.as_str().starts_with(char::is_lowercase);
        match &self.ast[pat].kind {
            PatKind::Id { id, .. } => {
                let is_again = names.contains(&id.symbol) && is_small(id);
                names.push(id.symbol);
                is_again || !id.qualifiers.is_empty() && is_small(id)
            }
            PatKind::App { con, arg, .. } => is_small(con) && con.symbol != sym::REF || self.is_expression(*arg, names),
            PatKind::Infix { con, lhs, rhs } => {
                con.symbol != sym::CONS || self.is_expression(*lhs, names) || self.is_expression(*rhs, names)
            }
            PatKind::Tuple(pats) | PatKind::List(pats) | PatKind::Vector(pats) => {
                pats.iter().any(|&pat| self.is_expression(pat, names))
            }
            PatKind::Record { fields, .. } => fields.iter().any(|field| self.is_expression(field.1, names)),
            PatKind::Typed { pat, .. } | PatKind::Layered { pat, .. } => self.is_expression(*pat, names),
            PatKind::Const(_) | PatKind::Wild => false,
            PatKind::Error => true,
        }
    }

    /// Skips to the end of a clause of the function of this name, or to its next clause.
    #[inline(never)]
    fn skip_clause(&mut self, name: Name) {
        let mut depth = 0usize;
        let mut in_rules = false;
        loop {
            let kind = self.kind();
            let at_clause = self.peek(1) == T::Alpha && self.tokens[self.at + 1].value == name.symbol.0;
            match kind {
                T::Eof => return,
                T::LParen | T::LBrack | T::LBrace | T::Let => depth += 1,
                T::RParen | T::RBrack | T::RBrace | T::End if depth > 0 => depth -= 1,
                T::RParen | T::RBrack | T::RBrace | T::End | T::In | T::And | T::Semi if depth == 0 => return,
                T::Bar if depth == 0 && (!in_rules || at_clause) => return,
                T::Fn | T::Of | T::Handle if depth == 0 => in_rules = true,
                _ if kind.starts_dec() && (depth == 0 || self.begins_line()) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// `(p ++ q) r`: the operands are atomic. The tree has no parentheses, so the tokens around the operator are asked.
    #[inline(never)]
    fn check_infix_head(&mut self, op: Name, lhs: PatId, rhs: PatId) {
        let step = |kind: T| match kind {
            T::LParen | T::LBrack | T::LBrace => 1,
            T::RParen | T::RBrack | T::RBrace => -1,
            _ => 0,
        };
        let at = self.tokens.partition_point(|token| token.lo < op.span.lo);
        let (mut first, mut depth) = (at, 0);
        while first > 0 && depth + step(self.tokens[first - 1].kind) <= 0 {
            first -= 1;
            depth += step(self.tokens[first].kind);
        }
        let (mut end, mut depth) = (at + 1, 0);
        while end < self.tokens.len() && depth + step(self.tokens[end].kind) >= 0 {
            depth += step(self.tokens[end].kind);
            end += 1;
        }
        for (operand, tokens) in [(lhs, first..at), (rhs, at + 1..end)] {
            let is_atomic = !matches!(
                self.ast[operand].kind,
                PatKind::App { .. } | PatKind::Infix { .. } | PatKind::Typed { .. } | PatKind::Layered { .. }
            );
            // A bracket that opens first is closed by the last token.
            let mut depth = 0;
            let is_closed = |token: &Token| {
                depth += step(token.kind);
                depth == 0
            };
            let is_whole = self.tokens[tokens.clone()].iter().position(is_closed) == tokens.len().checked_sub(1);
            if !is_atomic && !is_whole {
                let message = format!("an operand of `{op}`, which is defined here, needs parentheses");
                let d = Diagnostic::error("syntax/infix", self.ast[operand].span, message);
                self.diagnose(d.help(format!("the operands are atomic patterns: `((SOME x) {op} y) z`")));
            }
        }
    }

    #[inline(never)]
    fn clause_head(&mut self, items: Vec<Item>, head: Span) -> (Name, Vec<PatId>, bool) {
        // Of an infix head without parentheses that has more behind it something was said.
        let mut complained = matches!(items.get(1), Some(Item::Operator(_)));
        let mut items = items.into_iter().peekable();
        let (name, first, infix) = match (items.next(), items.peek()) {
            (None, _) => (self.missing_name(), None, false),
            // p ++ q
            (Some(Item::Operand { pat: lhs, .. }), Some(&Item::Operator(name))) => {
                items.next();
                let rhs = match items.next() {
                    Some(Item::Operand { pat, .. }) => pat,
                    _ => {
                        self.report(|_| {
                            Diagnostic::error(
                                "syntax/infix",
                                name.span,
                                format!("the infix function `{name}` needs a pattern on its right"),
                            )
                        });
                        self.error_pat()
                    }
                };
                if items.peek().is_some() {
                    let d = Diagnostic::error(
                        "syntax/infix",
                        head,
                        format!("`{name}` is infix, so this defines `{name}` with too many patterns"),
                    )
                    .label(name.span, "infix")
                    .help(format!("an argument `x {name} y` of another function needs parentheses"))
                    .help(format!("further arguments of `{name}` follow a head in parentheses: `(x {name} y) z`"));
                    self.diagnose(d);
                    (name, Some((lhs, rhs)), true)
                } else {
                    (name, Some((lhs, rhs)), true)
                }
            }
            // f p q, (p ++ q) r
            (Some(Item::Operand { pat, parenthesised }), _) => match &self.ast[pat].kind {
                PatKind::Id { id, .. } if !parenthesised => match id.as_short() {
                    Some(name) => (name, None, false),
                    None => {
                        let span = id.span;
                        self.diagnose(Diagnostic::error(
                            "syntax/expected",
                            span,
                            "a function that is declared cannot have qualifiers",
                        ));
                        (self.missing_name(), None, false)
                    }
                },
                &PatKind::Infix { con, lhs, rhs } if parenthesised => {
                    self.check_infix_head(con, lhs, rhs);
                    (con, Some((lhs, rhs)), true)
                }
                _ => {
                    let span = self.ast[pat].span;
                    self.diagnose(Diagnostic::error("syntax/expected", span, "expected the name of a function"));
                    (self.missing_name(), None, false)
                }
            },
            // ++ (p, q)
            (Some(Item::Operator(name)), _) => {
                let d = Diagnostic::error(
                    "syntax/infix",
                    name.span,
                    format!("the infix identifier `{name}` has no left operand"),
                )
                .help(format!("write `fun op {name} (x, y) = ...` or `fun x {name} y = ...`"));
                self.diagnose(d);
                (name, None, false)
            }
        };
        let mut args = vec![];
        if let Some((lhs, rhs)) = first {
            let span = self.ast[lhs].span.to(self.ast[rhs].span);
            args.push(self.ast.pat(PatKind::Tuple(vec![lhs, rhs]), span));
        }
        let is_constructor = |item: &Item| {
            let Item::Operator(op) = item else { return false };
            op.symbol.as_str().starts_with(|c: char| c == ':' || c.is_ascii_uppercase())
        };
        while let Some(item) = items.next() {
            let mut operator = None;
            match item {
                Item::Operand { pat, .. } => {
                    // `f x :: xs` is read as `f (x :: xs)`, by what looks like a constructor.
                    let mut chain = Chain::new(pat);
                    while let Some(Item::Operator(op)) = items.next_if(is_constructor) {
                        operator = operator.or(Some(op));
                        let operand = items.next_if(|item| matches!(item, Item::Operand { .. }));
                        let Some(Item::Operand { pat, .. }) = operand else { break };
                        let fixity = self.fixity.get(op.symbol);
                        chain.operator(self, op, fixity);
                        chain.operand(pat);
                    }
                    args.push(chain.finish(self));
                }
                Item::Operator(op) => operator = Some(op),
            }
            if let Some(op) = operator
                && !complained
            {
                complained = true;
                self.infix_argument(name, op, args.last().copied());
            }
        }
        if args.is_empty() {
            if name.symbol != sym::ERROR {
                let d = Diagnostic::error("syntax/fun", name.span, format!("the function `{name}` has no argument"))
                    .help(format!("a value is declared by `val {name} = ...`; a function without interesting argument is `fun {name} () = ...`"));
                self.diagnose(d);
            }
            args.push(self.error_pat());
        }
        (name, args, infix)
    }

    /// The argument of a function is joined by an infix, without parentheses.
    fn infix_argument(&mut self, function: Name, op: Name, arg: Option<PatId>) {
        let span = arg.filter(|&arg| matches!(self.ast[arg].kind, PatKind::Infix { .. })).map(|arg| self.ast[arg].span);
        let written = span.and_then(|span| self.text.get(span.lo as usize..span.hi as usize));
        // The places of operands are those within their own parentheses.
        let is_whole = |text: &&str| {
            text.len() < 40 && !text.contains('\n') && text.matches('(').count() == text.matches(')').count()
        };
        let written = written.filter(is_whole).map_or_else(|| format!("x {op} y"), str::to_string);
        let message = format!("an argument with the infix `{op}` needs parentheses");
        let d = Diagnostic::error("syntax/infix", op.span, message).help(format!("write `{function} ({written})`"));
        self.diagnose(d);
    }

    /// `'a t = ty and ...`
    #[inline(never)]
    fn typ_binds(&mut self) -> Vec<TypBind> {
        let mut binds = vec![];
        loop {
            let start = self.span();
            let tyvars = self.tyvar_seq();
            let name = self.expect_tycon();
            self.expect_equals("a `type` declaration");
            let ty = self.ty();
            binds.push(TypBind { tyvars, name, ty, span: self.since(start) });
            if !self.eat_and(T::Type) {
                return binds;
            }
        }
    }

    /// The name of a type that is declared; `*` is none.
    pub(super) fn expect_tycon(&mut self) -> Name {
        let asterisk = self.is(T::Symbolic) && self.token().value == sym::ASTERISK.0;
        self.expect_name(!asterisk, "the name of a type")
    }

    pub(super) fn opt_withtype(&mut self) -> Vec<TypBind> {
        if self.eat(T::Withtype) { self.typ_binds() } else { vec![] }
    }

    #[inline(never)]
    fn datatype_dec(&mut self) -> DecKind {
        if let Some((name, target)) = self.opt_replication() {
            return DecKind::Replication { name, target };
        }
        let datbinds = self.dat_binds();
        DecKind::Datatype { datbinds, withtype: self.opt_withtype() }
    }

    /// After `datatype`: `t = datatype A.u`, if that is what stands here.
    pub(super) fn opt_replication(&mut self) -> Option<(Name, LongId)> {
        if !(matches!(self.kind(), T::Alpha | T::Symbolic) && self.peek(1) == T::Equals && self.peek(2) == T::Datatype)
        {
            return None;
        }
        let name = self.expect_tycon();
        self.bump();
        self.bump();
        Some((name, self.expect_long_id(true, "the name of a datatype")))
    }

    /// `'a t = A | B of ty and ...`
    pub(super) fn dat_binds(&mut self) -> Vec<DatBind> {
        let mut binds = vec![];
        loop {
            let start = self.span();
            let tyvars = self.tyvar_seq();
            let name = self.expect_tycon();
            self.expect_equals("a `datatype` declaration");
            if self.is(T::Bar) {
                self.report(|p| {
                    Diagnostic::error("syntax/bar", p.span(), "no `|` stands before the first constructor")
                        .help("remove the `|`")
                });
                self.bump();
            }
            let mut cons = vec![];
            let mut complained = false;
            loop {
                self.eat(T::Op);
                let name = self.expect_name(true, "a constructor");
                cons.push(ConBind { name, arg: self.opt_of_ty() });
                if !self.another_constructor(&mut complained) {
                    break;
                }
            }
            binds.push(DatBind { tyvars, name, cons, span: self.since(start) });
            if !self.eat_and(T::Datatype) {
                return binds;
            }
        }
    }

    /// Takes the `|` between constructors, or the comma that somebody writes in its place.
    fn another_constructor(&mut self, complained: &mut bool) -> bool {
        let name = self.tokens.get(self.at + 1).filter(|next| next.kind == T::Alpha);
        if self.is(T::Comma) && name.is_some_and(|&name| self.text_of(name).starts_with(char::is_uppercase)) {
            if std::mem::replace(complained, true) {
                self.last_error = Some(self.at);
            }
            self.report(|p| {
                p.unexpected_diagnostic("`|`").help("constructors have `|` between them: `datatype t = A | B of int`")
            });
            self.bump();
            return true;
        }
        self.eat(T::Bar)
    }

    #[inline(never)]
    fn exception_dec(&mut self) -> DecKind {
        let mut binds = vec![];
        loop {
            let start = self.span();
            self.eat(T::Op);
            let name = self.expect_name(true, "the name of an exception");
            let kind = if self.eat(T::Equals) {
                self.eat(T::Op);
                ExBindKind::Alias(self.expect_long_id(true, "the name of an exception"))
            } else {
                ExBindKind::New(self.opt_of_ty())
            };
            binds.push(ExBind { name, kind, span: self.since(start) });
            if !self.eat_and(T::Exception) {
                return DecKind::Exception(binds);
            }
        }
    }
}
