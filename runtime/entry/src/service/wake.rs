//! What has happened outside -> threads made ready: readiness of descriptors, jobs done, timers due.
//!
//! A token is a thread, which is made ready in any case, or a waiter of the library, whose synchronisation is committed
//! if it still waits.

use std::sync::atomic::{AtomicU64, Ordering};

use leat_abi::header::ObjectKind;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{Thread, Waiter};
use leat_fiber::Ref;
use leat_io::clock::Nanos;
use leat_io::{Outcome, TimerId};

use crate::service::objects::header_of;
use crate::state::events::Token;
use crate::state::runtime::runtime;

/// A wait is over. The token is a thread, which is told how when it parked in [`leat_fd_wait`], or a waiter; false: not
/// now.
///
/// # Safety
/// `token` is an object of either kind; the caller is a worker.
pub(crate) unsafe fn wake(tcb: *mut Tcb, token: u64, outcome: Option<Outcome>) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(outcome) = outcome
            && is_thread(token)
        {
            let value = if outcome == Outcome::Closed { -(libc::EBADF as i64) } else { 1 };
            leat_fiber::set_value(Ref::of(token), value);
        }
        event_happened(tcb, token)
    }
}

pub(crate) unsafe fn is_thread(token: u64) -> bool {
    // SAFETY: the caller has an object.
    unsafe { ObjectKind::of(header_of(token)) == ObjectKind::Thread }
}

/// What a thread or a waiter waits for has happened: the thread is made ready, the waiter's synchronisation is
/// committed if it still waits. False: another worker has claimed the waiter at this moment, so it must be looked at
/// again.
///
/// # Safety
/// `tcb` is the calling worker's; the token is an object of either kind.
pub unsafe fn event_happened(tcb: *mut Tcb, token: u64) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if ObjectKind::of(header_of(token)) == ObjectKind::Thread {
            leat_fiber::ready(tcb, Ref::of(token));
            return true;
        }
        let Waiter { synched, waiting, thread } = *(token as *const Waiter);
        commit(tcb, thread, waiting, synched)
    }
}

/// Commits the synchronisation of a waiter with these fields, as [`event_happened`] says.
///
/// # Safety
/// As above.
unsafe fn commit(tcb: *mut Tcb, thread: u64, waiting: u64, synched: u64) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let stamp = AtomicU64::from_ptr(&raw mut (*(thread as *mut Thread)).stamp);
        match stamp.compare_exchange(waiting, synched, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => leat_fiber::ready(tcb, Ref::of(thread)),
            Err(now) => return now != waiting | 1,
        }
        true
    }
}

/// The time of a timer with a thread has come: as [`event_happened`].
///
/// # Safety
/// `tcb` is the calling worker's; the token's object is a thread.
unsafe fn timer_expired(tcb: *mut Tcb, token: Token) -> bool {
    let Token { object: thread, waiting, synched } = token;
    // SAFETY: as the caller says.
    unsafe {
        if synched == 0 {
            leat_fiber::ready(tcb, Ref::of(thread));
            return true;
        }
        commit(tcb, thread, waiting, synched)
    }
}

/// Makes those ready whose time has come; true when callbacks' timers are due, of which their thread is to be told.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn expire(tcb: *mut Tcb) -> bool {
    let events = &runtime().events;
    // Locked once for all that are due now.
    let mut fired = None;
    events.expire(|token, id| {
        // SAFETY: the tokens of timers are thread objects and callbacks' records.
        unsafe {
            if ObjectKind::of(header_of(token.object)) == ObjectKind::Record {
                fired.get_or_insert_with(|| events.lock_fired()).push_back((token.object, id));
                return true;
            }
            timer_expired(tcb, token)
        }
    });
    fired.is_some()
}

/// # Safety
/// `tcb` is the calling worker's; the token's object is one.
pub(crate) unsafe fn start_timer(tcb: *mut Tcb, deadline: Nanos, token: Token) -> TimerId {
    // SAFETY: as the caller says.
    let young = unsafe { (*tcb).is_young(token.object) };
    runtime().events.start(deadline, token, young)
}
