//! Closed types for those who look at values from outside: Lambda's types -> Mono's, with all constructors filled in.
//!
//! Keeps: the types that a unit was compiled with; ids differ, forms do not.

use crate::closing::{Closing, TyEnv};
use crate::ir::{Data, Ty, Types};
use leat_lambda::tables::{self as elab, Tables};

/// Translates closed types one after the other, then answers [`Types`] for all of them.
pub struct ClosedTypes<'t> {
    closing: Closing<'t>,
}

impl<'t> ClosedTypes<'t> {
    pub fn new(tables: &'t Tables) -> ClosedTypes<'t> {
        ClosedTypes { closing: Closing::new(tables) }
    }

    /// The type; a type variable stands for unit.
    pub fn close(&mut self, ty: elab::Ty) -> Ty {
        self.closing.close(ty, &mut TyEnv::default())
    }

    /// Closed type of a constructor's argument.
    pub fn con_arg(&mut self, data: Data, con: u32) -> Option<Ty> {
        self.closing.con_arg(data, con)
    }

    pub fn types(&self) -> &Types {
        &self.closing.types
    }

    /// The form of each type so far is known from here on.
    pub fn settle(&mut self) {
        self.closing.settle();
    }
}
