//! Names for the offsets and numbers in the assembly: one table for all stubs.
//!
//! `[r15 + {c_sp}]` in a stub is [`C_SP`] here. A row of the table is a constant, which Rust computes, and a line of
//! [`assembly!`](crate::assembly), which gives it to the assembler; one without the other is an error of compilation.

use std::mem::{offset_of, size_of};

use leat_abi::header::{self, ObjectKind};
use leat_abi::tcb::{self, Tcb};
use leat_abi::thread::{self, STACK_PIECE_WORDS, StackPiece, Thread};

use crate::base::host::Config;
use crate::base::landings;
use crate::base::lane::Lane;
use crate::base::queue::Queue;
use crate::base::worker::{Counters, Shared, Worker};
use crate::run::{place, switch};
use crate::thread::word;

// The thread block, in r15: see `leat_abi::tcb`.
pub const CURRENT: i32 = tcb::CURRENT;
pub const ATOMIC_DEPTH: i32 = tcb::ATOMIC_DEPTH;
pub const STACK_LIMIT: i32 = tcb::STACK_LIMIT;
pub const POLL: i32 = tcb::POLL;
pub const RESUME_VALUE: i32 = tcb::RESUME_VALUE;
pub const PENDING: i32 = tcb::PENDING_EXN;
pub const PACKETS: i32 = tcb::EXN_PACKET;
pub const C_SP: i32 = tcb::C_SP;
pub const SAVED_SP: i32 = tcb::SAVED_SP;
pub const SAVED_FP: i32 = tcb::SAVED_FP;
pub const SAVED_CALL_SP: i32 = tcb::SAVED_CALL_SP;
pub const ALLOC: i32 = tcb::ALLOC;
pub const ALLOC_LIMIT: i32 = tcb::ALLOC_LIMIT;
pub const YOUNG_BASE: i32 = tcb::YOUNG_BASE;
pub const YOUNG_HALF: i32 = tcb::YOUNG_HALF;
pub const CARDS: i32 = tcb::CARDS;
pub const CARD_SHIFT: u32 = tcb::CARD_SHIFT;
pub const PART_SHIFT: u32 = tcb::PART_SHIFT;
pub const LARGE_SHIFT: u32 = tcb::LARGE_SHIFT;
pub const RAISED_SP: i32 = tcb::RAISED_SP;
pub const RAISED_FP: i32 = tcb::RAISED_FP;
pub const RAISE_PC: i32 = tcb::RAISE_PC;
pub const LANDED_PC: i32 = tcb::LANDED_PC;
pub const RAISES_AGAIN: i32 = tcb::RAISES_AGAIN;
pub const RAISED_AGAIN: i32 = tcb::RAISED_AGAIN;
pub const FIBER: usize = offset_of!(Tcb, fiber);

// A worker, which `fiber` of the thread block points to.
pub const SHARED: usize = offset_of!(Worker, shared);
pub const WATCHED: usize = offset_of!(Worker, watched);
pub const OWNS: usize = offset_of!(Worker, owns);
pub const INDEX: usize = offset_of!(Worker, index);
pub const LANES: usize = offset_of!(Worker, lanes);
pub const LANE_NOW: usize = offset_of!(Worker, lane_now);
pub const LANE_BEFORE: usize = offset_of!(Worker, lane_before);
pub const QUEUE_HEAD: usize = offset_of!(Worker, queue) + offset_of!(Queue, head);
pub const QUEUE_TAIL: usize = offset_of!(Worker, queue) + offset_of!(Queue, tail);
pub const SINCE_EVENTS: usize = offset_of!(Worker, since_events);
pub const SWITCHES: usize = offset_of!(Worker, counters) + offset_of!(Counters, switches);
pub const EVICTIONS: usize = offset_of!(Worker, counters) + offset_of!(Counters, evictions);
pub const RESTORES: usize = offset_of!(Worker, counters) + offset_of!(Counters, restores);
pub const RETURNS: usize = offset_of!(Worker, counters) + offset_of!(Counters, returns);
pub const LANDINGS: usize = offset_of!(Worker, landings);

