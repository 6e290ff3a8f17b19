//! Source files, spans, diagnostics, interned names, u32 arenas, pretty printer.
//!
//! What every stage of the compiler shares, and nothing that knows a stage:
//!
//! - [`source`]: [`FileId`], [`Span`], [`SourceMap`] with line tables;
//! - [`symbol`]: [`Symbol`], names interned once for the whole process;
//! - [`diagnostic`]: [`Diagnostic`] and its rendering with source lines;
//! - [`arena`]: the `entity!` macro and [`Arena`], vectors indexed by a u32 newtype;
//! - [`sparse`]: [`Sparse`], tables over many numbers of which few are used;
//! - [`pretty`]: [`Printer`], an indenting writer for the dumps of the IRs.

pub mod arena;
pub mod diagnostic;
pub mod json;
pub mod pretty;
pub mod source;
pub mod sparse;
pub mod symbol;

pub use arena::{Arena, EntityId};
pub use diagnostic::{Diagnostic, Severity, counted, render};
pub use pretty::Printer;
pub use source::{FileId, SourceFile, SourceMap, Span};
pub use sparse::Sparse;
pub use symbol::Symbol;

#[doc(hidden)]
pub use serde as __serde;
