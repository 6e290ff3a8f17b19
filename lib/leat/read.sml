(* Read: values of whole texts.

   `Int.fromString` and its like take what a text begins with: 1 of "1O", 5 of "5x". These take a text that is nothing
   else, without space before and behind, and give NONE of any other. *)

signature READ =
sig
  val int : string -> int option
  (* SOME 12 of "12", SOME ~3 of "-3" and "~3"; NONE of what is too large for an `int`. *)
  val intInf : string -> IntInf.int option
  (* The same of any size. *)
  val real : string -> real option
  (* SOME 1.5 of "1.5", and of "15e-1"; NONE of what is no finite number. *)
  val whole :
    ((char, substring) StringCvt.reader -> ('a, substring) StringCvt.reader) -> string -> 'a option
  (* The same for what has a function `scan`: `whole (Word.scan StringCvt.HEX)`, `whole Date.scan`. *)
end

structure Read :> READ =
struct
  fun whole scan text =
    if text <> "" andalso Char.isSpace (String.sub (text, 0)) then NONE
    else
      case scan Substring.getc (Substring.full text) of
        SOME (x, rest) => if Substring.isEmpty rest then SOME x else NONE
      | NONE => NONE

  fun int text = whole (Int.scan StringCvt.DEC) text handle Overflow => NONE
  val intInf = whole (IntInf.scan StringCvt.DEC)
  fun real text = Option.mapPartial (Option.filter Real.isFinite) (whole Real.scan text)
end
