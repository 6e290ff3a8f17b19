//! Object headers, tags, thread-block offsets, stack-map format, primitive table: the one contract.
//!
//! Compiled code, the collector, the threads and the I/O manager meet here and nowhere else.
//! This crate has data only: no state, no system call, no allocation at run time.
//!
//! Reading order: [`header`] (what an object looks like), [`tcb`] (what r15 points to), [`thread`] (the heap object of
//! an SML thread), [`code`] (what is known of a return address), [`calls`] (what is counted), [`walk`] (from frame to
//! frame), [`exn`] (exceptions that the runtime raises itself), [`prim`] (what SML code may ask of the runtime).
//!
//! # Values
//!
//! - `I64`: int, word, char, bool, enumerations, every smaller integer (sign- or zero-extended by its type).
//! - `F64`, `F32`: reals.
//! - `Ref`: the address of an object's payload (a multiple of 8), or an *immediate*: any odd word.
//!   Nullary constructor number `k` of a datatype that also has boxed constructors is `2k + 1`.
//!
//! # Invariants
//!
//! - A1: the word before a payload is a header (bit 0 set), or during a collection a forwarding address (bit 0 clear).
//! - A2: a `Ref` slot that a stack map, a record or an array names holds an object address, an odd word, or 0.
//! - A3: between an allocation and the initialisation of all its fields there is no safepoint.
//! - A4: every `Ref` store into an existing object is followed by the write barrier (before the next safepoint).
//! - A5: r15 holds the worker's [`tcb::Tcb`] whenever compiled code runs; a thread may resume on another worker,
//!   so no value derived from r15 survives a safepoint.
//! - A6: every call in compiled code that can reach a safepoint or a raise has a [`code::Site`].
//! - A7: a thread resumes at the stack addresses at which it was suspended.

pub mod calls;
pub mod code;
pub mod exn;
pub mod figures;
pub mod foreign;
pub mod header;
pub mod prim;
pub mod signature;
pub mod tcb;
pub mod thread;
pub mod walk;
