//! Reserved address space, and what the operating system says of memory.
//!
//! One reservation holds everything that grows: nurseries, blocks, large objects, and the tables beside them. Nothing
//! of it is committed until it is touched.

use std::ptr;

pub(crate) const PAGE: usize = 4096;
/// A huge page.
pub(crate) const HUGE: usize = 2 << 20;
/// A nursery, and the blocks, begin this far below a huge page: those of a small program are small pages; a larger one
/// is given more at once, see `commit`.
pub(crate) const SMALL_NURSERY: usize = 128 << 10;
pub(crate) const SMALL_BLOCKS: usize = 256 << 10;
/// Bytes of a block, of a line.
pub(crate) const BLOCK: usize = 1 << BLOCK_SHIFT;
pub(crate) const BLOCK_SHIFT: u32 = 15;
pub(crate) const LINE: usize = 1 << LINE_SHIFT;
pub(crate) const LINE_SHIFT: u32 = 7;
pub(crate) const LINES: usize = BLOCK / LINE;
/// Bytes of a card: the part of a large array of references that one log entry stands for. Its byte has a bit for each
/// eighth, a line of the processor's cache: only those that were stored into are looked at.
pub(crate) const CARD: usize = 1 << CARD_SHIFT;
pub(crate) const CARD_SHIFT: u32 = leat_abi::tcb::CARD_SHIFT;
pub(crate) const PART: usize = 1 << leat_abi::tcb::PART_SHIFT;

const GIB: usize = 1 << 30;

/// What is known of a block, in the table of states. All zero: never used.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct BlockState {
    pub state: u8,
    /// Its objects move in this major collection.
    pub evacuate: bool,
    /// Lines that the last sweep found marked.
    pub live_lines: u16,
    /// Bytes of the objects that the last marking, or the one that is under way, found to begin here, and an estimate
    /// of what holes were filled with since. 0: filled since, or nothing lives.
    pub live: u32,
}

/// Where everything lies. Only the addresses; who owns what is said by the files that use them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    start: usize,
    bytes: usize,
    /// Nurseries: `workers` slots of `slot` bytes; the first [`HUGE`]` - `[`SMALL_NURSERY`] of each are not used.
    pub nursery: usize,
    pub slot: usize,
    pub workers: usize,
    /// Blocks.
    pub blocks: usize,
    pub blocks_bytes: usize,
    /// Large objects.
    pub large: usize,
    pub large_bytes: usize,
    /// A byte for each line, each block's state, each card; the mark stack.
    pub lines: usize,
    pub states: usize,
    pub cards: usize,
    pub mark_stack: usize,
}

impl Space {
    /// Reserves for a heap of about `heap` bytes; less if the system refuses, down to 128 MiB. Under a limit on address
    /// space half of it is left to stacks, compiled code and the C library, as long as the heap has more than that;
    /// then there are nurseries for [`FEW_WORKERS`] only, or for `least` if that is more.
    pub fn reserve(heap: usize, slot: usize, workers: usize, least: usize) -> Result<Space, String> {
        let mut blocks = (2 * heap + 8 * GIB).next_power_of_two();
        let mut large = 2 * blocks;
        let mut slot = slot;
        let fair = address_space().unwrap_or(usize::MAX) / 2;
        let is_limited = fair < 64 * GIB;
        let workers = if is_limited { workers.min(FEW_WORKERS.max(least)) } else { workers };
        if is_limited {
            large = blocks;
        }
        loop {
            let nursery = slot * workers + HUGE;
            let lines = blocks >> LINE_SHIFT;
            let states = (blocks >> BLOCK_SHIFT) * size_of::<BlockState>();
            let cards = large >> CARD_SHIFT;
            // Each object is pushed once at most and has two words at least; array continuations take two words more.
            let mark_stack = (blocks + large) / 2 + HUGE;
            let sizes = [nursery, blocks, large, lines, states, cards, mark_stack];
            let bytes = sizes.iter().map(|s| s.next_multiple_of(HUGE)).sum::<usize>() + HUGE;
            let is_least = blocks <= GIB / 8;
            if let Some(start) = (bytes <= fair || is_least).then(|| map(bytes)).flatten() {
                let mut at = start.next_multiple_of(HUGE);
                let mut next = |size: usize| {
                    let here = at;
                    at += size.next_multiple_of(HUGE);
                    here
                };
                return Ok(Space {
                    start,
                    bytes,
                    nursery: next(nursery),
                    slot,
                    workers,
                    blocks: next(blocks) + HUGE - SMALL_BLOCKS,
                    blocks_bytes: blocks - HUGE,
                    large: next(large),
                    large_bytes: large,
                    lines: next(lines),
                    states: next(states),
                    cards: next(cards),
                    mark_stack: next(mark_stack),
                });
            }
            if is_least {
                return Err(format!("the system gives no address space for a heap ({} MiB)", bytes >> 20));
            }
            blocks /= 2;
            large /= 2;
            slot = (slot / 2).max(4 * HUGE).min(slot);
        }
    }

    /// How large a heap may be that has room here: some is lost between objects, or needed to move them.
    pub fn heap_room(&self) -> usize {
        self.blocks_bytes / 8 * 7
    }

