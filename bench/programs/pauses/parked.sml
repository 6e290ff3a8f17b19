(* Threads that are parked, of which some wake: the longest time between two steps of another thread.
   Arguments: threads; how many of them wake at a time; seconds. *)

val (threads, together, seconds) =
  case map Int.fromString (CommandLine.arguments ()) of
    [SOME threads, SOME together, SOME seconds] => (threads, together, seconds)
  | _ => (print "usage: parked THREADS TOGETHER SECONDS\n"; OS.Process.exit OS.Process.failure)

val boxes : int Mailbox.mbox vector = Vector.tabulate (threads, fn _ => Mailbox.mailbox ())
val answered = ref 0
fun serve (box, kept) =
  let
    val n = Mailbox.recv box
  in
    answered := !answered + 1;
    serve (box, n :: (if length kept < 3 then kept else []))
  end
val () = Vector.app (fn box => ignore (CML.spawn (fn () => serve (box, [])))) boxes
val () = CML.yield ()

val gaps = newGaps ()
val finish = now () + seconds * 1000000000

(* A step wakes some, and looks at the clock when each of those has had its turn at least once. *)
fun loop (last, random, steps) =
  if last >= finish then steps
  else
    let
      fun wake (0, random) = random
        | wake (n, random) =
            let
              val random = random * 16807 mod 2147483647
            in
              Mailbox.send (Vector.sub (boxes, random mod threads), n);
              wake (n - 1, random)
            end
      val random = wake (together, random)
      (* a buffer that dies *)
      val () = ignore (List.tabulate (20, fn i => i))
      val () = CML.yield ()
      val time = now ()
    in
      note gaps (time - last);
      loop (time, random, steps + 1)
    end

val steps = loop (now (), 42, 0)

val () = sayLongest (gaps, steps)
val () = say ("steps", Int.toString (steps div seconds))
val () = if !answered = 0 then print "nobody has answered\n" else ()
