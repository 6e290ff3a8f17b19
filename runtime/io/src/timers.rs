//! Timers: (deadline, token) pairs -> tokens in order of expiry. A hierarchical timing wheel.
//!
//! After Varghese and Lauck, SOSP 1987 (scheme 7). Start and cancel take constant time whatever the number of timers.
//! Keeps: I1 (never early), I2 (order of deadline, then of start), I3 (nothing left of a cancelled timer).
//!
//! Differences: a tick only groups timers (65.5 us); the deadline itself is kept to the nanosecond. When the wheel
//! comes to a slot of its finest level the slot is sorted into the *due run*, and from there timers go out one at a
//! time when their very deadline has come. A timer whose tick has already been reached goes to the *late heap*, which
//! is merged with the run. The wheel is not stepped tick by tick: a bit set of occupied slots for each level leads to
//! the next one.
//!
//! ```text
//!          start                 tick reached            deadline reached
//!  FREE ----------> IN A SLOT --------------> DUE ------------------------> given out, FREE
//!    ^                  |     (moved to a finer level some times)
//!    +---- cancel ------+----------------------+
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Nanos;

/// log2 of a tick in nanoseconds.
const TICK_SHIFT: u32 = 16;
/// log2 of the slots of a level.
const LEVEL_SHIFT: u32 = 6;
const SLOTS: usize = 1 << LEVEL_SHIFT;
/// Entries for which there is room from the first timer on. Address space only: what is not touched is not there.
const FEW: usize = 1 << 20;
/// Entries whose pages are committed at once: as many as there are, at least and at most so many.
const LEAST_STEP: usize = 128;
const MOST_STEP: usize = 1 << 17;
/// Enough levels for every 64-bit deadline.
const LEVELS: usize = ((64 - TICK_SHIFT) as usize).div_ceil(LEVEL_SHIFT as usize);
/// A link to the head of a slot's list, not to an entry: this and the slot's number.
const HEAD: u32 = 1 << 31;

/// `next` of an entry that waits in the due run or in the late heap.
const DUE: u32 = u32::MAX;
/// End of the list of free entries.
const NONE: u32 = u32::MAX - 1;

/// Bits of a [`TimerId`] for the index; the rest hold the timer's sequence number. Together 63: an SML int, never
/// negative.
const INDEX_BITS: u32 = 27;
const SEQUENCE_BITS: u32 = 63 - INDEX_BITS;

/// The name of a started timer: where it stands, and the low bits of its sequence number, which no other timer of the
/// same place has (until 68 billion more were started). Never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct TimerId(pub u64);

impl TimerId {
    fn new(index: u32, sequence: u64) -> TimerId {
        TimerId((sequence & ((1 << SEQUENCE_BITS) - 1)) << INDEX_BITS | index as u64)
    }

    fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }

    fn matches<T>(self, entry: &Entry<T>) -> bool {
        entry.sequence != 0 && entry.sequence & ((1 << SEQUENCE_BITS) - 1) == self.0 >> INDEX_BITS
    }
}

/// One timer: 24 bytes and its token.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry<T> {
    deadline: Nanos,
    token: T,
    /// Number of the timer in order of start, from 1; 0 when the entry is free.
    sequence: u64,
    /// Neighbours in the slot's circular list. A free entry's `next` is the next free one.
    next: u32,
    prev: u32,
}

/// First and last of a slot's list: [`HEAD`] and the slot itself when there is none.
#[derive(Clone, Copy)]
struct Head {
    first: u32,
    last: u32,
}

/// A timer that is about to go out: ordered by deadline, then by sequence.
type Due = (Nanos, u64, u32);

