//! The thread primitives: thin joints between compiled code, the fibers and the timers.
//!
//! A function that may switch threads returns at once what the fibers' function returned: by then another thread may run.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use leat_abi::exn::Builtin;
use leat_abi::header::{self, Kind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::{ENDING, STATE_MASK, State, Thread, Waiter};
use leat_io::TimerId;
use leat_io::clock::Nanos;

use crate::life::exit;
use crate::service::alloc::allocate;
use crate::service::events::Token;
use crate::service::objects;
use crate::service::raise::raise_builtin;
use crate::state::runtime::{runtime, worker};

/// All threads that have not been collected, so that a deadlock's report can name those that nothing refers to any more.
/// The references are weak: the collector mends the lists and keeps nothing alive for them.
#[derive(Default)]
pub struct AllThreads {
    /// Made since the last collection.
    young: Vec<u64>,
    old: Vec<u64>,
}

impl AllThreads {
    pub fn add(&mut self, thread: u64) {
        self.young.push(thread);
    }

    /// Takes what the workers have noted since the last collection.
    ///
    /// # Safety
    /// All other workers are stopped or idle; the blocks are those of all workers.
    pub unsafe fn gather(&mut self, tcbs: &[*mut Tcb]) {
        for &tcb in tcbs {
            // SAFETY: nobody else touches the list.
            unsafe { self.young.append(&mut (*worker(tcb)).threads) };
        }
    }

    /// Mends the lists after a collection; a minor one moves nothing that is old, and makes all that is young old.
    pub fn after(&mut self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        if !minor {
            self.old.retain_mut(|thread| match forward(*thread) {
                Some(now) => {
                    *thread = now;
                    true
                }
                None => false,
            });
        }
        self.old.extend(self.young.drain(..).filter_map(forward));
    }

    /// In order of their making, as far as the lists know it.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.old.iter().chain(&self.young).copied()
    }
}

/// `(unit -> unit) -> thread`: made, not started.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_new(tcb: *mut Tcb, closure: u64) -> u64 {
    let mut keep = [closure];
    // SAFETY: a fresh object is filled before the next safepoint.
    unsafe {
        let thread = allocate(tcb, header::thread(), &mut keep);
        leat_fiber::init_thread(tcb, thread, keep[0]);
        (*worker(tcb)).threads.push(thread);
        thread
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_ready(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::ready(tcb, thread) };
    0
}

/// The ready thread that has waited longest, blocked now; the running thread when there is none.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_take(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    match unsafe { leat_fiber::take_ready(tcb) } {
        1 => unsafe { (*tcb).current },
        thread => thread,
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_switch(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::switch(tcb, thread) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_handoff(tcb: *mut Tcb, thread: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::handoff(tcb, thread) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_park(tcb: *mut Tcb, reason: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::park(tcb, reason) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_yield(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::yield_now(tcb) }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_exit(tcb: *mut Tcb) -> u64 {
    // SAFETY: as the caller says.
    unsafe { exit::thread_ended(tcb) }
}

/// Fills a cell with the caller's continuation.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_capture(tcb: *mut Tcb, cell: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::capture(tcb, cell) }
}

/// Goes on where a cell was filled.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_throw(tcb: *mut Tcb, cell: u64, value: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::throw(tcb, cell, value) }
}

/// Goes on with a closure on an empty stack.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_cont_restart(tcb: *mut Tcb, closure: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::restart(tcb, closure) }
}

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

/// What a thread or a waiter waits for has happened: the thread is made ready, the waiter's synchronisation is committed if
/// it still waits. False: another worker has claimed the waiter at this moment, so it must be looked at again.
///
/// # Safety
/// `tcb` is the calling worker's; the token is an object of either kind.
pub unsafe fn event_happened(tcb: *mut Tcb, token: u64) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if Kind::of(objects::header_of(token)) == Kind::Thread {
            leat_fiber::ready(tcb, token);
            return true;
        }
        let Waiter { synched, waiting, thread } = *(token as *const Waiter);
        commit(tcb, thread, waiting, synched)
    }
}

/// The time of a timer with a thread has come; likewise.
///
/// # Safety
/// `tcb` is the calling worker's; the token's object is a thread.
unsafe fn timer_expired(tcb: *mut Tcb, token: Token) -> bool {
    let Token { object: thread, waiting, synched } = token;
    // SAFETY: as the caller says.
    unsafe {
        if synched == 0 {
            leat_fiber::ready(tcb, thread);
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
            if Kind::of(objects::header_of(token.object)) == Kind::Record {
                fired.get_or_insert_with(|| events.lock_fired()).push_back((token.object, id));
                return true;
            }
            timer_expired(tcb, token)
        }
    });
    fired.is_some()
}

