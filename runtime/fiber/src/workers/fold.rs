//! Folding: how much the workers have to do with each other -> whether threads that communicate all run on one of them.
//!
//! What a worker wants of another one's thread is a *crossing*: a letter, a safepoint, cache lines that go to the other
//! processor, often a wake-up; a microsecond or two of processor time for both. Threads that hand each other a number
//! each 25 ns are far slower on two workers than on one; those that compute for 20 us between two messages gain by the
//! second one. Nobody knows beforehand which threads will talk to which. So what is lost by them is counted, and where
//! that is a large part of the time, the workers are *folded*: one of them is *home*, and only threads that compute
//! (turns' second queue) run on the others.
//!
//! ```text
//!              crossings take much of the workers' time
//!   spread --------------------------------------------> folded: first queue at home, second queues anywhere
//!     ^                                                     |
//!     |   after 50 ms, 100 ms, .. 1 s, for a try; or        |
//!     +---- ready threads wait at home for what runs long <-+
//! ```
//!
//! It is a matter of speed alone: a worker that does not know yet runs what it has, and where home is idle or in
//! blocking C, whoever has a ready thread is home from then on. So no thread waits because of it.
//!
//! The ticker decides, each tick; workers look only where they switch the slow way.

use std::sync::atomic::Ordering;

use crate::base::home::SPREAD;
use crate::base::processor;
use crate::base::worker::{MAX_WORKERS, NO_LANE, Shared, Worker};
use crate::workers::load;
use crate::workers::request::{LETTER, SOLE, request};
use crate::workers::turns;

/// Of a thousand parts of all workers' processor time those that they may lose to each other. Beyond this two workers
/// do little more than one. By processor time, since beside other programs a worker has little of each tick.
const MOST: u64 = 400;
/// In one window so many: that is not chance.
const MUCH: u64 = 600;
/// Windows of which a share beyond [`MOST`] counts: within less than that one long wait for a lock is a large part, and
/// workers that begin to share have to find their threads first.
const WINDOWS: u32 = 2;
/// Nanoseconds that are lost by a crossing, at least; and by a wake-up of an idle worker. What that one has looked
/// around for before is measured.
const CROSSING: u64 = 2_000;
pub(crate) const WAKE_UP: u64 = 10_000;
/// Nanoseconds of processor time after which the crossings are looked at.
const WINDOW: u64 = 1_000_000;
/// Ticks until it is tried whether spreading is better by now: at first, and when that has always been wrong.
const FIRST_REST: u32 = 50;
const LAST_REST: u32 = 1_000;
/// Spread, while one worker alone makes [`OTHER`] times [`BUSY`] switches in each of so many ticks: it is home.
const ALONE: u32 = 3;
/// Spread for so many ticks without too many crossings: the next rest is a short one.
const CALM: u32 = 50;
/// Folded for so many ticks at least, whatever runs.
const LEAST_REST: u32 = 10;
/// And for a tick for each so many threads that have a lane, up to [`LONGEST_REST`]. Whoever spreads or folds workers
/// moves lanes, and each ready thread of a lane is sent on to its new worker: two or three microseconds for both. What
/// a million threads cost so is a second or two, in which few switches are made; so they would be spread for that, and
/// so on.
const THREADS_A_TICK: u64 = 64;
const LONGEST_REST: u64 = 5_000;
/// A worker that makes fewer switches in a tick runs its threads for long: almost two microseconds each and more. It
/// may be worth while to spread them; if it was not, that is tried ever less often, until it makes so many times that.
const BUSY: u64 = 600;
const OTHER: u64 = 4;

/// Where the threads go that are ready on this worker and do not compute; none: they run on it.
///
/// # Safety
/// The caller is the worker.
pub(crate) unsafe fn goes_home(worker: *mut Worker) -> Option<usize> {
    // SAFETY: workers live as long as the program; whether one is outside is a guess here.
    unsafe {
        let fold = &(*worker).shared.fold;
        let home = fold.home.load(Ordering::Relaxed);
        if home == SPREAD || home == (*worker).index {
            return None;
        }
        let holder = (*worker).shared.worker(home);
        let is_outside = (&raw const (*holder).outside).read_volatile();
        let is_in_c = (&raw const (*holder).busy_lane).read_volatile() != NO_LANE;
        // An idle one with a ready thread has been woken, and is on its way.
        if is_outside && (is_in_c || !turns::glance(holder).0) {
            // From here on this one is home, unless that was decided anew meanwhile.
            let own = (*worker).index;
            let _ = fold.home.compare_exchange(home, own, Ordering::Relaxed, Ordering::Relaxed);
            return None;
        }
        Some(home)
    }
}

