//! Private pipes: a pipe that nobody outside of this process can have is non-blocking, and its calls are plain ones.
//!
//! Whether reads of a pipe wait is a flag of the open file, and a child has the same open file: a program that is
//! started with such a pipe as its standard input would meet "would block", which it does not expect. So what others
//! may have stays blocking and [`FdKind::Shared`]. Measured in C: a write and a read of one byte take 573 ns so, and
//! 463 with the flag.
//!
//! ```text
//!   made ---> PRIVATE: non-blocking, Own ---------------------------------------> plain: blocking, Shared
//!                                           `lend`: before a second descriptor, a
//!                                           call of fcntl, a child, its number
//! ```
//!
//! A private pipe is closed by `exec`. So a program that is started gets one only as its standard input, output or
//! error, and only a fork has to make all of them plain. What the program itself has made by `Posix.IO.pipe` is to be
//! inherited, as POSIX says: the flag is taken away when the pipe becomes plain. Before that nobody has its number, who
//! could miss it.
//!
//! Keeps: I9 a private pipe becomes plain while no other worker is in a call ([`Manager::attempt`]): one that has just
//! read [`FdKind::Own`] would wait in the kernel. So [`Manager::lend`] is called with the world stopped.

use std::io;
use std::sync::atomic::Ordering;

use super::Manager;
use crate::kind::{self, FdKind};
use crate::poller::Poller;

/// Standard input, output and error are below: `exec` or C code use them without having been given them.
const FIRST: i32 = 3;

impl Manager {
    /// A new pipe: its end for reading, and that for writing. Both are private, unless they have the number of a
    /// standard descriptor. They are closed by `exec`; if they are to be `inherited`, as long as they are private.
    pub fn pipe(&self, inherited: bool) -> io::Result<[i32; 2]> {
        // With the lock held: a fork finds it marked, or not made.
        let mut table = self.lock();
        let ends = kind::pipe()?;
        for fd in ends {
            match self.states.get(fd) {
                Some(word) if fd >= FIRST => {
                    word.change(|s| s.with_kind(FdKind::Own).with_private(true).with_inherited(inherited));
                    table.private += 1;
                }
                _ => {
                    kind::set_blocking(fd);
                    if inherited {
                        kind::set_inherited(fd);
                    }
                }
            }
        }
        Ok(ends)
    }

    /// Whether this is an end of a private pipe.
    pub fn is_private(&self, fd: i32) -> bool {
        self.states.get(fd).is_some_and(|word| word.load().is_private())
    }

    /// These are plain from now on. No other worker is in a call, nor will be before this returns (I9).
    pub fn lend(&self, fds: &[i32]) {
        let mut table = self.lock();
        for &fd in fds {
            if self.make_plain(fd) {
                table.private -= 1;
            }
        }
    }

    /// All are plain from now on, as in [`Manager::lend`].
    pub fn lend_all(&self) {
        let mut table = self.lock();
        let mut fd = FIRST;
        while table.private > 0 {
            table.private -= usize::from(self.make_plain(fd));
            fd += 1;
        }
    }

    /// With the lock held. False: it is no private one.
    fn make_plain(&self, fd: i32) -> bool {
        let Some(word) = self.states.get(fd).filter(|word| word.load().is_private()) else { return false };
        kind::set_blocking(fd);
        let was = word.change(|s| s.with_kind(FdKind::Shared).with_private(false).with_inherited(false));
        if was.is_inherited() {
            kind::set_inherited(fd);
        }
        true
    }

    /// Forks by `fork`, which tells whether this is the child, with the locks held: in the child nobody else would give
    /// them back, and it has a poller of its own from the beginning. False, and nothing was done, while there are
    /// private pipes, which must be lent first. Fails when there are no descriptors for the child's poller.
    pub fn around_fork(&self, fork: impl FnOnce() -> bool) -> io::Result<bool> {
        let mut table = self.lock();
        if table.private > 0 {
            return Ok(false);
        }
        let _made = self.lock_making();
        let new = self.poller.get().map(Poller::spare).transpose()?;
        if fork() {
            // A worker that was in the poller is not here.
            self.waiting.store(false, Ordering::Relaxed);
            if let Some(new) = new {
                self.take_over(&mut table, &new);
            }
        }
        Ok(true)
    }
}
