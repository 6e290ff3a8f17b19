(* The first n digits of pi by Machin's formula, a big Fibonacci number as text, and a power modulo a prime. *)

fun arctan (inverse, unity) =
  let
    val square = IntInf.* (inverse, inverse)
    fun loop (term : IntInf.int, n, sum, isAdded) =
      if term = 0 then sum
      else
        let
          val part = term div n
        in
          loop (term div square, n + 2, if isAdded then sum + part else sum - part, not isAdded)
        end
  in
    loop (unity div inverse, 1, 0, true)
  end

fun pi digits =
  let
    val unity = IntInf.pow (10, digits + 10)
  in
    4 * (4 * arctan (5, unity) - arctan (239, unity)) div IntInf.pow (10, 10)
  end

(* By doubling: F(n) and F(n + 1). *)
fun fibonacci 0 = (0, 1) : IntInf.int * IntInf.int
  | fibonacci n =
      let
        val (a, b) = fibonacci (n div 2)
        val c = a * (2 * b - a)
        val d = a * a + b * b
      in
        if n mod 2 = 0 then (c, d) else (d, c + d)
      end

fun power (b : IntInf.int, 0, m : IntInf.int) = 1
  | power (b, e, m) =
      let
        val half = power (b * b mod m, e div 2, m)
      in
        if e mod 2 = 0 then half else half * b mod m
      end

fun ends text =
  print (concat [String.substring (text, 0, 10),
                 "..",
                 String.extract (text, size text - 10, NONE),
                 ", ",
                 Int.toString (size text),
                 " digits\n"])

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () = ends (IntInf.toString (pi n))
val () = ends (IntInf.toString (#1 (fibonacci (100 * n))))
val prime = IntInf.pow (2, 2203) - 1
val () = ends (IntInf.toString (power (3, IntInf.pow (7, n div 15), prime)))
