(* Higher-order functions, currying, captured variables of every representation, mutual recursion. *)
fun compose fs x = foldl (fn (f, x) => f x) x fs
val () = print (Int.toString (compose [fn x => x + 1, fn x => x * 2, fn x => x - 3] 10) ^ "\n")

fun counter start =
  let val n = ref start
  in fn () => (n := !n + 1; !n) end
val c1 = counter 10
val c2 = counter 100
val () = (ignore (c1 ()); ignore (c2 ()))
val () = print (Int.toString (c1 ()) ^ " " ^ Int.toString (c2 ()) ^ "\n")

fun mixed (i : int, r : real, s : string, c : char, b : bool, l : int list) =
  fn k => if b then String.concat [Int.toString (i + k), Real.toString r, s, str c, Int.toString (length l)] else "-"
val () = print (mixed (1, 2.5, "s", #"c", true, [1, 2, 3]) 4 ^ "\n")

fun even 0 = true | even n = odd (n - 1)
and odd 0 = false | odd n = even (n - 1)
val () = print (Bool.toString (even 10000) ^ Bool.toString (odd 7) ^ "\n")

fun curry f x y = f (x, y)
fun uncurry f (x, y) = f x y
fun add x y z = x + y + z
val add5 = add 2 3
val () = print (Int.toString (add5 10) ^ Int.toString (curry op* 6 7) ^ Int.toString (uncurry (fn x => fn y => x - y) (9, 4)) ^ "\n")

(* polymorphic functions at several types *)
fun twice f x = f (f x)
val () = print (Int.toString (twice (fn x => x * x) 3) ^ twice (fn s => s ^ s) "ab" ^ Real.toString (twice (fn r => r / 2.0) 1.0) ^ "\n")
fun pair x = (x, x)
val ((a, b), (c, d)) = pair (pair 1)
val () = print (Int.toString (a + b + c + d) ^ "\n")
val id = fn x => x
val () = print (id "id" ^ Int.toString (id 3) ^ "\n")

(* local functions that escape and that do not *)
fun tabs n =
  let
    fun f i = if i > n then [] else (fn () => i * i) :: f (i + 1)
  in
    f 1
  end
val () = app (fn f => print (Int.toString (f ()) ^ " ")) (tabs 5)
val () = print "\n"

(* mutual recursion of closures with captured variables *)
fun game n =
  let
    val log = ref []
    fun ping 0 = () | ping k = (log := k :: !log; pong (k - 1))
    and pong 0 = () | pong k = (log := ~ k :: !log; ping (k - 1))
    val fs = [ping, pong]
  in
    app (fn f => f n) fs;
    !log
  end
val () = app (fn i => print (Int.toString i ^ " ")) (game 3)
val () = print "\n"
(* many arguments *)
fun many (a, b, c, d, e, f, g, h, i, j, k, l, m, n) = a + b * 2 + c * 3 + d + e + f + g + h + i + j + k + l + m + n * 100
val () = print (Int.toString (many (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)) ^ "\n")
val apply = fn (f, x) => f x
val () = print (Int.toString (apply (many, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14))) ^ "\n")
val (q, (r, s), t) = (fn x => (x, (x + 1, real x), "t")) 7
val () = print (Int.toString (q + r) ^ Real.toString s ^ t ^ "\n")
