(* IntInf: signs and sizes around the machine integer, Karatsuba against rows, text both ways, bits. *)
fun check name true = ()
  | check name false = print ("wrong: " ^ name ^ "\n")
fun show i = print (IntInf.toString i ^ "\n")

val big = IntInf.pow (2, 64)
val () = app show [big, ~big, big - 1, ~big + 1, 9223372036854775807, ~9223372036854775808, 9223372036854775808, ~9223372036854775809]
val () = show (9223372036854775807 + 1)
val () = show (~9223372036854775808 - 1 : IntInf.int)
val () = show (~ (~9223372036854775808) : IntInf.int)
val () = show (4294967296 * 4294967296)
val () = show (123456789012345678901234567890 * 987654321098765432109876543210)
val () = show (123456789012345678901234567890 div 98765432109876)
val () = show (123456789012345678901234567890 mod 98765432109876)
val () = show (~123456789012345678901234567890 div 98765432109876)
val () = show (~123456789012345678901234567890 mod 98765432109876)
val () = show (IntInf.quot (~123456789012345678901234567890, 98765432109876))
val () = show (IntInf.rem (~123456789012345678901234567890, 98765432109876))
val () = show (~9223372036854775808 div ~1)

fun fact 0 = 1 : IntInf.int
  | fact n = IntInf.fromInt n * fact (n - 1)
val f = fact 100
val () = show f
val () = check "sizes" (size (IntInf.toString (fact 1000)) = 2568)

(* (a + b)^2 = a^2 + 2ab + b^2 and division undone, at lengths around the limits of Karatsuba's method *)
fun random (n, seed : word) =
  let fun go (0, x, _) = x
        | go (k, x, s) =
            let val s = s * 0w6364136223846793005 + 0w1442695040888963407
            in go (k - 1, IntInf.orb (IntInf.<< (x, 0w32), IntInf.fromInt (Word.toInt (Word.>> (s, 0w32)))), s) end
  in go (n, 0, seed) end
val () =
  app (fn (m, n) =>
         let
           val a = random (m, 0w1)
           val b = random (n, 0w2)
           val s = a + b
           val what = Int.toString m ^ " " ^ Int.toString n
         in
           check ("square " ^ what) (s * s = a * a + 2 * a * b + b * b);
           check ("division " ^ what) (let val (q, r) = IntInf.quotRem (a * b + (b - 1), b) in q = a andalso r = b - 1 end);
           check ("text " ^ what) (IntInf.fromString (IntInf.toString s) = SOME s);
           check ("hex " ^ what) (StringCvt.scanString (IntInf.scan StringCvt.HEX) (IntInf.fmt StringCvt.HEX (~s)) = SOME (~s));
           check ("bin " ^ what) (StringCvt.scanString (IntInf.scan StringCvt.BIN) (IntInf.fmt StringCvt.BIN s) = SOME s);
           check ("oct " ^ what) (StringCvt.scanString (IntInf.scan StringCvt.OCT) (IntInf.fmt StringCvt.OCT s) = SOME s)
         end)
      [(1, 1), (2, 1), (3, 2), (10, 3), (78, 80), (80, 80), (82, 79), (160, 81), (200, 200), (500, 100), (1000, 999), (3000, 90), (3001, 2999)]

val () = app (fn (a, b) => print (IntInf.toString (IntInf.andb (a, b)) ^ " " ^ IntInf.toString (IntInf.orb (a, b)) ^ " "
                                  ^ IntInf.toString (IntInf.xorb (a, b)) ^ "\n"))
  [(5, 3), (~5, 3), (~5, ~3), (big, big - 1), (~big, big - 1), (~big, ~1), (big * 5, ~big * 3)]
val () = show (IntInf.notb big)
val () = app (fn k => print (IntInf.toString (IntInf.<< (~3, k)) ^ " " ^ IntInf.toString (IntInf.~>> (~big - 5, k)) ^ "\n"))
  [0w0, 0w1, 0w2, 0w3, 0w62, 0w63, 0w64, 0w65, 0w200]
val () = app (fn i => print (Int.toString (IntInf.log2 i) ^ " ")) [1, 2, 3, 4, big - 1, big, big + 1]
val () = print "\n"
val () = (IntInf.log2 0; ()) handle Domain => print "Domain\n"
val () = (IntInf.toInt big; ()) handle Overflow => print "Overflow\n"
val () = (IntInf.div (big, 0); ()) handle Div => print "Div\n"
val () = app (fn (b, e) => show (IntInf.pow (b, e))) [(0, 0), (1, ~5), (~1, ~5), (~1, ~4), (2, ~1), (~3, 41)]
val () = (show (IntInf.pow (0, ~1))) handle Div => print "Div\n"
val () = app (fn s => print (case IntInf.fromString s of NONE => "none\n" | SOME i => IntInf.toString i ^ "\n"))
  ["", "-", "~12", "+7x", "  99999999999999999999", "-0"]
fun name (0 : IntInf.int) = "zero" | name 18446744073709551616 = "2^64" | name ~1 = "minus one" | name _ = "other"
val () = app (fn i => print (name i ^ "\n")) [0, big, ~1, big + 1, ~big]
val () = print (Real.toString (Real.fromLargeInt (fact 20)) ^ " " ^ Real.toString (Real.fromLargeInt (~(fact 30))) ^ "\n")
val () = show (Real.toLargeInt IEEEReal.TO_NEAREST 1.0E20)
val () = show (Real.toLargeInt IEEEReal.TO_NEGINF ~2.5)
val () = check "compare" (List.all (fn (a, b) => a < b andalso b > a andalso a <= b andalso not (a >= b) andalso IntInf.compare (a, b) = LESS)
  [(1, 2), (~big, 1), (1, big), (~big, big), (~big - 1, ~big), (big, big + 1)])
val () = print (Word.toString (Word.fromLargeInt (~big - 1)) ^ " " ^ IntInf.toString (Word.toLargeInt 0wxFFFFFFFFFFFFFFFF) ^ " " ^ IntInf.toString (Word.toLargeIntX 0wxFFFFFFFFFFFFFFFF) ^ "\n")
