//! When to collect what: the nursery's size, the next major collection, the heap's limit, what is given back.
//!
//! Only numbers, no memory is touched here.

use crate::config::{Collection, Config};
use crate::space::{HUGE, default_limit};

pub(crate) const NURSERY: usize = 4 << 20;
const MOST_NURSERY: usize = 64 << 20;
/// So much of it a nursery takes of pages that would be given back.
const MOST_ADOPTED: usize = 32 << 20;
/// A nursery of this size of which nearly all survives, twice in a row, is no better than a small one: see [`Policy::after_minor`].
const LARGE_NURSERY: usize = 16 << 20;
/// A nursery that stays where it is.
/// Small, so that its headers are still in the cache when they are written.
const SETTLED: usize = 2 << 20;
/// The least that is worth the collection, where free memory lies scattered.
const LEAST_SETTLED: usize = 256 << 10;
/// One that is traced in between.
const SAMPLE: usize = 1 << 20;
/// Least and most bytes that stay before one is traced. More would be wasted where the program begins with something else.
const LEAST_TRUST: usize = 8 << 20;
const MOST_TRUST: usize = 16 << 20;
/// A nursery may become large enough for what has stayed and died, if that is no more.
const MOST_REGRET: usize = 32 << 20;
const LEAST_NURSERY: usize = 64 << 10;
/// The old generation may grow by its live bytes, or by this, between two major collections.
const SLACK: usize = 32 << 20;
/// While a heap only grows, a major collection finds nothing: then the old generation may become this many times as large.
const GROWTH: usize = 4;
/// But only so many times if so much lives. It may be garbage by then: what is promoted may take the place of as much that
/// dies. Then fresh pages, which the kernel clears and a host may have to find, cost more than to mark what lives.
const LATER_GROWTH: usize = 2;
const MUCH_LIVES: usize = 384 << 20;
/// While the old generation is smaller, nurseries may stay where they are. In a larger one they are copied, so that what is
/// dead in them, a tenth to a fifth, does not take memory.
const LARGE_HEAP: usize = 768 << 20;
/// So much more memory must be left, twice over.
const ROOM: usize = 256 << 20;
/// So large the old generation may become before the first one, while it only grows; a quarter of the limit at most. Before
/// later ones, too, if it has been so large.
const FIRST: usize = 192 << 20;
/// What survives where next to nothing does is mostly what lived by chance, and dies soon. When so much of it is there, and as
/// much as lives, a major collection takes it: one that marks little, after hundreds of minor ones.
const TRICKLE: usize = 256 << 10;
/// Next to nothing: less than this part.
const NEXT_TO_NOTHING: usize = 64;
/// A heap that has grown counts as growing until the program has allocated this part of what lives.
const PATIENCE: usize = 2;
/// Least free memory that a major collection keeps.
const KEPT: usize = 8 << 20;
/// A major collection that frees no more than this part of the old generation has found nothing; where nurseries have stayed
/// where they are, as much is dead in them.
const NOTHING: usize = 16;
const NOTHING_SETTLED: usize = 5;
/// The default limit is looked up when the heap, nurseries included, is larger than this.
const SMALL_HEAP: usize = 16 << 20;
/// A grown nursery is halved when so many bytes have been allocated with next to no survivors: see [`Policy::note_calm`].
const CALM: usize = 64 << 20;
/// Minor collections of such bytes that halve it in any case.
const MOST_CALM: usize = 64;
/// Most suggestions of major collections that go by.
const MOST_CAUTION: u32 = 63;

