//! Safepoints: what the running thread's worker does where compiled code asks for one.
//!
//! Keeps: T8 no time slice ends while `atomic_depth` is above 0: the bit stays set and `poll` too, so that the end of
//! the atomic section comes here.

use std::sync::atomic::{AtomicBool, Ordering};

use leat_abi::tcb::{STACK_STOP, Tcb};

use crate::base::lane::Lane;
use crate::base::processor;
use crate::base::worker::{Worker, count, worker_of};
use crate::run::switch::{give_way, yield_now};
use crate::thread::word::{BOUND, SPENT, current, state_of};
use crate::workers::bound::depart;
use crate::workers::fold::goes_home;
use crate::workers::post;
use crate::workers::request::{DUE, LETTER, SLICE, SOLE, STOP, TICK, is_asked};
use crate::workers::sole;
use crate::workers::turns::{Verdict, note, verdict};

/// No safepoint counts, and the running thread goes on: a debugger has SML code look at it.
static HELD: AtomicBool = AtomicBool::new(false);

/// From now on the running thread goes on whatever happens, or no longer. Of use with one worker only.
pub fn hold(on: bool) {
    HELD.store(on, Ordering::Relaxed);
}

/// Whether the running thread goes on whatever happens.
pub fn is_held() -> bool {
    HELD.load(Ordering::Relaxed)
}

/// A safepoint: what `leat_poll` does, and `leat_gc` and `leat_stack_check` before they return. Serves whoever asked
/// for one; may switch threads. Gives the value of the thread that runs now (of no use to a stub that keeps all
/// registers).
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called; it returns the result at once.
pub unsafe fn poll(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        (*tcb).poll.store((*worker).chance.is_some() as u64, Ordering::SeqCst);
        restore_limits(tcb, worker);
        if HELD.load(Ordering::Relaxed) {
            return 0;
        }
        let mut bits = (*worker).request.swap(0, Ordering::SeqCst);
        if let Some(chance) = &mut (*worker).chance
            && chance.ends_slice()
        {
            bits |= SLICE;
        }
        if bits & STOP != 0 {
            let mut is_late = false;
            let rests = {
                // Not held any more below: `depart` may not come back.
                let mut state = shared.stop.lock();
                if (*tcb).atomic_depth == 0 {
                    sole::ends(worker, &mut state);
                }
                is_late |= sole::is(worker, &state);
                if state.stopping {
                    state = sole::pass(worker, state);
                }
                // A fork waits for the end of the atomic section (T21).
                is_late |= state.forking;
                state.forking && (*tcb).atomic_depth == 0 && !current(tcb).is_none()
            };
            if shared.over.load(Ordering::SeqCst) {
                return depart(tcb);
            }
            // The limit may belong to another nursery now.
            restore_limits(tcb, worker);
            bits |= (*worker).request.swap(0, Ordering::SeqCst) & !STOP;
            if is_late {
                // The one that waits goes on after the atomic section (T20).
                ask_again(tcb, worker, STOP);
            }
            if rests {
                // Between two threads it meets the request again.
                ask_again(tcb, worker, bits & !STOP);
                let is_spent = state_of(current(tcb)) & SPENT != 0;
                return give_way(tcb, worker, if is_spent { Verdict::SpentFront } else { Verdict::First });
            }
        }
        if bits != 0 {
            (*worker).processor.store(processor::here(), Ordering::Relaxed);
        }
        if bits & LETTER != 0 {
            if (*tcb).atomic_depth > 0 {
                ask_again(tcb, worker, LETTER);
            } else {
                post::serve(tcb, worker);
            }
        }
        if (*tcb).atomic_depth > 0 {
            if bits & (SLICE | TICK | DUE | SOLE) != 0 {
                ask_again(tcb, worker, bits & (SLICE | TICK | DUE | SOLE));
            }
            return 0;
        }
        if bits & SOLE != 0 && (*worker).shared.fold.is_home((*worker).index) {
            sole::begins(worker);
        }
        if bits & (SLICE | TICK | DUE) != 0 {
            count(&(*worker).counters.looks);
            shared.host.events(tcb, false);
            if let Some(value) = shared.host.cancel(tcb) {
                return value;
            }
        }
        if (*worker).chance.is_none() {
            return at_safepoint(tcb, worker, bits);
        }
        if bits & SLICE != 0 {
            count(&(*worker).counters.preemptions);
            note(tcb, worker, processor::time(), true);
            return yield_now(tcb);
        }
        0
    }
}

