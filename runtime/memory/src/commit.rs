//! Committing pages: a range that is about to be filled -> memory, in few system calls, in huge pages while those are
//! cheap.
//!
//! What a huge page costs depends on where the system takes it from: next to nothing for each of its 512 pages when it
//! lies ready, more than twenty times as much when it has to be made free by moving others, or when this is a virtual
//! machine whose host has to find memory first (small pages come from what is left over, which the host has given
//! already). So the cost is looked at: after a huge page that was dear some steps go by in small ones, twice as many
//! each time.
//!
//! A nursery begins with small pages, by and by: a program that allocates little has no use for more. Then come huge
//! ones. What had to be small pages becomes huge ones later, piece by piece, when the nursery has been filled some
//! times: then the processor has fewer addresses to look up. The old generation grows by as much as it has, then by
//! huge pages; by those at once when they are known to be cheap.
//!
//! Everything here is a hint, and the outcome changes nothing but the time.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::space::{HUGE, PAGE, SMALL_BLOCKS, SMALL_NURSERY, give_back, processor_time};

/// So much of a nursery is left to page faults: some programs need no more.
const TOUCHED: usize = 16 << 10;
/// Least and most that is committed of it at once, in small pages.
const LEAST_STEP: usize = 32 << 10;
const MOST_STEP: usize = 256 << 10;
/// So much of its small pages at the beginning is there before a worker waits, and not missing when it is woken.
const AHEAD: usize = 32 << 10;
/// Times that a nursery is filled before its small pages become huge ones; and if the last huge page was dear: the
/// trial may cost as much as some hundred collections gain.
const FILLED: u32 = 8;
const FILLED_DEAR: u32 = 64;
/// So much of the old generation has small ones, unless huge pages are known to be cheap: for so few the processor
/// keeps all addresses.
const BLOCKS: usize = 4 << 20;
/// Nanoseconds of a page from which a huge page is dear. A small one takes half of it to twice as much.
const DEAR: u64 = 1000;
/// Steps in small pages after a huge one that was dear: at first, and at most.
const FIRST_PAUSE: u32 = 32;
const LONGEST_PAUSE: u32 = 128;

/// What huge pages cost is the machine's matter, so this is the process's, not a heap's. Any thread, no order.
static HUGE_PAGES: Judge = Judge::new(FIRST_PAUSE);

/// Whether the next step is to be a huge page.
struct Judge {
    /// Steps that go by before the next trial.
    pause: AtomicU32,
    /// The length of the next pause.
    next: AtomicU32,
    /// The last trial was cheap.
    is_cheap: AtomicBool,
}

impl Judge {
    const fn new(pause: u32) -> Judge {
        Judge { pause: AtomicU32::new(0), next: AtomicU32::new(pause), is_cheap: AtomicBool::new(false) }
    }

    /// Asked once for each step.
    fn tries(&self) -> bool {
        let pause = self.pause.load(Relaxed);
        self.pause.store(pause.saturating_sub(1), Relaxed);
        pause == 0
    }

    /// A trial took so many nanoseconds for each page.
    fn took(&self, each: u64) {
        self.is_cheap.store(each <= DEAR, Relaxed);
        if each > DEAR {
            let pause = self.next.load(Relaxed);
            self.pause.store(pause, Relaxed);
            self.next.store((2 * pause).min(LONGEST_PAUSE), Relaxed);
        } else {
            self.next.store(FIRST_PAUSE, Relaxed);
        }
    }
}

/// The pages of a nursery.
pub(crate) struct Pages {
    /// Where they begin: [`SMALL_NURSERY`] below a huge page, or at a block.
    start: usize,
    /// Up to here they are there, or will come when they are touched.
    ready: usize,
    /// Where huge pages could begin but small ones do.
    small: Vec<usize>,
    /// How often the nursery has been full.
    filled: u32,
}

impl Pages {
    pub fn new(start: usize) -> Pages {
        debug_assert!((start + SMALL_NURSERY).is_multiple_of(HUGE));
        Pages { start, ready: start + TOUCHED, small: Vec::new(), filled: 0 }
    }

