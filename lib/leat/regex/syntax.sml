(* RegexSyntax': the text of an expression -> its tree.

   Flags are known while the text is read, so the tree has none: case, lines, dots and Unicode are already sets of bytes
   or of characters, and kinds of looks. *)

structure RegexSyntax' =
struct
  structure C = RegexChars'

  exception Syntax of {position : int, reason : string}

  datatype look =
      TextBegin
    | TextEnd
    | LineBegin
    | LineEnd
    | Word
    | NotWord
    | UnicodeWord
    | NotUnicodeWord

  datatype node =
      Empty
    (* One byte, or one character in UTF-8, of a set. *)
    | Byte of C.set
    | Character of C.set
    | Look of look
    | Group of int * node
    | Concat of node list
    | Alternatives of node list
    | Repeat of {node : node, least : int, most : int option, greedy : bool, position : int}

  type flags =
    {fold : bool, lines : bool, dot : bool, extended : bool, swap : bool, unicode : bool}

  val noFlags : flags =
    {fold = false, lines = false, dot = false, extended = false, swap = false, unicode = false}

  fun setFlag (c, on) {fold, lines, dot, extended, swap, unicode} : flags =
    {fold = if c = #"i" then on else fold,
     lines = if c = #"m" then on else lines,
     dot = if c = #"s" then on else dot,
     extended = if c = #"x" then on else extended,
     swap = if c = #"U" then on else swap,
     unicode = if c = #"u" then on else unicode}

  (* So often may an expression be repeated, and so deep may groups be nested. *)
  val mostRepeats = 1000
  val mostNested = 500

  val special = "\\.+*?()|[]{}^$#&-~"

  fun isNameChar c = Char.isAlphaNum c orelse c = #"_"

  (* The tree, the number of groups, their names and numbers, and whether Unicode was on anywhere. *)
  fun parse (flags : flags, text) =
    let
      val n = size text
      fun wrong (position, reason) = raise Syntax {position = position, reason = reason}

      val count = ref 0
      val names = ref []
      val unicode = ref (#unicode flags)

      fun at i = if i < n then String.sub (text, i) else #"\000"
      fun is (i, c) = i < n andalso String.sub (text, i) = c
      fun has (i, s) =
        i + size s <= n andalso Substring.isPrefix s (Substring.substring (text, i, n - i))

      (* With the flag u, a character and where the next one is; else a byte. *)
      fun character (flags : flags, i) =
        let
          val b = ord (at i)
          fun tail (code, least, from, to) =
            if from = to then
              if code < least orelse code > C.most orelse (code >= 0xD800 andalso code < 0xE000)
              then
                invalid ()
              else (code, to)
            else if from < n andalso ord (at from) div 64 = 2 then
              tail (code * 64 + ord (at from) mod 64, least, from + 1, to)
            else invalid ()
          and invalid () = wrong (i, "with the flag u the expression has to be UTF-8")
        in
          if not (#unicode flags) orelse b < 0x80 then (b, i + 1)
          else if b < 0xC0 then invalid ()
          else if b < 0xE0 then tail (b mod 32, 0x80, i + 1, i + 2)
          else if b < 0xF0 then tail (b mod 16, 0x800, i + 1, i + 3)
          else if b < 0xF8 then tail (b mod 8, 0x10000, i + 1, i + 4)
          else invalid ()
        end

      fun universe (flags : flags) = if #unicode flags then C.all else C.bytes

      val fold = ref NONE
      fun foldChars set =
        case !fold of
          SOME f => f set
        | NONE => let val f = C.foldChars () in (fold := SOME f; f set) end

      fun folded (flags : flags) set =
        if not (#fold flags) then set
        else if #unicode flags then foldChars set
        else C.foldBytes set

      val ranges = ref 0
      val mostRanges = 1000000

      fun one (flags : flags, set) =
        if not (#unicode flags) orelse List.all (fn (_, b) => b < 0x80) set then Byte set
        else
          (* An expression of so many is too large when it is compiled; that takes longer. *)
          (ranges := !ranges + List.length set;
           if !ranges > mostRanges then wrong (0, "the expression is too large") else Character set)

      fun literal (flags, c) = one (flags, folded flags [(c, c)])

      (* -- numbers *)

      fun hex c =
        if Char.isDigit c then SOME (ord c - 48)
        else if c >= #"a" andalso c <= #"f" then SOME (ord c - 87)
        else if c >= #"A" andalso c <= #"F" then SOME (ord c - 55)
        else NONE

      (* A character's number in hexadecimal: `digits` of them at i, or any number in braces. *)
      fun coded (flags : flags, start, i, digits) =
        let
          fun checked (code, next) =
            if code > C.most orelse (code >= 0xD800 andalso code < 0xE000) then
              wrong (start, "Unicode has no character of this number")
            else if #unicode flags
                    orelse code < 0x80
                    orelse (code < 0x100 andalso at (start + 1) = #"x")
            then (code, next)
            else wrong (start, "a character beyond ASCII needs the flag u")
          fun exactly (0, i, code) = checked (code, i)
            | exactly (k, i, code) =
                (case hex (at i) of
                   SOME d => exactly (k - 1, i + 1, code * 16 + d)
                 | NONE =>
                     wrong
                       (start, "here " ^ Int.toString digits ^ " hexadecimal digits are expected"))
          fun braced (i, code) =
            if is (i, #"}") then checked (code, i + 1)
            else
              case hex (at i) of
                SOME d => braced (i + 1, Int.min (code * 16 + d, C.most + 1))
              | NONE => wrong (start, "in the braces hexadecimal digits are expected")
        in
          if is (i, #"{") then
            if is (i + 1, #"}") then wrong (start, "in the braces hexadecimal digits are expected")
            else braced (i + 1, 0)
          else exactly (digits, i, 0)
        end

      (* -- escapes *)

      (* Unicode's sets that stand in the expression, by their names: they are read from tables, and an expression of
         many would take long. *)
      val known = ref []
      fun remembered (key : char * string * bool) make =
        case List.find (fn (other, _) => other = key) (!known) of
          SOME (_, set) => set
        | NONE => let val set = make () in (known := (key, set) :: !known; set) end

      (* `\d`, `\pL` and their like: a set and what follows. *)
      fun classEscape (flags : flags, i) =
        let
          fun perl (set, unicodeSet, negative) =
            let
              fun made set = if negative then C.complement (universe flags) set else set
            in
              SOME (if #unicode flags then
                      remembered (at (i + 1), "", false) (fn () => made (unicodeSet ()))
                    else made set,
                    i + 2)
            end
          fun property negative =
            let
              val () =
                if #unicode flags then ()
                else wrong (i, "\\p and \\P need the flag u")
              fun closing j =
                if j >= n then wrong (i, "the name of a property ends with }")
                else if is (j, #"}") then j
                else closing (j + 1)
              val (name, negative, next) =
                if is (i + 2, #"{") then
                  let
                    val stop = closing (i + 3)
                    val negated = is (i + 3, #"^")
                    val from = if negated then i + 4 else i + 3
                  in
                    (String.substring (text, from, stop - from), negative <> negated, stop + 1)
                  end
                else if i + 2 < n then (str (at (i + 2)), negative, i + 3)
                else wrong (i, "here the name of a property is expected: \\p{Greek}")
              fun make () =
                case C.named name of
                  SOME set =>
                    let
                      val set = folded flags (C.intersect (C.all, set))
                    in
                      if negative then C.complement C.all set else set
                    end
                | NONE =>
                    wrong (i, "Unicode has no category, script or property `" ^ name ^ "` here")
            in
              SOME (remembered (if negative then #"P" else #"p", name, #fold flags) make, next)
            end
        in
          case at (i + 1) of
            #"d" => perl (C.digit, C.unicodeDigit, false)
          | #"D" => perl (C.digit, C.unicodeDigit, true)
          | #"w" => perl (C.word, C.unicodeWord, false)
          | #"W" => perl (C.word, C.unicodeWord, true)
          | #"s" => perl (C.space, C.unicodeSpace, false)
          | #"S" => perl (C.space, C.unicodeSpace, true)
          | #"p" => property false
          | #"P" => property true
          | _ => NONE
        end

      (* An escape that is a character: its number and what follows. *)
      fun charEscape (flags, i) =
        if i + 1 >= n then wrong (i, "a backslash at the end; \\\\ is a backslash itself")
        else
          case at (i + 1) of
            #"n" => (10, i + 2)
          | #"t" => (9, i + 2)
          | #"r" => (13, i + 2)
          | #"f" => (12, i + 2)
          | #"v" => (11, i + 2)
          | #"a" => (7, i + 2)
          | #"x" => coded (flags, i, i + 2, 2)
          | #"u" => coded (flags, i, i + 2, 4)
          | #"U" => coded (flags, i, i + 2, 8)
          | c =>
              if c = #"<" orelse c = #">" then
                wrong (i,
                       "there is no such escape: \\b is where a word begins or ends, and `"
                       ^ str c
                       ^ "` needs none")
              else if Char.isPunct c orelse c = #" " then (ord c, i + 2)
              else if c = #"0" then wrong (i, "the character 0 is \\x00")
              else if Char.isDigit c then
                wrong (i, "there are no back references: the time would not be linear")
              else if c = #"Z" then wrong (i, "there is no \\Z: the end of the text is \\z")
              else if Char.isPrint c then wrong (i, "there is no escape \\" ^ str c)
              else wrong (i, "there is no such escape")

      (* -- classes *)

      (* From a bracket on. *)
      fun class (flags : flags, start) =
        let
          fun blank i =
            if #extended flags andalso i < n andalso Char.isSpace (at i) then blank (i + 1) else i
          val i = start + 1
          val negative = is (i, #"^")
          val i = if negative then i + 1 else i

          (* `[:alpha:]` at i. *)
          fun posix i =
            let
              fun stop j =
                if has (j, ":]") then SOME j
                else if j < n andalso (Char.isAlpha (at j) orelse at j = #"^") then stop (j + 1)
                else NONE
            in
              if not (has (i, "[:")) then NONE
              else
                case stop (i + 2) of
                  NONE => NONE
                | SOME j =>
                    let
                      val negated = is (i + 2, #"^")
                      val from = if negated then i + 3 else i + 2
                      val name = String.substring (text, from, j - from)
                    in
                      case List.find (fn (other, _) => other = name) C.posix of
                        SOME (_, set) =>
                          SOME (if negated then C.complement (universe flags) set else set, j + 2)
                      | NONE => wrong (i, "there is no class [:" ^ name ^ ":]")
                    end
            end

          fun char i =
            if is (i, #"\\") then
              if is (i + 1, #"b")
                 orelse is (i + 1, #"B")
                 orelse is (i + 1, #"A")
                 orelse is (i + 1, #"z")
              then
                wrong
                  (i, "\\" ^ str (at (i + 1)) ^ " stands for no character, so it is in no class")
              else charEscape (flags, i)
            else character (flags, i)

          (* A set that stands in the class twice, `[\d\d]`, is taken once. *)
          val texts = ref []
          fun isNew (from, to) =
            let
              val word = String.substring (text, from, to - from)
            in
              not (List.exists (fn other => other = word) (!texts))
              andalso (texts := word :: !texts; true)
            end
          fun added (from, to, set, ranges) = if isNew (from, to) then set @ ranges else ranges

          fun items (i, first, ranges) =
            let
              val i = blank i
            in
              if i >= n then wrong (start, "a class that no ] closes")
              else if is (i, #"]") andalso not first then (ranges, i + 1)
              else
                case posix i of
                  SOME (set, next) => items (next, false, added (i, next, set, ranges))
                | NONE =>
                    case if is (i, #"\\") then classEscape (flags, i) else NONE of
                      SOME (set, next) =>
                        if is (next, #"-") andalso next + 1 < n andalso not (is (next + 1, #"]"))
                        then
                          wrong (i, "a range does not begin with a class; \\- is a minus sign")
                        else items (next, false, added (i, next, set, ranges))
                    | NONE =>
                        let
                          val (from, next) = char i
                          val next = blank next
                          val after = blank (next + 1)
                        in
                          if is (next, #"-") andalso after < n andalso not (is (after, #"]")) then
                            let
                              val () =
                                if has (after, "[:")
                                   orelse (is (after, #"\\")
                                           andalso isSome (classEscape (flags, after)))
                                then
                                  wrong
                                    (i, "a range does not end with a class; \\- is a minus sign")
                                else ()
                              val (to, next) = char after
                            in
                              if to < from then
                                wrong (i, "a range whose end is before its beginning")
                              else items (next, false, (from, to) :: ranges)
                            end
                          else items (next, false, (from, from) :: ranges)
                        end
            end
          val (ranges, next) = items (i, true, [])
          val set = folded flags (C.intersect (universe flags, C.ofRanges ranges))
          val set = if negative then C.complement (universe flags) set else set
        in
          (one (flags, set), next)
        end

      (* -- repetition *)

      (* `{n}`, `{n,}`, `{n,m}` at i, or NONE. *)
      fun interval i =
        let
          fun number j =
            let
              fun digits (j, k) =
                if j < n andalso Char.isDigit (at j) then
                  digits (j + 1, Int.min (k * 10 + ord (at j) - 48, 1000000))
                else (k, j)
            in
              if j < n andalso Char.isDigit (at j) then SOME (digits (j, 0)) else NONE
            end
          fun limited (least, most, next) =
            if least > mostRepeats orelse getOpt (most, 0) > mostRepeats then
              wrong (i, "a count is at most " ^ Int.toString mostRepeats)
            else if isSome most andalso valOf most < least then
              wrong (i, "the most is less than the least")
            else SOME (least, most, next)
        in
          case number (i + 1) of
            NONE =>
              if is (i + 1, #",") andalso Char.isDigit (at (i + 2)) then
                wrong (i, "the least count is missing; from none on it is 0")
              else NONE
          | SOME (least, j) =>
              if is (j, #"}") then limited (least, SOME least, j + 1)
              else if has (j, ",}") then limited (least, NONE, j + 2)
              else if is (j, #",") then
                case number (j + 1) of
                  SOME (most, j) => if is (j, #"}") then limited (least, SOME most, j + 1) else NONE
                | NONE => NONE
              else NONE
        end

      fun operator i =
        case at i of
          #"*" => SOME (0, NONE, i + 1)
        | #"+" => SOME (1, NONE, i + 1)
        | #"?" => SOME (0, SOME 1, i + 1)
        | #"{" => interval i
        | _ => NONE

      fun blanks (flags : flags, i) =
        if not (#extended flags) orelse i >= n then i
        else if Char.isSpace (at i) then blanks (flags, i + 1)
        else if at i = #"#" then
          let
            fun lineEnd i = if i >= n orelse at i = #"\n" then i else lineEnd (i + 1)
          in
            blanks (flags, lineEnd i)
          end
        else i

      fun repeated (flags : flags, node, i) =
        let
          val i = blanks (flags, i)
        in
          case operator i of
            NONE => (node, i)
          | SOME (least, most, next) =>
              let
                val lazy = is (next, #"?")
                val next = if lazy then next + 1 else next
                val next' = blanks (flags, next)
              in
                if is (next', #"+") andalso not lazy then
                  wrong (i,
                         "possessive repetition does not exist; a repetition of a repetition needs a group")
                else if isSome (operator next') then
                  wrong (next', "a repetition of a repetition needs a group: (?:a*)*")
                else
                  (Repeat {node = node,
                           least = least,
                           most = most,
                           greedy = lazy = #swap flags,
                           position = i},
                   next)
              end
        end

      (* -- the whole *)

      (* The alternatives up to a closing parenthesis or the end; flags may change on the way. *)
      fun alternatives (flags, i, depth) =
        let
          fun concat [one] = one
            | concat [] = Empty
            | concat nodes = Concat (rev nodes)
          fun finished ([], nodes) = concat nodes
            | finished (branches, nodes) = Alternatives (rev (concat nodes :: branches))
          fun more (flags : flags, i, branches, nodes) =
            let
              val i = blanks (flags, i)
            in
              if i >= n orelse at i = #")" then (finished (branches, nodes), i)
              else if at i = #"|" then more (flags, i + 1, concat nodes :: branches, [])
              else
                case flagGroup (flags, i) of
                  SOME (flags, next) =>
                    let
                      val next' = blanks (flags, next)
                    in
                      if isSome (operator next') then
                        wrong (next', "there is nothing to repeat here")
                      else more (flags, next, branches, nodes)
                    end
                | NONE =>
                    let
                      val (node, next) = atom (flags, i, depth)
                      val (node, next) = repeated (flags, node, next)
                    in
                      more (flags, next, branches, node :: nodes)
                    end
            end
        in
          more (flags, i, [], [])
        end

      (* `imsxUu-` from i on: the flags, and where they end. *)
      and flagLetters (flags, start, i) =
        let
          fun letters (flags, on, i, any) =
            let
              val c = at i
            in
              if i < n andalso Char.contains "imsxUu" c then
                (if c = #"u" andalso on then unicode := true else ();
                 letters (setFlag (c, on) flags, on, i + 1, true))
              else if i < n andalso c = #"-" andalso on then letters (flags, false, i + 1, false)
              else if not any then
                wrong
                  (start, "behind (? a group's kind is expected: (?:A), (?<name>A), (?i), (?i:A)")
              else (flags, i)
            end
        in
          letters (flags, true, i, false)
        end

      (* `(?i)`. *)
      and flagGroup (flags, i) =
        if has (i, "(?") andalso i + 2 < n andalso Char.contains "imsxUu-" (at (i + 2)) then
          let
            val (flags, next) = flagLetters (flags, i, i + 2)
          in
            if is (next, #")") then SOME (flags, next + 1) else NONE
          end
        else NONE

      and atom (flags : flags, i, depth) =
        case at i of
          #"(" => group (flags, i, depth)
        | #"[" => class (flags, i)
        | #"." =>
            let
              val all = universe flags
            in
              (one (flags, if #dot flags then all else C.complement all [(10, 10)]), i + 1)
            end
        | #"^" => (Look (if #lines flags then LineBegin else TextBegin), i + 1)
        | #"$" => (Look (if #lines flags then LineEnd else TextEnd), i + 1)
        | #"\\" =>
            let
              fun boundary look =
                if is (i + 2, #"{") andalso not (isSome (interval (i + 2))) then
                  wrong (i, "there is \\b and \\B alone")
                else (Look look, i + 2)
            in
              case if i + 1 < n then at (i + 1) else #"\\" of
                #"b" => boundary (if #unicode flags then UnicodeWord else Word)
              | #"B" => boundary (if #unicode flags then NotUnicodeWord else NotWord)
              | #"A" => (Look TextBegin, i + 2)
              | #"z" => (Look TextEnd, i + 2)
              | _ =>
                  case classEscape (flags, i) of
                    SOME (set, next) => (one (flags, set), next)
                  | NONE =>
                      let
                        val (c, next) = charEscape (flags, i)
                      in
                        (literal (flags, c), next)
                      end
            end
        | _ =>
            if isSome (operator i) then wrong (i, "there is nothing to repeat here")
            else
              let
                val (c, next) = character (flags, i)
              in
                (literal (flags, c), next)
              end

      and group (flags, i, depth) =
        let
          val () = if depth >= mostNested then wrong (i, "groups are nested too deep") else ()
          fun inner (flags, from) =
            let
              val (node, next) = alternatives (flags, from, depth + 1)
            in
              if next >= n then wrong (i, "a group that no ) closes") else (node, next + 1)
            end
          fun capture from =
            let
              val () = count := !count + 1
              val number = !count
              val (node, next) = inner (flags, from)
            in
              (Group (number, node), next)
            end
          fun named from =
            let
              fun stop j = if j < n andalso isNameChar (at j) then stop (j + 1) else j
              val j = stop from
              val name = String.substring (text, from, j - from)
            in
              if not (is (j, #">")) orelse j = from orelse Char.isDigit (at from) then
                wrong (from,
                       "a group's name has letters, digits and _, begins with no digit and ends with >")
              else if List.exists (fn (other, _) => other = name) (!names) then
                wrong (from, "two groups have the name " ^ name)
              else (names := (name, !count + 1) :: !names; capture (j + 1))
            end
        in
          if not (is (i + 1, #"?")) then capture (i + 1)
          else if has (i, "(?P<") then named (i + 4)
          else if has (i, "(?=") orelse has (i, "(?!") orelse has (i, "(?<=") orelse has (i, "(?<!")
          then
            wrong (i, "there is no look-ahead or look-behind: the time would not be linear")
          else if has (i, "(?P=") then
            wrong (i, "there are no back references: the time would not be linear")
          else if has (i, "(?>") then wrong (i, "there are no atomic groups")
          else if has (i, "(?#") then
            wrong (i, "comments are with the flag x alone, from # to the line's end")
          else if has (i, "(?<") then named (i + 3)
          else
            let
              val (flags, next) =
                if has (i, "(?:") then (flags, i + 2) else flagLetters (flags, i, i + 2)
            in
              if is (next, #":") then inner (flags, next + 1)
              else
                wrong (i, "behind (? a group's kind is expected: (?:A), (?<name>A), (?i), (?i:A)")
            end
        end

      val (node, next) = alternatives (flags, 0, 0)
    in
      if next < n then wrong (next, "a ) that no ( opens")
      else {node = node, groups = !count, names = rev (!names), unicode = !unicode}
    end

  (* -- what is known of a tree *)

  fun nullable node =
    case node of
      Empty => true
    | Byte _ => false
    | Character _ => false
    | Look _ => true
    | Group (_, node) => nullable node
    | Concat nodes => List.all nullable nodes
    | Alternatives nodes => List.exists nullable nodes
    | Repeat {node, least, ...} => least = 0 orelse nullable node

  (* How many bytes each match has, if all have as many. *)
  fun fixed node =
    case node of
      Empty => SOME 0
    | Byte _ => SOME 1
    | Character set =>
        let
          fun bytes c =
            if c < 0x80 then 1 else if c < 0x800 then 2 else if c < 0x10000 then 3 else 4
        in
          case set of
            [] => NONE
          | (first, _) :: _ =>
              let
                val (_, last) = List.last set
              in
                if bytes first = bytes last then SOME (bytes first) else NONE
              end
        end
    | Look _ => SOME 0
    | Group (_, node) => fixed node
    | Concat nodes =>
        List.foldl
          (fn (node, SOME n) => Option.map (fn m => Int.min (n + m, 1000000)) (fixed node)
            | (_, NONE) => NONE)
          (SOME 0)
          nodes
    | Alternatives [] => NONE
    | Alternatives (first :: rest) =>
        let
          val n = fixed first
        in
          if List.all (fn node => fixed node = n) rest then n else NONE
        end
    | Repeat {node, least, most, ...} =>
        if most = SOME least then Option.map (fn n => Int.min (n * least, 1000000)) (fixed node)
        else NONE
end