// What all workers have in common, which `shared` points to.
pub const SEVERAL: usize = offset_of!(Shared, several);
pub const ALIGN: usize = offset_of!(Shared, config) + offset_of!(Config, align);
pub const NOTES_RAISES: usize = offset_of!(Shared, notes_raises);

// A thread.
pub const STATE: usize = offset_of!(Thread, state);
pub const REASON: usize = offset_of!(Thread, reason);
pub const LANE: usize = offset_of!(Thread, lane);
pub const DEPTH: usize = offset_of!(Thread, atomic_depth);
pub const NEXT: usize = offset_of!(Thread, next);
pub const START: usize = offset_of!(Thread, start);
pub const STAMP: usize = offset_of!(Thread, stamp);
pub const MESSAGE: usize = offset_of!(Thread, message);
pub const STACK: usize = offset_of!(Thread, stack);
pub const LABEL: usize = offset_of!(Thread, label);

// What is in a thread's words.
pub const NO_LANE: u16 = thread::NO_LANE;
pub const OVER: u64 = thread::OVER;
pub const RUNNING: u8 = word::RUNNING;
pub const ON_LANE: u8 = word::ON_LANE;
pub const IN_HEAP: u8 = word::IN_HEAP;
pub const QUEUED: u8 = word::QUEUED;
pub const READIED: u8 = word::READIED;
pub const PERMIT: u8 = word::PERMIT;
/// Of a queued thread these must be `ON_LANE`'s: where its frames are, and that it is not bound.
pub const PLACE_MASK: u8 = thread::STATE_MASK | word::BOUND;

// A lane. Which one it is times its size is where it is in `lanes`.
pub const LANE_SHIFT: u32 = size_of::<Lane>().trailing_zeros();
pub const OWNER: usize = offset_of!(Lane, owner);
pub const NUMBER: usize = offset_of!(Lane, number);
pub const RESIDENT: usize = offset_of!(Lane, resident);
pub const KEPT: usize = offset_of!(Lane, kept);
pub const LIMIT: usize = offset_of!(Lane, limit);
pub const BASE: usize = offset_of!(Lane, base);
pub const SP: usize = offset_of!(Lane, sp);
pub const FP: usize = offset_of!(Lane, fp);
pub const CALL_SP: usize = offset_of!(Lane, call_sp);
pub const MARKER: usize = offset_of!(Lane, marker.0);
pub const WHOLE: usize = offset_of!(Lane, whole);

// A stack's piece in the heap: its private words, which say where it was and what its frame is.
pub const PIECE_PLACE: usize = offset_of!(StackPiece, under) + 8;
pub const PIECE_FRAME: usize = offset_of!(StackPiece, under) + 16;
/// Words before the frames, without the header; their bytes; and the bytes with the header.
pub const PIECE_WORDS: usize = STACK_PIECE_WORDS;
pub const PIECE_HEAD: usize = STACK_PIECE_WORDS * 8;
pub const PIECE_BYTES: usize = (1 + STACK_PIECE_WORDS) * 8;
pub const STACK_HEADER: u64 = header::stack(0);
/// In the second: the words behind the frames; when it was made, in units of so many evictions (the logarithm).
pub const ROOM_SHIFT: u32 = 55;
pub const TIME_SHIFT: u32 = 48;
pub const TIME_MASK: u32 = 127;
pub const TIME_STEP: u32 = 5;

// Objects.
pub const UNLOGGED: u64 = header::UNLOGGED;
pub const KIND_MASK: u64 = header::KIND_MASK;

// Bounds of the usual cases.
pub const EVENTS_EVERY: u32 = switch::EVENTS_EVERY;
/// Bytes of a small stack above those that a stub pushes.
pub const EXCHANGED: usize = (place::EXCHANGED - place::PUSHED) * 8;
/// In units of `TIME_STEP`.
pub const LATELY: u64 = place::LATELY >> TIME_STEP;
pub const CAPTURED: usize = place::CAPTURED;
/// More bytes than this are not copied word by word.
pub const LARGE: usize = 1 << 10;

