(* Threads that compute all the time, each with a table of small trees of its own, random ones of which are replaced: the
   longest time between two steps of one thread.
   Arguments: megabytes of live data, as Leat's objects have them; threads; seconds. *)

val (megabytes, threads, seconds) =
  case map Int.fromString (CommandLine.arguments ()) of
    [SOME megabytes, SOME threads, SOME seconds] => (megabytes, threads, seconds)
  | _ => (print "usage: busy MEGABYTES THREADS SECONDS\n"; OS.Process.exit OS.Process.failure)

val entries = megabytes * 1000000 div entryBytes div threads

(* All have their tables before the first step. *)
val ready : unit Mailbox.mbox = Mailbox.mailbox ()
val start : int SyncVar.ivar = SyncVar.iVar ()
val done : (gaps * int * int) Mailbox.mbox = Mailbox.mailbox ()

fun compute seed =
  let
    val table = Array.tabulate (entries, fn i => tree (4, i))
    val gaps = newGaps ()
    val () = Mailbox.send (ready, ())
    val finish = SyncVar.iGet start + seconds * 1000000000
    val (steps, check) = replace (table, gaps, finish, seed)
  in
    Mailbox.send (done, (gaps, steps, check))
  end

val () =
  app (fn i => ignore (CML.spawn (fn () => compute (42 + i)))) (List.tabulate (threads, fn i => i))
val () = app (fn _ => Mailbox.recv ready) (List.tabulate (threads, ignore))
val () = SyncVar.iPut (start, now ())
val all = List.tabulate (threads, fn _ => Mailbox.recv done)

val gaps = together (map #1 all)
val steps = foldl (fn ((_, steps, _), sum) => steps + sum) 0 all
val () = sayLongest (gaps, steps)
val () = say ("above-1", Int.toString (above gaps 1000))
val () = say ("above-5", Int.toString (above gaps 5000))
val () = say ("steps", Int.toString (steps div seconds))
val () =
  if List.exists (fn (_, _, check) => check = 0) all then print "nothing was summed\n" else ()
