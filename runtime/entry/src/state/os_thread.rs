//! What the calling OS thread is: its number, as the system's tools show it, what it does, and what signals it takes.

use std::cell::Cell;

use leat_abi::tcb::Tcb;
use leat_fiber::sample::Interrupted;

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

/// Asks the kernel to wake this OS thread at the very time, not within 50 us of it.
pub fn sharpen() {
    #[cfg(target_os = "linux")]
    // SAFETY: a plain system call.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_000);
    }
}

/// The registers that a signal's handler is given.
///
/// # Safety
/// The kernel gives the context.
pub unsafe fn interrupted(context: *mut libc::c_void) -> Interrupted {
    // SAFETY: as the caller says.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    Interrupted {
        pc: registers[libc::REG_RIP as usize] as usize,
        sp: registers[libc::REG_RSP as usize] as usize,
        fp: registers[libc::REG_RBP as usize] as usize,
    }
}

/// Blocks all signals in this OS thread; those that were blocked before.
pub fn block_all() -> libc::sigset_t {
    // SAFETY: plain data, which the calls fill.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        before
    }
}

/// Only these are blocked in this OS thread from now on.
pub fn set_blocked(signals: &libc::sigset_t) {
    // SAFETY: a plain system call.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, signals, core::ptr::null_mut()) };
}
