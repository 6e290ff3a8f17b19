//! Time-outs, descriptors and idle workers: timers and readiness -> ready threads; a worker without work -> asleep
//! until there is some.
//!
//! A timer carries the thread object that it will make ready, with the stamps of a waiter of one if it is an event's,
//! or a record of references that the callbacks' thread will take ([`Token`]); the token of a descriptor's waiter is a
//! thread or a waiter of one (`abi::thread::Waiter`). Tokens are roots. Those that came since the last collection are
//! noted apart, of timers only those whose object was young: a minor collection looks at them alone, so a million
//! sleepers cost it nothing, nor do time-outs of threads that have been there for a while.
//!
//! ```text
//!             wait, nobody polls                event, deadline or wake
//!   RUNNING ----------------------> POLLING ----------------------------> RUNNING   (and one sleeper polls on)
//!      |      wait, another polls                wake
//!      +--------------------------> ASLEEP  ----------------------------> RUNNING
//! ```

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::Thread;

use leat_fiber::worker::MAX_WORKERS;
use leat_io::clock::{self, Nanos};
use leat_io::{Backend, Manager, TimerId, Timers};
use leat_memory::Visitor;

use crate::state::os_thread::sharpen;
use crate::state::pool::Pool;
use crate::state::trace;

/// No timer waits.
const NEVER: Nanos = Nanos::MAX;

/// Threads that one look at the timers makes ready at most: the safepoints of others must not wait longer.
const BATCH: usize = 8192;
/// How long a worker sleeps that has no poller, since the program has used up its descriptors.
const NAP: Nanos = 10_000_000;

/// All timers, and the places where workers wait.
pub struct Events {
    timers: Timetable,
    /// No timer is due before; `NEVER` exactly when there is none. Written under `timers`, read by all.
    next: AtomicU64,
    /// The latest reading of the clock in [`Events::expire`]: it is later now.
    seen: AtomicU64,
    /// Descriptors and who waits for them.
    pub io: Arc<Manager>,
    /// What would block a worker, on OS threads of its own.
    pub pool: Pool,
    /// Timers of callbacks whose time has come: token and number. The tokens are roots.
    fired: Mutex<VecDeque<(u64, TimerId)>>,
    idle: Mutex<Idle>,
    /// A worker is in the poller. Written under `idle`, read by all.
    polled: AtomicBool,
    seats: [Seat; MAX_WORKERS],
}

/// What a timer carries. The fields of a waiter stand here, not in an object: one would outlive a minor collection with
/// each time-out that guards a wait.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Token {
    /// A thread, or a callback's record.
    pub object: u64,
    /// The stamps of [`Waiter`](leat_abi::thread::Waiter): the thread is made ready if it waits with the first. Both 0:
    /// it is in any case.
    pub waiting: u64,
    pub synched: u64,
}

impl Token {
    /// A thread that is made ready in any case, or a record.
    pub fn plain(object: u64) -> Token {
        Token { object, waiting: 0, synched: 0 }
    }
}

/// The timers: a lone worker's own, since nobody else touches them; behind a lock when there may be several workers.
/// (To take and release a lock costs a third of what a timer does.)
struct Timetable {
    /// Set once, by the worker that allows for others, outside of the table.
    is_shared: AtomicBool,
    lock: Mutex<()>,
    table: UnsafeCell<Table>,
}

// SAFETY: the table is reached through `Timetable::lock` alone, by one worker at a time.
unsafe impl Sync for Timetable {}

/// The table, for as long as it is locked.
struct Locked<'a> {
    table: *mut Table,
    _lock: Option<MutexGuard<'a, ()>>,
}

impl Timetable {
    fn new(table: Table) -> Timetable {
        Timetable { is_shared: AtomicBool::new(false), lock: Mutex::new(()), table: UnsafeCell::new(table) }
    }

    /// Not called again before what it gave has gone.
    #[inline]
    fn lock(&self) -> Locked<'_> {
        let is_shared = self.is_shared.load(Ordering::Relaxed);
        let lock = is_shared.then(|| self.lock.lock().unwrap_or_else(|e| e.into_inner()));
        Locked { table: self.table.get(), _lock: lock }
    }
}

