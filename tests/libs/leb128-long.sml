(* LEB128 of long numbers: each is read back, and half a megabyte takes no minutes. *)
fun reader v i = if i < Word8Vector.length v then SOME (Word8Vector.sub (v, i), i + 1) else NONE
fun signed n =
  let
    val v = LEB128.intInfToBytes n
  in
    Word8Vector.length v = LEB128.sizeOfIntInf n
    andalso LEB128.decodeIntInf (reader v) 0 = SOME (n, Word8Vector.length v)
  end
fun unsigned n =
  let
    val v = LEB128.uIntInfToBytes n
  in
    Word8Vector.length v = LEB128.sizeOfUIntInf n
    andalso LEB128.decodeUIntInf (reader v) 0 = SOME (n, Word8Vector.length v)
  end
val powers =
  List.concat
    (List.tabulate (200, fn k => let val p = IntInf.pow (2, k) in [p - 1, p, p + 1, p div 3, p div 7 * 5] end))
val () = print (Bool.toString (List.all (fn n => signed n andalso signed (~n) andalso unsigned n) powers) ^ "\n")
val long = IntInf.pow (10, 300000) div 7
val () = print (Bool.toString (signed long andalso signed (~long) andalso unsigned long) ^ "\n")
val () = print (Int.toString (LEB128.sizeOfIntInf (IntInf.pow (2, 4194304))) ^ "\n")
val () = print (Int.toString (Word8Vector.length (LEB128.uIntInfToBytes (IntInf.pow (2, 4194304)))) ^ "\n")
val () = ignore (LEB128.uIntInfToBytes ~1) handle Domain => print "no sign\n"
val () = ignore (LEB128.sizeOfUIntInf ~1) handle Domain => print "no sign\n"
