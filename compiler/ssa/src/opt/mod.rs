//! Ssa -> better Ssa: one file a pass; [`crate::passes`] says in which order and why.

pub mod captured;
pub mod checks;
pub mod counted;
pub mod dead;
pub mod flatten;
mod fold;
pub mod gvn;
pub mod inline;
pub mod jumps;
pub mod licm;
pub mod localref;
pub mod merge;
pub mod peel;
mod prove;
pub mod reach;
pub mod repair;
pub mod rotate;
pub mod scan;
pub mod select;
pub mod simplify;
pub mod unroll;
