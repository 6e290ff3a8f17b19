//! The children of a node, in the order of the text; and how deep a tree is.
//!
//! Trees are walked with a stack of nodes, not by recursion: a chain of operators is as deep as
//! it is long.

use crate::ir::*;
use leat_base::{Diagnostic, Span};

/// Any node of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Exp(ExpId),
    Pat(PatId),
    Ty(TyId),
    Dec(DecId),
    StrExp(StrExpId),
    SigExp(SigExpId),
    Spec(SpecId),
}

impl Ast {
    /// The place of a node.
    pub fn span_of(&self, node: Node) -> Span {
        match node {
            Node::Exp(n) => self[n].span,
            Node::Pat(n) => self[n].span,
            Node::Ty(n) => self[n].span,
            Node::Dec(n) => self[n].span,
            Node::StrExp(n) => self[n].span,
            Node::SigExp(n) => self[n].span,
            Node::Spec(n) => self[n].span,
        }
    }

    /// Calls `f` with each child of a node, in the order of the text.
    pub fn children(&self, node: Node, f: &mut impl FnMut(Node)) {
        match node {
            Node::Exp(n) => self.exp_children(n, f),
            Node::Pat(n) => self.pat_children(n, f),
            Node::Ty(n) => match &self[n].kind {
                TyKind::Var(_) | TyKind::Error => {}
                TyKind::Record(fields) => fields.iter().for_each(|x| f(Node::Ty(x.1))),
                TyKind::Con { args: tys, .. } | TyKind::Tuple(tys) => tys.iter().for_each(|&t| f(Node::Ty(t))),
                TyKind::Arrow(a, b) => [a, b].into_iter().for_each(|&t| f(Node::Ty(t))),
            },
            Node::Dec(n) => self.dec_children(n, f),
            Node::StrExp(n) => match &self[n].kind {
                StrExpKind::Struct(decs) => decs.iter().for_each(|&d| f(Node::Dec(d))),
                StrExpKind::Id(_) | StrExpKind::Error => {}
                StrExpKind::Ascribe { body, ascription } => {
                    f(Node::StrExp(*body));
                    f(Node::SigExp(ascription.sig));
                }
                StrExpKind::App { arg: FunctorArg::Str(s), .. } => f(Node::StrExp(*s)),
                StrExpKind::App { arg: FunctorArg::Decs(decs), .. } => decs.iter().for_each(|&d| f(Node::Dec(d))),
                StrExpKind::Let { decs, body } => {
                    decs.iter().for_each(|&d| f(Node::Dec(d)));
                    f(Node::StrExp(*body));
                }
            },
            Node::SigExp(n) => match &self[n].kind {
                SigExpKind::Sig(specs) => specs.iter().for_each(|&s| f(Node::Spec(s))),
                SigExpKind::Id(_) | SigExpKind::Error => {}
                SigExpKind::Where { sig, wheres } => {
                    f(Node::SigExp(*sig));
                    wheres.iter().for_each(|w| f(Node::Ty(w.ty)));
                }
            },
            Node::Spec(n) => self.spec_children(n, f),
        }
    }

    fn exp_children(&self, n: ExpId, f: &mut impl FnMut(Node)) {
        let rules = |rules: &[Rule], f: &mut dyn FnMut(Node)| {
            for rule in rules {
                f(Node::Pat(rule.pat));
                f(Node::Exp(rule.exp));
            }
        };
        match &self[n].kind {
            ExpKind::Const(_) | ExpKind::Id { .. } | ExpKind::Selector(_) | ExpKind::Error => {}
            ExpKind::Record(fields) => fields.iter().for_each(|x| f(Node::Exp(x.1))),
            ExpKind::Tuple(es) | ExpKind::List(es) | ExpKind::Vector(es) | ExpKind::Seq(es) => {
                es.iter().for_each(|&e| f(Node::Exp(e)))
            }
            ExpKind::Let { decs, body } => {
                decs.iter().for_each(|&d| f(Node::Dec(d)));
                f(Node::Exp(*body));
            }
            ExpKind::App { fun: a, arg: b }
            | ExpKind::Infix { lhs: a, rhs: b, .. }
            | ExpKind::AndAlso(a, b)
            | ExpKind::OrElse(a, b)
            | ExpKind::While { cond: a, body: b } => [a, b].into_iter().for_each(|&e| f(Node::Exp(e))),
            ExpKind::Typed { exp, ty } => {
                f(Node::Exp(*exp));
                f(Node::Ty(*ty));
            }
            ExpKind::Handle { exp, rules: r } | ExpKind::Case { exp, rules: r } => {
                f(Node::Exp(*exp));
                rules(r, f);
            }
            ExpKind::Raise(e) => f(Node::Exp(*e)),
            ExpKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(|&e| f(Node::Exp(e))),
            ExpKind::Fn(r) => rules(r, f),
            ExpKind::Prim { ty, .. } | ExpKind::Foreign(Foreign { ty, .. }) => f(Node::Ty(*ty)),
        }
    }

