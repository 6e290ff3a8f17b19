//! Declarations of the core language, and lists of declarations.

use super::{Builder, Item};
use crate::doc::{BLANK, Id, LINE, NIL};
use leat_ast::{Clause, DatBind, DecId, DecKind, ExBindKind, ExpId, FunBind, TokenKind as T, TyId, TypBind};
use leat_base::Span;

impl Builder<'_> {
    /// Declarations below each other, empty lines between them kept. `closed`: comments before the closing word come
    /// later.
    pub(super) fn decs(&mut self, decs: &[DecId], closed: bool) -> Id {
        let mut parts: Vec<Id> = vec![];
        self.semicolons(&mut parts);
        for &dec in decs {
            if !parts.is_empty() {
                let empty = self.empty_line();
                parts.push(if closed { self.docs.line(empty) } else { self.docs.hard(empty) });
            }
            let leading = self.leading();
            let doc = self.dec(dec);
            parts.extend([leading, doc]);
            self.semicolons(&mut parts);
        }
        self.cat(&parts)
    }

    /// The semicolons that stand here, directly behind what is before them.
    pub(super) fn semicolons(&mut self, parts: &mut Vec<Id>) {
        while self.is(T::Semi) {
            let semi = self.tok();
            parts.push(semi);
        }
    }

    fn dec(&mut self, d: DecId) -> Id {
        let ast = self.ast;
        match &ast[d].kind {
            DecKind::Val { binds, .. } => {
                let word = self.expect(T::Val);
                let tyvars = self.tyvars();
                let mut head = self.spaced(&[word, tyvars]);
                let mut parts = vec![];
                for (i, bind) in binds.iter().enumerate() {
                    if i > 0 {
                        head = self.and(&mut parts);
                    }
                    while self.is(T::Rec) {
                        let rec = self.tok();
                        head = self.spaced(&[head, rec]);
                    }
                    let pat = self.pat(bind.pat);
                    let left = self.spaced(&[head, pat]);
                    let bind = self.bound(left, bind.exp, 2);
                    parts.push(bind);
                }
                self.cat(&parts)
            }
            DecKind::Fun { binds, .. } => {
                let word = self.expect(T::Fun);
                let tyvars = self.tyvars();
                let mut head = self.spaced(&[word, tyvars]);
                let mut parts = vec![];
                for (i, bind) in binds.iter().enumerate() {
                    if i > 0 {
                        head = self.and(&mut parts);
                    }
                    let bind = self.fun_bind(head, bind);
                    parts.push(bind);
                }
                self.cat(&parts)
            }
            DecKind::Type(binds) => {
                let word = self.expect(T::Type);
                self.typ_binds(word, binds)
            }
            DecKind::Datatype { datbinds, withtype } => self.datatype(datbinds, withtype),
            DecKind::Replication { .. } => self.replication(),
            DecKind::Abstype { datbinds, withtype, decs } => {
                let types = self.datatype(datbinds, withtype);
                let with = self.expect(T::With);
                let decs = self.decs(decs, true);
                let block = self.block_part(with, decs);
                let end = self.expect(T::End);
                let all = self.cat(&[types, LINE, block, LINE, end]);
                self.docs.group_if(true, all)
            }
            DecKind::Exception(binds) => {
                let mut parts = vec![];
                for (i, bind) in binds.iter().enumerate() {
                    if i > 0 {
                        self.new_line(&mut parts);
                    }
                    let word = self.tok();
                    let bind = match &bind.kind {
                        ExBindKind::New(arg) => self.con_bind(*arg),
                        ExBindKind::Alias(_) => {
                            let name = self.name();
                            let equals = self.expect(T::Equals);
                            let target = self.name();
                            self.spaced(&[name, equals, target])
                        }
                    };
                    parts.extend([word, BLANK, bind]);
                }
                self.cat(&parts)
            }
            DecKind::Local { decs, body } => {
                let keep = self.breaks_within(ast[d].span);
                let open = self.expect(T::Local);
                let decs = self.decs(decs, true);
                let head = self.block_part(open, decs);
                let word = self.expect(T::In);
                let body = self.decs(body, true);
                let body = self.block_part(word, body);
                let end = self.expect(T::End);
                let all = self.cat(&[head, LINE, body, LINE, end]);
                self.docs.group_if(keep, all)
            }
            DecKind::Open(ids) => {
                let parts = (0..=ids.len()).map(|_| self.tok()).collect();
                self.filled(parts)
            }
            DecKind::Fixity { names, .. } => self.fixity(names.len()),
            DecKind::Structure(binds) => self.structures(binds),
            DecKind::Signature(binds) => self.signatures(binds),
            DecKind::Functor(binds) => self.functors(binds),
            DecKind::Exp(e) => self.exp(*e),
            DecKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// `= e` after a left side: on its line if it fits there, otherwise below it.
    pub(super) fn bound(&mut self, left: Id, e: ExpId, by: u32) -> Id {
        let equals = self.expect(T::Equals);
        let body = self.body(e, by);
        self.cat(&[left, BLANK, equals, body])
    }

    /// `f p q = e | f p q = e`
    fn fun_bind(&mut self, head: Id, bind: &FunBind) -> Id {
        if let [clause] = &bind.clauses[..] {
            return self.clause(head, clause, 2);
        }
        let mut parts = vec![];
        for (i, clause) in bind.clauses.iter().enumerate() {
            if i == 0 {
                let clause = self.clause(head, clause, 6);
                parts.push(clause);
                continue;
            }
            self.new_line(&mut parts);
            let leading = self.leading();
            parts.push(leading);
            let bar = self.expect(T::Bar);
            // The bar stands two columns in, so the body is four more.
            let clause = self.clause(bar, clause, 4);
            parts.push(clause);
        }
        let first = parts.remove(0);
        let rest = self.cat(&parts);
        let rest = self.docs.nest(2, rest);
        let all = self.cat(&[first, rest]);
        self.docs.group_if(true, all)
    }

    /// `f p q : ty = e`, `p ++ q = e`, `(p ++ q) r = e`
    fn clause(&mut self, head: Id, clause: &Clause, by: u32) -> Id {
        let mut parts = vec![];
        let mut args = &clause.args[..];
        if clause.infix {
            let operands = match (args.split_first(), args.first().map(|&p| &self.ast[p].kind)) {
                (Some((_, rest)), Some(leat_ast::PatKind::Tuple(operands))) => {
                    args = rest;
                    operands
                }
                _ => {
                    self.lost = true;
                    return NIL;
                }
            };
            let (&[lhs, rhs], true) = (&operands[..], operands.len() == 2) else {
                self.lost = true;
                return NIL;
            };
            let span = Span { hi: self.ast[rhs].span.hi, ..self.ast[lhs].span };
            let infix = self.wrapped(span, &mut |b| {
                let lhs = b.pat(lhs);
                let op = b.tok();
                let rhs = b.pat(rhs);
                b.spaced(&[lhs, op, rhs])
            });
            parts.push(infix);
        } else {
            // Some write the name in parentheses with `op`.
            let name = self.name();
            parts.push(name);
        }
        for &arg in args {
            let arg = self.pat(arg);
            let arg = self.cat(&[LINE, arg]);
            let arg = self.docs.group(arg);
            parts.push(arg);
        }
        let arguments = self.cat(&parts);
        let arguments = self.docs.nest(by, arguments);
        let mut left = self.spaced(&[head, arguments]);
        if let Some(ty) = clause.result {
            let colon = self.expect(T::Colon);
            let ty = self.ty(ty);
            let ty = self.below(by, false, ty);
            left = self.cat(&[left, BLANK, colon, ty]);
        }
        self.bound(left, clause.body, by)
    }

    /// `'a t = ty and ...`, with the word before it.
    fn typ_binds(&mut self, word: Id, binds: &[TypBind]) -> Id {
        let mut parts = vec![];
        let mut word = word;
        for (i, bind) in binds.iter().enumerate() {
            if i > 0 {
                word = self.and(&mut parts);
            }
            let tyvars = self.tyvars();
            let name = self.tok();
            let equals = self.expect(T::Equals);
            let keep = self.on_new_line();
            let leading = self.leading();
            let ty = self.ty(bind.ty);
            let ty = self.cat(&[leading, ty]);
            let left = self.spaced(&[word, tyvars, name, equals]);
            let ty = self.below(2, keep, ty);
            parts.extend([left, ty]);
        }
        self.cat(&parts)
    }

    /// `datatype 'a t = A | B of ty and ... withtype ...`, from the keyword on.
    pub(super) fn datatype(&mut self, datbinds: &[DatBind], withtype: &[TypBind]) -> Id {
        let mut parts = vec![];
        for (i, bind) in datbinds.iter().enumerate() {
            if i > 0 {
                self.new_line(&mut parts);
            }
            let leading = self.leading();
            let word = self.tok();
            let bind = self.dat_bind(word, bind);
            parts.extend([leading, bind]);
        }
        if !withtype.is_empty() {
            parts.push(LINE);
            let word = self.expect(T::Withtype);
            let withtype = self.typ_binds(word, withtype);
            parts.push(withtype);
        }
        self.cat(&parts)
    }

    fn dat_bind(&mut self, word: Id, bind: &DatBind) -> Id {
        let tyvars = self.tyvars();
        let name = self.tok();
        let equals = self.expect(T::Equals);
        let left = self.spaced(&[word, tyvars, name, equals]);
        let mut keep = self.on_new_line();
        let mut parts = vec![];
        for (i, con) in bind.cons.iter().enumerate() {
            if i > 0 {
                keep |= self.on_new_line();
                self.new_line(&mut parts);
                let bar = self.expect(T::Bar);
                // A bar at a line's end: the comments and the constructor of the next line belong together.
                keep |= self.on_new_line();
                parts.extend([bar, BLANK]);
            }
            let con = self.con_bind(con.arg);
            parts.push(con);
        }
        let first = parts.remove(0);
        let single = parts.is_empty();
        let rest = self.cat(&parts);
        let first = self.cat(&[LINE, first]);
        let first = self.docs.nest(if single { 2 } else { 4 }, first);
        let rest = self.docs.nest(2, rest);
        let all = self.cat(&[left, first, rest]);
        self.docs.group_if(keep, all)
    }

    /// `A of ty`, with an `op` if there is one.
    pub(super) fn con_bind(&mut self, arg: Option<TyId>) -> Id {
        let name = self.name();
        match arg {
            None => name,
            Some(ty) => {
                let of = self.expect(T::Of);
                let ty = self.ty(ty);
                let ty = self.below(4, false, ty);
                self.cat(&[name, BLANK, of, ty])
            }
        }
    }

    /// `datatype t = datatype A.u`
    pub(super) fn replication(&mut self) -> Id {
        let parts: Vec<Id> = (0..5).map(|_| self.tok()).collect();
        self.spaced(&parts)
    }

    /// `infixr 5 ++ @@`
    pub(super) fn fixity(&mut self, names: usize) -> Id {
        let word = self.tok();
        let digit = self.opt(T::Int);
        let mut parts = vec![self.spaced(&[word, digit])];
        for _ in 0..names {
            let name = self.tok();
            parts.push(name);
        }
        self.filled(parts)
    }

    /// Expressions in brackets; `keep`: below each other if they were.
    pub(super) fn exps(&mut self, open: Id, exps: &[ExpId], keep: bool) -> Id {
        self.bracketed(open, keep, &mut |b, i| {
            let &e = exps.get(i)?;
            let small = b.is_small(e);
            Some(Item { doc: b.exp(e), small })
        })
    }
}
