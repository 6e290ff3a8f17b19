//! The primitives: what library SML asks for with `_prim "name" : ty`.
//!
//! The type stands at the use (the library is trusted); here stand the lowering and the effects.
//! Arguments: a tuple type gives one argument a component, `unit` gives none. A result of type unit is no result.
//!
//! - `Inline`: the compiler makes instructions of it.
//! - `Leaf`: a C function called directly on the SML stack: `extern "C" fn(args..) -> result`; never allocates in the SML
//!   heap, never reaches a safepoint, uses little stack. `I64` and `Ref` arguments are u64, reals are f64.
//! - `Runtime`: `extern "C" fn(tcb: *mut Tcb, args..) -> u64`, called by way of the stub `<symbol>_stub` that goes to the C
//!   stack; it may collect, switch threads, or set `tcb.pending_exn` (which the stub raises).

use crate::exn::Builtin;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lower {
    Inline,
    Leaf(&'static str),
    Runtime(&'static str),
}

/// What a primitive may do besides giving its result. For the optimiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: may be dropped, duplicated, moved, shared.
    Pure,
    /// Allocates a mutable object (identity matters), or reads mutable memory: may be dropped when unused, not shared.
    Reads,
    /// Writes memory or the world: keep it, in order.
    Writes,
    /// Likewise, and it can be seen from outside of the program (a system call on a descriptor, a file, a process): what
    /// `print` has left in the buffer is written out first. The compiler puts `out_due` and `out_settle` before it.
    Outside,
}

/// The last argument of `access`: what a watched program does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Access {
    Load,
    Store,
    /// A compare and swap.
    Swap,
    /// Not the program's, but the library's, which orders threads by what it loads and stores: a load was done, ..
    Acquire,
    /// .. a store is to be done.
    Release,
}

impl Access {
    pub const fn from_number(n: u64) -> Access {
        match n {
            0 => Access::Load,
            1 => Access::Store,
            2 => Access::Swap,
            3 => Access::Acquire,
            _ => Access::Release,
        }
    }
}

/// The exceptions that a primitive may raise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raises {
    Nothing,
    One(Builtin),
    Two(Builtin, Builtin),
    /// Any (a blocked thread may be resumed with an exception).
    Any,
}

