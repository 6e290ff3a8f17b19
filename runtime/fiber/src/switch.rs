//! Parking, waking, yielding, handing over: how one thread after the other gets to run on a worker.
//!
//! The fast path is a dozen loads and stores: the thread that stops leaves its frames on its lane, the one that runs finds
//! its own there; in compiled code's stubs it is written in assembly once more ([`crate::fast`]). Everything else is
//! [`crate::place`].
//!
//! Keeps: T10 a thread's word and lane are touched by the owner of its lane alone; T2 a thread that is `OnLane` or `Running` is its lane's resident; T3 a thread stands in a queue exactly while it
//! has the flag [`QUEUED`]; T4 a thread that stops running is logged by the write barrier, so an old thread's new frames are
//! known to the next minor collection.
//!
//! ```text
//!  low bits of Thread::state: New, Running, OnLane, InHeap, Dead (leat_abi::thread)
//!  QUEUED    stands in a ready queue: runs when its turn comes
//!  READIED   put there by `ready`, not by a yield: a second `ready` is the same wake-up and does nothing
//!  PERMIT    `ready` came while it was running or yielding: its next park returns at once
//!  SPENT     has run for long without stopping of its own accord: see crate::turns
//! ```
//!
//! The word, like the queue and the lane, is private to the worker that owns the thread's lane, so nothing here is locked:
//! what another worker wants of a thread comes as a letter ([`crate::post`]). Only a thread that has no lane yet is anybody's;
//! who changes NEW to something else by compare-and-swap has it.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use leat_abi::tcb::{STACK_STOP, Tcb};
use leat_abi::thread::{STATE_MASK, State, Thread};

use crate::host::Change;
use crate::jitter::jitter;
use crate::queue::{NONE, barrier};
use crate::turns::{self, Verdict};
use crate::worker::{UNPLACED, Worker, count, depart, worker_of};
use crate::{idle, place, post, stop};

/// Flags above the state in `Thread::state`.
pub const QUEUED: u8 = 1 << 3;
pub const READIED: u8 = 1 << 4;
pub const PERMIT: u8 = 1 << 5;
pub const SPENT: u8 = 1 << 6;
const STATE: u8 = STATE_MASK;

const NEW: u8 = State::New as u8;
pub(crate) const RUNNING: u8 = State::Running as u8;
pub(crate) const ON_LANE: u8 = State::OnLane as u8;
pub(crate) const IN_HEAP: u8 = State::InHeap as u8;
const DEAD: u8 = State::Dead as u8;

/// Switches after which a busy worker looks at timers and descriptors.
pub(crate) const EVENTS_EVERY: u32 = 256;

/// Fills a thread object that was just allocated: it is new, in no queue, and will call `closure`.
///
/// # Safety
/// `thread` is the payload of an object with `header::thread()`, `closure` a closure of type unit -> unit; neither has been
/// moved since.
pub unsafe fn init_thread(tcb: *mut Tcb, thread: u64, closure: u64) {
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
        (thread as *mut Thread).write(Thread::new(id, closure));
        count(&(*worker).counters.started);
        trace(worker, Change::Made, thread);
        if id == 2 {
            stop::start_ticker(shared);
        }
    }
}

/// Blocks the running thread until [`ready`] is called for it, and leaves all its atomic sections. Gives the value of the
/// thread that runs now.
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
        if !(*worker).watched && (*worker).queue.is_empty() {
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
        let thread = save(tcb, worker) as u64;
        trace(worker, Change::Yields, thread);
        let spent = if verdict == Verdict::First { 0 } else { SPENT };
        set_state(thread, state_of(thread) & !(STATE | SPENT) | ON_LANE | QUEUED | spent);
        let host = (*worker).shared.host;
        match verdict {
            Verdict::First => (*worker).queue.push_front(host, tcb, thread),
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
            (*worker).shared.host.events(tcb);
        }
        if !turns::is_empty(worker) {
            turns::let_spent_run(worker);
            save(tcb, worker);
            queue_current(tcb, worker);
            return next_slow(tcb, worker);
        }
        take_value((*tcb).current as *mut Thread)
    }
}

