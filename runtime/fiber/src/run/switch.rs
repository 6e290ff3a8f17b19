//! Parking, waking, yielding, handing over: how one thread after the other gets to run on a worker.
//!
//! The fast path is a dozen loads and stores: the thread that stops leaves its frames on its lane, the one that runs
//! finds its own there; in compiled code's stubs it is written in assembly once more ([`crate::fast`]). Everything else
//! is [`crate::run::place`].
//!
//! Keeps: T10 a thread's word and lane are touched by the owner of its lane alone; T2 a thread that is `OnLane` or
//! `Running` is its lane's resident; T3 a thread stands in a queue exactly while it has the flag [`QUEUED`]; T4 a
//! thread that stops running is logged by the write barrier, so an old thread's new frames are known to the next minor
//! collection.

use std::sync::atomic::Ordering;

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::host::Change;
use crate::base::jitter::jitter;
use crate::base::reference::{Closure, NONE, Ref};
use crate::base::worker::{AWAY, UNPLACED, WATCHED, Worker, count, worker_of};
use crate::run::idle::{find, idle};
use crate::run::place::place_and_resume;
use crate::thread::resume::{resume, save, take_value};
use crate::thread::word::{
    BOUND, DEAD, IN_HEAP, NEW, ON_LANE, PERMIT, QUEUED, READIED, RUNNING, SPENT, STATE, claim, current,
    is_blocked_word, is_own, lane_of, set_state, state_of, state_word, trace,
};
use crate::workers::bound::{self, depart};
use crate::workers::load;
use crate::workers::post::{self, ready_own, win};
use crate::workers::request::{self, is_stop_asked};
use crate::workers::stop::stop_between;
use crate::workers::ticker::start_ticker;
use crate::workers::turns::{self, Verdict};

/// The number of the thread with which a program becomes one of threads. Under `RunCML.doit` it is the one that runs
/// its function.
pub const SECOND: u64 = 2;

/// Switches after which a busy worker looks at timers and descriptors.
pub(crate) const EVENTS_EVERY: u32 = 256;

/// Fills a thread object that was just allocated: it is new, in no queue, and will call `closure`.
///
/// # Safety
/// `thread` is the payload of an object with [`Thread::HEADER`], `closure` a closure of type unit -> unit; neither has been
/// moved since.
pub unsafe fn init_thread(tcb: *mut Tcb, thread: Ref<Thread>, closure: Ref<Closure>) {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let id = if shared.is_several() {
            shared.next_id.fetch_add(1, Ordering::Relaxed)
        } else {
            let id = shared.next_id.load(Ordering::Relaxed);
            shared.next_id.store(id + 1, Ordering::Relaxed);
            id
        };
        thread.as_ptr().write(Thread::new(id, closure.word()));
        count(&(*worker).counters.started);
        trace(worker, Change::Made, thread);
        if id == SECOND {
            start_ticker(shared);
        }
    }
}

/// Ends a new thread that nobody has made ready: it never runs. False: it is too late for that.
///
/// # Safety
/// As [`crate::ready`].
pub unsafe fn discard(tcb: *mut Tcb, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller's promise; a new thread has no lane, so no worker has more of it than its state.
    unsafe {
        let worker = worker_of(tcb);
        let is_new = if (*worker).shared.is_several() {
            jitter();
            state_word(thread).compare_exchange(NEW, DEAD, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        } else {
            state_of(thread) == NEW
        };
        if is_new {
            trace(worker, Change::Ends, thread);
            set_state(thread, DEAD);
            (*thread.as_ptr()).start = NONE;
            count(&(*worker).counters.ended);
        }
        is_new
    }
}

/// Blocks the running thread until [`crate::ready`] is called for it, and leaves all its atomic sections. Gives the
/// value of the thread that runs now.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called; it returns the result at once.
#[inline]
pub unsafe fn park(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let thread = save(tcb, worker);
        (*thread).reason = reason as u8;
        (*thread).atomic_depth = 0;
        if !block(worker, thread) {
            (*tcb).atomic_depth = 0;
            return take_value(thread);
        }
        next(tcb, worker)
    }
}

/// Puts the running thread at the end of the ready queue and runs the next one.
///
/// # Safety
/// As [`park`].
#[inline]
pub unsafe fn yield_now(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        if (*worker).watched & WATCHED == 0 && (*worker).queue.is_empty() {
            return alone(tcb, worker);
        }
        save(tcb, worker);
        queue_current(tcb, worker);
        next(tcb, worker)
    }
}

