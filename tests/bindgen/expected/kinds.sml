(* Made of kinds.h by `leat bindgen`. *)
structure Kinds :> KINDS =
struct
  structure P = MLton.Pointer

  structure Bits =
  struct
    val calloc = _import "calloc" leaf : Word64.word * Word64.word -> P.t;
    val free = _import "free" leaf : P.t -> unit;
    fun alloc size =
      let
        val p = calloc (0w1, size)
      in
        if p = P.null then raise Fail "there is no memory" else p
      end
    val aligned = _import "aligned_alloc" leaf : Word64.word * Word64.word -> P.t;
    val fill = _import "memset" leaf : P.t * Int32.int * Word64.word -> P.t;
    fun allocAt (alignment, size) =
      let
        val p = aligned (alignment, size)
      in
        if p = P.null then raise Fail "there is no memory" else fill (p, 0, size)
      end
    fun word32 w = if w > 0wxffffffff then raise Overflow else Word32.fromLarge w
  end

  type part = P.t
  type point = P.t
  type all = P.t
  type all_choice = P.t
  type either = P.t
  type opaque = P.t
  type note = P.t
  type all_compare = P.t
  type move = P.t
  type apply_f = P.t
  type measured_length = P.t
  type made_make = P.t

  val LEFT = 0
  val RIGHT = 5
  val BACK = ~1
  val TOP = 0wx80000000
  val VERSION = "1.2 \"x\"\010"
  val LIMIT = 100
  val LOWEST = ~9223372036854775808
  val MASK = 0wxffff0000
  val HUGE = 0wxffffffffffffffff
  val RATIO = ~0.0015
  val LETTER = 97
  val STATIC = P.add (P.null, 0w18446744073709551615)
  val end_ = 7
  val SOME_ = 8

  structure part =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val size = 4
    fun alloc () = Bits.alloc 0w4
    val free = Bits.free
    fun nth (p, i) = P.add (p, Word.fromInt i * 0w4)
    fun get_a p = Int32.toInt (P.getInt32 (p, 0))
    fun set_a (p, x) = P.setInt32 (p, 0, Int32.fromInt x)
  end

  structure point =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val size = 16
    fun alloc () = Bits.alloc 0w16
    val free = Bits.free
    fun nth (p, i) = P.add (p, Word.fromInt i * 0w16)
    fun get_x p = P.getReal64 (p, 0)
    fun set_x (p, x) = P.setReal64 (p, 0, x)
    fun get_y p = P.getReal64 (P.add (p, 0w8), 0)
    fun set_y (p, x) = P.setReal64 (P.add (p, 0w8), 0, x)
  end

  structure all =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val size = 208
    fun alloc () = Bits.alloc 0w208
    val free = Bits.free
    fun nth (p, i) = P.add (p, Word.fromInt i * 0w208)
    fun get_c p = Byte.byteToChar (P.getWord8 (p, 0))
    fun set_c (p, x) = P.setWord8 (p, 0, Byte.charToByte x)
    fun get_i8 p = P.getInt8 (P.add (p, 0w1), 0)
    fun set_i8 (p, x) = P.setInt8 (P.add (p, 0w1), 0, x)
    fun get_u8 p = P.getWord8 (P.add (p, 0w2), 0)
    fun set_u8 (p, x) = P.setWord8 (P.add (p, 0w2), 0, x)
    fun get_i16 p = P.getInt16 (P.add (p, 0w4), 0)
    fun set_i16 (p, x) = P.setInt16 (P.add (p, 0w4), 0, x)
    fun get_u16 p = P.getWord16 (P.add (p, 0w6), 0)
    fun set_u16 (p, x) = P.setWord16 (P.add (p, 0w6), 0, x)
    fun get_i32 p = Int32.toInt (P.getInt32 (P.add (p, 0w8), 0))
    fun set_i32 (p, x) = P.setInt32 (P.add (p, 0w8), 0, Int32.fromInt x)
    fun get_u32 p = Word32.toLarge (P.getWord32 (P.add (p, 0w12), 0))
    fun set_u32 (p, x) = P.setWord32 (P.add (p, 0w12), 0, Bits.word32 x)
    fun get_i64 p = P.getInt64 (P.add (p, 0w16), 0)
    fun set_i64 (p, x) = P.setInt64 (P.add (p, 0w16), 0, x)
    fun get_u64 p = P.getWord64 (P.add (p, 0w24), 0)
    fun set_u64 (p, x) = P.setWord64 (P.add (p, 0w24), 0, x)
    fun get_f32 p = P.getReal32 (P.add (p, 0w32), 0)
    fun set_f32 (p, x) = P.setReal32 (P.add (p, 0w32), 0, x)
    fun get_f64 p = P.getReal64 (P.add (p, 0w40), 0)
    fun set_f64 (p, x) = P.setReal64 (P.add (p, 0w40), 0, x)
    fun get_yes p = P.getWord8 (P.add (p, 0w48), 0) <> 0w0
    fun set_yes (p, x) = P.setWord8 (P.add (p, 0w48), 0, if x then 0w1 else 0w0)
    fun get_fixed p = Int32.toInt (P.getInt32 (P.add (p, 0w52), 0))
    fun get_way p = Int32.toInt (P.getInt32 (P.add (p, 0w56), 0))
    fun set_way (p, x) = P.setInt32 (P.add (p, 0w56), 0, Int32.fromInt x)
    fun get_wide p = Word32.toLarge (P.getWord32 (P.add (p, 0w60), 0))
    fun set_wide (p, x) = P.setWord32 (P.add (p, 0w60), 0, Bits.word32 x)
    fun get_text p = P.getPointer (P.add (p, 0w64), 0)
    fun set_text (p, x) = P.setPointer (P.add (p, 0w64), 0, x)
    fun get_to p = P.getPointer (P.add (p, 0w72), 0)
    fun set_to (p, x) = P.setPointer (P.add (p, 0w72), 0, x)
    fun at_at p = P.add (p, 0w80)
    fun at_corners p = P.add (p, 0w96)
    fun at_numbers p = P.add (p, 0w128)
    local
      val get = _import "leat_kinds_get_all_low" leaf : P.t -> word;
    in
      fun get_low p = get p
    end
    local
      val set = _import "leat_kinds_set_all_low" leaf : P.t * word -> unit;
    in
      fun set_low (p, x) = set (p, x)
    end
    local
      val get = _import "leat_kinds_get_all_high" leaf : P.t -> int;
    in
      fun get_high p = get p
    end
    local
      val set = _import "leat_kinds_set_all_high" leaf : P.t * int -> unit;
    in
      fun set_high (p, x) = set (p, x)
    end
    local
      val get = _import "leat_kinds_get_all_flag" leaf : P.t -> Word8.word;
    in
      fun get_flag p = get p <> 0w0
    end
    local
      val set = _import "leat_kinds_set_all_flag" leaf : P.t * Word8.word -> unit;
    in
      fun set_flag (p, x) = set (p, if x then 0w1 else 0w0)
    end
    local
      val get = _import "leat_kinds_get_all_many" leaf : P.t -> Word64.word;
    in
      fun get_many p = get p
    end
    local
      val set = _import "leat_kinds_set_all_many" leaf : P.t * Word64.word -> unit;
    in
      fun set_many (p, x) = set (p, x)
    end
    fun get_as_int p = Int32.toInt (P.getInt32 (P.add (p, 0w152), 0))
    fun set_as_int (p, x) = P.setInt32 (P.add (p, 0w152), 0, Int32.fromInt x)
    fun get_as_float p = P.getReal32 (P.add (p, 0w152), 0)
    fun set_as_float (p, x) = P.setReal32 (P.add (p, 0w152), 0, x)
    fun at_choice p = P.add (p, 0w160)
    fun get_compare p = P.getPointer (P.add (p, 0w168), 0)
    fun set_compare (p, x) = P.setPointer (P.add (p, 0w168), 0, x)
    fun get_note p = P.getPointer (P.add (p, 0w176), 0)
    fun set_note (p, x) = P.setPointer (P.add (p, 0w176), 0, x)
    fun get_next p = P.getPointer (P.add (p, 0w184), 0)
    fun set_next (p, x) = P.setPointer (P.add (p, 0w184), 0, x)
  end

  structure all_choice =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val size = 8
    fun alloc () = Bits.alloc 0w8
    val free = Bits.free
    fun nth (p, i) = P.add (p, Word.fromInt i * 0w8)
    fun at_bytes p = p
    fun get_whole p = P.getWord64 (p, 0)
    fun set_whole (p, x) = P.setWord64 (p, 0, x)
  end

  structure either =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val size = 4
    fun alloc () = Bits.alloc 0w4
    val free = Bits.free
    fun nth (p, i) = P.add (p, Word.fromInt i * 0w4)
    fun get_number p = Int32.toInt (P.getInt32 (p, 0))
    fun set_number (p, x) = P.setInt32 (p, 0, Int32.fromInt x)
    fun at_letters p = p
  end

  structure opaque =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
  end

  structure note =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    local
      val makes = _export * : (P.t * P.t * Word8.word -> unit) -> P.t;
      val calls = _import * reentrant : P.t -> P.t * P.t * Word8.word -> unit;
    in
      fun make f = makes (fn (a0, a1, a2) => f (a0, a1, a2 <> 0w0))
      fun call p (a0, a1, a2) = calls p (a0, a1, if a2 then 0w1 else 0w0)
    end
    val free = Foreign.free
  end

  structure all_compare =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val make = _export * : (P.t * P.t -> int) -> P.t;
    val call = _import * reentrant : P.t -> P.t * P.t -> int;
    val free = Foreign.free
  end

  structure move =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    local
      val makes = _export * : (Word8.word * (real * real) * int -> (real * real)) -> P.t;
      val calls = _import * reentrant : P.t -> Word8.word * (real * real) * int -> (real * real);
    in
      fun make f =
        makes (fn (a0, (a1_0, a1_1), a2) =>
          let
            val a1 = point.alloc ()
            val () = (P.setReal64 (a1, 0, a1_0); P.setReal64 (P.add (a1, 0w8), 0, a1_1))
            fun over () = (point.free a1)
            val result = f (a0 <> 0w0, a1, a2) handle e => (over (); raise e)
            val given = (P.getReal64 (result, 0), P.getReal64 (P.add (result, 0w8), 0))
          in
            over ();
            given
          end)
      fun call p (a0, a1, a2) =
        let
          val (r0, r1) =
            calls
              p
              (if a0 then 0w1 else 0w0, (P.getReal64 (a1, 0), P.getReal64 (P.add (a1, 0w8), 0)), a2)
          val result = point.alloc ()
        in
          P.setReal64 (result, 0, r0);
          P.setReal64 (P.add (result, 0w8), 0, r1);
          result
        end
    end
    val free = Foreign.free
  end

  structure apply_f =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    val make = _export * : (int -> int) -> P.t;
    val call = _import * reentrant : P.t -> int -> int;
    val free = Foreign.free
  end

  structure measured_length =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    local
      val makes = _export * : ((real * real) * unit -> real) -> P.t;
      val calls = _import * reentrant : P.t -> (real * real) * unit -> real;
    in
      fun make f =
        makes (fn ((a0_0, a0_1), ()) =>
          let
            val a0 = point.alloc ()
            val () = (P.setReal64 (a0, 0, a0_0); P.setReal64 (P.add (a0, 0w8), 0, a0_1))
            fun over () = (point.free a0)
            val result = f a0 handle e => (over (); raise e)
            val given = result
          in
            over ();
            given
          end)
      fun call p a0 = calls p ((P.getReal64 (a0, 0), P.getReal64 (P.add (a0, 0w8), 0)), ())
    end
    val free = Foreign.free
  end

  structure made_make =
  struct
    val null = P.null
    fun ofPointer p = p : P.t
    fun toPointer p = p : P.t
    local
      val makes = _export * : (int -> (real * real)) -> P.t;
      val calls = _import * reentrant : P.t -> int -> (real * real);
    in
      fun make f =
        makes (fn a0 =>
          let
            val result = f a0
          in
            (P.getReal64 (result, 0), P.getReal64 (P.add (result, 0w8), 0))
          end)
      fun call p a0 =
        let
          val (r0, r1) = calls p a0
          val result = point.alloc ()
        in
          P.setReal64 (result, 0, r0);
          P.setReal64 (P.add (result, 0w8), 0, r1);
          result
        end
    end
    val free = Foreign.free
  end

  local
    val (get, set) = _symbol "kinds_calls" : int;
  in
    fun get_calls () = get ()
    fun set_calls x = set (x)
  end
  local
    val (get, set) = _symbol "kinds_half" : real;
  in
    fun get_half () = get ()
    fun set_half x = set (x)
  end
  val at_origin = _address "kinds_origin" : P.t;
  val at_name = _address "kinds_name" : P.t;

  val more = _import "kinds_more" : unit -> int;
  val part_of = _import "kinds_part_of" : P.t -> int;
  local
    val calls' = _import "kinds_open" : string * int -> P.t;
  in
    fun open_ (a0, a1) = calls' (a0 ^ "\000", a1)
  end
  val close = _import "kinds_close" : P.t -> unit;
  val name_of = _import "kinds_name_of" : P.t * CharArray.array * Word64.word -> int;
  val fill = _import "kinds_fill" : P.t -> unit;
  local
    val calls' = _import "kinds_not" : Word8.word -> Word8.word;
  in
    fun not a0 = calls' (if a0 then 0w1 else 0w0) <> 0w0
  end
  val small = _import "kinds_small" : Word8.word * Int16.int -> Word8.word;
  val mean = _import "kinds_mean" : Real32.real * Real32.real -> Real32.real;
  val divide = _import "kinds_divide" : int * int * int ref -> int;
  val sum = _import "kinds_sum" : real vector * Word64.word -> real;
  val square = _import "kinds_square" : real array * Word64.word -> unit;
  val bytes = _import "kinds_bytes" : Word8Vector.vector * Word64.word -> Int64.int;
  val turn = _import "kinds_turn" : int -> int;
  val same = _import "kinds_same" : word -> word;
  val each = _import "kinds_each" reentrant : int * P.t * P.t -> unit;
  val apply = _import "kinds_apply" reentrant : P.t * int -> int;
  val noter = _import "kinds_noter" : unit -> P.t;
  val set = _import "kinds_set" : P.t * P.t -> int;
  val fail = _import "kinds_fail" errno : int -> int * int;
  val total = _import "kinds_total" variadic : int -> int;
  local
    val calls' = _import "kinds_add" : (real * real) * (real * real) -> (real * real);
  in
    fun add (a0, a1) =
      let
        val (r0, r1) =
          calls' ((P.getReal64 (a0, 0), P.getReal64 (P.add (a0, 0w8), 0)),
                  (P.getReal64 (a1, 0), P.getReal64 (P.add (a1, 0w8), 0)))
        val result = point.alloc ()
      in
        P.setReal64 (result, 0, r0);
        P.setReal64 (P.add (result, 0w8), 0, r1);
        result
      end
  end
  local
    val calls' = _import "leat_kinds_kinds_copy" : P.t * P.t -> unit;
  in
    fun copy a0 = let val result = all.alloc () in calls' (a0, result); result end
  end
  local
    val calls' = _import "leat_kinds_kinds_pick" : P.t * int * P.t -> unit;
  in
    fun pick (a0, a1) = let val result = either.alloc () in calls' (a0, a1, result); result end
  end
  local
    val calls' = _import "kinds_moved" reentrant : P.t * (real * real) -> (real * real);
  in
    fun moved (a0, a1) =
      let
        val (r0, r1) = calls' (a0, (P.getReal64 (a1, 0), P.getReal64 (P.add (a1, 0w8), 0)))
        val result = point.alloc ()
      in
        P.setReal64 (result, 0, r0);
        P.setReal64 (P.add (result, 0w8), 0, r1);
        result
      end
  end
  val mover = _import "kinds_mover" : unit -> P.t;
  val measured = _import "kinds_measured" reentrant : P.t * real * real -> real;
  local
    val calls' = _import "kinds_made" reentrant : P.t -> (real * real);
  in
    fun made a0 =
      let
        val (r0, r1) = calls' a0
        val result = point.alloc ()
      in
        P.setReal64 (result, 0, r0);
        P.setReal64 (P.add (result, 0w8), 0, r1);
        result
      end
  end
  val chosen = _import "kinds_chosen" : P.t -> int;
  local
    val calls' = _import "leat_kinds_kinds_inline" : string * Word8.word -> int;
  in
    fun inline (a0, a1) = calls' (a0 ^ "\000", if a1 then 0w1 else 0w0)
  end
  val plain_inline = _import "leat_kinds_kinds_plain_inline" : int -> int;
  val both = _import "leat_kinds_kinds_both" : int -> int;
  val other = _import "leat_kinds_kinds_other" : int -> int;
  val new_name = _import "__kinds_renamed" : int -> int;
  val val_ = _import "val" : int -> int;
  val mod_ = _import "mod" : int * int -> int;
end
