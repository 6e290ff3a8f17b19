(* Used-up memory is an exception like any other: a handler in the same function as the allocation gets it, whether the
   code is a loop, an inlined callee, or a call of a primitive; and what the handler reads is what was last stored. *)

fun say s = print (s ^ "\n")

(* A loop in the handler's own function: the list is the loop's, so it is gone when the handler runs. *)
fun fill () =
  let
    val count = ref 0
    fun grow l = (count := !count + 1; if !count = 1000000007 then length l else grow (!count :: l))
  in
    grow [] handle e => (say (exnName e); !count)
  end

val first = fill ()
val () = say (if first > 100000 then "many" else "few: " ^ Int.toString first)
val again = fill ()
val () = say (if again * 2 > first then "as many again" else "fewer: " ^ Int.toString again)

(* What lives on behind the handler: references, reals, ints of before the scope. *)
fun around (label, x : real, n) =
  let
    val cell = ref [label]
    val marked = label ^ "!"
    fun loop (l, k) = if k = 1000000007 then length l else loop ((k, real k) :: l, k + 1)
    val r = loop ([], 0) handle _ => (cell := marked :: !cell; ~1)
  in
    say (String.concatWith " " (marked :: !cell) ^ " " ^ Real.toString (x * 2.0) ^ " " ^ Int.toString (n + r))
  end
val () = around ("one", 1.25, 10)
val () = around ("two", 2.25, 20)

(* Large objects, made by primitives that are called in the middle of a block. *)
fun arrays () =
  let
    fun more l = if length l > 1000000 then "no end" else more (Array.array (1000000, 0.0) :: l)
  in
    more [] handle Size => "Size" | e => exnName e
  end
val () = say (arrays ())
fun strings () = let fun twice s = if size s = 7 then s else twice (s ^ s) in twice "0123456789" handle Size => "Size" | e => exnName e end
val () = say (strings ())

(* Nested: the inner handler gets it, raises on, and the outer one sees what was done. *)
fun nested () =
  let
    val trace = ref ""
    fun note s = trace := !trace ^ s
  in
    ((note "a"; ignore (List.tabulate (3, fn i => i)); ignore (hold [] : int); note "b")
       handle Overflow => note "c" | e => (note "d"; raise e))
      handle _ => note "e";
    !trace
  end
and hold l = if length l > 1000000 then 0 else hold (CharVector.tabulate (100000, fn _ => #"x") :: l)
val () = say (nested ())

(* Out of a recursion: what the frames held is free again. *)
fun deep n = let val l = List.tabulate (100, fn i => i + n) in 1 + deep (n + 1) + length l end
val () = say (Int.toString (deep 0) handle _ => "came back")

(* A handler in a loop: each round recovers. *)
fun rounds 0 = ()
  | rounds k = ((ignore (hold2 ([], 0)) handle _ => ()); rounds (k - 1))
and hold2 (l, i) = if i = 1000000007 then length l else hold2 (Vector.tabulate (1000, fn j => i + j) :: l, i + 1)
val () = rounds 5
val () = say "done"
