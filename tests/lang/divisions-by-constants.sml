(* Divisions by constants are products and shifts, of compiler/translate/src/ops.rs itself: `quotient` rounds to zero,
   `unsigned_quotient` is for words, `by_reciprocal` for what is never negative. Each is compared with the processor's
   own division by a number that nothing is known of, at the ends of the range, near the multiples of the divisor, and
   near 0. The sums of the results are what Python computes. *)

(* So that nothing is known when compiling. *)
val unknown = length (CommandLine.arguments ())

val least = valOf Int.minInt
val most = valOf Int.maxInt

val sum = ref 0w0
fun put x = sum := !sum * 0w31 + Word.fromInt x

(* Both give the same, or both raise. *)
fun same (what, f : unit -> int, g : unit -> int) =
  let
    fun result h = SOME (h ()) handle Overflow => NONE
    val (x, y) = (result f, result g)
  in
    if x = y then () else print ("wrong: " ^ what ^ "\n");
    case x of
      SOME n => put n
    | NONE => put 12345
  end

type functions =
  {div' : int -> int, mod' : int -> int, quot : int -> int, rem : int -> int, sign : int -> int}

fun check (n, {div', mod', quot, rem, sign} : functions) =
  let
    val by = n + unknown
    (* Around a number, if they are ints. *)
    fun around (a : IntInf.int) =
      List.mapPartial (fn d => SOME (Int.fromLarge (a + d)) handle Overflow => NONE) [~1, 0, 1]
    val n' = Int.toLarge n
    val largest = Int.toLarge (Int.quot (most, if n = ~1 then 1 else n)) * n'
    val numbers =
      List.concat [around 0,
                   around n',
                   around (~n'),
                   around (n' * 1000),
                   around (n' * ~77),
                   around largest,
                   around (~largest),
                   [least, least + 1, most, 123456789012345678, ~987654321987654321, 4294967296]]
  in
    app
      (fn a =>
        (same (Int.toString a ^ " div " ^ Int.toString n, fn () => div' a, fn () => a div by);
         same (Int.toString a ^ " mod " ^ Int.toString n, fn () => mod' a, fn () => a mod by);
         same
           (Int.toString a ^ " quot " ^ Int.toString n, fn () => quot a, fn () => Int.quot (a, by));
         same (Int.toString a ^ " rem " ^ Int.toString n, fn () => rem a, fn () => Int.rem (a, by));
         same (Int.toString a ^ " never negative, by " ^ Int.toString n,
               fn () => sign a,
               fn () => if a < 0 then ~1 else Int.max (a div by, a mod by))))
      numbers
  end

val () =
  app check [(1,
              {div' = fn a => a div 1,
               mod' = fn a => a mod 1,
               quot = fn a => Int.quot (a, 1),
               rem = fn a => Int.rem (a, 1),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 1, a mod 1)}),
             (~1,
              {div' = fn a => a div ~1,
               mod' = fn a => a mod ~1,
               quot = fn a => Int.quot (a, ~1),
               rem = fn a => Int.rem (a, ~1),
               sign = fn a => if a < 0 then ~1 else Int.max (a div ~1, a mod ~1)}),
             (2,
              {div' = fn a => a div 2,
               mod' = fn a => a mod 2,
               quot = fn a => Int.quot (a, 2),
               rem = fn a => Int.rem (a, 2),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 2, a mod 2)}),
             (~2,
              {div' = fn a => a div ~2,
               mod' = fn a => a mod ~2,
               quot = fn a => Int.quot (a, ~2),
               rem = fn a => Int.rem (a, ~2),
               sign = fn a => if a < 0 then ~1 else Int.max (a div ~2, a mod ~2)}),
             (3,
              {div' = fn a => a div 3,
               mod' = fn a => a mod 3,
               quot = fn a => Int.quot (a, 3),
               rem = fn a => Int.rem (a, 3),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 3, a mod 3)}),
             (~3,
              {div' = fn a => a div ~3,
               mod' = fn a => a mod ~3,
               quot = fn a => Int.quot (a, ~3),
               rem = fn a => Int.rem (a, ~3),
               sign = fn a => if a < 0 then ~1 else Int.max (a div ~3, a mod ~3)}),
             (5,
              {div' = fn a => a div 5,
               mod' = fn a => a mod 5,
               quot = fn a => Int.quot (a, 5),
               rem = fn a => Int.rem (a, 5),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 5, a mod 5)}),
             (7,
              {div' = fn a => a div 7,
               mod' = fn a => a mod 7,
               quot = fn a => Int.quot (a, 7),
               rem = fn a => Int.rem (a, 7),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 7, a mod 7)}),
             (~7,
              {div' = fn a => a div ~7,
               mod' = fn a => a mod ~7,
               quot = fn a => Int.quot (a, ~7),
               rem = fn a => Int.rem (a, ~7),
               sign = fn a => if a < 0 then ~1 else Int.max (a div ~7, a mod ~7)}),
             (10,
              {div' = fn a => a div 10,
               mod' = fn a => a mod 10,
               quot = fn a => Int.quot (a, 10),
               rem = fn a => Int.rem (a, 10),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 10, a mod 10)}),
             (12,
              {div' = fn a => a div 12,
               mod' = fn a => a mod 12,
               quot = fn a => Int.quot (a, 12),
               rem = fn a => Int.rem (a, 12),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 12, a mod 12)}),
             (100,
              {div' = fn a => a div 100,
               mod' = fn a => a mod 100,
               quot = fn a => Int.quot (a, 100),
               rem = fn a => Int.rem (a, 100),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 100, a mod 100)}),
             (641,
              {div' = fn a => a div 641,
               mod' = fn a => a mod 641,
               quot = fn a => Int.quot (a, 641),
               rem = fn a => Int.rem (a, 641),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 641, a mod 641)}),
             (~641,
              {div' = fn a => a div ~641,
               mod' = fn a => a mod ~641,
               quot = fn a => Int.quot (a, ~641),
               rem = fn a => Int.rem (a, ~641),
               sign = fn a => if a < 0 then ~1 else Int.max (a div ~641, a mod ~641)}),
             (1000,
              {div' = fn a => a div 1000,
               mod' = fn a => a mod 1000,
               quot = fn a => Int.quot (a, 1000),
               rem = fn a => Int.rem (a, 1000),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 1000, a mod 1000)}),
             (1000000000,
              {div' = fn a => a div 1000000000,
               mod' = fn a => a mod 1000000000,
               quot = fn a => Int.quot (a, 1000000000),
               rem = fn a => Int.rem (a, 1000000000),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 1000000000, a mod 1000000000)}),
             (6700417,
              {div' = fn a => a div 6700417,
               mod' = fn a => a mod 6700417,
               quot = fn a => Int.quot (a, 6700417),
               rem = fn a => Int.rem (a, 6700417),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 6700417, a mod 6700417)}),
             (2147483647,
              {div' = fn a => a div 2147483647,
               mod' = fn a => a mod 2147483647,
               quot = fn a => Int.quot (a, 2147483647),
               rem = fn a => Int.rem (a, 2147483647),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 2147483647, a mod 2147483647)}),
             (~2147483648,
              {div' = fn a => a div ~2147483648,
               mod' = fn a => a mod ~2147483648,
               quot = fn a => Int.quot (a, ~2147483648),
               rem = fn a => Int.rem (a, ~2147483648),
               sign = fn a =>
                 if a < 0 then ~1 else Int.max (a div ~2147483648, a mod ~2147483648)}),
             (2147483649,
              {div' = fn a => a div 2147483649,
               mod' = fn a => a mod 2147483649,
               quot = fn a => Int.quot (a, 2147483649),
               rem = fn a => Int.rem (a, 2147483649),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 2147483649, a mod 2147483649)}),
             (4294967295,
              {div' = fn a => a div 4294967295,
               mod' = fn a => a mod 4294967295,
               quot = fn a => Int.quot (a, 4294967295),
               rem = fn a => Int.rem (a, 4294967295),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 4294967295, a mod 4294967295)}),
             (4294967296,
              {div' = fn a => a div 4294967296,
               mod' = fn a => a mod 4294967296,
               quot = fn a => Int.quot (a, 4294967296),
               rem = fn a => Int.rem (a, 4294967296),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 4294967296, a mod 4294967296)}),
             (4294967297,
              {div' = fn a => a div 4294967297,
               mod' = fn a => a mod 4294967297,
               quot = fn a => Int.quot (a, 4294967297),
               rem = fn a => Int.rem (a, 4294967297),
               sign = fn a => if a < 0 then ~1 else Int.max (a div 4294967297, a mod 4294967297)}),
             (4611686018427387903,
              {div' = fn a => a div 4611686018427387903,
               mod' = fn a => a mod 4611686018427387903,
               quot = fn a => Int.quot (a, 4611686018427387903),
               rem = fn a => Int.rem (a, 4611686018427387903),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div 4611686018427387903, a mod 4611686018427387903)}),
             (~4611686018427387904,
              {div' = fn a => a div ~4611686018427387904,
               mod' = fn a => a mod ~4611686018427387904,
               quot = fn a => Int.quot (a, ~4611686018427387904),
               rem = fn a => Int.rem (a, ~4611686018427387904),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div ~4611686018427387904, a mod ~4611686018427387904)}),
             (4611686018427387905,
              {div' = fn a => a div 4611686018427387905,
               mod' = fn a => a mod 4611686018427387905,
               quot = fn a => Int.quot (a, 4611686018427387905),
               rem = fn a => Int.rem (a, 4611686018427387905),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div 4611686018427387905, a mod 4611686018427387905)}),
             (9223372036854775807,
              {div' = fn a => a div 9223372036854775807,
               mod' = fn a => a mod 9223372036854775807,
               quot = fn a => Int.quot (a, 9223372036854775807),
               rem = fn a => Int.rem (a, 9223372036854775807),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div 9223372036854775807, a mod 9223372036854775807)}),
             (~9223372036854775807,
              {div' = fn a => a div ~9223372036854775807,
               mod' = fn a => a mod ~9223372036854775807,
               quot = fn a => Int.quot (a, ~9223372036854775807),
               rem = fn a => Int.rem (a, ~9223372036854775807),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div ~9223372036854775807, a mod ~9223372036854775807)}),
             (~9223372036854775808,
              {div' = fn a => a div ~9223372036854775808,
               mod' = fn a => a mod ~9223372036854775808,
               quot = fn a => Int.quot (a, ~9223372036854775808),
               rem = fn a => Int.rem (a, ~9223372036854775808),
               sign = fn a =>
                 if a < 0 then ~1
                 else Int.max (a div ~9223372036854775808, a mod ~9223372036854775808)})]
