//! How far a run is, on standard error: one line that is written over on a terminal, a line a row elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Progress {
    begin: Instant,
    /// Runs of programs that are left, and how long those took that have been.
    left: usize,
    ran: usize,
    spent: Duration,
    is_terminal: bool,
    shown: Option<Instant>,
}

impl Progress {
    pub fn new(runs: usize) -> Progress {
        let is_terminal = std::io::stderr().is_terminal();
        Progress { begin: Instant::now(), left: runs, ran: 0, spent: Duration::ZERO, is_terminal, shown: None }
    }

    /// A row begins.
    pub fn row(&mut self, row: &str, title: &str, place: usize, rows: usize) {
        self.say(&format!("[{place}/{rows}] {row}: {title}{}", self.estimate()));
    }

    /// What runs now.
    pub fn at(&mut self, what: &str) {
        if self.is_terminal && self.shown.is_none_or(|at| at.elapsed() > Duration::from_millis(100)) {
            self.shown = Some(Instant::now());
            eprint!("\r\x1b[K  {what}{}", self.estimate());
            let _ = std::io::stderr().flush();
        }
    }

    pub fn ran(&mut self, took: Duration) {
        self.spent += took;
        self.ran += 1;
        self.left = self.left.saturating_sub(1);
    }

    /// Runs that will not be.
    pub fn skip(&mut self, runs: usize) {
        self.left = self.left.saturating_sub(runs);
    }

    /// A line that stays.
    pub fn say(&mut self, line: &str) {
        if self.is_terminal {
            eprint!("\r\x1b[K");
        }
        eprintln!("{line}");
    }

    /// By the mean of all runs so far; builds are in the time that has passed, so they are in the mean too.
    fn estimate(&self) -> String {
        if self.ran == 0 {
            return String::new();
        }
        let each = self.begin.elapsed().as_secs_f64() / self.ran as f64;
        format!("  ({} of {} runs, about {} left)", self.ran, self.ran + self.left, span(each * self.left as f64))
    }
}

/// 90 s -> 1 min 30 s.
pub fn span(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) if m < 10 => format!("{m} min {s} s"),
        (0, m, _) => format!("{m} min"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}
