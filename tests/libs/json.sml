(* JSON: texts and what they are; there and back; paths and decoders; what is no JSON. *)

fun compact v = let val b = CharBuffer.new 10 in JSONBufferPrinter.value (JSONBufferPrinter.new b, v); CharBuffer.contents b end
fun parse s = JSONParser.parse (JSONParser.openString s)
fun line s = print (s ^ "\n")
fun attempt f = f () handle e => line (JSONUtil.exnMessage e)

val () =
  List.app
    (fn s => attempt (fn () =>
       let val v = parse s
       in
         line (compact v);
         if compact (parse (compact v)) = compact v andalso JSONPrinter.sizeOfValue v = size (compact v) then () else line "differs"
       end))
    ["null", " [ ] ", "{}", "[1, -2, 0, 123456789012345678901234567890]", "[1.5, -0.25, 1e3, 2E-2, 1.0]",
     "{\"a\" : true, \"b\" : [false, {}], \"a\" : \"again\"}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00\"",
     "\"\195\169 \226\130\172 \240\159\152\128\"", "/* a comment */ [1 /* * */, 2]",
     "", "[1,]", "[1 2]", "{\"a\"}", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "tru", "01", "1.", "-", "1e", "\"abc", "\"\\x\"", "\"\\ud83d\"",
     "\"\n\"", "\"\255\"", "\n\n  @", "/* ", "nul"]

(* Many values of one source; a long text comes in pieces. *)
val () =
  let
    val s = JSONParser.openString "1 \"two\" [3]"
  in
    List.app (fn _ => line (compact (JSONParser.parse s))) [1, 2, 3];
    attempt (fn () => line (compact (JSONParser.parse s)));
    JSONParser.close s;
    attempt (fn () => line (compact (JSONParser.parse s)))
  end

val big = JSON.ARRAY (List.tabulate (3000, fn i => JSON.OBJECT [("number", JSON.INT (Int.toLarge i)), ("text", JSON.STRING (CharVector.tabulate (i mod 50, fn k => chr (32 + (i + k) mod 95))))]))
val () =
  let
    val name = OS.FileSys.tmpName ()
    val out = TextIO.openOut name
  in
    JSONPrinter.print' {strm = out, pretty = true} big;
    TextIO.closeOut out;
    line (Bool.toString (compact (JSONParser.parseFile name) = compact big));
    OS.FileSys.remove name
  end

val deep = String.concat (List.tabulate (20000, fn _ => "[") @ List.tabulate (20000, fn _ => "]"))
val () = line (Bool.toString (compact (parse deep) = deep))

val v = parse "{\"name\":\"leat\",\"tags\":[\"sml\",\"cml\"],\"size\":{\"w\":3,\"h\":4.5},\"none\":null}"
val () = JSONPrinter.print' {strm = TextIO.stdOut, pretty = true} v
val () = JSONPrinter.print (TextIO.stdOut, JSONUtil.replace (v, [JSONUtil.SEL "tags", JSONUtil.SUB 1], JSON.INT 7))
val () = line (compact (JSONUtil.append (v, [JSONUtil.SEL "tags"], [JSON.BOOL true])))
val () = line (compact (JSONUtil.insert (v, [JSONUtil.SEL "size"], "d", JSON.NULL)))
val () = line (compact (JSONUtil.get (v, [JSONUtil.SEL "tags", JSONUtil.FIND (fn JSON.STRING s => s = "cml" | _ => false)])))
val () =
  List.app (fn f => attempt (fn () => line (f v)))
    [JSONUtil.asString, fn v => Int.toString (JSONUtil.asInt (JSONUtil.lookupField v "name")), fn v => compact (JSONUtil.lookupField v "x"),
     fn v => compact (JSONUtil.get (v, [JSONUtil.SEL "tags", JSONUtil.SUB 2])), fn v => compact (JSONUtil.get (v, [JSONUtil.SUB 0])),
     fn v => compact (JSONUtil.get (v, [JSONUtil.SEL "tags", JSONUtil.FIND (fn _ => false)]))]

