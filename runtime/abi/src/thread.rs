//! The heap object of an SML thread, and the pieces of stack that it may own.
//!
//! ```text
//!            switch to it                park, yield, preempted
//!   NEW ----------------> RUNNING ------------------------------> ON_LANE (frames still at their addresses)
//!                            ^                                        |  another thread needs the lane
//!                            |   copied back to the same addresses    v
//!                            +----------------------------------- IN_HEAP (frames in Stack objects)
//!   RUNNING --exit--> DEAD
//! ```
//!
//! A suspended thread is a root of nothing: it lives while something refers to it. When the collector reaches a
//! thread that is `ON_LANE` it scans its lane in place; `IN_HEAP`, the chain of `Stack` objects.

use crate::header::{KIND_SHIFT, ObjectKind, WORD, record};

/// Raw words of a thread object, in front.
pub const RAW_WORDS: usize = 3;
/// Ref words, behind them.
pub const REF_WORDS: usize = 6;

/// The constructor tag of every thread object: so a datatype may have a thread itself among its values, beside
/// constructors of other tags.
pub const THREAD_TAG: u16 = 0x7fff;

/// The payload of an `ObjectKind::Thread` object. Where its frames are while they are on its lane, the lane knows.
#[repr(C)]
pub struct Thread {
    /// [`State`] in the low bits ([`STATE_MASK`]); the queue flags of `fiber` above them. Changed by the worker that owns
    /// the thread's lane; by compare-and-swap as long as there is none. (A byte, because the processor takes its time
    /// for immediates of 16 bits.)
    pub state: u8,
    /// Why it is blocked, for thread dumps: index into the park reasons of `fiber`.
    pub reason: u8,
    /// Its lane (index), or [`NO_LANE`] when it has none yet.
    pub lane: u16,
    /// Depth of atomic sections at suspension.
    pub atomic_depth: u32,
    /// Number of the thread, from 1.
    pub id: u64,
    /// Where the thread's current synchronisation stands. Owned by the library; changed by compare-and-swap when there
    /// are several workers. See [`Waiter`].
    pub stamp: u64,
    // -- refs --
    /// Link of the queue that it stands in; 1 at the end.
    pub next: u64,
    /// Its saved frames: a `Stack` object, or 1.
    pub stack: u64,
    /// What it is resumed with: the closure that a new one calls, what was thrown to the continuation that it waits to
    /// go on with, twice an int plus 1 that its blocking primitive returns; else 1.
    pub start: u64,
    /// Owned by the library (thread properties).
    pub props: u64,
    /// Owned by the library: the thread's name, in a record; or the segment (`fiber::segment`) that holds what is below
    /// the thread's stack, whose own label is the next of these.
    pub label: u64,
    /// Owned by the library: what the partner of a synchronisation has left for this thread (an object), or 1. Until
    /// then, where the program has made what the thread waits for (a string), for reports.
    pub message: u64,
}

impl Thread {
    /// The header of a thread object.
    pub const HEADER: u64 = record(RAW_WORDS, REF_WORDS, THREAD_TAG) | (ObjectKind::Thread as u64) << KIND_SHIFT;

    /// A new thread that will call a closure of type unit -> unit. Number 0: the runtime's own, which no report shows.
    #[inline(always)]
    pub const fn new(id: u64, start: u64) -> Thread {
        Thread {
            state: State::New as u8,
            reason: 0,
            lane: NO_LANE,
            atomic_depth: 0,
            id,
            stamp: 0,
            next: 1,
            stack: 1,
            start,
            props: 1,
            label: 1,
            message: 1,
        }
    }
}

/// The bit of [`Thread::stamp`] that says that what the thread waits for has happened.
pub const OVER: u64 = 2;

/// [`Thread::stamp`] of a thread that is about to end: above those of all synchronisations.
pub const ENDING: u64 = 0x3fff_ffff_ffff_ffff;

/// Bits of [`Thread::state`] that are a [`State`].
pub const STATE_MASK: u8 = 7;

/// [`Thread::lane`] of a thread that has not run yet.
pub const NO_LANE: u16 = u16::MAX;

const _: () = assert!(core::mem::size_of::<Thread>() == (RAW_WORDS + REF_WORDS) * WORD);

/// Where a thread's frames are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    New = 0,
    Running = 1,
    OnLane = 2,
    InHeap = 3,
    Dead = 4,
}

/// A record of the library (`lib/cml/transaction.sml`): a thread that waits for one event of a choice. Whoever makes
/// that event happen changes the thread's `stamp` from `waiting` to `synched`; if that succeeds, it makes the thread
/// ready. A descriptor's token may be one of these instead of a thread.
///
/// ```text
/// stamp: waiting = 4 g --claim--> 4 g + 1 --commit--> synched = 4 (g + i) + 2, event i of the choice has happened
///                         +------release----> 4 g
/// ```
#[repr(C)]
pub struct Waiter {
    pub synched: u64,
    pub waiting: u64,
    /// The thread object.
    pub thread: u64,
}

