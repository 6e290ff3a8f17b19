//! Callbacks: what the library's thread of callbacks asks for, descriptors and time-outs; and the figures of both.

use leat_abi::figures::io as figures;
use leat_fiber::Ref;
use leat_io::{Interest, TimerId};

use crate::service::here::{Here, Ints};
use crate::service::system::negated;
use crate::state::events::Token;
use crate::state::runtime::{io, runtime};

/// fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of.
pub fn leat_io_listen(mut here: Here, fd: u64, interest: u64) -> u64 {
    // The listener is the callbacks' thread.
    let wake = |thread| here.ready(Ref::of(thread));
    io().listen(fd as i32, Interest::of_bits(interest as u8), wake).map_or_else(negated, |()| 0)
}

/// Fills the array with descriptors times four and what they are ready for (1, 2, 3): their number. When it is 0 the
/// running thread is made ready as soon as there is something. What callbacks were told of before, they have done.
pub fn leat_io_take(mut here: Here, mut array: Ints) -> usize {
    here.take_due(&mut array)
}

/// deadline (monotonic ns) * record of references -> the timer's number (see `timer_cancel`): it is due then.
pub fn leat_timeout_start(_: Here, deadline: i64, record: u64) -> u64 {
    runtime().events.start(deadline.max(0) as u64, Token::plain(record), true).0
}

/// How many of them are due. When there are some, the running thread is woken no more, and takes them.
pub fn leat_timeout_due(mut here: Here) -> usize {
    let events = &runtime().events;
    let mut due = events.fired();
    if due == 0 && here.expire_timers() {
        due = events.fired();
    }
    if due > 0 {
        events.io.unlisten();
    }
    due
}

/// The one that is due longest, and its number into an int array; the library has asked whether there is one.
pub fn leat_timeout_take(here: Here, mut array: Ints) -> u64 {
    let (token, id) = runtime().events.take_fired().unwrap_or((1, TimerId(0)));
    here.set(&mut array, 0, id.0 as i64);
    token
}

/// Figures: 0 descriptors known to the poller, 1 waiters, 2 OS threads of the pool, 3 its jobs, 4 timers.
pub fn leat_io_stat(_: Here, which: u64) -> u64 {
    let events = &runtime().events;
    match which {
        figures::DESCRIPTORS => events.io.counts().0 as u64,
        figures::WAITERS => events.io.counts().1 as u64,
        figures::POOL => events.pool.counts().0 as u64,
        figures::JOBS => events.pool.counts().1 as u64,
        figures::TIMERS => events.timers() as u64,
        _ => 0,
    }
}
