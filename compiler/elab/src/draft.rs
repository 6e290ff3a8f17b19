//! Core that is being made: the types in it are inference types, of which more is still found out.
//!
//! `finish.rs` makes Core of it, at the end of a unit or of a functor's body.

use crate::ir;
use crate::types::Type;

pub(crate) type Exp = ir::Exp<Type>;
pub(crate) type ExpKind = ir::ExpKind<Type>;
pub(crate) type Rule = ir::Rule<Type>;
pub(crate) type Pat = ir::Pat<Type>;
pub(crate) type PatKind = ir::PatKind<Type>;
pub(crate) type Dec = ir::Dec<Type>;
pub(crate) type DecKind = ir::DecKind<Type>;
pub(crate) type Fun = ir::Fun<Type>;
