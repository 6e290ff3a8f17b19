(* A file of JSON: it is parsed, some of its members are added up, it is printed to another file and parsed again. *)

fun member (JSON.OBJECT members, name) = #2 (valOf (List.find (fn (n, _) => n = name) members))
  | member _ = raise Fail "no object"

fun text (JSON.STRING s) = s
  | text _ = raise Fail "no string"

fun int (JSON.INT n) = IntInf.toInt n
  | int _ = raise Fail "no whole number"

fun float (JSON.FLOAT x) = x
  | float (JSON.INT n) = Real.fromLargeInt n
  | float _ = raise Fail "no number"

fun items (JSON.ARRAY l) = l
  | items _ = raise Fail "no array"

fun report value =
  let
    fun add (item, (stock, worth, letters, tags)) =
      let
        val n = int (member (item, "stock"))
      in
        (stock + n,
         worth + real n * float (member (item, "price")),
         letters + size (text (member (item, "name"))),
         tags + length (items (member (item, "tags"))))
      end
    val (stock, worth, letters, tags) = foldl add (0, 0.0, 0, 0) (items value)
  in
    print (concat [Int.toString stock,
                   " in stock, worth ",
                   Real.fmt (StringCvt.FIX (SOME 0)) worth,
                   ", names of ",
                   Int.toString letters,
                   " letters, ",
                   Int.toString tags,
                   " tags\n"])
  end

val value = JSONParser.parseFile (hd (CommandLine.arguments ()))
val () = report value

val copy = OS.FileSys.tmpName ()
val out = TextIO.openOut copy
val () = JSONPrinter.print (out, value)
val () = TextIO.closeOut out
val () = report (JSONParser.parseFile copy)
val () = OS.FileSys.remove copy
