(* A file that is written anew within one tick of the system's clock, or whose time a program sets back: its time and
   its length stay what they were, and what was kept of it in memory was sent for ever. Its tag, too, was the same, and
   not weak. *)
val folder = OS.FileSys.tmpName ()
val () = (OS.FileSys.remove folder; OS.FileSys.mkDir folder)
fun path name = folder ^ "/" ^ name
fun write (name, text) =
  let val s = TextIO.openOut (path name) in (TextIO.output (s, text); TextIO.closeOut s) end
fun set (name, time) = OS.FileSys.setTime (path name, SOME time)
val site = HTTPFiles.handler {root = folder, cache = 100000}
fun ask (name, fields) =
  let
    val text =
      concat (["GET /", name, " HTTP/1.1\r\nHost: x\r\n"] @ List.map (fn f => f ^ "\r\n") fields @ ["\r\n"])
  in
    site (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString text)))
  end
fun text name = HTTPBody.all {most = 100} (#body (ask (name, [])))
fun tag name = valOf (HTTPHeaders.get (#headers (ask (name, []))) "etag")

(* many times, of which some fall into one tick *)
fun go (0, wrong) = wrong
  | go (n, wrong) =
      (write ("a", Int.toString n);
       go (n - 1, if text "a" = Int.toString n then wrong else wrong + 1))
val () = print (Int.toString (go (500, 0)) ^ " old texts\n")

val date = Time.fromSeconds 1000000000
val () = (write ("b", "before"); set ("b", date))

(* A weak tag is enough for who has the file, but not later. So that it stays weak for three seconds the file is a
   little ahead of the clock. *)
fun status fields = print (Int.toString (#status (ask ("c", fields))) ^ "\n")
fun kind tag = print (if String.isPrefix "W/" tag then "weak\n" else "strong\n")
val () = (write ("c", "new"); set ("c", Time.+ (Time.now (), Time.fromSeconds 1)))
val weak = tag "c"
val () = kind weak
val () = status ["If-None-Match: " ^ weak]
val () = status ["If-Match: " ^ weak]
val () = status ["Range: bytes=0-0", "If-Range: " ^ weak]

val () = OS.Process.sleep (Time.fromMilliseconds 3100)

(* What was not changed for some time is kept, whatever time it has. *)
val () = print (text "b" ^ "\n")
val () = (write ("b", "behind"); set ("b", date))
val () = print (text "b" ^ "\n")

val strong = tag "c"
val () = kind strong
val () = status ["If-None-Match: " ^ weak]
val () = status ["If-None-Match: " ^ strong]
val () = status ["If-None-Match: W/" ^ strong]
val () = status ["Range: bytes=0-0", "If-Range: " ^ strong]
val () = (List.app (OS.FileSys.remove o path) ["a", "b", "c"]; OS.FileSys.rmDir folder)
