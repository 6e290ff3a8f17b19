//! Processes, accounts and the system, for OS.Process, Posix, Unix, Date and MLton: primitives of `abi::prim`.

use std::ffi::CStr;
use std::os::fd::IntoRawFd;
use std::sync::atomic::Ordering;

use leat_abi::figures::process as figures;
use leat_abi::tcb::Tcb;
use leat_fiber::Forked;

use crate::service::here::{Here, Ints, Text};
use crate::service::lend::lend;
use crate::service::objects::bytes;
use crate::service::system::{BAD_PATH, answer, negated, path, pidfd, repeated, set, set_timer};
use crate::state::arrivals::{self, as_without_handler};
use crate::state::children;
use crate::state::environment;
use crate::state::os_thread::{block_all, os_thread, set_blocked};
use crate::state::output::{errno, write_all};
use crate::state::reentry;
use crate::state::runtime::{io, runtime, stderr, stdout};
use crate::state::session::restore_terminal;
use crate::state::trace;

/// A system call that may wait, with its error.
fn waiting(here: &mut Here, keep: &mut [u64], mut call: impl FnMut() -> i64) -> i64 {
    here.while_blocked(keep, || {
        let result = call();
        if result < 0 { -(errno() as i64) } else { result }
    })
}

/// Strings that each end in NUL, as C wants them.
struct Strings {
    _bytes: Vec<u8>,
    pointers: Vec<*const libc::c_char>,
}

impl Strings {
    fn new(text: &[u8]) -> Strings {
        let mut bytes = text.to_vec();
        bytes.push(0);
        let mut pointers = Vec::new();
        let mut at = 0;
        while at < text.len() {
            pointers.push(bytes[at..].as_ptr().cast());
            at += bytes[at..].iter().position(|b| *b == 0).unwrap_or(0) + 1;
        }
        pointers.push(core::ptr::null());
        Strings { _bytes: bytes, pointers }
    }
}

unsafe extern "C" {
    static mut environ: *const *const libc::c_char;
}

/// The child's number, 0 in the child, or a negated error number. Signals that have come before are the parent's; what
/// comes to the child meanwhile it gets behind this.
fn fork() -> libc::pid_t {
    let before = block_all();
    // SAFETY: a plain system call.
    let pid = match unsafe { libc::fork() } {
        -1 => -errno(),
        pid => pid,
    };
    if pid == 0 {
        arrivals::in_child();
    }
    set_blocked(&before);
    pid
}

pub fn leat_process_fork(mut here: Here) -> u64 {
    let mut forked = None;
    let pid = loop {
        let mut tried = Ok(false);
        let forks = || {
            (forked, tried) = fork_with_locks();
            if forked == Some(0) {
                in_child();
            }
            forked == Some(0)
        };
        // SAFETY: the calling worker's block, at a safepoint; the primitive has no reference.
        match unsafe { leat_fiber::fork(here.tcb(), forks) } {
            Forked::Done => {}
            // The library calls again: so the thread comes to a safepoint.
            Forked::Again => return negated(libc::EINTR),
            Forked::InAtomicSection => return negated(libc::EDEADLK),
            Forked::Over => return negated(libc::EAGAIN),
        }
        match (forked, tried) {
            (Some(pid), _) => break pid,
            // Another worker may make one before the next attempt.
            (None, Ok(_)) => here.lend_all(),
            // The child would have no poller of its own.
            (None, Err(error)) => return negated(error.raw_os_error().unwrap_or(libc::EMFILE)),
        }
    };
    pid as i64 as u64
}

/// What is otherwise in the child of a fork, before any other OS thread is there.
fn in_child() {
    crate::profile::in_child();
    crate::state::debugger::in_child();
    runtime().forked.store(true, Ordering::Relaxed);
    // Calls of workers that have stayed behind; this one is in none.
    runtime().blocked_calls.store(0, Ordering::SeqCst);
    children::in_child();
}

/// Forks with all locks held that the child needs, outermost first. Gives the child's number, 0 in the child; none
/// while there are private pipes, or with the error for which there is no fork.
fn fork_with_locks() -> (Option<libc::pid_t>, std::io::Result<bool>) {
    let (mut forked, mut tried) = (None, Ok(false));
    let is_child = |forked: &Option<libc::pid_t>| *forked == Some(0);
    reentry::around_fork(|| {
        runtime().events.pool.around_fork(|| {
            stdout().around_fork(|| {
                stderr().around_fork(|| {
                    tried = io().around_fork(|| {
                        runtime().events.around_fork(|| {
                            trace::around_fork(|| {
                                let fork = || runtime().fibers.around_fork(fork);
                                let fork = || runtime().heap.around_fork(|| runtime().around_fork(fork));
                                forked = Some(environment::alone(fork));
                                is_child(&forked)
                            });
                            is_child(&forked)
                        });
                        is_child(&forked)
                    });
                    is_child(&forked)
                });
                is_child(&forked)
            });
            is_child(&forked)
        });
        is_child(&forked)
    });
    (forked, tried)
}

