//! Minor collection: the survivors of every nursery go straight into the old generation.
//!
//! After Cheney, A nonrecursive list compacting algorithm, CACM 1970.
//!
//! ```text
//!   roots, logs --visit--> young? --copy--> hole [ scanned objects | .. | copied .. | free ]
//!                                                       scanned ^           alloc ^      ^ limit
//! ```
//!
//! Keeps: G1 (afterwards no reference to a nursery is left anywhere), G3 (every old object is unlogged again).
//!
//! Differences: to-space is a chain of holes and blocks, so closed pieces wait in a list and are scanned last in, first
//! out. No ageing: what survives once is old (docs/decisions/002-collector.md).

use leat_abi::header::{self, KIND_MASK, Kind, UNLOGGED, WORD, object_bytes, raw_words, ref_words};
use leat_abi::thread::Thread;

use crate::blocks::{Blocks, Target};
use crate::heap::Inner;
use crate::large::{LARGE, LARGE_BIT, Large};
use crate::remembered::Young;
use crate::roots::Roots;
use crate::space::{CARD, LINE};
use crate::stack::scan_piece;

/// The copy loop writes this many bytes at once, past the end of a smaller object.
const STRIDE: usize = 32;

pub(crate) struct Minor<'a, const ALIGN: usize> {
    young: Young,
    target: Target,
    /// Bits that a promoted object's header gets.
    promoted_bits: u64,
    blocks: &'a mut Blocks,
    large: &'a mut Large,
    /// Promoted large objects that are yet to be scanned.
    large_pending: Vec<u64>,
    large_bytes: usize,
    weak: Vec<u64>,
}

/// What a minor collection did.
#[derive(Default)]
pub(crate) struct Promoted {
    pub bytes: usize,
    pub logged: usize,
}

/// Collects the nurseries. The workers' nurseries are empty afterwards, but their allocation pointers are the caller's
/// business.
///
/// # Safety
/// All workers are stopped; `roots` visits all references.
pub(crate) unsafe fn collect<const ALIGN: usize, R: Roots>(inner: &mut Inner, roots: &mut R) -> Promoted {
    let mut minor = Minor::<ALIGN> {
        young: inner.young,
        target: std::mem::take(&mut inner.target),
        promoted_bits: UNLOGGED | inner.sense,
        blocks: &mut inner.blocks,
        large: &mut inner.large,
        large_pending: Vec::new(),
        large_bytes: 0,
        weak: Vec::new(),
    };
    let mut logged = 0;
    // SAFETY: roots, logs and scanned objects give valid slots.
    unsafe {
        roots.roots(true, &mut |slot| minor.visit(slot));
        for worker in &mut inner.workers {
            logged += worker.objects.len() + worker.cards.len();
            for &object in &worker.objects {
                let at = (object - 8) as *mut u64;
                *at |= UNLOGGED;
                minor.scan_refs(object, *at, roots);
            }
            worker.objects.clear();
            for &(array, card) in &worker.cards {
                minor.scan_card(array, card);
            }
            worker.cards.clear();
        }
        minor.close(roots);
        let young = minor.young;
        let forward = |object: u64| -> Option<u64> {
            if !young.is_young(object) {
                return Some(object);
            }
            let h = *((object - 8) as *const u64);
            if h & header::PRESENT == 0 { Some(h) } else { None }
        };
        roots.resurrect(true, &forward, &mut |slot| minor.visit(slot));
        minor.close(roots);
        for &weak in &minor.weak {
            let slot = weak as *mut u64;
            *slot = forward(*slot).unwrap_or(header::immediate(0));
        }
        roots.after(true, &forward);
    }
    let bytes = minor.target.take_bytes() + minor.large_bytes;
    inner.target = minor.target;
    Promoted { bytes, logged }
}

