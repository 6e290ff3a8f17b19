//! The code of `word`, `post`, `biased` and `attempt` itself, in many interleavings of three workers: by shuttle, which
//! runs the workers as coroutines of one OS thread and draws, before each access of an atomic, who goes on.
//!
//! The models in `tests/` are exhaustive, but of copies of this code, with fewer and larger steps; these tests are of
//! the code, and see a sample. Memory is sequentially consistent here. What a worker does between two letters stands in
//! [`Threads::work`], as `switch` and `idle` have it, since the real ones switch stacks and wait in the kernel.
//!
//! Checked: no two workers are in what one lock guards (T13), or run one thread (T10); a thread that was woken runs,
//! and no wake-up is lost (T3); nobody waits for ever. Each test finds a mistake that is switched on: swaps that are a
//! load and a store.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use leat_abi::header::{KIND_SHIFT, ObjectKind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

use crate::Fibers;
use crate::base::host::Config;
use crate::base::lane::Lane;
use crate::base::no_host::NoHost;
use crate::base::queue::Queue;
use crate::base::reference::{Cell as LockCell, Ref};
use crate::base::worker::{NO_LANE, Worker, mark, name_lane};
use crate::run::attempt::attempt;
use crate::run::idle::find;
use crate::run::poll::poll;
use crate::run::switch::{block, queue_current};
use crate::thread::resume::{resume, save};
use crate::thread::word::{ON_LANE, RUNNING, STATE, claim, is_own, state_of};
use crate::workers::biased::HELD;
use crate::workers::outside::{come_back, go_outside};
use crate::workers::post;
use crate::workers::request::LETTER;

/// Of the run on this OS thread; none when there is none.
#[derive(Clone, Copy)]
struct Run {
    /// Swaps are a load and a store.
    is_broken: bool,
    /// Ticks that have passed.
    time: u64,
    /// Bit set of workers that were woken while they were idle, or before.
    woken: u32,
}

thread_local!(static RUN: Cell<Option<Run>> = const { Cell::new(None) });

fn run() -> Option<Run> {
    RUN.with(Cell::get)
}

fn change<R>(what: impl FnOnce(&mut Run) -> R) -> R {
    let mut run = run().expect("in a run");
    let result = what(&mut run);
    RUN.with(|cell| cell.set(Some(run)));
    result
}

/// Another worker may come in here.
pub(crate) fn step() {
    if run().is_some() {
        shuttle::sync::atomic::AtomicBool::new(false).load(Ordering::SeqCst);
    }
}

/// This worker waits for another one.
pub(crate) fn wait() {
    match run() {
        Some(_) => shuttle::thread::yield_now(),
        None => std::hint::spin_loop(),
    }
}

pub(crate) fn is_broken() -> bool {
    run().is_some_and(|run| run.is_broken)
}

/// Time passes as it likes: often none, sometimes more than a turn.
pub(crate) fn time() -> Option<u64> {
    run()?;
    let more = [0, 0, 0, 1, 5, 60][thread_rng().gen_range(0..6)];
    Some(change(|run| {
        run.time += more;
        run.time
    }))
}

/// Runs a test with many schedules. None: all was well; else the message of the first failure.
fn explore(is_broken: bool, schedules: usize, test: fn()) -> Option<String> {
    fn with(scheduler: impl Scheduler + 'static, is_broken: bool, test: fn()) {
        let mut config = shuttle::Config::new();
        config.stack_size = 256 << 10;
        config.max_steps = shuttle::MaxSteps::FailAfter(200_000);
        config.failure_persistence = shuttle::FailurePersistence::None;
        shuttle::Runner::new(scheduler, config).run(move || {
            RUN.with(|run| run.set(Some(Run { is_broken, time: 1 << 20, woken: 0 })));
            test();
        });
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        with(RandomScheduler::new_from_seed(1, schedules), is_broken, test);
        with(PctScheduler::new_from_seed(2, 4, schedules), is_broken, test);
    }));
    RUN.with(|run| run.set(None));
    let told = result.err()?;
    Some(told.downcast_ref::<String>().cloned().or(told.downcast_ref::<&str>().map(|&s| s.into())).unwrap_or_default())
}

static HOST: NoHost = NoHost {
    wake: |worker| {
        step();
        change(|run| run.woken |= 1 << worker);
    },
    look: || (),
};

