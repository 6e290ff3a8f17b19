//! Children: what of this program's signals they begin with, and the commands of the shell that run.
//!
//! The runtime ignores [`ERRORS`], so that what they tell of is an error of the call; other programs expect to be ended
//! by them. So a child finds the default, unless the program has said itself that it ignores the signal.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::state::arrivals::bit;

/// Signals of a write that cannot be done: nobody reads (EPIPE), and the file is as large as files may be (EFBIG).
pub const ERRORS: [i32; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Which of them the program itself ignores, and for which it has a handler of its own, by bit.
static IGNORED: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// Commands of the shell that run. Meanwhile the terminal's interrupts are for them.
static SHELLS: AtomicU32 = AtomicU32::new(0);

/// A program begins.
pub fn begin() {
    IGNORED.store(0, Ordering::SeqCst);
    HANDLED.store(0, Ordering::SeqCst);
    in_child();
}

/// What the program does with one of [`ERRORS`] from now on.
pub fn program_has(signal: i32, ignored: bool, handled: bool) {
    for (set, is_in) in [(&IGNORED, ignored), (&HANDLED, handled)] {
        match is_in {
            true => _ = set.fetch_or(bit(signal), Ordering::SeqCst),
            false => _ = set.fetch_and(!bit(signal), Ordering::SeqCst),
        }
    }
}

/// Signals for which a child has the default action, though this process has not.
pub fn defaults() -> impl Iterator<Item = i32> {
    let ignored = IGNORED.load(Ordering::SeqCst);
    ERRORS.into_iter().filter(move |&signal| ignored & bit(signal) == 0)
}

/// Before this process becomes another program. Only a system call: it may be a child that has just been forked.
pub fn before_exec() {
    for signal in defaults() {
        // SAFETY: the default action. Handlers of others are taken away by the system.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// As [`before_exec`], for handlers: signals that have one do what they do without, as they will in the other program.
pub fn without_handlers() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: plain data, which the first call fills. The C library refuses its own signals.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            if libc::sigaction(signal, core::ptr::null(), &mut action) == 0
                && ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction)
            {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
}

/// It could not become that program.
pub fn exec_failed() {
    let handled = HANDLED.load(Ordering::SeqCst);
    for signal in ERRORS.into_iter().filter(|&signal| handled & bit(signal) == 0) {
        // SAFETY: no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

pub fn has_shells() -> bool {
    SHELLS.load(Ordering::SeqCst) > 0
}

pub fn shell_begins() {
    SHELLS.fetch_add(1, Ordering::SeqCst);
}

pub fn shell_ended() {
    // One of a parent's may end in no child.
    let _ = SHELLS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
}

/// This process is a forked child: the parent's commands are not its own.
pub fn in_child() {
    SHELLS.store(0, Ordering::SeqCst);
}
