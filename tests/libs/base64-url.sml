(* Base64Url: the table of RFC 4648, 10, each byte there and back, and texts that are none. *)

fun say s = print (s ^ "\n")
fun shown NONE = "none" | shown (SOME bytes) = "\"" ^ String.toString (Byte.bytesToString bytes) ^ "\""
val () =
  List.app (fn s => say (s ^ " -> " ^ Base64Url.encode (Byte.stringToBytes s)))
    ["", "f", "fo", "foo", "foob", "fooba", "foobar", "\255\239\190", "subjects?"]
val () =
  List.app (fn s => say (s ^ " -> " ^ shown (Base64Url.decode s)))
    ["", "Zg", "Zg==", "Zg=", "Zg===", "Z", "Zh", "Zm8", "Zm8=", "Zm9v", "Zm9v=", "Zm9vYg", "_--_", "/++/", "Zm 9v", "Zm9v\n", "Z=g", "Zg==Zg==", "=", "====", "A", "AA", "AB", "\195\164", "AAA.", "*AAA"]
val () =
  let
    fun bytes n = Byte.bytesToString (Word8Vector.tabulate (n, fn i => Word8.fromInt (i * 37 + n)))
    fun isRight n =
      let
        val b = Byte.stringToBytes (bytes n)
        val text = Base64Url.encode b
        val usual = String.map (fn #"+" => #"-" | #"/" => #"_" | c => c) (Base64.encode b)
      in
        Base64Url.decode text = SOME b andalso Base64Url.decode usual = SOME b andalso String.isPrefix text usual
      end
  in
    say (Bool.toString (List.all isRight (List.tabulate (300, fn n => n))))
  end
