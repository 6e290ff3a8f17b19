//! When the next major collection comes, and how much free memory one keeps.
//!
//! It comes when the old generation has grown by a certain amount, chosen by the last one. The amount is larger while
//! the program *builds*: more than half of the last nursery survived, or it is not long since one did. At the end of
//! such a phase all that it has made still lives, as a rule.
//!
//! ```text
//!   a major collection leaves `live` bytes
//!        |                        grown to `when_steady`: due
//!        +---- the program does not build ------------------------>
//!        |                        grown to `when_building` (at least as much): due
//!        +---- the program builds -------------------------------->
//!        |                        as much as lives, and 64 KiB, has trickled in: due
//!        +---- minor collections find next to nothing alive ------>
//! ```
//!
//! The user may say how much memory is spent (`spend`, thousandths of what lives): then both amounts are that, whatever
//! the size. Both are less near a limit that the heap must not pass, or is not to (`soft`).
//!
//! A major collection in slices begins when a part of the amount is left ([`MajorTrigger::room`]), by which the heap
//! grows while it is marked.

use crate::config::Collection;
use crate::space::BLOCK;

/// The old generation may grow by its live bytes between two major collections; a small one by twice as much, and by
/// more where that is less than `LEAST`, or less where it is more than `SLACK`. So what is marked is at most half of
/// what was promoted. (With 32 MiB for each heap however small, row F18 took three times the memory, and no less time;
/// with 8 MiB, row W3 four megabytes more, and no less time.)
const SLACK: usize = 32 << 20;
const LEAST: usize = 3 << 20;
/// Where blocks and runs take more than so many times what lives, the next major collection comes soon, since it will
/// evacuate.
const MUCH_LOST: usize = 2;
/// While a heap only grows, a major collection finds nothing: then the old generation may become this many times as
/// large. Otherwise phases that build pay for several collections that free nothing (row A5, and B3's sorter).
const GROWTH: usize = 4;
/// But only so many times if so much lives. It may be garbage by then: what is promoted may take the place of as much
/// that dies. Then fresh pages, which the kernel clears and a host may have to find, cost more than to mark what lives
/// (row A7).
const LATER_GROWTH: usize = 2;
const MUCH_LIVES: usize = 384 << 20;
/// So large the old generation may become before the first major collection, while it only grows; a quarter of the
/// limit at most. Before later ones, too, if it has been so large (row B4). Where major collections are made in slices
/// it may become `SLACK`: nurseries are small then, so much survives them in programs that build nothing (row P2:
/// 10,000 threads that keep 8 MB took 140), and a marking that finds nothing stops nobody.
const FIRST: usize = 192 << 20;
/// A major collection that frees more than half shows that what was made does not stay: then a quarter of the largest
/// size is forgotten, down to this. (A cache whose entries were replaced at random, 12 MB of them, kept 244 MB, and one
/// of 50 MB 319, as long as it ran. With 64 MiB the set-up of sorting networks takes a tenth more time, row B4.)
const FORGOTTEN: usize = 96 << 20;
/// What survives where next to nothing does is mostly what lived by chance, and dies soon. When so much of it is there,
/// and as much as lives, a major collection takes it: one that marks little, after dozens of minor ones (row B1,
/// callcc).
const TRICKLE: usize = 64 << 10;
/// Next to nothing: less than this part.
pub(super) const NEXT_TO_NOTHING: usize = 64;
/// A heap that has grown counts as growing until the program has allocated this part of what lives.
const PATIENCE: usize = 2;
/// Least free memory that a major collection keeps.
const KEPT: usize = 8 << 20;
/// A major collection that frees no more than this part of the old generation has found nothing; where nurseries have
/// stayed where they are, as much is dead in them (row A5, at a million).
const NOTHING: usize = 16;
const NOTHING_SETTLED: usize = 5;

