//! How much of its work a collection does when its pauses have a goal: the nursery's bound, and the portions of a major
//! one.
//!
//! Everything is counted: bytes, objects. The constants are what one millisecond is worth on a machine of 2020. How
//! fast objects are marked differs most, by the machine and by how they lie, so that is measured
//! ([`Goal::note_marking`]), and a slice marks as much as the last ones did in the time. Not where a seed decides what
//! a program does: there the constant holds, and no clock is looked at.
//!
//! ```text
//!   the goal: 1 ms = half for the minor collection: survivors <= SURVIVORS bytes, by the largest part that survived lately
//!                  + half for a portion: marking <= UNITS, or sweeping, or giving back
//!   where more must be marked for each byte that survives:
//!                    so few survivors that they and their portion take the goal together
//! ```
//!
//! A program that allocates faster than that is marked must not win the race: the portion grows with what became old
//! since the last one, so that marking ends before the heap has grown by what is left for it ([`super::major`]): half
//! of what lives, or less near a limit. So that the pause does not grow, too, the nursery becomes smaller, down to a
//! least size: such a program stops more often. It is slowed, and it does not fail.

/// Bytes that a minor collection promotes in a millisecond: 0.3 to 0.4 ns a byte into fresh blocks, 1 ns of threads, 2
/// ns and more into the holes of a heap whose old objects die at random.
const SURVIVORS: usize = 1 << 20;
/// The nursery is never larger than if all of it survived, and this many goals were spent.
const MOST_GOALS: usize = 3;
const LEAST_NURSERY: usize = 256 << 10;
/// While much must be marked for each byte that survives: four objects that the runtime makes in a nursery have room.
const LEAST_MARKING: usize = 128 << 10;
/// Units of marking ([`crate::major::Budget`]) in a millisecond: at 15 to 20 ns for an object that is in no cache.
/// Where it is found to take longer they are fewer, down to this part.
const UNITS: usize = 320_000;
const SLOWEST: usize = 8;
/// So many units are marked before that is known, and the older half of what is known is forgotten after so many
/// milliseconds.
const KNOWN_UNITS: u64 = 100_000;
const MEMORY: u64 = 40_000_000;
/// Bytes that a unit is taken to mark until so many bytes have been marked: somewhat less than one does in objects of
/// four words with two references. Then what those took is known.
const UNIT_BYTES: usize = 4;
const KNOWN: usize = 1 << 20;
/// Blocks and large objects that are swept in a millisecond; bytes that are given back.
const BLOCKS: usize = 16_384;
const LARGE: usize = 4_096;
/// Entries of the list of all threads that are mended in a millisecond: 5 to 10 ns each, as far as headers come in
/// time.
const ENTRIES: usize = 100_000;
/// Entries of long tables whose objects are marked in a millisecond: each is in no cache.
const SEEN: usize = 25_000;
const BACK: usize = 8 << 20;
/// Logged objects and cards that are scanned in a millisecond, by the minor collection and once more by a slice: some
/// take 10 ns, a thread with its piece of stack 100 to 200.
const LOGGED: usize = 8_192;
const LEAST_LOGGED: usize = 1_024;
/// Without a goal a log may be this part of what lives, or have so many entries if that is more: 64 MB. A loop that
/// stores into old objects and allocates nothing pays for it: what it has changed is scanned, and has to be logged
/// again.
const LOG_PART: usize = 16;
const UNPACED_LOGGED: usize = 8 << 20;
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
    pub seen: usize,
    pub entries: usize,
    pub back: usize,
}

/// What is left to do of a major collection: bytes to be marked, or what is to be swept.
#[derive(Clone, Copy, Default)]
pub(crate) struct Left {
    pub bytes: usize,
    /// Bytes that portions have marked so far, and the units that they took.
    pub marked: usize,
    pub units: usize,
    pub blocks: usize,
    pub large: usize,
    pub unseen: usize,
    pub entries: usize,
    /// So much has become old since this began, without what comes now.
    pub grown: usize,
    /// There is a thread that marks beside the program: a slice does what that leaves behind.
    pub is_helped: bool,
}

impl Left {
    /// What is left to be marked, in units.
    fn units(&self) -> usize {
        if self.marked < KNOWN {
            return self.bytes / UNIT_BYTES;
        }
        let units = self.bytes as u128 * self.units as u128 / self.marked as u128;
        units.min(self.bytes as u128) as usize
    }

    /// The part of `all` that is due for `grown` bytes, when all is to be done before the heap has grown by `room`.
    fn part(&self, all: usize, grown: usize, room: usize) -> usize {
        let rest = room.saturating_sub(self.grown).max(grown).max(1);
        (all as u128 * grown as u128 / rest as u128).min(all as u128) as usize
    }
}

