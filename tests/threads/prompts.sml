(* Prompt: delimited control, multi-shot, nested; MLton.Cont; MLton.Thread. *)
fun say s = print (s ^ "\n")
val show = Int.toString
open Prompt

val p : int prompt = new ()
val () = say (show (1 + reset p (fn () => 10 + shift p (fn k => k (k 100)))))
val () = say (show (reset p (fn () => 2 * shift p (fn k => k 1 + k 10 + k 100))))
val () = say (show (reset p (fn () => 1 + abort p (fn () => 7))))
val () = say (show (shift p (fn _ => 0)) handle NoPrompt => "no prompt")

(* shift0: the prompt is gone while its function runs, and back while what it took runs *)
val () = say (show (1 + reset p (fn () => 10 + shift0 p (fn k => k (k 100)))))
val () = say (show (reset p (fn () => 1 + reset p (fn () => 10 + shift0 p (fn _ => shift0 p (fn k => k 5 + k 6))))))
val () = say (show (reset p (fn () => shift0 p (fn _ => shift0 p (fn _ => 0)))) handle NoPrompt => "no prompt")
val () = say (show (reset p (fn () => shift p (fn _ => shift p (fn _ => 3)))))
val () = say (show (reset p (fn () => 1 + shift0 p (fn k => k 1 + k 2)) + reset p (fn () => 100 * shift0 p (fn k => k 3))))

(* all sums: lists as a monad *)
val q : int list prompt = new ()
fun choose l = shift q (fn k => List.concat (map k l))
val () = say (String.concatWith " " (map show (reset q (fn () => let val a = choose [1, 2, 3] val b = choose [10, 20] in [a + b] end))))

(* prompts of two kinds: what is above the outer one has the inner one with it *)
val s : string prompt = new ()
val () =
  say (reset s (fn () =>
    let val n = reset p (fn () => 1 + size (shift s (fn k => k "a" ^ "|" ^ k "bbb")) + shift p (fn k => k 10 + k 20))
    in "<" ^ show n ^ ">" end))

(* exceptions find the handlers around the reset that is running *)
exception E
val () =
  say (show (reset p (fn () =>
    (1 + shift p (fn k => (k 1 handle E => 100) + (k 2 handle E => 200))) before (raise E))) handle E => "outside")

(* a generator without end, stopped *)
datatype stream = Cons of int * (unit -> stream) | Nil
val g : stream prompt = new ()
fun generate f = reset g (fn () => (f (fn x => shift g (fn k => Cons (x, k))); Nil))
fun take (0, _) = []
  | take (_, Nil) = []
  | take (n, Cons (x, k)) = x :: take (n - 1, k ())
val squares = generate (fn yield => let fun go i = (yield (i * i); go (i + 1)) in go 1 end)
val () = say (String.concatWith " " (map show (take (10, squares))))
val () = say (show (foldl op+ 0 (take (500, squares))))

(* MLton.Cont *)
local open MLton.Cont in
  val () = say (show (1 + callcc (fn k => throw (k, 1))))
  val () = say (show (1 + callcc (fn k => throw (prepend (k, size), "four"))))
  val () = say (callcc (fn k => throw' (k, fn () => raise Fail "there")) handle Fail s => s)
end

(* MLton.Thread: coroutines *)
local
  open MLton.Thread
  fun producer n =
    let
      val back : (int option t) option ref = ref NONE
      val own : (unit t) option ref = ref NONE
      fun give x = switch (fn t => (own := SOME t; prepare (valOf (!back), x)))
      val () = own := SOME (new (fn () => (List.app (fn i => give (SOME i)) (List.tabulate (n, fn i => i)); give NONE)))
    in
      fn () => switch (fn t => (back := SOME t; prepare (valOf (!own), ())))
    end
  fun sum next = case next () of SOME x => x + sum next | NONE => 0
in
  val () = say (show (sum (producer 100)))
  val () = say (show (switch (fn t => prepare (prepend (t, fn s => size s), "abc"))))
  val () = say (case atomicState () of AtomicState.NonAtomic => "not atomic" | AtomicState.Atomic n => show n)
  val () = atomically (fn () => say (case atomicState () of AtomicState.NonAtomic => "not atomic" | AtomicState.Atomic n => show n))
end
