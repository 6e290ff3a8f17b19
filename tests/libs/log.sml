(* Log: lines as text and as JSON, levels, fields of threads and of the scopes that they fork, and what is not computed. *)

open Log

val time = Time.fromMilliseconds 1764226934123
val all =
  [("n", Int ~5), ("x", Real ~1.5E~9), ("inf", Real Real.negInf), ("yes", Bool true), ("word", Text "plain"),
   ("text", Text "two words"), ("empty", Text ""), ("quote", Text "a\"b\\c=d"), ("control", Text "a\nb\tc\001\127"),
   ("utf", Text "h\195\169 \226\130\172 \240\159\152\128"), ("broken", Text "a\255b\195\237\160\128\192\175\245"),
   ("when", Moment time), ("took", Span (Time.fromMilliseconds 1500)), ("later", Later (fn () => Int 7)),
   ("odd name", Int 1)]
val () =
  List.app (fn form => print (line form {time = time, level = Warn, message = "many\nfields", fields = all})) [Plain, JSON]
val () = print (line Plain {time = time, level = Info, message = "none", fields = []})
(* Control characters that are not ASCII's, and separators of lines, went out as they were. *)
val () =
  List.app
    (fn form =>
      print
        (line form {time = time, level = Info, message = "a\194\133b\226\128\168c",
                    fields = [("k\226\128\169", Text "\194\128 \194\159 \194\160 \226\128\167 \226\128\170 \195\168")]}))
    [Plain, JSON]
(* A name that the line has itself stood there twice. *)
val own = [("time", Int 1), ("level", Int 2), ("message", Int 3), ("time_", Int 4), ("level_", Int 5), ("times", Int 6), ("level", Int 7)]
val () =
  List.app (fn form => print (line form {time = time, level = Info, message = "m", fields = own})) [Plain, JSON]
(* the last of one name *)
val () = print (line JSON {time = time, level = Error, message = "", fields = [("a", Int 1), ("b", Int 2), ("a", Int 3)]})

(* without the time, which is another one each time *)
val () = setOutput (fn text => print (String.extract (text, 25, NONE)))
val () = setForm Plain
val () = setLevel (SOME Warn)
val () = List.app (fn f => f ("at warn", [])) [debug, info, warn, error]
val () = setLevel (SOME Debug)
val () = List.app (fn f => f ("at debug", [])) [debug, info, warn, error]
val () = List.app (fn text => print (case levelOf text of
    NONE => text ^ " is none\n"
  | SOME NONE => text ^ " is off\n"
  | SOME (SOME l) => (setLevel (SOME l); concat [text, ": ", concat (map (fn l => if isOn l then "+" else "-") [Debug, Info, Warn, Error]), "\n"])))
  ["debug", "INFO", "warn", "warning", "Error", "off", "loud", ""]
val () = setLevel NONE
val computed = ref 0
fun count () = (computed := !computed + 1; Int (!computed))
val () = error ("off", [("n", Later count)])
val () = at Error (fn () => ("off", [("n", count ())]))
val () = setLevel (SOME Info)
val () = debug ("off", [("n", Later count)])
val () = at Debug (fn () => ("off", [("n", count ())]))
val () = at Info (fn () => ("on", [("n", count ())]))
val () = warn ("failed", raised (Fail "why not"))

(* fields of threads *)
val () =
  having [("request", Int 1), ("user", Text "ada")] (fn () =>
    (info ("outer", []);
     having [("user", Text "bob"), ("step", Int 2)] (fn () => info ("inner", [("step", Int 3)]));
     Scope.run (fn scope =>
       (CML.sync (Scope.fork scope (fn () =>
          (info ("forked", []);
           having [("child", Bool true)] (fn () =>
             CML.sync (Scope.fork scope (fn () => info ("forked by that", [])))))));
        Scope.daemon scope (fn () => info ("daemon", []))));
     (having [("lost", Int 1)] (fn () => raise Fail "x") handle Fail _ => ());
     let val done = SyncVar.iVar ()
     in ignore (CML.spawn (fn () => (info ("spawned", []); SyncVar.iPut (done, ())))); SyncVar.iGet done end;
     info ("outer again", [])))
val () = info ("outside", [])

(* Lines of threads do not mix: each is one call. *)
val lines = ref 0
val () = setOutput (fn text => if String.isSuffix "end=1\n" text then lines := !lines + 1 else print text)
val () =
  Scope.run (fn scope =>
    List.app (fn i => ignore (Scope.fork scope (fn () => info ("line", [("i", Int i), ("end", Int 1)]))))
      (List.tabulate (50, fn i => i)))
val () = print (Int.toString (!lines) ^ " lines\n")