val () = print (Word.toString (!sum) ^ "\n")

fun checkWord (n, div', mod') =
  let
    val by = n + Word.fromInt unknown
    val largest = 0wxffffffffffffffff div n * n
    fun around a = [a - 0w1, a, a + 0w1]
  in
    app
      (fn a =>
        (if div' a = a div by andalso mod' a = a mod by then ()
         else print ("wrong: " ^ Word.toString a ^ " by " ^ Word.toString n ^ "\n");
         sum := !sum * 0w31 + div' a;
         sum := !sum * 0w31 + mod' a))
      (List.concat [around 0w0,
                    around n,
                    around (n * 0w1000),
                    around largest,
                    around (largest - n),
                    around 0wx8000000000000000,
                    [0w123456789012345678, 0w4294967296, 0wxfedcba9876543210]])
  end

val () = sum := 0w0
val () =
  app checkWord [(0w1, fn a => a div 0w1, fn a => a mod 0w1),
                 (0w2, fn a => a div 0w2, fn a => a mod 0w2),
                 (0w3, fn a => a div 0w3, fn a => a mod 0w3),
                 (0w5, fn a => a div 0w5, fn a => a mod 0w5),
                 (0w7, fn a => a div 0w7, fn a => a mod 0w7),
                 (0w10, fn a => a div 0w10, fn a => a mod 0w10),
                 (0w28, fn a => a div 0w28, fn a => a mod 0w28),
                 (0w100, fn a => a div 0w100, fn a => a mod 0w100),
                 (0w641, fn a => a div 0w641, fn a => a mod 0w641),
                 (0w1000000000, fn a => a div 0w1000000000, fn a => a mod 0w1000000000),
                 (0w4294967295, fn a => a div 0w4294967295, fn a => a mod 0w4294967295),
                 (0w4294967297, fn a => a div 0w4294967297, fn a => a mod 0w4294967297),
                 (0w9223372036854775807,
                  fn a => a div 0w9223372036854775807,
                  fn a => a mod 0w9223372036854775807),
                 (0w9223372036854775808,
                  fn a => a div 0w9223372036854775808,
                  fn a => a mod 0w9223372036854775808),
                 (0w9223372036854775809,
                  fn a => a div 0w9223372036854775809,
                  fn a => a mod 0w9223372036854775809),
                 (0w18446744073709551614,
                  fn a => a div 0w18446744073709551614,
                  fn a => a mod 0w18446744073709551614),
                 (0w18446744073709551615,
                  fn a => a div 0w18446744073709551615,
                  fn a => a mod 0w18446744073709551615)]
val () = print (Word.toString (!sum) ^ "\n")

(* Narrow types: results that do not fit raise, others come back to their size. *)
fun narrow f = put (f () handle Overflow => 12345)
val () = sum := 0w0
val () =
  app
    (fn a =>
      let
        val (i8, i16, i32) =
          (Int8.fromInt (a mod 256 - 128),
           Int16.fromInt (a mod 65536 - 32768),
           Int32.fromInt (a mod 4294967296 - 2147483648))
        val (w8, w16, w32) = (Word8.fromInt a, Word16.fromInt a, Word32.fromInt a)
      in
        narrow (fn () => Int8.toInt (i8 div ~1));
        narrow (fn () => Int8.toInt (i8 div 7));
        narrow (fn () => Int8.toInt (Int8.rem (i8, ~3)));
        narrow (fn () => Int16.toInt (Int16.quot (i16, ~1)));
        narrow (fn () => Int16.toInt (i16 mod 100));
        narrow (fn () => Int32.toInt (i32 div ~1));
        narrow (fn () => Int32.toInt (i32 div ~2147483648));
        narrow (fn () => Int32.toInt (Int32.rem (i32, 1000000007)));
        narrow (fn () => Word8.toInt (w8 div 0w7));
        narrow (fn () => Word8.toInt (w8 mod 0w255));
        narrow (fn () => Word16.toInt (w16 div 0w641));
        narrow (fn () => Word16.toInt (w16 mod 0w10));
        narrow (fn () => Word32.toInt (w32 div 0w4294967295));
        narrow (fn () => Word32.toInt (w32 mod 0w3))
      end)
    [0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 2147483647, 2147483648, 4294967294, 4294967295,
     123456789, ~1, ~77777]
val () = print (Word.toString (!sum) ^ "\n")