structure D = JSONDecode
val area = D.map2 (fn (w, h) => w * h) (D.field "w" D.number, D.field "h" D.number)
val item =
  D.reqField "name" D.string (D.optField "colour" D.string (D.dfltField "count" D.int 1 (D.reqField "size" area
    (D.succeed (fn size => fn count => fn colour => fn name => String.concatWith " " [name, getOpt (colour, "plain"), Int.toString count, Real.toString size])))))
val () = line (D.decode item v)
datatype tree = Leaf of int | Node of tree list
fun tree () = D.orElse (D.map Leaf D.int, D.map Node (D.array (D.delay tree)))
fun show (Leaf n) = Int.toString n
  | show (Node l) = ListFormat.listToString show l
val () = line (show (D.decodeString (tree ()) "[1,[2,[3]],[]]"))
val () = attempt (fn () => line (D.decodeString (D.field "a" (D.choose [D.string, D.null "null", D.map Int.toString (D.sub 1 D.int)])) "{\"a\":[1,2]}"))
val () = attempt (fn () => line (D.decodeString (D.choose [D.string]) "[]"))
val () = attempt (fn () => line (Int.toString (D.decodeString D.int "123456789012345678901234567890")))

(* Events *)
val () =
  let
    fun note s (l, _) = s :: l
    val events =
      JSONStreamParser.parse
        {null = fn l => "null" :: l, boolean = fn (l, b) => Bool.toString b :: l, integer = fn (l, n) => IntInf.toString n :: l,
         float = fn (l, r) => Real.toString r :: l, string = fn (l, s) => s :: l, startObject = fn l => "{" :: l,
         objectKey = fn (l, k) => k ^ ":" :: l, endObject = fn l => "}" :: l, startArray = fn l => "[" :: l, endArray = fn l => "]" :: l,
         error = fn (l, s) => line (String.concatWith " " (rev (s :: l)))}
  in
    line (String.concatWith " " (rev (events (JSONStreamParser.openString "{\"a\":[1,2.5,null],\"b\":{},\"c\":true}", []))));
    attempt (fn () => ignore (events (JSONStreamParser.openString "[1,[2,}", [])))
  end

val () =
  let
    val p = JSONStreamPrinter.new TextIO.stdOut
  in
    JSONStreamPrinter.beginArray p;
    JSONStreamPrinter.beginObject p;
    attempt (fn () => JSONStreamPrinter.int (p, 1));
    attempt (fn () => JSONStreamPrinter.beginArray p);
    JSONStreamPrinter.objectKey (p, "k");
    JSONStreamPrinter.null p;
    attempt (fn () => JSONStreamPrinter.string (p, "v"));
    JSONStreamPrinter.endObject p;
    JSONStreamPrinter.int (p, ~1);
    attempt (fn () => JSONStreamPrinter.objectKey (p, "k"));
    attempt (fn () => JSONStreamPrinter.endObject p);
    attempt (fn () => JSONStreamPrinter.close p);
    JSONStreamPrinter.float (p, 0.1);
    JSONStreamPrinter.endArray p;
    JSONStreamPrinter.close p
  end

(* One value and nothing behind it. (`parse` leaves the rest for the next call, so that "[1] 2" was taken for a whole text.) *)
fun all s = JSONParser.parseAll (JSONParser.openString s)
val () = List.app (fn s => attempt (fn () => line (compact (all s)))) ["[1] 2", "[1]\n /* end */ ", "1,", "{} @", ""]
val () =
  let
    val count =
      {null = fn n => n + 1, boolean = fn (n, _) => n + 1, integer = fn (n, _) => n + 1, float = fn (n, _) => n + 1,
       string = fn (n, _) => n + 1, startObject = fn n => n, objectKey = fn (n, _) => n, endObject = fn n => n,
       startArray = fn n => n, endArray = fn n => n, error = fn (n : int, s) => line (Int.toString n ^ " " ^ s)}
    fun try f s = attempt (fn () => line (Int.toString (f count (JSONStreamParser.openString s, 0))))
  in
    try JSONStreamParser.parse "[1, 2] 3";
    try JSONStreamParser.parseAll "[1, 2] ";
    try JSONStreamParser.parseAll "[1, 2] 3"
  end
