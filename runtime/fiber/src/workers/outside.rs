//! A worker that is outside, idle or in blocking C: others act for it, under its lock.

use leat_abi::tcb::Tcb;

use crate::base::jitter::jitter;
use crate::base::worker::{NO_LANE, Worker, worker_of};
use crate::thread::word::{current, lane_of};
use crate::workers::post;
use crate::workers::request::wake_idle;
use crate::workers::sole;
use crate::workers::turns;

/// Runs `work`, which may block in the kernel and touches no heap object, while other workers may collect. In an atomic
/// section the worker counts as running all the same (T20): otherwise another one could become sole meanwhile, wait in
/// an atomic section of its own for a lock that this thread has, and never let this worker go on. So what is called
/// there must not block for long.
///
/// # Safety
/// As [`stop_world`].
pub unsafe fn blocking<R>(tcb: *mut Tcb, work: impl FnOnce() -> R) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if !shared.is_several() || (*tcb).atomic_depth > 0 {
            return work();
        }
        // What others want of its threads is theirs to do meanwhile.
        let current = current(tcb);
        while !go_outside(worker, if current.is_none() { NO_LANE } else { lane_of(current) as u32 }) {
            post::read_letters(tcb, worker);
        }
        if !turns::is_empty(worker) {
            wake_idle(shared);
        }
        let mut state = shared.stop.lock();
        sole::ends(worker, &mut state);
        state.running -= 1;
        drop(state);
        shared.stop.fewer.notify_all();
        let result = work();
        drop(sole::enter(shared, shared.stop.lock()));
        come_back(worker);
        result
    }
}

/// From here on others act for the worker. False when there are letters, which it must read before.
pub(crate) unsafe fn go_outside(worker: *mut Worker, busy_lane: u32) -> bool {
    // SAFETY: the caller is the worker.
    unsafe {
        jitter();
        (*worker).lock.lock();
        let may = (*worker).inbox.is_empty();
        if may {
            ((*worker).outside, (*worker).busy_lane) = (true, busy_lane);
        }
        (*worker).lock.unlock();
        jitter();
        may
    }
}

/// The worker acts for itself again.
pub(crate) unsafe fn come_back(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        jitter();
        (*worker).lock.lock();
        (*worker).outside = false;
        (*worker).lock.unlock();
    }
}
