//! The threads of a program: workers (OS threads), their blocks, lanes, and what the collector must know of them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use leat_abi::code::CodeTable;
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};

use crate::asm;
use crate::chance::Chance;
use crate::host::{Config, Host};
use crate::lane::{Lane, Lanes};
use crate::queue::{Lock, NONE, Queue};
use crate::stop::{self, Stop};
use crate::turns::Spent;

/// Result of [`Fibers::run`] when no thread can run and [`Host::deadlock`] did not help.
pub const DEADLOCK: u64 = u64::MAX;

/// Most workers.
pub const MAX_WORKERS: usize = 64;

/// One OS thread that runs SML threads. `tcb.fiber` points to it.
#[repr(C, align(128))]
pub struct Worker {
    /// Stack pointer of the frame that `enter` left on the C stack: resumed by `leave`. Owner only.
    pub(crate) enter_sp: usize,
    pub(crate) shared: &'static Shared,
    pub(crate) tcb: *mut Tcb,
    /// Every change is told of or drawn (traces, deterministic mode): the stubs leave all to the functions. Constant.
    pub(crate) watched: bool,
    /// The lanes' table, one load nearer. Constant.
    pub(crate) lanes: *mut Lane,
    pub(crate) index: usize,
    /// Ready threads: the first queue of [`crate::turns`]. Private.
    pub(crate) queue: Queue,
    /// The thread that is about to run while its place is made: a root. Owner only.
    pub(crate) hand: u64,
    /// Lanes that may be free; looked at again when taken. Private.
    pub(crate) free: Vec<u32>,
    /// Lanes that this worker made or was given; may name some that it has given away. Private.
    pub(crate) own: Vec<u32>,
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
    /// Ready threads that compute: the second queue. Private.
    pub(crate) spent: Spent,
    /// Guards `outside`, `busy_lane`, `inbox`; while the worker is outside, all that is private too. Held for some tens of
    /// nanoseconds, never with another worker's.
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
    /// The lock that this worker wants, and from whom: see [`crate::biased`]; or 0. The owner sets it, whoever clears it acts.
    pub(crate) claim: AtomicU64,
    /// What is asked of the worker: see [`crate::stop`]. Requesters set bits, the owner takes them.
    pub(crate) request: AtomicU32,
    /// The host has filled the block, so the collector knows this worker. Written once by the owner.
    pub(crate) attached: AtomicBool,
}

/// What one worker wants of another: that it does something with a thread. The reference is a root.
pub(crate) struct Letter {
    pub(crate) thread: u64,
    pub(crate) errand: Errand,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Errand {
    /// It is to be made ready.
    Ready,
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

/// Counts of one worker. The owner alone adds, so an addition is a load and a store.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) switches: AtomicU64,
    pub(crate) evictions: AtomicU64,
    pub(crate) restores: AtomicU64,
    /// Restores that a few more lanes would have saved.
    pub(crate) returns: AtomicU64,
    pub(crate) steals: AtomicU64,
    pub(crate) preemptions: AtomicU64,
    /// Looks at the events.
    pub(crate) looks: AtomicU64,
    pub(crate) started: AtomicU64,
    pub(crate) ended: AtomicU64,
}

/// Adds one to a counter of the calling worker.
#[inline(always)]
pub(crate) fn count(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
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
    pub(crate) stop: Stop,
    /// The code tables, as a leaked slice's address and length in a leaked box.
    pub(crate) tables: AtomicPtr<&'static [&'static CodeTable]>,
    pub(crate) next_id: AtomicU64,
    /// The host is told of each raise ([`Host::raised`]).
    pub(crate) notes_raises: AtomicBool,
    /// The child of a fork whose other workers have stayed behind: it may run another program or exit, but neither collect
    /// nor wait, since it would wait for them.
    pub(crate) bereft: AtomicBool,
    /// The program is over: workers leave; and with what result.
    pub(crate) over: AtomicBool,
    pub(crate) result: AtomicU64,
}

