//! A thread stops and goes on, its frames being on its lane: what is stored, what is loaded, and what its primitive
//! returns.

use std::sync::atomic::Ordering;

use leat_abi::tcb::{STACK_STOP, Tcb};
use leat_abi::thread::Thread;

use crate::base::host::Change;
use crate::base::jitter::jitter;
use crate::base::lane::Lane;
use crate::base::queue::barrier;
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{Worker, count, worker_of};
use crate::thread::word::{BOUND, ON_LANE, PERMIT, RUNNING, SPENT, STATE, current, set_state, state_of, trace};

/// Stores what is needed to resume the running thread.
#[inline(always)]
pub(crate) unsafe fn save(tcb: *mut Tcb, worker: *mut Worker) -> *mut Thread {
    // SAFETY: the stub has stored these, and current is a thread object.
    unsafe {
        let thread = current(tcb).as_ptr();
        (*(*worker).lanes.add((*thread).lane as usize)).save(tcb);
        (*thread).atomic_depth = (*tcb).atomic_depth as u32;
        barrier((*worker).shared.host, tcb, Ref::from_ptr(thread));
        thread
    }
}

/// Goes on with a thread that is on its lane. Gives the value that its primitive returns.
#[inline(always)]
pub(crate) unsafe fn resume(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> u64 {
    // SAFETY: the thread is on its lane (T2), the lane is this worker's.
    unsafe {
        let object = thread.as_ptr();
        let lane = (*worker).lanes.add((*object).lane as usize);
        debug_assert_eq!(((*lane).resident, state_of(thread) & STATE), (thread, ON_LANE), "T2");
        debug_assert_eq!((*lane).owner.load(Ordering::Relaxed) as usize, (*worker).index, "T10");
        jitter();
        trace(worker, Change::Runs, thread);
        set_state(thread, RUNNING | state_of(thread) & (PERMIT | SPENT | BOUND));
        (*tcb).current = thread.word();
        (*tcb).atomic_depth = (*object).atomic_depth as u64;
        load(tcb, lane);
        count(&(*worker).counters.switches);
        let value = take_value(object);
        (*tcb).resume_value = value;
        value
    }
}

/// The stub that called goes on with the frames on this lane.
#[inline(always)]
pub(crate) unsafe fn load(tcb: *mut Tcb, lane: *mut Lane) {
    // SAFETY: the callers have a lane on which a stack stands.
    unsafe {
        let worker = worker_of(tcb);
        ((*worker).lane_before, (*worker).lane_now) = ((*worker).lane_now, lane);
        (*tcb).saved_sp = (*lane).sp;
        (*tcb).saved_fp = (*lane).fp;
        (*tcb).stack_limit.store((*lane).limit, Ordering::Relaxed);
        if (*tcb).poll.load(Ordering::Relaxed) != 0 {
            (*tcb).stack_limit.store(STACK_STOP, Ordering::Relaxed);
        }
    }
}

/// What a thread's primitive is to return, which is a reference or an immediate.
pub(crate) unsafe fn leave_value(thread: Ref<Thread>, value: u64) {
    // An immediate is left as any number is: the word itself would be taken for one.
    // SAFETY: a thread object.
    unsafe { (*thread.as_ptr()).start = if value & 1 == 0 { value } else { value << 1 | 1 } }
}

/// What a blocked thread's primitive is to return, instead of 0, when it is made ready.
///
/// # Safety
/// `thread` is a thread object that has been started; the caller is a worker, and makes it ready next.
pub unsafe fn set_value(thread: Ref<Thread>, value: i64) {
    // An immediate: the field is a reference.
    // SAFETY: the caller's promise.
    unsafe { (*thread.as_ptr()).start = (value << 1 | 1) as u64 }
}

/// What the running thread has been told by [`set_value`], or 0.
///
/// # Safety
/// `tcb` is the calling worker's, and runs a thread.
pub unsafe fn take_own_value(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { take_value(current(tcb).as_ptr()) }
}

/// What the thread's blocking primitive returns; what a new thread calls, or was thrown to an old one.
#[inline(always)]
pub(crate) unsafe fn take_value(thread: *mut Thread) -> u64 {
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
