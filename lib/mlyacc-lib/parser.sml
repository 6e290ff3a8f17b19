(* LrParser: the driver of ML-Yacc's tables, with correction of syntax errors.

   After Burke and Fisher, TOPLAS 9:2, 1987 (partial, deferred): the parser remembers the stacks that it had at the last
   15 tokens. At an error it tries at each of these places, the oldest first, to insert, replace or delete tokens, and
   takes the first change of those that let it parse furthest behind the error, `lookahead` tokens at most. A change that
   brings in a keyword must get 3 tokens further than others.
   So actions may run for parses that are given up; generated ones only build functions until the parse succeeds.

   Keeps: the last configuration of the history has the current token, with the stack before the reductions that this
   token caused. *)

structure LrParser : LR_PARSER =
struct
  structure Stream = Stream
  structure LrTable = LrTable

  structure Token =
  struct
    structure LrTable = LrTable
    datatype ('a, 'b) token = TOKEN of LrTable.term * ('a * 'b * 'b)
    fun sameToken (TOKEN (t, _), TOKEN (u, _)) = t = u
  end

  open LrTable Token

  exception ParseError

  (* How many tokens back a change may be. *)
  val deferred = 15
  (* What a change has to get parsed behind the error, and how much more if it brings in a keyword. *)
  val leastAdvance = 1
  val keywordAdvance = 3

  (* A queue: items to take out, and those put in, the last one first. *)
  structure History =
  struct
    fun put ((front, back), x) = (front, x :: back)
    fun drop (_ :: front, back) = (front, back)
      | drop ([], back) = (case rev back of _ :: front => (front, []) | [] => ([], []))
    fun toList (front, back) = front @ rev back
  end

  datatype outcome = Distant | Accepted | Stuck

  (* Parses until `distance` tokens are shifted (never, if it is negative), the start symbol is there, or an error.
     A configuration is the stack, the current token and the stream behind it. *)
  fun run (table, saction, arg) {forget} =
    let
      val action = action table
      val goto = goto table
      fun step (config, history, 0) = (config, history, 0, Distant)
        | step
            (config as (stack as (state, _) :: _,
                        token as TOKEN (term, value as (_, left, _)),
                        rest),
             history,
             distance) =
            (case action (state, term) of
               SHIFT next =>
                 let
                   val (token, rest) = Stream.get rest
                   val config = ((next, value) :: stack, token, rest)
                   val history = History.put (history, config)
                 in
                   step (config, if forget then History.drop history else history, distance - 1)
                 end
             | REDUCE rule =>
                 let
                   val (nonterm, value, below) = saction (rule, left, stack, arg)
                   val state = case below of (state, _) :: _ => state | [] => raise ParseError
                 in
                   step (((goto (state, nonterm), value) :: below, token, rest), history, distance)
                 end
             | ACCEPT => (config, history, distance, Accepted)
             | ERROR => (config, history, distance, Stuck))
        | step (([], _, _), _, _) = raise ParseError
    in
      step
    end

  (* The tokens in front of a stream. *)
  fun prefixed ([], config) = config
    | prefixed (t :: ts, config) =
        let val (token, rest) = prefixed (ts, config) in (t, Stream.cons (token, rest)) end

  (* A change: at how many tokens before the error, from and to which position, which tokens go and come. *)
  type ('a, 'b) change =
    {back : int,
     left : 'b,
     right : 'b,
     old : ('a, 'b) token list,
     new : ('a, 'b) token list,
     advance : int,
     config : (state * ('a * 'b * 'b)) list * ('a, 'b) token * ('a, 'b) token Stream.stream}

  fun advanceOf ({advance, ...} : ('a, 'b) change) = advance

  fun correct
    (run,
     {is_keyword, noShift, preferred_change, errtermvalue, showTerminal, terms, error},
     lookahead) ((_, TOKEN (errorTerm, (_, errorLeft, errorRight)), _), history) =
    let
      val configs = History.toList history
      (* Each with its distance from the error: the last one has 0. *)
      val count = length configs
      val places = ListPair.zip (configs, List.tabulate (count, fn i => count - 1 - i))

      fun made (t, at) = TOKEN (t, (errtermvalue t, at, at))

      (* How far behind the error the parser gets. *)
      fun advance (config, toError) =
        let
          val (_, _, left, outcome) =
            run {forget = false} (config, ([], []), toError + lookahead + 1)
          val got = lookahead - left - 1
        in
          case outcome of Accepted => if got >= 0 then lookahead else got | _ => got
        end

      (* The change, if it helps, in front of the others. *)
      fun try ({back, left, right, old, new, stack, rest}, others) =
        let
          val (token, rest) = prefixed (new, rest)
          val config = (stack, token, rest)
          val got = advance (config, back + length new - length old)
          val needed =
            if List.exists (fn TOKEN (t, _) => is_keyword t) new then leastAdvance + keywordAdvance
            else leastAdvance
        in
          if got >= needed then
            {back = back,
             left = left,
             right = right,
             old = old,
             new = new,
             advance = got,
             config = config}
            :: others
          else others
        end

      (* The first tokens of a place that are those; the right end of the last one, and what is behind. *)
      fun matching ([], next, taken, right) = SOME (rev taken, right, next)
        | matching (t :: ts, (token as TOKEN (u, (_, _, r)), rest), taken, _) =
            if t = u then matching (ts, Stream.get rest, token :: taken, r) else NONE

      fun preferred (((stack, token as TOKEN (_, (_, l, _)), rest), back), others) =
        List.foldr
          (fn ((delete, insert), others) =>
            if List.exists noShift delete then others
            else
              case matching (delete, (token, rest), [], l) of
                NONE => others
              | SOME (old, r, next) =>
                  try ({back = back,
                        left = l,
                        right = r,
                        old = old,
                        new = List.map (fn t => made (t, r)) insert,
                        stack = stack,
                        rest = next},
                       others))
          others
          preferred_change

      fun insertions (((stack, token as TOKEN (_, (_, l, _)), rest), back), others) =
        List.foldr
          (fn (t, others) =>
            try ({back = back,
                  left = l,
                  right = l,
                  old = [],
                  new = [made (t, l)],
                  stack = stack,
                  rest = (token, rest)},
                 others))
          others
          terms

      fun replacements (((stack, token as TOKEN (old, (_, l, r)), rest), back), others) =
        if noShift old then others
        else
          List.foldr
            (fn (t, others) =>
              try ({back = back,
                    left = l,
                    right = r,
                    old = [token],
                    new = [made (t, r)],
                    stack = stack,
                    rest = Stream.get rest},
                   others))
            others
            terms

      fun deletions n (((stack, token as TOKEN (_, (_, l, r)), rest), back), others) =
        let
          fun delete (0, next, old, right) =
                try ({back = back,
                      left = l,
                      right = right,
                      old = rev old,
                      new = [],
                      stack = stack,
                      rest = next},
                     others)
            | delete (n, (token as TOKEN (t, (_, _, r)), rest), old, _) =
                if noShift t then others else delete (n - 1, Stream.get rest, token :: old, r)
        in
          delete (n, (token, rest), [], r)
        end

      fun everywhere (kind, others) = List.foldr kind others places
      val changes =
        everywhere (preferred,
                    everywhere (insertions,
                                everywhere (replacements,
                                            everywhere (deletions 1,
                                                        everywhere (deletions 2,
                                                                    everywhere
                                                                      (deletions 3, []))))))

      val furthest = List.foldl (fn (change, n) => Int.max (advanceOf change, n)) 0 changes

      fun show tokens = String.concat (List.map (fn TOKEN (t, _) => " " ^ showTerminal t) tokens)
      fun message ([], new) = "inserting " ^ show new
        | message (old, []) = "deleting " ^ show old
        | message (old, new) = "replacing " ^ show old ^ " with " ^ show new
    in
      case List.find (fn change => advanceOf change = furthest) changes of
        NONE =>
          (error ("syntax error found at " ^ showTerminal errorTerm, errorLeft, errorRight);
           raise ParseError)
      | SOME {back, left, right, old, new, config, ...} =>
          let
            val () = error ("syntax error: " ^ message (old, new), left, right)
            (* The history up to the change, and from there to where the error was. *)
            val history = (List.take (configs, count - 1 - back), [config])
            val (config, history, _, _) = run {forget = false} (config, history, back)
          in
            (config, history)
          end
    end

  fun parse {table, lexer, arg, saction, void, ec, lookahead} =
    let
      val run = run (table, saction, arg)
      val (token as TOKEN (_, (_, left, _)), rest) = Stream.get lexer
      val start = ([(initialState table, (void, left, left))], token, rest)
      val correct = correct (run, ec, Int.max (lookahead, 0))

      fun finish ((_, (value, _, _)) :: _, token, rest) = (value, Stream.cons (token, rest))
        | finish ([], _, _) = raise ParseError

      (* First the history grows to its length, then it keeps it. *)
      fun grow (config, history, distance) =
        case run {forget = false} (config, history, distance) of
          (config, _, _, Accepted) => finish config
        | (config, history, _, Distant) => keep (config, history)
        | (config, history, distance, Stuck) =>
            let
              val (config, history) = correct (config, history)
            in
              grow (config, history, distance)
            end
      and keep (config, history) =
        case run {forget = true} (config, history, ~1) of
          (config, history, _, Stuck) => keep (correct (config, history))
        | (config, _, _, _) => finish config
    in
      grow (start, ([], [start]), deferred)
    end
end
