//! The thread primitives: thin joints between compiled code, the fibers and the timers.
//!
//! A function that may switch threads returns at once what the fibers' function returned: by then another thread may
//! run.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use leat_abi::figures::threads as figures;
use leat_abi::prim::Access;
use leat_abi::thread::{ENDING, STATE_MASK, State, Thread};
use leat_fiber::Ref;
use leat_fiber::reference::Cell;
use leat_fiber::word::is_blocked;

use crate::service::here::{Here, Text};
use crate::service::race;
use crate::service::system::negated;
use crate::state::runtime::{runtime, worker};
use crate::state::trace;

/// `(unit -> unit) -> thread`: made, not started.
pub fn leat_thread_new(mut here: Here, closure: u64) -> u64 {
    let mut keep = [closure];
    let thread = here.allocate(Thread::HEADER, &mut keep);
    let tcb = here.tcb();
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe {
        leat_fiber::init_thread(tcb, Ref::of(thread), Ref::of(keep[0]));
        (*worker(tcb)).threads.push(thread);
        if (*(thread as *const Thread)).id == leat_fiber::SECOND {
            prepare(&mut here);
        }
        if race::is_on() {
            race::made(tcb, thread);
        }
        thread
    }
}

/// Touches the memory that the first dozens of threads and time-outs need, so that no spawn waits for the system's
/// pages: 70 us once, instead of up to 11 us in each of the first ones.
#[cold]
fn prepare(here: &mut Here) {
    let runtime = runtime();
    runtime.fibers.prepare();
    runtime.events.prepare_timers();
    // SAFETY: the calling worker's block.
    unsafe { runtime.heap.prepare_small(here.tcb()) };
}

/// A new thread gets an OS thread of its own: 0, or a negated error number.
pub fn leat_thread_bind(mut here: Here, thread: Ref<Thread>) -> u64 {
    match here.bind(thread) {
        Ok(()) => 0,
        Err(error) => negated(error),
    }
}

/// Whether a thread has an OS thread of its own.
pub fn leat_thread_is_bound(thread: Ref<Thread>) -> bool {
    // SAFETY: a thread object.
    unsafe { leat_fiber::is_bound(thread) }
}

pub fn leat_thread_blocked(thread: Ref<Thread>) -> bool {
    // SAFETY: a thread object.
    unsafe { is_blocked(thread) }
}

pub fn leat_thread_computed(mut here: Here, thread: Ref<Thread>) -> u64 {
    // SAFETY: the calling worker's block, and a thread object.
    unsafe { runtime().fibers.computed(here.tcb(), thread) }
}

/// What the seed draws below a number; ~1 without one.
pub fn leat_thread_draw(mut here: Here, below: i64) -> i64 {
    // SAFETY: the calling worker's block.
    unsafe { leat_fiber::draw(here.tcb(), below.max(1) as u64) }.map_or(-1, |drawn| drawn as i64)
}

pub fn leat_thread_discard(mut here: Here, thread: Ref<Thread>) -> bool {
    // SAFETY: the calling worker's block, and a thread object.
    unsafe { leat_fiber::discard(here.tcb(), thread) }
}

pub fn leat_thread_ready(mut here: Here, thread: Ref<Thread>) {
    here.note_wakes(thread);
    here.ready(thread);
}

/// The ready thread that has waited longest, blocked now; the running thread when there is none.
pub fn leat_thread_take(mut here: Here) -> u64 {
    here.take_ready().some().map_or(here.current(), Ref::word)
}

pub fn leat_thread_switch(mut here: Here, thread: Ref<Thread>) -> u64 {
    here.note_wakes(thread);
    here.switch(thread)
}

pub fn leat_thread_handoff(mut here: Here, thread: Ref<Thread>) -> u64 {
    here.note_wakes(thread);
    here.handoff(thread)
}

pub fn leat_thread_park(here: Here, reason: u64) -> u64 {
    here.park(reason)
}

