(* GMP: numbers without a bound; the header renames all of its functions by macros. *)
structure P = MLton.Pointer
structure Z = Gmp.mpz_struct
fun text p = let fun from i = if P.getWord8 (p, i) = 0w0 then [] else Byte.byteToChar (P.getWord8 (p, i)) :: from (i + 1) in implode (from 0) end
fun new () = let val z = Z.alloc () in Gmp.mpz_init z; z end
fun show z = print (text (Gmp.mpz_get_str (P.null, 10, z)) ^ "\n")
val (a, b) = (new (), new ())
val () = Gmp.mpz_fac_ui (a, 0w30)
val () = show a
val () = print (Int.toString (Gmp.mpz_set_str (b, "~1", 10)) ^ " " ^ Int.toString (Gmp.mpz_set_str (b, "-12345678901234567890", 10)) ^ "\n")
val () = (Gmp.mpz_mul (a, a, b); show a)
val () = print (Bool.toString (IntInf.toString (List.foldl IntInf.* (~12345678901234567890) (List.tabulate (30, fn i => IntInf.fromInt (i + 1))))
  = String.translate (fn #"-" => "~" | c => str c) (text (Gmp.mpz_get_str (P.null, 10, a)))) ^ "\n")
val () = app (fn z => (Gmp.mpz_clear z; Z.free z)) [a, b]
