(* IOUtil: standard input and output bound to files for a while; PathUtil: files looked for in lists of folders. *)

signature IO_UTIL =
sig
  (* Each evaluates f x with the standard stream redirected, and restores it however f ends. *)

  val withInputFile : string * ('a -> 'b) -> 'a -> 'b
  (* Evaluates f x with standard input from that file, and restores it however f ends. *)
  val withInstream : TextIO.instream * ('a -> 'b) -> 'a -> 'b
  (* Evaluates f x with standard input from that stream, and restores it however f ends. *)
  val withOutputFile : string * ('a -> 'b) -> 'a -> 'b
  (* Evaluates f x with standard output to that file, and restores it however f ends. *)
  val withOutstream : TextIO.outstream * ('a -> 'b) -> 'a -> 'b
  (* Evaluates f x with standard output to that stream, and restores it however f ends. *)
end

structure IOUtil : IO_UTIL =
struct
  fun finally (f, x, last) = (f x handle e => (last (); raise e)) before last ()

  (* The stream that was standard input goes into the one that replaces it, as far as that was read. *)
  fun withInstream (stream, f) x =
    let
      val saved = TextIO.getInstream TextIO.stdIn
      fun restore () =
        (TextIO.setInstream (stream, TextIO.getInstream TextIO.stdIn);
         TextIO.setInstream (TextIO.stdIn, saved))
    in
      TextIO.setInstream (TextIO.stdIn, TextIO.getInstream stream);
      finally (f, x, restore)
    end

  fun withOutstream (stream, f) x =
    let
      val saved = TextIO.getOutstream TextIO.stdOut
      fun restore () =
        (TextIO.setOutstream (stream, TextIO.getOutstream TextIO.stdOut);
         TextIO.setOutstream (TextIO.stdOut, saved))
    in
      TextIO.setOutstream (TextIO.stdOut, TextIO.getOutstream stream);
      finally (f, x, restore)
    end

  fun withInputFile (file, f) x =
    let
      val stream = TextIO.openIn file
    in
      finally (withInstream (stream, f), x, fn () => TextIO.closeIn stream)
    end

  fun withOutputFile (file, f) x =
    let
      val stream = TextIO.openOut file
    in
      finally (withOutstream (stream, f), x, fn () => TextIO.closeOut stream)
    end
end

signature PATH_UTIL =
sig
  val findFile : string list -> string -> string option
  (* The first folder/name that exists. An absolute name is not looked for in the folders. *)
  val findFiles : string list -> string -> string list
  (* All folder/name that exist, in the order of the folders. *)
  val existsFile : (string -> bool) -> string list -> string -> string option
  (* SOME of the first folder/name that satisfies the predicate, or NONE; nothing else is asked about the names. *)
  val allFiles : (string -> bool) -> string list -> string -> string list
  (* All folder/name that satisfy the predicate; nothing else is asked about the names. *)
  val findExe : string list -> string -> string option
  (* Of those that may be executed. *)
end

structure PathUtil : PATH_UTIL =
struct
  fun exists file = OS.FileSys.access (file, [])

  fun candidates (folders, name) =
    if OS.Path.isAbsolute name then [name]
    else List.map (fn dir => OS.Path.concat (dir, name)) folders

  fun existsFile f folders name = List.find f (candidates (folders, name))
  fun allFiles f folders name = List.filter f (candidates (folders, name))
  fun findFile folders = existsFile exists folders
  fun findFiles folders = allFiles exists folders
  fun findExe folders =
    existsFile (fn file => OS.FileSys.access (file, [OS.FileSys.A_EXEC])) folders
end
