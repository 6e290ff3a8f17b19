(* The system gives the program no OS thread beyond its first (`ulimit -u`): what others would do is done by that one.
   Jobs of the pool once waited for ever, and so did the clock of `--fake-clock` when another worker was allowed. *)

open CML

fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

val answer = channel () : int chan
fun work n = (ignore (fib 22); sync (timeOutEvt (Time.fromMilliseconds 20)); send (answer, n))

fun main () =
  let
    val () = List.app (fn n => ignore (spawn (fn () => work n))) (List.tabulate (8, fn n => n))
    val sum = foldl (fn (_, sum) => sum + recv answer) 0 (List.tabulate (8, fn n => n))
    val () = print (Int.toString sum ^ "\n")
    val () = print (if OS.Process.isSuccess (OS.Process.system "true") then "true\n" else "false\n")
    (* several at a time, by threads that wait for nothing else *)
    fun ask name = ignore (spawn (fn () => (ignore (NetHostDB.getByName name); send (answer, 1))))
    val () = List.app ask ["localhost", "127.0.0.1", "localhost"]
    val asked = foldl (fn (_, sum) => sum + recv answer) 0 [1, 2, 3]
    val () = print (Int.toString asked ^ " names\n")
    val why = (ignore (Thread.bound (fn () => ())); "bound") handle OS.SysErr (_, SOME e) => OS.errorName e
  in
    print (why ^ "\n")
  end

val _ = RunCML.doit (main, NONE)
