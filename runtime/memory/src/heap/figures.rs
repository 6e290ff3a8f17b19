//! What is told about the heap, and what can be set while the program runs.

use leat_abi::tcb::Tcb;

use super::{Heap, MOST_HEAP};
use crate::config::Stats;
use crate::remembered::Worker;
use crate::space;

impl Heap {
    /// Figures. With `tcb`, its nursery's current fill counts as allocated.
    pub fn stats(&self, tcb: Option<&Tcb>) -> Stats {
        let mut inner = self.lock();
        inner.note_heap();
        let mut stats = inner.stats;
        if let Some(tcb) = tcb.filter(|tcb| tcb.memory != 0) {
            // SAFETY: the caller's own block; only the base is read.
            stats.allocated += (tcb.alloc - unsafe { (*(tcb.memory as *const Worker)).base }) as u64;
        }
        stats.by_runtime = inner.workers.iter().map(|w| w.by_runtime as u64).sum();
        stats.nursery = inner.policy.nursery();
        stats.heap_max = inner.policy.known_limit();
        stats
    }

    /// Fixes the nursery's size from the next collection on; None: adaptive again.
    pub fn set_nursery(&self, bytes: Option<usize>) {
        self.lock().policy.set_nursery(bytes);
    }

    /// What deep stacks take, which counts in the limit.
    pub fn set_stacks(&self, bytes: usize) {
        self.lock().policy.set_stacks(bytes);
    }

    /// What a deep stack may take beside the heap and its nurseries as they are, all deep stacks together.
    pub fn room_for_stacks(&self) -> usize {
        let mut inner = self.lock();
        let limit = inner.policy.whole_limit(usize::MAX);
        limit.saturating_sub(inner.used() + inner.nursery_bytes())
    }

    /// Sets the limit, in bytes; None: that of the container or machine.
    pub fn set_heap_max(&self, bytes: Option<usize>) {
        let mut inner = self.lock();
        let room = inner.space.heap_room();
        let is_short = room < space::physical().min(MOST_HEAP);
        inner.policy.set_heap_max(if is_short { Some(bytes.unwrap_or(room).min(room)) } else { bytes });
    }

    /// How many nanoseconds a collection may take, as a goal, from now on; None: each one does all of its work at once.
    pub fn set_pause(&self, goal: Option<u64>) {
        self.lock().policy.set_pause(goal);
    }

    /// Thousandths of what lives that the heap may have, from now on; None: as is worth it.
    pub fn set_spend(&self, thousandths: Option<usize>) {
        self.lock().policy.set_spend(thousandths);
    }

    /// Bytes that the heap is to have at most, from now on, as long as that can be had by collecting more often; None:
    /// no such limit.
    pub fn set_soft(&self, bytes: Option<usize>) {
        self.lock().policy.set_soft(bytes);
    }

    /// Lines on stderr for each collection, from now on.
    pub fn set_log(&self, on: bool) {
        self.lock().config.log = on;
    }
}
