(* Threads, channels and choices. *)

open CML

val pings : int chan = channel ()
val pongs : int chan = channel ()
val quit : unit chan = channel ()

fun server () =
  select [wrap (recvEvt pings, fn n => (send (pongs, n + 1); server ())),
          wrap (recvEvt quit, fn () => exit ())]

fun client (0, sum) = sum
  | client (n, sum) = (send (pings, n); client (n - 1, sum + recv pongs))

fun relay (source : int chan) =
  let
    val out = channel ()
    fun loop () = (send (out, recv source + 1); loop ())
  in
    ignore (spawn loop);
    out
  end

fun main () =
  let
    val _ = spawn server
    val () = print (Int.toString (client (5000, 0)) ^ "\n")
    val () = send (quit, ())
    val first : int chan = channel ()
    val last = foldl (fn (_, source) => relay source) first (List.tabulate (20, fn i => i))
    val _ = spawn (fn () => app (fn i => send (first, i)) (List.tabulate (500, fn i => i)))
    val sum = foldl (fn (_, sum) => sum + recv last) 0 (List.tabulate (500, fn i => i))
  in
    print (Int.toString sum ^ "\n")
  end

val () = main ()
