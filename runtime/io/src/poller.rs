//! The poller: descriptors and a deadline -> which of them can be read or written, or that somebody rang.
//!
//! One set of functions over the platform's means; [`Backend`] forces the portable one. An idle worker waits here and
//! nowhere else, so a wake-up, a ready descriptor and the next deadline all end its wait.
//!
//! Readiness is told once: after an event a direction of a descriptor is not told again before its user, having met
//! "would block", says [`Poller::again`]. With edge-triggered means that costs nothing; `poll` leaves the direction out
//! of its set meanwhile.
//! Keeps: I4 (a wake-up is never lost).

use std::io;

use crate::clock::Nanos;
#[cfg(all(any(target_os = "linux", target_os = "android"), not(feature = "libkqueue")))]
use crate::epoll::Epoll as Native;
#[cfg(any(
    feature = "libkqueue",
    target_os = "macos",
    target_os = "ios",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd"
))]
use crate::kqueue::Kqueue as Native;
use crate::poll::Poll;

/// Key of the poller's own wake-up descriptor; never given to a caller.
pub(crate) const WAKE_KEY: u64 = u64::MAX;

/// What is asked of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interest {
    pub read: bool,
    pub write: bool,
}

impl Interest {
    pub const READ: Interest = Interest { read: true, write: false };
    pub const WRITE: Interest = Interest { read: false, write: true };
    pub const BOTH: Interest = Interest { read: true, write: true };

    /// 1 to read, 2 to write.
    #[inline]
    pub fn bits(self) -> u8 {
        self.read as u8 | (self.write as u8) << 1
    }

    /// None when there is no bit.
    #[inline]
    pub fn of_bits(bits: u8) -> Option<Interest> {
        (bits & 0b11 != 0).then_some(Interest { read: bits & 1 != 0, write: bits & 2 != 0 })
    }
}

/// A descriptor that became ready. End of file and errors count as ready: the next read or write will tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    pub key: u64,
    pub read: bool,
    pub write: bool,
    /// There is an end behind what can be read, or nothing can be written any more: no event need follow.
    pub read_ended: bool,
    pub write_ended: bool,
}

impl Event {
    /// As [`Interest::bits`].
    #[inline]
    pub(crate) fn bits(&self) -> u8 {
        Interest { read: self.read, write: self.write }.bits()
    }
}

/// Which means to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// epoll or kqueue, as the platform has it.
    #[default]
    Native,
    /// `poll`, everywhere.
    Poll,
}

impl Backend {
    /// What the platform's own means is called.
    pub const NATIVE: &str = if cfg!(all(any(target_os = "linux", target_os = "android"), not(feature = "libkqueue"))) {
        "epoll"
    } else {
        "kqueue"
    };

    /// The means of this name, where the platform has it.
    pub fn by_name(name: &str) -> Option<Backend> {
        match name {
            "poll" => Some(Backend::Poll),
            _ if name == Backend::NATIVE || name == "native" => Some(Backend::Native),
            _ => None,
        }
    }
}

/// Where idle workers wait. All functions may be called by any worker at any time; one at a time waits, others may look.
pub enum Poller {
    Native(Native),
    Poll(Poll),
}

macro_rules! each {
    ($self:ident, $p:ident => $e:expr) => {
        match $self {
            Poller::Native($p) => $e,
            Poller::Poll($p) => $e,
        }
    };
}

impl Poller {
    pub fn new(backend: Backend) -> io::Result<Poller> {
        Ok(match backend {
            Backend::Native => Poller::Native(Native::new()?),
            Backend::Poll => Poller::Poll(Poll::new()?),
        })
    }

    /// Registers a descriptor for its life. `key` comes back in its events; `u64::MAX` is taken.
    /// Fails with EPERM for regular files, which are always ready.
    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        debug_assert!(key != WAKE_KEY);
        each!(self, p => p.register(fd, key, interest))
    }

    /// In the child of a fork: nothing is registered any more, and the parent's is left alone.
    pub fn reopen(&self) -> io::Result<()> {
        each!(self, p => p.reopen())
    }

    /// The user met "would block" on these directions: tell of them again.
    #[inline]
    pub fn again(&self, fd: i32, interest: Interest) {
        each!(self, p => p.again(fd, interest))
    }

    /// Forgets a descriptor; call before it is closed.
    pub fn unregister(&self, fd: i32) -> io::Result<()> {
        each!(self, p => p.unregister(fd))
    }

    /// Waits until a descriptor is ready, [`Poller::wake`] is called, or `timeout` has passed (None: without end; never
    /// shorter than said). Adds what is ready to `events`. A signal may end it early.
    pub fn wait(&self, timeout: Option<Nanos>, events: &mut Vec<Event>) -> io::Result<()> {
        each!(self, p => p.wait(timeout, events))
    }

    /// What is ready now, while another worker may wait: a wake-up is left to that one.
    pub fn look(&self, events: &mut Vec<Event>) -> io::Result<()> {
        each!(self, p => p.look(events))
    }

    /// Ends the wait of whoever waits, or the next wait. Safe in a signal handler.
    pub fn wake(&self) {
        each!(self, p => p.wake())
    }
}

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
            let mut fds = [0; 2];
            // SAFETY: the array has room for two descriptors, which fcntl then changes.
            unsafe {
                check(libc::pipe(fds.as_mut_ptr()))?;
                for fd in fds {
                    libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
                    libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK);
                }
            }
            Ok(Waker { read: fds[0], write: fds[1] })
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

#[cfg(test)]
#[path = "poller_tests.rs"]
mod tests;
