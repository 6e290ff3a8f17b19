val c : int CML.chan = CML.channel ()
val () = print "waiting\n"
val n = CML.recv c
