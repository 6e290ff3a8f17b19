(* Closing a descriptor wakes those who wait for it, with an error, even if its number is another's at once. With several
   workers some would come later, and find the other one. *)

fun say s = print (s ^ "\n")
fun read (fd, n) = Byte.bytesToString (Posix.IO.readVec (fd, n))
val {infd, outfd} = Posix.IO.pipe ()
val ch = CML.channel ()
fun waiter () = CML.send (ch, read (infd, 1) handle OS.SysErr (_, SOME e) => OS.errorName e | _ => "?")
val () = List.app (fn _ => ignore (CML.spawn waiter)) [1, 2, 3]
val () = CML.yield ()
val () = Posix.IO.close infd
val again = Posix.IO.pipe ()
val () = ignore (Posix.IO.writeVec (#outfd again, Word8VectorSlice.full (Byte.stringToBytes "xyz")))
val () = say (Bool.toString (#infd again = infd))
val () = say (String.concatWith " " (List.tabulate (3, fn _ => CML.recv ch)))
val () = say (read (#infd again, 8))