/// Where the user says what is spent, at least so much counts as alive: the nursery is a quarter of the rest (row A4).
const LEAST_SPENT: usize = 8 << 20;
/// The part of what lives by which the heap grows at least between two collections where a soft limit is passed:
/// marking a byte costs about as much as copying it, so such a program spends a few times as much on collections.
const SOFT: usize = 8;
const LEAST_SOFT: usize = 1 << 20;
/// It grows by this part of what is spent at least, however much is lost in blocks: by less than a nursery. (With a
/// quarter two nurseries were promoted each time, and the peak where small objects die at random was 1.82 times what
/// lives, not 1.73.)
const LEAST_GROWTH: usize = 5;
/// Nurseries take a quarter of what is spent beside what lives, or of so much.
const LEAST_SPARE: usize = 4 << 20;
/// While it is marked in slices a heap may grow by this part of what lives, or by so many bytes, if there is more room.
const ROOM: usize = 2;
const LEAST_ROOM: usize = 16 << 20;

/// Which blocks a major collection evacuates.
pub(crate) struct Cleaning {
    /// Some, when so many bytes are lost in all of them.
    pub when_lost: usize,
    /// Those that have lost so many bytes at least, the sparsest ones first, until so many are to be copied.
    pub least: usize,
    pub budget: usize,
}

pub(super) struct MajorTrigger {
    /// What the user says: thousandths of what lives, bytes; and the limit, as far as it is known.
    spend: Option<usize>,
    soft: Option<usize>,
    limit: Option<usize>,
    is_sliced: bool,
    /// The heap may grow by so much while it is marked in slices; and by no more where a limit is near.
    room: usize,
    most_room: usize,
    /// What the last major collection has found: bytes that blocks and runs take, and whether next to nothing was dead.
    /// There was one.
    used: usize,
    only_grows: bool,
    has_been: bool,
    /// A major collection is due when so much lives; while the program builds, when so much does.
    when_steady: usize,
    when_building: usize,
    /// The last minor collection promoted more than half of what it saw.
    is_building: bool,
    /// Bytes allocated since one did.
    since_built: usize,
    /// The most that the old generation held when a major collection came.
    largest: usize,
    /// Since the last major collection: what the minor ones saw, and what they promoted.
    young: usize,
    promoted: usize,
    /// What those promoted of which next to nothing survived; what lived at that major collection.
    trickle: usize,
    lived: usize,
    /// A nursery has stayed where it is since the last major collection.
    has_settled: bool,
    /// By so much the last major collection made blocks and runs less.
    emptied: usize,
}

impl MajorTrigger {
    pub fn new() -> MajorTrigger {
        MajorTrigger {
            spend: None,
            soft: None,
            limit: None,
            is_sliced: false,
            room: LEAST_ROOM,
            most_room: usize::MAX,
            used: 0,
            only_grows: false,
            has_been: false,
            when_steady: LEAST,
            when_building: FIRST,
            is_building: false,
            since_built: usize::MAX,
            largest: 0,
            young: 0,
            promoted: 0,
            trickle: 0,
            lived: 0,
            has_settled: false,
            emptied: 0,
        }
    }

    /// The heap's limit, once it is known.
    pub fn set_limit(&mut self, limit: Option<usize>) {
        self.limit = limit;
        // Later ones take it into account when they have been made.
        if !self.has_been {
            self.decide();
        }
    }

    /// Major collections are made in slices.
    pub fn set_sliced(&mut self, is_sliced: bool) {
        self.is_sliced = is_sliced;
        self.decide();
    }

    /// How many thousandths of what lives the heap may have; None: as is worth it.
    pub fn set_spend(&mut self, thousandths: Option<usize>) {
        self.spend = thousandths;
        self.decide();
    }

    /// The heap is not to have more bytes than these, as long as that can be had.
    pub fn set_soft(&mut self, bytes: Option<usize>) {
        self.soft = bytes;
        self.decide();
    }