pub(crate) struct Policy {
    nursery: usize,
    is_fixed: bool,
    /// Most bytes of a nursery that the reservation has room for.
    slot: usize,
    /// Bytes allocated in a grown nursery with next to no survivors since the last collection that had many; how many halve
    /// it. The size that it had after the last halving, or to which it has grown since: a larger one has grown anew.
    calm: usize,
    calm_enough: usize,
    known: usize,
    /// Collections in a row of a large nursery of which nearly all survived.
    in_vain: u32,
    /// The limit, when known.
    heap_max: Option<usize>,
    /// What deep stacks take of it.
    stacks: usize,
    /// A major collection is due when so much lives; while the heap only grows, when so much does.
    next_major: usize,
    last_major: usize,
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
    /// The nursery has the size that a major collection suggested; how many suggestions go by after one that was wrong, and
    /// how many still do: see [`Policy::after_major`].
    is_suggested: bool,
    caution: u32,
    pass_by: u32,
    /// Nurseries may stay where they are: see [`Policy::after_minor`].
    may_settle: bool,
    /// How many bytes stay between two nurseries that are traced, 0: none; how many still do; how many did in this phase.
    trust: usize,
    unseen: usize,
    settled: usize,
    /// One has stayed since the last major collection.
    has_settled: bool,
}

impl Policy {
    pub fn new(config: &Config, slot: usize) -> Policy {
        let mut policy = Policy {
            nursery: NURSERY,
            is_fixed: false,
            slot,
            calm: 0,
            calm_enough: CALM,
            known: usize::MAX,
            in_vain: 0,
            heap_max: config.heap_max,
            stacks: 0,
            next_major: SLACK,
            last_major: FIRST,
            is_building: false,
            since_built: usize::MAX,
            largest: 0,
            young: 0,
            promoted: 0,
            trickle: 0,
            lived: 0,
            is_suggested: false,
            caution: 0,
            pass_by: 0,
            may_settle: false,
            trust: 0,
            unseen: 0,
            settled: 0,
            has_settled: false,
        };
        policy.limit_first();
        policy.set_nursery(config.nursery);
        policy.nursery = policy.capped(policy.nursery, 1);
        policy
    }

    /// Bytes of each nursery.
    pub fn nursery(&self) -> usize {
        self.nursery
    }

    pub fn set_nursery(&mut self, bytes: Option<usize>) {
        self.end_settling();
        self.is_fixed = bytes.is_some();
        let slot = self.slot - 3 * HUGE;
        self.nursery = bytes.unwrap_or(NURSERY).clamp(LEAST_NURSERY, slot).next_multiple_of(4096);
    }

    /// The nursery, if its size is not fixed, is that of a program that begins.
    pub fn begin_anew(&mut self) {
        self.end_settling();
        if !self.is_fixed {
            self.nursery = NURSERY;
        }
    }

    pub fn set_heap_max(&mut self, bytes: Option<usize>) {
        self.heap_max = bytes;
    }

    pub fn set_stacks(&mut self, bytes: usize) {
        self.stacks = bytes;
    }

    pub fn stacks(&self) -> usize {
        self.stacks
    }

    /// The limit on the heap, stacks included. Looked up in the system only for a heap that is not small.
    pub fn whole_limit(&mut self, used: usize) -> usize {
        match self.heap_max {
            Some(limit) => limit,
            None if used.saturating_add(self.stacks) < SMALL_HEAP => usize::MAX,
            None => {
                let limit = *self.heap_max.insert(default_limit());
                self.limit_first();
                limit
            }
        }
    }

    fn limit_first(&mut self) {
        if let Some(limit) = self.heap_max {
            self.last_major = self.last_major.min(limit / 4).max(SLACK);
        }
    }

    /// The limit on the heap alone.
    pub fn limit(&mut self, used: usize) -> usize {
        self.whole_limit(used).saturating_sub(self.stacks)
    }

    /// The limit, 0 when not looked up yet.
    pub fn known_limit(&self) -> usize {
        self.heap_max.unwrap_or(0)
    }

    /// What of it the old generation may have, beside the nurseries of so many workers.
    pub fn old_limit(&mut self, used: usize, workers: usize) -> usize {
        let limit = self.limit(used.saturating_add(self.nursery * workers));
        limit - (self.nursery * workers).min(limit / 4)
    }

    /// A nursery takes a quarter of the heap at most, all workers' together.
    fn capped(&self, nursery: usize, workers: usize) -> usize {
        match self.heap_max {
            Some(limit) => nursery.min(limit / 4 / workers.max(1)).max(LEAST_NURSERY).next_multiple_of(4096),
            None => nursery,
        }
    }

