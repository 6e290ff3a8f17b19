(* The command line: counts the words of the files that are named, or of standard input. *)

fun readAll stream = TextIO.inputAll stream before TextIO.closeIn stream

fun report (name, text) =
  print (name ^ ": " ^ Int.toString (Count.words text) ^ " words\n")

fun main [] = report ("input", TextIO.inputAll TextIO.stdIn)
  | main files = app (fn file => report (file, readAll (TextIO.openIn file))) files

val () =
  main (CommandLine.arguments ())
  handle IO.Io {name, cause, ...} =>
      (TextIO.output (TextIO.stdErr, "NAME: " ^ name ^ ": " ^ exnMessage cause ^ "\n");
       OS.Process.exit OS.Process.failure)
