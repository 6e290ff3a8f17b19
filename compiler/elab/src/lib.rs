//! Ast -> Core: the static semantics of the Definition.
