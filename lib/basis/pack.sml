(* PackWord, PackReal: words and reals as bytes of vectors and arrays. *)

signature PACK_WORD =
sig
  (* How many bytes a word has. *)
  val bytesPerElem : int
  (* Whether the highest byte comes first. *)
  val isBigEndian : bool
  (* The word at bytes i * bytesPerElem and following, without sign. Raises Subscript. *)
  val subVec : Word8Vector.vector * int -> LargeWord.word
  (* As `subVec`, with the word's highest bit as its sign. *)
  val subVecX : Word8Vector.vector * int -> LargeWord.word
  (* The word at bytes i * bytesPerElem and following of an array, without sign. Raises Subscript. *)
  val subArr : Word8Array.array * int -> LargeWord.word
  (* As `subArr`, with the word's highest bit as its sign. *)
  val subArrX : Word8Array.array * int -> LargeWord.word
  (* Puts the low bits of a word at bytes i * bytesPerElem and following. Raises Subscript. *)
  val update : Word8Array.array * int * LargeWord.word -> unit
end

functor PackWord' (val bytes : int val isBigEndian : bool) : PACK_WORD =
struct
  val bytesPerElem = bytes
  val isBigEndian = isBigEndian

  (* where the word's bytes lie within *)
  val unsafeSub = PrimArrays'.array_sub_unsafe : Word8.word array * int -> Word8.word
  val unsafeUpdate = PrimArrays'.array_update_unsafe : Word8.word array * int * Word8.word -> unit
  val thaw = PrimArrays'.cast : Word8.word vector -> Word8.word array

  (* the first byte *)
  fun start (i, length) =
    if i < 0 orelse i >= length div bytes then raise Subscript else i * bytes

  fun gather (a, at) =
    let
      fun go (k, w) =
        if k = bytes then w
        else
          let
            val i = if isBigEndian then at + k else at + bytes - 1 - k
          in
            go (k + 1, Word.orb (Word.<< (w, 0w8), Word8.toLarge (unsafeSub (a, i))))
          end
    in
      go (0, 0w0)
    end
  val above = Word.fromInt (64 - 8 * bytes)
  fun extend w = Word.~>> (Word.<< (w, above), above)

  fun subVec (v, i) = gather (thaw v, start (i, Word8Vector.length v))
  fun subArr (a, i) = gather (a, start (i, Word8Array.length a))
  fun subVecX p = extend (subVec p)
  fun subArrX p = extend (subArr p)
  fun update (a, i, w) =
    let
      val at = start (i, Word8Array.length a)
      fun go (k, w) =
        if k = bytes then ()
        else
          (unsafeUpdate (a, if isBigEndian then at + bytes - 1 - k else at + k, Word8.fromLarge w);
           go (k + 1, Word.>> (w, 0w8)))
    in
      go (0, w)
    end
end

structure PackWord8Little = PackWord' (val bytes = 1 val isBigEndian = false)
structure PackWord8Big = PackWord' (val bytes = 1 val isBigEndian = true)
structure PackWord16Little = PackWord' (val bytes = 2 val isBigEndian = false)
structure PackWord16Big = PackWord' (val bytes = 2 val isBigEndian = true)
structure PackWord32Little = PackWord' (val bytes = 4 val isBigEndian = false)
structure PackWord32Big = PackWord' (val bytes = 4 val isBigEndian = true)
structure PackWord64Little = PackWord' (val bytes = 8 val isBigEndian = false)
structure PackWord64Big = PackWord' (val bytes = 8 val isBigEndian = true)

signature PACK_REAL =
sig
  type real
  (* How many bytes a number has. *)
  val bytesPerElem : int
  (* Whether the highest byte comes first. *)
  val isBigEndian : bool
  (* The number's bytes. *)
  val toBytes : real -> Word8Vector.vector
  (* The number of these bytes. Raises Subscript when there are too few. *)
  val fromBytes : Word8Vector.vector -> real
  (* The number at bytes i * bytesPerElem and following. Raises Subscript. *)
  val subVec : Word8Vector.vector * int -> real
  (* The number at bytes i * bytesPerElem and following of an array. Raises Subscript. *)
  val subArr : Word8Array.array * int -> real
  (* Puts a number at bytes i * bytesPerElem and following. Raises Subscript. *)
  val update : Word8Array.array * int * real -> unit
end

functor PackReal'
  (type real
   structure W : PACK_WORD
   val toBits : real -> word
   val ofBits : word -> real) : PACK_REAL where type real = real =
struct
  type real = real
  val bytesPerElem = W.bytesPerElem
  val isBigEndian = W.isBigEndian
  fun toBytes x =
    let
      val a = Word8Array.array (bytesPerElem, 0w0)
    in
      W.update (a, 0, toBits x);
      Word8Array.vector a
    end
  fun subVec p = ofBits (W.subVec p)
  fun fromBytes v = subVec (v, 0)
  fun subArr p = ofBits (W.subArr p)
  fun update (a, i, x) = W.update (a, i, toBits x)
end

structure PackRealLittle =
  PackReal' (type real = real
             structure W = PackWord64Little
             val toBits = PrimReals'.real_to_bits
             val ofBits = PrimReals'.real_of_bits)
structure PackRealBig =
  PackReal' (type real = real
             structure W = PackWord64Big
             val toBits = PrimReals'.real_to_bits
             val ofBits = PrimReals'.real_of_bits)
structure PackReal64Little = PackRealLittle
structure PackReal64Big = PackRealBig
structure PackReal32Little =
  PackReal' (type real = Real32.real
             structure W = PackWord32Little
             val bits = PrimReals'.real_to_bits32
             val real = PrimReals'.real_of_bits32
             fun toBits x = bits (Real32.toLarge x)
             fun ofBits w = Real32.fromLarge IEEEReal.TO_NEAREST (real w))
structure PackReal32Big =
  PackReal' (type real = Real32.real
             structure W = PackWord32Big
             val bits = PrimReals'.real_to_bits32
             val real = PrimReals'.real_of_bits32
             fun toBits x = bits (Real32.toLarge x)
             fun ofBits w = Real32.fromLarge IEEEReal.TO_NEAREST (real w))
