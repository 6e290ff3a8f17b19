//! The first look: how much lives of what a program has allocated first.
//!
//! A program begins with a small nursery, since most programs keep little, and a small one takes less memory. When it
//! is full for the first time nothing has been collected yet, so all that lives can be reached from the roots through
//! the nursery and a few large objects. The look follows references until more has been found than is little. Then the
//! nursery becomes larger, and nothing is collected: a program that first builds something pays for the look alone, not
//! for copies of what it builds.
//!
//! Only reads. What is dead is never counted; frames of threads that nothing refers to are not looked at.

use leat_abi::header::{self, Kind, STATIC, raw_words, ref_words};
use leat_abi::thread::Thread;

use crate::align::object_bytes;
use crate::remembered::Young;
use crate::roots::Roots;
use crate::stack::scan_piece;
use crate::verify::HashSet;

/// Most references that are followed: behind so many the answer is that much lives.
const MOST_REFERENCES: usize = 1 << 15;

struct Look {
    young: Young,
    seen: HashSet<u64>,
    queue: Vec<u64>,
    /// How many more references may be followed.
    left: usize,
}

/// Whether more than so many bytes of young objects live.
///
/// # Safety
/// All workers are stopped; `roots` visits all references. Nothing has been collected yet.
pub(crate) unsafe fn finds_much<const ALIGN: usize, R: Roots>(young: Young, little: usize, roots: &mut R) -> bool {
    let mut look = Look { young, seen: HashSet::default(), queue: Vec::new(), left: MOST_REFERENCES };
    let mut bytes = 0;
    // SAFETY: roots and objects give valid slots.
    unsafe {
        roots.roots(false, &mut |slot| look.reference(slot));
        while let Some(object) = look.queue.pop() {
            let h = *((object - 8) as *const u64);
            if h & STATIC != 0 {
                continue;
            }
            if look.young.is_young(object) {
                bytes += object_bytes::<ALIGN>(h);
            }
            let (first, count) = match Kind::of(h) {
                Kind::Record | Kind::Thread => (raw_words(h), ref_words(h)),
                Kind::RefArray => (0, header::length(h) as usize),
                Kind::Stack => {
                    let words = header::length(h) as usize;
                    scan_piece(roots.tables(), object, words, &mut |slot| look.reference(slot));
                    (0, 0)
                }
                Kind::Weak | Kind::RawArray => (0, 0),
            };
            for i in 0..count.min(look.left) {
                look.reference((object as *mut u64).add(first + i));
            }
            if Kind::of(h) == Kind::Thread {
                roots.thread_stack(object as *mut Thread, false, &mut |slot| look.reference(slot));
            }
            if bytes > little || look.left == 0 {
                return true;
            }
        }
    }
    false
}

impl Look {
    /// # Safety
    /// The slot is a reference's.
    unsafe fn reference(&mut self, slot: *mut u64) {
        // SAFETY: the caller vouches.
        let word = unsafe { *slot };
        self.left = self.left.saturating_sub(1);
        if !header::is_immediate(word) && self.left > 0 && self.seen.insert(word) {
            self.queue.push(word);
        }
    }
}
