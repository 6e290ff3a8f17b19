//! Tokens -> Ast: recursive descent with recovery.
//!
//! A function `exp`, `pat`, ... always answers a node: where the text cannot be understood, a
//! diagnostic is given once for the token and the node is `Error`. Nothing is skipped there; the
//! list that the construct stands in (declarations, rules, elements in brackets) skips to a place
//! where it can go on. Chains (infix operators, applications, `else if`, `andalso`, `->`) are
//! loops; real nesting is limited to [`DEEPEST`] levels.
//!
//! Reading order: this file, `dec.rs`, `exp.rs`, `pat.rs`, `ty.rs`, `module.rs`; `infix.rs`
//! resolves operators for expressions and patterns; `foreign.rs` knows what other languages write.

mod dec;
mod exp;
mod foreign;
mod infix;
mod module;
mod pat;
mod ty;

use crate::fixity::FixityEnv;
use crate::ir::*;
use crate::lexer::Lexed;
use crate::token::{T, Token};
use leat_base::{Diagnostic, FileId, Span, Symbol, symbol::sym};

/// Levels of nesting that a text may have. A level costs up to 1.9 KB of stack here, so a thread
/// that parses needs 40 MB; the stages after have their own needs.
///
/// What is `#[inline(never)]` in these files is one of several ways that a nested text may take:
/// inlined, it would make the frames of all the others larger.
pub const DEEPEST: u32 = 20_000;

/// More errors than this in one text are not reported.
const MOST_ERRORS: usize = 1000;

pub(crate) struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    strings: Vec<Box<[u8]>>,
    longs: Vec<(Box<[Symbol]>, Symbol)>,
    at: usize,
    fixity: &'a mut FixityEnv,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// The token of the last error that was reported: one error a token.
    last_error: Option<usize>,
    depth: u32,
    /// How many top-level declarations stand before each semicolon among them.
    ends: Vec<u32>,
    /// The functions in whose clauses this place is, the innermost last.
    functions: Vec<Symbol>,
    /// What closes the brackets around this place in which declarations may stand, the innermost last.
    open: Vec<T>,
    /// The declaration at hand has a closing bracket that closes nothing.
    stray: bool,
    /// Counted when it is first asked for.
    balance: Option<Balance>,
}

/// How many more of a kind a text opens than it closes.
#[derive(Clone, Copy, Default)]
struct Balance {
    /// What ends in `end`.
    blocks: i64,
    parens: i64,
    bracks: i64,
    braces: i64,
}

/// Where declarations stand: it decides which are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// In `let ... in`, `abstype ... with`: core declarations.
    Core,
    /// In `struct ... end`: structures too.
    Struct,
    /// At top level: signatures, functors and expressions too.
    Top,
}

/// What stands around a list of declarations, and so ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Around {
    Nothing,
    /// `let`, `struct` and their like, up to `in` or `end`.
    Block,
    /// The parentheses of a functor's argument.
    Parentheses,
}

pub(crate) fn parse_tokens(
    file: FileId,
    text: &str,
    lexed: Lexed,
    fixity: &mut FixityEnv,
) -> (Program, Vec<Diagnostic>) {
    let Lexed { tokens, strings, longs, diagnostics } = lexed;
    let mut p = Parser {
        file,
        text,
        tokens,
        strings,
        longs,
        at: 0,
        fixity,
        ast: Ast::default(),
        diagnostics,
        last_error: None,
        depth: 0,
        ends: vec![],
        functions: vec![],
        open: vec![],
        stray: false,
        balance: None,
    };
    let decs = p.program();
    let Parser { ast, mut diagnostics, ends, .. } = p;
    diagnostics.sort_by_key(|d| (d.span.lo, d.span.hi));
    (Program { file, ast, decs, ends }, diagnostics)
}

