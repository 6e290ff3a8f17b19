(* A value that comes out of a case in an arm of a case, and goes through three functions that look at it. The inner
   case had a join of its own, and a call of the outer case's join at its end was taken for the value itself: what came
   behind was done three times, `coding=gzip coding=gzip coding=gzip`. *)

datatype fields = FIELDS of (string * string) list

fun get (FIELDS l) n = Option.map #2 (List.find (fn (m, _) => m = n) l)
fun remove n (FIELDS l) = FIELDS (List.filter (fn (m, _) => m <> n) l)
fun add (n, v) (FIELDS l) = FIELDS (l @ [(n, v)])
fun set (n, v) (FIELDS l) = FIELDS (List.filter (fn (m, _) => m <> n) l @ [(n, v)])
fun weak h =
  case get h "tag" of
    SOME tag => if String.isPrefix "W/" tag then h else set ("tag", "W/" ^ tag) h
  | NONE => h
fun coded h = add ("coding", "gzip") (remove "ranges" (remove "length" (weak h)))

fun show (FIELDS l) = print (String.concatWith " " (map (fn (n, v) => n ^ "=" ^ v) l) ^ "\n")
val () = app (show o coded)
  [FIELDS [], FIELDS [("tag", "1"), ("length", "3")], FIELDS [("ranges", "x"), ("tag", "W/2")], FIELDS [("tag", ""), ("other", "y")]]
