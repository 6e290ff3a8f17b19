//! Timers of threads and of the library's waiters.

use leat_abi::tcb::Tcb;
use leat_io::TimerId;

use crate::service::wake::start_timer;
use crate::state::events::Token;
use crate::state::runtime::runtime;

/// Blocks until a monotonic time; goes on at once when that has come already.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_sleep_until(tcb: *mut Tcb, deadline: i64) -> u64 {
    let deadline = deadline.max(0) as u64;
    if runtime().events.is_past(deadline) {
        return 0;
    }
    // SAFETY: as the caller says. Should the timer expire on another worker before this thread is parked, `ready` waits.
    unsafe {
        start_timer(tcb, deadline, Token::plain((*tcb).current));
        leat_fiber::park(tcb, leat_fiber::reason::SLEEP)
    }
}

/// deadline * thread * the stamps of its waiter, or 0 and 0 -> the timer's number.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timer_start(
    tcb: *mut Tcb,
    deadline: i64,
    thread: u64,
    waiting: u64,
    synched: u64,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { start_timer(tcb, deadline.max(0) as u64, Token { object: thread, waiting, synched }).0 }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timer_cancel(_tcb: *mut Tcb, timer: u64) -> u64 {
    runtime().events.cancel(TimerId(timer)) as u64
}
