//! Turns: ready threads -> the one that runs next, and when the running one has to give way.
//!
//! A worker has two queues, as the scheduler of Concurrent ML has (Reppy, Concurrent Programming in ML, 1999, 10.6).
//! Threads that talk to each other stand in the first; a thread that ran for [`QUICK`] ticks without stopping of its
//! own accord is *spent*, and stands in the second until it does. So a message is not kept waiting by threads that
//! compute.
//!
//! ```text
//!                  blocks, yields, hands over                        ran for 2 ticks at a stretch, others ready
//!     first queue <--------------------------- running, SPENT   <---------------------------------- running
//!         |                                        |      ^                                            ^
//!         |                   another one is ready |      | the first queue is empty,                  |
//!         |                                        v      | or a tick went by without the second one   |
//!         |                                     second queue                                           |
//!         +--------------------------------------------------------------------------------------------+
//! ```
//!
//! A worker that the system has given no processor meanwhile has not run, whatever the clock says: see
//! [`processor::Ran`].
//!
//! A tick is a millisecond. At each one that finds something to decide, the ticker ([`crate::workers::ticker`]) asks
//! the worker for a safepoint; what is decided there is [`verdict`]. Neither queue starves: while both have threads,
//! they take turns, a tick each. Threads of the second queue share its ticks in slices of [`ROUND`]. While the first
//! queue has nothing but threads that have not begun, one of the second has its whole slice, and then they have a tick:
//! so a thread that makes a hundred thousand others goes on doing so, and does not wait at each tick until some of them
//! have got to where they block.
//!
//! A thread that hands over (a switch, a hand-off, a spawn) does not end its turn: the other one goes on with the same
//! turn, and the queue stands still. So a tick that finds the same thread first in the first queue as the tick before,
//! and that threads have handed over since, ends the turn: the running thread goes to the end of that queue, and is not
//! spent by it. Two threads that hand over to each other, and a chain of threads each of which spawns the next, kept
//! everybody else waiting for ever.
//!
//! The first queue alone is known to the stubs ([`crate::fast`]): a running thread that is spent is not in the state
//! that they ask for, and where the first queue is empty they leave all to the functions. So this costs them nothing.
//!
//! Differences to CML: there a preempted thread that has talked in its slice stays in the first queue, and one of the
//! second moves up for a slice of 20 ms; here a tick is enough for the second queue's turn, so that nobody waits for 20
//! ms. In deterministic mode there are no ticks, all threads are in the first queue, and turns are drawn
//! ([`crate::base::chance`]).
//!
//! Keeps: T3; T14 a thread stands in the second queue exactly while it has `QUEUED` and `SPENT`; a blocked thread has
//! not `SPENT`.

use std::sync::atomic::Ordering;

use leat_abi::tcb::Tcb;
use leat_abi::thread::{STATE_MASK, State, Thread};

use crate::base::processor::{self, Look};
use crate::base::queue::{NOBODY, Queue, Spent};
use crate::base::reference::Ref;
use crate::base::worker::Worker;
use crate::thread::word::{SPENT, current, state_of};
use crate::workers::request::{DUE, SLICE, TICK, request};

/// Ticks in a time slice ([`crate::Config::slice`]).
pub(crate) const TICKS: u32 = 20;
/// A thread that did not stop for so many ticks is spent, if another one is ready.
pub(crate) const QUICK: u32 = 2;
/// Ticks that a spent thread has before the next one of the second queue has its turn.
const ROUND: u32 = TICKS;

/// What a safepoint makes of the running thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    GoesOn,
    /// Gives way, and goes to the front or the end of the first queue, or of the second one.
    First,
    FirstEnd,
    SpentFront,
    SpentEnd,
}

/// Whether no thread is ready. For the worker, or who holds its lock while it is outside.
pub(crate) unsafe fn is_empty(worker: *mut Worker) -> bool {
    // SAFETY: the caller may look at the queues.
    unsafe { (*worker).queue.is_empty() && (*worker).spent.queue.is_empty() }
}

