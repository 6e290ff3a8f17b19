(* Scopes: what ends when, which exception is raised, and that cancelling reaches every kind of wait. Each kind was a wait of
   its own in the library (a cell, an event, a choice, a descriptor, a job, a lock of a stream); one that forgot to look would
   make this program wait for ever. *)
open CML

fun say s = print (s ^ "\n")
exception Bad of string
fun name (Bad s) = "Bad " ^ s
  | name e = exnName e
val ms = Time.fromMilliseconds
val long = Time.fromSeconds 1000

(* -- ends and results *)

val () = say ("sum " ^ Int.toString (Scope.run (fn s =>
  let val events = List.tabulate (10, fn i => Scope.fork s (fn () => (yield (); i)))
  in foldl (fn (e, n) => sync e + sync e + n) 0 events end)))

val last = ref "none"
val () = Scope.run (fn s => ignore (Scope.fork s (fn () =>
  ignore (Scope.fork s (fn () => (sync (timeOutEvt (ms 1)); last := "the last one"))))))
val () = say ("of threads' threads, too: " ^ !last)

(* a scope that is over takes nobody *)
val over = Scope.run (fn s => s)
val () = ignore (Scope.fork over (fn () => ())) handle Scope.Ended => say "ended"
val () = Scope.daemon over (fn () => ()) handle Scope.Ended => say "ended"

(* the first exception is that of `run`; the others are cancelled *)
val ended : string Mailbox.mbox = Mailbox.mailbox ()
fun waits (s, what, f) =
  ignore (Scope.fork s (fn () => f () handle e => (Mailbox.send (ended, what ^ ": " ^ name e); raise e)))
fun all n = List.tabulate (n, fn _ => Mailbox.recv ended)
fun sorted l =
  let fun insert (x : string, []) = [x] | insert (x, y :: r) = if x < y then x :: y :: r else y :: insert (x, r)
  in foldl insert [] l end

val ch : int chan = channel ()
val box : int Mailbox.mbox = Mailbox.mailbox ()
val ivar : int SyncVar.ivar = SyncVar.iVar ()
val mvar : int SyncVar.mvar = SyncVar.mVar ()
val crowded : int chan = channel ()
(* threads outside of scopes wait at the same places, before and after *)
fun outside () =
  (ignore (spawn (fn () => ignore (recv crowded)));
   ignore (spawn (fn () => ignore (recv crowded))))
