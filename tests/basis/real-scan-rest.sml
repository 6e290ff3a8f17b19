(* Real.scan made its text of four lists, appended one to the other; now the characters are kept in one, last first. What is
   no part of the number must be left over, though it was read: a point or an exponent without digits, a sign. And the
   number is what `fromString` makes of the text. *)
fun show x = Real.fmt StringCvt.EXACT x
fun scan s = Real.scan Substring.getc (Substring.full s)
fun one s =
  let
    val found =
      case scan s of
        NONE => "none"
      | SOME (x, rest) => show x ^ " rest \"" ^ Substring.string rest ^ "\""
    val same =
      case (scan s, Real.fromString s) of
        (SOME (x, _), SOME y) => show x = show y
      | (NONE, NONE) => true
      | _ => false
  in
    print (s ^ ": " ^ found ^ (if same then "\n" else " BUT fromString differs\n"))
  end
val () =
  List.app one
    ["12", "12.5x", "12.x", "12.", ".5", "~.5e2", "-.e5", ".", "~", "+3.25 4", "~-3", "7e", "7e~", "7e-", "7e+2", "7E2z",
     "7.5e~2", "7.e2", "7.5ex", "7.5e~x", "0.0", "~0", "-0.0e5", "00012.500", "1e5e5", "1.2.3", "  9 ", "\t\n~1e1", "e5",
     "~e5", "inf", "~Infinity!", "infin", "nan", "-", "x", "", "   ", "9007199254740993", "1.7976931348623159e308",
     "4.9e~324", "123456789012345678901234567890.5e~10,"]
