(* The Basis: a time to linger that is negative or too long raises Time. *)
val s : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
fun try seconds =
  print
    ((Socket.Ctl.setLINGER (s, SOME (Time.fromSeconds seconds));
      case Socket.Ctl.getLINGER s of SOME t => Time.fmt 0 t | NONE => "none")
     handle e => exnName e)
val () = List.app (fn n => (try n; print "\n")) [~1, 0, 1, 2147483647, 2147483648, 9000000000]
val () = Socket.close s
