(* UUID: universally unique identifiers (RFC 4122). GenUUID: new ones, of random numbers (version 4). *)

structure UUID :> sig
  type t

  val null : t
  (* The identifier of 16 zero bytes. *)
  val compare : t * t -> order
  (* By the bytes, the first that differs. *)
  val same : t * t -> bool
  (* Whether all bytes are the same. *)
  val hash : t -> word
  (* A hash of the bytes. *)
  val toString : t -> string
  (* 8-4-4-4-12 hexadecimal digits, in lower case. *)
  val fromString : string -> t option
  (* Of text as toString gives it, in any case, with nothing but white space before it, and nothing behind it; else
     NONE. *)
  val toBytes : t -> Word8Vector.vector
  (* Its 16 bytes, in the order in which toString shows them. *)
  val fromBytes : Word8Vector.vector -> t
  (* The identifier of these 16 bytes. Raises Size for another number of them. *)
end =
struct
  type t = Word8Vector.vector

  val null = Word8Vector.tabulate (16, fn _ => 0w0)
  fun same (a : t, b) = a = b
  fun compare (a, b) = Word8Vector.collate Word8.compare (a, b)
  fun hash a = Hash.word8Vector' a
  fun toBytes a = a
  fun fromBytes a = if Word8Vector.length a = 16 then a else raise Size

  fun dash i = i = 4 orelse i = 6 orelse i = 8 orelse i = 10
  fun hex b = StringCvt.padLeft #"0" 2 (CharVector.map Char.toLower (Word8.toString b))
  fun toString a =
    concat
      (rev (Word8Vector.foldli (fn (i, b, l) => hex b :: (if dash i then "-" :: l else l)) [] a))

  fun fromString s =
    let
      val s = Substring.string (Substring.dropl Char.isSpace (Substring.full s))
      (* Where byte i's digits begin. *)
      fun at i =
        2 * i
        + (if i < 4 then 0 else if i < 6 then 1 else if i < 8 then 2 else if i < 10 then 3 else 4)
      fun ok (i, c) =
        if i = 8 orelse i = 13 orelse i = 18 orelse i = 23 then c = #"-" else Char.isHexDigit c
    in
      if size s = 36 andalso not (isSome (CharVector.findi (not o ok) s)) then
        SOME (Word8Vector.tabulate
                (16, fn i => valOf (Word8.fromString (String.substring (s, at i, 2)))))
      else NONE
    end
end

structure GenUUID : sig
  val new : unit -> UUID.t
  (* An identifier of 122 random bits, from the system: other threads, and children of the process, get others. *)
end =
struct
  fun new () =
    let
      val high = PrimWorld'.random_word ()
      val low = PrimWorld'.random_word ()
      fun byte i =
        let
          val b =
            Word8.fromLarge
              (Word.toLarge (Word.>> (if i < 8 then high else low, Word.fromInt (8 * (i mod 8)))))
        in
          if i = 6 then Word8.orb (0wx40, Word8.andb (b, 0wxF))
          else if i = 8 then Word8.orb (0wx80, Word8.andb (b, 0wx3F))
          else b
        end
    in
      UUID.fromBytes (Word8Vector.tabulate (16, byte))
    end
end
