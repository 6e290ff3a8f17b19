(* Digests against Python's hashlib, hmac and zlib, whose answers are in the expected file: texts of every length around
   the ends of blocks, in one piece and in pieces; and the vectors of FIPS 180-4, RFC 1321 and RFC 2202. *)

fun line l = print (concat l ^ "\n")

functor Show (val name : string structure D : DIGEST structure H : HMAC) =
struct
  val () =
    List.app (fn s => line [name, " ", D.hex s])
      ["", "abc", "message digest", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"]
  fun text n = CharVector.tabulate (n, fn i => Char.chr (i * 7 mod 256))
  (* A digest of the digests of all lengths. *)
  val lengths = List.tabulate (300, fn i => i)
  val () = line [name, " ", D.hex (concat (List.map (D.hex o text) lengths))]
  (* Pieces of 1, 2, 3, ... bytes, until the text is over. *)
  fun pieces (state, s, n) =
    if size s <= n then D.finish (D.add (state, s))
    else pieces (D.add (state, String.substring (s, 0, n)), String.extract (s, n, NONE), n + 1)
  val () =
    List.app
      (fn n =>
         if pieces (D.start, text n, 1) = D.ofBytes (Byte.stringToBytes (text n)) then ()
         else line ["pieces of ", Int.toString n])
      lengths
  (* A state is a value: it can be continued twice. *)
  val half = D.add (D.start, text 100)
  val () = if D.finish (D.add (half, "x")) = D.finish (D.add (half, "y")) then line ["the same"] else ()
  val () = if D.finish half = D.ofString (text 100) then () else line ["changed"]
  val () =
    List.app (fn (key, text) => line [name, " hmac ", H.hex {key = key, text = text}])
      [("", ""), ("Jefe", "what do ya want for nothing?"), (text 64, text 64), (text 200, text 500)]
end

structure S1 = Show (val name = "md5" structure D = MD5 structure H = HMACMD5)
structure S2 = Show (val name = "sha1" structure D = SHA1 structure H = HMACSHA1)
structure S3 = Show (val name = "sha224" structure D = SHA224 structure H = HMACFn (SHA224))
structure S4 = Show (val name = "sha256" structure D = SHA256 structure H = HMACSHA256)
structure S5 = Show (val name = "sha384" structure D = SHA384 structure H = HMACSHA384)
structure S6 = Show (val name = "sha512" structure D = SHA512 structure H = HMACSHA512)

val a = HMACSHA256.ofString {key = "k", text = "t"}
val () = line [Bool.toString (HMACSHA256.same (a, a)), Bool.toString (HMACSHA256.same (a, SHA256.ofString "t"))]
val () = List.app (fn s => line ["crc32 ", Word32.toString (CRC32.ofString s)]) ["", "123456789", S1.text 1000]
val () = line [Bool.toString (CRC32.add (CRC32.ofString "12345", "6789") = CRC32.ofString "123456789")]
fun shown text = case Hex.decode text of SOME bytes => Hex.encode bytes | NONE => "none"
val () = List.app (fn s => line ["hex ", shown s]) ["", "00fF10", "0", "0g", "0x"]
(* Each character as the first and as the second digit of the last byte. *)
fun value c =
  if Char.isDigit c then SOME (Char.ord c - 48)
  else if Char.isHexDigit c then SOME (Char.ord (Char.toLower c) - 87)
  else NONE
fun byte (text, n) =
  case Hex.decode text of
    SOME bytes => Word8Vector.length bytes = 2 andalso SOME (Word8.toInt (Word8Vector.sub (bytes, 1))) = n
  | NONE => n = NONE
val chars = List.tabulate (256, Char.chr)
val () =
  List.app
    (fn c =>
       if byte ("f0" ^ str c ^ "7", Option.map (fn v => 16 * v + 7) (value c))
          andalso byte ("f0A" ^ str c, Option.map (fn v => 160 + v) (value c))
       then ()
       else line ["hex of ", Char.toString c])
    chars
