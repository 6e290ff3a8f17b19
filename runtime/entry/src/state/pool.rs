//! The pool: calls of the system that no poller tells of, on OS threads of their own -> results, and threads made
//! ready.
//!
//! A job works on its own memory only: nothing of the heap, which may be collected meanwhile. Its number finds it; its
//! result stays until it is taken. There are four kinds:
//!
//! - [`JobKind::Work`] ends by itself, and soon, like the reading of a file. At most [`MOST`] run at once; others wait
//!   for their turn.
//! - [`JobKind::Name`] ends by itself, but late where no server answers: the look-up of a name. At most [`MOST_NAMES`]
//!   run at once, beside the others. One that is dropped while it waits for its turn is never done.
//! - [`JobKind::Wait`] ends when another program, or another job, does something, like the open of a FIFO. None waits
//!   for the end of another, or both might wait for ever: each has an OS thread at once. When the system gives none,
//!   the job is refused with EAGAIN.
//! - One that is done when a descriptor can be read, like the end of a child: one OS thread watches all of them
//!   ([`Pool::start_when_readable`]).
//!
//! OS threads end when they had nothing to do for some seconds. If the system gives none at all, the caller of
//! [`Pool::start`] does the job.
//!
//! A wake-up of an OS thread costs more than most jobs, so two OS threads look for a while before they sleep, where
//! there is a processor for it: one that has done a job, for the next one, and a worker without threads to run, for the
//! end of a job ([`Pool::look_for_done`]). Who has looked in vain looks less often ([`Lookout`]), and on a busy
//! machine nobody does ([`Processors`]).

use std::collections::{HashMap, VecDeque};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use leat_io::Manager;
use leat_io::own::Own;

use crate::state::os_thread::{CRASHES, sharpen};
use crate::state::output::errno;

/// Jobs of the kind `Work` that run at once.
const MOST: usize = 512;

/// Jobs of the kind `Name` that run at once.
const MOST_NAMES: usize = 256;

/// Without work for so long, an OS thread ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where descriptors cannot be watched now, that is tried again after this time.
const AGAIN: Duration = Duration::from_millis(10);

/// An OS thread of the pool looks for its next job for so long before it sleeps: longer than it takes to wake the
/// worker that may have one.
const FOR_WORK: Duration = Duration::from_micros(80);

/// Where there is a processor for it, an OS thread that is woken runs within this time.
const WOKEN: Duration = Duration::from_micros(50);

/// A worker looks for so long for the end of a job, as long as an OS thread is at it: a call that sleeps for 50
/// microseconds is seen to end.
const FOR_DONE: Duration = Duration::from_micros(120);

/// Microseconds after which it is asked again whether processors are free: that takes some five.
const ASKED_EVERY: u64 = 10_000;

/// The stack of an OS thread: functions of C run on it that may want much. What nobody touches is only addresses.
const STACK: usize = 1 << 20;

/// A number (below 0: a negated error number), and a text.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub number: i64,
    pub text: Vec<u8>,
}

/// What the end of a job needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobKind {
    /// Nothing: it ends by itself.
    Work,
    /// An answer from afar, or that none comes for many seconds.
    Name,
    /// Something that others do.
    Wait,
}

type Work = Box<dyn FnOnce() -> Answer + Send>;

struct Job {
    answer: Option<Answer>,
    /// The thread or waiter that waits for it, or 0. A root.
    thread: u64,
    /// Nobody will ask for the answer.
    dropped: bool,
}

#[derive(Default)]
struct State {
    jobs: HashMap<u64, Job>,
    last: u64,
    /// Jobs that no OS thread has taken, by their kinds.
    works: VecDeque<(u64, Work)>,
    names: VecDeque<(u64, Work)>,
    waits: VecDeque<(u64, Work)>,
    /// OS threads that do a job, by its kind.
    working: usize,
    naming: usize,
    waiting: usize,
    /// Jobs done, whose threads are to be made ready.
    done: Vec<u64>,
    threads: usize,
    /// OS threads that look for a job: they need not be woken.
    looking: usize,
    /// Jobs that are done when their descriptor can be read, by the descriptor.
    watched: HashMap<i32, (Own, u64, Work)>,
    /// Where the descriptors are watched, and whether an OS thread does so.
    epoll: Option<Own>,
    is_watching: bool,
}

