//! Lanes: reserved stack regions on which threads run. A thread belongs to one for life (A7).
//!
//! ```text
//!  start      low                floor              limit                           base       end
//!  | guard    | room for frames  | stack of the thread that is resident             | stagger  |
//!  | no access| without a check  |                                  <- grows        | < 4 KiB  |
//! ```
//!
//! Reserved, not committed. Keeps: L1 no two lanes overlap; L2 the bases differ in the bits that select a set of the
//! first-level cache; L3 the mapping's end is not aligned to 2 MiB where the kernel would aim for huge pages, so the first
//! frames of a lane cost a small page.

use std::io;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use leat_abi::tcb::Tcb;

use crate::worker::Shared;

/// One lane. The owner worker's, except as said; two workers' lanes share no line, nor the pair that is fetched at once.
#[repr(C, align(128))]
pub struct Lane {
    /// First address above the stack, a multiple of 16.
    pub(crate) base: usize,
    /// `tcb.stack_limit` while the lane runs: first [`SOON`] below the base, then where memory or the lane ends.
    pub(crate) limit: usize,
    /// The lowest that it may be.
    pub(crate) floor: usize,
    /// Lowest accessible address.
    pub(crate) low: usize,
    /// The thread whose frames are on the lane, or 0. A weak reference: see [`crate::Fibers::residents`].
    pub(crate) resident: u64,
    /// Where the resident is suspended: its stack pointer, which points at the resume address (see `Tcb::saved_sp`); frame
    /// pointer of its innermost compiled frame; address of the stack word with the return address into that. Of no meaning
    /// while it runs.
    pub(crate) sp: usize,
    pub(crate) fp: usize,
    pub(crate) call_sp: usize,
    /// The collector's marker: (address of the replaced word, what stood there), (0, 0) for none.
    pub(crate) marker: (usize, usize),
    /// The piece that the resident was last restored from, or 0: the next eviction writes into it, if it fits. Nobody else
    /// has it. A weak reference, as `resident`.
    pub(crate) kept: u64,
    /// Captures that will still copy a small stack whole; when there are none left, the next one cuts. Below 0: it does.
    pub(crate) whole: i32,
    /// The worker that may touch this lane and queues its ready threads. It alone gives the lane away, or who acts for it.
    pub(crate) owner: AtomicU32,
    /// Stands in its owner's list of free lanes.
    pub(crate) listed: bool,
    /// When it went to another worker by a hand-off, in ticks, the low half of them. A hint.
    pub(crate) fetched: AtomicU16,
}

/// All lanes. Lane 0 is the first thread's alone.
pub struct Lanes {
    table: *mut Lane,
    count: AtomicUsize,
    most: usize,
    /// Serialises creation; what a new lane's size is.
    size: Mutex<usize>,
}

/// Bytes of inaccessible memory below a lane.
const GUARD: usize = 64 << 10;
/// Bytes below the limit: for functions without an entry check and for C leaves.
const ROOM: usize = 256 << 10;
/// A stack that has grown to this asks how much memory there is, and for huge pages from there on.
const SOON: usize = 4 << 20;
/// So many lanes lie on pages that differ in the bits that select a set of the second-level translation buffer: else it
/// holds the first pages of some dozen lanes, and a switch to another waits for a walk of the page tables.
const PAGES: usize = 256;
/// A lane smaller than this is of no use.
const LEAST: usize = 512 << 10;

impl Lanes {
    pub(crate) fn new(most: usize, main: usize, size: usize) -> io::Result<Lanes> {
        let most = most.max(2);
        let layout = std::alloc::Layout::array::<Lane>(most).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // SAFETY: the layout is not empty; a zeroed lane is a valid one (never used before it is filled).
        let table = unsafe { std::alloc::alloc_zeroed(layout) } as *mut Lane;
        if table.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let (main, size) = within_limit(main, size);
        let lanes = Lanes { table, count: AtomicUsize::new(0), most, size: Mutex::new(size) };
        let (mut lane, _) = reserve(0, main)?;
        *lane.owner.get_mut() = 0;
        // SAFETY: slot 0 exists.
        unsafe { table.write(lane) };
        lanes.count.store(1, Ordering::Release);
        Ok(lanes)
    }

    /// The address of a lane.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> *mut Lane {
        debug_assert!(index < self.count());
        // SAFETY: an index below the count is in the table; callers have no others.
        unsafe { self.table.add(index) }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether there may be more lanes.
    pub(crate) fn may_grow(&self) -> bool {
        self.count() < self.most
    }

    /// One more lane for this worker, unless there are enough or no address space is left.
    pub(crate) fn grow(&self, owner: usize) -> Option<usize> {
        let mut size = self.size.lock().unwrap();
        let index = self.count();
        if index >= self.most || *size == 0 {
            return None;
        }
        match reserve(index, *size) {
            Ok((mut lane, got)) => {
                // A limit was met: the next lanes start from there.
                *size = got;
                *lane.owner.get_mut() = owner as u32;
                // SAFETY: the slot exists and nobody knows it yet.
                unsafe { self.table.add(index).write(lane) };
                self.count.store(index + 1, Ordering::SeqCst);
                Some(index)
            }
            Err(_) => {
                *size = 0;
                None
            }
        }
    }

    /// Gives the pages below every suspended or empty stack back to the system. All workers are stopped.
    ///
    /// # Safety
    /// `lowest(lane)` is at or below the lowest frame in use of that lane.
    pub(crate) unsafe fn trim(&self, lowest: impl Fn(&Lane) -> usize) {
        for index in 0..self.count() {
            // SAFETY: all workers are stopped.
            let lane = unsafe { &*self.at(index) };
            give_back(lane.low, lowest(lane).saturating_sub(KEEP));
        }
    }
}

