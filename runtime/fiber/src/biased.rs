//! Locks of the library's objects (channels, variables, ..) that belong to a worker until another one wants them.
//!
//! ```text
//!  low byte      above                                       taken by
//!  0  free       last taker's mark, how often in a row       compare-and-swap, by anybody
//!  1  held       the same                                    -
//!  2 + k         how often it has changed hands              worker k: it has it already, and need not give it back
//! ```
//!
//! Compiled code tests for its own worker's mark and goes on ([`leat_abi::tcb::Tcb::mark`]); all else comes to [`attempt`].
//! What makes the test enough is that an owner gives a lock away only where it cannot be in the middle of what the lock
//! guards: at a safepoint outside of atomic sections, between two threads, or in [`attempt`] (the library never takes a lock
//! while it has another). For an owner that is outside, who wants the lock acts under the worker's lock.
//!
//! After Kawachiya, Koseki and Onodera, Lock Reservation, OOPSLA 2002, and Russell and Detlefs, Eliminating
//! Synchronization-Related Atomic Operations with Biased Locking and Bulk Rebiasing, OOPSLA 2006; by a handshake, not by
//! stopping the owner.
//!
//! Keeps: T13 a lock with a worker's mark is changed by that worker, inside and not in an atomic section that it guards, or
//! under that worker's lock while it is outside and in no atomic section.

use std::sync::atomic::{AtomicU64, Ordering};

use leat_abi::tcb::Tcb;

use crate::jitter::jitter;
use crate::stop;
use crate::worker::{Shared, Worker, worker_of};

const STATE: u64 = 0xff;
const FREE: u64 = 0;
const HELD: u64 = 1;
/// A lock that has changed hands this often is shared from then on.
const TRANSFERS: u64 = 3;
/// A shared lock that one worker has taken so often in a row belongs to it again.
const IN_A_ROW: u64 = 250;
/// Rounds of waiting before the library's loop asks again.
const ROUNDS: u32 = 64;

/// What stands in the low byte of a lock that belongs to this worker.
pub(crate) const fn mark(worker: usize) -> u64 {
    worker as u64 + 2
}

/// Takes a lock, or waits a moment; false: ask again. A safepoint, at which no other thread runs.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called, which returns the result at once; in an atomic section
/// that has no other lock; `cell` is an object whose first field is the lock.
pub unsafe fn attempt(tcb: *mut Tcb, cell: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let own = mark((*worker).index);
        let lock = AtomicU64::from_ptr(cell as *mut u64);
        for round in 0..ROUNDS {
            jitter();
            let word = lock.load(Ordering::Acquire);
            match word & STATE {
                FREE => {
                    let (last, row) = (word >> 8 & STATE, word >> 16);
                    let row = if last == own { row + 1 } else { 0 };
                    let taken = if row >= IN_A_ROW { own } else { row << 16 | own << 8 | HELD };
                    if lock.compare_exchange(word, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                        return true;
                    }
                }
                HELD => {}
                state if state == own => return true,
                state => claim(worker, cell, state as usize - 2),
            }
            if stop::is_asked(tcb) {
                break;
            }
            if round < ROUNDS / 2 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        give(worker);
        stop::poll(tcb);
        false
    }
}

/// Asks a lock's owner for it, and waits until that has answered, or this worker is wanted itself.
unsafe fn claim(worker: *mut Worker, cell: u64, owner: usize) {
    // SAFETY: as `attempt`.
    unsafe {
        let shared = (*worker).shared;
        let holder = shared.worker(owner);
        let wish = wish(cell, owner);
        (*worker).claim.store(wish, Ordering::SeqCst);
        let mut round = 0u32;
        while (*worker).claim.load(Ordering::Acquire) != 0 {
            if round.is_multiple_of(256) {
                jitter();
                (*holder).lock.lock();
                if (*holder).outside && (*(*holder).tcb).atomic_depth == 0 {
                    answer(worker, wish);
                    (*holder).lock.unlock();
                    return;
                }
                let inside = !(*holder).outside;
                (*holder).lock.unlock();
                if inside {
                    stop::request(holder, stop::LETTER);
                }
            }
            round += 1;
            if stop::is_asked((*worker).tcb) {
                // Wanted itself, perhaps by the one that is waited for: no other lock is in use here. All else that is asked
                // waits for the end of the atomic section, and a claim that were withdrawn for it would stand too shortly to
                // be seen.
                give(worker);
            }
            if stop::is_stop_asked(worker) {
                // The object will be moved. When it is too late to withdraw, the answer is being written by a worker that is
                // not at a safepoint.
                let _ = (*worker).claim.compare_exchange(wish, 0, Ordering::SeqCst, Ordering::SeqCst);
                return;
            }
            if round < 1024 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
}

/// Gives the locks away that others want of this worker. Not in an atomic section that has one of them.
pub(crate) unsafe fn give(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        let shared: &Shared = (*worker).shared;
        for other in shared.all() {
            let wish = (*other).claim.load(Ordering::Acquire);
            if wish >> 48 == mark((*worker).index) {
                answer(other, wish);
            }
        }
    }
}

/// Lets a worker have what it wants, if it still does and the lock still is whose it was.
unsafe fn answer(wanting: *mut Worker, wish: u64) {
    // SAFETY: the caller is the owner, or acts for it. The object is not moved: the worker that wants it is not at a safepoint
    // while its wish stands, nor is the caller.
    unsafe {
        jitter();
        if (*wanting).claim.load(Ordering::SeqCst) != wish {
            return;
        }
        let lock = AtomicU64::from_ptr((wish & ((1 << 48) - 1)) as *mut u64);
        let (word, owner) = (lock.load(Ordering::Relaxed), wish >> 48);
        if word & STATE == owner {
            let times = word >> 8;
            let to = mark((*wanting).index);
            lock.store(if times < TRANSFERS { (times + 1) << 8 | to } else { FREE }, Ordering::Release);
        }
        let _ = (*wanting).claim.compare_exchange(wish, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

fn wish(cell: u64, owner: usize) -> u64 {
    debug_assert!(cell < 1 << 48);
    mark(owner) << 48 | cell
}
