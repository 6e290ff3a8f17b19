//! The poller of the BSDs and macOS: kqueue, edge-triggered (`EV_CLEAR`), each direction a filter of its own.

use std::io;

use crate::clock::Nanos;
use crate::poller::{Event, Interest, WAKE_KEY, Waker, check, replace};

/// Events taken at once.
const BATCH: usize = 256;

pub struct Kqueue {
    fd: i32,
    waker: Waker,
}

impl Kqueue {
    pub fn new() -> io::Result<Kqueue> {
        let waker = Waker::new()?;
        // SAFETY: a plain system call.
        let fd = check(unsafe { libc::kqueue() })?;
        let queue = Kqueue { fd, waker };
        queue.change(queue.waker.fd(), WAKE_KEY, libc::EVFILT_READ, libc::EV_ADD)?;
        Ok(queue)
    }

    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        if interest.read {
            self.change(fd, key, libc::EVFILT_READ, libc::EV_ADD | libc::EV_CLEAR)?;
        }
        if interest.write {
            self.change(fd, key, libc::EVFILT_WRITE, libc::EV_ADD | libc::EV_CLEAR)?;
        }
        Ok(())
    }

    pub fn register_level(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        if interest.read {
            self.change(fd, key, libc::EVFILT_READ, libc::EV_ADD)?;
        }
        if interest.write {
            self.change(fd, key, libc::EVFILT_WRITE, libc::EV_ADD)?;
        }
        Ok(())
    }

    pub fn modify_level(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        self.unregister(fd)?;
        self.register_level(fd, key, interest)
    }

    /// A kqueue is not inherited: its number is free.
    pub fn reopen(&self) -> io::Result<()> {
        self.waker.reopen()?;
        // SAFETY: a plain system call.
        let fd = check(unsafe { libc::kqueue() })?;
        if fd != self.fd {
            replace(fd, self.fd)?;
        }
        self.change(self.waker.fd(), WAKE_KEY, libc::EVFILT_READ, libc::EV_ADD)
    }

    pub fn modify(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        self.unregister(fd)?;
        self.register(fd, key, interest)
    }

    /// The edge comes by itself.
    pub fn again(&self, _fd: i32, _interest: Interest) {}

    pub fn unregister(&self, fd: i32) -> io::Result<()> {
        for filter in [libc::EVFILT_READ, libc::EVFILT_WRITE] {
            match self.change(fd, 0, filter, libc::EV_DELETE) {
                Err(e) if e.raw_os_error() != Some(libc::ENOENT) => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    pub fn wait(&self, timeout: Option<Nanos>, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(timeout, true, events)
    }

    pub fn look(&self, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(Some(0), false, events)
    }

    fn take(&self, timeout: Option<Nanos>, waits: bool, events: &mut Vec<Event>) -> io::Result<()> {
        let span = timeout.map(|ns| libc::timespec {
            tv_sec: (ns / 1_000_000_000) as _,
            tv_nsec: (ns % 1_000_000_000) as _,
        });
        let span = span.as_ref().map_or(std::ptr::null(), |s| s as *const libc::timespec);
        // SAFETY: kevent is plain data; the kernel fills at most BATCH of them and reads `span`, which lives.
        let (ready, count) = unsafe {
            let mut ready: [libc::kevent; BATCH] = std::mem::zeroed();
            let count = libc::kevent(self.fd, std::ptr::null(), 0, ready.as_mut_ptr(), BATCH as _, span);
            (ready, count)
        };
        let count = match check(count) {
            Ok(count) => count as usize,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
            Err(e) => return Err(e),
        };
        for event in &ready[..count] {
            if event.udata as u64 == WAKE_KEY {
                if waits {
                    self.waker.reset();
                }
            } else {
                let (read, write) = (event.filter == libc::EVFILT_READ, event.filter == libc::EVFILT_WRITE);
                let ended = event.flags & libc::EV_EOF != 0;
                let key = event.udata as u64;
                events.push(Event { key, read, write, read_ended: read && ended, write_ended: write && ended });
            }
        }
        Ok(())
    }

    pub fn wake(&self) {
        self.waker.wake();
    }

    fn change(&self, fd: i32, key: u64, filter: i16, action: u16) -> io::Result<()> {
        // SAFETY: kevent is plain data; the kernel reads one.
        unsafe {
            let mut event: libc::kevent = std::mem::zeroed();
            event.ident = fd as _;
            event.filter = filter as _;
            event.flags = action as _;
            event.udata = key as usize as _;
            check(libc::kevent(self.fd, &event, 1, std::ptr::null_mut(), 0, std::ptr::null())).map(drop)
        }
    }
}

impl Drop for Kqueue {
    fn drop(&mut self) {
        // SAFETY: opened by `new`, used by nobody else.
        unsafe { libc::close(self.fd) };
    }
}