/// [`poll`] for a function's entry, whose stack pointer was below the limit. In deterministic mode that is no point at which a
/// slice may end, unless one was asked for: whether the limit is met depends on how deep the stack has been, also under
/// a debugger that has looked at something.
///
/// # Safety
/// As [`poll`].
pub unsafe fn poll_at_entry(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        if (*worker).chance.is_some() && !is_asked(tcb) {
            restore_limits(tcb, worker);
            return 0;
        }
        poll(tcb)
    }
}

/// What is left open is decided: a number below `n`, which is above 0, drawn by the seed. None without one, or where a
/// debugger has SML code look at a thread.
///
/// # Safety
/// The calling worker's block.
pub unsafe fn draw(tcb: *mut Tcb, n: u64) -> Option<u64> {
    if is_held() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { (*worker_of(tcb)).chance.as_mut().map(|chance| chance.below(n)) }
}

/// An access of what other threads may share comes next: another thread may go on instead. Otherwise as [`poll`].
///
/// # Safety
/// As [`poll`].
pub unsafe fn access(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let Some(chance) = &(*worker).chance else { return 0 };
        chance.count_access();
        poll(tcb)
    }
}

/// At a safepoint outside of atomic sections, events and letters being served: whether the running thread gives way,
/// and goes on with the next one if so. `bits` are those of the request.
#[cold]
unsafe fn at_safepoint(tcb: *mut Tcb, worker: *mut Worker, bits: u32) -> u64 {
    // SAFETY: the caller is the worker, and runs a thread.
    unsafe {
        if current(tcb).is_none() {
            return 0;
        }
        let is_spent = state_of(current(tcb)) & SPENT != 0;
        let mut verdict = verdict(tcb, worker, is_spent, bits);
        if verdict == Verdict::GoesOn {
            let fold = &(*worker).shared.fold;
            let leaves = !is_spent
                && fold.is_elsewhere((*worker).index)
                && state_of(current(tcb)) & BOUND == 0
                && goes_home(worker).is_some();
            if !leaves {
                return 0;
            }
            verdict = Verdict::First;
        }
        count(&(*worker).counters.preemptions);
        give_way(tcb, worker, verdict)
    }
}

/// What must wait for the end of the atomic section.
unsafe fn ask_again(tcb: *mut Tcb, worker: *mut Worker, bits: u32) {
    // SAFETY: the caller is the worker.
    unsafe {
        (*worker).request.fetch_or(bits, Ordering::SeqCst);
        (*tcb).poll.store(1, Ordering::Relaxed);
    }
}

/// `atomic_depth` came back to 0 while `poll` was set: [`poll`].
///
/// # Safety
/// As [`poll`].
pub unsafe fn atomic_end(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { poll(tcb) }
}

unsafe fn restore_limits(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: as `poll`.
    unsafe {
        let shared = (*worker).shared;
        shared.host.restore_alloc_limit(tcb);
        let current = current(tcb);
        if !current.is_none() {
            let limit = (*shared.lane((*current.as_ptr()).lane as u64)).limit;
            (*tcb).stack_limit.store(limit, Ordering::SeqCst);
        }
    }
}

/// Before [`poll`]: whether the running thread has used up its stack, so that `leat_stack_check` raises
/// `StackOverflow`. A stack may grow to what the host allows, and to its lane's size.
///
/// In an atomic section it may use a quarter of the room below its limit besides: what it has begun there it ends,
/// since nobody would undo it. An exception would leave the section open, and the library's locks taken. The next check
/// behind the section finds the stack used up.
///
/// # Safety
/// As [`poll`]; the running thread is the one that called the stub.
pub unsafe fn stack_overflowed(tcb: *mut Tcb) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let current = current(tcb);
        let shared = (*worker_of(tcb)).shared;
        let lane: *mut Lane = shared.lane((*current.as_ptr()).lane as u64);
        let sp = (*tcb).saved_call_sp;
        if sp >= (*lane).limit {
            return false;
        }
        let mut most = shared.host.stack_max(shared.lanes.deep_beside(lane, false));
        if most < (*lane).wanted(sp) {
            most = shared.host.stack_max(shared.lanes.deep_beside(lane, true));
        }
        let more = (*lane).extend(sp, most);
        (*tcb).stack_limit.store((*lane).limit, Ordering::SeqCst);
        if is_asked(tcb) {
            (*tcb).stack_limit.store(STACK_STOP, Ordering::SeqCst);
        }
        let room = ((*lane).floor - (*lane).low) / 4;
        !more && ((*tcb).atomic_depth == 0 || sp < (*lane).limit - room)
    }
}