    /// Those of a nursery among the blocks, which are committed.
    pub fn lent(start: usize, end: usize) -> Pages {
        Pages { start, ready: end, small: Vec::new(), filled: 0 }
    }

    pub fn ready(&self) -> usize {
        self.ready
    }

    pub fn bytes(&self) -> usize {
        self.ready - self.start
    }

    /// Commits up to the address `want` and what is worth to be committed with it. The nursery ends at `end`.
    pub fn extend(&mut self, want: usize, end: usize) {
        while self.ready < want {
            let at = self.ready;
            if at.is_multiple_of(HUGE) {
                if is_worth_it(at, end) && HUGE_PAGES.tries() {
                    commit_huge(at);
                    self.ready = at + HUGE;
                    continue;
                }
                self.small.push(at);
            }
            let step = (self.start + small_step(at - self.start)).min((at & !(HUGE - 1)) + HUGE);
            self.ready = step.min(end.next_multiple_of(PAGE)).max(at + PAGE);
            populate(at, self.ready);
        }
    }

    /// Whether it lacks as much as a huge page, if it ends at `end`: see [`Pages::adopt`].
    pub fn is_short(&self, end: usize) -> bool {
        self.ready.next_multiple_of(HUGE) < end.next_multiple_of(HUGE)
    }

    /// Takes the pages of as much as a huge page at `from` instead of new ones: to move them costs as much as two page
    /// faults. `from` is untouched memory then. `false`: the system refuses, and they are where they were.
    ///
    /// # Safety
    /// Nobody needs what is in them; the nursery [`is_short`](Pages::is_short) of them, and has room.
    pub unsafe fn adopt(&mut self, from: usize) -> bool {
        let to = self.ready.next_multiple_of(HUGE);
        // SAFETY: the caller vouches for what is there; at the new place nothing was committed.
        let is_moved = unsafe { move_pages(from, to, HUGE) };
        if is_moved {
            populate(self.ready, to);
            self.ready = to + HUGE;
        }
        is_moved
    }

    /// Its worker, which has filled it up to `alloc`, is about to wait: one step, if it is a small one and will be
    /// needed soon.
    pub fn prepare(&mut self, alloc: usize, end: usize) {
        if self.ready < (alloc + AHEAD).min(end).min(self.start + SMALL_NURSERY) {
            self.extend(self.ready + 1, end);
        }
    }

    /// All of its small pages at the beginning.
    pub fn prepare_small(&mut self, end: usize) {
        self.extend(end.min(self.start + SMALL_NURSERY), end);
    }

    /// The nursery is empty, and ends at `end` from now on.
    ///
    /// # Safety
    /// Nobody needs what is behind the end.
    pub unsafe fn shrink(&mut self, end: usize) {
        let keep = end.next_multiple_of(HUGE).max(self.start + SMALL_NURSERY);
        if self.ready > keep {
            // SAFETY: the caller vouches.
            unsafe { give_back(keep, self.ready) };
            self.ready = keep;
            self.small.retain(|&huge| huge < keep);
        }
    }

    /// The nursery was full and is empty: one piece more may become a huge page, if there are any in small ones before
    /// `end`.
    ///
    /// # Safety
    /// Nobody needs what is in it.
    pub unsafe fn refine(&mut self, end: usize) {
        self.filled = self.filled.saturating_add(1);
        let least = if HUGE_PAGES.is_cheap.load(Relaxed) { FILLED } else { FILLED_DEAR };
        if self.filled > least
            && let Some(at) = self.small.iter().rposition(|&huge| is_worth_it(huge, end))
            && HUGE_PAGES.tries()
        {
            let huge = self.small.swap_remove(at);
            // SAFETY: the caller vouches.
            unsafe { give_back(huge, huge + HUGE) };
            commit_huge(huge);
            self.ready = self.ready.max(huge + HUGE);
        }
    }
}

/// Whether most of a huge page belongs to a nursery with this end.
fn is_worth_it(huge: usize, end: usize) -> bool {
    huge + HUGE / 2 <= end
}