pub(super) struct Goal {
    /// Nanoseconds.
    ns: Option<u64>,
    /// What part of a nursery survived, of 256; the last ones, in turn.
    survived: [usize; REMEMBERED],
    next: usize,
    /// Units that are to be marked for each KiB that becomes old; 0 while nothing is marked.
    pace: usize,
    /// Units that have been marked lately, and the nanoseconds of processor time that they took.
    timed: (u64, u64),
    /// Workers whose nurseries are collected together.
    workers: usize,
}

impl Goal {
    pub fn new(ns: Option<u64>) -> Goal {
        Goal { ns, survived: [128; REMEMBERED], next: 0, pace: 0, timed: (0, 0), workers: 1 }
    }

    pub fn set(&mut self, ns: Option<u64>) {
        self.ns = ns;
    }

    pub fn is_set(&self) -> bool {
        self.ns.is_some()
    }

    pub fn set_workers(&mut self, workers: usize) {
        self.workers = workers.max(1);
    }

    /// A marking has begun, or goes on: so much is to be marked while the heap grows by `room` bytes. None: nothing is.
    pub fn set_pace(&mut self, left: Option<(Left, usize)>) {
        self.pace = left.map_or(0, |(left, room)| left.part(left.units(), 1 << 10, room));
    }

    pub fn note_minor(&mut self, young: usize, promoted: usize) {
        if young >= LEAST_MARKING / 2 {
            self.survived[self.next] = (promoted.min(young) * 256).div_ceil(young).max(1);
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// So many units have been marked in so many nanoseconds of processor time.
    pub fn note_marking(&mut self, units: usize, ns: u64) {
        self.timed.0 += units as u64;
        self.timed.1 += ns;
        if self.timed.1 > MEMORY && self.timed.0 > 2 * KNOWN_UNITS {
            self.timed = (self.timed.0 / 2, self.timed.1 / 2);
        }
    }

    /// Units in a millisecond.
    fn units(&self) -> usize {
        let (units, ns) = self.timed;
        if units < KNOWN_UNITS {
            return UNITS;
        }
        ((units as u128 * 1_000_000 / ns.max(1) as u128) as usize).clamp(UNITS / SLOWEST, UNITS)
    }

    /// So much of what a millisecond is worth.
    fn share(&self, each: usize, part: u64) -> usize {
        let ns = self.ns.unwrap_or(0);
        (each as u64 * (ns / part).min(1_000_000_000) / 1_000_000) as usize
    }

    /// Bytes of each nursery at most.
    pub fn most_nursery(&self) -> usize {
        let Some(ns) = self.ns else { return usize::MAX };
        let most = self.survived.iter().copied().max().unwrap_or(256);
        let of_survivors = |bytes: usize| bytes * 256 / most / self.workers;
        let hard = self.share(SURVIVORS, 1) * MOST_GOALS;
        let by_survivors = of_survivors(self.share(SURVIVORS, 2)).min(hard).max(LEAST_NURSERY);
        if self.pace == 0 {
            return by_survivors.next_multiple_of(4096);
        }
        // Nanoseconds for a KiB that survives, and for what is marked for its sake.
        let each = 1_000_000 * 1024 / SURVIVORS as u64 + self.pace as u64 * 1_000_000 / self.units() as u64;
        let by_pace = of_survivors((ns.min(1_000_000_000) / each) as usize * 1024).max(LEAST_MARKING);
        by_survivors.min(by_pace).next_multiple_of(4096)
    }

    /// Entries of a worker's log at most, where so many bytes live.
    pub fn most_logged(&self, live: usize) -> usize {
        match self.ns {
            Some(_) => self.share(LOGGED, 1).max(LEAST_LOGGED),
            None => (live / LOG_PART / size_of::<u64>()).max(UNPACED_LOGGED),
        }
    }

    /// See [`super::Policy::portion`]; the heap may grow by `room` bytes meanwhile. Without a goal (any more) all is
    /// done at once.
    pub fn portion(&self, left: Left, grown: usize, room: usize) -> Portion {
        if self.ns.is_none() {
            let all = usize::MAX >> 1;
            return Portion { units: all, blocks: all, large: all, seen: all, entries: all, back: all };
        }
        let helped = if left.is_helped { HELPED } else { 2 };
        let units = left.part(left.units(), grown, room);
        // What the sweep finds is to be there when the heap has grown by a quarter of that.
        let (blocks, large) = (left.part(left.blocks, grown, room / 4), left.part(left.large, grown, room / 4));
        Portion {
            units: units.max(self.share(self.units(), helped)).max(1),
            blocks: blocks.max(self.share(BLOCKS, 2)).max(64),
            large: large.max(self.share(LARGE, 2)).max(16),
            seen: left.part(left.unseen, grown, room / 2).max(self.share(SEEN, 2)).max(16),
            // Before the sweep: half of the time that is its.
            entries: left.part(left.entries, grown, room / 8).max(self.share(ENTRIES, 2)).max(64),
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

    /// A pause is what is copied and what is marked for its sake: both together are within the goal, as long as the
    /// nursery is not at its least.
    #[test]
    fn the_nursery_is_bounded_by_what_is_marked_for_it() {
        let mut goal = Goal::new(Some(1_000_000));
        (0..REMEMBERED).for_each(|_| goal.note_minor(MIB, MIB));
        for ratio in [1, 2, 4, 6] {
            let left = Left { bytes: ratio * 100 * MIB, marked: KNOWN, units: KNOWN / 5, ..Left::default() };
            goal.set_pace(Some((left, 100 * MIB)));
            let nursery = goal.most_nursery();
            let portion = goal.portion(left, nursery, 100 * MIB);
            let ns = nursery * 1_000_000 / SURVIVORS + portion.units * 1_000_000 / UNITS;
            assert!((600_000..1_050_000).contains(&ns), "{ratio}: a nursery of {nursery}, {ns} ns");
            // Those of two workers are collected together.
            goal.set_workers(2);
            assert!(goal.most_nursery() <= (nursery / 2).max(LEAST_MARKING) + 4096);
            goal.set_workers(1);
        }
        // However much is to be marked.
        goal.set_pace(Some((Left { bytes: usize::MAX / 2, ..Left::default() }, 1)));
        assert_eq!(goal.most_nursery(), LEAST_MARKING);
        goal.set_pace(None);
        assert_eq!(goal.most_nursery(), MIB / 2);
    }

    /// What units are worth is measured: where objects are small a portion has more of them.
    #[test]
    fn a_portion_knows_what_its_units_mark() {
        let goal = Goal::new(Some(1_000_000));
        let units = |marked: usize, units: usize| {
            let left = Left { bytes: 1000 * MIB, marked, units, ..Left::default() };
            goal.portion(left, MIB, 500 * MIB).units
        };
        assert_eq!(units(KNOWN - 1, KNOWN), 2 * MIB / UNIT_BYTES);
        assert_eq!([units(KNOWN, KNOWN / 2), units(2 * KNOWN, KNOWN / 2)], [MIB, MIB / 2]);
        // Never more than a byte's worth for each.
        assert_eq!(units(KNOWN, usize::MAX / 2), 2 * MIB);
    }

    /// A machine on which marking takes three times as long marks a third of it at a time, and the nursery is as much
    /// smaller.
    #[test]
    fn a_portion_knows_how_long_its_units_take() {
        let mut goal = Goal::new(Some(1_000_000));
        (0..REMEMBERED).for_each(|_| goal.note_minor(MIB, MIB));
        let left = |goal: &Goal| goal.portion(Left { bytes: 1, ..Left::default() }, 1, MIB).units;
        assert_eq!(left(&goal), UNITS / 2);
        goal.note_marking(KNOWN_UNITS as usize - 1, 1_000_000_000);
        assert_eq!(left(&goal), UNITS / 2, "so few say nothing");
        (0..1000).for_each(|_| goal.note_marking(UNITS / 3, 1_000_000));
        assert!((UNITS / 7..UNITS / 5).contains(&left(&goal)));
        let much = Left { bytes: 130 * MIB, marked: KNOWN, units: KNOWN / 5, ..Left::default() };
        goal.set_pace(Some((much, 100 * MIB)));
        let slow = goal.most_nursery();
        let mut quick = Goal::new(Some(1_000_000));
        (0..REMEMBERED).for_each(|_| quick.note_minor(MIB, MIB));
        quick.set_pace(Some((much, 100 * MIB)));
        assert!(slow < quick.most_nursery());
        let units = goal.portion(much, slow, 100 * MIB).units;
        let ns = slow * 1_000_000 / SURVIVORS + units * 1_000_000 / (UNITS / 3);
        assert!((600_000..1_050_000).contains(&ns), "a nursery of {slow}, {ns} ns");
        // What was is forgotten in time; no machine counts as faster than it was thought, and none as slower than an
        // eighth.
        (0..1000).for_each(|_| goal.note_marking(UNITS * 9, 1_000_000));
        assert_eq!(left(&goal), UNITS / 2);
        (0..1000).for_each(|_| goal.note_marking(1_000, 1_000_000));
        assert_eq!(left(&goal), UNITS / SLOWEST / 2);
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
            // And the tables mended before.
            let (mut left, mut total) = (10_000_000, 0);
            while left > 0 {
                let portion = goal.portion(Left { entries: left, grown: total, ..Left::default() }, grown, room);
                total += grown;
                left -= portion.entries.min(left);
            }
            assert!(total <= room / 8 + 2 * grown, "{grown} at a time: {total}");
        }
        let most = goal.portion(Left { bytes: usize::MAX, ..Left::default() }, usize::MAX, 1);
        assert_eq!(most.units, usize::MAX / UNIT_BYTES);
    }
}