(* What JSON cannot say is not printed, not a part of it either. ("[1e999]" was printed as "[inf]".) *)
val () =
  List.app (fn v => attempt (fn () => JSONPrinter.print (TextIO.stdOut, v)))
    [parse "[1e999]", JSON.ARRAY [JSON.INT 1, JSON.FLOAT (0.0 / 0.0)], JSON.OBJECT [("a", JSON.FLOAT (~1.0 / 0.0))], parse "[1e308]"]

(* Where an error is: lines and columns count from 1, and a character of UTF-8 is one column, also when the text comes in
   pieces; the last two are read by a file's stream, whose pieces end in the midst of a line. *)
val () =
  List.app (fn s => attempt (fn () => line (compact (JSONParser.parseAll (JSONParser.openString s)))))
    ["[1,\n 2,\n  @]", "{\"a\": 1,\n \"b\" 2}", "[\"\195\169\226\130\172\", ?]", "[1] 2", "{\"key\": tru}", "[1, 01]", "[1.x]",
     "\"\\q\"", "\"ab\\ud83dx\"", "[\"a\tb\"]", "[\"abc", "/x", "[1, \255]", "/* \n\n */ ]", "{\"a\":[1,{\"b\":\n\n  nul}]}", ""]
fun fromFile text =
  let
    val name = OS.FileSys.tmpName ()
    val out = TextIO.openOut name
  in
    TextIO.output (out, text);
    TextIO.closeOut out;
    attempt (fn () => line (compact (JSONParser.parseFile name)));
    OS.FileSys.remove name
  end
val many = String.concat (List.tabulate (50000, fn _ => "\"\195\169\", "))
val () = fromFile ("[\n" ^ many ^ "\n" ^ many ^ "?]")
val () = fromFile ("[" ^ String.concat (List.tabulate (50000, fn _ => "1,\n")) ^ " 2 3]")

(* Text beyond ASCII was written with escapes; JSONError was shown by its name alone. *)
val () = JSONPrinter.print (TextIO.stdOut, JSON.STRING "\195\164 \226\130\172 \240\159\152\128 \001\127 \"\\")
val () = line ""
val () = ignore (JSONUtil.asInt (JSON.STRING "one")) handle e => line (exnMessage e)
val () = ignore (JSONUtil.lookupField (JSON.OBJECT []) "name") handle e => line (exnMessage e)

(* Names that came before are given again: names of all sizes, those that meet in the table, names with escapes and beyond
   ASCII, and names that the end of a file's piece (64 KB) cuts. *)
val names =
  ["", "a", "b", "ab", "aab", "abb", "axb", "a\"b", "\195\169", "a\195\169", "key with blanks", "a\\", "a\nb",
   CharVector.tabulate (32, fn _ => #"n"), CharVector.tabulate (33, fn _ => #"n"), CharVector.tabulate (31, fn _ => #"n")]
fun object k = JSON.OBJECT (map (fn n => (n, JSON.INT (Int.toLarge (k + size n)))) (if k mod 2 = 0 then names else rev names))
val objects = JSON.ARRAY (List.tabulate (4, object))
val () = line (Bool.toString (compact (parse (compact objects)) = compact objects))
fun keys (JSON.ARRAY l) = List.concat (map (fn JSON.OBJECT l => map #1 l | _ => []) l)
  | keys _ = []
val () = line (Bool.toString (keys (parse (compact objects)) = keys objects))
val () =
  app (fn k => fromFile (CharVector.tabulate (65536 - k, fn _ => #" ") ^ "[{\"first\":1,\"second\":2},{\"first\":3,\"second\":4}]"))
    [9, 1, 4, 17, 27, 36]
