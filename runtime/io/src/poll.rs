//! The portable poller: the system call `poll` over a table of all registered descriptors.
//!
//! A change of the table rings the waker when somebody waits, so that the wait starts again with the new one. A
//! direction that was told of is left out until `again`. A wait costs what the number of descriptors is: rows E of the
//! lab show it. A look costs as much, and finds the little that has come since the last one: so looks have a ninth of
//! the time at most.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clock::{self, Nanos};
use crate::event::{Event, Interest};
use crate::waker::{Waker, check, milliseconds};

struct Entry {
    fd: i32,
    key: u64,
    /// What the user asked for, and what is waited for now (as poll's flags).
    interest: i16,
    armed: i16,
}

#[derive(Default)]
struct Table {
    entries: Vec<Entry>,
    /// Index in `entries` by descriptor, or `u32::MAX`.
    by_fd: Vec<u32>,
}

pub struct Poll {
    waker: Waker,
    table: Mutex<Table>,
    /// Somebody waits, with the table as it was.
    waiting: AtomicBool,
    /// A look before this time finds nothing, without asking.
    next_look: AtomicU64,
    /// How long a look takes, in nanoseconds.
    took: AtomicU64,
}

/// After a look none is made for so many times as long as that one took. (Each worker looks every millisecond or so,
/// and 20,000 descriptors take as long as that.)
const REST: u64 = 8;
/// A look that took longer than this, and than twice what the last one took, was kept from its processor. (It took ten
/// milliseconds then, and what was ready waited for eighty more.)
const SHORT: u64 = 50_000;

impl Poll {
    pub fn new() -> io::Result<Poll> {
        Ok(Poll {
            waker: Waker::new()?,
            table: Mutex::default(),
            waiting: AtomicBool::new(false),
            next_look: AtomicU64::new(0),
            took: AtomicU64::new(0),
        })
    }

    pub fn register(&self, fd: i32, key: u64, interest: Interest) -> io::Result<()> {
        if is_regular(fd)? {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
        self.change(|table| {
            let at = fd as usize;
            if table.by_fd.len() <= at {
                table.by_fd.resize(at + 1, u32::MAX);
            }
            if table.by_fd[at] != u32::MAX {
                return Err(io::Error::from_raw_os_error(libc::EEXIST));
            }
            table.by_fd[at] = table.entries.len() as u32;
            table.entries.push(Entry { fd, key, interest: flags(interest), armed: flags(interest) });
            Ok(())
        })
    }

    pub fn swap(&self, new: &Poll) -> io::Result<()> {
        *self.lock() = Table::default();
        self.waker.swap(&new.waker);
        Ok(())
    }

    pub fn forget(&self) {
        self.waker.forget();
    }

    pub fn again(&self, fd: i32, interest: Interest) {
        let done = self.change(|table| {
            let entry = table.find(fd)?;
            entry.armed |= entry.interest & flags(interest);
            Ok(())
        });
        debug_assert!(done.is_ok(), "not registered: {fd}");
    }

    pub fn unregister(&self, fd: i32) -> io::Result<()> {
        self.change(|table| {
            table.find(fd)?;
            let place = table.by_fd[fd as usize];
            table.by_fd[fd as usize] = u32::MAX;
            table.entries.swap_remove(place as usize);
            if let Some(moved) = table.entries.get(place as usize) {
                table.by_fd[moved.fd as usize] = place;
            }
            Ok(())
        })
    }

    pub fn wait(&self, timeout: Option<Nanos>, events: &mut Vec<Event>) -> io::Result<()> {
        self.take(timeout, true, events)
    }

    pub fn look(&self, events: &mut Vec<Event>) -> io::Result<()> {
        // In virtual time nothing may depend on how fast the machine is.
        if clock::is_fake() {
            return self.take(Some(0), false, events);
        }
        let start = clock::monotonic();
        if start < self.next_look.load(Ordering::Relaxed) {
            return Ok(());
        }
        let result = self.take(Some(0), false, events);
        let end = clock::monotonic();
        let took = (end - start).min(SHORT.max(2 * self.took.load(Ordering::Relaxed)));
        self.took.store(took, Ordering::Relaxed);
        self.next_look.store(end + REST * took, Ordering::Relaxed);
        result
    }

    fn take(&self, timeout: Option<Nanos>, waits: bool, events: &mut Vec<Event>) -> io::Result<()> {
        let mut set = vec![libc::pollfd { fd: self.waker.fd(), events: libc::POLLIN, revents: 0 }];
        {
            let table = self.lock();
            if waits {
                self.waiting.store(true, Ordering::SeqCst);
            }
            let armed = table.entries.iter().filter(|e| e.armed != 0);
            set.extend(armed.map(|e| libc::pollfd { fd: e.fd, events: e.armed, revents: 0 }));
        }
        // SAFETY: the set is live and as long as said.
        let count = unsafe { libc::poll(set.as_mut_ptr(), set.len() as _, milliseconds(timeout)) };
        let result = check(count);
        if waits {
            self.waiting.store(false, Ordering::SeqCst);
        }
        match result {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(e) => return Err(e),
        }
        if waits && set[0].revents != 0 {
            self.waker.reset();
        }
        let mut table = self.lock();
        for ready in set[1..].iter().filter(|p| p.revents != 0) {
            // It may have been unregistered meanwhile, or its number be another's by now: a spurious event does no
            // harm.
            let Ok(entry) = table.find(ready.fd) else { continue };
            let broken = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;
            let told = |mask: i16, armed: i16| armed & mask != 0 && ready.revents & (mask | broken) != 0;
            let event = Event {
                key: entry.key,
                read: told(libc::POLLIN | libc::POLLPRI, entry.armed),
                write: told(libc::POLLOUT, entry.armed),
                ..Event::default()
            };
            if event.read {
                entry.armed &= !(libc::POLLIN | libc::POLLPRI);
            }
            if event.write {
                entry.armed &= !libc::POLLOUT;
            }
            if event.read || event.write {
                events.push(event);
            }
        }
        Ok(())
    }

    pub fn wake(&self) {
        self.waker.wake();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn change(&self, f: impl FnOnce(&mut Table) -> io::Result<()>) -> io::Result<()> {
        let mut table = self.lock();
        f(&mut table)?;
        // With the lock held: who begins to wait later sees the change.
        if self.waiting.load(Ordering::SeqCst) {
            self.waker.wake();
        }
        Ok(())
    }
}

impl Table {
    fn find(&mut self, fd: i32) -> io::Result<&mut Entry> {
        let place = self.by_fd.get(fd as usize).copied().unwrap_or(u32::MAX);
        self.entries.get_mut(place as usize).ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }
}

fn flags(interest: Interest) -> i16 {
    (if interest.read { libc::POLLIN | libc::POLLPRI } else { 0 }) | (if interest.write { libc::POLLOUT } else { 0 })
}

pub(crate) fn is_regular(fd: i32) -> io::Result<bool> {
    // SAFETY: stat is plain data that fstat fills.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        check(libc::fstat(fd, &mut stat))?;
        Ok(stat.st_mode & libc::S_IFMT == libc::S_IFREG)
    }
}
