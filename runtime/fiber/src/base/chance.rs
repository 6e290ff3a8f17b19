//! The deterministic mode: seed -> which of the ready threads runs next, at which points a time slice ends, and what
//! the library has drawn besides (which of several enabled events a choice takes).
//!
//! There is one worker, the host's clock is virtual, no OS thread ends time slices; every safepoint comes to
//! [`crate::run::poll`], and in a watched program every access of what threads may share comes to [`crate::access`]. So
//! a run is a function of the program, its input and the seed. The worker is watched, so nothing is left to the stubs.
//!
//! Slices are short or long: races between two neighbouring accesses want the one, those between distant ones the
//! other. Some seeds have slices of one kind only, some have all.

use std::sync::atomic::{AtomicU64, Ordering};

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::host::{Explored, Host};
use crate::base::queue::Queue;
use crate::base::reference::Ref;

/// Threads at the head of the queue that one is drawn from.
const AMONG: usize = 64;
/// Most points of a slice of each kind.
const SLICES: [u64; 3] = [3, 16, 500];

/// What is yet to come.
pub(crate) struct Chance {
    random: u64,
    /// Which of [`SLICES`]; behind the last: all.
    kind: u64,
    /// Points until the slice ends.
    left: u64,
    /// The number of the thread that was drawn last.
    last: u64,
    explored: Option<&'static Explored>,
}

fn add(count: Option<&AtomicU64>) {
    if let Some(count) = count {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Chance {
    pub(crate) fn new(seed: u64, explored: Option<&'static Explored>) -> Chance {
        let mut chance = Chance { random: seed, kind: 0, left: 0, last: 0, explored };
        chance.kind = chance.below(SLICES.len() as u64 + 1);
        chance.left = chance.slice();
        chance
    }

    /// A number below `n`. SplitMix64, Steele, Lea and Flood, OOPSLA 2014.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }

    pub(crate) fn count_access(&self) {
        add(self.explored.map(|explored| &explored.accesses));
    }

    fn slice(&mut self) -> u64 {
        let any = self.below(SLICES.len() as u64) as usize;
        1 + self.below(*SLICES.get(self.kind as usize).unwrap_or(&SLICES[any]))
    }

    /// A safepoint or access: whether the time slice ends here.
    pub(crate) fn ends_slice(&mut self) -> bool {
        add(self.explored.map(|explored| &explored.points));
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = self.slice();
        true
    }

    /// Takes one of the ready threads, or gives none.
    pub(crate) unsafe fn draw(&mut self, queue: &mut Queue, host: &dyn Host, tcb: *mut Tcb) -> Ref<Thread> {
        let mut count = 0;
        let mut thread = queue.head;
        while !thread.is_none() && count < AMONG {
            count += 1;
            // SAFETY: linked threads are thread objects.
            thread = Ref::of(unsafe { (*thread.as_ptr()).next });
        }
        if count == 0 {
            return Ref::NONE;
        }
        let mut before = self.below(count as u64);
        // SAFETY: as above.
        unsafe {
            let thread = queue.take(host, tcb, count, |_| {
                let found = before == 0;
                before = before.wrapping_sub(1);
                found
            });
            let id = (*thread.as_ptr()).id;
            if std::mem::replace(&mut self.last, id) != id {
                add(self.explored.map(|explored| &explored.switches));
            }
            thread
        }
    }
}
