//! `--race`: a program's loads, stores and synchronisation -> a report of each two accesses that nothing orders.
//!
//! Two accesses race when they are of the same reference or element, by two threads, one of them is a store, and
//! neither *happens before* the other: no chain of a thread's own steps and of synchronisation leads from one to the
//! other. So a race is found in whatever order the threads happen to run, on one worker as on several. As
//! ThreadSanitizer and Go's detector do it, the chains are known by vector clocks ([`clock`]), the accesses by epochs
//! ([`shadow`]).
//!
//! The compiler announces the accesses (`ssa/watch.rs`). What orders threads, all in terms of what the library is made
//! of:
//! - the maker of a thread knows what happened before, and so does the thread;
//! - who makes a thread ready, or hands over to it;
//! - the library's own variables (queues of channels, stamps of threads, contents of variables, ..) are never raced
//!   for, but order: a load knows what the stores before it knew. So what a message, a variable, a mailbox, a barrier,
//!   the end of a thread order follows from how the library does it, whichever way that is.
//!
//! - the end of a thread, whatever it ended by, is a store into the thread's object.
//!
//! Everything is behind one lock, and keyed by the addresses of objects, which [`after`] mends when they have moved.
//! The same slot serves one thread after the other, if the later one knows of the earlier one's end.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use leat_abi::header::{self, ObjectKind};
use leat_abi::prim::Access as Announced;
use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;
use leat_fiber::Ref;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::service::race::clock::{Clock, Epoch};
use crate::service::race::shadow::{Conflict, Me, Object};
use crate::service::race::traces::Traces;
use crate::service::{report, waits};
use crate::state::runtime::{runtime, stderr, stdout};

mod clock;
mod shadow;
mod traces;

/// Exit code of a program in which a race was found, as of Go's and ThreadSanitizer's.
pub const EXIT_CODE: i32 = 66;
/// Most threads that are alive at once.
const MOST_SLOTS: usize = 8192;
/// Slots that are looked at for one whose last thread is known to the next.
const TRIED: usize = 32;
/// Races that are told of; further ones are counted.
const TOLD: u64 = 100;

static ON: AtomicBool = AtomicBool::new(false);
static DETECTOR: Mutex<Option<Detector>> = Mutex::new(None);

/// A thread that has not ended.
struct Running {
    object: u64,
    slot: u32,
    clock: Clock,
}

/// One of the threads that have had a slot.
struct Occupant {
    /// The slot's first count that is this thread's.
    from: u64,
    number: u64,
    /// Trace of the place where it was made; none: the runtime made it.
    made: Option<u32>,
}

/// Races of one pair of lines that were told of. On one line there may be two variables, each with a race of its own: a
/// race counts anew if neither its variable nor one of its accesses in the code has been told of with these lines.
#[derive(Default)]
struct Told {
    /// The objects, and which elements of them.
    variables: FxHashSet<(u64, usize)>,
    /// The accesses.
    sites: FxHashSet<u32>,
}

impl Told {
    /// Whether this race is none of those that were told of.
    fn is_new(&mut self, variable: (u64, usize), sites: [u32; 2]) -> bool {
        let is_known = self.variables.contains(&variable);
        if !is_known && sites.iter().any(|site| self.sites.contains(site)) {
            return false;
        }
        // What else is done to this variable here is the same race.
        self.sites.extend(sites);
        self.variables.insert(variable);
        !is_known
    }

    /// Objects have moved, or are dead.
    fn after(&mut self, forward: &impl Fn(u64) -> Option<u64>) {
        let variables = std::mem::take(&mut self.variables);
        self.variables.extend(variables.into_iter().filter_map(|(object, at)| Some((forward(object)?, at))));
    }
}

