(* Hash: hash functions that are put together like the types: FNV-1a over the bytes of a value's parts.
   An 'a t adds a value to a hash; an 'a hash is the whole thing. *)

signature HASHING =
sig
  type 'a t = 'a * Word64.word -> Word64.word
  type 'a hash = 'a -> word

  val finish : 'a t -> 'a hash

  val bool : bool t
  val bool' : bool hash
  val char : char t
  val char' : char hash
  val int : int t
  val int' : int hash
  val int32 : Int32.int t
  val int32' : Int32.int hash
  val int64 : Int64.int t
  val int64' : Int64.int hash
  val intInf : IntInf.int t
  val intInf' : IntInf.int hash
  val word : word t
  val word' : word hash
  val word8 : Word8.word t
  val word8' : Word8.word hash
  val word32 : Word32.word t
  val word32' : Word32.word hash
  val word64 : Word64.word t
  val word64' : Word64.word hash
  val substring : substring t
  val substring' : substring hash
  val string : string t
  val string' : string hash
  val real : real t
  val real' : real hash

  val word8Array : Word8Array.array t
  val word8Array' : Word8Array.array hash
  val word8ArraySlice : Word8ArraySlice.slice t
  val word8ArraySlice' : Word8ArraySlice.slice hash
  val word8Vector : Word8Vector.vector t
  val word8Vector' : Word8Vector.vector hash
  val word8VectorSlice : Word8VectorSlice.slice t
  val word8VectorSlice' : Word8VectorSlice.slice hash
  val charArray : CharArray.array t
  val charArray' : CharArray.array hash
  val charArraySlice : CharArraySlice.slice t
  val charArraySlice' : CharArraySlice.slice hash
  val realArray : RealArray.array t
  val realArray' : RealArray.array hash
  val realArraySlice : RealArraySlice.slice t
  val realArraySlice' : RealArraySlice.slice hash
  val realVector : RealVector.vector t
  val realVector' : RealVector.vector hash
  val realVectorSlice : RealVectorSlice.slice t
  val realVectorSlice' : RealVectorSlice.slice hash

  val option : 'a t -> 'a option t
  val list : 'a t -> 'a list t
  val array : 'a t -> 'a array t
  val arraySlice : 'a t -> 'a ArraySlice.slice t
  val vector : 'a t -> 'a vector t
  val vectorSlice : 'a t -> 'a VectorSlice.slice t
  val pair : ('a t * 'b t) -> ('a * 'b) t
end

structure Hash :> HASHING =
struct
  type 'a t = 'a * Word64.word -> Word64.word
  type 'a hash = 'a -> word

  fun finish f x = Word.fromLarge (Word64.toLarge (f (x, FNVHash.offsetBasis)))

  val char = FNVHash.hashChar
  val word8 = FNVHash.hashByte

  fun word64 (w, h) =
    let
      fun byte (8, _, h) = h
        | byte (i, w, h) = byte (i + 1, Word64.>> (w, 0w8), word8 (Word8.fromLarge (Word64.toLarge w), h))
    in
      byte (0, w, h)
    end

  fun bool (b, h) = word8 (if b then 0w1 else 0w0, h)
  fun word (w, h) = word64 (Word64.fromLarge (Word.toLarge w), h)
  fun word32 (w, h) = word64 (Word64.fromLarge (Word32.toLarge w), h)
  fun int (n, h) = word (Word.fromInt n, h)
  fun int32 (n, h) = word64 (Word64.fromLargeInt (Int32.toLarge n), h)
  fun int64 (n, h) = word64 (Word64.fromLargeInt (Int64.toLarge n), h)
  fun intInf (n, h) =
    let
      fun digits (n : IntInf.int, h) =
        if n = 0 then h else digits (IntInf.~>> (n, 0w64), word64 (Word64.fromLargeInt n, h))
    in
      digits (abs n, bool (n < 0, h))
    end
  fun string (s, h) = CharVector.foldl char h s
  fun substring (s, h) = Substring.foldl char h s
  (* Equal reals hash alike: the two zeros, and any NaN. *)
  fun real (r, h) =
    if Real.== (r, 0.0) then word64 (0w0, h)
    else if Real.isNan r then word64 (0w1, h)
    else if not (Real.isFinite r) then word64 (if r > 0.0 then 0w2 else 0w3, h)
    else
      let val {man, exp} = Real.toManExp r
      in int (exp, intInf (Real.toLargeInt IEEEReal.TO_NEAREST (Real.fromManExp {man = man, exp = 53}), h)) end

  fun word8Array (a, h) = Word8Array.foldl word8 h a
  fun word8ArraySlice (a, h) = Word8ArraySlice.foldl word8 h a
  fun word8Vector (a, h) = Word8Vector.foldl word8 h a
  fun word8VectorSlice (a, h) = Word8VectorSlice.foldl word8 h a
  fun charArray (a, h) = CharArray.foldl char h a
  fun charArraySlice (a, h) = CharArraySlice.foldl char h a
  fun realArray (a, h) = RealArray.foldl real h a
  fun realArraySlice (a, h) = RealArraySlice.foldl real h a
  fun realVector (a, h) = RealVector.foldl real h a
  fun realVectorSlice (a, h) = RealVectorSlice.foldl real h a

  fun option _ (NONE, h) = bool (false, h)
    | option f (SOME x, h) = f (x, bool (true, h))
  fun pair (f, g) ((x, y), h) = g (y, f (x, h))
  fun list f (l, h) = int (length l, List.foldl f h l)
  fun array f (a, h) = Array.foldl f h a
  fun arraySlice f (a, h) = ArraySlice.foldl f h a
  fun vector f (v, h) = Vector.foldl f h v
  fun vectorSlice f (v, h) = VectorSlice.foldl f h v

  val bool' = finish bool
  val char' = finish char
  val int' = finish int
  val int32' = finish int32
  val int64' = finish int64
  val intInf' = finish intInf
  val word' = finish word
  val word8' = finish word8
  val word32' = finish word32
  val word64' = finish word64
  val substring' = finish substring
  val string' = finish string
  val real' = finish real
  val word8Array' = finish word8Array
  val word8ArraySlice' = finish word8ArraySlice
  val word8Vector' = finish word8Vector
  val word8VectorSlice' = finish word8VectorSlice
  val charArray' = finish charArray
  val charArraySlice' = finish charArraySlice
  val realArray' = finish realArray
  val realArraySlice' = finish realArraySlice
  val realVector' = finish realVector
  val realVectorSlice' = finish realVectorSlice
end
