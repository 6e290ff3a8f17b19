//! First-class continuations: the running thread's frames as a chain of pieces, and back.
//!
//! ```text
//!  capture                                              throw
//!  lane: | older frames | newer | sp    cell -> piece   lane: | whatever | sp     cell -> piece -> under ..
//!  ==>   | BOUNDARY     | newer | sp       newer        ==>   | BOUNDARY | newer | sp
//!                Thread::stack ----> older <-- under            Thread::stack ----> under
//! ```
//!
//! Pieces are never changed, so a continuation may be thrown to any number of times, and continuations of one stack share
//! what lies below both. What a capture has moved is not looked at by the next one: a capture costs what is between the stack
//! pointer and the last capture's cut, and no more than some hundred bytes of it again and again.
//!
//! Frames go back to the addresses that they had (T5): so a thread that throws to a continuation of another lane leaves its
//! own lane for that one, for good; whoever is there is evicted, and when another worker runs there, the thread waits for its
//! turn in that worker's queue.
//!
//! After Hieb, Dybvig and Bruggeman, Representing control in the presence of first-class continuations, PLDI 1990.
//! Differences: a segment is copied back as a whole, one at a time, because its frames cannot run elsewhere.

use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, Thread};

use crate::asm;
use crate::place::{capture as capture_piece, forget_marker, place_and_resume, put_in_place};
use crate::post::keeps;
use crate::queue::{NONE, barrier};
use crate::switch::next;
use crate::word::{IN_HEAP, PERMIT, QUEUED, READIED, is_own, set_lane, set_state, state_of};
use crate::worker::worker_of;

/// Stores the caller's continuation in the first field of `cell`, and gives `cell`. When somebody throws to it, this call
/// returns again, with what was thrown.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub of a primitive called, which returns the result at once; `cell`
/// is an object whose first field is a reference.
pub unsafe fn capture(tcb: *mut Tcb, mut cell: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let host = (*worker).shared.host;
        loop {
            let thread = (*tcb).current as *mut Thread;
            (*(*worker).lanes.add((*thread).lane as usize)).save(tcb);
            match capture_piece(tcb, worker, thread) {
                Ok(piece) => {
                    *(cell as *mut u64) = piece;
                    barrier(host, tcb, cell);
                    return cell;
                }
                Err(bytes) => {
                    (*worker).hand = cell;
                    host.collect(tcb, bytes);
                    cell = std::mem::replace(&mut (*worker).hand, NONE);
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
pub unsafe fn throw(tcb: *mut Tcb, cell: u64, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let thread = (*tcb).current as *mut Thread;
        let piece = *(cell as *const u64);
        let target = (*(piece as *const StackPiece)).lane();
        if target == (*thread).lane as u64 {
            put_in_place(tcb, shared, shared.lane(target), thread, piece);
            return value;
        }
        shared.free_lane(worker, (*thread).lane as u64);
        (*thread).stack = piece;
        // An immediate is left as any number is: the word itself would be taken for one.
        (*thread).start = if value & 1 == 0 { value } else { value << 1 | 1 };
        (*thread).atomic_depth = (*tcb).atomic_depth as u32;
        barrier(shared.host, tcb, thread as u64);
        // As long as the old lane is this worker's, nobody else changes the word: the new lane is named last.
        let permit = state_of(thread as u64) & PERMIT;
        set_state(thread as u64, IN_HEAP | QUEUED | READIED | permit);
        set_lane(thread as u64, target);
        if is_own(worker, thread as u64) {
            return place_and_resume(tcb, worker, thread as u64).unwrap_or_else(|| next(tcb, worker));
        }
        (*tcb).current = NONE;
        if keeps(tcb, worker, thread as u64) {
            (*worker).queue.push_front(shared.host, tcb, thread as u64);
        }
        next(tcb, worker)
    }
}

/// Gives up the running thread's frames and calls `closure` on the empty stack; the thread ends when that returns.
///
/// # Safety
/// As [`capture`]; `closure` has the type unit -> unit.
pub unsafe fn restart(tcb: *mut Tcb, closure: u64) -> u64 {
    // SAFETY: the caller's promise; the words at the base are the running thread's.
    unsafe {
        let shared = (*worker_of(tcb)).shared;
        let thread = (*tcb).current as *mut Thread;
        let index = (*thread).lane as u64;
        let lane = shared.lane(index);
        forget_marker(shared, lane, index);
        (*thread).stack = NONE;
        let sp = (*lane).base - 8;
        *(sp as *mut usize) = asm::start_address();
        (*tcb).saved_sp = sp;
        closure
    }
}
