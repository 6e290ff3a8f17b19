(* C calls SML out of a call that is not `reentrant`. *)
val callback = _export * : (MLton.Pointer.t * MLton.Pointer.t -> int) -> MLton.Pointer.t;
val qsort = _import "qsort" : Int32.int array * Word64.word * Word64.word * MLton.Pointer.t -> unit;
val leaf = _import "qsort" leaf : Int32.int array * Word64.word * Word64.word * MLton.Pointer.t -> unit;
val numbers = Array.fromList [3, 1, 2] : Int32.int array
fun sort f =
  (print "before\n"; f (numbers, 0w3, 0w4, callback (fn _ => 0)); print "after\n")
val () =
  case CommandLine.arguments () of
    ["leaf"] => sort leaf
  | ["freed"] =>
    let
      val reentrant = _import "qsort" reentrant : Int32.int array * Word64.word * Word64.word * MLton.Pointer.t -> unit;
      val f = callback (fn _ => 0)
    in
      Foreign.free f;
      reentrant (numbers, 0w3, 0w4, f)
    end
  | _ => sort qsort
