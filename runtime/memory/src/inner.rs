//! What a heap consists of, seen by all of its parts: collections take it apart, [`crate::Heap`] guards it with a lock.

use crate::blocks::{Blocks, Target};
use crate::config::{Collection, Config, OutOfMemory, Refusal, Stats};
use crate::cycle::Cycle;
use crate::large::Large;
use crate::policy::{LEAST, Policy};
use crate::remembered::{Worker, Young};
use crate::space::{PAGE, Space};

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
    /// Address space is limited: the reservation may be used up before the memory.
    pub is_narrow: bool,
    /// The last collection has found the heap full.
    pub was_full: bool,
    pub stats: Stats,
    pub config: Config,
}

/// Bytes of addresses that what survives of a byte of nursery takes at worst: an object of a little more than a block
/// takes two, small ones leave a third of an overflow block; the rest is for the blocks at hand.
const WORST: usize = 3;
/// Bytes of free blocks that they take at worst: small objects lie nowhere else, an overflow block of theirs loses a
/// third, and two blocks are at hand.
const WORST_IN_BLOCKS: usize = 2;

/// A nursery may be so many times smaller than it would be, for the sake of pages that free runs keep.
const WORTH_PAGES: usize = 4;

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

    /// Addresses where objects of any size have room when they are promoted: what was never used, and what will be
    /// filled of long runs and rows. As soon as there are `enough`, no more is looked for; unless there are `least`,
    /// free runs give their pages back for the sake of longer ones.
    fn open_bytes(&mut self, enough: usize, least: usize) -> usize {
        if !self.is_narrow {
            return usize::MAX;
        }
        let bytes = |inner: &Inner| inner.large.rest() + inner.blocks.rest() + inner.large.long_runs() / 2;
        if bytes(self) >= enough {
            return bytes(self);
        }
        let rows = self.blocks.long_rows() / 2;
        if bytes(self) + rows < least {
            self.large.gather();
        }
        bytes(self) + rows
    }

    /// As [`Inner::open_bytes`], but no more than what survives can take if all of it lies in blocks.
    fn open_for_survivors(&mut self, enough: usize, least: usize) -> usize {
        let open = self.open_bytes(enough, least);
        if self.is_narrow { open.min(self.blocks.free_bytes() / WORST_IN_BLOCKS * WORST) } else { open }
    }

    /// How many nurseries there are: as many as workers that have not stayed behind a fork.
    pub fn nurseries(&self) -> usize {
        self.workers.iter().filter(|worker| !worker.is_gone).count()
    }

    /// Bytes of all nurseries.
    pub fn nursery_bytes(&self) -> usize {
        self.workers.iter().map(|worker| worker.end - worker.base).sum()
    }

    /// Whether what survives of all nurseries has room even when they are larger by so many bytes (G14).
    pub fn has_room_for(&mut self, more: usize) -> bool {
        let enough = WORST * (self.nursery_bytes() + more);
        self.open_for_survivors(enough, enough) >= enough
    }

    /// Whether it has room even when a large object takes so many bytes.
    fn has_addresses(&mut self, bytes: usize) -> bool {
        if !self.is_narrow || self.large.has_short_run(bytes, self.config.align) {
            return true;
        }
        let enough = WORST * self.nursery_bytes() + bytes.next_multiple_of(PAGE) + PAGE;
        self.open_bytes(enough, enough) >= enough
    }

    /// So many bytes each of so many nurseries may have, for the sake of what survives: half of the addresses are left
    /// to large objects. May be less than nurseries have at least.
    pub fn most_nursery(&mut self, workers: usize) -> usize {
        let parts = 2 * WORST * workers.max(1);
        let enough = self.policy.nursery().saturating_mul(parts);
        // Pages that large objects would take again are worth more than a nursery of the full size.
        self.open_for_survivors(enough, enough / WORTH_PAGES) / parts
    }

    /// Next to no addresses are left: for `rounds` collections of the smallest nurseries.
    pub fn is_cramped(&mut self, rounds: usize) -> bool {
        let enough = rounds * WORST * LEAST * self.nurseries();
        self.open_for_survivors(enough, enough) < enough
    }

    /// Room for a large object.
    pub fn take_large(&mut self, bytes: usize, tried: Option<Collection>) -> Result<(usize, bool), Refusal> {
        let refuse = |inner: &mut Inner| match tried {
            Some(Collection::Full) => Refusal::OutOfMemory(inner.out_of_memory(bytes)),
            _ => Refusal::Collect(Collection::Full),
        };
        if self.used().saturating_add(bytes)
            > self.policy.old_limit(self.used().saturating_add(bytes), self.nurseries())
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
        if !self.has_addresses(bytes) {
            return Err(refuse(self));
        }
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
