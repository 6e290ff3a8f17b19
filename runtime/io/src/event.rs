//! What is asked of a descriptor, and what is told of it.

/// Key of the poller's own wake-up descriptor; never given to a caller.
pub(crate) const WAKE_KEY: u64 = u64::MAX;

/// What is asked of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interest {
    pub read: bool,
    pub write: bool,
}

impl Interest {
    pub const READ: Interest = Interest { read: true, write: false };
    pub const WRITE: Interest = Interest { read: false, write: true };
    pub const BOTH: Interest = Interest { read: true, write: true };

    /// 1 to read, 2 to write.
    #[inline]
    pub fn bits(self) -> u8 {
        self.read as u8 | (self.write as u8) << 1
    }

    /// None when there is no bit.
    #[inline]
    pub fn of_bits(bits: u8) -> Option<Interest> {
        (bits & 0b11 != 0).then_some(Interest { read: bits & 1 != 0, write: bits & 2 != 0 })
    }
}

/// A descriptor that became ready. End of file and errors count as ready: the next read or write will tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    pub key: u64,
    pub read: bool,
    pub write: bool,
    /// There is an end behind what can be read, or nothing can be written any more: no event need follow.
    pub read_ended: bool,
    pub write_ended: bool,
}

impl Event {
    /// As [`Interest::bits`].
    #[inline]
    pub(crate) fn bits(&self) -> u8 {
        Interest { read: self.read, write: self.write }.bits()
    }
}
