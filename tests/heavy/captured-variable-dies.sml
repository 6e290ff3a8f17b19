(* What a closure has captured dies behind its last use, though the closure runs on and uses other things that it has captured. *)

datatype stream = Cons of int * tail ref
and tail = Later of unit -> stream | Done of stream

fun from n = Cons (n, ref (Later (fn () => from (n + 1))))

fun next (Cons (_, r)) =
  case !r of
    Done s => s
  | Later f => let val s = f () in r := Done s; s end

fun sum (s as Cons (x, _), n, total) = if n = 0 then total else sum (next s, n - 1, total + x)

fun job (stream, name) = fn () => print (Int.toString (sum (stream, 3000000, 0)) ^ name ())

val jobs = ref (List.tabulate (2, fn i => job (from i, fn () => " " ^ Int.toString i ^ "\n")))

fun run () = case !jobs of [] => () | j :: rest => (jobs := rest; j (); run ())
val () = run ()
