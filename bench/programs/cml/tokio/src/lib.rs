//! What both programs need: the argument, a runtime of one worker, figures.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// The last word of the command line.
pub fn argument() -> usize {
    std::env::args().last().and_then(|word| word.parse().ok()).expect("a number")
}

/// Runs it on one worker.
pub fn run(main: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(main);
}

/// How many tasks have come so far.
#[derive(Default)]
pub struct Count(AtomicUsize);

impl Count {
    /// One more; there is one worker.
    pub fn add(&self) -> usize {
        let count = self.0.load(Relaxed) + 1;
        self.0.store(count, Relaxed);
        count
    }

    /// Lets the tasks run until so many have come.
    pub async fn reaches(&self, count: usize) {
        while self.0.load(Relaxed) < count {
            tokio::task::yield_now().await;
        }
    }
}

/// Nanoseconds of each spawn, and of all with the time that it took until all tasks were suspended: `tokio::spawn` only
/// puts a task into a queue.
pub struct Spawns {
    begin: Instant,
    last: Instant,
    each: Vec<u64>,
}

impl Spawns {
    pub fn new(count: usize) -> Spawns {
        let now = Instant::now();
        Spawns { begin: now, last: now, each: Vec::with_capacity(count) }
    }

    pub fn next(&mut self) {
        let now = Instant::now();
        self.each.push((now - self.last).as_nanos() as u64);
        self.last = now;
    }

    /// All are suspended.
    pub fn print(mut self) {
        let all = self.begin.elapsed().as_nanos() as f64;
        println!("spawn-mean {:.1}", all / self.each.len() as f64);
        println!("spawn-p99 {}", percentile(99, &mut self.each));
    }
}

/// The value that so many per cent do not exceed.
pub fn percentile(percent: usize, values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values[(values.len() * percent / 100).min(values.len() - 1)]
}
