(* GetOpt: command lines with short options (-x, -xyz, -o FILE) and long ones (--name, --name=VALUE, shortened while that
   is clear), as GNU's getopt reads them. *)

signature GET_OPT =
sig
  datatype 'a arg_order =
      RequireOrder
    | Permute
    | ReturnInOrder of string -> 'a
  (* The first word that is no option ends the options; or such words may stand anywhere; or become options. *)

  datatype 'a arg_descr =
      NoArg of unit -> 'a
    | ReqArg of (string -> 'a) * string
    | OptArg of (string option -> 'a) * string
  (* The string names the argument in the usage message. *)

  type 'a opt_descr = {short : string, long : string list, desc : 'a arg_descr, help : string}
  (* The letters and the names, both may be none. *)

  val usageInfo : {header : string, options : 'a opt_descr list} -> string
  (* The header and a table of the options. *)

  val getOpt :
    {argOrder : 'a arg_order, options : 'a opt_descr list, errFn : string -> unit}
    -> string list
    -> 'a list * string list
  (* The options and the other words, both in order. What follows "--" is no option. An option that is wrong is told to
     errFn and counts as one of the other words. Of ReturnInOrder, "--" and what follows become options, and so do the
     other words, in front of them. *)
end

structure GetOpt :> GET_OPT =
struct
  datatype 'a arg_order =
      RequireOrder
    | Permute
    | ReturnInOrder of string -> 'a

  datatype 'a arg_descr =
      NoArg of unit -> 'a
    | ReqArg of (string -> 'a) * string
    | OptArg of (string option -> 'a) * string

  type 'a opt_descr = {short : string, long : string list, desc : 'a arg_descr, help : string}

  fun shortForm desc c =
    "-"
    ^ str c
    ^ (case desc of
         NoArg _ => ""
       | ReqArg (_, name) => " " ^ name
       | OptArg (_, name) => "[" ^ name ^ "]")
  fun longForm desc s =
    "--"
    ^ s
    ^ (case desc of
         NoArg _ => ""
       | ReqArg (_, name) => "=" ^ name
       | OptArg (_, name) => "[=" ^ name ^ "]")

  fun usageInfo {header, options : 'a opt_descr list} =
    let
      fun row {short, long, desc, help} =
        (String.concatWith ", " (List.map (shortForm desc) (explode short)),
         String.concatWith ", " (List.map (longForm desc) long),
         String.fields (fn c => c = #"\n") help)
      val rows = List.map row options
      fun widest f = List.foldl (fn (r, n) => Int.max (size (f r), n)) 0 rows
      val first = widest #1
      val second = widest #2
      val pad = StringCvt.padRight #" "
      fun line (a, b, c) = concat ["  ", pad first a, "  ", pad second b, "  ", c, "\n"]
      fun lines (a, b, help :: more) =
            line (a, b, help) :: List.map (fn help => line ("", "", help)) more
        | lines (a, b, []) = [line (a, b, "")]
    in
      concat (header :: "\n" :: List.concat (List.map lines rows))
    end

  fun getOpt {argOrder, options : 'a opt_descr list, errFn} =
    let
      fun wrong pieces = (errFn (concat pieces); NONE)
      fun ambiguous (name, candidates) =
        wrong [usageInfo {header = "option `" ^ name ^ "' is ambiguous; could be one of:",
                          options = candidates}]
      fun unknown name = wrong ["unrecognized option `", name, "'"]
      fun missing (name, argument) = wrong ["option `", name, "' requires an argument ", argument]

      (* The option, or NONE if it is wrong, and the words behind it. *)
      fun long (word, rest) =
        let
          val (name, value) =
            Substring.splitl (fn c => c <> #"=") (Substring.triml 2 (Substring.full word))
          val name = Substring.string name
          val value =
            if Substring.isEmpty value then NONE
            else SOME (Substring.string (Substring.triml 1 value))
          fun having f = List.filter (fn {long, ...} : 'a opt_descr => List.exists f long) options
          val candidates =
            case having (fn s => s = name) of [] => having (String.isPrefix name) | exact => exact
        in
          case candidates of
            [] => (unknown ("--" ^ name), rest)
          | _ :: _ :: _ => (ambiguous ("--" ^ name, candidates), rest)
          | [{desc, ...}] =>
              (case (desc, value, rest) of
                 (NoArg f, NONE, _) => (SOME (f ()), rest)
               | (NoArg _, SOME _, _) =>
                   (wrong ["option `--", name, "' does not allow an argument"], rest)
               | (ReqArg (f, _), SOME v, _) => (SOME (f v), rest)
               | (ReqArg (f, _), NONE, v :: rest) => (SOME (f v), rest)
               | (ReqArg (_, argument), NONE, []) => (missing ("--" ^ name, argument), [])
               | (OptArg (f, _), _, _) => (SOME (f value), rest))
        end

      (* One letter; those behind it become a word of their own. *)
      fun short (word, rest) =
        let
          val letter = String.sub (word, 1)
          val name = "-" ^ str letter
          val more = String.extract (word, 2, NONE)
        in
          case List.filter (fn {short, ...} : 'a opt_descr => Char.contains short letter) options of
            [] => (unknown name, rest)
          | candidates as _ :: _ :: _ => (ambiguous (name, candidates), rest)
          | [{desc, ...}] =>
              (case (desc, more, rest) of
                 (NoArg f, "", _) => (SOME (f ()), rest)
               | (NoArg f, _, _) => (SOME (f ()), "-" ^ more :: rest)
               | (ReqArg (f, _), "", v :: rest) => (SOME (f v), rest)
               | (ReqArg (_, argument), "", []) => (missing (name, argument), [])
               | (ReqArg (f, _), _, _) => (SOME (f more), rest)
               | (OptArg (f, _), "", _) => (SOME (f NONE), rest)
               | (OptArg (f, _), _, _) => (SOME (f (SOME more)), rest))
        end

      fun scan ([], opts, others) = (rev opts, rev others)
        | scan ("--" :: rest, opts, others) =
            let
              val words = List.revAppend (others, "--" :: rest)
            in
              case argOrder of
                ReturnInOrder f => (List.revAppend (opts, List.map f words), [])
              | _ => (rev opts, words)
            end
        | scan (word :: rest, opts, others) =
            if String.isPrefix "--" word then option (word, long (word, rest), opts, others)
            else if String.isPrefix "-" word andalso size word > 1 then
              option (word, short (word, rest), opts, others)
            else
              case argOrder of
                RequireOrder => (rev opts, List.revAppend (others, word :: rest))
              | Permute => scan (rest, opts, word :: others)
              | ReturnInOrder f => scan (rest, f word :: opts, others)
      and option (_, (SOME x, rest), opts, others) = scan (rest, x :: opts, others)
        | option (word, (NONE, rest), opts, others) = scan (rest, opts, word :: others)
    in
      fn words => scan (words, [], [])
    end
end
