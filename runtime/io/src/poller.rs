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
#[cfg(any(target_os = "linux", target_os = "android"))]
use crate::epoll::Epoll as Native;
use crate::event::WAKE_KEY;
pub use crate::event::{Event, Interest};
#[cfg(target_os = "linux")]
use crate::kqueue::Kqueue;
#[cfg(any(
    target_os = "macos",
    target_os = "ios",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd"
))]
use crate::kqueue::Kqueue as Native;
#[cfg(target_os = "linux")]
use crate::libkqueue;
use crate::poll::Poll;

/// Which means to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// epoll or kqueue, as the platform has it.
    #[default]
    Native,
    /// `poll`, everywhere.
    Poll,
    /// kqueue of the library libkqueue, which is looked for when a poller is made.
    #[cfg(target_os = "linux")]
    Kqueue,
}

impl Backend {
    /// What the platform's own means is called.
    pub const NATIVE: &str = if cfg!(any(target_os = "linux", target_os = "android")) { "epoll" } else { "kqueue" };

    /// The means of this name. Err: why there is none here.
    pub fn by_name(name: &str) -> Result<Backend, String> {
        match name {
            "poll" => Ok(Backend::Poll),
            _ if name == Backend::NATIVE || name == "native" => Ok(Backend::Native),
            #[cfg(target_os = "linux")]
            "kqueue" => match libkqueue::load() {
                Ok(()) => Ok(Backend::Kqueue),
                Err(e) => Err(format!("kqueue needs the library libkqueue on this system: {e}")),
            },
            _ if ["epoll", "kqueue"].contains(&name) => {
                Err(format!("this system has {} and poll, but not {name}", Backend::NATIVE))
            }
            _ => Err(format!("it must be epoll, poll or kqueue, not {name}")),
        }
    }

    /// All that this system has.
    pub fn all() -> Vec<Backend> {
        let named = Backend::by_name("kqueue").into_iter().filter(|&b| b != Backend::Native);
        [Backend::Native, Backend::Poll].into_iter().chain(named).collect()
    }
}

/// Where idle workers wait. All functions may be called by any worker at any time; one at a time waits, others may
/// look.
pub enum Poller {
    Native(Native),
    Poll(Poll),
    #[cfg(target_os = "linux")]
    Kqueue(Kqueue),
}

macro_rules! each {
    ($self:ident, $p:ident => $e:expr) => {
        match $self {
            Poller::Native($p) => $e,
            Poller::Poll($p) => $e,
            #[cfg(target_os = "linux")]
            Poller::Kqueue($p) => $e,
        }
    };
}

impl Poller {
    pub fn new(backend: Backend) -> io::Result<Poller> {
        Ok(match backend {
            Backend::Native => Poller::Native(Native::new()?),
            Backend::Poll => Poller::Poll(Poll::new()?),
            #[cfg(target_os = "linux")]
            Backend::Kqueue => {
                libkqueue::load()?;
                Poller::Kqueue(Kqueue::new()?)
            }
        })
    }

    /// Registers a descriptor for its life. `key` comes back in its events; `u64::MAX` is taken.
    /// Fails with EPERM for regular files, which are always ready.
    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        debug_assert!(key != WAKE_KEY);
        each!(self, p => p.register(fd, key, interest))
    }

    /// What a child of a fork is to have in place of this one. It is made before the fork, since a child may be at its
    /// limit of descriptors.
    pub fn spare(&self) -> io::Result<Poller> {
        Ok(match self {
            Poller::Native(_) => Poller::Native(Native::spare()?),
            Poller::Poll(_) => Poller::Poll(Poll::new()?),
            #[cfg(target_os = "linux")]
            Poller::Kqueue(_) => Poller::Kqueue(Kqueue::spare()?),
        })
    }

    /// Takes what another one has, which is of the same kind; that one has what this one had. Nothing is registered
    /// then.
    pub fn swap(&self, new: &Poller) -> io::Result<()> {
        match (self, new) {
            (Poller::Native(old), Poller::Native(new)) => old.swap(new),
            (Poller::Poll(old), Poller::Poll(new)) => old.swap(new),
            #[cfg(target_os = "linux")]
            (Poller::Kqueue(old), Poller::Kqueue(new)) => old.swap(new),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Its descriptors are closed already, or are another's.
    pub fn forget(&self) {
        each!(self, p => p.forget())
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

#[cfg(test)]
#[path = "poller_tests.rs"]
mod tests;
