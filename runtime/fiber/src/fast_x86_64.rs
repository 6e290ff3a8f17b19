//! The stubs of the thread primitives, for x86-64: the usual case of each in a few dozen instructions, on the SML stack; all
//! others go the way of every primitive, to the function of [`crate::switch`] with the same name. Those of the continuation
//! primitives, in `fast_conts_x86_64.rs`, have their offsets here.
//!
//! Usual: both threads are on lanes of this worker, or the frames of the one that runs next can be exchanged for those on its
//! lane (`exchange_x86_64.rs`); nothing was left for it; no object has to be
//! told to the collector; it is not time for the events. Everything is looked at before anything is changed, so the slow
//! way finds the world as it was. What a fast way does is what the function in `switch.rs` does, in the same order: whoever
//! changes one changes the other, and `fast_tests.rs` compares them over all states of the words that they look at.
//!
//! ```text
//!  r15 tcb    rdx worker    rcx the running thread    rsi argument, then the thread that runs next    rax a lane
//! ```

use std::mem::{offset_of, size_of};

use leat_abi::header::{self, Kind};
use leat_abi::tcb::Tcb;
use leat_abi::thread::{STACK_PIECE_WORDS, StackPiece, Thread};

use crate::host::Config;
use crate::lane::Lane;
use crate::queue::Queue;
use crate::word;
use crate::worker::{Counters, Shared, Worker};

/// Offsets and numbers for the macros below.
#[doc(hidden)]
pub mod offsets {
    use super::*;

    pub const FIBER: usize = offset_of!(Tcb, fiber);
    pub const WATCHED: usize = offset_of!(Worker, watched);
    pub const OWNS: usize = offset_of!(Worker, owns);
    pub const INDEX: usize = offset_of!(Worker, index);
    pub const LANES: usize = offset_of!(Worker, lanes);
    pub const LANE_NOW: usize = offset_of!(Worker, lane_now);
    pub const LANE_BEFORE: usize = offset_of!(Worker, lane_before);
    pub const HEAD: usize = offset_of!(Worker, queue) + offset_of!(Queue, head);
    pub const TAIL: usize = offset_of!(Worker, queue) + offset_of!(Queue, tail);
    pub const SINCE: usize = offset_of!(Worker, since_events);
    pub const SWITCHES: usize = offset_of!(Worker, counters) + offset_of!(Counters, switches);
    pub const EVICTIONS: usize = offset_of!(Worker, counters) + offset_of!(Counters, evictions);
    pub const RESTORES: usize = offset_of!(Worker, counters) + offset_of!(Counters, restores);
    pub const RETURNS: usize = offset_of!(Worker, counters) + offset_of!(Counters, returns);

    pub const STATE: usize = offset_of!(Thread, state);
    pub const REASON: usize = offset_of!(Thread, reason);
    pub const LANE: usize = offset_of!(Thread, lane);
    pub const NO_LANE: u16 = leat_abi::thread::NO_LANE;
    pub const DEPTH: usize = offset_of!(Thread, atomic_depth);
    pub const NEXT: usize = offset_of!(Thread, next);
    pub const START: usize = offset_of!(Thread, start);
    pub const STAMP: usize = offset_of!(Thread, stamp);
    pub const MESSAGE: usize = offset_of!(Thread, message);
    pub const OVER: u64 = leat_abi::thread::OVER;
    pub const KIND_MASK: u64 = header::KIND_MASK;
    const _: () = assert!(OVER < 1 << 7 && KIND_MASK < 1 << 8 && Kind::Record as u64 == 0);
    /// Bytes of one of the epilogues.
    pub const ENTRY: usize = 64;

    pub const LANE_SHIFT: u32 = size_of::<Lane>().trailing_zeros();
    const _: () = assert!(size_of::<Lane>() == 1 << LANE_SHIFT);
    pub const OWNER: usize = offset_of!(Lane, owner);
    pub const NUMBER: usize = offset_of!(Lane, number);
    pub const LIMIT: usize = offset_of!(Lane, limit);
    pub const SP: usize = offset_of!(Lane, sp);
    pub const FP: usize = offset_of!(Lane, fp);
    pub const CALL_SP: usize = offset_of!(Lane, call_sp);