struct Shared {
    io: Arc<Manager>,
    state: Mutex<State>,
    work: Condvar,
    /// How many jobs were queued, which who looks for one sees change, and how many of them an OS thread has taken.
    queued: AtomicU64,
    taken: AtomicU64,
    /// Jobs that are not done, or whose threads were not made ready.
    open: AtomicUsize,
    is_done: AtomicBool,
    /// A worker waits in the poller, or is about to: the end of a job wakes it.
    is_listening: AtomicBool,
    processors: Processors,
    /// Of OS threads of the pool, and of workers.
    for_work: Lookout,
    for_done: Lookout,
}

/// Whether the system has a processor for each OS thread that can run: else who looks takes it from somebody, and soon
/// from whom it waits for.
struct Processors {
    /// Those that this process may use, and all.
    own: usize,
    all: usize,
    start: Instant,
    /// When it is asked again, in microseconds since the start, and what was found.
    next: AtomicU64,
    are_free: AtomicBool,
}

impl Processors {
    fn new() -> Processors {
        // SAFETY: a call of the C library.
        let all = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
        Processors {
            own: std::thread::available_parallelism().map_or(1, |count| count.get()),
            all: usize::try_from(all).unwrap_or(1),
            start: Instant::now(),
            next: AtomicU64::new(0),
            are_free: AtomicBool::new(true),
        }
    }

    fn are_free(&self) -> bool {
        if self.own < 2 {
            return false;
        }
        let now = self.start.elapsed().as_micros() as u64;
        if now >= self.next.load(Ordering::Relaxed) {
            self.next.store(now + ASKED_EVERY, Ordering::Relaxed);
            // Where that cannot be read they are taken to be.
            let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
            self.are_free.store(running(&text).is_none_or(|count| count <= self.all), Ordering::Relaxed);
        }
        self.are_free.load(Ordering::Relaxed)
    }
}

/// How many OS threads run or could run, the caller among them: of `0.20 0.18 0.12 1/80 11206` it is 1.
fn running(loads: &str) -> Option<usize> {
    loads.split(' ').nth(3)?.split('/').next()?.parse().ok()
}

/// Whether it pays to look before one sleeps. Who has looked in vain k times in a row passes over the next 2^k
/// occasions; k is [`MOST_VAIN`] at once if the other side did not even run, or this one was kept from running: there
/// is no processor for both, and who looks keeps the other from what is looked for.
struct Lookout {
    /// So long one looks.
    most: Duration,
    vain: AtomicU32,
    passes: AtomicU32,
}

/// Occasions passed over are at most 2 to the power of this.
const MOST_VAIN: u32 = 8;

impl Lookout {
    const fn new(most: Duration) -> Lookout {
        Lookout { most, vain: AtomicU32::new(0), passes: AtomicU32::new(0) }
    }

    fn pays(&self) -> bool {
        // Two at once may count one occasion: that does no harm.
        let left = self.passes.load(Ordering::Relaxed);
        self.passes.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }

    fn learn(&self, found: bool, both_run: bool) {
        let vain = match (both_run, found) {
            (false, _) => MOST_VAIN,
            (true, true) => 0,
            (true, false) => (self.vain.load(Ordering::Relaxed) + 1).min(MOST_VAIN),
        };
        self.vain.store(vain, Ordering::Relaxed);
        self.passes.store((1 << vain) - 1, Ordering::Relaxed);
    }

