//! A minor collection that moves nothing: the nursery becomes part of the old generation where it is.
//!
//! For phases in which nearly all survives (threads that are started and block, a table that is filled): tracing and
//! copying would find that out once more. The nursery lies among the blocks then (`Blocks::lend`), all of its objects
//! count as alive until the next major collection looks, and only their headers are written, in a row.
//! [`crate::policy`] says when, and has a small nursery traced now and then to see whether nearly all still survives.
//!
//! After the promotion of whole pages in .NET's and V8's collectors, and Ungar's remark that a scavenge which frees
//! nothing is wasted (1984). Difference: nothing is marked, since the policy knows what to expect.
//!
//! Keeps: G1 and G2 (there is no young object any more), G3 (every header gets `U`), G7 (and the present meaning of
//! `M`).

use leat_abi::header::UNLOGGED;

use crate::align::object_bytes;
use crate::cycle::Phase;
use crate::inner::Inner;
use crate::minor::{Promoted, ask_logged};
use crate::roots::{Roots, Visitor};

/// Nothing moves; but a marking has to know what has been noted.
struct Noted<'a> {
    objects: &'a mut Vec<u64>,
    is_marking: bool,
}

impl Visitor for Noted<'_> {
    fn slot(&mut self, _: *mut u64) {}

    fn noted(&mut self, slot: *mut u64) {
        if self.is_marking {
            // SAFETY: roots give valid slots.
            self.objects.push(unsafe { *slot });
        }
    }
}

/// Makes the nursery of the only worker old. It is in its own place afterwards, and empty.
///
/// # Safety
/// The worker is stopped, its nursery lies among the blocks; `roots` visits all references.
pub(crate) unsafe fn collect<const ALIGN: usize, R: Roots>(inner: &mut Inner, roots: &mut R) -> Promoted {
    let bits = UNLOGGED | inner.sense;
    let worker = &mut *inner.workers[0];
    let (bytes, logged) = (worker.alloc - worker.base, worker.objects.len() + worker.cards.len());
    // SAFETY: a nursery is a row of whole objects (A1), and what is logged is an old object.
    unsafe {
        let mut at = worker.base;
        while at != worker.alloc {
            let header = at as *mut u64;
            let h = *header;
            *header = h | bits;
            at += object_bytes::<ALIGN>(h);
        }
        for (i, &object) in worker.objects.iter().enumerate() {
            ask_logged(&worker.objects, i);
            *((object - 8) as *mut u64) |= UNLOGGED;
        }
        inner.cycle.take_log(worker);
        if inner.cycle.is_marking() && worker.base != worker.alloc {
            inner.cycle.rows.push((worker.base, worker.alloc));
        }
        worker.objects.clear();
        for (_, card) in worker.cards.drain(..) {
            *inner.large.card_of(card) = 0;
        }
        worker.shrink_log();
    }
    if let Some((lent, end)) = worker.come_home() {
        inner.blocks.settle(&lent, end);
    }
    // Nothing moves and nothing dies, but those who keep markers and lists must know that nothing is young any more.
    let stays = |object: u64| Some(object);
    let mut noted = Noted { objects: &mut inner.cycle.shaded, is_marking: inner.cycle.phase == Phase::Marking };
    roots.roots(true, &mut noted);
    roots.after(true, &stays);
    Promoted { bytes, logged }
}
