(* EventManager in a program that lists its libraries: no library exported it, so only a lone source could name it. *)

structure Manager : EVENT_MANAGER = EventManager

fun iodesc fd = Posix.FileSys.fdToIOD fd
val {infd, outfd} = Posix.IO.pipe ()

(* The main thread gives the others their turns until this many callbacks have been called. *)
val called = ref 0
fun wait n = if !called >= n then () else (Thread.yield (); wait n)
fun call s = (print (s ^ "\n"); called := !called + 1)

val _ =
  Manager.register (iodesc infd, Manager.evtRead, fn (key, ready) =>
    (Manager.unregister key;
     call ("readable " ^ Bool.toString (Manager.hasRead ready) ^ ": " ^ Byte.bytesToString (Posix.IO.readVec (infd, 10)))))
val () = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "ping")))
val () = wait 1
val late = Manager.registerTimeout (Time.fromSeconds 1000, fn () => call "never")
val () = Manager.unregisterTimeout late
val _ = Manager.registerTimeout (Time.fromMilliseconds 1, fn () => call "a time-out")
val () = wait 2