    /// Looks for a while, if it pays. `runs`: whether the other side has run meanwhile.
    fn look(&self, found: impl Fn() -> bool, runs: impl Fn() -> bool) -> bool {
        if !self.pays() {
            return found();
        }
        let (begin, mut time) = (Instant::now(), Duration::ZERO);
        let mut seen = found();
        // If the other side does not run by then, it never will while this one looks.
        while !seen && time < self.most && (time < WOKEN || runs()) {
            (0..16).for_each(|_| std::hint::spin_loop());
            seen = found();
            time = begin.elapsed();
        }
        self.learn(seen, (seen || runs()) && time < self.most + WOKEN);
        seen
    }
}

/// Jobs and who waits for them.
pub struct Pool {
    shared: Arc<Shared>,
}

impl Pool {
    pub fn new(io: Arc<Manager>) -> Pool {
        let shared = Shared {
            io,
            state: Mutex::default(),
            work: Condvar::new(),
            queued: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            open: AtomicUsize::new(0),
            is_done: AtomicBool::new(false),
            is_listening: AtomicBool::new(false),
            processors: Processors::new(),
            for_work: Lookout::new(FOR_WORK),
            for_done: Lookout::new(FOR_DONE),
        };
        Pool { shared: Arc::new(shared) }
    }

