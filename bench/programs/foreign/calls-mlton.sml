(* The same calls from MLton, whose plain calls are those that Leat calls `leaf`. *)
structure P = MLton.Pointer
val direct = _import "same" private : Int64.int -> Int64.int;
val reentrant = _import "apply" private reentrant : P.t * Int64.int -> Int64.int;
val nap = _import "nap" private : Int64.int -> Int64.int;
val export = _export "next" private : (Int64.int -> Int64.int) -> unit;
val address = _address "next" private : P.t;
val () = export (fn x => x + 1)
val () = timed ("direct", n, direct)
val () = timed ("callback", n div 10, fn x => reentrant (address, x))
val () = timed ("blocked", n div 10000, fn _ => nap 50)