/// The end of the step in which a nursery that has so many bytes gets more.
fn small_step(bytes: usize) -> usize {
    let step = (bytes / 2).next_power_of_two().clamp(LEAST_STEP, MOST_STEP);
    (bytes + step) & !(step - 1)
}

/// The end of the step in which the blocks, whose first huge page begins at `start`, commit the address `want`.
pub(crate) fn blocks_step(start: usize, want: usize) -> usize {
    start + block_bytes(want.saturating_sub(start), HUGE_PAGES.is_cheap.load(Relaxed))
}

fn block_bytes(want: usize, huge: bool) -> usize {
    if want < HUGE && !huge { want.next_power_of_two().max(SMALL_BLOCKS) } else { want.next_multiple_of(HUGE) }
}

/// Commits `[from, to)` of the blocks, whose first huge page begins at `start`.
pub(crate) fn commit_blocks(start: usize, from: usize, to: usize) {
    let few = if HUGE_PAGES.is_cheap.load(Relaxed) { 0 } else { BLOCKS };
    let small = to.min(start + few).max(from);
    populate(from, small);
    commit(small, to);
}

/// Commits a range of private memory that is about to be filled, in huge pages where there is room for one and while
/// they are cheap.
pub fn commit(from: usize, to: usize) {
    let mut at = from;
    while at < to {
        let end = to.min((at & !(HUGE - 1)) + HUGE);
        if end - at == HUGE && HUGE_PAGES.tries() {
            commit_huge(at);
        } else {
            populate(at, end);
        }
        at = end;
    }
}

/// Commits a huge page, and looks at what it costs.
fn commit_huge(at: usize) {
    prefer_huge(at, at + HUGE);
    let before = processor_time();
    populate(at, at + HUGE);
    HUGE_PAGES.took((processor_time() - before) / (HUGE / PAGE) as u64);
}

/// A runtime function fills or copies so many bytes in one go, 0.1 to 0.2 ms with pages that are missing. More than
/// that it does in pieces, and commits their pages piece by piece.
pub const AT_ONCE: usize = 1 << 20;

/// Commits a range at once, which costs a fraction of a fault for each page.
pub fn populate(from: usize, to: usize) {
    let (from, to) = (from & !(PAGE - 1), to.next_multiple_of(PAGE));
    if from < to {
        // SAFETY: populating keeps what is there.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_POPULATE_WRITE) };
    }
}

/// Moves the pages of a range to another that has none, without a look at them (Linux 5.7). The range itself stays,
/// empty.
///
/// # Safety
/// Nobody needs what is at `to`, nor that `from` keeps its contents.
unsafe fn move_pages(from: usize, to: usize, bytes: usize) -> bool {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
    // SAFETY: the caller vouches.
    let at = unsafe { libc::mremap(from as *mut libc::c_void, bytes, bytes, flags, to as *mut libc::c_void) };
    at as usize == to
}

