//! Commands that get no OS thread beyond their first.

use std::process::Command;

/// Lets a command's process, and those that it starts, start processes but no OS threads, as when `ulimit -u` is
/// reached. (That limit itself does not hold for root, and counts what else a user runs.)
#[cfg(target_os = "linux")]
pub fn alone(command: &mut Command) -> &mut Command {
    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    use libc::{SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO};
    // What a filter looks at: the number of the system call, and the lower half of its first argument.
    const NUMBER: u32 = std::mem::offset_of!(libc::seccomp_data, nr) as u32;
    const FLAGS: u32 = std::mem::offset_of!(libc::seccomp_data, args) as u32;
    let load = |offset| step(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
    let jump = |how, value, yes, no| step(BPF_JMP | how | BPF_K, value, yes, no);
    let answer = |value| step(BPF_RET | BPF_K, value, 0, 0);
    let program = [
        load(NUMBER),
        jump(BPF_JEQ, libc::SYS_clone3 as u32, 0, 1),
        // Its flags are in memory, where no filter looks: the C library calls `clone` instead.
        answer(SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        jump(BPF_JEQ, libc::SYS_clone as u32, 0, 3),
        load(FLAGS),
        jump(BPF_JSET, libc::CLONE_THREAD as u32, 0, 1),
        answer(SECCOMP_RET_ERRNO | libc::EAGAIN as u32),
        answer(SECCOMP_RET_ALLOW),
    ];
    // SAFETY: between fork and exec, plain system calls, on a program that lives.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, move || {
            let mut steps = program;
            let filter = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
            let mode = libc::SECCOMP_MODE_FILTER as libc::c_ulong;
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) != 0
            {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        })
    }
}

#[cfg(target_os = "linux")]
fn step(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}