    /// So many bytes of a nursery of the present size may come from elsewhere: it has room for them in its slot.
    pub fn adopted(&self, workers: usize) -> usize {
        self.capped(self.nursery.min(MOST_ADOPTED).min(self.slot - 3 * HUGE), workers)
    }

    /// The next nursery that is full stays where it is.
    pub fn stays(&self) -> bool {
        self.unseen > 0
    }

    /// The nursery lies among the blocks.
    pub fn is_away(&self) -> bool {
        self.trust > 0
    }

    /// Whether the old generation has grown enough since the last major collection, or enough has trickled into it.
    ///
    /// A phase that builds is over some time after its last nursery: at its end all that it has made still lives, as a rule.
    pub fn is_major_due(&self, live: usize) -> bool {
        let is_building = self.is_building || self.since_built < live / PATIENCE;
        live > if is_building { self.last_major } else { self.next_major } || self.trickle > self.lived.max(TRICKLE)
    }

    /// After a major collection that left `live` of `before` bytes, in `used` bytes of blocks and runs.
    ///
    /// When most of what was allocated since the last one was promoted, and died all the same (a large list that is dropped),
    /// the minor collections copied it in vain: it would have died in a nursery that holds all of it. So the nursery becomes
    /// that large. If it turns out that as much survives in it, the next suggestions go by, twice as many each time.
    /// While nurseries stay, they do so because nearly all survives at first: then only a nursery that holds all of it is
    /// worth a trial.
    pub fn after_major(&mut self, before: usize, live: usize, used: usize) {
        let by_growth = live + live.max(SLACK);
        let nothing = if std::mem::take(&mut self.has_settled) { NOTHING_SETTLED } else { NOTHING };
        let only_grows = before.saturating_sub(live) <= before / nothing;
        self.largest = self.largest.max(before);
        let growth = if live < MUCH_LIVES { GROWTH } else { LATER_GROWTH };
        let by_building = if only_grows { live.saturating_mul(growth) } else { 0 };
        let at_most = by_building.max(by_growth).max(self.largest.min(FIRST));
        // Close to the limit collect earlier, but not at each minor collection.
        let by_limit = match self.heap_max {
            Some(limit) => live + (limit.saturating_sub(used) / 2).max(live / 16),
            None => usize::MAX,
        };
        self.next_major = by_growth.min(by_limit);
        self.last_major = at_most.min(by_limit);
        let (young, promoted) = (std::mem::take(&mut self.young), std::mem::take(&mut self.promoted));
        (self.trickle, self.lived) = (0, live);
        let died_late = promoted > young / 2 && before.saturating_sub(live) > promoted / 4 * 3;
        let may_hold = promoted <= MOST_NURSERY || !self.is_away();
        if !self.is_fixed && died_late && may_hold && promoted > self.nursery {
            if self.pass_by > 0 {
                self.pass_by -= 1;
            } else {
                self.nursery = promoted.next_power_of_two().min(MOST_NURSERY);
                self.in_vain = 0;
                self.is_suggested = true;
                self.end_settling();
            }
        }
    }

    /// Free memory that is kept after a major collection: what the old generation grows by until the next one, as far as it
    /// follows what lives; all of it while nearly all survives. Given back, it would be asked for again at once, and a page
    /// costs more than copying what fills it.
    pub fn keep_free(&self, live: usize) -> usize {
        let growth = if self.is_building { self.last_major.saturating_sub(live) } else { 0 };
        growth.max(live).max(KEPT)
    }

    /// A minor collection of `young` bytes has promoted so many. Asked before [`is_major_due`](Policy::is_major_due).
    pub fn note_minor(&mut self, young: usize, promoted: usize) {
        self.is_building = promoted > young / 2;
        self.since_built = if self.is_building { 0 } else { self.since_built.saturating_add(young) };
        self.young += young;
        self.promoted += promoted;
        if promoted * NEXT_TO_NOTHING < young {
            self.trickle += promoted;
        }
    }

    /// The old generation has `used` bytes; `is_alone`: there is one worker. Asked before [`after_minor`](Policy::after_minor).
    pub fn note_room(&mut self, used: usize, is_alone: bool) {
        let is_plenty = used.saturating_add(ROOM) < self.limit(used) / 2;
        self.may_settle = is_alone && used < LARGE_HEAP && is_plenty;
    }

