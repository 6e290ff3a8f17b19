//! Workers: what each of the OS threads that run SML threads has, and what all share.

use leat_abi::code::CodeTable;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::base::carrier::{Carrier, Carriers};
use crate::base::chance::Chance;
use crate::base::home::Fold;
use crate::base::host::{Config, Host};
use crate::base::landings::Landings;
use crate::base::lane::{Lane, Lanes};
use crate::base::processor::{Computed, Ran};
use crate::base::queue::{Lock, Queue, Spent};
use crate::base::reference::Ref;
use crate::base::world::Stop;

/// Most workers.
pub const MAX_WORKERS: usize = 64;

/// What an OS thread has that runs SML threads. `tcb.fiber` points to it.
#[repr(C, align(128))]
pub struct Worker {
    /// Its own OS thread, on which it was entered; and the one at which it is now, which is a bound thread's or its
    /// own. Owner only.
    pub(crate) home: *const Carrier,
    pub(crate) carrier: *const Carrier,
    pub(crate) shared: &'static Shared,
    pub(crate) tcb: *mut Tcb,
    /// Not 0: the stubs leave all to the functions. [`WATCHED`], which changes while the world stands, and [`AWAY`].
    /// Owner only; see [`set_watched`].
    pub(crate) watched: u8,
    /// What the stubs compare with the owner of a lane: the worker's index, or a number that no worker has, while it is
    /// watched. A stub that does so need not look at `watched`, too.
    pub(crate) owns: u32,
    /// The lanes' table, one load nearer. Constant.
    pub(crate) lanes: *mut Lane,
    /// The lane of the running thread, and that of the thread before, as a rule: guesses, of lanes that are there
    /// always (the first one is the main thread's, before anybody runs). Owner only.
    pub(crate) lane_now: *mut Lane,
    pub(crate) lane_before: *mut Lane,
    pub(crate) index: usize,
    /// Ready threads: the first queue of [`crate::workers::turns`]. Private.
    pub(crate) queue: Queue,
    /// The thread that is about to run while its place is made, or the cell of a continuation while that is: a root.
    /// Owner only.
    pub(crate) hand: Ref<Thread>,
    /// Lanes that may be free; looked at again when taken. Private.
    pub(crate) free: Vec<u32>,
    /// Lanes that this worker made or was given, each once; may name some that it has given away. See [`name_lane`].
    /// Private.
    pub(crate) own: Vec<u32>,
    /// How many threads stand on its lanes. Anybody reads it, the owner writes the rest: see
    /// [`crate::workers::load`].
    pub(crate) load: Load,
    /// Where the search for a lane to evict goes on in `own`. Owner only.
    pub(crate) next_victim: usize,
    /// Switches since the last look at the events. Owner only.
    pub(crate) since_events: u32,
    /// In deterministic mode. Owner only.
    pub(crate) chance: Option<Chance>,
    /// Cut points of a deep stack that is being evicted. Owner only.
    pub(crate) cuts: Vec<usize>,
    /// Written by the owner, read by anybody.
    pub(crate) counters: Counters,
    /// Count of switches at which the running thread had run for [`crate::workers::turns::QUICK`] ticks; or `u64::MAX`.
    /// The ticker's.
    pub(crate) long: AtomicU64,
    /// Owner only.
    pub(crate) ran: Ran,
    /// Written by the owner, read by anybody.
    pub(crate) computed: Computed,
    /// Number of the processor on which it ran when it began to, or at the last safepoint that somebody asked for; or
    /// `u32::MAX`.
    pub(crate) processor: AtomicU32,
    /// Ready threads that compute: the second queue. Private.
    pub(crate) spent: Spent,
    /// Guards `outside`, `busy_lane`, `inbox`; while the worker is outside, all that is private too. Held for some tens
    /// of nanoseconds, never with another worker's.
    pub(crate) lock: Lock,
    /// The worker is idle or in blocking C: who holds its lock acts for it. Under `lock`.
    pub(crate) outside: bool,
    /// Lane of the thread that it runs, or [`NO_LANE`], while it is outside. Under `lock`.
    pub(crate) busy_lane: u32,
    /// What other workers want of this one's threads. Under `lock`; empty while the worker is outside.
    pub(crate) inbox: Vec<Letter>,
    /// Room for the letters that are being read. Owner only.
    pub(crate) reading: Vec<Letter>,
    /// Bit set of workers that look for work. Anybody.
    pub(crate) asked: AtomicU64,
    /// The lock that this worker wants, and from whom: see [`crate::workers::biased`]; or 0. The owner sets it, whoever
    /// clears it acts.
    pub(crate) claim: AtomicU64,
    /// What is asked of the worker: see [`crate::workers::request`]. Requesters set bits, the owner takes them.
    pub(crate) request: AtomicU32,
    /// The host has filled the block, so the collector knows this worker. Written once by the owner.
    pub(crate) attached: AtomicBool,
    /// Owner only.
    pub(crate) landings: Landings,
}

