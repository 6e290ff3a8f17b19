//! Time: the clocks, the times of the process and of its children.

use leat_io::clock;

use crate::service::here::Here;
use crate::state::runtime::runtime;

/// Wall clock, nanoseconds since 1970.
pub fn leat_time_now() -> i64 {
    clock::wall()
}

/// Monotonic clock.
pub fn leat_time_monotonic() -> u64 {
    clock::monotonic()
}

/// Monotonic clock at the last tick.
pub fn leat_time_recent() -> u64 {
    clock::recent()
}

/// Processor time in user mode.
pub fn leat_time_user() -> u64 {
    clock::process_times().0
}

/// Processor time in the system.
pub fn leat_time_system() -> u64 {
    clock::process_times().1
}

/// Processor time of the collector: 0 in user mode, 1 in the system.
pub fn leat_time_gc(which: u64) -> u64 {
    let stats = runtime().heap.stats(None);
    if which == 0 { stats.user_ns } else { stats.system_ns }
}

pub fn leat_time_children(_: Here, which: u64) -> u64 {
    // SAFETY: the call fills the structure.
    unsafe {
        let mut usage: libc::rusage = core::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        let time = if which == 0 { usage.ru_utime } else { usage.ru_stime };
        (time.tv_sec * 1_000_000_000 + time.tv_usec * 1000) as u64
    }
}
