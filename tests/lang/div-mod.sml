(* `div`, `mod`, `quot` and `rem` obey their laws: of numbers that are known only when the program runs, and by constants.
   Two numbers that are not negative and have 32 bits are divided on a path of their own; a constant divisor becomes a
   product with a factor, of -1 - a for a negative a. *)
val two32 = 4294967296
val numbers =
  [0,
   1,
   2,
   3,
   5,
   6,
   7,
   9,
   10,
   11,
   63,
   64,
   65,
   99,
   100,
   255,
   256,
   1000003,
   0x7fffffff,
   0x80000000,
   two32 - 1,
   two32]
  @ [two32 + 1,
     two32 * 3,
     123456789012345678,
     0x3fffffffffffffff,
     0x4000000000000000,
     valOf Int.maxInt - 1]
  @ [valOf Int.maxInt, valOf Int.minInt, valOf Int.minInt + 1]
val all = numbers @ List.mapPartial (fn n => if n > 0 then SOME (~n) else NONE) numbers

val wrong = ref 0
fun fault what (a, b) =
  (wrong := !wrong + 1;
   if !wrong < 20 then print (concat [what, " ", Int.toString a, " ", Int.toString b, "\n"])
   else ())

val large = IntInf.fromInt
(* q * b + r = a, without overflow. *)
fun sums (a, b, q, r) = large q * large b + large r = large a

