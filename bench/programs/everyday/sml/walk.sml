(* A tree of folders is made, walked, and taken away: how many files, how large, the longest path. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val join = OS.Path.concat

fun make (folder, depth) =
  (OS.FileSys.mkDir folder;
   List.app
     (fn i =>
       let
         val out = TextIO.openOut (join (folder, "file" ^ Int.toString i ^ ".txt"))
       in
         TextIO.output (out, CharVector.tabulate (i * 100, fn _ => #"x"));
         TextIO.closeOut out
       end)
     (List.tabulate (n, fn i => i));
   if depth = 0 then ()
   else app (fn i => make (join (folder, "folder" ^ Int.toString i), depth - 1)) [0, 1, 2])

fun entries folder =
  let
    val stream = OS.FileSys.openDir folder
    fun loop l =
      case OS.FileSys.readDir stream of
        NONE => l
      | SOME name => loop (join (folder, name) :: l)
  in
    loop [] before OS.FileSys.closeDir stream
  end

(* Each file of a folder and of all below it. *)
fun walk (f, folder, state) =
  foldl
    (fn (path, state) => if OS.FileSys.isDir path then walk (f, path, state) else f (path, state))
    state
    (entries folder)

fun remove folder =
  (app
     (fn path => if OS.FileSys.isDir path then remove path else OS.FileSys.remove path)
     (entries folder);
   OS.FileSys.rmDir folder)

val top = OS.FileSys.tmpName ()
val () = OS.FileSys.remove top
val () = make (top, Int.min (n, 5))

fun add (path, (count, bytes, long)) =
  (count + 1,
   bytes + Position.toInt (OS.FileSys.fileSize path),
   Int.max (long, size path - size top))

fun repeat (0, state) = state
  | repeat (k, _) = repeat (k - 1, walk (add, top, (0, 0, 0)))

val (count, bytes, long) = repeat (10, (0, 0, 0))
val () =
  print (concat [Int.toString count,
                 " files, ",
                 Int.toString bytes,
                 " bytes, the longest path ",
                 Int.toString long,
                 "\n"])
val () = remove top
