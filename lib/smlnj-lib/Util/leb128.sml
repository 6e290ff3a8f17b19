(* NativeInt, NativeWord: the machine's numbers. LEB128: whole numbers in groups of seven bits, the lowest first, the
   eighth bit of all bytes but the last set, as in DWARF and WebAssembly.
   All go by way of IntInf, whose size is the number's own. *)

structure NativeInt : INTEGER = Int64
structure NativeWord : WORD = Word64

signature LEB128 =
sig
  type ('ty, 'src) decoder = (Word8.word, 'src) StringCvt.reader -> 'src -> ('ty * 'src) option
  (* NONE if the input ends too early; Overflow if the type has no such number, which may be known before its last byte.
     A number of a fixed size may have any number of bytes, as long as those in excess only repeat its sign: they take
     no memory. *)

  val decodeInt : (Int.int, 'a) decoder
  (* Reads an int, with a sign. *)
  val decodeNativeInt : (NativeInt.int, 'a) decoder
  (* Reads an int of the machine, with a sign. *)
  val decodeInt64 : (Int64.int, 'a) decoder
  (* Reads an int of 64 bits, with a sign. *)
  val decodeIntInf : (IntInf.int, 'a) decoder
  (* Reads an int of any size, with a sign. *)
  val decodeWord : (Word.word, 'src) decoder
  (* Reads a word, without a sign. *)
  val decodeNativeWord : (NativeWord.word, 'src) decoder
  (* Reads a word of the machine, without a sign. *)
  val decodeWord64 : (Word64.word, 'src) decoder
  (* Reads a word of 64 bits, without a sign. *)
  val decodeUIntInf : (IntInf.int, 'src) decoder
  (* Reads an int of any size that is not negative, without a sign. *)

  type ('ty, 'dst) encoder = ('dst * Word8.word -> 'dst) -> ('dst * 'ty) -> 'dst
  (* The function writes one byte. *)

  val encodeInt : (Int.int, 'dst) encoder
  (* Writes an int, with a sign. *)
  val encodeNativeInt : (NativeInt.int, 'dst) encoder
  (* Writes an int of the machine, with a sign. *)
  val encodeInt64 : (Int64.int, 'dst) encoder
  (* Writes an int of 64 bits, with a sign. *)
  val encodeIntInf : (IntInf.int, 'dst) encoder
  (* Writes an int of any size, with a sign. *)
  val encodeWord : (Word.word, 'dst) encoder
  (* Writes a word, without a sign. *)
  val encodeNativeWord : (NativeWord.word, 'dst) encoder
  (* Writes a word of the machine, without a sign. *)
  val encodeWord64 : (Word64.word, 'dst) encoder
  (* Writes a word of 64 bits, without a sign. *)
  val encodeUIntInf : (IntInf.int, 'dst) encoder
  (* Writes an int of any size that is not negative, without a sign. Raises Domain for a negative number. *)

  (* How many bytes an encoding has *)

  val sizeOfInt : Int.int -> int
  (* How many bytes the encoding of an int has. *)
  val sizeOfNativeInt : NativeInt.int -> int
  (* How many bytes the encoding of an int of the machine has. *)
  val sizeOfInt64 : Int64.int -> int
  (* How many bytes the encoding of an int of 64 bits has. *)
  val sizeOfIntInf : IntInf.int -> int
  (* How many bytes the encoding of an int of any size has. *)
  val sizeOfWord : Word.word -> int
  (* How many bytes the encoding of a word has. *)
  val sizeOfNativeWord : NativeWord.word -> int
  (* How many bytes the encoding of a word of the machine has. *)
  val sizeOfWord64 : Word64.word -> int
  (* How many bytes the encoding of a word of 64 bits has. *)
  val sizeOfUIntInf : IntInf.int -> int
  (* How many bytes the encoding of an int of any size that is not negative has. *)

  val intToBytes : Int.int -> Word8Vector.vector
  (* The encoding of an int, as bytes. *)
  val nativeIntToBytes : NativeInt.int -> Word8Vector.vector
  (* The encoding of an int of the machine, as bytes. *)
  val int64ToBytes : Int64.int -> Word8Vector.vector
  (* The encoding of an int of 64 bits, as bytes. *)
  val intInfToBytes : IntInf.int -> Word8Vector.vector
  (* The encoding of an int of any size, as bytes. *)
  val wordToBytes : Word.word -> Word8Vector.vector
  (* The encoding of a word, as bytes. *)
  val nativeWordToBytes : NativeWord.word -> Word8Vector.vector
  (* The encoding of a word of the machine, as bytes. *)
  val word64ToBytes : Word64.word -> Word8Vector.vector
  (* The encoding of a word of 64 bits, as bytes. *)
  val uIntInfToBytes : IntInf.int -> Word8Vector.vector
  (* The encoding of an int of any size that is not negative, as bytes. Raises Domain for a negative number. *)
end

structure LEB128 :> LEB128 =
struct
  type ('ty, 'src) decoder = (Word8.word, 'src) StringCvt.reader -> 'src -> ('ty * 'src) option
  type ('ty, 'dst) encoder = ('dst * Word8.word -> 'dst) -> ('dst * 'ty) -> 'dst

  (* The number, the input behind it, and the weight of the next bit. Of a number of so many bits, if that is known, the
     last group that is kept has none of them, but is the sign, or zero. So are those behind it, if the number fits:
     they say the same, and are dropped. *)
  fun decode size getb s =
    let
      (* Numbers of so many bits each, the lowest first, in pairs until one is left. *)
      fun joined ([], _) = 0
        | joined ([n : IntInf.int], _) = n
        | joined (l, bits) =
            let
              fun pairs (a :: b :: rest) = IntInf.orb (a, IntInf.<< (b, bits)) :: pairs rest
                | pairs l = l
            in
              joined (pairs l, 0w2 * bits)
            end
      fun isAbove n =
        case size of
          SOME bits => 0w7 * n >= Word.fromInt bits
        | NONE => false
      (* The groups before, the last one first, and how many there are; whether the last one is above the number. *)
      fun from (s, groups, n, isFull) =
        case getb s of
          NONE => NONE
        | SOME (b, s) =>
            let
              val group = Word8.toLargeInt (Word8.andb (b, 0wx7F))
              val () = if isFull andalso group <> hd groups then raise Overflow else ()
              val (groups, n, isFull) =
                if isFull then (groups, n, true) else (group :: groups, n + 0w1, isAbove n)
            in
              if b >= 0wx80 then from (s, groups, n, isFull)
              else SOME (joined (rev groups, 0w7), s, IntInf.<< (1, 0w7 * n))
            end
    in
      from (s, [], 0w0, false)
    end

  fun unsigned (size, convert) getb s =
    Option.map (fn (n, s, _) => (convert n, s)) (decode size getb s)
  (* The highest bit read is the sign. *)
  fun signed (size, convert) getb s =
    Option.map
      (fn (n, s, weight) => (convert (if 2 * n >= weight then n - weight else n), s))
      (decode size getb s)

  fun word (size, convert) =
    unsigned (SOME size, fn n => if n >= IntInf.pow (2, size) then raise Overflow else convert n)

  fun decodeIntInf getb s = signed (NONE, fn n => n) getb s
  fun decodeInt getb s = signed (Int.precision, Int.fromLarge) getb s
  fun decodeInt64 getb s = signed (SOME 64, Int64.fromLarge) getb s
  fun decodeUIntInf getb s = unsigned (NONE, fn n => n) getb s
  fun decodeWord getb s = word (Word.wordSize, Word.fromLargeInt) getb s
  fun decodeWord64 getb s = word (64, Word64.fromLargeInt) getb s
  fun decodeNativeInt getb s = decodeInt64 getb s
  fun decodeNativeWord getb s = decodeWord64 getb s

  fun bitLength (n : IntInf.int) = if n = 0 then 0 else IntInf.log2 n + 1
  (* How many groups a number has, without a sign and with one. *)
  fun unsignedGroups (n : IntInf.int) =
    if n < 0 then raise Domain else Int.max (1, (bitLength n + 6) div 7)
  fun signedGroups n = bitLength (if n < 0 then IntInf.notb n else n) div 7 + 1

  (* Puts so many groups of a number without bits above them; a long one is halved. The last group has no mark if it ends
     the whole. *)
  fun groups put (dst, n : IntInf.int, count, isEnd) =
    if count <= 8 then
      let
        fun byte (w, mark) = Word8.fromLarge (Word.toLarge (Word.orb (Word.andb (w, 0wx7F), mark)))
        fun from (dst, w, 1) = put (dst, byte (w, if isEnd then 0w0 else 0wx80))
          | from (dst, w, k) = from (put (dst, byte (w, 0wx80)), Word.>> (w, 0w7), k - 1)
      in
        from (dst, Word.fromLargeInt n, count)
      end
    else
      let
        val half = count div 2
        val bits = 0w7 * Word.fromInt half
        val high = IntInf.~>> (n, bits)
        val dst = groups put (dst, n - IntInf.<< (high, bits), half, false)
      in
        groups put (dst, high, count - half, isEnd)
      end

  fun encodeUIntInf put (dst, n) = groups put (dst, n, unsignedGroups n, true)
  fun encodeIntInf put (dst, n) =
    let
      val count = signedGroups n
      val n = if n < 0 then n + IntInf.<< (1, 0w7 * Word.fromInt count) else n
    in
      groups put (dst, n, count, true)
    end
  fun encodeInt put (dst, n) = encodeIntInf put (dst, Int.toLarge n)
  fun encodeInt64 put (dst, n) = encodeIntInf put (dst, Int64.toLarge n)
  fun encodeWord put (dst, w) = encodeUIntInf put (dst, Word.toLargeInt w)
  fun encodeWord64 put (dst, w) = encodeUIntInf put (dst, Word64.toLargeInt w)
  fun encodeNativeInt put (dst, n) = encodeInt64 put (dst, n)
  fun encodeNativeWord put (dst, w) = encodeWord64 put (dst, w)

  fun sizeOfIntInf n = signedGroups n
  fun sizeOfInt n = signedGroups (Int.toLarge n)
  fun sizeOfInt64 n = signedGroups (Int64.toLarge n)
  fun sizeOfUIntInf n = unsignedGroups n
  fun sizeOfWord w = unsignedGroups (Word.toLargeInt w)
  fun sizeOfWord64 w = unsignedGroups (Word64.toLargeInt w)
  val sizeOfNativeInt = sizeOfInt64
  val sizeOfNativeWord = sizeOfWord64

  fun bytes encode x = Word8Vector.fromList (rev (encode (fn (l, b) => b :: l) ([], x)))
  fun intInfToBytes n = bytes encodeIntInf n
  fun intToBytes n = bytes encodeInt n
  fun int64ToBytes n = bytes encodeInt64 n
  fun uIntInfToBytes n = bytes encodeUIntInf n
  fun wordToBytes w = bytes encodeWord w
  fun word64ToBytes w = bytes encodeWord64 w
  val nativeIntToBytes = int64ToBytes
  val nativeWordToBytes = word64ToBytes
end
