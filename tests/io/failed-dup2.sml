(* A call of dup2 that fails leaves what it was to replace: threads that waited for that were told it was closed. *)

fun say s = print (s ^ "\n")
val {infd, outfd} = Posix.IO.pipe ()
(* none that is open *)
val gone = Posix.FileSys.wordToFD 0w999
val ended = SyncVar.iVar ()
val _ =
  CML.spawn (fn () =>
    (say ("read " ^ Int.toString (Word8Vector.length (Posix.IO.readVec (infd, 100))) ^ " bytes")
     handle e => say ("reader: " ^ exnMessage e);
     SyncVar.iPut (ended, ())))
val () = CML.yield ()
val () = Posix.IO.dup2 {old = gone, new = infd} handle e => say ("dup2: " ^ exnMessage e)
val () = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "hello")))
val () = SyncVar.iGet ended
