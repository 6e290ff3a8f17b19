(* Nobody writes into a pipe, and then somebody does. *)
val {infd, outfd} = Posix.IO.pipe ()
val wait = Poll.pollfd.alloc ()
val () = Poll.pollfd.set_fd (wait, SysWord.toInt (Posix.FileSys.fdToWord infd))
val () = Poll.pollfd.set_events (wait, Int16.fromInt Poll.POLLIN)
fun poll () =
  let val (n, errno) = Poll.poll (wait, 0w1, 1)
  in print (Int.toString n ^ " " ^ Int.toString errno ^ "\n") end
val () = poll ()
val _ = Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x"))
val () = poll ()
val () = print (Bool.toString (Int16.toInt (Poll.pollfd.get_revents wait) = Poll.POLLIN) ^ "\n")
