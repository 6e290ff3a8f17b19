(* Imperative streams, as the Basis describes them: input1 goes behind an end of the stream, as input does, and there may be
   more; getOutstream and setOutstream flush. *)
fun reader () = let val l = ref ["ab", "", "cd", "", "e", ""] in
  TextPrimIO.RD {name="u", chunkSize=10, readVec = SOME (fn k => case !l of [] => "" | x :: r => (l := r; x)), readArr=NONE, readVecNB=NONE, readArrNB=NONE, block=NONE, canInput=NONE, avail=fn () => NONE, getPos=NONE,setPos=NONE,endPos=NONE,verifyPos=NONE,close=fn () => (), ioDesc=NONE} end
structure TS = StreamIO (structure PrimIO = TextPrimIO structure Vector = CharVector structure VectorSlice = CharVectorSlice structure Array = CharArray structure ArraySlice = CharArraySlice val someElem = #" ")
structure TI = ImperativeIO (structure StreamIO = TS structure Vector = CharVector structure Array = CharArray)
fun show NONE = "NONE" | show (SOME c) = str c
fun seq (n, f) = String.concatWith " " (List.tabulate (n, fn _ => f ()))
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO input1: " ^ seq (9, fn () => show (TextIO.input1 s)) ^ "\n")
val s = TI.mkInstream (TS.mkInstream (reader (), ""))
val () = print ("functor input1: " ^ seq (9, fn () => show (TI.input1 s)) ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO input: " ^ seq (7, fn () => "[" ^ TextIO.input s ^ "]") ^ "\n")
val s = TI.mkInstream (TS.mkInstream (reader (), ""))
val () = print ("functor input: " ^ seq (7, fn () => "[" ^ TI.input s ^ "]") ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO inputLine: " ^ seq (5, fn () => case TextIO.inputLine s of NONE => "NONE" | SOME l => String.toString l) ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO lookahead at eos: " ^ (TextIO.inputN (s, 2)) ^ seq (3, fn () => show (TextIO.lookahead s)) ^ Bool.toString (TextIO.endOfStream s) ^ show (TextIO.input1 s) ^ show (TextIO.input1 s) ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO inputN 0 at eos: " ^ (TextIO.inputN (s, 2)) ^ seq (2, fn () => "[" ^ TextIO.inputN (s, 0) ^ "]") ^ Bool.toString (TextIO.endOfStream s) ^ "[" ^ TextIO.inputN (s, 5) ^ "][" ^ TextIO.inputN (s, 5) ^ "]" ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO inputAll: " ^ seq (4, fn () => "[" ^ TextIO.inputAll s ^ "]") ^ "\n")
(* what is closed has no more *)
val s = TI.mkInstream (TS.mkInstream (reader (), ""))
val () = print ("functor closed: " ^ show (TI.input1 s)) val () = TI.closeIn s
val () = print (seq (3, fn () => show (TI.input1 s)) ^ Bool.toString (TI.endOfStream s) ^ "\n")
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader (), ""))
val () = print ("TextIO closed: " ^ show (TextIO.input1 s)) val () = TextIO.closeIn s
val () = print (seq (3, fn () => show (TextIO.input1 s)) ^ Bool.toString (TextIO.endOfStream s) ^ "\n")

fun writer got = TextPrimIO.WR {name="w", chunkSize=100, writeVec = SOME (fn p => (got := !got ^ Substring.string p; Substring.size p)), writeArr=NONE, writeVecNB=NONE, writeArrNB=NONE, block=NONE, canOutput=NONE, getPos=NONE,setPos=NONE,endPos=NONE,verifyPos=NONE,close=fn () => (), ioDesc=NONE}
val g = ref "" val o1 = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer g, IO.BLOCK_BUF))
val () = TextIO.output (o1, "a") val f = TextIO.getOutstream o1 val () = print ("getOutstream: " ^ !g ^ "\n")
val () = TextIO.output (o1, "b") val () = TextIO.setOutstream (o1, TextIO.StreamIO.mkOutstream (TextPrimIO.nullWr (), IO.NO_BUF)) val () = print ("setOutstream: " ^ !g ^ "\n")
val g = ref "" val o1 = TI.mkOutstream (TS.mkOutstream (writer g, IO.BLOCK_BUF))
val () = TI.output (o1, "a") val f = TI.getOutstream o1 val () = print ("functor getOutstream: " ^ !g ^ "\n")
