//! A fork: the process is doubled while all workers rest, and the child's only worker takes over what the others had.
//!
//! The child of a fork has one OS thread, the one that forks. Whatever the others had in hand at that moment they would
//! have there for ever: a thread in the midst of an atomic section with a lock of the library's, half a collection, a
//! mutex of the runtime's. So the worker that forks first waits until all others are *outside*, as in blocking C:
//!
//! ```text
//!  forks:   outside, forking --> nobody runs, nobody is stopped --> locks of the runtime --> fork --> goes on
//!  others:  a safepoint outside of atomic sections: the running thread goes to a queue --> outside --> go on
//!                                                                              in the child: they are gone
//! ```
//!
//! A worker that is outside touches no cell and no object, and is in no atomic section. So in the child everything is
//! as after a collection, but that all other workers stay outside for ever. They are *gone*: the one that is left takes
//! their ready threads and their lanes, and goes on as the program's only worker. Threads that were in blocking C are
//! dead there: their frames end in calls that nobody comes back from. (Little blocks so: `pause` does. What waits for a
//! descriptor or a job stands in no call. A copy of a large array, though it lets others collect, is waited for.)
//!
//! What the runtime has besides (pollers, timers, buffers, lists of threads) has mutexes that OS threads take which are
//! no workers, or idle ones: the host holds them around the fork.
//!
//! Keeps: T21 while a fork is made, no worker counts as running or is stopped, so none is in an atomic section (T20);
//! T22 a worker that is gone has no ready thread, no lane, no thread in hand and no reference, and gets none.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::reference::{NONE, Ref};
use crate::base::worker::{AWAY, Errand, Letter, NO_LANE, Shared, Worker, count, name_lane, set_watched, worker_of};
use crate::thread::word::{BOUND, DEAD, current, lane_of, set_state, state_of};
use crate::workers::bound;
use crate::workers::load;
use crate::workers::outside::{come_back, go_outside};
use crate::workers::post;
use crate::workers::request::{STOP, request};
use crate::workers::sole;
use crate::workers::ticker::restart_ticker;
use crate::workers::turns;

/// What came of [`fork`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forked {
    /// `work` was run.
    Done,
    /// Another worker forks: the caller comes to a safepoint, and tries again.
    Again,
    /// The caller is in an atomic section beside other workers: one of those may wait in such a section for a lock that
    /// the caller has.
    InAtomicSection,
    /// The program is over.
    Over,
}

/// Forks by `work`, which tells whether this is the child, while all workers rest (T21).
///
/// `work` has the host's mutexes, and makes the system call within [`crate::Fibers::around_fork`]. It may wait, and
/// touches no heap object.
///
/// # Safety
/// As [`crate::stop_world`].
pub unsafe fn fork(tcb: *mut Tcb, work: impl FnOnce() -> bool) -> Forked {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        // Never cleared: what was begun with company is ended so.
        let several = shared.is_several();
        if several {
            if (*tcb).atomic_depth > 0 {
                return Forked::InAtomicSection;
            }
            if !have_all_rest(tcb, worker) {
                return Forked::Again;
            }
        }
        // Whoever ends the program does not wait for one that forks.
        if several && shared.over.load(Ordering::SeqCst) {
            all_go_on(worker);
            return Forked::Over;
        }
        // The ticker asks the host nothing meanwhile.
        shared.stop.asking.lock();
        let is_child = work();
        shared.stop.asking.unlock();
        if is_child {
            stay_alone(tcb, worker);
        }
        if several {
            all_go_on(worker);
        }
        if is_child {
            restart_ticker(shared);
        }
        Forked::Done
    }
}

/// The worker, and all others, go on.
unsafe fn all_go_on(worker: *mut Worker) {
    // SAFETY: the caller is the worker, for which all others rest.
    unsafe {
        let shared = (*worker).shared;
        let mut state = shared.stop.lock();
        state.forking = false;
        shared.stop.go.notify_all();
        drop(sole::enter(shared, state));
        come_back(worker);
    }
}

