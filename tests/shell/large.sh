# Programs that a machine has written: a datatype of 70,000 constructors, one with too many arguments to tell apart, a constant
# of a million digits, a tuple of too many parts. (65,536 constructors were "a defect of leat"; the digits took eleven seconds.)
awk 'BEGIN { printf "datatype t = C0"; for (i = 1; i < 70000; i++) printf " | C%d", i
  print "\nfun f C7 = 1 | f C65535 = 2 | f C69999 = 3 | f _ = 4"
  print "val () = print (String.concatWith \" \" (map (Int.toString o f) [C7, C65535, C69999, C65536]) ^ \"\\n\")"
  print "val () = print (Bool.toString (C65536 = C0) ^ \"\\n\")" }' > plain.sml
"$LEAT" run plain.sml
awk 'BEGIN { printf "datatype t = C0"; for (i = 1; i < 65536; i++) printf " | C%d of int", i
  print "\nfun f (C65535 x) = x | f _ = 4\nval () = print (Int.toString (f (C65535 1)) ^ \"\\n\")" }' > most.sml
"$LEAT" run most.sml
awk 'BEGIN { printf "datatype t = C0 of int"; for (i = 1; i < 65536; i++) printf " | C%d of int", i
  print "\nfun f (C65535 x) = x | f _ = 4\nval () = print (Int.toString (f (C65535 1)) ^ \"\\n\")" }' > boxed.sml
"$LEAT" run boxed.sml 2>&1; echo "exit $?"
awk 'BEGIN { printf "val n : IntInf.int = "; for (i = 0; i < 100000; i++) printf "1234567890"
  print "\nval () = print (IntInf.toString (n mod 1000007) ^ \" \" ^ Int.toString (IntInf.log2 n) ^ \"\\n\")" }' > digits.sml
"$LEAT" run digits.sml
