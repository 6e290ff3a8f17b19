# A chain of functions that do not call themselves, called near the end of a stack: StackOverflow is raised, and handled. Functions
# outside of cycles had no check, and shared 256 KiB below the limit: the program crashed.
awk 'BEGIN {
  n = 900; k = 40
  print "val r = ref 0"
  print "fun f" n " x = (r := !r + x; x)"
  for (i = n - 1; i >= 0; i--) {
    line = "fun f" i " x = let"; sum = "y + z"
    for (j = 0; j < k; j++) { line = line " val a" j " = !r + " j " * x"; sum = sum " + a" j }
    print line " val y = f" i + 1 " (x mod 1000) val z = if x > 5000 then f" i + 1 " 7 else 0 in (" sum ") mod 1000 end"
  }
  print "fun deep n = (if n mod 100 = 0 then ignore (f0 n) else (); 1 + deep (n + 1))"
  print "val () = print (Int.toString (deep 1)) handle StackOverflow => print \"StackOverflow\\n\""
}' > chain.sml
"$LEAT" run --stack=1M chain.sml
echo "exit $?"
