(* Nobody sends. *)
val ch : int CML.chan = CML.channel ()
val n = CML.recv ch
