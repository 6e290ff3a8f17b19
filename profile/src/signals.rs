//! Signals that end `leat profile` -> the program that it runs, which ends by them, and whose profile is shown.
//!
//! What the terminal sends reaches the program anyway, since both are in the foreground; what a process sends to
//! `leat profile` alone (a time limit, a stop button, CI) is sent on.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI32, Ordering};

/// Those that are passed on.
const SIGNALS: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The program's process; 0 while there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// The command's process gets this signal when this one ends, however it does.
pub fn end_with_parent(command: &mut Command, signal: libc::c_int) {
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec one system call is made, which neither allocates nor locks.
    unsafe {
        command.pre_exec(move || match libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (command, signal);
}

/// While it lives, signals are passed on; then they have the meaning that they had.
pub struct PassedOn(Vec<(libc::c_int, libc::sigaction)>);

pub fn pass_on(child: &Child) -> PassedOn {
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    let mut before = Vec::new();
    for signal in SIGNALS {
        // SAFETY: the structures are plain data, and the handler makes one system call.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            // What nohup and shells have told both to ignore stays ignored.
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction =
                send as extern "C" fn(libc::c_int, *const libc::siginfo_t, *const ()) as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &new, std::ptr::null_mut());
            before.push((signal, old));
        }
    }
    PassedOn(before)
}

impl Drop for PassedOn {
    fn drop(&mut self) {
        CHILD.store(0, Ordering::SeqCst);
        for (signal, old) in &self.0 {
            // SAFETY: what was there before.
            unsafe { libc::sigaction(*signal, old, std::ptr::null_mut()) };
        }
    }
}

/// The handler. What the kernel sends itself, for a key of the terminal or its end, the program has got, too.
extern "C" fn send(signal: libc::c_int, info: *const libc::siginfo_t, _: *const ()) {
    let child = CHILD.load(Ordering::SeqCst);
    // SAFETY: the system's own record of the signal; a plain system call, to the child that is waited for.
    unsafe {
        if child != 0 && (*info).si_code <= 0 {
            libc::kill(child, signal);
        }
    }
}
