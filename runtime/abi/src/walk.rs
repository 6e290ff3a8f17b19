//! From frame to frame: the chain of frame pointers, with a [`Site`] for each return address.
//!
//! Keeps: the walk touches no frame outside the thread's stack; it stops at the first return address that belongs to no
//! code table, which is the thread's base (the start trampoline).

use crate::code::{self, CodeTable, Site};

/// One frame of compiled code.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub table: &'a CodeTable,
    pub site: &'a Site,
    /// Its frame pointer.
    pub fp: usize,
    /// Its stack pointer at the call.
    pub sp: usize,
    /// Address of the stack word that holds the return address into it.
    pub ret_slot: usize,
    /// That word holds the stack marker's stub: who unwinds to this frame or beyond must tell the marker.
    pub marked: bool,
}

/// A walk in progress: the return address into the next frame to visit and that frame's pointer.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    tables: &'a [&'a CodeTable],
    fp: usize,
    ret_slot: usize,
    /// A return address that was replaced by a stack marker: (address of the slot, what stood there). The slot is
    /// where it was placed; a tail call with other stack arguments may have moved the word since, so the walk knows
    /// it by being the one word that belongs to no code.
    marker: (usize, usize),
    /// Added to an address on the stack to get where its bytes are now (0 when in place).
    shift: usize,
}

impl<'a> Walk<'a> {
    /// Starts at a suspended or calling thread: `fp` is the innermost compiled frame's pointer, `ret_slot` the address
    /// of the word with the return address into it. `marker` is `(0, 0)` for none.
    #[inline]
    pub fn new(tables: &'a [&'a CodeTable], fp: usize, ret_slot: usize, marker: (usize, usize)) -> Walk<'a> {
        Walk { tables, fp, ret_slot, marker, shift: 0 }
    }

    /// Walks frames whose bytes were copied `shift` bytes away (wrapping) from their place.
    #[inline]
    pub fn moved(self, shift: usize) -> Walk<'a> {
        Walk { shift, ..self }
    }

    /// What is to be added to an address on the stack to get where its bytes are now.
    #[inline]
    pub fn shift(&self) -> usize {
        self.shift
    }

    /// Where the walk stands: frame pointer and return-address slot of the frame that `next` would give.
    #[inline]
    pub fn position(&self) -> (usize, usize) {
        (self.fp, self.ret_slot)
    }

    /// The next frame, or None at the thread's base.
    ///
    /// # Safety
    /// The stack from the starting frame to the base is intact (or moved as said), and nobody runs on it.
    #[inline(always)]
    pub unsafe fn next(&mut self) -> Option<Frame<'a>> {
        // SAFETY: the caller vouches for the stack.
        let word = |at: usize| unsafe { *(at.wrapping_add(self.shift) as *const usize) };
        let find = |pc: usize| {
            let table = code::find(self.tables, pc)?;
            Some((table, table.site(pc)?))
        };
        let (found, marked) = match find(word(self.ret_slot)) {
            Some(found) => (found, false),
            None if self.marker.0 != 0 => (find(self.marker.1)?, true),
            None => return None,
        };
        if marked {
            self.marker = (0, 0);
        }
        let (table, site) = found;
        let frame =
            Frame { table, site, fp: self.fp, sp: self.fp - site.frame as usize, ret_slot: self.ret_slot, marked };
        self.ret_slot = self.fp + 8;
        self.fp = word(self.fp);
        Some(frame)
    }
}
