//! How many threads stand on a worker's lanes, and whether one of its lanes may go to another worker.
//!
//! A thread that has run belongs to its lane, so a worker that gives a lane away gives all threads that stand on it.
//! Those of them that are ready stand in the queue of the worker that had the lane: each is sent on when its turn
//! comes. That is little for the few threads of most lanes. But a program with a million threads has thousands on each;
//! an idle worker that asks for work would have all lanes before it has the threads, and then the other one would be
//! idle and ask for them. (Two workers took up to thirteen times the processor time of one for a tree of two million
//! threads.)
//!
//! So a lane with more than [`FEW`] threads goes to an idle worker only if that one has no more threads then than the
//! worker that gives it, so that each such move makes the two more alike; or else after a rest in which sending its
//! threads on is a small part of the work: the threads of the other may all be waiting. With a thread that computes, a
//! lane goes always, for such a thread is alone in keeping the worker busy.

use leat_abi::thread::Thread;

use crate::base::atomic::{Ordering, ticks};
use crate::base::reference::Ref;
use crate::base::worker::{UNPLACED, Worker};
use crate::thread::word::{SPENT, lane_of, state_of};

/// A lane with so many threads goes wherever it is asked for.
const FEW: u32 = 8;
/// Ticks of rest for each thread that went with a lane to a worker that had more threads. To send one on takes about a
/// tick.
const REST: u64 = 16;
/// Ticks for which a worker that had only threads that stay is not asked again.
const REFUSAL: u64 = 200;

/// A new thread has got this lane of the worker.
pub(crate) unsafe fn comes(worker: *mut Worker, lane: u64) {
    // SAFETY: the caller is the worker, and the lane its own.
    unsafe {
        let threads = &(*(*worker).shared.lane(lane)).threads;
        threads.store(threads.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
        let placed = &(*worker).load.placed;
        placed.store(placed.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

/// A thread of this lane of the worker, or of none, has ended.
pub(crate) unsafe fn goes(worker: *mut Worker, lane: u64) {
    if lane == UNPLACED {
        return;
    }
    // SAFETY: as `comes`.
    unsafe {
        let threads = &(*(*worker).shared.lane(lane)).threads;
        // A segment is no thread, but may have ended as one.
        threads.store(threads.load(Ordering::Relaxed).saturating_sub(1), Ordering::Relaxed);
        let placed = &(*worker).load.placed;
        placed.store(placed.load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
    }
}

/// The lane changes its worker.
pub(crate) unsafe fn moves(from: *mut Worker, to: *mut Worker, lane: u64) {
    // SAFETY: the caller may give the lane away; workers live as long as the program.
    unsafe {
        let threads = u64::from((*(*from).shared.lane(lane)).threads.load(Ordering::Relaxed));
        (*from).load.brought.fetch_add(threads.wrapping_neg(), Ordering::Relaxed);
        (*to).load.brought.fetch_add(threads, Ordering::Relaxed);
    }
}

/// How many threads stand on the worker's lanes, about.
pub(crate) unsafe fn threads(worker: *mut Worker) -> i64 {
    // SAFETY: workers live as long as the program; these are atomics.
    unsafe {
        let (placed, brought) = (&(*worker).load.placed, &(*worker).load.brought);
        placed.load(Ordering::Relaxed).wrapping_add(brought.load(Ordering::Relaxed)) as i64
    }
}

/// Whether a lane with so many threads goes without a rest: they are few, or the two workers are more alike then.
unsafe fn goes_by_itself(from: *mut Worker, to: *mut Worker, on_lane: u32) -> bool {
    // SAFETY: as `threads`.
    unsafe { on_lane <= FEW || threads(to) + 2 * i64::from(on_lane) <= threads(from) }
}

/// Whether a thread with a lane may go from one worker to another one that asks. Any worker.
pub(crate) unsafe fn may_go(from: *mut Worker, to: *mut Worker, thread: Ref<Thread>) -> bool {
    // SAFETY: as `threads`; the caller has a thread object.
    unsafe {
        let lane = lane_of(thread);
        if lane == UNPLACED || state_of(thread) & SPENT != 0 {
            return true;
        }
        let on_lane = (*(*from).shared.lane(lane)).threads.load(Ordering::Relaxed);
        goes_by_itself(from, to, on_lane) || ticks() >= (*from).load.rest.load(Ordering::Relaxed)
    }
}

/// A thread that [`may_go`] goes: whether others may follow it, which does not go by itself.
pub(crate) unsafe fn note_going(from: *mut Worker, to: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: as `may_go`.
    unsafe {
        let lane = lane_of(thread);
        if lane == UNPLACED {
            return;
        }
        let on_lane = (*(*from).shared.lane(lane)).threads.load(Ordering::Relaxed);
        if !goes_by_itself(from, to, on_lane) {
            (*from).load.rest.store(ticks() + REST * u64::from(on_lane), Ordering::Relaxed);
        }
    }
}

/// The worker has been asked, and what it could give stays.
pub(crate) unsafe fn refuse(worker: *mut Worker) {
    // SAFETY: as `threads`.
    unsafe { (*worker).load.refused.store(ticks() + REFUSAL, Ordering::Relaxed) }
}

/// Whether it is worth while to ask the worker.
pub(crate) unsafe fn may_give(worker: *mut Worker) -> bool {
    // SAFETY: as `threads`.
    unsafe { ticks() >= (*worker).load.refused.load(Ordering::Relaxed) }
}