/// The wheel. `T` is what a timer carries.
pub struct Timers<T> {
    /// One for each slot, level by level; none before the first timer starts. Apart from the entries, so that the first
    /// timer touches a page or two.
    heads: Vec<Head>,
    entries: Vec<Entry<T>>,
    /// Commits the pages between two addresses that are about to be filled. Only a hint.
    commit: fn(usize, usize),
    /// Up to this entry that has been done.
    committed: usize,
    free: u32,
    live: usize,
    started: u64,
    /// The tick that the wheel has come to. Every timer in a slot has a later one.
    now: u64,
    /// Bit set of slots that are not empty, for each level.
    occupied: [u64; LEVELS],
    /// Timers of the ticks reached, latest first; those that were cancelled are recognised by their sequence number.
    run: Vec<Due>,
    late: BinaryHeap<Reverse<Due>>,
}

impl<T: Copy> Timers<T> {
    /// An empty wheel at this time. Takes no memory until the first timer starts.
    pub fn new(now: Nanos) -> Timers<T> {
        Timers {
            heads: Vec::new(),
            entries: Vec::new(),
            commit: |_, _| {},
            committed: 0,
            free: NONE,
            live: 0,
            started: 0,
            now: now >> TICK_SHIFT,
            occupied: [0; LEVELS],
            run: Vec::new(),
            late: BinaryHeap::new(),
        }
    }

    /// The same, with a function that commits the pages of a growing table in few system calls.
    pub fn with_commit(now: Nanos, commit: fn(usize, usize)) -> Timers<T> {
        Timers { commit, ..Timers::new(now) }
    }

    /// How many timers wait.
    pub fn len(&self) -> usize {
        self.live
    }

    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Starts a timer. A deadline in the past is due at once. Constant time.
    #[inline]
    pub fn start(&mut self, deadline: Nanos, token: T) -> TimerId {
        self.started += 1;
        let sequence = self.started;
        let entry = Entry { deadline, token, sequence, next: DUE, prev: DUE };
        let mut index = self.free;
        if index != NONE {
            let place = &mut self.entries[index as usize];
            self.free = place.next;
            *place = entry;
        } else {
            index = self.entries.len() as u32;
            if index as usize >= self.committed {
                self.make_room();
            }
            self.entries.push(entry);
        }
        self.live += 1;
        if deadline >> TICK_SHIFT > self.now {
            self.link(index, deadline >> TICK_SHIFT);
        } else {
            self.late.push(Reverse((deadline, sequence, index)));
        }
        TimerId::new(index, sequence)
    }

    /// Takes a timer back; gives its token when it was still waiting. Constant time.
    #[inline]
    pub fn cancel(&mut self, id: TimerId) -> Option<T> {
        let index = id.index();
        let entry = self.entries.get(index)?;
        if !id.matches(entry) {
            return None;
        }
        let token = entry.token;
        if entry.next != DUE {
            self.unlink(index);
        } else if self.late.len() > 64 && self.late.len() / 2 > self.live {
            // Many were started for the current tick and cancelled: their traces go too (I3).
            let entries = &self.entries;
            self.late.retain(|Reverse((_, sequence, i))| entries[*i as usize].sequence == *sequence);
        }
        self.release(index as u32);
        Some(token)
    }

    /// Whether the timer still waits.
    pub fn is_waiting(&self, id: TimerId) -> bool {
        self.entries.get(id.index()).is_some_and(|e| id.matches(e))
    }

    /// The next timer whose deadline is at most `now`: (token, deadline, what it was called). Call until it gives None.
    pub fn pop(&mut self, now: Nanos) -> Option<(T, Nanos, TimerId)> {
        let mut popped = None;
        self.offer(now, |token, deadline, id| {
            popped = Some((token, deadline, id));
            true
        });
        popped
    }

    /// Offers the next timer whose deadline is at most `now`, as [`Timers::pop`] gives it. A refused one (false) waits
    /// on as it was, and is the next one again. None: no such timer.
    pub fn offer(&mut self, now: Nanos, take: impl FnOnce(T, Nanos, TimerId) -> bool) -> Option<bool> {
        if self.live == 0 {
            return self.fast_forward(now);
        }
        loop {
            match self.first_due() {
                Some((deadline, _, _)) if deadline > now => return None,
                Some((deadline, sequence, index)) => {
                    let token = self.entries[index as usize].token;
                    let taken = take(token, deadline, TimerId::new(index, sequence));
                    if taken {
                        self.drop_first_due();
                        self.release(index);
                    }
                    return Some(taken);
                }
                None if self.advance(now >> TICK_SHIFT) => {}
                None => return None,
            }
        }
    }