    pub const UNLOGGED: u64 = header::UNLOGGED;
    const _: () = assert!(UNLOGGED < 1 << 7);
    pub const RUNNING: u8 = word::RUNNING;
    pub const ON_LANE: u8 = word::ON_LANE;
    pub const IN_HEAP: u8 = word::IN_HEAP;
    pub const QUEUED: u8 = word::QUEUED;
    pub const READIED: u8 = word::READIED;
    pub const PERMIT: u8 = word::PERMIT;
    /// Of a queued thread these must be `ON_LANE`'s: where its frames are, and that it is not bound.
    pub const PLACE_MASK: u8 = leat_abi::thread::STATE_MASK | word::BOUND;
    pub const EVENTS_EVERY: u32 = crate::switch::EVENTS_EVERY;

    pub const SHARED: usize = offset_of!(Worker, shared);
    pub const SEVERAL: usize = offset_of!(Shared, several);
    const _: () = assert!(word::NEW == 0);
    pub const ALIGN: usize = offset_of!(Shared, config) + offset_of!(Config, align);
    pub const STACK: usize = offset_of!(Thread, stack);
    pub const LABEL: usize = offset_of!(Thread, label);
    pub const RESIDENT: usize = offset_of!(Lane, resident);
    pub const KEPT: usize = offset_of!(Lane, kept);
    pub const MARKER: usize = offset_of!(Lane, marker.0);
    pub const BASE: usize = offset_of!(Lane, base);
    pub const WHOLE: usize = offset_of!(Lane, whole);
    /// The private words of a piece: its place, its frame.
    pub const PIECE_PLACE: usize = offset_of!(StackPiece, under) + 8;
    pub const PIECE_FRAME: usize = offset_of!(StackPiece, under) + 16;
    /// In the second: the words behind the frames; when it was made, in units of so many evictions (the logarithm).
    pub const ROOM_SHIFT: u32 = 55;
    pub const TIME_SHIFT: u32 = 48;
    pub const TIME_MASK: u32 = 127;
    pub const TIME_STEP: u32 = 5;
    pub const PIECE_WORDS: usize = STACK_PIECE_WORDS;
    pub const PIECE_BYTES: usize = (1 + STACK_PIECE_WORDS) * 8;
    const _: () = assert!(STACK_PIECE_WORDS == 3);
    pub const STACK_HEADER: u64 = header::stack(0);
    pub const CAPTURED: usize = crate::place::CAPTURED;
    /// More bytes than this are not copied word by word.
    pub const LARGE: usize = 1 << 10;
}

