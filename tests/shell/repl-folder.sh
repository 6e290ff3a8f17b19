# A folder stands for its project, as with the other commands.
mkdir project
printf 'val answer = 42\n' > project/main.sml
printf '$(SML_LIB)/basis/basis.mlb\nmain.sml\n' > project/project.mlb
printf 'answer;\n' | "$LEAT" repl project 2>&1
echo "exit code ${PIPESTATUS[1]}"
mkdir empty
"$LEAT" repl empty < /dev/null 2>&1
echo "exit code $?"
