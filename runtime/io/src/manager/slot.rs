//! What the manager knows of one descriptor, but for its state, which is one word of [`crate::readiness`].

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// One descriptor, but for its [`crate::readiness::State`]: 32 bytes, in one line of the cache.
#[derive(Clone)]
#[repr(align(32))]
pub(super) struct Slot {
    /// Counts closings.
    pub generation: u32,
    /// The last `take_due` that told of it: each does once.
    pub told: u32,
    /// Waiters by direction: first and last node.
    pub first: [u32; 2],
    pub last: [u32; 2],
    /// What callbacks want to know, as `Interest::bits`; 0 when none listens.
    pub level: u8,
    /// What is certain to be ready and not yet told: the descriptor is in `Callbacks::certain` unless this is 0.
    pub certain: u8,
    /// It is in `Callbacks::doubtful` or in `Callbacks::later`.
    pub doubted: bool,
    /// Events that nobody wanted, one after the other.
    pub unwanted: u8,
    /// How often `poll` has said that a new one is not ready, one after the other.
    pub refused: u8,
}

impl Slot {
    pub const NEW: Slot = Slot {
        generation: 0,
        told: 0,
        first: [NONE; 2],
        last: [NONE; 2],
        level: 0,
        certain: 0,
        doubted: false,
        unwanted: 0,
        refused: 0,
    };

    #[inline]
    pub fn key(&self, fd: i32) -> u64 {
        u64::from(self.generation) << 32 | fd as u64
    }

    #[inline]
    pub fn has_waiters(&self) -> bool {
        self.first != [NONE; 2]
    }
}
