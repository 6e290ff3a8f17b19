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

(* -- by the names of columns *)

fun table text = CSV.table (CSV.openString text)
fun rows names text =
  attempt (fn () =>
    let
      val t = table text
      val columns = map (CSV.column t) names
    in
      String.concatWith "|" (CSV.names t) ^ " -> "
      ^ shown (map (fn row => Int.toString (CSV.rowLine row) :: map (fn column => column row) columns) (CSV.rows t))
    end)
val () =
  List.app (fn (names, text) => line [String.toString text, ": ", rows names text])
    [(["b", "a"], "a,b\n1,2\n3,4"),
     (["b"], "\239\187\191a,b\r\n\r\n1,\"2\n3\"\n\n4,5\n"),
     (["a b"], "\239\187\191\"a b\",c\n1,2\n"),
     ([""], ",b\n1,2\n"),
     (["x"], "x\n\"\"\n1\n"),
     ([], "a,b\n"),
     (["c"], "a,b\n1,2\n"),
     (["a"], "a,b,a\n"),
     (["a"], "a,\"b\nc\",b,a\n"),
     (["a"], ""),
     (["a"], "\n1\n"),
     (["a"], "a,b\n1,2\n1\n"),
     (["a"], "a,b\n1,2\n1,\"2\",3\n"),
     (["a"], "a,b\n\"1\n2\",3,4\n"),
     (["a"], "a,b\n1,\"2\n"),
     (["a"], "a\n1\n\"x\"y\n")]

(* as values, with the place of one that is none *)
fun ages text =
  attempt (fn () =>
    let
      val t = table text
      val age = CSV.columnAs t ("age", Int.fromString)
    in
      String.concatWith " " (map (Int.toString o age) (CSV.rows t))
    end)
val () =
  List.app (fn text => line [String.toString text, ": ", ages text])
    ["name,age\nx,7\ny,~8\n", "name,age\nx,7\n\n\"y,\"\"z\",old\n", "age,name\n,x\n", "name,age\n\"a\nb\",c\n", "name,years\n"]

(* Rows while others are read; the fields of a row; many names, and a name among many that is there twice. *)
val () =
  let
    val many = List.tabulate (20000, fn i => "c" ^ Int.toString (i * 7919 mod 20000))
    val t = table (CSV.toString [many, List.tabulate (20000, Int.toString)])
    val column = CSV.column t "c7919"
  in
    line [case CSV.nextRow t of SOME row => column row ^ " " ^ Int.toString (length (CSV.fields row)) | NONE => "none"];
    line [attempt (fn () => Int.toString (length (CSV.names (table (CSV.record (many @ ["c7919"]))))))]
  end

(* The place and the reason were lost where an exception is only caught as such: "Malformed". *)
val () = ignore (CSV.parse "a\nb,\"c") handle e => line [exnMessage e]
