//! Answers of system calls as the library takes them: results, negated error numbers, texts; and its paths.

use std::ffi::{CStr, CString};
use std::os::fd::{FromRawFd, OwnedFd};

use crate::service::objects::bytes;
use crate::state::output::errno;

/// A result of a system call as the library takes it.
pub(crate) fn answer(result: i64) -> u64 {
    if result < 0 { -(errno() as i64) as u64 } else { result as u64 }
}

/// Makes a system call that no signal is to end, again and again until none has.
pub(crate) fn repeated<T: PartialOrd + Default>(mut call: impl FnMut() -> T) -> T {
    loop {
        let result = call();
        if result >= T::default() || errno() != libc::EINTR {
            return result;
        }
    }
}

/// An error number as a result.
pub(crate) fn negated(error: i32) -> u64 {
    -(error as i64) as u64
}

/// A string as a path; None when there is a NUL in it.
///
/// # Safety
/// `text` is a string.
pub(crate) unsafe fn path(text: u64) -> Option<CString> {
    // SAFETY: as the caller says.
    CString::new(unsafe { bytes(text) }).ok()
}

/// The answer for a path, or another string for the system, with a NUL in it.
pub(crate) const BAD_PATH: u64 = -(libc::EINVAL as i64) as u64;

/// Sets an element of an int array.
///
/// # Safety
/// The array has that element, and was not moved since it was got.
pub(crate) unsafe fn set(array: u64, index: usize, value: i64) {
    // SAFETY: as the caller says.
    unsafe { *(array as *mut i64).add(index) = value }
}

/// Sets an interval timer -> nanoseconds that were left, or a negated error number. Parts of a microsecond are rounded
/// up, since no time switches the timer off.
pub(crate) fn set_timer(which: u64, interval: i64, value: i64) -> u64 {
    if interval < 0 || value < 0 {
        return negated(libc::EINVAL);
    }
    let time = |ns: i64| {
        let us = ns / 1000 + i64::from(ns % 1000 > 0);
        libc::timeval { tv_sec: us / 1_000_000, tv_usec: us % 1_000_000 }
    };
    let new = libc::itimerval { it_interval: time(interval), it_value: time(value) };
    // SAFETY: plain data, which the call fills; the structures live.
    unsafe {
        let mut old: libc::itimerval = core::mem::zeroed();
        match libc::syscall(libc::SYS_setitimer, which as i32, &new, &mut old) {
            0 => (old.it_value.tv_sec.saturating_mul(1_000_000_000)).saturating_add(old.it_value.tv_usec * 1000) as u64,
            _ => negated(errno()),
        }
    }
}

/// A C string, or nothing.
pub(crate) unsafe fn c_text(text: *const libc::c_char) -> Vec<u8> {
    // SAFETY: null or ends in NUL.
    if text.is_null() { Vec::new() } else { unsafe { CStr::from_ptr(text) }.to_bytes().to_vec() }
}

/// A descriptor that can be read when the process has ended; or an error number.
pub(crate) fn pidfd(pid: libc::pid_t) -> Result<OwnedFd, i32> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: a plain system call; the descriptor is new.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
            ..0 => Err(errno()),
            fd => Ok(OwnedFd::from_raw_fd(fd as i32)),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let _ = pid;
        Err(libc::ENOSYS)
    }
}
