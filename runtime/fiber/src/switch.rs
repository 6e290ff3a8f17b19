//! Parking, waking, yielding, handing over: how one thread after the other gets to run on a worker.
//!
//! The fast path is a dozen loads and stores: the thread that stops leaves its frames on its lane, the one that runs finds
//! its own there; in compiled code's stubs it is written in assembly once more ([`crate::fast`]). Everything else is
//! [`crate::place`].
//!
//! Keeps: T2 a thread that is `OnLane` or `Running` is its lane's resident; T3 a thread stands in a queue exactly while it
//! has the flag [`QUEUED`]; T4 a thread that stops running is logged by the write barrier, so an old thread's new frames are
//! known to the next minor collection.
//!
//! ```text
//!  low bits of Thread::state: New, Running, OnLane, InHeap, Dead (leat_abi::thread)
//!  QUEUED    stands in a ready queue: runs when its turn comes
//!  READIED   put there by `ready`, not by a yield: a second `ready` is the same wake-up and does nothing
//!  PERMIT    `ready` came while it was running or yielding: its next park returns at once
//! ```
//!
//! With several workers the word is changed by compare-and-swap, since another worker may make a thread ready between its
//! decision to park and its parking; with one it is a plain word.

use std::sync::atomic::{AtomicU8, Ordering};

use leat_abi::tcb::{STACK_STOP, Tcb};
use leat_abi::thread::{STATE_MASK, State, Thread};

use crate::host::Change;
use crate::jitter::jitter;
use crate::queue::{NONE, barrier};
use crate::worker::{NO_LANE, UNPLACED, Worker, count, depart, worker_of};
use crate::{place, stop};

/// Flags above the state in `Thread::state`.
pub const QUEUED: u8 = 1 << 3;
pub const READIED: u8 = 1 << 4;
pub const PERMIT: u8 = 1 << 5;
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
        let id = if (*worker).several {
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
        if !(*worker).several && (*worker).queue.is_empty() {
            return alone(tcb, worker);
        }
        save(tcb, worker);
        queue_current(tcb, worker);
        next(tcb, worker)
    }
}

