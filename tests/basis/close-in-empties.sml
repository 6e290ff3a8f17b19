(* The Basis: what is closed is at the end of the stream; closeIn replaces the functional stream with an empty one. The
   streams of the functor went on with what was buffered, and so did all streams when the reader's close had failed. *)
fun reader (pieces, close) =
  let
    val left = ref pieces
    fun read _ =
      case !left of
        [] => ""
      | piece :: rest => (left := rest; piece)
  in
    TextPrimIO.RD
      {name = "pieces",
       chunkSize = 10,
       readVec = SOME read,
       readArr = NONE,
       readVecNB = NONE,
       readArrNB = NONE,
       block = NONE,
       canInput = NONE,
       avail = fn () => NONE,
       getPos = NONE,
       setPos = NONE,
       endPos = NONE,
       verifyPos = NONE,
       close = close,
       ioDesc = NONE}
  end
structure Stream =
  StreamIO
    (structure PrimIO = TextPrimIO
     structure Vector = CharVector
     structure VectorSlice = CharVectorSlice
     structure Array = CharArray
     structure ArraySlice = CharArraySlice
     val someElem = #" ")
functor Tests
  (structure I : IMPERATIVE_IO
     where type vector = string
     where type elem = char
     where type StreamIO.reader = TextPrimIO.reader
     where type StreamIO.vector = string
     where type StreamIO.elem = char
   val name : string) =
struct
  fun show NONE = "NONE"
    | show (SOME c) = str c
  fun test (what, pieces, close, first) =
    let
      val s = I.mkInstream (I.StreamIO.mkInstream (reader (pieces, close), ""))
      val () = first s
      val closed = (I.closeIn s; "closed") handle IO.Io {function, ...} => function ^ " fails"
      val again = (I.closeIn s; "again") handle IO.Io {function, ...} => function ^ " fails"
      val functional = I.getInstream s
    in
      print (String.concatWith " "
        [name, what ^ ":", closed, again, show (I.lookahead s), show (I.input1 s), "[" ^ I.input s ^ "]",
         "[" ^ I.inputN (s, 1) ^ "]", "[" ^ I.inputAll s ^ "]", Bool.toString (I.endOfStream s),
         "[" ^ #1 (I.StreamIO.inputAll functional) ^ "]"] ^ "\n")
    end
  fun one s = ignore (I.input1 s)
  val () = test ("a chunk", ["ab", "cd"], fn () => (), one)
  (* read by the functional stream, behind the place where the other is *)
  val () =
    test ("beyond an end", ["ab", "", "cd"], fn () => (), fn s =>
      let
        val f = #2 (I.StreamIO.inputAll (I.getInstream s))
      in
        ignore (I.StreamIO.input1 f)
      end)
  val () = test ("fails", ["ab", "cd"], fn () => raise Fail "no", one)
end
structure Functor =
  Tests
    (structure I =
       ImperativeIO (structure StreamIO = Stream structure Vector = CharVector structure Array = CharArray)
     val name = "functor")
structure Text = Tests (structure I = TextIO val name = "TextIO")
