//! Timers of threads and of the library's waiters.

use leat_io::TimerId;

use crate::service::here::Here;
use crate::state::events::Token;
use crate::state::runtime::runtime;

/// Blocks until a monotonic time; goes on at once when that has come already.
pub fn leat_thread_sleep_until(mut here: Here, deadline: i64) -> u64 {
    let deadline = deadline.max(0) as u64;
    if runtime().events.is_past(deadline) {
        return 0;
    }
    // Should the timer expire on another worker before this thread is parked, `ready` waits.
    here.start_timer(deadline, Token::plain(here.current()));
    here.park(leat_fiber::reason::SLEEP)
}

/// deadline * thread * the stamps of its waiter, or 0 and 0 -> the timer's number.
pub fn leat_timer_start(mut here: Here, deadline: i64, thread: u64, waiting: u64, synched: u64) -> u64 {
    here.start_timer(deadline.max(0) as u64, Token { object: thread, waiting, synched }).0
}

pub fn leat_timer_cancel(_: Here, timer: u64) -> u64 {
    runtime().events.cancel(TimerId(timer)) as u64
}
