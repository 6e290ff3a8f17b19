//! A worker's part of the heap: its nursery, and the log of old objects that it has stored into.
//!
//! ```text
//!   header bit U:   set at promotion --barrier's slow path: pushed on the log--> clear --minor collection--> set
//!   card of a large array:       clean --slow path, the value is young--> dirty in parts --minor collection--> clean
//! ```
//!
//! A small object is logged whole, once between two collections. A large array of references keeps its bit, so each
//! store comes here, and only stores of young values dirty an eighth of a card of 64 elements. While marking goes on in
//! slices every store does, and what is not young is noted itself; compiled code, which looks whether a value is young
//! before it comes here, takes all addresses for young then.
//!
//! The log is bounded: each entry is work of the next collection, which comes when there are so many. They are few
//! where pauses have a goal, and elsewhere a small part of the heap.
//!
//! Keeps: G2 (an old object that refers to a young one is logged, or the card of the slot is).
//!
//! Two workers may log one object at once: both push it, and the scan finds nothing to do the second time.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use leat_abi::header::{self, MARK, STATIC, UNLOGGED, WORD};
use leat_abi::tcb::{LIMIT_STOP, Tcb};

use crate::blocks::Lent;
use crate::commit::Pages;
use crate::large::{LARGE_BIT, Large};
use crate::space::{CARD, CARD_SHIFT, HUGE, PAGE, SMALL_NURSERY, Space};

/// Entries that a log keeps room for.
const LOG_KEPT: usize = 1 << 16;

/// The range test for references into the nurseries: one subtraction, one rotation, one comparison. The rotation sends
/// odd words (immediates) out of range.
#[derive(Clone, Copy)]
pub(crate) struct Young {
    base: u64,
    half: u64,
}

impl Young {
    pub fn new(space: &Space) -> Young {
        // A payload lies a word above its header; the last slot's end stays below the reservation's (`Space::reserve`).
        Young { base: space.nursery as u64, half: (space.slot * space.workers + WORD) as u64 / 2 }
    }

    /// Of a nursery that lies among the blocks. A payload lies above the first header; the one at the beginning belongs
    /// to an empty object of the block before.
    pub fn lent(lent: &Lent) -> Young {
        Young { base: (lent.start + WORD) as u64, half: lent.bytes() as u64 / 2 }
    }

    #[inline(always)]
    pub fn is_young(self, word: u64) -> bool {
        word.wrapping_sub(self.base).rotate_right(1) < self.half
    }
}

/// A worker's nursery is among the blocks: which, and its own place meanwhile.
pub(crate) struct Away {
    pub lent: Lent,
    base: usize,
    pages: Pages,
}

/// What `tcb.memory` points to.
pub(crate) struct Worker {
    /// Null while no worker is attached to this part.
    pub tcb: *mut Tcb,
    /// Where the nursery's first header goes, and its end.
    pub base: usize,
    pub end: usize,
    /// How far it is handed out.
    pub limit: usize,
    pub pages: Pages,
    pub away: Option<Away>,
    /// It was attached while another one's nursery was among the blocks, and has none until the next collection.
    pub is_homeless: bool,
    /// In the child of a fork: the worker has stayed behind, and has no nursery from the next collection on.
    pub is_gone: bool,
    /// Bytes that the runtime allocated here, for the program or for itself; compiled code did the rest.
    pub by_runtime: usize,
    /// Where each check is granted what it asks for: what the last slow path granted.
    pub granted: usize,
    /// Stress: slow paths and allocations until the next collection.
    pub countdown: u64,
    pub rounds: u64,
    /// Allocation pointer of a detached worker.
    pub alloc: usize,
    /// The log: payload addresses, and (array, address of a card's first byte).
    pub objects: Vec<u64>,
    pub cards: Vec<(u64, usize)>,
    pub young: Young,
    /// Marking goes on: old values that are stored into large arrays are noted here, if they are not marked as `sense`
    /// says.
    pub is_marking: bool,
    pub sense: u64,
    pub shaded: Vec<u64>,
    /// When the log has so many entries it is full: the next heap check, and the next poll of a loop, ask for a
    /// collection.
    pub log_most: usize,
    pub is_log_full: bool,
    /// Pauses have a goal.
    pub has_goal: bool,
    large_base: usize,
    card_table: usize,
    /// Where its own place ends, and the next worker's begins.
    place_end: usize,
}

