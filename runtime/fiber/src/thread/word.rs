//! The word of a thread: its state and flags; and its lane, which says whose the word is.
//!
//! ```text
//!  low bits of Thread::state: New, Running, OnLane, InHeap, Dead (leat_abi::thread)
//!  QUEUED    stands in a ready queue: runs when its turn comes
//!  READIED   put there by `ready`, not by a yield: a second `ready` is the same wake-up and does nothing
//!  PERMIT    `ready` came while it was running or yielding: its next park returns at once
//!  SPENT     has run for long without stopping of its own accord: see turns
//!  BOUND     always runs on one OS thread: see bound. Set before others know the thread, and never cleared
//! ```
//!
//! The word, like the queue and the lane, is private to the worker that owns the thread's lane, so nothing here is
//! locked: what another worker wants of a thread comes as a letter ([`crate::workers::post`]). Only a thread that has
//! no lane yet is anybody's; who changes NEW to something else by compare-and-swap has it.

use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};

use crate::base::atomic::{AtomicU8, AtomicU16, Ordering};
use crate::base::host::Change;
use crate::base::reference::Ref;
use crate::base::worker::{AWAY, UNPLACED, Worker};

/// Flags above the state in `Thread::state`.
pub const QUEUED: u8 = 1 << 3;
pub const READIED: u8 = 1 << 4;
pub const PERMIT: u8 = 1 << 5;
pub const SPENT: u8 = 1 << 6;
pub const BOUND: u8 = 1 << 7;
pub(crate) const STATE: u8 = STATE_MASK;

pub(crate) const NEW: u8 = State::New as u8;
pub(crate) const RUNNING: u8 = State::Running as u8;
pub(crate) const ON_LANE: u8 = State::OnLane as u8;
pub(crate) const IN_HEAP: u8 = State::InHeap as u8;
pub(crate) const DEAD: u8 = State::Dead as u8;

/// The thread that a block's worker runs, or none.
#[inline(always)]
pub(crate) unsafe fn current(tcb: *const Tcb) -> Ref<Thread> {
    // SAFETY: the caller has a block.
    Ref::of(unsafe { (*tcb).current })
}

/// What a wake-up does to a thread's word: true when the thread is ready now, and the caller is to queue it.
#[inline(always)]
pub(crate) unsafe fn wake_up(worker: *mut Worker, thread: Ref<Thread>) -> bool {
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

/// What a hand-off does to its target's word: true when the target was blocked, and is the caller's to run. One that
/// runs gets a permit; one that is ready runs when its turn comes.
#[inline(always)]
pub(crate) unsafe fn claim(thread: Ref<Thread>) -> bool {
    // SAFETY: as `wake_up`.
    unsafe {
        let state = state_of(thread);
        let blocked = is_blocked_word(state);
        if blocked {
            set_state(thread, state | QUEUED | READIED);
        } else if state & STATE == RUNNING {
            set_state(thread, state | PERMIT);
        }
        blocked
    }
}

/// Whether a thread's lane is this worker's. If so it stays that; if not, it may become that at any time.
#[inline(always)]
pub(crate) unsafe fn is_own(worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: the caller has a thread object; a number below UNPLACED is a lane's.
    unsafe {
        let lane = lane_of(thread);
        // Once more: the thread may have left that lane before its owner gave it to this worker.
        lane != UNPLACED
            && (*(*worker).lanes.add(lane as usize)).owner.load(Ordering::Acquire) as usize == (*worker).index
            && lane_of(thread) == lane
    }
}

/// Whether the worker is at the carrier of this bound thread, or of another one of its lane: then the lane stays its
/// own (T17). Another worker that got the thread would wait at the carrier until this one leaves. For the worker, or
/// who holds its lock while it is outside.
#[inline(always)]
pub(crate) unsafe fn is_at(worker: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: a carrier that a worker is at lives; its thread is an object, or none when it is dead.
    unsafe {
        (*worker).watched & AWAY != 0
            && (*(*worker).carrier).thread().some().is_some_and(|own| lane_of(own) == lane_of(thread))
    }
}

/// The number of a thread's lane, or [`UNPLACED`].
#[inline(always)]
pub(crate) unsafe fn lane_of(thread: Ref<Thread>) -> u64 {
    // SAFETY: the caller has a thread object; the field is aligned.
    unsafe { AtomicU16::from_ptr(&raw mut (*thread.as_ptr()).lane).load(Ordering::Acquire) as u64 }
}

/// The thread belongs to this lane from here on: what was stored before is visible to the lane's owner.
#[inline(always)]
pub(crate) unsafe fn set_lane(thread: Ref<Thread>, lane: u64) {
    // SAFETY: as `lane_of`.
    unsafe { AtomicU16::from_ptr(&raw mut (*thread.as_ptr()).lane).store(lane as u16, Ordering::Release) }
}

/// The state word of a thread, and sets it. For its owner; others may read what is of no meaning to them.
#[inline(always)]
pub(crate) unsafe fn state_of(thread: Ref<Thread>) -> u8 {
    // SAFETY: the caller has a thread object.
    unsafe { state_word(thread).load(Ordering::Relaxed) }
}

#[inline(always)]
pub(crate) unsafe fn set_state(thread: Ref<Thread>, state: u8) {
    // SAFETY: as above. A new thread's first lane stands before its state: see `ready`.
    unsafe { state_word(thread).store(state, Ordering::Release) }
}

/// Whether a thread is blocked; the next moment it may be otherwise.
///
/// # Safety
/// A thread object.
pub unsafe fn is_blocked(thread: Ref<Thread>) -> bool {
    // SAFETY: the caller's promise.
    is_blocked_word(unsafe { state_of(thread) })
}

/// The word is that of a blocked thread: it stands in no queue, and has no wake-up to come.
#[inline(always)]
pub(crate) fn is_blocked_word(state: u8) -> bool {
    matches!(state & !BOUND, ON_LANE | IN_HEAP)
}

/// Tells of a change of a thread, in a program that is traced. Before a thread can be seen to have stopped, and after
/// it can be seen to go on: so the changes of a thread are told of in their order.
#[inline(always)]
pub(crate) unsafe fn trace(worker: *mut Worker, change: Change, thread: Ref<Thread>) {
    // SAFETY: the caller is the worker, and has a thread object.
    unsafe {
        let shared = (*worker).shared;
        if shared.traced.load(Ordering::Relaxed) {
            shared.host.changed((*worker).index, change, thread.as_ptr());
        }
    }
}

/// The state word of a thread.
#[inline(always)]
pub(crate) unsafe fn state_word<'a>(thread: Ref<Thread>) -> &'a AtomicU8 {
    // SAFETY: the caller has a thread object; the word is aligned.
    unsafe { AtomicU8::from_ptr(&raw mut (*thread.as_ptr()).state) }
}
