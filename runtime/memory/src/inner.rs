//! What a heap consists of, seen by all of its parts: collections take it apart, [`crate::Heap`] guards it with a lock.

use crate::blocks::{Blocks, Target};
use crate::config::{Collection, Config, OutOfMemory, Refusal, Stats};
use crate::cycle::Cycle;
use crate::large::Large;
use crate::policy::Policy;
use crate::remembered::{Worker, Young};
use crate::space::Space;

/// What all workers share: touched under the heap's lock.
pub(crate) struct Inner {
    pub space: Space,
    pub young: Young,
    pub blocks: Blocks,
    pub large: Large,
    /// Where the next minor collection goes on copying to.
    pub target: Target,
    /// The marking that is under way, if one is made in slices.
    pub cycle: Cycle,
    /// There is a thread that marks beside the program.
    pub has_marker: bool,
    /// What `M` means: the bit as live objects have it.
    pub sense: u64,
    /// Each stays where it is when others come.
    #[allow(clippy::vec_box)]
    pub workers: Vec<Box<Worker>>,
    /// See [`crate::Heap::keep_apart`].
    pub apart: bool,
    pub policy: Policy,
    /// The last collection has found the heap full.
    pub was_full: bool,
    pub stats: Stats,
    pub config: Config,
}

/// Words of dead memory in verify and stress mode. Even, so it is no header; no address either.
const POISON: u64 = 0xdead_dead_dead_dea8;

impl Inner {
    /// What dead memory is overwritten with, if at all.
    pub fn poison(&self) -> Option<u64> {
        (self.config.verify || self.config.stress.is_some()).then_some(POISON)
    }

    /// Bytes that the old generation occupies.
    pub fn used(&self) -> usize {
        self.blocks.used_bytes() + self.large.used_bytes()
    }

    pub fn out_of_memory(&mut self, wanted: usize) -> OutOfMemory {
        let used = self.used();
        let limit = self.policy.whole_limit(usize::MAX);
        OutOfMemory { wanted, used: used + self.policy.stacks(), limit, is_last: false }
    }

    /// Room for a large object.
    pub fn take_large(&mut self, bytes: usize, tried: Option<Collection>) -> Result<(usize, bool), Refusal> {
        let refuse = |inner: &mut Inner| match tried {
            Some(Collection::Full) => Refusal::OutOfMemory(inner.out_of_memory(bytes)),
            _ => Refusal::Collect(Collection::Full),
        };
        if self.used().saturating_add(bytes)
            > self.policy.old_limit(self.used().saturating_add(bytes), self.workers.len())
        {
            return Err(refuse(self));
        }
        if tried.is_none() && self.is_sliced() {
            if self.wants_slice(bytes) {
                return Err(Refusal::Collect(Collection::Minor));
            }
        } else if tried.is_none() && self.policy.is_major_due(self.stats.live + bytes) {
            return Err(Refusal::Collect(Collection::Major));
        }
        // What is dead may lie between two free runs.
        let Some(room) = self.large.take(bytes, self.config.align) else { return Err(refuse(self)) };
        self.stats.live += bytes;
        self.stats.allocated += bytes as u64;
        if self.is_sliced() {
            self.cycle.debt += bytes;
        }
        Ok(room)
    }

    /// Brings the figures of the heap's size up to date.
    pub fn note_heap(&mut self) {
        let nurseries: usize = self.workers.iter().map(|w| w.committed_bytes()).sum();
        self.stats.heap = self.blocks.committed_bytes() + self.large.committed_bytes() + nurseries;
        self.stats.peak = self.stats.peak.max(self.stats.heap);
    }
}
