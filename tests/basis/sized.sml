(* Int8, Int16, Word16: with overloaded operators, constants and patterns. *)
fun line s = print (s ^ "\n")
fun try f = (line (f ())) handle Overflow => line "Overflow" | Div => line "Div"
val a = 100 : Int8.int
val () = try (fn () => Int8.toString (a + 27))
val () = try (fn () => Int8.toString (a + 28))
val () = try (fn () => Int8.toString (a * 2 div 2))
val () = try (fn () => Int8.toString (~a - 28))
val () = try (fn () => Int8.toString (~128 div ~1))
val () = try (fn () => Int8.toString (Int8.fromInt 128))
val () = try (fn () => Int8.toString (a mod 0))
fun f (0 : Int16.int) = "zero" | f 32767 = "most" | f ~32768 = "least" | f n = Int16.toString (n + 1)
val () = app (line o f) [0, 32767, ~32768, 5]
val w = 0wxFFFF : Word16.word
val () = line (Word16.toString (w + 0w2) ^ " " ^ Word16.toString (w * w) ^ " " ^ Word16.toString (Word16.~>> (0wx8000, 0w3)))
val () = line (Bool.toString (w > 0w5) ^ Bool.toString (a < 5))
val v = Vector.fromList [1, 2, 3 : Int16.int]
val () = line (Int16.toString (Vector.foldl (op +) 0 v))
val x = 0.1 : Real32.real
val () = line (Real.fmt (StringCvt.SCI (SOME 12)) (Real32.toLarge (x + 0.2)) ^ " " ^ Real32.toString (x * 3.0) ^ " " ^ Real32.fmt StringCvt.EXACT x)
val () = line (Bool.toString (Real32.== (Real32.maxFinite * 2.0, Real32.posInf)))