/// The worker goes outside, and waits until all others are. False, and nothing was done: another one forks.
unsafe fn have_all_rest(tcb: *mut Tcb, worker: *mut Worker) -> bool {
    // SAFETY: the caller is the worker, at a safepoint outside of atomic sections.
    unsafe {
        let shared = (*worker).shared;
        let stop = &shared.stop;
        let current = current(tcb);
        let lane = if current.is_none() { NO_LANE } else { lane_of(current) as u32 };
        {
            // Outside, its thread would be lost to that one's child.
            let mut state = stop.lock();
            if state.forking {
                return false;
            }
            state.forking = true;
        }
        while !go_outside(worker, lane) {
            post::read_letters(tcb, worker);
        }
        let mut state = stop.lock();
        sole::ends(worker, &mut state);
        state.running -= 1;
        stop.fewer.notify_all();
        while state.running + state.stopped > 0 {
            for other in shared.all().filter(|&other| other != worker) {
                request(other, STOP);
            }
            state = stop.fewer.wait_timeout(state, Duration::from_millis(1)).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// Between two threads: the worker rests outside while another one forks. What was in its hand is ready from here on.
///
/// # Safety
/// The caller is the worker, outside of atomic sections; its last thread is saved.
pub(crate) unsafe fn rest(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller's promise.
    unsafe {
        let shared = (*worker).shared;
        let hand = std::mem::replace(&mut (*worker).hand, Ref::NONE);
        if !hand.is_none() {
            post::ready(tcb, hand);
        }
        while !go_outside(worker, NO_LANE) {
            post::read_letters(tcb, worker);
        }
        let mut state = shared.stop.lock();
        state.running -= 1;
        shared.stop.fewer.notify_all();
        drop(sole::enter(shared, state));
        come_back(worker);
    }
}

/// In the child, which has the calling OS thread only: that one is the worker's own now, whatever it was; all other
/// workers are gone.
unsafe fn stay_alone(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker, and there is nobody else.
    unsafe {
        let shared = (*worker).shared;
        bound::after_fork(worker);
        {
            let mut state = shared.stop.lock();
            state.active = 1;
            state.entering = 0;
            // OS threads that do not exist here cannot be waited for, nor be let go.
            std::mem::take(&mut state.handles).into_iter().for_each(std::mem::forget);
        }
        shared.stop.idle.store(0, Ordering::SeqCst);
        shared.fold.set(None);
        for other in shared.all().filter(|&other| other != worker) {
            take_over(tcb, worker, other);
            shared.gone.fetch_or(1 << (*other).index, Ordering::SeqCst);
        }
        // No other one is started.
        shared.allowed.store(shared.started.load(Ordering::SeqCst), Ordering::SeqCst);
        (*worker).asked.store(0, Ordering::SeqCst);
    }
}

/// Takes over what a worker had that is gone, and leaves that one outside (T22).
unsafe fn take_over(tcb: *mut Tcb, worker: *mut Worker, other: *mut Worker) {
    // SAFETY: as `stay_alone`; a queue's threads are thread objects.
    unsafe {
        let shared = (*worker).shared;
        let busy = current((*other).tcb);
        // The ticker or a worker that had just been listed may have had it.
        (*other).lock.unlock();
        ((*other).outside, (*other).busy_lane) = (true, NO_LANE);
        set_watched(other, (*other).watched & !AWAY);
        (*other).carrier = (*other).home;
        (*(*other).tcb).current = NONE;
        (*(*other).tcb).atomic_depth = 0;
        (*other).asked.store(0, Ordering::SeqCst);
        (*other).claim.store(0, Ordering::SeqCst);
        // It is on no processor that this worker would have to leave to it.
        (*other).processor.store(u32::MAX, Ordering::Relaxed);
        let letters = std::mem::take(&mut (*other).inbox);
        shared.host.gone((*other).tcb);
        (*other).free = Vec::new();
        (*other).own = Vec::new();
        for index in 0..shared.lanes.count() as u64 {
            let lane = shared.lane(index);
            (*lane).named.fetch_and(!(1 << (*other).index), Ordering::Relaxed);
            if (*lane).owner.load(Ordering::Relaxed) as usize != (*other).index {
                continue;
            }
            load::moves(other, worker, index);
            (*lane).listed = false;
            (*lane).owner.store((*worker).index as u32, Ordering::Release);
            name_lane(worker, index);
            if (*lane).resident.is_none() {
                shared.free_lane(worker, index);
            }
        }
        if !busy.is_none() {
            ends_in_c(worker, busy);
        }
        // To one that has been started and has not begun. Other letters ask for what is there already.
        for Letter { thread, errand } in letters {
            match errand {
                Errand::Queue | Errand::Given | Errand::Spared => turns::push(tcb, worker, thread),
                Errand::Ready | Errand::RunAt(_) => post::ready(tcb, thread),
                Errand::Lane(_) | Errand::LaneFor(_) => {}
            }
        }
        loop {
            let thread = turns::pop(other);
            if thread.is_none() {
                return;
            }
            turns::push(tcb, worker, thread);
        }
    }
}

/// A thread that was in blocking C when another one forked, or was the running one of a worker: it is dead here.
unsafe fn ends_in_c(worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: the thread is the resident of its lane, which is this worker's by now; nobody comes back to its frames.
    unsafe {
        let object = thread.as_ptr();
        let lane = (*object).lane as u64;
        if state_of(thread) & BOUND != 0 {
            (*worker).shared.carriers.end((*object).id);
        }
        set_state(thread, DEAD);
        (*object).stack = NONE;
        load::goes(worker, lane);
        (*worker).shared.free_lane(worker, lane);
        count(&(*worker).counters.ended);
    }
}

/// Runs `fork`, the system call, with the locks held that OS threads take which are no workers, or are about to become
/// one: in the child nobody else would give them back.
pub(crate) fn with_locks<T>(shared: &Shared, fork: impl FnOnce() -> T) -> T {
    let _ticker = shared.stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner);
    let _state = shared.stop.lock();
    shared.carriers.around_fork(fork)
}
