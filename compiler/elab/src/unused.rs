//! Bindings that nothing uses: which variables a unit binds inside of expressions and uses nowhere -> warnings.
//!
//! What the top level and structures bind may be used by others, and is not spoken of; nor is what stands in a unit
//! with errors. A variable of a pattern that begins with a capital letter and has more letters behind it, or has nearly
//! the name of a constructor, is always spoken of: most likely it is a constructor or an exception that is misspelt, or
//! that needs the name of its structure.

use crate::WarnUnused;
use crate::basis::ValEntry;
use crate::builtin::tyname;
use crate::ctx::{Binding, Elab, Mark};
use crate::ir::{TyData, TyNameDef, Var};
use crate::unbound::edit_distance;
use crate::used::How;
use leat_ast::ir::PatKind;
use leat_base::{Diagnostic, Span, Symbol};
use rustc_hash::FxHashSet;
use std::cell::LazyCell;

impl Elab<'_> {
    /// Remembers what `local` at `span` hides at the structure level: the values declared in it since `outer`.
    pub(crate) fn hide_values(&mut self, outer: Mark, span: Span) {
        if self.unused.is_none() {
            return;
        }
        for name in self.vals_since(outer) {
            let hidden = match self.own_val(name) {
                Some(Binding::Done(ValEntry::Var { var, .. }) | Binding::Local { var, .. }) => *var,
                _ => continue,
            };
            // Not what an opened structure brings.
            let at = self.tables.vars[hidden].span;
            let inside = at.file == span.file && span.lo <= at.lo && at.hi <= span.hi;
            if let Some(unused) = &mut self.unused
                && inside
            {
                unused.bind(hidden, How::Function);
            }
        }
    }

    /// Warns about what nothing uses. To be called when the unit is finished.
    pub(crate) fn warn_unused(&mut self) {
        let Some(unused) = self.unused.take() else { return };
        if leat_base::diagnostic::has_errors(&self.diagnostics) {
            return;
        }
        let ast = self.ast;
        // The fields of record patterns that are written by their labels alone are among these.
        let labels: LazyCell<FxHashSet<Span>, _> = LazyCell::new(|| {
            let fields = |pat: &'_ PatKind| match pat {
                PatKind::Record { fields, .. } => fields.iter().map(|field| field.0.span).collect(),
                _ => Vec::new(),
            };
            ast.pats.iter().flat_map(|(_, pat)| fields(&pat.kind)).collect()
        });
        for (var, how) in unused.bound {
            if unused.used.get(var.0 as usize).copied().unwrap_or(false) {
                continue;
            }
            let info = &self.tables.vars[var];
            let (name, span) = (info.name, info.span);
            let text = name.as_str();
            // The compiler's own variables have names that are not the text's.
            if span.file != unused.file || (span.hi - span.lo) as usize != text.len() {
                continue;
            }
            let con = if how == How::Pattern { self.meant(var) } else { None };
            // What begins with a capital letter is a constructor to whoever reads it.
            let is_capital =
                how == How::Pattern && text.len() > 1 && text.starts_with(|c: char| c.is_ascii_uppercase());
            if how == How::Pattern && con.is_none() && !is_capital && unused.level != WarnUnused::Variables {
                continue;
            }
            let d = Diagnostic::warning("bind/unused", span, format!("`{name}` is not used"));
            self.report(match con {
                Some((what, con)) => d.label(span, "a variable: it matches everything").fix(
                    format!("did you mean the {what} `{con}`?"),
                    span,
                    con,
                ),
                None if is_capital => d.label(span, "a variable: it matches everything").help(
                    "no constructor and no exception has this name; a variable begins with a small letter, or is `_`",
                ),
                None => match how {
                    How::Function => d.help("remove it"),
                    // `{x as SOME y}` and `{x, ...}` have a label there, too.
                    How::Layered if labels.contains(&span) => {
                        d.help(format!("write `{name} =` in the place of `{name} as`"))
                    }
                    How::Layered => d.help(format!("remove `{name} as`")),
                    How::Declared | How::Pattern if labels.contains(&span) => {
                        d.fix(format!("write `{name} = _` in its place, if that is meant"), span, format!("{name} = _"))
                    }
                    How::Declared | How::Pattern => d.fix("write `_` in its place, if that is meant", span, "_"),
                },
            });
        }
    }

    /// The constructor or exception that was meant by the variable of a pattern: what it is, and its path.
    fn meant(&self, var: Var) -> Option<(&'static str, String)> {
        if let Some(con) = self.near_constructor(var) {
            return Some(("constructor", con.as_str().to_string()));
        }
        let info = &self.tables.vars[var];
        if !info.name.as_str().starts_with(|c: char| c.is_ascii_uppercase()) {
            return None;
        }
        match &self.tables.types[info.ty] {
            TyData::Con(tyname::EXN, _) => Some(("exception", self.exception_meant(info.name)?)),
            // The other rules are such variables, too, and say nothing of the type.
            TyData::Var(_) => Some(("constructor", self.constructor_meant(info.name)?)),
            _ => None,
        }
    }

    /// A constructor of the variable's type with a similar name.
    fn near_constructor(&self, var: Var) -> Option<Symbol> {
        let info = &self.tables.vars[var];
        // The constructors of `IntInf.int` are the library's own.
        let TyData::Con(name, _) = &self.tables.types[info.ty] else { return None };
        let TyNameDef::Datatype { cons, .. } = &self.tables.tynames[*name].def else { return None };
        if *name == tyname::INTINF {
            return None;
        }
        near_name(info.name.as_str(), cons.iter().map(|con| con.name))
    }
}

/// The constructor that a variable's name may have been meant for: its name in other letters, or, of a name that begins
/// with a capital letter, a similar one.
pub fn near_name(name: &str, mut cons: impl Iterator<Item = Symbol>) -> Option<Symbol> {
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return cons.find(|con| name.len() > 1 && con.as_str().eq_ignore_ascii_case(name));
    }
    let limit = match name.len() {
        // Two different letters have nothing in common.
        1 => 0,
        2 => 1,
        n => n.div_ceil(3).min(3),
    };
    let lower = |text: &str| text.to_ascii_lowercase();
    let distance = |con: Symbol| {
        let text = con.as_str();
        if lower(name).starts_with(&lower(text)) || lower(text).starts_with(&lower(name)) {
            return Some(0);
        }
        edit_distance(&lower(name), &lower(text), limit)
    };
    cons.filter_map(|con| Some((distance(con)?, con)))
        .min_by_key(|(distance, con)| (*distance, con.as_str()))
        .map(|c| c.1)
}
