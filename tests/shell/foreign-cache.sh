# The object that is kept of a file of C is one of its folder, with the headers and archives that are read there: a copy of a
# project ran with the first one's header.
export XDG_CACHE_HOME="$PWD/.cache"
mkdir a b
printf '#include "cfg.h"\nint number(void) { return N; }\n' | tee a/stub.c > b/stub.c
echo '#define N 1' > a/cfg.h
echo '#define N 2' > b/cfg.h
cat > p.sml <<'S'
val number = _import "number" : unit -> int;
val () = print (Int.toString (number ()) ^ "\n")
S
(cd a && "$LEAT" run stub.c ../p.sml)
(cd b && "$LEAT" run stub.c ../p.sml)
echo "-- an archive that is made again: 60, 100"
echo 'int inner(void); int number(void) { return 2 * inner(); }' > s.c
for n in 30 50; do
  echo "int inner(void) { return $n; }" > n.c
  cc -fPIC -c n.c && rm -f libn.a && ar rcs libn.a n.o
  "$LEAT" run -L. -ln s.c p.sml
done