/// In [`Worker::watched`]: every change is told of or drawn (traces, races, deterministic mode).
pub(crate) const WATCHED: u8 = 1;
/// The worker is at a bound thread's carrier.
pub(crate) const AWAY: u8 = 2;

/// Sets [`Worker::watched`].
///
/// # Safety
/// The caller is the worker, or has just made it, or has stopped the world.
pub(crate) unsafe fn set_watched(worker: *mut Worker, watched: u8) {
    // SAFETY: the caller's promise.
    unsafe {
        (*worker).watched = watched;
        (*worker).owns = if watched == 0 { (*worker).index as u32 } else { u32::MAX };
    }
}

/// What one worker wants of another: that it does something with a thread. The reference is a root.
pub(crate) struct Letter {
    pub(crate) thread: Ref<Thread>,
    pub(crate) errand: Errand,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Errand {
    /// It is to be made ready.
    Ready,
    /// It is a segment, and this worker wants its lane.
    LaneFor(usize),
    /// This lane is the receiver's now.
    Lane(u64),
    /// It is to run next on this worker, which gets its lane if that can be spared; else to be made ready.
    RunAt(usize),
    /// It is ready, and its lane, if it has one, belongs to the receiver, who queues it.
    Queue,
    /// The same, and the lane is new to the receiver. The thread goes to the front.
    Given,
    /// The same, at the end of the queue.
    Spared,
}

/// [`Thread::lane`] of a thread that has not run yet.
pub(crate) const UNPLACED: u64 = leat_abi::thread::NO_LANE as u64;
/// No lane.
pub(crate) const NO_LANE: u32 = u32::MAX;

/// How many threads stand on a worker's lanes.
#[derive(Default)]
pub(crate) struct Load {
    /// Those that it has placed, without those that ended here. The owner writes it.
    pub(crate) placed: AtomicU64,
    /// Those on lanes that came from other workers, without those on lanes that went: below 0 too, in two's complement.
    /// Anybody.
    pub(crate) brought: AtomicU64,
    /// Until when, in ticks, no lane goes to a worker that has more threads than this one.
    pub(crate) rest: AtomicU64,
    /// Until when it need not be asked for threads.
    pub(crate) refused: AtomicU64,
}

/// Counts of one worker. The owner alone adds, so an addition is a load and a store.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) switches: AtomicU64,
    pub(crate) evictions: AtomicU64,
    pub(crate) restores: AtomicU64,
    /// Restores that a few more lanes would have saved.
    pub(crate) returns: AtomicU64,
    pub(crate) steals: AtomicU64,
    /// What it wanted of other workers' threads: see [`crate::workers::fold`].
    pub(crate) crossings: AtomicU64,
    /// Nanoseconds for which it has looked around while others ran, with the wake-ups, or has waited for their locks.
    pub(crate) lost: AtomicU64,
    pub(crate) preemptions: AtomicU64,
    /// Looks at the events.
    pub(crate) looks: AtomicU64,
    pub(crate) started: AtomicU64,
    pub(crate) ended: AtomicU64,
}

/// Adds one to a counter of the calling worker.
#[inline(always)]
pub(crate) fn count(counter: &AtomicU64) {
    add(counter, 1);
}

