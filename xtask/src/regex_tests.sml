(* Regular expressions and texts, a pair on each line of standard input, and what the library finds.

   A line has four fields: whether matches are looked for in the whole text (F), or follow each other from its beginning (A);
   whether lines count (L) or groups (G); how many matches at most; expression and text as hexadecimal digits.
   The answer is a line, too: `no` if the expression cannot be read; else the matches, each with its groups. *)

functor Finder (E : REGEXP_ENGINE) =
struct
  structure R = RegExpFn (structure P = AwkSyntax structure E = E)

  (* As find_iter of the crate: an empty match where the last one ended is none. *)
  fun matches (follows, limit, expression, text) =
    let
      val regexp = R.compileString expression
      fun getc i = if i < size text then SOME (String.sub (text, i), i + 1) else NONE
      val look = if follows then R.prefix regexp getc else R.find regexp getc
      fun from (i, last, n) =
        if n = 0 orelse i > size text then []
        else
          case look i of
            NONE => []
          | SOME (m, stop) =>
              let
                val {pos, len} = MatchTree.root m
              in
                if len = 0 andalso pos = last then if follows then [] else from (i + 1, ~1, n)
                else m :: from (stop, stop, n - 1)
              end
    in
      from (0, ~1, limit)
    end
end

structure Lines = Finder (DfaEngine)
structure Groups = Finder (BackTrackEngine)

fun show m =
  String.concatWith ","
    (rev
       (MatchTree.foldl
          (fn ({pos, len}, l) => Int.toString pos ^ "-" ^ Int.toString (pos + len) :: l)
          []
          m))

fun text hex = Byte.bytesToString (valOf (Hex.decode hex))

fun answer line =
  case String.fields (fn c => c = #"\t") line of
    [way, limit, expression, text'] =>
      let
        val follows = String.sub (way, 0) = #"A"
        val matches = if String.sub (way, 1) = #"L" then Lines.matches else Groups.matches
        val found =
          SOME (matches (follows, valOf (Int.fromString limit), text expression, text text'))
          handle Lines.R.CannotParse => NONE
               | Groups.R.CannotParse => NONE
      in
        case found of
          NONE => "no"
        | SOME l => String.concatWith " " (map show l)
      end
  | _ => "wrong line"

fun loop () =
  case TextIO.inputLine TextIO.stdIn of
    NONE => ()
  | SOME line => (print (answer (String.substring (line, 0, size line - 1)) ^ "\n"); loop ())

val () = loop ()
