//! Children: what of this program's signals they begin with, and the commands of the shell that run.
//!
//! The runtime ignores SIGPIPE, so that a lost reader is an error; other programs expect to be ended by it. So a child
//! finds the default, unless the program has said itself that it ignores the signal.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Whether the program itself ignores SIGPIPE, or has a handler of its own.
static IGNORED: AtomicBool = AtomicBool::new(false);
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Commands of the shell that run. Meanwhile the terminal's interrupts are for them.
static SHELLS: AtomicU32 = AtomicU32::new(0);

/// A program begins.
pub fn begin() {
    pipe_is(false, false);
    in_child();
}

/// What the program does with SIGPIPE from now on.
pub fn pipe_is(ignored: bool, handled: bool) {
    IGNORED.store(ignored, Ordering::SeqCst);
    HANDLED.store(handled, Ordering::SeqCst);
}

/// Whether children are to ignore SIGPIPE.
pub fn ignore_pipe() -> bool {
    IGNORED.load(Ordering::SeqCst)
}

/// Before this process becomes another program. Only a system call: it may be a child that has just been forked.
pub fn before_exec() {
    if !ignore_pipe() {
        // SAFETY: the default action. Handlers of others are taken away by the system.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    }
}

/// It could not become that program.
pub fn exec_failed() {
    if !HANDLED.load(Ordering::SeqCst) {
        // SAFETY: no handler.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
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