/// Likewise, of a waiter's fields.
///
/// # Safety
/// As above.
unsafe fn commit(tcb: *mut Tcb, thread: u64, waiting: u64, synched: u64) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let stamp = AtomicU64::from_ptr(&raw mut (*(thread as *mut Thread)).stamp);
        match stamp.compare_exchange(waiting, synched, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => leat_fiber::ready(tcb, thread),
            Err(now) => return now != waiting | 1,
        }
        true
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
/// `tcb` is the calling worker's; the token's object is one.
unsafe fn start_timer(tcb: *mut Tcb, deadline: Nanos, token: Token) -> TimerId {
    // SAFETY: as the caller says.
    let young = unsafe { (*tcb).is_young(token.object) };
    runtime().events.start(deadline, token, young)
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_timer_cancel(_tcb: *mut Tcb, timer: u64) -> u64 {
    runtime().events.cancel(TimerId(timer)) as u64
}

/// Whose event a deadlock is (1), instead of the end of the program (0); it is not reported (2), or is again (3).
///
/// # Safety
/// Called by compiled code; `waiter` is an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_deadlock_watch(_tcb: *mut Tcb, on: u64, waiter: u64) -> u64 {
    match on {
        2 | 3 => runtime().deadlock_quiet.store(on == 2, Ordering::SeqCst),
        _ => runtime().deadlock_waiter.store(if on != 0 { waiter } else { 1 }, Ordering::SeqCst),
    }
    0
}

/// What a thread's uncaught exception is told to, instead of being reported.
///
/// # Safety
/// Called by compiled code; `closure` is one of type unit -> unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_uncaught_hook(_tcb: *mut Tcb, on: u64, closure: u64) -> u64 {
    runtime().uncaught_hook.store(if on != 0 { closure } else { 1 }, Ordering::SeqCst);
    0
}

/// Takes a lock of the library that is not the worker's, or waits a moment (0).
///
/// # Safety
/// Called by compiled code in an atomic section; `cell` is an int ref.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_lock_attempt(tcb: *mut Tcb, cell: u64) -> u64 {
    // SAFETY: the caller's promise.
    u64::from(unsafe { leat_fiber::attempt(tcb, cell) })
}

/// A short wait for another worker, in the middle of a few instructions that nobody may interrupt.
#[unsafe(no_mangle)]
pub extern "C" fn leat_thread_pause() {
    std::thread::yield_now();
}

/// Whether a thread has come to its end.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_ended(thread: u64) -> u64 {
    // SAFETY: a thread object; both words may be changed by other workers at any time. The full fence is for who has just
    // stored into the thread's properties: either the thread sees that when it ends, or this sees that it ends.
    unsafe {
        let thread = thread as *mut Thread;
        fence(Ordering::SeqCst);
        let state = AtomicU8::from_ptr(&raw mut (*thread).state).load(Ordering::SeqCst);
        let stamp = AtomicU64::from_ptr(&raw mut (*thread).stamp).load(Ordering::SeqCst);
        u64::from(state & STATE_MASK == State::Dead as u8 || stamp == ENDING)
    }
}

/// Figures by number, see `abi::prim`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_thread_stat(tcb: *mut Tcb, which: u64) -> u64 {
    let stat = runtime().fibers.stat();
    match which {
        0 => stat.started - stat.ended,
        1 => stat.switches,
        2 => stat.evictions,
        3 => stat.steals,
        4 => stat.lanes,
        5 => stat.workers,
        6 => stat.preemptions,
        7 => runtime().options.workers as u64,
        // SAFETY: the calling worker's block.
        8 => unsafe { (*tcb).atomic_depth },
        // SAFETY: as above.
        9 => u64::from(unsafe { runtime().fibers.others_run(tcb) }),
        _ => 0,
    }
}

/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_workers_set(_tcb: *mut Tcb, count: i64) -> u64 {
    if count > 1 {
        runtime().heap.keep_apart();
        runtime().events.share();
    }
    // SAFETY: called on a worker.
    unsafe { runtime().fibers.set_workers(count.clamp(1, leat_fiber::worker::MAX_WORKERS as i64) as usize) };
    0
}

/// A watched program comes to a load or store of what other threads may share: in deterministic mode one of them may go on.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_access(tcb: *mut Tcb, _object: u64, _first: u64, _count: u64, _access: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::access(tcb) }
}

/// A loop's poll found a safepoint asked for.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_poll(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::poll(tcb) };
}

/// A function's entry found the stack pointer below the limit: the stack is used up, or a safepoint is asked for.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_stack_check(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe {
        if leat_fiber::stack_overflowed(tcb) {
            raise_builtin(tcb, Builtin::StackOverflow);
        } else {
            leat_fiber::poll(tcb);
        }
    }
}

/// `atomic_end` came to 0 while a safepoint was put off.
///
/// # Safety
/// Called by its stub.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_atomic_end(tcb: *mut Tcb, _: u64, _: u64) {
    // SAFETY: as the caller says.
    unsafe { leat_fiber::atomic_end(tcb) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_threads_follows_the_collector() {
        let mut all = AllThreads::default();
        all.add(8);
        all.add(16);
        all.after(true, &|thread| (thread != 8).then_some(thread + 1000));
        all.add(24);
        assert_eq!(all.iter().collect::<Vec<_>>(), [1016, 24]);
        all.after(true, &|thread| {
            if thread == 1016 { panic!("a minor collection asks for the young only") } else { Some(thread) }
        });
        all.after(false, &|thread| (thread == 24).then_some(48));
        assert_eq!(all.iter().collect::<Vec<_>>(), [48]);
    }
}
