(* A table of small trees, random ones of which are replaced all the time: the longest time between two steps.
   Arguments: megabytes of live data, as Leat's objects have them; seconds. *)

datatype tree = Leaf | Node of tree * int * tree

fun tree (0, _) = Leaf
  | tree (depth, n) = Node (tree (depth - 1, 2 * n), n, tree (depth - 1, 2 * n + 1))

fun sum Leaf = 0
  | sum (Node (left, n, right)) = sum left + n + sum right

(* 15 nodes of 32 bytes, and an element *)
val entryBytes = 15 * 32 + 8

val (megabytes, seconds) =
  case map Int.fromString (CommandLine.arguments ()) of
    [SOME megabytes, SOME seconds] => (megabytes, seconds)
  | _ => (print "usage: table MEGABYTES SECONDS\n"; OS.Process.exit OS.Process.failure)

val entries = megabytes * 1000000 div entryBytes
val table = Array.tabulate (entries, fn i => tree (4, i))

val gaps = newGaps ()
val start = now ()
val finish = start + seconds * 1000000000

fun loop (last, random, steps, check) =
  if last >= finish then (steps, check)
  else
    let
      val random = random * 16807 mod 2147483647
      val at = random mod entries
      val check = check + sum (Array.sub (table, at))
      val () = Array.update (table, at, tree (4, random mod 1000))
      val time = now ()
    in
      note gaps (time - last);
      loop (time, random, steps + 1, check)
    end

val (steps, check) = loop (now (), 42, 0, 0)

val () = sayLongest (gaps, steps)
val () = say ("above-1", Int.toString (above gaps 1000))
val () = say ("above-5", Int.toString (above gaps 5000))
val () = say ("steps", Int.toString (steps div seconds))
val () = if check = 0 then print "nothing was summed\n" else ()
