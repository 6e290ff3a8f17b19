(* Functions of many argument lists, with tuples that a pattern makes or takes apart between them, become one function of all
   arguments (compiler/mono/src/opt/uncurry.rs). Nothing that can be seen is moved: what is done between two lists is done when
   the first is given, once, and a partial application may be kept and used again. *)

fun show l = print (String.concatWith " " (map Int.toString l) ^ "\n")

(* Two lists, a record and a tuple as patterns, three lists with a loop over a function. *)
fun scan (r as {groups, from}, flag) getc s =
  let
    fun loop (i, s, l) =
      case getc s of
        NONE => rev l
      | SOME (x, s) => loop (i + 1, s, (if flag then #from r + x * groups else i) :: l)
  in
    loop (from, s, [])
  end

fun next n i = if i < n then SOME (i, i + 1) else NONE
val () = show (scan ({groups = 3, from = 100}, true) (next 5) 1)
val () = show (scan ({groups = 3, from = 100}, false) List.getItem [7, 8, 9])

(* More lists than become one function, and many parameters. *)
fun many a (b, c) d e (f, g) h i = [a, b, c, d, e, f, g, h, i]
val () = show (many 1 (2, 3) 4 5 (6, 7) 8 9)
val half = many 1 (2, 3) 4
val () = (show (half 5 (6, 7) 8 9); show (half 50 (60, 70) 80 90))
val more = map (fn f => f (6, 7) 8) [half 5, half 500]
val () = app (fn f => show (f 9)) more

fun wide (a, b, c, d, e, f) (g, h, i, j, k, l) (m, n, p, q, r, s) =
  [a, b, c, d, e, f, g, h, i, j, k, l, m, n, p, q, r, s]
val () = show (wide (1, 2, 3, 4, 5, 6) (7, 8, 9, 10, 11, 12) (13, 14, 15, 16, 17, 18))

(* What is done between the lists stays there. *)
fun noted a =
  let
    val () = print ("first " ^ Int.toString a ^ "\n")
  in
    fn b =>
      let
        val () = print ("second " ^ Int.toString b ^ "\n")
      in
        fn c => a + b + c
      end
  end
val f = noted 1
val g = f 2
val () = show [g 3, g 4, f 5 6]

(* A counter of each partial application is its own. *)
fun counter (start, step) =
  let val n = ref start in fn () => fn k => (n := !n + step * k; !n) end
val c = counter (10, 2)
val d = c ()
val () = show [d 1, d 1, c () 1, counter (0, 1) () 5]

(* Lists that call one another and themselves. *)
fun even (0, _) _ = true
  | even (n, k) x = odd (n - 1) (k, x)
and odd 0 (_, _) = false
  | odd n (k, x) = even (n - 1, k) x
val () = print (Bool.toString (even (10, ()) 1) ^ Bool.toString (odd 10 ((), 1)) ^ "\n")

(* The tuple of a pattern is given on whole. *)
fun both (p as (a, b)) (q as (c, d)) = if a + b > c + d then p else q
val (a, b) = both (1, 2) (3, 4)
val () = show [a, b]
