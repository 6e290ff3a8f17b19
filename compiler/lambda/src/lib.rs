//! Core -> Lambda: match compilation; nested patterns are gone.
//!
//! From: [`leat_elab`]'s Core, typed, with nested patterns and labelled records.
//! To: [`ir`], one test at a time, tuples by position, each top-level declaration by itself.
//!
//! # Invariants (checked by `verify`)
//!
//! - L1: every variable is bound once, and used only in the scope of its binding (or bound by an earlier unit).
//! - L2: a `Case` is exhaustive: it has a default, or all constructors; arms are of different constructors or
//!   constants.
//! - L3: a variable has as many type arguments as its declaration has type variables (or none inside its own group).
//! - L4: a selection is inside its record; a tuple has as many parts as its type has labels.
//! - L5: `uses` of a top-level declaration names exactly the free variables.
//!
//! Reading order: `ir`, `ctx` (what lowering carries), `occurrence` (places in a scrutinee), `missing` (patterns for
//! messages), `tree` (decision trees), `check` (what they say of a functor's body), `matching` (trees as expressions),
//! `reach`, `from_core`, `image`, `session` (units of a prompt), `verify`, `print`.

mod check;
mod ctx;
pub mod from_core;
pub mod image;
pub mod ir;
mod matching;
mod missing;
mod occurrence;
pub mod print;
pub mod reach;
pub mod session;
mod tree;
pub mod verify;

/// What the elaborator knows of types, type names and variables; the next stage reads it too.
pub mod tables {
    pub use leat_elab::Tables;
    pub use leat_elab::builtin::tyname::BOOL;
    pub use leat_elab::ir::{Con, PrimTy, Ty, TyData, TyName, TyNameDef, TyVar, Var, VarInfo};
}

pub use check::check;
pub use from_core::{Options, lower};
pub use image::Image;
pub use ir::Lambda;
pub use reach::reachable;
