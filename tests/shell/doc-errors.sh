# Pages of a program with errors lacked what has them: nothing was said, and the exit code was 0.
cat > e.sml <<'SML'
structure E = struct
  val good = 1
  val bad = 1 + true
end
SML
"$LEAT" doc e.sml -o pages 2> errors
echo "exit $?"
sed 's/ *$//' errors
grep -c good pages/structure-E.html
printf '$(SML_LIB)/basis/basis.mlb\ne.sml\ngone.sml\n' > p.mlb
"$LEAT" doc p.mlb -o more 2> errors
echo "exit $?"
grep '^error' errors
