(* Used-up memory that nobody handles ends the program like any other exception of the main thread: exit functions
   run, and what is in the buffers of streams is written. It once ended it at once, and the file stayed empty. *)
val file = TextIO.openOut "/dev/stdout"
val () = TextIO.output (file, "a line that was not flushed\n")
(* What is full stays full: the list is a global's. *)
val all : int list ref = ref []
val () = OS.Process.atExit (fn () => print (if length (!all) > 100000 then "an exit function\n" else "few\n"))
(* One that needs memory that is not there does not keep the next one from its turn. *)
val () = OS.Process.atExit (fn () => print (Int.toString (Array.length (Array.array (50000000, 0))) ^ " words\n"))

fun fill n = (all := n :: !all; fill (n + 1))
val () = fill 0
