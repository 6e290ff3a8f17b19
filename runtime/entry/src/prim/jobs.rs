//! Jobs: calls of the system that may take long, on OS threads of the pool; threads that wait for them.

use std::ffi::{CStr, CString};

use leat_fiber::reason;

use crate::prim::network::{addresses, host_name};
use crate::prim::shell;
use crate::prim::terminals::wait_for_lock;
use crate::service::here::{Here, Ints, Text};
use crate::service::system::repeated;
use crate::state::output::errno;
use crate::state::pool::{Answer, JobKind};
use crate::state::runtime::{io, runtime};

/// A shell's command -> its wait status.
pub const SHELL: u64 = 0;
/// Until a child can be waited for (a, b: child and options as `waitpid` takes them).
pub const CHILD: u64 = 1;
/// The name of a host (a: family) -> its proper name and addresses.
pub const ADDRESSES: u64 = 2;
/// An address -> its name.
pub const HOST_NAME: u64 = 3;
/// Opens a file (a: flags, b: mode).
pub const OPEN: u64 = 4;
/// Waits for a lock of the descriptor a (the words of `terminals::leat_fd_lock` as text).
pub const LOCK: u64 = 5;
/// Until all is sent to the terminal a.
pub const DRAIN: u64 = 6;
/// Until what was written to the file a is on its disk.
pub const SYNC: u64 = 8;
/// A function of C, begun by `foreign::leat_foreign_begin`.
pub const FOREIGN: u64 = 7;

/// Bits of a job's number, as the library knows it, that say what it is; the others are its number in the pool.
const WHAT_BITS: u32 = 4;

/// The number that the library knows a job of the pool by.
pub fn named(id: u64, what: u64) -> u64 {
    id << WHAT_BITS | what
}

pub fn in_pool(number: u64) -> u64 {
    number >> WHAT_BITS
}

/// What a thread that waits for the job says in reports.
fn why(number: u64) -> u64 {
    match number & ((1 << WHAT_BITS) - 1) {
        OPEN => reason::OPEN,
        LOCK => reason::FILE_LOCK,
        ADDRESSES | HOST_NAME => reason::NAME,
        DRAIN | SYNC => reason::WRITE,
        FOREIGN => reason::FOREIGN,
        _ => reason::PROCESS,
    }
}

/// kind * text * a * b -> the job's number.
pub fn leat_job_start(here: Here, what: u64, text: Text, a: i64, b: i64) -> u64 {
    named(start(what, here.bytes(&text), a, b), what)
}

/// The job's number in the pool.
fn start(what: u64, text: &[u8], a: i64, b: i64) -> u64 {
    let pool = &runtime().events.pool;
    let refused = |error: i32| pool.done(Answer { number: -(error as i64), text: Vec::new() });
    let Ok(text) = CString::new(text) else { return refused(libc::EINVAL) };
    // Without a poller nobody could be told of its end.
    if let Err(error) = io().prepare() {
        return refused(error.raw_os_error().unwrap_or(libc::EMFILE));
    }
    match what {
        SHELL => match shell::start(&text) {
            Ok((Some(ended), pid)) => pool.start_when_readable(ended, move || shell::finish(pid)),
            // The system knows no descriptors of processes.
            Ok((None, pid)) => pool.start(0, false, JobKind::Wait, move || shell::finish(pid)),
            Err(answer) => pool.done(answer),
        },
        ADDRESSES | HOST_NAME => pool.start(0, false, JobKind::Name, move || job(what, &text, a, b)),
        SYNC => pool.start(0, false, JobKind::Work, move || job(what, &text, a, b)),
        _ => pool.start(0, false, JobKind::Wait, move || job(what, &text, a, b)),
    }
}

/// Whether the job is done: 1; or 0 after a wait, then call again.
pub fn leat_job_wait(here: Here, id: u64) -> u64 {
    if runtime().events.pool.is_done_or_wake(in_pool(id), here.current()) {
        return 1;
    }
    here.park(why(id))
}

/// Whether the job is done; if not, this thread is made ready when it is.
pub fn leat_job_watch(_: Here, id: u64, thread: u64) -> u64 {
    runtime().events.pool.is_done_or_wake(in_pool(id), thread) as u64
}

/// The answer of a job that is done: its text; its number goes into the array.
pub fn leat_job_take(mut here: Here, id: u64, mut array: Ints) -> u64 {
    let lost = || Answer { number: -(libc::ECANCELED as i64), text: Vec::new() };
    let Answer { number, text } = runtime().events.pool.take(in_pool(id)).unwrap_or_else(lost);
    here.set(&mut array, 0, number);
    here.new_string(&text)
}

/// Nobody wants to know any more.
pub fn leat_job_drop(_: Here, id: u64) -> u64 {
    runtime().events.pool.drop_job(in_pool(id));
    0
}

/// What a job of the pool does, see [`leat_job_start`].
fn job(what: u64, text: &CStr, a: i64, b: i64) -> Answer {
    let result = |number: i64| if number < 0 { -(errno() as i64) } else { number };
    match what {
        CHILD => Answer { number: child(a, b), text: Vec::new() },
        ADDRESSES => addresses(text, a as i32),
        HOST_NAME => host_name(text),
        LOCK => {
            let words = text.to_str().unwrap_or_default();
            Answer { number: result(wait_for_lock(a as i32, words)), text: Vec::new() }
        }
        // SAFETY: a plain system call.
        DRAIN => Answer { number: result(unsafe { libc::tcdrain(a as i32) } as i64), text: Vec::new() },
        // SAFETY: a plain system call.
        SYNC => Answer { number: result(repeated(|| unsafe { libc::fsync(a as i32) }) as i64), text: Vec::new() },
        _ => {
            let flags = a as i32 | libc::O_CLOEXEC;
            // SAFETY: the path ends in NUL.
            let fd = repeated(|| unsafe { libc::open(text.as_ptr(), flags, b as libc::c_uint) });
            Answer { number: result(fd as i64), text: Vec::new() }
        }
    }
}

/// Waits until one of these children (as `waitpid` names them) has something to tell, which is left for the library.
fn child(pid: i64, options: i64) -> i64 {
    let (kind, id) = match pid {
        -1 => (libc::P_ALL, 0),
        0 => (libc::P_PGID, 0),
        group if group < 0 => (libc::P_PGID, -group),
        pid => (libc::P_PID, pid),
    };
    loop {
        // SAFETY: the structure is plain data.
        unsafe {
            let mut info: libc::siginfo_t = core::mem::zeroed();
            let stopped = if options as i32 & libc::WUNTRACED != 0 { libc::WSTOPPED } else { 0 };
            let options = libc::WEXITED | libc::WNOWAIT | stopped;
            match libc::waitid(kind, id as libc::id_t, &mut info, options) {
                0 => return 0,
                _ if errno() == libc::EINTR => {}
                _ => return -(errno() as i64),
            }
        }
    }
}
