(* A text is wrapped: its words are filled into lines of sixty characters, written to another file. *)

val from = hd (CommandLine.arguments ())
val copy = OS.FileSys.tmpName ()
val input = TextIO.openIn from
val output = TextIO.openOut copy

(* The column after this word, and how many lines were ended. *)
fun put (word, (column, lines)) =
  if column = 0 then (TextIO.output (output, word); (size word, lines))
  else if column + 1 + size word > 60 then
    (TextIO.output1 (output, #"\n"); TextIO.output (output, word); (size word, lines + 1))
  else
    (TextIO.output1 (output, #" "); TextIO.output (output, word); (column + 1 + size word, lines))

fun loop state =
  case TextIO.inputLine input of
    NONE => state
  | SOME line => loop (foldl put state (String.tokens Char.isSpace line))

val (column, lines) = loop (0, 0)
val () = TextIO.output1 (output, #"\n")
val () = TextIO.closeOut output
val () =
  print (concat [Int.toString (lines + 1),
                 " lines, ",
                 Position.toString (OS.FileSys.fileSize copy),
                 " characters, the last line has ",
                 Int.toString column,
                 "\n"])
val () = OS.FileSys.remove copy
