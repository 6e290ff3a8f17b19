//! When to collect what: the nursery's size, the next major collection, the heap's limit, what is given back.
//!
//! Only numbers, no memory is touched here. Three structures decide: [`nursery::NurserySize`] how large nurseries are
//! and whether they stay where they are, [`major::MajorTrigger`] when a major collection comes, [`limit::Limit`] what
//! the heap may take. [`pause::Goal`] says how much of the work a collection may do. [`Policy`] asks them for the heap,
//! which tells it of each collection. Beside each constant stands the row of the lab that becomes worse without it.

mod limit;
mod major;
mod nursery;
mod pause;

use crate::config::{Collection, Config};
use crate::space::{HUGE, PAGE};
use limit::Limit;
pub(crate) use major::Cleaning;
use major::MajorTrigger;
pub(crate) use nursery::NURSERY;
pub(crate) use nursery::{LEAST, TIGHT};
use nursery::{LITTLE, NurserySize};
use pause::Goal;
pub(crate) use pause::{Left, Portion};

/// While the old generation is smaller, nurseries may stay where they are. In a larger one they are copied, so that
/// what is dead in them, a tenth to a fifth, does not take memory (row B3).
const LARGE_HEAP: usize = 768 << 20;
/// Where a nursery stays, so much more memory must be left than the old generation has, twice over.
const ROOM: usize = 256 << 20;

pub(crate) struct Policy {
    nursery: NurserySize,
    major: MajorTrigger,
    limit: Limit,
    goal: Goal,
    /// Most bytes of a nursery until the next collection, for want of memory.
    most_nursery: usize,
}

impl Policy {
    /// `slot`: the bytes of a nursery's place in the reservation.
    pub fn new(config: &Config, slot: usize) -> Policy {
        let mut policy = Policy {
            // It begins somewhat less than a huge page behind its place's beginning, and takes whole ones.
            nursery: NurserySize::new(slot - 2 * HUGE),
            major: MajorTrigger::new(),
            limit: Limit::new(config.heap_max),
            goal: Goal::new(config.pause),
            most_nursery: usize::MAX,
        };
        policy.major.set_limit(config.heap_max);
        policy.major.set_sliced(config.pause.is_some());
        policy.major.set_spend(config.spend);
        policy.major.set_soft(config.soft);
        policy.nursery.fix(config.nursery);
        policy.cap_nursery(1);
        policy
    }

    /// The nursery is as small as that of a program that begins.
    pub fn is_first(&self) -> bool {
        self.nursery.is_first()
    }

    /// So many bytes may live in that.
    pub fn little(&self) -> usize {
        LITTLE
    }

    /// The program needs more than at its beginning: the nursery's size from now on.
    pub fn end_first(&mut self) -> usize {
        self.nursery.end_first();
        self.cap_nursery(1);
        self.nursery()
    }

    /// There are several workers from now on, each with a nursery.
    pub fn several(&mut self) {
        self.nursery.becomes_one_of_several();
        self.cap_nursery(2);
    }

    /// There are so many workers from now on, fewer than there were.
    pub fn fewer(&mut self, workers: usize) {
        self.nursery.becomes_one_of_fewer();
        self.cap_nursery(workers);
    }

    /// All nurseries together take a quarter of the heap's limit at most, and of what may be spent beside what lives.
    fn cap_nursery(&mut self, workers: usize) {
        self.nursery.cap(self.nurseries_share(), workers);
    }

    fn nurseries_share(&self) -> Option<usize> {
        let limit = self.limit.known();
        let spent = self.major.spare().filter(|_| !self.nursery.is_fixed());
        limit.min(spent).or(limit).or(spent)
    }

    /// Bytes of the nursery of a worker that comes to others, so that there are so many.
    pub fn joining_nursery(&self, workers: usize) -> usize {
        self.nursery.joining(self.nurseries_share(), workers).min(self.nursery())
    }

    /// Bytes of each nursery.
    pub fn nursery(&self) -> usize {
        self.usual_nursery().min(self.most_nursery)
    }

    /// As long as there is memory for it.
    fn usual_nursery(&self) -> usize {
        if self.nursery.is_fixed() { self.nursery.bytes() } else { self.nursery.bytes().min(self.goal.most_nursery()) }
    }

