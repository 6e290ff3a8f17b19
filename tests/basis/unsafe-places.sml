(* Unsafe.getVar and its kin: places for values of any type; a word by itself (an int, a real) goes through as well as an
 * object does, and a place that is empty, or not there, says so. *)
fun say s = print (s ^ "\n")

val () = say (Unsafe.getVar () handle Fail s => s)
val () = Unsafe.setVar 42
val () = say (Int.toString (Unsafe.getVar () + 1))
val () = Unsafe.setVar 2.5
val () = say (Real.toString (Unsafe.getVar ()))
val () = Unsafe.setVar ["a", "b"]
val () = say (String.concat (Unsafe.getVar ()))
val () = Unsafe.setPseudo (~1, 15)
val () = Unsafe.setPseudo ("zero", 0)
(* what the places hold survives a collection, and follows its objects *)
val () = MLton.GC.collect ()
val () = say (Unsafe.getPseudo 0)
val () = say (Int.toString (Unsafe.getPseudo 15))
val () = say (Unsafe.getPseudo 1 handle Fail s => s)
val () = say (Unsafe.getPseudo 16 handle Subscript => "Subscript")
val () = (Unsafe.setPseudo ((), ~1); say "no") handle Subscript => say "Subscript"
