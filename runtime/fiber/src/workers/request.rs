//! Asking a worker for a safepoint, or waking it.
//!
//! A request is a bit in `Worker::request`, then three stores into the block: `poll`, `stack_limit`, `alloc_limit`,
//! each of which leads the compiled code to [`crate::run::poll`]. The worker clears the three first and then takes the
//! bits. A worker that writes a limit for its own reasons may undo a store; so it looks at `poll` afterwards, and who
//! waits asks again every millisecond.

use std::sync::atomic::Ordering;

use leat_abi::tcb::{LIMIT_STOP, STACK_STOP, Tcb};

use crate::base::worker::{Shared, Worker, worker_of};

/// Bits of `Worker::request`.
pub(crate) const STOP: u32 = 1;
pub(crate) const SLICE: u32 = 2;
/// Other workers want something: `post::serve`.
pub(crate) const LETTER: u32 = 4;
/// The ticker has found something to decide: `turns`.
pub(crate) const TICK: u32 = 8;
/// A time-out has come, between two ticks.
pub(crate) const DUE: u32 = 16;
/// It may become the sole one that runs: `sole`.
pub(crate) const SOLE: u32 = 32;

/// Asks a worker for a safepoint.
pub(crate) unsafe fn request(worker: *mut Worker, bits: u32) {
    // SAFETY: the worker lives as long as the program; these are atomics.
    unsafe {
        // What stands there already has not been taken yet, and whoever takes it looks at all that was stored before.
        if (*worker).request.load(Ordering::SeqCst) & bits != bits {
            (*worker).request.fetch_or(bits, Ordering::SeqCst);
        }
        let tcb = (*worker).tcb;
        if (*tcb).poll.load(Ordering::SeqCst) == 0 {
            (*tcb).poll.store(1, Ordering::SeqCst);
        }
        (*tcb).stack_limit.store(STACK_STOP, Ordering::Relaxed);
        (*tcb).alloc_limit.store(LIMIT_STOP, Ordering::Relaxed);
    }
}

pub(crate) fn request_all(shared: &Shared, bits: u32) {
    for worker in shared.all() {
        // SAFETY: the worker lives as long as the program.
        unsafe { request(worker, bits) };
    }
}

pub(crate) fn wake_all(shared: &Shared) {
    for index in 0..shared.started.load(Ordering::Acquire) {
        shared.host.wake(index);
    }
}

/// Lets an idle worker, if there is one, look for threads that it can take.
pub(crate) fn wake_idle(shared: &Shared) {
    let idle = shared.stop.idle.load(Ordering::SeqCst);
    if idle != 0 {
        shared.host.wake(idle.trailing_zeros() as usize);
    }
}

/// Whether another worker wants the world for itself. Looked at in each switch: threads that do nothing but switch are
/// at a safepoint all the time.
#[inline(always)]
pub(crate) unsafe fn is_stop_asked(worker: *mut Worker) -> bool {
    // SAFETY: the caller is the worker.
    unsafe { (*worker).request.load(Ordering::Relaxed) & STOP != 0 }
}

/// Whether a safepoint is asked for. For `leat_gc`, which first looks whether there is room after all. In deterministic
/// mode that is no point at which a slice may end: it depends on the nursery's size, and on what a debugger has looked
/// at.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn is_asked(tcb: *mut Tcb) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        (*worker).request.load(Ordering::SeqCst) != 0
    }
}
