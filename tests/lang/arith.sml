(* Integer arithmetic: rounding, overflow, comparison, the least int. *)
fun show i = print (Int.toString i ^ "\n")
val () = show (7 div 2)
val () = show (~7 div 2)
val () = show (7 mod ~2)
val () = show (~7 mod 2)
val () = show (Int.quot (~7, 2))
val () = show (Int.rem (~7, 2))
val () = show (valOf Int.maxInt)
val () = show (valOf Int.minInt)
val () = (show (valOf Int.maxInt + 1)) handle Overflow => print "overflow +\n"
val () = (show (valOf Int.minInt - 1)) handle Overflow => print "overflow -\n"
val () = (show (valOf Int.maxInt * 2)) handle Overflow => print "overflow *\n"
val () = (show (~ (valOf Int.minInt))) handle Overflow => print "overflow ~\n"
val () = (show (abs (valOf Int.minInt))) handle Overflow => print "overflow abs\n"
val () = (show (valOf Int.minInt div ~1)) handle Overflow => print "overflow div\n"
val () = show (valOf Int.minInt mod ~1)
val () = (show (1 div 0)) handle Div => print "div\n"
val () = (show (1 mod 0)) handle Div => print "mod\n"
val () = print (Bool.toString (3 < 4) ^ Bool.toString (4 <= 3) ^ Bool.toString (~1 > ~2) ^ Bool.toString (2 >= 2) ^ "\n")
val () = print (Word.toString (Word.notb 0w0) ^ " " ^ Word.toString (0w1 - 0w2) ^ " " ^ Word.toString (Word.<< (0w1, 0w64)) ^ "\n")
val () = print (Word.toString (Word.~>> (Word.notb 0w0, 0w70)) ^ " " ^ Word.toString (Word.>> (Word.notb 0w0, 0w60)) ^ "\n")
val () = print (Int.fmt StringCvt.HEX 255 ^ " " ^ Int.fmt StringCvt.BIN ~5 ^ " " ^ Int.fmt StringCvt.OCT 64 ^ "\n")
val () = show (valOf (Int.fromString "  ~42abc"))
val () = case Int.fromString "abc" of NONE => print "none\n" | SOME i => show i
val () = (case Int.fromString "99999999999999999999" of NONE => print "none\n" | SOME i => show i) handle Overflow => print "overflow scan\n"
