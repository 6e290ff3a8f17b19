(* Exceptions: nested handlers, re-raise, generative ones, order of handlers, deep unwinding, in loops. *)
exception A
exception B of int
exception C of string * int

fun risky 0 = raise A
  | risky 1 = raise B 41
  | risky 2 = raise C ("c", 7)
  | risky n = n

fun try n =
  Int.toString (risky n) handle A => "A" | B i => "B" ^ Int.toString (i + 1) | C (s, i) => s ^ Int.toString i
val () = app (fn n => print (try n ^ "\n")) [0, 1, 2, 3]

val () = print (((raise B 1) handle A => "inner") handle B i => "outer " ^ Int.toString i ^ "\n")
val () = print ((((raise A) handle B _ => "wrong") handle e => ((raise e) handle A => "again\n")))

(* a functor-like generativity: each call has an exception of its own *)
fun make () =
  let exception Mine
  in ((fn () => raise Mine), (fn f => (f (); "returned") handle Mine => "mine" | _ => "other")) end
val (raise1, catch1) = make ()
val (raise2, catch2) = make ()
val () = print (catch1 raise1 ^ " " ^ catch1 raise2 ^ " " ^ catch2 raise2 ^ "\n")

fun deep 0 = raise B 99
  | deep n = 1 + deep (n - 1)
val () = print (Int.toString (deep 300 handle B i => i) ^ "\n")

fun loop (0, acc) = acc
  | loop (n, acc) = loop (n - 1, acc + (if n mod 2 = 0 then raise A else 1) handle A => acc + 2)
val () = print (Int.toString (loop (10, 0)) ^ "\n")

val () = print (exnName (B 1) ^ " " ^ exnMessage (Fail "why") ^ " " ^ exnName Subscript ^ "\n")
val () = (ignore (String.sub ("abc", 3)); print "no\n") handle Subscript => print "subscript\n"
val () = (ignore (Array.sub (Array.array (3, 0), ~1)); print "no\n") handle Subscript => print "subscript\n"
val () = (ignore (hd []) ; print "no\n") handle Empty => print "empty\n"
val () = (ignore (valOf NONE); print "no\n") handle Option => print "option\n"
val () = (ignore (chr 256); print "no\n") handle Chr => print "chr\n"
val () = (ignore (Array.array (~1, 0)); print "no\n") handle Size => print "size\n"
(* the value of a variable assigned before the raise is seen in the handler *)
val r = ref 0
val () = (r := 5; raise A) handle A => print (Int.toString (!r) ^ "\n")
