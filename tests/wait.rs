//! A child's end, waited for with patience.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// How a child ends. None: it had not ended in time, and was killed.
pub fn end_within(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        // A short one is seen soon, and a long one costs little.
        std::thread::sleep((start.elapsed() / 20).clamp(Duration::from_millis(1), Duration::from_millis(20)));
    }
}
