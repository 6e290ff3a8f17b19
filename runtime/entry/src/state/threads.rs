//! The list of all threads, for reports; the collector mends it.

/// All threads that have not been collected, so that a deadlock's report can name those that nothing refers to any more.
/// The references are weak: the collector mends the lists and keeps nothing alive for them.
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
            self.old.retain_mut(|thread| match forward(*thread) {
                Some(now) => {
                    *thread = now;
                    true
                }
                None => false,
            });
        }
        self.old.extend(self.young.drain(..).filter_map(forward));
    }

    /// In order of their making, as far as the lists know it.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.old.iter().chain(&self.young).copied()
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
