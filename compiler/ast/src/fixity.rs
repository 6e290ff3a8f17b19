//! Which identifiers are infix, and how tightly: the fixity environment, with scopes.
//!
//! Section 2.6 of the Definition. A scope is a mark in a log of changes: leaving it undoes them.
//! `local` keeps the changes of its body and drops those of its first part.

use crate::ir::Fixity;
use leat_base::{Symbol, symbol::sym};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The infix status of identifiers. Kept from one text to the next: a file or a line of the REPL
/// sees the fixities that earlier ones declared at top level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixityEnv {
    /// Never `Nonfix`.
    table: BTreeMap<Symbol, Fixity>,
    /// Changes since the outermost open scope: the identifier, what it was, what it became.
    #[serde(skip)]
    log: Vec<(Symbol, Option<Fixity>, Option<Fixity>)>,
    #[serde(skip)]
    open_scopes: usize,
}

/// A place in the log to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Default for FixityEnv {
    fn default() -> Self {
        FixityEnv::basis()
    }
}

impl FixityEnv {
    /// Nothing is infix (for the first file of the Basis).
    pub fn empty() -> FixityEnv {
        FixityEnv { table: BTreeMap::new(), log: vec![], open_scopes: 0 }
    }

    /// The top-level infix identifiers of the Standard ML Basis Library.
    pub fn basis() -> FixityEnv {
        use Fixity::{Infix, Infixr};
        let mut env = FixityEnv::empty();
        for (fixity, symbols) in [
            (Infix(7), &[sym::ASTERISK, sym::SLASH, sym::DIV, sym::MOD][..]),
            (Infix(6), &[sym::PLUS, sym::MINUS, sym::CARET]),
            (Infixr(5), &[sym::CONS, sym::APPEND]),
            (Infix(4), &[sym::EQUALS, sym::NOT_EQUALS, sym::GREATER, sym::GREATER_EQ, sym::LESS, sym::LESS_EQ]),
            (Infix(3), &[sym::ASSIGN, sym::O]),
            (Infix(0), &[sym::BEFORE]),
        ] {
            for &symbol in symbols {
                env.declare(symbol, fixity);
            }
        }
        env
    }

    /// The status of an identifier; `Nonfix` unless something else was declared.
    pub fn get(&self, symbol: Symbol) -> Fixity {
        self.table.get(&symbol).copied().unwrap_or(Fixity::Nonfix)
    }

    /// Is the identifier infix?
    pub fn is_infix(&self, symbol: Symbol) -> bool {
        self.table.contains_key(&symbol)
    }

    /// Everything that is infix, in the order of the symbols.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Fixity)> + '_ {
        self.table.iter().map(|(s, f)| (*s, *f))
    }

    /// `infix`, `infixr` or `nonfix` of one identifier, until the scope ends.
    pub fn declare(&mut self, symbol: Symbol, fixity: Fixity) {
        self.set(symbol, if fixity == Fixity::Nonfix { None } else { Some(fixity) });
    }

    fn set(&mut self, symbol: Symbol, new: Option<Fixity>) {
        let old = match new {
            Some(f) => self.table.insert(symbol, f),
            None => self.table.remove(&symbol),
        };
        if self.open_scopes > 0 {
            self.log.push((symbol, old, new));
        }
    }

    /// Runs `work`, and answers what it declared outside inner scopes, in order; the declarations stay in force.
    pub fn recording<T>(&mut self, work: impl FnOnce(&mut FixityEnv) -> T) -> (T, Vec<(Symbol, Fixity)>) {
        let mark = self.enter();
        let result = work(self);
        let log = if mark.0 == 0 { std::mem::take(&mut self.log) } else { self.log[mark.0..].to_vec() };
        self.open_scopes -= 1;
        (result, log.into_iter().map(|(s, _, new)| (s, new.unwrap_or(Fixity::Nonfix))).collect())
    }

    pub(crate) fn enter(&mut self) -> Mark {
        self.open_scopes += 1;
        Mark(self.log.len())
    }

    /// Undoes all changes since the mark.
    pub(crate) fn leave(&mut self, mark: Mark) {
        while self.log.len() > mark.0 {
            let Some((symbol, old, _)) = self.log.pop() else {
                break;
            };
            match old {
                Some(f) => self.table.insert(symbol, f),
                None => self.table.remove(&symbol),
            };
        }
        self.open_scopes -= 1;
    }

    /// A place inside the current scope, between the two parts of a `local`.
    pub(crate) fn here(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Ends a `local` that began at `mark` and whose body began at `body`.
    pub(crate) fn leave_local(&mut self, mark: Mark, body: Mark) {
        let kept: Vec<(Symbol, Option<Fixity>)> = self.log[body.0..].iter().map(|&(s, _, new)| (s, new)).collect();
        self.leave(mark);
        for (symbol, new) in kept {
            self.set(symbol, new);
        }
    }
}

/// Binding powers to the left and to the right: an operator on the left keeps its right operand
/// if its right power is greater than the next operator's left power. Equal powers are an error:
/// `infix` and `infixr` of one precedence side by side.
pub(crate) fn powers(fixity: Fixity) -> (u8, u8) {
    match fixity {
        Fixity::Infix(n) => (2 * n, 2 * n + 1),
        Fixity::Infixr(n) => (2 * n + 1, 2 * n),
        Fixity::Nonfix => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes() {
        let mut env = FixityEnv::basis();
        let (a, b) = (Symbol::intern("fixity_a"), Symbol::intern("fixity_b"));
        let mark = env.enter();
        env.declare(a, Fixity::Infix(3));
        env.declare(sym::PLUS, Fixity::Nonfix);
        let body = env.here();
        env.declare(b, Fixity::Infixr(2));
        env.leave_local(mark, body);
        assert_eq!(env.get(a), Fixity::Nonfix);
        assert_eq!(env.get(b), Fixity::Infixr(2));
        assert_eq!(env.get(sym::PLUS), Fixity::Infix(6));
        let mark = env.enter();
        env.declare(b, Fixity::Nonfix);
        env.leave(mark);
        assert!(env.is_infix(b) && env.log.is_empty());
    }
}