/// A yield with nobody else ready: the events get a look.
#[cold]
unsafe fn alone(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        (*worker).since_events += 1;
        if (*worker).since_events.is_multiple_of(16) {
            (*worker).shared.host.events(tcb);
            if !(*worker).queue.is_empty() {
                save(tcb, worker);
                queue_current(tcb, worker);
                return next(tcb, worker);
            }
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
        (*thread).state = DEAD;
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
        let shared = (*worker).shared;
        let object = thread as *mut Thread;
        let state = (*object).state;
        let is_mine = |lane: u64| (*shared.lane(lane)).owner.load(Ordering::SeqCst) as usize == (*worker).index;
        let on_lane = state == ON_LANE;
        if !on_lane && state != IN_HEAP || on_lane && !is_mine((*object).lane as u64) {
            return false;
        }
        if (*worker).several {
            if state_word(thread).compare_exchange(state, DEAD, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                return false;
            }
        } else {
            (*object).state = DEAD;
        }
        (*object).stack = NONE;
        if on_lane {
            shared.free_lane(worker, (*object).lane as u64);
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
        let shared = (*worker).shared;
        if (*worker).several {
            return ready_several(tcb, worker, thread);
        }
        let object = thread as *mut Thread;
        let state = (*object).state;
        match state & STATE {
            DEAD => {}
            RUNNING => (*object).state = state | PERMIT,
            _ if state & READIED != 0 => {}
            _ if state & QUEUED != 0 => (*object).state = state | PERMIT,
            _ => {
                (*object).state = state | QUEUED | READIED;
                (*worker).queue.push(shared.host, tcb, thread);
            }
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn ready_several(tcb: *mut Tcb, worker: *mut Worker, thread: u64) {
    // SAFETY: as `ready`.
    unsafe {
        let word = state_word(thread);
        let mut state = word.load(Ordering::Relaxed);
        loop {
            let new = match state & STATE {
                DEAD => return,
                RUNNING => state | PERMIT,
                _ if state & READIED != 0 => return,
                _ if state & QUEUED != 0 => state | PERMIT,
                _ => state | QUEUED | READIED,
            };
            jitter();
            match word.compare_exchange_weak(state, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) if new & QUEUED != 0 && state & QUEUED == 0 => break,
                Ok(_) => return,
                Err(now) => state = now,
            }
        }
        trace(worker, Change::Ready, thread);
        enqueue_several(tcb, worker, thread, false);
    }
}

/// Takes the thread that has waited longest out of the worker's ready queue: it is blocked then, until somebody makes it
/// ready again. Not one that has a wake-up to come, which must not be lost. 1 when there is none.
///
/// # Safety
/// As [`ready`], between two safepoints of the running thread.
pub unsafe fn take_ready(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise; a queue's threads are thread objects.
    unsafe {
        let worker = worker_of(tcb);
        // The runtime's own threads have no number.
        let may = |thread: u64| {
            (*(thread as *mut Thread)).id != 0 && state_word(thread).load(Ordering::Relaxed) & PERMIT == 0
        };
        if !(*worker).several {
            let thread = (*worker).queue.take((*worker).shared.host, tcb, 2, may);
            if thread != NONE {
                (*(thread as *mut Thread)).state &= !(QUEUED | READIED);
            }
            return thread;
        }
        (*worker).lock.lock();
        let thread = (*worker).queue.take((*worker).shared.host, tcb, 2, may);
        (*worker).has_ready.store(!(*worker).queue.is_empty(), Ordering::Relaxed);
        (*worker).lock.unlock();
        if thread != NONE
            && state_word(thread).fetch_and(!(QUEUED | READIED), Ordering::AcqRel) & PERMIT != 0
            && (*(thread as *mut Thread)).state & STATE != DEAD
        {
            // The wake-up came in between.
            state_word(thread).fetch_and(!PERMIT, Ordering::AcqRel);
            ready_several(tcb, worker, thread);
            return NONE;
        }
        thread
    }
}

/// Tells of a change of a thread, in a program that is traced. Before a thread can be seen to have stopped, and after it can
/// be seen to go on: so the changes of a thread are told of in their order.
#[inline(always)]
unsafe fn trace(worker: *mut Worker, change: Change, thread: u64) {
    // SAFETY: the caller is the worker, and has a thread object.
    unsafe {
        let shared = (*worker).shared;
        if shared.config.trace {
            shared.host.changed((*worker).index, change, thread as *const Thread);
        }
    }
}

/// The state word of a thread that other workers may change too.
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
        if (*worker).several {
            return block_several(worker, thread);
        }
        if (*thread).state & PERMIT != 0 {
            (*thread).state = RUNNING;
            return false;
        }
        (*thread).state = ON_LANE;
        true
    }
}

#[cold]
#[inline(never)]
unsafe fn block_several(worker: *mut Worker, thread: *mut Thread) -> bool {
    // SAFETY: as `block`.
    unsafe {
        trace(worker, Change::Blocks, thread as u64);
        let word = state_word(thread as u64);
        jitter();
        if word.compare_exchange(RUNNING, ON_LANE, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return true;
        }
        // The only other value is RUNNING | PERMIT, which stays until it is taken here.
        word.store(RUNNING, Ordering::Relaxed);
        trace(worker, Change::Runs, thread as u64);
        false
    }
}

/// The running thread, already saved, goes to the end of the queue.
#[inline(always)]
unsafe fn queue_current(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        let thread = (*tcb).current;
        if (*worker).several {
            return queue_current_several(tcb, worker, thread);
        }
        let object = thread as *mut Thread;
        (*object).state = ((*object).state & !STATE) | ON_LANE | QUEUED;
        (*worker).queue.push(shared.host, tcb, thread);
    }
}

#[cold]
#[inline(never)]
unsafe fn queue_current_several(tcb: *mut Tcb, worker: *mut Worker, thread: u64) {
    // SAFETY: as `queue_current`.
    unsafe {
        trace(worker, Change::Yields, thread);
        let word = state_word(thread);
        let permit = word.load(Ordering::Relaxed) & PERMIT;
        jitter();
        if word
            .compare_exchange(RUNNING | permit, ON_LANE | QUEUED | permit, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            word.store(ON_LANE | QUEUED | PERMIT, Ordering::Release);
        }
        enqueue_several(tcb, worker, thread, false);
    }
}

