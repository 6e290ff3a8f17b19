(* The functors of the I/O layers on sequences of int, readers and writers of a program, PackWord, PackReal. *)
structure P = PrimIO (structure Vector = IntVector structure VectorSlice = IntVectorSlice structure Array = IntArray structure ArraySlice = IntArraySlice val someElem = 0 type pos = int val compare = Int.compare)
structure S = StreamIO (structure PrimIO = P structure Vector = IntVector structure VectorSlice = IntVectorSlice structure Array = IntArray structure ArraySlice = IntArraySlice val someElem = 0)
structure I = ImperativeIO (structure StreamIO = S structure Vector = IntVector structure Array = IntArray)
fun ints v = print ("[" ^ String.concatWith "," (map Int.toString (IntVector.foldr (op ::) [] v)) ^ "]\n")
val s = S.mkInstream (P.openVector (IntVector.tabulate (10, fn i => i)), IntVector.fromList [100])
val (v, s) = S.inputN (s, 4)
val () = ints v
val i = I.mkInstream s
val () = print (case I.input1 i of SOME n => Int.toString n ^ "\n" | NONE => "none\n")
val () = ints (I.inputAll i)
val got = ref []
val w = P.WR {name = "list", chunkSize = 3, writeVec = SOME (fn s => (got := !got @ IntVectorSlice.foldr (op ::) [] s; IntVectorSlice.length s)), writeArr = NONE, writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => print "closed\n", ioDesc = NONE}
val o' = S.mkOutstream (w, IO.BLOCK_BUF)
val () = S.output (o', IntVector.fromList [1, 2])
val () = S.output1 (o', 3)
val () = print (Int.toString (length (!got)) ^ "\n")
val () = S.output (o', IntVector.fromList [4, 5, 6, 7])
val () = S.closeOut o'
val () = ints (IntVector.fromList (!got))
(* a text writer of one's own, and reading by characters *)
val r = TextPrimIO.RD {name = "r", chunkSize = 2, readVec = NONE, readArr = NONE, readVecNB = SOME (let val n = ref 0 in fn k => (n := !n + 1; if !n > 3 then SOME "" else SOME (CharVector.tabulate (k, fn _ => Char.chr (96 + !n)))) end), readArrNB = NONE, block = SOME (fn () => ()), canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE}
val t = TextIO.mkInstream (TextIO.StreamIO.mkInstream (r, "start "))
val () = print (valOf (TextIO.inputLine t))
val p = PackWord32Little.subVec (Word8Vector.fromList [0w1, 0w2, 0w3, 0w255], 0)
val () = print (LargeWord.toString p ^ " " ^ LargeWord.toString (PackWord16Big.subVecX (Word8Vector.fromList [0w255, 0w1], 0)) ^ "\n")
val b = PackRealBig.toBytes 1.5
val () = print (Real.toString (PackRealBig.fromBytes b) ^ " " ^ Word8.toString (Word8Vector.sub (b, 0)) ^ " " ^ Real32.toString (PackReal32Little.fromBytes (PackReal32Little.toBytes 0.1)) ^ "\n")
val () = (PackWord64Big.subVec (b, 1); ()) handle Subscript => print "Subscript\n"
