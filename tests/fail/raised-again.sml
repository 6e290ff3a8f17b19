(* An exception that handlers let go on: the back-trace begins where it was raised. It began at the last `handle` that it
   had passed, so nobody knew what had failed. *)
exception Broken of int

fun part 0 = raise Broken 3
  | part n = 1 + part (n - 1)
fun parse s = size s + part 2
(* two handlers that do not match, in functions of their own *)
fun load s = 1 + (parse s handle Empty => 0 | Broken 7 => 1)
fun start () = (load "abc" handle Overflow => 7 | e as Fail _ => raise e) + 1

(* nothing is lost where the function that has the handler raises itself, behind an earlier exception that landed there *)
fun check n = if n = 0 then raise Subscript else n
fun own n =
  1 + (if check n > 1 then raise Empty else check 0)
  handle Subscript => if n = 0 then 0 else raise Broken 8

fun thread f = CML.sync (CML.joinEvt (CML.spawn (fn () => ignore (f ()))))
val () = thread start
val () = thread (fn () => own 0 + own 2)
val () = print (Int.toString (start ()))
