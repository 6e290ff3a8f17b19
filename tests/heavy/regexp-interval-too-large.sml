(* A short expression may stand for a large one: one that is too large for any memory cannot be compiled. *)
structure R = RegExpFn (structure P = AwkSyntax structure E = BackTrackEngine)
fun show s =
  print
    (s
     ^ ": "
     ^ ((case R.prefix (R.compileString s) Substring.getc (Substring.full "aaaa") of
           SOME (_, rest) => Int.toString (Substring.size rest) ^ " left"
         | NONE => "no match")
        handle RegExpSyntax.CannotCompile => "too large" | R.CannotParse => "no expression")
     ^ "\n")
val () =
  List.app show
    ["a{3}", "a{0,1000}", "a{1000}", "(a{10}){10}", "a{2,1}", "a{9999999999}", "a{999999999}", "a{0,999999999}",
     "((((a{99}){99}){99}){99}){99}"]
