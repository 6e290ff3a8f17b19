//! What the calling OS thread is: its number, as the system's tools show it, and what it does.

use std::cell::Cell;

use leat_abi::tcb::Tcb;

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
    /// The worker that is in a call of C on this OS thread, on the worker's C stack.
    pub static IN_CALL: Cell<*mut Tcb> = const { Cell::new(std::ptr::null_mut()) };
}
