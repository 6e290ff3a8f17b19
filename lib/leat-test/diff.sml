(* Diff: two texts -> what differs, line by line, with a few equal lines around. *)

signature DIFF =
sig
  (* Lines that only the first text has begin with `- `, those that only the second has with `+ `, others with two blanks. *)
  val lines : string * string -> string list
  (* A line that points to the first place where two lines differ; nothing for lines that differ at once. *)
  val pointer : string * string -> string option
end

structure Diff :> DIFF =
struct
  datatype line = Same of string | First of string | Second of string

  (* Equal lines that are shown beside different ones. *)
  val around = 2

  (* Texts whose lines are many and all different are compared as two blocks. *)
  val mostCells = 4000000

  fun split text =
    case rev (String.fields (fn c => c = #"\n") text) of
      "" :: (lines as _ :: _) => rev lines
    | lines => rev lines

  (* A longest common subsequence, by the table of its lengths for all pairs of suffixes. *)
  fun middle (xs, ys) =
    let
      val xs = Vector.fromList xs
      val ys = Vector.fromList ys
      val (m, n) = (Vector.length xs, Vector.length ys)
      val lengths = Array.array ((m + 1) * (n + 1), 0)
      fun at (i, j) = i * (n + 1) + j
      fun length (i, j) = Array.sub (lengths, at (i, j))
      fun fill (~1, _) = ()
        | fill (i, ~1) = fill (i - 1, n - 1)
        | fill (i, j) =
            (Array.update (lengths,
                           at (i, j),
                           if Vector.sub (xs, i) = Vector.sub (ys, j) then 1 + length (i + 1, j + 1)
                           else Int.max (length (i + 1, j), length (i, j + 1)));
             fill (i, j - 1))
      fun walk (i, j, out) =
        if i < m andalso j < n andalso Vector.sub (xs, i) = Vector.sub (ys, j) then
          walk (i + 1, j + 1, Same (Vector.sub (xs, i)) :: out)
        else if i < m andalso (j = n orelse length (i + 1, j) >= length (i, j + 1)) then
          walk (i + 1, j, First (Vector.sub (xs, i)) :: out)
        else if j < n then walk (i, j + 1, Second (Vector.sub (ys, j)) :: out)
        else rev out
    in
      fill (m - 1, n - 1);
      walk (0, 0, [])
    end

  fun compare (xs, ys) =
    let
      fun common (x :: xs, y :: ys, same) =
            if x = (y : string) then common (xs, ys, Same x :: same) else (same, x :: xs, y :: ys)
        | common (xs, ys, same) = (same, xs, ys)
      val (before', xs, ys) = common (xs, ys, [])
      val (after', xs, ys) = common (rev xs, rev ys, [])
      val (xs, ys) = (rev xs, rev ys)
      val different =
        if length xs * length ys > mostCells then map First xs @ map Second ys else middle (xs, ys)
    in
      rev before' @ different @ after'
    end

  (* Runs of equal lines keep only those near a difference. *)
  fun shorten lines =
    let
      fun isSame (Same _) = true
        | isSame _ = false
      fun run (line :: rest, same) =
            if isSame line then run (rest, line :: same) else (rev same, line :: rest)
        | run ([], same) = (rev same, [])
      fun go ([], _) = []
        | go (lines as line :: rest, isFirst) =
            if isSame line then
              let
                val (same, rest) = run (lines, [])
                val n = length same
                val head = if isFirst then 0 else Int.min (around, n)
                val tail = if null rest then 0 else Int.min (around, n - head)
                val hidden = n - head - tail
              in
                List.take (same, head)
                @ (if hidden > 0 then [Same ("... (" ^ Int.toString hidden ^ " equal lines)")]
                   else [])
                @ List.drop (same, n - tail)
                @ go (rest, false)
              end
            else line :: go (rest, false)
    in
      go (lines, true)
    end

  fun show (Same line) = "  " ^ line
    | show (First line) = "- " ^ line
    | show (Second line) = "+ " ^ line

  fun lines (a, b) =
    let
      val differences = map show (shorten (compare (split a, split b)))
      fun endsInNewline s = size s > 0 andalso String.sub (s, size s - 1) = #"\n"
    in
      if endsInNewline a = endsInNewline b then differences
      else
        differences
        @ [if endsInNewline a then "  (the second has no newline at its end)"
           else "  (the first has no newline at its end)"]
    end

  fun pointer (a, b) =
    let
      val n = Int.min (size a, size b)
      fun first i = if i < n andalso String.sub (a, i) = String.sub (b, i) then first (i + 1) else i
      val at = first 0
      (* bytes that go on a character take no column *)
      val columns =
        CharVector.foldl
          (fn (c, k) => if c >= #"\128" andalso c < #"\192" then k else k + 1)
          0
          (substring (a, 0, at))
    in
      if at < 3 then NONE else SOME (CharVector.tabulate (columns, fn _ => #" ") ^ "^")
    end
end
