(* BitArray: arrays of bits, 64 to a word, the first bit lowest.

   Keeps: bits of the last word behind the length are 0, so whole words can be compared. *)

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
  type elem = bool
  datatype array = A of {length : int, words : word Array.array}
  (* A vector is an array that nobody changes. *)
  type vector = array

  (* as many bits as the longest array of bytes has *)
  val maxLen = 8 * Word8Array.maxLen

  fun length (A {length, ...}) = length

  (* Words for n bits. *)
  fun wordsFor n = if n < 0 orelse n > maxLen then raise Size else (n + 63) div 64

  (* What is before the first word and behind the last one is 0. *)
  fun word (A {words, ...}, k) =
    if 0 <= k andalso k < Array.length words then Array.sub (words, k) else 0w0

  (* bit i in its word, which is word i div 64 *)
  fun mask i = Word.<< (0w1, Word.andb (Word.fromInt i, 0w63))

  (* those of the bits of word k that are bits i and higher of the array *)
  fun from (k, i) =
    if i <= 64 * k then Word.notb 0w0 else Word.<< (Word.notb 0w0, Word.fromInt (i - 64 * k))

  (* 64 bits from bit i on, which may be negative *)
  fun bitsAt (a, i) =
    let
      val k = i div 64
      val low = Word.fromInt (i mod 64)
    in
      Word.orb (Word.>> (word (a, k), low), Word.<< (word (a, k + 1), 0w64 - low))
    end

  fun sub (A {length, words}, i) =
    if i < 0 orelse i >= length then raise Subscript
    else Word.andb (Array.sub (words, i div 64), mask i) <> 0w0

  fun change f (A {length, words}, i) =
    if i < 0 orelse i >= length then raise Subscript
    else
      let
        val k = i div 64
      in
        Array.update (words, k, f (Array.sub (words, k), mask i))
      end
  fun setBit (a, i) = change Word.orb (a, i)
  fun clrBit (a, i) = change (fn (w, m) => Word.andb (w, Word.notb m)) (a, i)
  fun update (a, i, true) = setBit (a, i)
    | update (a, i, false) = clrBit (a, i)

  (* The bits behind the end become 0. *)
  fun trim (a as A {length, words}) =
    let
      val k = length div 64
    in
      if k < Array.length words then
        Array.update (words, k, Word.andb (Array.sub (words, k), Word.notb (from (k, length))))
      else ();
      a
    end

  (* A new array from a function from the number of a word to the word. *)
  fun fromWords (n, f) = trim (A {length = n, words = Array.tabulate (wordsFor n, f)})

  fun array (n, b) =
    trim (A {length = n, words = Array.array (wordsFor n, if b then Word.notb 0w0 else 0w0)})

  fun tabulate (n, f) =
    let
      fun bits (i, stop, bit, w) =
        if i = stop then w
        else bits (i + 1, stop, Word.<< (bit, 0w1), if f i then Word.orb (w, bit) else w)
    in
      fromWords (n, fn k => bits (64 * k, Int.min (64 * k + 64, n), 0w1, 0w0))
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

  (* The functions that walk over all bits go from word to word, and over the bits of each. A word is read anew for
     each bit: the function that is called may have changed it. *)

  fun foldli f init (A {length, words}) =
    let
      fun next (k, x) =
        if k = Array.length words then x
        else inWord (k, 64 * k, Int.min (64 * k + 64, length), 0w1, x)
      and inWord (k, i, stop, bit, x) =
        if i = stop then next (k + 1, x)
        else
          inWord (k,
                  i + 1,
                  stop,
                  Word.<< (bit, 0w1),
                  f (i, Word.andb (Array.sub (words, k), bit) <> 0w0, x))
    in
      next (0, init)
    end
  fun foldri f init (A {length, words}) =
    let
      fun next (k, i, x) = if k < 0 then x else inWord (k, i, mask i, x)
      and inWord (k, i, bit, x) =
        if bit = 0w0 then next (k - 1, i, x)
        else
          inWord (k,
                  i - 1,
                  Word.>> (bit, 0w1),
                  f (i, Word.andb (Array.sub (words, k), bit) <> 0w0, x))
    in
      next (Array.length words - 1, length - 1, init)
    end
  fun foldl f = foldli (fn (_, b, x) => f (b, x))
  fun foldr f = foldri (fn (_, b, x) => f (b, x))
  fun appi f = foldli (fn (i, b, ()) => f (i, b)) ()
  fun app f = appi (fn (_, b) => f b)
  fun modifyi f a = appi (fn (i, b) => update (a, i, f (i, b))) a
  fun modify f = modifyi (fn (_, b) => f b)
  fun findi f (A {length, words}) =
    let
      fun next k =
        if k = Array.length words then NONE
        else inWord (k, 64 * k, Int.min (64 * k + 64, length), 0w1)
      and inWord (k, i, stop, bit) =
        if i = stop then next (k + 1)
        else
          let
            val b = Word.andb (Array.sub (words, k), bit) <> 0w0
          in
            if f (i, b) then SOME (i, b) else inWord (k, i + 1, stop, Word.<< (bit, 0w1))
          end
    in
      next 0
    end
  fun find f a = Option.map #2 (findi (fn (_, b) => f b) a)
  fun exists f a = isSome (find f a)
  fun all f a = not (exists (not o f) a)

  fun collate f (a, b) =
    let
      fun at i =
        if i = length a then if i = length b then EQUAL else LESS
        else if i = length b then GREATER
        else case f (sub (a, i), sub (b, i)) of EQUAL => at (i + 1) | unequal => unequal
    in
      at 0
    end

  fun extend0 (a, n) =
    if n < 0 then raise Size else fromWords (Int.max (n, length a), fn k => word (a, k))
  fun extend1 (a, n) =
    if n < 0 then raise Size
    else
      fromWords (Int.max (n, length a), fn k => Word.orb (word (a, k), from (k, length a)))

  fun vector a = extend0 (a, 0)

  (* Word by word of dst, each in those of its bits that are copied. *)
  fun copy {src, dst as A {words, ...}, di} =
    if di < 0 orelse di > length dst - length src then raise Subscript
    else
      let
        val stop = di + length src
        fun put k =
          if 64 * k >= stop then ()
          else
            let
              val copied = Word.andb (from (k, di), Word.notb (from (k, stop)))
            in
              Array.update (words,
                            k,
                            Word.orb (Word.andb (copied, bitsAt (src, 64 * k - di)),
                                      Word.andb (Word.notb copied, Array.sub (words, k))));
              put (k + 1)
            end
      in
        put (di div 64)
      end
  val copyVec = copy

  (* From the highest bit of a word down, until no bit is left. *)
  fun getBits (A {words, ...}) =
    let
      fun next (k, l) = if k < 0 then l else inWord (k, 64 * k + 63, Array.sub (words, k), l)
      and inWord (k, _, 0w0, l) = next (k - 1, l)
        | inWord (k, i, w, l) =
            inWord (k, i - 1, Word.<< (w, 0w1), if Word.toIntX w < 0 then i :: l else l)
    in
      next (Array.length words - 1, [])
    end
  fun isZero (A {words, ...}) = Array.all (fn w => w = 0w0) words
  fun eqBits (a, b) =
    let
      fun at k = k < 0 orelse word (a, k) = word (b, k) andalso at (k - 1)
    in
      at (wordsFor (Int.max (length a, length b)) - 1)
    end
  fun equal (a, b) = length a = length b andalso eqBits (a, b)

  (* What is behind an argument's end was 0, and a result may be shorter. *)
  fun both f (a, b, n) = fromWords (n, fn k => f (word (a, k), word (b, k)))
  fun andb args = both Word.andb args
  fun orb args = both Word.orb args
  fun xorb args = both Word.xorb args
  fun notb a = fromWords (length a, fn k => Word.notb (word (a, k)))

  fun shifted (a, n, by) = fromWords (n, fn k => bitsAt (a, 64 * k - by))
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

  fun inPlace f (a as A {words, ...}, b) =
    (Array.modifyi (fn (k, w) => f (w, word (b, k))) words; ignore (trim a))
  fun union a b = inPlace Word.orb (a, b)
  fun intersection a b = inPlace Word.andb (a, b)
  fun complement (a as A {words, ...}) = (Array.modify Word.notb words; ignore (trim a))

  (* Four bits from i on, which lie in one word. *)
  fun nibble (a, i) =
    Word.toInt (Word.andb (Word.>> (word (a, i div 64), Word.andb (Word.fromInt i, 0w63)), 0wxF))
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
        fun digit i = if i >= n then 0w0 else Word.fromInt (value (String.sub (s, n - 1 - i)))
        (* Those of a word, the highest one first. *)
        fun digits (i, first, w) =
          if i < first then w
          else digits (i - 1, first, Word.orb (Word.<< (w, 0w4), digit i))
      in
        SOME (fromWords (4 * n, fn k => digits (16 * k + 15, 16 * k, 0w0)))
      end
    else NONE
end
