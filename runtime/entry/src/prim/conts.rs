//! Continuations: thin joints between compiled code and the fibers.

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::Ref;

use crate::service::alloc::allocate;

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

/// A segment with a stack on which nothing has run yet.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_segment_new(tcb: *mut Tcb, closure: u64, props: u64) -> u64 {
    let mut keep = [closure, props];
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe {
        let segment = allocate(tcb, Thread::HEADER, &mut keep);
        leat_fiber::init_segment(Ref::of(segment), Ref::of(keep[0]), Ref::of(keep[1]));
        segment
    }
}

/// Exchanges the running thread's stack for a segment's.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_segment_swap(tcb: *mut Tcb, segment: u64, value: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::segment_swap(tcb, Ref::of(segment), value) }
}

/// Gives the running thread's stack up for a segment's.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_segment_end(tcb: *mut Tcb, segment: u64, value: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::segment_end(tcb, Ref::of(segment), value) }
}

/// Has a segment's stack in pieces that copies may share.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_segment_freeze(tcb: *mut Tcb, segment: u64) -> u64 {
    // SAFETY: as the caller says.
    u64::from(unsafe { leat_fiber::segment_freeze(tcb, Ref::of(segment)) })
}

/// Another segment with the stack of a frozen one.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_segment_copy(tcb: *mut Tcb, frozen: u64) -> u64 {
    let mut keep = [frozen];
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe {
        let segment = allocate(tcb, Thread::HEADER, &mut keep);
        leat_fiber::init_copy(Ref::of(segment), Ref::of(keep[0]));
        segment
    }
}
