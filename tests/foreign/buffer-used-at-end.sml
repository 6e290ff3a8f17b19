(* At the program's end the finalizers of all buffers are called. The memory of one that is in use stays: C may still write there. *)
structure B = Foreign.Buffer
val b = B.adopt {address = MLton.Pointer.null, size = 16, free = fn _ => print "given back under a use\n"}
val c = B.adopt {address = MLton.Pointer.null, size = 16, free = fn _ => print "given back\n"}
val go = SyncVar.iVar ()
val _ = CML.spawn (fn () => B.use b (fn _ => (SyncVar.iPut (go, ()); CML.sync CML.never)))
val () = SyncVar.iGet go
val () = B.touch c
val () = print "end\n"
