(* Proposal 2018-001: reserve of CharBuffer and Word8Buffer raises Size when the buffer would be too large. The sum of
   the length and what is asked for raised Overflow. *)
fun try f = print ((f (); "done") handle e => exnName e)
fun line f = (try f; print "\n")
val most = valOf Int.maxInt
val b = CharBuffer.new 1
val () = app (fn n => line (fn () => CharBuffer.reserve (b, n))) [most, ~1, 0]
val () = CharBuffer.add1 (b, #"a")
val () =
  app (fn n => line (fn () => CharBuffer.reserve (b, n)))
    [most, CharBuffer.maxLen, ~1, 0, 1]
val w = Word8Buffer.new 0
val () = (Word8Buffer.add1 (w, 0w1); Word8Buffer.add1 (w, 0w2))
val () = line (fn () => Word8Buffer.reserve (w, most))
val () = print (CharBuffer.contents b ^ Int.toString (Word8Buffer.length w) ^ "\n")
