//! Commands of the shell, for OS.Process.system: a command -> a child, and its wait status when it has ended.
//!
//! As POSIX says of `system`, but that no OS thread waits: while a command runs, interrupts from the terminal (SIGINT,
//! SIGQUIT) are for it and not for this program. The child begins with the signals that this program was given, not
//! with those that the runtime has chosen.

use std::ffi::CStr;

use leat_io::own::Own;

use crate::service::system::pidfd;
use crate::state::children;
use crate::state::environment;
use crate::state::output::errno;
use crate::state::pool::Answer;

/// What `system` answers when there is no shell: it exits with 127.
const NO_SHELL: i64 = 127 << 8;

unsafe extern "C" {
    static mut environ: *const *mut libc::c_char;
}

/// A descriptor that can be read when the child has ended, if there are such ones, and the child; or the answer at
/// once.
pub(crate) fn start(command: &CStr) -> Result<(Option<Own>, libc::pid_t), Answer> {
    let arguments = [c"sh".as_ptr(), c"-c".as_ptr(), command.as_ptr(), core::ptr::null()];
    let mut pid = 0;
    // SAFETY: the attributes are made before they are used, and freed; the lists end in null; the new descriptor is
    // nobody's.
    unsafe {
        let mut attributes = core::mem::zeroed();
        libc::posix_spawnattr_init(&mut attributes);
        let mut defaults: libc::sigset_t = core::mem::zeroed();
        libc::sigemptyset(&mut defaults);
        for signal in children::defaults() {
            libc::sigaddset(&mut defaults, signal);
        }
        libc::posix_spawnattr_setsigdefault(&mut attributes, &defaults);
        libc::posix_spawnattr_setflags(&mut attributes, libc::POSIX_SPAWN_SETSIGDEF as libc::c_short);
        let none = core::ptr::null();
        children::shell_begins();
        let error = environment::alone(|| {
            libc::posix_spawn(
                &mut pid,
                c"/bin/sh".as_ptr(),
                none,
                &attributes,
                arguments.as_ptr().cast(),
                environ.cast(),
            )
        });
        libc::posix_spawnattr_destroy(&mut attributes);
        if error != 0 {
            children::shell_ended();
            let number = if error == libc::ENOENT { NO_SHELL } else { -(error as i64) };
            return Err(Answer { number, text: Vec::new() });
        }
        Ok((pidfd(pid).ok().map(Own::from), pid))
    }
}

/// Waits for the child -> its wait status.
pub(crate) fn finish(pid: libc::pid_t) -> Answer {
    let mut status = 0;
    let number = loop {
        // SAFETY: room for the status.
        match unsafe { libc::waitpid(pid, &mut status, 0) } {
            0.. => break status as i64,
            _ if errno() == libc::EINTR => {}
            _ => break -(errno() as i64),
        }
    };
    children::shell_ended();
    Answer { number, text: Vec::new() }
}
