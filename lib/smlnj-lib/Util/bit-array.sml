(* BitArray: arrays of bits, 8 to a byte, the first bit lowest.

   Keeps: bits of the last byte behind the length are 0, so whole bytes can be compared. *)

signature BIT_ARRAY =
sig
  include MONO_ARRAY

  val fromString : string -> array option
  (* The array of hexadecimal digits, four bits each; NONE when one is none. *)
  val bits : (int * int list) -> array
  (* An array of that length with the bits of the list set; raises Size, Subscript. *)
  val getBits : array -> int list
  (* The indices of the set bits, in increasing order. *)
  val toString : array -> string
  (* Hexadecimal digits. *)
  val isZero : array -> bool
  (* Whether no bit is set. *)
  val extend0 : (array * int) -> array
  (* A copy of at least that length; new bits are 0. *)
  val extend1 : (array * int) -> array
  (* A copy of at least that length; new bits are 1. *)
  val eqBits : (array * array) -> bool
  (* The same bits are set; the lengths may differ. *)
  val equal : (array * array) -> bool
  (* The same length and the same bits. *)
  val andb : (array * array * int) -> array
  (* A new array of that length: the bits that both have. What is behind an argument's end is 0. *)
  val orb : (array * array * int) -> array
  (* A new array of that length: the bits that either has. What is behind an argument's end is 0. *)
  val xorb : (array * array * int) -> array
  (* A new array of that length: the bits that one of them has. What is behind an argument's end is 0. *)
  val notb : array -> array
  (* A new array with all bits inverted. *)
  val >> : (array * word) -> array
  (* Without that many low bits. *)
  val << : (array * word) -> array
  (* With that many zeros below. *)
  val lshift : (array * int) -> array
  (* As `<<`; a negative number raises Fail. *)
  val rshift : (array * int) -> array
  (* As `>>`; a negative number raises Fail. *)

  (* In place *)

  val setBit : (array * int) -> unit
  (* In place: sets a bit. Raises Subscript. *)
  val clrBit : (array * int) -> unit
  (* In place: clears a bit. Raises Subscript. *)
  val union : array -> array -> unit
  (* Sets the second array's bits in the first. *)
  val intersection : array -> array -> unit
  (* Clears the bits of the first array that the second does not have. *)
  val complement : array -> unit
  (* In place: inverts all bits. *)
end
  where type elem = bool

structure BitArray :> BIT_ARRAY =
struct
  structure B = Word8Array

  type elem = bool
  datatype array = A of {length : int, bytes : B.array}
  (* A vector is an array that nobody changes. *)
  type vector = array

  val maxLen = 8 * B.maxLen handle Overflow => B.maxLen

  fun length (A {length, ...}) = length

  (* Bytes for n bits. *)
  fun bytesFor n = if n < 0 orelse n > maxLen then raise Size else (n + 7) div 8

  fun byte (A {bytes, ...}, i) = if i < B.length bytes then B.sub (bytes, i) else 0w0

  fun mask i = Word8.<< (0w1, Word.andb (Word.fromInt i, 0w7))

  fun get (a, i) = Word8.andb (byte (a, i div 8), mask i) <> 0w0

  fun sub (a, i) = if i < 0 orelse i >= length a then raise Subscript else get (a, i)

  fun change f (a as A {length, bytes}, i) =
    if i < 0 orelse i >= length then raise Subscript
    else B.update (bytes, i div 8, f (B.sub (bytes, i div 8), mask i))
  val setBit = change Word8.orb
  val clrBit = change (fn (b, m) => Word8.andb (b, Word8.notb m))
  fun update (a, i, true) = setBit (a, i)
    | update (a, i, false) = clrBit (a, i)

  (* The bits behind the end become 0. *)
  fun trim (a as A {length, bytes}) =
    (if length mod 8 <> 0 then
       B.modifyi
         (fn (i, b) => if i = length div 8 then Word8.andb (b, mask length - 0w1) else b)
         bytes
     else ();
     a)

  (* A new array from a function from the number of a byte to the byte. *)
  fun fromBytes (n, f) = trim (A {length = n, bytes = B.tabulate (bytesFor n, f)})

  fun array (n, b) = fromBytes (n, fn _ => if b then 0wxFF else 0w0)

  fun tabulate (n, f) =
    let
      val a = array (n, false)
      fun from i = if i = n then a else (if f i then setBit (a, i) else (); from (i + 1))
    in
      from 0
    end

  fun fromList l =
    let
      val a = array (List.length l, false)
      fun set (_, []) = a
        | set (i, b :: rest) = (if b then setBit (a, i) else (); set (i + 1, rest))
    in
      set (0, l)
    end

  fun bits (n, l) = let val a = array (n, false) in List.app (fn i => setBit (a, i)) l; a end

  fun foldli f init a =
    let
      fun from (i, x) = if i = length a then x else from (i + 1, f (i, get (a, i), x))
    in
      from (0, init)
    end
  fun foldri f init a =
    let
      fun from (i, x) = if i < 0 then x else from (i - 1, f (i, get (a, i), x))
    in
      from (length a - 1, init)
    end
  fun foldl f = foldli (fn (_, b, x) => f (b, x))
  fun foldr f = foldri (fn (_, b, x) => f (b, x))
  fun appi f = foldli (fn (i, b, ()) => f (i, b)) ()
  fun app f = appi (fn (_, b) => f b)
  fun modifyi f a = appi (fn (i, b) => update (a, i, f (i, b))) a
  fun modify f = modifyi (fn (_, b) => f b)
  fun findi f a =
    let
      fun from i =
        if i = length a then NONE
        else if f (i, get (a, i)) then SOME (i, get (a, i))
        else from (i + 1)
    in
      from 0
    end
  fun find f a = Option.map #2 (findi (fn (_, b) => f b) a)
  fun exists f a = isSome (find f a)
  fun all f a = not (exists (not o f) a)

  fun collate f (a, b) =
    let
      fun from i =
        if i = length a then if i = length b then EQUAL else LESS
        else if i = length b then GREATER
        else case f (get (a, i), get (b, i)) of EQUAL => from (i + 1) | unequal => unequal
    in
      from 0
    end

  fun extended (a, n, new) =
    fromBytes (Int.max (n, length a), fn i => Word8.orb (byte (a, i), byte (new, i)))
  fun extend0 (a, n) = if n < 0 then raise Size else extended (a, n, array (0, false))
  fun extend1 (a, n) =
    if n < 0 then raise Size
    else
      let
        val new = extended (a, n, array (0, false))
      in
        List.app
          (fn i => setBit (new, i))
          (List.tabulate (length new - length a, fn i => length a + i));
        new
      end

  fun vector a = extend0 (a, 0)
  fun copy {src, dst, di} =
    if di < 0 orelse di > length dst - length src then raise Subscript
    else appi (fn (i, b) => update (dst, di + i, b)) (if src = dst then vector src else src)
  val copyVec = copy

  fun getBits a = foldri (fn (i, true, l) => i :: l | (_, false, l) => l) [] a
  fun isZero (A {bytes, ...}) = B.all (fn b => b = 0w0) bytes
  fun eqBits (a, b) =
    let
      fun from i = i < 0 orelse byte (a, i) = byte (b, i) andalso from (i - 1)
    in
      from (bytesFor (Int.max (length a, length b)) - 1)
    end
  fun equal (a, b) = length a = length b andalso eqBits (a, b)

  fun both f (a, b, n) =
    let
      (* What is behind an argument's end was 0, and a result may be shorter. *)
      fun at i = f (byte (a, i), byte (b, i))
    in
      fromBytes (n, at)
    end
  val andb = both Word8.andb
  val orb = both Word8.orb
  val xorb = both Word8.xorb
  fun notb a = fromBytes (length a, fn i => Word8.notb (byte (a, i)))

  fun shifted (a, n, by) =
    let
      val whole = by div 8
      val up = Word.fromInt (by mod 8)
      fun from i = if i < 0 then 0w0 else byte (a, i)
      fun at i =
        Word8.orb (Word8.<< (from (i - whole), up),
                   if up = 0w0 then 0w0 else Word8.>> (from (i - whole - 1), 0w8 - up))
    in
      fromBytes (n, at)
    end
  fun << (a, n) =
    if n > Word.fromInt (maxLen - length a) then raise Size
    else let val n = Word.toInt n in shifted (a, length a + n, n) end
  fun >> (a, n) =
    if n >= Word.fromInt (length a) then array (0, false)
    else let val n = Word.toInt n in shifted (a, length a - n, ~n) end
  fun lshift (a, n) =
    if n < 0 then LibBase.failure {module = "BitArray", func = "lshift", msg = "negative shift"}
    else << (a, Word.fromInt n)
  fun rshift (a, n) =
    if n < 0 then LibBase.failure {module = "BitArray", func = "rshift", msg = "negative shift"}
    else >> (a, Word.fromInt n)

  fun inPlace f (a as A {bytes, ...}) b =
    (B.modifyi (fn (i, x) => f (x, byte (b, i))) bytes; ignore (trim a))
  val union = inPlace Word8.orb
  val intersection = inPlace Word8.andb
  fun complement (a as A {bytes, ...}) = (B.modify Word8.notb bytes; ignore (trim a))

  (* Four bits from i on. *)
  fun nibble (a, i) =
    Word8.toInt (Word8.andb (Word8.>> (byte (a, i div 8), Word.fromInt (i mod 8)), 0wxF))
  fun toString a =
    let
      val digits = (length a + 3) div 4
    in
      CharVector.tabulate
        (digits, fn i => String.sub ("0123456789abcdef", nibble (a, 4 * (digits - 1 - i))))
    end

  fun fromString s =
    if CharVector.all Char.isHexDigit s then
      let
        val n = size s
        fun value c =
          if Char.isDigit c then Char.ord c - 48 else Char.ord (Char.toLower c) - 87
        (* The digit whose lowest bit is bit 4 i. *)
        fun digit i = if i >= n then 0w0 else Word8.fromInt (value (String.sub (s, n - 1 - i)))
      in
        SOME
          (fromBytes (4 * n, fn i => Word8.orb (digit (2 * i), Word8.<< (digit (2 * i + 1), 0w4))))
      end
    else NONE
end