/// Puts the running thread at the end of the ready queue and runs `target`, which is new or blocked, at once. (A target that
/// is ready already, or whose lane is busy on another worker, runs when its turn comes.)
///
/// # Safety
/// As [`park`]; `target` is a thread object.
#[inline]
pub unsafe fn switch(tcb: *mut Tcb, target: u64) -> u64 {
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
pub unsafe fn handoff(tcb: *mut Tcb, target: u64) -> u64 {
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
        let thread = (*tcb).current as *mut Thread;
        set_state(thread as u64, DEAD);
        (*thread).stack = NONE;
        shared.free_lane(worker, (*thread).lane as u64);
        (*tcb).current = NONE;
        (*tcb).atomic_depth = 0;
        count(&(*worker).counters.ended);
        trace(worker, Change::Ends, thread as u64);
        next(tcb, worker)
    }
}

/// Ends a thread that is blocked; nothing wakes it any more. False: it is not blocked, or another worker has its lane and
/// must be the one to call this.
///
/// # Safety
/// As [`ready`].
pub unsafe fn kill(tcb: *mut Tcb, thread: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let object = thread as *mut Thread;
        if !is_own(worker, thread) || !matches!(state_of(thread), ON_LANE | IN_HEAP) {
            return false;
        }
        let on_lane = state_of(thread) == ON_LANE;
        set_state(thread, DEAD);
        (*object).stack = NONE;
        if on_lane {
            (*worker).shared.free_lane(worker, (*object).lane as u64);
        }
        count(&(*worker).counters.ended);
        trace(worker, Change::Ends, thread);
        true
    }
}

/// Makes a blocked or new thread ready: it stands at the end of the queue of the worker that owns its lane. For a thread
/// that runs: its next park returns at once.
///
/// # Safety
/// Called by a worker, on any stack, `tcb` being its own; `thread` is a thread object.
#[inline]
pub unsafe fn ready(tcb: *mut Tcb, thread: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        if is_own(worker, thread) {
            ready_own(tcb, worker, thread);
        } else if lane_of(thread) != UNPLACED {
            post::send_ready(tcb, worker, thread);
        } else if win(worker, thread) {
            trace(worker, Change::Ready, thread);
            (*worker).queue.push((*worker).shared.host, tcb, thread);
            post::spread(worker);
        } else if lane_of(thread) != UNPLACED {
            // Another worker has placed it meanwhile.
            ready(tcb, thread);
        }
    }
}

/// [`ready`], for a thread whose lane is this worker's.
#[inline]
pub(crate) unsafe fn ready_own(tcb: *mut Tcb, worker: *mut Worker, thread: u64) {
    // SAFETY: as `ready`.
    unsafe {
        if wake_up(worker, thread) {
            (*worker).queue.push((*worker).shared.host, tcb, thread);
        }
    }
}

/// What a wake-up does to a thread's word: true when the thread is ready now, and the caller is to queue it.
#[inline(always)]
pub(crate) unsafe fn wake_up(worker: *mut Worker, thread: u64) -> bool {
    // SAFETY: the caller is the thread's owner, or acts for it.
    unsafe {
        let state = state_of(thread);
        match state & STATE {
            DEAD => {}
            RUNNING => set_state(thread, state | PERMIT),
            _ if state & READIED != 0 => {}
            _ if state & QUEUED != 0 => set_state(thread, state | PERMIT),
            _ => {
                trace(worker, Change::Ready, thread);
                set_state(thread, state | QUEUED | READIED);
                return true;
            }
        }
        false
    }
}

/// What a hand-off does to its target's word: true when the target was blocked, and is the caller's to run. One that runs
/// gets a permit; one that is ready runs when its turn comes.
#[inline(always)]
pub(crate) unsafe fn claim(thread: u64) -> bool {
    // SAFETY: as `wake_up`.
    unsafe {
        let state = state_of(thread);
        let blocked = matches!(state, ON_LANE | IN_HEAP);
        if blocked {
            set_state(thread, state | QUEUED | READIED);
        } else if state & STATE == RUNNING {
            set_state(thread, state | PERMIT);
        }
        blocked
    }
}

