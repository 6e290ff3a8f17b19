(* Join, JoinWithArg: a lexer and a parser's tables make a parser. *)

(* What both have in common: the parser of a parser's tables. *)
functor ParserOfData'
  (structure ParserData : PARSER_DATA
   structure LrParser : LR_PARSER
   sharing ParserData.LrTable = LrParser.LrTable
   sharing ParserData.Token = LrParser.Token) =
struct
  structure Token = ParserData.Token
  structure Stream = LrParser.Stream

  exception ParseError = LrParser.ParseError

  type arg = ParserData.arg
  type pos = ParserData.pos
  type result = ParserData.result
  type svalue = ParserData.svalue

  fun parse (lookahead, lexer, error, arg) =
    let
      open ParserData
      val (value, rest) =
        LrParser.parse {table = table,
                        lexer = lexer,
                        arg = arg,
                        saction = Actions.actions,
                        void = Actions.void,
                        lookahead = lookahead,
                        ec =
                          {is_keyword = EC.is_keyword,
                           noShift = EC.noShift,
                           preferred_change = EC.preferred_change,
                           errtermvalue = EC.errtermvalue,
                           showTerminal = EC.showTerminal,
                           terms = EC.terms,
                           error = error}}
    in
      (Actions.extract value, rest)
    end

  val sameToken = Token.sameToken
end

functor Join
  (structure Lex : LEXER
   structure ParserData : PARSER_DATA
   structure LrParser : LR_PARSER
   sharing ParserData.LrTable = LrParser.LrTable
   sharing ParserData.Token = LrParser.Token
   sharing type Lex.UserDeclarations.svalue = ParserData.svalue
   sharing type Lex.UserDeclarations.pos = ParserData.pos
   sharing type Lex.UserDeclarations.token = ParserData.Token.token) : PARSER =
struct
  structure P = ParserOfData' (structure ParserData = ParserData structure LrParser = LrParser)
  open P

  val makeLexer = Stream.streamify o Lex.makeLexer
end

functor JoinWithArg
  (structure Lex : ARG_LEXER
   structure ParserData : PARSER_DATA
   structure LrParser : LR_PARSER
   sharing ParserData.LrTable = LrParser.LrTable
   sharing ParserData.Token = LrParser.Token
   sharing type Lex.UserDeclarations.svalue = ParserData.svalue
   sharing type Lex.UserDeclarations.pos = ParserData.pos
   sharing type Lex.UserDeclarations.token = ParserData.Token.token) : ARG_PARSER =
struct
  structure P = ParserOfData' (structure ParserData = ParserData structure LrParser = LrParser)
  open P

  type lexarg = Lex.UserDeclarations.arg

  fun makeLexer input arg = Stream.streamify (Lex.makeLexer input arg)
end