    /// By so much the heap may grow while it is marked in slices.
    pub fn room(&self) -> usize {
        self.room
    }

    /// A marking in slices begins with so many bytes: one that has grown for long may grow by half of that while it is
    /// marked.
    pub fn begin_marking(&mut self, live: usize) {
        self.decide();
        self.room = self.room.max((live.saturating_sub(self.lived) / ROOM).min(self.most_room));
    }

    /// What lived after the last major collection.
    pub fn lived(&self) -> usize {
        self.lived
    }

    /// What the user lets the heap have beside what lives, nurseries included.
    pub fn spare(&self) -> Option<usize> {
        let by_spend = self.spend.map(|thousandths| allowed(self.lived, thousandths) - self.lived);
        let by_soft = self.soft.map(|soft| soft.saturating_sub(self.lived));
        by_spend.min(by_soft).or(by_spend).or(by_soft).map(|spare| spare.max(LEAST_SPARE))
    }

    /// When blocks are evacuated, and which, if there are so many bytes of blocks that the last marking has seen.
    pub fn cleaning(&self, bytes: usize, kind: Collection) -> Cleaning {
        let mut cleaning = Cleaning { when_lost: bytes / 4, least: BLOCK / 4, budget: bytes / 4 };
        if let Some(spare) = self.spare() {
            // What the user says is spent is not for what is lost; nor for copies, which are there beside the
            // originals.
            let most = self.lived / 4;
            let budget = if self.soft.is_some() { most } else { (spare / 2).clamp(most / 2, most) };
            cleaning = Cleaning { when_lost: spare.min(bytes) / 4, least: BLOCK / 8, budget };
        }
        if kind >= Collection::Full {
            cleaning.budget = bytes / 2;
        }
        cleaning
    }

    /// When the next major collection is due, by what the last one has found.
    fn decide(&mut self) {
        let (live, used) = (self.lived, self.used);
        let by_growth = live + live.max((2 * live).clamp(LEAST, SLACK));
        let (mut steady, mut building) = match self.spend {
            Some(thousandths) => {
                let spare = allowed(live, thousandths) - live;
                // Holes and nurseries take their part of it.
                let growth = (spare / 3 * 2).saturating_sub(used.saturating_sub(live)).max(spare / LEAST_GROWTH);
                (live + growth, live + growth)
            }
            None if !self.has_been && self.is_sliced => (LEAST, SLACK),
            None if !self.has_been => (LEAST, FIRST.min(self.limit.map_or(FIRST, |limit| limit / 4)).max(SLACK)),
            None => {
                let growth = if live < MUCH_LIVES { GROWTH } else { LATER_GROWTH };
                let by_building = if self.only_grows { live.saturating_mul(growth) } else { 0 };
                let building = by_building.max(by_growth).max(self.largest.min(FIRST));
                // Most of what is there was lost, and the next one evacuates, which one in slices does not.
                let most =
                    if !self.is_sliced && used > MUCH_LOST * live { live + (live / 2).max(SLACK) } else { usize::MAX };
                (by_growth.min(most), building.min(most))
            }
        };
        if self.is_sliced && self.spend.is_none() {
            // A third of it is left to the marking.
            building = steady.max(live + (building - live) / 3 * 2);
        }
        let mut room = (live / ROOM).max(LEAST_ROOM);
        let mut most_room = usize::MAX;
        let bounded = [
            // What is promoted while a heap is marked comes on top.
            self.spend.map(|_| (steady - live, true)),
            self.soft.map(|soft| ((soft.saturating_sub(used) / 3 * 2).max(live / SOFT).max(LEAST_SOFT), true)),
            // Close to the limit collect earlier, but not at each minor collection. As much is left to the marking.
            self.limit
                .filter(|_| self.has_been || self.is_sliced)
                .map(|limit| ((limit.saturating_sub(used) / 2).max(live / 16), false)),
        ];
        for (growth, is_all) in bounded.into_iter().flatten() {
            let rest = if is_all { growth / 2 } else { growth / 4 * 3 };
            let most = live + if self.is_sliced && is_all { growth - rest } else { growth };
            (steady, building, most_room) = (steady.min(most), building.min(most), most_room.min(rest));
        }
        self.most_room = most_room.max(1 << 20);
        room = room.min(self.most_room);
        (self.when_steady, self.when_building, self.room) = (steady, building, room);
    }

