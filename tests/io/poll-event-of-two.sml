(* Threads wait for one pipe by `OS.IO.pollEvt`, each beside a time-out, and one of them reads the only byte. The events
   of the others had been chosen by then, and waited for another byte, beyond the time-outs. *)
open CML
val {infd, outfd} = Posix.IO.pipe ()
val desc = OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd)))
val read = Mailbox.mailbox ()
fun waiter isReader () =
  select [wrap (OS.IO.pollEvt [desc],
                fn infos => if isReader then Mailbox.send (read, (Posix.IO.readVec (infd, 1), length infos)) else ()),
          wrap (timeOutEvt (Time.fromSeconds (if isReader then 20 else 1)), fn () => ())]
val threads = map (spawn o waiter) [true, false, false]
val () = yield ()
val _ = Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x"))
val () = app (sync o joinEvt) threads
val (bytes, n) = Mailbox.recv read
val () = print (Byte.bytesToString bytes ^ ", ready: " ^ Int.toString n ^ "\n")
