//! The deterministic mode: seed -> which of the ready threads runs next, and at which safepoints a time slice ends.
//!
//! There is one worker, the host's clock is virtual, no OS thread ends time slices; every safepoint comes to
//! [`crate::poll`]. So a run is a function of the program, its input and the seed. The worker is watched, so
//! nothing is left to the stubs.
//!
//! Slices are short or long by turns: races between two neighbouring accesses want the one, those between distant ones the
//! other.

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::host::Host;
use crate::queue::{NONE, Queue};

/// Threads at the head of the queue that one is drawn from.
const AMONG: usize = 64;
/// Safepoints of a short and of a long slice, at most.
const SHORT: u64 = 8;
const LONG: u64 = 500;

/// What is yet to come.
pub(crate) struct Chance {
    random: u64,
    /// Safepoints until the slice ends.
    left: u64,
}

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        let mut chance = Chance { random: seed, left: 0 };
        chance.left = chance.slice();
        chance
    }

    /// A number below `n`. SplitMix64, Steele, Lea and Flood, OOPSLA 2014.
    fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }

    fn slice(&mut self) -> u64 {
        let most = if self.below(2) == 0 { SHORT } else { LONG };
        1 + self.below(most)
    }

    /// A safepoint: whether the time slice ends here.
    pub(crate) fn ends_slice(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.left = self.slice();
        true
    }

    /// Takes one of the ready threads, or gives 1.
    pub(crate) unsafe fn draw(&mut self, queue: &mut Queue, host: &dyn Host, tcb: *mut Tcb) -> u64 {
        let mut count = 0;
        let mut thread = queue.head;
        while thread != NONE && count < AMONG {
            count += 1;
            // SAFETY: linked threads are thread objects.
            thread = unsafe { (*(thread as *const Thread)).next };
        }
        if count == 0 {
            return NONE;
        }
        let mut before = self.below(count as u64);
        // SAFETY: as above.
        unsafe {
            queue.take(host, tcb, count, |_| {
                let found = before == 0;
                before = before.wrapping_sub(1);
                found
            })
        }
    }
}
