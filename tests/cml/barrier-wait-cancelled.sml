(* A wait at a barrier that was cancelled.

   Found: "cancelled", "b does not wait for a", "a is there", "a: multiple barrier waits", "b has 1".

   `wait` in lib/cml/cml-lib.sml counts the thread and notes WAITING, then reads the round's variable. When that is
   cancelled, nothing takes the two back. Mended there. *)
fun say s = print (s ^ "\n")
val barrier = Barrier.barrier (fn n => n + 1) 0
val a = Barrier.enroll barrier
val b = Barrier.enroll barrier
val () =
  case Scope.within (Time.fromMilliseconds 50) (fn _ => Barrier.wait a) of
    SOME _ => say "not cancelled"
  | NONE => say "cancelled"
(* b is about to wait, and then has some time in which it should not go on. *)
val (before', behind) = (SyncVar.iVar (), SyncVar.iVar ())
val _ = CML.spawn (fn () => (SyncVar.iPut (before', ()); SyncVar.iPut (behind, Barrier.wait b)))
val () = SyncVar.iGet before'
val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 20))
val () = if isSome (SyncVar.iGetPoll behind) then say "b does not wait for a" else ()
val () = say "a is there"
val () = say ("a has " ^ Int.toString (Barrier.wait a)) handle Fail m => say ("a: " ^ m)
val () = say ("b has " ^ Int.toString (SyncVar.iGet behind))
