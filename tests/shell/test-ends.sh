# A process that a test has forked is not the program; a child that was there before is none of the tests'; a group whose set-up
# fails does so whatever is filtered; files and folders of C are those of the folder where Leat was started.
mkdir .git
shown() { sed -E 's/, [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//; s/ +[0-9.]+ m?s$//'; }

cat > over_test.sml <<'S'
val () = Test.test "forks" (fn () =>
  case Posix.Process.fork () of
    NONE => OS.Process.exit OS.Process.success
  | SOME p => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD p, [])))
val () = Posix.Process.exit 0w0
val () = Test.test "never runs" (fn () => Expect.fail "it ran")
S
"$LEAT" test over_test.sml | shown; echo "exit code ${PIPESTATUS[0]}"

cat > group_test.sml <<'S'
open Test
val () = group "db" (fn () => (raise Fail "set-up"; test "read" (fn () => ())))
val () = group "file" (fn () => test "read" (fn () => ()))
S
"$LEAT" test --filter=read group_test.sml | shown; echo "exit code ${PIPESTATUS[0]}"
"$LEAT" test --filter='db / read' group_test.sml | shown; echo "exit code ${PIPESTATUS[0]}"

export XDG_CACHE_HOME="$PWD/.cache"
mkdir src lib; echo 'int foo42(void) { return 42; }' > foo.c; cc -shared -fPIC -o lib/libfoo.so foo.c
cat > src/f_test.sml <<'S'
val foo = _import "foo42" : unit -> int;
val () = Test.test "foo" (fn () => Expect.equal Show.int 42 (foo ()))
S
for words in "foo.c" "foo.c src/f_test.sml" "-Llib -lfoo src"; do "$LEAT" test $words | shown; done

echo 'val () = Test.test "a" (fn () => ())' > a_test.sml
bash -c "sleep 60 > /dev/null 2>&1 & echo \$! > server; exec $LEAT test a_test.sml" | shown
if kill -0 "$(cat server)" 2> /dev/null; then echo "the server runs on"; kill "$(cat server)"; else echo "the server was killed"; fi
