# Two gigabytes of addresses are enough to start. (It wanted more for the heap alone, however small.)
cat > hello.sml <<'SML'
fun make 0 = [] | make n = Int.toString n :: make (n - 1)
val () = print ("hello " ^ Int.toString (length (make 100000)) ^ "\n")
SML
"$LEAT" build hello.sml -o hello
(ulimit -v 2000000; "$LEAT" run hello.sml; "$LEAT" run --workers=2 hello.sml; ./hello) 2>&1
# A limit on data counts what is reserved, too: a built program did not start, nor one that the compiler's stack left
# nothing for.
(ulimit -d 1000000; ./hello) 2>&1
(ulimit -d 1500000; "$LEAT" run hello.sml) 2>&1
