//! Safepoints, stopping the world, time slices.
//!
//! ```text
//!            no thread to run                    woken, and the world not stopped
//!  RUNNING ------------------------> IDLE (waits in the host) ---------------------> RUNNING
//!     |  ^                           BLOCKED (in blocking C)
//!     |  | world goes on
//!     v  |
//!  STOPPED (at a safepoint, another worker collects)
//! ```
//!
//! `running` counts the workers in RUNNING. Who wants the world for itself sets `stopping`, asks the others for a safepoint,
//! and waits until `running` is 1: itself. Nobody becomes RUNNING while `stopping` is set.
//!
//! A request is a bit in `Worker::request`, then three stores into the block: `poll`, `stack_limit`, `alloc_limit`, each of
//! which leads the compiled code to [`poll`]. The worker clears the three first and then takes the bits. A worker that writes a
//! limit for its own reasons may undo a store; so it looks at `poll` afterwards, and who waits asks again every millisecond.
//!
//! Keeps: T8 no time slice ends while `atomic_depth` is above 0: the bit stays set and `poll` too, so that the end of the
//! atomic section comes here.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use leat_abi::tcb::{LIMIT_STOP, STACK_STOP, Tcb};
use leat_abi::thread::Thread;

use crate::jitter::jitter;
use crate::queue::{Lock, NONE};
use crate::switch::{lane_of, yield_now};
use crate::turns::{TICKS, Watch};
use crate::worker::{Fibers, NO_LANE, Shared, Worker, count, depart, worker_of};
use crate::{asm, lane, post, turns};

/// Bits of `Worker::request`.
pub(crate) const STOP: u32 = 1;
pub(crate) const SLICE: u32 = 2;
/// Other workers want something: [`post::serve`].
pub(crate) const LETTER: u32 = 4;
/// The ticker has found something to decide: [`turns`].
pub(crate) const TICK: u32 = 8;

#[derive(Default)]
pub(crate) struct Stop {
    state: Mutex<State>,
    /// `running` became 1, or the ticker should look again.
    pub(crate) fewer: Condvar,
    /// `stopping` was cleared.
    go: Condvar,
    /// Bit set of workers that are idle. Set and cleared with the mutex held, read anywhere.
    pub(crate) idle: AtomicU64,
    ticker: AtomicBool,
    pub(crate) ticker_asleep: AtomicBool,
    /// Held while the ticker asks the host something, which it does not when the program is over.
    pub(crate) asking: Lock,
    ticker_thread: Mutex<Option<std::thread::Thread>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) stopping: bool,
    pub(crate) running: usize,
    /// Workers on an OS thread of theirs, less those that are idle: RUNNING, STOPPED and BLOCKED ones have a thread in
    /// hand, so nothing is a deadlock while there is one.
    pub(crate) active: usize,
    handles: Vec<JoinHandle<()>>,
}

impl Stop {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up the right to run until the world is not stopped.
    pub(crate) fn pass<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.running -= 1;
        self.fewer.notify_all();
        self.enter(state)
    }

    /// Waits until the world is not stopped, and counts as running.
    pub(crate) fn enter<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.stopping {
            state = self.go.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.running += 1;
        state
    }
}

/// The calling OS thread begins to run as this worker.
pub(crate) unsafe fn begin(worker: *mut Worker) {
    // SAFETY: the worker lives as long as the program.
    let stop = unsafe { &(*worker).shared.stop };
    let mut state = stop.enter(stop.lock());
    state.active += 1;
}

/// It has left.
pub(crate) unsafe fn end(worker: *mut Worker) {
    // SAFETY: as above.
    let stop = unsafe { &(*worker).shared.stop };
    // SAFETY: the caller is the worker.
    unsafe {
        (*worker).lock.lock();
        ((*worker).outside, (*worker).busy_lane) = (true, NO_LANE);
        (*worker).lock.unlock();
    }
    let mut state = stop.lock();
    state.running -= 1;
    state.active -= 1;
    stop.fewer.notify_all();
}

