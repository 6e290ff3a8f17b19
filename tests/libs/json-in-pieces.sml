(* Texts that come in pieces of every size are read as they are in one; a long string took quadratic time, since the pieces
   were put together from the end. *)
val text =
  "{\"plain\": \"abcdefghijklmnop\", \"esc\\u00e9\": \"a\\n\\\"b\\\\c\195\169\", \"n\": [1234567890, -12.5e3, true, null]}"
fun openPieces k =
  let
    val at = ref 0
    fun readVec _ =
      let val n = Int.min (k, size text - !at) in substring (text, !at, n) before at := !at + n end
    val reader =
      TextPrimIO.augmentReader (TextPrimIO.RD
        {name = "pieces", chunkSize = k, readVec = SOME readVec, readArr = NONE, readVecNB = NONE,
         readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE,
         setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE})
  in
    TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
  end
fun show (JSON.OBJECT l) = "{" ^ String.concatWith "," (map (fn (k, v) => String.toString k ^ ":" ^ show v) l) ^ "}"
  | show (JSON.ARRAY l) = "[" ^ String.concatWith "," (map show l) ^ "]"
  | show JSON.NULL = "null"
  | show (JSON.BOOL b) = Bool.toString b
  | show (JSON.INT n) = IntInf.toString n
  | show (JSON.FLOAT r) = Real.toString r
  | show (JSON.STRING s) = "\"" ^ String.toString s ^ "\""
val whole = show (JSONParser.parse (JSONParser.openString text))
val () = print (whole ^ "\n")
fun try k =
  let
    val found = show (JSONParser.parse (JSONParser.openStream (openPieces k)))
  in
    if found = whole then () else print (Int.toString k ^ ": " ^ found ^ "\n")
  end
val () = List.app try (List.tabulate (size text, fn i => i + 1))
