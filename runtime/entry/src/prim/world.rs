//! The world: output, arguments, environment, files, time. Primitives of `abi::prim`.
//!
//! Files: a result below 0 is a negated error number. No call waits: `-EAGAIN` means that the library is to wait by
//! `fd_wait`, which parks the thread. So bytes are read and written in the heap itself.

use std::ffi::CString;

use leat_abi::tcb::Tcb;
use leat_io::{Direction, clock, kind};

use crate::prim::{files, waiting};
use crate::service::alloc::new_string;
use crate::service::objects::{bytes, bytes_mut};
use crate::service::system::negated;
use crate::service::wake::wake;
use crate::state::output::{Drain, Failure, Output, errno, error_text};
use crate::state::runtime::io;
use crate::state::runtime::{runtime, stderr, stdout};

/// Bytes that a read or write takes at most, so that no collection waits for it long.
const MOST: usize = 1 << 20;

/// Writes as much of an output as does not block: 0, or `-EAGAIN` when more has to go first, and the library waits; or what
/// is wrong with standard output, for an exception. Who does something else, before which what was printed is to be out,
/// need not know: it is told who prints next.
fn drain(output: &'static Output, how: Drain) -> u64 {
    let write = |fd: i32, bytes: &[u8]| {
        // SAFETY: the bytes live.
        io().attempt(fd, Direction::Write, bytes.len(), |kind, _| unsafe {
            kind::write(kind, fd, bytes.as_ptr(), bytes.len())
        })
    };
    match output.drain(how, write) {
        Ok(true) if output.is_due() && !output.leave_to_flusher() => negated(libc::EAGAIN),
        Ok(true) => 0,
        Ok(false) => negated(libc::EAGAIN),
        // Who writes to a reader that has gone is told; otherwise, that nobody hears of errors is no reason to stop.
        Err(failure) if core::ptr::eq(output, stderr()) => {
            stderr().told();
            if failure == Failure(libc::EPIPE) { negated(failure.0) } else { 0 }
        }
        Err(_) if how == Drain::Due => 0,
        Err(failure) => tell(failure),
    }
}

fn tell(Failure(error): Failure) -> u64 {
    stdout().told();
    negated(error)
}

