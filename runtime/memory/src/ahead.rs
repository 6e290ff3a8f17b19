//! Pages of the blocks that will be needed soon -> committed, by a thread of the operating system beside the program.
//!
//! A huge page that the system has to find first takes as long as ten minor collections of a program with short pauses
//! (decision 017). So where pauses have a goal, the next pages are made ready outside of them: a collection asks for so
//! much beyond what is used, and finds it there as a rule. What is not there yet it commits itself, in small pages. The
//! marks of these pages' lines are made ready with them: the first slices of the next marking would have met them all
//! at once.
//!
//! ```text
//!   | used by the program | ready           | the thread is here, in huge pages     | asked for
//!                         '------ where the program is near: small pages, which the program need not wait for
//! ```
//!
//! Everything here is a hint, as in [`crate::commit`]: whoever commits a page, it is the same page, and what is in it
//! stays. So the two never wait for each other, and a forked child, which has no such thread, only finds that nothing
//! is ready.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use crate::commit::{commit, populate};
use crate::space::{HUGE, LINE_SHIFT, give_precedence, leave_signals};

/// So much is to be ready beyond what is used, and asked for when this part of it is missing.
const RESERVE: usize = 8 << 20;
const PART: usize = 4;
/// Where the program is nearer than this, pages are small: who needs one while a huge page is being made there makes
/// another huge page, and one of the two is thrown away. (5 ms of a collection.)
const NEAR: usize = 2 * HUGE;
/// So much is committed in small pages at a time.
const SMALL: usize = 256 << 10;
/// What a collection that finds nothing ready commits beyond what it needs.
const STEP: usize = 128 << 10;

struct Shared {
    wanted: Mutex<Wanted>,
    asked: Condvar,
    /// The thread has committed what was wanted up to here.
    ready: AtomicUsize,
    /// And the program has used all up to here.
    used: AtomicUsize,
    /// Where the memory begins, and the table that has a byte for each line of it.
    base: usize,
    lines: usize,
}

struct Wanted {
    /// Up to this address.
    to: usize,
    /// The heap ends.
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The thread, seen by the collector.
pub(crate) struct Ahead {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The process that it belongs to.
    process: u32,
    /// What was asked for last; no more is to be had.
    asked: Cell<usize>,
    end: usize,
}

impl Ahead {
    /// Of memory at `base` that is committed up to `from`, and ends at `end`; `lines` is the table of its lines. None:
    /// the system gives no thread.
    pub fn start(base: usize, from: usize, end: usize, lines: usize) -> Option<Ahead> {
        let shared = Arc::new(Shared {
            base,
            lines,
            wanted: Mutex::new(Wanted { to: from, is_over: false }),
            asked: Condvar::new(),
            ready: AtomicUsize::new(from),
            used: AtomicUsize::new(from),
        });
        let theirs = shared.clone();
        let builder = std::thread::Builder::new().name("pages".into()).stack_size(64 << 10);
        let thread = builder.spawn(move || run(&theirs)).ok()?;
        Some(Ahead { shared, thread: Some(thread), process: std::process::id(), asked: Cell::new(from), end })
    }

    /// Everything below `end` is to be there, where all below `ready` is. Gives up to where it is.
    pub fn cover(&self, ready: usize, end: usize) -> usize {
        let mut ready = ready.max(self.shared.ready.load(Acquire));
        self.shared.used.store(end, Relaxed);
        if end > ready {
            let to = (end + STEP).min(self.end);
            populate(ready, to);
            ready = to;
            self.shared.used.store(ready, Relaxed);
        }
        if end + RESERVE > self.asked.get() + RESERVE / PART && std::process::id() == self.process {
            let to = (end + RESERVE).min(self.end);
            self.asked.set(to);
            self.shared.lock().to = to;
            self.shared.asked.notify_one();
        }
        ready
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if std::process::id() == self.process {
            self.shared.lock().is_over = true;
            self.shared.asked.notify_one();
            let thread = self.thread.take().map(|thread| thread.join());
            debug_assert!(thread.is_none_or(|joined| joined.is_ok()));
        } else {
            // An OS thread that does not exist here cannot be waited for, nor be let go.
            std::mem::forget(self.thread.take());
        }
    }
}

fn run(shared: &Shared) {
    leave_signals();
    give_precedence();
    let mut at = shared.ready.load(Relaxed);
    loop {
        let mut wanted = shared.lock();
        while !wanted.is_over && wanted.to <= at {
            wanted = shared.asked.wait(wanted).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if wanted.is_over {
            return;
        }
        let to = wanted.to;
        drop(wanted);
        // What the program has come to itself is behind.
        let used = shared.used.load(Relaxed);
        let from = at;
        at = at.max(used.min(to));
        // A huge page at a time, as far as the memory goes.
        let end = ((at & !(HUGE - 1)) + HUGE).min(to.max(at));
        let is_near = at.saturating_sub(used) < NEAR;
        let end = if is_near { end.min(at + SMALL) } else { end };
        if is_near {
            populate(at, end)
        } else {
            commit(at, end)
        }
        at = end;
        let line = |at: usize| shared.lines + ((at - shared.base) >> LINE_SHIFT);
        populate(line(from), line(at) + 1);
        shared.ready.store(at, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_there_after_a_while() {
        let room = vec![0u8; 16 * HUGE];
        let start = (room.as_ptr() as usize).next_multiple_of(HUGE);
        let limit = start + 14 * HUGE;
        let lines = vec![0u8; (16 * HUGE) >> LINE_SHIFT];
        let ahead = Ahead::start(start, start, limit, lines.as_ptr() as usize).unwrap();
        let mut ready = start;
        // However fast the program is, what it needs is there, and in the end nothing is missing.
        for end in (start..limit).step_by(HUGE / 8) {
            ready = ahead.cover(ready, end);
            assert!(ready >= end && ready <= limit);
        }
        while ahead.shared.ready.load(Acquire) < limit {
            std::thread::yield_now();
        }
        assert_eq!(ahead.cover(start, start + 1), limit);
        drop(ahead);
        assert!(room.iter().chain(&lines).all(|&byte| byte == 0));
    }
}