/// Whether some thread is ready, and whether more than one, or one that computes: a guess, by any OS thread.
pub(crate) unsafe fn glance(worker: *mut Worker) -> (bool, bool) {
    // SAFETY: workers live as long as the program; the words are compared, not followed.
    unsafe {
        let (head, tail) = Queue::glance(&raw const (*worker).queue);
        let spent = !Queue::glance(&raw const (*worker).spent.queue).0.is_none();
        (!head.is_none() || spent, (!head.is_none() && head != tail) || spent)
    }
}

/// Whether a thread is ready that may as well run elsewhere, as [`glance`] has it; or, while the workers are folded,
/// one that computes.
pub(crate) unsafe fn has_spare(worker: *mut Worker) -> bool {
    // SAFETY: as `glance`.
    unsafe {
        if (*worker).shared.fold.is_folded() {
            return !Queue::glance(&raw const (*worker).spent.queue).0.is_none();
        }
        glance(worker).1
    }
}

/// A ready thread that stands nowhere goes to the end of its queue. For the worker, or who acts for it, as all below.
#[inline]
pub(crate) unsafe fn push(tcb: *mut Tcb, worker: *mut Worker, thread: Ref<Thread>) {
    // SAFETY: the thread's lane, if it has one, is this worker's, so its word may be looked at.
    unsafe {
        let host = (*worker).shared.host;
        if state_of(thread) & SPENT != 0 {
            (*worker).spent.queue.push(host, tcb, thread);
        } else {
            (*worker).queue.push(host, tcb, thread);
        }
    }
}

/// Takes the thread out whose turn it is, or gives none.
pub(crate) unsafe fn pop(worker: *mut Worker) -> Ref<Thread> {
    // SAFETY: queues' threads are thread objects.
    unsafe {
        if (*worker).spent.is_next || (*worker).queue.is_empty() {
            let spent = &mut (*worker).spent;
            spent.is_next = false;
            let thread = spent.queue.pop();
            if !thread.is_none() {
                spent.has_run = true;
                return thread;
            }
        }
        (*worker).queue.pop()
    }
}

/// Takes out the first thread for which `wanted` holds, of the leading `most` of each queue: one that computes, if
/// there is one, for it is the one to go elsewhere. Of the second queue alone, if `queues` is 1.
pub(crate) unsafe fn take_spare(
    tcb: *mut Tcb,
    worker: *mut Worker,
    most: usize,
    queues: usize,
    mut wanted: impl FnMut(Ref<Thread>) -> bool,
) -> Ref<Thread> {
    // SAFETY: as `pop`. The caller's block, for the log.
    unsafe {
        let host = (*worker).shared.host;
        match (*worker).spent.queue.take(host, tcb, most, &mut wanted).some() {
            None if queues == 1 => Ref::NONE,
            None => (*worker).queue.take(host, tcb, most, wanted),
            Some(thread) => thread,
        }
    }
}

/// The running thread yields, and nobody stands in the first queue: one of the second has a turn.
pub(crate) unsafe fn let_spent_run(worker: *mut Worker) {
    // SAFETY: the caller is the worker.
    unsafe { (*worker).spent.is_next = true }
}

