//! The poller of the BSDs and macOS: kqueue, edge-triggered (`EV_CLEAR`), each direction a filter of its own.
//!
//! What epoll tells and kqueue does not is made up here: that a regular file is none of its business, and that the
//! other end was gone before somebody asked to write (registering fails with EPIPE then, and no event would ever come).
//! `docs/internals/runtime/io.md` says how this file is checked without such a system at hand.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard};

#[cfg(target_os = "linux")]
use crate::libkqueue as sys;
#[cfg(not(target_os = "linux"))]
use libc as sys;

use crate::clock::Nanos;
use crate::event::{Event, Interest, WAKE_KEY};
use crate::own;
use crate::poll::is_regular;
use crate::waker::{Waker, check, forget, swap};

/// Events taken at once.
const BATCH: usize = 256;
/// Seconds: some systems refuse longer waits.
const LONGEST: u64 = 100_000_000;

#[cfg(not(target_os = "netbsd"))]
type Filter = i16;
#[cfg(not(target_os = "netbsd"))]
type Action = u16;
#[cfg(target_os = "netbsd")]
type Filter = u32;
#[cfg(target_os = "netbsd")]
type Action = u32;

pub struct Kqueue {
    fd: AtomicI32,
    waker: Waker,
    /// Descriptors that could not be registered for writing since nobody reads any more: always ready.
    gone: Mutex<Vec<Gone>>,
    /// There are such.
    any_gone: AtomicBool,
}

struct Gone {
    fd: i32,
    key: u64,
    /// Not yet told of, or asked for again.
    due: bool,
}

impl Kqueue {
    pub fn new() -> io::Result<Kqueue> {
        let waker = Waker::new()?;
        let queue =
            Kqueue { fd: AtomicI32::new(open()?), waker, gone: Mutex::default(), any_gone: AtomicBool::new(false) };
        queue.change(queue.waker.fd(), WAKE_KEY, sys::EVFILT_READ, sys::EV_ADD)?;
        Ok(queue)
    }

