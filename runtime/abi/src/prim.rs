//! The primitives: what library SML asks for with `_prim "name" : ty`, declared once, each as a row of [`table`].
//!
//! A row says the primitive's type in SML's syntax, how it is called, what it may do besides, what it may raise. From
//! it come what a `_prim` of the library is compared with (`elab`), what the verifiers of Mono and Ssa ask, the number
//! of arguments, the C prototype that the runtime's function must have, its symbol and that of its stub; and the
//! library's declarations, the files of `lib/prim`, which [`library`] writes. Chapters have the same names there and in
//! `runtime/entry/src/prim` (the functions).
//!
//! - `Inline`: the compiler makes instructions of it.
//! - `Leaf`: a C function `leat_<name>` called directly on the SML stack: `extern "C" fn(args..) -> result`; never
//!   allocates in the SML heap, never reaches a safepoint, uses little stack.
//! - `Runtime`: `extern "C" fn leat_<name>(tcb: *mut Tcb, args..) -> u64`, called by way of the stub `leat_<name>_stub`
//!   that goes to the C stack; it may collect, switch threads, or set `tcb.pending_exn` (which the stub raises). The
//!   table says `Fast` or `Quick` of one whose usual case stays on the SML stack, see [`Stub`].
//!
//! How to add one: docs/internals/howto/add-a-primitive.md.

use std::sync::OnceLock;

use crate::signature::Signature;

#[cfg(test)]
mod library;
mod row;
mod table;

use row::Row;
pub use row::{Access, Also, Effect, Lower, Raises, Stub};
pub use table::Prim;
use table::{ALL, TABLE};

impl Prim {
    /// The primitive of this name.
    pub fn by_name(name: &str) -> Option<Prim> {
        ALL.iter().copied().find(|prim| prim.name() == name)
    }

    /// The primitive with this number (`as u16`).
    pub fn by_number(number: u16) -> Option<Prim> {
        ALL.get(number as usize).copied()
    }

    /// Every primitive, in order.
    pub fn all() -> impl Iterator<Item = Prim> {
        ALL.iter().copied()
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its type as the table has it.
    pub fn ty(self) -> &'static str {
        self.row().ty
    }

    /// Its type, opened up.
    pub fn signature(self) -> &'static Signature {
        static OPENED: [OnceLock<Signature>; TABLE.len()] = [const { OnceLock::new() }; TABLE.len()];
        OPENED[self as usize].get_or_init(|| match Signature::parse(self.ty()) {
            Ok(signature) => signature,
            Err(error) => panic!("the table of primitives, {}: {error}", self.name()),
        })
    }

    /// Its part of the table: the name of the library's and of the runtime's file.
    pub fn chapter(self) -> &'static str {
        self.row().chapter
    }

    pub fn lower(self) -> Lower {
        self.row().lower
    }

    pub fn effect(self) -> Effect {
        self.row().effect
    }

    pub fn raises(self) -> Raises {
        self.row().raises
    }

    /// It writes: memory, or the world.
    pub fn writes(self) -> bool {
        matches!(self.effect(), Effect::Writes | Effect::Outside)
    }

    /// The C function behind it, if it is not `Inline`.
    pub fn symbol(self) -> &'static str {
        self.row().symbol
    }

    /// What compiled code calls, if it is not `Inline`: the function of a leaf, the stub of a runtime function.
    pub fn entry(self) -> &'static str {
        if self.lower() == Lower::Leaf { self.row().symbol } else { self.row().entry }
    }

    /// Who makes its stub.
    pub fn stub(self) -> Stub {
        self.row().stub
    }

    /// Whether this is true of it.
    pub fn is(self, also: Also) -> bool {
        self.row().also.contains(&also)
    }
}

/// Runtime entries that compiled code calls without a primitive of the library: (symbol of the stub, what it is for).
/// `leat_gc` and `leat_poll` keep every register (`preserve_all`); the others are `system_v`.
pub mod stub {
    /// rdi = bytes wanted: collects, or serves a safepoint, until `alloc + bytes <= alloc_limit`. Keeps all registers.
    pub const GC: &str = "leat_gc_stub";
    /// A loop's poll found `poll` set. Keeps all registers.
    pub const POLL: &str = "leat_poll_stub";
    /// Entry check found `rsp < stack_limit`: a safepoint, or the stack is used up (raises StackOverflow). Keeps all
    /// registers.
    pub const STACK_CHECK: &str = "leat_stack_check_stub";
    /// rdi = packet: finds the handler and goes there. No return.
    pub const RAISE: &str = "leat_raise_stub";
    /// Likewise of the packet that a handler of this function has just been given, which has called nothing since: what
    /// the raise has left stands below its frame. No return.
    pub const RAISE_AGAIN: &str = "leat_raise_again_stub";
    /// rdi = packet that has landed in this function, which has called nothing since: keeps where it was raised. A leaf
    /// of the System V convention.
    pub const EXN_PLACE: &str = "leat_exn_place_stub";
    /// This function raises to a handler of its own, from here. Keeps all registers.
    pub const RAISED_HERE: &str = "leat_raised_here_stub";
    /// rdi = number of the builtin exception: raises its packet. No return.
    pub const RAISE_BUILTIN: &str = "leat_raise_builtin_stub";
    /// rdi = object: logs an old object at its first mutation. Keeps all registers.
    pub const WRITE_BARRIER: &str = "leat_write_barrier_stub";
    /// rdi = array, rsi = address of the element: likewise for arrays of references. Keeps all registers.
    pub const ARRAY_BARRIER: &str = "leat_array_barrier_stub";
    /// `atomic_end` came to 0 while a safepoint was asked for. Keeps all registers.
    pub const ATOMIC_END: &str = "leat_atomic_end_stub";
    /// Likewise each, for code that handles what they raise: they come back, and the packet is in `pending_exn`.
    pub const GC_HANDLED: &str = "leat_gc_handled_stub";
    pub const POLL_HANDLED: &str = "leat_poll_handled_stub";
    pub const ATOMIC_END_HANDLED: &str = "leat_atomic_end_handled_stub";
    /// Jumped to in place of a return, by the tail convention: its arguments are the results, `RETURNED` integers at
    /// most.
    pub const RETURN: &str = "leat_return_stub";
    pub const RETURNED: usize = 2;
    /// Of code that counts: rdi = the slot of the call or 0, rsi = the callee's code: counts the call, and leaves the
    /// callee's node in `counters`. Keeps all registers.
    pub const COUNT_CALL: &str = "leat_count_call_stub";

    /// All of them; code generation names one by its place here.
    pub const ALL: [&str; 16] = [
        GC,
        POLL,
        STACK_CHECK,
        RAISE,
        RAISE_AGAIN,
        EXN_PLACE,
        RAISED_HERE,
        RAISE_BUILTIN,
        WRITE_BARRIER,
        ARRAY_BARRIER,
        ATOMIC_END,
        GC_HANDLED,
        POLL_HANDLED,
        ATOMIC_END_HANDLED,
        RETURN,
        COUNT_CALL,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_are_unique() {
        assert_eq!(ALL.len(), TABLE.len());
        for (i, (&prim, row)) in ALL.iter().zip(TABLE).enumerate() {
            assert_eq!(prim as usize, i);
            assert_eq!(Prim::by_name(row.name), Some(prim), "{} stands twice", row.name);
        }
    }

    #[test]
    fn every_type_can_be_read_and_is_printed_the_same() {
        for prim in Prim::all() {
            assert_eq!(prim.signature().to_string(), prim.ty(), "{}", prim.name());
        }
    }
}
