//! What is printed: standard output and standard error by way of their buffers.

use leat_abi::tcb::Tcb;
use leat_io::{Direction, kind};

use crate::prim::waiting;
use crate::service::objects::bytes;
use crate::service::system::negated;
use crate::state::output::{Drain, Failure, Output};
use crate::state::runtime::{io, stderr, stdout};

/// Writes as much of an output as does not block: 0, or `-EAGAIN` when more has to go first, and the library waits; or what
/// is wrong with standard output, for an exception. Who does something else, before which what was printed is to be out,
/// need not know: it is told who prints next.
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
        // Who writes to a reader that has gone is told; otherwise, that nobody hears of errors is no reason to stop.
        Err(failure) if core::ptr::eq(output, stderr()) => {
            stderr().told();
            if failure == Failure(libc::EPIPE) { negated(failure.0) } else { 0 }
        }
        Err(_) if how == Drain::Due => 0,
        Err(failure) => tell(failure),
    }
}

fn tell(Failure(error): Failure) -> u64 {
    stdout().told();
    negated(error)
}

unsafe fn print(text: u64, due: bool) -> u64 {
    // SAFETY: a string; the output copies it.
    match stdout().add(unsafe { bytes(text) }, due) {
        Ok(false) => 0,
        Ok(true) => drain(stdout(), Drain::Enough),
        Err(failure) => tell(failure),
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { print(text, true) }
}

/// The same with a result: 0, or what [`drain`] says.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print_out(tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_print(tcb, text) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_write_out(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { print(text, false) }
}

/// Whether something that was printed is not out.
#[unsafe(no_mangle)]
pub extern "C" fn leat_out_due() -> u64 {
    stdout().is_due() as u64
}

/// Writes out what was printed, or waits for room. Below 0: nothing can be waited for.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_out_settle(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says; waiting comes last.
    unsafe {
        if drain(stdout(), Drain::Due) == 0 {
            return 0;
        }
        if (*tcb).atomic_depth > 0 {
            // No other thread may run here.
            let _ = stdout().flush();
            return 0;
        }
        waiting::leat_fd_wait(tcb, 1, 1)
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print_err(_tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: a string.
    let _ = stderr().add(unsafe { bytes(text) }, false);
    drain(stderr(), Drain::All)
}

/// The same with a result.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_print_err_out(tcb: *mut Tcb, text: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_print_err(tcb, text) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_flush_out(_tcb: *mut Tcb) -> u64 {
    drain(stdout(), Drain::All)
}

/// After a wait: goes on with what gave `-EAGAIN`. fd (1, 2) * (0 enough for more to be printed, 1 what is due, 2 all)
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_out_drain(_tcb: *mut Tcb, fd: u64, how: u64) -> u64 {
    let output = if fd == 2 { stderr() } else { stdout() };
    let how = match how {
        0 => Drain::Enough,
        1 => Drain::Due,
        _ => Drain::All,
    };
    drain(output, how)
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
