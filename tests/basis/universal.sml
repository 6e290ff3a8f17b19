(* Poly/ML's Universal: a value comes out under the tag that it went in by. *)
val int : int Universal.tag = Universal.tag ()
val other : int Universal.tag = Universal.tag ()
val text : string Universal.tag = Universal.tag ()

val table = [Universal.tagInject int 1, Universal.tagInject text "two", Universal.tagInject other 3]

fun show u =
  if Universal.tagIs int u then "int " ^ Int.toString (Universal.tagProject int u)
  else if Universal.tagIs text u then "text " ^ Universal.tagProject text u
  else "another tag"

val () = List.app (fn u => print (show u ^ "\n")) table
val () = print (Int.toString (Universal.tagProject int (List.nth (table, 2))) ^ "\n") handle Match => print "Match\n"