/// Makes a thread ready that has no lane; false when it is that already, or has a lane by now. The barrier makes what was
/// stored before visible to who runs it.
unsafe fn win(worker: *mut Worker, thread: u64) -> bool {
    // SAFETY: the caller has a thread object.
    unsafe {
        if !(*worker).shared.is_several() {
            let new = state_of(thread) == NEW;
            if new {
                set_state(thread, NEW | QUEUED | READIED);
            }
            return new;
        }
        jitter();
        state_word(thread).compare_exchange(NEW, NEW | QUEUED | READIED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

/// Whether a thread's lane is this worker's. If so it stays that; if not, it may become that at any time.
#[inline(always)]
pub(crate) unsafe fn is_own(worker: *mut Worker, thread: u64) -> bool {
    // SAFETY: the caller has a thread object; a number below UNPLACED is a lane's.
    unsafe {
        let lane = lane_of(thread);
        // Once more: the thread may have left that lane before its owner gave it to this worker.
        lane != UNPLACED
            && (*(*worker).lanes.add(lane as usize)).owner.load(Ordering::Acquire) as usize == (*worker).index
            && lane_of(thread) == lane
    }
}

/// The number of a thread's lane, or [`UNPLACED`].
#[inline(always)]
pub(crate) unsafe fn lane_of(thread: u64) -> u64 {
    // SAFETY: the caller has a thread object; the field is aligned.
    unsafe { AtomicU16::from_ptr(&raw mut (*(thread as *mut Thread)).lane).load(Ordering::Acquire) as u64 }
}

/// The thread belongs to this lane from here on: what was stored before is visible to the lane's owner.
#[inline(always)]
pub(crate) unsafe fn set_lane(thread: u64, lane: u64) {
    // SAFETY: as `lane_of`.
    unsafe { AtomicU16::from_ptr(&raw mut (*(thread as *mut Thread)).lane).store(lane as u16, Ordering::Release) }
}

/// The state word of a thread, and sets it. For its owner; others may read what is of no meaning to them.
#[inline(always)]
pub(crate) unsafe fn state_of(thread: u64) -> u8 {
    // SAFETY: the caller has a thread object.
    unsafe { state_word(thread).load(Ordering::Relaxed) }
}

#[inline(always)]
pub(crate) unsafe fn set_state(thread: u64, state: u8) {
    // SAFETY: as above. A new thread's first lane stands before its state: see `ready`.
    unsafe { state_word(thread).store(state, Ordering::Release) }
}

/// Takes the thread that has waited longest out of the worker's ready queues: it is blocked then, until somebody makes it
/// ready again. Not one that has a wake-up to come, which must not be lost, nor one of another worker's lane. 1 when there is
/// none.
///
/// # Safety
/// As [`ready`], between two safepoints of the running thread.
pub unsafe fn take_ready(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise; a queue's threads are thread objects.
    unsafe {
        let worker = worker_of(tcb);
        // The runtime's own threads have no number.
        let may = |thread: u64| {
            (*(thread as *mut Thread)).id != 0
                && state_of(thread) & PERMIT == 0
                && (is_own(worker, thread) || lane_of(thread) == UNPLACED)
        };
        let mut thread = (*worker).queue.take((*worker).shared.host, tcb, 2, may);
        if thread == NONE {
            thread = (*worker).spent.queue.take((*worker).shared.host, tcb, 2, may);
        }
        if thread != NONE {
            set_state(thread, state_of(thread) & !(QUEUED | READIED | SPENT));
        }
        thread
    }
}

/// Tells of a change of a thread, in a program that is traced. Before a thread can be seen to have stopped, and after it can
/// be seen to go on: so the changes of a thread are told of in their order.
#[inline(always)]
pub(crate) unsafe fn trace(worker: *mut Worker, change: Change, thread: u64) {
    // SAFETY: the caller is the worker, and has a thread object.
    unsafe {
        let shared = (*worker).shared;
        if shared.config.trace {
            shared.host.changed((*worker).index, change, thread as *const Thread);
        }
    }
}

/// The state word of a thread.
#[inline(always)]
pub(crate) unsafe fn state_word<'a>(thread: u64) -> &'a AtomicU8 {
    // SAFETY: the caller has a thread object; the word is aligned.
    unsafe { AtomicU8::from_ptr(&raw mut (*(thread as *mut Thread)).state) }
}

/// Stores what is needed to resume the running thread.
#[inline(always)]
unsafe fn save(tcb: *mut Tcb, worker: *mut Worker) -> *mut Thread {
    // SAFETY: the stub has stored these, and current is a thread object.
    unsafe {
        let thread = (*tcb).current as *mut Thread;
        (*(*worker).lanes.add((*thread).lane as usize)).save(tcb);
        (*thread).atomic_depth = (*tcb).atomic_depth as u32;
        barrier((*worker).shared.host, tcb, thread as u64);
        thread
    }
}

/// From running to blocked; false when a permit was there, which is used up.
#[inline(always)]
unsafe fn block(worker: *mut Worker, thread: *mut Thread) -> bool {
    // SAFETY: the caller runs this thread.
    unsafe {
        if state_of(thread as u64) & PERMIT != 0 {
            // Without SPENT either, as below: it has stopped of its own accord.
            set_state(thread as u64, RUNNING);
            return false;
        }
        trace(worker, Change::Blocks, thread as u64);
        set_state(thread as u64, ON_LANE);
        true
    }
}

/// The running thread, already saved, goes to the end of the first queue of its own accord.
#[inline(always)]
unsafe fn queue_current(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: as the callers.
    unsafe {
        let thread = (*tcb).current;
        trace(worker, Change::Yields, thread);
        set_state(thread, (state_of(thread) & !(STATE | SPENT)) | ON_LANE | QUEUED);
        (*worker).queue.push((*worker).shared.host, tcb, thread);
    }
}

/// Runs `target`, the thread before it being saved and blocked or queued.
#[inline(always)]
unsafe fn run_target(tcb: *mut Tcb, worker: *mut Worker, target: u64) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        if (*worker).request.load(Ordering::Relaxed) & stop::STOP != 0 || !is_own(worker, target) || (*worker).watched {
            return run_target_slow(tcb, worker, target);
        }
        // OnLane, InHeap without a flag.
        match state_of(target) {
            ON_LANE => resume(tcb, worker, target),
            IN_HEAP => place::place_and_resume(tcb, worker, target).unwrap_or_else(|| next(tcb, worker)),
            state => {
                if state & STATE == RUNNING {
                    ready_own(tcb, worker, target);
                }
                next(tcb, worker)
            }
        }
    }
}

/// A target that is new, or on another worker's lane, or comes while the world is to be stopped or runs by chance.
#[inline(never)]
unsafe fn run_target_slow(tcb: *mut Tcb, worker: *mut Worker, mut target: u64) -> u64 {
    // SAFETY: as `run_target`.
    unsafe {
        if stop::is_stop_asked(worker) {
            (*worker).hand = target;
            stop::stop_between(tcb, worker);
            target = std::mem::replace(&mut (*worker).hand, NONE);
            if (*worker).shared.over.load(Ordering::SeqCst) {
                return depart(tcb);
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
                return place::place_and_resume(tcb, worker, target).unwrap_or_else(|| next(tcb, worker));
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
        go_on(tcb, worker, target).unwrap_or_else(|| next(tcb, worker))
    }
}

/// Runs a thread that was taken out of a queue, on a lane of this worker or none. None: there is no lane for it, and another
/// worker has it now.
unsafe fn go_on(tcb: *mut Tcb, worker: *mut Worker, thread: u64) -> Option<u64> {
    // SAFETY: as the callers.
    unsafe {
        if state_of(thread) & STATE == ON_LANE {
            Some(resume(tcb, worker, thread))
        } else {
            place::place_and_resume(tcb, worker, thread)
        }
    }
}

/// Runs the next ready thread, waiting for one if need be. The thread before is saved and blocked or queued, or dead.
#[inline(always)]
pub(crate) unsafe fn next(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        (*worker).since_events += 1;
        let asked = (*worker).request.load(Ordering::Relaxed) & (stop::STOP | stop::LETTER) != 0;
        if asked || (*worker).watched || (*worker).since_events >= EVENTS_EVERY {
            return next_slow(tcb, worker);
        }
        let thread = (*worker).queue.pop();
        if thread == NONE {
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
        loop {
            if (*worker).since_events >= EVENTS_EVERY {
                (*worker).since_events = 0;
                count(&(*worker).counters.looks);
                shared.host.events(tcb);
                post::spread(worker);
            }
            if stop::is_stop_asked(worker) {
                stop::stop_between(tcb, worker);
                if shared.over.load(Ordering::SeqCst) {
                    return depart(tcb);
                }
            }
            if (*worker).request.load(Ordering::Relaxed) & stop::LETTER != 0 {
                (*worker).request.fetch_and(!stop::LETTER, Ordering::SeqCst);
                (*tcb).current = NONE;
                post::serve(tcb, worker);
            }
            let thread = match find(tcb, worker) {
                NONE => idle::idle(tcb, worker),
                thread => thread,
            };
            if thread == NONE {
                return depart(tcb);
            }
            if let Some(value) = go_on(tcb, worker, thread) {
                return value;
            }
        }
    }
}

/// A ready thread that this worker may run: its own, then one of a worker that is outside, together with its lane. 1 when
/// there is none.
pub(crate) unsafe fn find(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        loop {
            jitter();
            let thread = match &mut (*worker).chance {
                Some(chance) => {
                    shared.host.turn();
                    chance.draw(&mut (*worker).queue, shared.host, tcb)
                }
                None => turns::pop(worker),
            };
            let thread = if thread == NONE { post::rob(tcb, worker) } else { thread };
            if thread == NONE {
                return NONE;
            }
            if is_own(worker, thread) || post::keeps(tcb, worker, thread) {
                return thread;
            }
        }
    }
}

/// Goes on with a thread that is on its lane. Gives the value that its primitive returns.
#[inline(always)]
pub(crate) unsafe fn resume(tcb: *mut Tcb, worker: *mut Worker, thread: u64) -> u64 {
    // SAFETY: the thread is on its lane (T2), the lane is this worker's.
    unsafe {
        let object = thread as *mut Thread;
        let lane = (*worker).lanes.add((*object).lane as usize);
        debug_assert_eq!(((*lane).resident, state_of(thread) & STATE), (thread, ON_LANE), "T2");
        debug_assert_eq!((*lane).owner.load(Ordering::Relaxed) as usize, (*worker).index, "T10");
        jitter();
        trace(worker, Change::Runs, thread);
        set_state(thread, RUNNING | state_of(thread) & (PERMIT | SPENT));
        (*tcb).current = thread;
        (*tcb).saved_sp = (*lane).sp;
        (*tcb).atomic_depth = (*object).atomic_depth as u64;
        (*tcb).stack_limit.store((*lane).limit, Ordering::Relaxed);
        if (*tcb).poll.load(Ordering::Relaxed) != 0 {
            (*tcb).stack_limit.store(STACK_STOP, Ordering::Relaxed);
        }
        count(&(*worker).counters.switches);
        let value = take_value(object);
        (*tcb).resume_value = value;
        value
    }
}

/// What a blocked thread's primitive is to return, instead of 0, when it is made ready.
///
/// # Safety
/// `thread` is a thread object that has been started; the caller is a worker, and makes it ready next.
pub unsafe fn set_value(thread: u64, value: i64) {
    // An immediate: the field is a reference.
    // SAFETY: the caller's promise.
    unsafe { (*(thread as *mut Thread)).start = (value << 1 | 1) as u64 }
}

/// What the running thread has been told by [`set_value`], or 0.
///
/// # Safety
/// `tcb` is the calling worker's, and runs a thread.
pub unsafe fn take_own_value(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { take_value((*tcb).current as *mut Thread) }
}

/// What the thread's blocking primitive returns; what a new thread calls, or was thrown to an old one.
#[inline(always)]
unsafe fn take_value(thread: *mut Thread) -> u64 {
    // SAFETY: a thread object.
    unsafe {
        match (*thread).start {
            NONE => 0,
            word => {
                (*thread).start = NONE;
                if word & 1 != 0 { (word as i64 >> 1) as u64 } else { word }
            }
        }
    }
}

/// Called by `enter` on the worker's C stack: the first thread.
pub(crate) unsafe extern "C" fn leat_fiber_first(tcb: *mut Tcb) -> u64 {
    // SAFETY: the assembly gives the worker's block.
    unsafe { next_slow(tcb, worker_of(tcb)) }
}

/// Called when a thread's closure has returned.
pub(crate) unsafe extern "C" fn leat_fiber_finish(tcb: *mut Tcb) -> u64 {
    // SAFETY: the assembly gives the worker's block.
    unsafe { exit(tcb) }
}
