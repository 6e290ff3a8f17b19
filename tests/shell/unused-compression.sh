# A program that does not compress has nothing of what does: the linker drops it. The names of functions are in the symbol table.
cat > plain.sml <<'SML'
val () = print "plain\n"
SML
cat > packed.sml <<'SML'
val text = Gzip.compress {format = Gzip.GZIP, level = 6} "packed\n"
val () = print (Gzip.decompress {format = Gzip.GZIP, most = 100} text)
SML
echo '$(SML_LIB)/basis/basis.mlb $(SML_LIB)/leat/gzip.mlb packed.sml' > packed.mlb
for f in plain.sml packed.mlb; do
  "$LEAT" build $f -o p > /dev/null && ./p
  for word in compress_inner leat_zip_step; do grep -q $word p && echo "has $word" || echo "no $word"; done
done
