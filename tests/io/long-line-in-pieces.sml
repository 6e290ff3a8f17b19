(* A line, or a block, that comes piece by piece through a pipe. All of what was there was copied for each piece, so
   that a line of 40 MB took eleven seconds, and one of 300 MB minutes. What a call allocates tells how much it copies.
   *)

val total = 4000000
val letters = CharVector.tabulate (total, fn i => Char.chr (97 + i mod 26))

(* what the reader of a pipe is given, and how much was allocated meanwhile; the thread that writes allocates nothing *)
fun through read =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val text = Byte.stringToBytes (letters ^ "\n" ^ letters)
    fun write s =
      if Word8VectorSlice.isEmpty s then Posix.IO.close outfd
      else
        let
          val n = Posix.IO.writeVec (outfd, s)
        in
          write (Word8VectorSlice.subslice (s, n, NONE))
        end
    val start = MLton.GC.Statistics.bytesAllocated ()
    val writer = CML.spawn (fn () => write (Word8VectorSlice.full text))
    val x = read infd
    val () = Posix.IO.close infd
    val bytes = MLton.GC.Statistics.bytesAllocated () - start
  in
    CML.sync (CML.joinEvt writer);
    (x, IntInf.toInt bytes)
  end

fun say (name, (isRight, bytes)) =
  print (name ^ (if isRight then " ok" else " is wrong")
         ^ (if bytes < 20 * total then "\n" else ", allocates " ^ Int.toString bytes ^ "\n"))

(* a stream that nobody else has the reader of *)
fun name fd = "/dev/fd/" ^ SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord fd)

fun lines fd =
  let
    val s = TextIO.openIn (name fd)
    val first = TextIO.inputLine s
    val second = TextIO.inputLine s
  in
    TextIO.closeIn s;
    first = SOME (letters ^ "\n") andalso second = SOME (letters ^ "\n")
  end
val () = say ("inputLine", through lines)

fun block fd =
  let
    val s = TextIO.openIn (name fd)
    val v = TextIO.inputN (s, total)
    val _ = TextIO.input1 s
    val (a, b) = (TextIO.inputN (s, 1000), TextIO.inputN (s, total))
  in
    TextIO.closeIn s;
    v = letters andalso a ^ b = letters
  end
val () = say ("inputN", through block)

fun bytes fd =
  let
    val s = BinIO.openIn (name fd)
    val v = BinIO.inputN (s, total)
    val _ = BinIO.inputAll s
  in
    BinIO.closeIn s;
    Byte.bytesToString v = letters
  end
val () = say ("BinIO.inputN", through bytes)
