//! Commands on one processor.

use std::process::Command;

/// Lets a command have one processor only, the first of those that this process may use.
pub fn pin(command: &mut Command) -> &mut Command {
    #[cfg(target_os = "linux")]
    // SAFETY: plain system calls, on a set that lives.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, || {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let size = size_of::<libc::cpu_set_t>();
            if libc::sched_getaffinity(0, size, &mut set) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            let first = (0..libc::CPU_SETSIZE as usize).find(|&cpu| libc::CPU_ISSET(cpu, &set)).unwrap_or(0);
            libc::CPU_ZERO(&mut set);
            libc::CPU_SET(first, &mut set);
            if libc::sched_setaffinity(0, size, &set) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    command
}