impl Deref for Locked<'_> {
    type Target = Table;

    #[inline(always)]
    fn deref(&self) -> &Table {
        // SAFETY: locked, or the lone worker's.
        unsafe { &*self.table }
    }
}

impl DerefMut for Locked<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Table {
        // SAFETY: as above.
        unsafe { &mut *self.table }
    }
}

struct Table {
    wheel: Timers<Token>,
    /// Started since the last collection, with a young object, or while marking goes on; some may be over.
    young: Vec<TimerId>,
}

impl Table {
    fn note_young(&mut self, id: TimerId) {
        self.young.push(id);
        if self.young.len() > 1024 && self.young.len() / 2 > self.wheel.len() {
            let Table { wheel, young } = self;
            young.retain(|id| wheel.is_waiting(*id));
        }
    }
}

#[derive(Default)]
struct Idle {
    /// The worker in the poller, and until when it waits there.
    polling: Option<usize>,
    until: Nanos,
    /// Workers that are, and the OS threads on which.
    asleep: Vec<(usize, Thread)>,
}

/// Where one worker waits.
struct Seat {
    /// A wake-up that came before the wait. Any worker sets, the owner clears; both under `idle`.
    notified: AtomicBool,
    /// Its own OS thread is woken in time. (Those of bound threads are from the start.)
    is_sharp: AtomicBool,
}

impl Events {
    pub fn new(backend: Backend) -> Events {
        let io = Arc::new(Manager::new(backend));
        Events {
            timers: Timetable::new(Table {
                wheel: Timers::with_commit(clock::monotonic(), leat_memory::commit),
                young: Vec::new(),
            }),
            next: AtomicU64::new(NEVER),
            seen: AtomicU64::new(0),
            pool: Pool::new(io.clone()),
            io,
            fired: Mutex::default(),
            idle: Mutex::default(),
            polled: AtomicBool::new(false),
            seats: [const { Seat { notified: AtomicBool::new(false), is_sharp: AtomicBool::new(false) } }; MAX_WORKERS],
        }
    }

    /// There may be several workers from now on. Called by the only one, or before it starts.
    pub fn share(&self) {
        self.timers.is_shared.store(true, Ordering::SeqCst);
    }

    /// Starts a timer that makes a thread ready, or has a closure called. `young`: the object may be in the nursery.
    pub fn start(&self, deadline: Nanos, token: Token, young: bool) -> TimerId {
        // The largest deadline is taken by `NEVER`; nobody will wait for it anyway.
        let deadline = deadline.min(NEVER - 1);
        let mut table = self.lock();
        let id = table.wheel.start(deadline, token);
        if young {
            table.note_young(id);
        }
        let earlier = deadline < self.next.load(Ordering::Relaxed);
        if earlier {
            self.next.store(deadline, Ordering::Release);
        }
        drop(table);
        if earlier {
            self.hurry(deadline);
        }
        id
    }

    /// Cancels a timer; true when it was still waiting.
    pub fn cancel(&self, id: TimerId) -> bool {
        let mut table = self.lock();
        let was = table.wheel.cancel(id).is_some();
        if was && table.wheel.is_empty() {
            self.next.store(NEVER, Ordering::Release);
        }
        was
    }

    /// Whether this time has certainly come: without a look at the clock, which costs as much as starting a timer.
    pub fn is_past(&self, deadline: Nanos) -> bool {
        deadline <= self.seen.load(Ordering::Relaxed)
    }

    /// Whether a timer, a descriptor or a job may still make a thread ready.
    pub fn pending(&self) -> bool {
        self.next.load(Ordering::Acquire) != NEVER || self.io.is_watched() || self.pool.is_busy()
    }

