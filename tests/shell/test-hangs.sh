# A test that waits for a child hangs as any other: it was reported to have passed, and the next one was blamed. The signal that
# asks a process where its threads are went to its children, too, who died of it; so the test went on.
mkdir .git
# other runs of this test may be beside
mark=$((RANDOM + 100)).$$
cat > a_test.sml <<SML
val () = Test.test "waits for a child" (fn () => ignore (OS.Process.system "sleep 61$mark"))
val () = Test.test "after" (fn () => CML.sync (CML.timeOutEvt (Time.fromMilliseconds 10)))
val () = Test.test "waits for a child that ignores signals" (fn () => ignore (OS.Process.system "trap '' QUIT INT TERM; sleep 61$mark; sleep 62$mark"))
val () = Test.test "last" (fn () => ())
SML
"$LEAT" test a_test.sml --timeout=2 --verbose | grep -E '^  (ok|FAIL)|it hangs|^[0-9]' | sed -E 's/  [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//'
left() { ps -eo args | grep -c "^sleep 6[12]$mark\$"; }
for i in $(seq 100); do [ "$(left)" = 0 ] && break; sleep 0.1; done; left
