(* What a terminal would be set to, without one. *)
val t = Termios.termios.alloc ()
val () = Termios.termios.set_c_lflag (t, 0wxffffffff)
val () = Termios.cfmakeraw t
val lflag = Termios.termios.get_c_lflag t
val () = print (Bool.toString (Word.andb (lflag, Word.fromInt Termios.ICANON) = 0w0) ^ "\n")
val () = print (Int.toString (Termios.cfsetispeed (t, Word.fromInt Termios.B9600)) ^ "\n")