/// Whether the running thread gives way at a safepoint, and where it goes then. `bits` are those of the request.
pub(crate) unsafe fn verdict(tcb: *mut Tcb, worker: *mut Worker, is_spent: bool, bits: u32) -> Verdict {
    // SAFETY: the caller is the worker, and runs a thread.
    unsafe {
        let (first, second) = (look(&(*worker).queue), !(*worker).spent.queue.is_empty());
        let switches = (*worker).counters.switches.load(Ordering::Relaxed);
        let asked = bits & (TICK | DUE) != 0;
        let half = (*worker).shared.config.slice / u64::from(2 * TICKS);
        let time = asked.then(processor::time);
        let again = (*worker).ran.knows(switches);
        let ran = time.is_some_and(|time| (*worker).ran.has(switches, time, half));
        // The worker looks whether the thread has run long, not the ticker: between a request and the safepoint another
        // thread may have begun to run, one that was just woken.
        let long = ran && again && (*worker).long.load(Ordering::Relaxed) == switches;
        let bits = if long { bits | SLICE } else { bits };
        let waited = bits & TICK != 0 && !is_spent && {
            let head = (*worker).queue.head;
            let id = if first == First::Nobody { NOBODY } else { (*head.as_ptr()).id };
            // New ones wait for a slice, as they do for a spent thread.
            let least = if first == First::New { (*worker).shared.config.slice } else { half };
            (*worker).spent.front.has_waited(id, time.unwrap_or(0), least) && !again
        };
        let verdict = decide(&mut (*worker).spent, is_spent, first, second, bits, switches, ran, waited);
        if verdict != Verdict::GoesOn {
            (*worker).ran.ends(time);
        }
        if let Some(time) = time {
            note(tcb, worker, time, verdict != Verdict::GoesOn);
        }
        verdict
    }
}

/// Notes what the running thread has computed: at a look, its OS thread having had the processor for `time`.
pub(crate) unsafe fn note(tcb: *mut Tcb, worker: *mut Worker, time: u64, gives_way: bool) {
    // SAFETY: the caller is the worker, and runs a thread.
    unsafe {
        (*worker).computed.look(look_of(tcb, worker, time), gives_way);
    }
}

/// What the worker sees now, its OS thread having had the processor for `time`.
pub(crate) unsafe fn look_of(tcb: *mut Tcb, worker: *mut Worker, time: u64) -> Look {
    // SAFETY: as above.
    unsafe {
        Look {
            id: (*current(tcb).as_ptr()).id,
            switches: (*worker).counters.switches.load(Ordering::Relaxed),
            time,
            carrier: (*worker).carrier as usize,
        }
    }
}

/// What stands in the first queue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Nobody,
    /// Several threads, none of which has begun, as far as the ends of the queue tell: nobody waits for an answer.
    New,
    Somebody,
}

unsafe fn look(queue: &Queue) -> First {
    // SAFETY: the caller is the worker; a queue's threads are thread objects.
    let is_new = |thread| unsafe { state_of(thread) & STATE_MASK == State::New as u8 };
    if queue.is_empty() {
        First::Nobody
    } else if queue.head != queue.tail && is_new(queue.head) && is_new(queue.tail) {
        First::New
    } else {
        First::Somebody
    }
}

/// `second`: whether threads stand in the second queue. `switches`: those of the worker until now. `ran`: the thread has had
/// the processor since the last tick. `waited`: the thread that is first in the first queue has stood there since the
/// last tick, and threads have handed over since then. (Where one thread has run alone, [`QUICK`] ticks end its turn,
/// and then it is spent. If it gave way before, it came back to the first queue each time: so did all that compute, and
/// a message waited for a turn of each of them.)
#[allow(clippy::too_many_arguments, reason = "all that a safepoint knows of a worker's turns")]
fn decide(
    spent: &mut Spent,
    is_spent: bool,
    first: First,
    second: bool,
    bits: u32,
    switches: u64,
    ran: bool,
    waited: bool,
) -> Verdict {
    let ticked = bits & TICK != 0;
    let had_run = spent.has_run;
    spent.has_run &= !ticked;
    if is_spent {
        spent.ticks += u32::from(ticked);
        let over = spent.ticks >= ROUND;
        let may_wait = first != First::Somebody;
        if may_wait && !(over && (second || first == First::New)) {
            return Verdict::GoesOn;
        }
        if over {
            spent.ticks = 0;
            return Verdict::SpentEnd;
        }
        return Verdict::SpentFront;
    }
    // It gave way to the second queue, that one's thread to it, and it has not stopped since: two ticks at a stretch.
    // The switches between hide that from the ticker, so it went on for ever, and whoever stood behind it waited.
    let goes_on = ticked && ran && spent.interrupted.is_some_and(|then| switches.wrapping_sub(then) <= 2);
    if (bits & SLICE != 0 || goes_on) && (first != First::Nobody || second) {
        spent.interrupted = None;
        return Verdict::SpentEnd;
    }
    if ticked && second && !had_run {
        spent.is_next = true;
        if waited {
            return Verdict::FirstEnd;
        }
        spent.interrupted = Some(switches);
        return Verdict::First;
    }
    if waited { Verdict::FirstEnd } else { Verdict::GoesOn }
}

