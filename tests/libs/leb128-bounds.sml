(* LEB128: a number of a fixed size takes no memory for bytes that only repeat its sign. Each was kept until the last one,
   so whoever sends such bytes without an end had all memory. *)
fun show toString r = (case r () of SOME (n, _) => toString n | NONE => "NONE") handle Overflow => "Overflow"
fun bytes l i = if i < length l then SOME (Word8.fromInt (List.nth (l, i)), i + 1) else NONE
fun one l =
  print
    (String.concatWith " "
       [show Int.toString (fn () => LEB128.decodeInt (bytes l) 0),
        show Int64.toString (fn () => LEB128.decodeInt64 (bytes l) 0),
        show Word64.toString (fn () => LEB128.decodeWord64 (bytes l) 0),
        show IntInf.toString (fn () => LEB128.decodeIntInf (bytes l) 0),
        show IntInf.toString (fn () => LEB128.decodeUIntInf (bytes l) 0)] ^ "\n")
fun times (n, b) = List.tabulate (n, fn _ => b)
val () =
  app one
    [(* the greatest and the least, and one more *)
     times (9, 0xFF) @ [0], times (9, 0x80) @ [0x7F], times (9, 0xFF) @ [1], times (9, 0x80) @ [1], times (9, 0x80) @ [0x7E], times (9, 0x80) @ [2],
     (* in excess *)
     [0x85, 0x80, 0], 0x85 :: times (9, 0x80) @ [0], 0x85 :: times (20, 0x80) @ [0], 0x85 :: times (20, 0xFF) @ [0x7F],
     times (9, 0x80) @ [0x81, 0x80, 0x80, 0], times (9, 0x80) @ [0xFF, 0xFF, 0xFF, 0x7F], times (9, 0x80) @ [0xFF, 0xFF, 0xFF, 0],
     0x85 :: times (20, 0x80) @ [1], 0x85 :: times (20, 0x81) @ [1], 0x85 :: times (20, 0xFF) @ [0], 0x85 :: times (20, 0x80) @ [0x7F],
     0x85 :: times (20, 0xFF) @ [1],
     (* cut *)
     times (5, 0x80), times (30, 0x80), times (30, 0xFF)]

(* Of many bytes nothing is kept. *)
val count = 300000
fun many last i = if i < count then SOME (0wx80, i + 1) else if i = count then SOME (last, i + 1) else NONE
val () = print (show Int.toString (fn () => LEB128.decodeInt (many 0w0) 0) ^ "\n")
fun live () = (MLton.GC.collect (); IntInf.toInt (MLton.GC.Statistics.lastBytesLive ()))
val seen = ref 0
val before' = live ()
fun watched i = (if i = count - 1 then seen := live () - before' else (); many 0w0 i)
val () = print (show Word64.toString (fn () => LEB128.decodeWord64 watched 0) ^ "\n")
val () = print (if !seen < 1000000 then "in no room\n" else Int.toString (!seen) ^ "\n")