impl Lane {
    /// Notes where the running resident is suspended.
    #[inline(always)]
    pub(crate) unsafe fn save(&mut self, tcb: *mut Tcb) {
        // One by one, as the stub has just stored them: two at once would have to wait until both stores are done (3 ns).
        // SAFETY: the stub of the resident's call has stored these into its worker's block.
        unsafe {
            self.sp = (&raw const (*tcb).saved_sp).read_volatile();
            self.fp = (&raw const (*tcb).saved_fp).read_volatile();
            self.call_sp = (&raw const (*tcb).saved_call_sp).read_volatile();
        }
    }

    /// The stack has come to the limit with its pointer at `sp`: true when it may go further, now that memory was looked at.
    pub(crate) fn extend(&mut self, sp: usize) -> bool {
        let limit = self.floor.max(self.base - memory().min(self.base));
        if limit >= self.limit {
            return false;
        }
        // SAFETY: advice about a part of the lane's own mapping.
        unsafe {
            libc::madvise(
                (limit & !4095) as *mut libc::c_void,
                (self.limit & !4095) - (limit & !4095),
                libc::MADV_HUGEPAGE,
            )
        };
        self.limit = limit;
        sp >= limit
    }
}

/// Bytes that a stack may take: half of what the container or the machine has.
fn memory() -> usize {
    static MEMORY: OnceLock<usize> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        // SAFETY: these have no preconditions.
        let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
        let all = if pages > 0 { pages as usize * 4096 } else { 4 << 30 };
        let own = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
            .iter()
            .filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok())
            .min()
            .unwrap_or(usize::MAX);
        all.min(own) / 2
    })
}

/// Bytes below a stack that are kept committed.
pub(crate) const KEEP: usize = 64 << 10;

/// Gives whole pages between two addresses back to the system: they read as zero afterwards.
pub(crate) fn give_back(from: usize, to: usize) {
    let (from, to) = ((from + 4095) & !4095, to & !4095);
    if from < to {
        // SAFETY: the range lies in a lane and holds no frame in use.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_DONTNEED) };
    }
}

/// Sizes that leave room for the heap when the address space is limited (`ulimit -v`).
fn within_limit(main: usize, size: usize) -> (usize, usize) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills the structure.
    if unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return (main, size);
    }
    let all = limit.rlim_cur as usize;
    (main.min(all / 8).max(LEAST), size.min(all / 256).max(LEAST))
}

/// Maps a lane of about this size, or the largest that there is room for; gives the size that it got.
fn reserve(index: usize, size: usize) -> io::Result<(Lane, usize)> {
    let mut size = size.max(LEAST) & !4095;
    loop {
        let whole = size + GUARD;
        // SAFETY: a fresh private mapping.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                whole,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start != libc::MAP_FAILED {
            // SAFETY: the guard is the mapping's lower end.
            unsafe { libc::mprotect(start, GUARD, libc::PROT_NONE) };
            let start = start as usize;
            // 320 bytes apart: twelve lanes before the sets of a page repeat, and 16-aligned.
            let pages = index % PAGES.min(size / 4096 / 4).max(1);
            let base = start + whole - (index * 320) % 4096 - pages * 4096;
            let low = start + GUARD;
            let floor = low + ROOM.min(size / 4);
            let lane = Lane {
                base,
                limit: floor.max(base - SOON.min(size)),
                floor,
                low,
                resident: 0,
                sp: 0,
                fp: 0,
                call_sp: 0,
                marker: (0, 0),
                kept: 0,
                whole: 0,
                owner: AtomicU32::new(0),
                listed: false,
                fetched: AtomicU16::new(0),
            };
            return Ok((lane, size));
        }
        if size <= LEAST {
            return Err(io::Error::last_os_error());
        }
        size = (size / 4).max(LEAST);
    }
}

impl Shared {
    /// The lane with this index.
    #[inline(always)]
    pub(crate) fn lane(&self, index: u64) -> *mut Lane {
        self.lanes.at(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_apart_and_staggered() {
        let lanes = Lanes::new(20, 1 << 30, 1 << 24).unwrap();
        while lanes.grow(3).is_some() {}
        assert_eq!(lanes.count(), 20);
        for i in 0..20 {
            // SAFETY: made above.
            let lane = unsafe { &*lanes.at(i) };
            assert_eq!(lane.base % 16, 0);
            assert!(lane.base - lane.limit > 1 << 19 && lane.limit >= lane.floor, "{} bytes", lane.base - lane.limit);
            // SAFETY: the words between limit and base are accessible.
            unsafe {
                *((lane.base - 8) as *mut u64) = i as u64;
                *(lane.low as *mut u64) = i as u64;
            }
            if i > 1 {
                // SAFETY: made above.
                let before = unsafe { &*lanes.at(i - 1) };
                assert_ne!(before.base % 4096 / 64, lane.base % 4096 / 64);
            }
        }
        // SAFETY: no thread runs on these lanes.
        unsafe { lanes.trim(|lane| lane.base) };
        // SAFETY: as above; the kept part is still there, the rest reads as zero.
        unsafe {
            assert_eq!(*(((*lanes.at(7)).base - 8) as *const u64), 7);
            assert_eq!(*((*lanes.at(7)).low as *const u64), 0);
        }
    }
}
