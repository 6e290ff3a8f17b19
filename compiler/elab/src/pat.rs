//! Patterns. After the Definition, 4.10 rules 32 to 43.

use crate::basis::{ConListId, ValEntry};
use crate::builtin::tyname;
use crate::ctx::{Binding, Elab, LiteralSite};
use crate::draft::{Pat, PatKind};
use crate::ir::{Const, ExnRef, TyName, Var};
use crate::types::{Type, kinds};
use leat_ast::ir as ast;
use leat_ast::ir::{LongId, Name, PatId};
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};

/// Is it a name that a variable has by custom?
fn is_small(id: &LongId) -> bool {
    id.qualifiers.is_empty() && id.symbol != sym::ERROR && id.symbol.as_str().starts_with(char::is_lowercase)
}

/// A variable that a pattern binds.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub name: Name,
    pub var: Var,
    pub ty: Type,
}

/// What a constructor is, at fresh types.
pub(crate) enum ConUse {
    Con { rep: TyName, index: u32, inst: Vec<Type> },
    Exn(ExnRef),
    Ref,
}

pub(crate) struct ConInstance {
    pub con: ConUse,
    pub arg: Option<Type>,
    pub result: Type,
}

impl Elab<'_> {
    /// Elaborates a pattern and checks that its variables are distinct. [Rule 39] asks for disjoint domains.
    pub(crate) fn elab_pat_whole(&mut self, id: PatId) -> (Pat, Vec<Bound>) {
        let mut bound = vec![];
        let pat = self.elab_pat(id, &mut bound);
        let names: Vec<Name> = bound.iter().map(|b| b.name).collect();
        self.check_distinct(&names, "variable");
        (pat, bound)
    }

    /// Brings the variables of a pattern into scope, without generalising.
    pub(crate) fn bind_mono(&mut self, bound: &[Bound]) {
        for b in bound {
            self.bind_val(b.name.symbol, Binding::Local { var: b.var, tyvars: Box::new([]), ty: b.ty });
        }
    }

    pub(crate) fn elab_pat(&mut self, id: PatId, bound: &mut Vec<Bound>) -> Pat {
        let pat = self.elab_pat_node(id, bound);
        self.note_type(self.ast[id].span, pat.ty);
        pat
    }

    fn elab_pat_node(&mut self, id: PatId, bound: &mut Vec<Bound>) -> Pat {
        let node = &self.ast[id];
        let span = node.span;
        let (kind, ty) = match &node.kind {
            // [Rule 32]
            ast::PatKind::Wild => (PatKind::Wild, self.fresh()),
            // [Rule 33]
            ast::PatKind::Const(ast::Const::Int(literal)) if literal.to_i64().is_none() => {
                self.large_pat(literal, span)
            }
            ast::PatKind::Const(c) => {
                let (c, ty) = self.elab_const(c, span);
                (PatKind::Const(c), ty)
            }
            ast::PatKind::Id { id, .. } => return self.elab_pat_id(id, span, None, bound),
            // [Rule 36] [Rule 38] [Rule 39]
            ast::PatKind::Record { fields, flexible } => {
                let mut row = vec![];
                let mut pats = vec![];
                for (label, pat) in fields {
                    let pat = self.elab_pat(*pat, bound);
                    row.push((label.symbol, pat.ty));
                    pats.push((label.symbol, pat));
                }
                let ty = match flexible {
                    None => self.record(row),
                    Some(dots) => {
                        let ty = self.flexible(row);
                        self.pending.flexible.push((ty, *dots));
                        ty
                    }
                };
                (PatKind::Record(pats), ty)
            }
            ast::PatKind::Tuple(parts) => {
                let pats: Vec<Pat> = parts.iter().map(|&p| self.elab_pat(p, bound)).collect();
                let types: Vec<Type> = pats.iter().map(|p| p.ty).collect();
                let fields = pats.into_iter().enumerate().map(|(i, p)| (Symbol::tuple_label(i + 1), p)).collect();
                (PatKind::Record(fields), self.tuple(&types))
            }
            ast::PatKind::List(parts) => {
                let (pats, elem) = self.elab_pats_alike(parts, bound);
                let ty = self.list(elem);
                let inst = vec![elem];
                let nil = PatKind::Con(tyname::LIST, 0, inst.clone(), None);
                let mut list = Pat { kind: nil, ty, span };
                let cell = self.tuple(&[elem, ty]);
                for pat in pats.into_iter().rev() {
                    let at = pat.span;
                    let pair = PatKind::Record(vec![(sym::L1, pat), (sym::L2, list)]);
                    let pair = Box::new(Pat { kind: pair, ty: cell, span: at });
                    let kind = PatKind::Con(tyname::LIST, 1, inst.clone(), Some(pair));
                    list = Pat { kind, ty, span };
                }
                return list;
            }
            ast::PatKind::Vector(parts) => {
                let (pats, elem) = self.elab_pats_alike(parts, bound);
                (PatKind::Vector(pats), self.con(tyname::VECTOR, &[elem]))
            }
            // [Rule 41]
            ast::PatKind::App { con, arg, .. } => {
                let arg = self.elab_pat(*arg, bound);
                let pat = self.elab_con_pat(con, arg, span);
                // `fn x y => ...`: what is said of `x` is enough, its uses are silent.
                if pat.ty == Type::ERROR && is_small(con) && bound.iter().all(|b| b.name.symbol != con.symbol) {
                    let name = con.last();
                    let var = self.new_var(name.symbol, Type::ERROR, name.span);
                    bound.push(Bound { name, var, ty: Type::ERROR });
                }
                return pat;
            }
            ast::PatKind::Infix { con, lhs, rhs } => {
                // A chain of what is no constructor is spoken of once.
                let inner = [*lhs, *rhs].map(
                    |side| matches!(&self.ast[side].kind, ast::PatKind::Infix { con: c, .. } if c.symbol == con.symbol),
                );
                let lhs = self.elab_pat(*lhs, bound);
                let left = bound.len();
                let rhs = self.elab_pat(*rhs, bound);
                if inner[0] && lhs.ty == Type::ERROR || inner[1] && rhs.ty == Type::ERROR {
                    // An expression, most likely, and its names may stand there twice.
                    let mut right = bound.split_off(left);
                    right.retain(|b| bound.iter().all(|other| other.name.symbol != b.name.symbol));
                    bound.append(&mut right);
                    return Pat { kind: PatKind::Wild, ty: Type::ERROR, span };
                }
                let ty = self.tuple(&[lhs.ty, rhs.ty]);
                let at = lhs.span.to(rhs.span);
                let kind = PatKind::Record(vec![(sym::L1, lhs), (sym::L2, rhs)]);
                let pair = Pat { kind, ty, span: at };
                return self.elab_con_pat(&LongId::short(*con), pair, span);
            }
            // [Rule 42]
            ast::PatKind::Typed { pat, ty } => {
                let pat = self.elab_pat(*pat, bound);
                self.constrain_pat(&pat, *ty);
                return Pat { span, ..pat };
            }
            // [Rule 43]
            ast::PatKind::Layered { name, ty, pat, .. } => {
                let pat = self.elab_pat(*pat, bound);
                if let Some(ty) = ty {
                    self.constrain_pat(&pat, *ty);
                }
                let ty = pat.ty;
                if let Some(Binding::Done(ValEntry::Con { .. } | ValEntry::Exn { .. })) = self.val(name.symbol) {
                    let message = format!("`{name}` is a constructor, which cannot stand before `as`");
                    self.error("type/constructor", name.span, message);
                }
                self.check_rebinding(*name, "pattern");
                let var = self.new_var(name.symbol, ty, name.span);
                self.note_var(*name, ty);
                bound.push(Bound { name: *name, var, ty });
                (PatKind::Layered(var, Box::new(pat)), ty)
            }
            ast::PatKind::Error => (PatKind::Wild, Type::ERROR),
        };
        Pat { kind, ty, span }
    }

    fn constrain_pat(&mut self, pat: &Pat, ty: ast::TyId) {
        let at = self.ast[ty].span;
        let wanted = self.elab_ty(ty);
        let wanted = self.import(wanted, &[]);
        let span = pat.span;
        self.expect(wanted, pat.ty, span, "this pattern does not have the type that is written at it", |e, f| {
            vec![(span, format!("the pattern is for `{f}`")), (at, format!("this says `{e}`"))]
        });
    }

    fn elab_pats_alike(&mut self, parts: &[PatId], bound: &mut Vec<Bound>) -> (Vec<Pat>, Type) {
        let mut pats: Vec<Pat> = vec![];
        for &p in parts {
            let pat = self.elab_pat(p, bound);
            if let Some((elem, first)) = pats.first().map(|first| (first.ty, first.span)) {
                let span = pat.span;
                self.expect(elem, pat.ty, span, "the elements of this pattern have different types", |e, f| {
                    vec![(span, format!("this is for `{f}`")), (first, format!("this is for `{e}`"))]
                });
            }
            pats.push(pat);
        }
        let elem = pats.first().map(|first| first.ty).unwrap_or_else(|| self.fresh());
        (pats, elem)
    }

    /// An argument of a clause of `fun`, with the argument behind it.
    pub(crate) fn elab_argument(&mut self, id: PatId, next: Option<PatId>, bound: &mut Vec<Bound>) -> Pat {
        let node = &self.ast[id];
        let (ast::PatKind::Id { id: name, .. }, Some(next)) = (&node.kind, next) else {
            return self.elab_pat(id, bound);
        };
        let pat = self.elab_pat_id(name, node.span, Some(next), bound);
        self.note_type(node.span, pat.ty);
        pat
    }

    /// `next`: the argument behind it, in a clause of `fun`.
    fn elab_pat_id(&mut self, id: &LongId, span: Span, next: Option<PatId>, bound: &mut Vec<Bound>) -> Pat {
        self.answer(id);
        let binding = if id.qualifiers.is_empty() { self.val(id.symbol) } else { self.long_val(id, "constructor") };
        let is_con = matches!(&binding, Some(Binding::Done(ValEntry::Con { .. } | ValEntry::Exn { .. })));
        // [Rule 34] A variable, because it has no constructor's status here.
        if !is_con && id.qualifiers.is_empty() {
            let name = id.last();
            let ty = self.fresh();
            self.check_rebinding(name, "pattern");
            let var = self.new_var(name.symbol, ty, name.span);
            self.note_var(name, ty);
            bound.push(Bound { name, var, ty });
            return Pat { kind: PatKind::Var(var), ty, span };
        }
        if id.qualifiers.is_empty() {
            self.note_value(id, binding.as_ref());
        }
        // [Rule 35]
        let Some(instance) = self.con_instance(binding, id, span) else {
            return Pat { kind: PatKind::Wild, ty: Type::ERROR, span };
        };
        if instance.arg.is_some() {
            let d =
                Diagnostic::error("type/constructor", span, format!("the constructor `{id}` needs an argument here"));
            let Some(next) = next else {
                self.report(d.help(format!("write `{id} _` to match any argument")));
                return Pat { kind: con_pat(instance.con, None), ty: instance.result, span };
            };
            let arg = match &self.ast[next].kind {
                ast::PatKind::Id { id, .. } => id.to_string(),
                ast::PatKind::Wild => "_".to_string(),
                _ => "...".to_string(),
            };
            self.report(
                d.label(self.ast[next].span, "this is a further argument of the function")
                    .help(format!("a constructor with its argument needs parentheses: `({id} {arg})`")),
            );
            return Pat { kind: PatKind::Wild, ty: Type::ERROR, span };
        }
        let kind = con_pat(instance.con, None);
        Pat { kind, ty: instance.result, span }
    }

    /// [Rule 41]
    fn elab_con_pat(&mut self, id: &LongId, arg: Pat, span: Span) -> Pat {
        let binding = self.long_val(id, "constructor");
        let Some(instance) = self.con_instance(binding, id, span) else {
            return Pat { kind: PatKind::Wild, ty: Type::ERROR, span };
        };
        match instance.arg {
            Some(wanted) => {
                if self.notes.is_some() {
                    let ty = self.arrow(wanted, instance.result);
                    self.note_type(id.span, ty);
                }
                let at = arg.span;
                let con_at = id.span;
                self.expect(
                    wanted,
                    arg.ty,
                    at,
                    &format!("the argument of the constructor `{id}` does not fit"),
                    |e, f| {
                        vec![
                            (at, format!("this pattern is for `{f}`")),
                            (con_at, format!("`{id}` has an argument of type `{e}`")),
                        ]
                    },
                );
            }
            None => {
                self.error("type/constructor", span, format!("the constructor `{id}` has no argument"));
                return Pat { kind: PatKind::Wild, ty: instance.result, span };
            }
        }
        let kind = con_pat(instance.con, Some(Box::new(arg)));
        Pat { kind, ty: instance.result, span }
    }

    /// A constructor at fresh types; reports other bindings.
    fn con_instance(&mut self, binding: Option<Binding>, id: &LongId, span: Span) -> Option<ConInstance> {
        match binding? {
            Binding::Done(ValEntry::Con { list, index }) => Some(self.instantiate_con(list, index)),
            Binding::Done(ValEntry::Exn { exn, arg }) => {
                let arg = arg.map(|a| self.import(a, &[]));
                Some(ConInstance { con: ConUse::Exn(exn), arg, result: Type::EXN })
            }
            Binding::Done(ValEntry::Ref) => {
                let elem = self.fresh();
                let result = self.con(tyname::REF, &[elem]);
                Some(ConInstance { con: ConUse::Ref, arg: Some(elem), result })
            }
            Binding::Error => None,
            _ => {
                let d = Diagnostic::error(
                    "type/constructor",
                    span,
                    format!("`{id}` is a variable; a pattern needs a constructor here"),
                );
                self.report(
                    d.label(id.span, "not a constructor")
                        .help("a function of several arguments is written `fn (x, y) => ...` or `fn x => fn y => ...`"),
                );
                None
            }
        }
    }

    pub(crate) fn instantiate_con(&mut self, list: ConListId, index: u32) -> ConInstance {
        let cons = &self.tables.modules.con_lists[list];
        let (rep, name, tyvars) = (cons.rep, cons.name, cons.tyvars.clone());
        let arg = cons.cons.get(index as usize).and_then(|c| c.arg);
        let inst = self.fresh_instance(&tyvars);
        let arg = arg.map(|a| self.import(a, &inst));
        let inst: Vec<Type> = inst.iter().map(|i| i.1).collect();
        let result = self.con(name, &inst);
        ConInstance { con: ConUse::Con { rep, index, inst }, arg, result }
    }

    /// A special constant with its type. [Rule 1] [Rule 33]
    pub(crate) fn elab_const(&mut self, c: &ast::Const, span: Span) -> (Const, Type) {
        match c {
            ast::Const::Int(literal) => self.integer(literal, span),
            ast::Const::Word(literal) => {
                let ty = self.fresh_overloaded(kinds::WORD);
                self.pending.literals.push(LiteralSite { ty, literal: literal.clone(), span });
                (Const::Int(literal.to_u64().unwrap_or(0) as i64), ty)
            }
            ast::Const::Real(text) => {
                let value = ast::real_value(text);
                if value.is_infinite() {
                    self.error("constant/range", span, "this real constant is too large");
                }
                // Rounded to a `real` first, it would be rounded twice.
                let single = ast::single_value(text);
                if single != value as f32 {
                    self.pending.singles.insert(span, single);
                }
                let ty = self.fresh_overloaded(kinds::REAL);
                self.pending.constants.push(ty);
                (Const::Real(value.to_bits()), ty)
            }
            ast::Const::Char(c) => (Const::Int(i64::from(*c)), Type::core(crate::builtin::ty::CHAR)),
            ast::Const::String(bytes) => (Const::String(bytes.clone()), Type::STRING),
        }
    }

    pub(crate) fn integer(&mut self, literal: &ast::IntLit, span: Span) -> (Const, Type) {
        let ty = self.fresh_overloaded(kinds::INT);
        self.pending.literals.push(LiteralSite { ty, literal: literal.clone(), span });
        (Const::Int(literal.to_i64().unwrap_or(0)), ty)
    }

    /// As [`Elab::large_exp`].
    fn large_pat(&mut self, literal: &ast::IntLit, span: Span) -> (PatKind, Type) {
        let (_, ty) = self.integer(literal, span);
        let word = |w: u64| Pat { kind: PatKind::Const(Const::Int(w as i64)), ty: Type::WORD, span };
        let words = PatKind::Vector(literal.words().into_iter().map(word).collect());
        let words = Pat { kind: words, ty: self.con(tyname::VECTOR, &[Type::WORD]), span };
        (PatKind::Con(tyname::INTINF, large_con(literal), vec![], Some(Box::new(words))), ty)
    }

    /// `true`, `false`, `nil`, `::`, `ref`, `=` and, as a constructor, `it` cannot be bound again. [Definition, 2.9]
    pub(crate) fn check_rebinding(&mut self, name: Name, what: &str) {
        let fixed = [sym::TRUE, sym::FALSE, sym::NIL, sym::CONS, sym::REF, sym::EQUALS];
        if fixed.contains(&name.symbol) || name.symbol == sym::IT && what == "constructor" {
            self.error("scope/rebinding", name.span, format!("`{name}` cannot be bound again"));
        }
    }
}

/// The constructor of IntInf's values that have a sign and words.
pub(crate) fn large_con(literal: &ast::IntLit) -> u32 {
    1 + u32::from(literal.negative)
}

fn con_pat(con: ConUse, arg: Option<Box<Pat>>) -> PatKind {
    match (con, arg) {
        (ConUse::Con { rep, index, inst }, arg) => PatKind::Con(rep, index, inst, arg),
        (ConUse::Exn(exn), arg) => PatKind::Exn(exn, arg),
        (ConUse::Ref, Some(arg)) => PatKind::Ref(arg),
        (ConUse::Ref, None) => PatKind::Wild,
    }
}