/// Payload of an `ObjectKind::Stack` object: these words, then the frame bytes, lowest address first; behind them there
/// may be words that are not in use. Threads and continuations share it, so it is never changed once it is made; but
/// one that an eviction has made is its thread's alone, and is used again when the thread has been restored from it
/// ([`own`]).
///
/// [`own`]: StackPiece::own
#[repr(C)]
pub struct StackPiece {
    /// The piece below on the stack (at higher addresses, the caller's frames): a `Stack` object, or 1. The one
    /// reference that is not in a frame.
    pub under: u64,
    /// Low 48 bits: address of the first frame byte when it is in place. Above: the lane.
    place: u64,
    /// Low 16 bits: from the base to the return-address slot of its innermost frame. Above, 32 bits: from the base to
    /// that frame's pointer, 0 for none. Above, 0 unless it is a thread's alone: 7 bits, when it was made
    /// ([`StackPiece::age`]); 8 bits, words behind the frames; the highest bit, 1.
    frame: u64,
}

const PLACE_BITS: u32 = 48;
const SLOT_BITS: u32 = 16;
const FRAME_BITS: u32 = 32;
const TIME_SHIFT: u32 = SLOT_BITS + FRAME_BITS;
const TIME_BITS: u32 = 7;
const ROOM_SHIFT: u32 = TIME_SHIFT + TIME_BITS;
const OWN: u64 = 1 << 63;
/// Most words behind the frames of a piece.
pub const STACK_PIECE_ROOM: usize = (1 << (63 - ROOM_SHIFT)) - 1;
/// A piece tells its age in steps of so many evictions.
const TIME_STEP: u64 = 32;

impl StackPiece {
    /// Of the frames at `base` on `lane`, whose innermost one has the pointer `fp` and its return address at `call_sp`.
    #[inline(always)]
    pub fn new(under: u64, lane: u64, base: usize, fp: usize, call_sp: usize) -> StackPiece {
        debug_assert!(lane < 1 << 16 && base < 1 << PLACE_BITS && call_sp - base < 1 << SLOT_BITS);
        let frame = if fp == 0 { 0 } else { fp - base };
        debug_assert!(frame < 1 << FRAME_BITS);
        StackPiece {
            under,
            place: lane << PLACE_BITS | base as u64,
            frame: (frame as u64) << SLOT_BITS | (call_sp - base) as u64,
        }
    }

    /// The same piece as a thread's alone, with so many words behind its frames, made when its worker had made so many
    /// evictions.
    #[inline(always)]
    pub fn own(mut self, room: usize, evictions: u64) -> StackPiece {
        debug_assert!(room <= STACK_PIECE_ROOM);
        self.frame |= OWN | (room as u64) << ROOM_SHIFT | (evictions / TIME_STEP % (1 << TIME_BITS)) << TIME_SHIFT;
        self
    }

    /// From now on others may have it, too.
    #[inline(always)]
    pub fn share(&mut self) {
        self.frame &= !OWN;
    }

    /// How many evictions there have been since it was made, about, when there have been `evictions` now. (A piece of
    /// long ago may seem to be young.)
    #[inline(always)]
    pub fn age(&self, evictions: u64) -> u64 {
        (evictions / TIME_STEP).wrapping_sub(self.frame >> TIME_SHIFT) % (1 << TIME_BITS) * TIME_STEP
    }

    /// Whether nobody but a thread has it.
    #[inline(always)]
    pub fn is_own(&self) -> bool {
        self.frame & OWN != 0
    }

    /// Words behind its frames.
    #[inline(always)]
    pub fn room(&self) -> usize {
        ((self.frame & !OWN) >> ROOM_SHIFT) as usize
    }

    /// Address of the first frame byte when it is in place.
    #[inline(always)]
    pub fn base(&self) -> usize {
        (self.place & ((1 << PLACE_BITS) - 1)) as usize
    }

    /// The lane that its addresses belong to.
    #[inline(always)]
    pub fn lane(&self) -> u64 {
        self.place >> PLACE_BITS
    }

    /// Frame pointer of its innermost frame (an address when in place), 0 for none.
    #[inline(always)]
    pub fn fp(&self) -> usize {
        match (self.frame >> SLOT_BITS) as u32 as usize {
            0 => 0,
            offset => self.base() + offset,
        }
    }

    /// Address of the return address into that frame (when in place).
    #[inline(always)]
    pub fn call_sp(&self) -> usize {
        self.base() + (self.frame & ((1 << SLOT_BITS) - 1)) as usize
    }
}

/// Words of [`StackPiece`] before the frame bytes.
pub const STACK_PIECE_WORDS: usize = 3;

const _: () = assert!(core::mem::size_of::<StackPiece>() == STACK_PIECE_WORDS * WORD);