    /// When to look again: no timer is due before. Exact while the next slot has few timers, else its beginning.
    pub fn next_deadline(&mut self) -> Option<Nanos> {
        if self.live == 0 {
            return None;
        }
        if let Some((deadline, _, _)) = self.first_due() {
            return Some(deadline);
        }
        let (level, slot) = self.first_slot()?;
        let (mut at, mut least) = (self.heads[level * SLOTS + slot].first, Nanos::MAX);
        for _ in 0..32 {
            if at & HEAD != 0 {
                return Some(least);
            }
            least = least.min(self.entries[at as usize].deadline);
            at = self.entries[at as usize].next;
        }
        Some(self.slot_tick(level, slot) << TICK_SHIFT)
    }

    /// The token of a waiting timer, to be replaced (the collector moves what it refers to).
    pub fn token_mut(&mut self, id: TimerId) -> Option<&mut T> {
        self.entries.get_mut(id.index()).filter(|e| id.matches(e)).map(|e| &mut e.token)
    }

    /// The tokens of those that are waiting among so many places from this one on, and how many places are left. A
    /// timer stays in its place.
    pub fn tokens_from(&mut self, from: usize, most: usize) -> (impl Iterator<Item = &mut T>, usize) {
        let left = self.entries.len().saturating_sub(from);
        let some = self.entries.iter_mut().skip(from).take(most);
        (some.filter(|e| e.sequence != 0).map(|e| &mut e.token), left - most.min(left))
    }

    /// Gives memory back after a burst of many, when nothing waits.
    fn fast_forward<R>(&mut self, now: Nanos) -> Option<R> {
        self.now = self.now.max(now >> TICK_SHIFT);
        self.run.clear();
        self.late.clear();
        if self.entries.len() > 1 << 16 {
            self.entries = Vec::new();
            self.committed = 0;
            self.free = NONE;
            self.run = Vec::new();
            self.late = BinaryHeap::new();
        }
        None
    }

    /// The memory of the first timers, which is made when the first one starts otherwise.
    pub fn prepare(&mut self) {
        if self.heads.is_empty() {
            self.make_room();
        }
    }

    /// The pages of the next entries.
    #[cold]
    fn make_room(&mut self) {
        if self.heads.is_empty() {
            let empty = |slot| Head { first: HEAD | slot, last: HEAD | slot };
            self.heads = (0..(LEVELS * SLOTS) as u32).map(empty).collect();
        }
        let index = self.entries.len();
        if index == self.entries.capacity() && index < FEW {
            // Nothing is copied until there are more.
            let _ = self.entries.try_reserve_exact(FEW - index);
        }
        assert!(index < 1 << INDEX_BITS, "more than {} timers", 1 << INDEX_BITS);
        let most = self.entries.capacity().clamp(index + 1, 1 << INDEX_BITS);
        self.committed = (index + index.clamp(LEAST_STEP, MOST_STEP)).min(most);
        let start = self.entries.as_ptr();
        (self.commit)(start.wrapping_add(index).addr(), start.wrapping_add(self.committed).addr());
    }

    fn release(&mut self, index: u32) {
        let entry = &mut self.entries[index as usize];
        entry.sequence = 0;
        entry.next = self.free;
        self.free = index;
        self.live -= 1;
    }

    /// Puts an entry at the end of its slot's list: of the level of the highest digit in which its tick differs from
    /// now.
    #[inline]
    fn link(&mut self, index: u32, tick: u64) {
        debug_assert!(tick > self.now);
        let level = (63 - (tick ^ self.now).leading_zeros()) / LEVEL_SHIFT;
        let slot = (tick >> (level * LEVEL_SHIFT)) as usize % SLOTS;
        let head = level as usize * SLOTS + slot;
        self.occupied[level as usize] |= 1 << slot;
        let last = std::mem::replace(&mut self.heads[head].last, index);
        self.set_next(last, index);
        let entry = &mut self.entries[index as usize];
        entry.next = HEAD | head as u32;
        entry.prev = last;
    }

