(* A thread that sleeps, one that waits for it, and two functions of which one allocates three times as much. *)
val answer : int CML.chan = CML.channel ()

(* It begins when its waiter waits. *)
fun sleeper 0 = (CML.sync (CML.timeOutEvt (Time.fromMilliseconds 300)); CML.send (answer, 1))
  | sleeper n = (CML.yield (); sleeper (n - 1))
fun waiter () = CML.recv answer

fun small (0, list) = list
  | small (n, list) = small (n - 1, case list of [] => [n] | x :: _ => [x + n])
fun large (0, list) = list
  | large (n, list) = large (n - 1, case list of [] => [n] | x :: _ => [x + n, x, n])

val scale = case CommandLine.arguments () of [n] => valOf (Int.fromString n) | _ => 1000000

fun main () =
  let val _ = CML.spawn (fn () => sleeper 100)
  in
    print (Int.toString (waiter ()) ^ "\n");
    print (Int.toString (hd (small (scale, []))) ^ " " ^ Int.toString (hd (large (scale, []))) ^ "\n");
    RunCML.shutdown OS.Process.success
  end

val _ = RunCML.doit (main, NONE)
