//! The slow paths of compiled code: heap checks, write barriers, polls, entry checks, ends of atomic sections.

use leat_abi::exn::Builtin;
use leat_abi::tcb::Tcb;

use crate::service::alloc;
use crate::service::raise::raise_builtin;
use crate::state::runtime::runtime;

/// A heap check for `bytes` failed: a collection, or a safepoint is asked for.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_gc(tcb: *mut Tcb, bytes: usize) {
    // SAFETY: everything that the compiled frames hold is in their stack maps.
    unsafe {
        alloc::make_room(tcb, bytes);
        if leat_fiber::is_asked(tcb) {
            leat_fiber::poll(tcb);
        }
    }
}

/// A mutable object in the old generation is stored into for the first time since it was logged.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_write_barrier(tcb: *mut Tcb, object: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe { runtime().heap.log_object(tcb, object) }
}

/// Likewise an array's element, whose address is `slot`.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_array_barrier(tcb: *mut Tcb, array: u64, slot: u64) {
    // SAFETY: as the caller says.
    unsafe { runtime().heap.log_slot(tcb, array, slot as *mut u64) }
}

/// A loop's poll found a safepoint asked for.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_poll(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe {
        if runtime().heap.is_log_full(tcb) {
            // A loop that stores and allocates nothing is not told of a full heap, nor ended by it: it makes room,
            // perhaps.
            alloc::collect_what_is_dead(tcb, &mut []);
        }
        leat_fiber::poll(tcb);
    }
}

/// A function's entry found the stack pointer below the limit: the stack is used up, or a safepoint is asked for.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_stack_check(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe {
        if leat_fiber::stack_overflowed(tcb) {
            raise_builtin(tcb, Builtin::StackOverflow);
        } else {
            leat_fiber::poll_at_entry(tcb);
        }
    }
}

/// `atomic_end` came to 0 while a safepoint was put off.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_atomic_end(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::atomic_end(tcb) };
}
