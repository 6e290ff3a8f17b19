//! The only worker that runs: while no other one runs SML code, the library's cells need no compare-and-swap.
//!
//! Where workers are folded, threads that communicate run on one of them while the others sleep. Then each change of a
//! cell by compare-and-swap is a bus cycle for nobody's sake, a third of the time of a message. So that worker becomes
//! *sole*: its block says so ([`leat_abi::tcb::Tcb::company`]), and what is compiled there is what one worker alone
//! does.
//!
//! ```text
//!            home, at a safepoint, and no other worker runs
//!  in company ------------------------------------------------> sole
//!     ^                                                           |
//!     |  at a safepoint, asked by a worker that wants to run; or  |
//!     +----- it is idle itself, or in blocking C <----------------+
//! ```
//!
//! A worker that is idle or in blocking C touches neither cells nor stamps: what has come for a thread of a cell (a
//! time-out, a descriptor that is ready) it looks at only when it runs again. To run it has to [`enter`], which waits
//! for the sole one as it waits for one that has stopped the world.
//!
//! Keeps: T19 while a worker is sole it is the only one that counts as running; T20 it becomes sole, and stops being
//! so, between two threads or at a safepoint outside of atomic sections, or where it does not count as running from
//! then on, and while any worker is in an atomic section none becomes sole, for that one counts as running or waits to:
//! so within an atomic section of the library the answer stays, and a lock that a sole worker meets is its own.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use leat_abi::tcb::OTHERS;

use crate::base::worker::{Shared, Worker};
use crate::base::world::State;
use crate::workers::request::{STOP, request};

/// Waits until the world is not stopped, no worker is sole and none forks, and counts as running.
pub(crate) fn enter<'a>(shared: &'a Shared, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    enter_unless(shared, state, |state| state.stopping || state.forking)
}

fn enter_unless<'a>(
    shared: &'a Shared,
    mut state: MutexGuard<'a, State>,
    must_wait: impl Fn(&State) -> bool,
) -> MutexGuard<'a, State> {
    let stop = &shared.stop;
    state.entering += 1;
    loop {
        if must_wait(&state) {
            state = stop.go.wait(state).unwrap_or_else(PoisonError::into_inner);
        } else if let Some(sole) = state.sole {
            // SAFETY: the worker lives as long as the program; it may undo a store, so it is asked again.
            unsafe { request(shared.worker(sole), STOP) };
            state = stop.go.wait_timeout(state, Duration::from_millis(1)).unwrap_or_else(PoisonError::into_inner).0;
        } else {
            break;
        }
    }
    state.entering -= 1;
    state.running += 1;
    state
}

/// Gives up the right to run until the world is not stopped. It may be in an atomic section, so no worker forks
/// meanwhile, and it goes on where one waits for that.
pub(crate) unsafe fn pass<'a>(worker: *mut Worker, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    // SAFETY: the caller is the worker.
    unsafe {
        let shared: &'static Shared = (*worker).shared;
        ends(worker, &mut state);
        state.running -= 1;
        state.stopped += 1;
        shared.stop.fewer.notify_all();
        let mut state = enter_unless(shared, state, |state| state.stopping);
        state.stopped -= 1;
        state
    }
}

/// The worker becomes sole if no other one runs, or wants to.
///
/// # Safety
/// The caller is the worker, at a safepoint outside of atomic sections (T20).
pub(crate) unsafe fn begins(worker: *mut Worker) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut state = (*worker).shared.stop.lock();
        if state.running == 1 && state.entering == 0 && !state.stopping && !state.forking && state.sole.is_none() {
            state.sole = Some((*worker).index);
            (*worker).shared.stop.is_sole.store(true, Ordering::Relaxed);
            (*(*worker).tcb).company.fetch_and(!OTHERS, Ordering::SeqCst);
        }
    }
}

/// Whether the worker is sole.
pub(crate) unsafe fn is(worker: *mut Worker, state: &State) -> bool {
    // SAFETY: the caller is the worker.
    state.sole == Some(unsafe { (*worker).index })
}

/// The worker is not sole any more, if it was: those that wait go on as soon as the mutex is free.
///
/// # Safety
/// The caller is the worker, where T20 allows it.
pub(crate) unsafe fn ends(worker: *mut Worker, state: &mut State) {
    // SAFETY: the caller's promise.
    unsafe {
        if !is(worker, state) {
            return;
        }
        state.sole = None;
        (*worker).shared.stop.is_sole.store(false, Ordering::Relaxed);
        (*(*worker).tcb).company.fetch_or(OTHERS, Ordering::SeqCst);
        (*worker).shared.stop.go.notify_all();
    }
}