/// Runs `target`, the thread before it being saved and blocked or queued.
#[inline(always)]
unsafe fn run_target(tcb: *mut Tcb, worker: *mut Worker, target: u64) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        if (*worker).several {
            return run_target_several(tcb, worker, target);
        }
        // New, OnLane, InHeap without a flag.
        match (*(target as *mut Thread)).state {
            ON_LANE => resume(tcb, worker, target),
            NEW | IN_HEAP => place::place_and_resume(tcb, worker, target),
            _ => next(tcb, worker),
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn run_target_several(tcb: *mut Tcb, worker: *mut Worker, mut target: u64) -> u64 {
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
        let word = state_word(target);
        let mut state = word.load(Ordering::Acquire);
        loop {
            match state {
                NEW | ON_LANE | IN_HEAP => {}
                _ => {
                    if state & STATE == RUNNING {
                        ready_several(tcb, worker, target);
                    }
                    return next(tcb, worker);
                }
            }
            jitter();
            // Nobody else may make it ready from here on. This fails too when the lane's owner moves the frames meanwhile:
            // then the thread is no less blocked than before, and nobody else will wake it.
            match word.compare_exchange(state, state | QUEUED | READIED, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        jitter();
        trace(worker, Change::Handed, target);
        if (*worker).chance.is_some() {
            // Who runs first is drawn.
            enqueue_several(tcb, worker, target, false);
            return next(tcb, worker);
        }
        if !claim(worker, target) {
            enqueue_several(tcb, worker, target, true);
            return next(tcb, worker);
        }
        if word.load(Ordering::Relaxed) & STATE == ON_LANE {
            resume(tcb, worker, target)
        } else {
            place::place_and_resume(tcb, worker, target)
        }
    }
}

/// Makes the lane of a thread that is in no queue this worker's running lane, stealing it from its owner if that does not
/// run on it. False when it does.
pub(crate) unsafe fn claim(worker: *mut Worker, thread: u64) -> bool {
    // SAFETY: the caller is the worker; the thread object lives.
    unsafe {
        let shared = (*worker).shared;
        let index = (*(thread as *mut Thread)).lane as u64;
        if index == UNPLACED {
            return true;
        }
        let lane = shared.lane(index);
        loop {
            let owner = (*lane).owner.load(Ordering::SeqCst) as usize;
            let holder = shared.worker(owner);
            jitter();
            (*holder).lock.lock();
            jitter();
            if (*lane).owner.load(Ordering::SeqCst) as usize != owner {
                (*holder).lock.unlock();
                continue;
            }
            if holder == worker {
                (*worker).running_lane.store(index as u32, Ordering::Relaxed);
                (*holder).lock.unlock();
                return true;
            }
            let busy = (*holder).running_lane.load(Ordering::SeqCst) as u64 == index;
            if !busy {
                take_lane(worker, lane, index);
            }
            (*holder).lock.unlock();
            return !busy;
        }
    }
}

/// The lane changes hands and becomes the new owner's running lane; the old owner's lock is held.
///
/// T9: the thief says that it runs on the lane before it says that the lane is its own, and who wants to take a lane reads
/// the owner first. Otherwise a third worker could take it in between, and two threads would run on one lane.
pub(crate) unsafe fn take_lane(worker: *mut Worker, lane: *mut crate::lane::Lane, index: u64) {
    // SAFETY: the caller holds the owner's lock, and the owner does not run on the lane.
    unsafe {
        jitter();
        (*worker).running_lane.store(index as u32, Ordering::SeqCst);
        jitter();
        (*lane).owner.store((*worker).index as u32, Ordering::SeqCst);
        (*lane).listed = false;
        (*worker).own.push(index as u32);
        count(&(*worker).counters.steals);
    }
}

/// Queues a thread that has just got the flag `QUEUED`, at the worker that owns its lane; wakes or starts a worker if one is
/// idle.
#[cold]
#[inline(never)]
pub(crate) unsafe fn enqueue_several(tcb: *mut Tcb, worker: *mut Worker, thread: u64, front: bool) {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        let lane = (*(thread as *mut Thread)).lane as u64;
        loop {
            let owner = if lane == UNPLACED {
                (*worker).index
            } else {
                (*shared.lane(lane)).owner.load(Ordering::Relaxed) as usize
            };
            let holder = shared.worker(owner);
            jitter();
            (*holder).lock.lock();
            jitter();
            if lane != UNPLACED && (*shared.lane(lane)).owner.load(Ordering::Relaxed) as usize != owner {
                (*holder).lock.unlock();
                continue;
            }
            if front {
                (*holder).queue.push_front(shared.host, tcb, thread);
            } else {
                (*holder).queue.push(shared.host, tcb, thread);
            }
            (*holder).has_ready.store(true, Ordering::Relaxed);
            // Read with the lock held: a worker that goes idle says so before it looks at the queues for the last time.
            let idle = shared.stop.idle.load(Ordering::SeqCst);
            // A worker with one ready thread gets to it soon: two threads that talk to each other would else be torn apart
            // at every message, each time by way of a sleeping worker. If it does not, the ticker asks for help.
            let soon = shared.config.slice != 0
                && idle & (1 << owner) == 0
                && (*holder).queue.head == (*holder).queue.tail;
            (*holder).lock.unlock();
            if soon {
                return;
            }
            if idle != 0 || shared.started.load(Ordering::Relaxed) < shared.allowed.load(Ordering::Relaxed) {
                stop::help_wanted(shared, owner, idle);
            }
            return;
        }
    }
}

/// Runs the next ready thread, waiting for one if need be. The thread before is saved and blocked or queued, or dead.
#[inline(always)]
pub(crate) unsafe fn next(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        (*worker).since_events += 1;
        if (*worker).several || (*worker).since_events >= EVENTS_EVERY {
            return next_slow(tcb, worker);
        }
        let thread = (*worker).queue.pop();
        if thread == NONE {
            return next_slow(tcb, worker);
        }
        if (*(thread as *mut Thread)).state & STATE == ON_LANE {
            resume(tcb, worker, thread)
        } else {
            place::place_and_resume(tcb, worker, thread)
        }
    }
}

