//! The ticker: an OS thread that looks at the workers each millisecond, and asks those for a safepoint that have
//! something to decide.
//!
//! ```text
//!  tick                      tick                      tick                      tick
//!   |  asks those that have   |  a time-out is near,    |       |  it has come:   |
//!   |  something to decide    |  and a worker computes: |       |  asks those     |
//!   v                         v  to its processor       v       v  that compute   v
//! --+-------------------------+-------------------------+-------+-----------------+---->
//! ```

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use crate::base::processor::{self, TickerPlace};
use crate::base::worker::{MAX_WORKERS, Shared, Worker};
use crate::workers::apart;
use crate::workers::fold::Folding;
use crate::workers::post;
use crate::workers::request::{DUE, request, wake_idle};
use crate::workers::turns::{self, TICKS, Watch};

/// An event that comes within so many ticks is near: the ticker goes to the processor of the worker that computes.
const NEAR: u64 = 5;
/// It stays there for so many ticks when no event is near any more: one that comes each 10 ms does not move it each
/// time.
const LINGER: u32 = 12;

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
        Ticker::new(shared, alone).run();
    };
    match std::thread::Builder::new().name("ticker".into()).stack_size(64 << 10).spawn(run) {
        Ok(handle) => {
            *shared.stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.thread().clone());
        }
        Err(error) => shared.host.no_ticker(&error),
    }
}

/// What the ticker keeps from tick to tick.
struct Ticker {
    shared: &'static Shared,
    /// There was one worker when it was started, and it has the process's files no more.
    alone: bool,
    tick: Duration,
    watches: [Watch; MAX_WORKERS],
    ticks: u32,
    place: TickerPlace,
    folding: Folding,
    /// Ticks until it may leave that processor.
    stays: u32,
}

impl Ticker {
    fn new(shared: &'static Shared, alone: bool) -> Ticker {
        let tick = Duration::from_nanos(shared.config.slice / u64::from(TICKS));
        let watches = [Watch::default(); MAX_WORKERS];
        Ticker {
            shared,
            alone,
            tick,
            watches,
            ticks: 0,
            place: TickerPlace::default(),
            folding: Folding::NEW,
            stays: 0,
        }
    }

    fn run(&mut self) {
        processor::hurry();
        let shared = self.shared;
        let (mut quiet, mut next) = (0, None);
        loop {
            if quiet > TICKS {
                self.place.set(None);
                shared.stop.ticker_asleep.store(true, Ordering::SeqCst);
                // A worker that came back before it could see this is seen here.
                if is_quiet(shared) {
                    std::thread::park_timeout(Duration::from_millis(500));
                }
                shared.stop.ticker_asleep.store(false, Ordering::SeqCst);
            } else {
                self.sleep(next);
            }
            if self.alone && shared.is_several() {
                // Another ticker was started, which has the process's files.
                return;
            }
            self.ticks = self.ticks.wrapping_add(1);
            next = self.due_in();
            quiet = if self.look(next) { 0 } else { quiet + 1 };
            self.go_near(next);
        }
    }

    /// In how many nanoseconds an event may be due, see [`crate::Host::due_in`].
    fn due_in(&self) -> Option<u64> {
        let shared = self.shared;
        shared.stop.asking.lock();
        let next = if shared.over.load(Ordering::SeqCst) { None } else { shared.host.due_in() };
        shared.stop.asking.unlock();
        next
    }

    /// Until the next tick. If an event comes about then, that is the next tick; if it comes before, those that compute
    /// are asked to look then. But not four times in a tick, for thousands of threads may have time-outs.
    fn sleep(&self, next: Option<u64>) {
        let (tick, quarter) = (self.tick, self.tick / 4);
        let event = match next {
            Some(next @ 1..) if self.computing().next().is_some() => Duration::from_nanos(next).max(quarter),
            _ => return sleep(tick),
        };
        if event > 3 * quarter {
            return sleep(if event <= tick + quarter { event } else { tick });
        }
        sleep(event);
        if self.due_in() == Some(0) {
            // SAFETY: workers live as long as the program; requests are atomics.
            self.computing().for_each(|worker| unsafe { request(worker, DUE) });
        }
        sleep(tick - event);
    }

    /// The workers that compute, as far as the last tick has shown.
    fn computing(&self) -> impl Iterator<Item = *mut Worker> {
        let watches = &self.watches;
        self.shared.all().enumerate().filter(|&(index, _)| watches[index].computes()).map(|(_, worker)| worker)
    }