const SEARCH: u64 = 1;
const USE_ENVIRONMENT: u64 = 2;

/// Replaces the process image; only returns with an error.
fn execute(file: &CStr, arguments: &Strings, environment: &Strings, flags: u64) -> i64 {
    // SAFETY: both lists end in null.
    unsafe {
        let environment = if flags & USE_ENVIRONMENT != 0 { environment.pointers.as_ptr() } else { environ };
        let call = if flags & SEARCH != 0 { libc::execvpe } else { libc::execve };
        repeated(|| call(file.as_ptr(), arguments.pointers.as_ptr(), environment)) as i64
    }
}

pub fn leat_process_exec(mut here: Here, file: Text, arguments: Text, environment: Text, flags: u64) -> u64 {
    let Some(file) = here.path(file) else { return BAD_PATH };
    let _ = stdout().flush();
    let (arguments, environment) = (Strings::new(here.bytes(&arguments)), Strings::new(here.bytes(&environment)));
    // Private pipes would be closed.
    here.lend_all();
    children::before_exec();
    let result = answer(environment::alone(|| execute(&file, &arguments, &environment, flags)));
    children::exec_failed();
    result
}

/// # Safety
/// Called by compiled code.
pub unsafe fn leat_process_spawn(
    tcb: *mut Tcb,
    file: u64,
    arguments: u64,
    environment: u64,
    flags: u64,
    fds: u64,
) -> u64 {
    // SAFETY: strings and an array of three, kept; between fork and exec only system calls run in the child.
    unsafe {
        let mut kept = [file, arguments, environment];
        let mut fds = *(fds as *const [i64; 3]);
        lend(tcb, &fds.map(|fd| fd as i32), &mut kept);
        let [file, arguments, environment] = kept;
        let Some(file) = path(file) else { return BAD_PATH };
        let (arguments, environment) = (Strings::new(bytes(arguments)), Strings::new(bytes(environment)));
        // The child tells of a failed exec through this pipe, which a good one closes.
        let mut report = [0i32; 2];
        if libc::pipe2(report.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
            return answer(-1);
        }
        let _ = stdout().flush();
        // A signal to the child does what it does in the new program, and calls no handler of this one.
        let before = block_all();
        let pid = environment::alone(|| libc::fork());
        if pid == 0 {
            // First out of the way of 0, 1 and 2, then into place. The pipe's end, too, where those were closed. What
            // cannot be done ends the child: it would read or write what is its parent's.
            let failed = |report: i32| -> ! {
                let _ = write_all(report, &errno().to_ne_bytes());
                libc::_exit(127)
            };
            if report[1] < 3 {
                let moved = libc::fcntl(report[1], libc::F_DUPFD_CLOEXEC, 3);
                report[1] = if moved < 0 { failed(report[1]) } else { moved };
            }
            for fd in &mut fds {
                if (0..3).contains(fd) {
                    let moved = libc::fcntl(*fd as i32, libc::F_DUPFD_CLOEXEC, 3);
                    *fd = if moved < 0 { failed(report[1]) } else { moved as i64 };
                }
            }
            for (target, fd) in fds.iter().enumerate() {
                if *fd >= 0 && repeated(|| libc::dup2(*fd as i32, target as i32)) < 0 {
                    failed(report[1]);
                }
            }
            children::before_exec();
            children::without_handlers();
            set_blocked(&before);
            execute(&file, &arguments, &environment, flags);
            failed(report[1]);
        }
        let error = errno();
        set_blocked(&before);
        libc::close(report[1]);
        if pid < 0 {
            libc::close(report[0]);
            return -(error as i64) as u64;
        }
        let mut failed = 0i32;
        let got = repeated(|| libc::read(report[0], (&mut failed as *mut i32).cast(), 4));
        libc::close(report[0]);
        if got == 4 {
            repeated(|| libc::waitpid(pid, core::ptr::null_mut(), 0));
            return -(failed as i64) as u64;
        }
        pid as u64
    }
}

/// # Safety
/// Called by compiled code.
pub unsafe fn leat_process_wait(mut here: Here, pid: u64, options: u64, array: u64) -> u64 {
    // Cut off, the number would be another child's, or any child's.
    let Ok(pid) = i32::try_from(pid as i64) else { return -(libc::ECHILD as i64) as u64 };
    // SAFETY: the array is kept over the wait.
    unsafe {
        let mut status = 0;
        let mut keep = [array];
        let mut wait = || repeated(|| libc::waitpid(pid, &mut status, options as i32)) as i64;
        let result = match options as i32 & libc::WNOHANG {
            0 => waiting(&mut here, &mut keep, wait),
            _ => match wait() {
                failed if failed < 0 => -(errno() as i64),
                result => result,
            },
        };
        set(keep[0], 0, status as i64);
        result as u64
    }
}

