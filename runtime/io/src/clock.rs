//! The clock: monotonic and wall time in nanoseconds, or a virtual time behind a switch.
//!
//! Virtual time stands still while anything runs; when every worker is idle `entry` moves it to the next deadline
//! ([`advance_to`]), and in deterministic mode by a little with each turn of a thread ([`advance`]), so that a
//! program's time-outs come in the same order and at the same times in each run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A time or a time span in nanoseconds.
pub type Nanos = u64;

/// Written at the start of a program, before it has a second OS thread.
static FAKE: AtomicBool = AtomicBool::new(false);
/// Virtual monotonic time. Any worker may move it, forwards only.
static VIRTUAL: AtomicU64 = AtomicU64::new(0);

/// Where virtual monotonic time begins: not 0, so that "an hour ago" can be said.
const VIRTUAL_START: Nanos = 1_000_000_000_000;
/// The wall clock at that time: 2001-09-09 01:46:40 UTC.
const VIRTUAL_WALL: i64 = 1_000_000_000_000_000_000;

/// Switches to virtual time, which begins anew, or to real time. Call before anything of the program reads the clock.
pub fn set_fake(fake: bool) {
    VIRTUAL.store(VIRTUAL_START, Ordering::Relaxed);
    FAKE.store(fake, Ordering::Release);
}

/// Whether time is virtual.
#[inline]
pub fn is_fake() -> bool {
    FAKE.load(Ordering::Acquire)
}

/// Moves virtual time forwards to `deadline`; nothing happens when it is already later, or when time is real.
pub fn advance_to(deadline: Nanos) {
    if is_fake() {
        VIRTUAL.fetch_max(deadline, Ordering::AcqRel);
    }
}

/// Moves virtual time forwards by so much; nothing happens when time is real.
pub fn advance(span: Nanos) {
    if is_fake() {
        VIRTUAL.fetch_add(span, Ordering::AcqRel);
    }
}

/// Monotonic time: never goes back, unaffected by clock setting, counts no particular zero.
#[inline]
pub fn monotonic() -> Nanos {
    if is_fake() {
        return VIRTUAL.load(Ordering::Acquire);
    }
    really_monotonic()
}

/// The system's own, where time is virtual, too. A signal's handler may ask.
#[inline]
pub fn really_monotonic() -> Nanos {
    read(libc::CLOCK_MONOTONIC) as Nanos
}

/// Monotonic time as it was at the system's last tick, some milliseconds ago at most. Takes a third of the time: no
/// counter of the processor is read.
#[inline]
pub fn recent() -> Nanos {
    if is_fake() {
        return VIRTUAL.load(Ordering::Acquire);
    }
    #[cfg(target_os = "linux")]
    return read(libc::CLOCK_MONOTONIC_COARSE) as Nanos;
    #[cfg(not(target_os = "linux"))]
    really_monotonic()
}

/// Wall time since 1970-01-01 UTC, without leap seconds; negative before.
pub fn wall() -> i64 {
    if is_fake() {
        let elapsed = VIRTUAL.load(Ordering::Acquire) - VIRTUAL_START;
        return VIRTUAL_WALL.saturating_add_unsigned(elapsed);
    }
    read(libc::CLOCK_REALTIME)
}

/// Processor time of the whole process: (user, system).
pub fn process_times() -> (Nanos, Nanos) {
    // SAFETY: rusage is plain data that getrusage fills.
    let usage = unsafe {
        let mut usage: libc::rusage = core::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let nanos = |t: libc::timeval| t.tv_sec as Nanos * 1_000_000_000 + t.tv_usec as Nanos * 1000;
    (nanos(usage.ru_utime), nanos(usage.ru_stime))
}

fn read(id: libc::clockid_t) -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; the clock exists on every supported platform.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test only: the switch is global to the process.
    #[test]
    fn real_time_runs_and_virtual_time_is_moved() {
        let (a, w) = (monotonic(), wall());
        let b = monotonic();
        assert!(b >= a && b - a < 5_000_000_000);
        // Never ahead of the other one.
        assert!(recent() <= monotonic());
        assert!(w > 1_600_000_000_000_000_000, "the wall clock stands at {w}");
        set_fake(true);
        let (m, w) = (monotonic(), wall());
        assert_eq!((m, w), (VIRTUAL_START, VIRTUAL_WALL));
        advance_to(m + 250);
        advance_to(m + 20);
        assert_eq!((monotonic(), wall()), (m + 250, w + 250));
        advance(7);
        assert_eq!((monotonic(), recent(), wall()), (m + 257, m + 257, w + 257));
        set_fake(false);
    }
}
