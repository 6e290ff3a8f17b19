//! Types. `->` groups to the right and binds less than `*`, `*` less than a constructor behind
//! its arguments.

use super::Parser;
use crate::ir::*;
use crate::token::T;
use leat_base::{Diagnostic, symbol::sym};

impl Parser<'_> {
    /// `ty -> ty -> ty`
    pub(super) fn ty(&mut self) -> TyId {
        self.nested(Self::error_ty, |p| {
            let mut parts = vec![p.ty_tuple()];
            while p.eat(T::Arrow) {
                parts.push(p.ty_tuple());
            }
            let mut parts = parts.into_iter().rev();
            let last = parts.next().unwrap_or_else(|| p.error_ty());
            parts.fold(last, |result, arg| {
                let span = p.ast[arg].span.to(p.ast[result].span);
                p.ast.ty(TyKind::Arrow(arg, result), span)
            })
        })
    }

    fn error_ty(&mut self) -> TyId {
        let span = self.last_span().end();
        self.ast.ty(TyKind::Error, span)
    }

    pub(super) fn is_asterisk(&self) -> bool {
        self.is(T::Symbolic) && self.token().value == sym::ASTERISK.0
    }

    /// `ty * ty * ty`
    fn ty_tuple(&mut self) -> TyId {
        let start = self.span();
        let first = self.ty_app();
        if !self.is_asterisk() {
            return first;
        }
        let mut parts = vec![first];
        while self.is_asterisk() {
            self.bump();
            parts.push(self.ty_app());
        }
        let span = self.since(start);
        self.ast.ty(TyKind::Tuple(parts), span)
    }

    /// `'a list option`, `(int, 'a) either`
    fn ty_app(&mut self) -> TyId {
        let start = self.span();
        let mut ty = match self.kind() {
            T::TyVar => {
                let t = self.bump();
                let symbol = self.name_of(t).symbol;
                self.ast.ty(TyKind::Var(symbol), start)
            }
            T::LBrace => self.ty_record(),
            T::LParen => {
                self.bump();
                let mut args = vec![self.ty()];
                while self.eat(T::Comma) {
                    args.push(self.ty());
                }
                self.expect_close(T::RParen, start, "the parenthesis");
                match args.len() {
                    1 => args[0],
                    _ if self.starts_tycon() => {
                        let con = self.expect_long_id(true, "a type constructor");
                        let span = self.since(start);
                        self.ast.ty(TyKind::Con { args, con }, span)
                    }
                    _ => {
                        self.report(|p| {
                            p.unexpected_diagnostic("a type constructor after its arguments")
                                .help("the type of a pair is written `int * bool`")
                        });
                        self.error_ty()
                    }
                }
            }
            T::Alpha | T::Long | T::Symbolic if self.starts_tycon() => {
                let con = self.expect_long_id(true, "a type");
                self.ast.ty(TyKind::Con { args: vec![], con }, start)
            }
            _ => {
                self.unexpected("a type");
                return self.error_ty();
            }
        };
        while self.starts_tycon() {
            let con = self.expect_long_id(true, "a type constructor");
            let span = self.since(start);
            ty = self.ast.ty(TyKind::Con { args: vec![ty], con }, span);
        }
        ty
    }

    fn starts_tycon(&self) -> bool {
        match self.kind() {
            T::Alpha | T::Long => true,
            T::Symbolic => self.token().value != sym::ASTERISK.0,
            _ => false,
        }
    }

    /// `{a : ty, b : ty}`
    fn ty_record(&mut self) -> TyId {
        let start = self.span();
        self.bump();
        let mut fields: Vec<(Name, TyId)> = vec![];
        if !self.is(T::RBrace) {
            loop {
                let Some(label) = self.opt_label() else {
                    if self.is(T::Dots) {
                        self.report(|p| {
                            Diagnostic::error(
                                "syntax/expected",
                                p.span(),
                                "`...` is for record patterns; a record type names all its fields",
                            )
                        });
                    }
                    self.unexpected("a label");
                    break;
                };
                if self.is(T::Equals) {
                    self.report(|p| {
                        p.unexpected_diagnostic("`:`").note("a record type is written {a : int, b : bool}")
                    });
                    self.bump();
                } else {
                    self.expect(T::Colon);
                }
                fields.push((label, self.ty()));
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.expect_close(T::RBrace, start, "the record type");
        let labels: Vec<Name> = fields.iter().map(|f| f.0).collect();
        self.check_distinct(&labels, "label");
        let span = self.since(start);
        self.ast.ty(TyKind::Record(fields), span)
    }

    /// `of ty` after a constructor or an exception, if it is there.
    pub(super) fn opt_of_ty(&mut self) -> Option<TyId> {
        if self.eat(T::Of) {
            return Some(self.ty());
        }
        if self.is(T::Colon) {
            self.report(|p| {
                p.unexpected_diagnostic("`of`").help("the argument's type follows `of`, as in `datatype t = A of int`")
            });
            self.bump();
            return Some(self.ty());
        }
        None
    }
}