    /// Begins a job; `thread` (0 for none) is made ready when it is done. `dropped`: nobody asks for the answer.
    pub fn start(
        &self,
        thread: u64,
        dropped: bool,
        kind: JobKind,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> u64 {
        let mut state = self.shared.lock();
        let id = self.shared.begin(&mut state, thread, dropped);
        let job: (u64, Work) = (id, Box::new(work));
        state.queue(kind).push_back(job);
        if state.wants_thread() {
            if self.shared.spawn("pool", Shared::run) {
                state.threads += 1;
            } else if state.threads == 0 || kind != JobKind::Wait && state.threads == state.waiting + state.waits.len()
            {
                // No OS thread is left for the pool, or those that there are may all wait for ever: the caller's does
                // it, and its threads wait.
                if let Some(job) = state.queue(kind).pop_back() {
                    drop(self.shared.run_job(state, job));
                }
                return id;
            } else if kind == JobKind::Wait {
                if let Some((id, _)) = state.waits.pop_back() {
                    self.shared.finish(&mut state, id, Answer { number: -(libc::EAGAIN as i64), text: Vec::new() });
                    self.shared.tell();
                }
                return id;
            }
        }
        let wakes = state.queued() > state.looking;
        self.shared.queued.fetch_add(1, Ordering::Release);
        drop(state);
        if wakes {
            self.shared.work.notify_one();
        }
        id
    }

    /// Begins a job that is done, in no time, when the descriptor can be read. Where none can be watched it is one of
    /// the kind `Wait`, since `work` waits for the same.
    pub fn start_when_readable(&self, fd: Own, work: impl FnOnce() -> Answer + Send + 'static) -> u64 {
        let mut state = self.shared.lock();
        let number = fd.as_raw_fd();
        if state.watch(number) && (state.is_watching || self.shared.spawn("children", Shared::watch)) {
            let id = self.shared.begin(&mut state, 0, false);
            state.is_watching = true;
            state.watched.insert(number, (fd, id, Box::new(work)));
            return id;
        }
        state.forget(number);
        drop(state);
        self.start(0, false, JobKind::Wait, work)
    }

    /// A job that is done already.
    pub fn done(&self, answer: Answer) -> u64 {
        let mut state = self.shared.lock();
        state.last += 1;
        let id = state.last;
        state.jobs.insert(id, Job { answer: Some(answer), thread: 0, dropped: false });
        id
    }

    /// Whether a job is done; if not, this thread is made ready when it is.
    pub fn is_done_or_wake(&self, id: u64, thread: u64) -> bool {
        let mut state = self.shared.lock();
        match state.jobs.get_mut(&id) {
            Some(job) if job.answer.is_none() => {
                job.thread = thread;
                false
            }
            _ => true,
        }
    }

    /// Takes the answer of a job that is done.
    pub fn take(&self, id: u64) -> Option<Answer> {
        let mut state = self.shared.lock();
        state.jobs.get(&id)?.answer.as_ref()?;
        state.jobs.remove(&id)?.answer
    }

    /// Nobody will ask for this job's answer, or wait for it.
    pub fn drop_job(&self, id: u64) {
        let mut state = self.shared.lock();
        if let Some(job) = state.jobs.get_mut(&id) {
            (job.thread, job.dropped) = (0, true);
            if job.answer.is_some() {
                state.jobs.remove(&id);
            }
        }
    }

    /// Whether a job may still make a thread ready.
    pub fn is_busy(&self) -> bool {
        self.shared.open.load(Ordering::SeqCst) > 0
    }

    /// Whether something is left for [`Pool::dispatch`].
    pub fn is_due(&self) -> bool {
        self.shared.is_done.load(Ordering::Acquire)
    }

    /// Looks for a while whether a job ends, or `wanted`. Called by a worker when no other one runs.
    pub fn look_for_done(&self, wanted: impl Fn() -> bool) {
        let shared = &*self.shared;
        if self.is_busy() && shared.processors.are_free() {
            let are_taken = || shared.taken.load(Ordering::Relaxed) == shared.queued.load(Ordering::Relaxed);
            shared.for_done.look(|| shared.is_done.load(Ordering::Acquire) || wanted(), are_taken);
        }
    }

    /// A worker will wait in the poller, and is woken when a job is done, unless there is one already (false).
    pub fn listen(&self) -> bool {
        self.shared.is_listening.store(true, Ordering::SeqCst);
        if !self.shared.is_done.load(Ordering::SeqCst) {
            return true;
        }
        self.listen_no_more();
        false
    }

    pub fn listen_no_more(&self) {
        self.shared.is_listening.store(false, Ordering::SeqCst);
    }

    /// Makes the threads of the jobs that are done ready.
    /// One that is refused (false) is given again the next time.
    pub fn dispatch(&self, mut ready: impl FnMut(u64) -> bool) {
        if !self.shared.is_done.swap(false, Ordering::Acquire) {
            return;
        }
        let mut state = self.shared.lock();
        for id in std::mem::take(&mut state.done) {
            if let Some(job) = state.jobs.get_mut(&id) {
                if job.thread != 0 && !ready(job.thread) {
                    state.done.push(id);
                    self.shared.is_done.store(true, Ordering::Release);
                    continue;
                }
                job.thread = 0;
                if job.dropped {
                    state.jobs.remove(&id);
                }
            }
            self.shared.open.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Runs `fork`, which tells whether this is the child: there, no OS thread of the pool is left. The answers that
    /// are there stay, for a descriptor that was opened is the child's, too; other jobs are never done.
    pub fn around_fork(&self, fork: impl FnOnce() -> bool) {
        let mut state = self.shared.lock();
        if fork() {
            let (jobs, done) = (std::mem::take(&mut state.jobs), std::mem::take(&mut state.done));
            self.shared.open.store(done.len(), Ordering::SeqCst);
            // The OS thread that has put one there may not have told yet.
            self.shared.is_done.store(!done.is_empty(), Ordering::SeqCst);
            *state = State { last: state.last, jobs, done, ..State::default() };
            self.shared.taken.store(self.shared.queued.load(Ordering::Relaxed), Ordering::Relaxed);
            self.listen_no_more();
        }
    }

    /// Visits the threads that wait.
    pub fn tokens(&self, visit: &mut impl FnMut(*mut u64)) {
        let mut state = self.shared.lock();
        state.jobs.values_mut().filter(|job| job.thread != 0).for_each(|job| visit(&mut job.thread));
    }

    /// OS threads, jobs that nobody has taken the answer of, and those of them that wait for an OS thread.
    pub fn counts(&self) -> (usize, usize, usize) {
        let state = self.shared.lock();
        (state.threads, state.jobs.len(), state.queued())
    }
}

impl State {
    fn queue(&mut self, kind: JobKind) -> &mut VecDeque<(u64, Work)> {
        match kind {
            JobKind::Work => &mut self.works,
            JobKind::Name => &mut self.names,
            JobKind::Wait => &mut self.waits,
        }
    }

    /// How many jobs no OS thread has taken.
    fn queued(&self) -> usize {
        self.works.len() + self.names.len() + self.waits.len()
    }

    /// How many of them may begin now.
    fn may_begin(&self) -> usize {
        let works = self.works.len().min(MOST - self.working);
        let names = self.names.len().min(MOST_NAMES - self.naming);
        self.waits.len() + works + names
    }

    /// Whether the OS threads that have no job are too few for those that may begin.
    fn wants_thread(&self) -> bool {
        self.may_begin() > self.threads - self.working - self.naming - self.waiting
    }

    /// Whether nobody wants to know how this job ends.
    fn is_unwanted(&self, id: u64) -> bool {
        self.jobs.get(&id).is_none_or(|job| job.dropped && job.thread == 0)
    }

    /// Watches a descriptor; whether it can be.
    fn watch(&mut self, fd: i32) -> bool {
        // SAFETY: plain system calls; the new descriptor is nobody's, the structure lives.
        unsafe {
            if self.epoll.is_none() {
                let epoll = libc::epoll_create1(libc::EPOLL_CLOEXEC);
                if epoll < 0 {
                    return false;
                }
                self.epoll = Some(Own::from(OwnedFd::from_raw_fd(epoll)));
            }
            let epoll = self.epoll.as_ref().map_or(-1, |fd| fd.as_raw_fd());
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: fd as u64 };
            libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) == 0
        }
    }

    /// Somebody has closed the epoll, as a function of C may that closes all descriptors: another one watches from now
    /// on. Whether there is one.
    fn watch_anew(&mut self) -> bool {
        if let Some(lost) = self.epoll.take() {
            lost.lost();
        }
        let watched: Vec<i32> = self.watched.keys().copied().collect();
        // One that is closed, too, is never ready.
        watched.into_iter().filter(|&fd| self.watch(fd)).count() > 0
    }

    /// Ends that. To close the descriptor is not enough: a forked child may have it too.
    fn forget(&mut self, fd: i32) {
        if let Some(epoll) = &self.epoll {
            // SAFETY: a plain system call.
            unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// A new job, which nobody does yet.
    fn begin(&self, state: &mut State, thread: u64, dropped: bool) -> u64 {
        state.last += 1;
        state.jobs.insert(state.last, Job { answer: None, thread, dropped });
        self.open.fetch_add(1, Ordering::SeqCst);
        state.last
    }

    /// Starts an OS thread, if the system gives one.
    fn spawn(self: &Arc<Shared>, name: &str, run: fn(&Shared)) -> bool {
        let shared = self.clone();
        let builder = std::thread::Builder::new().name(name.into()).stack_size(STACK);
        let run = move || {
            // Signals are for the workers, but for those of a crash here.
            // SAFETY: a set for this OS thread.
            unsafe {
                let mut all: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&mut all);
                for (signal, _) in CRASHES {
                    libc::sigdelset(&mut all, signal);
                }
                libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
            }
            // A function of C that sleeps or polls is as exact here as on a worker.
            sharpen();
            run(&shared)
        };
        builder.spawn(run).is_ok()
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.waits.pop_front() {
                state.waiting += 1;
                self.taken.fetch_add(1, Ordering::Relaxed);
                state = self.run_job(state, job);
                state.waiting -= 1;
                continue;
            }
            if state.working < MOST
                && let Some(job) = state.works.pop_front()
            {
                state.working += 1;
                self.taken.fetch_add(1, Ordering::Relaxed);
                state = self.run_job(state, job);
                state.working -= 1;
                continue;
            }
            if state.naming < MOST_NAMES
                && let Some(job) = state.names.pop_front()
            {
                self.taken.fetch_add(1, Ordering::Relaxed);
                if state.is_unwanted(job.0) {
                    self.finish(&mut state, job.0, Answer::default());
                    self.tell();
                    continue;
                }
                state.naming += 1;
                state = self.run_job(state, job);
                state.naming -= 1;
                continue;
            }
            if state.looking == 0 && self.processors.are_free() {
                state.looking += 1;
                let seen = self.queued.load(Ordering::Acquire);
                drop(state);
                // A worker has run that has seen what is done.
                let is_seen = || !self.is_done.load(Ordering::Relaxed);
                self.for_work.look(|| self.queued.load(Ordering::Acquire) != seen, is_seen);
                state = self.lock();
                state.looking -= 1;
                // Also one that came behind the last look woke nobody.
                if self.queued.load(Ordering::Acquire) != seen {
                    continue;
                }
            }
            let (again, time) = self.work.wait_timeout(state, PATIENCE).unwrap_or_else(|e| e.into_inner());
            state = again;
            if time.timed_out() && state.may_begin() == 0 {
                state.threads -= 1;
                return;
            }
        }
    }

    /// Waits for descriptors, and does what is to be done then.
    fn watch(&self) {
        let mut state = self.lock();
        loop {
            let epoll = state.epoll.as_ref().map_or(-1, |fd| fd.as_raw_fd());
            drop(state);
            let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
            // SAFETY: the array has the room. The descriptor is not closed as long as this OS thread runs.
            let count = unsafe {
                libc::epoll_wait(epoll, events.as_mut_ptr(), events.len() as i32, PATIENCE.as_millis() as i32)
            };
            let has_failed = count < 0 && errno() != libc::EINTR;
            state = self.lock();
            if has_failed && !state.watch_anew() {
                drop(state);
                std::thread::sleep(AGAIN);
                state = self.lock();
            }
            for event in &events[..count.max(0) as usize] {
                let fd = event.u64 as i32;
                if let Some((open, id, work)) = state.watched.remove(&fd) {
                    state.forget(fd);
                    drop(open);
                    state = self.run_job(state, (id, work));
                }
            }
            if count == 0 && state.watched.is_empty() {
                state.is_watching = false;
                return;
            }
        }
    }

    /// Does it with the lock given back meanwhile.
    fn run_job<'a>(&'a self, state: MutexGuard<'a, State>, (id, work): (u64, Work)) -> MutexGuard<'a, State> {
        drop(state);
        let answer = work();
        self.finish(&mut self.lock(), id, answer);
        // Who is woken takes the lock.
        self.tell();
        self.lock()
    }

    /// A job is done: [`Shared::tell`] is called next.
    fn finish(&self, state: &mut State, id: u64, answer: Answer) {
        if let Some(job) = state.jobs.get_mut(&id) {
            job.answer = Some(answer);
        }
        state.done.push(id);
    }

    /// Tells a worker that a job is done.
    fn tell(&self) {
        // A worker that listens later sees it: each side writes before it reads.
        self.is_done.store(true, Ordering::SeqCst);
        if self.is_listening.load(Ordering::SeqCst) {
            self.io.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use leat_io::Backend;

    use super::*;

    /// As a worker does.
    fn wait(io: &Manager, pool: &Pool) {
        pool.look_for_done(|| false);
        if pool.listen() {
            io.wait(Some(1_000_000_000));
            pool.listen_no_more();
        }
    }

    #[test]
    fn jobs_run_beside_each_other_and_are_told_of_once() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let slow = pool.start(7, false, JobKind::Work, || {
            std::thread::sleep(Duration::from_millis(30));
            Answer { number: 1, text: b"slow".to_vec() }
        });
        let quick = pool.start(8, false, JobKind::Wait, || Answer { number: 2, text: Vec::new() });
        pool.start(9, true, JobKind::Work, Answer::default);
        let mut ready = Vec::new();
        while pool.is_busy() {
            wait(&io, &pool);
            pool.dispatch(|thread| {
                ready.push(thread);
                true
            });
        }
        ready.sort_unstable();
        assert_eq!(ready, [7, 8, 9]);
        assert_eq!(pool.take(slow).map(|a| a.number), Some(1));
        assert_eq!(pool.take(slow), None);
        assert_eq!(pool.take(quick).map(|a| a.number), Some(2));
        assert_eq!(pool.counts().1, 0);
    }

    fn wait_for_all(io: &Manager, pool: &Pool) {
        while pool.is_busy() {
            wait(io, pool);
            pool.dispatch(|_| true);
        }
    }

    /// 512 that waited filled the pool, and what would have ended their waits waited behind them.
    #[test]
    fn jobs_that_wait_keep_none_from_its_turn() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let (give, take) = std::sync::mpsc::channel::<i64>();
        let take = Arc::new(Mutex::new(take));
        let count = MOST + 60;
        let waits: Vec<u64> = (0..count)
            .map(|_| {
                let take = take.clone();
                pool.start(0, false, JobKind::Wait, move || {
                    let number = take.lock().unwrap().recv().unwrap();
                    Answer { number, text: Vec::new() }
                })
            })
            .collect();
        // More of those that end by themselves than run at once, the last of which ends the waits.
        for _ in 0..2 * MOST {
            pool.start(0, true, JobKind::Work, || {
                std::thread::yield_now();
                Answer::default()
            });
        }
        pool.start(0, true, JobKind::Work, move || {
            (0..count).for_each(|i| give.send(i as i64).unwrap());
            Answer::default()
        });
        wait_for_all(&io, &pool);
        let mut numbers: Vec<i64> = waits.iter().filter_map(|&id| pool.take(id)).map(|a| a.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..count as i64).collect::<Vec<_>>());
        assert_eq!((pool.counts().1, pool.counts().2), (0, 0));
    }

