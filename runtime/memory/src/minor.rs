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
//! out. What a scanned slot refers to is asked for, and looked at when eight others have been. No ageing: what survives
//! once is old (docs/internals/decisions/002-collector.md). With several workers each thread is a cluster: the thread
//! object has cache lines to itself, and what is first reached from its frames (its channels, say), at whatever
//! distance, begins a new line. Otherwise two workers would write to the same lines all the time, for no other reason
//! than that their threads were promoted together. The roots tell where another thread's begin; a *mark* there goes
//! with the scan from one generation of copies to the next.

use std::collections::VecDeque;

use leat_abi::header::{self, KIND_MASK, ObjectKind, UNLOGGED, WORD, prefetch, raw_words, ref_words};
use leat_abi::thread::Thread;

use crate::align::{object_bytes, record_bytes};
use crate::blocks::{Blocks, Target};
use crate::inner::Inner;
use crate::large::{LARGE, LARGE_BIT, Large};
use crate::remembered::Young;
use crate::roots::{Roots, Visitor};
use crate::space::{BLOCK, LINE, PART};
use crate::stack::scan_piece;

/// Bytes that two workers should not both write to: a cache line and the one that is fetched with it.
const APART: usize = 128;
/// The copy loop writes this many bytes at once, past the end of a smaller object.
const STRIDE: usize = 32;

/// Objects whose headers are asked for before they are looked at: most are in no cache.
const ASKED: usize = 8;

/// What does not change during a collection.
#[derive(Clone, Copy)]
struct Fixed {
    young: Young,
    /// Bits that a promoted object's header gets.
    promoted_bits: u64,
}

/// Where copies go and how far they are scanned: the fields of [`Target`] that change with each object.
#[derive(Clone, Copy)]
struct Cursor {
    alloc: usize,
    limit: usize,
    scanned: usize,
}

pub(crate) struct Minor<'a, const ALIGN: usize> {
    fixed: Fixed,
    /// Slots of promoted objects that hold young ones whose headers have been asked for; null: none. There may be some.
    asked: [*mut u64; ASKED],
    next_asked: usize,
    has_asked: bool,
    target: Target,
    blocks: &'a mut Blocks,
    large: &'a mut Large,
    /// Promoted large objects that are yet to be scanned.
    large_pending: Vec<u64>,
    large_bytes: usize,
    weak: Vec<u64>,
    /// Threads are clusters, and these are yet to be scanned.
    apart: bool,
    threads: Vec<u64>,
    /// Where the copies of another cluster begin, in the row that is scanned.
    marks: VecDeque<usize>,
    /// While marking goes on: what long tables refer to since the last collection.
    is_marking: bool,
    noted: Vec<u64>,
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
        fixed: Fixed { young: inner.young, promoted_bits: UNLOGGED | inner.sense },
        asked: [std::ptr::null_mut(); ASKED],
        next_asked: 0,
        has_asked: false,
        target: std::mem::take(&mut inner.target),
        blocks: &mut inner.blocks,
        large: &mut inner.large,
        large_pending: Vec::new(),
        large_bytes: 0,
        weak: Vec::new(),
        apart: inner.apart,
        threads: Vec::new(),
        marks: VecDeque::new(),
        is_marking: inner.cycle.is_marking(),
        noted: Vec::new(),
    };
    let large_before = minor.large.objects.len();
    let mut logged = 0;
    // SAFETY: roots, logs and scanned objects give valid slots.
    unsafe {
        roots.roots(true, &mut minor);
        minor.close(roots);
        for worker in &mut inner.workers {
            logged += worker.objects.len() + worker.cards.len();
            for (i, &object) in worker.objects.iter().enumerate() {
                ask_logged(&worker.objects, i);
                let at = (object - 8) as *mut u64;
                *at |= UNLOGGED;
                minor.scan_logged(object, *at, roots);
            }
            inner.cycle.take_log(worker);
            worker.objects.clear();
            for (i, &(array, card)) in worker.cards.iter().enumerate() {
                minor.ask_card(&worker.cards, i);
                minor.scan_card(array, card, roots);
            }
            worker.cards.clear();
            worker.shrink_log();
        }
        minor.close(roots);
        let young = minor.fixed.young;
        let forward = |object: u64| -> Option<u64> {
            if !young.is_young(object) {
                return Some(object);
            }
            let h = *((object - 8) as *const u64);
            if h & header::PRESENT == 0 { Some(h) } else { None }
        };
        for &weak in &minor.weak {
            let slot = weak as *mut u64;
            *slot = forward(*slot).unwrap_or(header::immediate(0));
        }
        roots.after(true, &forward);
    }
    let bytes = minor.target.take_bytes() + minor.large_bytes;
    inner.target = minor.target;
    if inner.cycle.is_marking() {
        inner.cycle.rows.append(&mut inner.target.filled);
        inner.cycle.shaded.append(&mut minor.noted);
        inner.cycle.again.extend(inner.large.objects[large_before..].iter().map(|object| object.payload));
    }
    Promoted { bytes, logged }
}

