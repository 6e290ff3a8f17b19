(* Files that are replaced, by `rename`, while they are asked for: what was sent of a file was of the one that its name
   had when it was opened, and what was said of it, its length and its tag, of the one before: a part of the new file
   with the tag of the old one, and a small file stayed in memory so. *)
val folder = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove folder; OS.FileSys.mkDir folder)
fun path name = folder ^ "/" ^ name
fun write (name, length, letter) =
  let
    val s = TextIO.openOut (path name)
  in
    TextIO.output (s, CharVector.tabulate (length, fn _ => letter));
    TextIO.closeOut s
  end
val site = HTTPFiles.handler {root = folder, cache = 1000000}
fun ask name =
  let
    val text = concat ["GET /", name, " HTTP/1.1\r\nHost: x\r\n\r\n"]
    val {status, headers, body} =
      site (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text)))
  in
    (status, HTTPHeaders.get headers "etag", HTTPBody.all {most = 1000000} body)
  end

(* Two files, of which one and then the other has a name, in turn; the name is asked for meanwhile, so many times. *)
fun try (name, short, long, times) =
  let
    val () = (write ("a", short, #"a"); write ("b", long, #"b"))
    (* what is new has a weak tag for two seconds *)
    val () = List.app (fn file => OS.FileSys.setTime (path file, SOME (Time.fromSeconds 1000000000))) ["a", "b"]
    fun give file =
      (Posix.FileSys.link {old = path file, new = path "new"};
       OS.FileSys.rename {old = path "new", new = path name})
    (* what is right, of each of the two *)
    fun known file = (give file; ask name)
    val right = [known "a", known "b"]
    val isOver = ref false
    fun replace () = if !isOver then () else (give "a"; give "b"; replace ())
    val replacing = CML.spawn replace
    fun go (0, wrong) = wrong
      | go (n, wrong) =
          let
            val answer = ask name
          in
            go (n - 1, if List.exists (fn known => known = answer) right then wrong else wrong + 1)
          end
    val wrong = go (times, 0)
  in
    isOver := true;
    CML.sync (CML.joinEvt replacing);
    print (concat [name, ": ", Int.toString wrong, " answers of two files\n"]);
    List.app (fn name => OS.FileSys.remove (path name)) ["a", "b", name]
  end
val () = try ("small", 100, 200, 2000)
val () = try ("large", 70000, 140000, 200)
val () = OS.FileSys.rmDir folder
