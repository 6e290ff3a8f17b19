//! Major collection: marks everything reachable, moves the objects of chosen blocks, sweeps lines and large objects.
//!
//! A minor collection has just emptied the nurseries. The mark is bit `M` of the header, whose meaning turns over at
//! each major collection, so nothing has to be cleared: all live objects carry the last meaning.
//!
//! Keeps: G3, G4, G5, G7 (all live objects carry the current meaning of `M`).
//!
//! The mark stack is reserved address space for the worst case (an object is pushed when it is marked, so once), hence
//! it cannot overflow; long arrays are pushed as the rest that is yet to be scanned.

use leat_abi::header::{
    self, KIND_MASK, MARK, ObjectKind, PRESENT, STATIC, UNLOGGED, WORD, prefetch, raw_words, ref_words,
};
use leat_abi::thread::Thread;

use crate::align::object_bytes;
use crate::blocks::{Blocks, Target};
use crate::inner::Inner;
use crate::large::LARGE_BIT;
use crate::roots::Roots;
use crate::space::{BLOCK, HUGE, LINE, give_back};
use crate::stack::scan_piece;

/// Bytes of the largest object that is moved.
const MOST_MOVED: usize = BLOCK - LINE;
/// Elements of an array that are scanned at a time.
const CHUNK: usize = 256;
/// Objects whose headers are prefetched at a time.
const RING: usize = 8;
/// What an object, and a thread, count in a budget.
const OBJECT_UNITS: isize = 4;
const THREAD_UNITS: isize = 60;

/// Marks. What it has come to between two slices of a marking is kept in [`Cycle`].
pub(crate) struct Major<'a, const ALIGN: usize, const EVACUATE: bool> {
    /// What the bits PRESENT, STATIC and MARK of an object are that is yet to be marked.
    unmarked: u64,
    stack: *mut u64,
    pub depth: usize,
    pub deepest: usize,
    pub blocks: &'a mut Blocks,
    target: Target,
    pub weak: Vec<u64>,
    /// Bytes of the objects that were marked.
    pub live: usize,
    /// Slots whose objects' headers are on their way to the cache; `waiting` of them, the oldest at `oldest`.
    ring: [*mut u64; RING],
    oldest: usize,
    waiting: usize,
}

/// Marks and sweeps. `evacuate`: objects of the blocks that `Blocks::choose_evacuated` has chosen move.
/// Gives the bytes of live objects.
///
/// # Safety
/// All workers are stopped, the nurseries are empty, the logs too; `roots` visits all references.
pub(crate) unsafe fn collect<const ALIGN: usize, R: Roots>(inner: &mut Inner, roots: &mut R, evacuate: bool) -> usize {
    inner.target = Target::new(false);
    inner.sense ^= MARK;
    inner.blocks.clear_lines();
    // SAFETY: as for this function.
    let live = unsafe {
        if evacuate { Major::<ALIGN, true>::mark(inner, roots) } else { Major::<ALIGN, false>::mark(inner, roots) }
    };
    inner.blocks.begin_sweep();
    inner.blocks.sweep(usize::MAX, inner.poison());
    inner.large.begin_sweep();
    inner.large.sweep(usize::MAX, inner.sense, ALIGN);
    live
}

/// How much a slice of marking does.
#[derive(Clone)]
pub(crate) struct Budget {
    /// So much work: about the number of slots and four times that of objects.
    pub units: isize,
}

impl Budget {
    pub const ALL: Budget = Budget { units: isize::MAX };
}

/// The pages that a deep mark stack has touched go back to the system.
///
/// # Safety
/// The stack is empty.
pub(crate) unsafe fn give_stack_back(stack: usize, deepest: usize) {
    if deepest * WORD > HUGE {
        // SAFETY: the caller vouches.
        unsafe { give_back(stack, stack + deepest * WORD) };
    }
}