impl<const ALIGN: usize> Visitor for Minor<'_, ALIGN> {
    #[inline(always)]
    fn slot(&mut self, slot: *mut u64) {
        // SAFETY: roots give valid slots.
        unsafe { self.visit(slot) };
    }

    /// What the threads refer to is kept apart.
    #[inline(always)]
    fn next_thread(&mut self) {
        // SAFETY: between two roots, nothing is half promoted.
        unsafe { self.begin_cluster() };
    }

    #[inline(always)]
    fn noted(&mut self, slot: *mut u64) {
        // SAFETY: as for `slot`.
        unsafe {
            self.visit(slot);
            if self.is_marking {
                self.noted.push(*slot);
            }
        }
    }
}

impl<const ALIGN: usize> Minor<'_, ALIGN> {
    /// Makes a slot refer to the promoted copy.
    #[inline(always)]
    unsafe fn visit(&mut self, slot: *mut u64) {
        // SAFETY: the slot is a reference's.
        unsafe {
            let word = *slot;
            if self.fixed.young.is_young(word) {
                *slot = self.promote(word);
            }
        }
    }

    /// As [`evacuate`](Minor::evacuate), for those who do not hold the cursor.
    #[inline(never)]
    unsafe fn promote(&mut self, object: u64) -> u64 {
        let fixed = self.fixed;
        let mut cursor = self.cursor();
        // SAFETY: a young object (A2).
        let copy = unsafe { self.evacuate(fixed, &mut cursor, object) };
        self.set_cursor(cursor);
        copy
    }

    /// As [`visit_soon`](Minor::visit_soon), for those who do not hold the cursor.
    #[inline(always)]
    unsafe fn promote_soon(&mut self, slot: *mut u64) {
        // SAFETY: the slot is a reference's, as all that were asked for.
        unsafe {
            let word = *slot;
            if self.fixed.young.is_young(word)
                && let Some(before) = self.ask(word, slot)
            {
                self.visit(before);
            }
        }
    }

    /// Asks for the header of a slot's object. Gives the slot that has waited longest, if its turn has come.
    #[inline(always)]
    fn ask(&mut self, object: u64, slot: *mut u64) -> Option<*mut u64> {
        prefetch(object - WORD as u64);
        let at = self.next_asked;
        self.next_asked = (at + 1) % ASKED;
        self.has_asked = true;
        let before = std::mem::replace(&mut self.asked[at], slot);
        (!before.is_null()).then_some(before)
    }

    fn cursor(&self) -> Cursor {
        Cursor { alloc: self.target.alloc, limit: self.target.limit, scanned: self.target.scanned }
    }

    fn set_cursor(&mut self, c: Cursor) {
        (self.target.alloc, self.target.limit, self.target.scanned) = (c.alloc, c.limit, c.scanned);
    }

    #[inline(always)]
    unsafe fn visit_at(&mut self, fixed: Fixed, c: &mut Cursor, slot: *mut u64) {
        // SAFETY: the slot is a reference's, so a young word in it is an object's address (A2).
        unsafe {
            let word = *slot;
            if fixed.young.is_young(word) {
                *slot = self.evacuate(fixed, c, word);
            }
        }
    }

    /// As [`visit_at`](Minor::visit_at), but the object is looked at later, when its header has come: the slot is one
    /// of an object's, and stays where it is.
    #[inline(always)]
    unsafe fn visit_soon(&mut self, fixed: Fixed, c: &mut Cursor, slot: *mut u64) {
        // SAFETY: as for `visit_at`.
        unsafe {
            let word = *slot;
            if fixed.young.is_young(word)
                && let Some(before) = self.ask(word, slot)
            {
                self.visit_at(fixed, c, before);
            }
        }
    }

    /// Looks at all objects that were asked for.
    unsafe fn visit_asked(&mut self, fixed: Fixed, c: &mut Cursor) {
        if !std::mem::take(&mut self.has_asked) {
            return;
        }
        for i in 0..ASKED {
            let at = (self.next_asked + i) % ASKED;
            let slot = std::mem::replace(&mut self.asked[at], std::ptr::null_mut());
            if !slot.is_null() {
                // SAFETY: the slot is a reference's.
                unsafe { self.visit_at(fixed, c, slot) };
            }
        }
    }

    /// The new address of a young object. Copies with it what its last field leads to, as long as those are records: so
    /// a list moves at the pace of loading the next cell, and lies in order.
    #[inline(always)]
    unsafe fn evacuate(&mut self, fixed: Fixed, c: &mut Cursor, object: u64) -> u64 {
        let from = (object - 8) as *mut u64;
        // SAFETY: the word before the payload is a header or a forwarding address (A1).
        let h = unsafe { *from };
        if h & header::PRESENT == 0 {
            return h;
        }
        let to = c.alloc;
        let bytes = record_bytes::<ALIGN>(h);
        if h & KIND_MASK != 0 || to + bytes.max(STRIDE) > c.limit {
            self.set_cursor(*c);
            // SAFETY: as above.
            let copy = unsafe { self.evacuate_slow(from, h) };
            *c = self.cursor();
            return copy;
        }
        // SAFETY: there is room.
        unsafe { evacuate_chain::<ALIGN>(fixed, c, from, h, bytes) };
        (to + WORD) as u64
    }

    /// Not a record, or the hole is full, or the object is large.
    #[inline(never)]
    unsafe fn evacuate_slow(&mut self, from: *mut u64, h: u64) -> u64 {
        let bytes = object_bytes::<ALIGN>(h);
        let bits = self.fixed.promoted_bits;
        // SAFETY: the object is whole, and the room fits it.
        unsafe {
            if bytes > LARGE && self.target.alloc + bytes > self.target.limit {
                let Some((to, _)) = self.large.take(bytes, ALIGN) else { return self.evacuate_to_row(from, h, bytes) };
                self.large_bytes += bytes;
                std::ptr::copy_nonoverlapping(from, to as *mut u64, bytes / WORD);
                *(to as *mut u64) = h | bits | LARGE_BIT;
                let payload = (to + WORD) as u64;
                *from = payload;
                self.large_pending.push(payload);
                return payload;
            }
            if self.target.alloc + bytes.max(STRIDE) > self.target.limit {
                if bytes > LINE {
                    let to = self.blocks.overflow(&mut self.target, bytes);
                    self.target.segments.push((to, to + bytes));
                    place(from, h, to, bytes, bits);
                    return (to + WORD) as u64;
                }
                self.blocks.next_segment(&mut self.target);
            }
            let is_apart = self.apart && ObjectKind::of(h) == ObjectKind::Thread;
            if is_apart {
                self.begin_line();
            }
            let to = self.target.alloc;
            self.target.alloc += bytes;
            place(from, h, to, bytes, bits);
            if is_apart {
                self.begin_line();
            }
            (to + WORD) as u64
        }
    }

    /// A large object for which there is no run of pages: the reservation is small, and what is free lies scattered.
    #[cold]
    unsafe fn evacuate_to_row(&mut self, from: *mut u64, h: u64, bytes: usize) -> u64 {
        let to = if bytes + ALIGN - WORD <= BLOCK {
            self.blocks.overflow(&mut self.target, bytes)
        } else {
            self.blocks.row(&mut self.target, bytes).expect("G14: a survivor has room")
        };
        self.target.segments.push((to, to + bytes));
        // SAFETY: the object is whole, and the room fits it.
        unsafe { place(from, h, to, bytes, self.fixed.promoted_bits) };
        (to + WORD) as u64
    }

    /// The next object does not share a cache line with those before, unless the hole ends too soon.
    unsafe fn begin_line(&mut self) {
        let at = self.target.alloc;
        let gap = ((APART - at % APART) % APART) & !(ALIGN - 1);
        if gap > 0 && at + gap + APART <= self.target.limit {
            // SAFETY: there is room; the gap is a whole object.
            unsafe { *(at as *mut u64) = header::raw_array(3, (gap / WORD - 1) as u64) | self.fixed.promoted_bits };
            self.target.alloc += gap;
        }
    }

    /// What is copied next is another thread's.
    unsafe fn begin_cluster(&mut self) {
        if self.apart {
            // SAFETY: as `begin_line`.
            unsafe { self.begin_line() };
            self.marks.push_back(self.target.alloc);
        }
    }

    /// The next mark that the scan will come to; `usize::MAX` when there is none in this row.
    fn next_mark(&mut self, c: Cursor) -> usize {
        while let Some(mark) = self.marks.pop_front() {
            if mark > c.scanned && mark <= c.alloc {
                return mark;
            }
        }
        usize::MAX
    }

    /// As [`visit`](Minor::visit), and all that hangs on the object is promoted before anything else: so what belongs
    /// together lies together, and the program that comes to it meets few lines and pages.
    #[inline(always)]
    unsafe fn visit_whole<R: Roots>(&mut self, slot: *mut u64, roots: &mut R) {
        // SAFETY: as for `visit`.
        unsafe {
            let word = *slot;
            if self.fixed.young.is_young(word) {
                *slot = self.promote(word);
                self.close_some(roots);
            }
        }
    }

    /// Scans what is yet to be scanned, if there is something.
    #[inline(always)]
    unsafe fn close_some<R: Roots>(&mut self, roots: &mut R) {
        let t = &self.target;
        if self.has_asked || t.scanned != t.alloc || !t.segments.is_empty() || !self.large_pending.is_empty() {
            // SAFETY: as for the caller.
            unsafe { self.close(roots) }
        }
    }

    /// Scans until nothing is left to scan.
    unsafe fn close<R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: the same function; one of them looks for marks.
        unsafe { if self.apart { self.close_by::<R, true>(roots) } else { self.close_by::<R, false>(roots) } }
    }

    unsafe fn close_by<R: Roots, const MARKS: bool>(&mut self, roots: &mut R) {
        let fixed = self.fixed;
        // In registers: stores into objects would make the compiler load the fields again.
        let mut c = self.cursor();
        let mut mark = if MARKS { self.next_mark(c) } else { 0 };
        // SAFETY: every piece, and what lies between `scanned` and `alloc`, is a row of whole objects.
        unsafe {
            loop {
                while c.scanned != c.alloc {
                    if MARKS && c.scanned == mark {
                        self.visit_asked(fixed, &mut c);
                        self.set_cursor(c);
                        self.begin_cluster();
                        c = self.cursor();
                        mark = self.next_mark(c);
                    }
                    let at = c.scanned;
                    let h = *(at as *const u64);
                    c.scanned += object_bytes::<ALIGN>(h);
                    self.scan_at(fixed, &mut c, at, h, roots);
                }
                self.visit_asked(fixed, &mut c);
                if c.scanned != c.alloc {
                    continue;
                }
                if let Some((mut at, end)) = self.target.segments.pop() {
                    while at != end {
                        let h = *(at as *const u64);
                        self.scan_at(fixed, &mut c, at, h, roots);
                        at += object_bytes::<ALIGN>(h);
                    }
                } else if let Some(payload) = self.large_pending.pop() {
                    let at = payload as usize - WORD;
                    self.scan_at(fixed, &mut c, at, *(at as *const u64), roots);
                } else if let Some(thread) = self.threads.pop() {
                    self.set_cursor(c);
                    self.begin_line();
                    self.scan_whole(thread, *((thread - WORD as u64) as *const u64), roots);
                    c = self.cursor();
                } else {
                    break;
                }
            }
        }
        self.set_cursor(c);
    }

    /// A promoted object whose header lies at `at`.
    #[inline(always)]
    unsafe fn scan_at<R: Roots>(&mut self, fixed: Fixed, c: &mut Cursor, at: usize, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            if h & KIND_MASK == 0 {
                let mut slot = (at as *mut u64).add(1 + raw_words(h));
                let end = slot.add(ref_words(h));
                while slot != end {
                    self.visit_soon(fixed, c, slot);
                    slot = slot.add(1);
                }
            } else {
                self.set_cursor(*c);
                self.scan((at + WORD) as u64, h, roots);
                *c = self.cursor();
            }
        }
    }

    /// A promoted object, now or in its turn.
    #[inline(never)]
    unsafe fn scan<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        if self.apart && ObjectKind::of(h) == ObjectKind::Thread {
            self.threads.push(payload);
        } else {
            // SAFETY: the caller vouches for the object.
            unsafe { self.scan_whole(payload, h, roots) }
        }
    }

    /// A promoted object: its references, and its frames.
    unsafe fn scan_whole<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            self.scan_refs(payload, h, roots);
            if ObjectKind::of(h) == ObjectKind::Thread {
                roots.thread_stack(payload as *mut Thread, true, &mut |slot| self.visit(slot));
            }
        }
    }

    /// An object's references; the slots of a thread that is on a lane are not among them.
    unsafe fn scan_refs<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        let (first, count) = match ObjectKind::of(h) {
            ObjectKind::Record | ObjectKind::Thread => (raw_words(h), ref_words(h)),
            ObjectKind::RawArray => return,
            ObjectKind::RefArray => (0, header::length(h) as usize),
            ObjectKind::Stack => {
                // SAFETY: a whole Stack object.
                return unsafe {
                    scan_piece(roots.tables(), payload, header::length(h) as usize, &mut |slot| self.promote_soon(slot))
                };
            }
            ObjectKind::Weak => return self.weak.push(payload),
        };
        // SAFETY: these are the object's reference slots.
        unsafe {
            let slots = (payload as *mut u64).add(first);
            for i in 0..count {
                self.promote_soon(slots.add(i));
            }
        }
    }

    /// A logged object's references. What hangs on it is promoted before what hangs on the next one; of an array, what
    /// hangs on each element.
    unsafe fn scan_logged<R: Roots>(&mut self, payload: u64, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            if ObjectKind::of(h) == ObjectKind::RefArray {
                let (slots, count) = (payload as *mut u64, header::length(h) as usize);
                for i in 0..count {
                    if i + ASKED < count {
                        let word = *slots.add(i + ASKED);
                        if self.fixed.young.is_young(word) {
                            prefetch(word - WORD as u64);
                        }
                    }
                    self.visit_whole(slots.add(i), roots);
                }
            } else {
                self.scan_refs(payload, h, roots);
                self.close_some(roots);
            }
        }
    }

    /// Asks for the elements of the card that comes some places behind this one, and for the byte of a later one.
    #[inline(always)]
    unsafe fn ask_card(&self, cards: &[(u64, usize)], at: usize) {
        if let Some(&(_, card)) = cards.get(at + 2 * ASKED) {
            prefetch(self.large.card_of(card) as u64);
        }
        if let Some(&(_, card)) = cards.get(at + ASKED) {
            // SAFETY: the table has a byte for each card.
            let parts = unsafe { *self.large.card_of(card) };
            prefetch((card + parts.trailing_zeros() as usize * PART) as u64);
        }
    }

    /// The elements of a large array that lie on the dirty parts of a card, each with all that hangs on it.
    unsafe fn scan_card<R: Roots>(&mut self, array: u64, card: usize, roots: &mut R) {
        // SAFETY: the array is alive (a logged object was reached by the mutator since the last collection, and old
        // objects die in major collections only).
        unsafe {
            let mut parts = std::mem::take(&mut *self.large.card_of(card));
            let count = header::length(*((array - 8) as *const u64)) as usize;
            let (first, last) = (array as usize, array as usize + count * WORD);
            while parts != 0 {
                let part = card + parts.trailing_zeros() as usize * PART;
                parts &= parts - 1;
                for slot in (part.max(first)..(part + PART).min(last)).step_by(WORD) {
                    self.visit_whole(slot as *mut u64, roots);
                }
            }
        }
    }
}

