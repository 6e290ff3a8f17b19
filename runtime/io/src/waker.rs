//! What every poller has: a descriptor that wakes it up; and system calls' results as results.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::clock::Nanos;
use crate::own;

/// Milliseconds for `poll` and old kernels, rounded up so that nobody wakes early; -1 for no end.
pub(crate) fn milliseconds(timeout: Option<Nanos>) -> i32 {
    timeout.map_or(-1, |ns| ns.div_ceil(1_000_000).min(i32::MAX as u64) as i32)
}

/// The wake-up descriptor: an eventfd, or a pipe where there is none.
pub(crate) struct Waker {
    read: AtomicI32,
    write: AtomicI32,
}

impl Waker {
    pub(crate) fn new() -> io::Result<Waker> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // SAFETY: a plain system call.
            let fd = own::aside(check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?);
            Ok(Waker { read: AtomicI32::new(fd), write: AtomicI32::new(fd) })
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let [read, write] = crate::kind::pipe()?.map(own::aside);
            Ok(Waker { read: AtomicI32::new(read), write: AtomicI32::new(write) })
        }
    }

    /// Each has the other's descriptors from now on.
    pub(crate) fn swap(&self, other: &Waker) {
        swap(&self.read, &other.read);
        swap(&self.write, &other.write);
    }

    /// Its descriptors are closed already, or are another's.
    pub(crate) fn forget(&self) {
        forget(&self.read);
        forget(&self.write);
    }

    /// The descriptor that becomes readable.
    pub(crate) fn fd(&self) -> i32 {
        self.read.load(Ordering::Relaxed)
    }

    pub(crate) fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        let fd = self.write.load(Ordering::Relaxed);
        // SAFETY: eight bytes of a live array. A full eventfd or pipe already wakes, so the result does not matter.
        unsafe { libc::write(fd, one.as_ptr().cast(), 8) };
    }

    pub(crate) fn reset(&self) {
        let mut bytes = [0u8; 64];
        // SAFETY: the buffer is as large as said; the descriptor does not block.
        unsafe { libc::read(self.fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        // Both were opened by this waker, or one that has swapped with it, and are used by nobody else.
        let (read, write) = (*self.read.get_mut(), *self.write.get_mut());
        own::close(read);
        if write != read {
            own::close(write);
        }
    }
}

/// Each has the other's number from now on; nobody else changes `new`.
pub(crate) fn swap(old: &AtomicI32, new: &AtomicI32) {
    new.store(old.swap(new.load(Ordering::Relaxed), Ordering::Relaxed), Ordering::Relaxed);
}

/// There is no descriptor any more; whose number it is must not be closed.
pub(crate) fn forget(fd: &AtomicI32) {
    own::forget(fd.swap(-1, Ordering::Relaxed));
}

/// A system call's result as a result.
pub(crate) fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
