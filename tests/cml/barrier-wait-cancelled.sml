(* A wait at a barrier that was cancelled.

   Expected: "cancelled", "a is there", "b has 1", "a has 1". Found: "cancelled", "b does not wait for a", "b has 1",
   "a is there", "a: multiple barrier waits".

   `wait` in lib/cml/cml-lib.sml counts the thread and notes WAITING, then reads the round's variable. When that is
   cancelled, nothing takes the two back. Mended there. *)
fun say s = print (s ^ "\n")
val barrier = Barrier.barrier (fn n => n + 1) 0
val a = Barrier.enroll barrier
val b = Barrier.enroll barrier
fun short () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 50))

val () =
  case Scope.within (Time.fromMilliseconds 50) (fn _ => Barrier.wait a) of
    SOME _ => say "not cancelled"
  | NONE => say "cancelled"
val there = ref false
val other =
  CML.spawn (fn () =>
    let
      val n = Barrier.wait b
    in
      if !there then () else say "b does not wait for a";
      say ("b has " ^ Int.toString n)
    end)
val () = short ()
val () = (there := true; say "a is there")
val () = say ("a has " ^ Int.toString (Barrier.wait a)) handle Fail m => say ("a: " ^ m)
val () = CML.sync (CML.joinEvt other)
