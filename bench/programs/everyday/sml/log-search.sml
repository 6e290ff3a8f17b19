(* A log is searched by regular expressions: the lines of errors and warnings, with their times. *)

structure Regexp = RegExpFn (structure P = AwkSyntax structure E = BackTrackEngine)

val problem =
  Regexp.compileString
    "(ERROR|WARN) ([a-z]+): from ([0-9]+)\\.([0-9]+)\\.[0-9]+\\.[0-9]+ took ([0-9]+) ms"
val slow = Regexp.compileString "took [1-9][0-9][0-9][0-9] ms"

fun group (line, m, i) =
  let
    val {pos, len} = MatchTree.nth (m, i)
  in
    String.substring (line, pos, len)
  end

fun getc line i = if i < size line then SOME (String.sub (line, i), i + 1) else NONE

fun loop (input, problems, spent, slows) =
  case TextIO.inputLine input of
    NONE => (problems, spent, slows)
  | SOME line =>
      let
        val slows = if isSome (Regexp.find slow (getc line) 0) then slows + 1 else slows
      in
        case Regexp.find problem (getc line) 0 of
          NONE => loop (input, problems, spent, slows)
        | SOME (m, _) =>
            loop (input, problems + 1, spent + valOf (Int.fromString (group (line, m, 5))), slows)
      end

val (problems, spent, slows) = loop (TextIO.openIn (hd (CommandLine.arguments ())), 0, 0, 0)
val () =
  print (concat [Int.toString problems,
                 " problems took ",
                 Int.toString spent,
                 " ms; ",
                 Int.toString slows,
                 " slow\n"])
