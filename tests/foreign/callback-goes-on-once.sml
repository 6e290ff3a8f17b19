(* A continuation into a call of C that is over raises Fail, however many calls have had its stack since. The state of a call
   had 16 bits that tell it from others, so an old one was good again after 65,536 steps: C went on where nothing waited, or
   another call of C got the answer. *)
structure P = MLton.Pointer
type array = Int32.int array
val export = _export * : (P.t * P.t -> Int32.int) -> P.t;
val sort = _import "qsort" reentrant : array * Word64.word * Word64.word * P.t -> unit;
val step = _import "labs" reentrant : Int64.int -> Int64.int;

fun steps 0 = ()
  | steps n = (ignore (step 1); steps (n - 1))
fun sorted compare = sort (Array.fromList [1, 2], 0w2, 0w4, compare)
fun try f = f () handle Fail text => print (text ^ "\n")

val kept : unit SMLofNJ.Cont.cont option ref = ref NONE
val times = ref 0
fun again () = (times := !times + 1; SMLofNJ.Cont.throw (valOf (!kept)) ())
val keeps = export (fn _ => (SMLofNJ.Cont.callcc (fn k => kept := SOME k); 0))
val () = try (fn () => sorted keeps)
(* nobody waits *)
val () = if !times = 0 then (steps 65535; again ()) else print "C does not wait\n"
(* C waits in another call on the stack *)
val other = export (fn _ => if !times = 1 then again () else 0)
val () = if !times = 1 then (steps 65535; try (fn () => sorted other)) else print "nor for this\n"
