(* Large numbers in binary, octal and hexadecimal digits are read from their bits: digits at the edges of words, numbers
   whose first digit has few bits, and back. *)

val radices = [StringCvt.BIN, StringCvt.OCT, StringCvt.HEX]

fun isSame i radix =
  valOf (StringCvt.scanString (IntInf.scan radix) (IntInf.fmt radix i)) = i
  andalso (i = 0 orelse String.sub (IntInf.fmt radix (abs i), 0) <> #"0")

fun isRight i = List.all (isSame i) radices

fun around k =
  let
    val p = IntInf.pow (2, k)
  in
    List.all isRight [p - 1, p, p + 1, ~p, p * 3 div 2, p div 3]
  end

val () = print (Bool.toString (List.all around (List.tabulate (300, fn k => k))) ^ "\n")
val () =
  List.app (fn radix => print (IntInf.fmt radix (IntInf.pow (10, 30) - 1) ^ "\n")) radices
val () = print (IntInf.fmt StringCvt.OCT (~ (IntInf.pow (2, 64))) ^ "\n")
val () = print (Int.toString (size (IntInf.fmt StringCvt.HEX (IntInf.pow (3, 400000)))) ^ "\n")
