//! The list of all threads, for reports; the collector mends it.

use leat_abi::header::{WORD, prefetch};

/// Threads whose headers are asked for before they are looked at: with millions, they are in no cache.
const AHEAD: usize = 32;

/// All threads that have not been collected, so that a deadlock's report can name those that nothing refers to any
/// more. The references are weak: the collector mends the lists and keeps nothing alive for them.
#[derive(Default)]
pub struct AllThreads {
    /// Made since the last collection.
    young: Vec<u64>,
    old: Vec<u64>,
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
    pub fn after(&mut self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        if !minor {
            let all = self.old.len();
            let mut kept = 0;
            for i in 0..all {
                ask(&self.old, i);
                if let Some(now) = forward(self.old[i]) {
                    self.old[kept] = now;
                    kept += 1;
                }
            }
            self.old.truncate(kept);
        }
        for (i, &thread) in self.young.iter().enumerate() {
            ask(&self.young, i);
            self.old.extend(forward(thread));
        }
        self.young.clear();
    }

    /// In order of their making, as far as the lists know it.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.old.iter().chain(&self.young).copied()
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
        assert_eq!(all.iter().collect::<Vec<_>>(), [48]);
    }
}
