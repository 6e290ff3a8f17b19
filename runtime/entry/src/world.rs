//! The world: output, arguments, environment, files, time. Primitives of `abi::prim`.
//!
//! Files: a result below 0 is a negated error number. Bytes go by way of a buffer outside the heap, because the heap may
//! be collected by another worker while a read or write waits.

use std::ffi::CString;

use leat_abi::tcb::Tcb;
use leat_io::clock;

use crate::alloc::{new_string, while_blocked};
use crate::exit;
use crate::objects::{bytes, bytes_mut};
use crate::output::{errno, error_text};
use crate::runtime::{runtime, worker};

/// Bytes that a read or write takes at once.
const CHUNK: usize = 64 << 10;

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print(tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: a string; the output copies it before it may wait.
    match crate::runtime::stdout().print_due(unsafe { bytes(text) }) {
        Ok(()) => 0,
        // SAFETY: as the caller says.
        Err(failure) => unsafe { exit::output_failed(tcb, failure) },
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_write_out(tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as above.
    match crate::runtime::stdout().print(unsafe { bytes(text) }) {
        Ok(()) => 0,
        // SAFETY: as the caller says.
        Err(failure) => unsafe { exit::output_failed(tcb, failure) },
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_flush_printed(tcb: *mut Tcb) -> u64 {
    match crate::runtime::stdout().flush_due() {
        Ok(()) => 0,
        // SAFETY: as the caller says.
        Err(failure) => unsafe { exit::output_failed(tcb, failure) },
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print_err(tcb: *mut Tcb, text: u64) -> u64 {
    let _ = tcb;
    // SAFETY: a string. That nobody hears of errors any more is no reason to stop.
    let _ = crate::runtime::stderr().print_now(unsafe { bytes(text) });
    0
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_flush_out(tcb: *mut Tcb) -> u64 {
    match crate::runtime::stdout().flush() {
        Ok(()) => 0,
        // SAFETY: as the caller says.
        Err(failure) => unsafe { exit::output_failed(tcb, failure) },
    }
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

fn negated(error: i32) -> u64 {
    -(error as i64) as u64
}

/// path * flags (0 read, 1 write new, 2 append) -> fd
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_open(tcb: *mut Tcb, path: u64, flags: u64) -> u64 {
    // SAFETY: a string, copied.
    let Ok(path) = CString::new(unsafe { bytes(path) }) else { return negated(libc::EINVAL) };
    let flags = libc::O_CLOEXEC
        | match flags {
            0 => libc::O_RDONLY,
            1 => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
            _ => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
        };
    // SAFETY: the path ends in 0; opening may wait (a FIFO), so the world may go on.
    let (fd, error) = unsafe { while_blocked(tcb, &mut [], || retry(|| libc::open(path.as_ptr(), flags, 0o666) as isize)) };
    if fd < 0 { negated(error) } else { fd as u64 }
}

/// fd * char array * start * count -> bytes read
///
/// # Safety
/// Called by compiled code, with the range inside the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_read(tcb: *mut Tcb, fd: u64, array: u64, start: u64, count: u64) -> u64 {
    let mut keep = [array];
    // SAFETY: the scratch buffer is the worker's and has room for CHUNK bytes; the array is kept up to date.
    unsafe {
        let scratch = scratch(tcb);
        let want = (count as usize).min(CHUNK);
        let (got, error) = while_blocked(tcb, &mut keep, || retry(|| libc::read(fd as i32, scratch.cast(), want)));
        if got < 0 {
            return negated(error);
        }
        let target = &mut bytes_mut(keep[0])[start as usize..][..got as usize];
        core::ptr::copy_nonoverlapping(scratch, target.as_mut_ptr(), got as usize);
        got as u64
    }
}

/// fd * string or char array * start * count -> bytes written
///
/// # Safety
/// Called by compiled code, with the range inside the string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_write(tcb: *mut Tcb, fd: u64, string: u64, start: u64, count: u64) -> u64 {
    // SAFETY: as in `leat_file_read`; the bytes are copied out before the write.
    unsafe {
        let scratch = scratch(tcb);
        let part = &bytes(string)[start as usize..][..(count as usize).min(CHUNK)];
        let want = part.len();
        core::ptr::copy_nonoverlapping(part.as_ptr(), scratch, want);
        let (wrote, error) = while_blocked(tcb, &mut [], || retry(|| libc::write(fd as i32, scratch.cast_const().cast(), want)));
        if wrote < 0 { negated(error) } else { wrote as u64 }
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_file_close(_tcb: *mut Tcb, fd: u64) -> u64 {
    // SAFETY: a plain system call. An interrupted close has closed.
    if unsafe { libc::close(fd as i32) } < 0 && errno() != libc::EINTR { negated(errno()) } else { 0 }
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

/// A system call's result and error number, after interruptions by signals.
fn retry(call: impl Fn() -> isize) -> (isize, i32) {
    loop {
        let result = call();
        let error = if result < 0 { errno() } else { 0 };
        if error != libc::EINTR {
            return (result, error);
        }
    }
}

/// The worker's buffer of `CHUNK` bytes.
unsafe fn scratch(tcb: *mut Tcb) -> *mut u8 {
    // SAFETY: the worker's own state; only this function and the two above touch the buffer.
    unsafe {
        let buffer = &mut (*worker(tcb)).scratch;
        if buffer.capacity() == 0 {
            buffer.reserve_exact(CHUNK);
        }
        buffer.as_mut_ptr()
    }
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

/// Time with the world stopped by the collector.
#[unsafe(no_mangle)]
pub extern "C" fn leat_time_gc() -> u64 {
    let stats = runtime().heap.stats(None);
    stats.minor_ns + stats.major_ns
}

/// An exception's back-trace is known only when nobody handles it, and then it is printed: so there is none to give.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_exn_history(tcb: *mut Tcb, _packet: u64) -> u64 {
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, &[]) }
}

