//! The value restriction in messages: a variable that is used at two types, because its declaration computes its value.
//!
//! Of each such variable it is remembered where it was used last while its type was still open: that use has fixed it.
//! [Definition, 4.7, 4.8]

use crate::ctx::{Elab, Restricted};
use crate::draft::{Exp, ExpKind};
use crate::ir::Var;
use crate::types::{Shape, Type};
use leat_base::{Diagnostic, Span};

/// How much of a type is looked at.
const DEEPEST: u32 = 6;

const NOT_POLYMORPHIC: &str = "so it is not polymorphic (the value restriction)";

impl Elab<'_> {
    /// Is there a variable in a type that may still become anything?
    pub(crate) fn is_open(&mut self, t: Type) -> bool {
        self.is_open_within(t, DEEPEST)
    }

    fn is_open_within(&mut self, t: Type, depth: u32) -> bool {
        if depth == 0 || self.find(t).as_core().is_some() {
            return false;
        }
        match self.shape(t) {
            Shape::Var { kinds, .. } => kinds == 0,
            Shape::Con(_, args) => args.iter().any(|&arg| self.is_open_within(arg, depth - 1)),
            Shape::Arrow(a, b) => self.is_open_within(a, depth - 1) || self.is_open_within(b, depth - 1),
            Shape::Record(fields) => fields.iter().any(|f| self.is_open_within(f.1, depth - 1)),
            Shape::Flex { .. } | Shape::Rigid(_) | Shape::Error => false,
        }
    }

    /// Remembers that `computed` is why a variable of this type is not polymorphic.
    pub(crate) fn restrict(&mut self, var: Var, ty: Type, computed: Span) {
        if self.is_open(ty) {
            let name = self.tables.vars[var].name;
            self.restricted.insert(var, Restricted { name, computed, fixed: None });
        }
    }

    /// A use of a variable, if there are such variables at all.
    pub(crate) fn note_use(&mut self, e: &Exp) {
        if let ExpKind::Var(var, _) = &e.kind
            && self.restricted.contains_key(var)
            && self.is_open(e.ty)
            && let Some(restricted) = self.restricted.get_mut(var)
        {
            restricted.fixed = Some(e.span);
        }
    }

    /// Why a variable of this type is not as polymorphic as a signature says, if its declaration computes it: places
    /// with their texts, and advice.
    pub(crate) fn why_restricted(
        &mut self,
        (var, ty): (Var, Type),
        labels: &mut Vec<(Span, String)>,
        help: &mut Vec<String>,
    ) {
        let Some(Restricted { name, computed, fixed }) = self.restricted.get(&var).cloned() else { return };
        labels.push((computed, format!("`{name}` is computed here, {NOT_POLYMORPHIC}")));
        if let Some(fixed) = fixed {
            labels.push((fixed, "this use has fixed its type".to_string()));
        }
        if matches!(self.shape(ty), Shape::Arrow(..)) {
            help.push(format!("write `fun {name} x = ... x`: a function is a value, and polymorphic"));
        }
    }

    /// Says of an application that does not fit that its function, or a part of its argument, is not polymorphic.
    pub(crate) fn explain_restricted(&mut self, d: Diagnostic, e: &Exp) -> Diagnostic {
        let mut head = e;
        while let ExpKind::App(fun, _) = &head.kind {
            head = fun;
        }
        let ExpKind::Var(var, _) = &head.kind else { return d };
        let Some(Restricted { name, computed, fixed }) = self.restricted.get(var).cloned() else { return d };
        let Some(fixed) = fixed.filter(|&fixed| fixed != head.span) else { return d };
        let shown = self.show(head.ty);
        d.label(fixed, format!("this use has fixed its type: `{shown}`"))
            .label(computed, format!("`{name}` is computed here, {NOT_POLYMORPHIC}"))
            .help(format!("if it is a function, write `fun {name} x = ... x`: then each use may have its own type"))
    }
}