    /// How long it is until something may be due that no worker waits for, 0 for now, or for any time; None: nothing is
    /// waited for. Takes no lock, any OS thread.
    pub fn due_in(&self) -> Option<Nanos> {
        if self.polled.load(Ordering::Acquire) {
            return None;
        }
        if self.io.is_watched() || self.pool.is_due() {
            return Some(0);
        }
        let next = self.next.load(Ordering::Acquire);
        let left = next.saturating_sub(clock::monotonic());
        // Virtual time comes no nearer while one waits.
        (next != NEVER && (left == 0 || !clock::is_fake())).then_some(left)
    }

    /// Makes the memory of the first timers.
    pub fn prepare_timers(&self) {
        self.lock().wheel.prepare();
    }

    /// How many timers are waiting.
    pub fn timers(&self) -> usize {
        self.lock().wheel.len()
    }

    /// Where the timers of callbacks go that are due.
    pub fn lock_fired(&self) -> MutexGuard<'_, VecDeque<(u64, TimerId)>> {
        self.fired.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// How many callbacks' timers are due.
    pub fn fired(&self) -> usize {
        self.lock_fired().len()
    }

    /// Takes the one that is due longest.
    pub fn take_fired(&self) -> Option<(u64, TimerId)> {
        self.lock_fired().pop_front()
    }

    /// Forks by `fork`, which tells whether this is the child, with the locks held that an idle worker or an OS thread
    /// of the pool may have: in the child nobody else would give them back. Nobody waits there.
    pub fn around_fork(&self, fork: impl FnOnce() -> bool) {
        let _table = self.lock();
        let _fired = self.lock_fired();
        let mut idle = self.lock_idle();
        let _stash = self.io.lock_stash();
        if fork() {
            *idle = Idle::default();
            self.polled.store(false, Ordering::Relaxed);
            for seat in &self.seats {
                seat.notified.store(false, Ordering::Relaxed);
                seat.is_sharp.store(false, Ordering::Relaxed);
            }
        }
    }

    /// Gives the tokens whose time has come to `ready`, in order of deadline, then of start. One that it refuses is
    /// given again the next time.
    pub fn expire(&self, mut ready: impl FnMut(Token, TimerId) -> bool) {
        if self.next.load(Ordering::Acquire) == NEVER {
            return;
        }
        let now = clock::monotonic();
        self.seen.store(now, Ordering::Relaxed);
        if now < self.next.load(Ordering::Acquire) {
            return;
        }
        let mut table = self.lock();
        for _ in 0..BATCH {
            if table.wheel.offer(now, |token, _, id| ready(token, id)) != Some(true) {
                break;
            }
        }
        self.next.store(table.wheel.next_deadline().unwrap_or(NEVER), Ordering::Release);
    }

    /// Visits what waiters and jobs refer to, in a minor collection timers that were started since the last one. After
    /// it everything that was young is old.
    pub fn roots(&self, minor: bool, visit: &mut impl Visitor) {
        self.io.tokens(minor, &mut |slot| visit.slot(slot));
        self.pool.tokens(&mut |slot| visit.slot(slot));
        for (token, _) in self.lock_fired().iter_mut() {
            visit.slot(token);
        }
        if minor {
            let Table { wheel, young } = &mut *self.lock();
            for id in young.iter() {
                if let Some(token) = wheel.token_mut(*id) {
                    visit.noted(&mut token.object);
                }
            }
        }
    }

    /// Visits, for a marking, what the timers in so many places of the table refer to, from this one on. Gives how many
    /// places are left.
    pub fn timers_from(&self, from: usize, most: usize, visit: &mut impl Visitor) -> usize {
        let mut table = self.lock();
        let (tokens, left) = table.wheel.tokens_from(from, most);
        tokens.for_each(|token| visit.slot(&mut token.object));
        left
    }

    /// A collection is over: no timer's object is young any more.
    pub fn after_collection(&self) {
        self.io.after_collection();
        self.lock().young.clear();
    }

