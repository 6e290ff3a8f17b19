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
cat > k.sml <<'S'
val k = _import "k" : unit -> int;
val () = print (Int.toString (k ()) ^ "\n")
S
unset CC CPATH
echo "-- 1. a header that is saved while the C compiler runs"
# ends when the header was saved
cat > slow <<'S'
#!/bin/sh
gcc "$@" || exit 1
case "$*" in *-c*) touch compiled; while ! [ -e saved ]; do sleep 0.05; done;; esac
S
chmod +x slow
echo '#define K 1' > k.h; printf '#include "k.h"\nint k(void) { return K; }\n' > k.c
CC=./slow "$LEAT" run k.c k.sml &
for i in $(seq 600); do [ -e compiled ] && break; sleep 0.05; done; echo '#define K 2' > k.h; touch saved; wait
CC=./slow "$LEAT" run k.c k.sml

echo "-- 2. a header with # (or \$) in its path"
mkdir 'c#'; echo '#define K 1' > 'c#/h.h'; printf '#include "c#/h.h"\nint k(void) { return K; }\n' > h.c
"$LEAT" run h.c k.sml; echo '#define K 2' > 'c#/h.h'; "$LEAT" run h.c k.sml

echo "-- 3. the compiler's environment"
mkdir i1 i2; echo '#define K 7' > i1/e.h; echo '#define K 8' > i2/e.h; printf '#include <e.h>\nint k(void) { return K; }\n' > e.c
CPATH=i1 "$LEAT" run e.c k.sml; CPATH=i2 "$LEAT" run e.c k.sml

echo "-- 4. an object that was cut off (a full disk, a machine that lost power)"
for n in 0 9000; do
  echo "int k(void) { return 20; } /* $n */" > d.c; "$LEAT" run d.c k.sml > /dev/null
  O=$(ls -t .cache/leat/foreign/*.so | head -1); truncate -s $n "$O"; "$LEAT" run d.c k.sml; echo "exit code $?"
done
cd /
