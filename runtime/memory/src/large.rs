//! Large objects: runs of pages, one object each, never moved.
//!
//! Best fit over free runs, merged with their neighbours; pages that were given back are known to be zero, so a new
//! array need not be cleared twice. So there are two sorts of runs, and what was never used behind them: where an
//! object fits none of these, they are gathered first.
//!
//! Keeps: G6 (an object has its own run if and only if its header has the `LARGE_BIT`; the others lie in blocks).

use std::collections::{BTreeMap, BTreeSet};

use leat_abi::header;

use crate::space::{CARD, CARD_SHIFT, PAGE, PART, Space, give_back};

/// A promoted object of more bytes than this is large, unless it fits the hole at hand.
pub(crate) const LARGE: usize = 8 << 10;
/// A free run of so many pages has room for large objects one after the other, as long as half of it is filled.
const LONG_RUN: usize = 512;
/// The collector's bit in the header of a large object.
pub(crate) const LARGE_BIT: u64 = 1 << leat_abi::tcb::LARGE_SHIFT;

/// A large object: its payload's address and its run.
#[derive(Clone, Copy)]
pub(crate) struct LargeObject {
    pub payload: u64,
    pub pages: usize,
}

/// Free runs of one sort: by address and by size.
#[derive(Default)]
struct Runs {
    by_start: BTreeMap<usize, usize>,
    by_size: BTreeSet<(usize, usize)>,
    pages: usize,
}

impl Runs {
    fn insert(&mut self, mut start: usize, mut pages: usize) {
        self.pages += pages;
        if let Some((&before, &n)) = self.by_start.range(..start).next_back()
            && before + n * PAGE == start
        {
            self.by_start.remove(&before);
            self.by_size.remove(&(n, before));
            start = before;
            pages += n;
        }
        if let Some(n) = self.by_start.remove(&(start + pages * PAGE)) {
            self.by_size.remove(&(n, start + pages * PAGE));
            pages += n;
        }
        self.by_start.insert(start, pages);
        self.by_size.insert((pages, start));
    }

    /// Takes out this run, which is one of them.
    fn take_at(&mut self, start: usize, pages: usize) {
        self.by_size.remove(&(pages, start));
        self.by_start.remove(&start);
        self.pages -= pages;
    }

    fn take(&mut self, pages: usize) -> Option<usize> {
        let (n, start) = *self.by_size.range((pages, 0)..).next()?;
        self.take_at(start, n);
        if n > pages {
            self.insert(start + pages * PAGE, n - pages);
        }
        Some(start)
    }
}

pub(crate) struct Large {
    base: usize,
    end: usize,
    top: usize,
    cards: *mut u8,
    dirty: Runs,
    clean: Runs,
    pub objects: Vec<LargeObject>,
    /// So many of them, the first ones, are yet to be swept.
    unswept: usize,
    used_pages: usize,
}

impl Large {
    pub fn new(space: &Space) -> Large {
        Large {
            base: space.large,
            end: space.large + space.large_bytes,
            top: space.large,
            cards: space.cards as *mut u8,
            dirty: Runs::default(),
            clean: Runs::default(),
            objects: Vec::new(),
            unswept: 0,
            used_pages: 0,
        }
    }

    pub fn used_bytes(&self) -> usize {
        self.used_pages * PAGE
    }

    pub fn committed_bytes(&self) -> usize {
        (self.used_pages + self.dirty.pages) * PAGE
    }

    pub fn contains(&self, payload: u64) -> bool {
        (self.base..self.top).contains(&(payload as usize))
    }

    /// Room for an object of `bytes` (header included) whose payload is aligned to `align`: its header's address and
    /// whether the room is known to be zero. None: the reservation is used up.
    pub fn take(&mut self, bytes: usize, align: usize) -> Option<(usize, bool)> {
        let pages = (bytes + align - 8).div_ceil(PAGE);
        let (start, zero) = self.take_run(pages).or_else(|| {
            self.gather();
            self.take_run(pages)
        })?;
        self.used_pages += pages;
        self.objects.push(LargeObject { payload: (start + align) as u64, pages });
        Some((start + align - 8, zero))
    }

    /// Bytes of free runs that are long, as rows of blocks are ([`crate::blocks::Blocks::long_rows`]).
    pub fn long_runs(&self) -> usize {
        [&self.dirty, &self.clean]
            .iter()
            .flat_map(|runs| runs.by_size.range((LONG_RUN, 0)..))
            .map(|run| run.0 * PAGE)
            .sum()
    }

    /// The run that an object of so many bytes would take is not long.
    pub fn has_short_run(&self, bytes: usize, align: usize) -> bool {
        let pages = (bytes + align - 8).div_ceil(PAGE);
        let first = |runs: &Runs| runs.by_size.range((pages, 0)..).next().map(|run| run.0);
        first(&self.dirty).or_else(|| first(&self.clean)).is_some_and(|pages| pages < LONG_RUN)
    }

    fn take_run(&mut self, pages: usize) -> Option<(usize, bool)> {
        if let Some(start) = self.dirty.take(pages) {
            Some((start, false))
        } else if let Some(start) = self.clean.take(pages) {
            Some((start, true))
        } else if pages <= self.rest() / PAGE {
            self.top += pages * PAGE;
            Some((self.top - pages * PAGE, true))
        } else {
            None
        }
    }

