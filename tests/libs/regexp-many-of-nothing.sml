(* An interval of an expression that has no instructions was compiled turn by turn: eighteen characters took years. One
   that may be left out was compiled until it was too large. *)
functor Try (val name : string structure E : REGEXP_ENGINE) =
struct
  structure R = RegExpFn (structure P = AwkSyntax structure E = E)
  fun find expression =
    (case StringCvt.scanString (R.find (R.compileString expression)) "xab" of
       SOME m => Int.toString (#len (MatchTree.root m))
     | NONE => "none")
    handle RegExpSyntax.CannotCompile => "CannotCompile"
  val () =
    print (name ^ ": "
           ^ String.concatWith " " (List.map find ["(?:){999999999}{999999999}b", "(?:a{0}){999999999}b", "(a{0}){3,9999}a", "(?:ab){1}", "(?:){0,999999999}b", "(?:(?:){2,}){3,999}b"])
           ^ "\n")
end
structure A = Try (val name = "DfaEngine" structure E = DfaEngine)
structure B = Try (val name = "BackTrackEngine" structure E = BackTrackEngine)
