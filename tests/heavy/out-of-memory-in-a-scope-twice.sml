(* Run with --heap-max=16M.

   Expected (and -O0):  ok
   Found (optimised):   some of them gave 999

   compiler/ssa/src/opt/inline.rs, `catch`. `f` gets a copy of `g` in its handler's scope, and then, in what was that
   copy's call of `f`, a copy of itself. The second scope named as the one around it what is around the handler, not the
   first scope, in which it stands. As nothing in it raises by a slow path it went, and its store into `s` was in no scope
   of a handler that loads `s`: when memory was used up in `g`, the handler had what `s` was made with. *)
val junk = ref 0w0 : word ref
val hold = ref [] : word list ref
(* `s` has n - 1 before anything is allocated: no handler ever sees 999. *)
fun f (r : word ref, n : word) : word =
  (r := n;
   if n = 0w0 then n
   else
     (let val s = ref 0w999 in g (s, n) handle _ => !s end handle _ => 0w1)
     + f (junk, n - 0w1))
and g (s, n) = let val x = f (s, n - 0w1) in hold := x :: !hold; x end
val usual = f (junk, 0w3)
fun until () = let val x = f (junk, 0w3) in if x = usual then until () else x end
(* Memory is used up at another place of the round each time. *)
fun start 0 = () | start k = (hold := 0w0 :: !hold; start (k - 1))
fun round k =
  if k = 8 then 0
  else
    let
      val () = start k
      val x = until ()
      val () = hold := []
    in
      (if x < 0w900 then 0 else 1) + round (k + 1)
    end
val bad = round 0
val () = if bad = 99 then ignore (g (junk, 0w1)) else ()
val () = print (if bad = 0 then "ok\n" else "some of them gave 999\n")
