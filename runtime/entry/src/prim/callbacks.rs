//! Callbacks: what the library's thread of callbacks asks for, descriptors and time-outs; and the figures of both.

use leat_abi::figures::io as figures;
use leat_abi::tcb::Tcb;
use leat_fiber::Ref;
use leat_io::{Interest, TimerId};

use crate::service::objects::bytes;
use crate::service::system::{negated, set};
use crate::service::wake::{self, wake};
use crate::state::events::Token;
use crate::state::runtime::{io, runtime};

/// fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_listen(tcb: *mut Tcb, fd: u64, interest: u64) -> u64 {
    // SAFETY: the listener is the callbacks' thread; the caller is a worker.
    let wake = |thread| unsafe { leat_fiber::ready(tcb, Ref::of(thread)) };
    io().listen(fd as i32, Interest::of_bits(interest as u8), wake).map_or_else(negated, |()| 0)
}

/// Fills the array with descriptors times four and what they are ready for (1, 2, 3): their number. When it is 0 the
/// running thread is made ready as soon as there is something. What callbacks were told of before, they have done.
///
/// # Safety
/// Called by compiled code, with an int array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_take(tcb: *mut Tcb, array: u64) -> u64 {
    // SAFETY: the array is as long as its header says; nothing collects. The caller is a worker.
    unsafe {
        let room = bytes(array).len() / 8;
        let mut at = 0;
        let wake = |token, outcome| wake(tcb, token, outcome);
        io().take_due(room, (*tcb).current, wake, |told| {
            set(array, at, told as i64);
            at += 1;
        }) as u64
    }
}

/// deadline (monotonic ns) * record of references -> the timer's number (see `timer_cancel`): it is due then.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_start(_tcb: *mut Tcb, deadline: i64, record: u64) -> u64 {
    runtime().events.start(deadline.max(0) as u64, Token::plain(record), true).0
}

/// How many of them are due. When there are some, the running thread is woken no more, and takes them.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_due(tcb: *mut Tcb) -> u64 {
    let events = &runtime().events;
    let mut due = events.fired();
    // SAFETY: the caller is a worker.
    if due == 0 && unsafe { wake::expire(tcb) } {
        due = events.fired();
    }
    if due > 0 {
        events.io.unlisten();
    }
    due as u64
}

/// The one that is due longest, and its number into an int array; the library has asked whether there is one.
///
/// # Safety
/// Called by compiled code, with an array that has an element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timeout_take(_tcb: *mut Tcb, array: u64) -> u64 {
    let (token, id) = runtime().events.take_fired().unwrap_or((1, TimerId(0)));
    // SAFETY: as the caller says.
    unsafe { set(array, 0, id.0 as i64) };
    token
}

/// Figures: 0 descriptors known to the poller, 1 waiters, 2 OS threads of the pool, 3 its jobs, 4 timers.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_io_stat(_tcb: *mut Tcb, which: u64) -> u64 {
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
