//! Continuations: thin joints between compiled code and the fibers.

use leat_abi::tcb::Tcb;

/// Fills a cell with the caller's continuation.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_capture(tcb: *mut Tcb, cell: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::capture(tcb, cell) }
}

/// Goes on where a cell was filled.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_throw(tcb: *mut Tcb, cell: u64, value: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::throw(tcb, cell, value) }
}

/// Goes on with a closure on an empty stack.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_restart(tcb: *mut Tcb, closure: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::restart(tcb, closure) }
}
