(* Threads that are blocked in every way. The test asks for a report of all of them by SIGQUIT, and then lets them go on. *)
open CML
val go : unit SyncVar.ivar = SyncVar.iVar ()
val results : int chan = channel ()
val a : int chan = channel ()
val b : int chan = channel ()
val box : int Mailbox.mbox = Mailbox.mailbox ()
val slot : int SyncVar.mvar = SyncVar.mVar ()
val {infd, outfd} = Posix.IO.pipe ()

fun sender () = (Leat.nameThread "the sender"; send (a, 1); send (results, 1))
fun receiver () = (Leat.nameThread "the receiver"; send (results, recv b))
fun chooser () = send (results, select [recvEvt b, wrap (timeOutEvt (Time.fromSeconds 3600), fn () => 0)])
fun reader () = send (results, Word8Vector.length (Posix.IO.readVec (infd, 10)))
fun taker () = send (results, SyncVar.mTake slot)
fun waiter () = send (results, Mailbox.recv box)
fun late () = (SyncVar.iGet go; send (results, 1))

val threads = map spawn [sender, receiver, chooser, reader, taker, waiter, late]
val _ = spawn (fn () => (sync (joinEvt (hd threads)); send (results, 1)))
fun sleeper () = (OS.Process.sleep (Time.fromSeconds 3600); sleeper ())
val _ = spawn sleeper
(* one that runs all the time *)
fun worker n = if Option.isSome (SyncVar.iGetPoll go) then () else worker (n + 1)
val _ = spawn (fn () => worker 0)

val () = print "blocked\n"
val _ = TextIO.inputLine TextIO.stdIn
val () = SyncVar.iPut (go, ())
val () = ignore (recv a)
val () = (send (b, 1); send (b, 1))
val () = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Word8Vector.fromList [0w1])))
val () = SyncVar.mPut (slot, 1)
val () = Mailbox.send (box, 1)
val sum = foldl (fn (_, n) => n + recv results) 0 (List.tabulate (8, fn _ => ()))
val () = print (Int.toString sum ^ " went on\n")
val () = OS.Process.exit OS.Process.success