(* `q` and `r` are the four functions' answers, or NONE for Overflow. *)
fun check (a, b, (d, m, q, r)) =
  if a = valOf Int.minInt andalso b = ~1 then
    if isSome d orelse isSome q orelse m <> 0 orelse r <> 0 then fault "least" (a, b) else ()
  else
    case (d, q) of
      (SOME d, SOME q) =>
        (if sums (a, b, d, m) andalso (if b > 0 then 0 <= m andalso m < b else b < m andalso m <= 0)
         then ()
         else fault "div, mod" (a, b);
         if sums (a, b, q, r)
            andalso (r = 0 orelse (r < 0) = (a < 0))
            andalso Int.abs (r div 2) <= Int.abs (b div 2)
         then ()
         else fault "quot, rem" (a, b))
    | _ => fault "Overflow" (a, b)

fun try f = SOME (f ()) handle Overflow => NONE
fun any (a, b) = (try (fn () => a div b), a mod b, try (fn () => Int.quot (a, b)), Int.rem (a, b))
val () =
  List.app (fn b => if b = 0 then () else List.app (fn a => check (a, b, any (a, b))) all) all
val () = List.app (fn a => (ignore (a mod 0); fault "Div" (a, 0)) handle Div => ()) all

(* The same by constants. *)
fun by (b, f) = List.app (fn a => check (a, b, f a)) all
val () =
  (by
     (1, fn a => (try (fn () => a div 1), a mod 1, try (fn () => Int.quot (a, 1)), Int.rem (a, 1)));
   by (~1,
       fn a =>
         (try (fn () => a div ~1), a mod ~1, try (fn () => Int.quot (a, ~1)), Int.rem (a, ~1)));
   by (2, fn a => (SOME (a div 2), a mod 2, SOME (Int.quot (a, 2)), Int.rem (a, 2)));
   by (~2, fn a => (SOME (a div ~2), a mod ~2, SOME (Int.quot (a, ~2)), Int.rem (a, ~2)));
   by (3, fn a => (SOME (a div 3), a mod 3, SOME (Int.quot (a, 3)), Int.rem (a, 3)));
   by (~3, fn a => (SOME (a div ~3), a mod ~3, SOME (Int.quot (a, ~3)), Int.rem (a, ~3)));
   by (7, fn a => (SOME (a div 7), a mod 7, SOME (Int.quot (a, 7)), Int.rem (a, 7)));
   by (~7, fn a => (SOME (a div ~7), a mod ~7, SOME (Int.quot (a, ~7)), Int.rem (a, ~7)));
   by (8, fn a => (SOME (a div 8), a mod 8, SOME (Int.quot (a, 8)), Int.rem (a, 8)));
   by (10, fn a => (SOME (a div 10), a mod 10, SOME (Int.quot (a, 10)), Int.rem (a, 10)));
   by (~10, fn a => (SOME (a div ~10), a mod ~10, SOME (Int.quot (a, ~10)), Int.rem (a, ~10)));
   by (64, fn a => (SOME (a div 64), a mod 64, SOME (Int.quot (a, 64)), Int.rem (a, 64)));
   by (~64, fn a => (SOME (a div ~64), a mod ~64, SOME (Int.quot (a, ~64)), Int.rem (a, ~64)));
   by (100, fn a => (SOME (a div 100), a mod 100, SOME (Int.quot (a, 100)), Int.rem (a, 100)));
   by (641, fn a => (SOME (a div 641), a mod 641, SOME (Int.quot (a, 641)), Int.rem (a, 641)));
   by (1000003,
       fn a =>
         (SOME (a div 1000003), a mod 1000003, SOME (Int.quot (a, 1000003)), Int.rem (a, 1000003)));
   by (~1000003,
       fn a =>
         (SOME (a div ~1000003),
          a mod ~1000003,
          SOME (Int.quot (a, ~1000003)),
          Int.rem (a, ~1000003)));
   by (2147483647,
       fn a =>
         (SOME (a div 2147483647),
          a mod 2147483647,
          SOME (Int.quot (a, 2147483647)),
          Int.rem (a, 2147483647)));
   by (2147483648,
       fn a =>
         (SOME (a div 2147483648),
          a mod 2147483648,
          SOME (Int.quot (a, 2147483648)),
          Int.rem (a, 2147483648)));
   by (4294967295,
       fn a =>
         (SOME (a div 4294967295),
          a mod 4294967295,
          SOME (Int.quot (a, 4294967295)),
          Int.rem (a, 4294967295)));
   by (4294967296,
       fn a =>
         (SOME (a div 4294967296),
          a mod 4294967296,
          SOME (Int.quot (a, 4294967296)),
          Int.rem (a, 4294967296)));
   by (4294967297,
       fn a =>
         (SOME (a div 4294967297),
          a mod 4294967297,
          SOME (Int.quot (a, 4294967297)),
          Int.rem (a, 4294967297)));
   by (~4294967297,
       fn a =>
         (SOME (a div ~4294967297),
          a mod ~4294967297,
          SOME (Int.quot (a, ~4294967297)),
          Int.rem (a, ~4294967297)));
   by (123456789012345678,
       fn a =>
         (SOME (a div 123456789012345678),
          a mod 123456789012345678,
          SOME (Int.quot (a, 123456789012345678)),
          Int.rem (a, 123456789012345678)));
   by (4611686018427387904,
       fn a =>
         (SOME (a div 4611686018427387904),
          a mod 4611686018427387904,
          SOME (Int.quot (a, 4611686018427387904)),
          Int.rem (a, 4611686018427387904)));
   by (9223372036854775807,
       fn a =>
         (SOME (a div 9223372036854775807),
          a mod 9223372036854775807,
          SOME (Int.quot (a, 9223372036854775807)),
          Int.rem (a, 9223372036854775807)));
   by (~9223372036854775807,
       fn a =>
         (SOME (a div ~9223372036854775807),
          a mod ~9223372036854775807,
          SOME (Int.quot (a, ~9223372036854775807)),
          Int.rem (a, ~9223372036854775807)));
   by (~9223372036854775808,
       fn a =>
         (SOME (a div ~9223372036854775808),
          a mod ~9223372036854775808,
          SOME (Int.quot (a, ~9223372036854775808)),
          Int.rem (a, ~9223372036854775808))))

(* A remainder by a constant that is not negative needs no look at signs; what is known of it must hold. *)
fun few n = n mod 100
val () =
  List.app
    (fn a =>
      if few a < 0 orelse few a > 99 orelse few a mod 128 <> few a then fault "few" (a, 100)
      else ())
    all
val () = print (Int.toString (!wrong) ^ " faults\n")
