//! Exceptions that were raised, each with its trace, or its ways to handlers that raise it again, for as long as it
//! lives.

use std::collections::{TryReserveError, VecDeque};
use std::sync::{Mutex, MutexGuard};

use leat_abi::code::{CodeTable, Site};
use rustc_hash::FxHashMap;

/// Exceptions that are noted between two collections, about. What is kept of one takes some 200 bytes, outside of the
/// heap.
const MANY: usize = 4096;

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

    /// The same, if there is memory: an exception may be raised because there is none.
    pub fn try_add(&mut self, frame: Standing) -> Result<(), TryReserveError> {
        if self.youngest.len() < YOUNGEST {
            self.youngest.try_reserve(1)?;
        } else if self.oldest.len() < OLDEST {
            self.oldest.try_reserve(1)?;
        }
        self.add(frame);
        Ok(())
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

/// Something of each of some exceptions that live, by their packets' addresses, which are weak: the collector mends
/// them, and what is dead has no entry any more.
struct ByPacket<T> {
    map: FxHashMap<u64, T>,
    /// Packets that got their entry since the last collection: the others are old.
    young: Vec<u64>,
}

impl<T> Default for ByPacket<T> {
    fn default() -> ByPacket<T> {
        ByPacket { map: FxHashMap::default(), young: Vec::new() }
    }
}

impl<T> ByPacket<T> {
    fn insert(&mut self, packet: u64, entry: T) {
        if self.map.insert(packet, entry).is_none() {
            self.young.push(packet);
        }
    }

    /// Mends the addresses after a collection: a minor one moves nothing that is old, and after it nothing is young.
    fn after(&mut self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        let ByPacket { map, young } = self;
        if minor {
            // All leave before any comes back: a new address may be one that another had.
            let moved: Vec<(u64, T)> = young
                .drain(..)
                .filter_map(|packet| map.remove(&packet).and_then(|entry| Some((forward(packet)?, entry))))
                .collect();
            map.extend(moved);
        } else {
            young.clear();
            *map =
                std::mem::take(map).into_iter().filter_map(|(packet, entry)| Some((forward(packet)?, entry))).collect();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// Where all exceptions were raised that live, in a program that asks.
#[derive(Default)]
pub struct History {
    entries: Mutex<ByPacket<Entry>>,
}

struct Entry {
    trace: Trace,
    /// Noted before its `raise`, whose handler may not have been looked for yet.
    announced: bool,
}

impl History {
    /// Keeps an exception's trace, instead of an earlier one of the same packet.
    pub fn add(&self, packet: u64, mut trace: Trace, announced: bool) {
        if trace.youngest.capacity() > 2 * trace.youngest.len() {
            trace.youngest.shrink_to_fit();
        }
        lock(&self.entries).insert(packet, Entry { trace, announced });
    }

    /// Whether so many came since the last collection that it is time for one: most of them may be dead, and what is
    /// kept of them takes more memory than they do.
    pub fn is_full(&self) -> bool {
        lock(&self.entries).young.len() >= MANY
    }

    /// The `raise` of this packet is about to happen again; false when it has no trace.
    pub fn announce_again(&self, packet: u64, announced: bool) -> bool {
        let mut entries = lock(&self.entries);
        let known = entries.map.get_mut(&packet);
        known.is_some_and(|known| {
            known.announced = announced;
            true
        })
    }

    /// Whether the packet was noted before its `raise`; the next one of it is to be noted anew.
    pub fn was_announced(&self, packet: u64) -> bool {
        lock(&self.entries).map.get_mut(&packet).is_some_and(|known| std::mem::take(&mut known.announced))
    }

    /// The trace of a packet, if it was raised.
    pub fn trace(&self, packet: u64) -> Option<Trace> {
        lock(&self.entries).map.get(&packet).map(|entry| entry.trace.clone())
    }

    /// Nobody else changes it as long as this lives.
    pub fn hold(&self) -> impl Sized + '_ {
        lock(&self.entries)
    }

    /// See [`ByPacket::after`].
    pub fn after(&self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        lock(&self.entries).after(minor, forward);
    }
}

/// Where exceptions were raised that a handler has, which is going to raise them again: for the report if nobody
/// handles them then. The ways of one exception, the first one first, lead from a raise to a handler that has kept it.
/// The code of the handler's frame is the last of each.
#[derive(Default)]
pub struct Places {
    entries: Mutex<ByPacket<Vec<Trace>>>,
}

/// Ways that are kept of one exception.
const WAYS: usize = 10;

impl Places {
    /// Adds a way behind those of the same exception, if there is memory. `again`: it is one that was raised before.
    pub fn add(&self, packet: u64, again: bool, way: Trace) -> Result<(), TryReserveError> {
        let mut places = lock(&self.entries);
        match places.map.get_mut(&packet) {
            Some(ways) if again => {
                if ways.len() == WAYS {
                    ways.remove(WAYS / 2);
                }
                ways.try_reserve(1)?;
                ways.push(way);
            }
            _ => {
                // Most of them are dead; what is lost of the others is a part of a report.
                if places.young.len() >= MANY {
                    *places = ByPacket::default();
                }
                let mut ways = Vec::new();
                ways.try_reserve_exact(1)?;
                ways.push(way);
                places.map.try_reserve(1)?;
                places.young.try_reserve(1)?;
                places.insert(packet, ways);
            }
        }
        Ok(())
    }

    pub fn ways(&self, packet: u64) -> Vec<Trace> {
        lock(&self.entries).map.get(&packet).cloned().unwrap_or_default()
    }

    /// Nobody else changes it as long as this lives.
    pub fn hold(&self) -> impl Sized + '_ {
        lock(&self.entries)
    }

    /// See [`ByPacket::after`].
    pub fn after(&self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        lock(&self.entries).after(minor, forward);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_lives_as_long_as_its_exception() {
        let history = History::default();
        let trace = |between| Trace { between, ..Trace::default() };
        let known = |packet| history.trace(packet).map(|trace| trace.between);
        (1..=100).for_each(|k| history.add(8 * k, trace(k as usize), false));
        // Of the young each second one lives, and goes where another one was.
        history.after(true, &|packet| packet.is_multiple_of(16).then_some(packet / 2));
        (1..=50).for_each(|k| assert_eq!(known(8 * k), Some(2 * k as usize)));
        assert_eq!(lock(&history.entries).map.len(), 50);
        // A minor collection asks for no old one.
        history.add(8000, trace(1), true);
        history.after(true, &|packet| if packet == 8000 { Some(8008) } else { panic!("{packet} is old") });
        assert!(history.was_announced(8008) && !history.was_announced(8008));
        history.after(false, &|packet| (packet > 200).then_some(packet + 8));
        assert!(known(200).is_none() && known(208).is_none());
        assert_eq!((known(216), known(8016), lock(&history.entries).map.len()), (Some(52), Some(1), 26));
        assert!(history.announce_again(216, true) && !history.announce_again(208, true));
    }
}
