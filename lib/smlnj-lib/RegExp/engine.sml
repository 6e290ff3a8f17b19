(* RegExpEngineFn': the matcher behind BackTrackEngine, DfaEngine and ThompsonEngine.

   An expression becomes a nondeterministic automaton (Thompson, CACM 11:6, 1968). All its threads run side by side over
   the text, those of higher priority first; of two in the same state the second is dropped, for whatever it could find,
   the first finds too (Pike's virtual machine). So the time is at most text times automaton for every expression and
   text, also with the name of backtracking.

   The threads themselves run nowhere: what they do for a class of characters depends only on where they are, so two
   deterministic automata say it, whose states and edges are made when they are first needed, and kept within a bound
   (the crate regex-automata does the same). An edge is a number in a table: most steps are one look at it.

   The first automaton says where a match begins and ends: RegExpSearchFn'. The second one runs only if groups of the
   expression are asked for, over the match alone: RegExpGroups'.

   Keeps: a thread with an earlier beginning has a higher priority than one with a later; threads at one position are in
   distinct states. *)

functor RegExpEngineFn'
  (val groups : bool
   (* Line ends count as ends; otherwise only the text's ends do. *)
   val lines : bool) : REGEXP_ENGINE =
struct
  open RegExpAutomata'
  structure Program = RegExpProgramFn' (val groups = groups val lines = lines)
  structure Search = RegExpSearchFn' (val lines = lines)
  open Program Search RegExpGroups'

  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  (* The rule, the tree, and the stream behind the match. *)
  fun scan (regexp as {groups, shapes, ...} : regexp, search) getc s =
    let
      val automata = taken regexp
      val result =
        case look (regexp, automata, search) getc s of
          NONE => NONE
        | SOME (found as {start, first, stop, behind, rule}) =>
            let
              fun tree (rule, inner) =
                SOME (rule, MatchTree.Match ({pos = first, len = stop - start}, inner), behind)
            in
              if groups = 0 then tree (rule, [])
              else
                case track (regexp, automata) getc found of
                  NONE => NONE
                | SOME (rule, slot) =>
                    let
                      fun group (Shape (n, inner)) =
                        case (slot (2 * n), slot (2 * n + 1)) of
                          (SOME (a, s), SOME (b, _)) =>
                            SOME (MatchTree.Match
                                    ({pos = s, len = b - a}, List.mapPartial group inner))
                        | _ => NONE
                    in
                      tree (rule, List.mapPartial group (Vector.sub (shapes, rule)))
                    end
            end
    in
      putBack (regexp, automata);
      result
    end

  fun result found = Option.map (fn (_, tree, behind) => (tree, behind)) found
  fun find regexp getc s = result (scan (regexp, true) getc s)
  fun prefix regexp getc s = result (scan (regexp, false) getc s)

  fun match rules =
    let
      val (exps, actions) = ListPair.unzip rules
      val regexp = compileRules exps
      val actions = Vector.fromList actions
    in
      fn getc => fn s =>
        Option.map
          (fn (rule, tree, behind) => (Vector.sub (actions, rule) tree, behind))
          (scan (regexp, false) getc s)
    end
end

structure BackTrackEngine : REGEXP_ENGINE = RegExpEngineFn' (val groups = true val lines = false)
structure ThompsonEngine : REGEXP_ENGINE = RegExpEngineFn' (val groups = false val lines = true)
structure DfaEngine : REGEXP_ENGINE = ThompsonEngine
