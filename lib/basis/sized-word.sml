(* Word8, Word16, Word32: words of fewer bits, kept zero-extended in machine words. *)

functor SizedWord'
  (eqtype word
   val bits : int
   (* with zeros, with the sign; the lowest bits of a word *)
   val widen : word -> Word.word
   val widenX : word -> Word.word
   val narrow : Word.word -> word) : WORD where type word = word =
struct
  type word = word

  val toI = PrimWords'.bits : Word.word -> int
  val ofI = PrimWords'.bits : int -> Word.word

  val wordSize = bits
  fun toInt w = toI (widen w)
  fun toIntX w = toI (widenX w)
  fun fromInt i = narrow (ofI i)
  val toLarge = widen
  val toLargeX = widenX
  val fromLarge = narrow
  val toLargeWord = widen
  val toLargeWordX = widenX
  val fromLargeWord = narrow
  fun toLargeInt w = Int.toLarge (toInt w)
  fun toLargeIntX w = Int.toLarge (toIntX w)
  fun fromLargeInt i = narrow (Word.fromLargeInt i)

  fun andb (a, b) = narrow (Word.andb (widen a, widen b))
  fun orb (a, b) = narrow (Word.orb (widen a, widen b))
  fun xorb (a, b) = narrow (Word.xorb (widen a, widen b))
  fun notb a = narrow (Word.notb (widen a))
  fun << (a, n) = narrow (Word.<< (widen a, n))
  fun >> (a, n) = narrow (Word.>> (widen a, n))
  fun ~>> (a, n) = narrow (Word.~>> (widenX a, n))

  fun compare (a, b) = Word.compare (widen a, widen b)
  fun min (a, b) = if Word.< (widen a, widen b) then a else b
  fun max (a, b) = if Word.> (widen a, widen b) then a else b

  fun fmt radix w = Word.fmt radix (widen w)
  fun toString w = Word.toString (widen w)
  fun scan radix getc src =
    case Word.scan radix getc src of
      SOME (w, src) => if Word.> (w, widen (narrow w)) then raise Overflow else SOME (narrow w, src)
    | NONE => NONE
  fun fromString s = StringCvt.scanString (scan StringCvt.HEX) s

  fun ~ a = narrow (Word.~ (widen a))
  fun a + b = narrow (Word.+ (widen a, widen b))
  fun a - b = narrow (Word.- (widen a, widen b))
  fun a * b = narrow (Word.* (widen a, widen b))
  fun a div b = narrow (Word.div (widen a, widen b))
  fun a mod b = narrow (Word.mod (widen a, widen b))
  fun a < b = Word.< (widen a, widen b)
  fun a <= b = Word.<= (widen a, widen b)
  fun a > b = Word.> (widen a, widen b)
  fun a >= b = Word.>= (widen a, widen b)
end

structure Word8 =
  SizedWord' (type word = word8
              val bits = 8
              val widen = PrimWords'.bits : word8 -> Word.word
              val widenX = PrimWords'.sext8 : word8 -> Word.word
              val narrow = PrimWords'.zext8 : Word.word -> word8)
structure Word16 =
  SizedWord' (type word = word16
              val bits = 16
              val widen = PrimWords'.bits : word16 -> Word.word
              val widenX = PrimWords'.sext16 : word16 -> Word.word
              val narrow = PrimWords'.zext16 : Word.word -> word16)
structure Word32 =
  SizedWord' (type word = word32
              val bits = 32
              val widen = PrimWords'.bits : word32 -> Word.word
              val widenX = PrimWords'.sext32 : word32 -> Word.word
              val narrow = PrimWords'.zext32 : Word.word -> word32)
