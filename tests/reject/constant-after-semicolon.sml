(* A semicolon ends a top-level declaration, and with it the time in which a constant's type can still become another. *)
val x = 0w1;
val y = x : Word8.word
