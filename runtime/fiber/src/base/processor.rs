//! Processors: on which one the ticker runs, so that its ticks are in time, how a worker leaves one that another worker
//! has, and how long a worker has had one.
//!
//! An OS thread that sleeps is woken late if its processor is idle: the processor sleeps too, and the host of a virtual
//! machine takes milliseconds to run it again. A processor on which a worker computes is awake, and an interrupt comes
//! at once. So while an event is near, the ticker runs on the processor of a worker that computes.
//!
//! A worker notes its processor when it begins to run, and at the safepoints that others ask for. The kernel may move
//! the worker afterwards, so a note may be wrong for some ticks. Those ticks may be late, as all would be without this;
//! likewise if the kernel refuses to bind the ticker.

use std::cell::Cell;

use crate::base::atomic::{AtomicU64, Ordering};

/// Where the ticker may run. On its OS thread.
#[derive(Default)]
pub(crate) struct TickerPlace {
    /// The only processor on which it runs.
    bound: Option<u32>,
    /// The last one that the kernel has refused: it is not asked for it again.
    refused: Option<u32>,
}

impl TickerPlace {
    /// Binds the OS thread to this processor; `None`: to those of the process again. An OS thread inherits its place
    /// from the one that starts it.
    pub(crate) fn set(&mut self, processor: Option<u32>) {
        let wanted = processor.filter(|_| processor != self.refused);
        if wanted == self.bound {
            return;
        }
        if let Some(number) = wanted
            && system::bind(number)
        {
            self.bound = wanted;
            return;
        }
        self.refused = wanted.or(self.refused);
        if self.bound.take().is_some() {
            system::unbind();
        }
    }
}

#[cfg(test)]
impl TickerPlace {
    pub(crate) fn is_bound(&self) -> bool {
        self.bound.is_some()
    }
}

pub(crate) use system::{first, here, hurry, leave, release};

