(* Time: units, text, what does not fit. *)
fun line s = print (s ^ "\n")
val t = Time.fromReal 1234.56789
val () = app (fn n => line (Time.fmt n t)) [0, 1, 2, 3, 6, 9]
val () = line (Time.toString t ^ " " ^ Time.toString (Time.- (Time.zeroTime, t)) ^ " " ^ Time.fmt 0 (Time.fromReal 0.5))
val () = app (fn f => line (LargeInt.toString (f t))) [Time.toSeconds, Time.toMilliseconds, Time.toMicroseconds]
val () = app (fn f => line (LargeInt.toString (f (Time.fromReal ~1.9999)))) [Time.toSeconds, Time.toMilliseconds]
val () = app (fn s => line (case Time.fromString s of SOME t => Time.toString t | NONE => "NONE"))
  ["12", "12.5", ".5", "~3.25", "-3.25", "+1", "  7.", "x", "1.2345678", "~.5", "."]
val () = line (Bool.toString (Time.< (Time.fromSeconds 1, Time.fromMilliseconds 1001)))
val () = (Time.fmt ~1 t; ()) handle Size => line "Size"
val () = line (Bool.toString (Time.> (Time.now (), Time.fromSeconds 1700000000)))
