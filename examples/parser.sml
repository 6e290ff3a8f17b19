(* A parser from small parsers: expressions with numbers, + - * /, brackets and names, and what they come to.
   A parser takes a text and gives what it has read and the rest, or nothing.
   Usage: leat run examples/parser.sml 'x * (2 + 3)' *)

infix 1 >>= <|>
infix 2 >> <<

type 'a parser = substring -> ('a * substring) option

fun return x : 'a parser = fn text => SOME (x, text)
fun (p : 'a parser) >>= f = fn text =>
  case p text of NONE => NONE | SOME (x, rest) => f x rest : ('b * substring) option
fun (p : 'a parser) <|> q = fn text => case p text of NONE => q text | found => found
fun p >> q = p >>= (fn _ => q)
fun p << q = p >>= (fn x => q >>= (fn _ => return x))
fun many p = (p >>= (fn x => many p >>= (fn xs => return (x :: xs)))) <|> return []

fun blanks text = SOME ((), Substring.dropl Char.isSpace text)
fun while1 is text =
  let
    val (found, rest) = Substring.splitl is text
  in
    if Substring.isEmpty found then NONE
    else SOME (Substring.string found, Substring.dropl Char.isSpace rest)
  end
fun symbol s text =
  if Substring.isPrefix s text then
    SOME (s, Substring.dropl Char.isSpace (Substring.triml (size s) text))
  else NONE

datatype exp = Number of int | Name of string | Op of string * exp * exp

val number = while1 Char.isDigit >>= (fn s => return (Number (valOf (Int.fromString s))))
val name = while1 Char.isAlpha >>= (fn s => return (Name s))

(* operators of one precedence, which group to the left *)
fun left operators operand =
  let
    val operator = List.foldl (fn (s, p) => p <|> symbol s) (fn _ => NONE) operators
    val next = operator >>= (fn s => operand >>= (fn e => return (s, e)))
  in
    operand >>= (fn first =>
      many next >>= (fn rest =>
        return (List.foldl (fn ((s, e), sum) => Op (s, sum, e)) first rest)))
  end

fun atom text = (number <|> name <|> (symbol "(" >> expression << symbol ")")) text
and expression text = left ["+", "-"] (left ["*", "/"] atom) text

exception Unbound of string
fun value _ (Number n) = n
  | value env (Name x) =
      (case List.find (fn (y, _) => x = y) env of SOME (_, n) => n | NONE => raise Unbound x)
  | value env (Op (s, a, b)) =
      (case s of "+" => op + | "-" => op - | "*" => op * | _ => op div) (value env a, value env b)

fun answer text =
  case (blanks >> expression) (Substring.full text) of
    SOME (e, rest) =>
      if Substring.isEmpty rest then Int.toString (value [("x", 7)] e)
      else "unexpected: " ^ Substring.string rest
  | NONE => "this is no expression"
fun show text =
  print (text
         ^ " = "
         ^ (answer text handle Div => "nothing: division by 0" | Unbound x => "? what is " ^ x)
         ^ "\n")

val () =
  app
    show
    (case CommandLine.arguments () of
       [] =>
         ["1 + 2 * 3", "(1 + 2) * 3", "10 - 3 - 2", "x * x / 2", "1 / (x - 7)", "1 + y", "2 +",
          "1 2"]
     | given => given)
