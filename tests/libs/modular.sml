(* Modular, beside the plain ways: powers by one product after the other, inverses by trying and by their product, common
   divisors by trying; and Fermat's little theorem for primes of many bits. *)

val seed = ref 0w9
fun word () =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407; Word.>> (!seed, 0w32))
fun random n = Word.toInt (Word.mod (word (), Word.fromInt n))
(* up to so many bits *)
fun number bits =
  let
    val bits = random (bits + 1)
    fun go (0, x) = x
      | go (i, x) = go (i - 1, IntInf.orb (IntInf.<< (x, 0w32), Word.toLargeInt (word ())))
  in
    IntInf.~>> (go (bits div 32 + 1, 0), Word.fromInt (32 * (bits div 32 + 1) - bits))
  end
fun signed bits = if random 2 = 0 then number bits else ~(number bits)

fun check (what, ok) = if ok then () else print ("wrong: " ^ what ^ "\n")
fun times 0 _ = ()
  | times n f = (f (); times (n - 1) f)

fun simple (b, e, m) = IntInf.pow (b, e) mod m
val () =
  times 400 (fn () =>
    let
      val (b, e, m) = (signed 300, random 60, 1 + number 400)
    in
      check ("power", Modular.pow (b, IntInf.fromInt e, m) = simple (b, e, m))
    end)

(* Exponents of all sizes: b^(x + y) is b^x * b^y. *)
val () =
  times 60 (fn () =>
    let
      val (b, x, y, m) = (signed 2000, number 1200, number 1200, 1 + number 1500)
      fun pow e = Modular.pow (b, e, m)
    in
      check ("sum of exponents", pow (x + y) = pow x * pow y mod m)
    end)

(* p - 1 is the order of every number but 0, for a prime p: 2^61 - 1, 2^64 - 59, 2^127 - 1, 2^521 - 1, 2^2203 - 1. *)
val primes =
  map (fn (e, d) => IntInf.pow (2, e) - d) [(61, 1), (64, 59), (127, 1), (521, 1), (2203, 1)]
val () =
  app
    (fn p =>
        let
          val b = 2 + number 500 mod (p - 2)
        in
          check ("Fermat", Modular.pow (b, p - 1, p) = 1);
          check ("inverse by power", Modular.inverse (b, p) = SOME (Modular.pow (b, p - 2, p)));
          check ("power below 0", Modular.pow (b, ~1, p) * b mod p = 1)
        end)
    primes

(* More words than one call of the runtime takes. *)
val m = IntInf.pow (2, 26000) - 1
val () = check ("long", Modular.pow (2, 26000 * 7 + 5, m) = 32)
val () = check ("long, once more", Modular.pow (3, 11, m * m) = 177147)

val () =
  times 300 (fn () =>
    let
      val (a, m) = (signed 40, 1 + number 10)
      fun divides d = a mod d = 0 andalso m mod d = 0
      fun greatest d = if divides d then d else greatest (d - 1)
      fun found x = if x = m then NONE else if a * x mod m = 1 mod m then SOME x else found (x + 1)
    in
      check ("divisor", Modular.gcd (a, m) = greatest m andalso Modular.gcd (m, ~a) = greatest m);
      check ("inverse", Modular.inverse (a, m) = found 0)
    end)

(* Large numbers with common factors, one a multiple of the other but for a little, and neighbours of Fibonacci's
   sequence, whose quotients are all 1: beside Euclid's algorithm, for Modular's takes many of its steps at once. *)
fun euclid (a, b) = if b = 0 then IntInf.abs a else euclid (b, IntInf.rem (a, b))
fun together (a, b) = check ("large", Modular.gcd (a, b) = euclid (a, b) andalso Modular.gcd (b, a) = euclid (b, a))
val () =
  times 300 (fn () =>
    let
      val g = number 200
      val a = g * number 700
    in
      together (if random 3 = 0 then ~a else a, g * number 700);
      together (a, a * number 9 + IntInf.fromInt (random 3))
    end)
val () =
  times 90 (fn () =>
    let val p = IntInf.pow (2, random 90)
    in app together [(p, p - 1), (p + 1, p - 1), (p, p), (p * p - 1, p - 1), (0, p), (p, 1)]
    end)
fun fibonacci (0, _, _) = ()
  | fibonacci (n, a, b) = (together (a, b); fibonacci (n - 1, b, a + b))
val () = fibonacci (300, 0, 1)

(* Inverses of many words, which rounds and quotients make, beside the definition; and an even modulus. *)
val () =
  times 150 (fn () =>
    let
      val (a, m) = (signed 900, 2 + number 900)
    in
      check ("inverse of many words",
             case Modular.inverse (a, m) of
               NONE => euclid (a, m) <> 1
             | SOME b => 0 <= b andalso b < m andalso a * b mod m = 1)
    end)
(* A quotient of many words in the midst, where leading words decide nothing. *)
val () =
  times 100 (fn () =>
    let
      val (a, b) = (1 + number 600, 1 + number 600)
      val (a, b) = (IntInf.max (a, b), IntInf.min (a, b))
      (* steps of Euclid's backwards, with quotients of all sizes *)
      fun back (0, x, y) = (x, y)
        | back (n, x, y) = back (n - 1, x * (1 + number (random 200)) + y, x)
      val (x, y) = back (1 + random 8, a, b)
    in
      together (x, y)
    end)
(* All ones, and powers of two beside them: products whose carries go on to the end. *)
val () =
  app
    (fn bits =>
        let
          val m = IntInf.pow (2, bits) - 1
          val b = m - 1
        in
          (* b is -1, and 2 is of the order `bits` *)
          check ("minus one, squared", Modular.pow (b, 2, m) = 1 mod m);
          check ("minus one, to an odd power", Modular.pow (b, 12345, m) = b);
          check ("two", Modular.pow (2, IntInf.fromInt (bits * 1000003 + 1), m) = 2 mod m);
          check ("even", Modular.pow (b, 3, m + 1) = b * b * b mod (m + 1));
          together (m, IntInf.pow (2, bits div 2) - 1)
        end)
    [2, 63, 64, 65, 127, 128, 129, 192, 1024, 2047, 2048, 2049, 6400, 25600]

fun outcome f = IntInf.toString (f ()) handle e => exnName e
val () =
  app (fn f => print (outcome f ^ "\n"))
    [fn () => Modular.pow (3, 1000, 7), fn () => Modular.pow (0, 0, 5), fn () => Modular.pow (0, 0, 1),
     fn () => Modular.pow (~2, 3, 5), fn () => Modular.pow (2, ~1, 4), fn () => Modular.pow (2, 3, 0),
     fn () => Modular.pow (2, 3, ~5), fn () => valOf (Modular.inverse (3, 7)), fn () => valOf (Modular.inverse (5, 0)),
     fn () => valOf (Modular.inverse (5, 1)), fn () => Modular.gcd (0, 0), fn () => Modular.gcd (~12, 18)]
