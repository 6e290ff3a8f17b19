//! Random pauses at the places where another worker may come in between; only in builds with debug assertions.
//!
//! A race between two instructions shows once in millions of runs on an idle machine; with a pause there, in one of
//! some hundreds. Tests switch it on with [`set_jitter`].

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::atomic::step;

/// One in so many places pauses; 0 for none.
static ONE_IN: AtomicU32 = AtomicU32::new(0);

/// From now on a worker pauses at one in `one_in` places; 0 for never. Does nothing without debug assertions.
pub fn set_jitter(one_in: u32) {
    ONE_IN.store(one_in, Ordering::Relaxed);
}

/// Another worker may come in here.
#[inline(always)]
pub(crate) fn jitter() {
    #[cfg(debug_assertions)]
    pause();
    step();
}

#[allow(dead_code, reason = "only with debug assertions")]
#[cold]
fn pause() {
    let one_in = ONE_IN.load(Ordering::Relaxed);
    if one_in == 0 {
        return;
    }
    thread_local!(static SEED: Cell<u64> = const { Cell::new(0) });
    let x = SEED.with(|seed| {
        let mut x = seed.get();
        if x == 0 {
            x = 0x9e37_79b9_7f4a_7c15 ^ (seed as *const Cell<u64> as u64);
        }
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        seed.set(x);
        x >> 20
    });
    if !(x as u32).is_multiple_of(one_in) {
        return;
    }
    match (x >> 32) % 4 {
        0 => std::thread::sleep(std::time::Duration::from_micros((x >> 40) % 50)),
        1 => std::thread::yield_now(),
        _ => (0..(x >> 40) % 500).for_each(|_| std::hint::spin_loop()),
    }
}