    /// Gives the reservation back.
    ///
    /// # Safety
    /// Nobody uses an address in it any more.
    pub unsafe fn unmap(&self) {
        // SAFETY: the caller vouches.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.bytes) };
    }
}

fn map(bytes: usize) -> Option<usize> {
    // SAFETY: a new anonymous mapping touches nothing that exists.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    (at != libc::MAP_FAILED).then_some(at as usize)
}

/// Workers under a limit on address space.
const FEW_WORKERS: usize = 16;

/// Bytes of address space that the process may have, if that is limited (`ulimit -v`). A limit on its data
/// (`ulimit -d`) counts what is mapped, too, whether it is touched or not.
pub fn address_space() -> Option<usize> {
    let of = |resource| {
        let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
        // SAFETY: the kernel fills the structure; if it does not, there is no limit.
        unsafe { libc::getrlimit(resource, &mut limit) };
        limit.rlim_cur as usize
    };
    let least = of(libc::RLIMIT_AS).min(of(libc::RLIMIT_DATA));
    (least != libc::RLIM_INFINITY as usize).then_some(least)
}

/// Gives the whole pages inside `[from, to)` back to the system; they read as zero afterwards.
///
/// # Safety
/// The range is ours and nobody needs what is in it.
pub(crate) unsafe fn give_back(from: usize, to: usize) -> usize {
    let (from, to) = (from.next_multiple_of(PAGE), to & !(PAGE - 1));
    if from >= to {
        return 0;
    }
    // SAFETY: the caller vouches for the range.
    unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_DONTNEED) };
    to - from
}

/// A thread of the collector's begins: signals are other threads' matter.
pub(crate) fn leave_signals() {
    // SAFETY: a set of all signals.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
    }
}

/// A thread of the collector's, when it is woken, does not take the processor away from the worker that wakes it: it
/// waits for one that is free, or for its turn.
pub(crate) fn give_precedence() {
    // SAFETY: numbers only, of this thread. Who has been given another policy by the user keeps it.
    unsafe {
        if libc::sched_getscheduler(0) == libc::SCHED_OTHER {
            let mut parameter: libc::sched_param = std::mem::zeroed();
            parameter.sched_priority = 0;
            libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameter);
        }
    }
}

/// Monotonic nanoseconds.
pub(crate) fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds of processor time that this OS thread has had, the system's on its behalf included.
pub(crate) fn processor_time() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Nanoseconds of processor time that the whole process has had: in user mode, in the system.
pub(crate) fn processor_times() -> (u64, u64) {
    // SAFETY: rusage is plain numbers, which getrusage writes.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let nanos = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
    (nanos(usage.ru_utime), nanos(usage.ru_stime))
}

/// What the system has done for this OS thread so far, for the log.
#[derive(Clone, Copy, Default)]
pub(crate) struct Served {
    /// Nanoseconds of processor time in the system.
    pub system: u64,
    /// Pages that were missing; times that the processor was taken away, and that something was waited for.
    pub faults: u64,
    pub displaced: u64,
    pub waits: u64,
}

impl Served {
    pub fn now() -> Served {
        // SAFETY: rusage is plain numbers, which getrusage writes.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
            usage
        };
        Served {
            system: usage.ru_stime.tv_sec as u64 * 1_000_000_000 + usage.ru_stime.tv_usec as u64 * 1000,
            faults: usage.ru_minflt as u64,
            displaced: usage.ru_nivcsw as u64,
            waits: usage.ru_nvcsw as u64,
        }
    }
}

fn clock(which: libc::clockid_t) -> u64 {
    // SAFETY: a timespec is plain numbers, and clock_gettime writes it.
    unsafe {
        let mut t: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(which, &mut t);
        t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
    }
}

/// Bytes of physical memory.
pub(crate) fn physical() -> usize {
    // SAFETY: sysconf reads nothing of ours.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    if pages <= 0 { 4 * GIB } else { pages as usize * PAGE }
}

/// Bytes that this process may use: the least of physical memory and the limits of its control groups, less a sixteenth
/// for what is not heap. Reads a few small files: asked for when the heap is no longer small.
pub(crate) fn default_limit() -> usize {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limit = group_limit(&groups, &|path| std::fs::read_to_string(path).ok()).unwrap_or(usize::MAX).min(physical());
    limit - limit / 16
}

/// The least memory limit of the control groups named in `/proc/self/cgroup`, and of the groups around them.
fn group_limit(groups: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (root, file) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|c| c == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let limit = read(&format!("{root}{path}/{file}")).and_then(|text| text.trim().parse::<usize>().ok());
            least = match (least, limit) {
                (Some(a), Some(b)) => Some(usize::min(a, b)),
                (a, b) => a.or(b),
            };
            match path.rfind('/') {
                Some(at) => path = &path[..at],
                None => break,
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_containers() {
        let files = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "1000000\n",
                "/sys/fs/cgroup/memory/x/memory.limit_in_bytes" => "700\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(group_limit("0::/a/b\n", &files), Some(1_000_000));
        assert_eq!(group_limit("4:cpu:/x\n3:memory,pids:/x\n", &files), Some(700));
        assert_eq!(group_limit("3:memory:/gone\n", &files), Some(9223372036854771712));
        assert_eq!(group_limit("0::/\nnonsense", &files), None);
    }
}
