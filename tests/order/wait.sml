(* Unsafe.Wait: a thread that waits goes on when it is woken with what was left for it, and not when somebody else makes it
   ready; a wake-up that comes before the thread waits is not lost. The stub of `thread_await` sees to that by itself: it parks
   again, and gives what stands in the cell, whatever its type is. *)

structure W = Unsafe.Wait
val slot : Thread.thread option ref = ref NONE
val got = ref 0
val t = Thread.new (fn () => (slot := SOME (W.waiter ()); got := W.await (); print "woken\n"))
val () = Thread.ready t
val () = Thread.yield ()
val () = Thread.ready (valOf (!slot))
val () = Thread.yield ()
val () = print (Int.toString (!got) ^ " after a wake-up of somebody else's\n")
val () = Thread.ready (valOf (!slot))
val () = W.wake (valOf (!slot), 17)
val () = Thread.yield ()
val () = Thread.yield ()
val () = print (Int.toString (!got) ^ "\n")

(* woken before it waits; made ready before it waits *)
val u = Thread.new (fn () =>
  let val self = W.waiter () in W.wake (self, "early"); print (W.await () ^ "\n"); ignore (W.waiter ()); Thread.ready self;
     slot := SOME self; print (W.await () ^ "\n") end)
val () = Thread.ready u
val () = Thread.yield ()
val () = Thread.yield ()
val () = W.wake (valOf (!slot), "late")
val () = Thread.yield ()

(* values of all forms *)
fun ask f = let val c = ref NONE val r = ref "" val t = Thread.new (fn () => (c := SOME (W.waiter ()); r := f ())) in
  Thread.ready t; Thread.yield (); fn x => (W.wake (valOf (!c), x); Thread.yield (); print (!r ^ "\n")) end
val () = ask (fn () => Real.toString (W.await ())) 2.5
val () = ask (fn () => let val (a, b) : int * string = W.await () in Int.toString a ^ b end) (3, "x")
val () = ask (fn () => Char.toString (W.await ())) #"c"
val () = ask (fn () => case W.await () of SOME (x : int) => Int.toString x | NONE => "none") (SOME 5)
val () = ask (fn () => case W.await () of SOME (x : int) => Int.toString x | NONE => "none") (NONE : int option)
val () = let val c = ref NONE val t = Thread.new (fn () => (c := SOME (W.waiter ()); W.await () : unit; print "unit\n")) in
  Thread.ready t; Thread.yield (); W.wakeEmpty (valOf (!c)); Thread.yield () end