    /// Blocks the calling OS thread until a deadline has come, a descriptor is ready, or [`Events::wake`] for this
    /// worker (also an earlier one), or for about so many nanoseconds. May come back for no reason. `workers` tells how
    /// many there are.
    ///
    /// Where the program has used up its descriptors before there was a poller, it sleeps for short times: timers are
    /// on time, and a descriptor that was closed meanwhile becomes the poller's.
    pub fn wait(&self, worker: usize, workers: impl Fn() -> usize, most: Option<Nanos>) {
        let seat = &self.seats[worker];
        if !seat.is_sharp.swap(true, Ordering::Relaxed) {
            sharpen();
        }
        let polls = self.io.prepare().is_ok();
        let mut idle = self.lock_idle();
        if seat.notified.swap(false, Ordering::Relaxed) || self.pool.is_due() {
            return;
        }
        let next = self.next.load(Ordering::Acquire);
        if clock::is_fake() && polls {
            self.io.look();
            if self.io.is_stashed() {
                return;
            }
        }
        if clock::is_fake() && self.all_wait(&idle, &workers) {
            if idle.polling.is_none() || !self.io.is_watched() {
                clock::advance_to(next);
                return;
            }
            // Who polls may have an event in hand that nobody else sees: it decides.
            self.io.wake();
        }
        if polls && idle.polling.is_none() {
            let next = match most {
                _ if clock::is_fake() => NEVER,
                Some(most) => next.min(clock::monotonic() + most),
                None => next,
            };
            (idle.polling, idle.until) = (Some(worker), next);
            self.polled.store(true, Ordering::Release);
            drop(idle);
            if most.is_none() {
                self.pool.look_for_done(|| seat.notified.load(Ordering::Relaxed));
            }
            if !seat.notified.load(Ordering::Relaxed) && self.pool.listen() {
                let span = trace::span(worker, "poller");
                self.poll(next);
                drop(span);
                self.pool.listen_no_more();
            }
            let mut idle = self.lock_idle();
            idle.polling = None;
            self.polled.store(false, Ordering::Release);
            let notified = seat.notified.swap(false, Ordering::Relaxed);
            if clock::is_fake() && !notified && self.all_wait(&idle, &workers) {
                // What has become ready since the poller came back.
                self.io.look();
                if !self.io.is_stashed() {
                    clock::advance_to(self.next.load(Ordering::Acquire));
                }
            }
            if let Some((_, other)) = idle.asleep.last() {
                other.unpark();
            }
        } else {
            idle.asleep.push((worker, std::thread::current()));
            drop(idle);
            let nap = || next.saturating_sub(clock::monotonic()).min(most.unwrap_or(NAP)).min(NAP);
            match if polls { most } else { Some(nap()) } {
                Some(most) => std::thread::park_timeout(std::time::Duration::from_nanos(most)),
                None => std::thread::park(),
            }
            let mut idle = self.lock_idle();
            idle.asleep.retain(|(asleep, _)| *asleep != worker);
            seat.notified.store(false, Ordering::Relaxed);
        }
    }

    /// Whether every worker waits, the caller too, and a timer is the next that can end that: then virtual time moves
    /// on. A worker that has been woken waits no more, though its OS thread may not have run yet: it has a ready
    /// thread. How many workers there are is asked with the lock held, for one that waits may have started another.
    fn all_wait(&self, idle: &Idle, workers: impl Fn() -> usize) -> bool {
        let waits = |worker: usize| !self.seats[worker].notified.load(Ordering::Relaxed);
        let asleep = idle.asleep.iter().map(|(worker, _)| *worker);
        let waiting = asleep.chain(idle.polling).filter(|&worker| waits(worker)).count();
        let is_timer_next = self.next.load(Ordering::Acquire) != NEVER && !self.pool.is_busy();
        is_timer_next && waiting + 1 >= workers()
    }

    /// Ends the wait of a worker, or its next one.
    pub fn wake(&self, worker: usize) {
        let idle = self.lock_idle();
        self.seats[worker].notified.store(true, Ordering::Relaxed);
        if idle.polling == Some(worker) {
            self.io.wake();
        } else if let Some((_, thread)) = idle.asleep.iter().find(|(asleep, _)| *asleep == worker) {
            thread.unpark();
        }
    }

