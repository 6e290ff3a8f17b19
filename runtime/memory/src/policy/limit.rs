//! The heap's limit: what `--heap-max` or the machine allows, and what of it is left beside deep stacks and nurseries.

use crate::space::default_limit;

/// The default limit is looked up when the heap, nurseries included, is larger than this: a small program never asks
/// the system (row D1).
const SMALL_HEAP: usize = 16 << 20;

/// Bytes by which a heap may pass its limit, at most, while those who are told that it is full make room, and for what
/// must come to its end; and the part of the limit that they are in a small one.
const RESERVE: usize = 16 << 20;
const PART_OF_RESERVE: usize = 8;
/// The part of a limit that was looked up: half of what the process has beside it ([`default_limit`]), so that in a
/// small container the program is told to end before the system ends it.
const PART_OF_DEFAULT: usize = 32;

pub(super) struct Limit {
    /// None: not looked up yet.
    known: Option<usize>,
    /// It was looked up.
    is_default: bool,
    /// What deep stacks take of it.
    pub stacks: usize,
}

impl Limit {
    pub fn new(known: Option<usize>) -> Limit {
        Limit { known, is_default: false, stacks: 0 }
    }

    pub fn set(&mut self, bytes: Option<usize>) {
        self.known = bytes;
        self.is_default = false;
    }

    /// The limit, if it was given or has been looked up.
    pub fn known(&self) -> Option<usize> {
        self.known
    }

    /// What a heap of `used` bytes may pass the limit by.
    pub fn reserve(&mut self, used: usize) -> usize {
        let whole = self.whole(used);
        RESERVE.min(whole / if self.is_default { PART_OF_DEFAULT } else { PART_OF_RESERVE })
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
            None => {
                self.is_default = true;
                *self.known.insert(default_limit())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container of 128 MiB the limit is 120, and an eighth beyond it was more than the container has: the system
    /// killed a program that was to end with a report.
    #[test]
    fn a_heap_that_passes_the_default_limit_stays_in_the_container() {
        for container in [64 << 20, 128 << 20, 255 << 20, 1 << 30] {
            let whole = container - container / 16;
            let mut limit = Limit { known: Some(whole), is_default: true, stacks: 0 };
            assert!(limit.reserve(whole) >= whole / 40 || limit.reserve(whole) == RESERVE);
            assert!(limit.with_reserve(whole) <= container - container / 32, "{container}");
            // One that the user says is passed by an eighth.
            limit.set(Some(whole));
            assert_eq!(limit.reserve(whole), (whole / 8).min(RESERVE));
        }
        let mut limit = Limit::new(None);
        assert_eq!((limit.whole(1 << 20), limit.is_default), (usize::MAX, false));
        limit.whole(1 << 30);
        assert!(limit.is_default);
        limit.set(None);
        assert!(!limit.is_default && limit.known().is_none());
    }
}
