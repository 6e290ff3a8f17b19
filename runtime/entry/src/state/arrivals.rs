//! Signals that have come: noted by handlers and by the collector, served by the signals' thread (`life/signals.rs`).
//!
//! A collection counts as signal 0, which the system has not: it comes if the program has a handler for it.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::state::os_thread::CRASHES;
use crate::state::runtime::runtime;

/// Signals that have come and are not served, by bit. Handlers set.
pub static PENDING: AtomicU64 = AtomicU64::new(0);

/// How often each has come since it was last served.
pub static COUNTS: [AtomicU32; SIGNALS] = [const { AtomicU32::new(0) }; SIGNALS];

/// Those that the program serves itself, and those that it wants to have later.
pub static HANDLED: AtomicU64 = AtomicU64::new(0);
pub static MASKED: AtomicU64 = AtomicU64::new(0);

/// Those that are to end the program and have come.
pub static ENDING: AtomicU64 = AtomicU64::new(0);

/// When the first of them came, in nanoseconds of [`leat_io::clock::really_monotonic`]; 0 before.
pub static FIRST: AtomicU64 = AtomicU64::new(0);

const SIGNALS: usize = 65;

/// OS threads of C's call functions of SML. (The C library keeps this signal for itself.)
pub const CALLED: u64 = 1 << 32;

/// A library of C is closed.
pub const CLOSE: u64 = 1 << 33;

/// The bit of a collection.
pub const COLLECTED: u64 = 1;

pub fn bit(signal: i32) -> u64 {
    1 << (signal as u32 & 63)
}

/// A program begins.
pub fn begin() {
    for word in [&PENDING, &HANDLED, &MASKED, &ENDING, &FIRST] {
        word.store(0, Ordering::Relaxed);
    }
}

/// This process is a forked child: what has come and is not served is the parent's (POSIX), and so is what OS threads
/// of C have asked for. A collection was one of the common heap. With all signals blocked.
pub fn in_child() {
    PENDING.fetch_and(COLLECTED, Ordering::SeqCst);
    ENDING.store(0, Ordering::SeqCst);
    FIRST.store(0, Ordering::SeqCst);
    COUNTS.iter().skip(1).for_each(|count| count.store(0, Ordering::SeqCst));
}

/// One has come. May be called in a handler.
pub fn note(signal: i32) {
    COUNTS[signal as usize % SIGNALS].fetch_add(1, Ordering::SeqCst);
    PENDING.fetch_or(bit(signal), Ordering::SeqCst);
}

/// A collection is over.
pub fn collected() {
    if HANDLED.load(Ordering::Relaxed) & COLLECTED != 0 {
        note(0);
        runtime().fibers.interrupt();
    }
}

/// Signals to be served now.
pub fn due() -> u64 {
    PENDING.load(Ordering::SeqCst) & !MASKED.load(Ordering::SeqCst)
}

/// A signal by which a program crashes does from now on what it does in a process without handlers: it ends the
/// process. False for other signals, and where the program serves or ignores it.
pub fn as_without_handler(signal: i32) -> bool {
    if !CRASHES.iter().any(|crash| crash.0 == signal) || HANDLED.load(Ordering::SeqCst) & bit(signal) != 0 {
        return false;
    }
    // SAFETY: plain data, which the first call fills.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action);
        let is_deadly = action.sa_sigaction != libc::SIG_IGN;
        if is_deadly {
            action.sa_sigaction = libc::SIG_DFL;
            action.sa_flags = 0;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
        is_deadly
    }
}