    /// Whether the old generation has grown enough since the last major collection, or enough has trickled into it.
    pub fn is_due(&self, live: usize) -> bool {
        let is_building = self.is_building || self.since_built < live / PATIENCE;
        live > if is_building { self.when_building } else { self.when_steady } || self.trickle > self.lived.max(TRICKLE)
    }

    /// A minor collection of `young` bytes has promoted so many.
    pub fn note_minor(&mut self, young: usize, promoted: usize) {
        self.is_building = promoted > young / 2;
        self.since_built = if self.is_building { 0 } else { self.since_built.saturating_add(young) };
        self.young += young;
        self.promoted += promoted;
        if promoted * NEXT_TO_NOTHING < young {
            self.trickle += promoted;
        }
    }

    /// A nursery has become old where it is.
    pub fn note_settled(&mut self) {
        self.has_settled = true;
    }

    /// After a major collection that left `live` of `before` bytes, in `used` bytes of blocks and runs. The bytes that
    /// were promoted since the one before it, if they were most of what was allocated and died all the same; where more
    /// lives than died, a nursery for them would be as large as the rest of the heap (rows F14, F30).
    pub fn after(&mut self, before: usize, live: usize, used: usize) -> Option<usize> {
        let nothing = if std::mem::take(&mut self.has_settled) { NOTHING_SETTLED } else { NOTHING };
        let freed = before.saturating_sub(live);
        self.only_grows = freed <= before / nothing;
        let largest = self.largest.max(before);
        self.largest = if freed > before / 2 { largest.min((before / 4 * 3).max(FORGOTTEN)) } else { largest };
        (self.used, self.has_been) = (used, true);
        let (young, promoted) = (std::mem::take(&mut self.young), std::mem::take(&mut self.promoted));
        (self.trickle, self.lived, self.emptied) = (0, live, 0);
        self.decide();
        (promoted > young / 2 && freed > promoted / 4 * 3 && freed > 2 * live).then_some(promoted)
    }

    /// It has emptied so many bytes of blocks and runs.
    pub fn note_emptied(&mut self, bytes: usize) {
        self.emptied = bytes;
    }

    /// Free memory that is kept after a major collection: what the old generation grows by until the next one, as far
    /// as it follows what lives; all of it while nearly all survives. Given back, it would be asked for again at once,
    /// and a page costs more than copying what fills it (row B4). Where objects die here and there in blocks, and
    /// nurseries stay, the blocks grow by twice as much until one that evacuates: then that is kept.
    pub fn keep_free(&self, live: usize) -> usize {
        if self.spend.is_some() || self.soft.is_some() {
            return self.when_building.saturating_sub(live);
        }
        let growth = if self.is_building { self.when_building.saturating_sub(live) } else { 0 };
        growth.max(live).max(KEPT).max(self.emptied.min(2 * live))
    }
}