// SAFETY: fields are atomics, or immutable after `Fibers::new`, or guarded as they say.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Counts since the start, for `thread_stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    pub started: u64,
    pub ended: u64,
    pub switches: u64,
    pub evictions: u64,
    pub restores: u64,
    pub steals: u64,
    pub preemptions: u64,
    pub lanes: u64,
    pub workers: u64,
}

/// Frames on a lane, as a walk needs them: [`leat_abi::walk::Walk::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    pub lane: usize,
    pub fp: usize,
    pub ret_slot: usize,
}

/// The threads of a program. Copies mean the same.
#[derive(Clone, Copy)]
pub struct Fibers {
    pub(crate) shared: &'static Shared,
}

/// The worker of a block.
#[inline(always)]
pub(crate) unsafe fn worker_of(tcb: *mut Tcb) -> *mut Worker {
    // SAFETY: the caller has a worker's block.
    unsafe { (*tcb).fiber as *mut Worker }
}

impl Fibers {
    /// Reserves lane 0 and makes worker 0's block. The program has one of these; it is never freed.
    pub fn new(mut config: Config, host: &'static dyn Host) -> io::Result<Fibers> {
        if config.seed.is_some() {
            (config.workers, config.slice) = (1, 0);
        }
        let lanes = Lanes::new(config.lanes, config.main_stack, config.lane_stack)?;
        let workers = config.workers.clamp(1, MAX_WORKERS);
        let shared: &'static Shared = Box::leak(Box::new(Shared {
            host,
            config,
            lanes,
            workers: [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_WORKERS],
            started: AtomicUsize::new(0),
            allowed: AtomicUsize::new(workers),
            several: AtomicBool::new(workers > 1),
            stop: Stop::default(),
            tables: AtomicPtr::new(Box::leak(Box::new(&[] as &'static [&'static CodeTable]))),
            next_id: AtomicU64::new(1),
            notes_raises: AtomicBool::new(false),
            bereft: AtomicBool::new(false),
            over: AtomicBool::new(false),
            result: AtomicU64::new(0),
        }));
        let fibers = Fibers { shared };
        let main = shared.new_worker(0);
        // SAFETY: the worker was just made.
        unsafe { (*main).own.push(0) };
        Ok(fibers)
    }

    /// The threads that a block's worker belongs to.
    ///
    /// # Safety
    /// `tcb` is a worker's block.
    pub unsafe fn of(tcb: *mut Tcb) -> Fibers {
        // SAFETY: the caller's promise.
        Fibers { shared: unsafe { (*worker_of(tcb)).shared } }
    }

    /// Worker 0's block, for the host to fill before [`Fibers::run`].
    pub fn main_tcb(&self) -> *mut Tcb {
        // SAFETY: worker 0 lives as long as the program.
        unsafe { (*self.shared.worker(0)).tcb }
    }

    /// Runs this new thread on lane 0, with the calling OS thread as worker 0, until somebody calls [`leave`]; gives its
    /// code. May be called again afterwards with another thread.
    ///
    /// # Safety
    /// `main` is a thread object that [`crate::init_thread`] has filled; the block is filled; r15 may hold anything.
    pub unsafe fn run(&self, main: u64) -> u64 {
        let shared = self.shared;
        let worker = shared.worker(0);
        // SAFETY: no other worker runs; worker 0 is the caller.
        unsafe {
            shared.over.store(false, Ordering::SeqCst);
            (*worker).attached.store(true, Ordering::Release);
            (*(main as *mut Thread)).lane = 0;
            (*worker).queue.push(shared.host, (*worker).tcb, main);
            (*worker).outside = false;
            stop::begin(worker);
            let code = asm::leat_fiber_enter((*worker).tcb, &raw mut (*worker).enter_sp);
            stop::end(worker);
            let _ = code;
        }
        stop::join(shared);
        // The ticker asks the host nothing any more, so it may go.
        shared.stop.asking.lock();
        shared.stop.asking.unlock();
        shared.result.load(Ordering::SeqCst)
    }

    /// From now on the host is told of each raise ([`Host::raised`]).
    pub fn note_raises(&self) {
        self.shared.notes_raises.store(true, Ordering::Relaxed);
    }

    /// In the child of a fork: the ticker has stayed behind, and is started again. If other workers had started, they have
    /// stayed behind too, with what they had in hand: see [`Shared::bereft`].
    pub fn after_fork(&self) {
        // The parent's ticker may have held it.
        self.shared.stop.asking.unlock();
        if self.shared.started.load(Ordering::SeqCst) > 1 {
            self.shared.bereft.store(true, Ordering::SeqCst);
        } else {
            stop::restart_ticker(self.shared);
        }
    }

    /// From now on up to this many workers (1 or more); they are started when first needed. Never fewer than have started.
    ///
    /// # Safety
    /// Called on a worker, or before `run`.
    pub unsafe fn set_workers(&self, workers: usize) {
        let shared = self.shared;
        if shared.config.seed.is_some() {
            return;
        }
        let workers = workers.clamp(1, MAX_WORKERS);
        if workers > 1 && !shared.several.swap(true, Ordering::SeqCst) {
            stop::restart_ticker(shared);
        }
        shared.allowed.store(workers.max(shared.started.load(Ordering::SeqCst)), Ordering::SeqCst);
    }

    /// Lets every worker look at the events soon: those that run at their next safepoint outside of atomic sections, idle
    /// ones at once. Any OS thread.
    pub fn nudge(&self) {
        stop::request_all(self.shared, stop::SLICE);
        stop::wake_all(self.shared);
    }

    /// The blocks of all workers that the host has filled.
    pub fn tcbs(&self) -> Vec<*mut Tcb> {
        // SAFETY: workers live as long as the program.
        self.shared
            .all()
            .filter(|&w| unsafe { (*w).attached.load(Ordering::Acquire) })
            .map(|w| unsafe { (*w).tcb })
            .collect()
    }

    /// Visits the queues' roots. The blocks' own (`current`, packets) are the host's business.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn roots(&self, mut visit: impl FnMut(*mut u64)) {
        for worker in self.shared.all() {
            // SAFETY: all workers are stopped.
            unsafe {
                for queue in [&mut (*worker).queue, &mut (*worker).spent.queue] {
                    if queue.is_empty() {
                        queue.tail = NONE;
                    }
                    visit(&raw mut queue.head);
                    visit(&raw mut queue.tail);
                }
                visit(&raw mut (*worker).hand);
                (*worker).inbox.iter_mut().for_each(|letter| visit(&mut letter.thread));
            }
        }
    }

    /// Where a walk of a suspended thread's frames on its lane begins, if it has any there (it is `OnLane`). The pieces in
    /// `Thread::stack` come after those.
    ///
    /// # Safety
    /// All workers are stopped; `thread` is a thread object (its header may be forwarded already).
    pub unsafe fn frames_of(&self, thread: *const Thread) -> Option<Frames> {
        // SAFETY: the caller's promise.
        unsafe {
            ((*thread).state & STATE_MASK == State::OnLane as u8).then(|| {
                let index = (*thread).lane as usize;
                let lane = self.shared.lanes.at(index);
                Frames { lane: index, fp: (*lane).fp, ret_slot: (*lane).call_sp }
            })
        }
    }

    /// The same for the thread that this worker runs: a root.
    ///
    /// # Safety
    /// All workers are stopped; `tcb.current` has not been visited yet.
    pub unsafe fn frames_running(&self, tcb: *mut Tcb) -> Option<Frames> {
        // SAFETY: the caller's promise.
        unsafe {
            if (*tcb).current == NONE {
                return None;
            }
            let lane = (*((*tcb).current as *const Thread)).lane as usize;
            Some(Frames { lane, fp: (*tcb).saved_fp, ret_slot: (*tcb).saved_call_sp })
        }
    }

    /// Mends the lanes after a collection has found what lives: `forward` gives a thread's new address, or None when it is
    /// dead; then its lane is free.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn residents(&self, forward: impl Fn(u64) -> Option<u64>) {
        let shared = self.shared;
        for index in 0..shared.lanes.count() {
            let lane = shared.lanes.at(index);
            // SAFETY: all workers are stopped.
            unsafe {
                if (*lane).resident != 0 {
                    match forward((*lane).resident) {
                        Some(address) => (*lane).resident = address,
                        None => shared
                            .free_lane(shared.worker((*lane).owner.load(Ordering::Relaxed) as usize), index as u64),
                    }
                }
            }
        }
    }

    /// Likewise for the pieces that lanes keep to be written again. Nothing else refers to them, so one that is young is
    /// dead, and all are after a major collection.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn kept_pieces(&self, forward: impl Fn(u64) -> Option<u64>) {
        for index in 0..self.shared.lanes.count() {
            // SAFETY: all workers are stopped.
            unsafe {
                let lane = self.shared.lanes.at(index);
                if (*lane).kept != 0 {
                    (*lane).kept = forward((*lane).kept).unwrap_or(0);
                }
            }
        }
    }

    /// The marker of a lane, as its walks need it: `(0, 0)` for none.
    ///
    /// # Safety
    /// Called by the worker that owns the lane, or with all workers stopped.
    pub unsafe fn marker(&self, lane: usize) -> (usize, usize) {
        // SAFETY: the caller's promise.
        unsafe { (*self.shared.lanes.at(lane)).marker }
    }

    /// Sets it, after the collector has changed it.
    ///
    /// # Safety
    /// As `marker`.
    pub unsafe fn set_marker(&self, lane: usize, marker: (usize, usize)) {
        // SAFETY: the caller's promise.
        unsafe { (*self.shared.lanes.at(lane)).marker = marker }
    }

    /// Gives unused stack pages back to the system, after a major collection.
    ///
    /// # Safety
    /// All workers are stopped at safepoints.
    pub unsafe fn trim(&self) {
        let shared = self.shared;
        let running: Vec<(u64, usize)> = shared
            .all()
            // SAFETY: all workers are stopped.
            .map(|w| unsafe { ((*(*w).tcb).current, (*(*w).tcb).saved_sp) })
            .collect();
        // SAFETY: a resident is a live thread object here; a running one's stack pointer stands in its worker's block.
        unsafe {
            shared.lanes.trim(|lane| {
                if lane.resident == 0 {
                    return lane.base;
                }
                match running.iter().find(|(thread, _)| *thread == lane.resident) {
                    Some((_, sp)) => *sp,
                    None => lane.sp,
                }
            })
        };
    }

    /// Bytes of the frames on lanes with deep stacks: what they take beside the heap.
    ///
    /// # Safety
    /// All workers are stopped at safepoints; or the caller runs the only one.
    pub unsafe fn deep_stacks(&self) -> usize {
        let shared = self.shared;
        let mut bytes = 0;
        for index in 0..shared.lanes.count() {
            let lane = shared.lanes.at(index);
            // SAFETY: all workers are stopped; a running thread's stack pointer stands in its worker's block.
            unsafe {
                if !(*lane).is_deep() || (*lane).resident == 0 {
                    continue;
                }
                let running = shared.all().find(|w| (*(**w).tcb).current == (*lane).resident);
                bytes += (*lane).base - running.map_or((*lane).sp, |w| (*(*w).tcb).saved_sp);
            }
        }
        bytes
    }

    /// Counts of all workers together.
    pub fn stat(&self) -> Stat {
        let mut stat = Stat { lanes: self.shared.lanes.count() as u64, ..Stat::default() };
        for worker in self.shared.all() {
            // SAFETY: workers live as long as the program; counters are atomics.
            let c = unsafe { &(*worker).counters };
            stat.switches += c.switches.load(Ordering::Relaxed);
            stat.evictions += c.evictions.load(Ordering::Relaxed);
            stat.restores += c.restores.load(Ordering::Relaxed);
            stat.steals += c.steals.load(Ordering::Relaxed);
            stat.preemptions += c.preemptions.load(Ordering::Relaxed);
            stat.started += c.started.load(Ordering::Relaxed);
            stat.ended += c.ended.load(Ordering::Relaxed);
            stat.workers += 1;
        }
        stat
    }
}

