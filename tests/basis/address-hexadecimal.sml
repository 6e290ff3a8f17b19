(* The Basis has addresses as inet_addr has them: a number that begins with "0x" is hexadecimal. It may not begin so
   twice: "0x0x7f000001" is the number 0 with something behind it, and was 127.0.0.1. *)
fun test s =
  print
    (case NetHostDB.scan Substring.getc (Substring.full s) of
       SOME (a, rest) => NetHostDB.toString a ^ " " ^ Substring.string rest ^ "\n"
     | NONE => "NONE\n")
val () =
  app test
    ["0x7f000001", "0X7F000001", "0x0x7f000001", "0x0X1", "0x", "0xg", "0x-1", "0x~1", "0x 1", "1.0x2.0x0003", "1.0x.2",
     "0x100000000", "0x7f.0x1.", "010.0x10.10"]
