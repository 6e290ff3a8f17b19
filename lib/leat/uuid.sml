(* Uuid: universally unique identifiers of 128 bits (RFC 9562), of random numbers (version 4), of the time and random
   numbers (version 7), or of a name (version 5). *)

signature LEAT_UUID =
sig
  eqtype uuid

  (* A random one (version 4): nobody can guess it. *)
  val v4 : unit -> uuid
  (* One that begins with the time (version 7), and is larger than those that this program made before: a database keeps
     such keys together. It tells when it was made. *)
  val v7 : unit -> uuid

  (* The one of a name within a space (version 5): always the same, and another one for another name. The space is one
     of those below, or any that you have made for names of a kind. Others can compute it. *)
  val v5 : {space : uuid, name : string} -> uuid
  (* The space of the names of hosts, `www.example.com`: RFC 9562, 6.6. *)
  val dns : uuid
  (* The space of URLs. *)
  val url : uuid

  (* all bits 0, and all bits 1 *)
  val null : uuid
  (* The largest one. *)
  val largest : uuid

  (* 8-4-4-4-12 hexadecimal digits, in small letters. *)
  val toString : uuid -> string
  (* That text, in small or capital letters; NONE for any other. *)
  val fromString : string -> uuid option
  (* 16 bytes, the most significant one first. *)
  val toBytes : uuid -> Word8Vector.vector
  (* Raises Size for another number of bytes than 16. *)
  val fromBytes : Word8Vector.vector -> uuid

  (* The order of the bytes, which is that of the texts and, for version 7, that of time. *)
  val compare : uuid * uuid -> order
  (* A number for hash tables. *)
  val hash : uuid -> word
  (* Its version, 0 to 15; 4, 5 and 7 are those that are made here. *)
  val version : uuid -> int
  (* When one of version 7 was made, to the millisecond; NONE for another one, and for a time that is none here: one
     behind the year 2262. *)
  val time : uuid -> Time.time option
end

structure Uuid :> LEAT_UUID =
struct
  structure W = Word64

  (* the upper and the lower half *)
  type uuid = W.word * W.word

  val null = (0w0, 0w0) : uuid
  val largest = (W.notb 0w0, W.notb 0w0) : uuid

  fun random () = W.fromLarge (Word.toLarge (SecureRandom.word ()))

  (* the bits that say how it is made *)
  fun marked (version, high, low) =
    (W.orb (W.andb (high, 0wxFFFFFFFFFFFF0FFF), W.<< (version, 0w12)),
     W.orb (W.andb (low, 0wx3FFFFFFFFFFFFFFF), 0wx8000000000000000))

  fun v4 () = marked (0w4, random (), random ())

  (* The last one's moment: milliseconds, and 12 bits of fractions of them. *)
  val lock = OrderedLock'.new ()
  val last = ref 0

  fun v7 () =
    let
      val now = Time.toNanoseconds (Time.now ())
      val (ms, rest) = IntInf.divMod (now, 1000000)
      val moment = Int.fromLarge (ms * 4096 + rest * 4096 div 1000000)
      val () = OrderedLock'.take lock
      val own = if moment > !last then moment else !last + 1
      val () = last := own
      val () = OrderedLock'.release lock
      val bits = W.fromInt own
    in
      marked (0w7, W.orb (W.<< (W.>> (bits, 0w12), 0w16), W.andb (bits, 0wxFFF)), random ())
    end

  fun byte ((high, low), i) =
    let
      val half = if i < 8 then high else low
    in
      Word8.fromLarge (W.toLarge (W.>> (half, Word.fromInt (56 - 8 * (i mod 8)))))
    end
  fun toBytes uuid = Word8Vector.tabulate (16, fn i => byte (uuid, i))
  fun fromBytes bytes =
    let
      fun half from =
        Word8VectorSlice.foldl
          (fn (b, w) => W.orb (W.<< (w, 0w8), W.fromLarge (Word8.toLarge b)))
          0w0
          (Word8VectorSlice.slice (bytes, from, SOME 8))
    in
      if Word8Vector.length bytes = 16 then (half 0, half 8) else raise Size
    end

  fun v5 {space, name} =
    let
      val digest =
        SHA1.finish
          (SHA1.add (SHA1.addBytes (SHA1.start, Word8VectorSlice.full (toBytes space)), name))
    in
      let
        val (high, low) =
          fromBytes (Word8VectorSlice.vector (Word8VectorSlice.slice (digest, 0, SOME 16)))
      in
        marked (0w5, high, low)
      end
    end
  val dns = (0wx6BA7B8109DAD11D1, 0wx80B400C04FD430C8) : uuid
  val url = (0wx6BA7B8119DAD11D1, 0wx80B400C04FD430C8) : uuid

  fun digits w = StringCvt.padLeft #"0" 16 (String.map Char.toLower (W.toString w))
  fun toString (high, low) =
    let
      val (h, l) = (digits high, digits low)
      fun part (text, from, count) = String.substring (text, from, count)
    in
      concat [part (h, 0, 8),
              "-",
              part (h, 8, 4),
              "-",
              part (h, 12, 4),
              "-",
              part (l, 0, 4),
              "-",
              part (l, 4, 12)]
    end

  fun fromString text =
    let
      fun isDash i = i = 8 orelse i = 13 orelse i = 18 orelse i = 23
      fun isRight i =
        if isDash i then String.sub (text, i) = #"-" else Char.isHexDigit (String.sub (text, i))
      fun all i = i = 36 orelse isRight i andalso all (i + 1)
      fun half digits = W.fromString digits
    in
      if size text <> 36 orelse not (all 0) then NONE
      else
        case (half (concat [String.substring (text, 0, 8),
                            String.substring (text, 9, 4),
                            String.substring (text, 14, 4)]),
              half (String.substring (text, 19, 4) ^ String.substring (text, 24, 12))) of
          (SOME high, SOME low) => SOME (high, low)
        | _ => NONE
    end

  fun compare ((a, b) : uuid, (c, d)) =
    case W.compare (a, c) of EQUAL => W.compare (b, d) | order => order
  fun hash (high, low) = Word.fromLarge (W.toLarge (W.xorb (high * 0wx9E3779B97F4A7C15, low)))
  fun version (high, _) = W.toInt (W.andb (W.>> (high, 0w12), 0wxF))
  fun time (uuid as (high, _)) =
    if version uuid = 7 then
      SOME (Time.fromMilliseconds (W.toLargeInt (W.>> (high, 0w16)))) handle Time.Time => NONE
    else NONE
end
