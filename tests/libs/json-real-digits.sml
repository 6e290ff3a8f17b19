(* A real that JSONCodec writes is read as another one: 12 digits are written of up to 17. Moments in seconds lose all below
   10 ms, money and coordinates their last digits.

   expected:
     1700000000.123456 true
     0.30000000000000004 true
     1234567890123.0 true
   found:
     1700000000.12 false
     0.3 false
     1.23456789012E12 false

   lib/leat/json.sml, `number` was Real.toString. (The same: lib/leat/metrics.sml `number`, lib/leat/log.sml `real`; not
   mended. JSONPrinter writes 17 digits.) *)
fun check x =
  let
    val text = JSONCodec.toString JSONCodec.real x
  in
    print (text ^ " " ^ Bool.toString (Real.== (JSONCodec.fromString JSONCodec.real text, x)) ^ "\n")
  end
val () = List.app check [1700000000.123456, 0.1 + 0.2, 1234567890123.0]
