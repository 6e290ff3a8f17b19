//! Locks of the library's objects (channels, variables, ..) that belong to a worker until another one wants them.
//!
//! ```text
//!  bits 0 to 7   8 to 15               16 to 31          32 to 39, 40 to 63   taken by
//!  0  free       last taker's mark     how often in a    heat, and the time   compare-and-swap, by anybody
//!  1  held       the same              row               when it last changed -
//!  2 + k         0                     0                                      worker k: it has it already, and need not
//!                                                                             give it back
//! ```
//!
//! Compiled code tests for its own worker's mark and goes on ([`leat_abi::tcb::Tcb::mark`]); all else comes to
//! [`crate::run::attempt`]. What makes the test enough is that an owner gives a lock away only where it cannot be in
//! the middle of what the lock guards: at a safepoint outside of atomic sections, between two threads, or in
//! [`crate::run::attempt`] (the library never takes a lock while it has another). For an owner that is outside, who
//! wants the lock acts under the worker's lock.
//!
//! A lock that is wanted by another worker is shared from then on: asking its owner takes as long as hundreds of takes
//! by compare-and-swap, microseconds, and a thread that has changed its worker has several locks there. A worker that
//! takes it often enough in a row, and nobody else does, owns it again. The worker that wanted it has the first take:
//! the answer makes it the owner, and it makes the lock a held one when it goes on. It may have no processor until
//! then; of a lock that were simply free the old owner would have had hundreds of takes, and would own it again.
//!
//! A shared lock that goes to and fro between workers at every take is *hot*, and held in turns: it belongs to a
//! worker, and another one asks only when that has had it for some time. So the threads of each meet each other, and
//! seldom those of the other: that costs letters, safepoints, and lines of memory that go to and fro.
//!
//! After Kawachiya, Koseki and Onodera, Lock Reservation, OOPSLA 2002, and Russell and Detlefs, Eliminating
//! Synchronization-Related Atomic Operations with Biased Locking and Bulk Rebiasing, OOPSLA 2006; by a handshake, not
//! by stopping the owner.
//!
//! Keeps: T13 a lock with a worker's mark is changed by that worker, inside and not in an atomic section that it
//! guards, or under that worker's lock while it is outside and in no atomic section.

use crate::base::atomic::{AtomicU64, Ordering, ticks};
use crate::base::jitter::jitter;
use crate::base::reference::{Cell, Ref};
use crate::base::worker::{Shared, Worker, mark};

pub(crate) const FREE: u64 = 0;
pub(crate) const HELD: u64 = 1;
/// A shared lock that one worker has taken so often in a row belongs to it again.
const IN_A_ROW: u64 = 250;
/// A shared lock that another worker has taken so soon after the last, in ticks, becomes warmer, by one; at this heat
/// it is held in turns.
const HOT: u64 = 16;
pub(crate) const SOON: u64 = 4;
/// How long a turn is, in ticks: some twenty microseconds, a few hundred messages.
pub(crate) const TURN: u64 = 50;
/// How much a lock cools down that is wanted late in a turn.
const COOLING: u64 = 4;

/// The word of a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

impl Word {
    fn own(worker: u64) -> Word {
        Word(worker)
    }

    fn held(taker: u64, row: u64) -> Word {
        Word(row << 16 | taker << 8 | HELD)
    }

    /// With a heat, which is the lock's from now on.
    pub(crate) fn heated(self, heat: u64) -> Word {
        Word(self.0 & 0xffff_ffff | heat << 32 | (ticks() << 40))
    }

    pub(crate) fn state(self) -> u64 {
        self.0 & 0xff
    }

    /// Who has taken a shared lock.
    fn taker(self) -> u64 {
        self.0 >> 8 & 0xff
    }

    fn row(self) -> u64 {
        self.0 >> 16 & 0xffff
    }

    pub(crate) fn heat(self) -> u64 {
        self.0 >> 32 & 0xff
    }

    /// Ticks since the heat was written: since a shared lock went from one worker to another, or a turn began.
    pub(crate) fn age(self) -> u64 {
        ticks().wrapping_sub(self.0 >> 40) & 0xff_ffff
    }

    /// What a shared lock becomes that this worker takes.
    pub(crate) fn taken(self, own: u64) -> Word {
        if self.taker() == own {
            let row = self.row() + 1;
            return if row >= IN_A_ROW { Word::own(own) } else { Word(Word::held(own, row).0 | self.0 >> 32 << 32) };
        }
        let heat = if self.age() < SOON { self.heat() + 1 } else { 0 };
        let word = if heat >= HOT { Word::own(own) } else { Word::held(own, 0) };
        word.heated(heat)
    }

    /// What an owned lock becomes that is given to this worker.
    fn given(self, to: u64) -> Word {
        match self.heat() {
            0 => Word::own(to),
            heat => Word::own(to).heated(heat),
        }
    }

    /// What a lock becomes that was given to this worker, which takes it now.
    pub(crate) fn received(self, own: u64, is_soon: bool) -> Word {
        match self.heat() {
            0 => Word::held(own, 0).heated(0),
            heat => self.heated(if is_soon { HOT.min(heat + 1) } else { heat.saturating_sub(COOLING) }),
        }
    }
}

/// Gives the locks away that others want of this worker. Not in an atomic section that has one of them.
pub(crate) unsafe fn give(worker: *mut Worker) {
    // SAFETY: the caller's promise.
    unsafe { give_but(worker, NO_CELL) }
}

/// Likewise, but not the lock of this cell, which the worker wants itself: it may have been given that by now. Whoever
/// wants that is to ask again.
pub(crate) unsafe fn give_but(worker: *mut Worker, kept: u64) {
    // SAFETY: the caller is the worker.
    unsafe {
        let shared: &Shared = (*worker).shared;
        for other in shared.all() {
            let wish = (*other).claim.load(Ordering::Acquire);
            if wish >> 48 != mark((*worker).index) {
                continue;
            }
            if cell_of(wish) == kept {
                let _ = (*other).claim.compare_exchange(wish, 0, Ordering::SeqCst, Ordering::SeqCst);
            } else {
                answer(other, wish);
            }
        }
    }
}

/// Lets a worker have what it wants, if it still does and the lock still is whose it was.
pub(crate) unsafe fn answer(wanting: *mut Worker, wish: u64) {
    // SAFETY: the caller is the owner, or acts for it. The object is not moved: the worker that wants it is not at a
    // safepoint while its wish stands, nor is the caller.
    unsafe {
        jitter();
        if (*wanting).claim.load(Ordering::SeqCst) != wish {
            return;
        }
        let lock = AtomicU64::from_ptr(cell_of(wish) as *mut u64);
        let word = Word(lock.load(Ordering::Relaxed));
        if word.state() == wish >> 48 {
            lock.store(word.given(mark((*wanting).index)).0, Ordering::Release);
        }
        let _ = (*wanting).claim.compare_exchange(wish, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// No cell's address.
const NO_CELL: u64 = 0;

fn cell_of(wish: u64) -> u64 {
    wish & ((1 << 48) - 1)
}

pub(crate) fn wish(cell: Ref<Cell>, owner: usize) -> u64 {
    debug_assert!(cell.word() < 1 << 48);
    mark(owner) << 48 | cell.word()
}
