(* `x - d` with a `d` that is never negative is compared with `x` (compiler/ssa/src/opt/checks.rs, `compare_sums`), in
   place of a look at the overflow flag. Overflow is raised exactly where the difference is less than the least int: not
   for it itself, not for `d = 0`, and behind all that was done before. What is printed is what Python computes. *)

val least = valOf Int.minInt
val most = valOf Int.maxInt

(* So that nothing is known when compiling. *)
val unknown = length (CommandLine.arguments ())

val steps = ref 0
fun show name f =
  let
    val result =
      (steps := 0; Int.toString (f ()) handle Overflow => "Overflow" | Subscript => "Subscript")
  in
    print (name ^ " " ^ result ^ " " ^ Int.toString (!steps) ^ "\n")
  end

fun starts f =
  app f [0, 5, least, least + 1, least + 9, least + 10, least + 11, least + 45, most, ~1]

(* what is taken away is a counter *)
fun counter (n, x) =
  let
    fun go (d, x) = if d >= n then x else (steps := d; go (d + 1, x - d))
  in
    go (0, x)
  end
val () = starts (fn x => show "counter" (fn () => counter (10 + unknown, x)))

(* a counter that is used in a sum too *)
fun both (n, x) =
  let
    fun go (d, x, y) =
      if d >= n then x + y
      else (steps := d; go (d + 3, x - d, y + d))
  in
    go (1, x, ~1)
  end
val () = starts (fn x => show "both" (fn () => both (10 + unknown, x)))

(* a length, and a size *)
fun lengths (a, s, x) =
  let
    fun go (i, x) =
      if i = 4 then x else (steps := i; go (i + 1, x - Array.length a - size s))
  in
    go (0, x)
  end
val () = starts (fn x => show "lengths" (fn () => lengths (Array.array (unknown + 2, x), "a", x)))
val () = starts (fn x => show "nothing" (fn () => lengths (Array.array (unknown, x), "", x)))

(* characters, bytes, and remainders *)
fun characters (s, x) =
  let
    fun go (i, x) =
      if i = size s then x else (steps := i; go (i + 1, x - Char.ord (String.sub (s, i))))
  in
    go (0, x)
  end
val () =
  starts (fn x =>
    show "characters" (fn () => characters ("\000\001\005\004\001" ^ Int.toString unknown, x)))

fun rests (n, x) =
  let
    fun go (i, x) =
      if i = n then x else (steps := i; go (i + 1, x - i * 7 mod 4))
  in
    go (0, x)
  end
val () = starts (fn x => show "rests" (fn () => rests (7 + unknown, x)))

(* large ones: what is taken away is the most of all ints *)
fun large (d, x) =
  if d < 0 then 0
  else
    let
      fun go (i, x) = if i = 3 then x else (steps := i; go (i + 1, x - d))
    in
      go (0, x)
    end
val () = starts (fn x => show "large" (fn () => large (most - unknown, x)))
val () =
  app
    (fn d => show "large" (fn () => large (d, ~1)))
    [most, most div 3, most div 3 + 1, 1, 0, ~1, least]

(* negative ones take the other way *)
fun any (d, x) =
  let
    fun go (i, d, x) = if i = 4 then x else (steps := i; go (i + 1, d + 1, x - d))
  in
    go (0, d, x)
  end
val () = starts (fn x => show "any" (fn () => any (~2 - unknown, x)))

(* a place in an array that a difference names *)
fun places (a, n) =
  let
    fun go (i, sum) =
      if i > n then sum else (steps := i; go (i + 1, sum + Array.sub (a, n - i) - i))
  in
    go (0, 0)
  end
val () =
  app
    (fn n => show "places" (fn () => places (Array.tabulate (8, fn i => i * i), n + unknown)))
    [0, 3, 7, 8, ~1, most]

(* A difference that overflows in a handler's scope, in the middle of a round. *)
fun handled (n, x) =
  let
    fun go (d, x, raised) =
      if d >= n then x - raised
      else
        let
          val (x, raised) = (x - d, raised) handle Overflow => (0, raised + 1)
        in
          go (d + 1, x, raised)
        end
  in
    go (0, x, 0)
  end
val () = starts (fn x => show "handled" (fn () => handled (10 + unknown, x)))
