(* Int, Word and the sized ones: text in every radix, reading, signs of quotients, limits. *)
fun line s = print (s ^ "\n")
fun opt f NONE = "NONE" | opt f (SOME x) = f x
val radixes = [StringCvt.BIN, StringCvt.OCT, StringCvt.DEC, StringCvt.HEX]
val () = app (fn i => line (String.concatWith " " (map (fn r => Int.fmt r i) radixes))) [0, 1, ~1, 255, ~256, 1073741823]
val () = app (fn w => line (String.concatWith " " (map (fn r => Word.fmt r w) radixes))) [0w0, 0w1, 0w255, 0w1073741823]
val () = app (fn s => line (String.concatWith " " (map (fn r => opt Int.toString (StringCvt.scanString (Int.scan r) s)) radixes)))
  ["", "0", "12", "~12", "-12", "+12", "  9", "0x1f", "0X", "0xg", "ff", "1 2", "~", "~~1", "- 1", "08", "102", "0x~1"]
val () = app (fn s => line (String.concatWith " " (map (fn r => opt Word.toString (StringCvt.scanString (Word.scan r) s)) radixes)))
  ["", "0", "12", "0w12", "0wx1f", "0xff", "0Xff", "0w", "0wx", "~1", "0wxg", "  7", "ff", "w1"]
val () = app (fn (a, b) => line (String.concatWith " " (map Int.toString [a div b, a mod b, Int.quot (a, b), Int.rem (a, b)])))
  [(7, 2), (~7, 2), (7, ~2), (~7, ~2), (6, 3), (~6, 3), (0, 5), (1, 5), (~1, 5)]
val () = line (String.concatWith " " (map Int.toString [Int.min (1, 2), Int.max (1, 2), Int.sign ~5, Int.sign 0, abs ~3, ~ 3]))
val () = line (Bool.toString (Int.sameSign (1, 2)) ^ Bool.toString (Int.sameSign (0, 2)) ^ Bool.toString (Int.sameSign (~1, ~2)))
fun try f = (line (f ())) handle Overflow => line "Overflow" | Div => line "Div" | Chr => line "Chr" | Size => line "Size"
val () = try (fn () => Int.toString (valOf Int.maxInt + 1))
val () = try (fn () => Int.toString (valOf Int.minInt - 1))
val () = try (fn () => Int.toString (~ (valOf Int.minInt)))
val () = try (fn () => Int.toString (abs (valOf Int.minInt)))
val () = try (fn () => Int.toString (valOf Int.minInt div ~1))
val () = try (fn () => Int.toString (1 div 0))
val () = try (fn () => Int.toString (1 mod 0))
val () = try (fn () => opt Int.toString (Int.fromString "99999999999999999999"))
val () = try (fn () => opt Word.toString (Word.fromString "fffffffffffffffff"))
val () = try (fn () => Word.toString (0w1 div 0w0))
val () = try (fn () => Int.toString (Word.toInt (Word.notb 0w0)))
val () = try (fn () => Int.toString (Word.toIntX (Word.notb 0w0)))
val () = line (String.concatWith " " (map Word.toString [Word.andb (0w12, 0w10), Word.orb (0w12, 0w10), Word.xorb (0w12, 0w10),
  Word.<< (0w1, 0w10), Word.>> (0w1024, 0w3), Word.<< (0w1, 0w200), Word.~>> (0w1024, 0w200)]))
val () = line (String.concatWith " " (map Word8.toString [0w255 + 0w1, 0w0 - 0w1, 0w16 * 0w17, Word8.notb 0w1, Word8.~>> (0w128, 0w2), Word8.<< (0w255, 0w4), Word8.~ 0w1, Word8.fromInt ~3, 0w200 div 0w7, 0w200 mod 0w7]))
val () = line (Int.toString (Word8.toInt 0w255) ^ " " ^ Int.toString (Word8.toIntX 0w255) ^ " " ^ Bool.toString (0w200 > (0w100 : Word8.word)))
val () = try (fn () => opt Word8.toString (Word8.fromString "100"))
val () = try (fn () => opt Word8.toString (Word8.fromString "ff"))
val () = line (String.concatWith " " (map Int32.toString [2147483647, ~2147483648, 5 * 7, 7 div ~2, 7 mod ~2, Int32.quot (7, ~2)]))
val () = try (fn () => Int32.toString (2147483647 + 1))
val () = try (fn () => Int32.toString (65536 * 65536))
val () = try (fn () => Int32.toString (~ (~2147483648)))
val () = try (fn () => opt Int32.toString (Int32.fromString "2147483648"))
val () = line (String.concatWith " " (map Word32.toString [0wxFFFFFFFF + 0w2, 0w65536 * 0w65537, Word32.notb 0w0, Word32.~>> (0wx80000000, 0w4)]))
val () = line (LargeInt.toString (Int.toLarge ~5) ^ " " ^ LargeInt.toString (Word32.toLargeInt 0wxFFFFFFFF) ^ " " ^ LargeInt.toString (Word32.toLargeIntX 0wxFFFFFFFF))