/// What the ticker has seen of a worker since it last looked.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Nanoseconds of processor time that it has lost to other workers.
    pub(crate) lost: u64,
    pub(crate) switches: u64,
    /// Threads are ready that nobody else can wait for: two, or one that computes.
    pub(crate) spare: bool,
}

/// When to fold and when to spread: the ticker's.
pub(crate) struct Folding {
    /// Ticks until the next try, and those of the rest after that.
    rest: u32,
    next: u32,
    /// Ticks until threads that run for long are spread; the last try was one of these.
    early: u32,
    was_early: bool,
    /// Ticks since it was spread or folded.
    since: u32,
    /// Spread for so many windows; what was lost in them and their time, of which the last count the most.
    windows: u32,
    lately: (u64, u64),
    last: [(u64, u64); MAX_WORKERS],
    only: Only,
    /// Processor time of the program then; `None`: nobody has lost anything since, and it was not looked up.
    time: Option<u64>,
    lone: Lone,
    /// The state of a generator of random numbers, for [`Config::scatter`](crate::Config).
    dice: u64,
}

/// When home is asked to be sole ([`crate::workers::sole`]): at each tick, but where it was for a short time only,
/// because other workers have something to do now and then, ever less often.
struct Lone {
    /// Ticks since it became sole; 0: it is not.
    since: u32,
    /// Ticks until it is asked again, and until when after that.
    rest: u32,
    next: u32,
}

impl Lone {
    const NEW: Lone = Lone { since: 0, rest: 0, next: 1 };
    /// Sole for so many ticks: that was worth while.
    const LONG: u32 = 10;
    const LAST_REST: u32 = 64;

    /// A tick, of a worker that is sole or not: whether it is asked now.
    fn tick(&mut self, is_sole: bool) -> bool {
        if is_sole {
            self.since += 1;
            return false;
        }
        if self.since > 0 {
            self.next = if self.since >= Self::LONG { 1 } else { Self::LAST_REST.min(2 * self.next) };
            (self.since, self.rest) = (0, self.next);
        }
        self.rest = self.rest.saturating_sub(1);
        self.rest == 0
    }
}

/// The worker that has done all while spread, if it only hands over. Nothing is lost then, but as home it can be sole.
struct Only {
    /// For so many ticks.
    ticks: u32,
    worker: usize,
    /// The switches of each worker at the last one.
    switches: [u64; MAX_WORKERS],
}

impl Only {
    const NEW: Only = Only { ticks: 0, worker: 0, switches: [0; MAX_WORKERS] };

    /// A tick while spread, with the switches that each worker has made by now: the worker, when it has done all for
    /// some ticks.
    fn tick(&mut self, counts: impl Iterator<Item = u64>) -> Option<usize> {
        let mut made = counts.zip(&mut self.switches).map(|(now, last)| now.wrapping_sub(std::mem::replace(last, now)));
        let (worker, most) = made.by_ref().enumerate().find(|&(_, made)| made > 0).unwrap_or_default();
        // All are looked at: each one's count is noted.
        let others: u64 = made.sum();
        let ticks = if worker == self.worker { self.ticks + 1 } else { 1 };
        (self.ticks, self.worker) = (if others == 0 && most >= OTHER * BUSY { ticks } else { 0 }, worker);
        (self.ticks >= ALONE).then_some(worker)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    AsIs,
    /// This worker is home.
    Folds(usize),
    Spreads,
}

impl Folding {
    pub(crate) const NEW: Folding = Folding {
        rest: 0,
        next: FIRST_REST,
        early: LEAST_REST,
        was_early: false,
        since: 0,
        windows: 0,
        lately: (0, 0),
        last: [(0, 0); MAX_WORKERS],
        only: Only::NEW,
        time: None,
        lone: Lone::NEW,
        dice: 1,
    };