    /// How long a collection may take, in nanoseconds; None: each one does all of its work at once.
    pub fn set_pause(&mut self, goal: Option<u64>) {
        self.goal.set(goal);
        self.major.set_sliced(goal.is_some());
    }

    /// Thousandths of what lives that the heap may have; None: as is worth it.
    pub fn set_spend(&mut self, thousandths: Option<usize>) {
        self.major.set_spend(thousandths);
    }

    /// What the heap is to have at most, as long as that can be had.
    pub fn set_soft(&mut self, bytes: Option<usize>) {
        self.major.set_soft(bytes);
    }

    /// Entries that a worker's log may have, where so many bytes live.
    pub fn most_logged(&self, live: usize) -> usize {
        self.goal.most_logged(live)
    }

    /// Collections do their work in portions.
    pub fn is_sliced(&self) -> bool {
        self.goal.is_set()
    }

    /// What one collection does of a major one of which so much is left, at most, when `grown` bytes have become old
    /// since the last portion: marking has ended before the heap has grown by what [`MajorTrigger`] has left for it.
    pub fn portion(&self, left: Left, grown: usize) -> Portion {
        self.goal.portion(left, grown, self.major.room())
    }

    /// A marking begins, with so many bytes in the old generation.
    pub fn begin_marking(&mut self, live: usize) {
        self.major.begin_marking(live);
    }

    /// So many units of marking took so many nanoseconds of processor time.
    pub fn note_marking(&mut self, units: usize, ns: u64) {
        self.goal.note_marking(units, ns);
    }

    /// So much is left of a marking; None: it has ended, or there is none. The nursery's size follows.
    pub fn set_pace(&mut self, left: Option<Left>) {
        let room = self.major.room();
        self.goal.set_pace(left.map(|left| (left, room)));
    }

    pub fn set_nursery(&mut self, bytes: Option<usize>) {
        self.nursery.fix(bytes);
    }

    /// The nursery, if its size is not fixed, is that of a program that begins.
    pub fn begin_anew(&mut self) {
        self.nursery.begin_anew();
    }

    pub fn set_heap_max(&mut self, bytes: Option<usize>) {
        self.limit.set(bytes);
        self.major.set_limit(bytes);
    }

    pub fn set_stacks(&mut self, bytes: usize) {
        self.limit.stacks = bytes;
    }

    pub fn stacks(&self) -> usize {
        self.limit.stacks
    }

    /// The limit on the heap, stacks included. Looked up in the system only for a heap that is not small.
    pub fn whole_limit(&mut self, used: usize) -> usize {
        let known = self.limit.known();
        let limit = self.limit.whole(used);
        if self.limit.known() != known {
            self.major.set_limit(self.limit.known());
        }
        limit
    }

    /// The limit on the heap alone.
    pub fn limit(&mut self, used: usize) -> usize {
        self.whole_limit(used).saturating_sub(self.stacks())
    }

    /// The limit, 0 when not looked up yet.
    pub fn known_limit(&self) -> usize {
        self.limit.known().unwrap_or(0)
    }

    /// What of it the old generation may have, beside the nurseries of so many workers.
    pub fn old_limit(&mut self, used: usize, workers: usize) -> usize {
        let nurseries = self.usual_nursery() * workers;
        let limit = self.limit(used.saturating_add(nurseries));
        limit - nurseries.min(limit / 4)
    }

    /// With so many bytes the old generation, deep stacks beside it, has grown by more than what is left above the
    /// limit.
    pub fn is_beyond(&mut self, used: usize) -> bool {
        used.saturating_add(self.stacks()) > self.limit.with_reserve(used)
    }

    /// What a heap may pass its limit by, with so many bytes in the old generation.
    pub fn reserve(&mut self, used: usize) -> usize {
        self.limit.reserve(used)
    }

    /// All nurseries together have a quarter of what deep stacks leave: so many bytes each of so many.
    pub fn share_beside_stacks(&mut self, used: usize, workers: usize) -> usize {
        if self.stacks() == 0 { usize::MAX } else { (self.limit(used) / 4 / workers).max(TIGHT) }
    }

