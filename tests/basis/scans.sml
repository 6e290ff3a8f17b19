(* Scans for characters go over many at once where they can: the same answers as one by one, for every class of
   characters, every place of the first hit, and every length. *)

val classes = [("isSpace", Char.isSpace), ("isCntrl", Char.isCntrl), ("isAlpha", Char.isAlpha), ("isAlphaNum", Char.isAlphaNum),
               ("isDigit", Char.isDigit), ("isHexDigit", Char.isHexDigit), ("isPunct", Char.isPunct), ("isGraph", Char.isGraph),
               ("isPrint", Char.isPrint), ("isUpper", Char.isUpper), ("isLower", Char.isLower), ("isAscii", Char.isAscii)]

(* straight from the specification, one character after the other *)
fun spec p (s, i) = if i < size s andalso p (String.sub (s, i)) then spec p (s, i + 1) else i

fun check (name, scan, p) =
  let
    fun one (inside, hit, n, at) =
      let
        val s = CharVector.tabulate (n, fn i => if i = at then hit else inside)
        val found = scan s
      in
        if found = spec p (s, 0) then ()
        else print (name ^ " " ^ Char.toString inside ^ Char.toString hit ^ " " ^ Int.toString n ^ ": " ^ Int.toString found ^ "\n")
      end
    val bytes = [0, 9, 10, 13, 14, 31, 32, 33, 47, 48, 57, 58, 64, 65, 70, 71, 90, 91, 96, 97, 102, 103, 122, 123, 126, 127, 128, 255]
    val chars = map Char.chr bytes
  in
    app (fn a => app (fn b => app (fn (n, at) => one (a, b, n, at))
      [(0, 0), (1, 0), (15, 14), (16, 15), (17, 16), (18, 17), (33, 20), (50, 49), (80, 63), (64, 64)]) chars) chars
  end

fun prefix p s = size (Substring.string (Substring.takel p (Substring.full s)))
fun until p s = size (Substring.string (Substring.takel (not o p) (Substring.full s)))

(* each class known where it is used, so that the loop is one over bytes *)
val () = check ("space", prefix Char.isSpace, Char.isSpace)
val () = check ("cntrl", prefix Char.isCntrl, Char.isCntrl)
val () = check ("alpha", prefix Char.isAlpha, Char.isAlpha)
val () = check ("alphanum", prefix Char.isAlphaNum, Char.isAlphaNum)
val () = check ("digit", prefix Char.isDigit, Char.isDigit)
val () = check ("hex", prefix Char.isHexDigit, Char.isHexDigit)
val () = check ("punct", prefix Char.isPunct, Char.isPunct)
val () = check ("graph", prefix Char.isGraph, Char.isGraph)
val () = check ("print", prefix Char.isPrint, Char.isPrint)
val () = check ("upper", prefix Char.isUpper, Char.isUpper)
val () = check ("lower", prefix Char.isLower, Char.isLower)
val () = check ("ascii", prefix Char.isAscii, Char.isAscii)
val () = check ("not space", until Char.isSpace, not o Char.isSpace)
val () = check ("not punct", until Char.isPunct, not o Char.isPunct)
val () = check ("not newline", until (fn c => c = #"\n"), fn c => c <> #"\n")
val () = check ("newline", prefix (fn c => c = #"\n"), fn c => c = #"\n")
val () = app (fn (name, p) => check (name, prefix p, p)) classes

(* mutable bytes, a limit beyond the end that is never reached, a limit of its own *)
fun sentinel a = let fun go i = if i < 1000000000 andalso Unsafe.Word8Array.sub (a, i) <> 0w0 then go (i + 1) else i in go 0 end
fun upto (a, stop) = let fun go i = if i < stop andalso Word8Array.sub (a, i) <> 0w7 then go (i + 1) else i in go 0 end
val () = app (fn n =>
  let val a = Word8Array.array (n + 1, 0w1)
  in
    Word8Array.update (a, n, 0w0);
    if sentinel a = n then () else print ("sentinel " ^ Int.toString n ^ "\n");
    if upto (a, n) = n andalso upto (a, n div 2) = n div 2 andalso upto (a, ~5) = 0 then () else print ("upto " ^ Int.toString n ^ "\n");
    (upto (a, n + 9); print "no Subscript\n") handle Subscript => ()
  end) [0, 1, 5, 15, 16, 17, 18, 31, 32, 33, 34, 63, 64, 65, 100, 1000]
val () = print "done\n"
