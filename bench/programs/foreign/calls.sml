(* Nanoseconds of a call of C, by each way. *)
structure P = MLton.Pointer
val direct = _import "same" leaf : Int64.int -> Int64.int;
val plain = _import "same" : Int64.int -> Int64.int;
val reentrant = _import "apply" reentrant : P.t * Int64.int -> Int64.int;
val nap = _import "nap" blocking : Int64.int -> Int64.int;
val blocking = _import "same" blocking : Int64.int -> Int64.int;
val callback = _export * : (Int64.int -> Int64.int) -> P.t;
val () = timed ("direct", n, direct)
val () = timed ("plain", n, plain)
val address = callback (fn x => x + 1)
val () = timed ("callback", n div 10, fn x => reentrant (address, x))
val () = timed ("blocking", n div 1000, blocking)
val () = timed ("blocked", n div 10000, fn _ => nap 50)
