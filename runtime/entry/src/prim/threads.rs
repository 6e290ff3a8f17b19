//! The thread primitives: thin joints between compiled code, the fibers and the timers.
//!
//! A function that may switch threads returns at once what the fibers' function returned: by then another thread may run.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use leat_abi::figures::threads as figures;
use leat_abi::prim::Access;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{ENDING, STATE_MASK, State, Thread};
use leat_fiber::Ref;

use crate::service::alloc::allocate;
use crate::service::system::negated;
use crate::service::{objects, race};
use crate::state::runtime::{runtime, worker};
use crate::state::trace;

/// `(unit -> unit) -> thread`: made, not started.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_new(tcb: *mut Tcb, closure: u64) -> u64 {
    let mut keep = [closure];
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe {
        let thread = allocate(tcb, Thread::HEADER, &mut keep);
        leat_fiber::init_thread(tcb, Ref::of(thread), Ref::of(keep[0]));
        (*worker(tcb)).threads.push(thread);
        if (*(thread as *const Thread)).id == leat_fiber::SECOND {
            prepare(tcb);
        }
        if race::is_on() {
            race::made(tcb, thread);
        }
        thread
    }
}

/// Touches the memory that the first dozens of threads and time-outs need, so that no spawn waits for the system's pages:
/// 70 us once, instead of up to 11 us in each of the first ones.
///
/// # Safety
/// `tcb` is the calling worker's block.
#[cold]
unsafe fn prepare(tcb: *mut Tcb) {
    let runtime = runtime();
    runtime.fibers.prepare();
    runtime.events.prepare_timers();
    // SAFETY: as the caller says.
    unsafe { runtime.heap.prepare_small(tcb) };
}

/// A new thread gets an OS thread of its own: 0, or a negated error number.
///
/// # Safety
/// Called by compiled code, with a thread that nobody else knows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_bind(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    match unsafe { leat_fiber::bind(tcb, Ref::of(thread)) } {
        Ok(()) => 0,
        Err(error) => negated(error),
    }
}

/// Whether a thread has an OS thread of its own.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_is_bound(thread: u64) -> u64 {
    // SAFETY: as the caller says.
    u64::from(unsafe { leat_fiber::is_bound(Ref::of(thread)) })
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_ready(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if race::is_on() {
            race::wakes(tcb, thread);
        }
        leat_fiber::ready(tcb, Ref::of(thread));
    }
    0
}

/// The ready thread that has waited longest, blocked now; the running thread when there is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_take(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::take_ready(tcb).some().map_or((*tcb).current, Ref::word) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_switch(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if race::is_on() {
            race::wakes(tcb, thread);
        }
        leat_fiber::switch(tcb, Ref::of(thread))
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_handoff(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        if race::is_on() {
            race::wakes(tcb, thread);
        }
        leat_fiber::handoff(tcb, Ref::of(thread))
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_park(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::park(tcb, reason) }
}

/// Parks: that the wait is over, and what was left, the stub sees when the thread goes on.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_await(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::park(tcb, reason) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_yield(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::yield_now(tcb) }
}

/// Takes a lock of the library that is not the worker's, or waits a moment (0).
///
/// # Safety
/// Called by compiled code in an atomic section; `cell` is an int ref.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_lock_attempt(tcb: *mut Tcb, cell: u64) -> u64 {
    // SAFETY: the caller's promise.
    u64::from(unsafe { leat_fiber::attempt(tcb, Ref::of(cell)) })
}

/// A short wait for another worker, in the middle of a few instructions that nobody may interrupt.
#[unsafe(no_mangle)]
pub extern "C" fn leat_thread_pause() {
    std::thread::yield_now();
}

/// Whether a thread has come to its end.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_ended(thread: u64) -> u64 {
    // SAFETY: a thread object; both words may be changed by other workers at any time. The full fence is for who has just
    // stored into the thread's properties: either the thread sees that when it ends, or this sees that it ends.
    unsafe {
        let thread = thread as *mut Thread;
        fence(Ordering::SeqCst);
        let state = AtomicU8::from_ptr(&raw mut (*thread).state).load(Ordering::SeqCst);
        let stamp = AtomicU64::from_ptr(&raw mut (*thread).stamp).load(Ordering::SeqCst);
        u64::from(state & STATE_MASK == State::Dead as u8 || stamp == ENDING)
    }
}

/// Figures by number, see `abi::prim`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_stat(tcb: *mut Tcb, which: u64) -> u64 {
    let stat = runtime().fibers.stat();
    match which {
        figures::ALIVE => stat.started - stat.ended,
        figures::SWITCHES => stat.switches,
        figures::EVICTIONS => stat.evictions,
        figures::STEALS => stat.steals,
        figures::LANES => stat.lanes,
        figures::WORKERS => stat.workers,
        figures::PREEMPTIONS => stat.preemptions,
        figures::WANTED => runtime().options.workers as u64,
        // SAFETY: the calling worker's block.
        figures::DEPTH => unsafe { (*tcb).atomic_depth },
        // SAFETY: as above.
        figures::OTHERS => u64::from(unsafe { runtime().fibers.others_run(tcb) }),
        _ => 0,
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_workers_set(_tcb: *mut Tcb, count: i64) -> u64 {
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

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_scopes_begin(_tcb: *mut Tcb) -> u64 {
    runtime().fibers.begin_scopes();
    0
}

/// A watched program comes to a load or store of what other threads may share: races are looked for, and in deterministic mode
/// another thread may go on.
///
/// # Safety
/// Called by compiled code; the object has these elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_access(tcb: *mut Tcb, object: u64, first: usize, count: usize, access: u64) -> u64 {
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
///
/// # Safety
/// Called by compiled code, with a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_trace_mark(tcb: *mut Tcb, kind: u64, text: u64) -> u64 {
    if !trace::is_on() {
        return 0;
    }
    // SAFETY: as the caller says; nothing collects here.
    let (text, id) = unsafe { (objects::text(text), (*((*tcb).current as *const Thread)).id) };
    trace::mark(id, &text, kind != 0);
    0
}