impl<const ALIGN: usize> Minor<'_, ALIGN> {
    /// Makes a slot refer to the promoted copy.
    #[inline(always)]
    unsafe fn visit(&mut self, slot: *mut u64) {
        // SAFETY: the slot is a reference's, so a young word in it is an object's address (A2).
        unsafe {
            let word = *slot;
            if self.young.is_young(word) {
                *slot = self.evacuate(word);
            }
        }
    }

    /// The new address of a young object. Copies with it what its last field leads to, as long as those are records: so a
    /// list moves at the pace of loading the next cell, and lies in order.
    #[inline(always)]
    unsafe fn evacuate(&mut self, object: u64) -> u64 {
        let from = (object - 8) as *mut u64;
        // SAFETY: the word before the payload is a header or a forwarding address (A1).
        let h = unsafe { *from };
        if h & header::PRESENT == 0 {
            return h;
        }
        if h & KIND_MASK != 0 {
            // SAFETY: as above.
            return unsafe { self.evacuate_slow(from, h, object_bytes::<ALIGN>(h)) };
        }
        let to = self.target.alloc;
        let bytes = record_bytes::<ALIGN>(h);
        if to + bytes.max(STRIDE) > self.target.limit {
            // SAFETY: as above.
            return unsafe { self.evacuate_slow(from, h, bytes) };
        }
        // SAFETY: there is room.
        unsafe { self.evacuate_chain(from, h, to, bytes) };
        (to + WORD) as u64
    }

    #[inline(always)]
    unsafe fn evacuate_chain(&mut self, from: *mut u64, h: u64, to: usize, bytes: usize) {
        let limit = self.target.limit;
        let (mut from, mut h, mut to, mut bytes) = (from, h, to, bytes);
        // SAFETY: `from` is a young record with header `h`, `to` has room for it.
        unsafe {
            while ref_words(h) != 0 {
                let last = raw_words(h) + ref_words(h);
                let start = to;
                // Cells of one shape: the address of the next does not wait for what this one's header says.
                let broken = loop {
                    self.place(from, h, to, bytes);
                    let next = *from.add(last);
                    let slot = (to as *mut u64).add(last);
                    to += bytes;
                    if !self.young.is_young(next) {
                        break None;
                    }
                    from = (next - 8) as *mut u64;
                    let next_h = *from;
                    if next_h != h || to + bytes.max(STRIDE) > limit {
                        break Some((next_h, slot));
                    }
                    *slot = (to + WORD) as u64;
                };
                // When Cheney's scan stands here it has nothing to do for cells with one reference.
                let is_done = ref_words(h) == 1 && self.target.scanned == start;
                let Some((next_h, slot)) = broken else {
                    if is_done {
                        self.target.scanned = to;
                    }
                    self.target.alloc = to;
                    return;
                };
                if is_done {
                    self.target.scanned = to - bytes;
                }
                h = next_h;
                bytes = record_bytes::<ALIGN>(h);
                if h & (header::PRESENT | KIND_MASK) != header::PRESENT || to + bytes.max(STRIDE) > limit {
                    self.target.alloc = to;
                    return;
                }
                *slot = (to + WORD) as u64;
            }
            self.place(from, h, to, bytes);
            self.target.alloc = to + bytes;
        }
    }

    /// Copies, and leaves the forwarding address.
    #[inline(always)]
    unsafe fn place(&mut self, from: *mut u64, h: u64, to: usize, bytes: usize) -> u64 {
        let to = to as *mut u64;
        // SAFETY: the caller vouches for both places; they are apart.
        unsafe {
            let (a, b, c) = (*from.add(1), *from.add(2), *from.add(3));
            *to = h | self.promoted_bits;
            *to.add(1) = a;
            *to.add(2) = b;
            *to.add(3) = c;
            if bytes > STRIDE {
                copy_rest(from, to, bytes);
            }
            let payload = to as u64 + WORD as u64;
            *from = payload;
            payload
        }
    }

    /// Not a record, or the hole is full, or the object is large.
    #[inline(never)]
    unsafe fn evacuate_slow(&mut self, from: *mut u64, h: u64, bytes: usize) -> u64 {
        // SAFETY: the object is whole, and the room fits it.
        unsafe {
            if bytes > LARGE && self.target.alloc + bytes > self.target.limit {
                let (to, _) = self.large.take(bytes, ALIGN).expect("the reservation for large objects is used up");
                self.large_bytes += bytes;
                std::ptr::copy_nonoverlapping(from, to as *mut u64, bytes / WORD);
                *(to as *mut u64) = h | self.promoted_bits | LARGE_BIT;
                let payload = (to + WORD) as u64;
                *from = payload;
                self.large_pending.push(payload);
                return payload;
            }
            let to = self.target.alloc;
            if to + bytes.max(STRIDE) <= self.target.limit {
                self.target.alloc += bytes;
                return self.place(from, h, to, bytes);
            }
            if bytes > LINE {
                let to = self.blocks.overflow(&mut self.target, bytes);
                self.target.segments.push((to, to + bytes));
                return self.place(from, h, to, bytes);
            }
            self.blocks.next_segment(&mut self.target);
            let to = self.target.alloc;
            self.target.alloc += bytes;
            self.place(from, h, to, bytes)
        }
    }

    /// Scans until nothing is left to scan.
    unsafe fn close<R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: every piece between `scanned` and `alloc` is a row of whole objects.
        unsafe {
            loop {
                while self.target.scanned != self.target.alloc {
                    let at = self.target.scanned as *const u64;
                    let h = *at;
                    let payload = at as u64 + WORD as u64;
                    if h & KIND_MASK == 0 {
                        let (raw, refs) = (raw_words(h), ref_words(h));
                        self.target.scanned += record_bytes::<ALIGN>(h);
                        let mut slot = (payload as *mut u64).add(raw);
                        let end = slot.add(refs);
                        while slot != end {
                            self.visit(slot);
                            slot = slot.add(1);
                        }
                    } else {
                        self.target.scanned += object_bytes::<ALIGN>(h);
                        self.scan(payload, h, roots);
                    }
                }
                if let Some((mut at, end)) = self.target.segments.pop() {
                    while at != end {
                        let h = *(at as *const u64);
                        self.scan((at + WORD) as u64, h, roots);
                        at += object_bytes::<ALIGN>(h);
                    }
                } else if let Some(payload) = self.large_pending.pop() {
                    self.scan(payload, *((payload - 8) as *const u64), roots);
                } else {
                    break;
                }
            }
        }
    }

    /// A promoted object: its references, and its frames.
    #[inline(never)]
    unsafe fn scan<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            self.scan_refs(payload, h, roots);
            if Kind::of(h) == Kind::Thread {
                roots.thread_stack(payload as *mut Thread, true, &mut |slot| self.visit(slot));
            }
        }
    }

    /// An object's references; the slots of a thread that is on a lane are not among them.
    unsafe fn scan_refs<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        let (first, count) = match Kind::of(h) {
            Kind::Record | Kind::Thread => (raw_words(h), ref_words(h)),
            Kind::RawArray => return,
            Kind::RefArray => (0, header::length(h) as usize),
            Kind::Stack => {
                // SAFETY: a whole Stack object.
                return unsafe {
                    scan_piece(roots.tables(), payload, header::length(h) as usize, &mut |slot| self.visit(slot))
                };
            }
            Kind::Weak => return self.weak.push(payload),
        };
        // SAFETY: these are the object's reference slots.
        unsafe {
            let slots = (payload as *mut u64).add(first);
            for i in 0..count {
                self.visit(slots.add(i));
            }
        }
    }

    /// The elements of a large array that lie on a dirty card.
    unsafe fn scan_card(&mut self, array: u64, card: usize) {
        // SAFETY: the array is alive (a logged object was reached by the mutator since the last collection, and old
        // objects die in major collections only).
        unsafe {
            *self.large.card_of(card) = 0;
            let count = header::length(*((array - 8) as *const u64)) as usize;
            let mut slot = card.max(array as usize);
            let end = (card + CARD).min(array as usize + count * WORD);
            while slot < end {
                self.visit(slot as *mut u64);
                slot += WORD;
            }
        }
    }
}

#[inline(always)]
fn record_bytes<const ALIGN: usize>(h: u64) -> usize {
    ((raw_words(h) + ref_words(h) + 1) * WORD + (ALIGN - 1)) & !(ALIGN - 1)
}

/// The words behind the first [`STRIDE`] bytes.
#[inline(always)]
unsafe fn copy_rest(from: *const u64, to: *mut u64, bytes: usize) {
    // SAFETY: the caller vouches for `bytes` at both places.
    unsafe {
        let (words, done) = (bytes / WORD, STRIDE / WORD);
        if words > 64 {
            std::ptr::copy_nonoverlapping(from.add(done), to.add(done), words - done);
            return;
        }
        let mut i = done;
        while i < words {
            to.add(i).write_volatile(*from.add(i));
            i += 1;
        }
    }
}