/// Pushes of rbx and r12 to r14 those that are not 0, and the address that gets them back, which is one of sixteen; r8 points
/// to the return address from here on.
///
/// A function of compiled code keeps these four for its caller. Few callers have something there, and a thread begins with
/// zeros; so a thread that waits has two words of the stub's, as a rule, and not seven. The lane, or the piece, knows rbp.
#[doc(hidden)]
#[macro_export]
macro_rules! pushing {
    ($resume:literal) => {
        concat!(
            "mov r8, rsp
             .cfi_def_cfa_register r8
             xor eax, eax
             test rbx, rbx
             je 5f
             push rbx
             mov eax, {entry}
             5:
             test r12, r12
             je 5f
             push r12
             add eax, {entry} * 2
             5:
             test r13, r13
             je 5f
             push r13
             add eax, {entry} * 4
             5:
             test r14, r14
             je 5f
             push r14
             add eax, {entry} * 8
             5:
             lea r9, [rip + ",
            $resume,
            "]
             add rax, r9
             push rax"
        )
    };
}

/// Pushes rbp and all four, for the stubs in which a thread does not stay: that is quicker to do and to undo.
#[doc(hidden)]
#[macro_export]
macro_rules! pushing_all {
    () => {
        "mov r8, rsp
         .cfi_def_cfa_register r8
         push rbp
         push rbx
         push r12
         push r13
         push r14
         lea rax, [rip + leat_fiber_resume]
         push rax"
    };
}

/// Goes to 9 unless the running thread may stop in the usual way. (That the worker is not watched, [`owning!`] finds.)
#[doc(hidden)]
#[macro_export]
macro_rules! stopping {
    () => {
        "mov rdx, [r15 + {fiber}]
         mov rcx, [r15 + {current}]
         cmp byte ptr [rcx + {state}], {running}
         jne 9f
         test byte ptr [rcx - 8], {unlogged}
         jne 9f"
    };
}

/// Notes where the running thread is suspended, and whose lanes will be the running one's and that of the thread before.
/// Which lane it is, is guessed and checked; see [`owning!`].
#[doc(hidden)]
#[macro_export]
macro_rules! saving {
    () => {
        "mov rax, [rdx + {lane_now}]
         cmp [rax + {resident}], rcx
         jne 43f
         33:
         mov [rax + {sp}], rsp
         mov [rax + {fp}], rbp
         mov [rax + {call_sp}], r8
         mov [rdx + {lane_before}], rax
         mov [rdx + {lane_now}], r13"
    };
}

/// Goes to 9 unless the lane of the thread in this register is this worker's, and the worker is not watched; leaves the lane in
/// r13.
///
/// The lane is guessed, to be that of the thread that ran before. The guess is right if that lane is this worker's and the thread
/// is its resident (T2, T10). The way by the lane's number is at 44, out of line ([`owning_by_number!`]). For what a switch waits
/// for is a chain of loads: the thread from the stack, its lane's number, the stack pointer from the lane, and from that stack the
/// next thread. A guess that is checked by a branch, which is foretold, cuts the chain: two threads that hand over to each other
/// take 5 ns and not 8.
#[doc(hidden)]
#[macro_export]
macro_rules! owning {
    ($thread:literal) => {
        concat!(
            "mov r13, [rdx + {lane_before}]
             mov r9d, [rdx + {owns}]
             cmp [r13 + {owner}], r9d
             jne 44f
             cmp [r13 + {resident}], ",
            $thread,
            "
             jne 44f
             34:"
        )
    };
}

/// The guess of [`owning!`] was wrong, or the thread's frames are in the heap. The thread's word means something only after its
/// lane was seen to be this worker's: another worker may be about to give the lane, or the thread to leave it.
#[doc(hidden)]
#[macro_export]
macro_rules! owning_by_number {
    ($thread:literal) => {
        concat!(
            "44:
             movzx r14d, word ptr [",
            $thread,
            " + {lane}]
             cmp r14d, {no_lane}
             je 9f
             mov r13, r14
             shl r13, {lane_shift}
             add r13, [rdx + {lanes}]
             cmp [r13 + {owner}], r9d
             jne 9f
             cmp [",
            $thread,
            " + {lane}], r14w
             jne 9f
             jmp 34b"
        )
    };
}

/// The thread in rsi, on a lane of this worker, is to run next: goes to 9 unless it is blocked, with nothing left for it. The
/// last of what is looked at: at 45, out of line, its frames may be brought from the heap ([`bringing_target!`]).
#[doc(hidden)]
#[macro_export]
macro_rules! targeting {
    () => {
        "cmp qword ptr [rsi + {start}], 1
         jne 9f
         cmp byte ptr [rsi + {state}], {on_lane}
         jne 45f
         35:"
    };
}

/// The frames of the thread in rsi are in the heap: exchanges them for those on its lane, if that is as usual.
#[doc(hidden)]
#[macro_export]
macro_rules! bringing_target {
    () => {
        concat!(
            $crate::owning_by_number!("rsi"),
            "
             45:
             cmp byte ptr [rsi + {state}], {in_heap}
             jne 9f
             mov r12, rsi
             call leat_fiber_exchange
             je 35b
             mov rdi, r15
             jmp 9f"
        )
    };
}

/// The same for the first of the queue, in r12: what [`choosing!`] has loaded is loaded again.
#[doc(hidden)]
#[macro_export]
macro_rules! bringing_first {
    () => {
        concat!(
            $crate::owning_by_number!("r12"),
            "
             45:
             cmp r9d, {in_heap}
             jne 9f
             call leat_fiber_exchange
             mov eax, [rdx + {since}]
             lea eax, [rax + 1]
             movzx r10d, byte ptr [r12 + {state}]
             je 35b
             mov rdi, r15
             jmp 9f"
        )
    };
}

/// The running thread, r11 being the queue's tail or 1, goes to the end of the queue.
#[doc(hidden)]
#[macro_export]
macro_rules! queueing {
    () => {
        "mov byte ptr [rcx + {state}], {on_lane} + {queued}
         mov [rdx + {tail}], rcx
         cmp r11, 1
         je 5f
         mov [r11 + {next}], rcx
         jmp 6f
         5:
         mov [rdx + {head}], rcx
         6:"
    };
}

/// The first of the queue is in r12, on a lane of this worker: goes to 9 unless it can be resumed in the usual way. Its new
/// state is in r10. The last of what is looked at, as in [`targeting!`].
#[doc(hidden)]
#[macro_export]
macro_rules! choosing {
    () => {
        "mov eax, [rdx + {since}]
         inc eax
         cmp eax, {events_every}
         jae 9f
         cmp qword ptr [r12 + {start}], 1
         jne 9f
         movzx r10d, byte ptr [r12 + {state}]
         mov r9d, r10d
         and r9d, {place_mask}
         cmp r9d, {on_lane}
         jne 45f
         35:
         and r10d, {permit}
         or r10d, {running}
         mov [rdx + {since}], eax"
    };
}

/// Takes the first of the queue, which is in r12, out of it; it is in rsi then.
#[doc(hidden)]
#[macro_export]
macro_rules! popping {
    () => {
        "mov rsi, r12
         mov r9, [rsi + {next}]
         mov [rdx + {head}], r9
         mov qword ptr [rsi + {next}], 1"
    };
}

/// Goes on with the thread in rsi, whose lane is in r13 and whose state will be `$state`; then the slow way, at 9. A stack is resumed
/// by the code of the stub that left it, which gets rax, what the primitive gives, and rbx, which says that it is not at once.
#[doc(hidden)]
#[macro_export]
macro_rules! resuming {
    ($function:ident, $usual:expr, $bringing:expr, $state:literal) => {
        concat!(
            "mov byte ptr [rsi + {state}], ",
            $state,
            "
             mov [r15 + {current}], rsi
             mov r9d, [rsi + {depth}]
             mov [r15 + {atomic_depth}], r9
             mov r9, [r13 + {limit}]
             mov [r15 + {stack_limit}], r9
             inc qword ptr [rdx + {switches}]
             mov rsp, [r13 + {sp}]
             xor eax, eax
             cmp [r15 + {poll}], rax
             jne 7f
             8:
             pop rcx
             ",
            $usual,
            "
             mov rbp, [r13 + {fp}]
             xor ebx, ebx
             mov [r15 + {resume_value}], rax
             jmp rcx
             7:
             mov qword ptr [r15 + {stack_limit}], -1
             jmp 8b
             43:
             movzx eax, word ptr [rcx + {lane}]
             shl rax, {lane_shift}
             add rax, [rdx + {lanes}]
             jmp 33b
             ",
            $bringing,
            "\n",
            $crate::otherwise!($function)
        )
    };
}

/// The slow way, at 9: the function does what the stub has not begun, on the C stack, and says which stack goes on.
#[doc(hidden)]
#[macro_export]
macro_rules! otherwise {
    ($function:ident) => {
        concat!(
            "9:
             mov [r15 + {saved_sp}], rsp
             mov [r15 + {saved_fp}], rbp
             mov [r15 + {saved_call_sp}], r8
             mov rbx, rsp
             mov r12, r8
             .cfi_def_cfa r12, 8
             mov rsp, [r15 + {c_sp}]
             call ",
            stringify!($function),
            "
             mov rsp, [r15 + {saved_sp}]
             mov rbp, [r15 + {saved_fp}]
             pop rcx
             jmp rcx
             .cfi_endproc"
        )
    };
}

/// What [`pushing_all!`] has pushed is popped at once; other stacks, whose resume address is in rcx, are left as they are.
#[doc(hidden)]
#[macro_export]
macro_rules! popping_all {
    () => {
        "lea rdx, [rip + leat_fiber_resume]
         cmp rcx, rdx
         jne 3f
         pop r14
         pop r13
         pop r12
         pop rbx
         pop rbp
         pop rcx
         jmp rcx
         3:"
    };
}

/// The epilogue of the stubs above that pops these registers and makes the others 0, in `ENTRY` bytes; `$end` is where it goes
/// then, with the flag set if the stack is where it was at the call (see `leat_fiber_resume`).
#[doc(hidden)]
#[macro_export]
macro_rules! getting_back {
    ($r14:literal, $r13:literal, $r12:literal, $rbx:literal, $end:literal) => {
        concat!(
            ".p2align 6
             lea rcx, [rsp - 8]
             cmp rcx, rbx
             ",
            $r14,
            "
             ",
            $r13,
            "
             ",
            $r12,
            "
             ",
            $rbx,
            "
             ",
            $end
        )
    };
}

/// All sixteen, at the label.
#[doc(hidden)]
#[macro_export]
macro_rules! all_getting_back {
    ($label:literal, $end:literal) => {
        concat!(
            ".p2align 6
             .globl ",
            $label,
            "
             .type ",
            $label,
            ", @function
             ",
            $label,
            ":
             ",
            $crate::all_getting_back!("mov r14d, 0", "mov r13d, 0", $end),
            $crate::all_getting_back!("mov r14d, 0", "pop r13", $end),
            $crate::all_getting_back!("pop r14", "mov r13d, 0", $end),
            $crate::all_getting_back!("pop r14", "pop r13", $end),
        )
    };
    ($r14:literal, $r13:literal, $end:literal) => {
        concat!(
            $crate::getting_back!($r14, $r13, "mov r12d, 0", "mov ebx, 0", $end),
            "\n",
            $crate::getting_back!($r14, $r13, "mov r12d, 0", "pop rbx", $end),
            "\n",
            $crate::getting_back!($r14, $r13, "pop r12", "mov ebx, 0", $end),
            "\n",
            $crate::getting_back!($r14, $r13, "pop r12", "pop rbx", $end),
            "\n",
        )
    };
}

/// `thread_stub!("leat_thread_park_stub", leat_thread_park, pushing.., resuming.., lines..)`: the stub of a primitive that stops the
/// running thread, the primitive, how its stack is left, which kind of stack is resumed at once, how that of the next thread is
/// brought from the heap, and the state of that one then.
#[doc(hidden)]
#[macro_export]
macro_rules! thread_stub {
    ($stub:literal, $function:ident, $pushing:expr, $usual:expr, $bringing:expr, $state:literal, $($line:expr),* $(,)?) => {
        ::core::arch::global_asm!(
            ".p2align 4",
            concat!(".globl ", $stub),
            concat!(".type ", $stub, ", @function"),
            concat!($stub, ":"),
            ".cfi_startproc",
            $pushing,
            $crate::stopping!(),
            $($line,)*
            $crate::resuming!($function, $usual, $bringing, $state),
            concat!(".size ", $stub, ", . - ", $stub),
            // Each is used once at least, so that all stubs can have one list.
            ".if 0",
            ".quad {entry}, {since}, {tail}, {head}, {queued}, {events_every}, {place_mask}, {start}, {permit}, {reason}, {next}, {on_lane}, {owns}, {owner}, {in_heap}",
            ".endif",
            fiber = const $crate::fast::offsets::FIBER,
            owns = const $crate::fast::offsets::OWNS,
            owner = const $crate::fast::offsets::OWNER,
            resident = const $crate::fast::offsets::RESIDENT,
            lanes = const $crate::fast::offsets::LANES,
            lane_now = const $crate::fast::offsets::LANE_NOW,
            lane_before = const $crate::fast::offsets::LANE_BEFORE,
            head = const $crate::fast::offsets::HEAD,
            tail = const $crate::fast::offsets::TAIL,
            since = const $crate::fast::offsets::SINCE,
            switches = const $crate::fast::offsets::SWITCHES,
            state = const $crate::fast::offsets::STATE,
            reason = const $crate::fast::offsets::REASON,
            lane = const $crate::fast::offsets::LANE,
            no_lane = const $crate::fast::offsets::NO_LANE,
            entry = const $crate::fast::offsets::ENTRY,
            depth = const $crate::fast::offsets::DEPTH,
            next = const $crate::fast::offsets::NEXT,
            start = const $crate::fast::offsets::START,
            lane_shift = const $crate::fast::offsets::LANE_SHIFT,
            limit = const $crate::fast::offsets::LIMIT,
            sp = const $crate::fast::offsets::SP,
            fp = const $crate::fast::offsets::FP,
            call_sp = const $crate::fast::offsets::CALL_SP,
            unlogged = const $crate::fast::offsets::UNLOGGED,
            running = const $crate::fast::offsets::RUNNING,
            on_lane = const $crate::fast::offsets::ON_LANE,
            in_heap = const $crate::fast::offsets::IN_HEAP,
            queued = const $crate::fast::offsets::QUEUED,
            permit = const $crate::fast::offsets::PERMIT,
            place_mask = const $crate::fast::offsets::PLACE_MASK,
            events_every = const $crate::fast::offsets::EVENTS_EVERY,
            current = const $crate::asm::offsets::CURRENT,
            atomic_depth = const $crate::asm::offsets::ATOMIC_DEPTH,
            stack_limit = const $crate::asm::offsets::STACK_LIMIT,
            poll = const $crate::asm::offsets::POLL,
            resume_value = const $crate::asm::offsets::RESUME_VALUE,
            c_sp = const $crate::asm::offsets::C_SP,
            saved_sp = const $crate::asm::offsets::SAVED_SP,
            saved_fp = const $crate::asm::offsets::SAVED_FP,
            saved_call_sp = const $crate::asm::offsets::SAVED_CALL_SP,
        );
    };
}

/// The stub of a primitive that blocks the running thread until another one makes it ready.
#[doc(hidden)]
#[macro_export]
macro_rules! parking_stub {
    ($stub:literal, $function:ident, $resume:literal) => {
        $crate::thread_stub!(
            $stub,
            $function,
            $crate::pushing!($resume),
            "",
            $crate::bringing_first!(),
            "r10b",
            "mov r12, [rdx + {head}]",
            "cmp r12, 1",
            "je 9f",
            $crate::owning!("r12"),
            $crate::choosing!(),
            $crate::saving!(),
            "mov dword ptr [rcx + {depth}], 0",
            "mov [rcx + {reason}], sil",
            "mov byte ptr [rcx + {state}], {on_lane}",
            $crate::popping!(),
        );
    };
}

/// The stubs of `leat_thread_handoff`, `leat_thread_switch`, `leat_thread_park`, `leat_thread_await`, `leat_thread_yield` and
/// `leat_thread_ready`,
/// which the invoking crate defines as `extern "C"` functions without mangling.
#[macro_export]
macro_rules! thread_stubs {
    () => {
        $crate::thread_stub!(
            "leat_thread_handoff_stub",
            leat_thread_handoff,
            $crate::pushing_all!(),
            $crate::popping_all!(),
            $crate::bringing_target!(),
            "{running}",
            $crate::owning!("rsi"),
            $crate::targeting!(),
            $crate::saving!(),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            "mov byte ptr [rcx + {state}], {on_lane}",
        );
        $crate::thread_stub!(
            "leat_thread_switch_stub",
            leat_thread_switch,
            $crate::pushing!("leat_fiber_resume_kept"),
            "",
            $crate::bringing_target!(),
            "{running}",
            $crate::owning!("rsi"),
            "mov r11, [rdx + {head}]",
            "cmp r11, 1",
            "je 2f",
            "mov r11, [rdx + {tail}]",
            "test byte ptr [r11 - 8], {unlogged}",
            "jne 9f",
            "2:",
            $crate::targeting!(),
            $crate::saving!(),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            $crate::queueing!(),
        );
        $crate::parking_stub!("leat_thread_park_stub", leat_thread_park, "leat_fiber_resume_kept");
        $crate::parking_stub!("leat_thread_await_stub", leat_thread_await, "leat_fiber_resume_await");
        $crate::thread_stub!(
            "leat_thread_yield_stub",
            leat_thread_yield,
            $crate::pushing_all!(),
            $crate::popping_all!(),
            $crate::bringing_first!(),
            "r10b",
            "mov r12, [rdx + {head}]",
            "cmp r12, 1",
            "je 9f",
            "mov r11, [rdx + {tail}]",
            "test byte ptr [r11 - 8], {unlogged}",
            "jne 9f",
            $crate::owning!("r12"),
            $crate::choosing!(),
            $crate::saving!(),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            $crate::queueing!(),
            $crate::popping!(),
        );
        ::core::arch::global_asm!(
            $crate::all_getting_back!(
                "leat_fiber_resume_kept",
                "je leat_fiber_resume_same
                 cmp qword ptr [r15 + {pending}], 0
                 jne leat_fiber_pending
                 pop rcx
                 jmp rcx"
            ),
            // A thread that awaits goes on when its wait is over, with what was left for it; else it waits again. It was woken
            // by another, who runs on: so it goes on by a jump, as in `leat_fiber_resume`.
            $crate::all_getting_back!("leat_fiber_resume_await", "jmp leat_fiber_awaited"),
            ".p2align 4",
            "leat_fiber_awaited:",
            "cmp qword ptr [r15 + {pending}], 0",
            "jne leat_fiber_pending",
            "mov rcx, [r15 + {current}]",
            "test byte ptr [rcx + {stamp}], {over}",
            "je 2f",
            "mov rdx, [rcx + {message}]",
            "xor eax, eax",
            "test dl, 1",
            "jne 3f",
            // A cell is a record; what is no record was not left by the one who ended the wait.
            "test byte ptr [rdx - 8], {kind_mask}",
            "jne 3f",
            "mov qword ptr [rcx + {message}], 1",
            "mov rax, [rdx]",
            "3:",
            "pop rcx",
            "jmp rcx",
            "2:",
            "mov rdi, r15",
            "movzx esi, byte ptr [rcx + {reason}]",
            "jmp leat_thread_await_stub",
            pending = const $crate::asm::offsets::PENDING_EXN,
            current = const $crate::asm::offsets::CURRENT,
            stamp = const $crate::fast::offsets::STAMP,
            over = const $crate::fast::offsets::OVER,
            message = const $crate::fast::offsets::MESSAGE,
            reason = const $crate::fast::offsets::REASON,
            kind_mask = const $crate::fast::offsets::KIND_MASK,
        );
        // A leaf in the usual case: the thread in rsi goes to the end of the queue, nobody is switched.
        ::core::arch::global_asm!(
            ".p2align 4",
            ".globl leat_thread_ready_stub",
            ".type leat_thread_ready_stub, @function",
            "leat_thread_ready_stub:",
            ".cfi_startproc",
            "mov rdx, [r15 + {fiber}]",
            "cmp byte ptr [rdx + {watched}], 0",
            "jne 9f",
            "movzx r10d, word ptr [rsi + {lane}]",
            "cmp r10d, {no_lane}",
            "je 5f",
            "mov r8, r10",
            "shl r8, {lane_shift}",
            "add r8, [rdx + {lanes}]",
            "mov r9d, [rdx + {index}]",
            "cmp [r8 + {owner}], r9d",
            "jne 9f",
            "cmp [rsi + {lane}], r10w",
            "jne 9f",
            "movzx eax, byte ptr [rsi + {state}]",
            "cmp eax, {on_lane}",
            "je 2f",
            "cmp eax, {in_heap}",
            "jne 9f",
            "2:",
            "cmp qword ptr [rdx + {head}], 1",
            "je 3f",
            "mov rcx, [rdx + {tail}]",
            "test byte ptr [rcx - 8], {unlogged}",
            "jne 9f",
            "mov [rcx + {next}], rsi",
            "jmp 4f",
            "3:",
            "mov [rdx + {head}], rsi",
            "4:",
            "mov [rdx + {tail}], rsi",
            "or eax, {queued} + {readied}",
            "mov [rsi + {state}], al",
            "xor eax, eax",
            "ret",
            // It has no lane: a new one, as a rule. With one worker nobody else may be about to run it.
            "5:",
            "mov r8, [rdx + {shared}]",
            "cmp byte ptr [r8 + {several}], 0",
            "jne 9f",
            "movzx eax, byte ptr [rsi + {state}]",
            "test eax, eax",
            "je 2b",
            "9:",
            "jmp leat_thread_ready_slow_stub",
            ".cfi_endproc",
            fiber = const $crate::fast::offsets::FIBER,
            watched = const $crate::fast::offsets::WATCHED,
            index = const $crate::fast::offsets::INDEX,
            owner = const $crate::fast::offsets::OWNER,
            lanes = const $crate::fast::offsets::LANES,
            lane = const $crate::fast::offsets::LANE,
            no_lane = const $crate::fast::offsets::NO_LANE,
            lane_shift = const $crate::fast::offsets::LANE_SHIFT,
            head = const $crate::fast::offsets::HEAD,
            tail = const $crate::fast::offsets::TAIL,
            state = const $crate::fast::offsets::STATE,
            next = const $crate::fast::offsets::NEXT,
            unlogged = const $crate::fast::offsets::UNLOGGED,
            on_lane = const $crate::fast::offsets::ON_LANE,
            in_heap = const $crate::fast::offsets::IN_HEAP,
            queued = const $crate::fast::offsets::QUEUED,
            readied = const $crate::fast::offsets::READIED,
            shared = const $crate::fast::offsets::SHARED,
            several = const $crate::fast::offsets::SEVERAL,
        );
        $crate::runtime_stub!(leat_thread_ready, "leat_thread_ready_slow_stub");
    };
}

#[cfg(test)]
#[path = "fast_tests.rs"]
pub(crate) mod differential;

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
        assert_eq!(word(offsets::PIECE_PLACE), 77 << 48 | base as u64);
        assert_eq!(word(offsets::PIECE_FRAME), 0x100 << 16 | 48);
        let time = u64::from(offsets::TIME_MASK) << offsets::TIME_STEP;
        let piece = StackPiece::new(1, 77, base, fp, base + 48).own(9, time | 1 << 40);
        let own = 1 << 63 | 9 << offsets::ROOM_SHIFT | u64::from(offsets::TIME_MASK) << offsets::TIME_SHIFT;
        // SAFETY: as above.
        let frame = unsafe { (&raw const piece).byte_add(offsets::PIECE_FRAME).cast::<u64>().read() };
        assert_eq!(frame, own | 0x100 << 16 | 48);
        assert_eq!(header::stack(5), offsets::STACK_HEADER | 5 << 16);
    }
}
