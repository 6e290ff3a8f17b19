//! Structures, signatures, functors, specifications.

use super::Builder;
use crate::doc::{BLANK, Id, LINE, NIL};
use leat_ast::{
    Ascription, DecId, FunctorArg, FunctorBind, FunctorParam, SigExpId, SigExpKind, SpecId, SpecKind, StrExpId,
    StrExpKind, TokenKind as T, TypDesc,
};

impl Builder<'_> {
    /// `structure A : S = ... and ...`
    pub(super) fn structures(&mut self, binds: &[leat_ast::StrBind]) -> Id {
        self.module_binds(binds.len(), &mut |b, i| {
            let bind = &binds[i];
            let name = b.tok();
            let ascription = b.opt_ascription(bind.ascription);
            let head = b.cat(&[name, ascription]);
            b.strexp_below(head, bind.body)
        })
    }

    pub(super) fn signatures(&mut self, binds: &[leat_ast::SigBind]) -> Id {
        self.module_binds(binds.len(), &mut |b, i| {
            let name = b.tok();
            let equals = b.expect(T::Equals);
            let head = b.spaced(&[name, equals]);
            let keep = b.on_new_line();
            let tall = b.is(T::Sig);
            let body = b.sigexp(binds[i].sig);
            b.module_body(head, body, tall, keep)
        })
    }

    pub(super) fn functors(&mut self, binds: &[FunctorBind]) -> Id {
        self.module_binds(binds.len(), &mut |b, i| {
            let bind = &binds[i];
            let name = b.tok();
            let param = b.functor_param(&bind.param);
            let ascription = b.opt_ascription(bind.ascription);
            let head = b.cat(&[name, param, ascription]);
            b.strexp_below(head, bind.body)
        })
    }

    /// Keyword, bindings with `and` between them.
    fn module_binds(&mut self, count: usize, bind: &mut dyn FnMut(&mut Self, usize) -> Id) -> Id {
        let mut parts = vec![];
        for i in 0..count {
            if i > 0 {
                let empty = self.empty_line();
                parts.push(self.docs.hard(empty));
            }
            let word = self.tok();
            let bind = bind(self, i);
            parts.extend([word, BLANK, bind]);
        }
        self.cat(&parts)
    }

    /// `(X : S)`, `(structure A : S ...)`: on the line of the name or below it.
    fn functor_param(&mut self, param: &FunctorParam) -> Id {
        let open = self.expect(T::LParen);
        let inside = match param {
            FunctorParam::Named(_, sig) => {
                let name = self.tok();
                let colon = self.expect(T::Colon);
                let tall = self.is(T::Sig);
                let sig = self.sigexp(*sig);
                if tall { self.spaced(&[name, colon, sig]) } else { self.typed(name, colon, sig) }
            }
            FunctorParam::Specs(specs) => {
                let keep = specs.iter().skip(1).any(|&s| self.trivia.breaks(self.token_at(self.ast[s].span.lo)));
                let specs = self.specs(specs);
                self.docs.group_if(keep, specs)
            }
        };
        let (rest, _) = self.remaining(inside != NIL);
        let inside = self.cat(&[inside, rest]);
        let inside = self.docs.align(inside);
        let close = self.expect(T::RParen);
        let all = self.cat(&[open, inside, close]);
        let all = self.docs.group(all);
        self.below(2, false, all)
    }

    /// `: S where type t = int`, after a name.
    fn opt_ascription(&mut self, ascription: Option<Ascription>) -> Id {
        match ascription {
            None => NIL,
            Some(a) => {
                let sign = self.tok();
                let sig = self.sigexp(a.sig);
                self.cat(&[BLANK, sign, BLANK, sig])
            }
        }
    }

    /// `= strexp`
    fn strexp_below(&mut self, head: Id, body: StrExpId) -> Id {
        let equals = self.expect(T::Equals);
        // `structure A = struct (* ... *)`: what follows the sign on its line stays there.
        let head = self.spaced(&[head, equals]);
        let keep = self.on_new_line();
        let tall = self.is(T::Struct) || self.is(T::Let);
        let body = self.strexp(body);
        self.module_body(head, body, tall, keep)
    }

    fn module_body(&mut self, head: Id, body: Id, tall: bool, keep: bool) -> Id {
        if !tall {
            let body = self.below(2, keep, body);
            return self.cat(&[head, body]);
        }
        // `struct` stands below `structure`, if it has anything in it.
        let all = self.cat(&[head, LINE, body]);
        self.docs.group(all)
    }

    pub(super) fn strexp(&mut self, s: StrExpId) -> Id {
        let ast = self.ast;
        match &ast[s].kind {
            StrExpKind::Struct(decs) => {
                let keep = self.breaks_within(ast[s].span);
                let open = self.expect(T::Struct);
                let decs = self.decs(decs, true);
                self.block(open, decs, keep)
            }
            StrExpKind::Id(_) => self.tok(),
            StrExpKind::Ascribe { body, ascription } => {
                let body = self.strexp(*body);
                let ascription = self.opt_ascription(Some(*ascription));
                self.cat(&[body, ascription])
            }
            StrExpKind::App { arg, .. } => {
                let functor = self.tok();
                let open = self.expect(T::LParen);
                let arg = match arg {
                    FunctorArg::Str(s) => {
                        let tall = self.is(T::Struct);
                        let arg = self.strexp(*s);
                        if tall { arg } else { self.docs.align(arg) }
                    }
                    FunctorArg::Decs(decs) => self.functor_decs(decs),
                };
                let (rest, _) = self.remaining(arg != NIL);
                let close = self.expect(T::RParen);
                self.cat(&[functor, BLANK, open, arg, rest, close])
            }
            StrExpKind::Let { decs, body } => {
                let keep = self.breaks_within(ast[s].span);
                let open = self.expect(T::Let);
                let decs = self.decs(decs, true);
                let head = self.block_part(open, decs);
                let word = self.expect(T::In);
                let body = self.strexp(*body);
                let body = self.block_part(word, body);
                let end = self.expect(T::End);
                let all = self.cat(&[head, LINE, body, LINE, end]);
                self.docs.group_if(keep, all)
            }
            StrExpKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// Declarations as a functor's argument: below each other behind the parenthesis.
    fn functor_decs(&mut self, decs: &[DecId]) -> Id {
        let keep = decs.iter().skip(1).any(|&d| self.trivia.breaks(self.token_at(self.ast[d].span.lo)));
        let decs = self.decs(decs, true);
        let decs = self.docs.group_if(keep, decs);
        self.docs.align(decs)
    }

    /// `struct ... end`, `sig ... end`, after the keyword.
    fn block(&mut self, open: Id, inside: Id, keep: bool) -> Id {
        let part = self.block_part(open, inside);
        let end = self.expect(T::End);
        let line = if inside == NIL && part == open { BLANK } else { LINE };
        let all = self.cat(&[part, line, end]);
        self.docs.group_if(keep && part != open, all)
    }

    /// A keyword, and what it opens, indented. Comments before the token that closes it belong to it.
    pub(super) fn block_part(&mut self, open: Id, inside: Id) -> Id {
        let (rest, _) = self.remaining(inside != NIL);
        let inside = self.cat(&[inside, rest]);
        if inside == NIL {
            return open;
        }
        let inside = self.cat(&[LINE, inside]);
        let inside = self.docs.nest(2, inside);
        self.cat(&[open, inside])
    }

    // ----------------------------------------------------------- signatures

    fn sigexp(&mut self, s: SigExpId) -> Id {
        let ast = self.ast;
        match &ast[s].kind {
            SigExpKind::Sig(specs) => {
                let keep = self.breaks_within(ast[s].span);
                let open = self.expect(T::Sig);
                let specs = self.specs(specs);
                self.block(open, specs, keep)
            }
            SigExpKind::Id(_) => self.tok(),
            SigExpKind::Where { .. } => self.wheres(s),
            SigExpKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// `S where type t = int where type u = ...`: the `where`s below each other if they need more than a line.
    fn wheres(&mut self, s: SigExpId) -> Id {
        let mut chain = vec![];
        let mut inner = s;
        while let SigExpKind::Where { sig, wheres } = &self.ast[inner].kind {
            chain.push(wheres);
            inner = *sig;
        }
        let head = self.sigexp(inner);
        let mut parts = vec![];
        for wheres in chain.into_iter().rev() {
            let mut word = self.expect(T::Where);
            for (i, w) in wheres.iter().enumerate() {
                if i > 0 {
                    word = self.expect(T::And);
                }
                let type_ = self.expect(T::Type);
                let tyvars = self.tyvars();
                let con = self.tok();
                let equals = self.expect(T::Equals);
                let ty = self.ty(w.ty);
                let left = self.spaced(&[word, type_, tyvars, con, equals]);
                let ty = self.below(2, false, ty);
                parts.extend([LINE, left, ty]);
            }
        }
        let wheres = self.cat(&parts);
        let wheres = self.docs.nest(2, wheres);
        let all = self.cat(&[head, wheres]);
        self.docs.group(all)
    }

    pub(super) fn specs(&mut self, specs: &[SpecId]) -> Id {
        let mut parts: Vec<Id> = vec![];
        self.semicolons(&mut parts);
        for &spec in specs {
            if !parts.is_empty() {
                self.new_line(&mut parts);
            }
            let leading = self.leading();
            let doc = self.spec(spec);
            parts.extend([leading, doc]);
            self.semicolons(&mut parts);
        }
        self.cat(&parts)
    }

    fn spec(&mut self, s: SpecId) -> Id {
        let ast = self.ast;
        match &ast[s].kind {
            SpecKind::Val(descs) => self.descs(descs.len(), &mut |b, i| {
                let name = b.name();
                let colon = b.expect(T::Colon);
                let ty = b.ty(descs[i].1);
                b.typed(name, colon, ty)
            }),
            SpecKind::Type { descs, .. } => self.descs(descs.len(), &mut |b, i| b.typ_desc(&descs[i])),
            SpecKind::Datatype { datbinds, withtype } => self.datatype(datbinds, withtype),
            SpecKind::Replication { .. } => self.replication(),
            SpecKind::Exception(descs) => self.descs(descs.len(), &mut |b, i| b.con_bind(descs[i].arg)),
            SpecKind::Structure(descs) => self.descs(descs.len(), &mut |b, i| {
                let name = b.tok();
                let colon = b.expect(T::Colon);
                let head = b.spaced(&[name, colon]);
                let keep = b.on_new_line();
                if b.is(T::Sig) {
                    let sig = b.sigexp(descs[i].1);
                    return b.module_body(head, sig, true, keep);
                }
                let sig = b.sigexp(descs[i].1);
                b.spaced(&[head, sig])
            }),
            SpecKind::Include(sigs) => {
                let mut parts = vec![self.tok()];
                for &sig in sigs {
                    let sig = self.sigexp(sig);
                    parts.push(sig);
                }
                self.filled(parts)
            }
            SpecKind::SharingType(ids) | SpecKind::SharingStructure(ids) => {
                let word = self.expect(T::Sharing);
                let type_ = self.opt(T::Type);
                let mut parts = vec![self.spaced(&[word, type_])];
                for i in 0..ids.len() {
                    let sign = if i > 0 { self.expect(T::Equals) } else { NIL };
                    let id = self.tok();
                    parts.push(self.spaced(&[sign, id]));
                }
                self.filled(parts)
            }
            SpecKind::Fixity { names, .. } => self.fixity(names.len()),
            SpecKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// Words and names that fill the lines, the later ones indented.
    pub(super) fn filled(&mut self, parts: Vec<Id>) -> Id {
        let mut docs = vec![];
        for part in parts.into_iter() {
            let part = if docs.is_empty() { part } else { self.docs.cat(&[LINE, part]) };
            docs.push(self.docs.group(part));
        }
        let first = docs.remove(0);
        let rest = self.cat(&docs);
        let rest = self.docs.nest(2, rest);
        self.cat(&[first, rest])
    }

    /// Keyword, descriptions with `and` between them.
    fn descs(&mut self, count: usize, desc: &mut dyn FnMut(&mut Self, usize) -> Id) -> Id {
        let mut parts = vec![];
        for i in 0..count {
            if i > 0 {
                self.new_line(&mut parts);
            }
            let word = self.tok();
            let desc = desc(self, i);
            parts.extend([word, BLANK, desc]);
        }
        self.cat(&parts)
    }

    fn typ_desc(&mut self, desc: &TypDesc) -> Id {
        let tyvars = self.tyvars();
        let name = self.tok();
        let head = self.spaced(&[tyvars, name]);
        match desc.ty {
            None => head,
            Some(ty) => {
                let equals = self.expect(T::Equals);
                let ty = self.ty(ty);
                let ty = self.below(2, false, ty);
                self.cat(&[head, BLANK, equals, ty])
            }
        }
    }
}