/// Adds to a counter of the calling worker.
#[inline(always)]
pub(crate) fn add(counter: &AtomicU64, more: u64) {
    counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

/// What all workers share.
pub struct Shared {
    pub(crate) host: &'static dyn Host,
    pub(crate) config: Config,
    pub(crate) lanes: Lanes,
    pub(crate) workers: [AtomicPtr<Worker>; MAX_WORKERS],
    /// Workers that have been started; only grows. Written under `stop`'s mutex.
    pub(crate) started: AtomicUsize,
    /// Workers that may run.
    pub(crate) allowed: AtomicUsize,
    /// More than one worker was ever allowed. Set while only one runs, never cleared.
    pub(crate) several: AtomicBool,
    /// [`Tcb::company`] of a new worker. Only grows; written under `stop`'s mutex.
    pub(crate) company: AtomicU64,
    pub(crate) stop: Stop,
    pub(crate) fold: Fold,
    /// The OS threads of bound threads.
    pub(crate) carriers: Carriers,
    /// The code tables, as a leaked slice's address and length in a leaked box.
    pub(crate) tables: AtomicPtr<&'static [&'static CodeTable]>,
    pub(crate) next_id: AtomicU64,
    /// The host is told of every change of a thread: [`Config::trace`], and [`crate::stop::tell_changes`].
    pub(crate) traced: AtomicBool,
    /// The host is told of each raise ([`Host::raised`]).
    pub(crate) notes_raises: AtomicBool,
    /// Bit set of the workers that have stayed behind in the parent of a fork. They are outside for ever, and have
    /// nothing: see [`crate::workers::fork`].
    pub(crate) gone: AtomicU64,
    /// The only worker that has started is in a `stop_world`; one that is being started waits for its end.
    pub(crate) alone: AtomicBool,
    /// The program is over: workers leave; and with what result.
    pub(crate) over: AtomicBool,
    pub(crate) result: AtomicU64,
}

// SAFETY: fields are atomics, or immutable after `Fibers::new`, or guarded as they say.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// What stands in the low byte of a lock that belongs to this worker, see `biased`.
pub(crate) const fn mark(worker: usize) -> u64 {
    worker as u64 + 2
}

/// The worker's list of its lanes names this one from here on. It names each lane once: so a lane that comes and goes
/// for ever does not fill the list, whose length says how many lanes the worker may still make.
///
/// # Safety
/// The caller is the worker, or has its lock while it is outside; or the worker has just been made.
pub(crate) unsafe fn name_lane(worker: *mut Worker, index: u64) {
    // SAFETY: the caller's promise; lanes live as long as the program.
    unsafe {
        let bit = 1 << (*worker).index;
        let own = &mut (*worker).own;
        if (*(*worker).shared.lane(index)).named.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            own.push(index as u32);
        }
    }
}

/// Takes the lane at this place of the worker's list out of it.
///
/// # Safety
/// The caller is the worker.
pub(crate) unsafe fn unname_lane(worker: *mut Worker, at: usize) {
    // SAFETY: as above.
    unsafe {
        let own = &mut (*worker).own;
        let index = own.swap_remove(at);
        (*(*worker).shared.lane(u64::from(index))).named.fetch_and(!(1 << (*worker).index), Ordering::Relaxed);
    }
}

/// The worker of a block.
#[inline(always)]
pub(crate) unsafe fn worker_of(tcb: *mut Tcb) -> *mut Worker {
    // SAFETY: the caller has a worker's block.
    unsafe { (*tcb).fiber as *mut Worker }
}

impl Shared {
    /// The worker of this number, which was started (T18).
    #[inline(always)]
    pub(crate) fn worker(&self, index: usize) -> *mut Worker {
        let worker = self.workers[index].load(Ordering::Acquire);
        assert!(!worker.is_null(), "T18: worker {index} is wanted, which was not started");
        worker
    }

