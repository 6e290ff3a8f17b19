# A pure function of C is called only behind the guard before it: the call left the loop, and divided by zero.
export XDG_CACHE_HOME="$PWD/.cache"
echo 'long cdiv(long a, long b) { return a / b; }' > d.c
cat > d.sml <<'S'
val cdiv = _import "cdiv" pure : Int64.int * Int64.int -> Int64.int;
val counter = ref 0
fun loop (i, y, acc) =
  if i = 0 then acc
  else (counter := i; loop (i - 1, y, acc + 100 div y + cdiv (100, y)))
val y = length (CommandLine.arguments ())
fun go f = print (Int.toString (f (10, y, 0)) ^ "\n") handle Div => print "Div\n"
val () = List.app go [loop, #1]
S
"$LEAT" run d.c d.sml
"$LEAT" run -O0 d.c d.sml
