(* Substring.position, String.isSubstring: places are passed over, and long texts are searched by another way, with the
   same results as trying each place. *)
val seed = ref 0w7
fun below n =
  (seed := Word64.* (!seed, 0w6364136223846793005) + 0w1442695040888963407;
   Word64.toInt (Word64.mod (Word64.>> (!seed, 0w33), Word64.fromInt n)))
fun text n = CharVector.tabulate (n, fn _ => if below 12 = 0 then #"b" else #"a")
(* NUL, @ and \192 have the same low six bits *)
fun mixed n = CharVector.tabulate (n, fn _ => String.sub ("\000@\192abcdefgh", below 11))
fun naive (s, t) =
  let
    fun at i =
      if i + size s > size t then size t
      else if String.substring (t, i, size s) = s then i
      else at (i + 1)
  in
    at 0
  end
fun try (_, _, 0) = ()
  | try (text, most, k) =
      let
        val t = text (below 200)
        val s = if below 2 = 0 then text (below most) else
          let val i = below (size t + 1) in String.substring (t, i, below (Int.min (most, size t - i + 1))) end
        val (front, rest) = Substring.position s (Substring.full t)
        val wanted = naive (s, t)
        val found = wanted < size t orelse s = ""
      in
        if Substring.size front = wanted andalso Substring.string front ^ Substring.string rest = t
           andalso String.isSubstring s t = found andalso Substring.isSubstring s (Substring.full t) = found
        then ()
        else print (concat ["wrong: ", String.toString s, " in ", String.toString t, "\n"]);
        try (text, most, k - 1)
      end
val () = (try (text, 60, 2000); try (mixed, 5, 4000); try (mixed, 60, 1000))

(* of a part of a text: what stands before it, behind it, or over its ends is not there *)
fun part (s, t, i, n) =
  let
    val (front, rest) = Substring.position s (Substring.substring (t, i, n))
    val (_, at, m) = Substring.base rest
  in
    print (concat [Int.toString (Substring.size front), " ", Int.toString at, " ", Int.toString m, "\n"])
  end
val () = app part
  [("lazy", "lazy lazy lazy", 1, 12), ("lazy", "lazy lazy lazy", 1, 7), ("lazy", "lazy lazy lazy", 5, 4),
   ("y", "lazy", 0, 3), ("y", "lazy", 0, 4), ("l", "lazy", 1, 3), ("", "lazy", 2, 2), ("", "lazy", 4, 0),
   ("lazy", "lazy", 4, 0),
   ("aa", "aaaa", 1, 3), ("abab", "abaababab", 0, 9), ("\000b", "a\000a\000b\000", 0, 6), ("\000", "@\192\000", 0, 3)]
(* 20,000 in 400,000 took 8 s *)
val long = CharVector.tabulate (400000, fn i => if i = 399999 then #"b" else #"a")
val () = print (Bool.toString (String.isSubstring (String.extract (long, 380000, NONE)) long) ^ "\n")
(* much agrees in vain: from the start, from the end, before a character in the middle *)
val a = CharVector.tabulate (20000, fn _ => #"a")
val () = app (fn s => print (Bool.toString (String.isSubstring s long) ^ "\n"))
  [a ^ "ba", "b" ^ a, a ^ "b" ^ a, a ^ "c", "c" ^ a, a ^ "c" ^ a, a ^ "b"]
