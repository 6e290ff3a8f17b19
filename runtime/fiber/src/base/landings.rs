//! What the raises of a worker have found at return addresses, so that the next one need not look them up in the code
//! table.
//!
//! Most of a raise over a few frames was looking up. Code is never taken back, so what was found holds. The raise stub
//! goes over the frames by this table alone; what it does not find there it leaves to [`crate::unwind`], which fills
//! the table.

use std::mem::{offset_of, size_of};

/// A worker's own.
#[repr(C)]
pub(crate) struct Landings {
    places: [Landing; LANDINGS],
    /// The stack pointer and the frame that the stub's last raise gave its handler.
    last: (usize, usize),
}

/// A return address (0: none yet), its handler's address or 0, and its frame's bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Landing {
    pub(crate) pc: usize,
    pub(crate) handler: usize,
    pub(crate) frame: usize,
}

/// A power of two. The sites between a program's raises and their handlers are few, but two that have one place cost
/// each of these raises the slow way: among 10 sites in 256 places it happens in one program of six.
const LANDINGS: usize = 256;
/// The place of a return address is what is left of the low half of its product with this.
pub(crate) const MULTIPLIER: u32 = 0x9e37_79b1;
pub(crate) const SHIFT: u32 = u32::BITS - LANDINGS.trailing_zeros();

/// Bytes of frames, passed by one raise, whose pages go back to the system: a stack that overflowed would keep them
/// all.
pub(crate) const MUCH: usize = 64 << 20;

/// For the stub, which multiplies a place by three and then by eight.
pub(crate) const HANDLER: usize = offset_of!(Landing, handler);
pub(crate) const FRAME: usize = offset_of!(Landing, frame);
pub(crate) const LAST_SP: usize = offset_of!(Landings, last.0);
pub(crate) const LAST_FP: usize = offset_of!(Landings, last.1);
const _: () = assert!(offset_of!(Landings, places) == 0);
const _: () = assert!(size_of::<Landing>() == 3 * 8 && offset_of!(Landing, pc) == 0);

impl Landings {
    pub(crate) const EMPTY: Landings =
        Landings { places: [Landing { pc: 0, handler: 0, frame: 0 }; LANDINGS], last: (0, 0) };

    #[inline(always)]
    pub(crate) fn place(&mut self, pc: usize) -> &mut Landing {
        let hash = (pc as u32).wrapping_mul(MULTIPLIER) >> SHIFT;
        &mut self.places[hash as usize]
    }
}
