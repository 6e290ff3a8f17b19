(* A file's SHA-256, by blocks, and its text in base 64 and back. *)

val from = hd (CommandLine.arguments ())

fun digest input =
  let
    fun loop state =
      let
        val block = BinIO.inputN (input, 65536)
      in
        if Word8Vector.length block = 0 then SHA256.finish state
        else loop (SHA256.addBytes (state, Word8VectorSlice.full block))
      end
  in
    loop SHA256.start
  end

val input = BinIO.openIn from
val () = print (Hex.encode (digest input) ^ "\n")
val () = BinIO.closeIn input

val input = BinIO.openIn from
val bytes = BinIO.inputAll input
val text = Base64.encode bytes
val isSame = Base64.decode text = bytes
val () =
  print (concat [Int.toString (size text),
                 " characters, ",
                 String.substring (text, 0, 12),
                 ", back ",
                 Bool.toString isSame,
                 "\n"])
