//! What the calling OS thread is: its number, as the system's tools show it, and what it does.

use std::cell::Cell;

use leat_abi::tcb::Tcb;

/// Signals by which a program crashes, in words.
pub const CRASHES: [(i32, &[u8]); 5] = [
    (libc::SIGSEGV, b"invalid memory access"),
    (libc::SIGBUS, b"bus error"),
    (libc::SIGFPE, b"arithmetic error"),
    (libc::SIGILL, b"invalid instruction"),
    (libc::SIGABRT, b"abort"),
];

/// The number. Safe in a signal handler.
pub(crate) fn os_thread() -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: a plain system call.
    return unsafe { libc::syscall(libc::SYS_gettid) } as u64;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    // SAFETY: a plain call.
    return unsafe { libc::pthread_self() } as u64;
}

thread_local! {
    /// Whether SML code runs on this OS thread.
    pub static RUNS_SML: Cell<bool> = const { Cell::new(false) };
}

thread_local! {
    /// Where the SML thread is that waits for the `blocking` call of this OS thread: a return address, or 0.
    pub static WAITS_AT: Cell<usize> = const { Cell::new(0) };
}

/// The worker that is in a call of C on this OS thread, or null. Safe in a signal handler.
pub fn calling() -> *mut Tcb {
    #[cfg(target_arch = "x86_64")]
    {
        unsafe extern "C" {
            fn leat_calling() -> *mut Tcb;
        }
        // SAFETY: reads two words of this OS thread's own.
        unsafe { leat_calling() }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::ptr::null_mut()
}
