(* U+10FF80 is a character of UTF-8 like others; the compiler took it for one of those that stand for a byte, and the string had
   one byte. *)
val () = app (fn s => print (String.toString s ^ " " ^ Int.toString (size s) ^ "\n"))
  ["􏾀", "a􏿿b", "􏽿", "é"]
