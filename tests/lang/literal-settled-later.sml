(* What an operator or a constant works on may be told by a later declaration, as long as only core declarations follow each
   other: `display` counts in IntInf here, because `doit` says so. Each declaration used to be settled on its own, as int;
   MLton's benchmark pidigits was rejected. *)

structure S =
struct
  fun display n =
    let fun loop (k, n) = if n = 0 then k else loop (k * 2, n - 1) in loop (1, n) end
  fun twice x = x + x
  val half = 0w1
  val doit = IntInf.toString o display o IntInf.fromInt
  val r = twice 1.5
  val b = Word8.toString (Word8.+ (half, 0w255))
end

val () = print (S.doit 100 ^ "\n")
val () = print (Real.toString S.r ^ " " ^ S.b ^ "\n")

(* a structure in between ends it: `next` is of int *)
fun next x = x + 1
structure T = struct val n : int = next 41 end
val () = print (Int.toString (next T.n) ^ "\n")
local
  fun square x = x * x
in
  val s = square (IntInf.pow (10, 20))
end
val () = print (IntInf.toString s ^ "\n")
