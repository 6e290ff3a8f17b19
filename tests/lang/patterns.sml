(* Nested patterns, layered patterns, constants, strings, records. *)
datatype shape = Point | Circle of real | Rect of {w : real, h : real} | Group of shape list

fun describe Point = "point"
  | describe (Circle r) = "circle " ^ Real.toString r
  | describe (Rect {w, h}) = "rect " ^ Real.toString w ^ "x" ^ Real.toString h
  | describe (Group []) = "nothing"
  | describe (Group [s]) = "only " ^ describe s
  | describe (Group (s :: (rest as _ :: _))) = describe s ^ " and " ^ Int.toString (length rest) ^ " more"

val () = app (fn s => print (describe s ^ "\n"))
  [Point, Circle 1.5, Rect {h = 2.0, w = 3.0}, Group [], Group [Point], Group [Circle 2.0, Point, Point]]

fun day 1 = "Mon" | day 2 = "Tue" | day 3 = "Wed" | day _ = "?"
val () = print (concat [day 1, day 2, day 3, day 4, day ~1, "\n"])

fun word "one" = 1 | word "two" = 2 | word "three" = 3 | word _ = 0
val () = print (Int.toString (word "one" + 10 * word "two" + 100 * word "three" + 1000 * word "four") ^ "\n")

fun merge ([], ys) = ys
  | merge (xs, []) = xs
  | merge (x :: xs, y :: ys) = if x <= y then x :: merge (xs, y :: ys) else y :: merge (x :: xs, ys)
val () = app (fn i => print (Int.toString i ^ " ")) (merge ([1, 4, 6], [2, 3, 5, 7]))
val () = print "\n"

val {a, b = (c, d), ...} = {a = 1, b = (2, "x"), e = 3.0}
val () = print (Int.toString (a + c) ^ d ^ "\n")

fun f (x, y, true) = x | f (x, y, false) = y
val () = print (f ("yes", "no", 1 < 2) ^ "\n")

val () = (case [1, 2] of [x] => print "one\n" | _ :: _ :: _ :: _ => print "three\n") handle Match => print "no match\n"
val () = let val (x :: _) = [] : int list in print "bound\n" end handle Bind => print "no bind\n"

fun ch #"a" = "A" | ch #"\n" = "NL" | ch c = if c < #"b" then "<b" else ">=b"
val () = print (concat (map ch [#"a", #"\n", #"Z", #"c"]) ^ "\n")
val ref x = ref 5
val () = print (Int.toString x ^ "\n")
datatype ('a, 'b) either = Left of 'a | Right of 'b
fun lefts l = List.mapPartial (fn Left x => SOME x | Right _ => NONE) l
val () = print (Int.toString (length (lefts [Left 1, Right "a", Left 2])) ^ "\n")