    /// No more is there from now on.
    #[cfg(test)]
    pub fn leave_nothing(&mut self) {
        self.end = self.top;
    }

    /// Bytes that were never used, or have been gathered.
    pub fn rest(&self) -> usize {
        self.end - self.top
    }

    /// Gives the pages of all free runs back, so that neighbours are one run, and the last one belongs to the rest.
    pub fn gather(&mut self) {
        self.give_back(0, usize::MAX);
        if let Some((&start, &pages)) = self.clean.by_start.last_key_value()
            && start + pages * PAGE == self.top
        {
            self.clean.take_at(start, pages);
            self.top = start;
        }
    }

    /// The bit of a slot's part in its card's byte.
    #[inline]
    pub fn part(slot: usize) -> u8 {
        1 << (slot % CARD / PART)
    }

    /// The card of a slot in a large array.
    #[inline(always)]
    pub fn card(base: usize, cards: usize, slot: usize) -> *mut u8 {
        (cards + ((slot - base) >> CARD_SHIFT)) as *mut u8
    }

    pub fn card_of(&self, slot: usize) -> *mut u8 {
        Large::card(self.base, self.cards as usize, slot)
    }

    /// After marking: all objects that are there now are to be swept.
    pub fn begin_sweep(&mut self) {
        self.unswept = self.objects.len();
    }

    /// How many objects the sweep that is under way has yet to look at.
    pub fn unswept(&self) -> usize {
        self.unswept
    }

    /// Frees those of `most` objects that are not marked. Tells whether these were the last ones.
    pub fn sweep(&mut self, most: usize, sense: u64, align: usize) -> bool {
        let end = self.unswept.saturating_sub(most);
        while self.unswept > end {
            self.unswept -= 1;
            let object = self.objects[self.unswept];
            // SAFETY: an object of the list has its header before the payload.
            let marked = unsafe { *((object.payload - 8) as *const u64) } & header::MARK == sense;
            if !marked {
                self.used_pages -= object.pages;
                self.dirty.insert(object.payload as usize - align, object.pages);
                // The last one takes its place: it was swept, or is newer than the marking.
                self.objects.swap_remove(self.unswept);
            }
        }
        self.unswept == 0
    }

    /// Gives free pages back to the system until `keep` bytes of them are left, at most so many bytes; the largest runs
    /// go first.
    pub fn give_back(&mut self, keep: usize, most: usize) -> usize {
        let mut given = 0;
        while self.dirty.pages * PAGE > keep && given < most {
            let Some(&(run, start)) = self.dirty.by_size.last() else { break };
            self.dirty.take_at(start, run);
            let pages = run.min((most - given).div_ceil(PAGE));
            let from = start + (run - pages) * PAGE;
            if pages < run {
                self.dirty.insert(start, run - pages);
            }
            // SAFETY: a free run holds nothing.
            given += unsafe { give_back(from, from + pages * PAGE) };
            self.clean.insert(from, pages);
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large(pages: usize) -> (Large, Vec<u8>, Vec<u8>) {
        let (room, mut cards) = (vec![0u8; (pages + 1) * PAGE], vec![0u8; (pages * PAGE) >> CARD_SHIFT]);
        let base = (room.as_ptr() as usize).next_multiple_of(PAGE);
        let large = Large {
            base,
            end: base + pages * PAGE,
            top: base,
            cards: cards.as_mut_ptr(),
            dirty: Runs::default(),
            clean: Runs::default(),
            objects: Vec::new(),
            unswept: 0,
            used_pages: 0,
        };
        (large, room, cards)
    }

    /// The free half of the addresses and the other half, which had never been used, were no room for one object.
    #[test]
    fn free_runs_are_gathered_for_an_object_that_fits_none() {
        let (mut large, _room, _cards) = large(64);
        let take =
            |large: &mut Large, pages: usize| large.take(pages * PAGE, 8).map(|(at, _)| (at - large.base) / PAGE);
        assert_eq!([16, 16, 8].map(|pages| take(&mut large, pages)), [Some(0), Some(16), Some(32)]);
        // The objects' first words are zero, which is no mark.
        let sweep = |large: &mut Large, kept: usize| {
            let objects = std::mem::take(&mut large.objects);
            let (keep, drop): (Vec<_>, Vec<_>) =
                objects.iter().partition(|o| (o.payload as usize - large.base) / PAGE == kept);
            (large.objects, large.unswept) = (drop, 0);
            large.begin_sweep();
            assert!(large.sweep(usize::MAX, header::MARK, 8));
            large.objects = keep;
        };
        sweep(&mut large, 16);
        // One of each sort: pages that were given back, pages that were not, and what was never used.
        large.give_back(8 * PAGE, usize::MAX);
        assert_eq!((large.clean.pages, large.dirty.pages, large.rest()), (16, 8, 24 * PAGE));
        assert_eq!([33, 32].map(|pages| take(&mut large, pages)), [None, Some(32)]);
        assert_eq!((large.dirty.pages, large.clean.pages, large.rest()), (0, 16, 0));
        assert_eq!(large.used_bytes(), 48 * PAGE);
        sweep(&mut large, 64);
        assert_eq!([65, 64].map(|pages| take(&mut large, pages)), [None, Some(0)]);
    }
}
