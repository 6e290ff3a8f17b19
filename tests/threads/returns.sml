(* Functions that return behind a switch, with every number and kind of results: such a return is a jump. They are called by
   way of cells, so that they stay functions. Two threads do the same, each with many frames, and hand over to each other. *)

val other = ref (Thread.self ())

(* to the other one of the two *)
fun swap () =
  let val next = !other
  in
    other := Thread.self ();
    Thread.handoff next
  end

exception Odd of int

val unit' = ref (fn (_ : int) => swap ())
val int' = ref (fn n => (swap (); n + 1))
val real' = ref (fn x => (swap (); x * 2.0))
val string' = ref (fn s => (swap (); s ^ "!"))
val pair = ref (fn (a : int, b : int) => (swap (); (b, a)))
val mixed = ref (fn (a : int, x) => (swap (); (x + 0.5, a, x)))
val triple = ref (fn (a : int, b : int, c : int) => (swap (); (c, a, b)))
val many = ref (fn (a, b, c) => (swap (); (a, b, c, a + b, b + c, a + c, a + b + c, real a, real b, real c)))
val raises = ref (fn n => (swap (); if n mod 2 = 1 then raise Odd n else n))
(* on one way only *)
val perhaps = ref (fn n => if n mod 3 = 0 then (swap (); n) else ~n)

(* callers of it return in the usual way *)
fun deep 0 = !int' 0
  | deep n = !int' (deep (n - 1)) + 1

fun round n =
  let
    val () = !unit' n
    val a = !int' n
    val x = !real' (real n)
    val s = !string' (Int.toString n)
    val (b, c) = !pair (n, a)
    val (y, d, z) = !mixed (n, x)
    val (e, f, g) = !triple (a, b, c)
    val (h, i, j, k, l, m, v, p, q, r) = !many (e, f, g)
    val t = !raises n handle Odd m => ~m
    val u = !perhaps n
  in
    (a + b + c + d + e + f + g + h + i + j + k + l + m + v + t + u + deep 5 + size s, x + y + z + p + q + r)
  end

fun rounds (0, total, sum) = Int.toString total ^ " " ^ Real.fmt (StringCvt.FIX (SOME 1)) sum
  | rounds (n, total, sum) =
      let val (a, x) = round n
      in rounds (n - 1, total + a, sum + x) end

val () = other := Thread.new (fn () => let fun forever () = (ignore (rounds (7, 0, 0.0)); forever ()) in forever () end)
val () = print (rounds (100, 0, 0.0) ^ "\n")
