# A program's own Word8 with an abstract type has no constants, in the sources behind it neither: 0w5 was taken for a string, and the program crashed.
cat > a.sml <<'SML'
structure Word8 :> sig type word val show : word -> string end = struct type word = string fun show w = w end
structure Int05 :> sig type int val show : int -> string end = struct type int = string fun show i = i end
SML
echo 'val () = print (Word8.show 0w5 ^ "\n")' > b.sml
echo 'val () = print (Int05.show 5 ^ "\n")' > c.sml
for name in b c; do
  printf '$(SML_LIB)/basis/basis.mlb\na.sml\n%s.sml\n' $name > p.mlb
  "$LEAT" run p.mlb 2>&1 | grep -c 'type/mismatch'
done
