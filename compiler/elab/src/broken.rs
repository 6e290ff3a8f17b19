//! What follows from errors: the variables whose declarations have an error, or use a variable whose declaration has
//! one. Their types are guesses, so a signature that wants others is not a second mistake.

use crate::ir::Var;
use leat_base::Diagnostic;
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

impl Broken {
    /// A declaration begins, behind so many messages.
    pub(crate) fn begins(&mut self, messages: usize) -> Start {
        Start(messages, std::mem::take(&mut self.used))
    }

    /// It ends, and has declared these variables.
    pub(crate) fn ends(&mut self, start: Start, messages: &[Diagnostic], vars: impl Iterator<Item = Var>) {
        let Start(before, around) = start;
        if self.used || has_errors(messages.get(before..).unwrap_or_default()) {
            self.vars.extend(vars);
        }
        self.used |= around;
    }

    /// A name is used that is not bound.
    pub(crate) fn uses_error(&mut self) {
        self.used = true;
    }

    pub(crate) fn uses(&mut self, var: Var) {
        self.used |= self.has(var);
    }

    pub(crate) fn has(&self, var: Var) -> bool {
        !self.vars.is_empty() && self.vars.contains(&var)
    }
}
