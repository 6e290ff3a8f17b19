//! Continuations: thin joints between compiled code and the fibers.

use leat_abi::tcb::Tcb;
use leat_fiber::Ref;

/// Fills a cell with the caller's continuation.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_capture(tcb: *mut Tcb, cell: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::capture(tcb, Ref::of(cell)).word() }
}

/// Goes on where a cell was filled.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_throw(tcb: *mut Tcb, cell: u64, value: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::throw(tcb, Ref::of(cell), value) }
}

/// Goes on with a closure on an empty stack.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_restart(tcb: *mut Tcb, closure: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::restart(tcb, Ref::of(closure)).word() }
}
