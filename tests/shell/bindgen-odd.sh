# Headers that `leat bindgen` made wrong bindings of, or such as did not compile: constants that are no numbers of 64 bits, a variable
# whose functions C has too, names that the binding uses, comments in types, packed enumerations, alignments, a function `calls`.
export XDG_CACHE_HOME="$PWD/.cache"
bind() { mkdir "$1"; cat > "$1/h.h"; echo "-- $1"; (cd "$1" && "$LEAT" bindgen h.h > said 2>&1 && "$LEAT" check h.mlb 2>&1 | head -4); }
echo 'int f(void);' > h.h
if ! "$LEAT" bindgen h.h > said 2>&1 && grep libclang said >&2; then
  echo "not tested: there is no libclang" >&2
  cat "${0%.sh}.ok"
  exit
fi
bind constants <<'H'
#define POSINF (1.0/0.0)
#define NOTANUM (0.0/0.0)
#define TOOLARGE 1e400
#define COLOR 255, 128, 0
#define ZERO_IN "ab\0cd"
#define WIDE L"abc"
#define BIG ((__int128)1 << 70)
#define GOOD 7
H
grep 'val .*=' constants/h.sml | grep 'POSINF\|NOTANUM\|TOOLARGE\|COLOR\|ZERO_IN\|WIDE\|BIG\|GOOD'
bind variable <<'H'
extern int counter;
int get_counter(void);
H
bind byte <<'H'
typedef struct Byte { int x; } Byte;
struct z { char c; };
H
bind atomic <<'H'
extern _Atomic(int *) p;
int f(void);
H
bind packed <<'H'
enum e { A = 1, B = 200 } __attribute__((packed));
enum e getE(void);
H
cd packed
printf '#include "h.h"\nenum e getE(void) { return B; }\n' > i.c
echo 'val () = print (Int.toString H.B ^ " is " ^ Word8.fmt StringCvt.DEC (H.getE ()) ^ "\n")' > m.sml
printf '$(SML_LIB)/basis/basis.mlb\nh.mlb\nm.sml\n' > m.mlb
"$LEAT" run i.c m.mlb
cd ..
bind aligned <<'H'
struct v { _Alignas(64) float f[16]; };
H
cd aligned
cat > m.sml <<'S'
fun at _ = Word64.mod (MLton.Pointer.diff (H.v.toPointer (H.v.alloc ()), MLton.Pointer.null), 0w64)
val () = print (String.concatWith " " (List.tabulate (3, Word64.fmt StringCvt.DEC o at)) ^ "\n")
S
printf '$(SML_LIB)/basis/basis.mlb\n$(SML_LIB)/basis/mlton.mlb\nh.mlb\nm.sml\n' > m.mlb
"$LEAT" run m.mlb
cd ..
bind calls <<'H'
int calls(const char *s);
H
cd calls
echo 'int calls(const char *s) { return s[0]; }' > i.c
echo 'val () = print (Int.toString (H.calls "a") ^ "\n")' > m.sml
printf '$(SML_LIB)/basis/basis.mlb\nh.mlb\nm.sml\n' > m.mlb
"$LEAT" run --heap-max=100M i.c m.mlb
