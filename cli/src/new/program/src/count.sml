structure Count :> COUNT =
struct
  val split = String.tokens Char.isSpace

  fun words text = length (split text)

  fun mostFrequent text =
    let
      fun add (word, []) = [(word, 1)]
        | add (word, (w, n) :: rest) =
            if w = word then (w, n + 1) :: rest else (w, n) :: add (word, rest)
      fun earlier ((a, m), (b, n)) = m > n orelse (m = n andalso a < b)
      fun pick (count, NONE) = SOME count
        | pick (count, SOME best) = SOME (if earlier (count, best) then count else best)
    in
      List.foldl pick NONE (List.foldl add [] (split text))
    end
end