/// Where an object is after a marking; None: it is dead.
///
/// # Safety
/// It is an object, dead or alive, whose memory has not been swept, or an immediate.
pub(crate) unsafe fn survivor(object: u64, sense: u64) -> Option<u64> {
    if header::is_immediate(object) {
        return Some(object);
    }
    // SAFETY: the word before a payload is a header, or where the object is now.
    let h = unsafe { *((object - 8) as *const u64) };
    if h & PRESENT == 0 {
        Some(h)
    } else if h & STATIC != 0 || h & MARK == sense {
        Some(object)
    } else {
        None
    }
}

impl<const ALIGN: usize, const EVACUATE: bool> Major<'_, ALIGN, EVACUATE> {
    unsafe fn mark<R: Roots>(inner: &mut Inner, roots: &mut R) -> usize {
        let stack = inner.space.mark_stack;
        let mut major = Major::<ALIGN, EVACUATE>::new(&mut inner.blocks, stack, inner.sense);
        // SAFETY: roots and scanned objects give valid slots.
        unsafe {
            major.visit_roots(roots);
            major.visit_many(roots, 0, usize::MAX);
            major.close(roots);
            let (live, deepest) = (major.finish(roots, inner.sense), major.deepest);
            let sense = inner.sense;
            let left = roots.mend(usize::MAX, &|object| survivor(object, sense));
            debug_assert_eq!(left, 0, "all tables are mended");
            give_stack_back(stack, deepest);
            live
        }
    }

    /// Nothing is marked yet.
    pub fn new(blocks: &mut Blocks, stack: usize, sense: u64) -> Major<'_, ALIGN, EVACUATE> {
        Major {
            unmarked: PRESENT | (sense ^ MARK),
            stack: stack as *mut u64,
            depth: 0,
            deepest: 0,
            blocks,
            target: Target::new(true),
            weak: Vec::new(),
            live: 0,
            ring: [std::ptr::null_mut(); RING],
            oldest: 0,
            waiting: 0,
        }
    }

    /// Marks what the roots refer to.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn visit_roots<R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: roots give valid slots.
        roots.roots(false, &mut |slot| unsafe { self.visit_now(slot) });
    }

    /// Marks what so many entries of long tables refer to, from this one on. Gives how many are left.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn visit_many<R: Roots>(&mut self, roots: &mut R, from: usize, most: usize) -> usize {
        // SAFETY: roots give valid slots.
        roots.many(from, most, &mut |slot| unsafe { self.visit_now(slot) })
    }

    /// All that lives is marked, and nothing is left to scan: weak pointers and the runtime's tables forget what is
    /// dead. Gives the bytes that were marked.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn finish<R: Roots>(&mut self, roots: &mut R, sense: u64) -> usize {
        // SAFETY: roots give valid slots; what is weak has been marked.
        unsafe {
            let forward = |object: u64| survivor(object, sense);
            self.close(roots);
            for &weak in &self.weak {
                let slot = weak as *mut u64;
                *slot = forward(*slot).unwrap_or(header::immediate(0));
            }
            roots.after(false, &forward);
        }
        self.live
    }

    /// As [`visit`](Major::visit), for slots outside the heap, which may be gone when the caller goes on.
    #[inline(always)]
    unsafe fn visit_now(&mut self, slot: *mut u64) {
        // SAFETY: as for `visit`.
        unsafe {
            if !header::is_immediate(*slot) {
                self.arrived(slot);
            }
        }
    }

    /// Marks the object that a slot refers to, now or a little later; the slot follows it when it moves.
    #[inline(always)]
    unsafe fn visit(&mut self, slot: *mut u64) {
        // SAFETY: the slot is a reference's: what is not immediate is an object's address (A2).
        unsafe {
            let word = *slot;
            if header::is_immediate(word) {
                return;
            }
            if self.depth + self.waiting == 0 {
                // There is nothing to do meanwhile: a list.
                return self.arrived(slot);
            }
            prefetch(word - 8);
            let at = (self.oldest + self.waiting) % RING;
            if self.waiting < RING {
                self.ring[at] = slot;
                self.waiting += 1;
            } else {
                let old = std::mem::replace(&mut self.ring[at], slot);
                self.oldest = (self.oldest + 1) % RING;
                self.arrived(old);
            }
        }
    }

    /// The header of the object that a slot refers to is in the cache.
    #[inline(always)]
    unsafe fn arrived(&mut self, slot: *mut u64) {
        // SAFETY: as for `visit`.
        unsafe {
            let word = *slot;
            let h = *((word - 8) as *const u64);
            if (h ^ self.unmarked) & (PRESENT | STATIC | MARK) == 0 {
                self.reach(slot, word, h);
            } else if EVACUATE && h & PRESENT == 0 {
                *slot = h;
            }
        }
    }

    #[inline(always)]
    unsafe fn reach(&mut self, slot: *mut u64, object: u64, h: u64) {
        // SAFETY: an object that is not marked yet.
        unsafe {
            let mut object = object;
            let marked = h ^ MARK;
            let bytes = object_bytes::<ALIGN>(h);
            self.live += bytes;
            if h & LARGE_BIT == 0 {
                // A larger one that a nursery has left there fits no block.
                if EVACUATE && bytes <= MOST_MOVED && self.blocks.state(self.blocks.block_of::<ALIGN>(object)).evacuate
                {
                    object = self.evacuate(object, marked, bytes);
                    *slot = object;
                } else {
                    *((object - 8) as *mut u64) = marked;
                }
                self.blocks.mark_lines::<ALIGN>(object, bytes);
            } else {
                *((object - 8) as *mut u64) = marked;
            }
            let none = if h & KIND_MASK == 0 { ref_words(h) == 0 } else { ObjectKind::of(h) == ObjectKind::RawArray };
            if !none {
                self.push(object);
            }
        }
    }

    unsafe fn evacuate(&mut self, object: u64, marked: u64, bytes: usize) -> u64 {
        // SAFETY: the object is whole, the room fits it.
        unsafe {
            let to = if self.target.alloc + bytes <= self.target.limit {
                self.target.alloc += bytes;
                self.target.alloc - bytes
            } else if bytes > LINE {
                self.blocks.overflow(&mut self.target, bytes)
            } else {
                self.target.scanned = self.target.alloc;
                self.blocks.next_segment(&mut self.target);
                self.target.alloc += bytes;
                self.target.alloc - bytes
            };
            std::ptr::copy_nonoverlapping((object - 8) as *const u64, to as *mut u64, bytes / WORD);
            *(to as *mut u64) = marked | UNLOGGED;
            let payload = (to + WORD) as u64;
            *((object - 8) as *mut u64) = payload;
            payload
        }
    }

    /// An object that is marked is to be scanned.
    ///
    /// # Safety
    /// As for [`collect`].
    #[inline(always)]
    pub unsafe fn push(&mut self, word: u64) {
        // SAFETY: the stack has room for every object.
        unsafe { *self.stack.add(self.depth) = word };
        self.depth += 1;
    }

    /// Scans until nothing is left to scan.
    unsafe fn close<R: Roots>(&mut self, roots: &mut R) {
        // SAFETY: as for the caller.
        unsafe { self.drain::<R, false>(roots, &mut Budget::ALL.clone()) }
    }

    /// Scans until nothing is left to scan, or, `BOUNDED`, until the budget is spent.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn drain<R: Roots, const BOUNDED: bool>(&mut self, roots: &mut R, budget: &mut Budget) {
        // SAFETY: the stack holds marked objects, and (index, array + 1) for the rest of an array.
        unsafe {
            loop {
                if BOUNDED && budget.units <= 0 {
                    break;
                }
                if self.depth == 0 {
                    if self.waiting == 0 {
                        break;
                    }
                    let slot = self.ring[self.oldest];
                    self.oldest = (self.oldest + 1) % RING;
                    self.waiting -= 1;
                    self.arrived(slot);
                    continue;
                }
                self.deepest = self.deepest.max(self.depth);
                self.depth -= 1;
                let object = *self.stack.add(self.depth);
                if object & 1 != 0 {
                    self.depth -= 1;
                    let from = *self.stack.add(self.depth) as usize;
                    self.scan_array(object - 1, from);
                    if BOUNDED {
                        budget.units -= CHUNK as isize;
                    }
                    continue;
                }
                let h = *((object - 8) as *const u64);
                if h & KIND_MASK == 0 {
                    self.scan_record(object, h);
                    if BOUNDED {
                        budget.units -= OBJECT_UNITS + ref_words(h) as isize;
                    }
                    continue;
                }
                let units = self.scan_other(object, h, roots);
                if BOUNDED {
                    budget.units -= units;
                }
            }
        }
    }

    /// Looks at all objects whose headers were asked for: nothing is left but what is on the stack.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn flush(&mut self) {
        while self.waiting > 0 {
            let slot = self.ring[self.oldest];
            self.oldest = (self.oldest + 1) % RING;
            self.waiting -= 1;
            // SAFETY: a reference's slot.
            unsafe { self.arrived(slot) };
        }
        self.deepest = self.deepest.max(self.depth);
    }

    /// Scans an object that is marked, but does not lie on the stack.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn scan<R: Roots>(&mut self, object: u64, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            if h & KIND_MASK == 0 {
                self.scan_record(object, h);
            } else {
                self.scan_other(object, h, roots);
            }
        }
    }

    /// Scans objects in a row in blocks, which were born marked, and marks their lines.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn scan_row<R: Roots>(&mut self, from: usize, end: usize, roots: &mut R) {
        let mut at = from;
        while at < end {
            // SAFETY: the caller vouches for the row.
            unsafe {
                let h = *(at as *const u64);
                let (object, bytes) = ((at + WORD) as u64, object_bytes::<ALIGN>(h));
                self.blocks.mark_lines::<ALIGN>(object, bytes);
                self.scan(object, h, roots);
                at += bytes;
            }
        }
    }

    /// Marks these objects.
    ///
    /// # Safety
    /// As for [`collect`].
    pub unsafe fn visit_all(&mut self, objects: &mut [u64]) {
        for slot in objects {
            // SAFETY: the caller vouches for the objects.
            unsafe { self.visit_now(slot) };
        }
    }

    /// Scans a marked object, which is no record. Gives what that counts in a budget.
    unsafe fn scan_other<R: Roots>(&mut self, object: u64, h: u64, roots: &mut R) -> isize {
        let mut units = OBJECT_UNITS;
        // SAFETY: a whole object.
        unsafe {
            match ObjectKind::of(h) {
                ObjectKind::RefArray => {
                    self.scan_array(object, 0);
                    units += header::length(h).min(CHUNK as u64) as isize;
                }
                ObjectKind::Stack => {
                    let words = header::length(h) as usize;
                    scan_piece(roots.tables(), object, words, &mut |slot| self.visit(slot));
                    units += words as isize;
                }
                ObjectKind::Thread => {
                    self.scan_record(object, h);
                    roots.thread_stack(object as *mut Thread, false, &mut |slot| {
                        units += 1;
                        self.visit_now(slot);
                    });
                    units += THREAD_UNITS;
                }
                ObjectKind::Weak => self.weak.push(object),
                ObjectKind::Record | ObjectKind::RawArray => {}
            }
        }
        units
    }

    #[inline(always)]
    unsafe fn scan_record(&mut self, object: u64, h: u64) {
        // SAFETY: a record's reference slots.
        unsafe {
            let mut slot = (object as *mut u64).add(raw_words(h));
            let end = slot.add(ref_words(h));
            while slot != end {
                self.visit(slot);
                slot = slot.add(1);
            }
        }
    }

    unsafe fn scan_array(&mut self, array: u64, from: usize) {
        // SAFETY: an array's elements.
        unsafe {
            let count = header::length(*((array - 8) as *const u64)) as usize;
            let to = count.min(from + CHUNK);
            if to < count {
                self.push(to as u64);
                self.push(array + 1);
            }
            for i in from..to {
                self.visit((array as *mut u64).add(i));
            }
        }
    }
}