macro_rules! prims {
    ($($(#[$doc:meta])* $name:ident $text:literal $lower:expr, $effect:ident, $raises:expr;)*) => {
        /// Every primitive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Prim { $($(#[$doc])* $name),* }

        const TABLE: &[(Prim, &str, Lower, Effect, Raises)] = {
            use Lower::*;
            use Raises::*;
            #[allow(unused_imports)]
            use Builtin as B;
            &[$((Prim::$name, $text, $lower, Effect::$effect, $raises)),*]
        };
    };
}

prims! {
    // -- int: 64 bits, checked. div and mod round down, quot and rem to zero.
    IntAdd "int_add" Inline, Pure, One(B::Overflow);
    IntSub "int_sub" Inline, Pure, One(B::Overflow);
    IntMul "int_mul" Inline, Pure, One(B::Overflow);
    IntDiv "int_div" Inline, Pure, Two(B::Div, B::Overflow);
    IntMod "int_mod" Inline, Pure, One(B::Div);
    IntQuot "int_quot" Inline, Pure, Two(B::Div, B::Overflow);
    IntRem "int_rem" Inline, Pure, One(B::Div);
    IntNeg "int_neg" Inline, Pure, One(B::Overflow);
    IntAbs "int_abs" Inline, Pure, One(B::Overflow);
    IntLt "int_lt" Inline, Pure, Nothing;
    IntLe "int_le" Inline, Pure, Nothing;
    IntGt "int_gt" Inline, Pure, Nothing;
    IntGe "int_ge" Inline, Pure, Nothing;
    IntEq "int_eq" Inline, Pure, Nothing;
    // -- word: 64 bits, modular. Shift counts of 64 and more give 0 (or the sign).
    WordAdd "word_add" Inline, Pure, Nothing;
    WordSub "word_sub" Inline, Pure, Nothing;
    WordMul "word_mul" Inline, Pure, Nothing;
    WordDiv "word_div" Inline, Pure, One(B::Div);
    WordMod "word_mod" Inline, Pure, One(B::Div);
    WordNeg "word_neg" Inline, Pure, Nothing;
    WordLt "word_lt" Inline, Pure, Nothing;
    WordLe "word_le" Inline, Pure, Nothing;
    WordGt "word_gt" Inline, Pure, Nothing;
    WordGe "word_ge" Inline, Pure, Nothing;
    WordAnd "word_and" Inline, Pure, Nothing;
    WordOr "word_or" Inline, Pure, Nothing;
    WordXor "word_xor" Inline, Pure, Nothing;
    WordNot "word_not" Inline, Pure, Nothing;
    WordShl "word_shl" Inline, Pure, Nothing;
    WordShr "word_shr" Inline, Pure, Nothing;
    WordSar "word_sar" Inline, Pure, Nothing;
    // Reinterpretations and truncations between integer-like types, all `I64` underneath.
    /// The same 64 bits at another type: int, word, char, word8 as the annotation says. The library checks ranges first.
    Bits "bits" Inline, Pure, Nothing;
    /// Low 8, 16, 32 bits, zero-extended.
    Zext8 "zext8" Inline, Pure, Nothing;
    Zext16 "zext16" Inline, Pure, Nothing;
    Zext32 "zext32" Inline, Pure, Nothing;
    /// Low 8, 16, 32 bits, sign-extended.
    Sext8 "sext8" Inline, Pure, Nothing;
    Sext16 "sext16" Inline, Pure, Nothing;
    Sext32 "sext32" Inline, Pure, Nothing;
    // -- char
    CharLt "char_lt" Inline, Pure, Nothing;
    CharLe "char_le" Inline, Pure, Nothing;
    CharGt "char_gt" Inline, Pure, Nothing;
    CharGe "char_ge" Inline, Pure, Nothing;
    // -- word8, kept zero-extended
    Word8Add "word8_add" Inline, Pure, Nothing;
    Word8Sub "word8_sub" Inline, Pure, Nothing;
    Word8Mul "word8_mul" Inline, Pure, Nothing;
    Word8Div "word8_div" Inline, Pure, One(B::Div);
    Word8Mod "word8_mod" Inline, Pure, One(B::Div);
    Word8Neg "word8_neg" Inline, Pure, Nothing;
    Word8Lt "word8_lt" Inline, Pure, Nothing;
    Word8Le "word8_le" Inline, Pure, Nothing;
    Word8Gt "word8_gt" Inline, Pure, Nothing;
    Word8Ge "word8_ge" Inline, Pure, Nothing;
    // -- real
    RealAdd "real_add" Inline, Pure, Nothing;
    RealSub "real_sub" Inline, Pure, Nothing;
    RealMul "real_mul" Inline, Pure, Nothing;
    RealDiv "real_div" Inline, Pure, Nothing;
    RealNeg "real_neg" Inline, Pure, Nothing;
    RealAbs "real_abs" Inline, Pure, Nothing;
    RealLt "real_lt" Inline, Pure, Nothing;
    RealLe "real_le" Inline, Pure, Nothing;
    RealGt "real_gt" Inline, Pure, Nothing;
    RealGe "real_ge" Inline, Pure, Nothing;
    RealEq "real_eq" Inline, Pure, Nothing;
    RealSqrt "real_sqrt" Inline, Pure, Nothing;
    RealFloor "real_floor" Inline, Pure, Nothing;
    RealCeil "real_ceil" Inline, Pure, Nothing;
    RealTrunc "real_trunc" Inline, Pure, Nothing;
    /// To the nearest integral real, ties to even.
    RealRound "real_round" Inline, Pure, Nothing;
    RealOfInt "real_of_int" Inline, Pure, Nothing;
    /// A real that is integral and in range, to int; the library checks first. Out of range gives an unspecified int.
    RealToIntUnsafe "real_to_int_unsafe" Inline, Pure, Nothing;
    RealToBits "real_to_bits" Inline, Pure, Nothing;
    RealOfBits "real_of_bits" Inline, Pure, Nothing;
    RealSin "real_sin" Leaf("leat_real_sin"), Pure, Nothing;
    RealCos "real_cos" Leaf("leat_real_cos"), Pure, Nothing;
    RealTan "real_tan" Leaf("leat_real_tan"), Pure, Nothing;
    RealAsin "real_asin" Leaf("leat_real_asin"), Pure, Nothing;
    RealAcos "real_acos" Leaf("leat_real_acos"), Pure, Nothing;
    RealAtan "real_atan" Leaf("leat_real_atan"), Pure, Nothing;
    RealAtan2 "real_atan2" Leaf("leat_real_atan2"), Pure, Nothing;
    RealExp "real_exp" Leaf("leat_real_exp"), Pure, Nothing;
    RealLn "real_ln" Leaf("leat_real_ln"), Pure, Nothing;
    RealLog10 "real_log10" Leaf("leat_real_log10"), Pure, Nothing;
    RealPow "real_pow" Leaf("leat_real_pow"), Pure, Nothing;
    RealSinh "real_sinh" Leaf("leat_real_sinh"), Pure, Nothing;
    RealCosh "real_cosh" Leaf("leat_real_cosh"), Pure, Nothing;
    RealTanh "real_tanh" Leaf("leat_real_tanh"), Pure, Nothing;
    RealRem "real_rem" Leaf("leat_real_rem"), Pure, Nothing;
    /// real * int (mode: 0 SCI, 1 FIX, 2 GEN, 3 EXACT, 4 the toString of the Basis) * int (digits) -> string
    RealFmt "real_fmt" Runtime("leat_real_fmt"), Reads, Nothing;
    /// string (C-like syntax, already checked by the library) -> real, in the rounding mode that is set
    RealOfString "real_of_string" Leaf("leat_real_of_string"), Reads, Nothing;
    // -- 'a ref
    RefNew "ref_new" Inline, Reads, Nothing;
    RefGet "ref_get" Inline, Reads, Nothing;
    RefSet "ref_set" Inline, Writes, Nothing;
    /// Pointer equality of refs, arrays, threads.
    PtrEq "ptr_eq" Inline, Pure, Nothing;
    /// 'a ref * 'a * 'a -> bool: when it holds the first (as a word), stores the second. Sequentially consistent.
    RefCas "ref_cas" Inline, Writes, Nothing;
    // -- arrays and vectors; a vector is an array that nobody updates. string is a vector of char.
    /// int * 'a -> 'a array; raises Size.
    ArrayNew "array_new" Runtime("leat_array_new"), Reads, One(B::Size);
    /// int -> 'a array, elements 0 (or immediate 1), for the library to fill; raises Size.
    ArrayNewUninit "array_new_uninit" Runtime("leat_array_new_uninit"), Reads, One(B::Size);
    ArrayLength "array_length" Inline, Pure, Nothing;
    ArraySub "array_sub" Inline, Reads, One(B::Subscript);
    ArrayUpdate "array_update" Inline, Writes, One(B::Subscript);
    ArraySubUnsafe "array_sub_unsafe" Inline, Reads, Nothing;
    ArrayUpdateUnsafe "array_update_unsafe" Inline, Writes, Nothing;
    /// Of an immutable vector or string: the load may be shared.
    VectorSub "vector_sub" Inline, Pure, One(B::Subscript);
    VectorSubUnsafe "vector_sub_unsafe" Inline, Pure, Nothing;
    /// src * src index * dst * dst index * count -> unit; ranges checked by the library; may overlap. Arrays of one element type.
    ArrayCopyUnsafe "array_copy_unsafe" Runtime("leat_array_copy"), Writes, Nothing;
    /// 'a array -> 'a vector and back, without a copy.
    Cast "cast" Inline, Pure, Nothing;
    // -- strings
    StringSize "string_size" Inline, Pure, Nothing;
    StringSub "string_sub" Inline, Pure, One(B::Subscript);
    StringSubUnsafe "string_sub_unsafe" Inline, Pure, Nothing;
    StringEq "string_eq" Leaf("leat_string_eq"), Pure, Nothing;
    /// -1, 0, 1
    StringCompare "string_compare" Leaf("leat_string_compare"), Pure, Nothing;
    StringLt "string_lt" Inline, Pure, Nothing;
    StringLe "string_le" Inline, Pure, Nothing;
    StringGt "string_gt" Inline, Pure, Nothing;
    StringGe "string_ge" Inline, Pure, Nothing;
    StringConcat "string_concat" Runtime("leat_string_concat"), Pure, One(B::Size);
    /// string * start * count -> string; range checked by the library.
    StringExtractUnsafe "string_extract_unsafe" Runtime("leat_string_extract"), Pure, Nothing;
    /// int -> string with `~`
    IntToString "int_to_string" Runtime("leat_int_to_string"), Pure, Nothing;
    // -- equality of any type that admits it; gone after Mono.
    PolyEq "poly_eq" Inline, Reads, Nothing;
    // -- slots of a session, by number; only the compiler makes these, see docs/internals/decisions/007-incremental-units.md.
    /// int -> 'a: the value that an earlier unit put there.
    SlotGet "slot_get" Inline, Pure, Nothing;
    /// int * 'a -> unit
    SlotSet "slot_set" Inline, Writes, Nothing;
    // -- exceptions
    /// exn -> string
    ExnName "exn_name" Inline, Pure, Nothing;
    /// exn -> int: how its argument is represented, see `exn::Argument`.
    ExnArgKind "exn_arg_kind" Inline, Pure, Nothing;
    /// exn -> string, when the kind says String; likewise Int; the library looks first.
    ExnArgString "exn_arg_string" Inline, Pure, Nothing;
    ExnArgInt "exn_arg_int" Inline, Pure, Nothing;
    /// exn -> string: the lines of the back-trace from where it was raised, innermost first.
    ExnHistory "exn_history" Runtime("leat_exn_history"), Reads, Nothing;
    /// unit -> unit: a program that asks for histories begins.
    ExnKeep "exn_keep" Runtime("leat_exn_keep"), Writes, Nothing;
    /// exn * int -> unit: it is raised next; the number says how, see `exn::NOTE_AGAIN`.
    ExnNote "exn_note" Runtime("leat_exn_note"), Writes, Nothing;
    // -- the world
    /// Writes to standard output, or to a buffer that is written out within a millisecond, and before any effect that is
    /// `Outside`.
    Print "print" Runtime("leat_print"), Writes, Any;
    PrintErr "print_err" Runtime("leat_print_err"), Outside, Any;
    FlushOut "flush_out" Runtime("leat_flush_out"), Writes, Any;
    Exit "exit" Runtime("leat_exit"), Writes, Any;
    /// Function to run at exit; last registered first.
    AtExit "at_exit" Runtime("leat_at_exit"), Writes, Nothing;
    ArgCount "arg_count" Leaf("leat_arg_count"), Reads, Nothing;
    Arg "arg" Runtime("leat_arg"), Reads, Nothing;
    ProgramName "program_name" Runtime("leat_program_name"), Reads, Nothing;
    /// string -> string; the empty string with `env_has` 0 when absent.
    Env "env" Runtime("leat_env"), Reads, Nothing;
    EnvHas "env_has" Runtime("leat_env_has"), Reads, Nothing;
    // Files: results below 0 are negated error numbers.
    /// path * flags (0 read, 1 write new, 2 append) -> fd
    FileOpen "file_open" Runtime("leat_file_open"), Outside, Nothing;
    /// fd * char array * start * count -> bytes read
    FileRead "file_read" Runtime("leat_file_read"), Outside, Any;
    /// fd * string or char array * start * count -> bytes written
    FileWrite "file_write" Runtime("leat_file_write"), Outside, Any;
    FileClose "file_close" Runtime("leat_file_close"), Outside, Nothing;
    FileSize "file_size" Runtime("leat_file_size"), Outside, Nothing;
    ErrorMessage "error_message" Runtime("leat_error_message"), Reads, Nothing;
    // -- time, nanoseconds
    TimeNow "time_now" Leaf("leat_time_now"), Reads, Nothing;
    TimeMonotonic "time_monotonic" Leaf("leat_time_monotonic"), Reads, Nothing;
    TimeUser "time_user" Leaf("leat_time_user"), Reads, Nothing;
    TimeSystem "time_system" Leaf("leat_time_system"), Reads, Nothing;
    /// processor time of the collector: 0 user, 1 system
    TimeGc "time_gc" Leaf("leat_time_gc"), Reads, Nothing;
    // -- collector
    /// 0 minor, others major
    GcCollect "gc_collect" Runtime("leat_gc_collect"), Writes, Nothing;
    GcMessages "gc_messages" Runtime("leat_gc_messages"), Writes, Nothing;
    /// int -> int: 0 live bytes after the last major, 1 bytes allocated, 2 minors, 3 majors, 4 heap bytes, 5 peak heap bytes,
    /// 6 ns in minors, 7 ns in majors, 8 remembered objects logged, 9 bytes promoted, 10 bytes marked.
    GcStat "gc_stat" Runtime("leat_gc_stat"), Reads, Nothing;
    GcSetNursery "gc_set_nursery" Runtime("leat_gc_set_nursery"), Writes, Nothing;
    WeakNew "weak_new" Runtime("leat_weak_new"), Reads, Nothing;
    WeakGet "weak_get" Inline, Reads, Nothing;
    /// True while not cleared.
    WeakLive "weak_live" Inline, Reads, Nothing;
    // -- threads. The type `thread` is the thread object.
    ThreadSelf "thread_self" Inline, Reads, Nothing;
    /// (unit -> unit) -> thread: made, not started, in no queue.
    ThreadNew "thread_new" Runtime("leat_thread_new"), Reads, Nothing;
    ThreadId "thread_id" Inline, Pure, Nothing;
    /// Puts a blocked or new thread at the end of the ready queue (unpark).
    ThreadReady "thread_ready" Runtime("leat_thread_ready"), Writes, Nothing;
    /// unit -> thread: takes the first thread out of the ready queue, blocked; the running one when there is none.
    ThreadTake "thread_take" Runtime("leat_thread_take"), Writes, Nothing;
    /// Puts the running thread at the end of the ready queue and runs the given one at once.
    ThreadSwitch "thread_switch" Runtime("leat_thread_switch"), Writes, Any;
    /// Blocks the running thread (which is in no queue) and runs the given one at once: the one-shot switch.
    ThreadHandoff "thread_handoff" Runtime("leat_thread_handoff"), Writes, Any;
    /// Blocks the running thread until somebody makes it ready; leaves all atomic sections. int: reason for dumps.
    ThreadPark "thread_park" Runtime("leat_thread_park"), Writes, Any;
    ThreadYield "thread_yield" Runtime("leat_thread_yield"), Writes, Any;
    ThreadExit "thread_exit" Runtime("leat_thread_exit"), Writes, Any;
    /// int (monotonic ns) -> unit: blocks until then.
    ThreadSleepUntil "thread_sleep_until" Runtime("leat_thread_sleep_until"), Writes, Any;
    /// deadline (monotonic ns) * thread * waiting * synched -> int: makes the thread ready then, unless cancelled; gives the
    /// timer's number, above 0. With the stamps of a waiter, only if it waits with the first; both 0: in any case.
    TimerStart "timer_start" Runtime("leat_timer_start"), Writes, Nothing;
    /// true when it was still waiting
    TimerCancel "timer_cancel" Runtime("leat_timer_cancel"), Writes, Nothing;
    /// int * waiter: when all threads are blocked for good, the blocked ones are reported, and the program does not end, but
    /// the waiter's event happens; once. 0: no more.
    DeadlockWatch "deadlock_watch" Runtime("leat_deadlock_watch"), Writes, Nothing;
    /// int * (unit -> unit): instead of reporting an uncaught exception of a thread other than the main one, a new thread runs
    /// the function, its `props` being the packet and its `message` the thread that has died. 0: no more.
    UncaughtHook "uncaught_hook" Runtime("leat_uncaught_hook"), Writes, Nothing;
    /// What stands in a lock that belongs to the running worker.
    WorkerMark "worker_mark" Inline, Reads, Nothing;
    /// int ref -> bool: takes a lock that is not the running worker's (`fiber::biased`), or waits a moment: false.
    LockAttempt "lock_attempt" Runtime("leat_lock_attempt"), Writes, Nothing;
    /// A short wait for another worker, which holds a lock for a few instructions.
    ThreadPause "thread_pause" Leaf("leat_thread_pause"), Writes, Nothing;
    /// cell -> cell: its first field becomes the caller's continuation. Returns again with what is thrown to that, which is
    /// another object. (So a mutable object must not become values across a call that may reach this.)
    ContCapture "cont_capture" Runtime("leat_cont_capture"), Writes, Any;
    /// cell * object: goes on where the cell was filled. Does not return.
    ContThrow "cont_throw" Runtime("leat_cont_throw"), Writes, Any;
    /// (unit -> unit): goes on with that on an empty stack. Does not return.
    ContRestart "cont_restart" Runtime("leat_cont_restart"), Writes, Any;
    ThreadProps "thread_props" Inline, Reads, Nothing;
    ThreadSetProps "thread_set_props" Inline, Writes, Nothing;
    ThreadSetLabel "thread_set_label" Inline, Writes, Nothing;
    /// thread -> int; thread * int -> unit; thread * int * int -> bool (as `ref_cas`): `Thread::stamp`
    ThreadStamp "thread_stamp" Inline, Reads, Nothing;
    ThreadSetStamp "thread_set_stamp" Inline, Writes, Nothing;
    ThreadCasStamp "thread_cas_stamp" Inline, Writes, Nothing;
    /// thread -> bool: it has ended, or has said that it will (`abi::thread::ENDING`)
    ThreadEnded "thread_ended" Leaf("leat_thread_ended"), Reads, Nothing;
    /// thread -> 'a ref; thread * 'a ref -> unit: `Thread::message`
    ThreadMessage "thread_message" Inline, Reads, Nothing;
    ThreadSetMessage "thread_set_message" Inline, Writes, Nothing;
    /// No switch at a safepoint while above 0.
    AtomicBegin "atomic_begin" Inline, Writes, Nothing;
    /// At 0 again: takes a switch that was put off.
    AtomicEnd "atomic_end" Inline, Writes, Any;
    /// 0 threads alive, 1 switches, 2 evictions, 3 steals, 4 lanes, 5 workers, 6 preemptions, 7 workers asked for at the start, 8 depth
    /// of atomic sections
    ThreadStat "thread_stat" Runtime("leat_thread_stat"), Reads, Nothing;
    WorkersSet "workers_set" Runtime("leat_workers_set"), Writes, Nothing;
    // -- watched programs; only the compiler makes these
    /// object * first * count * how ([`Access`]) -> unit: these elements are loaded or stored next, or were.
    Access "access" Runtime("leat_access"), Writes, Nothing;
    // -- numbers of many words: arrays of words, least first; the library checks ranges. Fields are (array, index, count).
    /// dst, di, dn, src, si, sn -> word: adds the second number into the first (sn <= dn); the carry.
    MpAdd "mp_add" Leaf("leat_mp_add"), Writes, Nothing;
    /// Likewise subtracts; the borrow.
    MpSub "mp_sub" Leaf("leat_mp_sub"), Writes, Nothing;
    /// dst, a, ai, an, b, bi, bn: writes the product to the first an + bn words of dst, which is neither a nor b.
    MpMul "mp_mul" Leaf("leat_mp_mul"), Writes, Nothing;
    /// dst, n, factor, addend -> word: multiplies in place and adds; the carry.
    MpMulWord "mp_mul_word" Leaf("leat_mp_mul_word"), Writes, Nothing;
    /// dst, n, divisor -> word: divides in place; the remainder.
    MpDivWord "mp_div_word" Leaf("leat_mp_div_word"), Writes, Nothing;
    /// dst, n, bits below 64 -> word: shifts in place; the bits shifted out.
    MpShl "mp_shl" Leaf("leat_mp_shl"), Writes, Nothing;
    MpShr "mp_shr" Leaf("leat_mp_shr"), Writes, Nothing;
    /// a, ai, b, bi, n -> int: -1, 0, 1
    MpCompare "mp_compare" Leaf("leat_mp_compare"), Reads, Nothing;
    /// u, j, v, n -> word: one step of long division (Knuth's D3 to D6): the digit j of the quotient, subtracted from u.
    MpDivStep "mp_div_step" Leaf("leat_mp_div_step"), Writes, Nothing;
    /// The upper half of a signed product.
    IntMulHigh "int_mul_high" Leaf("leat_int_mul_high"), Pure, Nothing;
    // -- reals
    /// To the nearest real of 32 bits and back.
    RealToSingle "real_to_single" Leaf("leat_real_to_single"), Pure, Nothing;
    /// The bits of a real of 32 bits.
    RealToBits32 "real_to_bits32" Leaf("leat_real_to_bits32"), Pure, Nothing;
    RealOfBits32 "real_of_bits32" Leaf("leat_real_of_bits32"), Pure, Nothing;
    /// 0 nearest, 1 down, 2 up, 3 to zero
    RealGetRounding "real_get_rounding" Leaf("leat_real_get_rounding"), Reads, Nothing;
    RealSetRounding "real_set_rounding" Leaf("leat_real_set_rounding"), Writes, Nothing;
    // Arithmetic of programs that set the rounding mode: what they give depends on it, so it is called, never shared or
    // moved across `real_set_rounding`. The library does not name them; the compiler puts them in.
    RealAddRounded "real_add_rounded" Leaf("leat_real_add"), Reads, Nothing;
    RealSubRounded "real_sub_rounded" Leaf("leat_real_sub"), Reads, Nothing;
    RealMulRounded "real_mul_rounded" Leaf("leat_real_mul"), Reads, Nothing;
    RealDivRounded "real_div_rounded" Leaf("leat_real_div"), Reads, Nothing;
    RealSqrtRounded "real_sqrt_rounded" Leaf("leat_real_sqrt"), Reads, Nothing;
    RealOfIntRounded "real_of_int_rounded" Leaf("leat_real_of_int"), Reads, Nothing;
    // -- files; results below 0 are negated error numbers. Where the result is a string, the error number (or 0) is put
    // into element 0 of the int array. Flags, modes and other numbers are the system's.
    /// path * flags * mode -> fd
    FileOpenWith "file_open_with" Runtime("leat_file_open_with"), Outside, Nothing;
    /// fd * offset * whence -> position
    FileSeek "file_seek" Runtime("leat_file_seek"), Outside, Nothing;
    /// path * (1 to follow a link) * int array of 11: dev ino mode nlink uid gid size atime mtime ctime (ns) rdev
    FileStat "file_stat" Runtime("leat_file_stat"), Outside, Nothing;
    FdStat "fd_stat" Runtime("leat_fd_stat"), Outside, Nothing;
    FdTruncate "fd_truncate" Runtime("leat_fd_truncate"), Outside, Nothing;
    FdSync "fd_sync" Runtime("leat_fd_sync"), Outside, Nothing;
    FileAccess "file_access" Runtime("leat_file_access"), Reads, Nothing;
    FileRemove "file_remove" Runtime("leat_file_remove"), Outside, Nothing;
    FileRename "file_rename" Runtime("leat_file_rename"), Outside, Nothing;
    FileLink "file_link" Runtime("leat_file_link"), Outside, Nothing;
    FileSymlink "file_symlink" Runtime("leat_file_symlink"), Outside, Nothing;
    /// path * int array -> string
    FileReadlink "file_readlink" Runtime("leat_file_readlink"), Writes, Nothing;
    /// path * int array -> string: without links, `.` and `..`
    FileRealpath "file_realpath" Runtime("leat_file_realpath"), Writes, Nothing;
    FileChmod "file_chmod" Runtime("leat_file_chmod"), Outside, Nothing;
    FdChmod "fd_chmod" Runtime("leat_fd_chmod"), Outside, Nothing;
    FileChown "file_chown" Runtime("leat_file_chown"), Outside, Nothing;
    FdChown "fd_chown" Runtime("leat_fd_chown"), Outside, Nothing;
    /// path * access time * modification time (ns)
    FileSetTimes "file_set_times" Runtime("leat_file_set_times"), Outside, Nothing;
    FileMkfifo "file_mkfifo" Runtime("leat_file_mkfifo"), Outside, Nothing;
    /// prefix * int array -> path of a new file; element 1 is its fd
    FileTemp "file_temp" Runtime("leat_file_temp"), Outside, Nothing;
    /// mask -> former mask
    FileUmask "file_umask" Runtime("leat_file_umask"), Writes, Nothing;
    /// path * name * int array of 1 for the error (~1: no limit) -> value
    FilePathconf "file_pathconf" Runtime("leat_file_pathconf"), Writes, Nothing;
    DirChange "dir_change" Runtime("leat_dir_change"), Outside, Nothing;
    DirMake "dir_make" Runtime("leat_dir_make"), Outside, Nothing;
    DirRemove "dir_remove" Runtime("leat_dir_remove"), Outside, Nothing;
    DirCurrent "dir_current" Runtime("leat_dir_current"), Writes, Nothing;
    /// path -> handle
    DirOpen "dir_open" Runtime("leat_dir_open"), Outside, Nothing;
    /// handle * int array -> name; the empty string at the end
    DirRead "dir_read" Runtime("leat_dir_read"), Outside, Nothing;
    DirRewind "dir_rewind" Runtime("leat_dir_rewind"), Writes, Nothing;
    DirClose "dir_close" Runtime("leat_dir_close"), Outside, Nothing;
    FdDup "fd_dup" Runtime("leat_fd_dup"), Outside, Nothing;
    FdDup2 "fd_dup2" Runtime("leat_fd_dup2"), Outside, Nothing;
    /// int array of 2: the reading and the writing end
    FdPipe "fd_pipe" Runtime("leat_fd_pipe"), Writes, Nothing;
    /// fd * command * argument -> int
    FdFcntl "fd_fcntl" Runtime("leat_fd_fcntl"), Outside, Nothing;
    FdIsatty "fd_isatty" Runtime("leat_fd_isatty"), Reads, Nothing;
    /// fd * (0 ask, 1 set) * int array of 5: kind, whence, start, length, process
    FdLock "fd_lock" Runtime("leat_fd_lock"), Outside, Nothing;
    /// fd * name * int array of 1 for the error (~1: no limit) -> value
    FdPathconf "fd_pathconf" Runtime("leat_fd_pathconf"), Writes, Nothing;
    /// fd * int array: four words of flags, two speeds, the control characters
    TtyGet "tty_get" Runtime("leat_tty_get"), Writes, Nothing;
    /// fd * when * int array
    TtySet "tty_set" Runtime("leat_tty_set"), Outside, Nothing;
    /// (0 break, 1 flush, 2 flow, 3 the foreground process group, 4 set it) * fd * argument
    TtyControl "tty_control" Runtime("leat_tty_control"), Outside, Nothing;
    /// int array of (fd, events, result) * how many -> how many are ready now; a wait for one of the others ends when it is
    FdPoll "fd_poll" Runtime("leat_fd_poll"), Writes, Nothing;
    // -- processes
    ProcessFork "process_fork" Runtime("leat_process_fork"), Outside, Nothing;
    /// path * arguments * environment (both: each ends in NUL) * (1 to search the path, 2 to use the environment)
    ProcessExec "process_exec" Runtime("leat_process_exec"), Outside, Nothing;
    /// likewise * int array of 3: descriptors for standard input, output, error -> pid
    ProcessSpawn "process_spawn" Runtime("leat_process_spawn"), Outside, Nothing;
    /// pid * options * int array: the status -> pid
    ProcessWait "process_wait" Runtime("leat_process_wait"), Outside, Any;
    ProcessKill "process_kill" Runtime("leat_process_kill"), Outside, Any;
    /// 0 pid, 1 parent, 2 uid, 3 effective uid, 4 gid, 5 effective gid, 6 process group, 7 session
    ProcessId "process_id" Runtime("leat_process_id"), Reads, Nothing;
    /// Ends the process without flushing or running anything.
    ProcessExitNow "process_exit_now" Runtime("leat_process_exit_now"), Outside, Any;
    /// seconds -> seconds that were left of the last one
    ProcessAlarm "process_alarm" Runtime("leat_process_alarm"), Outside, Nothing;
    ProcessPause "process_pause" Runtime("leat_process_pause"), Outside, Any;
    /// (0 setuid, 1 setgid, 2 setpgid of a and b, 3 setsid, 4 nice) * a * b
    ProcessSet "process_set" Runtime("leat_process_set"), Outside, Nothing;
    /// 0 sysname, 1 nodename, 2 release, 3 version, 4 machine, 5 controlling terminal, 6 login, 7 whole environment, each
    /// entry followed by NUL, 8 supplementary groups, likewise
    SystemText "system_text" Runtime("leat_system_text"), Reads, Nothing;
    /// name * int array of 1 for the error (~1: no limit) -> value
    SystemConf "system_conf" Runtime("leat_system_conf"), Writes, Nothing;
    /// name (or number as text) * (0 user by name, 1 by uid, 2 group by name, 3 by gid) -> fields, each followed by NUL
    SystemAccount "system_account" Runtime("leat_system_account"), Reads, Nothing;
    /// seconds * int array: offset of the local zone in seconds, 1 when summer time
    TimeZone "time_zone" Runtime("leat_time_zone"), Writes, Nothing;
    /// name * value -> 0 or minus an error number
    EnvSet "env_set" Runtime("leat_env_set"), Writes, Nothing;
    /// resource * int array of 2: the soft and the hard limit, ~1 for none
    LimitGet "limit_get" Runtime("leat_limit_get"), Writes, Nothing;
    LimitSet "limit_set" Runtime("leat_limit_set"), Outside, Nothing;
    /// 0 user, 1 system time of ended children, ns
    TimeChildren "time_children" Runtime("leat_time_children"), Reads, Nothing;
    /// Like `print`, but it may stay in the buffer until that is flushed; on a terminal to a line's end.
    WriteOut "write_out" Runtime("leat_write_out"), Writes, Any;
    /// Whether `print` has left something in the buffer.
    OutDue "out_due" Leaf("leat_out_due"), Writes, Nothing;
    /// Writes that out; the thread waits when it must. Then `out_due` tells; below 0: it cannot be waited for. The compiler
    /// puts these two in.
    OutSettle "out_settle" Runtime("leat_out_settle"), Writes, Any;
    /// A word nobody can foretell.
    RandomWord "random_word" Runtime("leat_random_word"), Reads, Nothing;
    /// 'a -> int: bytes of all objects reachable from it
    ObjectSize "object_size" Runtime("leat_object_size"), Reads, Nothing;
    // -- waiting for descriptors. A read, a write or a call of a socket that would block gives -EAGAIN: then wait, and call again.
    /// fd * mode (0 to read, 1 to write; 2 more when an earlier call gave 0) -> 1: try again; 0: not yet, call again; or an error
    FdWait "fd_wait" Runtime("leat_fd_wait"), Writes, Any;
    /// fd * (0 to read, 1 to write) * thread or waiter -> number; 0: ready now; or an error. That of a thread is to be ended.
    FdWatch "fd_watch" Runtime("leat_fd_watch"), Writes, Nothing;
    /// Ends a waiter: 0 it was given up, 1 the descriptor was ready, 2 it was closed.
    FdUnwatch "fd_unwatch" Runtime("leat_fd_unwatch"), Writes, Nothing;
    /// The same without ending it: 0 it waits.
    FdWatched "fd_watched" Runtime("leat_fd_watched"), Writes, Nothing;
    /// fd * (0 to read, 1 to write) -> whether the system says so now; after 0 a wait ends when it is
    FdReady "fd_ready" Runtime("leat_fd_ready"), Writes, Nothing;
    /// fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of
    IoListen "io_listen" Runtime("leat_io_listen"), Writes, Nothing;
    /// Fills an int array with fd * 4 + what it is ready for: how many; 0: the running thread is made ready when there are
    IoTake "io_take" Runtime("leat_io_take"), Writes, Nothing;
    /// deadline (monotonic ns) * record of references -> number of a timer, at whose time the record is due
    TimeoutStart "timeout_start" Runtime("leat_timeout_start"), Writes, Nothing;
    /// How many of them are due.
    TimeoutDue "timeout_due" Runtime("leat_timeout_due"), Writes, Nothing;
    /// The one that is due longest, its number into an int array; there is one.
    TimeoutTake "timeout_take" Runtime("leat_timeout_take"), Writes, Nothing;
    /// 0 descriptors registered, 1 waiters, 2 OS threads of the pool, 3 its jobs, 4 timers
    IoStat "io_stat" Runtime("leat_io_stat"), Writes, Nothing;
    /// kind * text * a * b -> number of a job, on an OS thread of its own: 0 a shell's command -> wait status; 1 until child a can
    /// be waited for; 2 addresses of a host (a: family); 3 name of an address; 4 opens a file (a: flags, b: mode); 5 waits for a lock; 6 for a
    /// terminal
    JobStart "job_start" Runtime("leat_job_start"), Outside, Nothing;
    /// 1: it is done; 0: call again
    JobWait "job_wait" Runtime("leat_job_wait"), Writes, Any;
    /// number * thread: 1: it is done; 0: the thread is made ready when it is
    JobWatch "job_watch" Runtime("leat_job_watch"), Writes, Nothing;
    /// number * int array -> text of the answer; its number (below 0: an error) in the array
    JobTake "job_take" Runtime("leat_job_take"), Writes, Nothing;
    /// Nobody wants to know any more.
    JobDrop "job_drop" Runtime("leat_job_drop"), Writes, Nothing;
    /// pid -> fd that can be read when the process has ended
    ProcessOpen "process_open" Runtime("leat_process_open"), Writes, Nothing;
    /// pid -> whether the child has ended and can be waited for, or is none
    ProcessEnded "process_ended" Runtime("leat_process_ended"), Reads, Nothing;
    // -- sockets, with the system's numbers; addresses are strings of bytes as the system has them
    /// domain * type * protocol -> fd
    SocketNew "socket_new" Runtime("leat_socket_new"), Writes, Nothing;
    /// domain * type * protocol * int array of 2
    SocketPair "socket_pair" Runtime("leat_socket_pair"), Writes, Nothing;
    /// fd * address
    SocketBind "socket_bind" Runtime("leat_socket_bind"), Outside, Nothing;
    /// fd * address; EINPROGRESS: decided when it can be written to
    SocketConnect "socket_connect" Runtime("leat_socket_connect"), Outside, Nothing;
    /// fd * length of the queue
    SocketListen "socket_listen" Runtime("leat_socket_listen"), Outside, Nothing;
    /// fd * (1 to ask whatever is known) * byte array for the address * int array for its length -> fd
    SocketAccept "socket_accept" Runtime("leat_socket_accept"), Outside, Nothing;
    /// fd * (0 its own, 1 its peer's) * int array for the error -> address
    SocketName "socket_name" Runtime("leat_socket_name"), Writes, Nothing;
    /// (fd + flags * 2^32; flag 2^30: ask whatever is known) * bytes * start * count -> bytes sent
    SocketSend "socket_send" Runtime("leat_socket_send"), Outside, Nothing;
    /// likewise * address
    SocketSendTo "socket_send_to" Runtime("leat_socket_send_to"), Outside, Nothing;
    /// (fd + flags * 2^32) * byte array * start * count -> bytes received
    SocketReceive "socket_receive" Runtime("leat_socket_receive"), Outside, Nothing;
    /// (fd + flags * 2^32) * byte array * (start + count * 2^32) * byte array for the address * int array for its length
    SocketReceiveFrom "socket_receive_from" Runtime("leat_socket_receive_from"), Outside, Nothing;
    /// fd * (0 reading, 1 writing, 2 both)
    SocketShutdown "socket_shutdown" Runtime("leat_socket_shutdown"), Outside, Nothing;
    /// fd * level * name * int array of 2: the option's value
    SocketGet "socket_get" Runtime("leat_socket_get"), Writes, Nothing;
    /// fd * level * name * int array of 2 * how many of its ints count
    SocketSet "socket_set" Runtime("leat_socket_set"), Outside, Nothing;
    /// fd * (0 bytes to read, 1 whether at the mark)
    SocketAsk "socket_ask" Runtime("leat_socket_ask"), Writes, Nothing;
    /// (0 protocol by name, 1 by number, 2 service by name/protocol, 3 by port/protocol) * key -> fields, each followed by NUL;
    /// 4: this host's name
    NetEntry "net_entry" Runtime("leat_net_entry"), Writes, Nothing;
    /// As `print` and `print_err`: 0; -EAGAIN when what is to be written out does not go now: then wait, and go on by `out_drain`.
    /// So do `write_out` and `flush_out` with a result of type int.
    PrintOut "print_out" Runtime("leat_print"), Writes, Any;
    PrintErrOut "print_err_out" Runtime("leat_print_err"), Outside, Any;
    /// Goes on after a wait with what gave -EAGAIN: fd (1, 2) * (0 enough for more printing, 1 what is printed, 2 all)
    OutDrain "out_drain" Runtime("leat_out_drain"), Writes, Any;
    // -- signals
    /// Registers what is called when signals have come: it takes them.
    SignalServe "signal_serve" Runtime("leat_signal_serve"), Writes, Nothing;
    /// The next signal plus 256 times how often it came; 0: none
    SignalTake "signal_take" Runtime("leat_signal_take"), Writes, Nothing;
    /// bits of signals not to be served for now -> the former ones
    SignalMask "signal_mask" Runtime("leat_signal_mask"), Writes, Nothing;
    /// Bits of signals that have come and are not served.
    SignalPending "signal_pending" Runtime("leat_signal_pending"), Writes, Nothing;
    /// signal * (0 default, 1 ignore, 2 serve, 3 only ask) -> the former, or an error
    SignalSet "signal_set" Runtime("leat_signal_set"), Writes, Nothing;
    /// (0 real, 1 virtual, 2 profiling) * interval * value (ns)
    ItimerSet "itimer_set" Runtime("leat_itimer_set"), Outside, Nothing;
    /// (0 a mark, 1 the running thread's name) * text: for a trace, if there is one
    TraceMark "trace_mark" Runtime("leat_trace_mark"), Writes, Nothing;
}

impl Prim {
    /// The primitive of this name.
    pub fn by_name(name: &str) -> Option<Prim> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The primitive with this number (`as u16`).
    pub fn by_number(number: u16) -> Option<Prim> {
        TABLE.get(number as usize).map(|row| row.0)
    }

    /// Every primitive, in order.
    pub fn all() -> impl Iterator<Item = Prim> {
        TABLE.iter().map(|row| row.0)
    }

    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    pub fn lower(self) -> Lower {
        TABLE[self as usize].2
    }

    pub fn effect(self) -> Effect {
        TABLE[self as usize].3
    }

    pub fn raises(self) -> Raises {
        TABLE[self as usize].4
    }

    /// It writes: memory, or the world.
    pub fn writes(self) -> bool {
        matches!(self.effect(), Effect::Writes | Effect::Outside)
    }
}

/// Runtime entries that compiled code calls without a primitive of the library: (symbol of the stub, what it is for).
/// `leat_gc` and `leat_poll` keep every register (`preserve_all`); the others are `system_v`.
pub mod stub {
    /// rdi = bytes wanted: collects, or serves a safepoint, until `alloc + bytes <= alloc_limit`. Keeps all registers.
    pub const GC: &str = "leat_gc_stub";
    /// A loop's poll found `poll` set. Keeps all registers.
    pub const POLL: &str = "leat_poll_stub";
    /// Entry check found `rsp < stack_limit`: a safepoint, or the stack is used up (raises StackOverflow). Keeps all registers.
    pub const STACK_CHECK: &str = "leat_stack_check_stub";
    /// rdi = packet: finds the handler and goes there. No return.
    pub const RAISE: &str = "leat_raise_stub";
    /// rdi = number of the builtin exception: raises its packet. No return.
    pub const RAISE_BUILTIN: &str = "leat_raise_builtin_stub";
    /// rdi = object: logs an old object at its first mutation. Keeps all registers.
    pub const WRITE_BARRIER: &str = "leat_write_barrier_stub";
    /// rdi = array, rsi = address of the element: likewise for arrays of references. Keeps all registers.
    pub const ARRAY_BARRIER: &str = "leat_array_barrier_stub";
    /// `atomic_end` came to 0 while a safepoint was asked for. Keeps all registers.
    pub const ATOMIC_END: &str = "leat_atomic_end_stub";
    /// Likewise each, for code that handles what they raise: they come back, and the packet is in `pending_exn`.
    pub const GC_HANDLED: &str = "leat_gc_handled_stub";
    pub const POLL_HANDLED: &str = "leat_poll_handled_stub";
    pub const ATOMIC_END_HANDLED: &str = "leat_atomic_end_handled_stub";
    /// Jumped to in place of a return, by the tail convention: its arguments are the results, `RETURNED` integers at most.
    pub const RETURN: &str = "leat_return_stub";
    pub const RETURNED: usize = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_are_unique() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, i);
            assert_eq!(Prim::by_name(row.1), Some(row.0), "{} stands twice", row.1);
        }
    }
}
