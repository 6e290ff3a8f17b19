(* C calls SML from an OS thread of its own while all signals are blocked. *)
structure P = MLton.Pointer
val order = _export * : (P.t * P.t -> Int32.int) -> P.t;
val sort = _import "qsort" blocking public : Int32.int array * C_Size.word * C_Size.word * P.t -> unit;
val a = Array.fromList (map Int32.fromInt [3, 1, 2])
val less =
  order (fn (x, y) =>
    case Int32.compare (P.getInt32 (x, 0), P.getInt32 (y, 0)) of LESS => ~1 | EQUAL => 0 | GREATER => 1)
fun go name =
  (sort (a, 0w3, 0w4, less);
   print (name ^ ": " ^ String.concatWith " " (map Int32.toString (Array.foldr op :: [] a)) ^ "\n");
   TextIO.flushOut TextIO.stdOut)
val () = go "no signal blocked"
val () = MLton.Signal.Mask.setBlocked (MLton.Signal.Mask.allBut [Posix.Signal.int, Posix.Signal.term])
val () = go "signals blocked"