// The table of what raises have found: see `landings`.
pub const MULTIPLIER: i32 = landings::MULTIPLIER as i32;
pub const SHIFT: u32 = landings::SHIFT;
pub const HANDLER: usize = landings::HANDLER;
pub const FRAME: usize = landings::FRAME;
pub const LAST_SP: usize = landings::LAST_SP;
pub const LAST_FP: usize = landings::LAST_FP;
pub const MUCH: usize = landings::MUCH;

// Code.
/// Bytes of each of the sixteen at `leat_fiber_resume_kept`.
pub const EPILOGUE: usize = 64;

// What the stubs take for granted.
const _: () = assert!(size_of::<Lane>() == 1 << LANE_SHIFT);
const _: () = assert!(UNLOGGED < 1 << 7 && OVER < 1 << 7 && KIND_MASK < 1 << 8 && ObjectKind::Record as u64 == 0);
const _: () = assert!(word::NEW == 0);
const _: () = assert!(STACK_PIECE_WORDS == 3);
// A thread that is on its lane goes to the heap by one bit.
const _: () = assert!(ON_LANE | IN_HEAP == IN_HEAP);
// A copy takes four words at a time, and the last four once more.
const _: () = assert!(place::PUSHED == 4);
// A byte of the unwinding rules holds it.
const _: () = assert!(SAVED_SP < 64);

/// Lines of assembly, each of one or more pieces of text.
#[doc(hidden)]
#[macro_export]
macro_rules! lines {
    ($($($piece:literal)+);+ $(;)?) => { concat!($($($piece,)+ "\n",)+) };
}