impl Shared {
    #[inline(always)]
    pub(crate) fn worker(&self, index: usize) -> *mut Worker {
        self.workers[index].load(Ordering::Acquire)
    }

    /// All workers that have been started.
    pub(crate) fn all(&self) -> impl Iterator<Item = *mut Worker> + '_ {
        (0..self.started.load(Ordering::Acquire)).map(|i| self.worker(i))
    }

    #[inline(always)]
    pub(crate) fn is_several(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// Makes the next worker, which does not run yet. By one caller at a time.
    pub(crate) fn new_worker(&'static self, index: usize) -> *mut Worker {
        let tcb = Box::leak(Box::new(Tcb::empty()));
        let worker = Box::leak(Box::new(Worker {
            enter_sp: 0,
            shared: self,
            tcb,
            watched: self.config.seed.is_some() || self.config.trace,
            lanes: self.lanes.at(0),
            index,
            queue: Queue::EMPTY,
            hand: NONE,
            free: Vec::new(),
            own: Vec::new(),
            next_victim: 0,
            since_events: 0,
            chance: self.config.seed.map(|seed| Chance::new(seed, self.config.explored)),
            cuts: Vec::new(),
            counters: Counters::default(),
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
        }));
        tcb.worker = index as u64;
        tcb.mark = crate::biased::mark(index);
        tcb.poll = AtomicU64::new(self.config.seed.is_some() as u64);
        tcb.fiber = worker as *mut Worker as usize;
        self.workers[index].store(worker, Ordering::Release);
        self.started.store(index + 1, Ordering::Release);
        worker
    }

    /// The lane's thread is gone: the lane may be given to another.
    ///
    /// # Safety
    /// `worker` owns the lane and is the caller or stopped.
    pub(crate) unsafe fn free_lane(&self, worker: *mut Worker, index: u64) {
        let lane = self.lane(index);
        // SAFETY: the caller's promise.
        unsafe {
            (*lane).resident = 0;
            if (*lane).marker.0 != 0 {
                self.host.marker_forget(index as usize);
                (*lane).marker = (0, 0);
            }
            if !(*lane).listed && index != 0 {
                (*lane).listed = true;
                (*worker).free.push(index as u32);
            }
        }
    }
}

