//! The slow paths of the write barrier, and barriers for what runtime code stores.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use leat_abi::header::{KIND_MASK, KIND_SHIFT, ObjectKind, UNLOGGED, WORD};
use leat_abi::tcb::Tcb;

use super::Heap;
use crate::remembered::Worker;

const _: () = assert!(KIND_MASK < 1 << 8 && UNLOGGED < 1 << 8);
/// An array of references of this size need not be logged when it is made: to scan it takes as long as half of a goal.
const BORN_CLEAN: usize = 4 << 20;

impl Heap {
    /// The write barrier's slow path: `object` (payload's address) has its `UNLOGGED` bit set and was stored into.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` an old object.
    pub unsafe fn log_object(&self, tcb: *mut Tcb, object: u64) {
        // SAFETY: as said.
        unsafe { Worker::of(tcb).log_object(object) }
    }

    /// Likewise for the element at `slot` of an array of references.
    ///
    /// # Safety
    /// As `log_object`; `slot` is the address of an element.
    pub unsafe fn log_slot(&self, tcb: *mut Tcb, array: u64, slot: *mut u64) {
        // SAFETY: as said.
        unsafe { Worker::of(tcb).log_slot(array, slot) }
    }

    /// The whole barrier, for `count` elements from `slot` that runtime code has stored: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// As `log_slot`, but `array` may be of any age.
    pub unsafe fn barrier_range(&self, tcb: *mut Tcb, array: u64, slot: *mut u64, count: usize) {
        // SAFETY: as said; the word before a payload is its header.
        unsafe {
            for i in 0..count {
                if *((array - 8) as *const u64) & UNLOGGED == 0 {
                    return;
                }
                Worker::of(tcb).log_slot(array, slot.add(i));
            }
        }
    }

    /// The whole barrier for one object that runtime code has stored into: tests `UNLOGGED` itself.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block, `object` any object's payload.
    #[inline]
    pub unsafe fn barrier(&self, tcb: *mut Tcb, object: u64) {
        // SAFETY: as said.
        unsafe {
            if *((object - 8) as *const u64) & UNLOGGED != 0 {
                Worker::of(tcb).log_object(object);
            }
        }
    }

    /// An array of words, of which each is a reference by now, becomes one of references. If it is old it is logged, as
    /// one that is made large.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block; nobody else knows of the array.
    pub unsafe fn becomes_references(&self, tcb: *mut Tcb, array: u64) {
        const KINDS: u8 = (ObjectKind::RawArray as u8 ^ ObjectKind::RefArray as u8) << KIND_SHIFT;
        // SAFETY: as said; the kind is in the byte that the program writes (G13).
        unsafe {
            let low = AtomicU8::from_ptr((array - WORD as u64) as *mut u8);
            debug_assert_eq!(ObjectKind::of(u64::from(low.load(Relaxed))), ObjectKind::RawArray);
            low.store(low.load(Relaxed) ^ KINDS, Relaxed);
            self.barrier(tcb, array);
        }
    }

    /// Whether an array with this header is to be filled with this value only after a minor collection: then the next
    /// one need not scan all of it ([`filled`](Heap::filled)).
    ///
    /// # Safety
    /// `tcb` is the calling worker's block; the header is that of an array of references, and the value a reference.
    pub unsafe fn wants_old(&self, tcb: *mut Tcb, header: u64, value: u64) -> bool {
        // SAFETY: the caller's own block.
        let worker = unsafe { Worker::of(tcb) };
        worker.has_goal && worker.young.is_young(value) && self.object_bytes(header) >= BORN_CLEAN
    }

    /// An array of references that the caller has just made holds `value` in all of its elements. Where pauses have a
    /// goal, a large one is not scanned as a whole by the next collection, if the value is not young.
    ///
    /// # Safety
    /// `tcb` is the calling worker's block; `array` is the object that it has made last, without a safepoint since.
    pub unsafe fn filled(&self, tcb: *mut Tcb, array: u64, value: u64) {
        // SAFETY: as said; an object's header.
        unsafe {
            let (worker, header) = (Worker::of(tcb), (array - WORD as u64) as *mut u64);
            if worker.has_goal
                && worker.objects.last() == Some(&array)
                && self.object_bytes(*header) >= BORN_CLEAN
                && !worker.young.is_young(value)
            {
                worker.objects.pop();
                *header |= UNLOGGED;
                worker.stored(value);
            }
        }
    }
}
