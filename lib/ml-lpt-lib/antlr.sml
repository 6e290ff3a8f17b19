(* What ml-antlr's parsers need: signatures of tokens and lexers, repeated parts, repairs of wrong input.

   A repair is found as in ml-antlr: one token put in, taken out or replaced, at the error or up to 15 tokens before it,
   the one that lets the parser get furthest; else a run of tokens is taken out.

   Differences: there are no continuations to go back with. A parse that fails is begun again from its first token with
   the repairs so far and one to be tried, in the state that the user's refcells had then. Tokens are read once. *)

signature ANTLR_LEXER =
sig
  type strm
  type pos = AntlrStreamPos.pos
  val getPos : strm -> pos
  (* Where the next token is looked for. *)
end

signature ANTLR_TOKENS =
sig
  type token
  val toString : token -> string
  (* The token as messages show it. *)
  val allToks : token list
  (* One of each kind, for repairs. *)
  val isKW : token -> bool
  (* Whether it is a keyword: repairs leave those alone where they can. *)
  val isEOF : token -> bool
  (* Whether it is the one that stands at the input's end. *)
end

structure AntlrRepair :> sig
  datatype 'tok repair_action =
      Insert of 'tok list
    | Delete of 'tok list
    | Subst of {old : 'tok list, new : 'tok list}
    | FailureAt of 'tok
  type 'tok repair = AntlrStreamPos.pos * 'tok repair_action

  val actionToString : ('tok -> string) -> 'tok repair_action -> string
  (* What is to be done, in words, as "try inserting ;"; the function shows tokens. *)
  val repairToString : ('tok -> string) -> AntlrStreamPos.sourcemap -> 'tok repair -> string
  (* Likewise, behind the place as AntlrStreamPos.toString shows it. *)

  datatype add_or_delete = ADD | DEL
  (* Whether a token comes or goes, for functions that show values of the latter only. *)
  val actionToString' : (add_or_delete -> 'tok -> string) -> 'tok repair_action -> string
  (* As actionToString; the function is told whether the token comes or goes. *)
  val repairToString' :
    (add_or_delete -> 'tok -> string) -> AntlrStreamPos.sourcemap -> 'tok repair -> string
  (* As repairToString; the function is told likewise. *)
end =
struct
  datatype 'tok repair_action =
      Insert of 'tok list
    | Delete of 'tok list
    | Subst of {old : 'tok list, new : 'tok list}
    | FailureAt of 'tok
  type 'tok repair = AntlrStreamPos.pos * 'tok repair_action

  datatype add_or_delete = ADD | DEL

  fun actionToString' show action =
    let
      fun words (kind, toks) = String.concat (List.map (fn t => " " ^ show kind t) toks)
    in
      case action of
        Insert toks => "try inserting" ^ words (ADD, toks)
      | Delete toks => "try deleting" ^ words (DEL, toks)
      | Subst {old, new} => concat ["try substituting", words (ADD, new), " for", words (DEL, old)]
      | FailureAt tok => "syntax error at " ^ show DEL tok
    end
  fun repairToString' show map (pos, action) =
    concat [AntlrStreamPos.toString map pos, ": ", actionToString' show action]
  fun actionToString show = actionToString' (fn _ => show)
  fun repairToString show = repairToString' (fn _ => show)
end

(* Parts of a rule with ?, * and +: the predicate says whether another one follows. *)
functor AntlrEBNF
  (S : sig
     type strm
     val getSpan : strm -> AntlrStreamPos.span
   end) =
struct
  (* A part that may be missing, as `x?` has it: what it is, its span, and the stream behind it. *)
  fun optional (more, parse, s) =
    if more s then let val (x, span, s) = parse s in (SOME x, span, s) end
    else (NONE, S.getSpan s, s)

  (* Any number of parts, as `x*` has it. *)
  fun closure (more, parse, s) =
    let
      fun loop (s, (left, right), acc) =
        if more s then let val (x, (_, right), s) = parse s in loop (s, (left, right), x :: acc) end
        else (rev acc, (left, right), s)
    in
      loop (s, S.getSpan s, [])
    end

  (* One part at least, as `x+` has it. *)
  fun posclos (more, parse, s) =
    let
      val (x, (left, _), s) = parse s
      val (xs, (_, right), s) = closure (more, parse, s)
    in
      (x :: xs, (left, right), s)
    end
end

functor AntlrErrHandler (structure Tok : ANTLR_TOKENS structure Lex : ANTLR_LEXER) : sig
  exception ParseError
  (* Raised by failure while repairs are disabled. *)

  type 'a err_handler
  type wstream
  (* The lexer's stream with repairs in it. *)
  type lexer = Lex.strm -> Tok.token * AntlrStreamPos.span * Lex.strm
  type 'a wreader = wstream -> 'a * AntlrStreamPos.span * wstream

  val mkErrHandler : {get : unit -> 'a, put : 'a -> unit} -> 'a err_handler * Tok.token wreader
  (* From how the state of the user's refcells is got and restored. *)
  val launch :
    'a err_handler * lexer * 'b wreader * bool
    -> Lex.strm
    -> 'b option * Lex.strm * Tok.token AntlrRepair.repair list
  (* Parses, up to the end if the flag says so. NONE: not even with repairs; the last of them says where. *)
  val failure : 'a err_handler -> 'b
  (* The parser has found no way on. Ends this parse, so that `launch` looks for a repair; raises ParseError while
     repairs are disabled. *)
  val getPos : wstream -> AntlrStreamPos.pos
  (* Where the next token begins. It is read for that, if it was not before. *)
  val getSpan : wstream -> AntlrStreamPos.span
  (* The empty span there. *)
  val whileDisabled : 'b err_handler -> (unit -> 'a) -> 'a
  (* The function's result, with repairs disabled meanwhile: to try whether a part can be parsed. *)
end =
struct
  structure R = AntlrRepair

  exception ParseError
  (* The parse ends here. *)
  exception Failed

  type lexer = Lex.strm -> Tok.token * AntlrStreamPos.span * Lex.strm

  (* The tokens of the input, made when they are first asked for. *)
  datatype tokens = Tokens of Lex.strm * (Tok.token * AntlrStreamPos.span * tokens) option ref

  type repairs = (int * Tok.token R.repair) list
  (* At which token of the repaired input; the last one first. *)

  datatype wstream = W of {at : int, tokens : tokens, lex : lexer, repairs : repairs}
  type 'a wreader = wstream -> 'a * AntlrStreamPos.span * wstream

  datatype 'a err_handler =
    EH of
        {get : unit -> 'a,
         put : 'a -> unit,
         enabled : bool ref,
         (* The stream at each token that was asked for, the last one first, in a parse; and how far it got. *)
         passed : wstream list ref,
         furthest : int ref}

  fun pull (lex : lexer, Tokens (s, next)) =
    case !next of
      SOME found => found
    | NONE =>
        let
          val (tok, span, s) = lex s
          val found = (tok, span, Tokens (s, ref NONE))
        in
          next := SOME found;
          found
        end

  fun skip (_, tokens, []) = tokens
    | skip (lex, tokens, _ :: rest) =
        let val (_, _, tokens) = pull (lex, tokens) in skip (lex, tokens, rest) end

  fun get1 (W {at, tokens, lex, repairs}) =
    let
      fun stream tokens = W {at = at + 1, tokens = tokens, lex = lex, repairs = repairs}
      fun read tokens =
        let val (tok, span, tokens) = pull (lex, tokens) in (tok, span, stream tokens) end
    in
      case List.find (fn (i, _) => i = at) repairs of
        NONE => read tokens
      | SOME (_, (_, R.Delete toks)) => read (skip (lex, tokens, toks))
      | SOME (_, (pos, R.Insert (tok :: _))) => (tok, (pos, pos), stream tokens)
      | SOME (_, (pos, R.Subst {new = tok :: _, old})) =>
          (tok, (pos, pos), stream (skip (lex, tokens, old)))
      | _ => read tokens
    end

  fun getPos w = let val (_, (left, _), _) = get1 w in left end
  fun getSpan w = let val p = getPos w in (p, p) end
  fun placeOf (W {at, ...}) = at
  fun tokenAt w = #1 (get1 w)

  fun mkErrHandler {get, put} =
    let
      val passed = ref []
      val furthest = ref ~1
      fun read w =
        (if placeOf w > !furthest then (furthest := placeOf w; passed := w :: !passed) else ();
         get1 w)
    in
      (EH {get = get, put = put, enabled = ref true, passed = passed, furthest = furthest}, read)
    end

  fun failure (EH {enabled, ...}) = raise (if !enabled then Failed else ParseError)

  fun whileDisabled (EH {enabled, ...}) f =
    let
      val old = !enabled
      val () = enabled := false
      val result = f () handle e => (enabled := old; raise e)
    in
      enabled := old;
      result
    end

  (* How far before the error a repair may be, and how many tokens may be taken out. *)
  val window = 15
  val mostDeleted = 50
  (* What a repair must get parsed. *)
  val leastAdvance = 1

  val kinds = List.filter (not o Tok.isEOF) Tok.allToks

  fun candidates w =
    let
      val tok = tokenAt w
      val pos = getPos w
      val present = not (Tok.isEOF tok)
      fun replace new = (pos, R.Subst {old = [tok], new = [new]})
    in
      (if present then [(pos, R.Delete [tok])] else [])
      @ List.map (fn new => (pos, R.Insert [new])) kinds
      @ (if present then List.map replace kinds else [])
    end

  fun keyword action =
    case action of
      R.Insert toks => List.exists Tok.isKW toks
    | R.Delete toks => List.exists Tok.isKW toks
    | R.Subst {old, new} => List.exists Tok.isKW (old @ new)
    | R.FailureAt _ => false

  (* Keywords are changed last; taking out is preferred to putting in. *)
  fun bonus action =
    (if keyword action then ~2 else 0)
    + (case action of R.Insert _ => ~1 | R.Delete _ => 1 | _ => 0)

  datatype 'a outcome =
      Parsed of 'a * Lex.strm
    | Stuck of int

  fun launch (EH {get, put, passed, furthest, enabled}, lex, parse, toEnd) start =
    let
      val state = get ()
      val tokens = Tokens (start, ref NONE)

      (* A parse from the beginning, with these repairs. *)
      fun run repairs =
        let
          val () = (put state; passed := []; furthest := ~1; enabled := true)
          val (x, _, rest) = parse (W {at = 0, tokens = tokens, lex = lex, repairs = repairs})
          val W {tokens = Tokens (s, _), ...} = rest
        in
          if toEnd andalso not (Tok.isEOF (tokenAt rest)) then Stuck (!furthest) else Parsed (x, s)
        end
        handle Failed => Stuck (!furthest)

      fun lastRepair [] = ~1
        | lastRepair ((at, _) :: _) = at

      fun result (x, s, repairs) = (SOME x, s, rev (List.map #2 repairs))

      fun main repairs =
        case run repairs of
          Parsed (x, s) => result (x, s, repairs)
        | Stuck reached => oneToken (repairs, reached, !passed)

      (* The places before the error where a repair may be, with `passed` of the parse that failed. *)
      and oneToken (repairs, reached, passed) =
        let
          val places =
            List.filter
              (fn w => placeOf w > lastRepair repairs)
              (List.take (passed, Int.min (window, length passed)))
          fun try ([], best) =
                (case best of
                   SOME (repairs, _) => main repairs
                 | NONE => deletions (repairs, reached, passed))
            | try ((at, repair) :: rest, best) =
                let
                  val new = (at, repair) :: repairs
                in
                  case run new of
                    Parsed (x, s) => result (x, s, new)
                  | Stuck got =>
                      let
                        val score = got - reached + bonus (#2 repair)
                        val toBeat = case best of SOME (_, s) => s | NONE => 0
                      in
                        if score > toBeat andalso score > leastAdvance then
                          try (rest, SOME (new, score))
                        else try (rest, best)
                      end
                end
          val all =
            List.concat (List.map (fn w => List.map (fn r => (placeOf w, r)) (candidates w)) places)
        in
          try (all, NONE)
        end

      (* Runs of tokens, short ones at the error first. *)
      and deletions (repairs, reached, passed) =
        let
          fun take (w, 0, acc) = SOME (rev acc)
            | take (w, n, acc) =
                let
                  val (tok, _, w) = get1 w
                in
                  if Tok.isEOF tok then NONE else take (w, n - 1, tok :: acc)
                end
          val places =
            List.filter
              (fn w => placeOf w > lastRepair repairs andalso reached - placeOf w <= mostDeleted)
              passed
          (* n tokens at the first place, n + 1 at the one before, and so on: all end at the same token. *)
          fun tryPlaces ([], _) = NONE
            | tryPlaces (w :: rest, n) =
                (case take (w, n, []) of
                   NONE => NONE
                 | SOME toks =>
                     let
                       val new = (placeOf w, (getPos w, R.Delete toks)) :: repairs
                     in
                       case run new of
                         Parsed (x, s) => SOME (result (x, s, new))
                       | Stuck got =>
                           if got - placeOf w > leastAdvance + 2 then SOME (main new)
                           else tryPlaces (rest, n + 1)
                     end)
          fun tryLengths (places, n, most) =
            if n > most then NONE
            else
              case tryPlaces (places, n) of
                NONE => tryLengths (places, n + 1, most)
              | found => found
          val here = case places of w :: _ => [w] | [] => []
        in
          case tryLengths (here, 1, 6) of
            SOME found => found
          | NONE =>
              (case tryLengths (places, 1, mostDeleted) of
                 SOME found => found
               | NONE => given (repairs, passed))
        end

      and given (repairs, w :: _) =
            (NONE, start, rev (List.map #2 repairs) @ [(getPos w, R.FailureAt (tokenAt w))])
        | given (repairs, []) = (NONE, start, rev (List.map #2 repairs))
    in
      main []
    end
end
