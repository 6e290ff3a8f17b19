//! Lanes: reserved stack regions on which threads run. A thread that has run belongs to one; a continuation that is
//! thrown to may bring it to another (A7).
//!
//! ```text
//!  start      low                floor              limit                           base       end
//!  | guard    | room for frames  | stack of the thread that is resident             | stagger  |
//!  | no access| without a check  |                                  <- grows        | < 1 MiB  |
//! ```
//!
//! Reserved, not committed, several at once: a lane's first frame costs a page fault and no system call. The guard of a
//! large lane is set when its stack has grown deep, since nothing gets there before. Keeps: no two lanes overlap; the
//! bases differ in the bits that select a set of the first-level cache; the kernel is told not to use huge pages, so
//! the first frames of a lane cost a small page.

use std::io;
use std::sync::Mutex;

use leat_abi::tcb::Tcb;
use leat_abi::thread::{StackPiece, Thread};

use crate::base::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::base::reference::Ref;

/// One lane. The owner worker's, except as said; two workers' lanes share no line, nor the pair that is fetched at
/// once.
#[repr(C, align(128))]
pub struct Lane {
    /// First address above the stack, a multiple of 16.
    pub(crate) base: usize,
    /// `tcb.stack_limit` while the lane runs: first [`SOON`] below the base, then where memory or the lane ends.
    pub(crate) limit: usize,
    /// The thread whose frames are on the lane, or none. A weak reference: see [`crate::Fibers::residents`].
    pub(crate) resident: Ref<Thread>,
    /// Where the resident is suspended: its stack pointer, which points at the resume address (see `Tcb::saved_sp`);
    /// frame pointer of its innermost compiled frame; address of the stack word with the return address into that. Of
    /// no meaning while it runs.
    pub(crate) sp: usize,
    pub(crate) fp: usize,
    pub(crate) call_sp: usize,
    /// The piece that the resident was last restored from, or none: the next eviction writes into it, if it fits.
    /// Nobody else has it. A weak reference, as `resident`.
    pub(crate) kept: Ref<StackPiece>,
    /// The worker that may touch this lane and queues its ready threads. It alone gives the lane away, or who acts for
    /// it.
    pub(crate) owner: AtomicU32,
    /// Its index in the table. Constant.
    pub(crate) number: u16,
    /// When it went to another worker by a hand-off, in ticks, the low half of them. A hint.
    pub(crate) fetched: AtomicU16,
    // -- the second line: nothing that a switch looks at --
    /// The collector's marker: (address of the replaced word, what stood there), (0, 0) for none. With a marker, no
    /// piece is kept.
    pub(crate) marker: (usize, usize),
    /// The lowest that the limit may be.
    pub(crate) floor: usize,
    /// Lowest accessible address.
    pub(crate) low: usize,
    /// Captures that will still copy a small stack whole; when there are none left, the next one cuts. Below 0: it
    /// does.
    pub(crate) whole: i32,
    /// Stands in its owner's list of free lanes.
    pub(crate) listed: bool,
    /// Threads that were placed here and have not ended; one that died as garbage counts on. The owner writes it,
    /// anybody may read it: a guess.
    pub(crate) threads: AtomicU32,
    /// Bit set of the workers whose `own` names it. A bit is set and cleared by its worker, or who acts for that.
    pub(crate) named: AtomicU64,
}

const _: () = assert!(std::mem::offset_of!(Lane, marker) == 64);

/// All lanes. Lane 0 is the first thread's alone.
pub struct Lanes {
    table: *mut Lane,
    count: AtomicUsize,
    most: usize,
    /// Serialises creation.
    rest: Mutex<Rest>,
}

/// Address space for lanes that are not made yet.
struct Rest {
    /// Where it begins, and how many lanes fit.
    start: usize,
    lanes: usize,
    /// Bytes of a lane without its guard; 0 when there is no more address space.
    size: usize,
    /// There is a limit on address space, so [`SPARE`] is left.
    is_limited: bool,
}

/// Bytes of address space that lanes and carriers leave to everybody else when it is limited (`ulimit -v`): to the C
/// library, and to what carriers that have not run yet will ask of it.
const SPARE: usize = 32 << 20;
/// So many lanes are reserved at once.
const GROUP: usize = 16;
/// Lanes of a worker before it has seen threads push one another off them. The first pages of the first worker's are
/// committed ahead: see [`Lanes::prepare`].
pub(crate) const FIRST_LANES: usize = 12;
/// Bytes of frames that most threads stay within.
const FRAMES: usize = 512;
/// Bytes of inaccessible memory below a lane.
const GUARD: usize = 64 << 10;
/// Bytes below the limit: for functions without an entry check and for C leaves.
const ROOM: usize = 256 << 10;
/// A stack that has grown to this asks the host whether it may grow further, and again each time that it has doubled.
const SOON: usize = 4 << 20;
/// So many lanes lie on pages that differ in the bits that select a set of the second-level translation buffer: else it
/// holds the first pages of some dozen lanes, and a switch to another waits for a walk of the page tables.
const PAGES: usize = 256;
/// A lane smaller than this is of no use.
const LEAST: usize = 512 << 10;

