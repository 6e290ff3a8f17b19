(* Threads that are parked, all of which are woken, again and again: the longest time in which nothing was done, neither
   a message sent nor a thread woken. Arguments: threads; seconds. *)

val (threads, seconds) =
  case map Int.fromString (CommandLine.arguments ()) of
    [SOME threads, SOME seconds] => (threads, seconds)
  | _ => (print "usage: woken THREADS SECONDS\n"; OS.Process.exit OS.Process.failure)

val gaps = newGaps ()
val steps = ref 0
val last = ref (now ())
(* a thread may lose its turn between the look at the clock and the note: then another one's is the later *)
fun step () =
  let
    val time = now ()
  in
    note gaps (Int.max (0, time - !last));
    last := time;
    steps := !steps + 1
  end

val answered = ref 0
fun serve (box, kept) =
  let
    val n = Mailbox.recv box
  in
    step ();
    answered := !answered + 1;
    serve (box, n :: (if length kept < 3 then kept else []))
  end

fun start _ =
  let
    val box : int Mailbox.mbox = Mailbox.mailbox ()
  in
    ignore (CML.spawn (fn () => serve (box, [])));
    box
  end
val boxes = Vector.tabulate (threads, start)
val () = CML.yield ()

fun wait () = if !answered < threads then (CML.yield (); wait ()) else ()
fun rounds (finish, n) =
  if now () >= finish then n
  else
    (answered := 0;
     Vector.app (fn box => (Mailbox.send (box, n); step ())) boxes;
     wait ();
     rounds (finish, n + 1))

val () = last := now ()
val () = ignore (rounds (now () + seconds * 1000000000, 0))

val () = sayLongest (gaps, !steps)
val () = say ("steps", Int.toString (!steps div seconds))
