(* `leat test` runs this file in a process of its own. *)

open Test

val fromList = List.foldl (fn (x, queue) => STRUCTURE.add (queue, x)) STRUCTURE.empty

val () =
  test "an empty queue has nothing to take" (fn () =>
    (Expect.that "it is empty" (STRUCTURE.isEmpty STRUCTURE.empty);
     Expect.that
       "it gives nothing"
       (not (isSome (STRUCTURE.take (STRUCTURE.empty : int STRUCTURE.queue))))))

val () =
  test "the first in is the first out" (fn () =>
    let
      val (first, rest) = Expect.some (STRUCTURE.take (fromList [1, 2, 3]))
    in
      Expect.equal Show.int 1 first;
      Expect.equal (Show.list Show.int) [2, 3] (STRUCTURE.toList rest)
    end)

(* It is tried with a hundred random lists; `leat test --seed=N` repeats them. *)
val () =
  property "a queue keeps the order" (Gen.list Gen.int, Show.list Show.int) (fn xs =>
    STRUCTURE.toList (fromList xs) = xs)
