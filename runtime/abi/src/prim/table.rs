//! The table of primitives: chapter by chapter, a row each; [`crate::prim`] says what stands in a row.

use super::row::{Also, Effect, Lower, Raises, Row, Stub};
use crate::exn::Builtin;

/// The second column of a row: how the primitive is called, and who makes its stub.
macro_rules! way {
    (Inline) => {
        (Lower::Inline, Stub::None)
    };
    (Leaf) => {
        (Lower::Leaf, Stub::None)
    };
    (Runtime) => {
        (Lower::Runtime, Stub::Plain)
    };
    (Quick) => {
        (Lower::Runtime, Stub::Quick)
    };
    (Fast) => {
        (Lower::Runtime, Stub::Fast)
    };
}

/// What the library declares: what the row says, or the one declaration that the name and the type make.
#[cfg(test)]
macro_rules! declared {
    ($text:literal, $ty:literal,) => {
        None
    };
    ($text:literal, $ty:literal, [$($name:ident: $instance:literal),*]) => {
        Some(&[$((stringify!($name), $instance)),*])
    };
}

macro_rules! prims {
    ($($(#[doc = $about:literal])* chapter $chapter:ident {
        $($(#[doc = $doc:literal])* $name:ident $text:literal: $ty:literal, $way:ident, $effect:ident, $raises:expr
            $(, $also:ident)* $(=> $declared:tt)?;)*
    })*) => {
        /// Every primitive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Prim { $($($(#[doc = $doc])* $name),*),* }

        pub(super) const ALL: &[Prim] = &[$($(Prim::$name),*),*];

        /// What is said of each, in the same order.
        pub(super) const TABLE: &[Row] = {
            use Raises::*;
            use Builtin as B;
            &[$($(Row {
                name: $text,
                ty: $ty,
                #[cfg(test)]
                about: &[$($doc),*],
                chapter: stringify!($chapter),
                lower: way!($way).0,
                stub: way!($way).1,
                effect: Effect::$effect,
                raises: $raises,
                also: &[$(Also::$also),*],
                #[cfg(test)]
                declared: declared!($text, $ty, $($declared)?),
                symbol: concat!("leat_", $text),
                entry: concat!("leat_", $text, "_stub"),
            }),*),*]
        };

        /// The chapters in order, and what is said of each.
        #[cfg(test)]
        pub(super) const CHAPTERS: &[(&str, &[&str])] = &[$((stringify!($chapter), &[$($about),*])),*];
    };
}

prims! {
    /// Foreign functions: runtime/abi/src/foreign.rs has the texts and the blocks.
    chapter foreign {
        /// Applied to the text of a function at each place, it is the function: Mono makes it one of those that only
        /// the compiler has.
        Foreign "foreign": "string -> 'a", Inline, Pure, Nothing;
        /// A call by way of the runtime, with the address of a block.
        ForeignGo "foreign_go": "word -> int", Fast, Writes, Nothing;
        /// Memory of C for a block of so many words, all 0.
        ForeignBlock "foreign_block": "int -> word", Runtime, Writes, Nothing;
        /// A copy of a string, an array or a vector in memory of C.
        ForeignCopy "foreign_copy": "'a -> word", Runtime, Writes, Nothing;
        /// The function of the block is called on an OS thread of the pool: the job's number, for `job_wait`.
        ForeignBegin "foreign_begin": "word -> int", Runtime, Writes, Nothing;
        /// The end of a copy. 1: its bytes are the object's from here on.
        ForeignBack "foreign_back": "word * 'a * int -> unit", Runtime, Writes, Nothing;
        /// The end of a block, and of the job.
        ForeignEnd "foreign_end": "word * int -> unit", Runtime, Writes, Nothing;
        /// A C stack, at whose upper end is a block of so many words. If the block has words for arguments on the
        /// stack, or behind them, all of its words are 0.
        ForeignStack "foreign_stack": "int -> word", Fast, Writes, One(B::OutOfMemory);
        /// Calls the function of the block on that stack. 0: C has returned; else the state of the call, in which C
        /// wants a function of SML.
        ForeignEnter "foreign_enter": "word -> word", Fast, Writes, Nothing;
        /// C goes on behind its call of SML, likewise. The state * the call's serial as it was when C began to wait.
        /// Fail is raised if C has gone on already.
        ForeignResume "foreign_resume": "word * word -> word", Fast, Writes, One(B::Fail);
        /// The function that C wants; it takes the address of its arguments.
        ForeignFunction "foreign_function": "word -> 'a", Leaf, Writes, Nothing;
        /// An exception was raised while C waits for SML: it is kept for the end of the call, and C gets 0. The block *
        /// the word before the block, which tells its calls from each other * the exception -> the state in which C
        /// waits; 0: it does not.
        ForeignFailed "foreign_failed": "word * word * exn -> word", Runtime, Writes, Nothing;
        /// Likewise of a call of an OS thread, with its state: the exception is reported.
        ForeignReport "foreign_report": "word * exn -> unit", Runtime, Writes, Nothing;
        /// The end of the stack with this block: raises what is kept.
        ForeignLeave "foreign_leave": "word -> unit", Fast, Writes, Any;
        /// A function that takes the address of its arguments * what serves OS threads of C's * the address of a
        /// variable, or 0 * its place and name * what is said of its registers (`callback::traits`) -> the address by
        /// which C calls it. The variable gets that too.
        ForeignExport "foreign_export": "'a * (unit -> unit) * word * string * int -> word", Runtime, Writes, Two(B::OutOfMemory, B::Fail);
        /// C does not call the function of this address any more.
        ForeignFree "foreign_free": "word -> unit", Runtime, Writes, One(B::Fail);
        /// The next call of an OS thread that is no worker: its state, as of `foreign_enter`; or 0.
        ForeignNext "foreign_next": "unit -> word", Runtime, Writes, Nothing;
        /// That call is answered.
        ForeignAnswer "foreign_answer": "word -> unit", Runtime, Writes, Nothing;
    }
    /// int: 64 bits, checked. div and mod round down, quot and rem to zero.
    chapter ints {
        IntAdd "int_add": "int * int -> int", Inline, Pure, One(B::Overflow);
        IntSub "int_sub": "int * int -> int", Inline, Pure, One(B::Overflow);
        IntMul "int_mul": "int * int -> int", Inline, Pure, One(B::Overflow);
        IntDiv "int_div": "int * int -> int", Inline, Pure, Two(B::Div, B::Overflow);
        IntMod "int_mod": "int * int -> int", Inline, Pure, One(B::Div);
        IntQuot "int_quot": "int * int -> int", Inline, Pure, Two(B::Div, B::Overflow);
        IntRem "int_rem": "int * int -> int", Inline, Pure, One(B::Div);
        IntNeg "int_neg": "int -> int", Inline, Pure, One(B::Overflow);
        IntAbs "int_abs": "int -> int", Inline, Pure, One(B::Overflow);
        IntLt "int_lt": "int * int -> bool", Inline, Pure, Nothing;
        IntLe "int_le": "int * int -> bool", Inline, Pure, Nothing;
        IntGt "int_gt": "int * int -> bool", Inline, Pure, Nothing;
        IntGe "int_ge": "int * int -> bool", Inline, Pure, Nothing;
        IntEq "int_eq": "int * int -> bool", Inline, Pure, Nothing;
        /// int -> string with `~`
        IntToString "int_to_string": "int -> string", Quick, Pure, Nothing;
        /// The upper half of a signed product.
        IntMulHigh "int_mul_high": "int * int -> int", Leaf, Pure, Nothing;
    }
    /// word: 64 bits, modular; shift counts of 64 and more give 0 (or the sign). word8 is kept zero-extended. Then
    /// reinterpretations and truncations between integer-like types.
    chapter words {
        WordAdd "word_add": "integer * integer -> integer", Inline, Pure, Nothing => [
            word_add: "word * word -> word",
            word_add_ints: "int * int -> int"
        ];
        WordSub "word_sub": "integer * integer -> integer", Inline, Pure, Nothing => [
            word_sub: "word * word -> word",
            word_sub_ints: "int * int -> int"
        ];
        WordMul "word_mul": "word * word -> word", Inline, Pure, Nothing;
        WordDiv "word_div": "word * word -> word", Inline, Pure, One(B::Div);
        WordMod "word_mod": "word * word -> word", Inline, Pure, One(B::Div);
        WordNeg "word_neg": "word -> word", Inline, Pure, Nothing;
        WordLt "word_lt": "word * word -> bool", Inline, Pure, Nothing;
        WordLe "word_le": "word * word -> bool", Inline, Pure, Nothing;
        WordGt "word_gt": "word * word -> bool", Inline, Pure, Nothing;
        WordGe "word_ge": "word * word -> bool", Inline, Pure, Nothing;
        WordAnd "word_and": "integer * integer -> integer", Inline, Pure, Nothing => [
            word_and: "word * word -> word",
            word_and_ints: "int * int -> int"
        ];
        WordOr "word_or": "word * word -> word", Inline, Pure, Nothing;
        WordXor "word_xor": "word * word -> word", Inline, Pure, Nothing;
        WordNot "word_not": "word -> word", Inline, Pure, Nothing;
        WordShl "word_shl": "word * word -> word", Inline, Pure, Nothing;
        WordShr "word_shr": "integer * integer -> integer", Inline, Pure, Nothing => [
            word_shr: "word * word -> word",
            word_shr_ints: "int * int -> int"
        ];
        WordSar "word_sar": "word * word -> word", Inline, Pure, Nothing;
        /// The same 64 bits at another type: int, word, char, word8 as the annotation says. The library checks ranges
        /// first.
        Bits "bits": "number -> number", Inline, Pure, Nothing => [bits: "'a -> 'b"];
        /// Low 8, 16, 32 bits, zero-extended.
        Zext8 "zext8": "integer -> integer", Inline, Pure, Nothing => [zext8: "'a -> 'b"];
        Zext16 "zext16": "integer -> integer", Inline, Pure, Nothing => [zext16: "'a -> 'b"];
        Zext32 "zext32": "integer -> integer", Inline, Pure, Nothing => [zext32: "'a -> 'b"];
        /// Low 8, 16, 32 bits, sign-extended.
        Sext8 "sext8": "integer -> integer", Inline, Pure, Nothing => [sext8: "'a -> 'b"];
        Sext16 "sext16": "integer -> integer", Inline, Pure, Nothing => [sext16: "'a -> 'b"];
        Sext32 "sext32": "integer -> integer", Inline, Pure, Nothing => [sext32: "'a -> 'b"];
        Word8Add "word8_add": "word8 * word8 -> word8", Inline, Pure, Nothing;
        Word8Sub "word8_sub": "word8 * word8 -> word8", Inline, Pure, Nothing;
        Word8Mul "word8_mul": "word8 * word8 -> word8", Inline, Pure, Nothing;
        Word8Div "word8_div": "word8 * word8 -> word8", Inline, Pure, One(B::Div);
        Word8Mod "word8_mod": "word8 * word8 -> word8", Inline, Pure, One(B::Div);
        Word8Neg "word8_neg": "word8 -> word8", Inline, Pure, Nothing;
        Word8Lt "word8_lt": "word8 * word8 -> bool", Inline, Pure, Nothing;
        Word8Le "word8_le": "word8 * word8 -> bool", Inline, Pure, Nothing;
        Word8Gt "word8_gt": "word8 * word8 -> bool", Inline, Pure, Nothing;
        Word8Ge "word8_ge": "word8 * word8 -> bool", Inline, Pure, Nothing;
    }
    /// char.
    chapter chars {
        CharLt "char_lt": "char * char -> bool", Inline, Pure, Nothing;
        CharLe "char_le": "char * char -> bool", Inline, Pure, Nothing;
        CharGt "char_gt": "char * char -> bool", Inline, Pure, Nothing;
        CharGe "char_ge": "char * char -> bool", Inline, Pure, Nothing;
    }
    /// real: arithmetic, the functions of Math, text, bits, reals of 32 bits, rounding.
    chapter reals {
        RealAdd "real_add": "real * real -> real", Inline, Pure, Nothing;
        RealSub "real_sub": "real * real -> real", Inline, Pure, Nothing;
        RealMul "real_mul": "real * real -> real", Inline, Pure, Nothing;
        RealDiv "real_div": "real * real -> real", Inline, Pure, Nothing;
        RealNeg "real_neg": "real -> real", Inline, Pure, Nothing;
        RealAbs "real_abs": "real -> real", Inline, Pure, Nothing;
        RealLt "real_lt": "real * real -> bool", Inline, Pure, Nothing;
        RealLe "real_le": "real * real -> bool", Inline, Pure, Nothing;
        RealGt "real_gt": "real * real -> bool", Inline, Pure, Nothing;
        RealGe "real_ge": "real * real -> bool", Inline, Pure, Nothing;
        RealEq "real_eq": "real * real -> bool", Inline, Pure, Nothing;
        RealSqrt "real_sqrt": "real -> real", Inline, Pure, Nothing;
        RealFloor "real_floor": "real -> real", Inline, Pure, Nothing;
        RealCeil "real_ceil": "real -> real", Inline, Pure, Nothing;
        RealTrunc "real_trunc": "real -> real", Inline, Pure, Nothing;
        /// To the nearest integral real, ties to even.
        RealRound "real_round": "real -> real", Inline, Pure, Nothing;
        RealOfInt "real_of_int": "int -> real", Inline, Pure, Nothing;
        /// A real that is integral and in range, to int; the library checks first. Out of range gives an unspecified
        /// int.
        RealToIntUnsafe "real_to_int_unsafe": "real -> int", Inline, Pure, Nothing;
        RealToBits "real_to_bits": "real -> word", Inline, Pure, Nothing;
        RealOfBits "real_of_bits": "word -> real", Inline, Pure, Nothing;
        RealSin "real_sin": "real -> real", Leaf, Pure, Nothing;
        RealCos "real_cos": "real -> real", Leaf, Pure, Nothing;
        RealTan "real_tan": "real -> real", Leaf, Pure, Nothing;
        RealAsin "real_asin": "real -> real", Leaf, Pure, Nothing;
        RealAcos "real_acos": "real -> real", Leaf, Pure, Nothing;
        RealAtan "real_atan": "real -> real", Leaf, Pure, Nothing;
        RealAtan2 "real_atan2": "real * real -> real", Leaf, Pure, Nothing;
        RealExp "real_exp": "real -> real", Leaf, Pure, Nothing;
        RealLn "real_ln": "real -> real", Leaf, Pure, Nothing;
        RealLog10 "real_log10": "real -> real", Leaf, Pure, Nothing;
        RealPow "real_pow": "real * real -> real", Leaf, Pure, Nothing;
        RealSinh "real_sinh": "real -> real", Leaf, Pure, Nothing;
        RealCosh "real_cosh": "real -> real", Leaf, Pure, Nothing;
        RealTanh "real_tanh": "real -> real", Leaf, Pure, Nothing;
        RealRem "real_rem": "real * real -> real", Leaf, Pure, Nothing;
        /// real * int (mode: 0 SCI, 1 FIX, 2 GEN, 3 EXACT, 4 the toString of the Basis, 5 that with all digits that are
        /// needed, 6 EXACT of a real of 32 bits) * int (digits) -> string
        RealFmt "real_fmt": "real * int * int -> string", Quick, Reads, Nothing;
        /// string (C-like syntax or with ~, already checked by the library) -> real, in the rounding mode that is set
        RealOfString "real_of_string": "string -> real", Leaf, Reads, Nothing;
        /// Likewise, to a real of 32 bits: the number of the text is rounded once.
        SingleOfString "single_of_string": "string -> real", Leaf, Reads, Nothing;
        /// To a real of 32 bits, in the rounding mode that is set, and back.
        RealToSingle "real_to_single": "real -> real", Leaf, Reads, Nothing;
        /// The bits of a real of 32 bits.
        RealToBits32 "real_to_bits32": "real -> word", Leaf, Pure, Nothing;
        RealOfBits32 "real_of_bits32": "word -> real", Leaf, Pure, Nothing;
        /// 0 nearest, 1 down, 2 up, 3 to zero
        RealGetRounding "real_get_rounding": "unit -> int", Leaf, Reads, Nothing;
        RealSetRounding "real_set_rounding": "int -> unit", Leaf, Writes, Nothing;
        RealAddRounded "real_add_rounded": "real * real -> real", Leaf, Reads, Nothing => [];
        RealSubRounded "real_sub_rounded": "real * real -> real", Leaf, Reads, Nothing => [];
        RealMulRounded "real_mul_rounded": "real * real -> real", Leaf, Reads, Nothing => [];
        RealDivRounded "real_div_rounded": "real * real -> real", Leaf, Reads, Nothing => [];
        RealSqrtRounded "real_sqrt_rounded": "real -> real", Leaf, Reads, Nothing => [];
        RealOfIntRounded "real_of_int_rounded": "int -> real", Leaf, Reads, Nothing => [];
    }
    /// string: a vector of char.
    chapter strings {
        StringSize "string_size": "string -> int", Inline, Pure, Nothing;
        StringSub "string_sub": "string * int -> char", Inline, Pure, One(B::Subscript);
        StringSubUnsafe "string_sub_unsafe": "string * int -> char", Inline, Pure, Nothing;
        StringEq "string_eq": "string * string -> bool", Leaf, Pure, Nothing;
        /// -1, 0, 1
        StringCompare "string_compare": "string * string -> int", Leaf, Pure, Nothing;
        StringLt "string_lt": "string * string -> bool", Inline, Pure, Nothing;
        StringLe "string_le": "string * string -> bool", Inline, Pure, Nothing;
        StringGt "string_gt": "string * string -> bool", Inline, Pure, Nothing;
        StringGe "string_ge": "string * string -> bool", Inline, Pure, Nothing;
        StringConcat "string_concat": "string * string -> string", Quick, Pure, One(B::Size);
        /// string * start * count -> string; range checked by the library.
        StringExtractUnsafe "string_extract_unsafe": "string * int * int -> string", Quick, Pure, Nothing;
    }
    /// 'a ref.
    chapter refs {
        RefNew "ref_new": "'a -> 'a ref", Inline, Reads, Nothing;
        RefGet "ref_get": "'a ref -> 'a", Inline, Reads, Nothing;
        RefSet "ref_set": "'a ref * 'a -> unit", Inline, Writes, Nothing;
        /// Pointer equality of refs, arrays, threads.
        PtrEq "ptr_eq": "'a * 'a -> bool", Inline, Pure, Nothing;
        /// 'a ref * 'a * 'a -> bool: when it holds the first (as a word), stores the second. Sequentially consistent.
        RefCas "ref_cas": "'a ref * 'a * 'a -> bool", Inline, Writes, Nothing;
    }
    /// Arrays and vectors; a vector is an array that nobody updates.
    chapter arrays {
        /// int * 'a -> 'a array; raises Size.
        ArrayNew "array_new": "int * 'a -> 'a array", Quick, Reads, One(B::Size), TakesShape;
        /// int -> 'a array for the library to fill: raw elements have any bits, references are immediate 1; raises
        /// Size.
        ArrayNewUninit "array_new_uninit": "int -> 'a array", Quick, Reads, One(B::Size), TakesShape;
        ArrayLength "array_length": "'a seq -> int", Inline, Pure, Nothing => [
            array_length: "'a array -> int",
            array_length_of_vector: "'a vector -> int"
        ];
        ArraySub "array_sub": "'a array * int -> 'a", Inline, Reads, One(B::Subscript);
        ArrayUpdate "array_update": "'a array * int * 'a -> unit", Inline, Writes, One(B::Subscript);
        ArraySubUnsafe "array_sub_unsafe": "'a array * int -> 'a", Inline, Reads, Nothing;
        ArrayUpdateUnsafe "array_update_unsafe": "'a array * int * 'a -> unit", Inline, Writes, Nothing;
        /// Whether the value, read from this array, is what `array_new_uninit` put there in place of an address: then
        /// no use may be made of it. False at types whose values are not all addresses: what is there is one of them,
        /// though nobody stored it.
        ArrayLacks "array_lacks": "'a array * 'a -> bool", Inline, Pure, Nothing;
        /// Of an immutable vector or string: the load may be shared.
        VectorSub "vector_sub": "'a vector * int -> 'a", Inline, Pure, One(B::Subscript);
        VectorSubUnsafe "vector_sub_unsafe": "'a vector * int -> 'a", Inline, Pure, Nothing;
        /// src * src index * dst * dst index * count -> unit; ranges checked by the library; may overlap. Arrays of one
        /// element type.
        ArrayCopyUnsafe "array_copy_unsafe": "'a seq * int * 'a array * int * int -> unit", Quick, Writes, Nothing => [
            array_copy_unsafe: "'a array * int * 'a array * int * int -> unit",
            array_copy_of_vector: "'a vector * int * 'a array * int * int -> unit"
        ];
        /// 'a array -> 'a vector and back, without a copy.
        Cast "cast": "'a -> 'b", Inline, Pure, Nothing;
    }
    /// Numbers of many words: arrays of words, least first; the library checks ranges. Fields are (array, index,
    /// count). Nobody can stop the program meanwhile, so no call has more than 16384 words, or 200,000 products of
    /// words.
    chapter bignum {
        /// dst, di, dn, src, si, sn -> word: adds the second number into the first (sn <= dn); the carry.
        MpAdd "mp_add": "word array * int * int * word array * int * int -> word", Leaf, Writes, Nothing;
        /// Likewise subtracts; the borrow.
        MpSub "mp_sub": "word array * int * int * word array * int * int -> word", Leaf, Writes, Nothing;
        /// dst, a, ai, an, b, bi, bn, room: writes the product to the first an + bn words of dst, which is neither a
        /// nor b. If the shorter one has n >= 32 words, the room has 8 n + 256, else none is needed.
        MpMul "mp_mul": "word array * word array * int * int * word array * int * int * word array -> unit",
            Leaf, Writes, Nothing;
        /// dst, n, factor, addend -> word: multiplies in place and adds; the carry.
        MpMulWord "mp_mul_word": "word array * int * word * word -> word", Leaf, Writes, Nothing;
        /// dst, di, n, divisor, rest -> word: divides in place, with a word above that is less than the divisor; the
        /// remainder.
        MpDivWord "mp_div_word": "word array * int * int * word * word -> word", Leaf, Writes, Nothing;
        /// dst, di, n, bits below 64, bits -> word: shifts in place, these bits in and others out, which it gives.
        MpShl "mp_shl": "word array * int * int * word * word -> word", Leaf, Writes, Nothing;
        MpShr "mp_shr": "word array * int * int * word * word -> word", Leaf, Writes, Nothing;
        /// a, ai, b, bi, n -> int: -1, 0, 1
        MpCompare "mp_compare": "word array * int * word array * int * int -> int", Leaf, Reads, Nothing;
        /// q, qi, u, ui, v, vi, n, m: long division of u's n + m words by v's n, which are 2 at least, have their
        /// uppermost bit set, and are more than u's uppermost n: m words of q are written, the remainder stays in u.
        MpDivDigits "mp_div_digits": "word array * int * word array * int * word array * int * int * int -> unit",
            Leaf, Writes, Nothing;
        /// u, v, n, inverse -> word: Montgomery's reduction: multiples of v's n words, an odd number, are added to u's
        /// 2 n until the lower n are 0; the inverse is that of -v modulo 2^64. The carry.
        MpReduce "mp_reduce": "word array * word array * int * word -> word", Leaf, Writes, Nothing;
    }
    /// Exceptions and where they were raised.
    chapter exceptions {
        /// exn -> string
        ExnName "exn_name": "exn -> string", Inline, Pure, Nothing;
        /// exn -> int: how its argument is represented, see `exn::Argument`.
        ExnArgKind "exn_arg_kind": "exn -> int", Inline, Pure, Nothing;
        /// exn -> string, when the kind says String; likewise Int; the library looks first.
        ExnArgString "exn_arg_string": "exn -> string", Inline, Pure, Nothing;
        ExnArgInt "exn_arg_int": "exn -> int", Inline, Pure, Nothing;
        /// exn -> unit: stands first in a handler that will raise this packet, which it has been given, again: keeps
        /// where it was raised, for reports. Compiled code calls a stub instead, where that can be known.
        ExnPlace "exn_place": "exn -> unit", Leaf, Writes, Nothing;
        /// exn -> unit: it is raised next, by a variable. A store of compiled code's.
        ExnAgain "exn_again": "exn -> unit", Leaf, Writes, Nothing;
        /// exn -> string: the lines of the back-trace from where it was raised, innermost first.
        ExnHistory "exn_history": "exn -> string", Runtime, Reads, Nothing;
        /// unit -> unit: a program that asks for histories begins.
        ExnKeep "exn_keep": "unit -> unit", Runtime, Writes, Nothing => [];
        /// exn * int -> unit: it is raised next; the number says how, see `exn::NOTE_AGAIN`.
        ExnNote "exn_note": "exn * int -> unit", Runtime, Writes, Nothing => [];
    }
    /// The collector, weak pointers, sizes of objects.
    chapter collector {
        /// What `Collection'` has names for.
        GcCollect "gc_collect": "int -> unit", Runtime, Writes, Nothing;
        GcMessages "gc_messages": "bool -> unit", Runtime, Writes, Nothing;
        /// Whether a summary is printed when the program has ended.
        GcSummary "gc_summary": "bool -> unit", Runtime, Writes, Nothing;
        /// The figures that `HeapFigure'` has names for.
        GcStat "gc_stat": "int -> int", Runtime, Reads, Nothing;
        GcSetNursery "gc_set_nursery": "int -> unit", Runtime, Writes, Nothing;
        /// What `HeapSetting'` has names for, and its value.
        GcSet "gc_set": "int * int -> unit", Runtime, Writes, Nothing;
        WeakNew "weak_new": "'a -> 'a weak", Runtime, Reads, Nothing;
        WeakGet "weak_get": "'a weak -> 'a", Inline, Reads, Nothing;
        /// True while not cleared.
        WeakLive "weak_live": "'a weak -> bool", Inline, Reads, Nothing;
        /// 'a -> int: bytes of all objects reachable from it
        ObjectSize "object_size": "'a -> int", Runtime, Reads, Nothing;
        /// 'a -> word: of the contents of what is reachable from it, as far as a bound; the same for equal values
        ObjectHash "object_hash": "'a -> word", Runtime, Reads, Nothing;
    }
    /// Time, in nanoseconds where nothing else is said.
    chapter clock {
        TimeNow "time_now": "unit -> int", Leaf, Reads, Nothing;
        TimeMonotonic "time_monotonic": "unit -> int", Leaf, Reads, Nothing;
        /// Likewise, as it was at the system's last tick, some milliseconds ago at most; takes a third of the time.
        TimeRecent "time_recent": "unit -> int", Leaf, Reads, Nothing;
        TimeUser "time_user": "unit -> int", Leaf, Reads, Nothing;
        TimeSystem "time_system": "unit -> int", Leaf, Reads, Nothing;
        /// processor time of the collector: 0 user, 1 system
        TimeGc "time_gc": "int -> int", Leaf, Reads, Nothing;
        /// 0 user, 1 system time of ended children, ns
        TimeChildren "time_children": "int -> int", Runtime, Reads, Nothing;
    }
    /// Arguments, environment, error texts, random words.
    chapter world {
        ArgCount "arg_count": "unit -> int", Leaf, Reads, Nothing;
        Arg "arg": "int -> string", Runtime, Reads, Nothing;
        ProgramName "program_name": "unit -> string", Runtime, Reads, Nothing;
        /// string -> string; the empty string with `env_has` 0 when absent.
        Env "env": "string -> string", Runtime, Reads, Nothing;
        EnvHas "env_has": "string -> int", Runtime, Reads, Nothing;
        ErrorMessage "error_message": "int -> string", Runtime, Reads, Nothing;
        /// name * value -> 0 or minus an error number
        EnvSet "env_set": "string * string -> int", Runtime, Writes, Nothing;
        /// A word nobody can foretell.
        RandomWord "random_word": "unit -> word", Runtime, Reads, Nothing;
    }
    /// Gzip, zlib and deflate, piece by piece.
    chapter compression {
        /// format (0 gzip, 1 zlib, 2 deflate) * level (0 to 9; negative: to decompress) -> a stream
        ZipNew "zip_new": "int * int -> int", Runtime, Writes, Nothing;
        /// stream * input * where it begins * (0, 1 to flush, 2 at the end) -> what comes of some of it
        ZipStep "zip_step": "int * string * int * int -> string", Runtime, Writes, Nothing;
        /// stream * 0 -> how much of its input the last step has used; * 1 -> 0 it goes on, 1 it has ended, 2 it is
        /// broken or closed
        ZipTold "zip_told": "int * int -> int", Runtime, Writes, Nothing;
        /// stream -> unit: its memory is freed, but for a few words.
        ZipClose "zip_close": "int -> unit", Runtime, Writes, Nothing;
        /// stream -> unit: nobody has it any more.
        ZipFree "zip_free": "int -> unit", Runtime, Writes, Nothing;
    }
    /// Digests: so many blocks of a string, from an index on, change a chain, whose words are the digest's.
    chapter digests {
        /// chain of 4 words below 2^32 * string * index * number of blocks of 64 bytes
        DigestMd5 "digest_md5": "word array * string * int * int -> unit", Leaf, Writes, Nothing;
        /// Likewise, a chain of 5.
        DigestSha1 "digest_sha1": "word array * string * int * int -> unit", Leaf, Writes, Nothing;
        /// Likewise, a chain of 8.
        DigestSha256 "digest_sha256": "word array * string * int * int -> unit", Leaf, Writes, Nothing;
        /// A chain of 8 words; blocks of 128 bytes.
        DigestSha512 "digest_sha512": "word array * string * int * int -> unit", Leaf, Writes, Nothing;
        /// the CRC-32 of what came before * string * index * number of bytes -> the CRC-32 with them
        DigestCrc32 "digest_crc32": "word * string * int * int -> word", Leaf, Reads, Nothing;
    }
    /// What a program tells of itself while it runs.
    chapter debug {
        /// Every thread with what it waits for, and the figures of scheduler and collector.
        DebugReport "debug_report": "unit -> string", Runtime, Outside, Nothing;
        /// Begins to measure what the number says: 0 when that is done already.
        DebugProfile "debug_profile": "int -> int", Runtime, Outside, Nothing;
        /// Its end: the text of a file of `leat profile`, or of a trace, or the empty string when the program has begun
        /// none.
        DebugProfiled "debug_profiled": "int -> string", Runtime, Outside, Nothing;
    }
    /// What a program under a debugger calls, and no other: docs/internals/decisions/023-debugger.md.
    chapter debugger {
        /// place: counts, and says whether somebody wants to look. Then the scheduler is held until `debug_go`.
        DebugProbe "debug_probe": "int -> bool", Leaf, Writes, Nothing;
        DebugGo "debug_go": "unit -> unit", Leaf, Writes, Nothing;
        /// Does nothing: until here the frame holds its scope.
        DebugKeep "debug_keep": "'a -> unit", Leaf, Writes, Nothing;
        /// place * whether it has just answered -> false when the program goes on, true when something is to be
        /// described.
        DebugStop "debug_stop": "int * bool -> bool", Runtime, Outside, Nothing;
        /// The scope whose variable is to be described: a function from int to a description.
        DebugScope "debug_scope": "unit -> 'a", Runtime, Writes, Nothing;
        /// What is asked for: 0 the variable, 1 the depth, 2 the first part, 3 how many parts, 4 the length of the
        /// path, from 5 on the path.
        DebugAsked "debug_asked": "int -> int", Leaf, Writes, Nothing;
        DebugAnswer "debug_answer": "string -> unit", Runtime, Writes, Nothing;
    }
    /// What is printed. A result of type int: 0, or -EAGAIN when what is to be written out does not go now; then wait,
    /// and go on by `out_drain`.
    chapter output {
        /// Writes to standard output, or to a buffer that is written out within a millisecond, and before any effect
        /// that is `Outside`.
        Print "print": "string -> unit", Runtime, Writes, Any;
        PrintErr "print_err": "string -> unit", Runtime, Outside, Any;
        FlushOut "flush_out": "unit -> int", Runtime, Writes, Any;
        /// Like `print`, but it may stay in the buffer until that is flushed; on a terminal to a line's end.
        WriteOut "write_out": "string -> int", Runtime, Writes, Any;
        /// Whether `print` has left something in the buffer.
        OutDue "out_due": "unit -> int", Leaf, Writes, Nothing => [];
        /// Writes that out; the thread waits when it must. First with 0; below 0: that is all; 1: again with 0; 0:
        /// again with 2, the wait is not over. The compiler puts these two in.
        OutSettle "out_settle": "int -> int", Runtime, Writes, Any => [];
        /// As `print` and `print_err`: 0; -EAGAIN when what is to be written out does not go now: then wait, and go on
        /// by `out_drain`. So do `write_out` and `flush_out` with a result of type int.
        PrintOut "print_out": "string -> int", Runtime, Writes, Any;
        PrintErrOut "print_err_out": "string -> int", Runtime, Outside, Any;
        /// Goes on after a wait with what gave -EAGAIN: fd (1, 2) * (0 enough for more printing, 1 what is printed, 2
        /// all)
        OutDrain "out_drain": "int * int -> int", Runtime, Writes, Any;
        /// fd (1, 2) -> 0: from here on it swallows what is written, and its peer sees the end.
        OutClose "out_close": "int -> int", Runtime, Outside, Nothing;
    }
    /// Files, directories, descriptors. Results below 0 are negated error numbers. Where the result is a string, the
    /// error number (or 0) is put into element 0 of the int array. Flags, modes and other numbers are the system's.
    chapter files {
        /// path * flags (0 read, 1 write new, 2 append) -> fd
        FileOpen "file_open": "string * int -> int", Runtime, Outside, Nothing;
        /// fd * char array * start * count -> bytes read
        FileRead "file_read": "int * bytes * int * int -> int", Runtime, Outside, Any => [
            file_read: "int * word8 array * int * int -> int",
            file_read_chars: "int * char array * int * int -> int"
        ];
        /// fd * string or char array * start * count -> bytes written
        FileWrite "file_write": "int * bytes * int * int -> int", Runtime, Outside, Any => [
            file_write: "int * word8 array * int * int -> int",
            file_write_chars: "int * char array * int * int -> int",
            file_write_string: "int * string * int * int -> int",
            file_write_vector: "int * word8 vector * int * int -> int"
        ];
        FileClose "file_close": "int -> int", Runtime, Outside, Nothing;
        FileSize "file_size": "int -> int", Runtime, Outside, Nothing;
        /// path * flags * mode -> fd
        FileOpenWith "file_open_with": "string * int * int -> int", Runtime, Outside, Nothing;
        /// fd * offset * whence -> position
        FileSeek "file_seek": "int * int * int -> int", Runtime, Outside, Nothing;
        /// path * (1 to follow a link) * int array of 11: dev ino mode nlink uid gid size atime mtime ctime (ns) rdev
        FileStat "file_stat": "string * int * int array -> int", Runtime, Outside, Nothing;
        FdStat "fd_stat": "int * int array -> int", Runtime, Outside, Nothing;
        FdTruncate "fd_truncate": "int * int -> int", Runtime, Outside, Nothing;
        FileAccess "file_access": "string * int -> int", Runtime, Reads, Nothing;
        FileRemove "file_remove": "string -> int", Runtime, Outside, Nothing;
        FileRename "file_rename": "string * string -> int", Runtime, Outside, Nothing;
        FileLink "file_link": "string * string -> int", Runtime, Outside, Nothing;
        FileSymlink "file_symlink": "string * string -> int", Runtime, Outside, Nothing;
        /// path * int array -> string
        FileReadlink "file_readlink": "string * int array -> string", Runtime, Writes, Nothing;
        /// path * int array -> string: without links, `.` and `..`
        FileRealpath "file_realpath": "string * int array -> string", Runtime, Writes, Nothing;
        FileChmod "file_chmod": "string * int -> int", Runtime, Outside, Nothing;
        FdChmod "fd_chmod": "int * int -> int", Runtime, Outside, Nothing;
        FileChown "file_chown": "string * int * int -> int", Runtime, Outside, Nothing;
        FdChown "fd_chown": "int * int * int -> int", Runtime, Outside, Nothing;
        /// path * access time * modification time (ns; the least int is the system's own now)
        FileSetTimes "file_set_times": "string * int * int -> int", Runtime, Outside, Nothing;
        FileMkfifo "file_mkfifo": "string * int -> int", Runtime, Outside, Nothing;
        /// prefix * int array -> path of a new file; element 1 is its fd
        FileTemp "file_temp": "string * int array -> string", Runtime, Outside, Nothing;
        /// mask -> former mask
        FileUmask "file_umask": "int -> int", Runtime, Writes, Nothing;
        DirChange "dir_change": "string -> int", Runtime, Outside, Nothing;
        DirMake "dir_make": "string * int -> int", Runtime, Outside, Nothing;
        DirRemove "dir_remove": "string -> int", Runtime, Outside, Nothing;
        DirCurrent "dir_current": "int array -> string", Runtime, Writes, Nothing;
        /// path -> handle
        DirOpen "dir_open": "string -> int", Runtime, Outside, Nothing;
        /// handle * int array -> name; the empty string at the end
        DirRead "dir_read": "int * int array -> string", Runtime, Outside, Nothing;
        DirRewind "dir_rewind": "int -> int", Runtime, Writes, Nothing;
        DirClose "dir_close": "int -> int", Runtime, Outside, Nothing;
        FdDup "fd_dup": "int -> int", Runtime, Outside, Nothing;
        FdDup2 "fd_dup2": "int * int -> int", Runtime, Outside, Nothing;
        /// int array of 2: the reading and the writing end
        FdPipe "fd_pipe": "int array -> int", Runtime, Writes, Nothing;
        /// fd * command * argument -> int
        FdFcntl "fd_fcntl": "int * int * int -> int", Runtime, Outside, Nothing;
        /// Its number may go out of the library.
        FdLend "fd_lend": "int -> int", Runtime, Writes, Nothing;
        FdIsatty "fd_isatty": "int -> int", Runtime, Reads, Nothing;
    }
    /// Terminals, and locks of files.
    chapter terminals {
        /// fd * (0 ask, 1 set) * int array of 5: kind, whence, start, length, process
        FdLock "fd_lock": "int * int * int array -> int", Runtime, Outside, Nothing;
        /// fd * int array: four words of flags, two speeds, the control characters
        TtyGet "tty_get": "int * int array -> int", Runtime, Writes, Nothing;
        /// fd * when * int array
        TtySet "tty_set": "int * int * int array -> int", Runtime, Outside, Nothing;
        /// (0 break, 1 flush, 2 flow, 3 the foreground process group, 4 set it) * fd * argument
        TtyControl "tty_control": "int * int * int -> int", Runtime, Outside, Nothing;
    }
    /// Limits of the system and of files, by name.
    chapter limits {
        /// path * name * int array of 1 for the error (~1: no limit) -> value
        FilePathconf "file_pathconf": "string * string * int array -> int", Runtime, Writes, Nothing;
        /// fd * name * int array of 1 for the error (~1: no limit) -> value
        FdPathconf "fd_pathconf": "int * string * int array -> int", Runtime, Writes, Nothing;
        /// name * int array of 1 for the error (~1: no limit) -> value
        SystemConf "system_conf": "string * int array -> int", Runtime, Writes, Nothing;
    }
    /// Processes and their resources.
    chapter processes {
        ProcessFork "process_fork": "unit -> int", Runtime, Outside, Nothing;
        /// path * arguments * environment (both: each ends in NUL) * (1 to search the path, 2 to use the environment)
        ProcessExec "process_exec": "string * string * string * int -> int", Runtime, Outside, Nothing;
        /// likewise * int array of 3: descriptors for standard input, output, error -> pid
        ProcessSpawn "process_spawn": "string * string * string * int * int array -> int", Runtime, Outside, Nothing;
        /// pid * options * int array: the status -> pid
        ProcessWait "process_wait": "int * int * int array -> int", Runtime, Outside, Any;
        ProcessKill "process_kill": "int * int -> int", Runtime, Outside, Any;
        /// The numbers that `ProcessNumber'` has names for.
        ProcessId "process_id": "int -> int", Runtime, Reads, Nothing;
        /// Ends the process without flushing or running anything.
        ProcessExitNow "process_exit_now": "int -> never", Runtime, Outside, Any;
        /// ns, 0 for none -> ns that were left of the last one, or an error
        ProcessAlarm "process_alarm": "int -> int", Runtime, Outside, Nothing;
        ProcessPause "process_pause": "unit -> int", Runtime, Outside, Any;
        /// (0 setuid, 1 setgid, 2 setpgid of a and b, 3 setsid, 4 nice) * a * b
        ProcessSet "process_set": "int * int * int -> int", Runtime, Outside, Nothing;
        /// resource * int array of 2: the soft and the hard limit, ~1 for none
        LimitGet "limit_get": "int * int array -> int", Runtime, Writes, Nothing;
        LimitSet "limit_set": "int * int array -> int", Runtime, Outside, Nothing;
        /// pid -> fd that can be read when the process has ended
        ProcessOpen "process_open": "int -> int", Runtime, Writes, Nothing;
        /// pid -> whether the child has ended and can be waited for, or is none
        ProcessEnded "process_ended": "int -> int", Runtime, Reads, Nothing;
    }
    /// The system's name, users, groups.
    chapter accounts {
        /// 0 sysname, 1 nodename, 2 release, 3 version, 4 machine, 5 controlling terminal, 6 login, 7 whole
        /// environment, each entry followed by NUL, 8 supplementary groups, likewise, or an error number behind a tilde
        SystemText "system_text": "int -> string", Runtime, Reads, Nothing;
        /// name (or number as text) * (0 user by name, 1 by uid, 2 group by name, 3 by gid) -> fields, each followed by
        /// NUL
        SystemAccount "system_account": "string * int -> string", Runtime, Reads, Nothing;
        /// supplementary groups -> 0 or minus an error number
        SystemSetGroups "system_set_groups": "int array -> int", Runtime, Writes, Nothing;
    }
    /// Waiting for descriptors. A read, a write or a call of a socket that would block gives -EAGAIN: then wait, and
    /// call again.
    chapter waiting {
        /// int array of (fd, events, result) * how many -> how many are ready now; a wait for one of the others ends
        /// when it is
        FdPoll "fd_poll": "int array * int -> int", Runtime, Writes, Nothing;
        /// fd * mode (0 to read, 1 to write; 2 more when an earlier call gave 0) -> 1: try again; 0: not yet, call
        /// again; or an error
        FdWait "fd_wait": "int * int -> int", Runtime, Writes, Any;
        /// fd * mode (0 to read, 1 to write; 2 more when the number is to be ended) * thread or waiter -> number; 0:
        /// ready now; or an error. That of a thread is to be ended in any case.
        FdWatch "fd_watch": "int * int * 'a -> int", Runtime, Writes, Nothing;
        /// Ends a waiter: 0 it was given up, 1 the descriptor was ready, 2 it was closed.
        FdUnwatch "fd_unwatch": "int -> int", Runtime, Writes, Nothing;
        /// The same without ending it: 0 it waits.
        FdWatched "fd_watched": "int -> int", Runtime, Writes, Nothing;
        /// fd * (0 to read, 1 to write) -> whether the system says so now; after 0 a wait ends when it is
        FdReady "fd_ready": "int * int -> int", Runtime, Writes, Nothing;
    }
    /// What the thread of callbacks asks for: descriptors that are ready, time-outs that are due.
    chapter callbacks {
        /// fd * (0 nothing, 1 reading, 2 writing, 3 both): what callbacks are to be told of
        IoListen "io_listen": "int * int -> int", Runtime, Writes, Nothing;
        /// Fills an int array with fd * 4 + what it is ready for: how many; 0: the running thread is made ready when
        /// there are
        IoTake "io_take": "int array -> int", Runtime, Writes, Nothing;
        /// deadline (monotonic ns) * record of references -> number of a timer, at whose time the record is due
        TimeoutStart "timeout_start": "int * 'a -> int", Runtime, Writes, Nothing;
        /// How many of them are due.
        TimeoutDue "timeout_due": "unit -> int", Runtime, Writes, Nothing;
        /// The one that is due longest, its number into an int array; there is one.
        TimeoutTake "timeout_take": "int array -> 'a", Runtime, Writes, Nothing;
        /// The figures that `IOFigure'` has names for.
        IoStat "io_stat": "int -> int", Runtime, Writes, Nothing;
    }
    /// Jobs: calls of the system that may take long, on OS threads of their own.
    chapter jobs {
        /// kind * text * a * b -> number of a job, on an OS thread of its own: 0 a shell's command -> wait status; 1
        /// until child a can be waited for; 2 addresses of a host (a: family); 3 name of an address; 4 opens a file (a:
        /// flags, b: mode); 5 waits for a lock; 6 for a terminal
        JobStart "job_start": "int * string * int * int -> int", Runtime, Outside, Nothing;
        /// 1: it is done; 0: call again
        JobWait "job_wait": "int -> int", Runtime, Writes, Any;
        /// number * thread: 1: it is done; 0: the thread is made ready when it is
        JobWatch "job_watch": "int * 'a -> int", Runtime, Writes, Nothing;
        /// number * int array -> text of the answer; its number (below 0: an error) in the array
        JobTake "job_take": "int * int array -> string", Runtime, Writes, Nothing;
        /// Nobody wants to know any more.
        JobDrop "job_drop": "int -> unit", Runtime, Writes, Nothing;
    }
    /// Sockets, with the system's numbers; addresses are strings of bytes as the system has them.
    chapter sockets {
        /// domain * type * protocol -> fd
        SocketNew "socket_new": "int * int * int -> int", Runtime, Writes, Nothing;
        /// domain * type * protocol * int array of 2
        SocketPair "socket_pair": "int * int * int * int array -> int", Runtime, Writes, Nothing;
        /// fd * address
        SocketBind "socket_bind": "int * string -> int", Runtime, Outside, Nothing;
        /// fd * address; EINPROGRESS: decided when it can be written to
        SocketConnect "socket_connect": "int * string -> int", Runtime, Outside, Nothing;
        /// fd * length of the queue
        SocketListen "socket_listen": "int * int -> int", Runtime, Outside, Nothing;
        /// fd * (1 to ask whatever is known) * byte array for the address * int array for its length -> fd
        SocketAccept "socket_accept": "int * int * char array * int array -> int", Runtime, Outside, Nothing;
        /// fd * (0 its own, 1 its peer's) * int array for the error -> address
        SocketName "socket_name": "int * int * int array -> string", Runtime, Writes, Nothing;
        /// (fd + flags * 2^32; flag 2^30: ask whatever is known) * bytes * start * count -> bytes sent
        SocketSend "socket_send": "int * bytes * int * int -> int", Runtime, Outside, Nothing => [
            socket_send: "int * word8 array * int * int -> int",
            socket_send_vector: "int * word8 vector * int * int -> int"
        ];
        /// likewise * address
        SocketSendTo "socket_send_to": "int * bytes * int * int * string -> int", Runtime, Outside, Nothing => [
            socket_send_to: "int * word8 array * int * int * string -> int",
            socket_send_to_vector: "int * word8 vector * int * int * string -> int"
        ];
        /// (fd + flags * 2^32) * byte array * start * count -> bytes received
        SocketReceive "socket_receive": "int * word8 array * int * int -> int", Runtime, Outside, Nothing;
        /// (fd + flags * 2^32) * byte array * count * byte array for the address * int array of 2: its length; start
        SocketReceiveFrom "socket_receive_from": "int * word8 array * int * char array * int array -> int",
            Runtime, Outside, Nothing;
        /// fd * (0 reading, 1 writing, 2 both)
        SocketShutdown "socket_shutdown": "int * int -> int", Runtime, Outside, Nothing;
        /// fd * level * name * int array of 2: the option's value
        SocketGet "socket_get": "int * int * int * int array -> int", Runtime, Writes, Nothing;
        /// fd * level * name * int array of 2 * how many of its ints count
        SocketSet "socket_set": "int * int * int * int array * int -> int", Runtime, Outside, Nothing;
        /// fd * (0 bytes to read, 1 whether at the mark)
        SocketAsk "socket_ask": "int * int -> int", Runtime, Writes, Nothing;
    }
    /// Names of the network.
    chapter network {
        /// (0 protocol by name, 1 by number, 2 service by name/protocol, 3 by port/protocol) * key -> fields, each
        /// followed by NUL; 4: this host's name
        NetEntry "net_entry": "int * string -> string", Runtime, Writes, Nothing;
    }
    /// Signals and the system's interval timers.
    chapter signals {
        /// Registers what is called when signals have come: it takes them.
        SignalServe "signal_serve": "(unit -> unit) -> unit", Runtime, Writes, Nothing;
        /// The next signal plus 256 times how often it came; 0: none
        SignalTake "signal_take": "unit -> int", Runtime, Writes, Nothing;
        /// bits of signals not to be served for now -> the former ones
        SignalMask "signal_mask": "word -> word", Runtime, Writes, Nothing;
        /// signal (0: a collection) * (0 default, 1 ignore, 2 serve, 3 only ask) -> the former, or an error
        SignalSet "signal_set": "int * int -> int", Runtime, Writes, Nothing;
        /// (0 real, 1 virtual, 2 profiling) * interval * value (ns)
        ItimerSet "itimer_set": "int * int * int -> int", Runtime, Outside, Nothing;
    }
    /// How the program and its threads end.
    chapter exits {
        Exit "exit": "int -> never", Runtime, Writes, Any;
        /// Function to run at exit; last registered first.
        AtExit "at_exit": "(unit -> unit) -> unit", Runtime, Writes, Nothing;
        ThreadExit "thread_exit": "unit -> never", Runtime, Writes, Any;
        /// int * waiter: when all threads are blocked for good, the blocked ones are reported, and the program does not
        /// end, but the waiter's event happens; once. 0: no more.
        DeadlockWatch "deadlock_watch": "int * 'a -> unit", Runtime, Writes, Nothing;
        /// int * (unit -> unit): instead of reporting an uncaught exception of a thread other than the main one (1), or
        /// of any (2), a new thread runs the function, its `props` being the packet and its `message` the thread that
        /// has died. 0: no more. 3: before a report, such a thread is asked for its message; 4: the thread that has
        /// raised runs this function meanwhile.
        UncaughtHook "uncaught_hook": "int * (unit -> unit) -> unit", Runtime, Writes, Nothing;
        /// The message of the exception that this thread has raised; empty: there is none but the runtime's own.
        UncaughtMessage "uncaught_message": "thread * string -> unit", Runtime, Writes, Nothing;
        /// Blocks the thread until the message is there, or comes too late; then the report is made, and the thread
        /// ends.
        UncaughtWait "uncaught_wait": "unit -> unit", Runtime, Writes, Any;
    }
    /// Threads. The type `thread` is the thread object.
    chapter threads {
        ThreadSelf "thread_self": "unit -> thread", Inline, Reads, Nothing;
        /// (unit -> unit) -> thread: made, not started, in no queue.
        ThreadNew "thread_new": "(unit -> unit) -> thread", Runtime, Reads, Nothing;
        /// thread -> bool: the end of a thread that was made and that nobody has started, so it never runs. False: it
        /// is too late for that.
        ThreadDiscard "thread_discard": "thread -> bool", Runtime, Writes, Nothing;
        /// thread, made and not started: it gets an OS thread of its own, on which it will run. 0, or a negated error
        /// number
        ThreadBind "thread_bind": "thread -> int", Runtime, Writes, Nothing;
        ThreadIsBound "thread_is_bound": "thread -> bool", Leaf, Pure, Nothing;
        ThreadId "thread_id": "thread -> int", Inline, Pure, Nothing;
        /// Puts a blocked or new thread at the end of the ready queue (unpark).
        ThreadReady "thread_ready": "thread -> unit", Fast, Writes, Nothing;
        /// unit -> thread: takes the first thread out of the ready queue, blocked; the running one when there is none.
        ThreadTake "thread_take": "unit -> thread", Runtime, Writes, Nothing;
        /// Puts the running thread at the end of the ready queue and runs the given one at once.
        ThreadSwitch "thread_switch": "thread -> unit", Fast, Writes, Any, Switches, JumpsLast;
        /// Blocks the running thread (which is in no queue) and runs the given one at once: the one-shot switch.
        ThreadHandoff "thread_handoff": "thread -> unit", Fast, Writes, Any, Switches, JumpsLast;
        /// Blocks the running thread until somebody makes it ready; leaves all atomic sections. int: reason for dumps.
        ThreadPark "thread_park": "int -> unit", Fast, Writes, Any, Switches, JumpsLast;
        /// int (the reason) -> 'a: blocks the running thread until its stamp says that its wait is over
        /// (`abi::thread::OVER`). Gives what was left for it in a cell, which must have that type, and takes it away;
        /// without a cell the result means nothing. Called last, it leaves no frame.
        ThreadAwait "thread_await": "int -> 'a", Fast, Writes, Any, Switches, JumpsLast;
        ThreadYield "thread_yield": "unit -> unit", Fast, Writes, Any, JumpsLast;
        /// What stands in a lock that belongs to the running worker.
        WorkerMark "worker_mark": "unit -> int", Inline, Reads, Nothing;
        /// Whom cells have to be safe from: 1 other workers, 2 cancelled scopes (`abi::tcb`), which stays so within an
        /// atomic section; 4 more than one worker was ever allowed.
        WorkerCompany "worker_company": "unit -> int", Inline, Reads, Nothing;
        /// int ref -> bool: takes a lock that is not the running worker's (`fiber::biased`), or waits a moment: false.
        LockAttempt "lock_attempt": "int ref -> bool", Runtime, Writes, Nothing;
        /// A short wait for another worker, which holds a lock for a few instructions.
        ThreadPause "thread_pause": "unit -> unit", Leaf, Writes, Nothing;
        /// Whether it is blocked at this moment.
        ThreadBlocked "thread_blocked": "thread -> bool", Leaf, Reads, Nothing;
        /// Nanoseconds for which it has computed, as far as the workers' looks tell: of use is the difference of two
        /// answers.
        ThreadComputed "thread_computed": "thread -> int", Runtime, Reads, Nothing;
        /// What is left open is decided: a number below this one, drawn by the seed of the deterministic mode; ~1
        /// without a seed.
        ThreadDraw "thread_draw": "int -> int", Runtime, Writes, Nothing;
        ThreadProps "thread_props": "thread -> 'a", Inline, Reads, Nothing;
        ThreadSetProps "thread_set_props": "thread * 'a -> unit", Inline, Writes, Nothing;
        /// thread -> 'a; thread * 'a -> unit: `Thread::label`
        ThreadLabel "thread_label": "thread -> 'a", Inline, Reads, Nothing;
        ThreadSetLabel "thread_set_label": "thread * 'a -> unit", Inline, Writes, Nothing;
        /// thread -> int; thread * int -> unit; thread * int * int -> bool (as `ref_cas`): `Thread::stamp`
        ThreadStamp "thread_stamp": "thread -> int", Inline, Reads, Nothing;
        ThreadSetStamp "thread_set_stamp": "thread * int -> unit", Inline, Writes, Nothing;
        ThreadCasStamp "thread_cas_stamp": "thread * int * int -> bool", Inline, Writes, Nothing;
        /// thread -> bool: it has ended, or has said that it will (`abi::thread::ENDING`)
        ThreadEnded "thread_ended": "thread -> bool", Leaf, Reads, Nothing;
        /// thread -> 'a ref; thread * 'a ref -> unit: `Thread::message`
        ThreadMessage "thread_message": "thread -> 'a", Inline, Reads, Nothing;
        ThreadSetMessage "thread_set_message": "thread * 'a -> unit", Inline, Writes, Nothing;
        /// No switch at a safepoint while above 0.
        AtomicBegin "atomic_begin": "unit -> unit", Inline, Writes, Nothing;
        /// At 0 again: takes a switch that was put off.
        AtomicEnd "atomic_end": "unit -> unit", Inline, Writes, Any;
        /// The figures that `ThreadFigure'` has names for.
        ThreadStat "thread_stat": "int -> int", Runtime, Reads, Nothing;
        WorkersSet "workers_set": "int -> unit", Runtime, Writes, Nothing;
        /// From now on threads may be in scopes: see `worker_company`.
        ScopesBegin "scopes_begin": "unit -> unit", Runtime, Writes, Nothing;
        /// object * first * count * how ([`crate::prim::Access`]): these elements are loaded or stored next, or were.
        /// Only the compiler makes these, in watched programs.
        Access "access": "'a * int * int * int -> unit", Runtime, Writes, Nothing => [];
        /// (0 a mark, 1 the running thread's name) * text: for a trace, if there is one
        TraceMark "trace_mark": "int * string -> unit", Runtime, Writes, Nothing;
    }
    /// Timers of threads and of waiters.
    chapter timers {
        /// int (monotonic ns) -> unit: blocks until then.
        ThreadSleepUntil "thread_sleep_until": "int -> unit", Runtime, Writes, Any;
        /// deadline (monotonic ns) * thread * waiting * synched -> int: makes the thread ready then, unless cancelled;
        /// gives the timer's number, above 0. With the stamps of a waiter, only if it waits with the first; both 0: in
        /// any case.
        TimerStart "timer_start": "int * thread * int * int -> int", Runtime, Writes, Nothing;
        /// true when it was still waiting
        TimerCancel "timer_cancel": "int -> bool", Runtime, Writes, Nothing;
    }
    /// Continuations.
    chapter conts {
        /// cell -> cell: its first field becomes the caller's continuation. Returns again with what is thrown to that,
        /// which is another object. (So a mutable object must not become values across a call that may reach this.)
        ContCapture "cont_capture": "'a -> 'a", Fast, Writes, Any;
        /// cell * object: goes on where the cell was filled. Does not return.
        ContThrow "cont_throw": "'a * 'a -> never", Fast, Writes, Any;
        /// (unit -> unit): goes on with that on an empty stack. Does not return.
        ContRestart "cont_restart": "(unit -> unit) -> never", Runtime, Writes, Any;
        /// (unit -> unit) * object: a segment, which holds a stack that nobody runs (`fiber::segment`); this one will
        /// call the function, which must not return. The object becomes its `Thread::props`.
        SegmentNew "segment_new": "(unit -> unit) * 'a -> thread", Runtime, Writes, Any;
        /// segment * 'a: the running thread goes on with the stack that the segment holds, where the swap that left it
        /// there gives the value; the segment holds the thread's own now. Immediate 1: it cannot be had yet, and
        /// nothing was done.
        SegmentSwap "segment_swap": "thread * 'a -> 'a", Fast, Writes, Any, Switches;
        /// The same, but the thread's own stack is given up, and the segment with it.
        SegmentEnd "segment_end": "thread * 'a -> 'a", Runtime, Writes, Any;
        /// The stack that the segment holds is in pieces that may be shared from now on; false: it cannot be had yet.
        SegmentFreeze "segment_freeze": "thread -> bool", Runtime, Writes, Any;
        /// Another segment with the same stack, of a frozen one. (So a swap may return again.)
        SegmentCopy "segment_copy": "thread -> thread", Runtime, Writes, Any;
    }
    /// What a function of the library says of itself.
    chapter functions {
        /// First in a function's body: the function stays a function of its own. It is neither inlined nor made a part
        /// of its caller, so what it needs makes no frame larger but its own. No code is made of this.
        NoInline "noinline": "unit -> unit", Inline, Writes, Nothing;
        /// A ref that knows where the program calls the function of the library that says this, if that was inlined
        /// into the program's: the place's number is the tag of its header, and reports look for the text
        /// (`CodeTable::places`). It takes no more memory than another.
        RefHere "ref_here": "'a -> 'a ref", Inline, Reads, Nothing;
    }
    /// What only the compiler makes: equality of any type that admits it, gone after Mono; slots of a session, by
    /// number, see docs/internals/decisions/007-incremental-units.md.
    chapter compiler {
        PolyEq "poly_eq": "'a * 'a -> bool", Inline, Reads, Nothing => [];
        /// A description of any value, for printing it: the result is a datatype of the library with the constructors
        /// that `compiler/mono/src/describe.rs` says.
        Describe "describe": "'a -> 'b", Inline, Reads, Nothing => [];
        /// int -> 'a: the value that an earlier unit put there.
        SlotGet "slot_get": "int -> 'a", Inline, Pure, Nothing => [];
        /// A call of C. The first argument of this one and of the next three is the number of the function in the
        /// program, the others are those of the function.
        ForeignCall "foreign_call": "int -> 'a", Inline, Outside, Nothing => [];
        /// C that writes nothing which SML sees through the optimiser's eyes, and prints nothing: `leaf`, and stores to
        /// C's memory.
        ForeignWrite "foreign_write": "int -> 'a", Inline, Writes, Nothing => [];
        /// A load from C's memory.
        ForeignRead "foreign_read": "int -> 'a", Inline, Reads, Nothing => [];
        /// `pure`, and addresses.
        ForeignPure "foreign_pure": "int -> 'a", Inline, Pure, Nothing => [];
        /// int * 'a -> unit
        SlotSet "slot_set": "int * 'a -> unit", Inline, Writes, Nothing => [];
    }
}