    /// So many bytes are left until then.
    pub fn left_when_full(&mut self, used: usize) -> usize {
        self.limit.with_reserve(used).saturating_sub(used + self.stacks())
    }

    /// A nursery has so many bytes at most until the next collection, but no less than is of use.
    pub fn bound_nursery(&mut self, bytes: usize) {
        self.most_nursery = bytes.max(LEAST) & !(PAGE - 1);
    }

    /// It is smaller than it would be if there were more memory.
    pub fn is_bounded(&self) -> bool {
        self.most_nursery < self.usual_nursery()
    }

    /// So many bytes of a nursery of the present size may come from elsewhere: it has room for them in its slot.
    pub fn adopted(&self, workers: usize) -> usize {
        self.nursery.adopted(self.limit.known(), workers)
    }

    /// The next nursery that is full stays where it is.
    pub fn stays(&self) -> bool {
        self.nursery.stays()
    }

    /// The nursery lies among the blocks.
    pub fn is_away(&self) -> bool {
        self.nursery.is_away()
    }

    /// So large at least the next nursery must be.
    pub fn least_nursery(&self) -> usize {
        self.nursery.least()
    }

    /// Whether a major collection is due, `live` bytes being in the old generation.
    pub fn is_major_due(&self, live: usize) -> bool {
        self.major.is_due(live)
    }

    /// After a major collection that left `live` of `before` bytes, in `used` bytes of blocks and runs.
    pub fn after_major(&mut self, before: usize, live: usize, used: usize) {
        if let Some(promoted) = self.major.after(before, live, used) {
            self.nursery.suggest(promoted);
        }
    }

    /// What the user lets the heap have beside what lives.
    pub fn spare(&self) -> Option<usize> {
        self.major.spare()
    }

    /// When blocks are evacuated, and which, if there are so many bytes of blocks that the last marking has seen.
    pub fn cleaning(&self, bytes: usize, kind: Collection) -> Cleaning {
        self.major.cleaning(bytes, kind)
    }

    /// The major collection has emptied so many bytes of blocks and runs. Asked after
    /// [`after_major`](Policy::after_major).
    pub fn note_emptied(&mut self, bytes: usize) {
        self.major.note_emptied(bytes);
    }

    /// Free memory that is kept after a major collection.
    pub fn keep_free(&self, live: usize) -> usize {
        self.major.keep_free(live)
    }

    /// A minor collection of `young` bytes has promoted so many. Asked before [`is_major_due`](Policy::is_major_due).
    pub fn note_minor(&mut self, young: usize, promoted: usize) {
        self.major.note_minor(young, promoted);
        self.goal.note_minor(young, promoted);
    }

    /// The old generation has `used` bytes; `is_alone`: there is one worker. Asked before
    /// [`after_minor`](Policy::after_minor).
    pub fn note_room(&mut self, used: usize, is_alone: bool) {
        let is_plenty = used.saturating_add(ROOM) < self.limit(used) / 2;
        // What is dead in nurseries that stay takes memory, and they fill no holes.
        let may_be_spent = self.major.spare().is_none_or(|spare| used <= (self.major.lived() + spare) / 2);
        self.nursery.may_settle = is_alone && used < LARGE_HEAP && is_plenty && may_be_spent;
    }

    /// After a minor collection in which a nursery of `young` bytes stayed where it was: the nursery's size from now
    /// on.
    pub fn after_settled(&mut self, young: usize) -> usize {
        self.major.note_settled();
        self.nursery.after_settled(young);
        self.cap_nursery(1);
        self.usual_nursery()
    }

    /// After a minor collection of `young` bytes, of which `promoted` survived: the nursery's size from now on.
    pub fn after_minor(&mut self, young: usize, promoted: usize, workers: usize, kind: Collection) -> usize {
        let workers = workers.max(1);
        self.goal.set_workers(workers);
        self.nursery.after_traced(young, promoted, kind);
        self.limit(self.usual_nursery() * workers);
        self.cap_nursery(workers);
        self.usual_nursery()
    }
}

#[cfg(test)]
mod tests {
    use super::nursery::{CALM, LEAST_TRUST, MOST_TRUST, SAMPLE};
    use super::*;

