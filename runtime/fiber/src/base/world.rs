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
//! and waits until `running` is 1: itself. Nobody becomes RUNNING while `stopping` is set
//! ([`crate::workers::sole::enter`]). A fork waits until nobody is RUNNING nor STOPPED ([`crate::workers::fork`]).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::base::atomic::{AtomicBool, AtomicU64};
use crate::base::queue::Lock;

#[derive(Default)]
pub(crate) struct Stop {
    state: Mutex<State>,
    /// `running` became 1, or the ticker should look again.
    pub(crate) fewer: Condvar,
    /// `stopping` was cleared, or no worker is sole any more.
    pub(crate) go: Condvar,
    /// Bit set of workers that are idle. Set and cleared with the mutex held, read anywhere.
    pub(crate) idle: AtomicU64,
    /// Whether a worker is sole, for the ticker. Written with the mutex held.
    pub(crate) is_sole: AtomicBool,
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
    /// Workers that are STOPPED.
    pub(crate) stopped: usize,
    /// A worker forks, or waits until it can. Workers that are IDLE or BLOCKED stay that meanwhile.
    pub(crate) forking: bool,
    /// Workers that wait until they may count as running.
    pub(crate) entering: usize,
    /// The worker that is sole: see [`crate::workers::sole`].
    pub(crate) sole: Option<usize>,
    /// Workers on an OS thread of theirs, less those that are idle: RUNNING, STOPPED and BLOCKED ones have a thread in
    /// hand, so nothing is a deadlock while there is one.
    pub(crate) active: usize,
    pub(crate) handles: Vec<JoinHandle<()>>,
}

impl Stop {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn wake_ticker(stop: &Stop) {
    if let Some(thread) = &*stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) {
        thread.unpark();
    }
}
