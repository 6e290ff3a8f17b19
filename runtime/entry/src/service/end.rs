//! The end of the process, at once or at last: what is left is written out, and what is wrong is said.

use leat_abi::exn::Builtin;
use leat_abi::header;
use leat_abi::tcb::Tcb;
use leat_memory::OutOfMemory;
use std::sync::atomic::Ordering;

use crate::profile;
use crate::service::{exceptions, report};
use crate::state::output::{Failure, Sink, error_text, write_all};
use crate::state::runtime::{runtime, stderr, stdout};
use crate::state::session::restore_terminal;
use crate::state::trace;

/// The exit code when nobody reads what is printed: 128 and the number of SIGPIPE.
pub const BROKEN_PIPE: i32 = 128 + libc::SIGPIPE;

/// The last words: writes out what is left, and gives the exit code.
pub fn finish(code: i32) -> i32 {
    let _ = stderr().flush();
    match stdout().flush() {
        Ok(()) => code,
        // An earlier failure has been reported, and has set the code.
        Err(_) if code != 0 => code,
        Err(Failure(libc::EPIPE)) => BROKEN_PIPE,
        Err(failure) => {
            report_output_failure(failure);
            1
        }
    }
}

fn report_output_failure(Failure(error): Failure) {
    let text = format!("cannot write to standard output: {}\n", error_text(error));
    let _ = stderr().print_now(text.as_bytes());
}

/// Memory is used up: the compiled code that has called the runtime goes on with `OutOfMemory`. Does not come back.
/// In an atomic section that is the end of the program, but where one large object is asked for: an exception would
/// leave the section open, and the library's locks and queues in the midst of a change.
///
/// # Safety
/// As [`crate::service::alloc::allocate`].
pub unsafe fn raise_out_of_memory(tcb: *mut Tcb, what: OutOfMemory) -> ! {
    // SAFETY: as the caller says.
    unsafe {
        if header::is_immediate((*tcb).current) || (*tcb).atomic_depth > 0 && what.wanted == 0 {
            out_of_memory(tcb, what);
        }
        *runtime().last_refusal.lock().unwrap_or_else(|e| e.into_inner()) = Some(what);
        (*tcb).pending_exn = exceptions::packet(Builtin::OutOfMemory);
        leat_fiber::stub::abandon(tcb)
    }
}

/// Memory is used up for good: reports it with a back-trace, and ends the process with code 1.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn out_of_memory(tcb: *mut Tcb, what: OutOfMemory) -> ! {
    let mut text = report::out_of_memory(what);
    // SAFETY: the worker's own block; its stack is as it was at the call.
    unsafe { report::backtrace(tcb, &mut text) };
    let _ = stdout().flush();
    let _ = stderr().print_now(text.as_bytes());
    end_process(1)
}

/// Writes out what `--trace` and `--profile` have collected; whether that went well.
pub fn write_measured() -> bool {
    let trace = trace::finish();
    if let Err(text) = &trace {
        let _ = stderr().print_now(text.as_bytes());
    }
    trace.is_ok() & profile::finish()
}

/// Ends the process now. What was collected in memory for a tool is written out, since the tool will not see it.
pub fn end_process(code: i32) -> ! {
    let code = if !write_measured() && code == 0 { 1 } else { code };
    for (fd, output) in [(1, stdout()), (2, stderr())] {
        if output.sink() == Sink::Memory {
            let _ = write_all(fd, &output.take());
        }
    }
    restore_terminal();
    // SAFETY: ends the process without running exit handlers, which may wait for other OS threads.
    unsafe { libc::_exit(code) }
}

/// Ends the child of a fork, whose caller has stayed behind in the parent, with the program's code.
pub fn end_child() -> ! {
    end_process(finish(runtime().exit_code.load(Ordering::SeqCst) as i32))
}
