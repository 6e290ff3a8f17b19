(* What ml-ulex and ml-antlr generate, by hand and small: a scanner on ULexBuffer, a parser of nested lists
     list = "(" (NAME | list)* ")"
   that counts names in a refcell; and the repairs of wrong input. *)

structure Tok =
struct
  datatype token = LP | RP | NAME of string | LET | EOF
  fun toString LP = "(" | toString RP = ")" | toString (NAME s) = "name " ^ s | toString LET = "let" | toString EOF = "the end"
  val allToks = [LP, RP, NAME "", LET, EOF]
  fun isKW LET = true
    | isKW _ = false
  fun isEOF EOF = true
    | isEOF _ = false
end

structure Lex =
struct
  type strm = ULexBuffer.stream
  type pos = AntlrStreamPos.pos
  val getPos = ULexBuffer.getpos

  fun lex map s =
    let
      fun span (tok, rest) = (tok, (ULexBuffer.getpos s, ULexBuffer.getpos rest), rest)
      fun name r =
        case ULexBuffer.getu r of
          SOME (w, next) => if w > 0w127 orelse Char.isAlpha (UTF8.toAscii w) then name next else r
        | NONE => r
    in
      case ULexBuffer.getc s of
        NONE => span (Tok.EOF, s)
      | SOME (#"(", r) => span (Tok.LP, r)
      | SOME (#")", r) => span (Tok.RP, r)
      | SOME (#"\n", r) => (AntlrStreamPos.markNewLine map (ULexBuffer.getpos s); lex map r)
      | SOME (#" ", r) => lex map r
      | SOME _ =>
          let
            val r = name s
            val text = Substring.string (ULexBuffer.subtract (r, s))
          in
            span (if text = "let" then Tok.LET else Tok.NAME text, r)
          end
    end
end

structure Err = AntlrErrHandler (structure Tok = Tok structure Lex = Lex)
structure EBNF = AntlrEBNF (struct type strm = Err.wstream val getSpan = Err.getSpan end)

(* Text in pieces of three bytes. *)
fun pieces text =
  let
    val at = ref 0
  in
    fn () =>
      let val n = Int.min (3, size text - !at)
      in String.substring (text, !at, n) before at := !at + n end
  end

fun parse text =
  let
    val map = AntlrStreamPos.mkSourcemap' "input"
    val names = ref 0
    val (eh, lex) = Err.mkErrHandler {get = fn () => !names, put = fn n => names := n}
    fun starts s = case lex s of (Tok.LP, _, _) => true | (Tok.NAME _, _, _) => true | _ => false
    fun item s =
      case lex s of
        (Tok.NAME x, span, s) => (names := !names + 1; (x, span, s))
      | _ => list s
    and list s =
      case lex s of
        (Tok.LP, (left, _), s) =>
          let
            val (xs, _, s) = EBNF.closure (starts, item, s)
          in
            case lex s of
              (Tok.RP, (_, right), s) => ("(" ^ String.concatWith " " xs ^ ")", (left, right), s)
            | _ => Err.failure eh
          end
      | _ => Err.failure eh
    val (result, _, repairs) = Err.launch (eh, Lex.lex map, list, true) (ULexBuffer.mkStream (0, pieces text))
  in
    print (String.toString text ^ ": " ^ getOpt (result, "nothing") ^ ", " ^ Int.toString (!names) ^ " names\n");
    app (fn r => print ("  " ^ AntlrRepair.repairToString Tok.toString map r ^ "\n")) repairs;
    check (fn () => Err.whileDisabled eh (fn () => (ignore (Err.failure eh : int); "no")) handle Err.ParseError => "disabled")
  end
and check f = if f () = "disabled" then () else print "wrong\n"

val () =
  app parse
    ["()", "(a b (c\195\169d))", "(a (b c)\n d)", "(a (b c d", "(a b))", "(a let b c)", "a b c)", "(a\n (b let\n c) let d)", ") ) (a b c)", "", "let"]

val positions = AntlrStreamPos.mkSourcemap ()
val () = app (AntlrStreamPos.markNewLine positions) [5, 9, 9, 7, 20]
val () = print (String.concatWith " " (map (AntlrStreamPos.toString positions) [0, 4, 6, 10, 30]) ^ "\n")
val () = AntlrStreamPos.resynch positions (40, {fileName = SOME "other", lineNo = 100, colNo = 1})
val () = print (AntlrStreamPos.spanToString positions (30, 45) ^ " " ^ AntlrStreamPos.toString positions 42 ^ "\n")
