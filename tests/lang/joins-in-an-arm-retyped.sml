(* Expected: as -O0 prints it; the first line is s!22.5.
   Found: the compiler panics (Cranelift, remove_constant_phis: 1 value where 3 are expected); --verify=each: M3, after
   simplify1.
   compiler/mono/src/opt/ends.rs, pass_on: more than MOST_ENDS ends, of which some belong to a case with joins of its own
   in an arm. All ends have become calls of the outer joins; the next link gives other types; settle gives them to the
   calls, to cases on the way, and to the joins of the link, but not to the joins of the case in the arm. *)
datatype kind = Plain | Mark | Digit of int
datatype word = Short | Long | Number of int

fun look (n, m, s) =
  let
    val kind =
      case n of
        0 => Plain | 1 => Mark | 2 => Digit m | 3 => Plain | 4 => Mark | 5 => Plain | 6 => Mark | 7 => Digit 1
      | 8 => Plain | 9 => Mark | 10 => Plain | 11 => Mark | 12 => Plain | 13 => Mark | 14 => Digit 2 | 15 => Plain
      | _ =>
          (case (case m of 0 => Short | 1 => Long | 2 => Number n | 3 => Short | 4 => Long | _ => Number m) of
             Short => (print (s ^ "a"); print (s ^ "b"); print (s ^ "c"); print (s ^ "j"); Digit (size s))
           | Long => (print (s ^ "d"); print (s ^ "e"); print (s ^ "f"); print (s ^ "k"); Mark)
           | Number k => (print (s ^ "g"); print (s ^ "h"); print (s ^ "i"); print (s ^ "l"); Digit k))
    val word = case kind of Plain => Short | Mark => Long | Digit k => if k > 5 then Short else Number k
    val (a, b, x) = case word of Short => (1, s, 1.5) | Long => (2, s ^ "!", 2.5) | Number k => (k, "k" ^ s, 3.5)
  in
    print (b ^ Int.toString a ^ Real.toString x ^ "\n")
  end
val () = app (fn n => app (fn m => look (n, m, "s")) [0, 1, 2, 7]) [1, 2, 20]
