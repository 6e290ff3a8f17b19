(* Arrays of Real32 take four bytes an element; what is read is what was rounded when it was made. *)
val third = Real32./ (Real32.fromInt 1, Real32.fromInt 3)
val a = Array.array (5, third)
val () = Array.update (a, 1, Real32.fromInt 7)
val () = Array.update (a, 2, Real32.~ third)
val v = Array.vector a
val w = Vector.fromList [third, Real32.posInf, Real32.fromInt ~2]
fun show x = print (Real32.toString x ^ "\n")
val () = Array.app show a
val () = Vector.app show v
val () = Vector.app show w
val () = print (Bool.toString (Real32.== (Array.sub (a, 0), third)) ^ "\n")
val b = Array.tabulate (1000, Real32.fromInt)
val () = Array.copy {src = b, dst = b, di = 0} handle Subscript => ()
val () = show (Array.foldl Real32.+ (Real32.fromInt 0) b)
