(* A main thread that had waited some thousand times before its program's first spawn made the runtime crash with two workers or
   more: its stack went to and fro between the workers, each time one more entry in a list of stacks; the full list kept the worker
   from making a second stack, and it looked for one at a place in memory where none was. So here threads come late and go early,
   many and few by turns, and the main thread waits in between. *)
fun rests 0 = () | rests n = (OS.Process.sleep (Time.fromMicroseconds 50); rests (n - 1))

fun wave n =
  let val done = Mailbox.mailbox ()
      fun work i () =
        (if i mod 3 = 0 then rests (i mod 7) else if i mod 3 = 1 then Thread.yield () else ();
         Mailbox.send (done, i))
      val () = app (fn i => ignore (CML.spawn (work i))) (List.tabulate (n, fn i => i))
      val sum = foldl (fn (_, s) => s + Mailbox.recv done) 0 (List.tabulate (n, fn i => i))
  in print (Int.toString n ^ " threads: " ^ Int.toString sum ^ "\n") end

val () = rests 1500
val t = CML.spawn (fn () => print "the first one\n")
val () = CML.sync (CML.joinEvt t)
val () = app (fn n => (wave n; rests (10 * (n mod 5)))) [1, 60, 2, 0, 1, 200, 7, 3]
