//! The last exceptions that were raised, each with its trace.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

/// Exceptions that are kept.
const KEPT: usize = 16;

/// The last exceptions of a program, the latest last.
#[derive(Default)]
pub struct History {
    entries: Mutex<VecDeque<Entry>>,
}

struct Entry {
    /// Root.
    packet: u64,
    /// A line for each frame.
    trace: String,
    /// Noted before its `raise`, whose handler may not have been looked for yet.
    announced: bool,
}

impl History {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The packets that are kept: roots.
    pub fn roots(&self, visit: &mut impl FnMut(*mut u64)) {
        self.lock().iter_mut().for_each(|entry| visit(&mut entry.packet));
    }

    /// Adds an exception; the oldest one makes room for it.
    pub fn add(&self, packet: u64, trace: String, announced: bool) {
        let mut entries = self.lock();
        if entries.len() == KEPT {
            entries.pop_front();
        }
        entries.push_back(Entry { packet, trace, announced });
    }

    /// The `raise` of this packet is about to happen again; false when it is not among those that are kept.
    pub fn announce_again(&self, packet: u64, announced: bool) -> bool {
        let mut entries = self.lock();
        let known = entries.iter_mut().rev().find(|entry| entry.packet == packet);
        known.is_some_and(|known| {
            known.announced = announced;
            true
        })
    }

    /// Whether the packet was noted before its `raise`; the next one of it is to be noted anew.
    pub fn was_announced(&self, packet: u64) -> bool {
        let mut entries = self.lock();
        entries
            .iter_mut()
            .rev()
            .find(|entry| entry.packet == packet)
            .is_some_and(|last| std::mem::take(&mut last.announced))
    }

    /// The trace of a packet, if it is kept.
    pub fn trace(&self, packet: u64) -> Option<String> {
        self.lock().iter().rev().find(|entry| entry.packet == packet).map(|entry| entry.trace.clone())
    }
}
