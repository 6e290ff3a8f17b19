//! Segments: stacks that nobody runs, each held by an object; the running thread changes its own for one of them, and
//! no frame is copied.
//!
//! ```text
//!             lane 1              lane 2                             lane 1              lane 2
//!  before     caller's frames     body's frames          after      caller's frames     body's frames
//!  resident   the thread          the segment     swap   resident   the segment         the thread
//! ```
//!
//! A segment is an object of the same form as a thread's, with the number 0, and no thread: it has a lane, a state
//! (new, on its lane, in the heap, dead) and pieces as a thread has, so it is evicted, restored, collected and placed
//! as one. But it is never ready, and never runs: a swap exchanges what the two objects say of their stacks. What the
//! thread is, its number, its properties, its atomic sections, stays with it.
//!
//! The label of a thread names the segment that holds what its stack stands on, whose label names the next; a swap
//! exchanges these, too. So a thread's frames go on in the segments of that chain, and a chain that was swapped out is
//! a ring.
//!
//! Who swaps has the segment to himself: `lib/basis/prompt.sml` sees to that. But the owner of its lane may evict it at
//! any time. So when that is another worker, it is asked for the lane, and the caller tries again. A segment in the
//! heap changes no more; if its lane is another worker's, the thread goes there, as with [`crate::throw`].
//!
//! After the one-shot continuations of Bruggeman, Waddell and Dybvig, Representing control in the presence of one-shot
//! continuations, PLDI 1996. The usual case of a swap is in the stub `leat_segment_swap_stub`.

use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, State, Thread};

use crate::base::queue::barrier;
use crate::base::reference::{Closure, NONE, Object, Ref};
use crate::base::worker::{UNPLACED, Worker, worker_of};
use crate::run::place::{NO_LANE_LEFT, bring, forget_marker, place_and_resume, remove};
use crate::run::switch::next;
use crate::thread::resume::{leave_value, load, take_value};
use crate::thread::word::{
    DEAD, IN_HEAP, ON_LANE, QUEUED, READIED, RUNNING, SPENT, STATE, current, is_own, lane_of, set_lane, set_state,
    state_of,
};
use crate::workers::post::{self, Reach, keeps};

/// What a primitive gives that could not do anything: the first constructor without argument of the library's datatype.
const WAIT: u64 = 1;

/// Fills a segment that was just allocated; it holds a stack on which nothing has run yet, and will call `closure`.
///
/// # Safety
/// `segment` is the payload of an object with [`Thread::HEADER`], `closure` a closure of type unit -> unit that does not return,
/// `props` an object; none has been moved since.
pub unsafe fn init_segment(segment: Ref<Thread>, closure: Ref<Closure>, props: Ref<Object>) {
    // A ring of one.
    let label = segment.word();
    // SAFETY: the caller's promise.
    unsafe { segment.as_ptr().write(Thread { props: props.word(), label, ..Thread::new(0, closure.word()) }) }
}

/// Fills a segment that was just allocated with the stack of a frozen one.
///
/// # Safety
/// As [`init_segment`]; `frozen` is a segment for which [`freeze`] has given true.
pub unsafe fn init_copy(segment: Ref<Thread>, frozen: Ref<Thread>) {
    // SAFETY: the caller's promise; the segment is in the heap.
    unsafe {
        let of = frozen.as_ptr();
        segment.as_ptr().write(Thread {
            state: State::InHeap as u8,
            lane: (*of).lane,
            stack: (*of).stack,
            props: (*of).props,
            ..Thread::new(0, NONE)
        });
    }
}

/// The running thread goes on with the stack that the segment holds, and the segment holds the thread's own. What the
/// swap that had left that stack gives: the value. Gives [`WAIT`], and has done nothing, when the stack cannot be had
/// yet.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called, which returns the result at once; the segment holds
/// a stack, and nobody else uses it; the value is a reference or an immediate.
pub unsafe fn swap(tcb: *mut Tcb, segment: Ref<Thread>, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let reach = leave(tcb, worker, segment, value);
        if reach == Reach::Asked {
            return WAIT;
        }
        let thread = current(tcb);
        if reach == Reach::Elsewhere {
            let running = lane_of(thread);
            let state = state_of(thread);
            exchange(tcb, thread, segment);
            (*shared.lane(running)).resident = segment;
            set_state(segment, ON_LANE);
            let there = lane_of(segment);
            set_lane(segment, running);
            return go_there(tcb, worker, thread, there, state);
        }
        let segment = have_placed(tcb, worker, segment);
        let thread = current(tcb);
        if (*segment.as_ptr()).start != NONE {
            // It begins with its closure, and nobody waits for the value.
            (*thread.as_ptr()).start = std::mem::replace(&mut (*segment.as_ptr()).start, NONE);
        }
        let (running, held) = (lane_of(thread), lane_of(segment));
        let state = state_of(thread);
        exchange(tcb, thread, segment);
        if state & STATE == IN_HEAP {
            // It had to make place: both have the same lane.
            set_state(segment, IN_HEAP);
        } else {
            (*shared.lane(running)).resident = segment;
            set_state(segment, ON_LANE);
        }
        set_lane(segment, running);
        stand_on(tcb, worker, thread, held, state)
    }
}