#[derive(Default)]
struct Detector {
    /// By number.
    threads: FxHashMap<u64, Running>,
    slots: Vec<Vec<Occupant>>,
    /// Slots of ended threads, with their last counts; the longest free ones first.
    free: std::collections::VecDeque<(u32, u64)>,
    /// What the ended threads knew.
    ended: Clock,
    objects: FxHashMap<u64, Object>,
    /// Those that came since the last collection.
    young: Vec<u64>,
    traces: Traces,
    /// By the places, a pair of lines.
    told: FxHashMap<[(&'static str, u32); 2], Told>,
    found: u64,
}

/// Begins to look. Before the program starts.
pub fn begin() {
    *lock() = Some(Detector::default());
    ON.store(true, Ordering::Relaxed);
}

/// The program is over: whether races were found. Says how many.
pub fn finish() -> bool {
    ON.store(false, Ordering::Relaxed);
    let Some(detector) = lock().take() else { return false };
    let found = detector.found;
    if found > 0 {
        let races = if found == 1 { "race" } else { "races" };
        let _ = stderr().print_now(format!("{found} {races} found\n").as_bytes());
    }
    found > 0
}

#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

fn lock() -> MutexGuard<'static, Option<Detector>> {
    DETECTOR.lock().unwrap_or_else(|e| e.into_inner())
}

/// Does something with the detector and the running thread's number. Signals are served between any two steps of the
/// program; what they do is not looked at.
unsafe fn with(tcb: *mut Tcb, f: impl FnOnce(&mut Detector, u64)) {
    // SAFETY: the caller has the calling worker's block.
    unsafe {
        let current = (*tcb).current;
        if header::is_immediate(current) || runtime().signal_thread.is(Ref::of(current)) {
            return;
        }
        if let Some(detector) = &mut *lock() {
            let number = (*(current as *const Thread)).id;
            if detector.know(number, current) {
                f(detector, number);
            }
        }
    }
}

/// An access is announced.
///
/// # Safety
/// As [`Traces::here`]; `object` is one, and has the elements.
pub unsafe fn access(tcb: *mut Tcb, object: u64, first: usize, count: usize, access: Announced) {
    // SAFETY: as the caller says.
    unsafe {
        with(tcb, |detector, number| match access {
            Announced::Load => detector.accessed(tcb, number, object, first..first + count, false),
            Announced::Store => detector.accessed(tcb, number, object, first..first + count, true),
            Announced::Acquire => detector.acquire(number, object),
            Announced::Release => detector.release(number, object),
            Announced::Swap => {
                detector.acquire(number, object);
                detector.release(number, object);
            }
        });
    }
}

/// The running thread has made another one.
///
/// # Safety
/// As [`Traces::here`].
pub unsafe fn made(tcb: *mut Tcb, thread: u64) {
    // SAFETY: as the caller says.
    unsafe {
        with(tcb, |detector, number| {
            let clock = detector.threads[&number].clock.clone();
            let trace = detector.traces.here(tcb);
            detector.add((*(thread as *const Thread)).id, thread, clock, Some(trace));
            detector.tick(number);
        });
    }
}

/// The running thread makes another one ready, or hands over to it.
///
/// # Safety
/// `tcb` is the calling worker's; `thread` is a thread object.
pub unsafe fn wakes(tcb: *mut Tcb, thread: u64) {
    // SAFETY: as the caller says.
    unsafe {
        with(tcb, |detector, number| {
            let woken = (*(thread as *const Thread)).id;
            if woken != number && detector.know(woken, thread) {
                let clock = std::mem::take(&mut detector.running(number).clock);
                detector.running(woken).clock.join(&clock);
                detector.running(number).clock = clock;
                detector.tick(number);
            }
        });
    }
}

/// The running thread is about to say that it ends, by an exception: who sees that knows what it did.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn ends(tcb: *mut Tcb) {
    // SAFETY: as the caller says.
    unsafe {
        let thread = (*tcb).current;
        with(tcb, |detector, number| detector.release(number, thread));
    }
}

/// A thread ends, and nobody can see that yet.
///
/// # Safety
/// It is a thread object.
pub unsafe fn ended(thread: *const Thread) {
    if let Some(detector) = &mut *lock() {
        // SAFETY: as the caller says.
        let number = unsafe { (*thread).id };
        if detector.threads.contains_key(&number) {
            detector.release(number, thread as u64);
        }
        detector.end(number);
    }
}

