//! A program under test as in a terminal's foreground: whoever runs the tests may ignore SIGINT and SIGQUIT (a shell
//! does, for what it starts in the background) or SIGHUP (as `nohup` does), programs inherit that, and Leat leaves it
//! so.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// The command's process gets the signals' default actions.
pub fn foreground(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec, plain system calls.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM] {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        })
    }
}
