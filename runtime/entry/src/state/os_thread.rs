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