/// A safepoint has decided that the running thread gives way: runs the next one.
///
/// # Safety
/// As [`park`].
pub(crate) unsafe fn give_way(tcb: *mut Tcb, worker: *mut Worker, verdict: Verdict) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let thread = Ref::from_ptr(save(tcb, worker));
        trace(worker, Change::Yields, thread);
        let spent = if matches!(verdict, Verdict::First | Verdict::FirstEnd) { 0 } else { SPENT };
        set_state(thread, state_of(thread) & !(STATE | SPENT) | ON_LANE | QUEUED | spent);
        let host = (*worker).shared.host;
        match verdict {
            Verdict::First => (*worker).queue.push_front(host, tcb, thread),
            Verdict::FirstEnd => (*worker).queue.push(host, tcb, thread),
            Verdict::SpentFront => (*worker).spent.queue.push_front(host, tcb, thread),
            Verdict::SpentEnd => (*worker).spent.queue.push(host, tcb, thread),
            Verdict::GoesOn => unreachable!("it goes on"),
        }
        next_slow(tcb, worker)
    }
}

/// A yield with nobody in the first queue: one of the second has a turn, or the events get a look.
#[cold]
unsafe fn alone(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        (*worker).since_events += 1;
        if (*worker).since_events.is_multiple_of(16) {
            count(&(*worker).counters.looks);
            (*worker).shared.host.events(tcb, false);
        }
        if !turns::is_empty(worker) {
            turns::let_spent_run(worker);
            save(tcb, worker);
            queue_current(tcb, worker);
            return next_slow(tcb, worker);
        }
        take_value(current(tcb).as_ptr())
    }
}

/// Puts the running thread at the end of the ready queue and runs `target`, which is new or blocked, at once. (A target
/// that is ready already, or whose lane is busy on another worker, runs when its turn comes.)
///
/// # Safety
/// As [`park`]; `target` is a thread object.
#[inline]
pub unsafe fn switch(tcb: *mut Tcb, target: Ref<Thread>) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        save(tcb, worker);
        queue_current(tcb, worker);
        run_target(tcb, worker, target)
    }
}

/// Blocks the running thread and runs `target` at once: the one-shot switch. Otherwise like [`switch`].
///
/// # Safety
/// As [`switch`].
#[inline]
pub unsafe fn handoff(tcb: *mut Tcb, target: Ref<Thread>) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let thread = save(tcb, worker);
        if !block(worker, thread) {
            // It was made ready meanwhile: blocks not at all, but the other one runs first.
            queue_current(tcb, worker);
        }
        run_target(tcb, worker, target)
    }
}

/// Ends the running thread.
///
/// # Safety
/// As [`park`].
#[inline]
pub unsafe fn exit(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let thread = current(tcb);
        let object = thread.as_ptr();
        trace(worker, Change::Ends, thread);
        set_state(thread, DEAD);
        (*object).stack = NONE;
        load::goes(worker, (*object).lane as u64);
        shared.free_lane(worker, (*object).lane as u64);
        (*tcb).current = NONE;
        (*tcb).atomic_depth = 0;
        count(&(*worker).counters.ended);
        next(tcb, worker)
    }
}

/// Ends a thread that is blocked; nothing wakes it any more. False: it is not blocked, or another worker has its lane
/// and must be the one to call this.
///
/// # Safety
/// As [`crate::ready`].
pub unsafe fn kill(tcb: *mut Tcb, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let object = thread.as_ptr();
        let state = state_of(thread);
        if !is_own(worker, thread) || !is_blocked_word(state) {
            return false;
        }
        let on_lane = state & STATE == ON_LANE;
        trace(worker, Change::Ends, thread);
        set_state(thread, DEAD);
        if state & BOUND != 0 {
            bound::killed(worker, thread);
        }
        (*object).stack = NONE;
        load::goes(worker, (*object).lane as u64);
        if on_lane {
            (*worker).shared.free_lane(worker, (*object).lane as u64);
        }
        count(&(*worker).counters.ended);
        true
    }
}