    /// The look-ups of names shared the places of all other work. Where no server of names answered each took its place
    /// for ten seconds, and no file was read; those that nobody waited for any more were done all the same.
    #[test]
    fn names_that_are_not_answered_hold_up_nothing_else() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let (answer, answers) = std::sync::mpsc::channel::<()>();
        let answers = Arc::new(Mutex::new(answers));
        let looked_up = Arc::new(AtomicUsize::new(0));
        let names: Vec<u64> = (0..MOST + 60)
            .map(|_| {
                let (answers, looked_up) = (answers.clone(), looked_up.clone());
                pool.start(0, false, JobKind::Name, move || {
                    let _ = answers.lock().unwrap().recv();
                    looked_up.fetch_add(1, Ordering::SeqCst);
                    Answer::default()
                })
            })
            .collect();
        let read = pool.start(7, false, JobKind::Work, || Answer { number: 1, text: Vec::new() });
        let mut ready = 0;
        while ready == 0 {
            wait(&io, &pool);
            pool.dispatch(|thread| {
                ready = thread;
                true
            });
        }
        assert_eq!((ready, pool.take(read).map(|a| a.number)), (7, Some(1)));
        // The last ones have not begun, whatever the order in which the system gave out its OS threads.
        names[MOST_NAMES..].iter().for_each(|&id| pool.drop_job(id));
        drop(answer);
        wait_for_all(&io, &pool);
        assert_eq!(looked_up.load(Ordering::SeqCst), MOST_NAMES);
        assert_eq!(names.iter().filter(|&&id| pool.take(id).is_some()).count(), MOST_NAMES);
        assert_eq!((pool.counts().1, pool.counts().2), (0, 0));
    }

    /// Jobs of any length, one behind the other and several at once: no wake-up is lost between looking and sleeping.
    #[test]
    fn no_end_of_a_job_is_missed() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let begin = Instant::now();
        let mut count = 0;
        for round in 0..4000_u64 {
            for _ in 0..1 + round % 3 {
                let micros = [0, 0, 5, 18, 20, 22, 40][(round % 7) as usize];
                pool.start(1, true, JobKind::Work, move || {
                    let begin = Instant::now();
                    while begin.elapsed() < Duration::from_micros(micros) {}
                    Answer::default()
                });
            }
            while pool.is_busy() {
                let before = Instant::now();
                wait(&io, &pool);
                // The wait itself ends after a second.
                assert!(before.elapsed() < Duration::from_millis(900), "round {round}");
                pool.dispatch(|_| {
                    count += 1;
                    true
                });
            }
        }
        assert_eq!(count, (0..4000).map(|round| 1 + round % 3).sum::<u64>());
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn those_that_could_run_are_counted() {
        assert_eq!(running("13.06 12.84 10.84 14/310 29174\n"), Some(14));
        assert_eq!(running("0.20 0.18 0.12"), None);
        assert_eq!(running(""), None);
        #[cfg(target_os = "linux")]
        assert!(running(&std::fs::read_to_string("/proc/loadavg").unwrap()).is_some_and(|count| count > 0));
    }

    #[test]
    fn who_looks_in_vain_looks_less_often() {
        let lookout = Lookout::new(FOR_WORK);
        // How many of so many occasions are more than one glance.
        let looks = |found: bool, runs: bool, occasions: u32| {
            let is_long = |_: &u32| {
                let glances = std::cell::Cell::new(0);
                let look = || {
                    glances.set(glances.get() + 1);
                    found && glances.get() > 1
                };
                lookout.look(look, || runs);
                glances.get() > 1
            };
            (0..occasions).filter(is_long).count()
        };
        // The first, and then after 1, 3, 7, .. 255 others: nine among 511 at most, and one of each 256 further ones.
        let count = looks(false, true, 511);
        assert!((2..=9).contains(&count), "{count}");
        lookout.learn(false, false);
        assert_eq!(looks(false, true, 255), 0);
        assert_eq!(looks(false, true, 256 * 3), 3);
        lookout.learn(true, true);
        // Without a processor for both, once is enough.
        assert_eq!(looks(false, false, 256), 1);
    }

    /// The number of the epoll has become another file's: each wait failed at once, without end.
    #[test]
    fn what_was_closed_behind_the_pool_is_made_anew() {
        let (reader, writer) = std::io::pipe().unwrap();
        let reader = Own::from(OwnedFd::from(reader));
        let fd = reader.as_raw_fd();
        let mut state = State::default();
        assert!(state.watch(fd));
        state.watched.insert(fd, (reader, 1, Box::new(Answer::default)));
        let lost = state.epoll.as_ref().unwrap().as_raw_fd();
        let null = std::fs::File::open("/dev/null").unwrap();
        // SAFETY: plain system calls, with room for an event; the copy keeps the number from other tests, and is
        // closed.
        unsafe {
            assert_eq!(libc::dup2(null.as_raw_fd(), lost), lost);
            assert!(state.watch_anew());
            drop(writer);
            let mut event = libc::epoll_event { events: 0, u64: 0 };
            let epoll = state.epoll.as_ref().unwrap().as_raw_fd();
            assert_eq!((libc::epoll_wait(epoll, &mut event, 1, -1), event.u64 as i32), (1, fd));
            assert_eq!(libc::close(lost), 0);
        }
    }

    #[test]
    fn one_thread_watches_all_descriptors() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let (mut writers, mut jobs) = (Vec::new(), Vec::new());
        for i in 0..100 {
            let (reader, writer) = std::io::pipe().unwrap();
            writers.push(writer);
            jobs.push(
                pool.start_when_readable(OwnedFd::from(reader).into(), move || Answer { number: i, text: Vec::new() }),
            );
        }
        assert!(pool.is_busy() && jobs.iter().all(|&id| pool.take(id).is_none()));
        // A pipe whose writer is closed can be read.
        drop(writers);
        wait_for_all(&io, &pool);
        let numbers: Vec<_> = jobs.iter().map(|&id| pool.take(id).map(|a| a.number)).collect();
        assert_eq!(numbers, (0..100).map(Some).collect::<Vec<_>>());
        assert_eq!(pool.counts(), (0, 0, 0));
    }
}