    /// After one in which a nursery of `young` bytes stayed where it was: the nursery's size from now on.
    pub fn after_settled(&mut self, young: usize) -> usize {
        self.has_settled = true;
        if self.is_away() {
            self.settled += young;
            self.unseen = self.unseen.saturating_sub(young);
            self.nursery = if self.unseen > 0 { SETTLED } else { SAMPLE };
        }
        self.nursery = self.capped(self.nursery, 1);
        self.nursery
    }

    /// Nearly all has survived. If the nursery had the size that a major collection suggested, the next suggestions go by.
    fn suggestion_was_wrong(&mut self) {
        if std::mem::take(&mut self.is_suggested) {
            self.caution = (2 * self.caution + 1).min(MOST_CAUTION);
            self.pass_by = self.caution;
        }
    }

    /// So large at least the next nursery must be. One that is traced must not be smaller, or it would tell less.
    pub fn least_nursery(&self) -> usize {
        if self.stays() { self.nursery.min(LEAST_SETTLED) } else { self.nursery }
    }

    fn end_settling(&mut self) {
        (self.trust, self.unseen, self.settled) = (0, 0, 0);
    }

    /// Next to nothing of `young` bytes has survived. A nursery that has grown is halved when that has been so for a while: a
    /// smaller one is in the cache. When it has to grow again, the next time takes twice as long, so that a program with phases
    /// does not pay for both each time; once it has its first size again, half as long.
    fn note_calm(&mut self, young: usize) {
        if self.nursery <= NURSERY {
            self.calm = 0;
            return;
        }
        if self.nursery > self.known {
            self.calm_enough = (2 * self.calm_enough).min(MOST_CALM * MOST_NURSERY);
            self.known = self.nursery;
        }
        self.calm += young;
        if self.calm >= self.calm_enough.min(MOST_CALM * self.nursery) {
            self.nursery /= 2;
            self.known = self.nursery;
            self.calm = 0;
            if self.nursery <= NURSERY {
                self.calm_enough = (self.calm_enough / 2).max(CALM);
            }
        }
    }

