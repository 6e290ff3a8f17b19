# An exception that ends a thread, and that nobody handles, fails the test in which that happens; `leat test` had said "ok". One
# outside of the tests makes the file fail. So does a seed of --explore, of `leat run` as of `leat test`.
shown() { sed -E 's/, [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//; s/thread [0-9]+/thread N/' | grep -v 'SML_LIB'; }
mkdir .git
cat > in_test.sml <<'SML'
fun wait t = CML.sync (CML.joinEvt t)
val () = Test.test "a thread raises" (fn () => wait (CML.spawn (fn () => raise Fail "in a thread")))
val () = Test.test "after" (fn () => ())
val () = Test.test "both" (fn () => (wait (CML.spawn (fn () => ignore (1 div 0))); raise Fail "the test"))
val () = Test.test "handled" (fn () => wait (CML.spawn (fn () => (raise Fail "handled") handle Fail _ => ())))
SML
"$LEAT" test in_test.sml | shown
echo code ${PIPESTATUS[0]}
cat > out_test.sml <<'SML'
val () = CML.sync (CML.joinEvt (CML.spawn (fn () => raise Fail "outside")))
val () = Test.test "well" (fn () => ())
SML
"$LEAT" test out_test.sml | shown
echo code ${PIPESTATUS[0]}
# A program that looks after such threads itself is believed.
cat > own_test.sml <<'SML'
val () = TraceCML.setUncaughtFn (fn _ => ())
val () = Test.test "well" (fn () => CML.sync (CML.joinEvt (CML.spawn (fn () => raise Fail "expected"))))
SML
"$LEAT" test own_test.sml | shown
cat > race.sml <<'SML'
val n = ref 0
fun take () = if !n = 0 then n := 1 else raise Fail "taken twice"
val ts = [CML.spawn take, CML.spawn take]
val () = List.app (fn t => CML.sync (CML.joinEvt t)) ts
SML
"$LEAT" run --explore=20 race.sml 2> errors
echo code $?
grep -c '^seed .* fails: an exception ended a thread; --sched-seed=.* repeats it$' errors
cat > race_test.sml <<'SML'
val () = Test.test "taken once" (fn () =>
  let
    val n = ref 0
    fun take () = if !n = 0 then n := 1 else raise Fail "taken twice"
  in
    List.app (fn t => CML.sync (CML.joinEvt t)) [CML.spawn take, CML.spawn take]
  end)
SML
"$LEAT" test race_test.sml --explore=20 | grep -o -m1 'uncaught exception Fail: taken twice'
# A thread that outlives its test, or begins outside of all, was the fault of whatever test was under way when it ended.
cat > late_test.sml <<'SML'
val ms = Time.fromMilliseconds
fun wait n = CML.sync (CML.timeOutEvt (ms n))
fun afterwards n e = ignore (CML.spawn (fn () => (wait n; raise e)))
val () = Test.test "leaves a thread" (fn () => afterwards 100 (Fail "late"))
val () = Test.test "meanwhile" (fn () => wait 1)
val () = afterwards 200 (Fail "of none")
val () = Test.test "innocent" (fn () => wait 1000)
val () = Test.test "its own" (fn () => (afterwards 1 (Fail "own"); wait 100))
SML
"$LEAT" test late_test.sml | shown
echo code ${PIPESTATUS[0]}
