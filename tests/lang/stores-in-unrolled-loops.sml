(* What an iteration stores, the next one of the same round does not load (compiler/ssa/src/opt/unroll.rs). It must load
   it when another array may be the same one, when the place may be another, and when an element is narrower than what
   was stored; and an exception in the middle of a round finds what was stored before it, and no more. What is printed
   is what Python computes. *)

(* So that nothing is known when compiling. *)
val unknown = length (CommandLine.arguments ())

fun show name (f, texts) =
  let
    val result =
      (f (); "") handle Subscript => "Subscript " | Overflow => "Overflow " | Div => "Div "
  in
    print (name ^ ": " ^ result ^ String.concatWith " " (texts ()) ^ "\n")
  end

fun ints a () = map Int.toString (Array.foldr op :: [] a)
fun numbers n = Array.tabulate (n + unknown, fn i => i * 5 mod 7)

(* Each needs what the one before has stored; a and b may be one array. *)
fun shifted (a, b, n, d) =
  let
    fun go i = if i >= n then () else (Array.update (a, i + d, Array.sub (b, i) + 1); go (i + 1))
  in
    go 0
  end
val () =
  app
    (fn (n, d) =>
      let
        val (a, b) = (numbers 11, numbers 11)
      in
        show "one" (fn () => shifted (a, a, n, d), ints a);
        show "two" (fn () => shifted (a, b, n, d), ints a)
      end)
    [(0, 1), (1, 1), (6, 1), (10, 1), (11, 1), (9, 2), (10, 2), (11, 0), (11, ~1), (7, 4)]

(* Two stores, to two arrays or one; then a load of the first. *)
fun twice (a, b, c, n) =
  let
    fun go (i, sum) =
      if i = n then Array.update (c, 0, sum)
      else
        (Array.update (a, i, i * 2);
         Array.update (b, i + 1, Array.sub (a, i) - i);
         go (i + 1, sum + Array.sub (a, i) + Array.sub (b, i + 1) + Array.sub (c, 1)))
  in
    go (0, 0)
  end
val () =
  app
    (fn n =>
      let
        val (a, b, c) = (numbers 10, numbers 10, numbers 10)
      in
        show "abc" (fn () => twice (a, b, c, n), fn () => ints a () @ ints b () @ ints c ());
        show "aab" (fn () => twice (a, a, b, n), fn () => ints a () @ ints b ());
        show "aba" (fn () => twice (a, b, a, n), fn () => ints a () @ ints b ());
        show "aaa" (fn () => twice (a, a, a, n), ints a)
      end)
    [0, 3, 4, 8, 9, 10]

(* Places of which one may be the other: i, 2 i, the end less i. *)
fun places (a, n) =
  let
    fun go i =
      if i = n then ()
      else
        (Array.update (a, i, Array.sub (a, n - 1 - i) + 1);
         Array.update (a, 2 * i, Array.sub (a, i) * 3 + Array.sub (a, n - 1 - i));
         go (i + 1))
  in
    go 0
  end
val () =
  app
    (fn n => let val a = numbers 9 in show "places" (fn () => places (a, n), ints a) end)
    [1, 4, 5, 6, 9]

(* Bytes and words of 32 bits: an element is what is left of the number. *)
fun bytes (a, n) =
  let
    fun go (i, w) =
      if i = n then ()
      else
        (Word8Array.update (a, i, Word8.fromInt w);
         go (i + 1, Word8.toInt (Word8Array.sub (a, i)) * 7 + 250))
  in
    go (1, 255)
  end
val () =
  let
    val a = Word8Array.array (10 + unknown, 0w9)
  in
    show "bytes" (fn () => bytes (a, 9), fn () => map Word8.toString (Word8Array.foldr op :: [] a));
    show "bytes" (fn () => bytes (a, 20), fn () => map Word8.toString (Word8Array.foldr op :: [] a))
  end

fun words32 (a, n, w : Word32.word) =
  let
    fun go (i, w) =
      if i = n then ()
      else (Array.update (a, i, w * 0w3000000001); go (i + 1, Array.sub (a, i) + 0w4000000000))
  in
    go (0, w)
  end
val () =
  let
    val a = Array.array (9 + unknown, 0w1)
  in
    show
      "words"
      (fn () => words32 (a, 9, 0w77), fn () => map Word32.toString (Array.foldr op :: [] a))
  end

fun characters (a, b, n) =
  let
    fun go i =
      if i = n then ()
      else (CharArray.update (a, i + 1, Char.succ (CharArray.sub (b, i))); go (i + 1))
  in
    go 0
  end
val () =
  let
    val (a, b) = (CharArray.array (9 + unknown, #"a"), CharArray.array (9 + unknown, #"k"))
  in
    show "characters" (fn () => characters (a, a, 8), fn () => [CharArray.vector a]);
    show "characters" (fn () => characters (a, b, 7), fn () => [CharArray.vector a]);
    show "characters" (fn () => characters (b, a, 9), fn () => [CharArray.vector b])
  end

fun reals (a, b, n) =
  let
    fun go i =
      if i = n then ()
      else
        (RealArray.update (a, i, RealArray.sub (b, i - 1) * 0.5 + RealArray.sub (a, i));
         RealArray.update (b, i + 1, RealArray.sub (a, i));
         go (i + 1))
  in
    go 1
  end
val () =
  app
    (fn n =>
      let
        val (a, b) = (RealArray.array (9 + unknown, 1.0), RealArray.array (9 + unknown, 4.0))
        fun texts a () = map (Real.fmt (StringCvt.FIX (SOME 6))) (RealArray.foldr op :: [] a)
      in
        show "reals" (fn () => reals (a, b, n), fn () => texts a () @ texts b ());
        show "reals" (fn () => reals (a, a, n), texts a)
      end)
    [5, 8, 9]

(* Cells, of which one may be the other. *)
fun cells (r, s, n) =
  let
    fun go i = if i = n then () else (r := !s + i; s := !r * 2 - !s; go (i + 1))
  in
    go 0
  end
val () =
  app
    (fn n =>
      let
        val (r, s) = (ref (1 + unknown), ref 2)
      in
        show "cells" (fn () => cells (r, s, n), fn () => [Int.toString (!r), Int.toString (!s)]);
        show "cell" (fn () => cells (r, r, n), fn () => [Int.toString (!r)])
      end)
    [1, 4, 7, 63, 70]

(* Exceptions in the middle of a round. *)
fun raising (a, r, n, by) =
  let
    fun go i =
      if i = n then ()
      else
        (Array.update (a, i, Array.sub (a, i) + 100 div (by - i));
         r := i;
         Array.update (a, i + 1, Array.sub (a, i) + !r);
         go (i + 1))
  in
    go 0
  end
val () =
  app
    (fn (n, by) =>
      let
        val (a, r) = (numbers 9, ref ~1)
      in
        show "raising" (fn () => raising (a, r, n, by), fn () => Int.toString (!r) :: ints a ())
      end)
    [(8, 20), (8, 0), (8, 3), (8, 6), (9, 20), (12, 8), (12, 9)]

(* In a handler's scope. *)
fun handled (a, n) =
  let
    fun go i =
      if i = n then ()
      else
        (Array.update (a, i, Array.sub (a, i - 2) + 1)
         handle Subscript => Array.update (a, 0, Array.sub (a, 1) + 10);
         go (i + 1))
  in
    go 0
  end
val () =
  app
    (fn n => let val a = numbers 8 in show "handled" (fn () => handled (a, n), ints a) end)
    [1, 5, 8, 11]
