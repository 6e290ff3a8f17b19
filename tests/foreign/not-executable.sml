(* Where the system lets no memory become executable, the first function that C was to call raised OutOfMemory, and the
   second one had an address that may not be executed: C crashed. Now some functions need no such memory, and each
   further one raises Fail. (Where the kernel knows no such rule for a process, all functions are made.) *)
structure P = MLton.Pointer
val prctl = _import "prctl" variadic : int * Word64.word * Word64.word * Word64.word * Word64.word -> int;
val export = _export * : (int -> int) -> P.t;
val call = _import * reentrant : P.t -> int -> int;
val denied = prctl (65, 0w1, 0w0, 0w0, 0w0) = 0

fun add n = fn x : int => x + n
fun made n = SOME (n, export (add n)) handle Fail _ => NONE
fun right (n, p) = call p 1000 = 1000 + n
val all = List.mapPartial made (List.tabulate (300, fn i => i))
val () = print (Bool.toString (not (null all) andalso List.all right all) ^ "\n")
val () = print (Bool.toString (length all < 300 = denied) ^ "\n")

(* What is given back is there again. *)
val () = app (Foreign.free o #2) all
val again = List.mapPartial made (List.tabulate (300, fn i => ~i))
val () = print (Bool.toString (length again = length all andalso List.all right again) ^ "\n")
