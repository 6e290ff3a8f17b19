# A file of a project was run by itself, and the advice was a library with a similar name; so was that for a file that stands
# beside it.
mkdir project project/src
echo '$(SML_LIB)/basis/basis.mlb src/count.sml main.sml' > project/tally.mlb
echo 'structure Count = struct fun one n = n + 1 end' > project/src/count.sml
echo 'val () = print (Int.toString (Count.one 1) ^ "\n")' > project/main.sml
(cd project && "$LEAT" run main.sml; "$LEAT" run tally.mlb) 2>&1
mkdir beside
cp project/src/count.sml project/main.sml beside
cd beside
"$LEAT" check main.sml 2>&1
"$LEAT" check main.sml count.sml 2>&1
"$LEAT" check count.sml main.sml 2>&1
echo '$(SML_LIB)/basis/basis.mlb main.sml count.sml' > wrong.mlb
"$LEAT" check wrong.mlb 2>&1
# One of a project's folders has it, but no description names that file: there was no advice.
cd ../project
echo 'structure New = struct val x = 1 end' > src/new.sml
echo 'val () = print (Int.toString New.x)' > main.sml
"$LEAT" check tally.mlb 2>&1
