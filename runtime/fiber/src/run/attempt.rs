//! Taking a lock of the library's that belongs to another worker, or to none: the side of the worker that wants it.
//! What is in the word, and the owner's side: [`crate::workers::biased`].

use std::time::Instant;

use leat_abi::tcb::Tcb;

use crate::base::atomic::{AtomicU64, Ordering, spin_loop, yield_now};
use crate::base::jitter::jitter;
use crate::base::reference::{Cell, Ref};
use crate::base::worker::{Worker, add, mark, worker_of};
use crate::run::poll::poll;
use crate::workers::biased::{FREE, HELD, SOON, TURN, Word, answer, give, give_but, wish};
use crate::workers::request::{LETTER, is_asked, is_stop_asked, request};

/// Pauses between two looks whether a turn is over.
const BETWEEN_LOOKS: u32 = 64;
/// Looks, some tens of microseconds, after which an owner that has no processor gets this worker's.
const LOOKS: u32 = 16;
/// Nanoseconds of a wait that count as lost. A longer one is for an owner that has no processor, and while this worker
/// yields it has none either.
const LONGEST: u64 = 20_000;
/// Rounds of waiting before the library's loop asks again.
const ROUNDS: u32 = 64;

/// Takes a lock, or waits a moment; false: ask again. A safepoint, at which no other thread runs.
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called, which returns the result at once; in an atomic
/// section that has no other lock; `cell`'s first field is the lock.
pub unsafe fn attempt(tcb: *mut Tcb, cell: Ref<Cell>) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let mut begin = None;
        let is_taken = is_taken(tcb, worker, cell, &mut begin);
        // A worker that waits for another one's lock gets nothing done, as one that looks around.
        if let Some(begin) = begin {
            add(&(*worker).counters.lost, (begin.elapsed().as_nanos() as u64).min(LONGEST));
        }
        if !is_taken {
            give(worker);
            poll(tcb);
        }
        is_taken
    }
}

/// Whether the lock was taken within some rounds; and when the waiting for another worker began, if it did.
unsafe fn is_taken(tcb: *mut Tcb, worker: *mut Worker, cell: Ref<Cell>, begin: &mut Option<Instant>) -> bool {
    // SAFETY: as `attempt`.
    unsafe {
        let own = mark((*worker).index);
        let lock = AtomicU64::from_ptr(cell.as_ptr().cast());
        for round in 0..ROUNDS {
            jitter();
            let word = Word(lock.load(Ordering::Acquire));
            match word.state() {
                FREE => {
                    let taken = word.taken(own);
                    if lock.compare_exchange(word.0, taken.0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                        return true;
                    }
                }
                HELD => {
                    begin.get_or_insert_with(Instant::now);
                }
                state if state == own => return true,
                state => {
                    begin.get_or_insert_with(Instant::now);
                    let owner = state as usize - 2;
                    let is_soon = word.age() < SOON;
                    if word.heat() != 0 {
                        await_turn(worker, lock, owner);
                    }
                    claim(worker, cell, owner);
                    let word = Word(lock.load(Ordering::Acquire));
                    if word.state() == own {
                        lock.store(word.received(own, is_soon).0, Ordering::Relaxed);
                        return true;
                    }
                }
            }
            if is_asked(tcb) {
                break;
            }
            if round < ROUNDS / 2 { spin_loop() } else { yield_now() }
        }
        false
    }
}

/// Waits until the owner of a lock that is held in turns has had its turn, or has no use for it.
unsafe fn await_turn(worker: *mut Worker, lock: &AtomicU64, owner: usize) {
    // SAFETY: as `attempt`; whether the owner is outside is a guess here.
    unsafe {
        let holder = (*worker).shared.worker(owner);
        for look in 1u32.. {
            let word = Word(lock.load(Ordering::Relaxed));
            let is_outside = (&raw const (*holder).outside).read_volatile();
            if word.state() != mark(owner) || word.age() >= TURN || is_outside {
                return;
            }
            // The owner writes to the lines that these lie in: each look costs it some hundred nanoseconds.
            for _ in 0..BETWEEN_LOOKS {
                spin_loop();
            }
            if look.is_multiple_of(LOOKS) {
                yield_now();
            }
            if is_asked((*worker).tcb) {
                give(worker);
                if is_stop_asked(worker) {
                    return;
                }
            }
        }
    }
}

/// Asks a lock's owner for it, and waits until that has answered, or this worker is wanted itself.
unsafe fn claim(worker: *mut Worker, cell: Ref<Cell>, owner: usize) {
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
                    request(holder, LETTER);
                }
            }
            round += 1;
            if is_asked((*worker).tcb) {
                // Wanted itself, perhaps by the one that is waited for: no other lock is in use here. All else that is
                // asked waits for the end of the atomic section, and a claim that were withdrawn for it would stand too
                // shortly to be seen.
                give_but(worker, cell.word());
            }
            if is_stop_asked(worker) {
                // The object will be moved. When it is too late to withdraw, the answer is being written by a worker
                // that is not at a safepoint.
                let _ = (*worker).claim.compare_exchange(wish, 0, Ordering::SeqCst, Ordering::SeqCst);
                return;
            }
            if round < 1024 { spin_loop() } else { yield_now() }
        }
    }
}
