# Tests that run in tests or in threads, and one that leaves the process: each has its own result, and none is lost. `leat test`
# kept one test of a process, so that the end of another one hid what was under way; it counted tests in tests where they do
# not run; and it told tests of --explore apart by numbers that two threads get in any order.
shown() { sed -E 's/, [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//; s/ +[0-9.]+ m?s$//; s/--seed=[0-9]+/--seed=N/; s/in ([0-9]+) of \1 inter/in all inter/'; }
tests() { mkdir -p $1; cat > $1/a_test.sml; (cd $1; shift; "$LEAT" test "$@" a_test.sml; echo "exit $?") 2>&1 | shown; }
mkdir .git
echo "-- a test leaves the process behind the end of one in it"
tests inner <<'SML'
val () = Test.test "outer" (fn () => (Test.test "inner" (fn () => ()); OS.Process.exit OS.Process.success))
val () = Test.test "later" (fn () => raise Fail "seen")
SML
echo "-- a test leaves the process, one of another thread has ended"
tests thread <<'SML'
val ended = CML.channel () : unit CML.chan
val _ = CML.spawn (fn () => (Test.test "a" (fn () => CML.sync (CML.timeOutEvt (Time.fromMilliseconds 20))); CML.send (ended, ())))
val () = Test.test "b" (fn () => (CML.recv ended; OS.Process.exit OS.Process.success))
val () = Test.test "c" (fn () => raise Fail "seen")
SML
echo "-- what comes behind a test that left, where an earlier one has a test in it"
tests restart <<'SML'
val () = Test.test "A" (fn () => Test.test "in A" (fn () => ()))
val () = Test.test "B" (fn () => OS.Process.exit OS.Process.success)
val () = Test.test "C" (fn () => raise Fail "C fails")
val () = Test.test "D" (fn () => ())
SML
echo "-- a thread's test that is not over"
tests unfinished <<'SML'
val _ = CML.spawn (fn () => Test.test "a" (fn () => CML.sync (CML.timeOutEvt (Time.fromSeconds 200))))
val () = CML.yield ()
val () = Test.test "b" (fn () => CML.yield ())
SML
echo "-- tests of two threads, explored"
tests explore --explore=20 <<'SML'
val done : unit CML.chan = CML.channel ()
fun thread f = ignore (CML.spawn (fn () => (f (); CML.send (done, ()))))
val () = thread (fn () => Test.test "bad" (fn () => raise Fail "bad"))
val () = thread (fn () => Test.test "good" (fn () => ()))
val () = (CML.recv done; CML.recv done)
SML
echo "-- tests of eight threads, by a seed"
tests seed --sched-seed=6 <<'SML' | grep -v 'a_test.sml:\|^ *uncaught\|leat test --debug' | sort
val () = List.app (fn n => ignore (CML.spawn (fn () => Test.test ("t" ^ Int.toString n) (fn () => if n mod 2 = 0 then raise Fail (Int.toString n) else ())))) (List.tabulate (8, fn i => i))
val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 100))
SML