impl Worker {
    pub fn new(space: &Space, index: usize, align: usize) -> Worker {
        let start = space.nursery + index * space.slot + HUGE - SMALL_NURSERY;
        let base = start + align - WORD;
        Worker {
            tcb: std::ptr::null_mut(),
            base,
            end: base,
            limit: base,
            pages: Pages::new(start),
            away: None,
            is_homeless: true,
            is_gone: false,
            by_runtime: 0,
            granted: 0,
            countdown: 0,
            rounds: 0,
            alloc: base,
            objects: Vec::new(),
            cards: Vec::new(),
            young: Young::new(space),
            is_marking: false,
            sense: 0,
            shaded: Vec::new(),
            log_most: usize::MAX,
            is_log_full: false,
            has_goal: false,
            large_base: space.large,
            card_table: space.cards,
            place_end: space.nursery + (index + 1) * space.slot,
        }
    }

    /// Tells the worker's block what the barrier's stub looks at. While marking goes on every address counts as young
    /// there, and no card as dirty.
    pub fn tell(&self, tcb: &mut leat_abi::tcb::Tcb) {
        let Young { base, half } = self.young;
        let cards = self.card_table.wrapping_sub(self.large_base >> CARD_SHIFT);
        (tcb.young_base, tcb.young_half, tcb.cards) =
            if self.is_marking { (0, 1 << 63, 0) } else { (base, half, cards) };
    }

    /// The empty nursery has so many bytes from now on, or as many as were lent.
    ///
    /// # Safety
    /// It is empty.
    pub unsafe fn set_size(&mut self, bytes: usize) {
        self.alloc = self.base;
        self.granted = self.base;
        self.is_homeless = false;
        self.is_log_full = false;
        // The first header may stand a word behind the beginning of the pages.
        let lent = self.away.as_ref().map_or(usize::MAX, |away| away.lent.bytes());
        self.end = (self.base & !(PAGE - 1)) + bytes.min(lent);
        // What is lent comes back as a whole.
        if self.away.is_none() {
            assert!(self.end <= self.place_end, "a nursery ends in its own place");
            // SAFETY: the caller vouches.
            unsafe { self.pages.shrink(self.end) };
        }
        self.limit = self.end.min(self.pages.ready());
    }

    /// The empty nursery, which is in its own place, has no room and no pages from now on.
    ///
    /// # Safety
    /// It is empty.
    pub unsafe fn leave(&mut self) {
        // SAFETY: the caller vouches.
        unsafe { self.set_size(0) };
        (self.end, self.limit) = (self.base, self.base);
    }

    /// The nursery, which is in its own place, has so many bytes from now on, if that is more.
    pub fn grow(&mut self, bytes: usize) {
        let end = (self.base & !(PAGE - 1)) + bytes;
        assert!(self.away.is_none() && end <= self.place_end, "a nursery ends in its own place");
        self.end = self.end.max(end);
    }

    /// The nursery, which is empty and in its own place, keeps no more pages than one that begins.
    ///
    /// # Safety
    /// It is empty.
    pub unsafe fn pack(&mut self) {
        // SAFETY: the caller vouches.
        unsafe { self.pages.shrink(self.base) };
        self.limit = self.end.min(self.pages.ready());
    }

    /// The nursery, which is empty, lies in these blocks from now on; of its own place `keep` bytes stay committed.
    ///
    /// # Safety
    /// It is empty.
    pub unsafe fn go_away(&mut self, lent: Lent, keep: usize) {
        let offset = self.base % PAGE;
        let pages = std::mem::replace(&mut self.pages, Pages::lent(lent.start, lent.start + lent.bytes()));
        let base = std::mem::replace(&mut self.base, lent.start + offset);
        let mut away = Away { lent, base, pages };
        // SAFETY: the caller vouches.
        unsafe { away.pages.shrink((base & !(PAGE - 1)) + keep) };
        self.away = Some(away);
    }

    /// The nursery is in its own place again, and empty. Gives the blocks that it was in, and how far they were filled.
    pub fn come_home(&mut self) -> Option<(Lent, usize)> {
        let away = self.away.take()?;
        self.pages = away.pages;
        self.base = away.base;
        Some((away.lent, std::mem::replace(&mut self.alloc, away.base)))
    }

    /// Bytes of committed pages.
    pub fn committed_bytes(&self) -> usize {
        self.pages.bytes() + self.away.as_ref().map_or(0, |away| away.pages.bytes())
    }

    /// After a collection: the log, which is empty, keeps room for some entries. One that was full will be so again,
    /// perhaps, and keeps what it has.
    pub fn shrink_log(&mut self) {
        if !self.is_log_full {
            self.objects.shrink_to(LOG_KEPT);
            self.cards.shrink_to(LOG_KEPT);
        }
    }

