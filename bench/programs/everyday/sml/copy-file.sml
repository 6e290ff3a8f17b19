(* A file is copied by blocks of 64 KB, twenty times, and its bytes are added up. *)

val from = hd (CommandLine.arguments ())

fun copy to =
  let
    val input = BinIO.openIn from
    val output = BinIO.openOut to
    fun loop () =
      let
        val block = BinIO.inputN (input, 65536)
      in
        if Word8Vector.length block = 0 then () else (BinIO.output (output, block); loop ())
      end
  in
    loop ();
    BinIO.closeIn input;
    BinIO.closeOut output
  end

val to = OS.FileSys.tmpName ()
fun repeat 0 = ()
  | repeat k = (copy to; repeat (k - 1))
val () = repeat 20
val input = BinIO.openIn to
val sum = Word8Vector.foldl (fn (b, s) => (s + Word8.toInt b) mod 1000003) 0 (BinIO.inputAll input)
val () =
  print
    (concat [Position.toString (OS.FileSys.fileSize to), " bytes, sum ", Int.toString sum, "\n"])
val () = OS.FileSys.remove to