/// What the ticker keeps of a worker from tick to tick.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watch {
    switches: u64,
    looks: u64,
    /// Ticks for which the worker has not switched.
    pub(crate) still: u32,
    /// Ticks for which it has run, and has not looked for events by itself.
    busy: u32,
}

/// Looks at events in a tick that the ticker may have asked for.
const ASKED: u64 = 2;

impl Watch {
    /// A tick: asks the worker for a safepoint if there is something to decide, or an event is near (`near`: is it
    /// due?) that the worker may not see by itself. On the ticker's OS thread.
    pub(crate) unsafe fn tick(&mut self, worker: *mut Worker, near: Option<bool>) {
        // SAFETY: the worker lives as long as the program; counters and requests are atomics.
        unsafe {
            let counters = &(*worker).counters;
            let switches = counters.switches.load(Ordering::Relaxed);
            self.still = if switches == self.switches { self.still.saturating_add(1) } else { 0 };
            self.switches = switches;
            (*worker).long.store(if self.still >= QUICK { switches } else { u64::MAX }, Ordering::Relaxed);
            let looks = counters.looks.load(Ordering::Relaxed);
            let looked = looks.wrapping_sub(self.looks);
            self.looks = looks;
            self.busy = if looked <= ASKED { self.busy.saturating_add(1) } else { 0 };
            let unseen = match near {
                // One that computes has looked because it was asked to, perhaps before the event came.
                Some(true) => looked == 0 || self.computes(),
                // So that its processor is known.
                Some(false) => looked == 0 && self.computes(),
                None => false,
            };
            // Now and then in any case: a request may have been undone, or somebody waits for the end of a slice.
            let now_and_then = self.still > 0 && self.still.is_multiple_of(TICKS / 2);
            if unseen || now_and_then || glance(worker).0 {
                request(worker, TICK);
            }
        }
    }

    /// The worker is idle at a tick.
    pub(crate) fn rests(&mut self) {
        self.busy = 0;
    }

