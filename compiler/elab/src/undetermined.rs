//! The end of a unit: a warning for each value that it leaves with a type that is not known, or that it throws away.
//!
//! `val r = ref []` is not polymorphic, and nothing later says what `r` holds: the open type becomes `unit`. The Definition
//! has no such programs (5.8, the side condition of the rules of top-level declarations); MLton and SML/NJ warn, too.
//! The value of a top-level expression, `it`, is not spoken of: `OS.Process.exit OS.Process.success;` is such a one.

use crate::basis::{EnvId, ValEntry};
use crate::builtin;
use crate::clash::BODY;
use crate::ctx::{Binding, Elab, Mark};
use crate::ir::{Ty, TyData, TyVar, Var};
use crate::types::{Shape, Type};
use leat_base::{Diagnostic, Span, symbol::sym};
use rustc_hash::{FxHashMap, FxHashSet};

impl Elab<'_> {
    /// Warns about what was bound since `start`. To be called when nothing can be learnt any more, and before the open
    /// types are replaced.
    pub(crate) fn warn_undetermined(&mut self, start: Mark) {
        let open: FxHashMap<TyVar, Type> = self
            .metas()
            .into_iter()
            .filter(|&(_, node)| matches!(self.shape(node), Shape::Var { kinds: 0, .. }))
            .collect();
        if open.is_empty() {
            return;
        }
        let mut found = vec![];
        for name in self.vals_since(start).into_iter().filter(|&name| name != sym::IT) {
            if let Some(Binding::Done(entry)) = self.own_val(name) {
                let entry = entry.clone();
                self.find_undetermined(&open, &entry, &mut found);
            }
        }
        let mut seen = FxHashSet::default();
        for name in self.scope_names(2) {
            if let Some(env) = self.structure(name) {
                self.find_undetermined_in(&open, env, &mut seen, &mut found);
            }
        }
        found.sort();
        found.dedup();
        for (var, ty) in found {
            let info = &self.tables.vars[var];
            let (name, span) = (info.name, info.span);
            // Where there is an error, it may be why.
            if self.has_error_near(span) {
                continue;
            }
            let shown = self.show(Type::core(ty));
            self.report(
                Diagnostic::warning(
                    "type/undetermined",
                    span,
                    format!("the type of `{name}` is not determined: it is `{shown}`"),
                )
                .note("a value that has to be computed is not polymorphic; what is open becomes `unit`")
                .help(format!("write its type: `val {name} : ... = ...`")),
            );
        }
    }

    /// Is there an error in the same declaration of the top level?
    pub(crate) fn has_error_near(&self, span: Span) -> bool {
        let inside =
            |outer: Span, inner: Span| outer.file == inner.file && outer.lo <= inner.lo && inner.hi <= outer.hi;
        if !leat_base::diagnostic::has_errors(&self.diagnostics) {
            return false;
        }
        let around = self.tops.iter().map(|&dec| self.ast[dec].span).find(|&dec| inside(dec, span));
        around.is_none_or(|dec| self.diagnostics.iter().any(|d| d.is_error() && inside(dec, d.span)))
    }

    /// Warns about `e1` of `e1; e2` where it is a `fn`, or its value is not `()`. What has any type never returns.
    pub(crate) fn warn_thrown_away(&mut self) {
        let functions = std::mem::take(&mut self.pending.lost_functions);
        for &(sequence, function) in &functions {
            if !self.has_error_near(sequence) {
                let message = "this function ends before the `;`, and is thrown away";
                self.report(Diagnostic::warning("exp/sequence", function, message).help(BODY));
            }
        }
        let functions: FxHashSet<Span> = functions.into_iter().map(|lost| lost.1).collect();
        let thrown_away = self.pending.thrown_away.take().unwrap_or_default();
        for (ty, span) in thrown_away.into_iter().filter(|part| !functions.contains(&part.1)) {
            let harmless = match self.shape(ty) {
                Shape::Var { .. } | Shape::Flex { .. } | Shape::Error => true,
                Shape::Record(fields) => fields.is_empty(),
                _ => self.export(ty) == builtin::ty::UNIT,
            };
            if !harmless {
                let shown = self.show(ty);
                let message = format!("a value of type `{shown}` is thrown away here");
                let help = "say so with `ignore (...)`, if it is meant";
                self.report(Diagnostic::warning("exp/sequence", span, message).help(help));
            }
        }
    }

    /// A structure may have as many paths as there are: `seen` has what was looked at.
    fn find_undetermined_in(
        &mut self,
        open: &FxHashMap<TyVar, Type>,
        env: EnvId,
        seen: &mut FxHashSet<EnvId>,
        found: &mut Vec<(Var, Ty)>,
    ) {
        // The library's are known.
        if self.is_error_env(env) || !self.tables.modules.envs.is_added(env) || !seen.insert(env) {
            return;
        }
        let env = self.tables.modules.envs[env].clone();
        for (_, entry) in env.vals.iter() {
            self.find_undetermined(open, entry, found);
        }
        for (_, inner) in env.strs.iter() {
            self.find_undetermined_in(open, *inner, seen, found);
        }
    }

    fn find_undetermined(&mut self, open: &FxHashMap<TyVar, Type>, entry: &ValEntry, found: &mut Vec<(Var, Ty)>) {
        if let ValEntry::Var { var, scheme } = entry
            && !self.is_ground(scheme.ty)
            && self.mentions(open, scheme.ty, &mut FxHashSet::default())
        {
            found.push((*var, scheme.ty));
        }
    }

    /// A type may be a graph whose tree is exponentially larger: `seen` has what was looked at.
    fn mentions(&self, open: &FxHashMap<TyVar, Type>, ty: Ty, seen: &mut FxHashSet<Ty>) -> bool {
        if !seen.insert(ty) {
            return false;
        }
        match &self.tables.types[ty] {
            TyData::Var(v) => open.contains_key(v),
            TyData::Con(_, args) => args.iter().any(|&a| self.mentions(open, a, seen)),
            TyData::Arrow(a, b) => self.mentions(open, *a, seen) || self.mentions(open, *b, seen),
            TyData::Record(fields) => fields.iter().any(|f| self.mentions(open, f.1, seen)),
        }
    }
}
