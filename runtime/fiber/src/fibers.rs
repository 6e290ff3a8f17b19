//! The threads of a program, as the rest of the runtime has them: made, run, asked for the collector's roots, counted.

use std::io;

use leat_abi::code::CodeTable;
use leat_abi::tcb::{OTHERS, SCOPES, SEVERAL, Tcb};
use leat_abi::thread::{STATE_MASK, StackPiece, State, Thread};

use crate::base::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use crate::base::carrier::Carriers;
use crate::base::home::Fold;
use crate::base::host::{Config, Host};
use crate::base::lane::Lanes;
use crate::base::processor;
use crate::base::reference::Ref;
use crate::base::worker::{MAX_WORKERS, Shared, name_lane, worker_of};
use crate::base::world::Stop;
use crate::stub;
use crate::thread::word::current;
use crate::workers::fork;
use crate::workers::request::{SLICE, request_all, wake_all};
use crate::workers::start;
use crate::workers::ticker::restart_ticker;
use crate::workers::turns;

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

impl Fibers {
    /// Reserves lane 0 and makes worker 0's block. The program has one of these; it is never freed.
    pub fn new(mut config: Config, host: &'static dyn Host) -> io::Result<Fibers> {
        let (wary, traced) = (config.workers > 1, config.trace);
        if config.seed.is_some() {
            (config.workers, config.slice) = (1, 0);
        }
        let lanes = Lanes::new(config.lanes, config.main_stack, config.lane_stack, config.address_space)?;
        let workers = config.workers.clamp(1, MAX_WORKERS);
        let shared: &'static Shared = Box::leak(Box::new(Shared {
            host,
            config,
            lanes,
            workers: [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_WORKERS],
            started: AtomicUsize::new(0),
            allowed: AtomicUsize::new(workers),
            several: AtomicBool::new(workers > 1),
            company: AtomicU64::new(if wary { OTHERS | SEVERAL } else { 0 }),
            stop: Stop::default(),
            fold: Fold::default(),
            carriers: Carriers::default(),
            tables: AtomicPtr::new(Box::leak(Box::new(&[] as &'static [&'static CodeTable]))),
            next_id: AtomicU64::new(1),
            traced: AtomicBool::new(traced),
            notes_raises: AtomicBool::new(false),
            gone: AtomicU64::new(0),
            alone: AtomicBool::new(false),
            over: AtomicBool::new(false),
            result: AtomicU64::new(0),
        }));
        let fibers = Fibers { shared };
        let main = shared.make_worker(0);
        // SAFETY: the worker was just made.
        unsafe {
            name_lane(main, 0);
            shared.list_worker(main);
        }
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

    /// Runs this new thread on lane 0, with the calling OS thread as worker 0, until somebody calls [`crate::leave`];
    /// gives its code. May be called again afterwards with another thread.
    ///
    /// # Safety
    /// `main` is a thread object that [`crate::init_thread`] has filled; the block is filled; r15 may hold anything.
    pub unsafe fn run(&self, main: Ref<Thread>) -> u64 {
        let shared = self.shared;
        let worker = shared.worker(0);
        // SAFETY: no other worker runs; worker 0 is the caller.
        unsafe {
            shared.over.store(false, Ordering::SeqCst);
            (*worker).attached.store(true, Ordering::Release);
            (*main.as_ptr()).lane = 0;
            (*worker).queue.push(shared.host, (*worker).tcb, main);
            (*worker).outside = false;
            shared.stop.lock().active += 1;
            start::begin(worker);
            let code = stub::leat_fiber_enter((*worker).tcb, (*(*worker).home).base_slot());
            start::end(worker);
            let _ = code;
        }
        start::join(shared);
        // The ticker asks the host nothing any more, so it may go.
        shared.stop.asking.lock();
        shared.stop.asking.unlock();
        shared.result.load(Ordering::SeqCst)
    }

    /// Nanoseconds for which a thread has computed, as far as workers' looks at safepoints tell
    /// ([`processor::Computed`]). That counts from any moment; of use is the difference of two answers.
    ///
    /// # Safety
    /// `tcb` is the calling worker's, and a thread object.
    pub unsafe fn computed(&self, tcb: *mut Tcb, thread: Ref<Thread>) -> u64 {
        // SAFETY: the caller's promise; workers live as long as the program, and anybody may read what they have noted.
        unsafe {
            let own = worker_of(tcb);
            let id = (*thread.as_ptr()).id;
            let sum = self.shared.all().map(|worker| {
                if worker == own && current(tcb) == thread {
                    return (*own).computed.of_running(turns::look_of(tcb, own, processor::time()));
                }
                (*worker).computed.of(id)
            });
            sum.sum()
        }
    }

    /// From now on the host is told of each raise ([`Host::raised`]).
    pub fn note_raises(&self) {
        self.shared.notes_raises.store(true, Ordering::Relaxed);
    }

    /// The innermost part of a [`fork`](crate::fork): the system call, with the locks held that the child needs.
    pub fn around_fork<T>(&self, fork: impl FnOnce() -> T) -> T {
        fork::with_locks(self.shared, fork)
    }

    /// From now on up to this many workers (1 or more); they are started when first needed. Never fewer than have
    /// started.
    ///
    /// # Safety
    /// Called on a worker, or before `run`.
    pub unsafe fn set_workers(&self, workers: usize) {
        let shared = self.shared;
        if workers > 1 {
            self.add_company(OTHERS | SEVERAL);
        }
        if shared.config.seed.is_some() || shared.is_bereft() {
            return;
        }
        let workers = workers.clamp(1, MAX_WORKERS);
        if workers > 1 && !shared.several.swap(true, Ordering::SeqCst) {
            restart_ticker(shared);
        }
        shared.allowed.store(workers.max(shared.started.load(Ordering::SeqCst)), Ordering::SeqCst);
    }

    /// From now on threads may be in scopes: [`leat_abi::tcb::SCOPES`]. Any worker.
    pub fn begin_scopes(&self) {
        self.add_company(SCOPES);
    }

    /// To all workers' [`company`](leat_abi::tcb::Tcb::company), also of those to come. Others: while only one may run.
    fn add_company(&self, bits: u64) {
        // With the mutex held no worker is made.
        let _state = self.shared.stop.lock();
        if self.shared.company.fetch_or(bits, Ordering::SeqCst) & bits == bits {
            return;
        }
        for worker in self.shared.all() {
            // SAFETY: workers live as long as the program; the word is atomic.
            unsafe { (*(*worker).tcb).company.fetch_or(bits, Ordering::SeqCst) };
        }
    }

    /// Commits what the first threads' stacks need, a page and two page tables for each of eleven lanes: then no spawn
    /// waits for it.
    pub fn prepare(&self) {
        self.shared.lanes.prepare();
    }

    /// Lets every worker look at the events soon: those that run at their next safepoint outside of atomic sections,
    /// idle ones at once. Any OS thread.
    pub fn nudge(&self) {
        request_all(self.shared, SLICE);
        wake_all(self.shared);
    }

    /// The blocks of all workers that the host has filled.
    pub fn tcbs(&self) -> Vec<*mut Tcb> {
        self.shared.tcbs()
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
                        queue.tail = Ref::NONE;
                    }
                    visit(queue.head.slot());
                    visit(queue.tail.slot());
                }
                visit((*worker).hand.slot());
                (*worker).inbox.iter_mut().for_each(|letter| visit(letter.thread.slot()));
            }
        }
    }

    /// Where a walk of a suspended thread's frames on its lane begins, if it has any there (it is `OnLane`). The pieces
    /// in `Thread::stack` come after those.
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
            let current = current(tcb);
            if current.is_none() {
                return None;
            }
            let lane = (*current.as_ptr()).lane as usize;
            Some(Frames { lane, fp: (*tcb).saved_fp, ret_slot: (*tcb).saved_call_sp })
        }
    }

    /// Mends the lanes after a collection has found what lives: `forward` gives a thread's new address, or None when it
    /// is dead; then its lane is free.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn residents(&self, forward: impl Fn(Ref<Thread>) -> Option<Ref<Thread>>) {
        let shared = self.shared;
        for index in 0..shared.lanes.count() {
            let lane = shared.lanes.at(index);
            // SAFETY: all workers are stopped.
            unsafe {
                if let Some(resident) = (*lane).resident.some() {
                    match forward(resident) {
                        Some(moved) => (*lane).resident = moved,
                        None => shared
                            .free_lane(shared.worker((*lane).owner.load(Ordering::Relaxed) as usize), index as u64),
                    }
                }
            }
        }
    }

    /// Likewise for the pieces that lanes keep to be written again. Nothing else refers to them, so one that is young
    /// is dead, and all are after a major collection.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn kept_pieces(&self, forward: impl Fn(Ref<StackPiece>) -> Option<Ref<StackPiece>>) {
        for index in 0..self.shared.lanes.count() {
            // SAFETY: all workers are stopped.
            unsafe {
                let lane = self.shared.lanes.at(index);
                if let Some(kept) = (*lane).kept.some() {
                    (*lane).kept = forward(kept).unwrap_or(Ref::NONE);
                }
            }
        }
    }

    /// Likewise for bound threads: the OS threads of those that are dead end.
    ///
    /// # Safety
    /// All workers are stopped.
    pub unsafe fn bound_threads(&self, forward: impl Fn(Ref<Thread>) -> Option<Ref<Thread>>) {
        self.shared.carriers.after_collection(forward);
    }

    /// Ends the OS threads of bound threads, after [`Fibers::run`]: the process lives on, and the threads will not.
    pub fn end_bound(&self) {
        self.shared.carriers.end_all();
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
        unsafe {
            let lane = self.shared.lanes.at(lane);
            (*lane).marker = marker;
            if marker.0 != 0 {
                // So an exchange of small stacks need not look for a marker. A stack that has one is deep.
                (*lane).kept = Ref::NONE;
            }
        }
    }

    /// Gives unused stack pages back to the system, after a major collection.
    ///
    /// # Safety
    /// All workers are stopped at safepoints.
    pub unsafe fn trim(&self) {
        let shared = self.shared;
        let running: Vec<(Ref<Thread>, usize)> = shared
            .all()
            // SAFETY: all workers are stopped.
            .map(|w| unsafe { (current((*w).tcb), (*(*w).tcb).saved_sp) })
            .collect();
        // SAFETY: a resident is a live thread object here; a running one's stack pointer stands in its worker's block.
        unsafe {
            shared.lanes.trim(|lane| {
                if lane.resident.is_none() {
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
                if !(*lane).is_deep() || (*lane).resident.is_none() {
                    continue;
                }
                let running = shared.all().find(|w| current((**w).tcb) == (*lane).resident);
                bytes += (*lane).base - running.map_or((*lane).sp, |w| (*(*w).tcb).saved_sp);
            }
        }
        bytes
    }

    /// Counts of all workers together.
    pub fn stat(&self) -> Stat {
        let mut stat = Stat { lanes: self.shared.lanes.count() as u64, ..Stat::default() };
        let gone = self.shared.gone.load(Ordering::Relaxed);
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
            // SAFETY: as above.
            stat.workers += u64::from(gone >> unsafe { (*worker).index } & 1 == 0);
        }
        stat
    }

    /// Whether a thread besides the calling one runs or is ready. What is due by a timer or a descriptor is neither
    /// yet.
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
            // With the mutex nobody goes idle or comes back: a thread on its way from a queue to a worker is at a
            // worker.
            let state = shared.stop.lock();
            let idle = shared.stop.idle.load(Ordering::SeqCst) | shared.gone.load(Ordering::Relaxed);
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

    /// For tests: threads that do not compute run on this worker, or on any.
    #[doc(hidden)]
    pub fn set_home(&self, home: Option<usize>) {
        self.shared.fold.set(home);
    }

    /// Asks every worker to look at the events soon, as at the end of a time slice. Safe in a signal handler.
    pub fn interrupt(&self) {
        request_all(self.shared, SLICE);
    }
}