/// Takes the thread that has waited longest out of the worker's ready queues: it is blocked then, until somebody makes
/// it ready again. Not one that has a wake-up to come, which must not be lost, nor one of another worker's lane. None
/// when there is no such thread.
///
/// # Safety
/// As [`crate::ready`], between two safepoints of the running thread.
pub unsafe fn take_ready(tcb: *mut Tcb) -> Ref<Thread> {
    // SAFETY: the caller's promise; a queue's threads are thread objects.
    unsafe {
        let worker = worker_of(tcb);
        // The runtime's own threads have no number.
        let may = |thread: Ref<Thread>| {
            (*thread.as_ptr()).id != 0
                && state_of(thread) & PERMIT == 0
                && (is_own(worker, thread) || lane_of(thread) == UNPLACED)
        };
        let mut thread = (*worker).queue.take((*worker).shared.host, tcb, 2, may);
        if thread.is_none() {
            thread = (*worker).spent.queue.take((*worker).shared.host, tcb, 2, may);
        }
        if !thread.is_none() {
            set_state(thread, state_of(thread) & !(QUEUED | READIED | SPENT));
        }
        thread
    }
}

/// From running to blocked; false when a permit was there, which is used up.
#[inline(always)]
pub(crate) unsafe fn block(worker: *mut Worker, thread: *mut Thread) -> bool {
    let thread = Ref::from_ptr(thread);
    // SAFETY: the caller runs this thread.
    unsafe {
        if state_of(thread) != RUNNING {
            return block_flagged(worker, thread);
        }
        trace(worker, Change::Blocks, thread);
        set_state(thread, ON_LANE);
        true
    }
}

/// [`block`] for a thread with flags. It is not SPENT any more: it has stopped of its own accord.
#[cold]
#[inline(never)]
unsafe fn block_flagged(worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: as `block`.
    unsafe {
        let state = state_of(thread);
        if state & PERMIT != 0 {
            set_state(thread, RUNNING | state & BOUND);
            return false;
        }
        trace(worker, Change::Blocks, thread);
        set_state(thread, ON_LANE | state & BOUND);
        true
    }
}

/// The running thread, already saved, goes to the end of the first queue of its own accord.
#[inline(always)]
pub(crate) unsafe fn queue_current(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: as the callers.
    unsafe {
        let thread = current(tcb);
        trace(worker, Change::Yields, thread);
        set_state(thread, (state_of(thread) & !(STATE | SPENT)) | ON_LANE | QUEUED);
        (*worker).queue.push((*worker).shared.host, tcb, thread);
    }
}

/// Runs `target`, the thread before it being saved and blocked or queued.
#[inline(always)]
unsafe fn run_target(tcb: *mut Tcb, worker: *mut Worker, target: Ref<Thread>) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        if (*worker).request.load(Ordering::Relaxed) & request::STOP != 0
            || !is_own(worker, target)
            || (*worker).watched != 0
        {
            return run_target_slow(tcb, worker, target);
        }
        // OnLane, InHeap without a flag.
        match state_of(target) {
            ON_LANE => resume(tcb, worker, target),
            IN_HEAP => place_and_resume(tcb, worker, target).unwrap_or_else(|| next(tcb, worker)),
            state => {
                if state & BOUND != 0 {
                    return run_target_slow(tcb, worker, target);
                }
                if state & STATE == RUNNING {
                    ready_own(tcb, worker, target);
                }
                next(tcb, worker)
            }
        }
    }
}

/// A target that is new, bound, or on another worker's lane; or comes while the world is to be stopped or runs by
/// chance, or the worker is away.
#[inline(never)]
unsafe fn run_target_slow(tcb: *mut Tcb, worker: *mut Worker, mut target: Ref<Thread>) -> u64 {
    // SAFETY: as `run_target`.
    unsafe {
        if is_stop_asked(worker) {
            (*worker).hand = target;
            stop_between(tcb, worker);
            target = std::mem::replace(&mut (*worker).hand, Ref::NONE);
            if (*worker).shared.over.load(Ordering::SeqCst) {
                return depart(tcb);
            }
            if target.is_none() {
                // It is ready.
                return next(tcb, worker);
            }
        }
        jitter();
        if lane_of(target) == UNPLACED {
            if win(worker, target) {
                trace(worker, Change::Handed, target);
                if (*worker).chance.is_some() {
                    // Who runs first is drawn.
                    (*worker).queue.push((*worker).shared.host, tcb, target);
                    return next(tcb, worker);
                }
                post::spread(worker);
                return go_on_anywhere(tcb, worker, target).unwrap_or_else(|| next(tcb, worker));
            }
            if lane_of(target) == UNPLACED {
                return next(tcb, worker);
            }
        }
        let claimed = if is_own(worker, target) { claim(target) } else { post::fetch(tcb, worker, target) };
        if !claimed {
            return next(tcb, worker);
        }
        trace(worker, Change::Handed, target);
        if (*worker).chance.is_some() {
            (*worker).queue.push((*worker).shared.host, tcb, target);
            return next(tcb, worker);
        }
        go_on_anywhere(tcb, worker, target).unwrap_or_else(|| next(tcb, worker))
    }
}

