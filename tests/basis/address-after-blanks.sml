(* The Basis: white space may stand before an address. *)
fun show s =
  print ((case NetHostDB.fromString s of SOME a => NetHostDB.toString a | NONE => "NONE") ^ "\n")
val () = List.app show [" 1.2.3.4", "\t\n127.1", "1 .2.3.4", "", "  ", " x"]
fun show6 s =
  print ((case Net6HostDB.fromString s of SOME a => Net6HostDB.toString a | NONE => "NONE") ^ "\n")
val () = List.app show6 [" ::1", "\tfe80::1", " ", " g"]
val () =
  case NetHostDB.scan Substring.getc (Substring.full " 10.0.0.1 10.0.0.2") of
    SOME (a, rest) => print (NetHostDB.toString a ^ "," ^ Substring.string rest ^ "\n")
  | NONE => print "NONE\n"
