//! The number of the calling OS thread, as the system's tools show it.

/// The number. Safe in a signal handler.
pub(crate) fn os_thread() -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: a plain system call.
    return unsafe { libc::syscall(libc::SYS_gettid) } as u64;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    // SAFETY: a plain call.
    return unsafe { libc::pthread_self() } as u64;
}
