(* The lines of a file, sorted: the first, the last, and a sum of all. *)

fun lines input =
  let
    fun loop all =
      case TextIO.inputLine input of
        NONE => rev all
      | SOME line => loop (line :: all)
  in
    loop []
  end

val name = hd (CommandLine.arguments ())
val input = TextIO.openIn name
val sorted = ListMergeSort.sort String.> (lines input)

(* Each line counts by its place. *)
fun sum (i, line, s) = (s * 31 + i * size line + ord (String.sub (line, 0))) mod 1000003

val (_, total) = foldl (fn (line, (i, s)) => (i + 1, sum (i, line, s))) (0, 0) sorted
val () = print (hd sorted ^ List.last sorted ^ Int.toString total ^ "\n")