impl Lanes {
    /// `limit`: of the address space, if there is one.
    pub(crate) fn new(most: usize, main: usize, size: usize, limit: Option<usize>) -> io::Result<Lanes> {
        let (main, size, most) = limit.map_or((main, size, most.max(2)), |all| within(all, main, size, most.max(2)));
        let layout = std::alloc::Layout::array::<Lane>(most).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // Not zeroed: that would touch eight pages in each program's start. SAFETY: the layout is not empty; nobody
        // reads a slot before it is written, which its index below the count says.
        let table = unsafe { std::alloc::alloc(layout) } as *mut Lane;
        if table.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let (start, main) = reserve(main)?;
        let rest = Rest { start: 0, lanes: 0, size, is_limited: limit.is_some() };
        let lanes = Lanes { table, count: AtomicUsize::new(0), most, rest: Mutex::new(rest) };
        let lane = Lane::new(0, start, main, 0);
        // SAFETY: slot 0 exists.
        unsafe { table.write(lane) };
        lanes.count.store(1, Ordering::Release);
        Ok(lanes)
    }

    /// The address of a lane. (Where a switch has the number from a thread that has a lane, it adds it to
    /// `Worker::lanes` without a look: T18.)
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> *mut Lane {
        let count = self.count();
        if index >= count {
            no_such_lane(index, count);
        }
        // SAFETY: an index below the count is in the table.
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
        let mut rest = self.rest.lock().unwrap();
        let index = self.count();
        if !self.has_space(&mut rest, index) {
            return None;
        }
        let lane = Lane::new(index, rest.start, rest.size, owner);
        rest.start += rest.size + GUARD;
        rest.lanes -= 1;
        // SAFETY: the slot exists and nobody knows it yet.
        unsafe { self.table.add(index).write(lane) };
        self.count.store(index + 1, Ordering::SeqCst);
        Some(index)
    }

    /// Whether there may be a lane of this index, and address space for it: reserves that of several, if there is none.
    fn has_space(&self, rest: &mut Rest, index: usize) -> bool {
        if index >= self.most || rest.size == 0 {
            return false;
        }
        if rest.lanes == 0 {
            let group = GROUP.min(self.most - index);
            let fits = |lanes: usize| !rest.is_limited || has_room((rest.size + GUARD) * lanes);
            // A program with threads needs a second lane, whatever is left.
            let lanes = if fits(group) {
                group
            } else if index == 1 || fits(1) {
                1
            } else {
                return false;
            };
            (rest.start, rest.lanes, rest.size) = reserve_group(rest.size, lanes);
        }
        rest.lanes > 0
    }

    /// The program will have threads: commits the first pages of the first lanes, as far as there is address space for
    /// them.
    pub(crate) fn prepare(&self) {
        let mut rest = self.rest.lock().unwrap();
        let index = self.count();
        if index < FIRST_LANES && self.has_space(&mut rest, index) {
            for next in index..FIRST_LANES.min(index + rest.lanes) {
                let base = base_of(next, rest.start + (next - index) * (rest.size + GUARD), rest.size);
                touch(base - FRAMES, base);
            }
        }
    }