/// Ends [`Fibers::run`] with this code: the running thread is given up, all workers leave at their next safepoint. The
/// caller returns at once, with the result.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn leave(tcb: *mut Tcb, code: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let worker = worker_of(tcb);
        let shared = (*worker).shared;
        let current = (*tcb).current;
        if current != NONE {
            let thread = current as *mut Thread;
            (*thread).state = State::Dead as u8;
            shared.free_lane(worker, (*thread).lane as u64);
        }
        if !shared.over.swap(true, Ordering::SeqCst) {
            shared.result.store(code, Ordering::SeqCst);
        }
        if shared.bereft.load(Ordering::SeqCst) {
            shared.host.ended_bereft();
        }
        stop::request_all(shared, stop::STOP);
        stop::wake_all(shared);
        depart(tcb)
    }
}

/// Makes the stub that called the runtime go back to where the worker was entered.
pub(crate) unsafe fn depart(tcb: *mut Tcb) -> u64 {
    // SAFETY: `enter` left a resume address at `enter_sp`.
    unsafe {
        (*tcb).current = NONE;
        (*tcb).pending_exn = 0;
        (*tcb).atomic_depth = 0;
        (*tcb).saved_sp = (*worker_of(tcb)).enter_sp;
    }
    0
}

/// Nothing can run any more: the program is over with [`DEADLOCK`]. Gives "no thread".
pub(crate) unsafe fn deadlocked(tcb: *mut Tcb) -> u64 {
    // SAFETY: the caller is the worker and runs no thread.
    unsafe { leave(tcb, DEADLOCK) };
    NONE
}
