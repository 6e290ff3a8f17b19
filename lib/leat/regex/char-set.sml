(* RegexChars': sets of characters, as ranges of their numbers in ascending order, none of which touches the next; and
   the sets that Unicode names. *)

structure RegexChars' =
struct
  type set = (int * int) list

  val most = 0x10FFFF
  (* All of Unicode; the surrogates are no characters. *)
  val all = [(0, 0xD7FF), (0xE000, most)]
  val bytes = [(0, 255)]

  fun union ([], set) = set
    | union (set, []) = set
    | union (one as (a, b) :: rest, other as (c, d) :: rest') =
        if b + 1 < c then (a, b) :: union (rest, other)
        else if d + 1 < a then (c, d) :: union (one, rest')
        else if b > d then union ((Int.min (a, c), b) :: rest, rest')
        else union (rest, (Int.min (a, c), d) :: rest')

  (* Ranges in any order. *)
  fun ofRanges [] = []
    | ofRanges [range] = [range]
    | ofRanges ranges =
        let
          val half = length ranges div 2
        in
          union (ofRanges (List.take (ranges, half)), ofRanges (List.drop (ranges, half)))
        end

  fun intersect ([], _) = []
    | intersect (_, []) = []
    | intersect (one as (a, b) :: rest, other as (c, d) :: rest') =
        let
          val (from, to) = (Int.max (a, c), Int.min (b, d))
          val others = if b < d then intersect (rest, other) else intersect (one, rest')
        in
          if from <= to then (from, to) :: others else others
        end

  (* What `universe` has besides. *)
  fun complement universe set =
    let
      fun gaps (from, []) = [(from, most)]
        | gaps (from, (a, b) :: rest) =
            if from < a then (from, a - 1) :: gaps (b + 1, rest) else gaps (b + 1, rest)
    in
      intersect (universe, List.filter (fn (a, b) => a <= b) (gaps (0, set)))
    end

  fun member set c = List.exists (fn (a, b) => a <= c andalso c <= b) set

  fun ofString chars = ofRanges (List.map (fn c => (ord c, ord c)) (explode chars))

  (* -- sets of ASCII *)

  val digit = [(48, 57)]
  val upper = [(65, 90)]
  val lower = [(97, 122)]
  val alpha = upper @ lower
  val word = ofRanges (digit @ alpha @ [(95, 95)])
  val space = [(9, 13), (32, 32)]

  val posix =
    [("alnum", union (digit, alpha)),
     ("alpha", alpha),
     ("ascii", [(0, 127)]),
     ("blank", [(9, 9), (32, 32)]),
     ("cntrl", [(0, 31), (127, 127)]),
     ("digit", digit),
     ("graph", [(33, 126)]),
     ("lower", lower),
     ("print", [(32, 126)]),
     ("punct", [(33, 47), (58, 64), (91, 96), (123, 126)]),
     ("space", space),
     ("upper", upper),
     ("word", word),
     ("xdigit", [(48, 57), (65, 70), (97, 102)])]

  (* -- the tables *)

  (* The numbers of a table, one after the other: a function of how far it was read. *)
  fun numberAt table i =
    let
      fun digits (i, n) =
        let
          val c = String.sub (table, i)
        in
          if c >= #"a" then (n * 26 + ord c - 97, i + 1) else digits (i + 1, n * 26 + ord c - 65)
        end
    in
      digits (i, 0)
    end

  fun decoded table =
    let
      fun from (i, place) =
        if i = size table then []
        else
          let
            val (gap, i) = numberAt table i
            val (more, i) = numberAt table i
            val first = place + gap
          in
            (first, first + more) :: from (i, first + more + 1)
          end
    in
      from (0, 0)
    end

  fun ofTable name tables =
    Option.map (decoded o #2) (List.find (fn (other, _) => other = name) tables)

  fun property name = getOpt (ofTable name RegexTables'.properties, [])
  fun unicodeWord () = property "word"
  fun unicodeSpace () = property "whitespace"
  fun unicodeDigit () = getOpt (ofTable "nd" RegexTables'.categories, [])

  (* The categories whose names begin so. *)
  fun categories prefix =
    List.foldl
      (fn ((name, table), set) =>
        if String.isPrefix prefix name then union (decoded table, set) else set)
      []
      RegexTables'.categories

  val longNames =
    [("letter", "l"),
     ("mark", "m"),
     ("number", "n"),
     ("punctuation", "p"),
     ("symbol", "s"),
     ("separator", "z"),
     ("other", "c"),
     ("uppercaseletter", "lu"),
     ("lowercaseletter", "ll"),
     ("titlecaseletter", "lt"),
     ("casedletter", "lc"),
     ("modifierletter", "lm"),
     ("otherletter", "lo"),
     ("nonspacingmark", "mn"),
     ("spacingmark", "mc"),
     ("enclosingmark", "me"),
     ("decimalnumber", "nd"),
     ("letternumber", "nl"),
     ("othernumber", "no"),
     ("connectorpunctuation", "pc"),
     ("dashpunctuation", "pd"),
     ("openpunctuation", "ps"),
     ("closepunctuation", "pe"),
     ("initialpunctuation", "pi"),
     ("finalpunctuation", "pf"),
     ("otherpunctuation", "po"),
     ("mathsymbol", "sm"),
     ("currencysymbol", "sc"),
     ("modifiersymbol", "sk"),
     ("othersymbol", "so"),
     ("spaceseparator", "zs"),
     ("lineseparator", "zl"),
     ("paragraphseparator", "zp"),
     ("control", "cc"),
     ("format", "cf"),
     ("surrogate", "cs"),
     ("privateuse", "co"),
     ("unassigned", "cn")]

  fun category name =
    let
      val name =
        case List.find (fn (long, _) => long = name) longNames of
          SOME (_, short) => short
        | NONE => name
      fun unassigned () = complement all (categories "")
    in
      case name of
        "cn" => SOME (unassigned ())
      | "lc" => SOME (union (categories "lu", union (categories "ll", categories "lt")))
      | "cs" => SOME []
      | "c" => SOME (union (unassigned (), intersect (all, categories "c")))
      | _ =>
          if size name > 0 andalso size name <= 2 then
            case categories name of [] => NONE | set => SOME set
          else NONE
    end

  (* What `\p{NAME}` means; case, spaces, `_` and `-` in the name do not matter. *)
  fun named name =
    let
      val name =
        String.map
          Char.toLower
          (String.translate (fn c => if Char.contains " _-" c then "" else str c) name)
      fun script name = ofTable name RegexTables'.scripts
      fun first [] = NONE
        | first (f :: rest) = (case f name of NONE => first rest | found => found)
      fun special "any" = SOME all
        | special "ascii" = SOME [(0, 127)]
        | special "assigned" = Option.map (complement all) (category "cn")
        | special "word" = NONE
        | special name = ofTable name RegexTables'.properties
    in
      case String.fields (fn c => c = #"=") name of
        [_] => first [special, category, script]
      | [kind, name] =>
          if kind = "gc" orelse kind = "generalcategory" then category name
          else if kind = "sc" orelse kind = "script" then script name
          else NONE
      | _ => NONE
    end

  (* -- case *)

  (* With ASCII letters of the other case. *)
  fun foldBytes set =
    let
      fun moved (range, by) = List.map (fn (a, b) => (a + by, b + by)) (intersect (range, set))
    in
      union (set, union (moved (upper, 32), moved (lower, ~32)))
    end

  fun folds () =
    let
      val table = RegexTables'.folds
      fun from (i, place) =
        if i = size table then []
        else
          let
            val (gap, i) = numberAt table i
            val (more, i) = numberAt table i
            val (stride, i) = numberAt table i
            val (delta, i) = numberAt table i
            val first = place + gap
            val delta = if delta mod 2 = 0 then delta div 2 else ~ (delta div 2)
          in
            (first, first + more * stride, stride, delta) :: from (i, first)
          end
    in
      from (0, 0)
    end

  (* Adds to a set all characters that differ from one of it in case alone. The table is read once for the function. *)
  fun foldChars () =
    let
      val runs = folds ()
      fun next set =
        let
          val ranges = Vector.fromList set
          val n = Vector.length ranges
          (* the first range that does not end before c *)
          fun place (c, low, high) =
            if low = high then low
            else
              let
                val middle = (low + high) div 2
              in
                if #2 (Vector.sub (ranges, middle)) < c then place (c, middle + 1, high)
                else place (c, low, middle)
              end
          fun image ((a, b), (first, last, stride, delta)) =
            let
              val from = Int.max (a, first)
              val from = from + (first - from) mod stride
              val to = Int.min (b, last)
            in
              if from > to then []
              else if stride = 1 then [(from + delta, to + delta)]
              else
                List.tabulate ((to - from) div stride + 1,
                               fn i =>
                                 let val c = from + i * stride + delta in (c, c) end)
            end
          fun over (run as (first, last, _, _), found) =
            let
              fun go (k, found) =
                if k = n then found
                else
                  let
                    val range as (a, _) = Vector.sub (ranges, k)
                  in
                    if a > last then found else go (k + 1, image (range, run) @ found)
                  end
            in
              go (place (first, 0, n), found)
            end
        in
          ofRanges (List.foldl over [] runs)
        end
      fun closure (set, new) =
        let
          val more = union (set, next new)
        in
          if more = set then set else closure (more, more)
        end
    in
      fn set => closure (set, set)
    end
end