    const MIB: usize = 1 << 20;

    fn policy(config: Config) -> Policy {
        let mut policy = Policy::new(&config, 256 * MIB);
        policy.end_first();
        policy
    }

    /// A program that keeps little has a megabyte, until it has allocated so much that collections cost more. One that
    /// keeps hardly anything has it for good.
    #[test]
    fn a_program_begins_with_a_small_nursery() {
        let new = || Policy::new(&Config { heap_max: Some(1 << 30), ..Config::default() }, 256 * MIB);
        let mut p = new();
        let sizes: Vec<usize> = (0..257)
            .map(|i| p.after_minor(MIB, (60 << 10) / (4 * i + 1) + (4 << 10), 1, Collection::Minor) / MIB)
            .collect();
        assert_eq!((sizes[..255].iter().max(), sizes[255], sizes[256]), (Some(&1), 4, 4));
        let mut p = new();
        assert!((0..1000).all(|_| p.after_minor(MIB, 4000, 1, Collection::Minor) == MIB));
        assert_eq!((0..1000).map(|_| p.after_minor(MIB, 5000, 1, Collection::Minor)).max(), Some(4 * MIB));
        // More lives; the user says a size, and takes it back.
        let mut p = new();
        assert_eq!(p.after_minor(MIB, 70 << 10, 1, Collection::Minor), 4 * MIB);
        let mut p = new();
        assert_eq!(
            [60 << 10, 15 << 10, 17 << 10].map(|promoted| p.after_minor(MIB, promoted, 1, Collection::Minor) / MIB),
            [1, 1, 4]
        );
        let mut p = new();
        p.set_nursery(Some(2 * MIB));
        assert_eq!((p.end_first(), p.is_first()), (2 * MIB, false));
        p.set_nursery(None);
        assert_eq!((p.nursery(), p.is_first()), (MIB, true));
    }

