(* Base64.decode looks at four letters at once. Each character in each place of a group: what is outside of the alphabet
   is found, with its place, and what is inside has its bits; white space puts the groups elsewhere. *)
val letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
fun value c = CharVector.foldli (fn (i, d, found) => if c = d then SOME i else found) NONE letters
fun answer s =
  "bytes " ^ String.toString (Byte.bytesToString (Base64.decode s))
  handle Base64.Incomplete => "incomplete"
       | Base64.Invalid (i, c) => concat ["invalid ", Int.toString i, " ", Char.toString c]
fun at (s, i, c) = CharVector.mapi (fn (j, d) => if i = j then c else d) s

(* a character in the third group of four, whose other letters are A *)
fun wanted (i, c) =
  case value c of
    SOME v =>
      let
        val bits = v * List.nth ([262144, 4096, 64, 1], i - 8)
      in
        "bytes " ^ String.toString (concat ["\000\000\000\000\000\000", str (chr (bits div 65536)),
                                            str (chr (bits div 256 mod 256)), str (chr (bits mod 256)), "\000\000\000"])
      end
  | NONE =>
      if Char.isSpace c then "incomplete"
      else if c = #"=" andalso i >= 10 then concat ["invalid ", Int.toString (if i = 10 then 11 else 12), " A"]
      else concat ["invalid ", Int.toString i, " ", Char.toString c]
val () = app (fn i => app (fn n =>
  let
    val c = chr n
    val found = answer (at ("AAAAAAAAAAAAAAAA", i, c))
  in
    if found = wanted (i, c) then ()
    else print (concat [Int.toString i, " ", Int.toString n, ": ", found, " for ", wanted (i, c), "\n"])
  end) (List.tabulate (256, fn n => n))) [8, 9, 10, 11]

(* every length, with white space in every place *)
val text = CharVector.tabulate (20, fn i => chr ((i * 89 + 200) mod 256))
val () = app (fn n =>
  let
    val s = String.substring (text, 0, n)
    val code = Base64.encode (Byte.stringToBytes s)
    fun spaced i = concat [String.substring (code, 0, i), " \n", String.extract (code, i, NONE)]
  in
    app (fn t => if answer t = "bytes " ^ String.toString s then () else print (t ^ ": " ^ answer t ^ "\n"))
      (code :: List.tabulate (size code + 1, spaced));
    if n = 0 then ()
    else print (concat [answer (String.substring (code, 0, size code - 1)), ", ", answer (code ^ "A"), "\n"])
  end) (List.tabulate (21, fn n => n))
