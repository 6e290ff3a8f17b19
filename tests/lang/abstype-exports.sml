(* What the body of an abstype declares is exported as the body has it: `datatype p = datatype t` brings the constructors of
   t out with it (the Definition, rule 19; SML/NJ and Poly/ML). The name of the abstype itself is abstract, unless the body
   declares it anew. *)
abstype t = X with datatype p = datatype t end
fun show X = "X"
val () = print (show X ^ "\n")
abstype u = Y of int with type u = int * string val make = Y end
val pair : u = (1, "one")
val () = print (#2 pair ^ "\n")
abstype v = Z of int with val make = Z fun get (Z n) = n end
datatype z = Z of string
val Z text = Z (Int.toString (get (make 7)))
val () = print (text ^ "\n")
(* A word constant has no sign, and `0x` needs a digit: a constant and a name each. *)
fun add a b = a + b
val w1 = 3 and xz = 4 and wx = 5
val () = print (String.concatWith " " (map Int.toString [add ~0w1, add 0xz, add ~0wx, add 0 w1]) ^ "\n")
