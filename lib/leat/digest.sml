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

structure Hex :> HEX =
struct
  val digits = "0123456789abcdef"

  fun encode bytes =
    let
      fun digit i =
        let
          val b = Word8.toInt (Word8Vector.sub (bytes, i div 2))
        in
          String.sub (digits, if i mod 2 = 0 then b div 16 else b mod 16)
        end
    in
      CharVector.tabulate (2 * Word8Vector.length bytes, digit)
    end

  fun value c =
    if Char.isDigit c then Char.ord c - 48
    else Char.ord (Char.toLower c) - 87

  fun decode text =
    if String.size text mod 2 = 0 andalso CharVector.all Char.isHexDigit text then
      SOME
        (Word8Vector.tabulate
           (String.size text div 2, fn i =>
              Word8.fromInt (16 * value (String.sub (text, 2 * i)) + value (String.sub (text, 2 * i + 1)))))
    else NONE
end

(* What all digests do alike: blocks are cut off and compressed; at the end come a bit, zeros, and the text's length.
   compress (chain, scratch, text, at) changes the chain by the block that begins there; `byte` is the byte of a word
   that is written so far behind its first one. *)
functor DigestFn'
  (type word
   val zero : word
   val initial : word list
   val size : int
   val wordSize : int
   val blockSize : int
   val scratch : int
   val littleEndian : bool
   val byte : word * int -> Word8.word
   val compress : word array * word array * string * int -> unit) :> DIGEST =