impl Parser<'_> {
    // ------------------------------------------------------------ tokens

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    fn kind(&self) -> T {
        self.tokens[self.at].kind
    }

    /// The kind of the n-th token after the current one.
    #[inline]
    fn peek(&self, n: usize) -> T {
        self.tokens.get(self.at + n).map_or(T::Eof, |t| t.kind)
    }

    #[inline]
    fn is(&self, kind: T) -> bool {
        self.kind() == kind
    }

    /// The current token's place.
    #[inline]
    fn span(&self) -> Span {
        self.token().span(self.file)
    }

    /// The place of the token before the current one.
    #[inline]
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span(self.file)
    }

    /// From a start to the last token taken (or the empty span at the start if none was).
    #[inline]
    fn since(&self, start: Span) -> Span {
        let hi = if self.at == 0 { start.lo } else { self.tokens[self.at - 1].hi.max(start.lo) };
        Span { file: start.file, lo: start.lo, hi }
    }

    /// Takes the current token. The end of the file is never passed.
    #[inline]
    fn bump(&mut self) -> Token {
        let t = self.tokens[self.at];
        if t.kind != T::Eof {
            self.at += 1;
        }
        t
    }

    /// Takes the token if it is of this kind.
    #[inline]
    fn eat(&mut self, kind: T) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    /// The text of a token.
    fn text_of(&self, t: Token) -> &str {
        self.text.get(t.lo as usize..t.hi as usize).unwrap_or("")
    }

    /// The symbol of the current token, if it is an identifier without qualifiers; `=` counts.
    #[inline]
    fn short_symbol(&self) -> Option<Symbol> {
        let t = self.token();
        match t.kind {
            T::Alpha | T::Symbolic => Some(Symbol(t.value)),
            T::Equals => Some(sym::EQUALS),
            _ => None,
        }
    }

    /// The column of a token, if it begins a line but for blanks.
    fn indentation(&self, token: usize) -> Option<usize> {
        let before = &self.text.as_bytes()[..self.tokens[token].lo as usize];
        let blanks = before.iter().rev().take_while(|&&b| b == b' ' || b == b'\t').count();
        matches!(before.len().checked_sub(blanks + 1).map(|i| before[i]), None | Some(b'\n')).then_some(blanks)
    }

    /// At a declaration or specification: is the list behind the token `opener` over, by its margin? Its `first`
    /// element is indented, and this one stands where the line of `opener` begins. A text with all its `end`s may
    /// have any margins.
    #[inline(never)]
    fn is_behind_list(&mut self, opener: usize, first: usize) -> bool {
        if first == self.at || !self.lacks_end() {
            return false;
        }
        let Some(here) = self.indentation(self.at) else { return false };
        let before = &self.text[..self.tokens[opener].lo as usize];
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let margin = line.bytes().take_while(|&b| b == b' ' || b == b'\t').count();
        here <= margin && self.indentation(first).is_none_or(|column| column > margin)
    }

    /// Has the text fewer `end`s than it needs?
    fn lacks_end(&mut self) -> bool {
        self.balance().blocks > 0
    }

    fn balance(&mut self) -> Balance {
        let count = || {
            let mut balance = Balance::default();
            for token in &self.tokens {
                match token.kind {
                    T::Let | T::Struct | T::Sig | T::Local | T::Abstype => balance.blocks += 1,
                    T::End => balance.blocks -= 1,
                    T::LParen => balance.parens += 1,
                    T::RParen => balance.parens -= 1,
                    T::LBrack => balance.bracks += 1,
                    T::RBrack => balance.bracks -= 1,
                    T::LBrace => balance.braces += 1,
                    T::RBrace => balance.braces -= 1,
                    _ => {}
                }
            }
            balance
        };
        let balance = self.balance.unwrap_or_else(count);
        self.balance = Some(balance);
        balance
    }

    /// How many more brackets of this closing kind the text opens than it closes.
    fn balance_of(&mut self, closing: T) -> i64 {
        let balance = self.balance();
        match closing {
            T::RParen => balance.parens,
            T::RBrack => balance.bracks,
            _ => balance.braces,
        }
    }

    /// Does the current token begin a line?
    fn begins_line(&self) -> bool {
        let lo = self.token().lo as usize;
        lo == 0 || self.text.as_bytes().get(lo - 1) == Some(&b'\n')
    }

    // ------------------------------------------------------------ errors

    fn diagnose(&mut self, d: Diagnostic) {
        if self.diagnostics.len() < MOST_ERRORS {
            self.diagnostics.push(d);
        }
    }

    /// Gives a diagnostic about the current token, unless it had one.
    fn report(&mut self, make: impl FnOnce(&Self) -> Diagnostic) {
        if self.is_first_error() {
            let d = make(self);
            self.diagnose(d);
        }
    }

    /// Notes that there is a message about the current token, and answers whether there was none. A long identifier
    /// that lacks its last name has one.
    #[cold]
    #[inline(never)]
    fn is_first_error(&mut self) -> bool {
        let is_half = self.is(T::Long) && self.longs[self.token().value as usize].1 == sym::ERROR;
        self.last_error.replace(self.at) != Some(self.at) && !is_half
    }

    /// How the current token is called in a message.
    fn found(&self) -> String {
        let t = self.token();
        match t.kind {
            T::Alpha | T::Symbolic | T::Long | T::TyVar | T::Int | T::Word | T::Real => {
                let text = self.text_of(t);
                if text.chars().count() > 40 {
                    format!("`{}...`", text.chars().take(40).collect::<String>())
                } else {
                    format!("`{text}`")
                }
            }
            kind => kind.describe().to_string(),
        }
    }

    /// Reports that something else was expected here. If the current token stands on a later line
    /// than the one before it, the place is the end of that one.
    fn unexpected(&mut self, expected: &str) {
        self.report(|p| p.unexpected_diagnostic(expected));
    }

    fn unexpected_diagnostic(&self, expected: &str) -> Diagnostic {
        let span = if self.is(T::Eof) || self.on_new_line() { self.last_span().end() } else { self.span() };
        self.unexpected_at(span, expected)
    }

    /// Does the current token stand on a later line than the one before it?
    fn on_new_line(&self) -> bool {
        self.at > 0 && self.on_later_line(self.tokens[self.at - 1], self.token())
    }

    fn unexpected_at(&self, span: Span, expected: &str) -> Diagnostic {
        let d = Diagnostic::error("syntax/expected", span, format!("expected {expected}, found {}", self.found()))
            .label(span, format!("expected {expected}"));
        match self.kind() {
            T::TyVar if self.text_of(self.token()).len() > 2 && self.text_of(self.token()).ends_with('\'') => {
                d.help("a character constant is written #\"c\"")
            }
            T::Wild if !expected.contains("pattern") => d.note("`_` stands only in patterns"),
            kind if kind.is_word()
                && !self.on_new_line()
                && ["name", "pattern", "identifier", "label"].iter().any(|what| expected.contains(what)) =>
            {
                d.note(format!("{} is a reserved word", kind.describe()))
            }
            _ => d,
        }
    }

    /// Is there a line end between the two tokens?
    fn on_later_line(&self, first: Token, second: Token) -> bool {
        self.text.get(first.hi as usize..second.lo as usize).is_none_or(|gap| gap.contains('\n'))
    }

    /// Takes a token of this kind or reports that it was expected.
    fn expect(&mut self, kind: T) -> bool {
        if self.eat(kind) {
            return true;
        }
        self.unexpected(kind.describe());
        false
    }

    /// Takes the token that closes what `open` began: on failure both places are shown, and if it
    /// stands further on before anything that begins a new construct, the text between is skipped.
    fn expect_close(&mut self, close: T, open: Span, what: &str) -> bool {
        if close == T::End {
            self.stray_closing_before(close);
        }
        if self.eat(close) {
            return true;
        }
        self.report(|p| {
            let d = p.unexpected_diagnostic(close.describe());
            d.label(open, format!("{what} is opened here"))
        });
        self.skip_to(close)
    }

    /// At a closing bracket while none of its kind is open, or directly `in_block`, whose `end` stands behind it: says
    /// so and takes it.
    fn stray_closing(&mut self, in_block: bool) -> bool {
        let kind = self.kind();
        if !matches!(kind, T::RParen | T::RBrack | T::RBrace) {
            return false;
        }
        if self.open.contains(&kind) && (!in_block || self.peek(1) != T::End || self.lacks_end()) {
            return false;
        }
        self.closes_nothing();
        self.stray = true;
        true
    }

    /// The same if what is wanted stands behind it.
    fn stray_closing_before(&mut self, wanted: T) {
        if !self.is(wanted) && self.peek(1) == wanted {
            self.stray_closing(wanted == T::End);
        }
    }

    /// Behind an element in brackets that `close` ends: takes another closing bracket if the elements go on, or end,
    /// behind it.
    fn stray_closing_in_list(&mut self, close: T) {
        let is_other = matches!(self.kind(), T::RParen | T::RBrack | T::RBrace) && !self.is(close);
        if is_other && (self.peek(1) == T::Comma || self.peek(1) == close) && self.balance_of(close) <= 0 {
            self.closes_nothing();
            self.stray = true;
        }
    }

    /// Takes a token that closes nothing.
    fn closes_nothing(&mut self) {
        self.report(|p| {
            let kind = p.kind();
            let message = format!("this {} closes nothing", kind.describe());
            let d = Diagnostic::error("syntax/unmatched", p.span(), message);
            match kind {
                T::RParen => d.help("remove it, or write the `(` that is missing before it"),
                T::RBrack => d.help("remove it, or write the `[` that is missing before it"),
                T::RBrace => d.help("remove it, or write the `{` that is missing before it"),
                _ => d,
            }
        });
        self.bump();
    }

    /// Skips to the token and takes it, if it comes before anything that begins or ends a
    /// construct around this place.
    fn skip_to(&mut self, close: T) -> bool {
        let mut depth = 0usize;
        let mut n = 0;
        loop {
            let kind = self.peek(n);
            if depth == 0 && kind == close {
                self.at += n + 1;
                return true;
            }
            match kind {
                T::LParen | T::LBrack | T::LBrace | T::Let => depth += 1,
                T::RParen | T::RBrack | T::RBrace | T::End if depth > 0 => depth -= 1,
                T::Eof => return false,
                T::In | T::Then | T::Else | T::Do | T::End | T::Semi if depth == 0 => return false,
                T::RParen | T::RBrack | T::RBrace => return false,
                _ if kind.starts_dec() && depth == 0 => return false,
                _ => {}
            }
            n += 1;
            // A closing that far away was not meant; and many such searches would take long.
            if n > 5000 {
                return false;
            }
        }
    }

    /// Runs `f` one level deeper. Past the limit the rest of the text is given up: an error is
    /// reported and the parser stands at the end of the file.
    fn nested<R>(&mut self, too_deep: impl FnOnce(&mut Self) -> R, f: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= DEEPEST {
            self.report(|p| {
                Diagnostic::error(
                    "syntax/too-deep",
                    p.span(),
                    format!("this is nested more than {DEEPEST} levels deep"),
                )
                .help("name the inner parts with `val` or `fun` declarations")
            });
            self.at = self.tokens.len() - 1;
            self.last_error = Some(self.at);
            return too_deep(self);
        }
        self.depth += 1;
        let r = f(self);
        self.depth -= 1;
        r
    }

    // ------------------------------------------------------------- names

    /// A name of an identifier token that is known to be one.
    fn name_of(&self, t: Token) -> Name {
        let symbol = match t.kind {
            T::Equals => sym::EQUALS,
            T::Alpha | T::Symbolic | T::TyVar => Symbol(t.value),
            _ => sym::ERROR,
        };
        Name { symbol, span: t.span(self.file) }
    }

    /// A name that stands for a missing one.
    fn missing_name(&self) -> Name {
        Name { symbol: sym::ERROR, span: self.last_span().end() }
    }

    /// An identifier without qualifiers: alphanumeric, or symbolic too.
    fn expect_name(&mut self, symbolic: bool, what: &str) -> Name {
        match self.kind() {
            T::Alpha => {
                let t = self.bump();
                self.name_of(t)
            }
            T::Symbolic if symbolic => {
                let t = self.bump();
                self.name_of(t)
            }
            T::Long => {
                self.report(|p| {
                    Diagnostic::error(
                        "syntax/expected",
                        p.span(),
                        format!("{what} that is declared cannot have qualifiers"),
                    )
                });
                let t = self.bump();
                let symbol = self.longs[t.value as usize].1;
                Name { symbol, span: t.span(self.file) }
            }
            _ => {
                self.unexpected(what);
                self.eat_word_as_name();
                self.missing_name()
            }
        }
    }

    /// Takes a reserved word that was meant as a name: it stands before `=` or `:`.
    fn eat_word_as_name(&mut self) {
        if self.kind().is_word() && !self.on_new_line() && matches!(self.peek(1), T::Equals | T::Colon) {
            self.bump();
        }
    }

    /// A possibly long identifier of any token that is one.
    fn opt_long_id(&mut self, symbolic: bool) -> Option<LongId> {
        let t = self.token();
        let id = match t.kind {
            T::Alpha => LongId::short(self.name_of(t)),
            T::Symbolic if symbolic => LongId::short(self.name_of(t)),
            T::Long => {
                let (qualifiers, symbol) = &mut self.longs[t.value as usize];
                LongId { qualifiers: std::mem::take(qualifiers), symbol: *symbol, span: t.span(self.file) }
            }
            _ => return None,
        };
        self.bump();
        Some(id)
    }

    fn expect_long_id(&mut self, symbolic: bool, what: &str) -> LongId {
        match self.opt_long_id(symbolic) {
            Some(id) => id,
            None => {
                self.unexpected(what);
                LongId::short(self.missing_name())
            }
        }
    }

    /// A record label: an identifier or a positive number.
    fn opt_label(&mut self) -> Option<Name> {
        let t = self.token();
        match t.kind {
            T::Alpha | T::Symbolic => {
                self.bump();
                Some(self.name_of(t))
            }
            T::Int => {
                let symbol = Symbol::intern(self.text_of(t));
                if symbol.as_tuple_label().is_none() {
                    let span = t.span(self.file);
                    let text = self.text_of(t);
                    let is_large = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
                    let message = match is_large {
                        true => format!("this label is too large: the largest numeric label is {}", usize::MAX),
                        false => "a numeric label is a positive decimal number without leading zero".to_string(),
                    };
                    self.report(|_| Diagnostic::error("syntax/label", span, message));
                }
                self.bump();
                Some(Name { symbol, span: t.span(self.file) })
            }
            _ => None,
        }
    }

    /// `'a`, `('a, 'b)` or nothing.
    fn tyvar_seq(&mut self) -> Vec<Name> {
        let mut out: Vec<Name> = vec![];
        if self.is(T::TyVar) {
            let t = self.bump();
            out.push(self.name_of(t));
        } else if self.is(T::LParen) && self.peek(1) == T::TyVar {
            let open = self.bump().span(self.file);
            loop {
                if !self.is(T::TyVar) {
                    self.unexpected(T::TyVar.describe());
                    break;
                }
                let t = self.bump();
                out.push(self.name_of(t));
                if !self.eat(T::Comma) {
                    break;
                }
            }
            self.expect_close(T::RParen, open, "the list of type variables");
        }
        self.check_distinct(&out, "type variable");
        out
    }

    /// [A1, A4] Reports names that stand twice.
    fn check_distinct(&mut self, names: &[Name], what: &str) {
        if names.len() < 2 {
            return;
        }
        let mut sorted: Vec<Name> = names.to_vec();
        sorted.sort_by_key(|n| (n.symbol, n.span.lo));
        for pair in sorted.windows(2) {
            if pair[0].symbol == pair[1].symbol && pair[0].symbol != sym::ERROR {
                let d = Diagnostic::error(
                    "syntax/twice",
                    pair[1].span,
                    format!("the {what} `{}` stands here twice", pair[0]),
                )
                .label(pair[0].span, "first here");
                self.diagnose(d);
            }
        }
    }

    /// A special constant at the current token, if it is one.
    fn opt_const(&mut self) -> Option<Const> {
        let t = self.token();
        let c = match t.kind {
            T::Int => Const::Int(int_literal(self.text_of(t))),
            T::Word => Const::Word(int_literal(self.text_of(t))),
            T::Real => Const::Real(self.text_of(t).into()),
            T::Char => Const::Char(self.strings[t.value as usize].first().copied().unwrap_or(b'?')),
            T::String => Const::String(std::mem::take(&mut self.strings[t.value as usize])),
            _ => return None,
        };
        self.bump();
        Some(c)
    }
}

/// The value of an integer or word constant's text.
fn int_literal(text: &str) -> IntLit {
    let (negative, rest) = match text.strip_prefix('~') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let rest = rest.strip_prefix("0w").map_or(rest, |digits| digits);
    let (hex, digits) = if let Some(d) = rest.strip_prefix("0x") {
        (true, d)
    } else if let Some(d) = rest.strip_prefix('x') {
        (true, d)
    } else {
        (false, rest)
    };
    let magnitude = match u64::from_str_radix(digits, if hex { 16 } else { 10 }) {
        Ok(value) => Magnitude::Small(value),
        Err(_) => Magnitude::Big(digits.into()),
    };
    IntLit { negative, hex, magnitude }
}
