//! How much of its work a collection does when its pauses have a goal: the nursery's bound, and the portions of a major one.
//!
//! Everything is counted, no clock is looked at: so what a program does under a seed stays a function of the seed. The constants
//! are what one millisecond is worth on a machine of 2020.
//!
//! ```text
//!   the goal: 1 ms = half for the minor collection: survivors <= SURVIVORS bytes, by the largest part that survived lately
//!                  + half for a portion: marking <= UNITS, or sweeping, or giving back
//! ```
//!
//! A program that allocates faster than that is marked must not win the race: the portion grows with what became old since
//! the last one, so that marking ends before the heap has grown by what is left for it ([`super::major`]): half of what lives,
//! or less near a limit. It is slowed, and it does not fail.

/// Bytes that a minor collection promotes in a millisecond: 0.3 to 0.4 ns a byte into fresh blocks, 1 ns of threads, 2 ns and
/// more into the holes of a heap whose old objects die at random.
const SURVIVORS: usize = 1 << 20;
/// The nursery is never larger than if all of it survived, and this many goals were spent.
const MOST_GOALS: usize = 3;
const LEAST_NURSERY: usize = 256 << 10;
/// Units of marking ([`crate::major::Budget`]) in a millisecond: at 15 to 20 ns for an object that is in no cache.
const UNITS: usize = 320_000;
/// The least bytes that a unit marks: objects are larger than the four words of one with two fields, as a rule.
const UNIT_BYTES: usize = 4;
/// Blocks and large objects that are swept in a millisecond; bytes that are given back.
const BLOCKS: usize = 16_384;
const LARGE: usize = 4_096;
const BACK: usize = 8 << 20;
/// Logged objects and cards that are scanned in a millisecond, by the minor collection and once more by a slice: some take 10 ns,
/// a thread with its piece of stack 100 to 200.
const LOGGED: usize = 8_192;
const LEAST_LOGGED: usize = 1_024;
/// The part of a goal for marking, where a thread beside the program does most of it.
const HELPED: u64 = 16;
/// Minor collections whose survivors are remembered.
const REMEMBERED: usize = 8;

/// What one collection does of a major one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portion {
    /// Units of marking.
    pub units: usize,
    pub blocks: usize,
    pub large: usize,
    pub back: usize,
}

/// What is left to do of a major collection: bytes to be marked, or what is to be swept.
#[derive(Clone, Copy, Default)]
pub(crate) struct Left {
    pub bytes: usize,
    pub blocks: usize,
    pub large: usize,
    /// So much has become old since this began, without what comes now.
    pub grown: usize,
    /// There is a thread that marks beside the program: a slice does what that leaves behind.
    pub is_helped: bool,
}

pub(super) struct Goal {
    /// Nanoseconds.
    ns: Option<u64>,
    /// What part of a nursery survived, of 256; the last ones, in turn.
    survived: [usize; REMEMBERED],
    next: usize,
}

impl Goal {
    pub fn new(ns: Option<u64>) -> Goal {
        Goal { ns, survived: [128; REMEMBERED], next: 0 }
    }

    pub fn set(&mut self, ns: Option<u64>) {
        self.ns = ns;
    }

    pub fn is_set(&self) -> bool {
        self.ns.is_some()
    }

