(* `within` lost what a function had taken when other threads had the processor at the end of its time, at most behind a
   shield, and a bound thread lost it, too; a pool lost its places. Three messages go round among five threads, beside two
   that compute. *)
fun us n = Time.fromMicroseconds (Int.toLarge n)
fun busy span =
  let
    val timer = Timer.startRealTimer ()
    fun go () = if Time.< (Timer.checkRealTimer timer, span) then go () else ()
  in
    go ()
  end

val rounds = 60
fun play (take, give) number =
  let
    fun go 0 = ()
      | go n =
          (case Scope.within (us ((n * 91 + number * 13) mod 3000)) (fn _ => take ()) of
             SOME x => (CML.yield (); give x)
           | NONE => ();
           go (n - 1))
  in
    go rounds
  end

fun beside f =
  let
    val isOver = ref false
    fun compute () = while not (!isOver) do (busy (us 3000); Scope.check (); CML.yield ())
  in
    Scope.run (fn scope =>
      (List.app (fn _ => Scope.daemon scope compute) [1, 2];
       f scope));
    isOver := true
  end

fun count box = case Mailbox.recvPoll box of SOME _ => 1 + count box | NONE => 0

fun show (name, behind, start) =
  let
    val box : int Mailbox.mbox = Mailbox.mailbox ()
    fun take () = let val x = Mailbox.recv box in behind (); x end
    fun player number () = play (take, fn x => Mailbox.send (box, x)) number
  in
    List.app (fn n => Mailbox.send (box, n)) [1, 2, 3];
    beside (fn scope => start (scope, player));
    print (name ^ ": " ^ Int.toString (count box) ^ "\n")
  end

val players = [1, 2, 3, 4, 5]
fun forked (scope, player) =
  List.app (fn n => ignore (Scope.fork scope (player n))) players
fun bound (scope, player) =
  List.app
    (fn n =>
      let
        val ended = SyncVar.iVar ()
      in
        Thread.ready (Thread.bound (fn () => (player n (); SyncVar.iPut (ended, ()))));
        ignore (Scope.fork scope (fn () => SyncVar.iGet ended))
      end)
    players
val () =
  (show ("plain", fn () => (), forked);
   show ("yields", CML.yield, forked);
   show ("shields", fn () => Scope.shield CML.yield, forked);
   show ("finally", fn () => Scope.finally (fn () => (), CML.yield), forked);
   show ("bound", CML.yield, bound))
