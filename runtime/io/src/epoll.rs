//! The poller of Linux: epoll, edge-triggered, each descriptor registered once; an eventfd for wake-ups.
//!
//! Times out to the nanosecond where the kernel has `epoll_pwait2` (5.11), else to the next millisecond.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::clock::Nanos;
use crate::event::{Event, Interest, WAKE_KEY};
use crate::own;
use crate::waker::{Waker, check, forget, milliseconds, swap};

/// Events taken at once.
const BATCH: usize = 1024;

thread_local! {
    static READY: RefCell<Vec<libc::epoll_event>> = const { RefCell::new(Vec::new()) };
}

pub struct Epoll {
    fd: AtomicI32,
    waker: Waker,
    /// Set when the kernel turned out not to know `epoll_pwait2`. Any worker.
    coarse: AtomicBool,
}

impl Epoll {
    pub fn new() -> io::Result<Epoll> {
        let waker = Waker::new()?;
        // SAFETY: a plain system call.
        let fd = own::aside(check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?);
        let epoll = Epoll { fd: AtomicI32::new(fd), waker, coarse: AtomicBool::new(false) };
        epoll.control(libc::EPOLL_CTL_ADD, epoll.waker.fd(), WAKE_KEY, libc::EPOLLIN as u32)?;
        Ok(epoll)
    }

    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, fd, key, flags(interest) | libc::EPOLLET as u32)
    }

    /// What a child of a fork gets.
    pub fn spare() -> io::Result<Epoll> {
        Epoll::new()
    }

    pub fn swap(&self, new: &Epoll) -> io::Result<()> {
        swap(&self.fd, &new.fd);
        self.waker.swap(&new.waker);
        Ok(())
    }

    pub fn forget(&self) {
        forget(&self.fd);
        self.waker.forget();
    }

    /// The edge comes by itself.
    #[inline]
    pub fn again(&self, _fd: i32, _interest: Interest) {}

    pub fn unregister(&self, fd: i32) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_DEL, fd, 0, 0)
    }

    pub fn wait(&self, timeout: Option<Nanos>, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(timeout, true, events)
    }

    pub fn look(&self, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(Some(0), false, events)
    }

    fn take(&self, timeout: Option<Nanos>, waits: bool, events: &mut Vec<Event>) -> io::Result<()> {
        READY.with_borrow_mut(|ready| {
            ready.resize(BATCH, libc::epoll_event { events: 0, u64: 0 });
            let count = match self.raw_wait(timeout, ready) {
                Ok(count) => count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
                Err(e) => return Err(e),
            };
            for event in &ready[..count] {
                let (bits, key) = (event.events, event.u64);
                if key == WAKE_KEY {
                    if waits {
                        self.waker.reset();
                    }
                    continue;
                }
                let has = |mask: i32| bits & mask as u32 != 0;
                let broken = libc::EPOLLERR | libc::EPOLLHUP;
                events.push(Event {
                    key,
                    read: has(libc::EPOLLIN | libc::EPOLLPRI | libc::EPOLLRDHUP | broken),
                    write: has(libc::EPOLLOUT | broken),
                    read_ended: has(libc::EPOLLRDHUP | libc::EPOLLHUP),
                    write_ended: has(libc::EPOLLHUP),
                });
            }
            Ok(())
        })
    }

    pub fn wake(&self) {
        self.waker.wake();
    }

    /// Its descriptors.
    #[cfg(test)]
    pub(crate) fn fds(&self) -> [i32; 2] {
        [self.fd(), self.waker.fd()]
    }

    fn fd(&self) -> i32 {
        self.fd.load(Ordering::Relaxed)
    }

    fn control(&self, operation: i32, fd: i32, key: u64, events: u32) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: key };
        // SAFETY: the pointer is to a live event.
        check(unsafe { libc::epoll_ctl(self.fd(), operation, fd, &mut event) }).map(drop)
    }

    fn raw_wait(&self, timeout: Option<Nanos>, ready: &mut [libc::epoll_event]) -> io::Result<usize> {
        let (buffer, room) = (ready.as_mut_ptr(), ready.len() as i32);
        if let Some(ns) = timeout.filter(|ns| *ns % 1_000_000 != 0 && !self.coarse.load(Ordering::Relaxed)) {
            let span = libc::timespec { tv_sec: (ns / 1_000_000_000) as _, tv_nsec: (ns % 1_000_000_000) as _ };
            let no_mask = std::ptr::null::<u8>();
            // SAFETY: the buffer has `room` events; the kernel reads `span` only; there is no signal mask.
            let count = unsafe { libc::syscall(libc::SYS_epoll_pwait2, self.fd(), buffer, room, &span, no_mask, 0) };
            if count >= 0 {
                return Ok(count as usize);
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::ENOSYS) && error.raw_os_error() != Some(libc::EPERM) {
                return Err(error);
            }
            self.coarse.store(true, Ordering::Relaxed);
        }
        // SAFETY: as above.
        check(unsafe { libc::epoll_wait(self.fd(), buffer, room, milliseconds(timeout)) }).map(|count| count as usize)
    }
}

impl Drop for Epoll {
    fn drop(&mut self) {
        // Opened by `new`, used by nobody else.
        own::close(*self.fd.get_mut());
    }
}

fn flags(interest: Interest) -> u32 {
    let mut bits = 0;
    if interest.read {
        bits |= libc::EPOLLIN | libc::EPOLLPRI | libc::EPOLLRDHUP;
    }
    if interest.write {
        bits |= libc::EPOLLOUT;
    }
    bits as u32
}
