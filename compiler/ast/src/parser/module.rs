//! Structures, signatures, functors, specifications.

use super::{Around, Level, Parser};
use crate::ir::*;
use crate::token::T;
use leat_base::{Diagnostic, Span};

const NO_HIGHER_ORDER: &str = "functors of functors are SML/NJ's alone: hand over a structure that holds what the functor \
                               would make, or apply the functor first";

impl Parser<'_> {
    /// `: S`, `:> S` or nothing.
    #[inline(never)]
    fn opt_ascription(&mut self) -> Option<Ascription> {
        let opaque = self.is(T::ColonGt);
        if !opaque && !self.is(T::Colon) {
            return None;
        }
        self.bump();
        Some(Ascription { opaque, sig: self.sigexp() })
    }

    /// After `structure`.
    #[inline(never)]
    pub(super) fn structure_dec(&mut self) -> DecKind {
        let mut binds = vec![];
        loop {
            let start = self.span();
            let name = self.expect_name(false, "the name of a structure");
            let ascription = self.opt_ascription();
            self.expect_equals("a `structure` declaration");
            let body = self.strexp();
            binds.push(StrBind { name, ascription, body, span: self.since(start) });
            if !self.eat_and(T::Structure) {
                return DecKind::Structure(binds);
            }
        }
    }

    /// After `signature`.
    #[inline(never)]
    pub(super) fn signature_dec(&mut self) -> DecKind {
        let mut binds = vec![];
        loop {
            let start = self.span();
            let name = self.expect_name(false, "the name of a signature");
            self.expect_equals("a `signature` declaration");
            let sig = self.sigexp();
            binds.push(SigBind { name, sig, span: self.since(start) });
            if !self.eat_and(T::Signature) {
                return DecKind::Signature(binds);
            }
        }
    }

    /// After `functor`.
    #[inline(never)]
    pub(super) fn functor_dec(&mut self) -> DecKind {
        let mut binds = vec![];
        loop {
            let start = self.span();
            let name = self.expect_name(false, "the name of a functor");
            let param = self.functor_param();
            if self.is(T::LParen) {
                self.report(|p| {
                    Diagnostic::error("syntax/functor", p.span(), "a functor has one parameter")
                        .help("take several structures as `functor F (structure A : S structure B : T) = ...`")
                });
                self.functor_param();
            }
            let ascription = self.opt_ascription();
            self.expect_equals("a `functor` declaration");
            let body = self.strexp();
            binds.push(FunctorBind { name, param, ascription, body, span: self.since(start) });
            if !self.eat_and(T::Functor) {
                return DecKind::Functor(binds);
            }
        }
    }

    /// `(X : S)` or `(spec)`
    #[inline(never)]
    fn functor_param(&mut self) -> FunctorParam {
        let open = self.span();
        if !self.expect(T::LParen) {
            return FunctorParam::Specs(vec![]);
        }
        self.open.push(T::RParen);
        let param = if self.is(T::Functor) {
            self.report(|p| {
                Diagnostic::error("syntax/functor", p.span(), "a functor's parameter is a structure, not a functor")
                    .help(NO_HIGHER_ORDER)
            });
            while !matches!(self.kind(), T::LParen | T::RParen | T::Eof) {
                self.bump();
            }
            if self.eat(T::LParen) {
                self.skip_to(T::RParen);
            }
            if self.eat(T::Colon) || self.eat(T::ColonGt) {
                self.sigexp();
            }
            FunctorParam::Specs(self.specs())
        } else if self.is(T::Alpha) && matches!(self.peek(1), T::RParen | T::Comma | T::Equals) {
            let name = self.expect_name(false, "the parameter's name");
            self.report(|p| {
                let help = format!("a parameter has a signature: `({name} : SIG)`");
                p.unexpected_diagnostic("`:`").help(help)
            });
            FunctorParam::Named(name, self.error_sigexp())
        } else if self.is(T::Alpha) && self.peek(1) == T::Colon {
            let name = self.expect_name(false, "the parameter's name");
            self.bump();
            FunctorParam::Named(name, self.sigexp())
        } else {
            FunctorParam::Specs(self.specs())
        };
        self.expect_close(T::RParen, open, "the parameter");
        self.open.pop();
        param
    }

    /// A structure expression with its ascriptions.
    fn strexp(&mut self) -> StrExpId {
        self.nested(Self::error_strexp, |p| {
            let start = p.span();
            let mut body = p.strexp_atom();
            while let Some(ascription) = p.opt_ascription() {
                let span = p.since(start);
                body = p.ast.strexp(StrExpKind::Ascribe { body, ascription }, span);
            }
            body
        })
    }

    fn error_strexp(&mut self) -> StrExpId {
        let span = self.last_span().end();
        self.ast.strexp(StrExpKind::Error, span)
    }

    #[inline(never)]
    fn strexp_atom(&mut self) -> StrExpId {
        let start = self.span();
        let kind = match self.kind() {
            T::Struct => {
                self.bump();
                let mark = self.fixity.enter();
                let decs = self.decs(Level::Struct, Around::Block);
                self.fixity.leave(mark);
                let is_closed = self.expect_close(T::End, start, "this `struct`");
                let span = self.since(start);
                let id = self.ast.strexp(StrExpKind::Struct(decs), span);
                if !is_closed {
                    self.ast.unclosed.push(id);
                }
                return id;
            }
            T::Let => {
                self.bump();
                let mark = self.fixity.enter();
                let decs = self.decs(Level::Struct, Around::Block);
                if !self.eat(T::In) {
                    self.report(|p| p.unexpected_diagnostic("`in`").label(start, "of this `let`"));
                }
                let body = self.strexp();
                self.fixity.leave(mark);
                self.expect_close(T::End, start, "this `let`");
                StrExpKind::Let { decs, body }
            }
            T::Alpha if self.peek(1) == T::LParen => {
                let functor = self.expect_name(false, "a functor");
                StrExpKind::App { functor, arg: self.functor_arg() }
            }
            T::Alpha if matches!(self.peek(1), T::Struct | T::Alpha | T::Long) && !self.next_begins_line() => {
                let functor = self.expect_name(false, "a functor");
                self.report(|p| {
                    Diagnostic::error(
                        "syntax/functor",
                        p.span(),
                        format!("the argument of the functor `{functor}` stands in parentheses"),
                    )
                });
                let arg = FunctorArg::Str(self.nested(Self::error_strexp, Self::strexp_atom));
                StrExpKind::App { functor, arg }
            }
            T::Alpha | T::Long => StrExpKind::Id(self.expect_long_id(false, "a structure")),
            T::Functor if self.peek(1) == T::LParen => {
                self.report(|p| {
                    Diagnostic::error("syntax/functor", p.span(), "a functor's result is a structure, not a functor")
                        .help(NO_HIGHER_ORDER)
                });
                self.bump();
                self.functor_param();
                if self.eat(T::DArrow) {
                    self.strexp();
                }
                return self.error_strexp();
            }
            T::LParen => {
                self.report(|p| {
                    Diagnostic::error(
                        "syntax/structure",
                        p.span(),
                        "a structure expression does not stand in parentheses",
                    )
                });
                self.bump();
                self.open.push(T::RParen);
                let body = self.strexp();
                self.expect_close(T::RParen, start, "the parenthesis");
                self.open.pop();
                return body;
            }
            _ => {
                self.report(|p| {
                    let d = p.unexpected_diagnostic("a structure");
                    if p.kind().starts_dec() {
                        d.help("the declarations of a structure stand between `struct` and `end`")
                    } else {
                        d
                    }
                });
                return self.error_strexp();
            }
        };
        let span = self.since(start);
        self.ast.strexp(kind, span)
    }

    /// Does the token after the current one begin a line?
    fn next_begins_line(&self) -> bool {
        self.tokens.get(self.at + 1).is_none_or(|&next| self.on_later_line(self.token(), next))
    }

    /// `(strexp)`, `(dec)`, `()`
    #[inline(never)]
    fn functor_arg(&mut self) -> FunctorArg {
        let open = self.span();
        self.bump();
        self.open.push(T::RParen);
        let arg = if self.is(T::RParen) || self.is(T::Semi) || self.kind().starts_dec() {
            let mark = self.fixity.enter();
            let decs = self.decs(Level::Struct, Around::Parentheses);
            self.fixity.leave(mark);
            FunctorArg::Decs(decs)
        } else {
            FunctorArg::Str(self.strexp())
        };
        self.expect_close(T::RParen, open, "the functor's argument");
        self.open.pop();
        arg
    }

    /// A signature expression with its `where type`s.
    fn sigexp(&mut self) -> SigExpId {
        self.nested(Self::error_sigexp, |p| {
            let start = p.span();
            let mut sig = p.sigexp_atom();
            while p.is(T::Where) {
                p.bump();
                let wheres = p.where_types();
                let span = p.since(start);
                sig = p.ast.sigexp(SigExpKind::Where { sig, wheres }, span);
            }
            sig
        })
    }

    #[inline(never)]
    fn error_sigexp(&mut self) -> SigExpId {
        let span = self.last_span().end();
        self.ast.sigexp(SigExpKind::Error, span)
    }

    #[inline(never)]
    fn sigexp_atom(&mut self) -> SigExpId {
        let start = self.span();
        let kind = match self.kind() {
            T::Sig => {
                self.bump();
                let specs = self.specs();
                self.expect_close(T::End, start, "this `sig`");
                SigExpKind::Sig(specs)
            }
            T::Alpha => SigExpKind::Id(self.expect_name(false, "a signature")),
            _ => {
                self.unexpected("a signature");
                return self.error_sigexp();
            }
        };
        let span = self.since(start);
        self.ast.sigexp(kind, span)
    }

    /// After `where`: `type 'a A.t = ty and type ...`
    #[inline(never)]
    fn where_types(&mut self) -> Vec<WhereType> {
        let mut wheres = vec![];
        loop {
            let start = self.span();
            let structure = matches!(self.kind(), T::Alpha | T::Long | T::Structure);
            if structure {
                self.report(|p| {
                    p.unexpected_diagnostic("`type`")
                        .note("`where` is about types: `where type A.t = B.t`; that two structures are equal is written as a type for each")
                });
                self.eat(T::Structure);
            } else {
                self.expect(T::Type);
            }
            let tyvars = self.tyvar_seq();
            let con = self.expect_long_id(true, "the name of a type");
            self.expect_equals("a `where type`");
            let ty = self.ty();
            if !structure {
                wheres.push(WhereType { tyvars, con, ty, span: self.since(start) });
            }
            if !(self.is(T::And) && self.peek(1) == T::Type) {
                return wheres;
            }
            self.bump();
        }
    }

    /// Specifications up to `end` or `)`, which is not taken.
    fn specs(&mut self) -> Vec<SpecId> {
        let mut out = vec![];
        let first = self.at;
        loop {
            let kind = self.kind();
            let is_behind = kind.starts_dec() && self.is_behind_list(first.saturating_sub(1), first);
            if is_behind || kind == T::Structure && self.structure_ahead() && self.lacks_end() {
                return out;
            }
            if kind.starts_spec() {
                out.push(self.spec());
                continue;
            }
            match kind {
                T::Semi => {
                    self.bump();
                }
                T::Functor if self.is_functor_spec() => {
                    self.report(|p| {
                        Diagnostic::error("syntax/functor", p.span(), "a signature specifies no functors")
                            .help(NO_HIGHER_ORDER)
                    });
                    self.bump();
                    self.expect_name(false, "the name of a functor");
                    self.functor_param();
                    self.opt_ascription();
                }
                T::Eof | T::End | T::Signature | T::Functor => return out,
                T::RParen | T::RBrack | T::RBrace => {
                    if !self.stray_closing(true) {
                        return out;
                    }
                    // What stands behind it is skipped.
                    self.last_error = Some(self.at);
                }
                _ => {
                    self.report(|p| {
                        let d = p.unexpected_at(p.span(), "a specification or `end`");
                        match kind {
                            T::Fun => d.help("a function is specified by its type: `val f : int -> int`"),
                            _ => d,
                        }
                    });
                    let start = self.span();
                    self.skip_to_spec();
                    let span = self.since(start);
                    out.push(self.ast.spec(SpecKind::Error, span));
                }
            }
        }
    }

    /// At `structure`: is it declared, not specified? `structure A :> S = struct`
    fn structure_ahead(&self) -> bool {
        let mut depth = 0usize;
        // Further away is nothing that anybody means.
        for n in 1..1000 {
            match self.peek(n) {
                T::Sig => depth += 1,
                T::End if depth > 0 => depth -= 1,
                T::Equals if depth == 0 => {
                    let is_functor = self.peek(n + 1) == T::Alpha && self.peek(n + 2) == T::LParen;
                    if is_functor || self.peek(n + 1) == T::Struct || n == 4 {
                        return true;
                    }
                }
                T::Type => {}
                T::End | T::Eof => return false,
                kind if depth == 0 && (kind.starts_dec() || kind.starts_spec()) => return false,
                _ => {}
            }
        }
        false
    }

    /// At `functor`: does it only specify one, as `functor F (X : S) : T`? A declaration has `=` behind that.
    fn is_functor_spec(&self) -> bool {
        if self.peek(1) != T::Alpha || self.peek(2) != T::LParen {
            return false;
        }
        let mut depth = 0usize;
        // Further away is nothing that anybody means.
        for n in 2..1000 {
            match self.peek(n) {
                T::LParen | T::Sig => depth += 1,
                T::RParen | T::End if depth > 1 => depth -= 1,
                T::RParen => {
                    return matches!(self.peek(n + 1), T::Colon | T::ColonGt)
                        && self.peek(n + 2) == T::Alpha
                        && self.peek(n + 3) != T::Equals;
                }
                T::End | T::Eof => return false,
                _ => {}
            }
        }
        false
    }

    #[inline(never)]
    fn skip_to_spec(&mut self) {
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
            let stop = kind.starts_spec() || matches!(kind, T::Semi | T::End | T::Signature | T::Functor);
            if stop && (depth == 0 || (kind != T::End && self.begins_line())) {
                return;
            }
        }
    }

    /// At a keyword that begins a specification.
    fn spec(&mut self) -> SpecId {
        let start = self.span();
        let kind = self.spec_kind();
        let span = self.since(start);
        self.ast.spec(kind, span)
    }

    /// Behind `val`.
    #[inline(never)]
    fn val_specs(&mut self) -> SpecKind {
        let mut descs = vec![];
        loop {
            self.eat(T::Op);
            let name = if self.is(T::Equals) && self.peek(1) == T::Colon {
                let t = self.bump();
                self.name_of(t)
            } else {
                self.expect_name(true, "the name of a value")
            };
            if self.is(T::Equals) {
                self.report(|p| {
                    p.unexpected_diagnostic("`:`").note("a signature has the type of a value, not the value")
                });
                self.bump();
                let value = self.exp();
                let span = self.ast[value].span;
                descs.push((name, self.ast.ty(TyKind::Error, span)));
            } else {
                self.expect(T::Colon);
                descs.push((name, self.ty()));
            }
            if !self.eat_and(T::Val) {
                return SpecKind::Val(descs);
            }
        }
    }

    /// Behind `type` or `eqtype`.
    #[inline(never)]
    fn type_specs(&mut self, kind: T) -> SpecKind {
        let mut descs = vec![];
        loop {
            let start = self.span();
            let tyvars = self.tyvar_seq();
            let name = self.expect_tycon();
            let mut ty = None;
            if self.is(T::Equals) {
                if kind == T::Eqtype {
                    self.report(|p| {
                        Diagnostic::error(
                            "syntax/expected",
                            p.span(),
                            "an `eqtype` is specified without its definition",
                        )
                        .help("write `type t = ...`; whether it admits equality follows from the definition")
                    });
                }
                self.bump();
                ty = Some(self.ty());
            }
            descs.push(TypDesc { tyvars, name, ty, span: self.since(start) });
            if !self.eat_and(kind) {
                return SpecKind::Type { equality: kind == T::Eqtype, descs };
            }
        }
    }

    #[inline(never)]
    fn spec_kind(&mut self) -> SpecKind {
        let kind = self.bump().kind;
        match kind {
            T::Val => self.val_specs(),
            T::Type | T::Eqtype => self.type_specs(kind),
            T::Datatype => {
                if let Some((name, target)) = self.opt_replication() {
                    return SpecKind::Replication { name, target };
                }
                let datbinds = self.dat_binds();
                SpecKind::Datatype { datbinds, withtype: self.opt_withtype() }
            }
            T::Exception => {
                let mut descs = vec![];
                loop {
                    self.eat(T::Op);
                    let name = self.expect_name(true, "the name of an exception");
                    descs.push(ConBind { name, arg: self.opt_of_ty() });
                    if !self.eat_and(T::Exception) {
                        return SpecKind::Exception(descs);
                    }
                }
            }
            T::Structure => {
                let mut descs = vec![];
                loop {
                    let name = self.expect_name(false, "the name of a structure");
                    if self.is(T::ColonGt) {
                        self.report(|p| {
                            p.unexpected_diagnostic("`:`").note("in a signature a structure is specified with `:`")
                        });
                        self.bump();
                    } else {
                        self.expect(T::Colon);
                    }
                    descs.push((name, self.sigexp()));
                    if !self.eat_and(T::Structure) {
                        return SpecKind::Structure(descs);
                    }
                }
            }
            T::Include => {
                let mut sigs = vec![self.sigexp()];
                while self.is(T::Alpha) {
                    sigs.push(self.sigexp());
                }
                SpecKind::Include(sigs)
            }
            T::Sharing => {
                let types = self.eat(T::Type);
                let what = if types { "the name of a type" } else { "the name of a structure" };
                let start: Span = self.span();
                let mut ids = vec![self.expect_long_id(types, what)];
                while self.eat(T::Equals) {
                    ids.push(self.expect_long_id(types, what));
                }
                if ids.len() < 2 {
                    self.report(|_| {
                        Diagnostic::error(
                            "syntax/expected",
                            start,
                            "`sharing` needs at least two names with `=` between them",
                        )
                    });
                }
                if types { SpecKind::SharingType(ids) } else { SpecKind::SharingStructure(ids) }
            }
            _ => {
                let (fixity, names) = self.fixity_names(kind);
                SpecKind::Fixity { fixity, names }
            }
        }
    }
}