/// Asks for huge pages.
fn prefer_huge(from: usize, to: usize) {
    // SAFETY: a hint about the range.
    unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_pages_come_at_once_when_there_will_be_threads() {
        let room = vec![0u8; 3 * HUGE];
        let start = (room.as_ptr() as usize).next_multiple_of(HUGE) + HUGE - SMALL_NURSERY;
        for (bytes, ready) in [(4 << 20, SMALL_NURSERY), (64 << 10, 64 << 10), (PAGE, TOUCHED)] {
            let mut pages = Pages::new(start);
            pages.prepare_small(start + bytes);
            assert_eq!(pages.bytes(), ready);
        }
    }

    #[test]
    fn a_nursery_has_small_pages_first_and_keeps_to_its_end() {
        let room = vec![0u8; 5 * HUGE];
        let huge = (room.as_ptr() as usize).next_multiple_of(HUGE) + HUGE;
        let (start, end) = (huge - SMALL_NURSERY, huge + 100);
        let mut pages = Pages::new(start);
        pages.extend(start + TOUCHED, end);
        assert_eq!(pages.bytes(), TOUCHED);
        pages.extend(start + TOUCHED + 1, end);
        assert_eq!(pages.bytes(), LEAST_STEP);
        pages.prepare(start + LEAST_STEP - AHEAD, end);
        assert_eq!(pages.bytes(), LEAST_STEP);
        pages.prepare(start + LEAST_STEP - AHEAD + 8, end);
        assert_eq!(pages.bytes(), 2 * LEAST_STEP);
        // Never further than the small pages.
        (0..9).for_each(|_| pages.prepare(start + SMALL_NURSERY, end));
        assert_eq!(pages.bytes(), SMALL_NURSERY);
        pages.prepare_small(end);
        assert_eq!(pages.bytes(), SMALL_NURSERY);
        // Not enough for a huge page.
        pages.extend(huge + 1, end);
        assert_eq!((pages.bytes(), &pages.small), (SMALL_NURSERY + PAGE, &vec![huge]));
        // SAFETY: nobody uses the memory.
        unsafe { pages.shrink(huge) };
        assert_eq!((pages.bytes(), pages.small.len()), (SMALL_NURSERY, 0));
        pages.extend(end + HUGE, end + HUGE);
        assert_eq!(pages.ready(), (end + HUGE).next_multiple_of(PAGE));
        assert_eq!(pages.small.last(), Some(&(huge + HUGE)));
        // SAFETY: as above.
        unsafe { pages.shrink(start + PAGE) };
        assert_eq!(pages.bytes(), SMALL_NURSERY);
    }

    #[test]
    fn a_nursery_takes_pages_from_elsewhere() {
        // SAFETY: fresh memory, and what is read was written or is zero.
        unsafe {
            let all = libc::mmap(
                std::ptr::null_mut(),
                6 * HUGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            );
            let huge = (all as usize).next_multiple_of(HUGE);
            let (start, from) = (huge + HUGE - SMALL_NURSERY, huge + 4 * HUGE);
            let mut pages = Pages::new(start);
            assert!(!pages.is_short(start + SMALL_NURSERY) && pages.is_short(start + HUGE));
            *((from + 8) as *mut u64) = 5;
            if pages.adopt(from) {
                assert_eq!((pages.ready(), pages.is_short(start + HUGE)), (huge + 2 * HUGE, false));
                assert_eq!((*((huge + HUGE + 8) as *const u64), *((from + 8) as *const u64)), (5, 0));
            } else {
                // An older system than Linux 5.7.
                assert_eq!((pages.ready(), *((from + 8) as *const u64)), (start + TOUCHED, 5));
            }
            libc::munmap(all, 6 * HUGE);
        }
    }

    #[test]
    fn blocks_grow_by_what_there_is_then_by_huge_pages() {
        let kib = |n: usize| n << 10;
        let ends: Vec<usize> = [0, 1, kib(256), kib(257), kib(600), kib(1025), kib(2048), kib(2049), kib(5000)]
            .map(|w| block_bytes(w, false))
            .into();
        assert_eq!(ends, [256, 256, 256, 512, 1024, 2048, 2048, 4096, 6144].map(kib));
        assert_eq!([kib(1), kib(2049)].map(|w| block_bytes(w, true)), [2048, 4096].map(kib));
    }

    #[test]
    fn a_nursery_grows_by_half_of_what_there_is() {
        let mut ends = vec![TOUCHED];
        while *ends.last().unwrap() < 1 << 20 {
            ends.push(small_step(*ends.last().unwrap()));
        }
        assert_eq!(
            ends.iter().map(|end| end >> 10).collect::<Vec<_>>(),
            [16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
        );
    }

    #[test]
    fn dear_huge_pages_are_tried_less_and_less() {
        let judge = Judge::new(2);
        let steps = |cost: u64| {
            let mut pause = 0;
            while !judge.tries() {
                pause += 1;
            }
            judge.took(cost);
            pause
        };
        assert_eq!([steps(DEAR + 1), steps(DEAR + 1), steps(DEAR + 1), steps(DEAR)], [0, 2, 4, 8]);
        assert_eq!([steps(DEAR + 1), steps(DEAR), steps(DEAR)], [0, FIRST_PAUSE, 0]);
    }
}
