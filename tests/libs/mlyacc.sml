(* The LR parser with a table that was made by hand, in the form in which ML-Yacc makes them:
     E -> E + T | T     T -> NUM | ( E )
   Sums are computed; wrong input shows which correction is taken. *)

structure Data =
struct
  structure Token = LrParser.Token
  structure LrTable = Token.LrTable
  open LrTable

  datatype svalue = VOID | VALUE of int
  type pos = int
  type arg = int
  type result = int

  fun pairs [] = EMPTY
    | pairs ((a, b) :: rest) = PAIR (a, b, pairs rest)
  fun row (l, default) = (pairs (map (fn (t, a) => (T t, a)) l), default)
  fun gotos l = pairs (map (fn (n, s) => (NT n, STATE s)) l)
  (* NUM 0, + 1, ( 2, ) 3, the end 4. *)
  val operand = row ([(0, SHIFT (STATE 3)), (2, SHIFT (STATE 4))], ERROR)
  val table =
    mkLrTable
      {numStates = 9, numRules = 4, initialState = STATE 0,
       actions =
         Array.fromList
           [operand, row ([(1, SHIFT (STATE 5)), (4, ACCEPT)], ERROR), row ([], REDUCE 1), row ([], REDUCE 2), operand,
            operand, row ([(1, SHIFT (STATE 5)), (3, SHIFT (STATE 8))], ERROR), row ([], REDUCE 0), row ([], REDUCE 3)],
       gotos =
         Array.fromList (map gotos [[(0, 1), (1, 2)], [], [], [], [(0, 6), (1, 2)], [(1, 7)], [], [], []])}

  structure Actions =
  struct
    val void = VOID
    fun extract (VALUE n) = n
      | extract VOID = raise Fail "no value"
    (* Values are multiplied by the argument as they come in. *)
    fun actions (0, _, (_, (VALUE t, _, r)) :: _ :: (_, (VALUE e, l, _)) :: rest, _) = (NT 0, (VALUE (e + t), l, r), rest)
      | actions (1, _, (_, v) :: rest, _) = (NT 0, v, rest)
      | actions (2, _, (_, (VALUE n, l, r)) :: rest, factor) = (NT 1, (VALUE (factor * n), l, r), rest)
      | actions (3, _, (_, (_, _, r)) :: (_, (v, _, _)) :: (_, (_, l, _)) :: rest, _) = (NT 1, (v, l, r), rest)
      | actions _ = raise Fail "no rule"
  end

  structure EC =
  struct
    fun is_keyword _ = false
    fun noShift (T 4) = true
      | noShift _ = false
    val preferred_change = [([], [T 1])]
    fun errtermvalue (T 0) = VALUE 0
      | errtermvalue _ = VOID
    fun showTerminal (T t) = List.nth (["NUM", "PLUS", "LPAR", "RPAR", "EOF"], t)
    val terms = [T 1, T 2, T 3]
  end
end

structure Lex =
struct
  structure UserDeclarations =
  struct
    type ('a, 'b) token = ('a, 'b) LrParser.Token.token
    type svalue = Data.svalue
    type pos = int
  end
  fun makeLexer input =
    let
      val text = ref (input 1024)
      val at = ref 0
      fun token (t, v, n) = (at := !at + n; LrParser.Token.TOKEN (Data.LrTable.T t, (v, !at - n, !at)))
      fun next () =
        if !at >= size (!text) then token (4, Data.VOID, 0)
        else
          case String.sub (!text, !at) of
            #" " => (at := !at + 1; next ())
          | #"+" => token (1, Data.VOID, 1)
          | #"(" => token (2, Data.VOID, 1)
          | #")" => token (3, Data.VOID, 1)
          | c => token (0, Data.VALUE (ord c - ord #"0"), 1)
    in
      next
    end
end

structure P = Join (structure Lex = Lex structure ParserData = Data structure LrParser = LrParser)

fun parse text =
  let
    val () = print (text ^ " = ")
    val input = ref [text]
    fun read _ = case !input of s :: rest => (input := rest; s) | [] => ""
    fun error (message, left, right) =
      print (concat ["{", message, " at ", Int.toString left, "-", Int.toString right, "} "])
    val (n, rest) = P.parse (15, P.makeLexer read, error, 10)
    val (end', _) = P.Stream.get rest
  in
    print (Int.toString n ^ (if P.sameToken (end', LrParser.Token.TOKEN (Data.LrTable.T 4, (Data.VOID, 0, 0))) then "" else "?") ^ "\n")
  end
  handle P.ParseError => print "no correction helps\n"

val () =
  app parse
    ["1", "1+2+3", "(1+(2+3))", "1 2", "1++2", "(1+2", "1+2)+3+4", ")1", "1+(2+3))+4+(5+6))+7 8", "",
     "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1 1+1", "((((((((((((((((((((1"]