unsafe fn print(text: u64, due: bool) -> u64 {
    // SAFETY: a string; the output copies it.
    match stdout().add(unsafe { bytes(text) }, due) {
        Ok(false) => 0,
        Ok(true) => drain(stdout(), Drain::Enough),
        Err(failure) => tell(failure),
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { print(text, true) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_write_out(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { print(text, false) }
}

/// Whether something that was printed is not out.
#[unsafe(no_mangle)]
pub extern "C" fn leat_out_due() -> u64 {
    stdout().is_due() as u64
}

/// Writes out what was printed, or waits for room. Below 0: nothing can be waited for.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_out_settle(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says; waiting comes last.
    unsafe {
        if drain(stdout(), Drain::Due) == 0 {
            return 0;
        }
        if (*tcb).atomic_depth > 0 {
            // No other thread may run here.
            let _ = stdout().flush();
            return 0;
        }
        waiting::leat_fd_wait(tcb, 1, 1)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print_err(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: a string.
    let _ = stderr().add(unsafe { bytes(text) }, false);
    drain(stderr(), Drain::All)
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_flush_out(_tcb: *mut Tcb) -> u64 {
    drain(stdout(), Drain::All)
}

/// After a wait: goes on with what gave `-EAGAIN`. fd (1, 2) * (0 enough for more to be printed, 1 what is due, 2 all)
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_out_drain(_tcb: *mut Tcb, fd: u64, how: u64) -> u64 {
    let output = if fd == 2 { stderr() } else { stdout() };
    let how = match how {
        0 => Drain::Enough,
        1 => Drain::Due,
        _ => Drain::All,
    };
    drain(output, how)
}

/// Before a worker waits: what was printed is seen, as far as that does not block.
pub(crate) fn write_out_due() {
    let _ = stdout().drain(Drain::Due, |fd, bytes| {
        // SAFETY: the bytes live.
        io().attempt(fd, Direction::Write, bytes.len(), |kind, _| unsafe {
            kind::write(kind, fd, bytes.as_ptr(), bytes.len())
        })
    });
}

/// How many arguments the program has.
#[unsafe(no_mangle)]
pub extern "C" fn leat_arg_count() -> u64 {
    runtime().arguments.len() as u64
}

/// The argument of this number, from 0; the empty string when there is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_arg(tcb: *mut Tcb, index: u64) -> u64 {
    let text = runtime().arguments.get(index as usize).map_or(&[][..], |a| a);
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, text) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_program_name(tcb: *mut Tcb) -> u64 {
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, &runtime().name) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_env(tcb: *mut Tcb, name: u64) -> u64 {
    // SAFETY: the name is read before the allocation.
    unsafe { new_string(tcb, &variable(bytes(name)).unwrap_or_default()) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_env_has(_tcb: *mut Tcb, name: u64) -> u64 {
    // SAFETY: a string.
    variable(unsafe { bytes(name) }).is_some() as u64
}

fn variable(name: &[u8]) -> Option<Vec<u8>> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    if name.is_empty() || name.contains(&0) || name.contains(&b'=') {
        return None;
    }
    std::env::var_os(std::ffi::OsStr::from_bytes(name)).map(|value| value.into_vec())
}

/// path * flags (0 read, 1 write new, 2 append) -> fd
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_open(_tcb: *mut Tcb, path: u64, flags: u64) -> u64 {
    // SAFETY: a string, copied.
    let Ok(path) = CString::new(unsafe { bytes(path) }) else { return negated(libc::EINVAL) };
    let flags = match flags {
        0 => libc::O_RDONLY,
        1 => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
        _ => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
    };
    files::open(&path, flags, 0o666)
}

/// fd * char array * start * count -> bytes read; `-EAGAIN`: the library waits and calls again.
///
/// # Safety
/// Called by compiled code, with the range inside the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_read(_tcb: *mut Tcb, fd: u64, array: u64, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    // SAFETY: the range is inside the array; the call does not wait, so nothing collects meanwhile.
    unsafe {
        let part = &mut bytes_mut(array)[start as usize..][..(count as usize).min(MOST)];
        io().attempt(fd, Direction::Read, part.len(), |kind, fetched| {
            kind::read(kind, fetched, fd, part.as_mut_ptr(), part.len())
        }) as u64
    }
}

/// fd * string or char array * start * count -> bytes written; `-EAGAIN`: the library waits and calls again.
///
/// # Safety
/// Called by compiled code, with the range inside the string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_write(_tcb: *mut Tcb, fd: u64, string: u64, start: u64, count: u64) -> u64 {
    let fd = fd as i32;
    // SAFETY: as in `leat_file_read`.
    unsafe {
        let part = &bytes(string)[start as usize..][..(count as usize).min(MOST)];
        io().attempt(fd, Direction::Write, part.len(), |kind, _| kind::write(kind, fd, part.as_ptr(), part.len()))
            as u64
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_close(tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: a plain system call. An interrupted close has closed.
    unsafe {
        let close = || if libc::close(fd as i32) < 0 && errno() != libc::EINTR { negated(errno()) } else { 0 };
        io().close(fd as i32, |thread, outcome| wake(tcb, thread, outcome), close)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_size(_tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: stat is plain data that fstat fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        if libc::fstat(fd as i32, &mut stat) < 0 { negated(errno()) } else { stat.st_size as u64 }
    }
}

/// The system's text for an error number.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_error_message(tcb: *mut Tcb, error: i64) -> u64 {
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, error_text(error.unsigned_abs() as i32).as_bytes()) }
}

/// Wall clock, nanoseconds since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_now() -> i64 {
    clock::wall()
}

/// Monotonic clock.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_monotonic() -> u64 {
    clock::monotonic()
}

/// Processor time in user mode.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_user() -> u64 {
    clock::process_times().0
}

/// Processor time in the system.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_system() -> u64 {
    clock::process_times().1
}

/// Processor time of the collector: 0 in user mode, 1 in the system.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_gc(which: u64) -> u64 {
    let stats = runtime().heap.stats(None);
    if which == 0 { stats.user_ns } else { stats.system_ns }
}
