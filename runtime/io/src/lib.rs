//! Clock, timers, pollers, I/O manager.
//!
//! System calls and deadlines -> tokens of what may go on. Knows nothing of threads, workers or the heap: a timer and a
//! descriptor carry a 64-bit token or key, and `entry` says what these mean.
//!
//! Reading order: [`clock`] (what time it is, or is said to be), [`timers`] (the wheel), [`poller`] (where an idle
//! worker waits; [`epoll`], [`poll`] and `kqueue` are the files behind it), [`manager`] (who waits for what; [`kind`]
//! says how a descriptor is read without waiting, [`readiness`] what is remembered of it, [`own`] which descriptors are
//! the runtime's).
//!
//! # Invariants
//!
//! - I1: a timer is never given out before its deadline.
//! - I2: timers are given out in order of (deadline, start); equal deadlines first come, first served.
//! - I3: a cancelled timer leaves nothing behind.
//! - I4: a wake-up is never lost: one of the poller that comes before the wait ends that wait; an event that comes
//!   before a waiter is known keeps it from waiting.
//! - I5: a descriptor's number that is used again gets no event of the one before.
//! - I6: a waiter that was woken or gave up is in no list.

pub mod clock;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub mod epoll;
mod event;
pub mod kind;
#[cfg(any(
    target_os = "linux",
    target_os = "macos",
    target_os = "ios",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd"
))]
pub mod kqueue;
#[cfg(target_os = "linux")]
pub mod libkqueue;
pub mod manager;
pub mod own;
pub mod poll;
pub mod poller;
pub mod readiness;
pub mod timers;
mod waker;

pub use manager::{Direction, Manager, Outcome, Wait, WaitId};
pub use poller::{Backend, Event, Interest, Poller};
pub use timers::{TimerId, Timers};

/// The calling OS thread gives its part of the process's table of descriptors up, and takes no signals, whose handlers
/// would use it. As long as one OS thread alone has the table, Linux counts no references at each system call on a
/// descriptor: 10 % of row E1. Where the kernel cannot do that, nothing happens.
pub fn leave_files() {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: plain system calls; the kernel reads a live set of signals; the caller uses no descriptor.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        if libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut()) == 0 {
            libc::syscall(libc::SYS_close_range, 0u32, u32::MAX, libc::CLOSE_RANGE_UNSHARE);
        }
    }
}
