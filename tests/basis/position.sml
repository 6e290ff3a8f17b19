(* Substring.position, String.isSubstring: by another way for long texts, with the same results as trying each place. *)
val seed = ref 0w7
fun below n =
  (seed := Word64.* (!seed, 0w6364136223846793005) + 0w1442695040888963407;
   Word64.toInt (Word64.mod (Word64.>> (!seed, 0w33), Word64.fromInt n)))
fun text n = CharVector.tabulate (n, fn _ => if below 12 = 0 then #"b" else #"a")
fun naive (s, t) =
  let
    fun at i =
      if i + size s > size t then size t
      else if String.substring (t, i, size s) = s then i
      else at (i + 1)
  in
    at 0
  end
fun try 0 = ()
  | try k =
      let
        val t = text (below 200)
        val s = if below 2 = 0 then text (below 60) else
          let val i = below (size t + 1) in String.substring (t, i, below (size t - i + 1)) end
        val (front, rest) = Substring.position s (Substring.full t)
        val wanted = naive (s, t)
        val found = wanted < size t orelse s = ""
      in
        if Substring.size front = wanted andalso Substring.string front ^ Substring.string rest = t
           andalso String.isSubstring s t = found andalso Substring.isSubstring s (Substring.full t) = found
        then ()
        else print (concat ["wrong: ", s, " in ", t, "\n"]);
        try (k - 1)
      end
val () = try 2000
(* 20,000 in 400,000 took 8 s *)
val long = CharVector.tabulate (400000, fn i => if i = 399999 then #"b" else #"a")
val () = print (Bool.toString (String.isSubstring (String.extract (long, 380000, NONE)) long) ^ "\n")
