(* A writer of the program's own that said it had written fewer than no elements let the stream move what stands before
   its buffer into the buffer, far behind its end: a crash. One that said it had written more than it was given was
   believed; and a reader that gave more than it was asked for had `filePosIn` read on to the end of the file. *)
fun told f = (f (); "done") handle IO.Io {cause, ...} => "Io: " ^ exnName cause

functor Counts
  (structure S : STREAM_IO
   structure W : PRIM_IO where type vector = S.vector where type writer = S.writer
   val lengthOfVector : W.vector_slice -> int
   val lengthOfArray : W.array_slice -> int
   val some : int -> S.vector) =
struct
  (* The first call gives a wrong count, the others the right one. *)
  fun try (what, length, wrong) =
    let
      val calls = ref 0
      val given = ref 0
      fun count n =
        (calls := !calls + 1;
         if !calls = 1 then wrong n else (given := !given + n; n))
      val f =
        S.mkOutstream
          (W.WR {name = "w", chunkSize = 64,
                 writeVec = SOME (count o lengthOfVector), writeArr = SOME (count o lengthOfArray),
                 writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE,
                 endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE},
           IO.BLOCK_BUF)
      val first = told (fn () => S.output (f, some length))
      val second = told (fn () => S.flushOut f)
      val third = told (fn () => S.closeOut f)
    in
      print (concat [what, ": ", first, ", ", second, ", ", third, "; ", Int.toString (!given), " of ",
                     Int.toString length, "\n"])
    end
  val () = List.app (fn (what, wrong) => (try (what ^ ", buffer", 5, wrong); try (what ^ ", vector", 100, wrong)))
    [("far below 0", fn _ => ~100000), ("below 0", fn _ => ~1), ("too many", fn n => n + 1),
     ("the least", fn _ => valOf Int.minInt), ("the most", fn _ => valOf Int.maxInt), ("none", fn _ => 0)]
end

val keep = List.tabulate (20000, Int.toString)
structure Text =
  Counts (structure S = TextIO.StreamIO
          structure W = TextPrimIO
          val lengthOfVector = CharVectorSlice.length
          val lengthOfArray = CharArraySlice.length
          fun some n = CharVector.tabulate (n, fn _ => #"x"))
structure Bin =
  Counts (structure S = BinIO.StreamIO
          structure W = BinPrimIO
          val lengthOfVector = Word8VectorSlice.length
          val lengthOfArray = Word8ArraySlice.length
          fun some n = Word8Vector.tabulate (n, Word8.fromInt))
structure Own =
  StreamIO (structure PrimIO = TextPrimIO
            structure Vector = CharVector
            structure VectorSlice = CharVectorSlice
            structure Array = CharArray
            structure ArraySlice = CharArraySlice
            val someElem = #" ")
structure OwnCounts =
  Counts (structure S = Own
          structure W = TextPrimIO
          val lengthOfVector = CharVectorSlice.length
          val lengthOfArray = CharArraySlice.length
          fun some n = CharVector.tabulate (n, fn _ => #"x"))
val () = print (Int.toString (List.length (List.filter (fn s => Int.fromString s <> NONE) keep)) ^ "\n")

(* a reader with places, which gives two elements more than it was asked for *)
val text = CharVector.tabulate (1000, fn i => chr (i mod 26 + 97))
val at = ref 0
fun readVec n = let val k = Int.min (n + 2, size text - !at) in String.substring (text, !at, k) before at := !at + k end
val f =
  TextIO.StreamIO.mkInstream
    (TextPrimIO.RD {name = "r", chunkSize = 10, readVec = SOME readVec, readArr = NONE, readVecNB = NONE,
                    readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE,
                    getPos = SOME (fn () => Position.fromInt (!at)), setPos = SOME (fn p => at := Position.toInt p),
                    endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE}, "")
val (_, f) = TextIO.StreamIO.inputN (f, 3)
val () = print (told (fn () => print (Position.toString (TextIO.StreamIO.filePosIn f) ^ "\n")) ^ "\n")
