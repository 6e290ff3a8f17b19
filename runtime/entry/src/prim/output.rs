//! What is printed: standard output and standard error by way of their buffers.

use std::sync::atomic::{AtomicBool, Ordering};

use leat_io::{Direction, kind, own};

use crate::prim::waiting;
use crate::service::here::{Here, Text};
use crate::service::system::{answer, negated, repeated};
use crate::state::output::{Added, Drain, Output, Sink, errno};
use crate::state::runtime::{io, runtime, stderr, stdout};

/// Writes as much of an output as does not block: 0, or `-EAGAIN` when more has to go first, and the library waits; or
/// what is wrong, for an exception. Who does something else, before which what was printed is to be out, need not know:
/// it is told who prints next.
fn drain(output: &'static Output, how: Drain) -> u64 {
    let write = |fd: i32, bytes: &[u8]| {
        // SAFETY: the bytes live.
        io().attempt(fd, Direction::Write, bytes.len(), |kind, _| unsafe {
            kind::write(kind, fd, bytes.as_ptr(), bytes.len())
        })
    };
    match output.drain(how, write) {
        Ok(true) if output.is_due() && !output.leave_to_flusher() => negated(libc::EAGAIN),
        Ok(true) => 0,
        Ok(false) => negated(libc::EAGAIN),
        Err(_) if how == Drain::Due => 0,
        Err(failure) => {
            output.told(failure);
            negated(failure.0)
        }
    }
}

/// What does not fit beside what is in the buffer comes behind it when that is out, as in every other stream; nothing
/// of it is accepted when that fails. While the buffer waits for the descriptor, the bytes are put behind it all the
/// same, and the thread waits.
fn print(here: Here, output: &'static Output, text: Text, due: bool, how: Drain) -> u64 {
    let mut added = output.add(here.bytes(&text), due, false);
    if added == Added::NoRoom {
        let result = drain(output, Drain::All);
        if result != 0 && result != negated(libc::EAGAIN) {
            return result;
        }
        added = output.add(here.bytes(&text), due, true);
    }
    if added == Added::Goes || how == Drain::All { drain(output, how) } else { 0 }
}

pub fn leat_print(here: Here, text: Text) -> u64 {
    print(here, stdout(), text, true, Drain::Enough)
}

/// Standard output's stream was closed, by whatever handle.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// The same with a result: 0, or what [`drain`] says; or that standard output is closed.
pub fn leat_print_out(here: Here, text: Text) -> u64 {
    if IS_CLOSED.load(Ordering::Relaxed) {
        return negated(libc::EBADF);
    }
    print(here, stdout(), text, true, Drain::Enough)
}

pub fn leat_write_out(here: Here, text: Text) -> u64 {
    print(here, stdout(), text, false, Drain::Enough)
}

/// What [`leat_out_settle`] gives at its end.
const SETTLED: u64 = -1i64 as u64;

/// Whether something that was printed is not out.
pub fn leat_out_due() -> u64 {
    stdout().is_due() as u64
}

/// Writes out what was printed, or waits for room. Below 0: it is out, or nothing can be waited for. Else what a wait
/// gives: 1, call again with 0; or 0, the wait goes on, call again with 2 ([`waiting::leat_fd_wait`]).
pub fn leat_out_settle(here: Here, again: u64) -> u64 {
    if again == 0 {
        if drain(stdout(), Drain::Due) == 0 {
            return SETTLED;
        }
        if here.atomic_depth() > 0 {
            // No other thread may run here.
            let _ = stdout().flush();
            return SETTLED;
        }
    }
    waiting::leat_fd_wait(here, 1, 1 | again)
}

pub fn leat_print_err(here: Here, text: Text) -> u64 {
    print(here, stderr(), text, false, Drain::All)
}

/// The same with a result.
pub fn leat_print_err_out(here: Here, text: Text) -> u64 {
    leat_print_err(here, text)
}

pub fn leat_flush_out(_: Here) -> u64 {
    drain(stdout(), Drain::All)
}

fn output_at(fd: u64) -> &'static Output {
    if fd == 2 { stderr() } else { stdout() }
}

/// After a wait: goes on with what gave `-EAGAIN`. fd (1, 2) * (0 enough for more to be printed, 1 what is due, 2 all)
pub fn leat_out_drain(_: Here, fd: u64, how: u64) -> u64 {
    let output = output_at(fd);
    let how = match how {
        0 => Drain::Enough,
        1 => Drain::Due,
        _ => Drain::All,
    };
    drain(output, how)
}

/// The program has closed the stream: fd (1, 2) -> 0. The descriptor is that of /dev/null then. So its peer sees the
/// end, and no file that is opened later gets the number, to which the runtime writes, and children.
pub fn leat_out_close(mut here: Here, fd: u64) -> u64 {
    let output = output_at(fd);
    let fd = fd as i32;
    // A session's answers go there, too.
    if output.sink() != Sink::Descriptor(fd) || runtime().session.is_some() || own::is_own(fd) {
        return 0;
    }
    if fd == 1 {
        IS_CLOSED.store(true, Ordering::Relaxed);
    }
    // SAFETY: plain system calls; the path ends in NUL.
    unsafe {
        let null = repeated(|| libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC));
        // Without one the number stays taken, as it must; nothing is lost, for all was written out.
        if null < 0 {
            return 0;
        }
        // It was closed.
        if null == fd {
            return 0;
        }
        // What a close may have to say, as a file system of the network does, dup2 keeps to itself.
        let last = libc::dup(fd);
        let failed = last >= 0 && libc::close(last) < 0 && errno() != libc::EINTR;
        let closed = if failed { negated(errno()) } else { 0 };
        let call = || answer(repeated(|| libc::dup2(null, fd)) as i64);
        let result = io().close(fd, |thread, outcome| here.wake(thread, outcome), call) as i64;
        libc::close(null);
        if result < 0 { result as u64 } else { closed }
    }
}

/// Before a worker waits: what was printed is seen, as far as that does not block.
pub(crate) fn write_out_due() {
    let _ = stdout().drain(Drain::Due, |fd, bytes| {
        // SAFETY: the bytes live.
        io().attempt(fd, Direction::Write, bytes.len(), |kind, _| unsafe {
            kind::write(kind, fd, bytes.as_ptr(), bytes.len())
        })
    });
}
