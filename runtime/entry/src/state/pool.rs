//! The pool: calls of the system that no poller tells of, on OS threads of their own -> results, and threads made
//! ready.
//!
//! A job works on its own memory only: nothing of the heap, which may be collected meanwhile. Its number finds it; its
//! result stays until it is taken. There are three kinds:
//!
//! - [`JobKind::Work`] ends by itself, like the look-up of a name. At most [`MOST`] run at once; others wait for their
//!   turn.
//! - [`JobKind::Wait`] ends when another program, or another job, does something, like the open of a FIFO. None waits
//!   for the end of another, or both might wait for ever: each has an OS thread at once. When the system gives none,
//!   the job is refused with EAGAIN.
//! - One that is done when a descriptor can be read, like the end of a child: one OS thread watches all of them
//!   ([`Pool::start_when_readable`]).
//!
//! OS threads end when they had nothing to do for some seconds. If the system gives none at all, the caller of
//! [`Pool::start`] does the job.

use std::collections::{HashMap, VecDeque};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use leat_io::Manager;

use crate::state::os_thread::CRASHES;

/// Jobs of the kind `Work` that run at once.
const MOST: usize = 512;

/// Without work for so long, an OS thread ends.
const PATIENCE: Duration = Duration::from_secs(5);

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
    waits: VecDeque<(u64, Work)>,
    /// OS threads that do a job, by its kind.
    working: usize,
    waiting: usize,
    /// Jobs done, whose threads are to be made ready.
    done: Vec<u64>,
    threads: usize,
    /// Jobs that are done when their descriptor can be read, by the descriptor.
    watched: HashMap<i32, (OwnedFd, u64, Work)>,
    /// Where the descriptors are watched, and whether an OS thread does so.
    epoll: Option<OwnedFd>,
    is_watching: bool,
}

struct Shared {
    io: Arc<Manager>,
    state: Mutex<State>,
    work: Condvar,
    /// Jobs that are not done, or whose threads were not made ready.
    open: AtomicUsize,
    is_done: AtomicBool,
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
            open: AtomicUsize::new(0),
            is_done: AtomicBool::new(false),
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
            } else if state.threads == 0 || kind == JobKind::Work && state.threads == state.waiting + state.waits.len()
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
                }
                return id;
            }
        }
        drop(state);
        self.shared.work.notify_one();
        id
    }

    /// Begins a job that is done, in no time, when the descriptor can be read. Where none can be watched it is one of
    /// the kind `Wait`, since `work` waits for the same.
    pub fn start_when_readable(&self, fd: OwnedFd, work: impl FnOnce() -> Answer + Send + 'static) -> u64 {
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

    /// Runs `fork`, which tells whether this is the child: there, no OS thread of the pool is left, and no job.
    pub fn around_fork(&self, fork: impl FnOnce() -> bool) {
        let mut state = self.shared.lock();
        if fork() {
            *state = State { last: state.last, ..State::default() };
            self.shared.open.store(0, Ordering::SeqCst);
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
        (state.threads, state.jobs.len(), state.works.len() + state.waits.len())
    }
}

impl State {
    fn queue(&mut self, kind: JobKind) -> &mut VecDeque<(u64, Work)> {
        match kind {
            JobKind::Work => &mut self.works,
            JobKind::Wait => &mut self.waits,
        }
    }

    /// Whether a job may begin, and the OS threads that have none are too few for those that may.
    fn wants_thread(&self) -> bool {
        let without = self.threads - self.working - self.waiting;
        self.waits.len() + self.works.len().min(MOST - self.working) > without
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
                self.epoll = Some(OwnedFd::from_raw_fd(epoll));
            }
            let epoll = self.epoll.as_ref().map_or(-1, |fd| fd.as_raw_fd());
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: fd as u64 };
            libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) == 0
        }
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
            run(&shared)
        };
        builder.spawn(run).is_ok()
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.waits.pop_front() {
                state.waiting += 1;
                state = self.run_job(state, job);
                state.waiting -= 1;
                continue;
            }
            if state.working < MOST
                && let Some(job) = state.works.pop_front()
            {
                state.working += 1;
                state = self.run_job(state, job);
                state.working -= 1;
                continue;
            }
            let (again, time) = self.work.wait_timeout(state, PATIENCE).unwrap_or_else(|e| e.into_inner());
            state = again;
            if time.timed_out() && state.waits.is_empty() && (state.works.is_empty() || state.working >= MOST) {
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
            state = self.lock();
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
        let mut state = self.lock();
        self.finish(&mut state, id, answer);
        state
    }

    /// A job is done.
    fn finish(&self, state: &mut State, id: u64, answer: Answer) {
        if let Some(job) = state.jobs.get_mut(&id) {
            job.answer = Some(answer);
        }
        state.done.push(id);
        self.is_done.store(true, Ordering::Release);
        self.io.wake();
    }
}

#[cfg(test)]
mod tests {
    use leat_io::Backend;

    use super::*;

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
            io.wait(Some(1_000_000_000));
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
            io.wait(Some(1_000_000_000));
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

    #[test]
    fn one_thread_watches_all_descriptors() {
        let io = Arc::new(Manager::new(Backend::Native));
        let pool = Pool::new(io.clone());
        let (mut writers, mut jobs) = (Vec::new(), Vec::new());
        for i in 0..100 {
            let (reader, writer) = std::io::pipe().unwrap();
            writers.push(writer);
            jobs.push(pool.start_when_readable(reader.into(), move || Answer { number: i, text: Vec::new() }));
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