const WORKERS: usize = 3;

/// Workers that have nothing. One for all runs of an OS thread, since workers live as long as the program.
#[derive(Clone, Copy)]
struct House {
    fibers: Fibers,
    workers: [*mut Worker; WORKERS],
}

thread_local!(static HOUSE: House = House::new());

impl House {
    fn new() -> House {
        let config =
            Config { workers: WORKERS, lanes: 8, main_stack: 1 << 20, lane_stack: 1 << 20, ..Config::default() };
        let fibers = Fibers::new(Config { slice: 0, ..config }, &HOST).unwrap();
        for index in 1..WORKERS {
            let worker = fibers.shared.make_worker(index);
            // SAFETY: it was just made, for the next number.
            unsafe { fibers.shared.list_worker(worker) };
        }
        while fibers.shared.lanes.count() <= THREADS {
            fibers.shared.lanes.grow(0).unwrap();
        }
        House { fibers, workers: std::array::from_fn(|index| fibers.shared.worker(index)) }
    }

    /// The one of this OS thread, with nothing in it.
    fn empty() -> House {
        let house = HOUSE.with(|house| *house);
        for worker in house.workers {
            // SAFETY: no run is under way.
            unsafe {
                let worker = &mut *worker;
                worker.queue = Queue::EMPTY;
                worker.lock.unlock();
                worker.outside = false;
                worker.busy_lane = NO_LANE;
                worker.inbox.clear();
                worker.reading.clear();
                worker.own.clear();
                worker.claim.store(0, Ordering::SeqCst);
                worker.asked.store(0, Ordering::SeqCst);
                worker.request.store(0, Ordering::SeqCst);
                (*worker.tcb).poll.store(0, Ordering::SeqCst);
                (*worker.tcb).atomic_depth = 0;
                (*worker.tcb).current = 1;
            }
        }
        house.fibers.shared.stop.idle.store(0, Ordering::SeqCst);
        house
    }