/// What a heap may have in which so much lives.
fn allowed(live: usize, thousandths: usize) -> usize {
    (live.max(LEAST_SPENT) as u128 * thousandths as u128 / 1000).min(usize::MAX as u128 / 2) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;
    const LIMIT: Option<usize> = Some(1 << 30);

    /// A million connections that wait anew for each message (row A7): what is promoted takes the place of what dies,
    /// and the heap looks like one that grows. It became four times as large, of fresh pages.
    #[test]
    fn a_large_heap_that_grows_is_marked_when_it_has_doubled() {
        let mut trigger = MajorTrigger::new();
        let mut most = |before: usize, live: usize| {
            trigger.after(before * MIB, live * MIB, (live + 8) * MIB);
            trigger.when_building / MIB
        };
        assert_eq!([most(200, 198), most(793, 741), most(1_500, 1_490)], [4 * 198, 2 * 741, 2 * 1_490]);
        // One that has found something.
        assert_eq!([most(300, 200), most(1_500, 700)], [400, 1_400]);
    }

    #[test]
    fn a_small_heap_grows_by_twice_what_lives() {
        let mut trigger = MajorTrigger::new();
        for (live, due) in [(1, 4), (5, 15), (12, 36), (20, 52), (40, 80)] {
            trigger.after(100 * MIB, live * MIB, live * MIB);
            assert!(!trigger.is_due(due * MIB) && trigger.is_due(due * MIB + 1), "{live}");
        }
    }

    /// Threads by continuations (row B1) leave 2 KB of each nursery, for what was captured at that moment: of ten times
    /// the steps five times the memory, up to 32 MiB.
    #[test]
    fn what_trickles_in_is_taken_soon() {
        let mut trigger = MajorTrigger::new();
        let mut after = |live: usize, bytes: usize| {
            trigger.after(live, live, live);
            let mut minors = 0;
            while !trigger.is_due(live + minors * bytes) {
                trigger.note_minor(4 * MIB, bytes);
                minors += 1;
            }
            minors
        };
        assert_eq!(after(MIB / 16, 2 << 10), TRICKLE / (2 << 10) + 1);
        // Of a large heap as much as lives.
        assert_eq!(after(20 * MIB, 60 << 10), 20 * MIB / (60 << 10) + 1);
        // More than a trickle: only when the heap has grown.
        assert_eq!(after(MIB, 70 << 10), LEAST / (70 << 10) + 1);
    }

    #[test]
    fn the_next_major_collection_follows_what_lives() {
        let mut trigger = MajorTrigger::new();
        trigger.set_limit(LIMIT);
        assert!(!trigger.is_due(LEAST) && trigger.is_due(LEAST + 1));
        trigger.note_minor(MIB, MIB);
        assert!(!trigger.is_due(FIRST) && trigger.is_due(FIRST + 1));
        trigger.after(200 * MIB, 100 * MIB, 110 * MIB);
        assert!(!trigger.is_due(200 * MIB) && trigger.is_due(201 * MIB));
        // It found nothing, and what is young lives: later, until one of both changes.
        trigger.after(101 * MIB, 100 * MIB, 110 * MIB);
        trigger.note_minor(10 * MIB, 9 * MIB);
        assert!(!trigger.is_due(400 * MIB) && trigger.is_due(401 * MIB));
        trigger.note_minor(10 * MIB, 4 * MIB);
        assert!(!trigger.is_due(201 * MIB), "it may still be growing");
        trigger.note_minor(100 * MIB, 4 * MIB);
        assert!(trigger.is_due(201 * MIB));
        // What 13 % is: something, but next to nothing where nurseries have stayed, as those of a million threads on
        // time-outs (row A5: 197 MB, then 370, of which so much was dead each time).
        trigger.after(197 * MIB, 172 * MIB, 180 * MIB);
        trigger.note_minor(2 * MIB, 2 * MIB);
        assert!(trigger.is_due(345 * MIB));
        trigger.note_settled();
        trigger.after(197 * MIB, 172 * MIB, 180 * MIB);
        trigger.note_minor(2 * MIB, 2 * MIB);
        assert!(!trigger.is_due(536 * MIB));
        // Near the limit: when half of the rest is used.
        trigger.after(900 * MIB, 900 * MIB, 924 * MIB);
        trigger.note_minor(10 * MIB, 9 * MIB);
        assert!(!trigger.is_due(950 * MIB) && trigger.is_due(957 * MIB));
    }

    /// What the user says is spent holds for every size, and whether the program builds or not.
    #[test]
    fn the_user_says_how_much_memory_is_spent() {
        let mut trigger = MajorTrigger::new();
        trigger.set_spend(Some(1500));
        // Before the first one a heap of 12 MiB, as if 8 lived; a quarter is the nurseries', and some is lost.
        assert!(!trigger.is_due(8 * MIB) && trigger.is_due(8 * MIB + 1));
        let mut due = |thousandths: usize, live: usize, used: usize| {
            trigger.set_spend(Some(thousandths));
            trigger.note_minor(MIB, MIB);
            trigger.after(live * MIB, live * MIB, used * MIB);
            assert_eq!(trigger.when_building, trigger.when_steady);
            trigger.when_steady / MIB
        };
        assert_eq!([due(1500, 100, 100), due(2000, 100, 100), due(8000, 1000, 1000)], [133, 166, 1000 + 4666]);
        // Holes take their part, but not all of it.
        assert_eq!([due(2000, 100, 120), due(2000, 100, 190)], [146, 120]);
        // In slices: half of that is left to the marking.
        trigger.set_sliced(true);
        assert_eq!((trigger.when_steady, trigger.room() * 2), ((120 * MIB + 100 * MIB) / 2, 20 * MIB));
        trigger.set_spend(None);
        assert_eq!((trigger.when_steady / MIB, trigger.room() / MIB), (200, 50));
        assert_eq!(trigger.spare(), None);
    }

    /// What is copied is there twice for a moment. Where little is spent that is more than the spare part has, but less
    /// cannot keep up with what dies.
    #[test]
    fn what_is_evacuated_is_bounded() {
        let mut trigger = MajorTrigger::new();
        trigger.after(200 * MIB, 100 * MIB, 150 * MIB);
        let figures = |trigger: &MajorTrigger, kind: Collection| {
            let cleaning = trigger.cleaning(160 * MIB, kind);
            (cleaning.when_lost / MIB, cleaning.least, cleaning.budget / MIB)
        };
        assert_eq!(figures(&trigger, Collection::Major), (40, BLOCK / 4, 40));
        assert_eq!(figures(&trigger, Collection::Full), (40, BLOCK / 4, 80));
        for (thousandths, when_lost, budget) in [(1040, 1, 12), (1500, 12, 25), (4000, 40, 25)] {
            trigger.set_spend(Some(thousandths));
            assert_eq!(figures(&trigger, Collection::Minor), (when_lost, BLOCK / 8, budget));
        }
        trigger.set_spend(None);
        trigger.set_soft(Some(90 * MIB));
        assert_eq!(figures(&trigger, Collection::Minor), (1, BLOCK / 8, 25));
    }

    /// Pairs that die at random: of the old generation two thirds were lost, and it grew by as much as lives once more.
    #[test]
    fn where_most_is_lost_the_next_collection_comes_soon() {
        let mut trigger = MajorTrigger::new();
        let mut due = |live: usize, used: usize| {
            trigger.note_minor(MIB, MIB);
            trigger.after(280 * MIB, live * MIB, used * MIB);
            trigger.when_building / MIB
        };
        assert_eq!([due(100, 200), due(100, 201), due(200, 500), due(10, 60)], [200, 150, 300, 42]);
        trigger.set_sliced(true);
        trigger.after(280 * MIB, 100 * MIB, 201 * MIB);
        assert_eq!(trigger.when_steady / MIB, 200);
    }

    #[test]
    fn near_a_soft_limit_collections_come_earlier() {
        let mut trigger = MajorTrigger::new();
        let mut due = |soft: usize, live: usize| {
            trigger.set_soft(Some(soft * MIB));
            trigger.after(live * MIB, live * MIB, live * MIB);
            (trigger.when_steady / MIB, trigger.spare().unwrap() / MIB)
        };
        assert_eq!([due(1000, 100), due(1000, 800)], [(200, 900), (933, 200)]);
        // Beyond it the program goes on, with collections that are frequent, but not at each minor one.
        assert_eq!([due(1000, 1200), due(10, 800)], [(1350, 4), (900, 4)]);
        trigger.set_sliced(true);
        assert_eq!((trigger.when_steady / MIB, trigger.room() / MIB), (850, 50));
    }

    /// What is promoted while a heap is marked must have room below the limit, too.
    #[test]
    fn near_the_limit_a_heap_is_marked_faster() {
        let mut trigger = MajorTrigger::new();
        trigger.set_limit(LIMIT);
        trigger.set_sliced(true);
        let mut room = |live: usize| {
            trigger.after(live * MIB, live * MIB, live * MIB);
            (trigger.when_steady / MIB, trigger.room() / MIB)
        };
        assert_eq!([room(100), room(824)], [(200, 50), (924, 75)]);
    }

    /// Row B4: ten collections for 40 to 190 MiB that lived, and most of the memory that each gave back was asked for
    /// again.
    #[test]
    fn what_was_large_before_may_become_so_again() {
        let mut trigger = MajorTrigger::new();
        trigger.note_minor(10 * MIB, 10 * MIB);
        trigger.after(160 * MIB, 40 * MIB, 50 * MIB);
        assert!(!trigger.is_due(120 * MIB) && trigger.is_due(121 * MIB));
        assert_eq!(trigger.keep_free(40 * MIB), 80 * MIB);
        trigger.note_minor(100 * MIB, MIB);
        assert!(!trigger.is_due(80 * MIB) && trigger.is_due(81 * MIB));
        assert_eq!([MIB, 40 * MIB].map(|live| trigger.keep_free(live)), [KEPT, 40 * MIB]);
        // No larger than a heap may become at first.
        trigger.note_minor(10 * MIB, 10 * MIB);
        trigger.after(500 * MIB, 40 * MIB, 50 * MIB);
        assert!(!trigger.is_due(FIRST) && trigger.is_due(FIRST + 1));
    }

    /// A cache whose entries are replaced: nearly all that is made survives its first collection, so the program seems
    /// to build for ever. Its heap stayed at 192 MiB, of which 12 lived.
    #[test]
    fn what_was_large_before_is_forgotten_where_most_dies() {
        let mut trigger = MajorTrigger::new();
        let mut due = FIRST / MIB;
        let mut sizes = vec![];
        for _ in 0..4 {
            trigger.note_minor(10 * MIB, 10 * MIB);
            trigger.after(due * MIB, 12 * MIB, 20 * MIB);
            due = trigger.when_building / MIB;
            sizes.push(due);
        }
        assert_eq!(sizes, [144, 108, 96, 96]);
    }

    /// Row F18: a large array at each step, of which two live, and nothing else, so all of the few bytes in the nursery
    /// survive. Such a heap has never been large; it was taken for one of 96 MiB, and took 100 MB where it needs 4.
    #[test]
    fn what_was_never_large_is_not_remembered_as_large() {
        let mut trigger = MajorTrigger::new();
        for before in [2 * MIB, 4 * MIB, 4 * MIB] {
            trigger.note_minor(176, 176);
            trigger.after(before, MIB, 2 * MIB);
            assert_eq!(trigger.when_building, 4 * MIB);
        }
    }

    /// Where objects die here and there, every second collection evacuates, and empties twice what lives.
    #[test]
    fn what_was_emptied_is_kept() {
        let mut trigger = MajorTrigger::new();
        let mut keep = |emptied: usize| {
            trigger.after(100 * MIB, 50 * MIB, 80 * MIB);
            trigger.note_emptied(emptied * MIB);
            trigger.keep_free(50 * MIB) / MIB
        };
        assert_eq!([keep(0), keep(90), keep(400), keep(0)], [50, 90, 100, 50]);
    }
}