/// Parks: that the wait is over, and what was left, the stub sees when the thread goes on.
pub fn leat_thread_await(here: Here, reason: u64) -> u64 {
    here.park(reason)
}

pub fn leat_thread_yield(here: Here) -> u64 {
    here.yield_now()
}

/// Takes a lock of the library that is not the worker's, or waits a moment (0).
pub fn leat_lock_attempt(mut here: Here, cell: Ref<Cell>) -> bool {
    here.attempt(cell)
}

/// A short wait for another worker, in the middle of a few instructions that nobody may interrupt.
pub fn leat_thread_pause() {
    std::thread::yield_now();
}

/// Whether a thread has come to its end.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_thread_ended(thread: u64) -> u64 {
    // SAFETY: a thread object; both words may be changed by other workers at any time. The full fence is for who has
    // just stored into the thread's properties: either the thread sees that when it ends, or this sees that it ends.
    unsafe {
        let thread = thread as *mut Thread;
        fence(Ordering::SeqCst);
        let state = AtomicU8::from_ptr(&raw mut (*thread).state).load(Ordering::SeqCst);
        let stamp = AtomicU64::from_ptr(&raw mut (*thread).stamp).load(Ordering::SeqCst);
        u64::from(state & STATE_MASK == State::Dead as u8 || stamp == ENDING)
    }
}

/// Figures by number, see `abi::prim`.
pub fn leat_thread_stat(mut here: Here, which: u64) -> u64 {
    let stat = runtime().fibers.stat();
    match which {
        // Not all workers are looked at in the same moment.
        figures::ALIVE => stat.started.saturating_sub(stat.ended + runtime().lost_threads.load(Ordering::Relaxed)),
        figures::SWITCHES => stat.switches,
        figures::EVICTIONS => stat.evictions,
        figures::STEALS => stat.steals,
        figures::LANES => stat.lanes,
        figures::WORKERS => stat.workers,
        figures::PREEMPTIONS => stat.preemptions,
        figures::WANTED => runtime().options.workers as u64,
        figures::DEPTH => here.atomic_depth(),
        // SAFETY: the calling worker's block.
        figures::OTHERS => u64::from(unsafe { runtime().fibers.others_run(here.tcb()) }),
        _ => 0,
    }
}

pub fn leat_workers_set(_: Here, count: i64) -> u64 {
    if count > 1 {
        runtime().heap.keep_apart();
        runtime().events.share();
    }
    // Where address space is limited there are fewer nurseries than there may be workers.
    let most = runtime().heap.most_workers().min(leat_fiber::worker::MAX_WORKERS);
    // SAFETY: called on a worker.
    unsafe { runtime().fibers.set_workers(count.clamp(1, most as i64) as usize) };
    0
}

pub fn leat_scopes_begin(_: Here) -> u64 {
    runtime().fibers.begin_scopes();
    0
}

/// A watched program comes to a load or store of what other threads may share: races are looked for, and in
/// deterministic mode another thread may go on.
///
/// # Safety
/// Called by compiled code; the object has these elements.
pub unsafe fn leat_access(tcb: *mut leat_abi::tcb::Tcb, object: u64, first: usize, count: usize, access: u64) -> u64 {
    let access = Access::from_number(access);
    // SAFETY: as the caller says.
    unsafe {
        if race::is_on() {
            race::access(tcb, object, first, count, access);
        }
        match access {
            Access::Load | Access::Store | Access::Swap => leat_fiber::access(tcb),
            Access::Acquire | Access::Release => 0,
        }
    }
}

/// kind (0 a mark, 1 the running thread's name) * text.
pub fn leat_trace_mark(here: Here, kind: u64, text: Text) -> u64 {
    if !trace::is_on() {
        return 0;
    }
    // SAFETY: the thread that runs.
    let id = unsafe { (*(here.current() as *const Thread)).id };
    trace::mark(id, &String::from_utf8_lossy(here.bytes(&text)), kind != 0);
    0
}
