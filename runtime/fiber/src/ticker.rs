//! The ticker: an OS thread that looks at the workers each millisecond, and asks those for a safepoint that have something to
//! decide.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::post;
use crate::request::{request, wake_idle};
use crate::turns::{self, TICKS, Watch};
use crate::worker::{MAX_WORKERS, Shared};

/// Starts the OS thread that looks at the workers each millisecond, when a second thread is made.
#[cold]
pub(crate) fn start_ticker(shared: &'static Shared) {
    if shared.config.slice == 0 || shared.stop.ticker.swap(true, Ordering::SeqCst) {
        return;
    }
    let alone = !shared.is_several();
    let run = move || {
        if alone {
            shared.host.ticker_started();
        }
        let tick = Duration::from_nanos(shared.config.slice / u64::from(TICKS));
        let mut watches = [Watch::default(); MAX_WORKERS];
        let (mut quiet, mut ticks) = (0, 0u32);
        loop {
            if quiet > TICKS {
                shared.stop.ticker_asleep.store(true, Ordering::SeqCst);
                // A worker that came back before it could see this is seen here.
                if is_quiet(shared) {
                    std::thread::park_timeout(Duration::from_millis(500));
                }
                shared.stop.ticker_asleep.store(false, Ordering::SeqCst);
            } else {
                std::thread::sleep(tick);
            }
            if alone && shared.is_several() {
                // Another ticker was started, which has the process's files.
                return;
            }
            (quiet, ticks) = (quiet + 1, ticks.wrapping_add(1));
            let idle = shared.stop.idle.load(Ordering::SeqCst);
            shared.stop.asking.lock();
            let due = !shared.over.load(Ordering::SeqCst) && shared.host.due();
            shared.stop.asking.unlock();
            for (index, worker) in shared.all().enumerate() {
                if idle & (1 << index) != 0 {
                    continue;
                }
                quiet = 0;
                // SAFETY: the worker lives as long as the program; counters and requests are atomics.
                unsafe {
                    // A worker that set its limits just then may have undone what `request` stored.
                    if (*worker).request.load(Ordering::Relaxed) != 0 {
                        request(worker, 0);
                    }
                    let watch = &mut watches[index];
                    watch.tick(worker, due);
                    if alone || !ticks.is_multiple_of(TICKS / 2) {
                        continue;
                    }
                    // A ready thread computes or waits for one that does, or more than one wait. (A worker with one gets to
                    // it soon: two threads that talk to each other are not to be torn apart.)
                    let (ready, spare) = turns::glance(worker);
                    let still = watch.still >= TICKS / 2;
                    if spare || (ready && still) {
                        post::ask_for_help(shared, worker);
                    }
                    // One in blocking C serves nobody.
                    if ready && still {
                        wake_idle(shared);
                    }
                }
            }
        }
    };
    if let Ok(handle) = std::thread::Builder::new().name("ticker".into()).stack_size(64 << 10).spawn(run) {
        *shared.stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.thread().clone());
    }
}

/// Whether all workers are idle.
fn is_quiet(shared: &Shared) -> bool {
    let started = shared.started.load(Ordering::Acquire);
    shared.stop.idle.load(Ordering::SeqCst).count_ones() as usize >= started
}

/// After a fork, if there was one.
pub(crate) fn restart_ticker(shared: &'static Shared) {
    if shared.stop.ticker.swap(false, Ordering::SeqCst) {
        start_ticker(shared);
    }
}
