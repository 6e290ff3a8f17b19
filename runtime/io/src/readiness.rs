//! What is remembered of a descriptor, in one atomic word: how it is called, and whether a call may succeed.
//!
//! A system call that does not wait asks here first, and notes here what it met. Both happen without a lock: the word
//! is loaded before the call, and exchanged after it only when there is something new. Everything else that changes a
//! word (events, registering, closing) does so under the lock of the manager's table, by atomic operations too.
//!
//! Words live in buckets of 64, 128, 256, ... that are made when first needed and never move.
//!
//! Keeps: I4 (a wake-up is never lost): what a call met is noted only when no event has come since it began.
//!
//! Measured on row E1 by callbacks, 100 pipes: taking the lock for each call instead costs 50 ns a message of 620.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::kind::FdKind;

/// Descriptors are small numbers; what is larger is none.
pub(crate) const LARGEST: i32 = 1 << 24;
const FIRST_BUCKET: u32 = 6;
const BUCKETS: usize = 19;

/// One descriptor's word as it was at some moment.
///
/// ```text
///   63        32           11         10       9           8          7        6 5     4 3     2 0
///   | events |  unused  | inherited | private | messages | registered | fetched | ended | ready | kind |
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct State(u64);

const KIND: u64 = 0b111;
/// By direction (shift by 0 or 1): a system call may succeed. True until one has met "would block".
const READY: u64 = 1 << 3;
/// By direction: the end was told of.
const ENDED: u64 = 1 << 5;
const FETCHED: u64 = 1 << 7;
const REGISTERED: u64 = 1 << 8;
/// A call takes one message: more may be there when it took less than there was room for.
const MESSAGES: u64 = 1 << 9;
/// An end of a pipe that nobody else can have.
const PRIVATE: u64 = 1 << 10;
/// And it is not to be closed by `exec` when others have it.
const INHERITED: u64 = 1 << 11;
const EVENT: u64 = 1 << 32;

const KINDS: [FdKind; 8] = {
    use FdKind::*;
    [Unknown, Own, Shared, Asked, File, Device, Unknown, Unknown]
};

impl State {
    /// Nothing is known, so everything may succeed.
    pub(crate) const NEW: State = State(READY | READY << 1);

    #[inline]
    pub fn kind(self) -> FdKind {
        KINDS[(self.0 & KIND) as usize]
    }

    #[inline]
    pub fn is_ready(self, d: usize) -> bool {
        self.0 & READY << d != 0
    }

    /// A non-blocking descriptor, and a call may succeed: nothing else is to be asked before it.
    #[inline]
    pub fn is_plain(self, d: usize) -> bool {
        self.0 & (KIND | FETCHED | READY << d) == FdKind::Own as u64 | READY << d
    }

    /// Which directions may succeed: 1 to read, 2 to write.
    #[inline]
    pub fn ready(self) -> u8 {
        (self.0 / READY) as u8 & 0b11
    }

    /// In the poller's hands.
    #[inline]
    pub fn is_registered(self) -> bool {
        self.0 & REGISTERED != 0
    }

    /// A file's bytes were fetched by the pool: they are read without asking.
    #[inline]
    pub fn is_fetched(self) -> bool {
        self.0 & FETCHED != 0
    }

