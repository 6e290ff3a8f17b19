//! The list of all threads, for reports; the collector mends it.

use leat_abi::header::{WORD, prefetch};

/// Threads whose headers are asked for before they are looked at: with millions, they are in no cache.
const AHEAD: usize = 32;

/// All threads that have not been collected, so that a deadlock's report can name those that nothing refers to any
/// more. The references are weak: the collector mends the lists and keeps nothing alive for them.
///
/// After a marking the old list may be mended in portions, so that a million threads are no long pause:
///
/// ```text
///   old: [ mended | left over | not looked at yet | what became old meanwhile, and lives ]
///                 ^ kept      ^ at                ^ end
/// ```
#[derive(Default)]
pub struct AllThreads {
    /// Made since the last collection.
    young: Vec<u64>,
    old: Vec<u64>,
    /// The old list is being mended.
    mending: Option<Mending>,
}

#[derive(Clone, Copy)]
struct Mending {
    kept: usize,
    at: usize,
    end: usize,
}

impl AllThreads {
    pub fn add(&mut self, thread: u64) {
        self.young.push(thread);
    }

    /// Takes what a worker has noted since the last collection.
    pub fn gather(&mut self, made: &mut Vec<u64>) {
        self.young.append(made);
    }

    /// Mends the lists after a collection; a minor one moves nothing that is old, and makes all that is young old.
    /// After a marking the old list is mended by [`mend`](AllThreads::mend).
    pub fn after(&mut self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        if !minor {
            debug_assert!(self.mending.is_none(), "the list was mended before the next marking ended");
            self.mending = Some(Mending { kept: 0, at: 0, end: self.old.len() });
        }
        for (i, &thread) in self.young.iter().enumerate() {
            ask(&self.young, i);
            self.old.extend(forward(thread));
        }
        self.young.clear();
    }

    /// Mends so many entries at most. Gives how many are left.
    pub fn mend(&mut self, most: usize, forward: &impl Fn(u64) -> Option<u64>) -> usize {
        let Some(Mending { mut kept, at, end }) = self.mending else { return 0 };
        let stop = end.min(at.saturating_add(most));
        for i in at..stop {
            ask(&self.old, i);
            if let Some(now) = forward(self.old[i]) {
                self.old[kept] = now;
                kept += 1;
            }
        }
        self.mending = (stop < end).then_some(Mending { kept, at: stop, end });
        if stop == end {
            self.old.drain(kept..end);
        }
        end - stop
    }

    /// In order of their making, as far as the lists know it.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let Mending { kept, at, .. } = self.mending.unwrap_or(Mending { kept: 0, at: 0, end: 0 });
        self.old[..kept].iter().chain(&self.old[at..]).chain(&self.young).copied()
    }
}

/// Asks for the header of a thread that comes some places behind this one in a list.
#[inline(always)]
fn ask(list: &[u64], at: usize) {
    if let Some(&thread) = list.get(at + AHEAD) {
        prefetch(thread - WORD as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_threads_follows_the_collector() {
        let mut all = AllThreads::default();
        all.add(8);
        all.add(16);
        all.after(true, &|thread| (thread != 8).then_some(thread + 1000));
        all.add(24);
        assert_eq!(all.iter().collect::<Vec<_>>(), [1016, 24]);
        all.after(true, &|thread| {
            if thread == 1016 { panic!("a minor collection asks for the young only") } else { Some(thread) }
        });
        all.after(false, &|thread| (thread == 24).then_some(48));
        assert_eq!(all.mend(usize::MAX, &|thread| (thread == 24).then_some(48)), 0);
        assert_eq!(all.iter().collect::<Vec<_>>(), [48]);
    }

    /// In portions of each size, with threads that are made meanwhile: in between each one that lives is in the list,
    /// once.
    #[test]
    fn the_list_is_mended_in_portions() {
        let lives = |thread: u64| !thread.is_multiple_of(24);
        for portion in [1, 2, 7, 100] {
            let mut all = AllThreads::default();
            let mut living: Vec<u64> = (1..=40).map(|i| i * 8).collect();
            living.iter().for_each(|&thread| all.add(thread));
            all.after(true, &Some);
            all.after(false, &Some);
            living.retain(|&thread| lives(thread));
            let (mut left, mut next) = (usize::MAX, 1_000);
            while left > 0 {
                left = all.mend(portion, &|thread| lives(thread).then_some(thread));
                next += 8 + 8 * (next % 3);
                let new = if lives(next) { next } else { next + 8 };
                all.add(new);
                living.push(new);
                all.after(true, &Some);
                let now: Vec<u64> = all.iter().filter(|&thread| lives(thread)).collect();
                assert_eq!(now, living, "in portions of {portion}");
                assert!(next < 10_000, "it comes to an end");
            }
            // What was made after the end is there, too, and nothing that is dead.
            assert_eq!(all.iter().collect::<Vec<_>>(), living);
            assert_eq!(all.mend(1, &|_| panic!("nothing is left")), 0);
        }
    }
}