/// Waits for the other workers' OS threads, which have been told to leave.
pub(crate) fn join(shared: &'static Shared) {
    loop {
        let handle = shared.stop.lock().handles.pop();
        match handle {
            Some(handle) => drop(handle.join()),
            None => return,
        }
    }
}

/// Asks a worker for a safepoint.
pub(crate) unsafe fn request(worker: *mut Worker, bits: u32) {
    // SAFETY: the worker lives as long as the program; these are atomics.
    unsafe {
        // What stands there already has not been taken yet, and whoever takes it looks at all that was stored before.
        if (*worker).request.load(Ordering::SeqCst) & bits != bits {
            (*worker).request.fetch_or(bits, Ordering::SeqCst);
        }
        let tcb = (*worker).tcb;
        if (*tcb).poll.load(Ordering::SeqCst) == 0 {
            (*tcb).poll.store(1, Ordering::SeqCst);
        }
        (*tcb).stack_limit.store(STACK_STOP, Ordering::Relaxed);
        (*tcb).alloc_limit.store(LIMIT_STOP, Ordering::Relaxed);
    }
}

pub(crate) fn request_all(shared: &Shared, bits: u32) {
    for worker in shared.all() {
        // SAFETY: the worker lives as long as the program.
        unsafe { request(worker, bits) };
    }
}

impl Fibers {
    /// Whether a thread besides the calling one runs or is ready. What is due by a timer or a descriptor is neither yet.
    ///
    /// # Safety
    /// `tcb` is the calling worker's.
    pub unsafe fn others_run(&self, tcb: *mut Tcb) -> bool {
        let shared = self.shared;
        // SAFETY: the caller's worker; another's queue is looked at under its lock, and only while it is outside.
        unsafe {
            let worker = worker_of(tcb);
            if !shared.is_several() {
                return !turns::is_empty(worker);
            }
            // With the mutex nobody goes idle or comes back: a thread on its way from a queue to a worker is at a worker.
            let state = shared.stop.lock();
            let idle = shared.stop.idle.load(Ordering::SeqCst);
            let busy = shared.all().any(|other| {
                let attached = (*other).attached.load(Ordering::Acquire);
                if other != worker && attached && idle & (1 << (*other).index) == 0 {
                    return true;
                }
                (*other).lock.lock();
                let wanted = !turns::is_empty(other) || !(*other).inbox.is_empty();
                (*other).lock.unlock();
                wanted
            });
            drop(state);
            busy
        }
    }

    /// Asks every worker to look at the events soon, as at the end of a time slice. Safe in a signal handler.
    pub fn interrupt(&self) {
        request_all(self.shared, SLICE);
    }
}

pub(crate) fn wake_all(shared: &Shared) {
    for index in 0..shared.started.load(Ordering::Acquire) {
        shared.host.wake(index);
    }
}

/// Lets an idle worker, if there is one, look for threads that it can take.
pub(crate) fn wake_idle(shared: &Shared) {
    let idle = shared.stop.idle.load(Ordering::SeqCst);
    if idle != 0 {
        shared.host.wake(idle.trailing_zeros() as usize);
    }
}

