//! One worker has the world for itself; and the end of the program, when all leave.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leat_abi::tcb::Tcb;
use leat_abi::thread::{State, Thread};

use crate::base::reference::{NONE, Ref};
use crate::base::worker::{Worker, worker_of};
use crate::thread::word::current;
use crate::workers::bound::depart;
use crate::workers::fork;
use crate::workers::request::{STOP, request, request_all, wake_all};
use crate::workers::sole;

/// Result of [`crate::Fibers::run`] when no thread can run and [`crate::Host::deadlock`] did not help.
pub const DEADLOCK: u64 = u64::MAX;

/// A safepoint between two threads: the last one is saved, the next is in a queue or in `hand`. From there it may have
/// gone to a queue.
#[cold]
pub(crate) unsafe fn stop_between(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        let stop = &(*worker).shared.stop;
        (*tcb).current = NONE;
        // What the last thread has left there, which is saved with it, must keep nobody from acting for a worker that
        // rests (T13).
        (*tcb).atomic_depth = 0;
        (*worker).request.fetch_and(!STOP, Ordering::SeqCst);
        let mut state = stop.lock();
        sole::ends(worker, &mut state);
        if state.stopping {
            state = sole::pass(worker, state);
        }
        if state.forking {
            drop(state);
            fork::rest(tcb, worker);
        }
    }
}

/// In the midst of a function of the runtime that takes long, outside of atomic sections: if another worker collects,
/// it does so here. One that forks waits for the function's end (T21).
///
/// # Safety
/// As [`stop_world`].
pub unsafe fn stand(tcb: *mut Tcb) {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        if (*tcb).atomic_depth > 0 {
            return;
        }
        let mut state = (*worker).shared.stop.lock();
        // Those that want to run go on beside it (T20).
        sole::ends(worker, &mut state);
        if state.stopping {
            drop(sole::pass(worker, state));
        }
    }
}

/// From now on the host is told of every change of a thread, or no more, unless [`Config::trace`](crate::Config) says
/// so for the whole run. `meanwhile` is called while the world stands.
///
/// # Safety
/// As [`stop_world`].
pub unsafe fn tell_changes(tcb: *mut Tcb, on: bool, mut meanwhile: impl FnMut(&[*mut Tcb])) {
    // SAFETY: the caller's promise; while the world stands no worker looks at what is set here.
    unsafe {
        let shared = (*worker_of(tcb)).shared;
        let on = on || shared.config.trace;
        let mut work = |tcbs: &[*mut Tcb]| {
            shared.traced.store(on, Ordering::SeqCst);
            for worker in shared.all() {
                shared.look_at_tracing(worker);
            }
            meanwhile(tcbs);
        };
        while !stop_world(tcb, &mut work) {}
    }
}

/// Runs `work` with all other workers stopped at safepoints, idle or in blocking C; it gets the blocks of all workers
/// that the host has filled. False: another worker had stopped the world; it has gone on since, and `work` was not run:
/// look again whether it is needed.
///
/// # Safety
/// Called on the worker's C stack at a safepoint: every reference is in a root or on the SML stack.
pub unsafe fn stop_world(tcb: *mut Tcb, work: impl FnOnce(&[*mut Tcb])) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if shared.started.load(Ordering::Relaxed) == 1 {
            // The ticker may start the second worker at this moment. Each writes before it reads: this sees that one as
            // started, or that one waits in `wait_for_stop`.
            shared.alone.store(true, Ordering::SeqCst);
            if shared.started.load(Ordering::SeqCst) == 1 {
                work(&[tcb]);
                shared.alone.store(false, Ordering::SeqCst);
                return true;
            }
            shared.alone.store(false, Ordering::SeqCst);
        }
        let stop = &shared.stop;
        let mut state = stop.lock();
        if state.stopping {
            drop(sole::pass(worker, state));
            return false;
        }
        state.stopping = true;
        while state.running > 1 {
            for other in shared.all().filter(|&other| other != worker) {
                request(other, STOP);
            }
            state = stop.fewer.wait_timeout(state, Duration::from_millis(1)).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        work(&shared.tcbs());
        let mut state = stop.lock();
        state.stopping = false;
        drop(state);
        stop.go.notify_all();
        true
    }
}

/// Ends [`Fibers::run`] with this code: the running thread is given up, all workers leave at their next safepoint. The
/// caller returns at once, with the result.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn leave(tcb: *mut Tcb, code: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if shared.is_bereft() {
            // This may be an OS thread of the runtime's, whose end would be the end of the process, with the code 0.
            shared.over.store(true, Ordering::SeqCst);
            shared.result.store(code, Ordering::SeqCst);
            shared.host.ended_in_child();
        }
        let current = current(tcb);
        if !current.is_none() {
            let thread = current.as_ptr();
            (*thread).state = State::Dead as u8;
            shared.free_lane(worker, (*thread).lane as u64);
        }
        // With the mutex, so that a worker that is just being started is listed by then, and is asked to leave, too; it
        // would take a thread that computes from one that has left.
        let state = shared.stop.lock();
        if !shared.over.swap(true, Ordering::SeqCst) {
            shared.result.store(code, Ordering::SeqCst);
        }
        drop(state);
        request_all(shared, STOP);
        wake_all(shared);
        depart(tcb)
    }
}

/// Nothing can run any more: the program is over with [`DEADLOCK`]. Gives "no thread".
pub(crate) unsafe fn deadlocked(tcb: *mut Tcb) -> Ref<Thread> {
    // SAFETY: the caller is the worker and runs no thread.
    unsafe { leave(tcb, DEADLOCK) };
    Ref::NONE
}
