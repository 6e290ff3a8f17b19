(* A property is tried with random values, and what makes it false is made as small as can be. Here: run-length encoding.
   Usage: leat test examples/property-test.mlb --seed=1 *)

structure RunLength =
struct
  (* #"a" #"a" #"b" -> (#"a", 2) (#"b", 1) *)
  fun encode text =
    let
      fun add (c, (d, n) :: rest) = if c = d then (d, n + 1) :: rest else (c, 1) :: (d, n) :: rest
        | add (c, []) = [(c, 1)]
    in
      rev (CharVector.foldl add [] text)
    end

  fun decode runs = concat (map (fn (c, n) => CharVector.tabulate (n, fn _ => c)) runs)
end

open Test

val runs = Show.list (Show.pair (Show.char, Show.int))

(* Texts of few different characters have runs; those of all characters hardly ever. *)
val text = Gen.stringOf (Gen.elements (explode "ab\n"))

val () =
  test "an example" (fn () =>
    Expect.equal runs [(#"a", 2), (#"b", 1)] (RunLength.encode "aab"))

val () =
  group "run-length encoding" (fn () =>
    (property "comes back" (text, Show.string) (fn s => RunLength.decode (RunLength.encode s) = s);

     property "has no two runs of one character in a row" (text, Show.string) (fn s =>
       let
         fun differ ((a, _) :: (rest as (b, _) :: _)) = a <> b andalso differ rest
           | differ _ = true
       in
         differ (RunLength.encode s : (char * int) list)
       end);

     (* generators are made from others: here, the runs themselves *)
     property
       "reads what it has written"
       (Gen.list (Gen.pair (Gen.char, Gen.range (1, 9))), runs)
       (fn given =>
         size (RunLength.decode given) = List.foldl (fn ((_, n), sum) => n + sum) 0 given)))