    /// Bytes that deep stacks have on the other lanes, or may take without asking. With `cuts`, those of the worker's
    /// own have no more than they take from then on.
    ///
    /// # Safety
    /// The calling worker is the owner of this lane, on which its running thread is.
    pub(crate) unsafe fn deep_beside(&self, lane: *const Lane, cuts: bool) -> usize {
        let mut bytes = 0;
        for other in (0..self.count()).map(|index| self.at(index)).filter(|other| !std::ptr::eq(*other, lane)) {
            // SAFETY: lanes live as long as the program. The owner alone writes what `cut` does, and is inside.
            unsafe {
                if !(*other).is_deep() {
                    continue;
                }
                if cuts && (*other).owner.load(Ordering::Acquire) == (*lane).owner.load(Ordering::Relaxed) {
                    (*other).cut();
                }
                bytes += (*other).granted();
            }
        }
        bytes
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

/// A number is no lane's: what stands there would be taken for one.
#[cold]
#[inline(never)]
fn no_such_lane(index: usize, count: usize) -> ! {
    panic!("T18: lane {index} is wanted, and there are {count}")
}

impl Lane {
    /// An empty one in address space of `size` bytes and a guard.
    fn new(index: usize, start: usize, size: usize, owner: usize) -> Lane {
        let base = base_of(index, start, size);
        let low = start + GUARD;
        let floor = low + ROOM.min(size / 4);
        let limit = floor.max(base - SOON.min(size));
        let lane = Lane {
            base,
            limit,
            floor,
            low,
            resident: Ref::NONE,
            sp: 0,
            fp: 0,
            call_sp: 0,
            marker: (0, 0),
            kept: Ref::NONE,
            whole: 0,
            owner: AtomicU32::new(owner as u32),
            listed: false,
            number: index as u16,
            fetched: AtomicU16::new(0),
            threads: AtomicU32::new(0),
            named: AtomicU64::new(0),
        };
        if limit == floor {
            lane.guard();
        }
        lane
    }

    /// Makes the guard inaccessible.
    fn guard(&self) {
        // SAFETY: the guard is the lower end of the lane's own address space.
        unsafe { libc::mprotect((self.low - GUARD) as *mut libc::c_void, GUARD, libc::PROT_NONE) };
    }

    /// Whether its stack is larger than most, or has been since [`Lane::cut`].
    pub(crate) fn is_deep(&self) -> bool {
        self.granted() > SOON
    }

    /// Bytes that its stack may take without asking. For its owner; for another worker a guess.
    fn granted(&self) -> usize {
        // SAFETY: a field of a live lane, which its owner may be writing.
        self.base - unsafe { (&raw const self.limit).read_volatile() }
    }

    /// Its resident, if there is one, is suspended: what it was granted beyond what it takes is another stack's, and
    /// the pages are the system's.
    fn cut(&mut self) {
        let lowest = if self.resident.is_none() { self.base } else { self.sp };
        let limit = self.base - SOON.max((self.base - lowest) / 8 * 9);
        if limit > self.limit {
            self.limit = limit;
            give_back(self.low, lowest - KEEP);
        }
    }

    /// What [`Lane::extend`] would like to have.
    pub(crate) fn wanted(&self, sp: usize) -> usize {
        2 * self.granted().max(self.base - sp)
    }

    /// Notes where the running resident is suspended.
    #[inline(always)]
    pub(crate) unsafe fn save(&mut self, tcb: *mut Tcb) {
        // One by one, as the stub has just stored them: two at once would have to wait until both stores are done (3
        // ns). SAFETY: the stub of the resident's call has stored these into its worker's block.
        unsafe {
            self.sp = (&raw const (*tcb).saved_sp).read_volatile();
            self.fp = (&raw const (*tcb).saved_fp).read_volatile();
            self.call_sp = (&raw const (*tcb).saved_call_sp).read_volatile();
        }
    }

    /// The stack has come to the limit with its pointer at `sp`: true when it may go further, of `most` bytes that it
    /// may have. It gets twice what it has, and is asked again there: so the host knows how much stacks take.
    ///
    /// In pages of 4 KiB: a stack is touched once from one end to the other, and what a huge page saves is less than it
    /// costs to find one. Of 1 GiB the page faults took 0.45 to 0.55 s, those of huge pages 0.25 to 4.2 s.
    pub(crate) fn extend(&mut self, sp: usize, most: usize) -> bool {
        let limit = self.floor.max(self.base - self.wanted(sp).min(most).min(self.base));
        if limit >= self.limit {
            return false;
        }
        if !self.is_deep() {
            self.guard();
        }
        self.limit = limit;
        sp >= limit
    }
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

/// Whether there is address space for so many bytes and [`SPARE`]: asked by taking it and giving it back (1 us).
pub(crate) fn has_room(bytes: usize) -> bool {
    // SAFETY: a fresh mapping that nobody may touch, and its end.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), bytes + SPARE, libc::PROT_NONE, flags, -1, 0);
        start != libc::MAP_FAILED && libc::munmap(start, bytes + SPARE) == 0
    }
}

/// Sizes, and a number of lanes, that leave room for the heap and all else in an address space of so many bytes: the
/// first lane has an eighth of it, all others together a quarter.
fn within(all: usize, main: usize, size: usize, most: usize) -> (usize, usize, usize) {
    let size = size.min(all / 4 / most).max(LEAST);
    (main.min(all / 8).max(LEAST), size, most.min(all / 4 / (size + GUARD)).max(2))
}

/// Maps address space for a lane of about this size and its guard, or the largest that there is room for; gives the
/// size that it got.
fn reserve(size: usize) -> io::Result<(usize, usize)> {
    let mut size = size.max(LEAST) & !4095;
    loop {
        match map(size + GUARD) {
            Some(start) => return Ok((start, size)),
            None if size <= LEAST => return Err(io::Error::last_os_error()),
            None => size = (size / 4).max(LEAST),
        }
    }
}

/// Likewise for so many lanes, or a single one of less when there is no room for all: (start, lanes, size of one),
/// which are 0 when there is none.
fn reserve_group(size: usize, lanes: usize) -> (usize, usize, usize) {
    let size = size.max(LEAST) & !4095;
    match map((size + GUARD) * lanes) {
        Some(start) => (start, lanes, size),
        // A limit was met: the next lanes start from there.
        None => reserve(size).map_or((0, 0, 0), |(start, size)| (start, 1, size)),
    }
}

/// Where a lane's stack begins in its address space.
fn base_of(index: usize, start: usize, size: usize) -> usize {
    // 320 bytes apart: twelve lanes before the sets of a page repeat, and 16-aligned.
    let pages = index % PAGES.min(size / 4096 / 4).max(1);
    start + GUARD + size - (index * 320) % 4096 - pages * 4096
}

/// Commits the pages between two addresses.
fn touch(from: usize, to: usize) {
    let (from, to) = (from & !4095, (to + 4095) & !4095);
    // SAFETY: populating keeps what is there.
    unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_POPULATE_WRITE) };
}

