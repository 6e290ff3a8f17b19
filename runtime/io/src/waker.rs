//! What every poller has: a descriptor that wakes it up; and system calls' results as results.

use std::io;

use crate::clock::Nanos;

/// Milliseconds for `poll` and old kernels, rounded up so that nobody wakes early; -1 for no end.
pub(crate) fn milliseconds(timeout: Option<Nanos>) -> i32 {
    timeout.map_or(-1, |ns| ns.div_ceil(1_000_000).min(i32::MAX as u64) as i32)
}

/// The wake-up descriptor: an eventfd, or a pipe where there is none.
pub(crate) struct Waker {
    read: i32,
    write: i32,
}

impl Waker {
    pub(crate) fn new() -> io::Result<Waker> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // SAFETY: a plain system call.
            let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
            Ok(Waker { read: fd, write: fd })
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let [read, write] = crate::kind::pipe()?;
            Ok(Waker { read, write })
        }
    }

    /// Other descriptors behind the same numbers.
    pub(crate) fn reopen(&self) -> io::Result<()> {
        let mut new = Waker::new()?;
        replace(new.read, self.read)?;
        if self.write != self.read {
            replace(new.write, self.write)?;
        }
        (new.read, new.write) = (-1, -1);
        Ok(())
    }

    /// The descriptor that becomes readable.
    pub(crate) fn fd(&self) -> i32 {
        self.read
    }

    pub(crate) fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight bytes of a live array. A full eventfd or pipe already wakes, so the result does not matter.
        unsafe { libc::write(self.write, one.as_ptr().cast(), 8) };
    }

    pub(crate) fn reset(&self) {
        let mut bytes = [0u8; 64];
        // SAFETY: the buffer is as large as said; the descriptor does not block.
        unsafe { libc::read(self.read, bytes.as_mut_ptr().cast(), bytes.len()) };
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        // SAFETY: both were opened by this waker and are used by nobody else.
        unsafe {
            libc::close(self.read);
            if self.write != self.read {
                libc::close(self.write);
            }
        }
    }
}

/// Puts a descriptor in the place of another, which is closed; it leaves its own place.
pub(crate) fn replace(new: i32, old: i32) -> io::Result<()> {
    // SAFETY: both are the caller's.
    unsafe {
        check(libc::dup2(new, old))?;
        libc::fcntl(old, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::close(new);
    }
    Ok(())
}

/// A system call's result as a result.
pub(crate) fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
