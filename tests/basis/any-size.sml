(* Int1 to Int31 and Word1 to Word31: ranges, constants, operators, matches that are exhaustive. *)
fun line s = print (s ^ "\n")
functor Int (I : INTEGER) =
struct
  fun overflows f = (ignore (f ()); false) handle Overflow => true
  val least = valOf I.minInt and most = valOf I.maxInt
  val () =
    line (Int.toString (valOf I.precision) ^ ": " ^ I.toString least ^ " to " ^ I.toString most ^ " " ^
          String.concat
            (List.map Bool.toString
               [overflows (fn () => I.~ least), overflows (fn () => I.+ (most, I.fromInt ~1)),
                overflows (fn () => I.- (least, most)), overflows (fn () => I.fromLarge (I.toLarge most + 1)),
                I.fromString (I.toString most) = SOME most, I.compare (least, most) = LESS]))
end
structure A = Int (Int1)
structure A = Int (Int2)
structure A = Int (Int7)
structure A = Int (Int31)
functor Word (W : WORD) =
struct
  val most = W.notb (W.fromInt 0)
  val () =
    line (Int.toString W.wordSize ^ ": " ^ W.toString most ^ " " ^ Int.toString (W.toIntX most) ^ " " ^
          W.toString (W.+ (most, most)) ^ " " ^ W.toString (W.* (most, most)) ^ " " ^ W.toString (W.>> (most, 0w1)) ^ " " ^
          W.toString (W.~>> (most, 0w1)) ^ " " ^ W.toString (W.<< (most, 0w1)))
end
structure B = Word (Word1)
structure B = Word (Word2)
structure B = Word (Word9)
structure B = Word (Word31)
(* constants and operators are overloaded *)
fun fib (w : Word5.word) : Word5.word = if w <= 0w1 then 0w1 else fib (w - 0w1) + fib (w - 0w2)
val () = line (Word5.toString (fib 0w10))
val three : Int5.int = 3
val () = line (Int5.toString (~ three * 5 - 1) ^ " " ^ Bool.toString (three < 4))
val () = line (Int5.toString (three * 5 + 1) handle Overflow => "overflow")
fun name (0w0 : Word2.word) = "zero" | name 0w1 = "one" | name 0w2 = "two" | name 0w3 = "three"
val () = line (name 0w3)
val () = line (Word31.toString (Vector.sub (Vector.tabulate (10, Word31.fromInt), 9)))