    #[test]
    fn the_nursery_follows_what_survives() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut minor = |young: usize, promoted: usize| p.after_minor(young, promoted, 1, Collection::Minor) / MIB;
        assert_eq!(minor(4 * MIB, 3 * MIB), 16);
        assert_eq!(minor(16 * MIB, 3 * MIB), 16);
        assert_eq!(minor(16 * MIB, MIB), 16);
        // Asked for by the program when it was nearly empty.
        assert_eq!(minor(MIB, MIB), 16);
        assert_eq!(minor(16 * MIB, 10 * MIB), 16);
        // A large one is not made smaller because less than half survives.
        assert_eq!(minor(16 * MIB, 7 * MIB), 16);
        // Calm: halved when 64 MiB have been allocated so.
        assert_eq!([minor(32 * MIB, 0), minor(32 * MIB, 0)], [16, 8]);
        assert_eq!([minor(8 * MIB, 2 * MIB), minor(8 * MIB, 5 * MIB)], [8, 16]);
        // Little survives, but more than next to nothing: it stays.
        assert_eq!((0..CALM / MIB).map(|_| minor(16 * MIB, MIB)).max(), Some(16));
    }

    /// A quarter of one lives at each collection: a nursery of 16 MiB thinks little of it, and one of 8 MiB stays.
    #[test]
    fn what_always_lives_does_not_make_the_nursery_swing() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        while p.after_minor(p.nursery(), p.nursery() / 8 * 5, 1, Collection::Minor) < 16 * MIB {}
        let mut minor = || p.after_minor(p.nursery(), MIB / 4 - 1, 1, Collection::Minor) / MIB;
        let sizes: Vec<usize> = (0..8).map(|_| minor()).collect();
        assert_eq!(sizes, [16, 16, 16, 8, 8, 8, 8, 8]);
    }

    /// Phases that build, and calm ones of `calm` bytes between them: how small the nursery becomes in each of these.
    fn phases(calm: usize) -> Vec<usize> {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut phase = || {
            while p.after_minor(p.nursery(), p.nursery() / 8 * 5, 1, Collection::Minor) < 16 * MIB {}
            let mut left = calm;
            while left > 0 {
                left = left.saturating_sub(p.nursery());
                p.after_minor(p.nursery(), 0, 1, Collection::Minor);
            }
            p.nursery() / MIB
        };
        (0..8).map(|_| phase()).collect()
    }

    #[test]
    fn a_nursery_that_soon_grows_again_is_halved_late() {
        assert_eq!(phases(64 * MIB), [8, 16, 16, 16, 16, 16, 16, 16]);
        assert_eq!(phases(96 * MIB), [8, 16, 16, 16, 16, 16, 16, 16]);
        assert_eq!(phases(512 * MIB), [4; 8]);
    }

    #[test]
    fn a_large_nursery_must_be_worth_it() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut minor = |young: usize, promoted: usize| p.after_minor(young, promoted, 1, Collection::Minor) / MIB;
        // A list that is dropped a moment later.
        assert_eq!([minor(4 * MIB, 4 * MIB), minor(16 * MIB, 16 * MIB), minor(7 * MIB, 0)], [16, 16, 64]);
        for _ in 0..4 * CALM / MIB {
            minor(64 * MIB, 0);
        }
        // What is kept.
        assert_eq!([minor(4 * MIB, 4 * MIB), minor(16 * MIB, 15 * MIB), minor(16 * MIB, 15 * MIB)], [16, 16, 4]);
        assert_eq!([minor(4 * MIB, 3 * MIB), minor(4 * MIB, 4 * MIB), minor(4 * MIB, 3 * MIB)], [4, 4, 4]);
        // It is over.
        assert_eq!([minor(4 * MIB, MIB), minor(8 * MIB, 5 * MIB)], [8, 16]);
    }

    /// The document's list, A3: two lists of a million cells are dropped, then everything is collected, and the third
    /// was promoted like the first, since `doGC` had shrunk the nursery: twelve times the time of half as many cells.
    #[test]
    fn what_is_promoted_and_dies_gets_a_larger_nursery() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let list = |p: &mut Policy| {
            for size in [p.nursery(), 16 * MIB] {
                if size <= 24 * MIB {
                    p.note_minor(size, size);
                    p.after_minor(size, size, 1, Collection::Minor);
                }
            }
            p.note_minor(3 * MIB, 0);
            p.after_minor(3 * MIB, 0, 1, Collection::Minor);
        };
        list(&mut p);
        assert_eq!(p.nursery(), 16 * MIB);
        list(&mut p);
        assert_eq!(p.nursery(), 4 * MIB);
        p.after_major(40 * MIB, MIB / 16, MIB);
        assert_eq!(p.after_minor(0, 0, 1, Collection::Full), 64 * MIB);
    }

    #[test]
    fn a_larger_nursery_that_was_no_use_is_not_tried_again_soon() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        // Everything survives the nursery, and has died when the old generation is collected.
        let mut phase = || {
            for _ in 0..3 {
                let young = p.nursery();
                p.note_minor(young, young);
                p.after_minor(young, young, 1, Collection::Minor);
            }
            p.after_major(200 * MIB, MIB, 2 * MIB);
            p.nursery() / MIB
        };
        let sizes: Vec<usize> = (0..8).map(|_| phase()).collect();
        assert_eq!(sizes, [64, 4, 16, 4, 4, 4, 16, 4]);
    }

    /// A sorting network whose threads die by the row (row B4): after each major collection the nursery became 64 MiB,
    /// and nearly all survived in it, since those threads were yet to run.
    #[test]
    fn a_larger_nursery_of_which_all_could_have_stayed_was_no_use_either() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        p.note_room(0, true);
        let mut phase = || {
            let young = p.nursery();
            p.note_minor(young, young);
            p.after_minor(young, young, 1, Collection::Minor);
            p.note_minor(50 * MIB, 50 * MIB);
            p.after_major(200 * MIB, MIB, 2 * MIB);
            p.nursery() / MIB
        };
        // More than the large one could hold is promoted in the phases that follow one.
        let sizes: Vec<usize> = (0..8).map(|_| phase()).collect();
        assert_eq!(sizes, [64, 2, 2, 64, 2, 2, 2, 2]);
    }

    #[test]
    fn a_small_limit_keeps_the_nursery_small() {
        let mut p = policy(Config { heap_max: Some(8 * MIB), ..Config::default() });
        assert_eq!(p.nursery(), 2 * MIB);
        assert_eq!(p.after_minor(2 * MIB, 2 * MIB, 2, Collection::Minor), MIB);
        assert_eq!(p.old_limit(0, 2), 6 * MIB);
        let mut fixed = policy(Config { nursery: Some(MIB), ..Config::default() });
        assert_eq!(fixed.after_minor(MIB, MIB, 1, Collection::Minor), MIB);
    }

    #[test]
    fn deep_stacks_count_in_the_limit() {
        let mut p = policy(Config { heap_max: Some(100 * MIB), ..Config::default() });
        p.set_stacks(60 * MIB);
        assert_eq!((p.limit(0), p.whole_limit(0)), (40 * MIB, 100 * MIB));
        p.set_stacks(200 * MIB);
        assert_eq!(p.limit(0), 0);
    }

    /// Phases of threads that block, or of a table that is filled.
    #[test]
    fn while_nearly_all_survives_nurseries_stay() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        p.note_room(0, true);
        let stay = |p: &mut Policy| {
            let mut bytes = 0;
            while p.stays() {
                bytes += p.nursery();
                p.after_settled(p.nursery());
            }
            bytes
        };
        let mut phase = |survives: usize| {
            let young = p.nursery();
            p.after_minor(young, young / 100 * survives, 1, Collection::Minor);
            (p.is_away(), stay(&mut p) / MIB, p.nursery() / MIB)
        };
        assert_eq!(phase(70), (false, 0, 16));
        assert_eq!(phase(90), (true, LEAST_TRUST / MIB, SAMPLE / MIB));
        assert_eq!(phase(85), (true, MOST_TRUST / MIB, SAMPLE / MIB));
        // It is over; what has stayed may have died.
        assert_eq!(phase(10), (false, 0, 32));
        assert_eq!(phase(90).1, LEAST_TRUST / MIB);
        // A collection that is asked for, and a fixed nursery, end it.
        p.after_minor(MIB, MIB, 1, Collection::Full);
        assert!(!p.is_away());
        p.set_nursery(Some(2 * MIB));
        assert_eq!(p.after_minor(2 * MIB, 2 * MIB, 1, Collection::Minor), 2 * MIB);
        assert!(!p.is_away());
    }

    /// A nursery was larger than its place, when what had stayed among the blocks may have died, or a major collection
    /// had suggested a size: it reached into the next worker's, who allocated over live objects.
    #[test]
    fn a_nursery_has_room_in_its_place() {
        const SLOT: usize = 8 * MIB;
        let new = || {
            let mut p = Policy::new(&Config { heap_max: Some(1 << 30), ..Config::default() }, SLOT);
            p.end_first();
            p
        };
        let away = |p: &mut Policy| {
            p.note_room(MIB, true);
            p.after_minor(4 * MIB, 4 * MIB, 1, Collection::Minor);
            while p.stays() {
                p.after_settled(2 * MIB);
            }
            assert!(p.is_away());
        };
        // The one that is traced has few survivors.
        let mut p = new();
        away(&mut p);
        assert_eq!(p.after_minor(SAMPLE, SAMPLE / 8, 1, Collection::Minor), 4 * MIB);
        // A nursery stays in a collection that becomes a major one, which finds that most has died.
        let mut p = new();
        away(&mut p);
        p.note_minor(32 * MIB, 32 * MIB);
        p.after_major(32 * MIB, MIB, MIB);
        assert_eq!((p.adopted(1), p.after_settled(2 * MIB), p.is_away()), (4 * MIB, 4 * MIB, false));
        // It is what it is whatever survives, or the user says.
        (0..20).for_each(|i| assert!(p.after_minor(4 * MIB, i % 4 * MIB, 1, Collection::Minor) <= 4 * MIB));
        p.set_nursery(Some(64 * MIB));
        assert_eq!(p.nursery(), 4 * MIB);
        // The nursery of a worker that joins others has its part of the limit.
        let mut p = Policy::new(&Config { heap_max: Some(16 * MIB), ..Config::default() }, 256 * MIB);
        p.several();
        assert_eq!([1, 2, 4].map(|workers| p.joining_nursery(workers)), [2 * MIB, 2 * MIB, MIB]);
    }
}
