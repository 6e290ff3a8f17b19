//! The last exceptions that were raised, each with its trace.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use leat_abi::code::{CodeTable, Site};

/// Exceptions that are kept.
const KEPT: usize = 16;

/// Frames that are kept of a trace's young and of its old end. A frame is one place, or several where functions were
/// inlined.
pub const YOUNGEST: usize = 20;
pub const OLDEST: usize = 10;

/// The code that a frame stands in.
pub type Standing = (&'static CodeTable, &'static Site);

/// Where an exception was raised, from the `raise` outwards: what a walk over the frames has to note, and no more, for
/// as a rule nobody asks.
#[derive(Clone, Default)]
pub struct Trace {
    youngest: Vec<Standing>,
    /// The last ones after the youngest.
    oldest: VecDeque<Standing>,
    /// How many places stand in the frames between them.
    between: usize,
    /// The walk was given up before the stack's end.
    pub goes_on: bool,
}

impl Trace {
    /// The next frame outwards.
    pub fn add(&mut self, frame: Standing) {
        if self.youngest.len() < YOUNGEST {
            self.youngest.push(frame);
            return;
        }
        if self.oldest.len() == OLDEST
            && let Some(left_out) = self.oldest.pop_front()
        {
            self.between += places(left_out);
        }
        self.oldest.push_back(frame);
    }

    /// The frames of the young end, those of the old end, and the number of places between them.
    pub fn ends(&self) -> (impl Iterator<Item = Standing>, impl Iterator<Item = Standing>, usize) {
        (self.youngest.iter().copied(), self.oldest.iter().copied(), self.between)
    }
}

fn places((table, site): Standing) -> usize {
    match site.inlined {
        0 => 1,
        _ => {
            let mut count = 0;
            table.each_place(site, |_, _, _| count += 1);
            count
        }
    }
}

/// The last exceptions of a program, the latest last.
#[derive(Default)]
pub struct History {
    entries: Mutex<VecDeque<Entry>>,
}

struct Entry {
    /// Root.
    packet: u64,
    trace: Trace,
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
    pub fn add(&self, packet: u64, trace: Trace, announced: bool) {
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
    pub fn trace(&self, packet: u64) -> Option<Trace> {
        self.lock().iter().rev().find(|entry| entry.packet == packet).map(|entry| entry.trace.clone())
    }
}