    /// Adds the filters of these directions. One of them is there at least, if switched off, so that `unregister` can
    /// tell a descriptor that is registered from one that is not.
    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        let not_taken = || io::Error::from_raw_os_error(libc::EPERM);
        if is_regular(fd)? {
            return Err(not_taken());
        }
        let add = |filter, mode: Action| match self.change(fd, key, filter, sys::EV_ADD | mode) {
            // Devices without events.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINVAL | libc::ENODEV | libc::EOPNOTSUPP)) => {
                Err(not_taken())
            }
            result => result,
        };
        if interest.read || !interest.write {
            add(sys::EVFILT_READ, if interest.read { sys::EV_CLEAR } else { sys::EV_DISABLE })?;
        }
        if interest.write {
            match add(sys::EVFILT_WRITE, sys::EV_CLEAR) {
                Ok(()) => {}
                Err(e) if e.raw_os_error() == Some(libc::EPIPE) => {
                    if !interest.read {
                        add(sys::EVFILT_READ, sys::EV_DISABLE)?;
                    }
                    let mut list = self.lock();
                    list.push(Gone { fd, key, due: true });
                    self.any_gone.store(true, Ordering::SeqCst);
                    self.wake();
                }
                Err(e) => {
                    let _ = self.change(fd, 0, sys::EVFILT_READ, sys::EV_DELETE);
                    return Err(e);
                }
            }
        }
        Ok(())
    }

    /// What a child of a fork gets: a queue is not inherited, and is made in the child.
    pub fn spare() -> io::Result<Kqueue> {
        let fd = AtomicI32::new(-1);
        Ok(Kqueue { fd, waker: Waker::new()?, gone: Mutex::default(), any_gone: AtomicBool::new(false) })
    }

    pub fn swap(&self, new: &Kqueue) -> io::Result<()> {
        self.lock().clear();
        self.any_gone.store(false, Ordering::SeqCst);
        self.waker.swap(&new.waker);
        if new.fd() >= 0 {
            swap(&self.fd, &new.fd);
            return Ok(());
        }
        // The number of the parent's is free.
        forget(&self.fd);
        self.fd.store(open()?, Ordering::Relaxed);
        self.change(self.waker.fd(), WAKE_KEY, sys::EVFILT_READ, sys::EV_ADD)
    }

    pub fn forget(&self) {
        forget(&self.fd);
        self.waker.forget();
    }

    /// The edge comes by itself, but for those whose readers are gone.
    pub fn again(&self, fd: i32, interest: Interest) {
        if interest.write && self.any_gone.load(Ordering::SeqCst) {
            let mut found = false;
            for gone in self.lock().iter_mut().filter(|gone| gone.fd == fd) {
                (gone.due, found) = (true, true);
            }
            if found {
                self.wake();
            }
        }
    }

    pub fn unregister(&self, fd: i32) -> io::Result<()> {
        if self.any_gone.load(Ordering::SeqCst) {
            let mut list = self.lock();
            list.retain(|gone| gone.fd != fd);
            self.any_gone.store(!list.is_empty(), Ordering::SeqCst);
        }
        let read = self.change(fd, 0, sys::EVFILT_READ, sys::EV_DELETE);
        let write = self.change(fd, 0, sys::EVFILT_WRITE, sys::EV_DELETE);
        let unknown = |e: &io::Error| e.raw_os_error() == Some(libc::ENOENT);
        match (read, write) {
            (Ok(()), Err(e)) | (Err(e), Ok(())) if unknown(&e) => Ok(()),
            (read, write) => read.and(write),
        }
    }

    pub fn wait(&self, timeout: Option<Nanos>, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(timeout, true, events)
    }

    pub fn look(&self, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(Some(0), false, events)
    }

    fn take(&self, timeout: Option<Nanos>, waits: bool, events: &mut Vec<Event>) -> io::Result<()> {
        let at_once = self.any_gone.load(Ordering::SeqCst) && self.lock().iter().any(|gone| gone.due);
        let timeout = if at_once { Some(0) } else { timeout };
        let span = timeout.map(|ns| libc::timespec {
            tv_sec: (ns / 1_000_000_000).min(LONGEST) as _,
            tv_nsec: (ns % 1_000_000_000) as _,
        });
        let span = span.as_ref().map_or(std::ptr::null(), |s| s as *const libc::timespec);
        // SAFETY: kevent is plain data; the kernel fills at most BATCH of them and reads `span`, which lives.
        let (ready, count) = unsafe {
            let mut ready: [sys::kevent; BATCH] = std::mem::zeroed();
            let count = sys::kevent(self.fd(), std::ptr::null(), 0, ready.as_mut_ptr(), BATCH as _, span);
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
                let (read, write) = (event.filter == sys::EVFILT_READ, event.filter == sys::EVFILT_WRITE);
                let ended = event.flags & sys::EV_EOF != 0;
                let key = event.udata as u64;
                events.push(Event { key, read, write, read_ended: read && ended, write_ended: write && ended });
            }
        }
        if self.any_gone.load(Ordering::SeqCst) {
            for gone in self.lock().iter_mut().filter(|gone| gone.due) {
                gone.due = false;
                events.push(Event { key: gone.key, write: true, write_ended: true, ..Event::default() });
            }
        }
        Ok(())
    }

    pub fn wake(&self) {
        self.waker.wake();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Gone>> {
        self.gone.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn fd(&self) -> i32 {
        self.fd.load(Ordering::Relaxed)
    }

    fn change(&self, fd: i32, key: u64, filter: Filter, action: Action) -> io::Result<()> {
        // SAFETY: kevent is plain data; the kernel reads one.
        unsafe {
            let mut event: sys::kevent = std::mem::zeroed();
            event.ident = fd as _;
            event.filter = filter;
            event.flags = action;
            event.udata = key as usize as _;
            check(sys::kevent(self.fd(), &event, 1, std::ptr::null_mut(), 0, std::ptr::null())).map(drop)
        }
    }
}

impl Drop for Kqueue {
    fn drop(&mut self) {
        // Opened by `new`, used by nobody else.
        own::close(*self.fd.get_mut());
    }
}

/// A queue stays where it is: the library finds it by its number.
fn open() -> io::Result<i32> {
    // SAFETY: plain system calls.
    let fd = unsafe {
        let fd = check(sys::kqueue())?;
        libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        fd
    };
    own::keep(fd);
    Ok(fd)
}