val () = outside ()
val {infd, outfd} = Posix.IO.pipe ()
val input = Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}
val stream = TextIO.mkInstream (TextIO.StreamIO.mkInstream (input, ""))
val desc = valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd))
val listener = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
val () = (Socket.bind (listener, INetSock.any 0); Socket.listen (listener, 5))
(* full: writing to it waits *)
val full = Posix.IO.pipe ()
val () = Posix.IO.setfl (#outfd full, Posix.IO.O.nonblock)
val piece = Word8Vector.tabulate (4096, fn _ => 0w0)
fun fill () = (ignore (Posix.IO.writeVec (#outfd full, Word8VectorSlice.full piece)); fill ())
val () = fill () handle OS.SysErr _ => ()
val () = Posix.IO.setfl (#outfd full, Posix.IO.O.flags [])
val joined = spawn (fn () => recv (channel ()))
val port = Multicast.port (Multicast.mChannel () : int Multicast.mchan)

val kinds =
  [("send", fn () => send (ch, 1)), ("send again", fn () => send (ch, 1)), ("recv", fn () => ignore (recv (channel () : int chan))),
   ("recv of many", fn () => ignore (recv crowded)),
   ("sendEvt", fn () => sync (sendEvt (ch, 1))), ("recvEvt", fn () => sync (recvEvt (channel ()))),
   ("recvEvt of many", fn () => ignore (sync (recvEvt crowded))),
   ("iGet", fn () => ignore (SyncVar.iGet ivar)), ("iGet again", fn () => ignore (SyncVar.iGet ivar)),
   ("iGetEvt", fn () => ignore (sync (SyncVar.iGetEvt ivar))),
   ("mTake", fn () => ignore (SyncVar.mTake mvar)), ("mGet", fn () => ignore (SyncVar.mGet mvar)),
   ("mSwap", fn () => ignore (SyncVar.mSwap (mvar, 3))),
   ("mailbox", fn () => ignore (Mailbox.recv box)), ("mailbox again", fn () => ignore (Mailbox.recv box)),
   ("mailbox event", fn () => ignore (sync (Mailbox.recvEvt box))),
   ("multicast", fn () => ignore (Multicast.recv port)),
   ("never", fn () => sync never), ("time-out", fn () => sync (timeOutEvt long)),
   ("join", fn () => sync (joinEvt joined)),
   ("choice", fn () => select [wrap (recvEvt crowded, ignore), wrap (SyncVar.iGetEvt ivar, ignore), timeOutEvt long, sendEvt (ch, 2)]),
   ("sleep", fn () => OS.Process.sleep long),
   ("Posix sleep", fn () => ignore (Posix.Process.sleep long)),
   ("read", fn () => ignore (Posix.IO.readVec (infd, 10))),
   ("write", fn () => ignore (Posix.IO.writeVec (#outfd full, Word8VectorSlice.full piece))),
   ("inputLine", fn () => ignore (TextIO.inputLine stream)),
   ("inputLine again", fn () => ignore (TextIO.inputLine stream)),
   ("poll", fn () => ignore (OS.IO.poll ([OS.IO.pollIn desc], NONE))),
   ("poll for a time", fn () => ignore (OS.IO.poll ([OS.IO.pollIn desc], SOME long))),
   ("pollEvt", fn () => ignore (sync (OS.IO.pollEvt [OS.IO.pollIn desc]))),
   ("accept", fn () => ignore (Socket.accept listener)), ("acceptEvt", fn () => ignore (sync (Socket.acceptEvt listener)))]

val () = Scope.run (fn s =>
  (app (fn (what, f) => waits (s, what, f)) kinds;
   sync (timeOutEvt (ms 20));
   raise Bad "first"))
  handle e => say ("run raises " ^ name e)
val () = app say (sorted (all (length kinds)))

(* a wait that begins in a cancelled scope *)
val () = (Scope.run (fn s =>
  (Scope.cancel (s, Bad "before");
   app (fn (what, f) => waits (s, what, f)) kinds)))
  handle e => say ("run raises " ^ name e)
val () = say (if List.all (String.isSuffix ": Cancelled") (all (length kinds)) then "all" else "not all")

(* those outside have lost nothing, and nobody else's message is lost *)
val () = (send (crowded, 1); send (crowded, 2))
val () = say (case recvPoll crowded of NONE => "nobody" | SOME _ => "somebody")
val () = SyncVar.iPut (ivar, 1)
val () = SyncVar.mPut (mvar, 1)
val () = say (Int.toString (SyncVar.mTake mvar))
val () = Mailbox.send (box, 7)
val () = say (Int.toString (Mailbox.recv box))
val () = say (case recvPoll ch of NONE => "nobody" | SOME _ => "somebody")
val _ = Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "line\n"))
val () = print (valOf (TextIO.inputLine stream))

(* -- deadlines *)

fun show NONE = "NONE"
  | show (SOME n) = Int.toString n
val () = say (show (Scope.within (ms 5) (fn s => (recv (channel () : int chan)))))
val () = say (show (Scope.within long (fn s => 1)))
val () = say (show (Scope.within long (fn _ => (ignore (Scope.within (ms 1) (fn _ => sync never)); 2))))
val () = say (show (Scope.within (ms 1) (fn _ => valOf (Scope.within long (fn _ => (sync never : int))))))
val () = say (show (Scope.until (Time.+ (Time.now (), ms 3)) (fn s => sync (Scope.fork s (fn () => sync never : int)))))
val () = say (show (Scope.within long (fn _ => raise Bad "inside"))) handle e => say (name e)

(* -- negative acknowledgements, wrappers, guards *)

val nacks : string Mailbox.mbox = Mailbox.mailbox ()
fun asked what event =
  withNack (fn nack => (ignore (spawn (fn () => (sync nack; Mailbox.send (nacks, what)))); event))
val () = ignore (Scope.within (ms 5) (fn _ =>
  (select [wrapHandler (wrap (asked "a" never, fn () => say "not this"), fn _ => say "nor this"), asked "b" (recvEvt (channel ())),
           choose [asked "c" never, timeOutEvt long]])
  handle e => (say ("select raises " ^ name e); raise e)))
val () = app say (sorted (List.tabulate (3, fn _ => Mailbox.recv nacks)))
(* cancelled in a guard *)
val () = ignore (Scope.within (ms 5) (fn _ =>
  select [asked "d" never, guard (fn () => sync never), withNack (fn _ => (say "not this"; never))]))
val () = say (Mailbox.recv nacks)
(* cancelled in a wrapper: the event has happened *)
val () = ignore (Scope.within (ms 5) (fn _ => select [wrap (alwaysEvt (), fn () => (say "has happened"; sync never)), asked "e" never]))
val () = say (Mailbox.recv nacks)

(* -- clean-up *)

val () = ignore (Scope.within (ms 1) (fn s =>
  Scope.finally (fn () => sync never, fn () => (OS.Process.sleep (ms 2); say "cleaned up"))))
val () = ignore (Scope.within (ms 1) (fn s =>
  (Scope.shield (fn () => (OS.Process.sleep (ms 5); ignore (sync (Scope.cancelled s)); OS.Process.sleep (ms 1); say "shielded"));
   Scope.check () handle e => say ("check " ^ name e);
   sync never handle e => (say ("then " ^ name e); sync never handle e => (say ("again " ^ name e); raise e)))))
(* a scope inside of a shield is cancelled by itself, not by the one around *)
val () = ignore (Scope.within (ms 1) (fn s =>
  Scope.shield (fn () =>
    (say (show (Scope.within long (fn s => sync (Scope.fork s (fn () => (sync (timeOutEvt (ms 5)); 5))))));
     say (show (Scope.within (ms 1) (fn s => sync (Scope.fork s (fn () => sync never))))))))) 

(* -- daemons, exits, events of a scope *)

val () = say (Int.toString (Scope.run (fn s =>
  let val requests = channel ()
  in
    Scope.daemon s (fn () => let fun serve () = (send (recv requests, 42); serve ()) in serve () end);
    Scope.daemon s (fn () => Scope.finally (fn () => sync never, fn () => say "daemon ends"));
    let val reply = channel () in send (requests, reply); recv reply end
  end)))
val () = Scope.run (fn s => Scope.daemon s (fn () => raise Bad "daemon")) handle e => say (name e)

val () = Scope.run (fn s =>
  (sync (Scope.fork s (fn () => CML.exit ())) handle e => say ("of a thread that exits: " ^ name e)))
val left = Mailbox.mailbox ()
val () = ignore (spawn (fn () => Scope.run (fn s =>
  (ignore (Scope.fork s (fn () => sync never handle e => (Mailbox.send (left, name e); raise e))); CML.exit ()))))
val () = say ("of a body that exits: " ^ Mailbox.recv left)

val told = channel ()
val () = Scope.run (fn s =>
  (ignore (spawn (fn () => send (told, name (sync (Scope.cancelled s)))));
   ignore (spawn (fn () => Scope.cancel (s, Bad "from outside")));
   sync never)) handle e => say ("run raises " ^ name e)
val () = say ("cancelled happens: " ^ recv told)
val () = say (case Scope.current () of NONE => "no scope" | SOME _ => "a scope")
val () = say (Scope.run (fn s => case Scope.current () of NONE => "no scope" | SOME _ => "a scope"))

(* an exception deep inside comes out, and everybody else has ended *)
val alive = SyncVar.mVarInit 0
fun count n = let val now = SyncVar.mTake alive + n in SyncVar.mPut (alive, now); now end
fun tree (s, 0) = if SyncVar.mGet alive > 12 then raise Bad "leaf" else sync never
  | tree (s, n) =
      (ignore (Scope.shield (fn () => count 1));
       Scope.finally (fn () => Scope.run (fn s =>
         (ignore (Scope.fork s (fn () => tree (s, n - 1))); ignore (Scope.fork s (fn () => tree (s, n - 1))))),
         fn () => ignore (count ~1)))
val () = Scope.run (fn s => tree (s, 4)) handle e => say (name e)
val () = say ("left: " ^ Int.toString (count 0))
