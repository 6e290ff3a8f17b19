(* Two ends of one connection. *)
structure S = Socket
val ends = Array.array (2, Int32.fromInt 0)
val () = print (Int.toString (S.socketpair (S.AF_UNIX, S.SOCK_STREAM, 0, ends)) ^ "\n")
val () = print (Int.toString S.sockaddr.size ^ " " ^ Int.toString S.SOL_SOCKET ^ "\n")
