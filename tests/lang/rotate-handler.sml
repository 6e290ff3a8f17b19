(* The value of a rotated loop's head was used by a handler (here a constant, v), in whose scope there is another rotated
   loop, entered at two blocks. Where the copied head made a second definition of the value, every join on the way got a
   parameter for it, and so did the handler, which takes a packet and nothing else. *)
exception E
datatype t = A of t | B of int * t | C of t | D of int
fun mk 0 = D 7 | mk n = if n mod 3 = 0 then A (mk (n - 1)) else B (n, mk (n - 1))
fun f n = if n < 0 then f (n + 1) + 1 else if n > 1000 then f 5 else 1
fun reduce (v, w, e) =
  case e of
    B (n, e) => reduce (v, w, e)
  | D _ =>
    (let
       fun unroll (A e, k) = unroll (e, k)
         | unroll (B (n, e), k) = unroll (e, k)
         | unroll (C e, k) = f 2
         | unroll _ = f 5
     in
       ([], unroll (w, fn x => x))
     end) handle E => (v, 2)
  | _ => ([], 5)
fun show (v, n) = print (Int.toString (length v) ^ " " ^ Int.toString n ^ "\n")
val () = app (fn n => show (reduce ([], if n mod 2 = 0 then C (mk n) else A (B (n, C (mk n))), mk n))) [1]
(* Likewise with loops over integers, a handler in a handler, and values that change. *)
exception F of int
fun inner (n, limit, acc) = if n > limit then raise F acc else if n mod 3 = 0 then inner (n + 2, limit, acc + n) else inner (n + 1, limit, acc)
fun outer (i, s, t) =
  if i <= 0 then
    ((let fun up (0, a) = a | up (n, a) = if n mod 2 = 0 then up (n div 2, a + s) else up (n - 1, inner (n, s + 5, a)) in up (t, s) end
      handle F k => (let fun down (0, a) = if a > 10 then raise F a else a | down (n, a) = if n > 3 then down (n - 2, a + k) else down (n - 1, a + s) in down (t, 0) end))
     handle F k => k * 1000 + s * 10 + t)
  else case i mod 3 of 0 => outer (i - 1, s, t + 1) | 1 => outer (i - 2, s + 1, t) | _ => outer (i - 1, s + t, t)
val () = app (fn i => print (Int.toString (outer (i, 1, i)) ^ "\n")) [0, 1, 2, 5, 9]
