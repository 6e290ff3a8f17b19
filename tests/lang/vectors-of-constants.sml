(* A vector whose elements are all known stands in static data; so do the words of a large constant. A constant of a
   million digits had been made by 52,000 stores, and took 1.2 s to compile. *)
val ints = #[3, ~4, 5]
val bytes : Word8.word vector = #[0w1, 0wxff, 0w0]
val int8s : Int8.int vector = #[~128, 127, ~1]
val int16s : Int16.int vector = #[~32768, 32767, ~1]
val int32s : Int32.int vector = #[~2147483648, 2147483647, ~1]
val word16s : Word16.word vector = #[0wxffff, 0w1]
val word32s : Word32.word vector = #[0wxffffffff, 0w1, 0w2]
val words = #[0wxffffffffffffffff, 0w1]
val reals = #[1.5, ~0.0, 1E300]
val small : Real32.real vector = #[1.5, ~2.25]
val text = #[#"a", #"\000", #"z"]
val bools = #[true, false, true]
val nested = #[#[1, 2], #[], #[3]]
val large : IntInf.int vector = #[~123456789012345678901234567890, 0, 18446744073709551616]
val none : int vector = #[]
fun show f v = print ("[" ^ String.concatWith ", " (List.map f (Vector.foldr op :: [] v)) ^ "]\n")
val () = show Int.toString ints
val () = show Word8.toString bytes
val () = show Int8.toString int8s
val () = show Int16.toString int16s
val () = show Int32.toString int32s
val () = show Word16.toString word16s
val () = show Word32.toString word32s
val () = show Word.toString words
val () = show Real.toString reals
val () = show Real32.toString small
val () = show Char.toString text
val () = show Bool.toString bools
val () = show (Int.toString o Vector.length) nested
val () = show IntInf.toString large
val () = show Int.toString none

(* The same vector twice is equal to one made at run time, and updating makes another. *)
fun made n = Vector.tabulate (n, fn i => if i = 1 then ~4 else i + 3)
fun known () = #[3, ~4, 5]
val () = print (Bool.toString (known () = made 3) ^ "\n")
val () = show Int.toString (Vector.update (known (), 0, 100))
val () = show Int.toString (known ())
val copy = Array.array (4, 0)
val () = Array.copyVec {src = known (), dst = copy, di = 1}
val () = Array.update (copy, 2, 9)
val () = show Int.toString (Array.vector copy)
val () = show Int.toString (known ())
val () = print ((case known () of #[a, b, c] => Int.toString (a + b + c) | _ => "other") ^ "\n")
val () = print (Int.toString (Vector.sub (known (), 3)) handle Subscript => "Subscript\n")

(* Not all of it is known. *)
fun mixed n = #[1, n, 3]
val () = show Int.toString (mixed 2)

(* A large constant, in an expression, in a pattern, and through a collection. *)
val big = 100000000000000000000000000000000000000000
fun name (n : IntInf.int) =
  case n of
    100000000000000000000000000000000000000000 => "big"
  | ~100000000000000000000 => "negative"
  | _ => "other"
val garbage = List.tabulate (1000, fn i => i)
val () = print (name big ^ " " ^ name (~ (IntInf.pow (10, 20))) ^ " " ^ name 1 ^ "\n")
val () = print (IntInf.toString (big + 1) ^ "\n")