/// Address space of small pages.
fn map(bytes: usize) -> Option<usize> {
    // SAFETY: a fresh private mapping, and advice about it.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            return None;
        }
        libc::madvise(start, bytes, libc::MADV_NOHUGEPAGE);
        Some(start as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the kernel can write to the first page at an address.
    fn is_accessible(at: usize) -> bool {
        // SAFETY: populating keeps what is there, and the address is a lane's.
        unsafe { libc::madvise(at as *mut libc::c_void, 4096, libc::MADV_POPULATE_WRITE) == 0 }
    }

    #[test]
    fn a_guard_is_there_before_a_stack_gets_near_it() {
        // A large lane gets it when it is extended, a small one at once.
        let large = Lane::new(0, reserve(64 << 20).unwrap().0, 64 << 20, 0);
        let small = Lane::new(0, reserve(LEAST).unwrap().0, LEAST, 0);
        assert!(large.limit > large.floor && small.limit == small.floor);
        assert!(is_accessible(large.low) && is_accessible(small.low) && !is_accessible(small.low - 4096));
        let mut large = large;
        assert!(large.extend(large.limit - 16, 64 << 20));
        assert!(is_accessible(large.low) && !is_accessible(large.low - 4096) && !is_accessible(large.low - GUARD));
    }

    #[test]
    fn lanes_leave_most_of_a_small_address_space_to_others() {
        for all in [1 << 20, 1 << 30, 4 << 30, 20 << 30, 1 << 40] {
            for wanted in [2, 256, 60_000] {
                let (main, size, most) = within(all, 1 << 36, 1 << 32, wanted);
                assert!((LEAST..=1 << 32).contains(&size) && main >= LEAST && (2..=wanted).contains(&most));
                assert!(most == 2 || main + most * (size + GUARD) <= all / 2, "{all}: {main}, {most} of {size}");
            }
        }
    }

    /// Spawns of the first threads waited for pages, up to 10 us each (row A4 with 100 pairs).
    #[test]
    fn the_first_lanes_are_there_before_their_threads() {
        let lanes = Lanes::new(20, 1 << 30, 1 << 24, None).unwrap();
        lanes.prepare();
        while lanes.grow(0).is_some() {}
        assert_eq!(lanes.count(), 20);
        for i in 1..20 {
            // SAFETY: made above.
            let page = unsafe { (*lanes.at(i)).base - 8 } & !4095;
            let mut is_there = 0u8;
            // SAFETY: a page of the lane; one byte is written for it.
            assert_eq!(unsafe { libc::mincore(page as *mut libc::c_void, 4096, (&raw mut is_there).cast()) }, 0);
            assert_eq!(is_there & 1 == 1, i < FIRST_LANES, "lane {i}");
        }
        // There are more than enough by now.
        lanes.prepare();
    }

    #[test]
    fn lanes_are_apart_and_staggered() {
        let lanes = Lanes::new(20, 1 << 30, 1 << 24, None).unwrap();
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
        // No two overlap, with the guards; groups and single ones alike.
        // SAFETY: made above.
        let mut ranges: Vec<_> =
            (0..20).map(|i| unsafe { ((*lanes.at(i)).low - GUARD, (*lanes.at(i)).base) }).collect();
        ranges.sort_unstable();
        assert!(ranges.is_sorted_by(|a, b| a.1 <= b.0));
        // SAFETY: no thread runs on these lanes.
        unsafe { lanes.trim(|lane| lane.base) };
        // SAFETY: as above; the kept part is still there, the rest reads as zero.
        unsafe {
            assert_eq!(*(((*lanes.at(7)).base - 8) as *const u64), 7);
            assert_eq!(*((*lanes.at(7)).low as *const u64), 0);
        }
    }
}
