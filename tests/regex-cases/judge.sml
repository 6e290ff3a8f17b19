(* Cases from standard input, one a line: the flags' letters, the expression, the text, both in hexadecimal, and how many matches
   are of interest, with tabs between. For each a line: the matches, with a space between; for each the spans of the match and of
   its groups, with commas; or `error` with the place and the reason. *)

fun digit c = if Char.isDigit c then ord c - 48 else ord c - 87
fun unhex text =
  CharVector.tabulate
    (size text div 2,
     fn i => chr (16 * digit (String.sub (text, 2 * i)) + digit (String.sub (text, 2 * i + 1))))

fun flag #"i" = Regex.IGNORE_CASE
  | flag #"m" = Regex.LINES
  | flag #"s" = Regex.DOT_ALL
  | flag #"x" = Regex.EXTENDED
  | flag #"U" = Regex.SWAP_GREED
  | flag _ = Regex.UNICODE

fun span NONE = "-"
  | span (SOME part) =
      let
        val (_, start, n) = Substring.base part
      in
        Int.toString start ^ "-" ^ Int.toString (start + n)
      end

fun spans regex match =
  String.concatWith
    "," (List.tabulate (Regex.groupCount regex + 1, fn n => span (Regex.group match n)))

exception Enough
fun judge [flags, expression, text, limit] =
      (case Regex.tryCompile (List.map flag (explode flags)) (unhex expression) of
         Regex.ERROR {position, reason} =>
           concat ["error ", Int.toString position, " ", reason]
       | Regex.REGEX regex =>
           let
             val text = unhex text
             val limit = valOf (Int.fromString limit)
             val all = Regex.findAll regex text
             val whole = Regex.whole regex text
             val some = Regex.matches regex text
             val first = Regex.find regex text
             val same =
               some = not (null all) andalso isSome first = some
               andalso Regex.count regex text = length all
               andalso (not (isSome whole) orelse some)
               andalso
               String.concat (List.map Substring.string (Regex.fields regex (Substring.full text)))
               = Regex.replaceAll regex "" text
             val shown = if limit < length all then List.take (all, limit) else all
           in
             if same then String.concatWith " " (List.map (spans regex) shown)
             else "the functions of Regex contradict each other"
           end)
  | judge _ = "no case"

fun loop () =
  case TextIO.inputLine TextIO.stdIn of
    NONE => ()
  | SOME line =>
      (print (judge (String.fields (fn c => c = #"\t") (substring (line, 0, size line - 1))) ^ "\n");
       loop ())
val () = loop ()
