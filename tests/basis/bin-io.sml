(* BinIO: every byte there and back. *)
val name = OS.FileSys.tmpName ()
val all = Word8Vector.tabulate (256, Word8.fromInt)
val out = BinIO.openOut name
val () = BinIO.output (out, all)
val () = BinIO.output1 (out, 0w7)
val () = BinIO.closeOut out
val s = BinIO.openIn name
val v = BinIO.inputN (s, 256)
val () = print (Bool.toString (v = all) ^ "\n")
val () = print (case BinIO.lookahead s of SOME w => Word8.toString w ^ "\n" | NONE => "none\n")
val () = print (Int.toString (Word8Vector.length (BinIO.inputAll s)) ^ "\n")
val () = print (Bool.toString (BinIO.endOfStream s) ^ "\n")
val () = BinIO.closeIn s
val () = print (Position.toString (OS.FileSys.fileSize name) ^ "\n")
val () = OS.FileSys.remove name
val () = print (Byte.bytesToString (Byte.stringToBytes "bytes") ^ "\n")
val a = Word8Array.array (5, Byte.charToByte #"-")
val () = Byte.packString (a, 2, Substring.full "ab")
val () = print (Byte.unpackString (Word8ArraySlice.full a) ^ "\n")
val () = Byte.packString (a, 4, Substring.full "ab") handle Subscript => print "Subscript\n"
