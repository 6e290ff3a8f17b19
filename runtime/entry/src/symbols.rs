//! The addresses of everything that compiled code may call, by name: what a linker finds in a built program, for the
//! JIT.
//!
//! The table is made from `abi::prim`'s by the build script: for each runtime primitive its stub, for each leaf the
//! address of its entry; and the entries, which are what compiled code calls ([`crate::service::here`]).

use std::sync::OnceLock;

use leat_abi::tcb::Tcb;

use crate::service::here::{Answer, Caller, Word};

/// Where each chapter's functions are.
mod chapters {
    pub use crate::life::exit as exits;
    pub use crate::life::signals;
    pub use crate::prim::*;
}

/// An address of code.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Address(pub *const u8);

// SAFETY: code does not change.
unsafe impl Sync for Address {}

// The assembly of threads and continuations has fast paths of its own, and makes the stubs of `FAST` in the build
// script.
leat_fiber::thread_stubs!();
leat_fiber::continuation_stubs!();
leat_fiber::stubs!();
// Called by the code in front of a thread, and no primitives.
leat_fiber::runtime_stub!(leat_exit_next);
leat_fiber::runtime_stub!(leat_session_next);
leat_fiber::runtime_stub!(leat_signal_next);
leat_fiber::runtime_stub!(leat_library_opened);

include!(concat!(env!("OUT_DIR"), "/symbols.rs"));

/// The same as names and plain addresses, for the JIT.
pub fn symbols() -> &'static [(&'static str, *const u8)] {
    struct Plain(Vec<(&'static str, *const u8)>);
    // SAFETY: addresses of code, which does not change.
    unsafe impl Sync for Plain {}
    // SAFETY: as above.
    unsafe impl Send for Plain {}
    static PLAIN: OnceLock<Plain> = OnceLock::new();
    &PLAIN.get_or_init(|| Plain(SYMBOLS.iter().map(|(name, address)| (*name, address.0)).collect())).0
}
