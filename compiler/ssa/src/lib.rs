//! Mono -> Ssa -> better Ssa: closure conversion, representation, optimisation.
//!
//! From: [`leat_mono`]'s closed, typed, multi-valued normal form.
//! To: [`ir`], first-order blocks with parameters that `translate` turns into machine code instruction by instruction.
//!
//! # Invariants (checked by `verify`)
//!
//! - S1: every block ends in one terminator; targets exist and get as many arguments of the right types as they have
//!   parameters.
//! - S2: every value is defined once.
//! - S3: operands have the types that the operation asks for; a call's arguments and results agree with its callee.
//! - S4: every use is dominated by its definition.
//! - S5: results of `Return` and `TailCall` agree with the function's.
//! - S6: the entry block has no predecessor.
//! - S7: a `Guard`, `Raise` or plain `Call` raises out of the function; inside a handler's scope `Invoke` and `Branch`
//!   stand.
//! - S8: a `Ref` is never computed: only copied, loaded, allocated, passed.
//! - S9: shift counts and divisors are in range.
//! - S10 (after the safepoint pass): every cycle of control flow and calls has a safepoint on every path.
//! - S11 (after the safepoint pass): every `Alloc` is covered by a `HeapCheck` of its block with no safepoint in
//!   between.
//! - S12: what a block's handler uses was there when the scope was entered: the packet is its only parameter, and its
//!   immediate dominator comes before the block ([`scope`]). Until the safepoint pass ends every block in a scope names
//!   its handler, and a scope is entered by `Scope` only.
//!
//! Reading order: `ir`, `from_mono`, `verify`, `print`, `passes`, `opt/`.

pub mod cfg;
mod closure;
pub mod from_mono;
pub mod interp;
pub mod ir;
mod once;
pub mod ops;
pub mod opt;
pub mod parse;
pub mod passes;
mod prims;
pub mod print;
pub mod repr;
pub mod safepoint;
pub mod scope;
pub mod verify;
pub mod watch;
