(* A constructor of a thread is the thread itself where nothing else of the datatype can be taken for one: its header has a tag of
   its own. The other constructors, immediates and records, must be told apart from it, in either order, also behind a type that
   is the same as a thread, in options, in refs, after collections, and by polymorphic equality. *)

open CML

val main = getTid ()
val other = spawn (fn () => ())

datatype one = NOBODY | NUMBER of int | WHO of thread_id
datatype two = FIRST of thread_id | SECOND of thread_id | THIRD
datatype pair = LEFT of thread_id | RIGHT of string
datatype named = NAME of thread_id
datatype 'a many = A of 'a | B of 'a * 'a | C of named | D

fun who t = if sameTid (t, main) then "main" else if sameTid (t, other) then "other" else "nobody"

fun one NOBODY = "nobody"
  | one (NUMBER n) = Int.toString n
  | one (WHO t) = who t
fun two (FIRST t) = "first " ^ who t
  | two (SECOND t) = "second " ^ who t
  | two THIRD = "third"
fun pair (LEFT t) = who t
  | pair (RIGHT s) = s
fun isRight (RIGHT _) = true
  | isRight _ = false
fun many show (A x) = "A " ^ show x
  | many show (B (x, y)) = "B " ^ show x ^ show y
  | many _ (C (NAME t)) = "C " ^ who t
  | many _ D = "D"

fun say l = print (String.concatWith ", " l ^ "\n")

(* garbage, so that what is kept is moved *)
fun churn 0 = []
  | churn n = Int.toString n :: churn (n - 1)

val cells = List.tabulate (60, fn i => ref (if i mod 3 = 0 then NOBODY else if i mod 3 = 1 then NUMBER i else WHO other))
val () = List.app (fn c => c := (case !c of WHO _ => WHO main | NOBODY => WHO other | NUMBER n => NUMBER (n + 1))) cells
val _ = length (churn 500)
val counts = foldl (fn (c, (m, w, n)) =>
  case !c of WHO t => if sameTid (t, main) then (m + 1, w, n) else (m, w + 1, n) | NUMBER _ => (m, w, n + 1) | NOBODY => (0, 0, 0))
  (0, 0, 0) cells

val () = say (map one [NOBODY, NUMBER 7, WHO main, WHO other])
val () = say (map two [FIRST main, SECOND other, THIRD])
val () = say (map pair [LEFT main, RIGHT "right", LEFT other])
val () = say (map (Bool.toString o isRight) [LEFT main, RIGHT "right"])
val () = say (map (many Int.toString) [A 1, B (2, 3), C (NAME main), D])
(* here two constructors have a thread alone *)
val () = say (map (many who) [A main, B (other, main), C (NAME other), D])
val () = say (map (fn NONE => "none" | SOME x => one x) [NONE, SOME NOBODY, SOME (WHO other)])
val () = say (map Bool.toString [WHO main = WHO main, WHO main = WHO other, WHO main = NOBODY, NUMBER 1 = WHO main,
                                 LEFT main = RIGHT "", FIRST main = SECOND main, C (NAME main) = A 1])
val () = let val (m, w, n) = counts in say (map Int.toString [m, w, n]) end
