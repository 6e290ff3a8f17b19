//! Waiting for descriptors: primitives of `abi::prim` over the I/O manager.
//!
//! A read, a write or a call of a socket that would block gives `-EAGAIN`: then the library waits here, and calls
//! again.

use leat_fiber::reason;
use leat_io::{Direction, Manager, Outcome, Wait, WaitId, kind};

use crate::service::here::{Here, Ints};
use crate::service::system::{answer, negated};
use crate::service::wake::is_thread;
use crate::state::output::errno;
use crate::state::pool::{Answer, JobKind};
use crate::state::runtime::{io, runtime};

fn direction(mode: u64) -> Direction {
    if mode & 1 == 0 { Direction::Read } else { Direction::Write }
}

const AGAIN: u64 = 2;

/// Whoever waits asks how the wait has ended: the descriptor may have been closed, and its number be another one's.
const KEPT: u64 = 2;

/// fd * mode (0 to read, 1 to write; 2 more when an earlier call gave 0) -> 1: try again; 0: not yet, call again; or an
/// error.
pub fn leat_fd_wait(mut here: Here, fd: u64, mode: u64) -> u64 {
    let direction = direction(mode);
    let why = if direction == Direction::Read { reason::READ } else { reason::WRITE };
    let thread = here.current();
    if mode & AGAIN != 0 {
        if !io().is_waiting(fd as i32, direction, thread) {
            // It was woken between two parks.
            let value = here.take_own_value();
            return if value == 0 { 1 } else { value };
        }
        return here.park(why);
    }
    match io().begin(fd as i32, direction, thread, false) {
        Err(error) => negated(error),
        Ok(Wait::Ready) => 1,
        Ok(Wait::Waiting(_)) => here.park(why),
        Ok(Wait::File) => {
            let events = &runtime().events;
            let io = events.io.clone();
            let fd = fd as i32;
            events.pool.start(thread, true, JobKind::Work, move || fetch(&io, fd));
            here.park(why)
        }
    }
}

/// Brings a file's next bytes into memory.
fn fetch(io: &Manager, fd: i32) -> Answer {
    let mut buffer = vec![0u8; 64 << 10];
    // SAFETY: the buffer is as large as said; asking and reading change no place of the descriptor.
    unsafe {
        let at = libc::lseek(fd, 0, libc::SEEK_CUR);
        libc::pread(fd, buffer.as_mut_ptr().cast(), buffer.len(), at.max(0));
    }
    io.fetched(fd);
    Answer::default()
}

/// fd * mode (0 to read, 1 to write; 2 more when the number is to be ended) * token -> a number; 0: ready now; or an
/// error. The token is a thread, then the number is to be ended in any case; or a waiter, whose synchronisation is
/// committed: then it may be.
pub fn leat_fd_watch(_: Here, fd: u64, mode: u64, token: u64) -> u64 {
    // SAFETY: an object of either kind.
    let kept = mode & KEPT != 0 || unsafe { is_thread(token) };
    match io().begin(fd as i32, direction(mode), token, kept) {
        Err(error) => negated(error),
        Ok(Wait::Ready | Wait::File) => 0,
        Ok(Wait::Waiting(id)) => id.0,
    }
}

fn number(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Waiting => 0,
        Outcome::Ready => 1,
        Outcome::Closed => 2,
    }
}

/// Ends a waiter: 0 it was given up, 1 the descriptor was ready, 2 it was closed.
pub fn leat_fd_unwatch(_: Here, id: u64) -> u64 {
    number(io().end(WaitId(id)))
}

/// The same without ending it: 0 it waits.
pub fn leat_fd_watched(_: Here, id: u64) -> u64 {
    number(io().outcome(WaitId(id)))
}

/// fd * direction -> whether the system says it is ready now; 0 leads to a wait that ends when it is.
pub fn leat_fd_ready(_: Here, fd: u64, mode: u64) -> u64 {
    let direction = direction(mode);
    let events = if direction == Direction::Read { libc::POLLIN } else { libc::POLLOUT };
    let fd = fd as i32;
    let got = io()
        .attempt_anyway(fd, direction, 0, |_, _| if kind::is_ready(fd, events) { 1 } else { -(libc::EAGAIN as isize) });
    (got > 0) as u64
}

/// Fills in what is ready now; it does not wait. What is not ready is known to be so from here on. An error if one is
/// closed.
pub fn leat_fd_poll(here: Here, mut array: Ints, count: u64) -> u64 {
    let (triples, _) = here.ints(&array).as_chunks::<3>();
    let triples = &triples[..count as usize];
    let ticks: Vec<u32> = triples.iter().map(|[fd, ..]| io().tick(*fd as i32)).collect();
    let poll = |&[fd, events, _]: &[i64; 3]| libc::pollfd { fd: fd as i32, events: events as i16, revents: 0 };
    let mut fds: Vec<libc::pollfd> = triples.iter().map(poll).collect();
    let mut result;
    loop {
        // SAFETY: as many as are said.
        result = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, 0) };
        if result >= 0 || errno() != libc::EINTR {
            break;
        }
    }
    if result < 0 {
        return answer(-1);
    }
    // One that is closed is neither ready nor will it ever be. The system passes over numbers below 0.
    if fds.iter().any(|fd| fd.fd < 0 || fd.revents & libc::POLLNVAL != 0) {
        return negated(libc::EBADF);
    }
    for (i, (fd, tick)) in fds.iter().zip(ticks).enumerate() {
        here.set(&mut array, 3 * i + 2, fd.revents as i64);
        for (direction, events) in [(Direction::Read, libc::POLLIN | libc::POLLPRI), (Direction::Write, libc::POLLOUT)]
        {
            let broken = libc::POLLERR | libc::POLLHUP;
            if fd.events & events != 0 && fd.revents & (events | broken) == 0 {
                io().blocked(fd.fd, direction, tick);
            }
        }
    }
    result as u64
}
