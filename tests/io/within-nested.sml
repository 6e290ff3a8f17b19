(* What a function took was lost by `within` if it took it in an inner `run` or `within`, in a scope that had been cancelled
   already, behind an inner scope that had failed, or at a barrier whose round had counted. *)
fun ms n = Time.fromMilliseconds n
val long = Time.fromSeconds 3600
val inbox : int Mailbox.mbox = Mailbox.mailbox ()

(* The message is there; the function goes on until its scope is cancelled, and ends at once then. It looks itself: a
   thread that told it might have no processor for longer than the function is given. On a slow machine the time may be
   over before the function has come so far; then it has no message, and gets more time. *)
fun try (name, wrap) =
  let
    fun isLate scope =
      Scope.shield (fn () =>
        CML.select
          [CML.wrap (Scope.cancelled scope, fn _ => true), CML.wrap (CML.alwaysEvt (), fn () => false)])
    fun untilLate scope = if isLate scope then () else (CML.yield (); untilLate scope)
    fun go time =
      let
        val began = ref false
        fun take scope =
          let
            val () = (Scope.check (); began := true)
            val x = Mailbox.recv inbox
          in
            untilLate scope;
            x
          end
      in
        case Scope.within (ms time) (fn scope => wrap (fn () => take scope)) of
          SOME _ => ": kept\n"
        | NONE => if !began then ": lost\n" else go (2 * time)
      end
    val () = Mailbox.send (inbox, 1)
  in
    print (name ^ go 4)
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

(* The last one has come, and so the round counts, when the scope is cancelled of the one that waits; the round ends
   behind that. The sleep lets it wait before the last one comes, as a rule. *)
fun round (name, wait) =
  let
    val outer = SyncVar.iVar ()
    fun update n = (Scope.cancel (SyncVar.iGet outer, Failed); OS.Process.sleep (ms 3); n + 1)
    val barrier = Barrier.barrier update 0
    val (first, second) = (Barrier.enroll barrier, Barrier.enroll barrier)
    fun last () = (ignore (SyncVar.iGet outer); OS.Process.sleep (ms 3); ignore (Barrier.wait second))
    val _ = CML.spawn last
  in
    Scope.run (fn scope =>
      (SyncVar.iPut (outer, scope);
       print (concat [name, ": round ", Int.toString (wait (fn () => Barrier.wait first)), "\n"])))
    handle Failed => ()
         | Scope.Cancelled => print (name ^ ": no round\n")
  end
val () =
  (round ("run", fn f => Scope.run (fn _ => f ()));
   round ("within", fn f => getOpt (Scope.within long (fn _ => f ()), 0)))

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
