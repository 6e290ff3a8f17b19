(* An exception that handlers raise again, behind calls of their own: the back-trace begins where it was raised first. It
   began at the last `raise e`, for which the library's functions have one, too: `in Scope.run at scope.sml`. *)
exception Broken of int

fun deep 0 = raise Broken 3
  | deep n = 1 + deep (n - 1)
fun work () = deep 3
fun thread f = CML.sync (CML.joinEvt (CML.spawn (fn () => ignore (f () : int))))

(* by hand; of an exception without an argument, whose packet is always the same; by a pattern that compares strings *)
fun tidy f = f () handle e => (print "tidy\n"; raise e)
val () = thread (fn () => tidy work)
fun empty n = if n > 2 then raise Empty else n
val () = thread (fn () => 1 + tidy (fn () => 1 + tidy (fn () => 1 + empty 3)))
fun texts f = f () handle Fail "y" => 3
val () = thread (fn () => 1 + texts (fn () => 1 + deep 2))
(* kept, and raised by another function *)
datatype outcome = GAVE of int | RAISED of exn
fun outcome f = GAVE (f ()) handle e => RAISED e
fun result (GAVE n) = n
  | result (RAISED e) = raise e
val () = thread (fn () => 1 + result (outcome (fn () => 1 + deep 1)))
(* the same exception raised anew has nothing to do with it *)
fun fresh n = if n > 0 then raise Empty else n
val () = thread (fn () => (1 + tidy (fn () => 1 + empty 3) handle Empty => 1) + fresh 1)
(* by functions of the library, and from a thread of a scope *)
val () = thread (fn () => 1 + Scope.finally (work, fn () => print "finally\n"))
val () = thread (fn () => 1 + valOf (Scope.within (Time.fromSeconds 100) (fn _ => 1 + work ())))
val () = thread (fn () => 1 + Scope.run (fn scope => 1 + CML.sync (Scope.fork scope work)))