    /// Counts events, and changes of `registered`.
    #[inline]
    pub fn tick(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn with_kind(self, kind: FdKind) -> State {
        State(self.0 & !KIND | kind as u64)
    }

    pub fn with_messages(self, is: bool) -> State {
        State(if is { self.0 | MESSAGES } else { self.0 & !MESSAGES })
    }

    /// An end of a pipe that nobody else can have: it is non-blocking because of that (`manager/private.rs`).
    pub fn is_private(self) -> bool {
        self.0 & PRIVATE != 0
    }

    pub fn with_private(self, is: bool) -> State {
        State(if is { self.0 | PRIVATE } else { self.0 & !PRIVATE })
    }

    /// A program that is started has it, too, once it is not private.
    pub fn is_inherited(self) -> bool {
        self.0 & INHERITED != 0
    }

    pub fn with_inherited(self, is: bool) -> State {
        State(if is { self.0 | INHERITED } else { self.0 & !INHERITED })
    }

    #[inline]
    pub fn with_ready(self, d: usize) -> State {
        State(self.0 | READY << d)
    }

    #[inline]
    pub fn with_fetched(self, is: bool) -> State {
        State(if is { self.0 | FETCHED } else { self.0 & !FETCHED })
    }

    /// A call met "would block" (`blocked`), or less than there was room for, which says nothing behind the end or of
    /// messages.
    #[inline]
    fn with_met(self, d: usize, blocked: bool) -> State {
        let spoken = self.is_registered() && (blocked || self.0 & (ENDED << d | MESSAGES) == 0);
        State(if spoken { self.0 & !((READY | ENDED) << d) } else { self.0 })
    }

    /// An event has come.
    #[inline]
    pub fn with_event(self, ready: [bool; 2], ended: [bool; 2]) -> State {
        let mut bits = self.0.wrapping_add(EVENT);
        for d in 0..2 {
            if ready[d] {
                bits |= READY << d | if ended[d] { ENDED << d } else { 0 };
            }
        }
        State(bits)
    }

    /// Registered: what is ready now comes as the first event. Or no more: everything may succeed.
    pub fn with_registered(self, registered: bool) -> State {
        let bits = self.0.wrapping_add(EVENT) & !(REGISTERED | READY | READY << 1);
        State(bits | if registered { REGISTERED } else { READY | READY << 1 })
    }

    /// The descriptor is gone. Its events are counted on, so that nothing is noted of the one before.
    pub fn with_closed(self) -> State {
        State(self.0.wrapping_add(EVENT) & !(EVENT - 1) | State::NEW.0)
    }
}

/// The words of all descriptors.
#[derive(Default)]
pub struct States {
    buckets: [OnceLock<Box<[Word]>>; BUCKETS],
}

impl States {
    /// None for what cannot be a descriptor.
    #[inline]
    pub fn get(&self, fd: i32) -> Option<&Word> {
        if !(0..LARGEST).contains(&fd) {
            return None;
        }
        let place = fd as u32 + (1 << FIRST_BUCKET);
        let bucket = place.ilog2();
        let words = self.buckets[(bucket - FIRST_BUCKET) as usize]
            .get_or_init(|| (0..1usize << bucket).map(|_| Word(AtomicU64::new(State::NEW.0))).collect());
        Some(&words[(place - (1 << bucket)) as usize])
    }
}

/// One descriptor's word.
pub struct Word(AtomicU64);

impl Word {
    #[inline]
    pub fn load(&self) -> State {
        State(self.0.load(Ordering::Acquire))
    }

    /// Changes it; gives what it was.
    #[inline]
    pub fn change(&self, to: impl Fn(State) -> State) -> State {
        let mut old = self.0.load(Ordering::Acquire);
        loop {
            let new = to(State(old)).0;
            if new == old {
                return State(old);
            }
            match self.0.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return State(old),
                Err(now) => old = now,
            }
        }
    }

    /// See [`State::with_met`]; unless an event has come since that count.
    #[inline]
    pub fn met(&self, d: usize, tick: u32, blocked: bool) {
        self.change(|state| if state.tick() == tick { state.with_met(d, blocked) } else { state });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_descriptor_has_a_word_of_its_own() {
        let states = States::default();
        assert!(states.get(-1).is_none() && states.get(i32::MIN).is_none() && states.get(LARGEST).is_none());
        // The bucket of the largest has eight million words: too many for Miri.
        let largest = if cfg!(miri) { 40_000 } else { LARGEST - 1 };
        let all = [0, 1, 62, 63, 64, 65, 191, 192, 1000, 4095, 4096, 19_999, largest];
        for (n, fd) in all.into_iter().enumerate() {
            let word = states.get(fd).unwrap();
            assert_eq!(word.load().tick(), 0);
            for _ in 0..=n {
                word.change(|s| s.with_event([false; 2], [false; 2]));
            }
        }
        for (n, fd) in all.into_iter().enumerate() {
            assert_eq!(states.get(fd).unwrap().load().tick() as usize, n + 1);
        }
    }

    #[test]
    fn what_a_call_met_counts_unless_an_event_has_come() {
        let states = States::default();
        let word = states.get(7).unwrap();
        // Nobody would tell of it: it is asked again.
        word.met(0, 0, true);
        assert!(word.load().is_ready(0));
        word.change(|s| s.with_registered(true).with_ready(0).with_ready(1).with_kind(FdKind::Own));
        let tick = word.load().tick();
        word.met(0, tick, false);
        assert!(!word.load().is_ready(0) && word.load().is_ready(1));
        // The event came before the call ended.
        word.change(|s| s.with_event([true, false], [false; 2]));
        word.met(0, tick, true);
        assert!(word.load().is_ready(0) && word.load().kind() == FdKind::Own);
        // Behind the end there is no other event: only "would block" counts.
        word.change(|s| s.with_event([true, false], [true, false]));
        word.met(0, word.load().tick(), false);
        assert!(word.load().is_ready(0));
        word.met(0, word.load().tick(), true);
        assert!(!word.load().is_ready(0));
        // Another descriptor of this number: what a call met on the one before is not noted.
        let tick = word.load().tick();
        word.change(State::with_closed);
        assert!(word.load().is_ready(0) && !word.load().is_registered() && word.load().kind() == FdKind::Unknown);
        word.change(|s| s.with_registered(true).with_ready(0));
        word.met(0, tick, true);
        assert!(word.load().is_ready(0));
        // Taken from the poller: it is asked again.
        word.change(|s| s.with_registered(false));
        word.met(0, word.load().tick(), true);
        assert!(word.load().is_ready(0) && word.load().is_ready(1));
    }
}