/// Runs a thread that was taken out of a queue, on a lane of this worker or none. None: there is no lane for it, and
/// another worker has it now. The worker is not away.
unsafe fn go_on(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> Option<u64> {
    // SAFETY: as the callers.
    unsafe {
        let state = state_of(thread) & (STATE | BOUND);
        if state == ON_LANE {
            Some(resume(tcb, worker, thread))
        } else if state & BOUND == 0 {
            place_and_resume(tcb, worker, thread)
        } else {
            go_on_anywhere(tcb, worker, thread)
        }
    }
}

/// The same, on the OS thread on which it must run.
unsafe fn go_on_anywhere(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> Option<u64> {
    // SAFETY: as the callers.
    unsafe {
        let state = state_of(thread);
        let value =
            if state & STATE == ON_LANE { resume(tcb, worker, thread) } else { place_and_resume(tcb, worker, thread)? };
        if state & BOUND == 0 && (*worker).watched & AWAY == 0 {
            return Some(value);
        }
        Some(bound::cross(tcb, worker, value))
    }
}

/// Runs the next ready thread, waiting for one if need be. The thread before is saved and blocked or queued, or dead.
#[inline(always)]
pub(crate) unsafe fn next(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        (*worker).since_events += 1;
        let asked = (*worker).request.load(Ordering::Relaxed) & (request::STOP | request::LETTER) != 0;
        if asked || (*worker).watched != 0 || (*worker).since_events >= EVENTS_EVERY {
            return next_slow(tcb, worker);
        }
        let thread = (*worker).queue.pop();
        if thread.is_none() {
            return next_slow(tcb, worker);
        }
        if !is_own(worker, thread) && !post::keeps(tcb, worker, thread) {
            return next_slow(tcb, worker);
        }
        match go_on(tcb, worker, thread) {
            Some(value) => value,
            None => next_slow(tcb, worker),
        }
    }
}

#[inline(never)]
unsafe fn next_slow(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        if (*worker).watched & AWAY != 0 {
            bound::leave_to_its_thread(tcb, worker);
        }
        loop {
            if (*worker).since_events >= EVENTS_EVERY {
                (*worker).since_events = 0;
                if shared.host.events(tcb, true) {
                    count(&(*worker).counters.looks);
                }
                post::spread(worker);
            }
            if is_stop_asked(worker) {
                stop_between(tcb, worker);
                if shared.over.load(Ordering::SeqCst) {
                    return depart(tcb);
                }
            }
            if (*worker).request.load(Ordering::Relaxed) & request::LETTER != 0 {
                (*worker).request.fetch_and(!request::LETTER, Ordering::SeqCst);
                (*tcb).current = NONE;
                post::serve(tcb, worker);
            }
            let thread = match find(tcb, worker).some() {
                None => idle(tcb, worker),
                Some(thread) => thread,
            };
            if thread.is_none() {
                return depart(tcb);
            }
            if let Some(value) = go_on_anywhere(tcb, worker, thread) {
                return value;
            }
        }
    }
}

/// Called by `enter` on the worker's C stack: the first thread.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_first(tcb: *mut Tcb) -> u64 {
    // SAFETY: the assembly gives the worker's block.
    unsafe { next_slow(tcb, worker_of(tcb)) }
}

/// Called when a thread's closure has returned, and the thread has properties.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_returned(tcb: *mut Tcb) -> u64 {
    // SAFETY: the stub gives the worker's block, and has saved where the thread's stack is; the result is returned.
    unsafe { (*worker_of(tcb)).shared.host.returned(tcb) }
}

/// Likewise of one without.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_finish(tcb: *mut Tcb) -> u64 {
    // SAFETY: the assembly gives the worker's block.
    unsafe { exit(tcb) }
}