/// Whether the calling OS thread gets this signal at once when it is sent to it.
fn takes(signal: i32) -> bool {
    // SAFETY: plain data, which the call fills.
    unsafe {
        let mut mask: libc::sigset_t = core::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, core::ptr::null(), &mut mask);
        libc::sigismember(&mask, signal) == 0
    }
}

pub fn leat_process_kill(_: Here, pid: u64, signal: u64) -> u64 {
    // Cut off, the number would be another process's, or mean a group.
    let Ok(pid) = i32::try_from(pid as i64) else { return -(libc::ESRCH as i64) as u64 };
    let signal = signal as i32;
    // SAFETY: plain system calls.
    unsafe {
        let is_to_itself = [libc::getpid(), 0, -libc::getpgrp()].contains(&pid);
        let is_deadly = is_to_itself && as_without_handler(signal);
        // Any OS thread of the process may get what is sent to it, and this one would go on meanwhile.
        if pid == libc::getpid() && takes(signal) {
            return answer(libc::raise(signal) as i64);
        }
        let result = libc::kill(pid, signal);
        if is_deadly && result == 0 {
            libc::raise(signal);
        }
        answer(result as i64)
    }
}

pub fn leat_process_id(_: Here, what: u64) -> u64 {
    // SAFETY: plain system calls.
    unsafe {
        match what {
            figures::ID => libc::getpid() as u64,
            figures::PARENT => libc::getppid() as u64,
            figures::USER => libc::getuid() as u64,
            figures::EFFECTIVE_USER => libc::geteuid() as u64,
            figures::GROUP => libc::getgid() as u64,
            figures::EFFECTIVE_GROUP => libc::getegid() as u64,
            figures::PROCESS_GROUP => libc::getpgrp() as u64,
            figures::SESSION => answer(libc::getsid(0) as i64),
            _ => os_thread(),
        }
    }
}

pub fn leat_process_exit_now(_: Here, status: u64) -> u64 {
    restore_terminal();
    // SAFETY: ends the process.
    unsafe { libc::_exit(status as i32) }
}

/// Nanoseconds until SIGALRM, 0 for none -> what was left of the last one.
pub fn leat_process_alarm(_: Here, time: i64) -> u64 {
    // The system's `alarm` knows whole seconds in 32 bits only; its timer is the same.
    set_timer(0, 0, time)
}

pub fn leat_process_pause(mut here: Here) -> u64 {
    // SAFETY: waits for a signal.
    waiting(&mut here, &mut [], || unsafe { libc::pause() } as i64) as u64
}

pub fn leat_process_set(_: Here, what: u64, a: u64, b: u64) -> u64 {
    if what == 2 && [a, b].iter().any(|&number| i32::try_from(number as i64).is_err()) {
        return -(libc::ESRCH as i64) as u64;
    }
    // SAFETY: plain system calls.
    unsafe {
        answer(match what {
            0 => libc::setuid(a as u32) as i64,
            1 => libc::setgid(a as u32) as i64,
            2 => libc::setpgid(a as i32, b as i32) as i64,
            3 => libc::setsid() as i64,
            _ => libc::nice(a as i32) as i64,
        })
    }
}

pub fn leat_limit_get(here: Here, resource: u64, mut array: Ints) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the structure.
    let result = unsafe { libc::getrlimit(resource as _, &mut limit) };
    here.set(&mut array, 0, limit.rlim_cur as i64);
    here.set(&mut array, 1, limit.rlim_max as i64);
    answer(result as i64)
}

pub fn leat_limit_set(here: Here, resource: u64, array: Ints) -> u64 {
    let ints = here.ints(&array);
    let limit = libc::rlimit { rlim_cur: ints[0] as _, rlim_max: ints[1] as _ };
    // SAFETY: plain data.
    answer(unsafe { libc::setrlimit(resource as _, &limit) } as i64)
}

/// A descriptor that can be read when the process has ended.
pub fn leat_process_open(_: Here, pid: u64) -> u64 {
    match pidfd(pid as i32) {
        Ok(fd) => {
            let fd = fd.into_raw_fd();
            io().own(fd);
            fd as u64
        }
        Err(error) => negated(error),
    }
}

/// Whether a child can be waited for; also when it is none.
pub fn leat_process_ended(_: Here, pid: u64) -> u64 {
    // SAFETY: the structure is plain data; the child is left for the library to wait for.
    unsafe {
        let mut info: libc::siginfo_t = core::mem::zeroed();
        let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
        let result = libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options);
        (result < 0 || info.si_pid() != 0) as u64
    }
}