    /// All workers that have been started.
    pub(crate) fn all(&self) -> impl Iterator<Item = *mut Worker> + '_ {
        (0..self.started.load(Ordering::Acquire)).map(|i| self.worker(i))
    }

    /// The lane with this index.
    #[inline(always)]
    pub(crate) fn lane(&self, index: u64) -> *mut Lane {
        self.lanes.at(index as usize)
    }

    /// The blocks of all workers that the host has filled.
    pub(crate) fn tcbs(&self) -> Vec<*mut Tcb> {
        // SAFETY: workers live as long as the program.
        self.all().filter(|&w| unsafe { (*w).attached.load(Ordering::Acquire) }).map(|w| unsafe { (*w).tcb }).collect()
    }

    /// This is the child of a fork that has left other workers behind.
    pub(crate) fn is_bereft(&self) -> bool {
        self.gone.load(Ordering::Relaxed) != 0
    }

    #[inline(always)]
    pub(crate) fn is_several(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// Makes the worker of this number, which neither runs nor is listed yet.
    pub(crate) fn make_worker(&'static self, index: usize) -> *mut Worker {
        let tcb = Box::leak(Box::new(Tcb::empty()));
        let home = Carrier::own(self.host);
        let worker = Box::leak(Box::new(Worker {
            home,
            carrier: home,
            shared: self,
            tcb,
            watched: 0,
            owns: index as u32,
            lanes: self.lanes.at(0),
            lane_now: self.lanes.at(0),
            lane_before: self.lanes.at(0),
            index,
            queue: Queue::EMPTY,
            hand: Ref::NONE,
            free: Vec::new(),
            own: Vec::new(),
            load: Load::default(),
            next_victim: 0,
            since_events: 0,
            chance: self.config.seed.map(|seed| Chance::new(seed, self.config.explored)),
            cuts: Vec::new(),
            counters: Counters::default(),
            long: AtomicU64::new(u64::MAX),
            ran: Ran::default(),
            computed: Computed::new(),
            processor: AtomicU32::new(u32::MAX),
            spent: Spent::EMPTY,
            lock: Lock::default(),
            outside: false,
            busy_lane: NO_LANE,
            inbox: Vec::new(),
            reading: Vec::new(),
            asked: AtomicU64::new(0),
            claim: AtomicU64::new(0),
            request: AtomicU32::new(0),
            attached: AtomicBool::new(false),
            landings: Landings::EMPTY,
        }));
        // SAFETY: it was just made.
        unsafe { self.look_at_tracing(worker) };
        tcb.worker = index as u64;
        tcb.mark = mark(index);
        tcb.company.store(self.company.load(Ordering::SeqCst), Ordering::SeqCst);
        tcb.poll.store(self.config.seed.is_some() as u64, Ordering::Relaxed);
        tcb.fiber = worker as *mut Worker as usize;
        worker
    }

    /// Every change of the worker's threads is told of or drawn, or none, as it is for the others now.
    ///
    /// # Safety
    /// Nobody else sets it at this moment.
    pub(crate) unsafe fn look_at_tracing(&self, worker: *mut Worker) {
        let is_watched = self.config.seed.is_some() || self.traced.load(Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe {
            let others = (*worker).watched & !WATCHED;
            set_watched(worker, if is_watched { others | WATCHED } else { others });
        }
    }

    /// From now on it is one of [`Shared::all`].
    ///
    /// # Safety
    /// It was made for the next number; by one caller at a time.
    pub(crate) unsafe fn list_worker(&self, worker: *mut Worker) {
        // SAFETY: workers live as long as the program.
        let index = unsafe { (*worker).index };
        self.workers[index].store(worker, Ordering::Release);
        self.started.store(index + 1, Ordering::SeqCst);
    }

    /// Frees a worker that was not listed.
    ///
    /// # Safety
    /// It was made by [`Shared::make_worker`], and nobody else knows of it.
    pub(crate) unsafe fn forget_worker(&self, worker: *mut Worker) {
        // SAFETY: both boxes were leaked there.
        unsafe {
            let worker = Box::from_raw(worker);
            drop(Box::from_raw(worker.tcb));
        }
    }

    /// The list of free lanes names more than there are: takes those out that the worker has given away, and what
    /// stands there twice, since a lane that was given away may have come back.
    #[cold]
    unsafe fn clean_free(&self, worker: *mut Worker) {
        // SAFETY: as `free_lane`.
        unsafe {
            let owner = (*worker).index as u32;
            let free = &mut (*worker).free;
            free.sort_unstable();
            free.dedup();
            free.retain(|&lane| (*self.lane(u64::from(lane))).owner.load(Ordering::Relaxed) == owner);
        }
    }

    /// The lane's thread is gone: the lane may be given to another.
    ///
    /// # Safety
    /// `worker` owns the lane and is the caller or stopped.
    pub(crate) unsafe fn free_lane(&self, worker: *mut Worker, index: u64) {
        let lane = self.lane(index);
        // SAFETY: the caller's promise.
        unsafe {
            (*lane).resident = Ref::NONE;
            if (*lane).marker.0 != 0 {
                self.host.marker_forget(index as usize);
                (*lane).marker = (0, 0);
            }
            if !(*lane).listed && index != 0 {
                (*lane).listed = true;
                let free = (*worker).free.len();
                if free == (*worker).free.capacity() && free > self.lanes.count() {
                    self.clean_free(worker);
                }
                (*worker).free.push(index as u32);
            }
        }
    }
}