/// All other threads are blocked for good or over, and this one goes on for that reason: it knows of all they did.
///
/// # Safety
/// A thread object.
pub unsafe fn outlives(thread: u64) {
    if let Some(detector) = &mut *lock() {
        // SAFETY: as the caller says.
        let number = unsafe { (*(thread as *const Thread)).id };
        if detector.know(number, thread) {
            let clock = detector.everything();
            detector.running(number).clock.join(&clock);
        }
    }
}

/// Objects have moved, or are dead.
pub fn after(minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
    if let Some(detector) = &mut *lock() {
        detector.after(minor, forward);
    }
}

impl Detector {
    /// Sees to it that a thread is known; one that the runtime made knows of everything before. False: there are too
    /// many, and nothing is looked at any more.
    fn know(&mut self, number: u64, object: u64) -> bool {
        if self.threads.contains_key(&number) {
            return true;
        }
        let clock = self.everything();
        self.add(number, object, clock, None)
    }

    /// What all threads have done so far; what they do from here on, who gets this does not know.
    fn everything(&mut self) -> Clock {
        let mut clock = self.ended.clone();
        self.threads.values().for_each(|other| clock.join(&other.clock));
        let numbers: Vec<u64> = self.threads.keys().copied().collect();
        numbers.into_iter().for_each(|number| self.tick(number));
        clock
    }

    fn add(&mut self, number: u64, object: u64, mut clock: Clock, made: Option<u32>) -> bool {
        let known = |&(slot, count): &(u32, u64)| clock.get(slot) >= count;
        let found = self.free.iter().take(TRIED).position(known);
        let (slot, last) = match found.and_then(|at| self.free.remove(at)) {
            Some(slot) => slot,
            None if self.slots.len() < MOST_SLOTS => {
                self.slots.push(Vec::new());
                (self.slots.len() as u32 - 1, 0)
            }
            // What the thread before did here is taken as known.
            None => match self.free.pop_front() {
                Some(slot) => slot,
                None => {
                    self.give_up();
                    return false;
                }
            },
        };
        clock.set(slot, last + 1);
        self.slots[slot as usize].push(Occupant { from: last + 1, number, made });
        self.threads.insert(number, Running { object, slot, clock });
        true
    }

    #[cold]
    fn give_up(&mut self) {
        if is_on() {
            ON.store(false, Ordering::Relaxed);
            let text =
                format!("--race: more than {MOST_SLOTS} threads are alive; from here on no race is looked for\n");
            let _ = stderr().print_now(text.as_bytes());
        }
    }

    fn running(&mut self, number: u64) -> &mut Running {
        self.threads.get_mut(&number).expect("a thread that is known")
    }

    /// What the thread does from here on, those who know of it so far do not know.
    fn tick(&mut self, number: u64) {
        let thread = self.running(number);
        let count = thread.clock.get(thread.slot) + 1;
        thread.clock.set(thread.slot, count);
    }

    fn end(&mut self, number: u64) {
        if let Some(thread) = self.threads.remove(&number) {
            self.ended.join(&thread.clock);
            self.free.push_back((thread.slot, thread.clock.get(thread.slot)));
        }
    }

    fn object(&mut self, object: u64) -> &mut Object {
        self.objects.entry(object).or_insert_with(|| {
            self.young.push(object);
            Object::default()
        })
    }

    fn acquire(&mut self, number: u64, object: u64) {
        if let (Some(object), Some(thread)) = (self.objects.get(&object), self.threads.get_mut(&number)) {
            thread.clock.join(&object.clock);
        }
    }

    fn release(&mut self, number: u64, object: u64) {
        let clock = std::mem::take(&mut self.running(number).clock);
        self.object(object).clock.join(&clock);
        self.running(number).clock = clock;
        self.tick(number);
    }

    unsafe fn accessed(
        &mut self,
        tcb: *mut Tcb,
        number: u64,
        object: u64,
        elements: std::ops::Range<usize>,
        is_store: bool,
    ) {
        let (mut trace, mut race) = (None, None);
        let Detector { threads, objects, young, traces, .. } = self;
        let Some(Running { slot, clock, .. }) = threads.get(&number) else { return };
        let now = Epoch::new(*slot, clock.get(*slot));
        let known = objects.entry(object).or_insert_with(|| {
            young.push(object);
            Object::default()
        });
        for element in elements {
            // SAFETY: as the caller says.
            let here = || *trace.get_or_insert_with(|| unsafe { traces.here(tcb) });
            let found = known.access(element, Me { now, clock }, is_store, here);
            race = race.or(found.map(|conflict| (element, conflict)));
        }
        if let (Some((element, conflict)), Some(trace)) = (race, trace) {
            // SAFETY: as the caller says.
            unsafe { self.report(tcb, number, object, element, trace, is_store, conflict) };
        }
    }