    /// `home`: of folded workers. `time`: nanoseconds for which the program has had processors since it last looked.
    /// `least`: ticks for which they stay folded.
    fn decide(&mut self, seen: &[Seen], home: Option<usize>, time: u64, least: u32) -> Decision {
        let Some(home) = home else {
            if self.since >= CALM {
                (self.next, self.early, self.was_early) = (FIRST_REST, LEAST_REST, false);
            }
            let active = seen.iter().filter(|seen| seen.switches > 0).count() as u64;
            // A wait that ends in this window began in an earlier one, if it is longer.
            let lost: u64 = seen.iter().map(|seen| seen.lost.min(time / active.max(1))).sum();
            self.windows += 1;
            self.lately = (self.lately.0 / 2 + lost, self.lately.1 / 2 + time);
            let is_much = lost * 1_000 > MUCH * time;
            let is_most = self.windows >= WINDOWS && self.lately.0 * 1_000 > MOST * self.lately.1;
            if active >= 2 && (is_much || is_most) {
                // The first of those that have the most to do.
                let home = (0..seen.len()).rev().max_by_key(|&worker| seen[worker].switches).unwrap_or(0);
                self.rest = self.next.max(least);
                if self.was_early {
                    self.early = LAST_REST.min(2 * self.early);
                } else {
                    self.next = LAST_REST.min(2 * self.next);
                }
                self.since = 0;
                return Decision::Folds(home);
            }
            return Decision::AsIs;
        };
        (self.windows, self.lately) = (0, (0, 0));
        let seen = seen.get(home).copied().unwrap_or_default();
        if seen.switches >= OTHER * BUSY {
            self.early = LEAST_REST;
        }
        // What runs now may be of another kind than what was folded.
        let runs_long = seen.spare && seen.switches < BUSY && self.since >= self.early.max(least);
        if runs_long || self.since >= self.rest {
            self.was_early = self.since < self.rest;
            self.since = 0;
            return Decision::Spreads;
        }
        Decision::AsIs
    }

    /// Whether workers have lost anything to each other since they were last looked at.
    fn has_lost(&self, shared: &Shared) -> bool {
        // SAFETY: workers live as long as the program.
        shared.all().zip(self.last).any(|(worker, last)| unsafe { lost(worker) } != last.0)
    }

    /// A tick: looks at all workers, and folds or spreads them. True: they were spread just now.
    pub(crate) fn tick(&mut self, shared: &'static Shared) -> bool {
        if shared.over.load(Ordering::Relaxed) {
            return false;
        }
        if shared.config.scatter {
            return self.scatter(shared);
        }
        self.since += 1;
        let home = shared.fold.home.load(Ordering::Relaxed);
        if home != SPREAD && self.lone.tick(shared.stop.is_sole.load(Ordering::Relaxed)) {
            // SAFETY: workers live as long as the program; requests are atomics.
            unsafe { request(shared.worker(home), SOLE) };
        }
        // The kernel adds up all OS threads, and a program may have thousands: so it is asked only if there is
        // something to decide.
        let folded = shared.fold.is_folded();
        // SAFETY: workers live as long as the program; counters are atomics.
        let counts = shared.all().map(|worker| unsafe { (*worker).counters.switches.load(Ordering::Relaxed) });
        if folded {
            self.only.ticks = 0;
        } else if let Some(home) = self.only.tick(counts) {
            // Others may only have paused: it is tried again soon, as often as this comes.
            (self.rest, self.since, self.time) = (FIRST_REST.max(least_rest(shared)), 0, None);
            folds(shared, home);
            return false;
        }
        if !folded && !self.has_lost(shared) {
            self.time = None;
            return false;
        }
        let now = processor::time_of_all();
        let then = *self.time.get_or_insert(now);
        let time = now.saturating_sub(then);
        if then != now && time < WINDOW {
            return false;
        }
        self.time = Some(now);
        let mut seen = [Seen::default(); MAX_WORKERS];
        let mut count = 0;
        for (index, worker) in shared.all().enumerate() {
            count = index + 1;
            // SAFETY: workers live as long as the program; counters are atomics, the ends of queues are only compared.
            unsafe {
                let counters = &(*worker).counters;
                let now = (lost(worker), counters.switches.load(Ordering::Relaxed));
                let before = std::mem::replace(&mut self.last[index], now);
                seen[index] = Seen {
                    lost: now.0.wrapping_sub(before.0),
                    switches: now.1.wrapping_sub(before.1),
                    spare: turns::glance(worker).1,
                };
            }
        }
        if time == 0 {
            // The window begins.
            return false;
        }
        let home = shared.fold.home.load(Ordering::Relaxed);
        match self.decide(&seen[..count], (home != SPREAD).then_some(home), time, least_rest(shared)) {
            Decision::AsIs => false,
            Decision::Spreads => {
                shared.fold.home.store(SPREAD, Ordering::Relaxed);
                true
            }
            Decision::Folds(home) => {
                folds(shared, home);
                false
            }
        }
    }

