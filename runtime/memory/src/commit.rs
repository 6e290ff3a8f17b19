//! Committing pages: a range that is about to be filled -> memory, in few system calls, in huge pages while those are cheap.
//!
//! What a huge page costs depends on where the system takes it from: next to nothing for each of its 512 pages when it
//! lies ready, more than twenty times as much when it has to be made free by moving others, or when this is a virtual
//! machine whose host has to find memory first (small pages come from what is left over, which the host has given
//! already). So the cost is looked at: after a huge page that was dear some steps go by in small ones, twice as many each
//! time.
//!
//! A nursery is filled again and again, so it has huge pages for most of what it is as a rule, whatever they cost once.
//! The old generation grows by as much as it has, then by huge pages.
//!
//! Everything here is a hint, and the outcome changes nothing but the time.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::space::{HUGE, PAGE, SMALL_PAGES, processor_time};

/// So much of a nursery has huge pages without a question.
const NURSERY: usize = 16 << 20;
/// So much of the old generation has small ones: for so few the processor keeps all addresses.
const BLOCKS: usize = 4 << 20;
/// Nanoseconds of a page from which a huge page is dear. A small one takes half of it to twice as much.
const DEAR: u64 = 1000;
/// Steps in small pages after a huge one that was dear: at first, and at most.
const FIRST_PAUSE: u32 = 32;
const LONGEST_PAUSE: u32 = 128;

/// What huge pages cost is the machine's matter, so this is the process's, not a heap's. Any thread, no order.
static HUGE_PAGES: Judge = Judge { pause: AtomicU32::new(0), next: AtomicU32::new(FIRST_PAUSE) };

/// Whether the next step is to be a huge page.
struct Judge {
    /// Steps that go by before the next trial.
    pause: AtomicU32,
    /// The length of the next pause.
    next: AtomicU32,
}

impl Judge {
    /// Asked once for each step.
    fn tries(&self) -> bool {
        let pause = self.pause.load(Relaxed);
        self.pause.store(pause.saturating_sub(1), Relaxed);
        pause == 0
    }

    /// A trial took so many nanoseconds for each page.
    fn took(&self, each: u64) {
        if each > DEAR {
            let pause = self.next.load(Relaxed);
            self.pause.store(pause, Relaxed);
            self.next.store((2 * pause).min(LONGEST_PAUSE), Relaxed);
        } else {
            self.next.store(FIRST_PAUSE, Relaxed);
        }
    }
}

/// The end of the step in which a nursery whose first huge page begins at `start` commits the address `want`.
pub(crate) fn nursery_step(start: usize, want: usize) -> usize {
    start + want.saturating_sub(start).next_multiple_of(HUGE)
}

/// Likewise for the blocks.
pub(crate) fn blocks_step(start: usize, want: usize) -> usize {
    let bytes = want.saturating_sub(start);
    start + if bytes < HUGE { bytes.next_power_of_two().max(SMALL_PAGES) } else { bytes.next_multiple_of(HUGE) }
}

/// Commits `[from, to)` of a nursery whose first huge page begins at `start`.
pub(crate) fn commit_nursery(start: usize, from: usize, to: usize) {
    let sure = to.min(start + NURSERY).max(from);
    if from < sure {
        prefer_huge(from & !(HUGE - 1), sure.next_multiple_of(HUGE));
        populate(from, sure);
    }
    commit(sure, to);
}

/// Likewise for the blocks.
pub(crate) fn commit_blocks(start: usize, from: usize, to: usize) {
    let small = to.min(start + BLOCKS).max(from);
    populate(from, small);
    commit(small, to);
}

/// Commits a range, in huge pages where there is room for one and while they are cheap.
fn commit(from: usize, to: usize) {
    let mut at = from;
    while at < to {
        let end = to.min((at & !(HUGE - 1)) + HUGE);
        if end - at == HUGE && HUGE_PAGES.tries() {
            prefer_huge(at, end);
            let before = processor_time();
            populate(at, end);
            HUGE_PAGES.took((processor_time() - before) / (HUGE / PAGE) as u64);
        } else {
            populate(at, end);
        }
        at = end;
    }
}

/// Commits a range at once, which costs a fraction of a fault for each page.
pub(crate) fn populate(from: usize, to: usize) {
    const MADV_POPULATE_WRITE: i32 = 23;
    let (from, to) = (from & !(PAGE - 1), to.next_multiple_of(PAGE));
    if from < to {
        // SAFETY: populating keeps what is there.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, MADV_POPULATE_WRITE) };
    }
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
    fn blocks_grow_by_what_there_is_then_by_huge_pages() {
        let kib = |n: usize| n << 10;
        let ends: Vec<usize> = [0, 1, kib(256), kib(257), kib(600), kib(1025), kib(2048), kib(2049), kib(5000)]
            .map(|w| blocks_step(HUGE, HUGE + w))
            .into();
        let expected = [256, 256, 256, 512, 1024, 2048, 2048, 4096, 6144].map(|n| HUGE + kib(n));
        assert_eq!(ends, expected);
    }

    #[test]
    fn dear_huge_pages_are_tried_less_and_less() {
        let judge = Judge { pause: AtomicU32::new(0), next: AtomicU32::new(2) };
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