#[inline(never)]
unsafe fn next_slow(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        if (*worker).since_events >= EVENTS_EVERY {
            (*worker).since_events = 0;
            shared.host.events(tcb);
        }
        if (*worker).several && stop::is_stop_asked(worker) {
            stop::stop_between(tcb, worker);
            if shared.over.load(Ordering::SeqCst) {
                return depart(tcb);
            }
        }
        let thread = match find(tcb, worker) {
            NONE => stop::idle(tcb, worker),
            thread => thread,
        };
        if thread == NONE {
            return depart(tcb);
        }
        if (*(thread as *mut Thread)).state & STATE == ON_LANE {
            resume(tcb, worker, thread)
        } else {
            place::place_and_resume(tcb, worker, thread)
        }
    }
}

/// A ready thread that this worker may run: its own, then one of another worker's together with its lane. 1 when there is
/// none. With several workers its lane is the running lane afterwards.
pub(crate) unsafe fn find(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        if !(*worker).several {
            return (*worker).queue.pop();
        }
        loop {
            jitter();
            (*worker).lock.lock();
            let thread = match &mut (*worker).chance {
                Some(chance) => {
                    shared.host.turn();
                    chance.draw(&mut (*worker).queue, shared.host, tcb)
                }
                None => (*worker).queue.pop(),
            };
            (*worker).has_ready.store(!(*worker).queue.is_empty(), Ordering::Relaxed);
            if thread == NONE {
                (*worker).running_lane.store(NO_LANE, Ordering::Relaxed);
                (*worker).lock.unlock();
                break;
            }
            let lane = (*(thread as *mut Thread)).lane as u64;
            let mine =
                lane == UNPLACED || (*shared.lane(lane)).owner.load(Ordering::Relaxed) as usize == (*worker).index;
            if mine {
                (*worker).running_lane.store(if lane == UNPLACED { NO_LANE } else { lane as u32 }, Ordering::Relaxed);
                (*worker).lock.unlock();
                return thread;
            }
            (*worker).lock.unlock();
            // Its lane was stolen while it stood here.
            enqueue_several(tcb, worker, thread, false);
        }
        steal(tcb, worker)
    }
}

/// Threads at the head of another's queue that a thief looks at.
pub(crate) const LOOK: usize = 32;

