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

val clock = Timer.startRealTimer ()
fun now () = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer clock))

(* gaps by microseconds; the last element has all that are longer *)
val gaps = IntArray.array (100001, 0)
val longest = ref 0
fun note gap =
  let
    val at = Int.min (gap div 1000, 100000)
  in
    IntArray.update (gaps, at, IntArray.sub (gaps, at) + 1);
    if gap > !longest then longest := gap else ()
  end

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
      note (time - last);
      loop (time, random, steps + 1, check)
    end

val (steps, check) = loop (now (), 42, 0, 0)

(* at most this many microseconds for all but so many gaps *)
fun quantile left =
  let
    fun at (i, left) =
      let
        val left = left - IntArray.sub (gaps, i)
      in
        if left < 0 orelse i = 0 then i else at (i - 1, left)
      end
  in
    at (100000, left)
  end
fun above microseconds =
  let
    fun count (i, n) = if i > 100000 then n else count (i + 1, n + IntArray.sub (gaps, i))
  in
    count (microseconds, 0)
  end

fun say (name, value) = print (name ^ " " ^ value ^ "\n")
val milliseconds = Real.fmt (StringCvt.FIX (SOME 3))
val () = say ("longest", milliseconds (real (!longest) / 1e6))
val () = say ("p99.99", milliseconds (real (quantile (steps div 10000)) / 1e3))
val () = say ("above-1", Int.toString (above 1000))
val () = say ("above-5", Int.toString (above 5000))
val () = say ("steps", Int.toString (steps div seconds))
val () = if check = 0 then print "nothing was summed\n" else ()
