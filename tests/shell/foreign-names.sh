# What the program itself has in C, or exports, comes before a function of the C library that has its name, run and built:
# `leat run` called libm's `gamma`. An archive gives what the program imports, and a shared object is found beside the program.
export XDG_CACHE_HOME="$PWD/.cache"
cat > own.c <<'C'
long gamma(long n) { return n * 2; }
C
cat > own.sml <<'S'
val gamma = _import "gamma" : Int64.int -> Int64.int;
val () = print (Int.toString (gamma 21) ^ "\n")
S
"$LEAT" run own.c own.sml
"$LEAT" build own.c own.sml -o own && ./own
cat > back.c <<'C'
int gamma(int);
int back(int n) { return gamma(n) + 1; }
C
cat > back.sml <<'S'
val gamma = _export "gamma" : (int -> int) -> unit;
val back = _import "back" reentrant : int -> int;
val () = (gamma (fn n => n * 3); print (Int.toString (back 7) ^ "\n"))
S
"$LEAT" run back.c back.sml
"$LEAT" build back.c back.sml -o back && ./back
echo 'int number(void) { return 7; }' > n.c
cc -fPIC -c n.c && ar rcs libnumber.a n.o
cat > p.sml <<'S'
val number = _import "number" : unit -> int;
val () = print (Int.toString (number ()) ^ "\n")
S
"$LEAT" run libnumber.a p.sml
"$LEAT" build libnumber.a p.sml -o p && ./p
cc -shared -fPIC n.c -o libnumber.so
"$LEAT" run libnumber.so p.sml
rm libnumber.so
"$LEAT" run -L. -lnumber p.sml
echo ':load p.sml' | "$LEAT" repl libnumber.a | sed -n 1p