    /// What comes behind an entry, or first in a slot.
    #[inline]
    fn set_next(&mut self, at: u32, next: u32) {
        if at & HEAD == 0 {
            self.entries[at as usize].next = next;
        } else {
            self.heads[(at & !HEAD) as usize].first = next;
        }
    }

    #[inline]
    fn unlink(&mut self, index: usize) {
        let Entry { next, prev, .. } = self.entries[index];
        self.set_next(prev, next);
        if next & HEAD == 0 {
            self.entries[next as usize].prev = prev;
            return;
        }
        let head = (next & !HEAD) as usize;
        self.heads[head].last = prev;
        if next == prev {
            self.occupied[head / SLOTS] &= !(1 << (head % SLOTS));
        }
    }

    /// The earliest slot that is not empty. All timers of a finer level are due before those of a coarser one.
    fn first_slot(&self) -> Option<(usize, usize)> {
        let level = self.occupied.iter().position(|bits| *bits != 0)?;
        Some((level, self.occupied[level].trailing_zeros() as usize))
    }

    /// The first tick of a slot ahead.
    fn slot_tick(&self, level: usize, slot: usize) -> u64 {
        let shift = level as u32 * LEVEL_SHIFT;
        let above =
            self.now.checked_shr(shift + LEVEL_SHIFT).unwrap_or(0).checked_shl(shift + LEVEL_SHIFT).unwrap_or(0);
        above | (slot as u64) << shift
    }

    /// Moves the wheel to the next slot not after tick `to` and empties it; false when there is none: then the wheel is
    /// at `to`.
    fn advance(&mut self, to: u64) -> bool {
        debug_assert!(self.run.is_empty() && self.late.is_empty());
        let Some((level, slot)) = self.first_slot().filter(|(l, s)| self.slot_tick(*l, *s) <= to) else {
            self.now = self.now.max(to);
            return false;
        };
        self.now = self.slot_tick(level, slot);
        self.occupied[level] &= !(1 << slot);
        let head = level * SLOTS + slot;
        let own = HEAD | head as u32;
        let mut at = std::mem::replace(&mut self.heads[head], Head { first: own, last: own }).first;
        while at != own {
            let entry = &mut self.entries[at as usize];
            let (following, tick) = (entry.next, entry.deadline >> TICK_SHIFT);
            if tick == self.now {
                entry.next = DUE;
                self.run.push((entry.deadline, entry.sequence, at));
            } else {
                self.link(at, tick);
            }
            at = following;
        }
        // The run is taken from its end. Timers mostly start in the order in which they end, which the sort finds out.
        self.run.sort_unstable();
        self.run.reverse();
        true
    }

    /// The first of run and late heap, after dropping those that were cancelled.
    fn first_due(&mut self) -> Option<Due> {
        let alive = |entries: &[Entry<T>], due: &Due| entries[due.2 as usize].sequence == due.1;
        while self.run.last().is_some_and(|due| !alive(&self.entries, due)) {
            self.run.pop();
        }
        while self.late.peek().is_some_and(|due| !alive(&self.entries, &due.0)) {
            self.late.pop();
        }
        match (self.run.last(), self.late.peek()) {
            (Some(a), Some(Reverse(b))) => Some(*a.min(b)),
            (Some(a), None) => Some(*a),
            (None, b) => b.map(|due| due.0),
        }
    }

    fn drop_first_due(&mut self) {
        match (self.run.last(), self.late.peek()) {
            (Some(a), Some(Reverse(b))) if b < a => drop(self.late.pop()),
            (Some(_), _) => drop(self.run.pop()),
            (None, _) => drop(self.late.pop()),
        }
    }
}

#[cfg(test)]
#[path = "timers_tests.rs"]
mod tests;