    /// Whether the worker computes: it leaves it to the ticker to see events in time.
    pub(crate) fn computes(&self) -> bool {
        self.busy >= QUICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::queue::Front;

    /// As [`super::decide`], of a worker that has its processor.
    fn decide(spent: &mut Spent, is_spent: bool, first: First, second: bool, bits: u32, switches: u64) -> Verdict {
        super::decide(spent, is_spent, first, second, bits, switches, true, false)
    }

    /// One worker, as the ticker and safepoints see it: `talkers` run for a moment and block when their turn has come,
    /// being ready again at once; computing threads never stop. Gives the ticks that each computing thread had, and
    /// those of the talkers.
    fn run(talkers: bool, computing: usize, ticks: usize) -> (Vec<usize>, usize) {
        let mut spent = Spent::EMPTY;
        // The numbers of those in the second queue; who runs: a number, or None for the talkers.
        let mut queue: std::collections::VecDeque<usize> = (0..computing).collect();
        let mut running = None;
        let (mut had, mut talked) = (vec![0; computing], 0);
        if !talkers {
            running = queue.pop_front();
        }
        for tick in 0..ticks as u64 {
            match running {
                Some(n) => had[n] += 1,
                None => talked += 1,
            }
            // Talkers switch all the time, so no tick finds them still; while they run one of them is ready as a rule.
            let first = if talkers { First::Somebody } else { First::Nobody };
            match decide(&mut spent, running.is_some(), first, !queue.is_empty(), TICK, 100 * tick) {
                Verdict::GoesOn => continue,
                Verdict::First | Verdict::FirstEnd => {}
                Verdict::SpentFront => queue.push_front(running.unwrap()),
                Verdict::SpentEnd => queue.push_back(running.unwrap()),
            }
            let second = std::mem::take(&mut spent.is_next) || !talkers;
            running = if second { queue.pop_front() } else { None };
            spent.has_run |= running.is_some();
        }
        (had, talked)
    }

    #[test]
    fn neither_queue_starves() {
        let (had, talked) = run(true, 4, 8_000);
        assert!((3_900..=4_100).contains(&talked), "the first queue had {talked} of 8000 ticks");
        assert!(had.iter().all(|had| (900..=1_100).contains(had)), "the second queue's had {had:?}");
    }

    #[test]
    fn those_that_compute_share_in_slices() {
        let (had, _) = run(false, 4, 8_000);
        assert!(had.iter().all(|&had| had == 2_000), "{had:?}");
        assert_eq!(run(false, 4, ROUND as usize).0, [ROUND as usize, 0, 0, 0]);
        assert_eq!(run(false, 1, 100).0, [100]);
    }

    #[test]
    fn a_thread_that_computes_gives_way_at_once() {
        let mut spent = Spent::EMPTY;
        // Without a tick: a letter or an event has made somebody ready.
        assert!(decide(&mut spent, true, First::Somebody, false, 0, 100) == Verdict::SpentFront);
        assert!(decide(&mut spent, true, First::Nobody, true, 0, 100) == Verdict::GoesOn);
        // One that is not spent has its two ticks.
        assert!(decide(&mut spent, false, First::Somebody, false, TICK, 100) == Verdict::GoesOn);
        assert!(decide(&mut spent, false, First::Somebody, false, TICK | SLICE, 100) == Verdict::SpentEnd);
        assert!(decide(&mut spent, false, First::Nobody, false, TICK | SLICE, 100) == Verdict::GoesOn);
    }

    /// Four threads were started that compute, and the main thread behind them never ran again: the one that ran last
    /// and one of the second queue took turns, a tick each.
    #[test]
    fn a_thread_that_computes_is_spent_though_it_gives_way() {
        let mut spent = Spent::EMPTY;
        assert!(decide(&mut spent, false, First::Somebody, true, TICK, 10) == Verdict::First);
        (spent.is_next, spent.has_run) = (false, true);
        assert!(decide(&mut spent, true, First::Somebody, false, TICK, 11) == Verdict::SpentFront);
        assert!(decide(&mut spent, false, First::Somebody, true, TICK, 12) == Verdict::SpentEnd);
        // One that has stopped meanwhile is not.
        assert!(decide(&mut spent, false, First::Somebody, true, TICK, 20) == Verdict::First);
        (spent.is_next, spent.has_run) = (false, true);
        assert!(decide(&mut spent, true, First::Somebody, false, TICK, 21) == Verdict::SpentFront);
        assert!(decide(&mut spent, false, First::Somebody, true, TICK, 23) == Verdict::First);
    }

    /// While other programs had the processor, ticks went by: the thread that was woken before has not run for them.
    #[test]
    fn what_had_no_processor_has_not_run() {
        let mut ran = processor::Ran::default();
        assert!(!ran.has(10, 5_000, 500), "nothing is known of it");
        assert!(ran.has(10, 6_000, 500) && !ran.has(10, 6_100, 500));
        // The tenth gave way to the next, which was then kept from the processor.
        assert!(!ran.has(11, 6_200, 500) && !ran.has(11, 6_300, 500));
        assert!(ran.has(11, 6_600, 500), "it computes all the same");
        assert!(!ran.has(13, 9_000, 500), "another one ran in between");
        assert!(ran.has(13, 9_500, 500));
        assert!(!ran.has(13, 100, 500) && ran.has(13, 600, 500), "the worker has changed its OS thread");
        // That one gives way, and the host of a virtual machine takes the processor from the next: it counts as time on
        // it.
        ran.ends(Some(900));
        assert!(!ran.knows(14) && !ran.has(14, 1_000, 500) && ran.knows(14));
        ran.ends(Some(1_000));
        assert!(!ran.knows(15) && ran.has(15, 9_000, 500), "it is seen once, so it is not spent");
        assert!(ran.knows(15) && ran.has(15, 10_000, 500), "it computes");
        ran.ends(None);
        assert!(!ran.has(16, 12_000, 500) && ran.has(16, 13_000, 500), "nobody has looked when it began");
        let mut spent = Spent { interrupted: Some(10), ..Spent::EMPTY };
        assert!(super::decide(&mut spent, false, First::Somebody, true, TICK, 12, false, false) == Verdict::First);
    }

    /// A worker that computes was asked for looks while a time-out was near; so at the tick at which that came it had
    /// looked, and was not asked.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_look_before_the_event_is_none() {
        use crate::base::worker::count;
        let config = crate::Config { lanes: 2, main_stack: 1 << 20, lane_stack: 1 << 20, ..Default::default() };
        let fibers = crate::Fibers::new(config, crate::base::no_host::NoHost::STILL).unwrap();
        let worker = fibers.shared.worker(0);
        let mut watch = Watch::default();
        // SAFETY: no thread runs; the worker lives as long as the program.
        unsafe {
            let mut is_asked = |near: Option<bool>, looks: usize| {
                (0..looks).for_each(|_| count(&(*worker).counters.looks));
                watch.tick(worker, near);
                (*worker).request.swap(0, Ordering::SeqCst) & TICK != 0
            };
            assert!(!is_asked(None, 0) && !is_asked(None, 0));
            assert!(is_asked(Some(false), 0) && !is_asked(Some(false), 1));
            assert!(is_asked(Some(true), 1), "it has looked before");
            assert!(!is_asked(Some(true), 10), "it looks by itself");
        }
    }