    /// More than half of the nursery is filled.
    pub fn is_half_full(&self) -> bool {
        self.alloc - self.base > (self.end - self.base) / 2
    }

    /// The worker's part of the heap.
    ///
    /// # Safety
    /// `tcb` is attached, and the calling worker's own (or all workers are stopped).
    #[inline(always)]
    pub unsafe fn of<'a>(tcb: *mut Tcb) -> &'a mut Worker {
        // SAFETY: `Heap::attach_worker` has set the field; the owner alone uses it outside collections.
        unsafe { &mut *((*tcb).memory as *mut Worker) }
    }

    /// # Safety
    /// `object` is an object's payload.
    #[inline]
    pub unsafe fn log_object(&mut self, object: u64) {
        // SAFETY: the word before a payload is its header, whose lowest byte comes first; other workers may clear the
        // same bit at the same time, and nobody writes another bit of this byte (G13).
        let low = unsafe { AtomicU8::from_ptr((object - 8) as *mut u8) };
        let bits = low.load(Relaxed);
        if bits & UNLOGGED as u8 != 0 {
            low.store(bits & !UNLOGGED as u8, Relaxed);
            self.objects.push(object);
            self.look_at_log();
        }
    }

    /// A large array refers to this old object, or immediate, from now on.
    ///
    /// # Safety
    /// It is a reference.
    #[inline(always)]
    pub unsafe fn stored(&mut self, value: u64) {
        if self.is_marking {
            // SAFETY: the caller vouches.
            unsafe { self.shade(value) }
        }
    }

    /// The large array may have been scanned already.
    #[cold]
    unsafe fn shade(&mut self, value: u64) {
        // SAFETY: what is not immediate is an object's address (A2). A mark that the marker makes just now may be
        // missed: then the object is noted, and found marked.
        unsafe {
            if header::is_immediate(value) {
                return;
            }
            let h = AtomicU64::from_ptr((value - 8) as *mut u64).load(Relaxed);
            if h & STATIC == 0 && h & MARK != self.sense {
                self.shaded.push(value);
                self.look_at_log();
            }
        }
    }

    /// There is an entry more: the log may be full.
    #[inline]
    fn look_at_log(&mut self) {
        if self.objects.len() + self.cards.len() + self.shaded.len() >= self.log_most {
            self.fill_log();
        }
    }

    #[cold]
    fn fill_log(&mut self) {
        self.is_log_full = true;
        self.limit = self.base;
        // SAFETY: whoever logs is an attached worker, and these are atomics.
        let tcb = unsafe { &*self.tcb };
        tcb.alloc_limit.store(LIMIT_STOP, Relaxed);
        tcb.poll.store(1, Relaxed);
    }

    /// # Safety
    /// `array` is an array of references, `slot` the address of one of its elements.
    #[inline]
    pub unsafe fn log_slot(&mut self, array: u64, slot: *mut u64) {
        // SAFETY: the caller vouches; other workers may write the element, any value will do.
        unsafe {
            let h = AtomicU64::from_ptr((array - 8) as *mut u64).load(Relaxed);
            if h & LARGE_BIT == 0 || h & UNLOGGED == 0 {
                return self.log_object(array);
            }
            let value = AtomicU64::from_ptr(slot).load(Relaxed);
            if !self.young.is_young(value) {
                return self.stored(value);
            }
            let card = AtomicU8::from_ptr(Large::card(self.large_base, self.card_table, slot as usize));
            let part = Large::part(slot as usize);
            // Another worker may store into another part of the card at the same time: whoever is first logs it.
            if card.load(Relaxed) & part == 0 && card.fetch_or(part, Relaxed) == 0 {
                self.cards.push((array, slot as usize & !(CARD - 1)));
                self.look_at_log();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop over ten million old references fills the log in each pass: its pages went back to the system each time.
    #[test]
    fn a_log_that_was_full_keeps_its_room() {
        let space = Space::reserve(1 << 30, 16 * HUGE, 1, 1).unwrap();
        let mut worker = Worker::new(&space, 0, 8);
        for is_log_full in [true, false] {
            worker.objects.resize(4 * LOG_KEPT, 0);
            worker.objects.clear();
            worker.is_log_full = is_log_full;
            worker.shrink_log();
            assert_eq!(worker.objects.capacity() >= 4 * LOG_KEPT, is_log_full);
        }
        // SAFETY: nothing is in it.
        unsafe { space.unmap() };
    }
}
