(* Base64: bytes as printable characters, 6 bits each (RFC 4648, with padding). *)

signature BASE64 =
sig
  val isBase64 : char -> bool
  (* A letter, a digit, + or /. *)

  val encode : Word8Vector.vector -> string
  (* The bytes as a text in base 64. *)
  val encodeSlice : Word8VectorSlice.slice -> string
  (* The bytes of a part of a vector, as a text in base 64. *)

  exception Incomplete
  (* The text ends within a group of four characters. *)
  exception Invalid of (int * char)
  (* Another character, and where. *)

  val decode : string -> Word8Vector.vector
  (* The bytes of a text; white space is passed over. Raises Incomplete and Invalid. *)
  val decodeSlice : substring -> Word8Vector.vector
  (* As `decode`, of a part of a string. *)
  val decodeStrict : string -> Word8Vector.vector
  (* The bytes of a text; white space is invalid. Raises Incomplete and Invalid. *)
  val decodeSliceStrict : substring -> Word8Vector.vector
  (* As `decodeStrict`, of a part of a string. *)
end

structure Base64 :> BASE64 =
struct
  exception Incomplete
  exception Invalid of (int * char)

  val alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  (* A character's six bits; ~1 for those outside the alphabet. *)
  val values =
    let
      val table = Array.array (256, ~1)
    in
      CharVector.appi (fn (i, c) => Array.update (table, Char.ord c, i)) alphabet;
      Array.vector table
    end
  fun value c = Vector.sub (values, Char.ord c)
  fun isBase64 c = value c >= 0

  fun encodeSlice bytes =
    let
      val n = Word8VectorSlice.length bytes
      fun byte i = if i < n then Word8.toInt (Word8VectorSlice.sub (bytes, i)) else 0
      (* The characters of group g; those of bytes that are not there are padding. *)
      fun char i =
        let
          val g = 3 * (i div 4)
          val bits = 65536 * byte g + 256 * byte (g + 1) + byte (g + 2)
          val k = i mod 4
        in
          if g + k > n then #"="
          else
            String.sub
              (alphabet,
               case k of
                 0 => bits div 262144
               | 1 => bits div 4096 mod 64
               | 2 => bits div 64 mod 64
               | _ => bits mod 64)
        end
    in
      CharVector.tabulate ((n + 2) div 3 * 4, char)
    end

  fun encode bytes = encodeSlice (Word8VectorSlice.full bytes)

  fun decoder strict text =
    let
      fun next i =
        if i = Substring.size text then NONE
        else
          let
            val c = Substring.sub (text, i)
          in
            if not strict andalso Char.isSpace c then next (i + 1) else SOME (c, i, i + 1)
          end
      val result = Word8Array.array (3 * (Substring.size text div 4 + 1), 0w0)
      (* Puts the first n bytes of a group there; gives the place behind them. *)
      fun put (at, n, bits) =
        let
          fun byte (i, k) = if i < n then Word8Array.update (result, at + i, Word8.fromInt (bits div k mod 256)) else ()
        in
          byte (0, 65536);
          byte (1, 256);
          byte (2, 1);
          at + n
        end
      (* k characters of the group are read, and `used` bytes are there. Gives how many there are. *)
      fun group (i, k, bits, used) =
        case next i of
          NONE => if k = 0 then used else raise Incomplete
        | SOME (#"=", at, i) =>
            if k < 2 then raise Invalid (at, #"=")
            else if k = 2 then (padding i; put (used, 1, bits * 4096))
            else (ending i; put (used, 2, bits * 64))
        | SOME (c, at, i) =>
            if value c < 0 then raise Invalid (at, c)
            else if k = 3 then group (i, 0, 0, put (used, 3, bits * 64 + value c))
            else group (i, k + 1, bits * 64 + value c, used)
      and padding i =
        (case next i of
           SOME (#"=", _, i) => ending i
         | SOME (c, at, _) => raise Invalid (at, c)
         | NONE => raise Incomplete)
      and ending i = case next i of NONE => () | SOME (c, at, _) => raise Invalid (at, c)
    in
      Word8ArraySlice.vector (Word8ArraySlice.slice (result, 0, SOME (group (0, 0, 0, 0))))
    end

  val decodeSlice = decoder false
  val decodeSliceStrict = decoder true
  fun decode s = decodeSlice (Substring.full s)
  fun decodeStrict s = decodeSliceStrict (Substring.full s)
end
