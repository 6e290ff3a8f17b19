//! Ssa -> Cranelift -> JIT or object file, stack maps, line tables.
//!
//! From: [`leat_ssa::ir::Program`], verified, after the safepoint pass.
//! To: machine code with its [`leat_abi::code::CodeTable`], in memory ([`Jit`]) or as an ELF object ([`emit_object`]).
//!
//! Reading order: `options`, `isa`, `flow` (blocks by their places in `ssa::cfg`'s order), `plan` (liveness, slots,
//! versions of references), `again` (handlers that raise again), `codegen` (a function; `ops`, `terms`, `calls`,
//! `memory`), `compile` (a program, in parallel), `count` and `length` (code that counts), `image` (one text with its
//! table), `reloc`, `jit`, `places` and `dwarf` (debug information), `elf`, `symbols` (the same for code in memory).

mod again;
mod calls;
mod codegen;
mod compile;
mod count;
mod crowded;
mod dump;
mod dwarf;
mod elf;
mod flow;
mod foreign;
mod image;
mod isa;
mod jit;
mod length;
mod lower;
mod memory;
mod ops;
mod options;
mod places;
mod plan;
mod reloc;
mod symbols;
mod terms;

pub use dump::{Dump, dump};
pub use elf::emit_object;
pub use jit::{Jit, Loaded, missing_names};
pub use options::{Error, Level, Options, Symbols};
