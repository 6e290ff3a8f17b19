//! Source text -> tokens -> Ast.
pub mod ir;
pub use ir::*;
