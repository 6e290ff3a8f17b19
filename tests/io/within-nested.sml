(* What a function took was lost by `within` if it took it in an inner `run` or `within`, in a scope that had been cancelled
   already, behind an inner scope that had failed, or at a barrier whose round had counted. *)
fun ms n = Time.fromMilliseconds n
val long = Time.fromSeconds 3600
val inbox : int Mailbox.mbox = Mailbox.mailbox ()

(* The message is there; the function goes on until its scope is cancelled, and ends at once then. It looks itself: a thread
   that told it might have no processor for longer than the function is given. *)
fun try (name, wrap) =
  let
    fun isLate scope =
      Scope.shield (fn () =>
        CML.select
          [CML.wrap (Scope.cancelled scope, fn _ => true), CML.wrap (CML.alwaysEvt (), fn () => false)])
    fun untilLate scope = if isLate scope then () else (CML.yield (); untilLate scope)
    fun body scope = wrap (fn () => let val x = Mailbox.recv inbox in untilLate scope; x end)
    val () = Mailbox.send (inbox, 1)
  in
    print (name ^ (case Scope.within (ms 4) body of SOME _ => ": kept\n" | NONE => ": lost\n"))
  end

exception Failed
fun failing scope =
  (ignore (Scope.fork scope (fn () => (CML.yield (); raise Failed)));
   CML.sync CML.never)
val () =
  (try ("plain", fn f => f ());
   try ("run", fn f => Scope.run (fn _ => f ()));
   try ("within", fn f => valOf (Scope.within long (fn _ => f ())));
   try ("behind a run that failed", fn f => (Scope.run failing handle Failed => (); f ()));
   try ("behind a within that failed",
        fn f => (ignore (Scope.within long failing) handle Failed => (); f ())))

(* in a scope that is cancelled, without a wait *)
val () = Mailbox.send (inbox, 7)
val () =
  Scope.run (fn scope =>
    (Scope.cancel (scope, Failed);
     case Scope.within long (fn _ => Mailbox.recv inbox) of
       SOME n => print ("got " ^ Int.toString n ^ "\n")
     | NONE => print "got none\n"))
  handle Failed => print "cancelled\n"

(* the last one comes before the time is over, the round ends behind it *)
val () =
  let
    val barrier = Barrier.barrier (fn n => (OS.Process.sleep (ms 3); n + 1)) 0
    val (first, second) = (Barrier.enroll barrier, Barrier.enroll barrier)
    val _ = CML.spawn (fn () => (OS.Process.sleep (ms 3); ignore (Barrier.wait second)))
  in
    case Scope.within (ms 5) (fn _ => Barrier.wait first) of
      SOME n => print ("round " ^ Int.toString n ^ "\n")
    | NONE => print "no round\n"
  end

(* A clean-up waited for ever for a thread of a scope inside, which CML.exit left behind it. *)
val () =
  let
    val (ended, cleaned) = (SyncVar.iVar (), SyncVar.iVar ())
    fun waits () = CML.sync CML.never handle e => (SyncVar.iPut (ended, ()); raise e)
    fun exits scope = (ignore (Scope.fork scope waits); CML.exit ())
    fun clean () = (SyncVar.iGet ended; SyncVar.iPut (cleaned, ()))
  in
    ignore (CML.spawn (fn () => Scope.finally (fn () => Scope.run exits, clean)));
    SyncVar.iGet cleaned;
    print "cleaned up\n"
  end
