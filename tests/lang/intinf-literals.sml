(* Constants of IntInf.int that no int holds. With a type constraint directly at it, such a constant was 0, and a pattern
   of it matched 0: its digits stood in a table by place, and the constraint widens the place. *)
fun say s = print (s ^ "\n")
val () = say (IntInf.toString (18446744073709551616 : IntInf.int))
val x : IntInf.int = 18446744073709551616
val () = say (IntInf.toString x)
val () = say (if IntInf.pow (2, 64) = (18446744073709551616 : IntInf.int) then "equal" else "not equal")
fun f (18446744073709551616 : IntInf.int) = "2^64" | f (~9223372036854775809 : IntInf.int) = "under" | f _ = "other"
val () = say (f (IntInf.pow (2, 64)) ^ " " ^ f 0 ^ " " ^ f (~9223372036854775808 - 1) ^ " " ^ f 9223372036854775807)
(* One constraint in the other, in parentheses, in a list, by LargeInt, in hexadecimal. *)
val () = say (IntInf.toString (((~0xffffffffffffffffffffffff : LargeInt.int)) : IntInf.int))
val () = app (say o IntInf.toString) [9223372036854775807, 9223372036854775808 : LargeInt.int, ~9223372036854775808, ~9223372036854775809]
fun g (n, _ : int) = case (n, n) of (m as (100000000000000000000 : IntInf.int), (k : IntInf.int)) => m + k | _ => n
val () = say (IntInf.toString (g (IntInf.pow (10, 20), 1)) ^ " " ^ IntInf.toString (g (3, 1)))
(* In a functor, at a type of its argument; and the constant is taken to be of IntInf by what comes later. *)
functor F (type t = IntInf.int val show : t -> string) = struct val text = show (36893488147419103232 : t) fun is (36893488147419103232 : t) = true | is _ = false end
structure S = F (type t = IntInf.int val show = IntInf.toString)
val () = say (S.text ^ " " ^ Bool.toString (S.is (IntInf.pow (2, 65))) ^ " " ^ Bool.toString (S.is 0))
fun later () = let val n = 73786976294838206464 in IntInf.toString n end
val () = say (later ())