    pub fn note_minor(&mut self, young: usize, promoted: usize) {
        if young >= LEAST_NURSERY / 2 {
            self.survived[self.next] = (promoted.min(young) * 256).div_ceil(young).max(1);
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// So much of what a millisecond is worth.
    fn share(&self, each: usize, part: u64) -> usize {
        let ns = self.ns.unwrap_or(0);
        (each as u64 * (ns / part).min(1_000_000_000) / 1_000_000) as usize
    }

    /// Bytes of a nursery at most.
    pub fn most_nursery(&self) -> usize {
        if self.ns.is_none() {
            return usize::MAX;
        }
        let most = self.survived.iter().copied().max().unwrap_or(256);
        let by_survivors = self.share(SURVIVORS, 2) * 256 / most;
        let hard = self.share(SURVIVORS, 1) * MOST_GOALS;
        by_survivors.min(hard).max(LEAST_NURSERY).next_multiple_of(4096)
    }

    /// Entries of a worker's log at most.
    pub fn most_logged(&self) -> usize {
        if self.ns.is_none() { usize::MAX } else { self.share(LOGGED, 1).max(LEAST_LOGGED) }
    }

    /// See [`super::Policy::portion`]; the heap may grow by `room` bytes meanwhile. Without a goal (any more) all is done at once.
    pub fn portion(&self, left: Left, grown: usize, room: usize) -> Portion {
        if self.ns.is_none() {
            let all = usize::MAX >> 1;
            return Portion { units: all, blocks: all, large: all, back: all };
        }
        let part = |all: usize, room: usize| {
            let rest = room.saturating_sub(left.grown).max(grown).max(1);
            (all as u128 * grown as u128 / rest as u128).min(all as u128) as usize
        };
        let helped = if left.is_helped { HELPED } else { 2 };
        let units = part(left.bytes, room) / UNIT_BYTES;
        // What the sweep finds is to be there when the heap has grown by a quarter of that.
        let (blocks, large) = (part(left.blocks, room / 4), part(left.large, room / 4));
        Portion {
            units: units.max(self.share(UNITS, helped)).max(1),
            blocks: blocks.max(self.share(BLOCKS, 2)).max(64),
            large: large.max(self.share(LARGE, 2)).max(16),
            back: self.share(BACK, 2).max(1 << 20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn the_nursery_is_bounded_by_what_survives() {
        let mut goal = Goal::new(Some(1_000_000));
        assert_eq!(goal.most_nursery(), MIB);
        (0..REMEMBERED).for_each(|_| goal.note_minor(MIB, MIB));
        assert_eq!(goal.most_nursery(), MIB / 2);
        // One of eight had many survivors.
        (1..REMEMBERED).for_each(|_| goal.note_minor(MIB, MIB / 64));
        assert_eq!(goal.most_nursery(), MIB / 2);
        goal.note_minor(MIB, MIB / 64);
        assert_eq!(goal.most_nursery(), MOST_GOALS * MIB);
        // One that was nearly empty tells nothing.
        goal.note_minor(4096, 4096);
        assert_eq!(goal.most_nursery(), MOST_GOALS * MIB);
        goal.set(Some(1));
        assert_eq!(goal.most_nursery(), LEAST_NURSERY);
        goal.set(None);
        assert_eq!(goal.most_nursery(), usize::MAX);
    }

    /// However fast the program allocates, all is marked when the heap has grown by what there is room for.
    #[test]
    fn marking_ends_in_time() {
        let goal = Goal::new(Some(1_000_000));
        for (grown, room) in [4096, MIB, 64 * MIB].into_iter().flat_map(|grown| [(grown, 500 * MIB), (grown, 30 * MIB)])
        {
            let (mut left, mut total) = (1000 * MIB, 0);
            while left > MIB {
                let lived = Left { bytes: left, grown: total, is_helped: true, ..Left::default() };
                total += grown;
                left -= (goal.portion(lived, grown, room).units * UNIT_BYTES).min(left);
            }
            assert!(total <= room + grown, "{grown} at a time: {total}");
            // And swept.
            let (mut left, mut total) = (100_000, 0);
            while left > 0 {
                let all = Left { blocks: left, large: left, grown: total, ..Left::default() };
                total += grown;
                let portion = goal.portion(all, grown, room);
                assert!(portion.large >= left.min(portion.blocks / 8));
                left -= portion.blocks.min(left);
            }
            assert!(total <= room / 4 + 2 * grown, "{grown} at a time: {total}");
        }
        let most = goal.portion(Left { bytes: usize::MAX, ..Left::default() }, usize::MAX, 1);
        assert_eq!(most.units, usize::MAX / UNIT_BYTES);
    }
}
