(* Products of numbers of some hundred words, in three parts each, against their remainders by primes: those of the factors
   multiplied. Division is not made of such products for a divisor of one word. *)

val primes = [2305843009213693951, 18446744073709551557, 4611686018427387847] : IntInf.int list

val seed = ref 0w88172645463325252
fun random () =
  let
    val x = !seed
    val x = Word.xorb (x, Word.<< (x, 0w13))
    val x = Word.xorb (x, Word.>> (x, 0w7))
    val x = Word.xorb (x, Word.<< (x, 0w17))
  in
    seed := x;
    x
  end

(* A number of n words, the i-th from above is f i. *)
fun number (n, f) =
  let
    val text =
      String.concat (List.tabulate (n, fn i => StringCvt.padLeft #"0" 16 (Word.toString (f i))))
  in
    valOf (StringCvt.scanString (IntInf.scan StringCvt.HEX) text)
  end

val ones = Word.notb 0w0
fun any n = number (n, fn i => if i = 0 then 0wx8000000000000001 else random ())
fun full n = number (n, fn _ => ones)
fun ends n = number (n, fn i => if i = 0 orelse i = n - 1 then 0w1 else 0w0)
(* Its middle is larger than both ends: negative at -1. *)
fun middle n =
  number (n,
          fn i =>
            if i < n div 3 then (if i = 0 then 0w1 else 0w0)
            else if i < 2 * n div 3 then ones
            else 0w3)

fun check (name, a, b) =
  let
    val product = a * b
    fun right p = product mod p = (a mod p) * (b mod p) mod p
  in
    print (name ^ (if List.all right primes then " ok\n" else " WRONG\n"))
  end

val () =
  app
    (fn (m, n) =>
      let
        val name = Int.toString m ^ " * " ^ Int.toString n
      in
        check (name, any m, any n);
        check (name ^ " negative", ~(middle m), any n);
        check (name ^ " both negative", middle m, middle n)
      end)
    [(602, 601), (601, 690), (1801, 1750)]
val () = check ("full", full 1801, full 1801)
val () = check ("ends", ends 650, full 640)
val () = let val a = any 777 in check ("square", a, a) end
val () = let val a = middle 900 in check ("square of a middle", a, a) end
val () = let val a = any 800 val b = any 500 in print (Bool.toString ((a * b) div b = a) ^ "\n") end
