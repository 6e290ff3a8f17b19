//! Ast -> Core: the static semantics of the Definition of Standard ML (Revised).

pub mod ir;
