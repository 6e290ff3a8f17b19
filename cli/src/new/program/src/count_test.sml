(* `leat test` runs this file in a process of its own. *)

open Test

val () =
  test "counts words" (fn () =>
    (Expect.equal Show.int 0 (Count.words " \n");
     Expect.equal Show.int 3 (Count.words "one two\nthree")))

val () =
  test "finds the most frequent word" (fn () =>
    let
      val show = Show.option (Show.pair (Show.string, Show.int))
    in
      Expect.equal show NONE (Count.mostFrequent "");
      Expect.equal show (SOME ("a", 2)) (Count.mostFrequent "b a c a b")
    end)

(* It is tried with a hundred random pairs of texts; `leat test --seed=N` repeats them. *)
val () =
  property
    "words add up"
    (Gen.pair (Gen.string, Gen.string), Show.pair (Show.string, Show.string))
    (fn (a, b) => Count.words (a ^ " " ^ b) = Count.words a + Count.words b)
