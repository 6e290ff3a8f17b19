//! Lambda -> Mono: every type closed, polymorphic equality made concrete; Mono -> better Mono.
//!
//! # Invariants (checked by `verify`)
//!
//! - M1: every variable is bound once in the program, and used only in the scope of its binding.
//! - M2: operands have the types that the operation asks for.
//! - M3: parameters and results are flat: a function of type `Arrow(ps, rs)` has exactly those.
//! - M4: a `Case` is exhaustive; arms are of different constructors or constants.
//! - M5: no `poly_eq`, no `describe`; no type variable.
//!
//! Reading order: `ir`, `from_lambda`, `closing` (types), `instances`, `builder` (tuples), `prims`, `equality`,
//! `describe`, `verify`, `print`, `interp`, `pass`, `opt/`.

mod blocking;
mod builder;
pub mod closed;
mod closing;
mod describe;
mod equality;
mod foreign;
mod from_lambda;
mod instances;
pub mod interp;
pub mod ir;
pub mod opt;
pub mod pass;
pub mod places;
mod prims;
pub mod print;
mod reentrant;
pub mod show;
pub mod verify;

pub use from_lambda::{from_lambda, from_lambda_unit};