    /// A deadline earlier than all others: whoever polls must not sleep longer.
    fn hurry(&self, deadline: Nanos) {
        // A worker that starts to wait reads `next` under this lock, so it sees this deadline or is seen here.
        let idle = self.lock_idle();
        if idle.polling.is_some() && deadline < idle.until {
            self.io.wake();
        }
    }

    fn poll(&self, next: Nanos) {
        self.io.wait((next != NEVER).then(|| next.saturating_sub(clock::monotonic())));
    }

    #[inline]
    fn lock(&self) -> Locked<'_> {
        self.timers.lock()
    }

    fn lock_idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn threads_come_in_order_and_roots_are_split_by_age() {
        let events = Events::new(Backend::Native);
        let now = clock::monotonic();
        let ids: Vec<TimerId> = (0..10).map(|k| events.start(now + 10 - k, Token::plain(100 + k), k != 5)).collect();
        assert!(events.cancel(ids[3]) && !events.cancel(ids[3]));
        let visited = |minor| {
            let mut seen = Vec::new();
            // SAFETY: the slots are live during the visit.
            events.roots(minor, &mut |slot: *mut u64| seen.push(unsafe { *slot }));
            if !minor {
                // In a marking the timers come in portions.
                let (mut from, mut left) = (0, usize::MAX);
                while left > 0 {
                    // SAFETY: as above.
                    left = events.timers_from(from, 4, &mut |slot: *mut u64| seen.push(unsafe { *slot }));
                    from += 4;
                }
            }
            seen.sort_unstable();
            seen
        };
        let all = vec![100, 101, 102, 104, 105, 106, 107, 108, 109];
        // That of 105 was old from the start.
        assert_eq!(visited(true), [100, 101, 102, 104, 106, 107, 108, 109]);
        events.after_collection();
        assert!(visited(true).is_empty());
        assert_eq!(visited(false), all);
        std::thread::sleep(Duration::from_millis(1));
        let mut got = Vec::new();
        // A refused one can still be cancelled: it keeps its name.
        let mut refused = None;
        events.expire(|token, id| {
            refused = Some((token.object, id));
            false
        });
        assert_eq!(refused, Some((109, ids[9])));
        assert!(events.cancel(ids[9]));
        events.expire(|token, _| {
            got.push(token.object);
            true
        });
        assert_eq!(got, [108, 107, 106, 105, 104, 102, 101, 100]);
        assert!(!events.pending());
    }

    /// Start and cancel between two collections: the list of the young stays as small as what is alive.
    #[test]
    fn cancelled_timers_do_not_pile_up() {
        let events = Events::new(Backend::Native);
        for _ in 0..100_000 {
            let id = events.start(clock::monotonic() + 1_000_000_000, Token::plain(8), true);
            assert!(events.cancel(id));
        }
        assert!(events.lock().young.len() <= 1025);
    }

    #[test]
    fn waits_end_by_deadline_by_wake_and_by_an_earlier_deadline() {
        for backend in Backend::all() {
            let events = Events::new(backend);
            events.share();
            let begin = Instant::now();
            events.start(clock::monotonic() + 5_000_000, Token::plain(1), true);
            events.wait(0, || 1, None);
            assert!(begin.elapsed() >= Duration::from_millis(5));
            let mut count = 0;
            events.expire(|_, _| {
                count += 1;
                true
            });
            assert_eq!(count, 1);
            events.wake(0);
            events.wait(0, || 1, None);
            std::thread::scope(|s| {
                // Worker 1 polls without end, 2 sleeps; both must come back.
                s.spawn(|| events.wait(1, || 3, None));
                std::thread::sleep(Duration::from_millis(5));
                s.spawn(|| events.wait(2, || 3, None));
                std::thread::sleep(Duration::from_millis(5));
                events.start(clock::monotonic() + 1_000_000, Token::plain(1), true);
            });
            assert!(begin.elapsed() < Duration::from_secs(5));
        }
    }
}