/// Nanoseconds for which the calling OS thread has had a processor.
pub(crate) fn time() -> u64 {
    time_by(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The sum of that of all OS threads of the program.
pub(crate) fn time_of_all() -> u64 {
    time_by(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn time_by(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What a worker knew when it last looked at the running thread: its count of switches, and the time that its OS thread
/// had had on a processor.
///
/// Ticks go by the clock, and the clock goes on while other programs have the worker's processor. By the clock alone, a
/// thread that was just woken seemed to have run all that time, and was queued behind those that compute: a time-out
/// was 80 ms late, four slices.
#[derive(Default)]
pub(crate) struct Ran {
    switches: u64,
    time: u64,
}

impl Ran {
    /// Whether the running thread has had the processor for `least` nanoseconds since the last look, as far as that is
    /// known: at most one switch has been made since, so it is the same thread, or the one for which that thread gave
    /// way.
    pub(crate) fn has(&mut self, switches: u64, time: u64, least: u64) -> bool {
        let same = switches.wrapping_sub(self.switches) <= 1;
        self.switches = switches;
        // Below 0: the worker has changed its OS thread.
        let ran = same && time.checked_sub(self.time).is_some_and(|ran| ran >= least);
        if ran || !same || time < self.time {
            self.time = time;
        }
        ran
    }

    /// Whether an earlier look found the same thread running. On a virtual machine, time that the host takes from a
    /// processor may count as time of the thread. But no look is made in that time; so a thread that was woken just
    /// before has not been seen when the host gives the processor back.
    pub(crate) fn knows(&self, switches: u64) -> bool {
        self.switches == switches
    }

    /// The running thread gives way, and `time` is the OS thread's time now: what it has run until now does not count
    /// for the next thread. `None`: the time is not known, so the next look begins anew.
    pub(crate) fn ends(&mut self, time: Option<u64>) {
        match time {
            Some(time) => self.time = time,
            None => self.switches = self.switches.wrapping_sub(2),
        }
    }
}

/// For how long threads have computed on a worker, as far as its looks at safepoints tell. The time between two looks
/// counts for the thread that ran all the while, and for the one that runs at both (then what others had between them
/// counts, too: less than the time from one look to the next). So a thread that no look has found running has computed
/// for nothing; what lies between the beginning of a turn and the first look is left out.
///
/// The worker notes, anybody reads. There is no room in a thread object, so threads share [`Computed::ROOM`] places by
/// their numbers, and the one that computed last has it: what is found of another one is 0, which is less, too.
pub(crate) struct Computed {
    /// The last look, and whether the thread that ran gave way at it: then the one that the next switch begins has run
    /// since. Owner only.
    last: Cell<(Look, bool)>,
    /// Number of a thread, and its nanoseconds.
    threads: [(AtomicU64, AtomicU64); Computed::ROOM],
}

/// What a worker sees when it looks at the running thread.
#[derive(Clone, Copy, Default)]
pub(crate) struct Look {
    /// The number of that thread.
    pub(crate) id: u64,
    /// Count of the worker's switches.
    pub(crate) switches: u64,
    /// The time that its OS thread has had on a processor, and whose that is: 0 for nobody's.
    pub(crate) time: u64,
    pub(crate) carrier: usize,
}

impl Computed {
    const ROOM: usize = 64;

    pub(crate) fn new() -> Computed {
        Computed { last: Cell::default(), threads: [const { (AtomicU64::new(0), AtomicU64::new(0)) }; Computed::ROOM] }
    }

    fn place(&self, id: u64) -> &(AtomicU64, AtomicU64) {
        &self.threads[id as usize % Computed::ROOM]
    }

    /// For how long the running thread has run since the last look; 0 if it has not run all the while.
    fn since(&self, look: Look) -> u64 {
        let (last, gave_way) = self.last.get();
        let has_run_since = look.switches.wrapping_sub(last.switches) <= u64::from(gave_way);
        if look.carrier == last.carrier && (has_run_since || look.id == last.id) {
            look.time.saturating_sub(last.time)
        } else {
            0
        }
    }

    /// A look. By the worker.
    pub(crate) fn look(&self, look: Look, gives_way: bool) {
        let since = self.since(look);
        if since > 0 {
            let (owner, sum) = self.place(look.id);
            let before =
                if owner.swap(look.id, Ordering::Relaxed) == look.id { sum.load(Ordering::Relaxed) } else { 0 };
            sum.store(before + since, Ordering::Relaxed);
        }
        self.last.set((look, gives_way));
    }

    /// What looks have found this thread to have computed.
    pub(crate) fn of(&self, id: u64) -> u64 {
        let (owner, sum) = self.place(id);
        if owner.load(Ordering::Relaxed) == id { sum.load(Ordering::Relaxed) } else { 0 }
    }

    /// And since the last look: of the running thread, which its worker sees now.
    pub(crate) fn of_running(&self, look: Look) -> u64 {
        self.of(look.id) + self.since(look)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::mem;

    /// The processor on which the calling OS thread runs; `u32::MAX` if that is not known.
    pub(crate) fn here() -> u32 {
        // SAFETY: reads what the kernel has left for this thread, without a call of it as a rule. (-1 for an error.)
        unsafe { libc::sched_getcpu() as u32 }
    }

    /// The calling OS thread goes to a processor of its own that is not taken, and may run where it could before.
    /// False: there is none, or it may not.
    pub(crate) fn leave(is_taken: impl Fn(u32) -> bool) -> bool {
        let Some(all) = set_of(0) else { return false };
        let mut others = all;
        // SAFETY: sets are plain data, and the numbers are within them.
        unsafe {
            for number in numbers(&all).filter(|&number| is_taken(number as u32)) {
                libc::CPU_CLR(number, &mut others);
            }
            if libc::CPU_COUNT(&others) == 0 || libc::sched_setaffinity(0, mem::size_of_val(&others), &others) != 0 {
                return false;
            }
            libc::sched_setaffinity(0, mem::size_of_val(&all), &all);
        }
        true
    }

    /// The first of the process's processors that will do.
    pub(crate) fn first(may: impl Fn(u32) -> bool) -> Option<u32> {
        numbers(&of_process()?).map(|number| number as u32).find(|&number| may(number))
    }

    /// Where the process's first OS thread may run. It is looked up anew each time, for `taskset` may have changed it.
    fn of_process() -> Option<libc::cpu_set_t> {
        // SAFETY: a call without arguments.
        set_of(unsafe { libc::getpid() })
    }

    /// Where this OS thread may run; 0: the calling one.
    pub(super) fn set_of(thread: libc::pid_t) -> Option<libc::cpu_set_t> {
        // SAFETY: a set is plain data, and the kernel fills it.
        unsafe {
            let mut set: libc::cpu_set_t = mem::zeroed();
            (libc::sched_getaffinity(thread, mem::size_of_val(&set), &mut set) == 0).then_some(set)
        }
    }

    /// The processors of a set.
    pub(super) fn numbers(set: &libc::cpu_set_t) -> impl Iterator<Item = usize> {
        let set = *set;
        // SAFETY: the numbers are within the set.
        (0..8 * mem::size_of_val(&set)).filter(move |&number| unsafe { libc::CPU_ISSET(number, &set) })
    }

    /// The calling OS thread runs on this processor only. False: it may not.
    pub(super) fn bind(processor: u32) -> bool {
        // SAFETY: a set is plain data, and the number is within it.
        unsafe {
            let mut set: libc::cpu_set_t = mem::zeroed();
            if processor as usize >= 8 * mem::size_of_val(&set) {
                return false;
            }
            libc::CPU_SET(processor as usize, &mut set);
            libc::sched_setaffinity(0, mem::size_of_val(&set), &set) == 0
        }
    }

    /// Time slices of so many nanoseconds; 0: as usual. What wants little of the processor has it soon. (Linux 6.12.
    /// Older kernels ignore it.)
    unsafe fn set_slice(slice: u64) {
        // SAFETY: plain data; the kernel fills what it knows of it.
        unsafe {
            let mut attributes: libc::sched_attr = mem::zeroed();
            let size = mem::size_of_val(&attributes);
            if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0
                && attributes.sched_policy == libc::SCHED_OTHER as u32
            {
                attributes.sched_runtime = slice;
                libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0);
            }
        }
    }

    /// The calling OS thread is woken at the very time, not within 50 us of it, and goes before what computes: with a
    /// slice as usual it would wait for the kernel's next tick, up to 4 ms.
    pub(crate) fn hurry() {
        // SAFETY: settings of the calling OS thread.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, 1_000);
            set_slice(100_000);
        }
    }

    /// It runs where the process's first OS thread may.
    pub(super) fn unbind() {
        if let Some(set) = of_process() {
            // SAFETY: a set is plain data.
            unsafe { libc::sched_setaffinity(0, mem::size_of_val(&set), &set) };
        }
    }

    /// It runs where the process's first OS thread may, and is woken and given slices as other threads are.
    pub(crate) fn release() {
        unbind();
        // SAFETY: settings of the calling OS thread; 0 is their first value.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, 0);
            set_slice(0);
        }
    }
}

/// Other systems bind no thread to a processor.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(crate) fn here() -> u32 {
        u32::MAX
    }

    pub(crate) fn leave(_is_taken: impl Fn(u32) -> bool) -> bool {
        false
    }

    pub(crate) fn first(_may: impl Fn(u32) -> bool) -> Option<u32> {
        None
    }

    pub(super) fn bind(_processor: u32) -> bool {
        false
    }

    pub(crate) fn hurry() {}

    pub(super) fn unbind() {}

    pub(crate) fn release() {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_threads_have_computed() {
        let computed = Computed::new();
        let look = |id, switches, time| Look { id, switches, time, carrier: 1 };
        // Nobody has looked before: the thread may have begun to run just now.
        computed.look(look(7, 5, 100), false);
        assert_eq!(computed.of(7), 0);
        computed.look(look(7, 5, 130), false);
        assert_eq!((computed.of(7), computed.of_running(look(7, 5, 134))), (30, 34));
        // One switch, but thread 7 had not given way at the look: it may have run for longer.
        computed.look(look(8, 6, 150), true);
        assert_eq!((computed.of(7), computed.of(8)), (30, 0));
        // Thread 8 gave way, and the next one has run since.
        computed.look(look(7, 7, 170), true);
        assert_eq!((computed.of(7), computed.of(8)), (50, 0));
        // It gave way to one that was woken, blocked soon, and was never seen.
        computed.look(look(7, 9, 200), false);
        assert_eq!(computed.of(7), 80);
        // Times of two OS threads are not to be compared.
        let other = |id, switches, time| Look { id, switches, time, carrier: 2 };
        computed.look(other(7, 9, 1_000), false);
        assert_eq!((computed.of(7), computed.of_running(other(7, 9, 900))), (80, 80));
        // Another thread of its place.
        let shares = 7 + Computed::ROOM as u64;
        computed.look(other(shares, 9, 1_003), false);
        assert_eq!((computed.of(7), computed.of(shares)), (0, 3));
    }

    /// Where the calling OS thread may run.
    fn allowed() -> Vec<u32> {
        let set = system::set_of(0).expect("what the kernel knows");
        system::numbers(&set).map(|number| number as u32).collect()
    }

    /// Where there is another processor, the OS thread runs there, and is bound to none.
    #[test]
    fn a_thread_leaves_a_processor_that_is_taken() {
        let before = allowed();
        let here = here();
        let others = before.iter().any(|&processor| processor != here);
        assert_eq!(leave(|processor| processor == here), others);
        assert_eq!(super::here() != here, others);
        assert_eq!(allowed(), before);
        assert!(!leave(|_| true) && allowed() == before);
        assert_eq!(first(|processor| processor != before[0]), before.get(1).copied());
    }

    #[test]
    fn a_place_is_one_processor_or_those_of_the_process() {
        let before = allowed();
        let mut place = TickerPlace::default();
        let last = *before.last().unwrap();
        place.set(Some(last));
        assert_eq!((allowed(), here()), (vec![last], last));
        // There is none of this number, so it goes back.
        place.set(Some(u32::MAX - 1));
        assert_eq!((allowed(), place.bound), (before.clone(), None));
        place.set(Some(before[0]));
        assert_eq!((allowed(), here()), (vec![before[0]], before[0]));
        place.set(None);
        assert_eq!(allowed(), before);
    }
}
