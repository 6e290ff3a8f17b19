//! Which worker is home, if threads that communicate all run on one of them: a word that all workers look at. When that
//! is decided, and what follows from it: [`crate::workers::fold`].

use crate::base::atomic::{AtomicUsize, Ordering};

/// What workers look at.
pub(crate) struct Fold {
    /// The worker that is home, or [`SPREAD`].
    pub(crate) home: AtomicUsize,
}

pub(crate) const SPREAD: usize = usize::MAX;

impl Default for Fold {
    fn default() -> Fold {
        Fold { home: AtomicUsize::new(SPREAD) }
    }
}

impl Fold {
    pub(crate) fn is_folded(&self) -> bool {
        self.home.load(Ordering::Relaxed) != SPREAD
    }

    pub(crate) fn is_home(&self, worker: usize) -> bool {
        self.home.load(Ordering::Relaxed) == worker
    }

    /// Whether threads that do not compute run elsewhere than on this worker.
    pub(crate) fn is_elsewhere(&self, worker: usize) -> bool {
        let home = self.home.load(Ordering::Relaxed);
        home != SPREAD && home != worker
    }

    /// This worker is home, or the workers are spread.
    pub(crate) fn set(&self, home: Option<usize>) {
        self.home.store(home.unwrap_or(SPREAD), Ordering::Relaxed);
    }
}
