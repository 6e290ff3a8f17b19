(* AwkSyntax: regular expressions as AWK writes them (Aho, Kernighan and Weinberger), with POSIX's intervals:

     c  \c  \b \f \n \r \t  \ddd (octal)  \xdd  .  [abc-z]  [^abc-z]  ^  $  AB  A|B  A?  A*  A+  A{n}  A{n,}  A{n,m}  (A)

   . is any character but a newline and the one of code 0. In brackets a ] or - that comes first is itself.
   Also, as other languages write them:

     \d a digit  \w a letter, a digit or _  \s white space  \D \W \S any other character  (?:A) A, which is no group

   \d and the others stand in brackets, too. *)

structure AwkSyntax : REGEXP_PARSER =
struct
  structure R = RegExpSyntax

  exception Wrong

  fun scan getc s =
    let
      fun get s = case getc s of SOME found => found | NONE => raise Wrong

      (* As many digits as there are, up to a number of them. *)
      fun digits (isDigit, most) s =
        let
          fun more (0, s, acc) = (implode (rev acc), s)
            | more (n, s, acc) =
                (case getc s of
                   SOME (c, s') =>
                     if isDigit c then more (n - 1, s', c :: acc) else (implode (rev acc), s)
                 | NONE => (implode (rev acc), s))
        in
          more (most, s, [])
        end
      fun number radix text =
        (case StringCvt.scanString (Int.scan radix) text of SOME n => n | NONE => raise Wrong)
        handle Overflow => raise Wrong
      fun code (radix, text) =
        let val n = number radix text in if n <= Char.maxOrd then Char.chr n else raise Wrong end
      fun isOctal c = #"0" <= c andalso c <= #"7"

      (* Behind a backslash. *)
      fun escape s =
        case get s of
          (#"b", s) => (#"\b", s)
        | (#"f", s) => (#"\f", s)
        | (#"n", s) => (#"\n", s)
        | (#"r", s) => (#"\r", s)
        | (#"t", s) => (#"\t", s)
        | (#"x", s) =>
            let val (text, s) = digits (Char.isHexDigit, 2) s in (code (StringCvt.HEX, text), s) end
        | (c, s') =>
            if isOctal c then
              let val (text, s) = digits (isOctal, 3) s in (code (StringCvt.OCT, text), s) end
            else (c, s')

      fun one s = case get s of (#"\\", s) => escape s | found => found

      (* Behind a backslash: a letter that stands for a set. *)
      fun named s =
        let
          fun other chars = R.CharSet.difference (R.allChars, chars)
        in
          case get s of
            (#"d", s) => SOME (R.digit, s)
          | (#"w", s) => SOME (R.word, s)
          | (#"s", s) => SOME (R.space, s)
          | (#"D", s) => SOME (other R.digit, s)
          | (#"W", s) => SOME (other R.word, s)
          | (#"S", s) => SOME (other R.space, s)
          | _ => NONE
        end
      fun namedOne s = case get s of (#"\\", s) => named s | _ => NONE

      (* The inside of brackets; a character that a range may begin with waits. *)
      fun set s =
        let
          fun items (set, s) =
            (case get s of
               (#"]", s) => (set, s)
             | _ =>
                 (case namedOne s of
                    SOME (chars, s) => items (R.CharSet.union (set, chars), s)
                  | NONE => let val (c, s) = one s in waiting (set, c, s) end))
          and waiting (set, c, s) =
            (case get s of
               (#"]", s) => (R.CharSet.add (set, c), s)
             | (#"-", s) =>
                 (case get s of
                    (#"]", s) => (R.CharSet.addList (set, [c, #"-"]), s)
                  | _ =>
                      (* A range ends with a character. *)
                      if isSome (namedOne s) then raise Wrong
                      else let val (d, s) = one s in items (R.addRange (set, c, d), s) end)
             | _ => items (R.CharSet.add (set, c), s))
        in
          case get s of
            (#"-", s) => items (R.CharSet.singleton #"-", s)
          | (#"]", s) => waiting (R.CharSet.empty, #"]", s)
          | _ => items (R.CharSet.empty, s)
        end
      fun brackets s =
        case get s of
          (#"^", s) => let val (chars, s) = set s in (R.NonmatchSet chars, s) end
        | _ => let val (chars, s) = set s in (R.MatchSet chars, s) end

      fun decimal s =
        let val (text, s) = digits (Char.isDigit, 9) s in (number StringCvt.DEC text, s) end
      fun interval (re, s) =
        let
          val (n, s) = decimal s
          val (m, s) =
            case get s of
              (#",", s) =>
                (case get s of
                   (#"}", _) => (NONE, s)
                 | _ => let val (m, s) = decimal s in (SOME m, s) end)
            | _ => (SOME n, s)
        in
          case get s of (#"}", s) => (R.Interval (re, n, m), s) | _ => raise Wrong
        end

      fun postfix (re, s) =
        case getc s of
          SOME (#"?", s) => postfix (R.optional re, s)
        | SOME (#"*", s) => postfix (R.closure re, s)
        | SOME (#"+", s) => postfix (R.posClosure re, s)
        | SOME (#"{", s) => postfix (interval (re, s))
        | _ => (re, s)

      fun alternatives s =
        let
          fun more (acc, s) =
            case getc s of
              SOME (#"|", s) => let val (re, s) = sequence s in more (re :: acc, s) end
            | _ => (case acc of [re] => re | _ => R.Alt (rev acc), s)
          val (re, s) = sequence s
        in
          more ([re], s)
        end
      and sequence s =
        let
          fun ended ([re], s) = (re, s)
            | ended (acc, s) = (R.Concat (rev acc), s)
          fun more (acc, s) =
            case getc s of
              NONE => if null acc then raise Wrong else ended (acc, s)
            | SOME (#"|", _) => ended (acc, s)
            | SOME (#")", _) => ended (acc, s)
            | SOME (c, s) =>
                let
                  val atom =
                    case c of
                      #"(" =>
                        let
                          val (isGroup, s) =
                            case get s of
                              (#"?", s) =>
                                (case get s of (#":", s) => (false, s) | _ => raise Wrong)
                            | _ => (true, s)
                          val (re, s) = alternatives s
                        in
                          case get s of
                            (#")", s) => (if isGroup then R.Group re else re, s)
                          | _ => raise Wrong
                        end
                    | #"[" => brackets s
                    | #"." => (R.NonmatchSet (R.CharSet.fromList [#"\000", #"\n"]), s)
                    | #"^" => (R.Begin, s)
                    | #"$" => (R.End, s)
                    | #"\\" =>
                        (case named s of
                           SOME (chars, s) => (R.MatchSet chars, s)
                         | NONE => let val (c, s) = escape s in (R.Char c, s) end)
                    | _ => if Char.contains "?*+]" c then raise Wrong else (R.Char c, s)
                  val (re, s) = postfix atom
                in
                  more (re :: acc, s)
                end
        in
          more ([], s)
        end
    in
      SOME (alternatives s) handle Wrong => NONE
    end
end
