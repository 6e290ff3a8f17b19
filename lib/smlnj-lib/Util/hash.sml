(* Hash: hash functions that are put together like the types: FNV-1a over the bytes of a value's parts.
   An 'a t adds a value to a hash; an 'a hash is the whole thing. *)

signature HASHING =
sig
  type hstate = Word64.word
  type 'a t = 'a * hstate -> hstate
  type 'a hash = 'a -> word
  type 'a hfun = 'a hash
  (* The same: its name in newer versions. *)

  val finish : 'a t -> 'a hash
  (* The hash of a value alone. *)

  val bool : bool t
  (* Adds a bool to a hash. *)
  val bool' : bool hash
  (* The hash of a bool. *)
  val char : char t
  (* Adds a character to a hash. *)
  val char' : char hash
  (* The hash of a character. *)
  val int : int t
  (* Adds an int to a hash. *)
  val int' : int hash
  (* The hash of an int. *)
  val int32 : Int32.int t
  (* Adds an int of 32 bits to a hash. *)
  val int32' : Int32.int hash
  (* The hash of an int of 32 bits. *)
  val int64 : Int64.int t
  (* Adds an int of 64 bits to a hash. *)
  val int64' : Int64.int hash
  (* The hash of an int of 64 bits. *)
  val intInf : IntInf.int t
  (* Adds an int of any size to a hash. *)
  val intInf' : IntInf.int hash
  (* The hash of an int of any size. *)
  val word : word t
  (* Adds a word to a hash. *)
  val word' : word hash
  (* The hash of a word. *)
  val word8 : Word8.word t
  (* Adds a byte to a hash. *)
  val word8' : Word8.word hash
  (* The hash of a byte. *)
  val word32 : Word32.word t
  (* Adds a word of 32 bits to a hash. *)
  val word32' : Word32.word hash
  (* The hash of a word of 32 bits. *)
  val word64 : Word64.word t
  (* Adds a word of 64 bits to a hash. *)
  val word64' : Word64.word hash
  (* The hash of a word of 64 bits. *)
  val substring : substring t
  (* Adds a part of a string to a hash. *)
  val substring' : substring hash
  (* The hash of a part of a string. *)
  val string : string t
  (* Adds a string to a hash. *)
  val string' : string hash
  (* The hash of a string. *)
  val real : real t
  (* Adds a real to a hash. *)
  val real' : real hash
  (* The hash of a real. *)
  val real64 : Real64.real t
  (* Adds a real of 64 bits to a hash. *)
  val real64' : Real64.real hash
  (* The hash of a real of 64 bits. *)

  val word8Array : Word8Array.array t
  (* Adds an array of bytes to a hash. *)
  val word8Array' : Word8Array.array hash
  (* The hash of an array of bytes. *)
  val word8ArraySlice : Word8ArraySlice.slice t
  (* Adds a part of an array of bytes to a hash. *)
  val word8ArraySlice' : Word8ArraySlice.slice hash
  (* The hash of a part of an array of bytes. *)
  val word8Vector : Word8Vector.vector t
  (* Adds a vector of bytes to a hash. *)
  val word8Vector' : Word8Vector.vector hash
  (* The hash of a vector of bytes. *)
  val word8VectorSlice : Word8VectorSlice.slice t
  (* Adds a part of a vector of bytes to a hash. *)
  val word8VectorSlice' : Word8VectorSlice.slice hash
  (* The hash of a part of a vector of bytes. *)
  val charArray : CharArray.array t
  (* Adds an array of characters to a hash. *)
  val charArray' : CharArray.array hash
  (* The hash of an array of characters. *)
  val charArraySlice : CharArraySlice.slice t
  (* Adds a part of an array of characters to a hash. *)
  val charArraySlice' : CharArraySlice.slice hash
  (* The hash of a part of an array of characters. *)
  val realArray : RealArray.array t
  (* Adds an array of reals to a hash. *)
  val realArray' : RealArray.array hash
  (* The hash of an array of reals. *)
  val realArraySlice : RealArraySlice.slice t
  (* Adds a part of an array of reals to a hash. *)
  val realArraySlice' : RealArraySlice.slice hash
  (* The hash of a part of an array of reals. *)
  val realVector : RealVector.vector t
  (* Adds a vector of reals to a hash. *)
  val realVector' : RealVector.vector hash
  (* The hash of a vector of reals. *)
  val realVectorSlice : RealVectorSlice.slice t
  (* Adds a part of a vector of reals to a hash. *)
  val realVectorSlice' : RealVectorSlice.slice hash
  (* The hash of a part of a vector of reals. *)

  val option : 'a t -> 'a option t
  (* Adds an option to a hash, its elements by that function. *)
  val either : ('a t * 'b t) -> ('a, 'b) Either.either t
  (* Adds one or the other to a hash, by the function of its side. *)
  val list : 'a t -> 'a list t
  (* Adds a list to a hash, its elements by that function. *)
  val array : 'a t -> 'a array t
  (* Adds an array to a hash, its elements by that function. *)
  val arraySlice : 'a t -> 'a ArraySlice.slice t
  (* Adds a part of an array to a hash, its elements by that function. *)
  val vector : 'a t -> 'a vector t
  (* Adds a vector to a hash, its elements by that function. *)
  val vectorSlice : 'a t -> 'a VectorSlice.slice t
  (* Adds a part of a vector to a hash, its elements by that function. *)
  val sequence : {length : 'a -> int, get : 'a * int -> 'b, hash : 'b t} -> 'a t
  (* Adds a sequence to a hash: how many elements it has, each of them, and how one is added. *)
  val stream : {get : 'a -> ('b * 'a) option, hash : 'b t} -> 'a t
  (* Adds a stream to a hash: its next element, and how one is added. *)
  val pair : ('a t * 'b t) -> ('a * 'b) t
  (* Adds a pair to a hash, its parts by these functions. *)
  val triple : ('a t * 'b t * 'c t) -> ('a * 'b * 'c) t
  (* Adds three values to a hash. *)
  val quad : ('a t * 'b t * 'c t * 'd t) -> ('a * 'b * 'c * 'd) t
  (* Adds four values to a hash. *)

  val combine2 : hstate * hstate -> hstate
  (* One hash of two; their order matters. *)
  val combine3 : hstate * hstate * hstate -> hstate
  (* One hash of three. *)
  val combine4 : hstate * hstate * hstate * hstate -> hstate
  (* One hash of four. *)
  val combine5 : hstate * hstate * hstate * hstate * hstate -> hstate
  (* One hash of five. *)
  val combine6 : hstate * hstate * hstate * hstate * hstate * hstate -> hstate
  (* One hash of six. *)
