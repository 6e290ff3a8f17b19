# What docs/reference/units.md calls built in can be named by a program of one source: each structure that its sentence
# names, and those of its `.mlb` files in libraries.md. (`foreign.mlb` was among these, and `Foreign` is not built in.)
docs=$(dirname "$0")/../../docs/reference
structures() { grep -o '`[A-Z][A-Za-z]*`' | sed 's/`\(.*\)`/structure X = \1/'; }
sentence=$(grep 'everything that is built in' "$docs/units.md")
structures <<< "$sentence" > p.sml
for file in $(grep -o '[a-z]*\.mlb' <<< "$sentence"); do
  grep "^| .*/$file\`" "$docs/libraries.md" | structures >> p.sml || echo "no structure in the row of $file"
done
[ "$(wc -l < p.sml)" -ge 12 ] || echo 'too few names were found'
"$LEAT" check p.sml 2>&1 && echo bound
