(* Real32.fmt took a negative count, and raised Size only when a real was given: the Basis has it at `fmt spec`, as Real does.
   IEEEReal.scan dropped digits of exponents beyond a thousand million: they are exact as far as `int` goes, then the number is
   zero or infinity. *)
fun raises f = (ignore (f ()); "nothing") handle e => exnName e
val wrong = [StringCvt.FIX (SOME ~1), StringCvt.SCI (SOME ~1), StringCvt.GEN (SOME 0), StringCvt.GEN (SOME ~3)]
fun line l = print (String.concatWith " " l ^ "\n")
val () = line (map (fn style => raises (fn () => Real32.fmt style)) wrong)
val () = line (map (fn style => raises (fn () => Real.fmt style)) wrong)
val () = line (map (fn style => Real32.fmt style (Real32.fromInt 3))
                 [StringCvt.FIX (SOME 1), StringCvt.SCI (SOME 2), StringCvt.GEN (SOME 1), StringCvt.EXACT])

fun show s =
  case IEEEReal.fromString s of
    NONE => "none"
  | SOME {class, exp, sign, digits} =>
      concat [if sign then "-" else "", case class of IEEEReal.ZERO => "zero" | IEEEReal.INF => "inf" | _ => "number",
              ":", String.concat (map Int.toString digits), ":", Int.toString exp]
val () =
  app (fn s => line [s, show s])
    ["1E9000000000", "1.25E~9000000000", "~1E9223372036854775806", "1E9223372036854775807", "12E9223372036854775806",
     "1E~9223372036854775808", "0.001E~9223372036854775808", "1E99999999999999999999", "~1E~99999999999999999999",
     "0E99999999999999999999", "1E", "1E~", "5.e3"]
