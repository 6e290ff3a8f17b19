//! The first look: how much lives of what a program has allocated first.
//!
//! A program begins with a small nursery, since most programs keep little, and a small one takes less memory. When it
//! is full for the first time nothing has been collected yet, so all that lives can be reached from the roots through
//! the nursery and a few large objects. The look follows references until more has been found than is little. Then the
//! nursery becomes larger, and nothing is collected: a program that first builds something pays for the look alone, not
//! for copies of what it builds.
//!
//! What is dead is never counted; frames of threads that nothing refers to are not looked at. A young object that has
//! been seen has the bit [`UNLOGGED`], which no other one has, until the look is over.

use leat_abi::header::{self, ObjectKind, STATIC, UNLOGGED, raw_words, ref_words};
use leat_abi::thread::Thread;

use crate::align::object_bytes;
use crate::remembered::Young;
use crate::roots::Roots;
use crate::stack::scan_piece;

/// Most references that are followed: behind so many the answer is that much lives.
const MOST_REFERENCES: usize = 1 << 15;
/// And behind so many large objects, each of which is looked for among the others.
const MOST_LARGE: usize = 64;

struct Look {
    young: Young,
    /// Young objects that were reached, and how many of them have been looked into.
    seen: Vec<u64>,
    done: usize,
    /// Large objects likewise.
    large: Vec<u64>,
    large_done: usize,
    /// How many more references may be followed.
    left: usize,
}

/// Whether more than so many bytes of young objects live.
///
/// # Safety
/// All workers are stopped; `roots` visits all references. Nothing has been collected yet.
pub(crate) unsafe fn finds_much<const ALIGN: usize, R: Roots>(young: Young, little: usize, roots: &mut R) -> bool {
    let mut look = Look { young, seen: Vec::new(), done: 0, large: Vec::new(), large_done: 0, left: MOST_REFERENCES };
    // SAFETY: as the caller says; the bits are taken away again.
    unsafe {
        let finds_much = look.go::<ALIGN, R>(little, roots);
        for object in look.seen {
            *((object - 8) as *mut u64) &= !UNLOGGED;
        }
        finds_much
    }
}

impl Look {
    /// # Safety
    /// As for [`finds_much`].
    unsafe fn go<const ALIGN: usize, R: Roots>(&mut self, little: usize, roots: &mut R) -> bool {
        let mut bytes = 0;
        // SAFETY: roots and objects give valid slots.
        unsafe {
            roots.roots(false, &mut |slot| self.reference(slot));
            while let Some(object) = self.next() {
                let h = *((object - 8) as *const u64);
                if self.young.is_young(object) {
                    bytes += object_bytes::<ALIGN>(h);
                }
                self.look_into(object, h, roots);
                if bytes > little || self.left == 0 {
                    return true;
                }
            }
        }
        false
    }

    fn next(&mut self) -> Option<u64> {
        if let Some(&object) = self.seen.get(self.done) {
            self.done += 1;
            return Some(object);
        }
        let object = *self.large.get(self.large_done)?;
        self.large_done += 1;
        Some(object)
    }

    /// # Safety
    /// An object with this header.
    unsafe fn look_into<R: Roots>(&mut self, object: u64, h: u64, roots: &mut R) {
        // SAFETY: the caller vouches.
        unsafe {
            let (first, count) = match ObjectKind::of(h) {
                ObjectKind::Record | ObjectKind::Thread => (raw_words(h), ref_words(h)),
                ObjectKind::RefArray => (0, header::length(h) as usize),
                ObjectKind::Stack => {
                    let words = header::length(h) as usize;
                    scan_piece(roots.tables(), object, words, &mut |slot| self.reference(slot));
                    (0, 0)
                }
                ObjectKind::Weak | ObjectKind::RawArray => (0, 0),
            };
            for i in 0..count.min(self.left) {
                self.reference((object as *mut u64).add(first + i));
            }
            if ObjectKind::of(h) == ObjectKind::Thread {
                roots.thread_stack(object as *mut Thread, false, &mut |slot| self.reference(slot));
            }
        }
    }

    /// # Safety
    /// The slot is a reference's.
    unsafe fn reference(&mut self, slot: *mut u64) {
        self.left = self.left.saturating_sub(1);
        // SAFETY: the caller vouches; what is not immediate is an object's address (A2).
        unsafe {
            let word = *slot;
            if header::is_immediate(word) || self.left == 0 {
                return;
            }
            let h = (word - 8) as *mut u64;
            if self.young.is_young(word) {
                if *h & UNLOGGED == 0 {
                    *h |= UNLOGGED;
                    self.seen.push(word);
                }
            } else if *h & STATIC == 0 && !self.large.contains(&word) {
                self.large.push(word);
                if self.large.len() > MOST_LARGE {
                    self.left = 0;
                }
            }
        }
    }
}