    fn after(&mut self, minor: bool, forward: &impl Fn(u64) -> Option<u64>) {
        let gone: Vec<u64> = self
            .threads
            .iter_mut()
            .filter_map(|(&number, thread)| match forward(thread.object) {
                Some(now) => {
                    thread.object = now;
                    None
                }
                None => Some(number),
            })
            .collect();
        gone.into_iter().for_each(|number| self.end(number));
        self.told.values_mut().for_each(|told| told.after(forward));
        let young = std::mem::take(&mut self.young);
        let keys: Vec<u64> = if minor { young } else { self.objects.keys().copied().collect() };
        // A new address may be an old one of another object: first all are taken out.
        let moved: Vec<(u64, Object)> = keys
            .into_iter()
            .filter(|&key| forward(key) != Some(key))
            .filter_map(|key| Some((forward(key), self.objects.remove(&key)?)))
            .filter_map(|(now, object)| Some((now?, object)))
            .collect();
        self.objects.extend(moved);
    }

    /// The thread that had a slot then.
    fn occupant(&self, at: Epoch) -> Option<&Occupant> {
        let all = &self.slots[at.slot() as usize];
        all[..all.partition_point(|occupant| occupant.from <= at.count())].last()
    }

    /// Each race is told of once, see [`Told`].
    #[cold]
    #[allow(clippy::too_many_arguments, reason = "all that a report says")]
    unsafe fn report(
        &mut self,
        tcb: *mut Tcb,
        number: u64,
        object: u64,
        element: usize,
        trace: u32,
        is_store: bool,
        Conflict { earlier, was_store }: Conflict,
    ) {
        let mut pair = [self.traces.own_place(trace), self.traces.own_place(earlier.trace)];
        pair.sort_unstable();
        let sites = [self.traces.own_site(trace), self.traces.own_site(earlier.trace)];
        if !self.told.entry(pair).or_default().is_new((object, element), sites) {
            return;
        }
        self.found += 1;
        if self.found > TOLD {
            return;
        }
        let name = |number| if number == 1 { "thread 1 (main)".to_string() } else { format!("thread {number}") };
        let other = self.occupant(earlier.at);
        let (other_name, other_made) = match other {
            Some(other) => (name(other.number), other.made),
            None => ("a thread".to_string(), None),
        };
        // SAFETY: an object with its header.
        let (is_record, made_at) =
            unsafe { (ObjectKind::of(*(object as *const u64).sub(1)) == ObjectKind::Record, waits::made_at(object)) };
        let what = match (is_record, made_at) {
            (true, Some(place)) => format!("the reference made at {place}"),
            (true, None) => "a reference".to_string(),
            (false, _) => format!("element {element} of an array"),
        };
        let mut text = format!("race: {what} is used by two threads, and nothing orders them\n");
        let _ = writeln!(text, "{} {} it here:", name(number), if is_store { "stores into" } else { "loads from" });
        // SAFETY: as the caller says.
        unsafe { report::backtrace(tcb, &mut text) };
        let _ =
            writeln!(text, "{other_name} {} it before, here:", if was_store { "stored into" } else { "loaded from" });
        report::write_places(&self.traces.places(earlier.trace), &mut text);
        let now = self.threads.get(&number).map(|thread| self.slots[thread.slot as usize].last());
        let made = now.flatten().and_then(|occupant| occupant.made);
        for (name, made) in [(name(number), made), (other_name, other_made)] {
            if let Some(made) = made {
                let _ = writeln!(text, "{name} was made here:");
                report::write_places(&self.traces.places(made), &mut text);
            }
        }
        text.push('\n');
        // What the program printed before stands before.
        let _ = stdout().flush();
        let _ = stderr().print_now(text.as_bytes());
    }
}
