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
  (* A character's six bits; those outside the alphabet have one that no four characters of it have together. *)
  val outside = 0wx1000000
  val values =
    let
      val table = Array.array (256, outside)
    in
      CharVector.appi (fn (i, c) => Array.update (table, Char.ord c, Word.fromInt i)) alphabet;
      Array.vector table
    end
  (* where the index is right *)
  val valueAt = _prim "vector_sub_unsafe" : word vector * int -> word
  val letterAt = _prim "string_sub_unsafe" : string * int -> char
  fun value c = valueAt (values, Char.ord c)
  fun isBase64 c = value c < outside
  (* The bits so far, and a character's behind them. *)
  fun behind (bits, c) = Word.orb (Word.<< (bits, 0w6), value c)

  (* An array that nobody else has becomes a text, or bytes, where it is. *)
  val textOf = _prim "cast" : CharArray.array -> string
  val bytesOf = _prim "cast" : Word8Array.array -> Word8Vector.vector

  (* The letter of the last six bits. *)
  fun letter bits = String.sub (alphabet, Word.toInt (Word.andb (bits, 0w63)))

  fun encodeSlice bytes =
    let
      val (vector, from, n) = Word8VectorSlice.base bytes
      val text = CharArray.array ((n + 2) div 3 * 4, #"=")
      fun byte i = Word.fromLarge (Word8.toLarge (Word8Vector.sub (vector, from + i)))
      fun put (at, bits) = CharArray.update (text, at, letter bits)
      (* Groups of three bytes; what is not written at the end is padding. *)
      fun group (i, at) =
        case n - i of
          0 => ()
        | 1 => let val a = byte i in put (at, Word.>> (a, 0w2)); put (at + 1, Word.<< (a, 0w4)) end
        | 2 =>
            let
              val ab = Word.orb (Word.<< (byte i, 0w8), byte (i + 1))
            in
              put (at, Word.>> (ab, 0w10));
              put (at + 1, Word.>> (ab, 0w4));
              put (at + 2, Word.<< (ab, 0w2))
            end
        | _ =>
            let
              val ab = Word.orb (Word.<< (byte i, 0w16), Word.<< (byte (i + 1), 0w8))
              val abc = Word.orb (ab, byte (i + 2))
            in
              put (at, Word.>> (abc, 0w18));
              put (at + 1, Word.>> (abc, 0w12));
              put (at + 2, Word.>> (abc, 0w6));
              put (at + 3, abc);
              group (i + 3, at + 4)
            end
    in
      group (0, 0);
      textOf text
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
      val (string, first, size) = Substring.base text
      fun isPad k = size > k andalso String.sub (string, first + size - 1 - k) = #"="
      val pads = if not (isPad 0) then 0 else if isPad 1 then 2 else 1
      (* Right if there is no white space, else more than is needed. *)
      val result = Word8Array.array (3 * (size - pads) div 4, 0w0)
      fun byte (at, bits) = Word8Array.update (result, at, Word8.fromLarge (Word.toLarge bits))
      (* Puts the first n bytes of a group there; gives the place behind them. *)
      fun put (at, n, bits) =
        (byte (at, Word.>> (bits, 0w16));
         if n > 1 then byte (at + 1, Word.>> (bits, 0w8)) else ();
         if n > 2 then byte (at + 2, bits) else ();
         at + n)
      (* Groups of four letters without anything between them, as long as there are such; the place and how many bytes
         there are then. *)
      fun whole (i, used) =
        if i + 4 > size then (i, used)
        else
          let
            fun letter k = letterAt (string, first + i + k)
            val bits =
              behind (behind (behind (value (letter 0), letter 1), letter 2), letter 3)
          in
            if bits < outside then whole (i + 4, put (used, 3, bits)) else (i, used)
          end
      (* k characters of the group are read, and `used` bytes are there. Gives how many there are. *)
      fun group (i, k, bits, used) =
        case next i of
          NONE => if k = 0 then used else raise Incomplete
        | SOME (#"=", at, i) =>
            if k < 2 then raise Invalid (at, #"=")
            else if k = 2 then (padding i; put (used, 1, Word.<< (bits, 0w12)))
            else (ending i; put (used, 2, Word.<< (bits, 0w6)))
        | SOME (c, at, i) =>
            if not (isBase64 c) then raise Invalid (at, c)
            else if k = 3 then
              let
                val (i, used) = whole (i, put (used, 3, behind (bits, c)))
              in
                group (i, 0, 0w0, used)
              end
            else group (i, k + 1, behind (bits, c), used)
      and padding i =
        (case next i of
           SOME (#"=", _, i) => ending i
         | SOME (c, at, _) => raise Invalid (at, c)
         | NONE => raise Incomplete)
      and ending i = case next i of NONE => () | SOME (c, at, _) => raise Invalid (at, c)
      fun start () = let val (i, used) = whole (0, 0) in group (i, 0, 0w0, used) end
      fun finished n =
        if n = Word8Array.length result then bytesOf result
        else Word8ArraySlice.vector (Word8ArraySlice.slice (result, 0, SOME n))
    in
      finished (start ())
    end

  val decodeSlice = decoder false
  val decodeSliceStrict = decoder true
  fun decode s = decodeSlice (Substring.full s)
  fun decodeStrict s = decodeSliceStrict (Substring.full s)
end
