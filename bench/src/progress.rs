//! How far a run is, on standard error: one line that is written over on a terminal, a line a row elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

pub struct Progress {
    begin: Instant,
    /// Runs of programs that are left, and how many have been.
    left: usize,
    ran: usize,
    is_terminal: bool,
    shown: Option<Instant>,
}

impl Progress {
    /// So many runs of programs will be.
    pub fn new(runs: usize) -> Progress {
        let is_terminal = std::io::stderr().is_terminal();
        Progress { begin: Instant::now(), left: runs, ran: 0, is_terminal, shown: None }
    }

    /// A row begins.
    pub fn row(&mut self, row: &str, title: &str, place: usize, rows: usize) {
        self.say(&format!("[{place}/{rows}] {row}: {title}{}", self.estimate()));
    }

    /// What runs now.
    pub fn at(&mut self, what: &str) {
        if self.shown.is_none_or(|at| at.elapsed() > Duration::from_millis(100)) {
            self.now(what);
        }
    }

    /// What may take long, and is shown however short the last one was.
    pub fn now(&mut self, what: &str) {
        if self.is_terminal {
            self.shown = Some(Instant::now());
            tell!("\r\x1b[K{}", cut(&format!("  {what}{}", self.estimate()), width()));
        }
    }

    pub fn ran(&mut self) {
        self.ran += 1;
        self.left = self.left.saturating_sub(1);
    }

    /// Runs that will not be.
    pub fn skip(&mut self, runs: usize) {
        self.left = self.left.saturating_sub(runs);
    }

    /// A line that stays.
    pub fn say(&mut self, line: &str) {
        self.clear();
        tell!("{line}\n");
    }

    /// Nothing runs now: the line that says so is gone.
    pub fn clear(&mut self) {
        if self.is_terminal {
            tell!("\r\x1b[K");
        }
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

/// Columns of the terminal; it may have another width now than a moment ago.
fn width() -> usize {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ writes into the structure that it is given.
    let known = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &mut size) } == 0;
    if known && size.ws_col > 0 { usize::from(size.ws_col) } else { 80 }
}

/// A line that is longer than the terminal is wide goes on in the next one, where `\r` does not erase it.
fn cut(line: &str, width: usize) -> String {
    let room = width.saturating_sub(1);
    if line.chars().count() <= room {
        return line.to_string();
    }
    line.chars().take(room.saturating_sub(1)).chain(['…']).take(room).collect()
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

#[cfg(test)]
mod tests {
    /// On a terminal of 40 columns each line of progress was two lines long, and stayed.
    #[test]
    fn a_line_is_no_wider_than_the_terminal() {
        let line = "  E1 leat threads, 2 workers at 83898  (17 of 900 runs, about 2 h 3 min left)";
        assert_eq!(
            super::cut(line, 40),
            "  E1 leat threads, 2 workers at 83898  …".chars().take(38).chain(['…']).collect::<String>()
        );
        assert_eq!(super::cut(line, 200), line);
        assert_eq!(super::cut("äöü", 1), "");
    }
}
