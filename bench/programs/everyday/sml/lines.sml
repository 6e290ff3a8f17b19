(* A file by lines: how many, the longest, and how many end with a full stop. *)

fun scan (input, lines, longest, stops) =
  case TextIO.inputLine input of
    NONE => (lines, longest, stops)
  | SOME line =>
      let
        val longest = if size line > size longest then line else longest
        val stops = if String.isSuffix ".\n" line then stops + 1 else stops
      in
        scan (input, lines + 1, longest, stops)
      end

val input = TextIO.openIn (hd (CommandLine.arguments ()))
val (lines, longest, stops) = scan (input, 0, "", 0)
val () =
  print
    (concat [Int.toString lines, " lines, ", Int.toString stops, " with a full stop\n", longest])
