# `leat build` never writes over a source, however its name is written, and however the program names it: the user's file was
# the executable then. Nor does any command write a header over a file that is none of Leat's own.
new() {
    printf 'val () = print "hi\\n"\n' > x.sml
    printf '$(SML_LIB)/basis/basis.mlb\nx.sml\n' > p.mlb
    printf 'int one(void) { return 1; }\n' > c.c
    ln -sf x.sml link.sml
    cat x.sml p.mlb c.c > before
}
is() { echo "exit $1"; cat x.sml p.mlb c.c | cmp - before; }
new
"$LEAT" build x.sml -o ./x.sml 2>&1; is $?
"$LEAT" build "$PWD/x.sml" -o x.sml 2>&1; is $?
"$LEAT" build x.sml -o link.sml 2>&1; is $?
"$LEAT" build p.mlb -o x.sml 2>&1; is $?
"$LEAT" build p.mlb -o p.mlb 2>&1; is $?
"$LEAT" build x.sml c.c -o c.c 2>&1; is $?
"$LEAT" build x.sml -o z --export-header x.sml 2>&1; is $?
"$LEAT" run --export-header c.c x.sml 2>&1; is $?
"$LEAT" build x.sml -o z --export-header c.c 2>&1; is $?
"$LEAT" run --export-header x.h x.sml && "$LEAT" run --export-header x.h x.sml 2>&1; is $?
"$LEAT" build p.mlb -o z 2>&1 && ./z; is $?
