(* IOUtil: standard input and output bound to files for a while; PathUtil: files looked for in lists of folders. *)

signature IO_UTIL =
sig
  (* Each evaluates f x with the standard stream redirected, and restores it however f ends, also by CML.exit. It raises
     what f does, and Io when the other stream fails then. *)

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
  (* Of two exceptions the one of f is told. *)
  fun finally (f, x, last) =
    let
      val hasFailed = ref false
      fun failing e = (hasFailed := true; raise e)
      fun finish () = last () handle e => if !hasFailed then () else raise e
    in
      Scope.finally (fn () => f x handle e => failing e, finish)
    end

  (* The stream that was standard input goes into the one that replaces it, as far as that was read. *)
  fun withInstream (stream, f) x =
    let
      val saved = TextIO.getInstream TextIO.stdIn
      val other = TextIO.getInstream stream
      fun redirected x = (TextIO.setInstream (TextIO.stdIn, other); f x)
      fun restore () =
        let
          val now = TextIO.getInstream TextIO.stdIn
        in
          TextIO.setInstream (TextIO.stdIn, saved);
          TextIO.setInstream (stream, now)
        end
    in
      finally (redirected, x, restore)
    end

  (* What stands in the other stream may not go out any more. Standard output is restored before that is told. *)
  fun withOutstream (stream, f) x =
    let
      val saved = TextIO.getOutstream TextIO.stdOut
      val other = TextIO.getOutstream stream
      fun redirected x = (TextIO.setOutstream (TextIO.stdOut, other); f x)
      fun back () = TextIO.setOutstream (TextIO.stdOut, saved)
      fun restore () =
        let
          val now =
            TextIO.getOutstream TextIO.stdOut
            handle e => (back () handle IO.Io _ => (); raise e)
        in
          back ();
          TextIO.setOutstream (stream, now)
        end
    in
      finally (redirected, x, restore)
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