    /// Each worker as a thread of shuttle's, to its end.
    fn start(self, work: fn(usize)) {
        let threads: Vec<_> = (0..WORKERS).map(|w| shuttle::thread::spawn(move || work(w))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

/// What a test's workers share: of this OS thread, on which all of them run.
macro_rules! shared {
    ($name:ident: $T:ty) => {
        thread_local!(static $name: &'static $T = Box::leak(Box::default()));
    };
}

// -- locks

const LOCKS: usize = 2;
const SECTIONS: usize = 5;

#[derive(Default)]
struct Locks {
    words: [AtomicU64; LOCKS],
    /// Somebody is in what it guards.
    inside: [AtomicBool; LOCKS],
}

shared!(LOCKED: Locks);

/// A worker takes one lock or another, as compiled code and the library do, and is outside at times.
fn sections(w: usize) {
    let locks = LOCKED.with(|locks| *locks);
    let worker = HOUSE.with(|house| house.workers[w]);
    // SAFETY: the worker is this coroutine's; locks live as long as the program.
    unsafe {
        let tcb = (*worker).tcb;
        for _ in 0..SECTIONS {
            let l = thread_rng().gen_range(0..LOCKS);
            let lock = &locks.words[l];
            (*tcb).atomic_depth = 1;
            let cell: Ref<LockCell> = Ref::of(lock.as_ptr() as u64);
            loop {
                step();
                if lock.load(Ordering::Relaxed) & 0xff == mark(w) || attempt(tcb, cell) {
                    break;
                }
            }
            assert!(!locks.inside[l].swap(true, Ordering::SeqCst), "T13: two workers have one lock");
            step();
            if (*tcb).poll.load(Ordering::SeqCst) != 0 {
                poll(tcb);
            }
            locks.inside[l].store(false, Ordering::SeqCst);
            // `Lock.unlock`
            let word = lock.load(Ordering::Relaxed);
            step();
            if word & 0xff == HELD {
                lock.store(word - HELD, Ordering::Release);
            }
            (*tcb).atomic_depth = 0;
            step();
            if (*tcb).poll.load(Ordering::SeqCst) != 0 {
                poll(tcb);
            }
            if thread_rng().gen_bool(0.3) {
                leave(worker);
                step();
                come_back(worker);
            }
        }
        leave(worker);
    }
}

/// To the outside, as an idle worker goes there.
unsafe fn leave(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe {
        while !go_outside(worker, NO_LANE) {
            post::read_letters((*worker).tcb, worker);
        }
    }
}

fn locks() {
    let house = House::empty();
    LOCKED.with(|locks| {
        locks.words.iter().for_each(|word| word.store(0, Ordering::SeqCst));
        locks.inside.iter().for_each(|inside| inside.store(false, Ordering::SeqCst));
    });
    house.start(sections);
}

#[test]
fn no_two_workers_have_one_lock() {
    assert_eq!(explore(false, 10_000, locks), None);
}

#[test]
fn a_lock_that_is_taken_by_load_and_store_is_found() {
    let told = explore(true, 10_000, locks).expect("a mistake that is not found");
    assert!(told.contains("T13"), "{told}");
}

// -- threads

const THREADS: usize = 3;
/// Wake-ups of a run, apart from the first ones.
const BUDGET: u32 = 8;

/// A thread object with its header.
#[repr(C)]
struct Object {
    header: u64,
    thread: Thread,
}

impl Default for Object {
    fn default() -> Object {
        Object { header: (ObjectKind::Thread as u64) << KIND_SHIFT, thread: Thread::new(0, 1) }
    }
}

#[derive(Default)]
struct Threads {
    objects: [std::cell::UnsafeCell<Object>; THREADS],
    /// What a thread was woken for and has not seen yet.
    wanted: [AtomicU32; THREADS],
    runs: [AtomicBool; THREADS],
    budget: AtomicU32,
    /// Bit set of workers that wait.
    idle: AtomicU32,
    over: AtomicBool,
}

shared!(PLAY: Threads);

/// What becomes of the running thread.
enum Then {
    Blocked,
    /// It has handed over to this one.
    Handed(Ref<Thread>),
}

impl Threads {
    fn thread(&self, t: usize) -> Ref<Thread> {
        // SAFETY: the objects live as long as the program.
        unsafe { Ref::from_ptr(&raw const (*self.objects[t].get()).thread) }
    }

    fn number(&self, thread: Ref<Thread>) -> usize {
        (0..THREADS).find(|&t| self.thread(t) == thread).expect("a thread of the test")
    }

    /// Threads block on the lanes of one worker or the other; each has been woken once.
    unsafe fn set(&self, house: House) {
        // SAFETY: no worker runs yet.
        unsafe {
            for t in 0..THREADS {
                let object = &mut *self.objects[t].get();
                object.thread = Thread::new(t as u64 + 1, 1);
                object.thread.lane = t as u16 + 1;
                object.thread.state = ON_LANE;
                let owner = t % WORKERS;
                let lane: *mut Lane = house.fibers.shared.lane(t as u64 + 1);
                (*lane).owner.store(owner as u32, Ordering::SeqCst);
                (*lane).named.store(0, Ordering::SeqCst);
                (*lane).listed = false;
                (*lane).resident = self.thread(t);
                (*lane).fetched.store(0, Ordering::SeqCst);
                name_lane(house.workers[owner], t as u64 + 1);
                self.wanted[t].store(1, Ordering::SeqCst);
                self.runs[t].store(false, Ordering::SeqCst);
            }
            self.budget.store(BUDGET, Ordering::SeqCst);
            self.idle.store(0, Ordering::SeqCst);
            self.over.store(false, Ordering::SeqCst);
        }
    }

    /// A worker's loop, as `next_slow` and `idle` have it.
    unsafe fn work(&self, worker: *mut Worker) {
        // SAFETY: the worker is this coroutine's.
        unsafe {
            let tcb = (*worker).tcb;
            if (*worker).index == 0 {
                (0..THREADS).for_each(|t| post::ready(tcb, self.thread(t)));
            }
            loop {
                if (*worker).request.load(Ordering::Relaxed) & LETTER != 0 {
                    (*worker).request.fetch_and(!LETTER, Ordering::SeqCst);
                    post::serve(tcb, worker);
                }
                let mut next = find(tcb, worker);
                if next.is_none() && !self.rest(worker) {
                    return;
                }
                while !next.is_none() {
                    resume(tcb, worker, next);
                    let then = self.run(tcb, worker, next);
                    next = match then {
                        Then::Blocked => Ref::NONE,
                        Then::Handed(target) => self.target(tcb, worker, target),
                    };
                    (*tcb).current = 1;
                }
            }
        }
    }

    /// What a thread does until it blocks.
    unsafe fn run(&self, tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) -> Then {
        // SAFETY: as `work`; the worker runs the thread.
        unsafe {
            let t = self.number(thread);
            loop {
                assert!(!self.runs[t].swap(true, Ordering::SeqCst), "T10: two workers run one thread");
                assert!(is_own(worker, thread), "T10: a thread runs whose lane is not its worker's");
                step();
                self.wanted[t].store(0, Ordering::SeqCst);
                let mut target = None;
                if self.budget.load(Ordering::SeqCst) != 0 {
                    self.budget.fetch_sub(1, Ordering::SeqCst);
                    let other = (t + thread_rng().gen_range(1..THREADS)) % THREADS;
                    self.wanted[other].fetch_add(1, Ordering::SeqCst);
                    if thread_rng().gen_bool(0.5) {
                        post::ready(tcb, self.thread(other));
                    } else {
                        target = Some(self.thread(other));
                    }
                }
                // A safepoint.
                step();
                if (*tcb).poll.swap(0, Ordering::SeqCst) != 0 {
                    (*worker).request.swap(0, Ordering::SeqCst);
                    post::serve(tcb, worker);
                }
                self.runs[t].store(false, Ordering::SeqCst);
                let object = save(tcb, worker);
                let is_blocked = block(worker, object);
                if let Some(target) = target {
                    if !is_blocked {
                        queue_current(tcb, worker);
                    }
                    return Then::Handed(target);
                }
                if is_blocked {
                    return Then::Blocked;
                }
                assert_eq!(state_of(thread) & STATE, RUNNING);
            }
        }
    }

    /// The thread that runs next by a hand-over, or none.
    unsafe fn target(&self, tcb: *mut Tcb, worker: *mut Worker, target: Ref<Thread>) -> Ref<Thread> {
        // SAFETY: as `work`.
        unsafe {
            step();
            let claimed = if is_own(worker, target) { claim(target) } else { post::fetch(tcb, worker, target) };
            if claimed { target } else { Ref::NONE }
        }
    }

    /// Nothing to run: waits until somebody wakes this worker. False: it is over.
    unsafe fn rest(&self, worker: *mut Worker) -> bool {
        // SAFETY: as `work`.
        unsafe {
            let bit = 1u32 << (*worker).index;
            let stop = &(*worker).shared.stop;
            if !go_outside(worker, NO_LANE) {
                post::read_letters((*worker).tcb, worker);
                return true;
            }
            stop.idle.fetch_or(u64::from(bit), Ordering::SeqCst);
            self.idle.fetch_or(bit, Ordering::SeqCst);
            loop {
                let woken = change(|run| {
                    let woken = run.woken;
                    run.woken &= !bit;
                    woken
                });
                if woken & bit != 0 {
                    break;
                }
                if woken == 0 && self.idle.load(Ordering::SeqCst).count_ones() as usize == WORKERS {
                    for t in 0..THREADS {
                        let is_seen = self.wanted[t].load(Ordering::SeqCst) == 0;
                        assert!(is_seen, "T3: a wake-up of thread {} is lost", t + 1);
                        assert_eq!(state_of(self.thread(t)), ON_LANE);
                    }
                    self.over.store(true, Ordering::SeqCst);
                }
                if self.over.load(Ordering::SeqCst) {
                    return false;
                }
                wait();
            }
            self.idle.fetch_and(!bit, Ordering::SeqCst);
            stop.idle.fetch_and(!u64::from(bit), Ordering::SeqCst);
            come_back(worker);
            true
        }
    }
}

fn threads() {
    let house = House::empty();
    PLAY.with(|play| {
        // SAFETY: no worker runs yet.
        unsafe { play.set(house) }
    });
    house.start(|w| {
        let (play, worker) = (PLAY.with(|play| *play), HOUSE.with(|house| house.workers[w]));
        // SAFETY: the worker is this coroutine's alone.
        unsafe { play.work(worker) }
    });
}

#[test]
fn a_wake_up_is_not_lost_and_no_thread_runs_twice() {
    assert_eq!(explore(false, 10_000, threads), None);
}

#[test]
fn locks_of_workers_that_do_not_exclude_are_found() {
    assert!(explore(true, 10_000, threads).is_some(), "a mistake that is not found");
}
