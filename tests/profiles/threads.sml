(* A thread that computes for another one, which asks for a number after the other. *)
fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 15

fun serve (requests, answers) =
  let val n = CML.recv requests
  in CML.send (answers, fib n); serve (requests, answers) end

fun ask (_, _, 0, sum) = sum
  | ask (requests, answers, n, sum) =
      (CML.send (requests, scale); ask (requests, answers, n - 1, sum + CML.recv answers))

fun main () =
  let
    val requests = CML.channel ()
    val answers = CML.channel ()
  in
    ignore (CML.spawn (fn () => serve (requests, answers)));
    print (Int.toString (ask (requests, answers, 100, 0)) ^ "\n");
    RunCML.shutdown OS.Process.success
  end

val _ = RunCML.doit (main, NONE)