/// As [`swap`], but the running thread's frames are given up, and the segment is dead.
///
/// # Safety
/// As [`swap`].
pub unsafe fn end(tcb: *mut Tcb, segment: Ref<Thread>, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let reach = leave(tcb, worker, segment, value);
        if reach == Reach::Asked {
            return WAIT;
        }
        let thread = current(tcb);
        if reach == Reach::Elsewhere {
            let state = state_of(thread);
            shared.free_lane(worker, lane_of(thread));
            let there = inherit(tcb, thread, segment);
            return go_there(tcb, worker, thread, there, state);
        }
        let running = lane_of(thread);
        let segment = if lane_of(segment) == running {
            // Nobody has to make place, so nothing is collected from here on.
            let lane = shared.lane(running);
            forget_marker(shared, lane, running);
            (*lane).resident = Ref::NONE;
            have_placed(tcb, worker, segment)
        } else {
            let segment = have_placed(tcb, worker, segment);
            shared.free_lane(worker, running);
            segment
        };
        let thread = current(tcb);
        let state = state_of(thread);
        let held = inherit(tcb, thread, segment);
        stand_on(tcb, worker, thread, held, state)
    }
}

/// Moves the stack that the segment holds to the heap, in pieces that [`init_copy`] may share. False: it cannot be had
/// yet.
///
/// # Safety
/// As [`swap`].
pub unsafe fn freeze(tcb: *mut Tcb, segment: Ref<Thread>) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if reach(worker, segment) == Reach::Asked {
            return false;
        }
        (*shared.lane(lane_of(current(tcb)))).save(tcb);
        (*worker).hand = segment;
        while state_of((*worker).hand) & STATE == ON_LANE {
            let index = lane_of((*worker).hand);
            if let Err(bytes) = remove(tcb, worker, index) {
                shared.host.collect(tcb, bytes);
            }
        }
        let segment = std::mem::replace(&mut (*worker).hand, Ref::NONE);
        let piece = (*segment.as_ptr()).stack;
        if piece != NONE {
            (*(piece as *mut StackPiece)).share();
        }
        true
    }
}

/// The running thread is about to go on with the segment's stack, with this value: saves where it is, unless the
/// segment cannot be had yet.
unsafe fn leave(tcb: *mut Tcb, worker: *mut Worker, segment: Ref<Thread>, value: u64) -> Reach {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        let reach = reach(worker, segment);
        if reach != Reach::Asked {
            let thread = current(tcb);
            (*shared.lane(lane_of(thread))).save(tcb);
            leave_value(thread, value);
            barrier(shared.host, tcb, thread);
        }
        reach
    }
}

/// Where a segment is found: one that has no lane yet is anybody's.
unsafe fn reach(worker: *mut Worker, segment: Ref<Thread>) -> Reach {
    // SAFETY: as the callers.
    unsafe {
        if lane_of(segment) == UNPLACED || is_own(worker, segment) { Reach::Here } else { post::reach(worker, segment) }
    }
}

/// Brings what the segment holds onto its lane, which is this worker's; a new one gets a lane first. The thread that
/// runs, whose frames are saved, may have to make place: then it is in the heap.
unsafe fn have_placed(tcb: *mut Tcb, worker: *mut Worker, segment: Ref<Thread>) -> Ref<Thread> {
    // SAFETY: as the callers. Until its frames are copied away the running thread is one to the collector, and then
    // nothing is allocated any more.
    unsafe {
        (*worker).hand = segment;
        while state_of((*worker).hand) & STATE != ON_LANE {
            match bring(tcb, worker) {
                Ok(()) => {}
                // Both use the thread's.
                Err(NO_LANE_LEFT) => set_lane((*worker).hand, lane_of(current(tcb))),
                Err(bytes) => (*worker).shared.host.collect(tcb, bytes),
            }
        }
        std::mem::replace(&mut (*worker).hand, Ref::NONE)
    }
}

/// Exchanges what is known of the frames besides their lane.
unsafe fn exchange(tcb: *mut Tcb, thread: Ref<Thread>, segment: Ref<Thread>) {
    // SAFETY: as the callers: two objects.
    unsafe {
        let (a, b) = (&mut *thread.as_ptr(), &mut *segment.as_ptr());
        std::mem::swap(&mut a.stack, &mut b.stack);
        std::mem::swap(&mut a.label, &mut b.label);
        let host = (*worker_of(tcb)).shared.host;
        barrier(host, tcb, thread);
        barrier(host, tcb, segment);
    }
}

/// The thread, which has no frames any more, gets those of the segment, which dies. Gives their lane.
unsafe fn inherit(tcb: *mut Tcb, thread: Ref<Thread>, segment: Ref<Thread>) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        (*thread.as_ptr()).stack = NONE;
        exchange(tcb, thread, segment);
        (*segment.as_ptr()).label = NONE;
        set_state(segment, DEAD);
        lane_of(segment)
    }
}

/// The running thread goes on with the frames on this lane of its worker, its word being `state` so far.
unsafe fn stand_on(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>, lane: u64, state: u8) -> u64 {
    // SAFETY: as the callers.
    unsafe {
        set_lane(thread, lane);
        set_state(thread, state & !STATE | RUNNING);
        let lane = (*worker).shared.lane(lane);
        (*lane).resident = thread;
        load(tcb, lane);
        let value = take_value(thread.as_ptr());
        (*tcb).resume_value = value;
        value
    }
}

/// The running thread, whose frames are in pieces of another worker's lane now, goes there, its word being `state` so
/// far.
unsafe fn go_there(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>, lane: u64, state: u8) -> u64 {
    // SAFETY: as the callers; the lane is named last, since its owner may act from then on.
    unsafe {
        (*thread.as_ptr()).atomic_depth = (*tcb).atomic_depth as u32;
        set_state(thread, state & !(STATE | SPENT) | IN_HEAP | QUEUED | READIED);
        set_lane(thread, lane);
        if is_own(worker, thread) {
            return place_and_resume(tcb, worker, thread).unwrap_or_else(|| next(tcb, worker));
        }
        (*tcb).current = NONE;
        if keeps(tcb, worker, thread) {
            (*worker).queue.push_front((*worker).shared.host, tcb, thread);
        }
        next(tcb, worker)
    }
}