    /// A tick: looks at all workers, and asks for what each needs. False: all are idle.
    fn look(&mut self, next: Option<u64>) -> bool {
        let shared = self.shared;
        let mut runs = false;
        let gone = shared.gone.load(Ordering::Relaxed);
        let idle = shared.stop.idle.load(Ordering::SeqCst) | gone;
        let near = next.filter(|&next| self.is_near(next)).map(|next| next == 0);
        let in_company = !self.alone && shared.started.load(Ordering::Relaxed) > 1 && gone == 0;
        let spread = in_company && self.folding.tick(shared);
        for (index, worker) in shared.all().enumerate() {
            if idle & (1 << index) != 0 {
                self.watches[index].rests();
                continue;
            }
            runs = true;
            // SAFETY: the worker lives as long as the program; counters and requests are atomics.
            unsafe {
                // A worker that set its limits just then may have undone what `request` stored.
                if (*worker).request.load(Ordering::Relaxed) != 0 {
                    request(worker, 0);
                }
                self.watches[index].tick(worker, near);
                if self.alone || !(spread || self.ticks.is_multiple_of(TICKS / 2)) {
                    continue;
                }
                // A ready thread computes or waits for one that does, or more than one wait. (A worker with one gets to
                // it soon: two threads that talk to each other are not to be torn apart.)
                let (ready, spare) = (turns::glance(worker).0, turns::has_spare(worker));
                let still = self.watches[index].still >= TICKS / 2;
                if spare || (ready && still) {
                    if shared.started.load(Ordering::Relaxed) < shared.allowed.load(Ordering::Relaxed) {
                        // A worker that is started begins where the OS thread is that starts it.
                        self.place.set(apart::free(shared));
                    }
                    post::ask_for_help(shared, worker);
                }
                // One in blocking C serves nobody.
                if ready && still {
                    wake_idle(shared);
                }
            }
        }
        runs
    }

    fn is_near(&self, next: u64) -> bool {
        next <= NEAR * self.tick.as_nanos() as u64
    }

    /// Goes to the processor of the worker that computes while an event is near, and leaves it some ticks later. Where
    /// several compute, it may be any of them that has to look, and each has a processor of its own: so it goes to
    /// none.
    fn go_near(&mut self, next: Option<u64>) {
        let mut computing = self.computing();
        let only = computing.next().filter(|_| computing.next().is_none());
        drop(computing);
        let Some(worker) = only else {
            return self.place.set(None);
        };
        self.stays = if next.is_some_and(|next| self.is_near(next)) { LINGER } else { self.stays.saturating_sub(1) };
        // SAFETY: the worker lives as long as the program.
        let processor = unsafe { (*worker).processor.load(Ordering::Relaxed) };
        self.place.set((self.stays > 0 && processor != u32::MAX).then_some(processor));
    }
}

/// Whether all workers are idle.
fn is_quiet(shared: &Shared) -> bool {
    let started = shared.started.load(Ordering::Acquire);
    let idle = shared.stop.idle.load(Ordering::SeqCst) | shared.gone.load(Ordering::Relaxed);
    idle.count_ones() as usize >= started
}

/// After a fork, if there was one.
pub(crate) fn restart_ticker(shared: &'static Shared) {
    if shared.stop.ticker.swap(false, Ordering::SeqCst) {
        start_ticker(shared);
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn while_an_event_is_near_it_runs_beside_a_worker_that_computes() {
        use super::*;
        use crate::base::host::Config;
        use crate::base::no_host::NoHost;
        use crate::base::processor;
        use crate::base::worker::count;
        use crate::fibers::Fibers;
        let config = Config { lanes: 2, main_stack: 1 << 20, lane_stack: 1 << 20, ..Config::default() };
        let fibers = Fibers::new(config, NoHost::STILL).unwrap();
        let worker = fibers.shared.worker(0);
        // SAFETY: no thread runs; the worker lives as long as the program.
        let (processor, looks) = unsafe { (&(*worker).processor, &(*worker).counters.looks) };
        let mut ticker = Ticker::new(fibers.shared, true);
        let mut is_beside = |next: Option<u64>| {
            assert!(ticker.look(next) || next.is_none());
            ticker.go_near(next);
            ticker.place.is_bound()
        };
        let near = Some(3 * 1_000_000);
        assert!(!is_beside(near) && !is_beside(near), "it has to be seen that it computes, and where");
        processor.store(processor::here(), Ordering::Relaxed);
        assert!(is_beside(near) && is_beside(Some(0)));
        // Nothing is near any more.
        let stays = (0..40).take_while(|_| is_beside(Some(1_000_000_000))).count();
        assert_eq!(stays, LINGER as usize - 1);
        assert!(is_beside(near));
        // The worker looks for events by itself.
        (0..10).for_each(|_| count(looks));
        assert!(!is_beside(near));
        assert!(!is_beside(near) && is_beside(near));
        // It is idle.
        fibers.shared.stop.idle.store(1, Ordering::SeqCst);
        assert!(!is_beside(None));
    }
}
