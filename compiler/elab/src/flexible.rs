//! Records of which not all fields are written: which labels they have, and `val`-bound functions on them.
//!
//! `let val f = #a in (f {a = 1, b = "x"}, f {a = true, b = 2}) end` has a meaning: the labels of `f`'s argument are the same
//! at all its uses, the types of its fields are not. So a flexible record that a declaration generalises stays
//! flexible; every use of the declaration has a copy, and all the copies share one *row*: the set of labels, known when
//! any of them becomes known. At the end of the unit, or of a functor, the declaration has one more type variable for
//! each label that it did not mention, and each use one more type. A signature is such a use.
//!
//! Differences: the Definition (4.11) wants the labels known within the declaration itself; MLton does as here.

use crate::basis::{Scheme, compare_labels};
use crate::ctx::Elab;
use crate::draft::{Exp, ExpKind, Pat, PatKind};
use crate::exp::exp;
use crate::ir::{TyVar, TyVarInfo, Var};
use crate::types::{GENERIC, Node, Shape, Type, generated_name};
use leat_base::{Diagnostic, Span, Symbol};
use std::rc::Rc;

impl Elab<'_> {
    /// The flexible records that were just generalised belong to a declaration of these variables.
    pub(crate) fn generalise_flexible(&mut self, vars: impl Iterator<Item = Var>) {
        let generic = std::mem::take(&mut self.u.rows.generic);
        if generic.is_empty() {
            return;
        }
        let generic: Rc<[Type]> = generic.into();
        let before = self.u.rows.groups.len();
        for var in vars {
            self.u.rows.groups.insert(var, generic.clone());
        }
        if self.u.rows.groups.len() == before {
            // Nothing can use it: its records need no copies.
            for g in generic.iter() {
                self.u.levels[g.0 as usize] = self.u.level;
            }
        }
    }

    /// What a use of a variable has of the flexible records that its declaration generalised: a copy of each. The type
    /// arguments of the use are followed by these, until `finish_rows` puts types in their place.
    pub(crate) fn flexible_copies(&mut self, flexes: &[Type], inst: &[(TyVar, Type)]) -> Vec<(Type, Type)> {
        let mut copies: Vec<(Type, Type)> = vec![];
        for &generic in flexes {
            let copy = match self.shape(generic) {
                Shape::Flex { equality, fields, row } => {
                    let fields = fields.iter().map(|f| (f.0, self.instantiate_flexible(f.1, inst, &copies))).collect();
                    let copy = self.node(Node::Flex { equality, fields, row }, self.u.level);
                    self.pending.flexible.push((copy, Span::NONE));
                    copy
                }
                // It was settled with a functor's body before this use.
                _ => {
                    let closed = self.instantiate_flexible(generic, inst, &copies);
                    let copy = self.fresh();
                    self.link(copy, closed);
                    copy
                }
            };
            self.u.rows.copies.insert(copy);
            copies.push((generic, copy));
        }
        copies
    }

    /// A use of such a variable of the structure level, in whose Core type a type variable stands for each record.
    pub(crate) fn elab_flexible_entry(&mut self, var: Var, scheme: &Scheme, flexes: &[Type], span: Span) -> Exp {
        let rows = self.row_tyvars(var);
        let own: Vec<TyVar> = scheme.tyvars.iter().copied().filter(|v| !rows.contains(v)).collect();
        let own = self.fresh_instance(&own);
        let mut inst: Vec<(TyVar, Type)> = own.to_vec();
        inst.extend(self.fresh_instance(&rows));
        let copies = self.flexible_copies(flexes, &inst);
        for &(generic, copy) in &copies {
            inst.extend(self.u.metas.get(&generic).map(|&meta| (meta, copy)));
        }
        let ty = self.import(scheme.ty, &inst);
        exp(ExpKind::Var(var, own.iter().map(|i| i.1).chain(copies.iter().map(|c| c.1)).collect()), ty, span)
    }

    /// Closes the flexible records whose labels became known, and reports the others. Differences: they may become
    /// known by a later declaration of the unit, as in MLton, but not behind a functor that follows. [Definition, 4.11]
    pub(crate) fn settle_flexible(&mut self) {
        for (ty, span) in std::mem::take(&mut self.pending.flexible) {
            let Shape::Flex { equality, mut fields, row } = self.shape(ty) else { continue };
            let node = self.find(ty);
            let generic = self.u.levels[node.0 as usize] == GENERIC;
            let labels = self.u.rows.labels(row);
            let fits = labels.as_ref().is_some_and(|labels| fields.iter().all(|f| labels.contains(&f.0)));
            if fits {
                let missing = labels.iter().flat_map(|l| l.iter()).filter(|&&l| fields.iter().all(|f| f.0 != l));
                let missing: Vec<Symbol> = missing.copied().collect();
                let mut extras = vec![];
                for label in missing {
                    let field = if generic {
                        let name = generated_name(extras.len(), equality);
                        let tyvar = self.tables.tyvars.push(TyVarInfo { name, equality });
                        extras.push((label, tyvar));
                        self.node_at(Node::Rigid(tyvar), GENERIC, 0)
                    } else if equality {
                        self.fresh_equality()
                    } else {
                        self.fresh()
                    };
                    fields.push((label, field));
                }
                fields.sort_by(|a, b| compare_labels(a.0, b.0));
                self.u.rows.extras.insert(node, extras);
            } else if span != Span::NONE && !self.has_error_near(span) {
                // Where there is an error, it may be why.
                let d =
                    Diagnostic::error("type/open-record", span, "which other fields this record has cannot be told");
                let known: Vec<&str> = fields.iter().map(|f| f.0.as_str()).collect();
                let d = if known.is_empty() { d } else { d.note(format!("known fields: {}", known.join(", "))) };
                self.report(d.help("write the type of the record, as in `fn (r : point) => #x r`"));
            }
            let closed = self.record(fields);
            if closed != node {
                self.link(node, closed);
            }
        }
    }

    /// A variable of the pattern whose declaration generalised flexible records.
    pub(crate) fn first_flexible(&self, pat: &Pat) -> Option<Var> {
        if self.u.rows.groups.is_empty() {
            return None;
        }
        match &pat.kind {
            PatKind::Var(v) => self.u.rows.groups.contains_key(v).then_some(*v),
            PatKind::Layered(v, p) => {
                if self.u.rows.groups.contains_key(v) {
                    Some(*v)
                } else {
                    self.first_flexible(p)
                }
            }
            PatKind::Con(_, _, _, Some(p)) | PatKind::Exn(_, Some(p)) | PatKind::Ref(p) => self.first_flexible(p),
            PatKind::Record(fields) => fields.iter().find_map(|f| self.first_flexible(&f.1)),
            PatKind::Vector(ps) => ps.iter().find_map(|p| self.first_flexible(p)),
            _ => None,
        }
    }

    /// The type variables that the rows of a declaration became.
    pub(crate) fn row_tyvars(&self, var: Var) -> Vec<TyVar> {
        let Some(group) = self.u.rows.groups.get(&var) else { return vec![] };
        group.iter().filter_map(|g| self.u.rows.extras.get(g)).flatten().map(|e| e.1).collect()
    }

    /// At a use: the copies of generalised records become the types of the fields that the declaration did not mention.
    pub(crate) fn finish_rows(&mut self, var: Var, inst: &mut Vec<Type>) {
        let Some(group) = self.u.rows.groups.get(&var).cloned() else { return };
        // The body of a functor is finished again where it is applied: then there are no copies any more.
        let Some(own) = inst.len().checked_sub(group.len()) else { return };
        if inst.get(own).is_none_or(|copy| !self.u.rows.copies.contains(copy)) {
            return;
        }
        let copies = inst.split_off(own);
        for (generic, copy) in group.iter().zip(copies) {
            let Some(extras) = self.u.rows.extras.get(generic).cloned() else { continue };
            let Shape::Record(fields) = self.shape(copy) else { continue };
            let types = extras.iter().filter_map(|e| fields.iter().find(|f| f.0 == e.0)).map(|f| f.1);
            inst.extend(types);
        }
    }
}