    /// After a minor collection of `young` bytes, of which `promoted` survived: the nursery's size from now on.
    ///
    /// When nearly everything survives, the next nurseries stay where they are: 8 MiB, then 16 each time that a small one
    /// that is traced between them says that it is still so. When it is not, what has stayed may have died, too: then
    /// it would have died in a nursery that holds all of it.
    ///
    /// A larger nursery gives objects more time to die. When nearly everything survives all the same (a million threads
    /// that block), it only costs: pages that were never touched, and objects that the cache does not hold any more.
    /// So a large one grows on only when less has survived the next time, and else becomes small until less survives.
    pub fn after_minor(&mut self, young: usize, promoted: usize, workers: usize, kind: Collection) -> usize {
        let workers = workers.max(1);
        let was_filled = kind == Collection::Minor && young * 2 >= self.nursery;
        if self.may_settle && !self.is_fixed && was_filled && promoted * 5 >= young * 4 {
            self.suggestion_was_wrong();
            self.trust = (2 * self.trust).clamp(LEAST_TRUST, MOST_TRUST);
            self.unseen = self.trust;
            self.calm = 0;
            self.nursery = self.capped(SETTLED, workers);
            return self.nursery;
        }
        if self.is_away() {
            let may_have_died = was_filled && promoted * 2 <= young && self.settled + NURSERY <= MOST_REGRET;
            self.nursery = if may_have_died { (self.settled + NURSERY).next_power_of_two() } else { NURSERY };
            self.end_settling();
            return self.capped(self.nursery, workers);
        }
        if !self.is_fixed && self.in_vain > 0 && promoted * 2 <= young && young * 4 >= self.nursery {
            // What survived the last time would have died in a larger one.
            if self.in_vain == 1 {
                self.nursery *= 4;
            }
            self.in_vain = 0;
        }
        // A collection that the program asked for says nothing of how full the nursery gets.
        let was_full = kind == Collection::Minor && young * 2 >= self.nursery;
        if !self.is_fixed && was_full {
            if self.nursery >= LARGE_NURSERY && promoted * 4 > young * 3 {
                self.in_vain += 1;
                if self.in_vain >= 2 {
                    self.nursery = NURSERY;
                    self.suggestion_was_wrong();
                }
            } else if promoted * 2 > young {
                if self.in_vain < 2 {
                    self.nursery *= 4;
                }
            } else if promoted * 8 > young {
                self.nursery *= 2;
            }
            if promoted * 8 > young {
                self.calm = 0;
            } else if promoted * NEXT_TO_NOTHING < young {
                self.note_calm(young);
            }
        }
        if !self.is_fixed {
            self.nursery = self.nursery.min(MOST_NURSERY).min(self.slot - 3 * HUGE);
        }
        self.limit(self.nursery * workers);
        self.nursery = self.capped(self.nursery, workers);
        self.nursery
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn policy(config: Config) -> Policy {
        Policy::new(&config, 256 * MIB)
    }

    #[test]
    fn the_nursery_follows_what_survives() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut minor = |young: usize, promoted: usize| p.after_minor(young, promoted, 1, Collection::Minor) / MIB;
        assert_eq!(minor(4 * MIB, 3 * MIB), 16);
        assert_eq!(minor(16 * MIB, 3 * MIB), 32);
        assert_eq!(minor(32 * MIB, 2 * MIB), 32);
        // Asked for by the program when it was nearly empty.
        assert_eq!(minor(MIB, MIB), 32);
        assert_eq!(minor(32 * MIB, 20 * MIB), 64);
        assert_eq!(minor(64 * MIB, 40 * MIB), 64);
        // Calm: halved each time that 64 MiB have been allocated so.
        assert_eq!([minor(64 * MIB, 0), minor(32 * MIB, 0), minor(32 * MIB, 0)], [32, 32, 16]);
        // Little survives, but more than next to nothing: it stays.
        assert_eq!((0..CALM / MIB).map(|_| minor(16 * MIB, MIB)).max(), Some(16));
    }

