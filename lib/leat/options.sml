(* Options: a program's settings, from its command line and the environment, as one typed value.

     infix 4 **
     val op ** = Options.**
     val settings =
       Options.make (fn port => fn verbose => {port = port, verbose = verbose})
       ** Options.value (Options.int, 8080) {name = "port", short = "p", env = "PORT", help = "where to listen"}
       ** Options.flag {name = "verbose", short = "v", env = "", help = "say more"}

     val ({port, verbose}, files) = Options.run {about = "Serves files.", rest = "[FILE..]", options = settings}

   Words are read as GNU's programs do: `--port=80`, `--port 80`, `-p80`, `-p 80`, `-vp80`, `--` ends the options. *)

signature OPTIONS =
sig
  (* texts that are read as values of a type *)
  type 'a reader
  (* What such a text is called in the help (`N`), and how it is read and written. *)
  val reader : {kind : string, read : string -> 'a option, show : 'a -> string} -> 'a reader
  (* An integer: 12, -3. *)
  val int : int reader
  (* A number: 12, -0.5, 1e9; finite. *)
  val real : real reader
  (* Any text. *)
  val string : string reader
  (* A time: 10s, 1.5s, 200ms, 5m, 2h; without a unit, seconds. *)
  val time : Time.time reader
  (* Bytes: 4096, 64K, 10M, 2G, by 1024; not below 0. *)
  val bytes : int reader
  (* One of these words. *)
  val oneOf : (string * ''a) list -> ''a reader

  (* What an option is called: `--name`, `-s` (the empty string: no short form), the variable of the environment that is
     asked when the command line does not have it (or the empty string), and what the help says. *)
  type about = {name : string, short : string, env : string, help : string}

  type 'a options
  (* No options yet: the function that makes the settings of them, one after the other. *)
  val make : 'a -> 'a options
  (* One more; to be declared as `infix 4 **`. *)
  val ** : ('a -> 'b) options * 'a options -> 'b options
  (* Is it there? A variable says yes by 1, true or yes. *)
  val flag : about -> bool options
  (* A value, or this one. If it is there several times the last one counts. *)
  val value : 'a reader * 'a -> about -> 'a options
  (* A value that must be there. *)
  val required : 'a reader -> about -> 'a options
  (* A value, or NONE. *)
  val optional : 'a reader -> about -> 'a option options
  (* As often as is wanted; a variable has one. *)
  val many : 'a reader -> about -> 'a list options

  (* What is wrong with a command line. *)
  exception Wrong of string
  (* The settings, and the words that are no options. Raises Wrong; Fail if two options have the same name. The first
     argument gives the environment. *)
  val parse : (string -> string option) -> 'a options -> string list -> 'a * string list
  (* A table of the options. *)
  val help : 'a options -> string
  (* `parse` for the running program. `rest` says what the words are that are no options; if it is empty there are none,
     and a word is wrong. `--help` and `-h`, where an option may stand, print what the program does, how it is called
     and the options, and end it, unless they are options of its own; a wrong command line ends it with exit code 2. *)
  val run : {about : string, rest : string, options : 'a options} -> 'a * string list

  (* one of several things that a program does, as `git commit` *)
  type 'a command
  (* What it is called and has of options, what the help says, and the function that is called with what `parse` gives;
     `rest` is as for `run`. Options that several commands have are written once, and are given to each. *)
  val command :
    {name : string, about : string, rest : string, options : 'a options}
    -> ('a * string list -> 'b)
    -> 'b command
  (* The command that the first word names, with its options: calling the result does it. Raises Wrong; Fail if two
     commands have the same name. *)
  val parseCommand : (string -> string option) -> 'a command list -> string list -> unit -> 'a
  (* Does what the command line of the running program says. `--help` and `-h` list the commands, and behind a command
     its options. *)
  val runCommand : {about : string, commands : 'a command list} -> 'a
end

structure Options :> OPTIONS =
struct
  exception Wrong of string

  (* `what` is the kind in a sentence. *)
  type 'a reader =
    {kind : string, what : string, read : string -> 'a option, show : 'a -> string}
  fun reader {kind, read, show} : 'a reader =
    {kind = kind, what = "a value " ^ kind, read = read, show = show}

  fun signed text = String.map (fn #"~" => #"-" | c => c) text
  (* SML's own sign is none here *)
  fun unsigned read text = if Char.contains text #"~" then NONE else read text
  val readInt = unsigned Read.int
  val readReal = unsigned Read.real

  val int =
    {kind = "N", what = "an integer", read = readInt, show = signed o Int.toString} : int reader
  val real =
    {kind = "X", what = "a number", read = readReal, show = signed o Real.toString} : real reader
  val string = {kind = "TEXT", what = "a text", read = SOME, show = fn s => s} : string reader

  fun scaled (units, text) =
    let
      val (number, unit) =
        Substring.splitl (fn c => not (Char.isAlpha c)) (Substring.full text)
    in
      Option.map
        (fn (_, factor) => (Substring.string number, factor))
        (List.find (fn (name, _) => name = Substring.string unit) units)
    end

  val time =
    {kind = "TIME",
     what = "a time, such as 10s, 200ms or 5m",
     read =
       fn text =>
         case scaled ([("", 1.0), ("s", 1.0), ("ms", 0.001), ("m", 60.0), ("h", 3600.0)], text) of
           SOME (number, factor) =>
             (case readReal number of
                SOME x =>
                  if x >= 0.0 andalso x < 1E9 then
                    SOME (Time.fromReal (x * factor)) handle Time.Time => NONE
                  else NONE
              | NONE => NONE)
         | NONE => NONE,
     show =
       fn t =>
         let
           val x = Time.toReal t
           val text = Real.fmt (StringCvt.GEN (SOME 9)) x
         in
           text ^ "s"
         end} : Time.time reader

  val bytes =
    {kind = "BYTES",
     what = "a number of bytes, such as 4096, 64K or 10M",
     read =
       fn text =>
         (case scaled ([("", 1), ("K", 1024), ("M", 1048576), ("G", 1073741824)], text) of
            SOME (number, factor) =>
              Option.map
                (fn n => n * factor)
                (Option.mapPartial (Option.filter (fn n => n >= 0)) (readInt number))
          | NONE => NONE)
         handle Overflow => NONE,
     show =
       fn n =>
         if n > 0 andalso n mod 1048576 = 0 then Int.toString (n div 1048576) ^ "M"
         else if n > 0 andalso n mod 1024 = 0 then Int.toString (n div 1024) ^ "K"
         else signed (Int.toString n)} : int reader

  fun oneOf values : ''a reader =
    {kind = String.concatWith "|" (List.map #1 values),
     what = "one of " ^ String.concatWith ", " (List.map #1 values),
     read = fn text => Option.map #2 (List.find (fn (name, _) => name = text) values),
     show = fn x =>
       case List.find (fn (_, y) => x = y) values of SOME (name, _) => name | NONE => "?"}

  (* -- options *)

  type about = {name : string, short : string, env : string, help : string}
  (* `kind` and `what` are empty for what takes no value; `usual` is what the help says of a default. *)
  type row = {about : about, kind : string, what : string, usual : string}
  (* `get` is given what was found for a name: where it stood, and the texts. *)
  type found = string -> string * string list
  type 'a options = {rows : row list, get : found -> 'a}

  fun make x : 'a options = {rows = [], get = fn _ => x}
  fun ** (f : ('a -> 'b) options, x : 'a options) : 'b options =
    {rows = #rows f @ #rows x, get = fn found => let val g = #get f found in g (#get x found) end}

  fun row (about, {kind, what, ...} : 'a reader, usual) : row =
    {about = about, kind = kind, what = what, usual = usual}

  fun readAll ({what, read, ...} : 'a reader, (place, texts)) =
    List.map
      (fn text =>
        case read text of
          SOME x => x
        | NONE => raise Wrong (concat [place, ": `", String.toString text, "` is not ", what]))
      texts

  fun last [] = NONE
    | last l = SOME (List.last l)

  fun flag (about as {name, ...}) : bool options =
    {rows = [{about = about, kind = "", what = "", usual = ""}],
     get =
       fn found =>
         case found name of
           (_, []) => false
         | (place, texts) =>
             (case String.map Char.toLower (List.last texts) of
                "1" => true
              | "true" => true
              | "yes" => true
              | "0" => false
              | "false" => false
              | "no" => false
              | "" => false
              | text =>
                  raise Wrong
                    (concat [place, ": `", String.toString text, "` is neither yes nor no"]))}
  fun optional reader (about as {name, ...}) : 'a option options =
    {rows = [row (about, reader, "")], get = fn found => last (readAll (reader, found name))}
  fun value (reader as {show, ...} : 'a reader, usual) (about as {name, ...}) : 'a options =
    {rows = [row (about, reader, show usual)],
     get = fn found => Option.getOpt (last (readAll (reader, found name)), usual)}
  fun required reader (about as {name, ...}) : 'a options =
    {rows = [row (about, reader, "")],
     get =
       fn found =>
         case last (readAll (reader, found name)) of
           SOME x => x
         | NONE => raise Wrong (concat ["--", name, " is missing"])}
  fun many reader (about as {name, ...}) : 'a list options =
    {rows = [row (about, reader, "")], get = fn found => readAll (reader, found name)}

  (* -- words *)

  fun check [] = ()
    | check ({about = {name, short, ...}, ...} :: rest : row list) =
        if List.exists
             (fn {about = {name = n, short = s, ...}, ...} =>
               n = name orelse s = short andalso s <> "")
             rest
        then raise Fail ("two options --" ^ name ^ " -" ^ short)
        else check rest

  (* The word that asks for the help, where an option may stand. *)
  exception Help

  (* `isHelp` says which words ask for the help, if they are no options. *)
  fun parseWith isHelp environment ({rows, get} : 'a options) words =
    let
      fun unknown (word, option) =
        if isHelp word then Help else Wrong ("there is no option " ^ String.toString option)
      val () = check rows
      fun byName name = List.find (fn {about, ...} => #name about = name) rows
      fun byLetter c = List.find (fn {about, ...} => #short about = str c) rows

      (* What is said of options, the last one first, and the other words likewise. *)
      fun go ([], said, others) = (said, rev others)
        | go ("--" :: rest, said, others) = (said, rev others @ rest)
        | go (word :: rest, said, others) =
            if String.isPrefix "--" word then
              let
                val (name, value) =
                  Substring.splitl
                    (fn c => c <> #"=")
                    (Substring.full (String.extract (word, 2, NONE)))
                val name = Substring.string name
                val value =
                  if Substring.isEmpty value then NONE
                  else SOME (Substring.string (Substring.triml 1 value))
              in
                case (byName name, value, rest) of
                  (NONE, _, _) => raise unknown (word, "--" ^ name)
                | (SOME {kind = "", ...}, NONE, _) => go (rest, (name, "1") :: said, others)
                | (SOME {kind = "", ...}, SOME _, _) =>
                    raise Wrong (concat ["--", name, " takes no value"])
                | (SOME _, SOME text, _) => go (rest, (name, text) :: said, others)
                | (SOME _, NONE, text :: rest) => go (rest, (name, text) :: said, others)
                | (SOME {what, ...}, NONE, []) =>
                    raise Wrong (concat ["--", name, " wants ", what])
              end
            else if String.isPrefix "-" word andalso size word > 1 then
              letters (Substring.full (String.extract (word, 1, NONE)), rest, said, others)
            else go (rest, said, word :: others)

      and letters (text, rest, said, others) =
        case Substring.getc text of
          NONE => go (rest, said, others)
        | SOME (c, more) =>
            case byLetter c of
              NONE => raise unknown ("-" ^ str c, "-" ^ str c)
            | SOME {about = {name, ...}, kind = "", ...} =>
                letters (more, rest, (name, "1") :: said, others)
            | SOME {about = {name, ...}, what, ...} =>
                if not (Substring.isEmpty more) then
                  go (rest, (name, Substring.string more) :: said, others)
                else
                  case rest of
                    text :: rest => go (rest, (name, text) :: said, others)
                  | [] => raise Wrong (concat ["-", str c, " wants ", what])

      val (said, others) = go (words, [], [])
      fun found name =
        case List.filter (fn (n, _) => n = name) said of
          [] =>
            (case Option.map (#env o #about) (byName name) of
               SOME "" => ("", [])
             | SOME env =>
                 (case environment env of
                    SOME text => ("the variable " ^ env, [text])
                  | NONE => ("", []))
             | NONE => ("", []))
        | l => ("--" ^ name, rev (List.map #2 l))
    in
      (get found, others)
    end

  fun parse environment options words = parseWith (fn _ => false) environment options words

  fun help ({rows, ...} : 'a options) =
    let
      fun left {about = {name, short, ...}, kind, ...} =
        concat [if short = "" then "    " else "-" ^ short ^ ", ",
                "--",
                name,
                if kind = "" then "" else "=" ^ kind]
      fun right {about = {env, help, ...}, usual, ...} =
        concat [help,
                if usual = "" then "" else " [" ^ usual ^ "]",
                if env = "" then "" else " (" ^ env ^ ")"]
      val width = List.foldl (fn (r, n) => Int.max (size (left r), n)) 0 rows
    in
      concat (List.map
                (fn r => concat ["  ", StringCvt.padRight #" " width (left r), "  ", right r, "\n"])
                rows)
    end

  (* Says what is wrong, and ends the program. *)
  fun refuse (name, usage, what) why =
    (StdErr'.say
       (concat [name, ": ", why, "\n", usage, "`", name, " --help` lists the ", what, ".\n"]);
     Posix.Process.exit 0w2)

  (* What `parse` has found, if there are no words that are no options where the help says of none. *)
  fun expected (rest, found as (_, words)) =
    case (rest, words) of
      ("", word :: _) =>
        raise Wrong (concat ["the word `", String.toString word, "` is not expected"])
    | _ => found

  fun runAs (name, words) {about, rest, options} =
    let
      val usage = concat ["Usage: ", name, " [OPTIONS]", if rest = "" then "" else " " ^ rest, "\n"]
    in
      expected
        (rest, parseWith (fn w => w = "--help" orelse w = "-h") OS.Process.getEnv options words)
      handle Wrong why => refuse (name, usage, "options") why
           | Help =>
               (print (concat [about, "\n\n", usage, "\n", help options]);
                OS.Process.exit OS.Process.success)
    end

  fun program () = OS.Path.file (CommandLine.name ())
  fun run settings = runAs (program (), CommandLine.arguments ()) settings

  (* -- commands *)

  type 'a command =
    {name : string,
     about : string,
     parse : (string -> string option) -> string list -> unit -> 'a,
     run : string * string list -> 'a}

  fun command {name, about, rest, options} f : 'b command =
    {name = name,
     about = about,
     parse =
       fn environment => fn words =>
         let val found = expected (rest, parse environment options words) in fn () => f found end,
     run =
       fn (program, words) =>
         f (runAs
              (concat [program, " ", name], words)
              {about = about, rest = rest, options = options})}

  fun chosen (commands : 'a command list, words) =
    let
      fun check [] = ()
        | check ({name, ...} :: rest : 'a command list) =
            if List.exists (fn c => #name c = name) rest then raise Fail ("two commands " ^ name)
            else check rest
    in
      check commands;
      case words of
        [] => raise Wrong "a command is missing"
      | word :: rest =>
          case List.find (fn {name, ...} => name = word) commands of
            SOME command => (command, rest)
          | NONE => raise Wrong (concat ["there is no command `", String.toString word, "`"])
    end

  fun parseCommand environment commands words =
    let
      val ({parse, ...}, rest) = chosen (commands, words)
    in
      parse environment rest
    end

  fun runCommand {about, commands : 'a command list} =
    let
      val (name, words) = (program (), CommandLine.arguments ())
      val usage = concat ["Usage: ", name, " COMMAND [OPTIONS]\n"]
      val width = List.foldl (fn ({name, ...}, n) => Int.max (size name, n)) 0 commands
      fun line {name, about, parse = _, run = _} =
        concat ["  ", StringCvt.padRight #" " width name, "  ", about, "\n"]
      fun help () =
        (print (concat [about,
                        "\n\n",
                        usage,
                        "\n",
                        concat (List.map line commands),
                        "\n`",
                        name,
                        " COMMAND --help` lists the options of a command.\n"]);
         OS.Process.exit OS.Process.success)
      val () = case words of "--help" :: _ => help () | "-h" :: _ => help () | _ => ()
      val ({run, ...}, rest) =
        chosen (commands, words) handle Wrong why => refuse (name, usage, "commands") why
    in
      run (name, rest)
    end
end
