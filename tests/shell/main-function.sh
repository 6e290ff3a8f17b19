# SML/NJ's ml-build gets the name of a function that begins the program: --main does the same, for a source, an .mlb and
# a .cm file, in memory and built. A function that is not there, or of another type, is told of by what was asked for.
cat > main.sml <<'END'
structure OS = OS
structure Main =
struct
  fun main (name, arguments) =
    (print (String.concatWith ", " arguments ^ "\n"); if null arguments then OS.Process.failure else OS.Process.success)
  fun other () = ()
end
structure OS = struct end
END
printf 'Group\n  structure Main\nis\n  $/basis.cm\n  main.sml\n' > sources.cm
printf '$(SML_LIB)/basis/basis.mlb\nmain.sml\n' > main.mlb
for program in main.sml main.mlb sources.cm; do
  "$LEAT" run --main=Main.main "$program" a --b; echo "run $program: $?"
  "$LEAT" build --main=Main.main "$program" -o prog && ./prog; echo "build $program: $?"
done
"$LEAT" check --main=Main.main main.mlb; echo "check: $?"
"$LEAT" check --main=Main.mian main.mlb 2>&1; echo "not there: $?"
"$LEAT" check --main=Main.other sources.cm 2>&1; echo "another type: $?"
"$LEAT" check --main='print "x"' main.mlb 2>&1 | head -1
"$LEAT" check --main= main.mlb 2>&1 | head -1
# Behind -e EXP every word is the program's.
"$LEAT" run -e 'print (String.concatWith ", " (CommandLine.arguments ()) ^ "\n")' --x -- -O0 --workers=2
"$LEAT" run -O0 -e 'print (String.concatWith ", " (CommandLine.arguments ()) ^ "\n")' -- --x a.c
"$LEAT" run -e '~1; print "minus\n"' 2>/dev/null
# What LEAT_RUN cannot change is refused.
echo 'val () = print "plain\n"' > plain.sml
"$LEAT" build plain.sml -o plain
LEAT_RUN=--align=32 ./plain 2>&1; echo "align: $?"
LEAT_RUN=--align=8 ./plain 2>&1; echo "align: $?"
LEAT_RUN=--nonsense ./plain 2>&1; echo "nonsense: $?"
# A small stack is told in kilobytes.
echo 'fun f n = 1 + f (n + 1)  val _ = f 0' > deep.sml
"$LEAT" run --stack=64K deep.sml 2>&1 | head -1
