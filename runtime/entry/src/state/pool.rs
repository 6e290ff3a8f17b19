//! The pool: calls of the system that no poller tells of, on OS threads of their own -> results, and threads made ready.
//!
//! A job works on its own memory only: nothing of the heap, which may be collected meanwhile. Its number finds it; its result
//! stays until it is taken. The OS threads are started when there is more to do than there are threads without work, and end
//! when they had none for some seconds: children and name servers may take any time, so there may be many. If the system gives
//! none at all, the caller of [`Pool::start`] does the job.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use leat_io::Manager;

/// OS threads at most.
const MOST: usize = 512;

/// Without work for so long, an OS thread ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// A number (below 0: a negated error number), and a text.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub number: i64,
    pub text: Vec<u8>,
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
    queue: VecDeque<(u64, Work)>,
    /// Jobs done, whose threads are to be made ready.
    done: Vec<u64>,
    threads: usize,
    without_work: usize,
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
    pub fn start(&self, thread: u64, dropped: bool, work: impl FnOnce() -> Answer + Send + 'static) -> u64 {
        let mut state = self.shared.lock();
        state.last += 1;
        let id = state.last;
        state.jobs.insert(id, Job { answer: None, thread, dropped });
        state.queue.push_back((id, Box::new(work)));
        self.shared.open.fetch_add(1, Ordering::SeqCst);
        if state.queue.len() > state.without_work && state.threads < MOST {
            let shared = self.shared.clone();
            let builder = std::thread::Builder::new().name("pool".into()).stack_size(256 << 10);
            if builder.spawn(move || shared.run()).is_ok() {
                state.threads += 1;
            } else if state.threads == 0 {
                // No OS thread is left for the pool: the caller's does it, and its threads wait.
                while let Some(job) = state.queue.pop_front() {
                    state = self.shared.run_job(state, job);
                }
                return id;
            }
        }
        drop(state);
        self.shared.work.notify_one();
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

    /// OS threads, and jobs that nobody has taken the answer of: for tests.
    pub fn counts(&self) -> (usize, usize) {
        let state = self.shared.lock();
        (state.threads, state.jobs.len())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn run(&self) {
        // Signals are for the workers.
        // SAFETY: a full set for this OS thread.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
        }
        let mut state = self.lock();
        loop {
            let Some(job) = state.queue.pop_front() else {
                state.without_work += 1;
                let (again, time) = self.work.wait_timeout(state, PATIENCE).unwrap_or_else(|e| e.into_inner());
                state = again;
                state.without_work -= 1;
                if time.timed_out() && state.queue.is_empty() {
                    state.threads -= 1;
                    return;
                }
                continue;
            };
            state = self.run_job(state, job);
        }
    }

    /// Does it with the lock given back meanwhile.
    fn run_job<'a>(&'a self, state: MutexGuard<'a, State>, (id, work): (u64, Work)) -> MutexGuard<'a, State> {
        drop(state);
        let answer = work();
        let mut state = self.lock();
        if let Some(job) = state.jobs.get_mut(&id) {
            job.answer = Some(answer);
        }
        state.done.push(id);
        self.is_done.store(true, Ordering::Release);
        self.io.wake();
        state
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
        let slow = pool.start(7, false, || {
            std::thread::sleep(Duration::from_millis(30));
            Answer { number: 1, text: b"slow".to_vec() }
        });
        let quick = pool.start(8, false, || Answer { number: 2, text: Vec::new() });
        pool.start(9, true, Answer::default);
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
}