    fn pat_children(&self, n: PatId, f: &mut impl FnMut(Node)) {
        match &self[n].kind {
            PatKind::Wild | PatKind::Const(_) | PatKind::Id { .. } | PatKind::Error => {}
            PatKind::Record { fields, .. } => fields.iter().for_each(|x| f(Node::Pat(x.1))),
            PatKind::Tuple(ps) | PatKind::List(ps) | PatKind::Vector(ps) => ps.iter().for_each(|&p| f(Node::Pat(p))),
            PatKind::App { arg, .. } => f(Node::Pat(*arg)),
            PatKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|&p| f(Node::Pat(p))),
            PatKind::Typed { pat, ty } => {
                f(Node::Pat(*pat));
                f(Node::Ty(*ty));
            }
            PatKind::Layered { ty, pat, .. } => {
                ty.iter().for_each(|&t| f(Node::Ty(t)));
                f(Node::Pat(*pat));
            }
        }
    }

    fn dec_children(&self, n: DecId, f: &mut impl FnMut(Node)) {
        let ascribed = |a: &Option<Ascription>, f: &mut dyn FnMut(Node)| a.iter().for_each(|a| f(Node::SigExp(a.sig)));
        match &self[n].kind {
            DecKind::Val { binds, .. } => binds.iter().for_each(|b| {
                f(Node::Pat(b.pat));
                f(Node::Exp(b.exp));
            }),
            DecKind::Fun { binds, .. } => binds.iter().flat_map(|b| &b.clauses).for_each(|c| {
                c.args.iter().for_each(|&p| f(Node::Pat(p)));
                c.result.iter().for_each(|&t| f(Node::Ty(t)));
                f(Node::Exp(c.body));
            }),
            DecKind::Type(binds) => binds.iter().for_each(|b| f(Node::Ty(b.ty))),
            DecKind::Datatype { datbinds, withtype } => datbind_children(datbinds, withtype, f),
            DecKind::Abstype { datbinds, withtype, decs } => {
                datbind_children(datbinds, withtype, f);
                decs.iter().for_each(|&d| f(Node::Dec(d)));
            }
            DecKind::Exception(binds) => binds.iter().for_each(|b| {
                if let ExBindKind::New(Some(ty)) = b.kind {
                    f(Node::Ty(ty));
                }
            }),
            DecKind::Local { decs, body } => decs.iter().chain(body).for_each(|&d| f(Node::Dec(d))),
            DecKind::Replication { .. } | DecKind::Open(_) | DecKind::Fixity { .. } | DecKind::Error => {}
            DecKind::Structure(binds) => binds.iter().for_each(|b| {
                ascribed(&b.ascription, f);
                f(Node::StrExp(b.body));
            }),
            DecKind::Signature(binds) => binds.iter().for_each(|b| f(Node::SigExp(b.sig))),
            DecKind::Functor(binds) => binds.iter().for_each(|b| {
                match &b.param {
                    FunctorParam::Named(_, sig) => f(Node::SigExp(*sig)),
                    FunctorParam::Specs(specs) => specs.iter().for_each(|&s| f(Node::Spec(s))),
                }
                ascribed(&b.ascription, f);
                f(Node::StrExp(b.body));
            }),
            DecKind::Exp(e) => f(Node::Exp(*e)),
        }
    }

    fn spec_children(&self, n: SpecId, f: &mut impl FnMut(Node)) {
        match &self[n].kind {
            SpecKind::Val(descs) => descs.iter().for_each(|d| f(Node::Ty(d.1))),
            SpecKind::Type { descs, .. } => descs.iter().filter_map(|d| d.ty).for_each(|t| f(Node::Ty(t))),
            SpecKind::Datatype { datbinds, withtype } => datbind_children(datbinds, withtype, f),
            SpecKind::Exception(descs) => descs.iter().filter_map(|d| d.arg).for_each(|t| f(Node::Ty(t))),
            SpecKind::Structure(descs) => descs.iter().for_each(|d| f(Node::SigExp(d.1))),
            SpecKind::Include(sigs) => sigs.iter().for_each(|&s| f(Node::SigExp(s))),
            SpecKind::Replication { .. }
            | SpecKind::SharingType(_)
            | SpecKind::SharingStructure(_)
            | SpecKind::Fixity { .. }
            | SpecKind::Error => {}
        }
    }
}

fn datbind_children(datbinds: &[DatBind], withtype: &[TypBind], f: &mut impl FnMut(Node)) {
    datbinds.iter().flat_map(|b| &b.cons).filter_map(|c| c.arg).for_each(|t| f(Node::Ty(t)));
    withtype.iter().for_each(|b| f(Node::Ty(b.ty)));
}

/// No path from a declaration to a leaf is longer. The later stages recurse along it.
pub const LONGEST_PATH: usize = 100_000;

/// Removes the top-level declarations that are deeper than [`LONGEST_PATH`], with an error for each.
pub(crate) fn limit_depth(program: &mut Program) -> Vec<Diagnostic> {
    let ast = &program.ast;
    let mut errors = vec![];
    // A path has at most as many nodes as there are.
    let nodes = ast.exps.len()
        + ast.pats.len()
        + ast.tys.len()
        + ast.decs.len()
        + ast.strexps.len()
        + ast.sigexps.len()
        + ast.specs.len();
    if nodes < LONGEST_PATH {
        return errors;
    }
    let mut stack: Vec<(Node, usize)> = vec![];
    program.decs.retain(|&dec| {
        stack.clear();
        stack.push((Node::Dec(dec), 1));
        while let Some((node, depth)) = stack.pop() {
            if depth > LONGEST_PATH {
                let d = Diagnostic::error(
                    "syntax/too-deep",
                    ast.span_of(node),
                    "this chain of operators, applications or `else if`s is too long",
                )
                .note(format!("a declaration is at most {LONGEST_PATH} levels deep; each link of a chain is a level"))
                .help("write a long list as `[a, b, c]`, and name the parts of other chains");
                errors.push(d);
                return false;
            }
            ast.children(node, &mut |child| stack.push((child, depth + 1)));
        }
        true
    });
    errors
}
