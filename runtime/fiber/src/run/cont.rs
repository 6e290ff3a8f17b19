//! First-class continuations: the running thread's frames as a chain of pieces, and back.
//!
//! ```text
//!  capture                                              throw
//!  lane: | older frames | newer | sp    cell -> piece   lane: | whatever | sp     cell -> piece -> under ..
//!  ==>   | BOUNDARY     | newer | sp       newer        ==>   | BOUNDARY | newer | sp
//!                Thread::stack ----> older <-- under            Thread::stack ----> under
//! ```
//!
//! Pieces are never changed, so a continuation may be thrown to any number of times, and continuations of one stack
//! share what lies below both. What a capture has moved is not looked at by the next one: a capture costs what is
//! between the stack pointer and the last capture's cut, and no more than some hundred bytes of it again and again.
//!
//! Frames go back to the addresses that they had (T5): so a thread that throws to a continuation of another lane leaves
//! its own lane for that one, for good; whoever is there is evicted, and when another worker runs there, the thread
//! waits for its turn in that worker's queue.
//!
//! After Hieb, Dybvig and Bruggeman, Representing control in the presence of first-class continuations, PLDI 1990.
//! Differences: a segment is copied back as a whole, one at a time, because its frames cannot run elsewhere.

use leat_abi::tcb::Tcb;
use leat_abi::thread::StackPiece;

use crate::base::queue::barrier;
use crate::base::reference::{Cell, Closure, NONE, Ref};
use crate::base::worker::worker_of;
use crate::run::place::{capture as capture_piece, forget_marker, place_and_resume, put_in_place};
use crate::run::switch::next;
use crate::stub;
use crate::thread::resume::leave_value;
use crate::thread::word::{BOUND, IN_HEAP, PERMIT, QUEUED, READIED, current, is_own, set_lane, set_state, state_of};
use crate::workers::post::keeps;

/// Stores the caller's continuation in the first field of `cell`, and gives `cell`. When somebody throws to it, this
/// call returns again, with what was thrown.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub of a primitive called, which returns the result at once;
/// `cell`'s first field is a reference.
pub unsafe fn capture(tcb: *mut Tcb, mut cell: Ref<Cell>) -> Ref<Cell> {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let host = (*worker).shared.host;
        loop {
            let thread = current(tcb).as_ptr();
            (*(*worker).lanes.add((*thread).lane as usize)).save(tcb);
            match capture_piece(tcb, worker, thread) {
                Ok(piece) => {
                    *(cell.as_ptr() as *mut u64) = piece.word();
                    barrier(host, tcb, cell);
                    return cell;
                }
                Err(bytes) => {
                    (*worker).hand = cell.cast();
                    host.collect(tcb, bytes);
                    cell = std::mem::replace(&mut (*worker).hand, Ref::NONE).cast();
                }
            }
        }
    }
}

/// Gives up the running thread's frames; it goes on where `cell`'s continuation was captured, where [`capture`] returns
/// `value`.
///
/// # Safety
/// As [`capture`], which has filled `cell`; `value` is a reference other than `cell`, or an immediate.
pub unsafe fn throw(tcb: *mut Tcb, cell: Ref<Cell>, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let current = current(tcb);
        let thread = current.as_ptr();
        let piece: Ref<StackPiece> = Ref::of(*(cell.as_ptr() as *const u64));
        let target = (*piece.as_ptr()).lane();
        if target == (*thread).lane as u64 {
            put_in_place(tcb, shared, shared.lane(target), thread, piece);
            return value;
        }
        shared.free_lane(worker, (*thread).lane as u64);
        (*thread).stack = piece.word();
        leave_value(current, value);
        (*thread).atomic_depth = (*tcb).atomic_depth as u32;
        barrier(shared.host, tcb, current);
        // As long as the old lane is this worker's, nobody else changes the word: the new lane is named last.
        let kept = state_of(current) & (PERMIT | BOUND);
        set_state(current, IN_HEAP | QUEUED | READIED | kept);
        set_lane(current, target);
        if is_own(worker, current) {
            return place_and_resume(tcb, worker, current).unwrap_or_else(|| next(tcb, worker));
        }
        (*tcb).current = NONE;
        if keeps(tcb, worker, current) {
            (*worker).queue.push_front(shared.host, tcb, current);
        }
        next(tcb, worker)
    }
}

/// Gives up the running thread's frames and calls `closure` on the empty stack; the thread ends when that returns.
///
/// # Safety
/// As [`capture`]; `closure` has the type unit -> unit.
pub unsafe fn restart(tcb: *mut Tcb, closure: Ref<Closure>) -> Ref<Closure> {
    // SAFETY: the caller's promise; the words at the base are the running thread's.
    unsafe {
        let shared = (*worker_of(tcb)).shared;
        let thread = current(tcb).as_ptr();
        let index = (*thread).lane as u64;
        let lane = shared.lane(index);
        forget_marker(shared, lane, index);
        (*thread).stack = NONE;
        let sp = (*lane).base - 8;
        *(sp as *mut usize) = stub::start_address();
        (*tcb).saved_sp = sp;
        closure
    }
}
