(* Real, Math, IEEEReal: text, parts, neighbours, decimals, odd values. *)
fun line s = print (s ^ "\n")
val inf = Real.posInf
val nan = inf - inf
val values = [0.0, ~0.0, 1.0, ~1.5, 0.1, 123456.789, 1E100, 1E~100, 1.0 / 3.0, 2.0 / 3.0, 1E15, 123456789012.0, 5E~324, inf, ~inf, nan]
val formats = [StringCvt.SCI NONE, StringCvt.SCI (SOME 0), StringCvt.SCI (SOME 10), StringCvt.FIX NONE, StringCvt.FIX (SOME 0),
               StringCvt.GEN NONE, StringCvt.GEN (SOME 3), StringCvt.EXACT]
val () = app (fn x => line (String.concatWith " " (Real.toString x :: map (fn f => Real.fmt f x) formats))) [0.0, ~0.0, 1.0, ~1.5, 0.1, 123456.789, 1E~4, 1.0 / 3.0, inf, ~inf]
val () = app (fn x => let val {man, exp} = Real.toManExp x
                      in line (Real.toString man ^ " " ^ Int.toString exp ^ " " ^ Bool.toString (Real.== (Real.fromManExp {man = man, exp = exp}, x))) end)
  [1.0, ~1.5, 0.1, 1E100, 1E~100, 5E~324, 2.2250738585072014E~308, 1.7976931348623157E308]
val () = app (fn x => let val {whole, frac} = Real.split x in line (Real.toString whole ^ " " ^ Real.toString frac ^ " " ^ Real.toString (Real.realMod x)) end)
  [1.5, ~1.5, 0.0, ~0.0, 1E20, inf, ~inf]
val () = app (fn x => line (String.concatWith " " (map (fn f => Real.toString (f x)) [Real.realFloor, Real.realCeil, Real.realTrunc, Real.realRound])))
  [1.5, 2.5, ~1.5, ~2.5, 0.4, ~0.4, 1E20]
fun try f = (line (f ())) handle Overflow => line "Overflow" | Domain => line "Domain" | Div => line "Div" | IEEEReal.Unordered => line "Unordered" | Size => line "Size"
val () = app (fn x => try (fn () => String.concatWith " " (map (fn f => Int.toString (f x)) [floor, ceil, trunc, round]))) [1.5, 2.5, ~1.5, ~2.5, 0.5, ~0.5, 1E300, inf, nan]
val () = try (fn () => Int.toString (Real.sign nan))
val () = try (fn () => case Real.compare (nan, 1.0) of LESS => "LESS" | _ => "other")
val () = try (fn () => Real.toString (Real.checkFloat inf))
val () = try (fn () => Real.toString (Real.checkFloat nan))
val () = try (fn () => Real.fmt (StringCvt.FIX (SOME ~1)) 1.0)
fun b x = Bool.toString x
val () = line (String.concatWith " " (map b [Real.== (nan, nan), Real.!= (nan, nan), Real.?= (nan, 1.0), Real.unordered (1.0, nan), 1.0 < nan, Real.isNan nan,
  Real.isFinite inf, Real.isNormal 5E~324, Real.isNormal 1.0, Real.signBit ~0.0, Real.sameSign (~0.0, ~1.0), Real.== (0.0, ~0.0)]))
fun class x = case Real.class x of IEEEReal.NAN => "NAN" | IEEEReal.INF => "INF" | IEEEReal.ZERO => "ZERO" | IEEEReal.NORMAL => "NORMAL" | IEEEReal.SUBNORMAL => "SUBNORMAL"
val () = line (String.concatWith " " (map class values))
val () = line (String.concatWith " " (map Real.toString [Real.min (1.0, nan), Real.max (nan, 2.0), Real.min (1.0, 2.0), Real.max (1.0, 2.0), Real.copySign (3.0, ~0.0), Real.rem (7.5, ~2.0), Real.abs ~3.0]))
val () = app (fn (x, y) => line (Real.fmt StringCvt.EXACT (Real.nextAfter (x, y))))
  [(1.0, 2.0), (1.0, 0.0), (0.0, 1.0), (0.0, ~1.0), (~1.0, 0.0), (1.7976931348623157E308, inf), (1.0, 1.0), (2.2250738585072014E~308, 0.0)]
fun dec (d : IEEEReal.decimal_approx) = IEEEReal.toString d
val () = app (fn x => line (dec (Real.toDecimal x))) values
val () = app (fn s => line (case IEEEReal.fromString s of NONE => "NONE" | SOME d => dec d ^ " " ^ Real.fmt StringCvt.EXACT (valOf (Real.fromDecimal d))))
  ["1.5", "0.00123", "~12.500E3", "inf", "~Infinity", "nan", "0.0", "000", "1e~5", "1e", ".5", "5.", "x", "-0", "1E400"]
val () = app (fn s => line (case Real.fromString s of NONE => "NONE" | SOME x => Real.fmt StringCvt.EXACT x))
  ["1.5", "  ~1.5E3x", ".5", "5.", "1e5", "1e", "+2", "-2", "inf", "nanx", "~inf", "infinite", "e5", "", "1.7976931348623157E308", "1E~400", "123456789012345678901234567890"]
val () = line (String.concatWith " " (map (fn x => Real.fmt (StringCvt.SCI (SOME 8)) x)
  [Math.pi, Math.e, Math.sqrt 2.0, Math.sin 1.0, Math.cos 1.0, Math.tan 1.0, Math.asin 0.5, Math.acos 0.5, Math.atan 1.0, Math.atan2 (1.0, ~1.0), Math.exp 1.0, Math.pow (2.0, 0.5), Math.ln 10.0, Math.log10 1000.0, Math.sinh 1.0, Math.cosh 1.0, Math.tanh 1.0]))
val () = line (String.concatWith " " (map LargeInt.toString (map (fn (m, x) => Real.toLargeInt m x)
  [(IEEEReal.TO_NEAREST, 2.5), (IEEEReal.TO_NEGINF, ~2.5), (IEEEReal.TO_POSINF, 2.1), (IEEEReal.TO_ZERO, ~2.9), (IEEEReal.TO_NEAREST, 1E25), (IEEEReal.TO_NEAREST, ~1E19)])))
val () = line (String.concatWith " " (map (Real.fmt StringCvt.EXACT o Real.fromLargeInt)
  [0, ~5, 9007199254740993, 123456789012345678901234567890, ~18446744073709551615, 36893488147419103233]))
