(* SMLofNJ.Cont: escapes, loops, generators, backtracking, handlers, state that continuations share. *)
open SMLofNJ.Cont
fun say s = print (s ^ "\n")
val show = Int.toString

(* an escape, from deep inside too *)
val () = say (show (1 + callcc (fn k => 10 + throw k 1)))
fun product l =
  callcc (fn k => foldl (fn (0, _) => throw k 0 | (x, p) => x * p) 1 l)
val () = say (show (product [1, 2, 3, 4]) ^ " " ^ show (product [1, 0, 3]))
fun deep (0, k) = throw k 42
  | deep (n, k) = 1 + deep (n - 1, k)
val () = say (show (callcc (fn k => deep (20000, k))))

(* thrown to again and again: what was stored into is not what it was at the capture, what was bound is *)
datatype again = Again of again cont option * int
val () =
  let
    val count = ref 0
    val Again (k, x) = callcc (fn k => Again (SOME k, 0))
  in
    count := !count + 1;
    case k of
      SOME k' => throw k' (Again (if !count = 4 then NONE else k, x + !count))
    | NONE => ();
    say (show (!count) ^ " " ^ show x)
  end

(* values of every representation *)
val r : real = callcc (fn k => 1.0 + throw k 2.5)
val () = callcc (fn k => throw k ())
val (a, b, c) = callcc (fn k => throw k (1, "two", 3.0))
val () = say (Real.toString r ^ show a ^ b ^ Real.toString c)

(* a generator of the leaves of a tree: two continuations that take turns *)
datatype tree = Leaf of int | Node of tree * tree
fun leaves tree =
  let
    val return = ref NONE
    val resume = ref NONE
    fun give x = callcc (fn k => (resume := SOME k; throw (valOf (!return)) (SOME x)))
    fun walk (Leaf x) = give x
      | walk (Node (l, r)) = (walk l; walk r)
    fun next () =
      callcc (fn k =>
        (return := SOME k;
         case !resume of
           SOME k' => throw k' ()
         | NONE => (walk tree; throw (valOf (!return)) NONE)))
  in
    next
  end
fun build (lo, hi) = if lo = hi then Leaf lo else let val m = (lo + hi) div 2 in Node (build (lo, m), build (m + 1, hi)) end
fun all next = case next () of SOME x => x :: all next | NONE => []
val () = say (String.concatWith "," (map show (all (leaves (build (1, 20))))))
fun same (a, b) =
  case (a (), b ()) of
    (NONE, NONE) => true
  | (SOME x, SOME y) => x = y andalso same (a, b)
  | _ => false
val () = say (Bool.toString (same (leaves (build (1, 200)), leaves (build (1, 200)))))

(* amb: all that is left to try is a list of continuations *)
val untried : (unit -> unit) list ref = ref []
exception Exhausted
fun fail () = case !untried of [] => raise Exhausted | k :: rest => (untried := rest; k (); raise Exhausted)
fun amb choices =
  callcc (fn k =>
    (untried := map (fn c => fn () => throw k c) choices @ !untried;
     fail ()))
fun require b = if b then () else fail ()
val () =
  let
    val range = List.tabulate (20, fn i => i + 1)
    val a = amb range
    val b = amb (List.drop (range, a))
    val c = amb (List.drop (range, b))
  in
    require (a * a + b * b = c * c);
    say (show a ^ " " ^ show b ^ " " ^ show c);
    require (a > 7);
    say "and no more that small"
  end

(* queens: every solution *)
val () =
  let
    val count = ref 0
    fun safe (_, _, []) = true
      | safe (q, d, p :: ps) = q <> p andalso q <> p + d andalso q <> p - d andalso safe (q, d + 1, ps)
    fun place (0, qs) = (count := !count + 1; fail ())
      | place (n, qs) =
          let val q = amb [1, 2, 3, 4, 5, 6]
          in require (safe (q, 1, qs)); place (n - 1, q :: qs)
          end
  in
    untried := [];
    place (6, []) handle Exhausted => ();
    say (show (!count))
  end

(* a continuation has its handlers with it, and leaves those that are around the throw *)
val () =
  let
    exception E of int
    val saved = ref NONE
    val n = ref 0
    val text =
      (let val x = callcc (fn k => (saved := SOME k; 1))
       in if x > 1 then raise E x else "none"
       end)
      handle E x => "inner " ^ show x
  in
    say text;
    n := !n + 1;
    if !n < 3 then (throw (valOf (!saved)) (!n + 1) handle E _ => say "outer") else ()
  end
val () = say (callcc (fn k => (throw k "thrown"; "not") handle _ => "handled"))

(* a capture at every level of a recursion, and a throw to each *)
val () =
  let
    val ks = ref []
    val check = ref 0
    fun down 0 = 0
      | down n = n + callcc (fn k => (ks := k :: !ks; down (n - 1)))
    val sum = down 300
    val left = !ks
  in
    check := (!check * 31 + sum) mod 1000003;
    case left of [] => say (show (!check)) | k :: rest => (ks := rest; if length rest mod 2 = 0 then throw k 0 else throw k 1)
  end

(* isolate leaves everything behind *)
val () = callcc (fn k => throw (isolate (fn x => (say ("isolated " ^ show x); throw k ()))) 7)
val () = say "end"
