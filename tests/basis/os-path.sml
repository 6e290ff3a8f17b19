(* OS.Path: the tables of the specification. *)
structure P = OS.Path
fun line l = print (String.concatWith " | " l ^ "\n")
fun try f = f () handle P.Path => "Path" | P.InvalidArc => "InvalidArc"
val paths = ["", ".", "..", "/", "//", "a", "a/", "a//", "/a", "/a/b", "a/b", "a/b/", "a/..", "a/./b", "/../a", "../a", "a/../b/../..", ".login", "a.b", "a.b.c", "a.", "a.b/c", "a/.b", "a/..b", "/.", "a//b", "...", "a...b"]
val () = app (fn p =>
  let val {isAbs, vol, arcs} = P.fromString p
  in
    line [p, Bool.toString isAbs, vol, "[" ^ String.concatWith "," arcs ^ "]", try (fn () => P.toString (P.fromString p)),
          P.getParent p, P.dir p, P.file p, P.base p, getOpt (P.ext p, "-"), P.mkCanonical p, Bool.toString (P.isCanonical p),
          Bool.toString (P.isRoot p), Bool.toString (P.isAbsolute p)]
  end) paths
val () = app (fn (a, b) => line [a, b, try (fn () => P.concat (a, b)), try (fn () => P.joinDirFile {dir = a, file = b})])
  [("a", "b"), ("a/", "b"), ("", "b"), ("a", ""), ("/", "b"), ("a", "/b"), ("", ""), ("a/b", "c/d"), ("/", "")]
val () = app (fn (p, r) => line [p, r, try (fn () => P.mkRelative {path = p, relativeTo = r}), try (fn () => P.mkAbsolute {path = p, relativeTo = r})])
  [("a/b", "/c/d"), ("/", "/a/b/c"), ("/a/b/", "/a/c"), ("/a/b", "/a/c"), ("/a/b/", "/a/c/"), ("/a/b", "/a/c/"), ("/", "/"),
   ("/", "/."), ("/", "/.."), ("/a/b/../c", "/a/d"), ("/c/a/b", "/a/b/c"), ("/c/d/a/b", "/a/b/c/d"), ("/a", "/a"), ("a", "b"), ("/a/b", "/"), ("../x", "/a/b")]
val () = line [try (fn () => P.toString {isAbs = false, vol = "", arcs = ["", "a"]}),
               try (fn () => P.toString {isAbs = true, vol = "x", arcs = ["a"]}),
               try (fn () => P.toString {isAbs = true, vol = "", arcs = ["a/b"]}),
               try (fn () => P.toString {isAbs = true, vol = "", arcs = []}),
               P.joinBaseExt {base = "a", ext = SOME "b"}, P.joinBaseExt {base = "a", ext = SOME ""}, P.joinBaseExt {base = "a", ext = NONE}]
