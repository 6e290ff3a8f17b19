(* Three threads whose shares of the work are known: 1, 2 and 3 sixths. *)
fun one n = if n < 2 then n else one (n - 1) + one (n - 2)
fun two n = if n < 2 then n else two (n - 1) + two (n - 2)
fun three n = if n < 2 then n else three (n - 1) + three (n - 2)

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 22

fun times (_, 0) = 0
  | times (f, n) = f scale + times (f, n - 1)

fun main () =
  let
    val sums = CML.channel ()
    fun start (f, n) = ignore (CML.spawn (fn () => CML.send (sums, times (f, n))))
  in
    start (one, 1);
    start (two, 2);
    start (three, 3);
    print (Int.toString (CML.recv sums + CML.recv sums + CML.recv sums) ^ "\n");
    RunCML.shutdown OS.Process.success
  end

val _ = RunCML.doit (main, NONE)