/// A safepoint: what `leat_poll` does, and `leat_gc` and `leat_stack_check` before they return. Serves whoever asked for one;
/// may switch threads. Gives the value of the thread that runs now (of no use to a stub that keeps all registers).
///
/// # Safety
/// Called on the worker's C stack by a function that a stub called; it returns the result at once.
pub unsafe fn poll(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        (*tcb).poll.store((*worker).chance.is_some() as u64, Ordering::SeqCst);
        restore_limits(tcb, worker);
        let mut bits = (*worker).request.swap(0, Ordering::SeqCst);
        if let Some(chance) = &mut (*worker).chance
            && chance.ends_slice()
        {
            bits |= SLICE;
        }
        if bits & STOP != 0 {
            let state = shared.stop.lock();
            if state.stopping {
                drop(shared.stop.pass(state));
            }
            if shared.over.load(Ordering::SeqCst) {
                return depart(tcb);
            }
            // The limit may belong to another nursery now.
            restore_limits(tcb, worker);
            bits |= (*worker).request.swap(0, Ordering::SeqCst) & !STOP;
        }
        if bits & LETTER != 0 {
            if (*tcb).atomic_depth > 0 {
                ask_again(tcb, worker, LETTER);
            } else {
                post::serve(tcb, worker);
            }
        }
        if (*tcb).atomic_depth > 0 {
            if bits & (SLICE | TICK) != 0 {
                ask_again(tcb, worker, bits & (SLICE | TICK));
            }
            return 0;
        }
        if bits & (SLICE | TICK) != 0 {
            count(&(*worker).counters.looks);
            shared.host.events(tcb);
            if let Some(value) = shared.host.cancel(tcb) {
                return value;
            }
        }
        if (*worker).chance.is_none() {
            return turns::at_safepoint(tcb, worker, bits);
        }
        if bits & SLICE != 0 {
            count(&(*worker).counters.preemptions);
            return yield_now(tcb);
        }
        0
    }
}

/// What must wait for the end of the atomic section.
unsafe fn ask_again(tcb: *mut Tcb, worker: *mut Worker, bits: u32) {
    // SAFETY: the caller is the worker.
    unsafe {
        (*worker).request.fetch_or(bits, Ordering::SeqCst);
        (*tcb).poll.store(1, Ordering::Relaxed);
    }
}

/// Whether another worker wants the world for itself. Looked at in each switch: threads that do nothing but switch are at
/// a safepoint all the time.
#[inline(always)]
pub(crate) unsafe fn is_stop_asked(worker: *mut Worker) -> bool {
    // SAFETY: the caller is the worker.
    unsafe { (*worker).request.load(Ordering::Relaxed) & STOP != 0 }
}

/// A safepoint between two threads: the last one is saved, the next is in a queue or in `hand`.
#[cold]
pub(crate) unsafe fn stop_between(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        let stop = &(*worker).shared.stop;
        (*tcb).current = NONE;
        (*worker).request.fetch_and(!STOP, Ordering::SeqCst);
        let state = stop.lock();
        if state.stopping {
            drop(stop.pass(state));
        }
    }
}

/// `atomic_depth` came back to 0 while `poll` was set: [`poll`].
///
/// # Safety
/// As [`poll`].
pub unsafe fn atomic_end(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { poll(tcb) }
}

/// Whether a safepoint is asked for. For `leat_gc`, which first looks whether there is room after all.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn is_asked(tcb: *mut Tcb) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        (*worker).request.load(Ordering::SeqCst) != 0 || (*worker).chance.is_some()
    }
}

unsafe fn restore_limits(tcb: *mut Tcb, worker: *mut Worker) {
    // SAFETY: as `poll`.
    unsafe {
        let shared = (*worker).shared;
        shared.host.restore_alloc_limit(tcb);
        let current = (*tcb).current;
        if current != NONE {
            let limit = (*shared.lane((*(current as *const Thread)).lane as u64)).limit;
            (*tcb).stack_limit.store(limit, Ordering::SeqCst);
        }
    }
}

/// Before [`poll`]: whether the running thread has used up its stack, so that `leat_stack_check` raises `StackOverflow`. A
/// stack may grow to what the host allows, and to its lane's size.
///
/// # Safety
/// As [`poll`]; the running thread is the one that called the stub.
pub unsafe fn stack_overflowed(tcb: *mut Tcb) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let current = (*tcb).current;
        let shared = (*worker_of(tcb)).shared;
        let lane: *mut lane::Lane = shared.lane((*(current as *const Thread)).lane as u64);
        let sp = (*tcb).saved_call_sp;
        if sp >= (*lane).limit {
            return false;
        }
        let more = (*lane).extend(sp, shared.host.stack_max());
        (*tcb).stack_limit.store((*lane).limit, Ordering::SeqCst);
        if (*tcb).poll.load(Ordering::SeqCst) != 0 {
            (*tcb).stack_limit.store(STACK_STOP, Ordering::SeqCst);
        }
        !more
    }
}

