//! The heap's limit: what `--heap-max` or the machine allows, and what of it is left beside deep stacks and nurseries.

use crate::space::default_limit;

/// The default limit is looked up when the heap, nurseries included, is larger than this: a small program never asks
/// the system (row D1).
const SMALL_HEAP: usize = 16 << 20;

/// Bytes by which a heap may pass its limit, at most, while those who are told that it is full make room, and for what
/// must come to its end; and the part of the limit that they are in a small one.
const RESERVE: usize = 16 << 20;
const PART_OF_RESERVE: usize = 8;

pub(super) struct Limit {
    /// None: not looked up yet.
    known: Option<usize>,
    /// What deep stacks take of it.
    pub stacks: usize,
}

impl Limit {
    pub fn new(known: Option<usize>) -> Limit {
        Limit { known, stacks: 0 }
    }

    pub fn set(&mut self, bytes: Option<usize>) {
        self.known = bytes;
    }

    /// The limit, if it was given or has been looked up.
    pub fn known(&self) -> Option<usize> {
        self.known
    }

    /// What a heap of `used` bytes may pass the limit by.
    pub fn reserve(&mut self, used: usize) -> usize {
        RESERVE.min(self.whole(used) / PART_OF_RESERVE)
    }

    /// The limit, and that.
    pub fn with_reserve(&mut self, used: usize) -> usize {
        self.whole(used).saturating_add(self.reserve(used))
    }

    /// The limit for a heap of `used` bytes, stacks included. Looked up in the system only for a heap that is not
    /// small.
    pub fn whole(&mut self, used: usize) -> usize {
        match self.known {
            Some(limit) => limit,
            None if used.saturating_add(self.stacks) < SMALL_HEAP => usize::MAX,
            None => *self.known.insert(default_limit()),
        }
    }
}
