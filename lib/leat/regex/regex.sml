(* Regex: regular expressions for texts, with the syntax and the meaning of RE2's, Go's and Rust's.

   The time of a search is proportional to the length of what it reads, whatever the expression and the text are. *)

signature REGEX =
sig
  (* A compiled expression. Threads may share it. *)
  type regex

  (* What is wrong with an expression, and the byte of it, counted from 0, where that is. *)
  type error = {position : int, reason : string}
  (* The text is no expression. *)
  exception Syntax of error
  (* The text is no template for a replacement. *)
  exception Template of error

  (* How an expression is meant; it may say the same itself, by the letter in parentheses: `(?i)`, or `(?i:A)` for a
     part. IGNORE_CASE (i): letters of both cases are the same. LINES (m): `^` and `$` are also where a line begins and
     ends. DOT_ALL (s): `.` takes the end of a line, too. EXTENDED (x): blanks in the expression mean nothing, and a `#`
     begins a comment. SWAP_GREED (U): `a*` takes as little as it can, and `a*?` as much. UNICODE (u): the text is
     UTF-8, and `.`, classes, `\d`, `\w`, `\s`, `\b` and case are those of Unicode's characters; else they are bytes and
     ASCII. *)
  datatype flag = IGNORE_CASE | LINES | DOT_ALL | EXTENDED | SWAP_GREED | UNICODE

  (* An expression without flags. Raises Syntax. *)
  val compile : string -> regex
  (* An expression with flags. Raises Syntax. *)
  val compileWith : flag list -> string -> regex
  (* An expression, or what is wrong with it. *)
  datatype compiled = REGEX of regex | ERROR of error
  (* An expression with flags, or the error as a value. *)
  val tryCompile : flag list -> string -> compiled
  (* Three lines for a user: the reason, the expression, and a caret under the place; a long expression is shown in
     part. *)
  val message : string * error -> string

  (* The text that was compiled. *)
  val source : regex -> string
  (* How many groups the expression has. *)
  val groupCount : regex -> int
  (* The names of groups, with their numbers, in the order of the expression. *)
  val groupNames : regex -> (string * int) list
  (* An expression that matches this text alone. *)
  val escape : string -> string

  (* A match, with the text in which it was found. *)
  type match

  (* Whether there is a match somewhere in the text. *)
  val matches : regex -> string -> bool
  (* The first match: of those that begin earliest the preferred one, as in Perl. *)
  val find : regex -> string -> match option
  (* The first match that begins at a place or behind it; what is before the place counts for `^` and `\b`. Raises
     Subscript if the text has no such place. *)
  val findFrom : regex -> string * int -> match option
  (* The first match in a part of a text; the part's ends are ends of the text. Places are those of the whole text. *)
  val findIn : regex -> substring -> match option
  (* The match that is the whole text. *)
  val whole : regex -> string -> match option
  (* The match at the beginning of a stream, and the stream behind it. Its places count from there, and its text is what
     had to be read, which with UNICODE and a `\b` may be all. *)
  val prefix : regex -> (char, 'a) StringCvt.reader -> (match, 'a) StringCvt.reader

  (* All matches that do not overlap, from left to right. An empty match directly behind another match counts not. *)
  val findAll : regex -> string -> match list
  (* Applies a function to each of them. *)
  val app : regex -> (match -> unit) -> string -> unit
  (* Goes over them with a value, as List.foldl does. *)
  val fold : regex -> (match * 'a -> 'a) -> 'a -> string -> 'a
  (* Goes over those of a part of a text. *)
  val foldIn : regex -> (match * 'a -> 'a) -> 'a -> substring -> 'a
  (* How many there are. *)
  val count : regex -> string -> int

  (* The text of a match. *)
  val text : match -> string
  (* Where it is in the text that was searched. *)
  val substring : match -> substring
  (* The place of its first byte. *)
  val start : match -> int
  (* The place behind its last byte. *)
  val stop : match -> int
  (* What is before it. *)
  val preceding : match -> substring
  (* What is behind it. *)
  val following : match -> substring
  (* What the group of a number matched, 0 being the whole; NONE if it took no part. A group that matched more than once
     has what it matched last. Raises Subscript if the expression has not so many groups. *)
  val group : match -> int -> substring option
  (* What the group of a name matched. Raises Subscript if there is no such group. *)
  val named : match -> string -> substring option
  (* The texts of all groups from the first on; "" for one that took no part. *)
  val groups : match -> string list

  (* The text with the first match replaced by a template: `$1` and `${1}` are a group's text, `${name}` that of a group
     with a name, `$0` the match, and `$$` is a dollar sign. Raises Template if it is none, or the expression has no
     such group. *)
  val replaceFirst : regex -> string -> string -> string
  (* The text with each match replaced by a template. Raises Template. *)
  val replaceAll : regex -> string -> string -> string
  (* The text with the first match replaced by what a function makes of it. *)
  val replaceFirstWith : regex -> (match -> string) -> string -> string
  (* The text with each match replaced by what a function makes of it. *)
  val replaceAllWith : regex -> (match -> string) -> string -> string
  (* A template with the groups of a match. Raises Template. *)
  val expand : match -> string -> string

  (* What is between the matches: one piece more than there are matches. *)
  val split : regex -> string -> string list
  (* So many pieces at most; the last one is all that is left. Raises Size if the number is negative. *)
  val splitN : regex -> int -> string -> string list
  (* The pieces of a part of a text, which are not copied. *)
  val fields : regex -> substring -> substring list
end

structure Regex :> REGEX =
struct
  structure S = RegexSyntax'
  structure P = RegexProgram'
  structure A = RegexAutomaton'
  structure T = RegexThreads'

  type error = {position : int, reason : string}
  exception Syntax = S.Syntax
  exception Template of error

  local
    fun shown (what, {position, reason}) =
      SOME (concat ["Regex: ", reason, ", at byte ", Int.toString position, " of the ", what])
  in
    val () =
      MLton.Exn.addExnMessager (fn Syntax error => shown ("expression", error)
                                 | Template error => shown ("template", error)
                                 | _ => NONE)
  end

  datatype flag = IGNORE_CASE | LINES | DOT_ALL | EXTENDED | SWAP_GREED | UNICODE

  (* A walk has an automaton for itself: it takes it out of a pool, and puts it back at its end. So several threads may
     use one expression at the same time. The number is how many there are. *)
  datatype pool =
      None
    | Pool of A.automaton * pool * int

  (* How the search goes on where no match has begun. *)
  datatype skip =
      Nowhere
    (* To a text with which each match begins. *)
    | To of string
    (* To one of the bytes that are marked. *)
    | Among of string

  type regex =
    {source : string,
     (* The text is UTF-8, and a match may be empty: then where it is matters. *)
     divides : bool,
     groups : int,
     names : (string * int) list,
     program : P.program,
     backwards : P.program,
     classes : string,
     count : int,
     unicodeWord : bool,
     words : (int * int) vector,
     anchored : bool,
     (* How long each match is, or ~1. *)
     length : int,
     (* Each match is this text, without groups. *)
     literal : string option,
     skip : string * int * int -> int,
     skips : bool,
     ahead : pool ref,
     back : pool ref}

  datatype match =
    Found of
        {regex : regex,
         text : string,
         lo : int,
         hi : int,
         start : int,
         stop : int,
         (* The places of the groups, when somebody has asked for them. *)
         slots : int vector option ref}

  datatype compiled =
      REGEX of regex
    | ERROR of error

  (* -- compiling *)

  (* How many of a thousand bytes of a text are this one, about. *)
  fun frequency c =
    if c = #" " then 170
    else if Char.isLower c then
      Vector.sub (#[65, 12, 23, 33, 100, 18, 16, 48, 57, 2, 6, 33, 20, 57, 62, 16, 1, 50, 52, 75,
                    23, 8, 17, 2, 16, 1],
                  ord c - 97)
    else if Char.isDigit c then 6
    else if c = #"\n" then 15
    else if Char.contains ",.\"'" c then 10
    else if c >= #"\128" orelse Char.isCntrl c then 1
    else 3

  (* Places are searched for by the text's last byte; what a byte allows to skip is known (Horspool, Software: Practice
     and Experience 10, 1980). *)
  fun searcher sought =
    let
      val n = size sought
      val shifts = Array.array (256, n)
      val () =
        CharVector.appi
          (fn (i, c) => if i < n - 1 then Array.update (shifts, ord c, n - 1 - i) else ())
          sought
      val final = String.sub (sought, n - 1)
      fun same (text, at, k) =
        k < 0 orelse A.char (text, at + k) = A.char (sought, k) andalso same (text, at, k - 1)
    in
      if n = 1 then
        fn (text, at, hi) =>
          let
            fun from i = if i < hi andalso A.char (text, i) <> final then from (i + 1) else i
          in
            from at
          end
      else
        fn (text, at, hi) =>
          let
            (* i: where the last byte would be. *)
            fun from i =
              if i >= hi then hi
              else
                let
                  val c = A.char (text, i)
                in
                  if c = final andalso same (text, i - n + 1, n - 2) then i - n + 1
                  else from (i + A.sub (shifts, ord c))
                end
          in
            from (at + n - 1)
          end
    end

  fun skipper Nowhere = (fn (_, at, _) => at)
    | skipper (To sought) = searcher sought
    | skipper (Among set) =
        fn (text, at, hi) =>
          let
            fun from i =
              if i < hi andalso A.char (set, ord (A.char (text, i))) = #"n" then from (i + 1) else i
          in
            from at
          end

  fun flagged flags =
    List.foldl
      (fn (flag, flags) =>
        S.setFlag
          (case flag of
             IGNORE_CASE => #"i"
           | LINES => #"m"
           | DOT_ALL => #"s"
           | EXTENDED => #"x"
           | SWAP_GREED => #"U"
           | UNICODE => #"u",
           true)
          flags)
      S.noFlags
      flags

  fun compileWith flags source : regex =
    let
      val {node, groups, names, unicode} = S.parse (flagged flags, source)
      val program = P.translate {backwards = false} node
      val (classes, count) = P.classesOf program
      val unicodeWord = P.hasUnicodeWord program
      val anchored = P.anchored node
      val (prefix, complete) = P.prefix node
      val skip =
        if anchored then Nowhere
        else if prefix <> "" then To prefix
        else
          case P.firstBytes program of
            NONE => Nowhere
          | SOME set =>
              let
                fun share (i, c, sum) = if c = #"y" then sum + frequency (chr i) else sum
              in
                if CharVector.foldli share 0 set < 150 then Among set else Nowhere
              end
    in
      {source = source,
       divides = unicode andalso S.nullable node,
       groups = groups,
       names = names,
       program = program,
       backwards = P.translate {backwards = true} node,
       classes = classes,
       count = count,
       unicodeWord = unicodeWord,
       words = if unicodeWord then Vector.fromList (RegexChars'.unicodeWord ()) else #[],
       anchored = anchored,
       length = getOpt (S.fixed node, ~1),
       literal = if complete andalso groups = 0 andalso prefix <> "" then SOME prefix else NONE,
       skip = skipper skip,
       skips = (case skip of Nowhere => false | _ => true),
       ahead = ref None,
       back = ref None}
    end

  val compile = compileWith []

  fun tryCompile flags source = REGEX (compileWith flags source) handle Syntax error => ERROR error

  fun message (source, {position, reason} : error) =
    let
      (* Of a long expression what is around the place. *)
      val from = if position > 60 then position - 40 else 0
      val to = Int.min (size source, from + 76)
      val shown = String.substring (source, from, to - from)
      fun visible c = if Char.isCntrl c then " " else str c
      (* The bytes of a character behind its first take no column. *)
      fun columns s =
        CharVector.foldl (fn (c, n) => if ord c div 64 = 2 then n else n + 1) 0 s
      val column =
        columns
          (String.substring (source, from, Int.max (0, Int.min (position, size source) - from)))
      val front = if from > 0 then ".. " else ""
    in
      concat ["regular expression: ",
              reason,
              "\n  ",
              front,
              String.translate visible shown,
              if to < size source then " .." else "",
              "\n  ",
              CharVector.tabulate (size front + column, fn _ => #" "),
              "^\n"]
    end

  fun source ({source, ...} : regex) = source
  fun groupCount ({groups, ...} : regex) = groups
  fun groupNames ({names, ...} : regex) = names

  fun escape text =
    String.translate
      (fn c =>
        if Char.contains S.special c orelse Char.contains " \t\n\r\v\f" c then
          case c of
            #"\n" => "\\n"
          | #"\t" => "\\t"
          | #"\r" => "\\r"
          | #"\v" => "\\v"
          | #"\f" => "\\f"
          | _ => "\\" ^ str c
        else str c)
      text

  (* -- searching *)

  fun taken (pool, make) =
    case !pool of
      None => make ()
    | old as Pool (automaton, rest, _) =>
        if PrimRefs'.ref_cas (pool, old, rest) then automaton else taken (pool, make)

  fun putBack (pool, automaton) =
    let
      val old = !pool
      val count = case old of None => 0 | Pool (_, _, n) => n
    in
      if count >= 16 orelse PrimRefs'.ref_cas (pool, old, Pool (automaton, old, count + 1)) then ()
      else putBack (pool, automaton)
    end

  fun aheadOf ({program, classes, count, unicodeWord, skips, ...} : regex) () =
    A.automaton {program = program,
                 leftmost = true,
                 classes = classes,
                 count = count,
                 unicode = unicodeWord,
                 skips = skips}

  fun backOf ({backwards, classes, count, unicodeWord, ...} : regex) () =
    A.automaton {program = backwards,
                 leftmost = false,
                 classes = classes,
                 count = count,
                 unicode = unicodeWord,
                 skips = false}

  fun forwards (regex as {ahead, skip, ...} : regex) (text, lo, hi, from, later, earliest) =
    let
      val automaton = taken (ahead, aheadOf regex)
      val result = A.forwards automaton (text, lo, hi, from, later, earliest, skip)
    in
      putBack (ahead, automaton);
      result
    end

  fun backwards (regex as {back, ...} : regex) (text, lo, hi, from, limit) =
    let
      val automaton = taken (back, backOf regex)
      val result = A.backwards automaton (text, lo, hi, from, limit)
    in
      putBack (back, automaton);
      result
    end

  fun raced (regex as {program, groups, words, skip, ahead, ...} : regex) (text, lo, hi)
    (from, stop, later, whole) =
    let
      val automaton as {seen, stamp, ...} = taken (ahead, aheadOf regex)
      val result =
        T.race (program, groups, T.holds words (text, lo, hi)) {text = text,
                                                                from = from,
                                                                stop = stop,
                                                                later = later,
                                                                whole = whole,
                                                                skip = skip,
                                                                seen = seen,
                                                                stamp = stamp}
    in
      putBack (ahead, automaton);
      result
    end

  fun found (regex, text, lo, hi, start, stop) =
    SOME (Found {regex = regex,
                 text = text,
                 lo = lo,
                 hi = hi,
                 start = start,
                 stop = stop,
                 slots = ref NONE})

  (* The first match from a place on; with `later` also behind it. *)
  fun search (regex as {divides, anchored, length, literal, skip, ...} : regex)
    (text, lo, hi, from, later) =
    let
      val later' = later andalso not anchored
      fun raced' () =
        case raced regex (text, lo, hi) (from, hi, later', false) of
          SOME slots =>
            SOME (Found {regex = regex,
                         text = text,
                         lo = lo,
                         hi = hi,
                         start = Vector.sub (slots, 0),
                         stop = Vector.sub (slots, 1),
                         slots = ref (SOME slots)})
        | NONE => NONE
      fun walked () =
        let
          val stop = forwards regex (text, lo, hi, from, later', false)
        in
          if stop >= 0 then
            if not later' then found (regex, text, lo, hi, from, stop)
            else if length >= 0 then found (regex, text, lo, hi, stop - length, stop)
            else
              let
                val start = backwards regex (text, lo, hi, stop, from)
              in
                if start >= 0 then found (regex, text, lo, hi, start, stop) else raced' ()
              end
          else if stop = A.quit then raced' ()
          else NONE
        end
      val result =
        case (literal, later) of
          (SOME sought, true) =>
            let
              val start = skip (text, from, hi)
            in
              if start < hi then found (regex, text, lo, hi, start, start + size sought) else NONE
            end
        | _ => walked ()
    in
      case result of
        SOME (Found {start, stop, ...}) =>
          (* An empty match inside of a character is none. *)
          if divides
             andalso start = stop
             andalso start > lo
             andalso start < hi
             andalso ord (String.sub (text, start)) div 64 = 2
          then if later then search regex (text, lo, hi, start + 1, later) else NONE
          else result
      | NONE => NONE
    end

  fun find regex text = search regex (text, 0, size text, 0, true)

  fun findFrom regex (text, i) =
    if i < 0 orelse i > size text then raise Subscript
    else search regex (text, 0, size text, i, true)

  fun findIn regex part =
    let
      val (text, start, n) = Substring.base part
    in
      search regex (text, start, start + n, start, true)
    end

  fun matches (regex as {divides, anchored, literal, ...} : regex) text =
    if isSome literal orelse divides then isSome (find regex text)
    else
      let
        val stop = forwards regex (text, 0, size text, 0, not anchored, true)
      in
        if stop = A.quit then isSome (find regex text) else stop >= 0
      end

  fun whole regex text =
    let
      val n = size text
      val start = backwards regex (text, 0, n, n, 0)
    in
      if start = 0 then found (regex, text, 0, n, 0, n)
      else if start = A.quit andalso isSome (raced regex (text, 0, n) (0, n, false, true)) then
        found (regex, text, 0, n, 0, n)
      else NONE
    end

  fun prefix (regex as {classes, ahead, ...} : regex) getc s =
    let
      val automaton as {table, width, samples, ...} = taken (ahead, aheadOf regex)
      fun all (s, read) = case getc s of SOME (c, s) => all (s, c :: read) | NONE => read
      (* As much as can matter, the last character first. *)
      fun walk (st, s, read) =
        if st < 0 then all (s, read)
        else
          case getc s of
            NONE => read
          | SOME (c, s) =>
              let
                val class = ord (String.sub (classes, ord c))
                val number = Array.sub (!table, st + class)
                val number = if number = A.unknown then A.edge automaton (st, class) else number
                val read = c :: read
              in
                if number >= 0 then walk (number, s, read)
                else if number <= A.special then walk (A.special - number, s, read)
                else if number = A.dead then read
                else all (s, read)
              end
      val text = implode (rev (walk (A.startAt automaton (NONE, false), s, [])))
      val () = putBack (ahead, automaton)
      fun drop (s, 0) = s
        | drop (s, n) = (case getc s of SOME (_, s) => drop (s, n - 1) | NONE => s)
    in
      case search regex (text, 0, size text, 0, false) of
        SOME (match as Found {stop, ...}) => SOME (match, drop (s, stop))
      | NONE => NONE
    end

  (* Over the matches of a part of a text. *)
  fun over (regex, text, lo, hi) f init =
    let
      fun from (at, last, value) =
        if at > hi then value
        else
          case search regex (text, lo, hi, at, true) of
            NONE => value
          | SOME (match as Found {start, stop, ...}) =>
              if start = stop andalso stop = last then from (at + 1, ~1, value)
              else from (stop, stop, f (match, value))
    in
      from (lo, ~1, init)
    end

  fun fold regex f init text = over (regex, text, 0, size text) f init
  fun foldIn regex f init part =
    let
      val (text, start, n) = Substring.base part
    in
      over (regex, text, start, start + n) f init
    end
  fun findAll regex text = rev (fold regex (op ::) [] text)
  fun app regex f text = fold regex (fn (match, ()) => f match) () text
  fun count regex text = fold regex (fn (_, n) => n + 1) 0 text

  (* -- matches *)

  fun start (Found {start, ...}) = start
  fun stop (Found {stop, ...}) = stop
  fun text (Found {text, start, stop, ...}) = String.substring (text, start, stop - start)
  fun substring (Found {text, start, stop, ...}) = Substring.substring (text, start, stop - start)
  fun preceding (Found {text, lo, start, ...}) = Substring.substring (text, lo, start - lo)
  fun following (Found {text, hi, stop, ...}) = Substring.substring (text, stop, hi - stop)

  fun slotsOf (Found {regex as {program, groups, words, ...}, text, lo, hi, start, stop, slots}) =
    case !slots of
      SOME places => places
    | NONE =>
        let
          val places =
            if groups = 0 then #[start, stop]
            else if T.isShort (program, start, stop) then
              T.track (program, groups, T.holds words (text, lo, hi)) (text, start, stop)
            else valOf (raced regex (text, lo, hi) (start, stop, false, true))
        in
          ignore (PrimRefs'.ref_cas (slots, NONE, SOME places));
          places
        end

  fun group (match as Found {regex = {groups, ...}, text, ...}) n =
    if n < 0 orelse n > groups then raise Subscript
    else if n = 0 then SOME (substring match)
    else
      let
        val slots = slotsOf match
        val from = Vector.sub (slots, 2 * n)
        val to = Vector.sub (slots, 2 * n + 1)
      in
        if from < 0 orelse to < 0 then NONE else SOME (Substring.substring (text, from, to - from))
      end

  fun numberOf ({names, ...} : regex, name) =
    Option.map #2 (List.find (fn (other, _) => other = name) names)

  fun named (match as Found {regex, ...}) name =
    case numberOf (regex, name) of
      SOME n => group match n
    | NONE => raise Subscript

  fun textOf (match, n) = case group match n of SOME part => Substring.string part | NONE => ""

  fun groups (match as Found {regex = {groups, ...}, ...}) =
    List.tabulate (groups, fn i => textOf (match, i + 1))

  (* -- replacing *)

  datatype part =
      Text of string
    | Group of int

  fun parts (regex as {groups, ...} : regex, template) =
    let
      val n = size template
      fun wrong (position, reason) = raise Template {position = position, reason = reason}
      fun is (i, c) = i < n andalso String.sub (template, i) = c
      fun digit i = i < n andalso Char.isDigit (String.sub (template, i))
      fun numbered (position, k) =
        if k > groups then wrong (position, "the expression has no group " ^ Int.toString k)
        else Group k
      fun digits (i, k) =
        if digit i then
          digits (i + 1, Int.min (k * 10 + ord (String.sub (template, i)) - 48, 1000000))
        else (k, i)
      fun from (i, start) =
        if i = n then piece (start, i)
        else if not (is (i, #"$")) then from (i + 1, start)
        else
          piece (start, i)
          @ (if is (i + 1, #"$") then Text "$" :: from (i + 2, i + 2)
             else if digit (i + 1) then
               let
                 val (k, next) = digits (i + 1, 0)
               in
                 numbered (i, k) :: from (next, next)
               end
             else if is (i + 1, #"{") then
               let
                 fun closing j =
                   if j >= n then wrong (i, "here a } is missing")
                   else if is (j, #"}") then j
                   else closing (j + 1)
                 val stop = closing (i + 2)
                 val name = String.substring (template, i + 2, stop - i - 2)
                 val part =
                   if name <> "" andalso CharVector.all Char.isDigit name then
                     numbered (i, #1 (digits (i + 2, 0)))
                   else
                     case numberOf (regex, name) of
                       SOME k => Group k
                     | NONE => wrong (i, "the expression has no group of the name `" ^ name ^ "`")
               in
                 part :: from (stop + 1, stop + 1)
               end
             else
               wrong (i,
                      "behind $ a group's number or, in braces, its name is expected; $$ is a dollar sign"))
      and piece (start, stop) =
        if start = stop then [] else [Text (String.substring (template, start, stop - start))]
    in
      from (0, 0)
    end

  fun filled parts match =
    case parts of
      [] => ""
    | [Text s] => s
    | _ => concat (List.map (fn Text s => s | Group n => textOf (match, n)) parts)

  fun expand (match as Found {regex, ...}) template = filled (parts (regex, template)) match

  fun between (text, from, to) = Substring.substring (text, from, to - from)

  fun replaceFirstWith regex f text =
    case find regex text of
      NONE => text
    | SOME match =>
        Substring.concat [preceding match, Substring.full (f match), following match]

  fun replaceAllWith regex f text =
    let
      fun each (match as Found {start, stop, ...}, (at, pieces)) =
        (stop, Substring.full (f match) :: between (text, at, start) :: pieces)
      val (at, pieces) = fold regex each (0, []) text
    in
      if null pieces then text else Substring.concat (rev (between (text, at, size text) :: pieces))
    end

  fun replaceFirst regex template = replaceFirstWith regex (filled (parts (regex, template)))
  fun replaceAll regex template = replaceAllWith regex (filled (parts (regex, template)))

  (* -- splitting *)

  fun fields regex part =
    let
      val (text, lo, n) = Substring.base part
      fun each (Found {start, stop, ...}, (at, pieces)) =
        (stop, between (text, at, start) :: pieces)
      val (at, pieces) = foldIn regex each (lo, []) part
    in
      rev (between (text, at, lo + n) :: pieces)
    end

  fun split regex text = List.map Substring.string (fields regex (Substring.full text))

  fun splitN regex n text =
    let
      val hi = size text
      fun piece (from, to) = String.substring (text, from, to - from)
      (* left: how many pieces may come. *)
      fun from (at, last, start, left, pieces) =
        if left = 1 orelse at > hi then rev (piece (start, hi) :: pieces)
        else
          case search regex (text, 0, hi, at, true) of
            NONE => rev (piece (start, hi) :: pieces)
          | SOME (Found {start = first, stop, ...}) =>
              if first = stop andalso stop = last then from (at + 1, ~1, start, left, pieces)
              else from (stop, stop, stop, left - 1, piece (start, first) :: pieces)
    in
      if n < 0 then raise Size else if n = 0 then [] else from (0, ~1, 0, n, [])
    end
end