struct
  val size = size
  val blockSize = blockSize

  (* rest is shorter than a block; count: all bytes. *)
  datatype state = State of {chain : word vector, rest : string, count : int}

  val start = State {chain = Vector.fromList initial, rest = "", count = 0}

  fun add (State {chain, rest, count}, s) =
    let
      val text = if rest = "" then s else rest ^ s
      val chain' = Array.tabulate (Vector.length chain, fn i => Vector.sub (chain, i))
      val space = Array.array (scratch, zero)
      fun blocks at =
        if at + blockSize > String.size text then at else (compress (chain', space, text, at); blocks (at + blockSize))
      val at = blocks 0
    in
      State {chain = Array.vector chain', rest = String.extract (text, at, NONE), count = count + String.size s}
    end

  fun addBytes (state, bytes) = add (state, Byte.unpackStringVec bytes)

  fun finish (state as State {rest, count, ...}) =
    let
      val lengthSize = blockSize div 8
      val used = String.size rest + 1 + lengthSize
      val zeros = (blockSize - used mod blockSize) mod blockSize
      (* The number of bits has 64 bits here. *)
      fun lengthByte i =
        let
          val i = if littleEndian then i else lengthSize - 1 - i
        in
          if i >= 8 then #"\000"
          else Char.chr (IntInf.toInt (IntInf.andb (IntInf.~>> (8 * Int.toLarge count, Word.fromInt (8 * i)), 255)))
        end
      val padding =
        concat ["\128", CharVector.tabulate (zeros, fn _ => #"\000"), CharVector.tabulate (lengthSize, lengthByte)]
      val State {chain, ...} = add (state, padding)
    in
      Word8Vector.tabulate (size, fn i => byte (Vector.sub (chain, i div wordSize), i mod wordSize))
    end

  fun ofString s = finish (add (start, s))
  fun ofBytes bytes = ofString (Byte.bytesToString bytes)
  fun hex s = Hex.encode (ofString s)
end

fun rotl (x, n) = Word32.orb (Word32.<< (x, n), Word32.>> (x, 0w32 - n))
fun rotr (x, n) = Word32.orb (Word32.>> (x, n), Word32.<< (x, 0w32 - n))
fun at32 (text, i) = Word32.fromInt (Char.ord (String.sub (text, i)))
fun big32 (text, i) =
  Word32.orb
    (Word32.orb (Word32.<< (at32 (text, i), 0w24), Word32.<< (at32 (text, i + 1), 0w16)),
     Word32.orb (Word32.<< (at32 (text, i + 2), 0w8), at32 (text, i + 3)))
fun little32 (text, i) =
  Word32.orb
    (Word32.orb (Word32.<< (at32 (text, i + 3), 0w24), Word32.<< (at32 (text, i + 2), 0w16)),
     Word32.orb (Word32.<< (at32 (text, i + 1), 0w8), at32 (text, i)))
fun bigByte32 (w, i) = Word8.fromInt (Word32.toInt (Word32.andb (Word32.>> (w, Word.fromInt (24 - 8 * i)), 0w255)))
fun littleByte32 (w, i) = Word8.fromInt (Word32.toInt (Word32.andb (Word32.>> (w, Word.fromInt (8 * i)), 0w255)))
fun plus (chain : Word32.word array, i, w) = Array.update (chain, i, Array.sub (chain, i) + w)
fun load (f, w, text, at) =
  let fun from i = if i < 16 then (Array.update (w, i, f (text, at + 4 * i)); from (i + 1)) else ()
  in from 0 end

structure MD5 : DIGEST =
  DigestFn'
    (type word = Word32.word
     val zero = 0w0 : word
     val initial = [0wx67452301 : word, 0wxEFCDAB89, 0wx98BADCFE, 0wx10325476]
     val size = 16
     val wordSize = 4
     val blockSize = 64
     val scratch = 16
     val littleEndian = true
     val byte = littleByte32
     (* The sines' first 32 bits. *)
     fun sine i =
       Word32.fromLargeInt (Real.toLargeInt IEEEReal.TO_ZERO (4294967296.0 * abs (Math.sin (real (i + 1)))))
     val sines = Vector.tabulate (64, sine)
     val turns =
       Vector.fromList
         [0w7, 0w12, 0w17, 0w22, 0w5, 0w9, 0w14, 0w20, 0w4, 0w11, 0w16, 0w23, 0w6, 0w10, 0w15, 0w21]

     fun compress (chain, w, text, at) =
       let
         val () = load (little32, w, text, at)
         fun link i = Array.sub (chain, i)
         fun round (64, a, b, c, d) = (plus (chain, 0, a); plus (chain, 1, b); plus (chain, 2, c); plus (chain, 3, d))
           | round (i, a, b, c, d) =
               let
                 val (f, k) =
                   case i div 16 of
                     0 => (Word32.orb (Word32.andb (b, c), Word32.andb (Word32.notb b, d)), i)
                   | 1 => (Word32.orb (Word32.andb (d, b), Word32.andb (Word32.notb d, c)), (5 * i + 1) mod 16)
                   | 2 => (Word32.xorb (b, Word32.xorb (c, d)), (3 * i + 5) mod 16)
                   | _ => (Word32.xorb (c, Word32.orb (b, Word32.notb d)), 7 * i mod 16)
                 val x = a + f + Vector.sub (sines, i) + Array.sub (w, k)
               in
                 round (i + 1, d, b + rotl (x, Vector.sub (turns, i div 16 * 4 + i mod 4)), b, c)
               end
       in
         round (0, link 0, link 1, link 2, link 3)
       end)

structure SHA1 : DIGEST =
  DigestFn'
    (type word = Word32.word
     val zero = 0w0 : word
     val initial = [0wx67452301 : word, 0wxEFCDAB89, 0wx98BADCFE, 0wx10325476, 0wxC3D2E1F0]
     val size = 20
     val wordSize = 4
     val blockSize = 64
     val scratch = 80
     val littleEndian = false
     val byte = bigByte32

     fun compress (chain, w, text, at) =
       let
         val () = load (big32, w, text, at)
         fun link i = Array.sub (chain, i)
         fun old i = Array.sub (w, i)
         fun extend i =
           if i = 80 then ()
           else
             let
               val x = Word32.xorb (Word32.xorb (old (i - 3), old (i - 8)), Word32.xorb (old (i - 14), old (i - 16)))
             in
               Array.update (w, i, rotl (x, 0w1));
               extend (i + 1)
             end
         val () = extend 16
         fun round (80, a, b, c, d, e) =
               (plus (chain, 0, a); plus (chain, 1, b); plus (chain, 2, c); plus (chain, 3, d); plus (chain, 4, e))
           | round (i, a, b, c, d, e) =
               let
                 val parity = Word32.xorb (b, Word32.xorb (c, d))
                 val (f, k) =
                   case i div 20 of
                     0 => (Word32.orb (Word32.andb (b, c), Word32.andb (Word32.notb b, d)), 0wx5A827999)
                   | 1 => (parity, 0wx6ED9EBA1)
                   | 2 =>
                       (Word32.xorb (Word32.andb (b, c), Word32.xorb (Word32.andb (b, d), Word32.andb (c, d))), 0wx8F1BBCDC)
                   | _ => (parity, 0wxCA62C1D6)
               in
                 round (i + 1, rotl (a, 0w5) + f + e + k + old i, a, rotl (b, 0w30), c, d)
               end
       in
         round (0, link 0, link 1, link 2, link 3, link 4)
       end)

(* The cube roots of the first 80 primes: 64 bits behind the point. SHA-256 takes the upper half of the first 64. *)
val roots =
  Vector.fromList
    ([
     0wx428A2F98D728AE22, 0wx7137449123EF65CD, 0wxB5C0FBCFEC4D3B2F, 0wxE9B5DBA58189DBBC,
     0wx3956C25BF348B538, 0wx59F111F1B605D019, 0wx923F82A4AF194F9B, 0wxAB1C5ED5DA6D8118,
     0wxD807AA98A3030242, 0wx12835B0145706FBE, 0wx243185BE4EE4B28C, 0wx550C7DC3D5FFB4E2,
     0wx72BE5D74F27B896F, 0wx80DEB1FE3B1696B1, 0wx9BDC06A725C71235, 0wxC19BF174CF692694,
     0wxE49B69C19EF14AD2, 0wxEFBE4786384F25E3, 0wx0FC19DC68B8CD5B5, 0wx240CA1CC77AC9C65,
     0wx2DE92C6F592B0275, 0wx4A7484AA6EA6E483, 0wx5CB0A9DCBD41FBD4, 0wx76F988DA831153B5,
     0wx983E5152EE66DFAB, 0wxA831C66D2DB43210, 0wxB00327C898FB213F, 0wxBF597FC7BEEF0EE4,
     0wxC6E00BF33DA88FC2, 0wxD5A79147930AA725, 0wx06CA6351E003826F, 0wx142929670A0E6E70,
     0wx27B70A8546D22FFC, 0wx2E1B21385C26C926, 0wx4D2C6DFC5AC42AED, 0wx53380D139D95B3DF,
     0wx650A73548BAF63DE, 0wx766A0ABB3C77B2A8, 0wx81C2C92E47EDAEE6, 0wx92722C851482353B,
     0wxA2BFE8A14CF10364, 0wxA81A664BBC423001, 0wxC24B8B70D0F89791, 0wxC76C51A30654BE30,
     0wxD192E819D6EF5218, 0wxD69906245565A910, 0wxF40E35855771202A, 0wx106AA07032BBD1B8,
     0wx19A4C116B8D2D0C8, 0wx1E376C085141AB53, 0wx2748774CDF8EEB99, 0wx34B0BCB5E19B48A8,
     0wx391C0CB3C5C95A63, 0wx4ED8AA4AE3418ACB, 0wx5B9CCA4F7763E373, 0wx682E6FF3D6B2B8A3,
     0wx748F82EE5DEFB2FC, 0wx78A5636F43172F60, 0wx84C87814A1F0AB72, 0wx8CC702081A6439EC,
     0wx90BEFFFA23631E28, 0wxA4506CEBDE82BDE9, 0wxBEF9A3F7B2C67915, 0wxC67178F2E372532B,
     0wxCA273ECEEA26619C, 0wxD186B8C721C0C207, 0wxEADA7DD6CDE0EB1E, 0wxF57D4F7FEE6ED178,
     0wx06F067AA72176FBA, 0wx0A637DC5A2C898A6, 0wx113F9804BEF90DAE, 0wx1B710B35131C471B,
     0wx28DB77F523047D84, 0wx32CAAB7B40C72493, 0wx3C9EBE0A15C9BEBC, 0wx431D67C49C100D4C,
     0wx4CC5D4BECB3E42B6, 0wx597F299CFC657E2A, 0wx5FCB6FAB3AD6FAEC, 0wx6C44198C4A475817
     ] : Word64.word list)
val roots32 =
  Vector.tabulate (64, fn i => Word32.fromLarge (Word64.toLarge (Word64.>> (Vector.sub (roots, i), 0w32))))

fun choose32 (e, f, g) = Word32.xorb (Word32.andb (e, f), Word32.andb (Word32.notb e, g))
fun majority32 (a, b, c) = Word32.xorb (Word32.andb (a, b), Word32.xorb (Word32.andb (a, c), Word32.andb (b, c)))
fun three32 (x, i, j, k) = Word32.xorb (rotr (x, i), Word32.xorb (rotr (x, j), rotr (x, k)))
fun shifted32 (x, i, j, k) = Word32.xorb (rotr (x, i), Word32.xorb (rotr (x, j), Word32.>> (x, k)))

fun compress256 (chain, w, text, at) =
  let
    val () = load (big32, w, text, at)
    fun old i = Array.sub (w, i)
    fun extend i =
      if i = 64 then ()
      else
        let
          val x = shifted32 (old (i - 15), 0w7, 0w18, 0w3) + shifted32 (old (i - 2), 0w17, 0w19, 0w10)
        in
          Array.update (w, i, old (i - 16) + old (i - 7) + x);
          extend (i + 1)
        end
    val () = extend 16
    fun round (64, a, b, c, d, e, f, g, h) =
          (plus (chain, 0, a); plus (chain, 1, b); plus (chain, 2, c); plus (chain, 3, d); plus (chain, 4, e);
           plus (chain, 5, f); plus (chain, 6, g); plus (chain, 7, h))
      | round (i, a, b, c, d, e, f, g, h) =
          let
            val t = h + three32 (e, 0w6, 0w11, 0w25) + choose32 (e, f, g) + Vector.sub (roots32, i) + old i
          in
            round (i + 1, t + three32 (a, 0w2, 0w13, 0w22) + majority32 (a, b, c), a, b, c, d + t, e, f, g)
          end
    fun link i = Array.sub (chain, i)
  in
    round (0, link 0, link 1, link 2, link 3, link 4, link 5, link 6, link 7)
  end

functor Sha256Fn' (val initial : Word32.word list val size : int) =
  DigestFn'
    (type word = Word32.word
     val zero = 0w0 : word
     val initial = initial
     val size = size
     val wordSize = 4
     val blockSize = 64
     val scratch = 64
     val littleEndian = false
     val byte = bigByte32
     val compress = compress256)

fun rotr64 (x, n) = Word64.orb (Word64.>> (x, n), Word64.<< (x, 0w64 - n))
fun choose64 (e, f, g) = Word64.xorb (Word64.andb (e, f), Word64.andb (Word64.notb e, g))
fun majority64 (a, b, c) = Word64.xorb (Word64.andb (a, b), Word64.xorb (Word64.andb (a, c), Word64.andb (b, c)))
fun three64 (x, i, j, k) = Word64.xorb (rotr64 (x, i), Word64.xorb (rotr64 (x, j), rotr64 (x, k)))
fun shifted64 (x, i, j, k) = Word64.xorb (rotr64 (x, i), Word64.xorb (rotr64 (x, j), Word64.>> (x, k)))
fun big64 (text, i) =
  Word64.orb
    (Word64.<< (Word64.fromLarge (Word32.toLarge (big32 (text, i))), 0w32),
     Word64.fromLarge (Word32.toLarge (big32 (text, i + 4))))

fun compress512 (chain, w, text, at) =
  let
    fun load i = if i < 16 then (Array.update (w, i, big64 (text, at + 8 * i)); load (i + 1)) else ()
    val () = load 0
    fun old i = Array.sub (w, i)
    fun extend i =
      if i = 80 then ()
      else
        let
          val x = shifted64 (old (i - 15), 0w1, 0w8, 0w7) + shifted64 (old (i - 2), 0w19, 0w61, 0w6)
        in
          Array.update (w, i, old (i - 16) + old (i - 7) + x);
          extend (i + 1)
        end
    val () = extend 16
    fun plus (i, w : Word64.word) = Array.update (chain, i, Array.sub (chain, i) + w)
    fun round (80, a, b, c, d, e, f, g, h) =
          (plus (0, a); plus (1, b); plus (2, c); plus (3, d); plus (4, e); plus (5, f); plus (6, g); plus (7, h))
      | round (i, a, b, c, d, e, f, g, h) =
          let
            val t = h + three64 (e, 0w14, 0w18, 0w41) + choose64 (e, f, g) + Vector.sub (roots, i) + old i
          in
            round (i + 1, t + three64 (a, 0w28, 0w34, 0w39) + majority64 (a, b, c), a, b, c, d + t, e, f, g)
          end
    fun link i = Array.sub (chain, i)
  in
    round (0, link 0, link 1, link 2, link 3, link 4, link 5, link 6, link 7)
  end

functor Sha512Fn' (val initial : Word64.word list val size : int) =
  DigestFn'
    (type word = Word64.word
     val zero = 0w0 : word
     val initial = initial
     val size = size
     val wordSize = 8
     val blockSize = 128
     val scratch = 80
     val littleEndian = false
     fun byte (w, i) = Word8.fromLarge (Word64.toLarge (Word64.>> (w, Word.fromInt (56 - 8 * i))))
     val compress = compress512)

structure SHA224 : DIGEST =
  Sha256Fn'
    (val initial =
       [0wxC1059ED8 : Word32.word, 0wx367CD507, 0wx3070DD17, 0wxF70E5939,
         0wxFFC00B31, 0wx68581511, 0wx64F98FA7, 0wxBEFA4FA4]
     val size = 28)
structure SHA256 : DIGEST =
  Sha256Fn'
    (val initial =
       [0wx6A09E667 : Word32.word, 0wxBB67AE85, 0wx3C6EF372, 0wxA54FF53A,
         0wx510E527F, 0wx9B05688C, 0wx1F83D9AB, 0wx5BE0CD19]
     val size = 32)
structure SHA384 : DIGEST =
  Sha512Fn'
    (val initial =
       [0wxCBBB9D5DC1059ED8 : Word64.word, 0wx629A292A367CD507, 0wx9159015A3070DD17, 0wx152FECD8F70E5939,
        0wx67332667FFC00B31, 0wx8EB44A8768581511, 0wxDB0C2E0D64F98FA7, 0wx47B5481DBEFA4FA4]
     val size = 48)
structure SHA512 : DIGEST =
  Sha512Fn'
    (val initial =
       [0wx6A09E667F3BCC908 : Word64.word, 0wxBB67AE8584CAA73B, 0wx3C6EF372FE94F82B, 0wxA54FF53A5F1D36F1,
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
        CharVector.tabulate
          (D.blockSize, fn i =>
             Byte.byteToChar
               (Word8.xorb (w, if i < size key then Byte.charToByte (String.sub (key, i)) else 0w0)))
      val inner = D.finish (D.add (D.add (D.start, pad 0wx36), text))
    in
      D.finish (D.addBytes (D.add (D.start, pad 0wx5C), Word8VectorSlice.full inner))
    end

  fun hex arg = Hex.encode (ofString arg)

  fun same (a, b) =
    Word8Vector.length a = Word8Vector.length b
    andalso
    Word8Vector.foldli (fn (i, x, w) => Word8.orb (w, Word8.xorb (x, Word8Vector.sub (b, i)))) 0w0 a = 0w0
end

structure HMACMD5 = HMACFn (MD5)
structure HMACSHA1 = HMACFn (SHA1)
structure HMACSHA256 = HMACFn (SHA256)
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
  fun entry i =
    let
      fun turn (0, w) = w
        | turn (n, w) =
            turn
              (n - 1,
               if Word32.andb (w, 0w1) = 0w1 then Word32.xorb (Word32.>> (w, 0w1), 0wxEDB88320) else Word32.>> (w, 0w1))
    in
      turn (8, Word32.fromInt i)
    end
  val table = Vector.tabulate (256, entry)

  fun byte (c, w) =
    Word32.xorb
      (Word32.>> (w, 0w8),
       Vector.sub (table, Word32.toInt (Word32.andb (Word32.xorb (w, Word32.fromInt (Char.ord c)), 0w255))))
  fun add (w, s) = Word32.notb (CharVector.foldl byte (Word32.notb w) s)
  fun ofString s = add (0w0, s)
end
