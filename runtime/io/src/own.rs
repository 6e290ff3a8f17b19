//! The runtime's own descriptors: they lie above the numbers that a program gets for its files, and are not the
//! program's to close.
//!
//! A daemon closes every number that it may have inherited, and a number that is free is the next file's. Then waits of
//! the runtime went to that file, and its wake-ups were written into it.

use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};

/// Numbers from here on, if the process may have so many.
const ABOVE: libc::rlim_t = 1000;
/// Else so many below the limit.
const BELOW_LIMIT: libc::rlim_t = 16;

const NONE: i32 = -1;

/// What is open. Those that find no place here lie as high as the others, but may be closed.
static OWN: [AtomicI32; 64] = [const { AtomicI32::new(NONE) }; 64];

/// A descriptor of the runtime's, which is closed with this.
pub struct Own(RawFd);

impl From<OwnedFd> for Own {
    fn from(fd: OwnedFd) -> Own {
        Own(aside(fd.into_raw_fd()))
    }
}

impl AsRawFd for Own {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

/// As of a file.
impl io::Write for Own {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the bytes live.
        let wrote = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(wrote).map_err(|_| io::Error::last_os_error())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Own {
    /// Somebody has closed it: its number may be another's.
    pub fn lost(self) {
        forget(self.0);
        std::mem::forget(self);
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        close(self.0);
    }
}

/// A descriptor that the runtime has just made goes to a number of its own, if there is one, and is known as the
/// runtime's.
pub fn aside(fd: i32) -> i32 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the structure; nobody else knows the descriptor yet.
    let fd = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        let from = ABOVE.min(limit.rlim_cur.saturating_sub(BELOW_LIMIT)) as i32;
        let moved = if fd < from { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, from) } else { NONE };
        if moved >= 0 {
            libc::close(fd);
            moved
        } else {
            fd
        }
    };
    keep(fd);
    fd
}

/// The descriptor is the runtime's, where it is.
pub fn keep(fd: i32) {
    let _ = OWN.iter().any(|own| own.compare_exchange(NONE, fd, Ordering::Relaxed, Ordering::Relaxed).is_ok());
}

/// Whether the program must leave it alone.
pub fn is_own(fd: i32) -> bool {
    fd >= 0 && OWN.iter().any(|own| own.load(Ordering::Relaxed) == fd)
}

/// It is the runtime's no longer: it is about to be closed, or somebody has closed it.
pub fn forget(fd: i32) {
    if fd >= 0 {
        let _ = OWN.iter().any(|own| own.compare_exchange(fd, NONE, Ordering::Relaxed, Ordering::Relaxed).is_ok());
    }
}

/// Forgets and closes it.
pub fn close(fd: i32) {
    if fd >= 0 {
        forget(fd);
        // SAFETY: the runtime's own, which has no use for it any more.
        unsafe { libc::close(fd) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_goes_to_a_high_number_and_is_known() {
        let file = || std::fs::File::open("/dev/null").unwrap();
        let (own, low) = (Own::from(OwnedFd::from(file())), file());
        let (fd, low) = (own.as_raw_fd(), low.as_raw_fd());
        assert!(fd > low, "{fd} is above {low}");
        // SAFETY: a plain question.
        assert_eq!(unsafe { libc::fcntl(fd, libc::F_GETFD) }, libc::FD_CLOEXEC);
        assert!(is_own(fd) && !is_own(low) && !is_own(NONE));
        // The number stays taken while it is asked about.
        own.lost();
        assert!(!is_own(fd));
        // SAFETY: nobody else closes it.
        unsafe { libc::close(fd) };
    }
}
