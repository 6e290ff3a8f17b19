(* Int8, Int16, Int32: integers of fewer bits, kept in machine integers. Int64, FixedInt, Position: names of Int. *)

functor SizedInt'
  (eqtype int
   val bits : Int.int
   (* to and from Int; the second takes the lowest bits *)
   val widen : int -> Int.int
   val narrow : Int.int -> int) : INTEGER where type int = int =
struct
  type int = int

  fun check i =
    let val n = narrow i in if widen n = i then n else raise Overflow end

  val precision = SOME bits
  val most = Int.- (Word.toInt (Word.<< (0w1, Word.fromInt (Int.- (bits, 1)))), 1)
  val minInt = SOME (narrow (Int.- (Int.~ most, 1)))
  val maxInt = SOME (narrow most)

  val toInt = widen
  val fromInt = check
  fun toLarge i = Int.toLarge (widen i)
  fun fromLarge i = check (Int.fromLarge i)

  fun quot (a, b) = check (Int.quot (widen a, widen b))
  fun rem (a, b) = narrow (Int.rem (widen a, widen b))
  fun compare (a, b) = Int.compare (widen a, widen b)
  fun min (a, b) = if Int.< (widen a, widen b) then a else b
  fun max (a, b) = if Int.> (widen a, widen b) then a else b
  fun sign i = Int.sign (widen i)
  fun sameSign (a, b) = Int.sameSign (widen a, widen b)
  fun fmt radix i = Int.fmt radix (widen i)
  fun toString i = Int.toString (widen i)
  fun scan radix getc src =
    case Int.scan radix getc src of
      SOME (i, src) => SOME (check i, src)
    | NONE => NONE
  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s

  fun ~ i = check (Int.~ (widen i))
  fun abs i = check (Int.abs (widen i))
  fun a + b = check (Int.+ (widen a, widen b))
  fun a - b = check (Int.- (widen a, widen b))
  fun a * b = check (Int.* (widen a, widen b))
  fun a div b = check (Int.div (widen a, widen b))
  fun a mod b = narrow (Int.mod (widen a, widen b))
  fun a < b = Int.< (widen a, widen b)
  fun a <= b = Int.<= (widen a, widen b)
  fun a > b = Int.> (widen a, widen b)
  fun a >= b = Int.>= (widen a, widen b)
end

structure Int8 =
  SizedInt' (type int = int8
             val bits = 8
             val widen = PrimWords'.bits : int8 -> Int.int
             val narrow = PrimWords'.sext8 : Int.int -> int8)
structure Int16 =
  SizedInt' (type int = int16
             val bits = 16
             val widen = PrimWords'.bits : int16 -> Int.int
             val narrow = PrimWords'.sext16 : Int.int -> int16)
structure Int32 =
  SizedInt' (type int = int32
             val bits = 32
             val widen = PrimWords'.bits : int32 -> Int.int
             val narrow = PrimWords'.sext32 : Int.int -> int32)

(* The same as Int, but for what it is in foreign types: it has 64 bits there, too. *)
structure Int64 : INTEGER =
struct
  open Int

  datatype int = datatype int64
end
structure FixedInt : INTEGER = Int64
structure Position : INTEGER = Int64
