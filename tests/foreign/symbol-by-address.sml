(* `_symbol *`: a variable of C by its address, in MLton's form, and in Leat's. *)
structure P = MLton.Pointer

val malloc = _import "malloc" : Word64.word -> P.t;
val free = _import "free" : P.t -> unit;
val variable = _symbol * : P.t -> (unit -> int) * (int -> unit);
val short = _symbol * : P.t -> Word16.word;

val at = malloc 0w16
val (get, set) = variable at
val () = set ~5
val () = print (Int.toString (get ()) ^ " " ^ Int32.toString (P.getInt32 (at, 0)) ^ "\n")
val (read, write) = short (P.add (at, 0w2))
val () = write 0wx1234
val () = print (Int32.fmt StringCvt.HEX (P.getInt32 (at, 0)) ^ " " ^ Word16.toString (read ()) ^ "\n")

(* an int that C's has no room for *)
val () = (set 0x80000000; print "wrong\n") handle Overflow => print "Overflow\n"

(* variables of an array, each with its own two functions *)
val counters = List.tabulate (4, fn i => variable (P.add (at, 0w4 * Word.fromInt i)))
val () = app (fn (_, set) => set 7) counters
val () = List.app (fn (get, set) => set (get () + 1)) (tl counters)
val () = print (String.concatWith " " (map (fn (get, _) => Int.toString (get ())) counters) ^ "\n")
val () = free at
