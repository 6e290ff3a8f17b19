(* CSV: texts whose records Python's csv module gives, errors with their places, and random records there and back. *)

fun line l = print (concat l ^ "\n")
fun shown records =
  String.concatWith ";" (List.map (fn r => "[" ^ String.concatWith "|" (List.map String.toString r) ^ "]") records)
fun attempt f =
  f ()
  handle CSV.Malformed {line = l, column, reason} =>
    concat ["line ", Int.toString l, ", column ", Int.toString column, ": ", reason]

val texts =
  ["", "a,b\nc,d\n", "a,b\r\nc,d", "a,,\n,\n", "\n\na\n\n", "\"a,b\",c\n", "\"a\"\"b\"\n", "\"\"\n", "\"\"\"\"\n", "a\"b,c\n", "\"a\nb\",c\n",
   "\"a\r\nb\r\n\",c\r\nd", " \"a\", b\n", "\"x\",\"y\"", ",\"\"", "\"a\n\n\n\"\"b\",1\n2\n", "\195\169,\226\130\172\n", "a;b,c\n"]
val () = List.app (fn s => line [String.toString s, " -> ", shown (CSV.parse s)]) texts
val () =
  List.app (fn s => line [String.toString s, " -> ", attempt (fn () => shown (CSV.parse s))])
    ["\"a\"b,c\n", "a,b\nc,\"d\ne\n", "\"", "x\ny,\"z\n\"z\n", "\"a\" ,b"]
val () = line [shown (CSV.parseWith #"\t" "a,b\tc\n\"d\te\"\t\n"), " ", CSV.recordWith {separator = #"\t", lineEnd = "\n"} ["a,b", "c\td"]]

(* A stream, whose records come one by one. *)
val () =
  let
    val source = CSV.openStream (TextIO.openString "a,b\n\"c\nd\",e\nf\n")
    fun all () =
      case CSV.next source of
        SOME r => (line [shown [r], " ", Int.toString (CSV.line source)]; all ())
      | NONE => ()
  in
    all ()
  end

val random = Random.rand (41, 6)
fun below n = Random.randRange (0, n - 1) random
fun field () = CharVector.tabulate (below 6, fn _ => String.sub ("ab,\"\n\r; \195\169", below 10))
fun record () = List.tabulate (below 5, fn _ => field ())
fun law 0 = line ["laws"]
  | law n =
      let
        val records = List.tabulate (below 6, fn _ => record ())
        val text = CSV.toString records
      in
        if CSV.parse text = records then law (n - 1) else line ["wrong: ", String.toString text]
      end
val () = law 3000
