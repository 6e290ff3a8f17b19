//! Ssa -> better Ssa: one file a pass; [`crate::passes`] says in which order and why.

pub mod inline;
pub mod reach;
pub mod simplify;