/// What would wait for workers that a fork has left behind ends the process instead.
pub(crate) fn check_bereft(shared: &Shared) {
    if shared.bereft.load(Ordering::SeqCst) {
        shared.host.bereft();
    }
}

/// Runs `work` with all other workers stopped at safepoints, idle or in blocking C; it gets the blocks of all workers that the
/// host has filled. False: another worker had stopped the
/// world; it has gone on since, and `work` was not run: look again whether it is needed.
///
/// # Safety
/// Called on the worker's C stack at a safepoint: every reference is in a root or on the SML stack.
pub unsafe fn stop_world(tcb: *mut Tcb, work: impl FnOnce(&[*mut Tcb])) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if shared.started.load(Ordering::Relaxed) == 1 {
            work(&[tcb]);
            return true;
        }
        check_bereft(shared);
        let stop = &shared.stop;
        let mut state = stop.lock();
        if state.stopping {
            drop(stop.pass(state));
            return false;
        }
        state.stopping = true;
        while state.running > 1 {
            for other in shared.all().filter(|&other| other != worker) {
                request(other, STOP);
            }
            state = stop.fewer.wait_timeout(state, Duration::from_millis(1)).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        work(&Fibers { shared }.tcbs());
        let mut state = stop.lock();
        state.stopping = false;
        drop(state);
        stop.go.notify_all();
        true
    }
}

/// Runs `work`, which may block in the kernel and touches no heap object, while other workers may collect.
///
/// # Safety
/// As [`stop_world`].
pub unsafe fn blocking<R>(tcb: *mut Tcb, work: impl FnOnce() -> R) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        if !shared.is_several() || shared.bereft.load(Ordering::SeqCst) {
            return work();
        }
        // What others want of its threads is theirs to do meanwhile.
        let current = (*tcb).current;
        while !go_outside(worker, if current == NONE { NO_LANE } else { lane_of(current) as u32 }) {
            post::read_letters(tcb, worker);
        }
        if !turns::is_empty(worker) {
            wake_idle(shared);
        }
        let mut state = shared.stop.lock();
        state.running -= 1;
        drop(state);
        shared.stop.fewer.notify_all();
        let result = work();
        drop(shared.stop.enter(shared.stop.lock()));
        come_back(worker);
        result
    }
}

/// From here on others act for the worker. False when there are letters, which it must read before.
pub(crate) unsafe fn go_outside(worker: *mut Worker, busy_lane: u32) -> bool {
    // SAFETY: the caller is the worker.
    unsafe {
        jitter();
        (*worker).lock.lock();
        let may = (*worker).inbox.is_empty();
        if may {
            ((*worker).outside, (*worker).busy_lane) = (true, busy_lane);
        }
        (*worker).lock.unlock();
        jitter();
        may
    }
}

/// The worker acts for itself again.
pub(crate) unsafe fn come_back(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        jitter();
        (*worker).lock.lock();
        (*worker).outside = false;
        (*worker).lock.unlock();
    }
}

/// Starts another worker, if there may be one.
pub(crate) fn start_worker(shared: &'static Shared) {
    if shared.started.load(Ordering::Relaxed) >= shared.allowed.load(Ordering::Relaxed) {
        return;
    }
    let stop = &shared.stop;
    let mut state = stop.lock();
    let index = shared.started.load(Ordering::Relaxed);
    if index >= shared.allowed.load(Ordering::Relaxed) || shared.over.load(Ordering::SeqCst) || state.stopping {
        return;
    }
    let worker = shared.new_worker(index) as usize;
    let handle = std::thread::Builder::new().name(format!("worker {index}")).stack_size(8 << 20).spawn(move || {
        let worker = worker as *mut Worker;
        // SAFETY: the worker is this OS thread's from here on.
        unsafe {
            begin(worker);
            let tcb = (*worker).tcb;
            (*worker).shared.host.worker_started(tcb);
            (*worker).attached.store(true, Ordering::Release);
            asm::leat_fiber_enter(tcb, &raw mut (*worker).enter_sp);
            end(worker);
        }
    });
    match handle {
        Ok(handle) => state.handles.push(handle),
        // No more OS threads: the worker stays without one; nobody queues at a worker that owns no lane.
        Err(_) => shared.allowed.store(index + 1, Ordering::SeqCst),
    }
}

