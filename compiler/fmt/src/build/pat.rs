//! Patterns and types.

use super::{Builder, Item};
use crate::doc::{BLANK, Id, LINE, NIL};
use leat_ast::{PatId, PatKind, TokenKind as T, TyId, TyKind};

impl Builder<'_> {
    pub(super) fn pat(&mut self, p: PatId) -> Id {
        let span = self.ast[p].span;
        self.wrapped(span, &mut |b| b.pat_bare(p))
    }

    fn pat_bare(&mut self, p: PatId) -> Id {
        let ast = self.ast;
        match &ast[p].kind {
            PatKind::Wild | PatKind::Const(_) => self.tok(),
            PatKind::Id { .. } => self.name(),
            PatKind::Record { fields, flexible } => {
                let open = self.expect(T::LBrace);
                let count = fields.len() + usize::from(flexible.is_some());
                self.bracketed(open, true, &mut |b, i| {
                    if i >= count {
                        return None;
                    }
                    let field = fields.get(i).map(|f| f.1);
                    let small = field.is_none_or(|p| b.is_small_pat(p));
                    Some(Item { doc: b.pat_field(field), small })
                })
            }
            PatKind::Tuple(pats) => {
                let open = self.expect(T::LParen);
                self.pats(open, pats)
            }
            PatKind::List(pats) => {
                let open = self.expect(T::LBrack);
                self.pats(open, pats)
            }
            PatKind::Vector(pats) => {
                let hash = self.expect(T::Hash);
                let bracket = self.expect(T::LBrack);
                let open = self.cat(&[hash, bracket]);
                self.pats(open, pats)
            }
            PatKind::App { con, arg, .. } => {
                // It may stand in parentheses.
                let con = self.wrapped(con.span, &mut |b| b.name());
                let arg = self.pat(*arg);
                self.spaced(&[con, arg])
            }
            PatKind::Infix { .. } => self.pat_infix(p),
            PatKind::Typed { pat, ty } => {
                let pat = self.pat(*pat);
                let colon = self.expect(T::Colon);
                let ty = self.ty(*ty);
                self.typed(pat, colon, ty)
            }
            PatKind::Layered { ty, pat, .. } => {
                let mut left = self.name();
                if let Some(ty) = ty {
                    let colon = self.expect(T::Colon);
                    let ty = self.ty(*ty);
                    left = self.typed(left, colon, ty);
                }
                let word = self.expect(T::As);
                let pat = self.pat(*pat);
                self.spaced(&[left, word, pat])
            }
            PatKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }

    /// `x : ty`
    pub(super) fn typed(&mut self, left: Id, colon: Id, ty: Id) -> Id {
        let ty = self.below(2, false, ty);
        self.cat(&[left, BLANK, colon, ty])
    }

    fn pats(&mut self, open: Id, pats: &[PatId]) -> Id {
        self.bracketed(open, false, &mut |b, i| {
            let &p = pats.get(i)?;
            let small = b.is_small_pat(p);
            Some(Item { doc: b.pat(p), small })
        })
    }

    /// A name or a constant?
    fn is_small_pat(&self, p: PatId) -> bool {
        matches!(self.ast[p].kind, PatKind::Wild | PatKind::Const(_) | PatKind::Id { .. })
    }

    /// `lab = p`, `x`, `x : ty as p`, `...`
    fn pat_field(&mut self, pat: Option<PatId>) -> Id {
        if self.is(T::Dots) {
            return self.tok();
        }
        // The label of a pun is the pattern's variable.
        if let (Some(p), T::Equals) = (pat, self.peek(1)) {
            let label = self.tok();
            let equals = self.expect(T::Equals);
            let pat = self.pat(p);
            return self.spaced(&[label, equals, pat]);
        }
        match pat {
            Some(p) => self.pat(p),
            None => {
                self.lost = true;
                NIL
            }
        }
    }

    /// `p :: p :: p`
    fn pat_infix(&mut self, p: PatId) -> Id {
        enum Step {
            Node(PatId),
            Operator,
        }
        let mut steps = vec![Step::Node(p)];
        let (mut parts, mut top) = (vec![], true);
        while let Some(step) = steps.pop() {
            match step {
                Step::Operator => {
                    let op = self.tok();
                    parts.extend([LINE, op, BLANK]);
                }
                Step::Node(p) => match self.ast[p].kind {
                    PatKind::Infix { lhs, rhs, .. } if top || !self.is_wrapped(self.ast[p].span) => {
                        steps.extend([Step::Node(rhs), Step::Operator, Step::Node(lhs)]);
                    }
                    _ => {
                        let operand = self.pat(p);
                        parts.push(operand);
                    }
                },
            }
            top = false;
        }
        let all = self.cat(&parts);
        let all = self.docs.align(all);
        self.docs.group(all)
    }

    // ---------------------------------------------------------------- types

    pub(super) fn ty(&mut self, t: TyId) -> Id {
        let span = self.ast[t].span;
        self.wrapped(span, &mut |b| b.ty_bare(t))
    }

    fn ty_bare(&mut self, t: TyId) -> Id {
        let ast = self.ast;
        match &ast[t].kind {
            TyKind::Var(_) => self.tok(),
            TyKind::Record(fields) => {
                let open = self.expect(T::LBrace);
                self.bracketed(open, true, &mut |b, i| {
                    let (_, ty) = fields.get(i)?;
                    let label = b.tok();
                    let colon = b.expect(T::Colon);
                    let ty = b.ty(*ty);
                    Some(Item { doc: b.typed(label, colon, ty), small: false })
                })
            }
            TyKind::Con { args, .. } => {
                let args = match args[..] {
                    [] => NIL,
                    [arg] => self.ty(arg),
                    _ => {
                        let open = self.expect(T::LParen);
                        self.bracketed(open, false, &mut |b, i| {
                            args.get(i).map(|&ty| Item { doc: b.ty(ty), small: false })
                        })
                    }
                };
                let con = self.tok();
                self.spaced(&[args, con])
            }
            TyKind::Tuple(parts) => {
                let mut docs = vec![];
                for (i, &part) in parts.iter().enumerate() {
                    if i > 0 {
                        let star = self.expect(T::Symbolic);
                        docs.extend([LINE, star, BLANK]);
                    }
                    let part = self.ty(part);
                    docs.push(part);
                }
                let all = self.cat(&docs);
                let all = self.docs.align(all);
                self.docs.group(all)
            }
            TyKind::Arrow(..) => {
                let mut docs = vec![];
                let (mut t, mut top) = (t, true);
                while let TyKind::Arrow(arg, result) = self.ast[t].kind
                    && (top || !self.is_wrapped(self.ast[t].span))
                {
                    let arg = self.ty(arg);
                    let arrow = self.expect(T::Arrow);
                    docs.extend([arg, LINE, arrow, BLANK]);
                    (t, top) = (result, false);
                }
                let result = self.ty(t);
                docs.push(result);
                let all = self.cat(&docs);
                let all = self.docs.align(all);
                self.docs.group(all)
            }
            TyKind::Error => {
                self.lost = true;
                NIL
            }
        }
    }
}
