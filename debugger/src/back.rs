//! The probes that a thread has passed -> the one at which a step back ends.
//!
//! Of each frame that has not returned the last runs of probes on one line are kept, so memory is bounded by the depth
//! of the stack, however long the program runs.

use std::collections::VecDeque;

/// Runs that are kept for each frame: the one where the thread stands, and the one before.
const RUNS: usize = 3;

/// Probes of one frame that follow one another on one line.
#[derive(Clone, Copy, Debug)]
struct Run {
    file: u32,
    line: u32,
    last: u64,
}

#[derive(Debug)]
struct Level {
    /// Deeper frames have smaller numbers.
    place: usize,
    runs: VecDeque<Run>,
}

/// What is known of a thread's way so far.
#[derive(Default, Debug)]
pub struct Track {
    levels: Vec<Level>,
}

impl Track {
    /// The thread passes a probe of the frame at `place`; `count` is the probe's number.
    pub fn passed(&mut self, place: usize, file: u32, line: u32, is_entry: bool, count: u64) {
        while self.levels.last().is_some_and(|level| level.place < place) {
            self.levels.pop();
        }
        if self.levels.last().is_none_or(|level| level.place != place) {
            self.levels.push(Level { place, runs: VecDeque::new() });
        }
        let Some(level) = self.levels.last_mut() else { return };
        match level.runs.back_mut() {
            Some(run) if run.file == file && run.line == line && !is_entry => run.last = count,
            _ => {
                level.runs.push_back(Run { file, line, last: count });
                if level.runs.len() > RUNS {
                    level.runs.pop_front();
                }
            }
        }
    }

    /// The last probe of the line before, in this frame or in the one that called it. `is_here`: the thread stands at
    /// the probe that it passed last; else that one is the answer.
    pub fn before(&self, is_here: bool) -> Option<u64> {
        let mut runs = self.levels.iter().rev().flat_map(|level| level.runs.iter().rev());
        if is_here {
            runs.next();
        }
        runs.next().map(|run| run.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_goes_over_calls_and_out_of_functions() {
        let mut track = Track::default();
        track.passed(100, 0, 1, true, 1);
        track.passed(100, 0, 2, false, 2);
        assert_eq!(track.before(true), Some(1));
        // A function is called, and returns.
        track.passed(50, 0, 9, true, 3);
        assert_eq!(track.before(true), Some(2));
        track.passed(50, 0, 10, false, 4);
        track.passed(50, 0, 10, false, 5);
        assert_eq!(track.before(true), Some(3));
        track.passed(100, 0, 3, false, 6);
        assert_eq!(track.before(true), Some(2));
        assert_eq!(track.before(false), Some(6));
    }

    #[test]
    fn a_loop_by_tail_calls_is_gone_through_backwards() {
        let mut track = Track::default();
        for count in 1..1000 {
            track.passed(100, 0, 1, true, count);
        }
        assert_eq!(track.before(true), Some(998));
        assert_eq!(track.levels[0].runs.len(), RUNS);
        assert_eq!(Track::default().before(true), None);
    }
}
