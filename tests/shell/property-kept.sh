# The counterexample of a property is shown, with the seed, whatever happens while a smaller one is looked for: memory is used up,
# a call takes long, the generator raises for a smaller value, or the function that shows it raises.
mkdir .git
shown() { sed -E 's/, [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//; s/ +[0-9.]+ m?s$//; s/seed [0-9]+/seed N/; s/, shrunk.*//' | grep -v '^ *$'; }

cat > one_test.sml <<'S'
val () = Test.property "long lists" (Gen.listOf (3000, 3000) Gen.int, fn xs => Int.toString (length xs) ^ " ints")
  (fn xs => List.all (fn x => x < 99) xs)
S
cat > two_test.sml <<'S'
fun spin () =
  let val t = Time.now () fun go () = if Time.toMilliseconds (Time.- (Time.now (), t)) > 100 then () else go () in go () end
val () = Test.property "slow" (Gen.list Gen.int, fn xs => Int.toString (length xs) ^ " ints")
  (fn xs => (if length xs > 50 then spin () else (); length xs < 60))
S
cat > three_test.sml <<'S'
val () = Test.property "generator raises" (Gen.map (fn n => 100000 div n) (Gen.range (~1, 100000)), Show.int) (fn n => n > 100)
val () = Test.property "show raises" (Gen.list Gen.int, fn _ => raise Fail "show") (fn xs => length xs < 20)
S
"$LEAT" test --seed=1 --heap-max=200M one_test.sml | shown
"$LEAT" test --seed=1 --timeout=7 two_test.sml | shown
"$LEAT" test --seed=3 three_test.sml | shown
