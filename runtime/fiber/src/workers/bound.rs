//! Bound threads: an SML thread that always runs on the same OS thread, its carrier.
//!
//! Compiled code finds all that it needs in the worker's block, and any OS thread may use a worker's block. So the
//! worker moves: when the next thread to run is bound, the OS thread that has the worker gives it to the carrier of
//! that thread, and waits. Threads that are not bound run on the worker's own carrier. To the rest of the runtime a
//! bound thread is a thread like any other: it has a lane or a piece, stands in queues, and other workers may take it.
//!
//! ```text
//!                        the next thread is bound
//!  worker at its own ---------------------------------> at that thread's carrier (AWAY)
//!   carrier   ^                                             |   |   ^ the next thread is bound too
//!             +---------------------------------------------+   +---+
//!               the next thread is not, or the bound one has ended
//! ```
//!
//! The flag `BOUND` in a thread's state leads every stub to the slow way, whether the thread stops or goes on, and
//! [`AWAY`] in `Worker::watched` leads the functions of `switch` to theirs. So other threads pay nothing.
//!
//! A worker at a bound thread's carrier may wait there: for a thread to run, or for the end of a collection. Meanwhile
//! no other worker gets that bound thread, nor its lane. For that worker would have to go to the same carrier, and wait
//! until the first one has left it; and the first one may be waiting for the second ([`crate::thread::word::is_at`]).
//!
//! Keeps: T15 a bound thread runs on its carrier and no other thread does; T16 a worker is at one carrier at a time,
//! and an OS thread that has given its worker away touches nothing of that worker; T17 while a worker is at a bound
//! thread's carrier, the lane of that thread goes to no other worker.

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::carrier::{Carrier, First};
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{AWAY, Worker, name_lane, set_watched, worker_of};
use crate::stub;
use crate::thread::word::{BOUND, DEAD, NEW, STATE, current, is_own, set_state, state_of};

/// Gives a thread that has not been started an OS thread of its own, on which it will run; or the system's error
/// number.
///
/// # Safety
/// `tcb` is the calling worker's, `thread` a thread object that nobody else knows.
pub unsafe fn bind(tcb: *mut Tcb, thread: Ref<Thread>) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe {
        if state_of(thread) != NEW {
            return Err(libc::EINVAL);
        }
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        // The first lane is the main thread's alone, so there must be a second one. It is made now: the stacks of OS
        // threads may take all address space that is left.
        if shared.lanes.count() == 1 {
            let Some(index) = shared.lanes.grow((*worker).index) else { return Err(libc::EAGAIN) };
            name_lane(worker, index as u64);
            shared.free_lane(worker, index as u64);
        }
        shared.carriers.start(shared.host, thread, (*thread.as_ptr()).id)?;
        set_state(thread, NEW | BOUND);
        Ok(())
    }
}

/// Whether a thread is bound.
///
/// # Safety
/// `thread` is a thread object.
pub unsafe fn is_bound(thread: Ref<Thread>) -> bool {
    // SAFETY: the caller's promise. The flag never changes once others know the thread.
    unsafe { state_of(thread) & BOUND != 0 }
}

/// The worker's block is set for the thread that runs next, which may be bound: if it has to run on another OS thread,
/// the worker is given to that one, and `value` with it. Returns if it runs on the calling one.
pub(crate) unsafe fn cross(tcb: *mut Tcb, worker: *mut Worker, value: u64) -> u64 {
    // SAFETY: the caller is the worker, and returns the value at once (E2); the thread was resumed, so it is an object.
    unsafe {
        let shared = (*worker).shared;
        let thread = current(tcb);
        let id = (*thread.as_ptr()).id;
        let carrier = if state_of(thread) & BOUND != 0 { shared.carriers.find(id) } else { None };
        let Some(mut carrier) = carrier else {
            if (*worker).watched & AWAY != 0 {
                go_home(tcb, worker, First::Resumes);
            }
            return value;
        };
        if std::ptr::eq(&*carrier, (*worker).carrier) {
            return value;
        }
        if carrier.is_lost() {
            carrier = match shared.carriers.start(shared.host, thread, id) {
                Ok(carrier) => carrier,
                Err(error) => shared.host.cannot_carry(error),
            };
        }
        let from = leaves(worker, &raw const *carrier);
        set_watched(worker, (*worker).watched | AWAY);
        carrier.give(tcb, First::Resumes);
        // The last reference to it, if the thread has ended by now.
        drop(carrier);
        rest(from)
    }
}

/// The worker is at a bound thread's carrier and is about to look for the next thread, which may take long. If the
/// carrier's thread has ended, or a throw has moved it to another worker's lane, the carrier must be free: the worker
/// goes home and looks there.
#[cold]
pub(crate) unsafe fn leave_to_its_thread(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker, and has nothing on the C stack that needs an end; its carrier lives.
    unsafe {
        let carrier = (*worker).carrier;
        let thread = (*carrier).thread();
        let has_ended = thread.is_none() || state_of(thread) & STATE == DEAD;
        if has_ended {
            (*worker).shared.carriers.end((*carrier).id());
        }
        if has_ended || !is_own(worker, thread) {
            (*tcb).current = NONE;
            go_home(tcb, worker, First::Chooses)
        }
    }
}

/// A bound thread was blocked and will not run any more.
pub(crate) unsafe fn killed(worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: the caller has a thread object.
    unsafe { (*worker).shared.carriers.end((*thread.as_ptr()).id) };
}

/// Makes the stub that called the runtime go back to where the worker was entered.
pub(crate) unsafe fn depart(tcb: *mut Tcb) -> u64 {
    // SAFETY: `enter` left a resume address at its own carrier's base.
    unsafe {
        let worker = worker_of(tcb);
        (*tcb).current = NONE;
        (*tcb).pending_exn = 0;
        (*tcb).atomic_depth = 0;
        (*tcb).saved_sp = (*(*worker).home).base();
        if (*worker).watched & AWAY != 0 {
            go_home(tcb, worker, First::Resumes);
        }
    }
    0
}

/// In the child of a fork, which has the calling OS thread only: that one is the worker's own now, whatever it was.
pub(crate) unsafe fn after_fork(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        let carrier = (*worker).carrier;
        (*worker).shared.carriers.after_fork((*carrier).id());
        if (*worker).watched & AWAY != 0 {
            (*carrier).become_only();
            (*worker).home = carrier;
            set_watched(worker, (*worker).watched & !AWAY);
        }
    }
}

/// The worker, at a bound thread's carrier, goes to its own.
unsafe fn go_home(tcb: *mut Tcb, worker: *mut Worker, first: First) -> ! {
    // SAFETY: the caller is the worker; what it has on the C stack needs no end.
    unsafe {
        let home = (*worker).home;
        let from = leaves(worker, home);
        set_watched(worker, (*worker).watched & !AWAY);
        (*home).give(tcb, first);
        rest(from)
    }
}

/// The worker is about to go to this carrier. Gives the one that it leaves, the calling OS thread's.
unsafe fn leaves(worker: *mut Worker, to: *const Carrier) -> *const Carrier {
    // SAFETY: the caller is the worker.
    unsafe {
        let from = std::mem::replace(&mut (*worker).carrier, to);
        (*from).can_be_woken();
        (*worker).shared.host.carried_away((*worker).index);
        from
    }
}

/// The calling OS thread has given its worker away: it waits for the next one.
unsafe fn rest(carrier: *const Carrier) -> ! {
    // SAFETY: the caller's own carrier, which was entered.
    unsafe { stub::rest(carrier.cast(), (*carrier).base()) }
}