/// `global_asm!` in which the names of the table may be used, and further ones that are given behind a semicolon.
#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($line:expr),* $(,)?) => { $crate::assembly!($($line,)*;); };
    ($($line:expr),* $(,)?; $($name:ident = $value:expr),* $(,)?) => {
        ::core::arch::global_asm!(
            $($line,)*
            // So that each is used.
            ".if 0",
            ".quad {current}, {atomic_depth}, {stack_limit}, {poll}, {resume_value}, {pending}, {packets}, {c_sp}, {saved_sp}",
            ".quad {saved_fp}, {saved_call_sp}, {alloc}, {alloc_limit}, {young_base}, {young_half}, {fiber}, {shared}, {watched}",
            ".quad {owns}, {index}, {lanes}, {lane_now}, {lane_before}, {queue_head}, {queue_tail}, {since_events}, {switches}",
            ".quad {evictions}, {restores}, {returns}, {landings}, {several}, {align}, {notes_raises}, {state}, {reason}",
            ".quad {lane}, {depth}, {next}, {start}, {stamp}, {message}, {stack}, {label}, {no_lane}",
            ".quad {over}, {running}, {on_lane}, {in_heap}, {queued}, {readied}, {permit}, {place_mask}, {lane_shift}",
            ".quad {owner}, {number}, {resident}, {kept}, {limit}, {base}, {sp}, {fp}, {call_sp}",
            ".quad {marker}, {whole}, {piece_place}, {piece_frame}, {piece_words}, {piece_head}, {piece_bytes}, {stack_header}, {room_shift}",
            ".quad {time_shift}, {time_mask}, {time_step}, {unlogged}, {kind_mask}, {events_every}, {exchanged}, {lately}, {captured}",
            ".quad {large}, {multiplier}, {shift}, {handler}, {frame}, {last_sp}, {last_fp}, {much}, {epilogue}, {raised_sp}, {raised_fp}, {raise_pc}",
            ".quad {landed_pc}, {raises_again}, {raised_again}, {cards}, {card_shift}, {part_shift}, {large_shift}",
            ".endif",
            current = const $crate::stub::x86_64::table::CURRENT,
            atomic_depth = const $crate::stub::x86_64::table::ATOMIC_DEPTH,
            stack_limit = const $crate::stub::x86_64::table::STACK_LIMIT,
            poll = const $crate::stub::x86_64::table::POLL,
            resume_value = const $crate::stub::x86_64::table::RESUME_VALUE,
            pending = const $crate::stub::x86_64::table::PENDING,
            packets = const $crate::stub::x86_64::table::PACKETS,
            c_sp = const $crate::stub::x86_64::table::C_SP,
            saved_sp = const $crate::stub::x86_64::table::SAVED_SP,
            saved_fp = const $crate::stub::x86_64::table::SAVED_FP,
            saved_call_sp = const $crate::stub::x86_64::table::SAVED_CALL_SP,
            alloc = const $crate::stub::x86_64::table::ALLOC,
            alloc_limit = const $crate::stub::x86_64::table::ALLOC_LIMIT,
            young_base = const $crate::stub::x86_64::table::YOUNG_BASE,
            young_half = const $crate::stub::x86_64::table::YOUNG_HALF,
            cards = const $crate::stub::x86_64::table::CARDS,
            card_shift = const $crate::stub::x86_64::table::CARD_SHIFT,
            part_shift = const $crate::stub::x86_64::table::PART_SHIFT,
            large_shift = const $crate::stub::x86_64::table::LARGE_SHIFT,
            raised_sp = const $crate::stub::x86_64::table::RAISED_SP,
            raised_fp = const $crate::stub::x86_64::table::RAISED_FP,
            raise_pc = const $crate::stub::x86_64::table::RAISE_PC,
            landed_pc = const $crate::stub::x86_64::table::LANDED_PC,
            raises_again = const $crate::stub::x86_64::table::RAISES_AGAIN,
            raised_again = const $crate::stub::x86_64::table::RAISED_AGAIN,
            fiber = const $crate::stub::x86_64::table::FIBER,
            shared = const $crate::stub::x86_64::table::SHARED,
            watched = const $crate::stub::x86_64::table::WATCHED,
            owns = const $crate::stub::x86_64::table::OWNS,
            index = const $crate::stub::x86_64::table::INDEX,
            lanes = const $crate::stub::x86_64::table::LANES,
            lane_now = const $crate::stub::x86_64::table::LANE_NOW,
            lane_before = const $crate::stub::x86_64::table::LANE_BEFORE,
            queue_head = const $crate::stub::x86_64::table::QUEUE_HEAD,
            queue_tail = const $crate::stub::x86_64::table::QUEUE_TAIL,
            since_events = const $crate::stub::x86_64::table::SINCE_EVENTS,
            switches = const $crate::stub::x86_64::table::SWITCHES,
            evictions = const $crate::stub::x86_64::table::EVICTIONS,
            restores = const $crate::stub::x86_64::table::RESTORES,
            returns = const $crate::stub::x86_64::table::RETURNS,
            landings = const $crate::stub::x86_64::table::LANDINGS,
            several = const $crate::stub::x86_64::table::SEVERAL,
            align = const $crate::stub::x86_64::table::ALIGN,
            notes_raises = const $crate::stub::x86_64::table::NOTES_RAISES,
            state = const $crate::stub::x86_64::table::STATE,
            reason = const $crate::stub::x86_64::table::REASON,
            lane = const $crate::stub::x86_64::table::LANE,
            depth = const $crate::stub::x86_64::table::DEPTH,
            next = const $crate::stub::x86_64::table::NEXT,
            start = const $crate::stub::x86_64::table::START,
            stamp = const $crate::stub::x86_64::table::STAMP,
            message = const $crate::stub::x86_64::table::MESSAGE,
            stack = const $crate::stub::x86_64::table::STACK,
            label = const $crate::stub::x86_64::table::LABEL,
            no_lane = const $crate::stub::x86_64::table::NO_LANE,
            over = const $crate::stub::x86_64::table::OVER,
            running = const $crate::stub::x86_64::table::RUNNING,
            on_lane = const $crate::stub::x86_64::table::ON_LANE,
            in_heap = const $crate::stub::x86_64::table::IN_HEAP,
            queued = const $crate::stub::x86_64::table::QUEUED,
            readied = const $crate::stub::x86_64::table::READIED,
            permit = const $crate::stub::x86_64::table::PERMIT,
            place_mask = const $crate::stub::x86_64::table::PLACE_MASK,
            lane_shift = const $crate::stub::x86_64::table::LANE_SHIFT,
            owner = const $crate::stub::x86_64::table::OWNER,
            number = const $crate::stub::x86_64::table::NUMBER,
            resident = const $crate::stub::x86_64::table::RESIDENT,
            kept = const $crate::stub::x86_64::table::KEPT,
            limit = const $crate::stub::x86_64::table::LIMIT,
            base = const $crate::stub::x86_64::table::BASE,
            sp = const $crate::stub::x86_64::table::SP,
            fp = const $crate::stub::x86_64::table::FP,
            call_sp = const $crate::stub::x86_64::table::CALL_SP,
            marker = const $crate::stub::x86_64::table::MARKER,
            whole = const $crate::stub::x86_64::table::WHOLE,
            piece_place = const $crate::stub::x86_64::table::PIECE_PLACE,
            piece_frame = const $crate::stub::x86_64::table::PIECE_FRAME,
            piece_words = const $crate::stub::x86_64::table::PIECE_WORDS,
            piece_head = const $crate::stub::x86_64::table::PIECE_HEAD,
            piece_bytes = const $crate::stub::x86_64::table::PIECE_BYTES,
            stack_header = const $crate::stub::x86_64::table::STACK_HEADER,
            room_shift = const $crate::stub::x86_64::table::ROOM_SHIFT,
            time_shift = const $crate::stub::x86_64::table::TIME_SHIFT,
            time_mask = const $crate::stub::x86_64::table::TIME_MASK,
            time_step = const $crate::stub::x86_64::table::TIME_STEP,
            unlogged = const $crate::stub::x86_64::table::UNLOGGED,
            kind_mask = const $crate::stub::x86_64::table::KIND_MASK,
            events_every = const $crate::stub::x86_64::table::EVENTS_EVERY,
            exchanged = const $crate::stub::x86_64::table::EXCHANGED,
            lately = const $crate::stub::x86_64::table::LATELY,
            captured = const $crate::stub::x86_64::table::CAPTURED,
            large = const $crate::stub::x86_64::table::LARGE,
            multiplier = const $crate::stub::x86_64::table::MULTIPLIER,
            shift = const $crate::stub::x86_64::table::SHIFT,
            handler = const $crate::stub::x86_64::table::HANDLER,
            frame = const $crate::stub::x86_64::table::FRAME,
            last_sp = const $crate::stub::x86_64::table::LAST_SP,
            last_fp = const $crate::stub::x86_64::table::LAST_FP,
            much = const $crate::stub::x86_64::table::MUCH,
            epilogue = const $crate::stub::x86_64::table::EPILOGUE,
            $($name = const $value,)*
        );
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_its_words_where_the_stubs_find_them() {
        let (base, fp) = (0x7f00_1234_5678, 0x7f00_1234_5778);
        let piece = StackPiece::new(1, 77, base, fp, base + 48);
        let word = |offset: usize| {
            // SAFETY: an offset of the piece's own.
            unsafe { (&raw const piece).byte_add(offset).cast::<u64>().read() }
        };
        assert_eq!(word(PIECE_PLACE), 77 << 48 | base as u64);
        assert_eq!(word(PIECE_FRAME), 0x100 << 16 | 48);
        let time = u64::from(TIME_MASK) << TIME_STEP;
        let piece = StackPiece::new(1, 77, base, fp, base + 48).own(9, time | 1 << 40);
        let own = 1 << 63 | 9 << ROOM_SHIFT | u64::from(TIME_MASK) << TIME_SHIFT;
        // SAFETY: as above.
        let frame = unsafe { (&raw const piece).byte_add(PIECE_FRAME).cast::<u64>().read() };
        assert_eq!(frame, own | 0x100 << 16 | 48);
        assert_eq!(header::stack(5), STACK_HEADER | 5 << 16);
    }
}
