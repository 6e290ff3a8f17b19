# Programs and scripts that were written for SML/NJ or MLton pass options of those runtimes among the program's words. They
# went to the program, or were "no such file". They are taken when the program is built for it, or LEAT_RUN asks for it.
cat > words.sml <<'SML'
val () = print (String.concatWith "," (CommandLine.name () :: CommandLine.arguments ()) ^ "\n")
val () = MLton.GC.collect ()
SML
cat > summary.sml <<'SML'
val () = MLton.GC.setSummary true
val () = print (Int.toString (length (List.tabulate (100000, fn i => i))) ^ "\n")
SML
# Figures differ from run to run; their places do not.
shape() { sed -E 's/[0-9][0-9,.]*/N/g; s/ +/ /g; s/ - *$/ N MB\/s/; s/, -;/, N MB\/s;/'; }

"$LEAT" build words.sml -o plain && "$LEAT" build --runtime='--runtime-words --nursery=8M' words.sml -o asked
echo "arguments like any other:"; ./plain a @SMLalloc=4096 @MLton gc-summary -- b
echo "LEAT_RUN asks:"; LEAT_RUN=--runtime-words ./plain a @SMLalloc=4096 @SMLcmdname=me b
echo "built for it:"; ./asked @MLton gc-summary-file told max-heap 1g -- a b; shape < told
echo "in memory:"; "$LEAT" run --runtime-words words.sml @SMLquiet c
echo "the program asks:"; "$LEAT" run summary.sml 2>&1 | shape
echo "an option:"; "$LEAT" run --gc-summary words.sml 2>&1 | shape | head -2
echo "to a file that cannot be:"; "$LEAT" run --gc-summary=no/such words.sml 2>&1

echo "refused:"
./asked @SMLload=heap 2>&1; echo $?
./asked @MLton gc-summary 2>&1; echo $?
"$LEAT" run @SMLalloc=4096 words.sml 2>&1; echo $?
"$LEAT" @SMLload=heap 2>&1; echo $?
"$LEAT" build --runtime='--nonsense' words.sml 2>&1; echo $?
"$LEAT" build --runtime='--align=16' words.sml 2>&1; echo $?
