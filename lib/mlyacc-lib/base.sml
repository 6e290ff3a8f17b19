(* What ML-Yacc's generated parsers and their users refer to: streams, tables, tokens, lexers, parsers. *)

signature STREAM =
sig
  type 'a stream
  (* Without end; an item is made when it is first asked for, and kept. *)

  val streamify : (unit -> 'a) -> 'a stream
  (* The stream of what the function gives, call after call. *)
  val cons : 'a * 'a stream -> 'a stream
  (* The stream with one more item in front. *)
  val get : 'a stream -> 'a * 'a stream
  (* The first item, and the stream behind it. The item is made now if it was not before. *)
end

(* Tables of an LR automaton. *)
signature LR_TABLE =
sig
  datatype ('a, 'b) pairlist = EMPTY | PAIR of 'a * 'b * ('a, 'b) pairlist
  datatype state = STATE of int
  datatype term = T of int
  datatype nonterm = NT of int
  datatype action = SHIFT of state | REDUCE of int | ACCEPT | ERROR
  (* REDUCE has the number of the rule. *)

  type table

  val numStates : table -> int
  (* The number of states; they count from 0. *)
  val numRules : table -> int
  (* The number of rules of the grammar. *)
  val describeActions : table -> state -> (term, action) pairlist * action
  (* The state's actions, and the one for all other terminals. Raises Subscript if there is no such state. *)
  val describeGoto : table -> state -> (nonterm, state) pairlist
  (* The states behind this one, by nonterminals. Raises Subscript if there is no such state. *)
  val action : table -> state * term -> action
  (* What is done in that state before that terminal. Raises Subscript if there is no such state. *)
  val goto : table -> state * nonterm -> state
  (* The state behind this one and a nonterminal. Raises Goto if the table has none. *)
  val initialState : table -> state
  (* The state in which a parse begins. *)

  exception Goto of state * nonterm

  val mkLrTable :
    {actions : ((term, action) pairlist * action) array,
     gotos : (nonterm, state) pairlist array,
     numStates : int,
     numRules : int,
     initialState : state}
    -> table
  (* A table of its parts, which are used as they are, not copied. *)
end

signature TOKEN =
sig
  structure LrTable : LR_TABLE

  datatype ('a, 'b) token = TOKEN of LrTable.term * ('a * 'b * 'b)
  (* A terminal, its value, its left and right position. *)

  val sameToken : ('a, 'b) token * ('a, 'b) token -> bool
  (* The same terminal. *)
end

signature LR_PARSER =
sig
  structure Stream : STREAM
  structure LrTable : LR_TABLE
  structure Token : TOKEN
  sharing LrTable = Token.LrTable

  exception ParseError
  (* An error that no correction helps. *)

  val parse :
    {table : LrTable.table,
     lexer : ('b, 'c) Token.token Stream.stream,
     arg : 'arg,
     (* The rule's number, the position of the token ahead, the stack; gives the nonterminal, its value, the rest. *)
     saction :
       int * 'c * (LrTable.state * ('b * 'c * 'c)) list * 'arg
       -> LrTable.nonterm * ('b * 'c * 'c) * (LrTable.state * ('b * 'c * 'c)) list,
     void : 'b,
     ec :
       {is_keyword : LrTable.term -> bool,
        noShift : LrTable.term -> bool,
        preferred_change : (LrTable.term list * LrTable.term list) list,
        errtermvalue : LrTable.term -> 'b,
        showTerminal : LrTable.term -> string,
        terms : LrTable.term list,
        error : string * 'c * 'c -> unit},
     lookahead : int}
    -> 'b * ('b, 'c) Token.token Stream.stream
  (* The value of the start symbol, and the stream from the token behind it on. lookahead says how many tokens a
     correction may be tried on. *)
end

(* What ML-Lex generates. *)
signature LEXER =
sig
  structure UserDeclarations :
  sig
    type ('a, 'b) token
    type pos
    type svalue
  end

  val makeLexer :
    (int -> string)
    -> unit
    -> (UserDeclarations.svalue, UserDeclarations.pos) UserDeclarations.token
  (* From a function that gives about so many characters, "" at the end: a function that gives token after token. *)
end

(* Likewise with %arg. *)
signature ARG_LEXER =
sig
  structure UserDeclarations :
  sig
    type ('a, 'b) token
    type pos
    type svalue
    type arg
  end

  val makeLexer :
    (int -> string)
    -> UserDeclarations.arg
    -> unit
    -> (UserDeclarations.svalue, UserDeclarations.pos) UserDeclarations.token
  (* From a function that gives about so many characters, "" at the end, and the argument for the lexer's actions: a
     function that gives token after token. *)
end

(* What ML-Yacc generates. *)
signature PARSER_DATA =
sig
  type pos
  type svalue
  type arg
  type result

  structure LrTable : LR_TABLE
  structure Token : TOKEN
  sharing Token.LrTable = LrTable

  structure Actions :
  sig
    val actions :
      int * pos * (LrTable.state * (svalue * pos * pos)) list * arg
      -> LrTable.nonterm * (svalue * pos * pos) * (LrTable.state * (svalue * pos * pos)) list
    (* By the rule's number: the nonterminal and its value, made of the values on the stack, and the rest of the
       stack. *)
    val void : svalue
    (* The value at the bottom of the stack, where nothing was read yet. *)
    val extract : svalue -> result
    (* The result in the value of the start symbol. *)
  end

  (* For the correction of errors. *)
  structure EC :
  sig
    val is_keyword : LrTable.term -> bool
    (* A correction that puts one in must get further than others. *)
    val noShift : LrTable.term -> bool
    (* Terminals that no correction takes out, as the input's end. *)
    val preferred_change : (LrTable.term list * LrTable.term list) list
    (* Which terminals to take out, and which to put in for them: what is tried before other corrections. *)
    val errtermvalue : LrTable.term -> svalue
    (* The value of a terminal that a correction puts in. *)
    val showTerminal : LrTable.term -> string
    (* Its name in messages. *)
    val terms : LrTable.term list
    (* The terminals that a correction may put in. *)
  end

  val table : LrTable.table
  (* The automaton of the grammar. *)
end

signature PARSER =
sig
  structure Token : TOKEN
  structure Stream : STREAM

  exception ParseError

  type pos
  type result
  type arg
  type svalue

  val makeLexer : (int -> string) -> (svalue, pos) Token.token Stream.stream
  (* The tokens, from a function that gives about so many characters, "" at the end. They are read when they are asked
     for. *)
  val parse :
    int * (svalue, pos) Token.token Stream.stream * (string * pos * pos -> unit) * arg
    -> result * (svalue, pos) Token.token Stream.stream
  (* The result, and the stream behind it. From the lookahead of corrections, the tokens, a function that errors are
     told to with where they begin and end, and the argument of the actions. Raises ParseError where no correction
     helps. *)
  val sameToken : (svalue, pos) Token.token * (svalue, pos) Token.token -> bool
  (* Whether they have the same terminal, whatever their values. *)
end

signature ARG_PARSER =
sig
  structure Token : TOKEN
  structure Stream : STREAM

  exception ParseError

  type arg
  type lexarg
  type pos
  type result
  type svalue

  val makeLexer : (int -> string) -> lexarg -> (svalue, pos) Token.token Stream.stream
  (* The tokens, from a function that gives about so many characters, "" at the end, and the argument of the lexer. *)
  val parse :
    int * (svalue, pos) Token.token Stream.stream * (string * pos * pos -> unit) * arg
    -> result * (svalue, pos) Token.token Stream.stream
  (* As PARSER's: the result, and the stream behind it. Raises ParseError where no correction helps. *)
  val sameToken : (svalue, pos) Token.token * (svalue, pos) Token.token -> bool
  (* Whether they have the same terminal, whatever their values. *)
end

structure Stream :> STREAM =
struct
  datatype 'a cell =
      Made of 'a * 'a stream
    | Unmade of unit -> 'a
  withtype 'a stream = 'a cell ref

  fun streamify f = ref (Unmade f)
  fun cons (x, s) = ref (Made (x, s))
  fun get s =
    case !s of
      Made item => item
    | Unmade f =>
        let val item = (f (), ref (Unmade f)) in s := Made item; item end
end

structure LrTable :> LR_TABLE =
struct
  datatype ('a, 'b) pairlist = EMPTY | PAIR of 'a * 'b * ('a, 'b) pairlist
  datatype state = STATE of int
  datatype term = T of int
  datatype nonterm = NT of int
  datatype action = SHIFT of state | REDUCE of int | ACCEPT | ERROR

  type table =
    {actions : ((term, action) pairlist * action) array,
     gotos : (nonterm, state) pairlist array,
     numStates : int,
     numRules : int,
     initialState : state}

  exception Goto of state * nonterm

  fun mkLrTable table = table
  fun numStates ({numStates, ...} : table) = numStates
  fun numRules ({numRules, ...} : table) = numRules
  fun initialState ({initialState, ...} : table) = initialState
  fun describeActions ({actions, ...} : table) (STATE s) = Array.sub (actions, s)
  fun describeGoto ({gotos, ...} : table) (STATE s) = Array.sub (gotos, s)

  fun action ({actions, ...} : table) (STATE s, T t) =
    let
      val (row, default) = Array.sub (actions, s)
      fun find EMPTY = default
        | find (PAIR (T u, act, rest)) = if t = u then act else find rest
    in
      find row
    end

  fun goto ({gotos, ...} : table) (from as STATE s, nonterm as NT n) =
    let
      fun find EMPTY = raise Goto (from, nonterm)
        | find (PAIR (NT m, state, rest)) = if m = n then state else find rest
    in
      find (Array.sub (gotos, s))
    end
end
