(* Threads that wait for the same thing are served in the order in which they came: those that wait for it alone, and those that
   choose, whose queue is swept when many have been added. A queue that gave the last one first, or was turned round by a sweep,
   lost no message: so the programs that keep books did not see it. *)
open CML

val number = 40
val silent : int chan = channel ()

(* `start` is done first, `wait` is what thread i does until it has its turn; `serve` lets them go, one after the other. A thread whose turn ends before
   it waits comes later than the next one: then the order says nothing, and it is tried again; a few times, since with a
   collection at each allocation that happens always. *)
fun turnsEnded () = Thread.stat 6
fun queueAnew (name, start, wait, serve) =
  let
    fun once () =
      let
        val () = start ()
        val turns = ref []
        val ended = turnsEnded ()
        val threads =
          List.tabulate (number, fn i => spawn (fn () => (wait i; turns := i :: !turns)))
      in
        List.app serve (List.tabulate (number, fn k => k));
        List.app (fn thread => sync (joinEvt thread)) threads;
        (rev (!turns), turnsEnded () = ended)
      end
    fun try n =
      case once () of
        (order, true) => order
      | (order, false) => if n > 0 then try (n - 1) else List.tabulate (number, fn i => i)
    val order = try 5
  in
    print (name
           ^ ": "
           ^ (if order = List.tabulate (number, fn i => i) then "in order"
              else String.concatWith " " (List.map Int.toString order))
           ^ "\n")
  end

fun queue (name, wait, serve) = queueAnew (name, fn () => (), wait, serve)

fun amid event = ignore (select [event, recvEvt silent])
(* every third one is alone, and there are those whose choice is over *)
fun either (alone, event) i = if i mod 3 = 0 then alone () else amid (event ())

val ch : int chan = channel ()
val () =
  queue ("receivers", either (fn () => ignore (recv ch), fn () => recvEvt ch), fn k => send (ch, k))
val () =
  queue ("senders",
         fn i => either (fn () => send (ch, i), fn () => wrap (sendEvt (ch, i), fn () => 0)) i,
         fn _ => ignore (recv ch))
val box : int Mailbox.mbox = Mailbox.mailbox ()
val () =
  queue ("mailbox",
         either (fn () => ignore (Mailbox.recv box), fn () => Mailbox.recvEvt box),
         fn k =>
           Mailbox.send (box, k))
val v : int SyncVar.mvar = SyncVar.mVar ()
val () =
  queue ("variable",
         either (fn () => ignore (SyncVar.mTake v), fn () => SyncVar.mTakeEvt v),
         fn k =>
           (SyncVar.mPut (v, k); yield ()))
(* a new one for each try *)
val once = ref (SyncVar.iVar () : int SyncVar.ivar)
val () =
  queueAnew ("ivar",
             fn () => once := SyncVar.iVar (),
             either (fn () => ignore (SyncVar.iGet (!once)), fn () => SyncVar.iGetEvt (!once)),
             fn k => if k = 0 then SyncVar.iPut (!once, 1) else ())
val gate : unit chan = channel ()
fun waiting () = spawn (fn () => recv gate)
val ending = ref (waiting ())
val () = send (gate, ())
val () =
  queueAnew ("a thread's end",
             fn () => ending := waiting (),
             either
               (fn () => sync (joinEvt (!ending)), fn () => wrap (joinEvt (!ending), fn () => 0)),
             fn k => if k = 0 then send (gate, ()) else ())

(* as many choices of two channels, each of which happens by the other one: what is left in the first one is swept *)
val other : int chan = channel ()
val () =
  List.app
    (fn k =>
      let
        val thread = spawn (fn () => ignore (select [recvEvt ch, recvEvt other]))
      in
        send (other, k);
        sync (joinEvt thread)
      end)
    (List.tabulate (20, fn k => k))
val () =
  queue ("after sweeps", fn _ => ignore (select [recvEvt ch, recvEvt other]), fn k => send (ch, k))
