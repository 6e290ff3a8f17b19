(* What a local variable holds dies behind its last use, though a function that is called once, as main is, moves to its call, and
   another function uses the variable: it lived in a global slot to the end. *)

datatype stream = Cons of int * tail ref
and tail = Later of unit -> stream | Done of stream

fun from n = Cons (n, ref (Later (fn () => from (n + 1))))

fun next (Cons (_, r)) =
  case !r of
    Done s => s
  | Later f => let val s = f () in r := Done s; s end

fun sum (s as Cons (x, _), n, total) = if n = 0 then total else sum (next s, n - 1, total + x)

fun main () =
  let
    val naturals = from 0
    fun nth n = let fun go (Cons (x, _), 0) = x | go (s, n) = go (next s, n - 1) in go (naturals, n) end
    val questions = [fn () => nth 5, fn () => nth 7]
    val () = List.app (fn ask => print (Int.toString (ask ()) ^ "\n")) questions
  in
    print (Int.toString (sum (naturals, 1000000, 0)) ^ "\n")
  end

val () = main ()