/// Starts the OS thread that looks at the workers each millisecond, when a second thread is made.
#[cold]
pub(crate) fn start_ticker(shared: &'static Shared) {
    if shared.config.slice == 0 || shared.stop.ticker.swap(true, Ordering::SeqCst) {
        return;
    }
    let alone = !shared.is_several();
    let run = move || {
        if alone {
            shared.host.ticker_started();
        }
        let tick = Duration::from_nanos(shared.config.slice / u64::from(TICKS));
        let mut watches = [Watch::default(); crate::worker::MAX_WORKERS];
        let (mut quiet, mut ticks) = (0, 0u32);
        loop {
            if quiet > TICKS {
                shared.stop.ticker_asleep.store(true, Ordering::SeqCst);
                // A worker that came back before it could see this is seen here.
                if is_quiet(shared) {
                    std::thread::park_timeout(Duration::from_millis(500));
                }
                shared.stop.ticker_asleep.store(false, Ordering::SeqCst);
            } else {
                std::thread::sleep(tick);
            }
            if alone && shared.is_several() {
                // Another ticker was started, which has the process's files.
                return;
            }
            (quiet, ticks) = (quiet + 1, ticks.wrapping_add(1));
            let idle = shared.stop.idle.load(Ordering::SeqCst);
            shared.stop.asking.lock();
            let due = !shared.over.load(Ordering::SeqCst) && shared.host.due();
            shared.stop.asking.unlock();
            for (index, worker) in shared.all().enumerate() {
                if idle & (1 << index) != 0 {
                    continue;
                }
                quiet = 0;
                // SAFETY: the worker lives as long as the program; counters and requests are atomics.
                unsafe {
                    // A worker that set its limits just then may have undone what `request` stored.
                    if (*worker).request.load(Ordering::Relaxed) != 0 {
                        request(worker, 0);
                    }
                    let watch = &mut watches[index];
                    watch.tick(worker, due);
                    if alone || !ticks.is_multiple_of(TICKS / 2) {
                        continue;
                    }
                    // A ready thread computes or waits for one that does, or more than one wait. (A worker with one gets to
                    // it soon: two threads that talk to each other are not to be torn apart.)
                    let (ready, spare) = turns::glance(worker);
                    let still = watch.still >= TICKS / 2;
                    if spare || (ready && still) {
                        post::ask_for_help(shared, worker);
                    }
                    // One in blocking C serves nobody.
                    if ready && still {
                        wake_idle(shared);
                    }
                }
            }
        }
    };
    if let Ok(handle) = std::thread::Builder::new().name("ticker".into()).stack_size(64 << 10).spawn(run) {
        *shared.stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle.thread().clone());
    }
}

/// Whether all workers are idle.
fn is_quiet(shared: &Shared) -> bool {
    let started = shared.started.load(Ordering::Acquire);
    shared.stop.idle.load(Ordering::SeqCst).count_ones() as usize >= started
}

/// After a fork, if there was one.
pub(crate) fn restart_ticker(shared: &'static Shared) {
    if shared.stop.ticker.swap(false, Ordering::SeqCst) {
        start_ticker(shared);
    }
}

pub(crate) fn wake_ticker(stop: &Stop) {
    if let Some(thread) = &*stop.ticker_thread.lock().unwrap_or_else(PoisonError::into_inner) {
        thread.unpark();
    }
}