end

structure Hash :> HASHING =
struct
  type hstate = Word64.word
  type 'a t = 'a * hstate -> hstate
  type 'a hash = 'a -> word
  type 'a hfun = 'a hash

  fun finish f x = Word.fromLarge (Word64.toLarge (f (x, FNVHash.offsetBasis)))

  val char = FNVHash.hashChar
  val word8 = FNVHash.hashByte

  fun word64 (w, h) =
    let
      fun byte (8, _, h) = h
        | byte (i, w, h) =
            byte (i + 1, Word64.>> (w, 0w8), word8 (Word8.fromLarge (Word64.toLarge w), h))
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
      let
        val {man, exp} = Real.toManExp r
      in
        int (exp,
             intInf
               (Real.toLargeInt IEEEReal.TO_NEAREST (Real.fromManExp {man = man, exp = 53}), h))
      end

  val real64 = real

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
  fun either (f, _) (Either.INL x, h) = f (x, word8 (0w1, h))
    | either (_, g) (Either.INR y, h) = g (y, word8 (0w2, h))
  fun pair (f, g) ((x, y), h) = g (y, f (x, h))
  fun triple (f, g, k) ((x, y, z), h) = k (z, g (y, f (x, h)))
  fun quad (f, g, k, l) ((x, y, z, u), h) = l (u, k (z, g (y, f (x, h))))
  fun list f (l, h) = int (length l, List.foldl f h l)
  fun array f (a, h) = Array.foldl f h a
  fun arraySlice f (a, h) = ArraySlice.foldl f h a
  fun vector f (v, h) = Vector.foldl f h v
  fun vectorSlice f (v, h) = VectorSlice.foldl f h v
  fun sequence {length, get, hash} (s, h) =
    let
      val n = length s
      fun go (i, h) = if i < n then go (i + 1, hash (get (s, i), h)) else h
    in
      go (0, h)
    end
  fun stream {get, hash} (s, h) =
    case get s of SOME (x, s) => stream {get = get, hash = hash} (s, hash (x, h)) | NONE => h

  local
    fun all l = List.foldl word64 FNVHash.offsetBasis l
  in
    fun combine2 (a, b) = all [a, b]
    fun combine3 (a, b, c) = all [a, b, c]
    fun combine4 (a, b, c, d) = all [a, b, c, d]
    fun combine5 (a, b, c, d, e) = all [a, b, c, d, e]
    fun combine6 (a, b, c, d, e, f) = all [a, b, c, d, e, f]
  end

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
  val real64' = finish real64
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
