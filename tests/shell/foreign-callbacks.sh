# A function that raises gives C zeros: as many as the structure has bytes, and by the shape that it had when C called it, though
# it has freed itself since.
export XDG_CACHE_HOME="$PWD/.cache"
cat > c.c <<'C'
#include <stdint.h>
struct five { int32_t a, b, c, d, e; };
static int32_t first, second, third;
int call(struct five (*f)(int)) {
  volatile int32_t x = 1, y = 2, z = 3;
  struct five s = f(3);
  first = x; second = y; third = z;
  return s.e;
}
int variables(void) { return first * 100 + second * 10 + third; }
C
cat > c.sml <<'S'
val make = _export * : (int -> int * int * int * int * int) -> MLton.Pointer.t;
val call = _import "call" reentrant : MLton.Pointer.t -> int;
val variables = _import "variables" : unit -> int;
fun tell () = print (Int.toString (variables ()) ^ "\n")
val good = make (fn n => (n, n, n, n, n))
val bad = make (fn _ => raise Fail "x")
val _ = call good
val () = tell ()
val _ = call bad handle Fail _ => 0
val () = tell ()
S
"$LEAT" run --cc-opt=-O1 c.c c.sml
echo 'int once(int (*f)(int)) { return f(3) + 1; }' > f.c
cat > f.mlb <<'M'
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/basis/mlton.mlb
$(SML_LIB)/leat/foreign.mlb
ann "allowFFI true" in f.sml end
M
cat > f.sml <<'S'
val once = _import "once" reentrant : MLton.Pointer.t -> int;
val make = _export * : (int -> int) -> MLton.Pointer.t;
val next = _export * : (int -> int * int * int * int * int) -> MLton.Pointer.t;
val self = ref MLton.Pointer.null
val () = self := make (fn _ => (Foreign.free (!self); ignore (next (fn n => (n, n, n, n, n))); raise Fail "failed"))
val () = print (Int.toString (once (!self)) ^ "\n") handle Fail s => print ("Fail " ^ s ^ "\n")
S
"$LEAT" run f.c f.mlb
