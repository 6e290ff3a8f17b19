//! Long work of runtime functions in pieces: a worker that wants to collect need not wait for all of it.
//!
//! ```text
//!   | 1 MiB at once, or else  piece | piece | piece | ...
//!                                   ^       ^  another worker may stop the world here, and what is kept may move
//! ```
//!
//! Other threads of the same worker have their turn when the function is over.

use core::ops::Range;

use leat_abi::tcb::Tcb;

use crate::state::runtime::keeping;

pub use leat_memory::AT_ONCE;

/// So many bytes of more than [`AT_ONCE`]: 10 to 50 microseconds.
pub const PIECE: usize = 128 << 10;

/// Does work on so many bytes. In between, the references in `keep` may change, and other workers may collect.
///
/// # Safety
/// `tcb` is the calling worker's, which runs a thread that has called the runtime; `keep` holds references; no lock is held.
pub unsafe fn in_pieces(tcb: *mut Tcb, bytes: usize, keep: &mut [u64], work: impl FnMut(&[u64], Range<usize>)) {
    // SAFETY: as the caller says.
    by_pieces(bytes, keep, work, |keep| unsafe { look(tcb, keep) });
}

/// Copies so many bytes between two objects that `keep` holds, which do not overlap: from a place in the object of this
/// number in `keep`, to another. No barrier is needed.
///
/// # Safety
/// As [`in_pieces`]; the objects have so many bytes there.
pub unsafe fn copy_in_pieces(
    tcb: *mut Tcb,
    keep: &mut [u64],
    (source, from): (usize, usize),
    (target, to): (usize, usize),
    bytes: usize,
) {
    // SAFETY: as the caller says.
    unsafe {
        in_pieces(tcb, bytes, keep, |keep, range| {
            let target = (keep[target] as *mut u8).add(to + range.start);
            if bytes > AT_ONCE {
                leat_memory::populate(target.addr(), target.addr() + range.len());
            }
            let source = (keep[source] as *const u8).add(from + range.start);
            core::ptr::copy_nonoverlapping(source, target, range.len());
        });
    }
}

/// If the world is to stop, it may stop here.
///
/// # Safety
/// As [`in_pieces`].
pub unsafe fn look(tcb: *mut Tcb, keep: &mut [u64]) {
    // SAFETY: as the caller says.
    unsafe {
        if leat_fiber::is_asked(tcb) {
            keeping(tcb, keep, || leat_fiber::stop::stand(tcb));
        }
    }
}

fn by_pieces(
    bytes: usize,
    keep: &mut [u64],
    mut work: impl FnMut(&[u64], Range<usize>),
    mut look: impl FnMut(&mut [u64]),
) {
    if bytes <= AT_ONCE {
        return work(keep, 0..bytes);
    }
    let mut at = 0;
    while at < bytes {
        let end = bytes.min(at + PIECE);
        work(keep, at..end);
        at = end;
        look(keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of work are counted, between two looks: never more than a piece, and each byte once.
    #[test]
    fn no_stretch_of_work_is_long() {
        for bytes in [0, 1, PIECE, AT_ONCE, AT_ONCE + 1, 10 * AT_ONCE + 12345] {
            let (mut done, mut since, mut longest) = (0, 0, 0);
            let mut keep = [8];
            let stretch = core::cell::Cell::new(0);
            by_pieces(
                bytes,
                &mut keep,
                |keep, range| {
                    assert_eq!(range.start, done, "in order, and nothing is left out");
                    assert_eq!(keep[0], 8 + 8 * since, "what has moved is found where it is");
                    done = range.end;
                    stretch.set(stretch.get() + range.len());
                    longest = longest.max(stretch.get());
                    if bytes > AT_ONCE {
                        since += 1;
                    }
                },
                |keep| {
                    keep[0] += 8;
                    stretch.set(0);
                },
            );
            assert_eq!(done, bytes);
            assert!(longest <= if bytes > AT_ONCE { PIECE } else { AT_ONCE });
        }
    }
}