/// Asks for the first lines of an object that is logged some places behind this one.
#[inline(always)]
pub(crate) fn ask_logged(log: &[u64], at: usize) {
    if let Some(&object) = log.get(at + ASKED) {
        prefetch(object - WORD as u64);
        prefetch(object - WORD as u64 + 64);
    }
}

/// Copies a young record to the cursor, and after it the records that its last field leads to.
#[inline(always)]
unsafe fn evacuate_chain<const ALIGN: usize>(fixed: Fixed, c: &mut Cursor, from: *mut u64, h: u64, bytes: usize) {
    let (mut from, mut h, mut to, mut bytes) = (from, h, c.alloc, bytes);
    let bits = fixed.promoted_bits;
    // SAFETY: `from` is a young record with header `h`, and there is room for it.
    unsafe {
        while ref_words(h) != 0 {
            let last = raw_words(h) + ref_words(h);
            let start = to;
            // Cells of one shape: the address of the next does not wait for what this one's header says.
            let broken = loop {
                place(from, h, to, bytes, bits);
                let next = *from.add(last);
                let slot = (to as *mut u64).add(last);
                to += bytes;
                if !fixed.young.is_young(next) {
                    break None;
                }
                from = (next - 8) as *mut u64;
                let next_h = *from;
                if next_h != h || to + bytes.max(STRIDE) > c.limit {
                    break Some((next_h, slot));
                }
                *slot = (to + WORD) as u64;
            };
            // When the scan stands here it has nothing to do for cells with one reference.
            let is_done = ref_words(h) == 1 && c.scanned == start;
            c.alloc = to;
            let Some((next_h, slot)) = broken else {
                if is_done {
                    c.scanned = to;
                }
                return;
            };
            if is_done {
                c.scanned = to - bytes;
            }
            h = next_h;
            bytes = record_bytes::<ALIGN>(h);
            if h & (header::PRESENT | KIND_MASK) != header::PRESENT || to + bytes.max(STRIDE) > c.limit {
                return;
            }
            *slot = (to + WORD) as u64;
        }
        place(from, h, to, bytes, bits);
        c.alloc = to + bytes;
    }
}

/// Copies, and leaves the forwarding address.
#[inline(always)]
unsafe fn place(from: *mut u64, h: u64, to: usize, bytes: usize, bits: u64) {
    let to = to as *mut u64;
    // SAFETY: the caller vouches for both places; they are apart. A small object is followed by room for STRIDE bytes.
    unsafe {
        let (a, b, c) = (*from.add(1), *from.add(2), *from.add(3));
        *to = h | bits;
        *to.add(1) = a;
        *to.add(2) = b;
        *to.add(3) = c;
        if bytes > STRIDE {
            copy_rest(from, to, bytes);
        }
        *from = to as u64 + WORD as u64;
    }
}

/// The words behind the first [`STRIDE`] bytes.
#[inline(always)]
unsafe fn copy_rest(from: *const u64, to: *mut u64, bytes: usize) {
    // SAFETY: the caller vouches for `bytes` at both places.
    unsafe {
        let (words, done) = (bytes / WORD, STRIDE / WORD);
        if words > 16 {
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
