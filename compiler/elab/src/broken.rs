//! What follows from errors: the variables whose declarations have an error, or use a variable whose declaration has
//! one. Their types are guesses, so a signature that wants others is not a second mistake.

use crate::ctx::Elab;
use crate::ir::Var;
use leat_base::diagnostic::has_errors;
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(crate) struct Broken {
    vars: FxHashSet<Var>,
    /// The declarations around the present place use one of them, or a name that is not bound.
    used: bool,
}

/// Where a declaration begins: the messages so far, and what was used in the declarations around it.
pub(crate) struct Start(usize, bool);

impl Elab<'_> {
    pub(crate) fn declaration_begins(&mut self) -> Start {
        Start(self.diagnostics.len(), std::mem::take(&mut self.broken.used))
    }

    pub(crate) fn declaration_ends(&mut self, start: Start, vars: impl Iterator<Item = Var>) {
        let Start(messages, around) = start;
        let new = self.diagnostics.get(messages..).unwrap_or_default();
        if self.broken.used || has_errors(new) {
            self.broken.vars.extend(vars);
        }
        self.broken.used |= around;
    }

    pub(crate) fn uses_error(&mut self) {
        self.broken.used = true;
    }

    pub(crate) fn uses_var(&mut self, var: Var) {
        self.broken.used |= self.is_broken(var);
    }

    pub(crate) fn is_broken(&self, var: Var) -> bool {
        !self.broken.vars.is_empty() && self.broken.vars.contains(&var)
    }
}
