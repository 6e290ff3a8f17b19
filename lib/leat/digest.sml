(* Digests: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4), HMAC (RFC 2104), and CRC-32 (ISO 3309, as zip
   and gzip have it).

   MD5 and SHA-1 are for what exists already: others can make texts of the same digest. No function here takes the same
   time for all secrets but `HMACFn`'s `same`. *)

signature DIGEST =
sig
  val size : int
  (* The bytes of a digest. *)
  val blockSize : int
  (* The bytes that are digested at a time. *)

  type state
  (* What is known of a text of which the beginning was read. It is a value: it may be continued in several ways. *)

  val start : state
  (* Nothing was read. *)
  val add : state * string -> state
  (* The bytes of a string are read. *)
  val addBytes : state * Word8VectorSlice.slice -> state
  (* These bytes are read. *)
  val finish : state -> Word8Vector.vector
  (* The digest of all that was read. *)

  val ofString : string -> Word8Vector.vector
  (* The digest of a string's bytes. *)
  val ofBytes : Word8Vector.vector -> Word8Vector.vector
  (* The digest of bytes. *)
  val hex : string -> string
  (* The digest of a string's bytes as hexadecimal digits, in lower case. *)
end

signature HEX =
sig
  val encode : Word8Vector.vector -> string
  (* Two digits for each byte, in lower case. *)
  val decode : string -> Word8Vector.vector option
  (* The bytes of pairs of digits, in lower or upper case; NONE for other text. *)
end

(* An array that nobody else has becomes a text, or bytes, where it is. *)
structure Own' =
struct
  val text = _prim "cast" : CharArray.array -> string
  val bytes = _prim "cast" : Word8Array.array -> Word8Vector.vector
end

structure Hex :> HEX =
struct
  val digits = "0123456789abcdef"

  fun encode bytes =
    let
      val n = Word8Vector.length bytes
      val text = CharArray.array (2 * n, #"0")
      fun digit w = String.sub (digits, Word8.toInt w)
      fun put i =
        if i = n then Own'.text text
        else
          let
            val b = Word8Vector.sub (bytes, i)
          in
            CharArray.update (text, 2 * i, digit (Word8.>> (b, 0w4)));
            CharArray.update (text, 2 * i + 1, digit (Word8.andb (b, 0w15)));
            put (i + 1)
          end
    in
      put 0
    end

  (* For each character what it stands for as a digit; 16 for those that are none. *)
  val values =
    CharVector.tabulate (256,
                         fn i =>
                           let
                             val c = Char.toLower (Char.chr i)
                           in
                             Char.chr
                               (if Char.isDigit c then i - 48
                                else if Char.isHexDigit c then Char.ord c - 87
                                else 16)
                           end)

  fun decode text =
    let
      val n = String.size text
      val bytes = Word8Array.array (n div 2, 0w0)
      fun value i = Char.ord (String.sub (values, Char.ord (String.sub (text, i))))
      fun put i =
        if 2 * i = n then SOME (Own'.bytes bytes)
        else
          let
            val high = value (2 * i)
            val low = value (2 * i + 1)
          in
            if high < 16 andalso low < 16 then
              (Word8Array.update (bytes, i, Word8.fromInt (16 * high + low)); put (i + 1))
            else NONE
          end
    in
      if n mod 2 = 0 then put 0 else NONE
    end
end

(* What all digests do alike: blocks are cut off and change a chain of words; at the end come a bit, zeros, and the text's
   length. blocks (chain, text, at, n): n blocks from there on, by a function of the runtime. *)
functor DigestFn'
  (val initial : word list
   val size : int
   val wordSize : int
   val blockSize : int
   val littleEndian : bool
   val blocks : word array * string * int * int -> unit) :> DIGEST =
struct
  val size = size
  val blockSize = blockSize

  (* rest is shorter than a block; count: all bytes. *)
  datatype state = State of {chain : word vector, rest : string, count : int}

  val start = State {chain = Vector.fromList initial, rest = "", count = 0}

  (* The chain, to be changed. *)
  fun changeable chain =
    let
      val new = Array.array (Vector.length chain, 0w0)
    in
      Array.copyVec {src = chain, dst = new, di = 0};
      new
    end

  (* Bytes for a call of the runtime, some microseconds; other threads may run between two. *)
  val piece = 8192

  (* The whole blocks of a text from i to n; the place of the first byte that fills none. *)
  fun whole (chain, text, i, n) =
    let
      val some = Int.min (n - i, piece) div blockSize
    in
      if some = 0 then i
      else (blocks (chain, text, i, some); whole (chain, text, i + some * blockSize, n))
    end

  (* The bytes of a text from i to n. *)
  fun add' (State {chain, rest, count}, text, i, n) =
    let
      val chain = changeable chain
      val missing = blockSize - String.size rest
      val rest =
        if rest = "" then
          let val i = whole (chain, text, i, n) in String.substring (text, i, n - i) end
        else if n - i < missing then rest ^ String.substring (text, i, n - i)
        else
          let
            val () = blocks (chain, rest ^ String.substring (text, i, missing), 0, 1)
            val next = whole (chain, text, i + missing, n)
          in
            String.substring (text, next, n - next)
          end
    in
      State {chain = Array.vector chain, rest = rest, count = count + (n - i)}
    end

  fun add (state, s) = add' (state, s, 0, String.size s)

  fun addBytes (state, bytes) =
    let
      val (vector, i, n) = Word8VectorSlice.base bytes
    in
      add' (state, Byte.bytesToString vector, i, i + n)
    end

  val put =
    if littleEndian then PackWord32Little.update
    else if wordSize = 4 then PackWord32Big.update
    else PackWord64Big.update

  (* The digest, of a chain that is changed and of what is left of a text of `count` bytes. *)
  fun ended (chain, rest, count) =
    let
      val n = Substring.size rest
      val lengthSize = blockSize div 8
      (* What is left, a bit, zeros, and the number of bits, which has 64 bits here: together whole blocks. *)
      val some = (n + lengthSize) div blockSize + 1
      val size' = some * blockSize
      val last = CharArray.array (size', #"\000")
      val bits = Word.<< (Word.fromInt count, 0w3)
      fun putLength k =
        if k = 8 then ()
        else
          (CharArray.update (last,
                             if littleEndian then size' - lengthSize + k else size' - 1 - k,
                             Char.chr (Word.toInt (Word.andb (Word.>> (bits, 0w8 * Word.fromInt k),
                                                              0w255))));
           putLength (k + 1))
      val () = CharArraySlice.copyVec {src = rest, dst = last, di = 0}
      val () = CharArray.update (last, n, #"\128")
      val () = putLength 0
      val () = blocks (chain, Own'.text last, 0, some)
      val bytes = Word8Array.array (size, 0w0)
      fun putFrom i =
        if i * wordSize = size then ()
        else (put (bytes, i, Word.toLarge (Array.sub (chain, i))); putFrom (i + 1))
    in
      putFrom 0;
      Own'.bytes bytes
    end

  fun finish (State {chain, rest, count}) = ended (changeable chain, Substring.full rest, count)

  fun ofString s =
    let
      val State {chain, ...} = start
      val chain = changeable chain
      val n = String.size s
      val i = whole (chain, s, 0, n)
    in
      ended (chain, Substring.substring (s, i, n - i), n)
    end
  fun ofBytes bytes = ofString (Byte.bytesToString bytes)
  fun hex s = Hex.encode (ofString s)
end

structure MD5 : DIGEST =
  DigestFn' (val initial = [0wx67452301, 0wxEFCDAB89, 0wx98BADCFE, 0wx10325476]
             val size = 16
             val wordSize = 4
             val blockSize = 64
             val littleEndian = true
             val blocks = PrimDigests'.digest_md5)

structure SHA1 : DIGEST =
  DigestFn' (val initial = [0wx67452301, 0wxEFCDAB89, 0wx98BADCFE, 0wx10325476, 0wxC3D2E1F0]
             val size = 20
             val wordSize = 4
             val blockSize = 64
             val littleEndian = false
             val blocks = PrimDigests'.digest_sha1)

functor Sha256Fn' (val initial : word list val size : int) =
  DigestFn' (val initial = initial
             val size = size
             val wordSize = 4
             val blockSize = 64
             val littleEndian = false
             val blocks = PrimDigests'.digest_sha256)

functor Sha512Fn' (val initial : word list val size : int) =
  DigestFn' (val initial = initial
             val size = size
             val wordSize = 8
             val blockSize = 128
             val littleEndian = false
             val blocks = PrimDigests'.digest_sha512)

structure SHA224 : DIGEST =
  Sha256Fn' (val initial =
               [0wxC1059ED8, 0wx367CD507, 0wx3070DD17, 0wxF70E5939, 0wxFFC00B31, 0wx68581511,
                0wx64F98FA7, 0wxBEFA4FA4]
             val size = 28)
structure SHA256 : DIGEST =
  Sha256Fn' (val initial =
               [0wx6A09E667, 0wxBB67AE85, 0wx3C6EF372, 0wxA54FF53A, 0wx510E527F, 0wx9B05688C,
                0wx1F83D9AB, 0wx5BE0CD19]
             val size = 32)
structure SHA384 : DIGEST =
  Sha512Fn' (val initial =
               [0wxCBBB9D5DC1059ED8, 0wx629A292A367CD507, 0wx9159015A3070DD17, 0wx152FECD8F70E5939,
                0wx67332667FFC00B31, 0wx8EB44A8768581511, 0wxDB0C2E0D64F98FA7, 0wx47B5481DBEFA4FA4]
             val size = 48)
structure SHA512 : DIGEST =
  Sha512Fn' (val initial =
               [0wx6A09E667F3BCC908, 0wxBB67AE8584CAA73B, 0wx3C6EF372FE94F82B, 0wxA54FF53A5F1D36F1,
                0wx510E527FADE682D1, 0wx9B05688C2B3E6C1F, 0wx1F83D9ABFB41BD6B, 0wx5BE0CD19137E2179]
             val size = 64)

signature HMAC =
sig
  val ofString : {key : string, text : string} -> Word8Vector.vector
  (* The code by which who knows the key can tell that the text is unchanged. *)
  val hex : {key : string, text : string} -> string
  (* As hexadecimal digits, in lower case. *)
  val same : Word8Vector.vector * Word8Vector.vector -> bool
  (* Equality whose time says nothing about where the codes differ. *)
end

functor HMACFn (D : DIGEST) :> HMAC =
struct
  fun ofString {key, text} =
    let
      val key = if size key > D.blockSize then Byte.bytesToString (D.ofString key) else key
      fun pad w =
        CharVector.tabulate (D.blockSize,
                             fn i =>
                               Byte.byteToChar (Word8.xorb (w,
                                                            if i < size key then
                                                              Byte.charToByte (String.sub (key, i))
                                                            else 0w0)))
      val inner = D.finish (D.add (D.add (D.start, pad 0wx36), text))
    in
      D.finish (D.addBytes (D.add (D.start, pad 0wx5C), Word8VectorSlice.full inner))
    end

  fun hex arg = Hex.encode (ofString arg)

  fun same (a, b) =
    Word8Vector.length a = Word8Vector.length b
    andalso Word8Vector.foldli
      (fn (i, x, w) => Word8.orb (w, Word8.xorb (x, Word8Vector.sub (b, i))))
      0w0
      a = 0w0
end

structure HMACMD5 = HMACFn (MD5)
structure HMACSHA1 = HMACFn (SHA1)
structure HMACSHA256 = HMACFn (SHA256)
structure HMACSHA384 = HMACFn (SHA384)
structure HMACSHA512 = HMACFn (SHA512)

signature CRC32 =
sig
  val ofString : string -> Word32.word
  (* The check sum of a string's bytes. *)
  val add : Word32.word * string -> Word32.word
  (* The check sum of a text and the string behind it, from the text's sum; an empty text has 0w0. *)
end

structure CRC32 :> CRC32 =
struct
  val bytes = PrimDigests'.digest_crc32

  (* Bytes for a call of the runtime, some microseconds; other threads may run between two. *)
  val piece = 16384

  fun add (before', s) =
    let
      fun from (w, i) =
        let
          val n = Int.min (size s - i, piece)
        in
          if n = 0 then w else from (bytes (w, s, i, n), i + n)
        end
    in
      Word32.fromLarge (Word.toLarge (from (Word.fromLarge (Word32.toLarge before'), 0)))
    end
  fun ofString s = add (0w0, s)
end