    /// The main thread makes thousands of threads: they wait for its slice, and have a tick then.
    #[test]
    fn threads_that_have_not_begun_wait_for_a_slice() {
        let mut spent = Spent::EMPTY;
        assert!(decide(&mut spent, false, First::New, false, TICK | SLICE, 100) == Verdict::SpentEnd);
        for _ in 1..ROUND {
            assert!(decide(&mut spent, true, First::New, false, TICK, 100) == Verdict::GoesOn);
        }
        assert!(decide(&mut spent, true, First::New, false, TICK, 100) == Verdict::SpentEnd);
        // One of them runs now; at the next tick it is the second queue's turn.
        assert!(decide(&mut spent, false, First::New, true, TICK, 100) == Verdict::First);
        // A single one may be a handler of signals.
        assert!(decide(&mut spent, true, First::Somebody, false, 0, 100) == Verdict::SpentFront);
    }

    /// What a thread of [`World`] does when it runs.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Kind {
        /// Never stops.
        Computes,
        /// Hands over to another one, which hands over to a third, and so on: the queue stands still.
        HandsOver,
        /// Spawns one that does the same, and ends when its turn comes.
        Spawns,
        /// Runs for a moment and blocks, for so many ticks.
        Rests(u64),
    }

    /// Mistakes that are planted.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Mistake {
        Nothing,
        /// Hand-overs make a new turn each.
        HandOverIsATurn,
        /// A thread that gives way for a tick of the second queue goes to the front, whoever has waited there.
        AlwaysFront,
        /// What is first is noted anew at each tick.
        ForgetsFront,
        /// A thread that runs alone gives way as one does that hands over.
        AloneToo,
    }

    /// A worker with threads of all kinds, tick by tick. Of a group that hands over, and of a chain, one thread runs.
    struct World {
        kinds: Vec<Kind>,
        is_spent: Vec<bool>,
        has_begun: Vec<bool>,
        /// Since when it is ready.
        ready: Vec<u64>,
        wakes: Vec<Option<u64>>,
        first: std::collections::VecDeque<usize>,
        second: std::collections::VecDeque<usize>,
        spent: Spent,
        running: Option<usize>,
        switches: u64,
        /// Ticks without a switch, from one tick to another; none has been since the running one began.
        still: Option<u32>,
        mistake: Mistake,
        /// Parents of a chain that stand behind the others, by the length of the queue before them.
        longest: u64,
        /// The same of those that rest, when those that compute have had their first turns.
        longest_rested: u64,
    }

    /// Ticks of a world.
    const TICKS: u64 = 6_000;
    /// Ticks until then.
    const SETTLED: u64 = 100;

    impl World {
        fn new(kinds: &[Kind], mistake: Mistake) -> World {
            let n = kinds.len();
            World {
                kinds: kinds.to_vec(),
                is_spent: vec![false; n],
                has_begun: vec![false; n],
                ready: vec![0; n],
                wakes: vec![None; n],
                first: (0..n).collect(),
                second: Default::default(),
                spent: Spent::EMPTY,
                running: None,
                switches: 0,
                still: None,
                mistake,
                longest: 0,
                longest_rested: 0,
            }
        }

        /// The next thread that runs for longer than a moment.
        fn choose(&mut self, now: u64) {
            loop {
                let mut next = None;
                if std::mem::take(&mut self.spent.is_next) || self.first.is_empty() {
                    next = self.second.pop_front();
                    self.spent.has_run |= next.is_some();
                }
                self.running = next.or_else(|| self.first.pop_front());
                let Some(thread) = self.running else { return };
                self.longest = self.longest.max(now - self.ready[thread]);
                if matches!(self.kinds[thread], Kind::Rests(_)) && now > SETTLED {
                    self.longest_rested = self.longest_rested.max(now - self.ready[thread]);
                }
                self.has_begun[thread] = true;
                self.switches += 1;
                self.still = None;
                let Kind::Rests(ticks) = self.kinds[thread] else { return };
                self.is_spent[thread] = false;
                self.wakes[thread] = Some(now + ticks);
            }
        }

        fn tick(&mut self, now: u64) {
            for thread in 0..self.kinds.len() {
                if self.wakes[thread].is_some_and(|at| at <= now) {
                    self.wakes[thread] = None;
                    self.ready[thread] = now;
                    self.first.push_back(thread);
                }
            }
            let Some(thread) = self.running else { return self.choose(now) };
            match self.kinds[thread] {
                Kind::Computes => self.still = Some(self.still.map_or(0, |still| still + 1)),
                // Those who hand over, and a chain's parents (which end at once), need no place of their own here: that
                // the queue stands still is all that others see of them.
                _ => {
                    self.switches += 1_000;
                    self.is_spent[thread] = false;
                    self.still = None;
                }
            }
            let first = match (self.first.front(), self.first.back()) {
                (Some(&a), Some(&b)) if a != b && !self.has_begun[a] && !self.has_begun[b] => First::New,
                (Some(_), _) => First::Somebody,
                _ => First::Nobody,
            };
            let is_spent = self.is_spent[thread];
            let bits = if self.still >= Some(QUICK) { TICK | SLICE } else { TICK };
            let id = self.first.front().map_or(NOBODY, |&thread| thread as u64);
            if self.mistake == Mistake::ForgetsFront {
                self.spent.front = Front::NOBODY;
            }
            let slice = if first == First::New { 1_000 * u64::from(super::TICKS) } else { 500 };
            let waited = !is_spent && self.spent.front.has_waited(id, 1_000 * now, slice);
            let waited = waited && (self.still < Some(1) || self.mistake == Mistake::AloneToo);
            let waited = waited && self.mistake != Mistake::HandOverIsATurn;
            let second = !self.second.is_empty();
            let mut verdict =
                super::decide(&mut self.spent, is_spent, first, second, bits, self.switches, true, waited);
            if self.mistake == Mistake::AlwaysFront && verdict == Verdict::FirstEnd && second {
                verdict = Verdict::First;
            }
            self.is_spent[thread] =
                matches!(verdict, Verdict::SpentFront | Verdict::SpentEnd) || is_spent && verdict == Verdict::GoesOn;
            match verdict {
                Verdict::GoesOn => return,
                Verdict::First => self.first.push_front(thread),
                Verdict::FirstEnd => self.first.push_back(thread),
                Verdict::SpentFront => self.second.push_front(thread),
                Verdict::SpentEnd => self.second.push_back(thread),
            }
            self.ready[thread] = now;
            self.choose(now);
        }

        /// The longest that a thread was ready and did not run, in ticks.
        fn longest_wait(kinds: &[Kind], mistake: Mistake) -> u64 {
            let mut world = World::new(kinds, mistake);
            (1..TICKS).for_each(|now| world.tick(now));
            let queued = world.first.iter().chain(&world.second).map(|&thread| TICKS - world.ready[thread]);
            queued.max().unwrap_or(0).max(world.longest)
        }
    }

    /// All populations of up to five threads of five kinds: nobody who is ready waits for longer than until each of the
    /// others has had two slices.
    fn populations() -> impl Iterator<Item = Vec<Kind>> {
        let kinds = [Kind::Computes, Kind::HandsOver, Kind::Spawns, Kind::Rests(1), Kind::Rests(50)];
        (1..=5u32).flat_map(move |n| {
            (0..5usize.pow(n)).map(move |code| (0..n).map(|i| kinds[code / 5usize.pow(i) % 5]).collect())
        })
    }

    fn is_fair(kinds: &[Kind], mistake: Mistake) -> bool {
        World::longest_wait(kinds, mistake) <= 2 * u64::from(ROUND + 2) * (kinds.len() as u64 + 1)
    }

    #[test]
    fn nobody_waits_for_ever() {
        for kinds in populations() {
            let longest = World::longest_wait(&kinds, Mistake::Nothing);
            assert!(is_fair(&kinds, Mistake::Nothing), "{kinds:?}: one has waited for {longest} ticks");
        }
    }

    #[test]
    fn each_mistake_is_found() {
        for mistake in [Mistake::HandOverIsATurn, Mistake::AlwaysFront, Mistake::ForgetsFront] {
            let found = populations().find(|kinds| !is_fair(kinds, mistake));
            assert!(found.is_some(), "{mistake:?} was not found");
        }
    }

    /// Four threads that have talked begin to compute, and others are woken: each of those waited for two ticks of each
    /// of the four, which never were spent. (A message took 17 ms.)
    #[test]
    fn who_is_woken_does_not_wait_for_those_that_compute() {
        for others in [vec![Kind::Rests(1)], vec![Kind::Rests(1), Kind::Rests(7)], vec![Kind::Rests(20)]] {
            let kinds: Vec<Kind> = [Kind::Computes; 4].into_iter().chain(others).collect();
            let longest = |mistake| {
                let mut world = World::new(&kinds, mistake);
                world.has_begun.fill(true);
                (1..TICKS).for_each(|now| world.tick(now));
                world.longest_rested
            };
            assert!(longest(Mistake::Nothing) <= 2, "{kinds:?}: {} ticks", longest(Mistake::Nothing));
            assert!(longest(Mistake::AloneToo) >= 4, "{kinds:?}: {} ticks", longest(Mistake::AloneToo));
        }
    }

    /// Two threads that hand over to each other, and one whose time-out has come: it had no turn for ever.
    #[test]
    fn a_hand_over_is_the_same_turn() {
        let kinds = [Kind::HandsOver, Kind::Rests(20)];
        assert!(World::longest_wait(&kinds, Mistake::Nothing) <= 3);
        assert!(World::longest_wait(&kinds, Mistake::HandOverIsATurn) > 5_000);
    }
}
