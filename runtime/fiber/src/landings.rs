//! What the raises of a worker have found at return addresses, so that the next one need not look them up in the code table.
//!
//! Most of a raise over a few frames was looking up. Code is never taken back, so what was found holds.

/// A worker's own.
pub(crate) struct Landings([Landing; LANDINGS]);

/// A return address (0: none yet), its handler's address or 0, and its frame's bytes.
#[derive(Clone, Copy)]
pub(crate) struct Landing {
    pub(crate) pc: usize,
    pub(crate) handler: usize,
    pub(crate) frame: usize,
}

/// A power of two. The sites between a program's raises and their handlers are few.
const LANDINGS: usize = 64;

impl Landings {
    pub(crate) const EMPTY: Landings = Landings([Landing { pc: 0, handler: 0, frame: 0 }; LANDINGS]);

    #[inline(always)]
    pub(crate) fn place(&mut self, pc: usize) -> &mut Landing {
        let hash = (pc as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - LANDINGS.trailing_zeros());
        &mut self.0[hash as usize]
    }
}