    /// A tick of a program whose threads change their worker at random: as a rule the workers are spread, and now and
    /// then one of them is home.
    fn scatter(&mut self, shared: &Shared) -> bool {
        // After Marsaglia, Xorshift RNGs, 2003.
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        if self.dice & 3 != 0 {
            shared.fold.home.store(SPREAD, Ordering::Relaxed);
            return true;
        }
        let home = (self.dice >> 8) as usize % shared.all().count();
        folds(shared, home);
        // SAFETY: workers live as long as the program; requests are atomics.
        unsafe { request(shared.worker(home), SOLE) };
        false
    }
}

/// This worker is home. The others look when they switch the next time.
fn folds(shared: &Shared, home: usize) {
    shared.fold.home.store(home, Ordering::Relaxed);
    for worker in shared.all() {
        // SAFETY: workers live as long as the program; requests are atomics.
        unsafe { request(worker, LETTER) };
    }
}

/// For how many ticks at least the workers stay folded: see [`THREADS_A_TICK`].
fn least_rest(shared: &Shared) -> u32 {
    // SAFETY: workers live as long as the program.
    let threads: i64 = shared.all().map(|worker| unsafe { load::threads(worker) }).sum();
    (threads.max(0) as u64 / THREADS_A_TICK).min(LONGEST_REST) as u32
}

/// What a worker has lost to others until now, in nanoseconds.
unsafe fn lost(worker: *mut Worker) -> u64 {
    // SAFETY: workers live as long as the program; counters are atomics.
    let counters = unsafe { &(*worker).counters };
    CROSSING * counters.crossings.load(Ordering::Relaxed) + counters.lost.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program on two workers: how many crossings and switches each makes in a tick when spread, and the switches of
    /// one alone.
    #[derive(Clone, Copy)]
    struct Program {
        crossings: u64,
        switches: u64,
        alone: u64,
        spare: bool,
    }

    /// A pipeline of channels; a pool of jobs of 0.3 us, of 5 us, of 100 us; two pairs that have nothing to do with
    /// each other.
    const PIPELINE: Program = Program { crossings: 800, switches: 1_500, alone: 40_000, spare: true };
    const SMALL_JOBS: Program = Program { crossings: 500, switches: 900, alone: 9_000, spare: true };
    const JOBS_OF_5: Program = Program { crossings: 130, switches: 450, alone: 540, spare: true };
    const JOBS_OF_100: Program = Program { crossings: 8, switches: 20, alone: 20, spare: true };
    const PAIRS: Program = Program { crossings: 0, switches: 30_000, alone: 30_000, spare: true };
    /// Seldom a switch, and each of them a crossing and more: as jobs of a microsecond that want several locks.
    const ENTANGLED: Program = Program { crossings: 450, switches: 500, alone: 550, spare: true };

    struct World {
        folding: Folding,
        home: Option<usize>,
        least: u32,
    }

    impl World {
        fn new() -> World {
            World { folding: Folding::NEW, home: None, least: 0 }
        }

        /// In how many of so many ticks the workers were folded.
        fn run(&mut self, program: Program, ticks: usize) -> usize {
            let mut folded = 0;
            for _ in 0..ticks {
                let spread =
                    Seen { lost: program.crossings * CROSSING, switches: program.switches, spare: program.spare };
                let alone = Seen { lost: 0, switches: program.alone, spare: program.spare };
                let seen = match self.home {
                    None => [spread, spread],
                    Some(0) => [alone, Seen::default()],
                    Some(_) => [Seen::default(), alone],
                };
                folded += usize::from(self.home.is_some());
                self.folding.since += 1;
                let time = if self.home.is_some() { 1_000_000 } else { 2_000_000 };
                match self.folding.decide(&seen, self.home, time, self.least) {
                    Decision::AsIs => {}
                    Decision::Folds(home) => self.home = Some(home),
                    Decision::Spreads => self.home = None,
                }
            }
            folded
        }
    }

    #[test]
    fn what_communicates_is_folded_and_what_computes_is_not() {
        for (program, least, most) in [
            (PIPELINE, 9_950, 10_000),
            (SMALL_JOBS, 9_950, 10_000),
            (ENTANGLED, 9_850, 10_000),
            (JOBS_OF_5, 0, 0),
            (JOBS_OF_100, 0, 0),
            (PAIRS, 0, 0),
        ] {
            let folded = World::new().run(program, 10_000);
            assert!((least..=most).contains(&folded), "folded in {folded} of 10000 ticks");
        }
    }

    /// No place is wrong for good: a program that begins to do something else is spread within a second, and one whose
    /// jobs run long at once.
    #[test]
    fn it_is_tried_again() {
        for (next, most) in [(JOBS_OF_5, 11), (PAIRS, 1_001), (JOBS_OF_100, 11)] {
            let mut world = World::new();
            world.run(PIPELINE, 5_000);
            let folded = world.run(next, 5_000);
            assert!(folded <= most, "folded in {folded} ticks more");
            // And folded again as soon as that is right.
            assert!(world.run(PIPELINE, 1_000) > 900);
        }
    }

    /// Tries become rare, and frequent again after calm ones.
    #[test]
    fn a_wrong_try_costs_little() {
        let mut world = World::new();
        let tries = |world: &mut World, ticks| ticks - world.run(PIPELINE, ticks);
        assert_eq!(tries(&mut world, 350), 3);
        assert!(tries(&mut world, 100_000) <= 110);
        world.run(JOBS_OF_5, 2_000);
        assert_eq!(tries(&mut world, 350), 3);
    }

    /// Two million threads are moved seldom, though home makes few switches while they are sent on to it: a tree of
    /// them was folded and spread a hundred times a second.
    #[test]
    fn many_threads_stay_where_they_are() {
        let mut world = World::new();
        world.least = 5_000;
        world.run(PIPELINE, 100);
        assert_eq!(world.run(JOBS_OF_100, 4_000), 4_000);
        assert!(world.run(PIPELINE, 20_000) >= 19_980);
    }

    /// A pool of jobs of 5 us was folded after its first millisecond: a worker had waited for a lock that the other one
    /// held while it turned a long queue round.
    #[test]
    fn one_long_wait_is_no_reason() {
        let mut folding = Folding::NEW;
        let (calm, alone) =
            (Seen { lost: 260_000, switches: 450, spare: true }, Seen { lost: 50_000, switches: 900, spare: true });
        let waits = Seen { lost: 2_400_000, switches: 10, spare: true };
        for tick in 0..1_000 {
            let seen = if tick % 20 == 0 { [alone, waits] } else { [calm, calm] };
            assert_eq!(folding.decide(&seen, None, 2_000_000, 0), Decision::AsIs, "tick {tick}");
        }
    }

    /// A ring that came after a parallel map was never folded, since one worker did all and nothing was lost; so its
    /// messages were changed by compare-and-swap. A computing thread beside others that wait is no reason, nor is a
    /// moment between two parts that both workers do.
    #[test]
    fn one_that_does_all_is_home() {
        let (mut only, mut counts) = (Only::NEW, [0; 2]);
        let mut ticks = |only: &mut Only, made: [u64; 2], n| {
            (0..n).find_map(|_| {
                counts = [counts[0] + made[0], counts[1] + made[1]];
                only.tick(counts.into_iter())
            })
        };
        assert_eq!(ticks(&mut only, [0, 33_000], ALONE - 1), None);
        assert_eq!(ticks(&mut only, [100, 33_000], 100), None);
        assert_eq!(ticks(&mut only, [0, 20], 100), None);
        assert_eq!(ticks(&mut only, [0, 33_000], ALONE), Some(1));
        only.ticks = 0;
        assert_eq!(ticks(&mut only, [33_000, 0], 1), None);
        assert_eq!(ticks(&mut only, [0, 33_000], ALONE - 1), None);
        assert_eq!(ticks(&mut only, [33_000, 0], ALONE), Some(0));
    }

    /// Home is asked to be sole at each tick, and one that others disturb always ever less often.
    #[test]
    fn one_that_is_disturbed_is_asked_seldom() {
        let mut lone = Lone::NEW;
        assert!(lone.tick(false) && !lone.tick(true));
        let mut asked = 0;
        let mut is_sole = false;
        for _ in 0..10_000 {
            is_sole = lone.tick(is_sole);
            asked += u32::from(is_sole);
        }
        assert!((140..170).contains(&asked), "asked {asked} times");
        // Not disturbed for some ticks: at once again.
        assert!((0..100).any(|_| lone.tick(false)));
        (0..Lone::LONG).for_each(|_| assert!(!lone.tick(true)));
        assert!(lone.tick(false));
    }

    /// One worker that does all is not folded, however many letters it writes to those that wait in the kernel.
    #[test]
    fn one_that_is_active_is_enough() {
        let mut folding = Folding::NEW;
        let seen = [Seen { lost: 10_000_000, switches: 5_000, spare: false }, Seen::default()];
        assert!((0..100).all(|_| folding.decide(&seen, None, 1_000_000, 0) == Decision::AsIs));
    }
}
