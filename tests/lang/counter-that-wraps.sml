(* A loop that is unrolled by its counter goes on forever when the counter wraps behind its last round.

   Expected (and -O0):  8000000000000000 FFFFFFFFFFFFFFFF 7FFFFFFFFFFFFFFD FFFFFFFFFFFFFFFA 7FFFFFFFFFFFFFF6
   Found (optimised):   the fourth sum is never printed: the loop does not end

   compiler/ssa/src/opt/counted.rs, `counted`. The test is of `w` and not of the next one; so with m = 2^63 - 1 and
   `limit = m - 2` a round of four may begin at m - 3, and the counter behind it is m + 1, which is -2^63. The round's
   end compares that with the limit, before the test of m itself: it is less, so four more rounds follow, and so on. *)

fun sum (w, m, acc : word) =
  let
    val next = w + 0w1
    val acc = acc + next
  in
    if w = m then acc else sum (next, m, acc)
  end

(* So that nothing is known when compiling. *)
val m = Word.fromInt (length (CommandLine.arguments ())) + 0wx7fffffffffffffff
val () =
  app
    (fn k => print (Word.toString (sum (m - k, m, 0w0)) ^ " "))
    [0w0, 0w1, 0w2, 0w3, 0w4]
val () = print "\n"
