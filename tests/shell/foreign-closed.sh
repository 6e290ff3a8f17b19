# A call of an exported function behind `leat_close` is told of; it had waited for ever.
export XDG_CACHE_HOME="$PWD/.cache"
cat > a.mlb <<'M'
$(SML_LIB)/basis/basis.mlb
ann "allowFFI true" in a.sml end
M
cat > a.sml <<'S'
val add = _export "add" : (int -> int) -> unit;
val () = add (fn n => n + 1)
S
cat > m.c <<'C'
#include <stdio.h>
#include "a.h"
int main(int argc, char **argv) {
  if (leat_open(argc, (const char *const *)argv)) return 1;
  printf("%d\n", add(3));
  printf("closed: %d\n", leat_close());
  fflush(stdout);
  printf("%d\n", add(4));
  return 0;
}
C
"$LEAT" build --format=library --export-header a.h -o a.a a.mlb
cc -no-pie m.c a.a -lm -lpthread -ldl -o m && timeout 60 ./m 2>&1
echo "exit $?"
