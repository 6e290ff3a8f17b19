(* zlib: a text there and back, by one call and by a stream of pieces. *)
structure Z = Zlib
val text = String.concat (List.tabulate (1000, fn i => "line " ^ Int.toString (i mod 7) ^ "\n"))
val input = Byte.stringToBytes text
val length = Word64.fromInt (size text)
fun check what code = if code = Z.Z_OK orelse code = Z.Z_STREAM_END then () else raise Fail (what ^ Int.toString code)
val bound = Z.compressBound length
val packed = Word8Array.array (Word64.toInt bound, 0w0)
val count = ref bound
val () = check "compress" (Z.compress (packed, count, input, length))
val packed = Word8ArraySlice.vector (Word8ArraySlice.slice (packed, 0, SOME (Word64.toInt (!count))))
val () = print (Bool.toString (Word8Vector.length packed < size text div 50) ^ "\n")
val output = Word8Array.array (size text, 0w0)
val () = (count := length; check "uncompress" (Z.uncompress (output, count, packed, !count)))
val () = print (Bool.toString (Byte.bytesToString (Word8Array.vector output) = text) ^ "\n")

(* What a stream keeps between two calls is in memory of C. *)
val malloc = _import "malloc" : Word64.word -> MLton.Pointer.t;
val toC = _import "memcpy" : MLton.Pointer.t * Word8Vector.vector * Word64.word -> MLton.Pointer.t;
val ofC = _import "memcpy" : Word8Array.array * MLton.Pointer.t * Word64.word -> MLton.Pointer.t;
structure S = Z.z_stream
val stream = S.alloc ()
val () = check "init" (Z.inflateInit_ (stream, Z.ZLIB_VERSION, S.size))
val from = malloc 0w100000
val _ = toC (from, packed, Word64.fromInt (Word8Vector.length packed))
val to = malloc 0w100
val () = (S.set_next_in (stream, from); S.set_avail_in (stream, Word.fromInt (Word8Vector.length packed)))
fun pieces crc =
  let
    val () = (S.set_next_out (stream, to); S.set_avail_out (stream, 0w100))
    val code = Z.inflate (stream, Z.Z_NO_FLUSH)
    val crc = Z.crc32 (crc, to, 0w100 - S.get_avail_out stream)
  in
    check "inflate" code;
    if code = Z.Z_STREAM_END then crc else pieces crc
  end
val crc = pieces 0w0
val all = malloc length
val _ = toC (all, input, length)
val () = print (Bool.toString (crc = Z.crc32 (0w0, all, Word.fromInt (size text))) ^ " " ^ Word64.toString (S.get_total_out stream) ^ "\n")
val () = check "end" (Z.inflateEnd stream)
