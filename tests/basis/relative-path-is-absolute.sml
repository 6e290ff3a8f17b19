(* OS.Path.mkRelative gave an absolute path, of another file.

   expected:
     b false /a/b
     c/d false /c/d
   found:
     /b true /b
     /c/d true /c/d

   (What must hold: the result is relative, and mkAbsolute of it leads to the same file. In the second line it does, by chance.)
   lib/basis/os-path.sml, mkRelative: when the path's arcs begin with those of relativeTo and an empty one follows ("/a//b"
   from "/a"), that is the first arc of the result. *)
fun check (path, from) =
  let
    val r = OS.Path.mkRelative {path = path, relativeTo = from}
  in
    print (String.concatWith " "
             [r, Bool.toString (OS.Path.isAbsolute r), OS.Path.mkAbsolute {path = r, relativeTo = from}] ^ "\n")
  end
val () = check ("/a//b", "/a")
val () = check ("//c/d", "/")
