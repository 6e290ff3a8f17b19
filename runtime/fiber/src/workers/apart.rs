//! Workers that run -> each on a processor of its own, as far as there are enough.
//!
//! The kernel wakes an OS thread where it has run before, or where it was woken from. On a machine with few processors
//! it often does not look for an idle one, and then two workers share one processor for a time slice, which is some
//! milliseconds, while the other is idle: as long as it takes Concurrent ML to pass 50,000 messages. So a worker that
//! begins to run looks whether another one that runs was seen on this very processor, and goes elsewhere if so. It is
//! not bound there: the kernel may move it again when it is to.
//!
//! ```text
//!  worker 0  runs on 1 ------------------------------->
//!  worker 1            woken on 1, waits, runs: goes to 0 ---->
//! ```
//!
//! Which processor a worker was seen on is noted when it begins to run, and at the safepoints that others ask for.

use std::sync::atomic::Ordering;

use crate::base::processor;
use crate::base::worker::{Shared, Worker};

/// The worker begins to run, on this OS thread, which is no bound thread's.
pub(crate) unsafe fn part(worker: *mut Worker) {
    // SAFETY: the worker lives as long as the program; what others have noted are atomics.
    unsafe {
        let shared = (*worker).shared;
        if shared.started.load(Ordering::Relaxed) < 2 {
            return;
        }
        let mut here = processor::here();
        if here != u32::MAX
            && runs_on(shared, here, worker)
            && processor::leave(|processor| runs_on(shared, processor, worker))
        {
            here = processor::here();
        }
        (*worker).processor.store(here, Ordering::Relaxed);
    }
}

/// A processor of the process on which no worker was seen, for one that is about to be started.
pub(crate) fn free(shared: &Shared) -> Option<u32> {
    processor::first(|processor| !runs_on(shared, processor, std::ptr::null_mut()))
}

/// Whether another worker that is not idle was last seen on this processor.
fn runs_on(shared: &Shared, processor: u32, but: *mut Worker) -> bool {
    let idle = shared.stop.idle.load(Ordering::Relaxed);
    shared.all().enumerate().any(|(index, other)| {
        // SAFETY: workers live as long as the program.
        other != but && idle & (1 << index) == 0 && unsafe { (*other).processor.load(Ordering::Relaxed) } == processor
    })
}
