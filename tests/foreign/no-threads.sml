(* When the system gives no OS thread for a `blocking` call, C runs on the worker: with the same results, and in turn. *)
val refuse = _import "no_more_threads" : unit -> int;
val here = _import "os_thread" : unit -> Int64.int;
val there = _import "os_thread" blocking : unit -> Int64.int;
val failing = _import "close" blocking errno : int -> int * int;

(* The first thread that is made starts the OS thread for time slices, which could not be had later. *)
val ready : unit CML.chan = CML.channel ()
val _ = CML.spawn (fn () => CML.send (ready, ()))
val () = CML.recv ready

val () = case refuse () of 0 => () | e => print ("the system has no filters of calls: " ^ Int.toString e ^ "\n")

val done : bool CML.chan = CML.channel ()
(* With several workers it is the OS thread of any of them. *)
fun isWorker () = List.exists (fn _ => here () = there ()) (List.tabulate (100, fn i => i))
val () = List.app (fn _ => ignore (CML.spawn (fn () => CML.send (done, isWorker ())))) [1, 2, 3, 4]
val () = app (fn _ => print (if CML.recv done then "on the worker\n" else "elsewhere\n")) [1, 2, 3, 4]
val (result, errno) = failing ~1
val () = print (Int.toString result ^ " " ^ Bool.toString (errno = 9) ^ "\n")
