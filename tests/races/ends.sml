(* No race: the end of a thread is known to those who wait for it, whatever it ended by. A thread that had ended by an exception
   before somebody asked was taken for one that nothing orders. *)
open CML
fun check name start =
  let val r = ref 0
      val t = start r
      val () = sync (timeOutEvt (Time.fromMilliseconds 5))
      val () = sync (joinEvt t)
      val () = r := !r + 1
      (* and waited for before it ends *)
      val s = ref 0
      val t = start s
      val () = sync (joinEvt t)
      val () = s := !s + 1
  in print (name ^ ": " ^ Int.toString (!r) ^ ", " ^ Int.toString (!s) ^ "\n") end

val () = TraceCML.setUncaughtFn (fn _ => ())
val () = check "returns" (fn r => spawn (fn () => r := 5))
val () = check "raises" (fn r => spawn (fn () => (r := 5; raise Fail "expected")))
val () = check "exits" (fn r => spawn (fn () => (r := 5; exit ())))
val () = check "raises deep" (fn r => spawn (fn () => (r := 5; ignore (List.tabulate (1000, fn 900 => raise Subscript | i => i)))))
