(* MediaType: texts there and back, the names of files, and the examples of RFC 9110 for Accept. *)

structure M = MediaType
fun say s = print (s ^ "\n")
fun shown {kind, parameters} =
  concat (String.toString kind :: List.map (fn (n, v) => concat [" [", String.toString n, "=", String.toString v, "]"]) parameters)
fun reason f = f () handle M.Malformed why => "Malformed: " ^ why

val () =
  List.app (fn s => say (concat [String.toString s, " -> ", reason (fn () => let val m = M.parse s in shown m ^ " = " ^ M.toString m end)]))
    ["text/html", "TEXT/HTML; Charset=UTF-8", "text/html;charset=\"utf-8\"", "multipart/form-data; boundary=\"a b\\\"c\\\\d\"", "a/b ; c = d ;e=f", "a/b;", "a/b;;c=d", "application/vnd.api+json", "a/b; c=\"\"", "a/b; c=",
     "", "text", "text/", "/html", "a/b/c", "a b/c", "text/html; charset", "text/html; =x", "text/html; a=b c", "text/html, text/plain", "text/html; a=\"b", "text/html; a=\"b\\", "text/html; a=\195\164"]
val () = say (reason (fn () => shown (M.parseField "attachment; filename=\"a b.txt\"; size=3")))
val () = say (reason (fn () => shown (M.parseField "form-data")))
val () = say (shown (valOf (M.fromString "A/B")) ^ " " ^ Bool.toString (isSome (M.fromString "a")))
val () =
  List.app (fn m => say (reason (fn () => M.toString m)))
    [{kind = "attachment", parameters = [("filename", "a \"b\" \\ \195\164.txt")]}, {kind = "a/b", parameters = [("c", "")]}, {kind = "a/b", parameters = [("c d", "e")]},
     {kind = "a/b\r\nc: d", parameters = []}, {kind = "a/b", parameters = [("c", "d\r\ne: f")]}, {kind = "a/b", parameters = [("c", "\000")]}, {kind = "", parameters = []}]
val () = say (Option.getOpt (M.parameter (M.parse "a/b; C=d; c=e") "c", "-") ^ " " ^ Bool.toString (isSome (M.parameter (M.parse "a/b") "c")))
val () =
  List.app (fn s => say (String.toString (Option.getOpt (M.parameter (M.parseField s) "filename", "-"))))
    ["a; filename*=UTF-8''caf%C3%A9%20%22.txt; filename=\"x\"", "a; filename=x; filename*=utf-8'en'y", "a; filename=x; filename*=latin1''y", "a; filename=x; filename*=UTF-8''%zz", "a; filename*=y"]
val () = say (M.toString {kind = "attachment", parameters = [("filename*", "UTF-8''%C3%A9")]})

(* -- files: each end of a name is found, and leads back *)

val () =
  List.app (fn s => say (concat [s, " -> ", M.ofFile s]))
    ["index.html", "A.HTM", "a/b.c/readme", "x.tar.gz", ".profile", "a.", "", "p.jpeg", "q.svg", "r.json", "s.unknown", "t.7z", "u.zst", "v.woff2"]
val () = say (String.concatWith " " (List.map (fn k => "[" ^ String.concatWith " " (M.extensions k) ^ "]") ["text/html", "TEXT/plain; charset=x", "image/jpeg", "application/yaml", "none/such"]))
val ends = ["7z", "aac", "atom", "avi", "avif", "bin", "bmp", "bz2", "c", "css", "csv", "doc", "docx", "epub", "flac", "gif", "gz", "h", "heic", "htm", "html", "ico", "ics", "jpeg", "jpg", "js", "json",
            "jsonld", "jxl", "log", "m4a", "map", "md", "mjs", "mkv", "mov", "mp3", "mp4", "mpeg", "ndjson", "odp", "ods", "odt", "oga", "ogg", "ogv", "opus", "otf", "pdf", "pem", "png", "ppt", "pptx",
            "ps", "rss", "rtf", "sh", "sig", "sml", "svg", "tar", "tif", "tiff", "toml", "tsv", "ttf", "txt", "vtt", "wasm", "wav", "webm", "webmanifest", "webp", "woff", "woff2", "xhtml", "xls", "xlsx",
            "xml", "xz", "yaml", "yml", "zip", "zst"]
val () =
  List.app
    (fn e =>
      case M.ofExtension e of
        NONE => say (e ^ " is not found")
      | SOME kind =>
          if List.exists (fn f => f = e) (M.extensions kind) andalso M.toString (M.parse kind) = kind then () else say (e ^ ": " ^ kind))
    ends

(* -- RFC 9110, 12.5.1 *)

val accepts =
  ["audio/*; q=0.2, audio/basic", "text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c", "text/*, text/plain, text/plain;format=flowed, */*",
   "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5"]
val kinds = ["audio/basic", "audio/mpeg", "text/plain", "text/html", "text/x-dvi", "text/plain;format=flowed", "text/plain;format=fixed", "text/html;level=3", "image/jpeg"]
val () =
  List.app
    (fn a =>
      (say a;
       say ("  " ^ String.concatWith " " (List.map (fn k => concat [k, ":", Real.fmt (StringCvt.FIX (SOME 3)) (M.quality {accept = a} k)]) kinds))))
    accepts
fun choose (accept, offered) =
  say (concat [accept, " of ", String.concatWith " " offered, ": ", Option.getOpt (M.choose {accept = accept, offered = offered}, "none")])
val () =
  List.app choose
    [("", ["a/b"]), ("", []), ("*/*", ["a/b", "c/d"]), ("c/d", ["a/b", "c/d"]), ("c/*, a/b;q=0.9", ["a/b", "c/d"]), ("a/b;q=0, */*", ["a/b", "c/d"]), ("a/b;q=0", ["a/b", "c/d"]), ("x/y", ["a/b"]),
     ("A/B;Q=0.5, c/d;q=0.25", ["c/d; charset=utf-8", "a/b; charset=utf-8"]), ("a/b;q=2, c/d;q=0.1", ["a/b", "c/d"]), ("a/b;q=x, c/d", ["a/b", "c/d"]), ("a/b;x=\"1,c/d\", c/d;q=0.1", ["c/d", "a/b"]),
     (",, ,a/b,", ["c/d", "a/b"]), ("nonsense, a/b;=, c/d", ["a/b", "c/d"]), ("a/b;x=\"", ["c/d"]), ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", ["application/json", "text/html; charset=utf-8"])]

(* -- laws *)

val random = Random.rand (5, 8)
fun below n = Random.randRange (0, n - 1) random
fun text n = CharVector.tabulate (below n, fn _ => String.sub ("ab/;=\", \\*q01.", below 14))
fun law 0 = say "laws"
  | law n =
      let
        val t = text 12
        val m = {kind = "a/b", parameters = [("c", t), ("d", text 5)]}
      in
        if M.parse (M.toString m) = m then () else say ("lost: " ^ String.toString t);
        (case M.fromString ("a/b;" ^ t) of
           SOME m => if M.parse (M.toString m) = m then () else say ("lost: " ^ String.toString t)
         | NONE => ());
        ignore (M.choose {accept = t, offered = ["a/b", "b/a"]});
        law (n - 1)
      end
val () = law 2000
