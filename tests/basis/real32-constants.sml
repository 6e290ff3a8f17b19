(* A constant of type Real32.real is the one that is nearest to its text. (It was rounded to a real first, which is half way
   between two of them here, and then to the even one.) *)
val above : Real32.real = 1.000000059604644775390626
val half : Real32.real = 1.000000059604644775390625
val below : Real32.real = 1.000000059604644775390624
val next = Real32.nextAfter (1.0, 2.0)
val () = print (String.concatWith " " (map (fn x => Bool.toString (Real32.== (x, next))) [above, half, below]) ^ "\n")
val () = print (String.concatWith " " (map (fn x => Bool.toString (Real32.== (x, 1.0))) [above, half, below]) ^ "\n")
(* the same text as a real *)
val both = (1.000000059604644775390626 : Real32.real, 1.000000059604644775390626)
val () = print (Real32.toString (#1 both) ^ " " ^ Real.toString (#2 both) ^ "\n")
(* the smallest ones *)
val () = print (Real32.toString 7.0064923216240854e~46 ^ " " ^ Real32.toString 7.0064923216240853e~46 ^ "\n")
val () = print (Real32.toString 1.4012984643e~45 ^ " " ^ Real32.toString ~3.4028235677973365e38 ^ "\n")
(* What stands under a type is the same constant. (By another place it was not found, and rounded to a real first.) *)
val () = print (Bool.toString (Real32.== ((1.000000059604644775390626 : Real32.real), above)) ^ "\n")
val () = print (Real32.toString (3.4028235677973365e38 : Real32.real) ^ " ")
val () = print (Real32.toString ((7.0064923216240854e~46 : Real32.real) : Real32.real) ^ "\n")
