(* A source that raises within a record, a header or a value, as a stream does whose scope is cancelled: what had come of
   it was forgotten, and the rest was taken for the next one. So half a record was a record, and the value of a field a
   request of its own, to another host. *)
exception Later
fun say s = print (s ^ "\n")

(* NONE: raises Later *)
fun pieces l =
  let
    val left = ref l
  in
    fn () =>
      case !left of
        [] => ""
      | NONE :: rest => (left := rest; raise Later)
      | SOME piece :: rest => (left := rest; piece)
  end
fun show f =
  say (f ()
       handle Later => "Later"
            | IO.Io {cause = Later, ...} => "Later"
            | CSV.Malformed {line, column, reason} =>
                concat ["malformed, ", Int.toString line, ":", Int.toString column, ": ", reason]
            | e => exnMessage e)
fun times (0, _) = ()
  | times (n, f) = (show f; times (n - 1, f))

(* -- CSV *)

fun lines l = let val next = pieces l in fn () => case next () of "" => NONE | line => SOME line end
fun records l =
  let
    val source = CSV.openWith {separator = #",", nextLine = lines l}
  in
    fn () =>
      case CSV.next source of
        NONE => "the end"
      | SOME fields =>
          concat [String.concatWith " | " (List.map String.toString fields), ", to line ", Int.toString (CSV.line source)]
  end
val () = times (6, records [SOME "1,\"two\n", NONE, SOME "lines\",3\n", NONE, SOME "4,5,6\n"])
val () = times (6, records [SOME "1,\"a\n", SOME "b\n", NONE, NONE, SOME "c\",\"d\n", NONE, SOME "e\"\n"])
val () = times (3, records [SOME "1\n", SOME "\"2\n", NONE])
val () =
  let
    val source =
      CSV.openWith {separator = #",",
                    nextLine = lines [SOME "\239\187\191\"a\n", NONE, SOME "b\",c\n", NONE, SOME "1,\"x\n", NONE, SOME "y\"\n"]}
    val table = ref NONE
    fun open' () =
      let
        val t = CSV.table source
      in
        table := SOME t;
        String.concatWith " | " (List.map String.toString (CSV.names t))
      end
    fun row () =
      case CSV.nextRow (valOf (!table)) of
        SOME row => concat [String.toString (CSV.column (valOf (!table)) "c" row), " in line ", Int.toString (CSV.rowLine row)]
      | NONE => "no row"
  in
    times (2, open');
    times (3, row)
  end

(* -- HTTPMessage *)

fun requests l =
  let
    val source = HTTPMessage.source (pieces l)
  in
    fn () =>
      case HTTPMessage.readRequest HTTPMessage.limits source of
        NONE => "the end"
      | SOME {target, host, headers, body, ...} =>
          concat [target, " of ", host, ", X: ", Option.getOpt (HTTPHeaders.get headers "x", "none"), ", body: ",
                  HTTPBody.all {most = 100} body handle e => exnMessage e]
  end
val hidden = "GET /admin HTTP/1.1\r\nHost: y\r\n\r\n"
val () = times (4, requests [SOME "GET /a HTTP/1.1\r\nHo", NONE, SOME "st: x\r\nX: a", NONE, SOME "b\r\n\r\n"])
val () = times (3, requests [SOME "GET /a HTTP/1.1\r\nX: ", NONE, SOME hidden])
(* nor is what is left of a body that was not read to its end a request *)
val post = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: "
val () = times (2, requests [SOME (concat [post, Int.toString (4 + size hidden), "\r\n\r\nbody"]), NONE, SOME hidden])
val () = times (3, requests [SOME (post ^ "4\r\n\r\nbo"), SOME ("dy" ^ hidden)])
val () =
  let
    val source = HTTPMessage.ofString (concat [post, Int.toString (size hidden), "\r\n\r\n", hidden])
    fun target () = case HTTPMessage.readRequest HTTPMessage.limits source of SOME {target, ...} => target | NONE => "the end"
  in
    times (2, target)
  end

(* Nor is the body of a request that is refused, or of an answer: it was taken for the next one. *)
fun twice read text =
  let val source = HTTPMessage.ofString text in times (2, fn () => (read HTTPMessage.limits source; "taken")) end
val refused = ["2000000\r\n\r\n", "x\r\n\r\n", "1\r\nTransfer-Encoding: new\r\n\r\n"]
val () = List.app (fn n => twice (fn l => ignore o HTTPMessage.readRequest l) (concat [post, n, hidden])) refused
val () =
  twice (fn l => ignore o HTTPMessage.readResponse l {method = "GET"})
    ("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")

(* -- JSON *)

fun text (JSON.INT n) = IntInf.toString n
  | text (JSON.STRING s) = s
  | text (JSON.ARRAY l) = concat ["[", String.concatWith "," (List.map text l), "]"]
  | text _ = "another one"
fun streamOf l =
  let
    val next = pieces l
    val reader =
      TextPrimIO.augmentReader (TextPrimIO.RD
        {name = "pieces", chunkSize = 100, readVec = SOME (fn _ => next ()), readArr = NONE, readVecNB = NONE,
         readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE,
         setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE})
  in
    TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
  end
fun values l =
  let val source = JSONParser.openStream (streamOf l) in fn () => text (JSONParser.parse source) end
val () = times (4, values [SOME "[1]", NONE, SOME " [2] ", NONE, SOME "[3]"])
val () = times (3, values [SOME "[1,", NONE, SOME "2] 3"])
val () = times (3, values [SOME "/* a ", NONE, SOME "1 */ 2"])
val () =
  let
    val source = JSONParser.openStream (streamOf [SOME "[1] ", NONE, SOME " "])
  in
    times (2, fn () => text (JSONParser.parseAll source))
  end
(* A function that is called for a part of a value may raise, too: the next call read on in the midst. *)
val () =
  let
    val isFirst = ref true
    fun same (ctx, _) = ctx
    val callbacks =
      {null = fn n => n, boolean = same, integer = same, float = same, string = same, startObject = fn n => n + 1,
       objectKey = same, endObject = fn n => n,
       startArray = fn n => if !isFirst then (isFirst := false; raise Later) else n + 1,
       endArray = fn n => n, error = fn _ => ()}
    val source = JSONStreamParser.openString "[{\"admin\": true}] [1]"
  in
    times (2, fn () => Int.toString (JSONStreamParser.parse callbacks (source, 0)))
  end
