(* A function that says CML.exit where others wait for its end. Those who waited for a barrier's update or for a
   call's answer waited for ever, and the negative acknowledgements of a choice that was not finished did not occur. *)
open CML
fun say s = print (s ^ "\n")
fun told f = (f () : string) handle Scope.Cancelled => "cancelled"
fun apart f = sync (joinEvt (spawn f))

(* Of two that wait the last one runs the update, and ends; the other one is told. The next round is as the first. *)
val exits = ref true
val barrier = Barrier.barrier (fn n => if !exits then (exits := false; CML.exit ()) else n + 1) 0
val both = [Barrier.enroll barrier, Barrier.enroll barrier]
fun meet acts =
  let
    val heard = Mailbox.mailbox ()
    val threads = map (fn act => spawn (fn () => Mailbox.send (heard, told act))) acts
    fun all () = case Mailbox.recvPoll heard of SOME x => x :: all () | NONE => []
  in
    app (sync o joinEvt) threads;
    say ("barrier: " ^ String.concatWith ", " (all ()))
  end
fun wait enrollment () = Int.toString (Barrier.wait enrollment)
val () = meet (map wait both)
val () = meet (map wait both)
val () = exits := true
(* Who resigns runs the update, or the one that waits, if it comes later: one of them hears something. *)
fun resign () = (sync (timeOutEvt (Time.fromMilliseconds 20)); Barrier.resign (hd (tl both)); "cancelled")
val () = meet [wait (hd both), resign]

val {call, entryEvt} =
  SimpleRPC.mkRPC_InOut (fn (n, state) => if n = 0 then CML.exit () else (n + state, state + 1))
fun serve state = serve (sync (entryEvt state))
fun ask n = told (fn () => Int.toString (call n))
val () = ignore (spawn (fn () => serve 1))
val () = say ("call: " ^ ask 5 ^ ", " ^ ask 5 ^ ", " ^ ask 0)

fun acknowledged others =
  let
    val done = SyncVar.iVar ()
    fun make nack = (ignore (spawn (fn () => (sync nack; SyncVar.iPut (done, ())))); never : unit event)
  in
    apart (fn () => select (others (withNack, make)));
    SyncVar.iGet done;
    say "acknowledged"
  end
val () = acknowledged (fn (withNack, make) => [withNack (fn nack => (ignore (make nack); CML.exit ()))])
val () = acknowledged (fn (withNack, make) => [withNack make, guard (fn () => CML.exit ())])
val () = acknowledged (fn (withNack, make) => [withNack make, withNack (fn _ => CML.exit ())])
val () = acknowledged (fn (withNack, make) => [withNack (fn nack => guard (fn () => (ignore (make nack); CML.exit ())))])

(* What is done at the end of a thread is done once, the last first, and none of what is over. *)
val () =
  apart (fn () =>
    Scope.finally (fn () =>
      (Scope.finally (fn () => (), fn () => say "over");
       (Scope.finally (fn () => raise Fail "", fn () => say "raised") handle Fail _ => ());
       ignore (select [withNack (fn _ => never), wrap (alwaysEvt (), fn () => say "taken")]);
       Scope.finally (fn () => CML.exit (), fn () => say "inner")),
     fn () => say "outer"))