    /// A megabyte lives at each collection: a nursery of 64 MiB thinks little of it, and one of 32 MiB stays.
    #[test]
    fn what_always_lives_does_not_make_the_nursery_swing() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        p.nursery = 64 * MIB;
        let mut minor = || p.after_minor(p.nursery(), MIB - 1, 1, Collection::Minor) / MIB;
        let sizes: Vec<usize> = (0..8).map(|_| minor()).collect();
        assert_eq!(sizes, [32; 8]);
    }

    /// Phases that build, and calm ones of `calm` bytes between them: how small the nursery becomes in each of these.
    fn phases(calm: usize) -> Vec<usize> {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut phase = || {
            while p.after_minor(p.nursery(), p.nursery() / 8 * 5, 1, Collection::Minor) < 64 * MIB {}
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
        assert_eq!(phases(64 * MIB), [32, 64, 64, 64, 64, 64, 64, 64]);
        assert_eq!(phases(256 * MIB), [4, 16, 32, 64, 64, 64, 64, 64]);
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
        assert_eq!([minor(4 * MIB, MIB), minor(8 * MIB, 5 * MIB)], [8, 32]);
    }

    /// A million connections that wait anew for each message (row A7): what is promoted takes the place of what dies, and the
    /// heap looks like one that grows. It became four times as large, of fresh pages.
    #[test]
    fn a_large_heap_that_grows_is_marked_when_it_has_doubled() {
        let mut p = policy(Config::default());
        let mut most = |before: usize, live: usize| {
            p.after_major(before * MIB, live * MIB, (before + 8) * MIB);
            p.last_major / MIB
        };
        assert_eq!([most(200, 198), most(793, 741), most(1_500, 1_490)], [4 * 198, 2 * 741, 2 * 1_490]);
        // One that has found something.
        assert_eq!([most(300, 200), most(1_500, 700)], [400, 1_400]);
    }

    /// The document's list, A3: two lists of a million cells are dropped, then everything is collected, and the third was
    /// promoted like the first, since `doGC` had shrunk the nursery: twelve times the time of half as many cells.
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

    /// A sorting network whose threads die by the row (row B4): after each major collection the nursery became 64 MiB, and
    /// nearly all survived in it, since those threads were yet to run.
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

    /// Threads by continuations (row B1) leave 2 KB of each nursery, for what was captured at that moment: of ten times the
    /// steps five times the memory, up to 32 MiB.
    #[test]
    fn what_trickles_in_is_taken_soon() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        let mut after = |live: usize, bytes: usize| {
            p.after_major(live, live, live);
            let mut minors = 0;
            while !p.is_major_due(live + minors * bytes) {
                p.note_minor(4 * MIB, bytes);
                minors += 1;
            }
            minors
        };
        assert_eq!(after(MIB / 16, 2 << 10), TRICKLE / (2 << 10) + 1);
        // Of a large heap as much as lives.
        assert_eq!(after(20 * MIB, 60 << 10), 20 * MIB / (60 << 10) + 1);
        // More than a trickle: only when the heap has grown.
        assert_eq!(after(MIB, 70 << 10), SLACK / (70 << 10) + 1);
    }

    #[test]
    fn the_next_major_collection_follows_what_lives() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        assert!(!p.is_major_due(SLACK) && p.is_major_due(SLACK + 1));
        p.note_minor(MIB, MIB);
        assert!(!p.is_major_due(FIRST) && p.is_major_due(FIRST + 1));
        p.after_major(200 * MIB, 100 * MIB, 110 * MIB);
        assert!(!p.is_major_due(200 * MIB) && p.is_major_due(201 * MIB));
        // It found nothing, and what is young lives: later, until one of both changes.
        p.after_major(101 * MIB, 100 * MIB, 110 * MIB);
        p.note_minor(10 * MIB, 9 * MIB);
        assert!(!p.is_major_due(400 * MIB) && p.is_major_due(401 * MIB));
        p.note_minor(10 * MIB, 4 * MIB);
        assert!(!p.is_major_due(201 * MIB), "it may still be growing");
        p.note_minor(100 * MIB, 4 * MIB);
        assert!(p.is_major_due(201 * MIB));
        // What 13 % is: something, but next to nothing where nurseries have stayed, as those of a million threads on time-outs
        // (row A5: 197 MB, then 370, of which so much was dead each time).
        p.after_major(197 * MIB, 172 * MIB, 180 * MIB);
        p.note_minor(2 * MIB, 2 * MIB);
        assert!(p.is_major_due(345 * MIB));
        p.after_settled(2 * MIB);
        p.after_major(197 * MIB, 172 * MIB, 180 * MIB);
        p.note_minor(2 * MIB, 2 * MIB);
        assert!(!p.is_major_due(536 * MIB));
        // Near the limit: when half of the rest is used.
        p.after_major(900 * MIB, 900 * MIB, 924 * MIB);
        p.note_minor(10 * MIB, 9 * MIB);
        assert!(!p.is_major_due(950 * MIB) && p.is_major_due(957 * MIB));
    }

    /// Row B4: ten collections for 40 to 190 MiB that lived, and most of the memory that each gave back was asked for again.
    #[test]
    fn what_was_large_before_may_become_so_again() {
        let mut p = policy(Config { heap_max: Some(1 << 30), ..Config::default() });
        p.note_minor(10 * MIB, 10 * MIB);
        p.after_major(150 * MIB, 40 * MIB, 50 * MIB);
        assert!(!p.is_major_due(150 * MIB) && p.is_major_due(151 * MIB));
        assert_eq!(p.keep_free(40 * MIB), 110 * MIB);
        p.note_minor(100 * MIB, MIB);
        assert!(!p.is_major_due(80 * MIB) && p.is_major_due(81 * MIB));
        assert_eq!([MIB, 40 * MIB].map(|live| p.keep_free(live)), [KEPT, 40 * MIB]);
        // No larger than a heap may become at first.
        p.note_minor(10 * MIB, 10 * MIB);
        p.after_major(500 * MIB, 40 * MIB, 50 * MIB);
        assert!(!p.is_major_due(FIRST) && p.is_major_due(FIRST + 1));
    }
}
