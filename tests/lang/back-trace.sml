(* Parts of a function that the compiler shares or moves are no functions of their own in a back-trace. *)
datatype kind = A of int | B of int | C

fun kind n = if n > 20 then A n else if n > 10 then B n else C

(* The case of the case of `kind` becomes joins. *)
fun known n =
  let
    val t = kind n
    val m =
      case t of
        A x => if x > 25 then raise Fail "known" else x + length (CommandLine.arguments ())
      | B y => if y > 1000 then raise Fail "B" else y
      | C => 0
  in
    m + 1
  end

(* Several leaves of the match go to the first rule. *)
fun shared (SOME x, 1) = x
  | shared (_, y) =
      let val z = y + length (CommandLine.arguments ())
      in if z > 1 then raise Fail "shared" else z end

fun looping n =
  let val i = ref 0
  in
    while !i < n do (if !i = 5 then raise Fail "looping" else (); i := !i + 1 + length (CommandLine.arguments ()));
    !i
  end

fun base s = Substring.string (Substring.taker (fn c => c <> #"/") (Substring.full s))
fun first s = Substring.string (Substring.takel (fn c => c <> #" ") (Substring.full s))
fun say f =
  (f (); ())
  handle e => (print (exnMessage e ^ "\n"); app (fn s => print ("  " ^ first s ^ " " ^ base s ^ "\n")) (SMLofNJ.exnHistory e))

val () = say (fn () => 1 + known 30)
val () = say (fn () => 1 + shared (NONE, 3))
val () = say (fn () => 1 + shared (SOME 1, 3))
val () = say (fn () => 1 + looping 9)