unsafe fn steal(tcb: *mut Tcb, worker: *mut Worker) -> u64 {
    // SAFETY: as `find`.
    unsafe {
        let shared = (*worker).shared;
        let workers = shared.started.load(Ordering::Acquire);
        for distance in 1..workers {
            let victim = shared.worker(((*worker).index + distance) % workers);
            if !(*victim).has_ready.load(Ordering::Relaxed) {
                continue;
            }
            jitter();
            (*victim).lock.lock();
            let thread = (*victim).queue.take(shared.host, tcb, LOOK, |thread| {
                is_for(worker, victim, thread) && keep_lane(worker, victim, thread)
            });
            (*victim).has_ready.store(!(*victim).queue.is_empty(), Ordering::Relaxed);
            if thread != NONE {
                let lane = (*(thread as *mut Thread)).lane as u64;
                if lane != UNPLACED && (*shared.lane(lane)).owner.load(Ordering::SeqCst) as usize != (*worker).index {
                    take_lane(worker, shared.lane(lane), lane);
                }
                (*victim).lock.unlock();
                return thread;
            }
            (*victim).lock.unlock();
        }
        NONE
    }
}

/// Whether `worker` may run a thread that stands in `victim`'s queue: it has no lane yet, or one that the victim owns and
/// does not run on, or one that this worker has taken since it was queued. (One of a third worker waits to be passed on.)
/// The victim's lock is held. First the owner, then where it runs (T9).
pub(crate) unsafe fn is_for(worker: *mut Worker, victim: *mut Worker, thread: u64) -> bool {
    // SAFETY: the caller is `worker`; queued threads are thread objects.
    unsafe {
        let lane = (*(thread as *const Thread)).lane as u64;
        if lane == UNPLACED {
            return true;
        }
        let owner = (*(*worker).shared.lane(lane)).owner.load(Ordering::SeqCst) as usize;
        owner == (*worker).index
            || owner == (*victim).index && (*victim).running_lane.load(Ordering::SeqCst) as u64 != lane
    }
}

/// Before a thread is taken whose lane is this worker's already: makes it the running lane, if it still is. (Not waiting for
/// the own lock while the victim's is held: two thieves might wait for each other.)
unsafe fn keep_lane(worker: *mut Worker, victim: *mut Worker, thread: u64) -> bool {
    // SAFETY: as `is_for`.
    unsafe {
        jitter();
        let lane = (*(thread as *const Thread)).lane as u64;
        if lane == UNPLACED {
            return true;
        }
        let lane_of = (*worker).shared.lane(lane);
        if (*lane_of).owner.load(Ordering::SeqCst) as usize == (*victim).index {
            // The victim may have taken the lane from this worker since `is_for` looked, and run on it.
            return (*victim).running_lane.load(Ordering::SeqCst) as u64 != lane;
        }
        if !(*worker).lock.try_lock() {
            return false;
        }
        let mine = (*lane_of).owner.load(Ordering::SeqCst) as usize == (*worker).index;
        if mine {
            (*worker).running_lane.store(lane as u32, Ordering::SeqCst);
        }
        (*worker).lock.unlock();
        mine
    }
}

/// Goes on with a thread that is on its lane. Gives the value that its primitive returns.
#[inline(always)]
pub(crate) unsafe fn resume(tcb: *mut Tcb, worker: *mut Worker, thread: u64) -> u64 {
    // SAFETY: the thread is on its lane (T2), the lane is this worker's.
    unsafe {
        let object = thread as *mut Thread;
        let lane = (*worker).lanes.add((*object).lane as usize);
        debug_assert_eq!(((*lane).resident, (*object).state & STATE), (thread, ON_LANE), "T2");
        debug_assert!(
            !(*worker).several
                || (*lane).owner.load(Ordering::Relaxed) as usize == (*worker).index
                    && (*worker).running_lane.load(Ordering::Relaxed) == (*object).lane as u32,
            "T10"
        );
        jitter();
        if (*worker).several {
            running_several(worker, thread);
        } else {
            (*object).state = RUNNING | (*object).state & PERMIT;
        }
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

#[cold]
#[inline(never)]
unsafe fn running_several(worker: *mut Worker, thread: u64) {
    // SAFETY: the caller is about to run this thread.
    unsafe {
        trace(worker, Change::Runs, thread);
        let word = state_word(thread);
        let permit = word.load(Ordering::Relaxed) & PERMIT;
        jitter();
        if word.swap(RUNNING | permit, Ordering::AcqRel) & PERMIT != permit {
            word.store(RUNNING | PERMIT, Ordering::Relaxed);
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
