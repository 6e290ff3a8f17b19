# The content of a cell, and what the setter of a symbol gets, must fit C's type, as arguments must: both were cut in silence.
export XDG_CACHE_HOME="$PWD/.cache"
cat > r.c <<'C'
int global = 5;
void twice(int *p) { *p *= 2; }
C
cat > r.sml <<'S'
val twice = _import "twice" : int ref -> unit;
val twiceOutside = _import "twice" blocking : int ref -> unit;
val (get, set) = _symbol "global" : int;
fun tell f = print ((Int.toString (f ()) handle Overflow => "Overflow") ^ "\n")
fun cell f = let val r = ref 0x100000001 in f r; !r end
val () = tell (fn () => cell twice)
val () = tell (fn () => cell twiceOutside)
val () = tell (fn () => (set 0x100000001; get ()))
S
"$LEAT" run r.c r.sml
