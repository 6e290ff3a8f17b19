//! Which variables a unit binds inside of expressions, and which it uses. What is said of them: [`crate::unused`].

use crate::WarnUnused;
use crate::draft::{Pat, PatKind};
use crate::ir::Var;
use leat_base::FileId;

/// How a variable is bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum How {
    /// By `fun` or `val rec` inside of an expression, or hidden by `local`.
    Function,
    /// By `val` inside of an expression.
    Declared,
    /// By `x as pat`.
    Layered,
    /// By another pattern: of a rule, a parameter, a part of what `val` takes apart.
    Pattern,
}

/// What is collected while a unit is finished.
pub(crate) struct Unused {
    pub level: WarnUnused,
    /// The unit's text: the bodies of other units' functors are not spoken of.
    pub file: FileId,
    /// By variable.
    pub used: Vec<bool>,
    pub bound: Vec<(Var, How)>,
}

impl Unused {
    pub(crate) fn new(level: WarnUnused, file: FileId) -> Option<Unused> {
        (level != WarnUnused::Nothing).then(|| Unused { level, file, used: vec![], bound: vec![] })
    }

    pub(crate) fn mark(&mut self, var: Var) {
        let i = var.0 as usize;
        if i >= self.used.len() {
            self.used.resize(i + 1 + i / 2, false);
        }
        self.used[i] = true;
    }

    pub(crate) fn bind(&mut self, var: Var, how: How) {
        self.bound.push((var, how));
    }

    /// The variables of a pattern; `how` is said of one that is the whole pattern.
    pub(crate) fn bind_pat(&mut self, pat: &Pat, how: How) {
        match &pat.kind {
            PatKind::Wild | PatKind::Const(_) => {}
            PatKind::Var(v) => self.bind(*v, how),
            PatKind::Layered(v, inner) => {
                self.bind(*v, How::Layered);
                self.bind_pat(inner, How::Pattern);
            }
            PatKind::Con(_, _, _, arg) | PatKind::Exn(_, arg) => {
                if let Some(arg) = arg {
                    self.bind_pat(arg, How::Pattern);
                }
            }
            PatKind::Ref(inner) => self.bind_pat(inner, How::Pattern),
            PatKind::Record(fields) => fields.iter().for_each(|f| self.bind_pat(&f.1, How::Pattern)),
            PatKind::Vector(parts) => parts.iter().for_each(|p| self.bind_pat(p, How::Pattern)),
        }
    }
}
