(* Three threads whose shares of the work are known: 1, 2 and 3 sixths. *)
fun one n = if n < 2 then n else one (n - 1) + one (n - 2)
fun two n = if n < 2 then n else two (n - 1) + two (n - 2)
fun three n = if n < 2 then n else three (n - 1) + three (n - 2)

(* In each of some rounds: a processor that others slow down for a while is then slower for all three. With one long round it
   was so for those that were still there, and their shares were six points off. *)
val (scale, rounds) =
  case map (valOf o Int.fromString) (CommandLine.arguments ()) of
    [n, rounds] => (n, rounds)
  | [n] => (n, 1)
  | _ => (22, 1)

fun times (_, 0) = 0
  | times (f, n) = f scale + times (f, n - 1)

fun main () =
  let
    val sums = CML.channel ()
    fun start (f, n) = ignore (CML.spawn (fn () => CML.send (sums, times (f, n))))
    fun round () = (start (one, 1); start (two, 2); start (three, 3); CML.recv sums + CML.recv sums + CML.recv sums)
  in
    print (Int.toString (times (fn _ => round (), rounds)) ^ "\n");
    RunCML.shutdown OS.Process.success
  end

val _ = RunCML.doit (main, NONE)
