#!/usr/bin/env leat
(* A script: the first line makes it a command, once it may be executed (chmod +x script.sml). It lists the largest files below
   some folders. It is one for the prompt, too: `leat repl examples/script.sml`, and then `largest 3 ".";`.
   Usage: examples/script.sml FOLDER ... *)

(* all plain files below a folder, with their sizes; what may not be read is left out *)
fun files folder =
  let
    val stream = OS.FileSys.openDir folder
    fun entries found =
      case OS.FileSys.readDir stream of
        NONE => (OS.FileSys.closeDir stream; found)
      | SOME name => entries (OS.Path.concat (folder, name) :: found)
    fun look path =
      if OS.FileSys.isLink path then []
      else if OS.FileSys.isDir path then files path
      else [(path, OS.FileSys.fileSize path)]
  in
    List.concat (map (fn path => look path handle OS.SysErr _ => []) (entries []))
  end
  handle OS.SysErr (message, _) =>
      (TextIO.output (TextIO.stdErr, folder ^ ": " ^ message ^ "\n"); [])

(* the n largest, the largest first; of equal ones the first by the alphabet *)
fun largest n folder =
  let
    fun before' ((a, m), (b, n)) = Position.> (m, n) orelse (m = n andalso a < b)
    fun insert (x, []) = [x]
      | insert (x, y :: ys) = if before' (x, y) then x :: y :: ys else y :: insert (x, ys)
    fun add (x, best) =
      let val best = insert (x, best) in if length best > n then List.take (best, n) else best end
  in
    List.foldl add [] (files folder)
  end

fun show (path, size) =
  print (StringCvt.padLeft #" " 12 (Position.toString size) ^ "  " ^ path ^ "\n")

val () =
  case CommandLine.arguments () of
    [] => print "usage: script.sml FOLDER ...\n"
  | folders => app (app show o largest 10) folders
