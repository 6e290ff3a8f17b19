//! The world: which workers run, and that one may have it for itself.
//!
//! ```text
//!            no thread to run                    woken, and the world not stopped
//!  RUNNING ------------------------> IDLE (waits in the host) ---------------------> RUNNING
//!     |  ^                           BLOCKED (in blocking C)
//!     |  | world goes on
//!     v  |
//!  STOPPED (at a safepoint, another worker collects)
//! ```
//!
//! `running` counts the workers in RUNNING. Who wants the world for itself sets `stopping`, asks the others for a safepoint,
//! and waits until `running` is 1: itself. Nobody becomes RUNNING while `stopping` is set.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::base::atomic::{AtomicBool, AtomicU64};
use crate::base::queue::Lock;

#[derive(Default)]
pub(crate) struct Stop {
    state: Mutex<State>,
    /// `running` became 1, or the ticker should look again.
    pub(crate) fewer: Condvar,
    /// `stopping` was cleared.
    pub(crate) go: Condvar,
    /// Bit set of workers that are idle. Set and cleared with the mutex held, read anywhere.
    pub(crate) idle: AtomicU64,
    pub(crate) ticker: AtomicBool,
    pub(crate) ticker_asleep: AtomicBool,
    /// Held while the ticker asks the host something, which it does not when the program is over.
    pub(crate) asking: Lock,
    pub(crate) ticker_thread: Mutex<Option<std::thread::Thread>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) stopping: bool,
    pub(crate) running: usize,
    /// Workers on an OS thread of theirs, less those that are idle: RUNNING, STOPPED and BLOCKED ones have a thread in
    /// hand, so nothing is a deadlock while there is one.
    pub(crate) active: usize,
    pub(crate) handles: Vec<JoinHandle<()>>,
}

impl Stop {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up the right to run until the world is not stopped.
    pub(crate) fn pass<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.running -= 1;
        self.fewer.notify_all();
        self.enter(state)
    }

    /// Waits until the world is not stopped, and counts as running.
    pub(crate) fn enter<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.stopping {
            state = self.go.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        state
    }
}

pub(crate) fn wake_ticker(stop: &Stop) {
    if let Some(thread) = &*stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) {
        thread.unpark();
    }
}
