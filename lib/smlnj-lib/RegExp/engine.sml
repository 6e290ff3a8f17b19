(* RegExpEngineFn': the matcher behind BackTrackEngine, DfaEngine and ThompsonEngine.

   An expression becomes a nondeterministic automaton (Thompson, CACM 11:6, 1968). All its threads run side by side over
   the text, those of higher priority first; of two in the same state the second is dropped, for whatever it could find,
   the first finds too (Pike's virtual machine). So the time is at most text times automaton for every expression and
   text, also with the name of backtracking. A thread carries where its groups began and ended.

   Without groups and line ends, the sets of states that occur become states of a deterministic automaton, made when they
   are first needed.

   Keeps: a thread with an earlier beginning has a higher priority than one with a later; threads at one position are in
   distinct states. *)

functor RegExpEngineFn'
  (val groups : bool
   (* Line ends count as ends; otherwise only the text's ends do. *)
   val lines : bool) : REGEXP_ENGINE =
struct
  structure R = RegExpSyntax

  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  datatype instruction
    = One of char * int
    | Of of string * int
    | Fork of int * int
    | Start of int * int * int
    | Stop of int * int
    | AtBegin of int
    | AtEnd of int
    | Accept of int
  (* The last number is the next instruction; of Fork's two the first is preferred. `Of` has a character for each code,
     #"y" for those that match. Start has the number of the group and of the last group inside it. Accept: the rule. *)

  (* The groups of a rule, and those inside them. *)
  datatype shape = Shape of int * shape list

  datatype state = State of {members : int list, accepts : int, next : edge array}
  and edge = Unknown | Dead | To of state
  (* accepts: the first rule that does, or ~1. *)

  type regexp =
    {code : instruction array, entry : int, groups : int, shapes : shape list vector,
     (* The deterministic automaton's states by their members, if there may be one. *)
     states : (int list, state) HashTable.hash_table option}

  exception Missing

  fun compileRules rules =
    let
      val code = DynamicArray.array (64, Accept ~1)
      fun emit instruction =
        let val at = DynamicArray.bound code + 1 in DynamicArray.update (code, at, instruction); at end
      val count = ref 0
      val ends = ref false

      fun setOf (chars, member, other) =
        CharVector.tabulate (256, fn i => if R.CharSet.member (chars, Char.chr i) then member else other)

      (* The expression with its groups numbered from outside in, from left to right; copies keep the numbers. *)
      datatype numbered
        = Leaf of int -> instruction
        | Grouped of int * int * numbered
        | Choice of numbered list
        | Sequence of numbered list
        | Repeat of numbered * int * int option

      fun number re =
        case re of
          R.Group re =>
            if groups then
              let
                val n = !count
                val () = count := n + 1
                val (inner, shapes) = number re
              in
                (Grouped (n, !count - 1, inner), [Shape (n, shapes)])
              end
            else number re
        | R.Alt l => numberAll (Choice, l)
        | R.Concat l => numberAll (Sequence, l)
        | R.Interval (re, least, most) =>
            let
              val wrong = least < 0 orelse (case most of SOME m => m < least | NONE => false)
              val () = if wrong then raise R.CannotCompile else ()
              val (inner, shapes) = number re
            in
              (Repeat (inner, least, most), shapes)
            end
        | R.MatchSet chars => let val s = setOf (chars, #"y", #"n") in (Leaf (fn next => Of (s, next)), []) end
        | R.NonmatchSet chars => let val s = setOf (chars, #"n", #"y") in (Leaf (fn next => Of (s, next)), []) end
        | R.Char c => (Leaf (fn next => One (c, next)), [])
        | R.Begin => (ends := true; (Leaf AtBegin, []))
        | R.End => (ends := true; (Leaf AtEnd, []))
      and numberAll (make, l) =
        let val numbered = List.map number l
        in (make (List.map #1 numbered), List.concat (List.map #2 numbered)) end

      (* The instruction where an expression begins, with what comes behind it. *)
      fun translate (re, next) =
        case re of
          Leaf instruction => emit (instruction next)
        | Grouped (n, last, re) =>
            let val stop = emit (Stop (n, next)) in emit (Start (n, last, translate (re, stop))) end
        | Sequence l => List.foldr translate next l
        | Choice [] => raise R.CannotCompile
        (* Of equally long matches, the one by the last alternative. *)
        | Choice (first :: rest) =>
            List.foldl (fn (re, other) => emit (Fork (translate (re, next), other))) (translate (first, next)) rest
        | Repeat (re, least, most) =>
            let
              fun times (0, next) = next
                | times (n, next) = times (n - 1, translate (re, next))
              fun optional (0, next) = next
                | optional (n, inner) = optional (n - 1, emit (Fork (translate (re, inner), next)))
              val rest =
                case most of
                  SOME m => optional (m - least, next)
                | NONE =>
                    let
                      val loop = emit (Fork (next, next))
                    in
                      DynamicArray.update (code, loop, Fork (translate (re, loop), next));
                      loop
                    end
            in
              times (least, rest)
            end

      val numbered = List.map number rules
      val (_, starts) =
        List.foldl (fn ((re, _), (i, l)) => (i + 1, translate (re, emit (Accept i)) :: l)) (0, []) numbered
      (* The first rule is preferred. *)
      val entry =
        case starts of
          [] => emit (Accept ~1)
        | last :: others => List.foldl (fn (start, rest) => emit (Fork (start, rest))) last others
      val code = Array.tabulate (DynamicArray.bound code + 1, fn i => DynamicArray.sub (code, i))
      fun hash l = List.foldl (fn (i, h) => h * 0w31 + Word.fromInt i) 0w7 l
    in
      {code = code, entry = entry, groups = !count, shapes = Vector.fromList (List.map #2 numbered),
       states = if groups orelse !ends then NONE else SOME (HashTable.mkTable (hash, op =) (64, Missing))}
    end

  fun compile re = compileRules [re]

  (* A match: how far its beginning and its end are from where the search began; the streams there; its rule; where its
     groups begin and end. *)
  type 'a found = {start : int, first : 'a, stop : int, behind : 'a, rule : int, slots : (int * 'a) option vector}

  fun better ({start, stop, ...} : 'a found, other : 'a found option) =
    case other of
      NONE => true
    | SOME {start = start', stop = stop', ...} => start < start' orelse start = start' andalso stop > stop'

  fun isEnd NONE = true
    | isEnd (SOME c) = lines andalso c = #"\n"

  (* The threads' way. A search lets one begin at every position until there is a match. *)
  fun simulate ({code, entry, groups, ...} : regexp, search) getc s0 =
    let
      val seen = Array.array (Array.length code, ~1)
      val noSlots = Vector.tabulate (2 * groups, fn _ => NONE)
      val best = ref NONE

      fun set (slots, change) = Vector.mapi change slots

      (* The threads that one becomes without reading, behind those that are there already. *)
      fun add (pc, start, first, slots, at, s, before', after, threads) =
        if Array.sub (seen, pc) = at then threads
        else
          (Array.update (seen, pc, at);
           case Array.sub (code, pc) of
             Fork (a, b) =>
               add
                 (b, start, first, slots, at, s, before', after,
                  add (a, start, first, slots, at, s, before', after, threads))
           | Start (n, last, next) =>
               let
                 (* Groups inside it are as if they had not taken part. *)
                 fun change (i, old) =
                   if i = 2 * n then SOME (at, s) else if 2 * n < i andalso i <= 2 * last + 1 then NONE else old
                 val slots = set (slots, change)
               in
                 add (next, start, first, slots, at, s, before', after, threads)
               end
           | Stop (n, next) =>
               add
                 (next, start, first, set (slots, fn (i, old) => if i = 2 * n + 1 then SOME (at, s) else old), at, s,
                  before', after, threads)
           | AtBegin next =>
               if isEnd before' then add (next, start, first, slots, at, s, before', after, threads) else threads
           | AtEnd next => if isEnd after then add (next, start, first, slots, at, s, before', after, threads) else threads
           | Accept rule =>
               let
                 val found = {start = start, first = first, stop = at, behind = s, rule = rule, slots = slots}
               in
                 if better (found, !best) then best := SOME found else ();
                 threads
               end
           | _ => (pc, start, first, slots) :: threads)

      fun late start = case !best of SOME {start = start', ...} => start > start' | NONE => false

      (* The threads at a position, the last one first. *)
      fun run (threads, at, s, before') =
        let
          val next = getc s
          val after = Option.map #1 next
          val threads =
            if at = 0 orelse search andalso not (isSome (!best)) then
              add (entry, at, s, noSlots, at, s, before', after, threads)
            else threads
        in
          case (next, threads) of
            (NONE, _) => ()
          | (SOME (c, s'), []) => if search andalso not (isSome (!best)) then step ([], c, at, s') else ()
          | (SOME (c, s'), _) => step (rev threads, c, at, s')
        end
      and step (threads, c, at, s) =
        let
          val at = at + 1
          val after = Option.map #1 (getc s)
          fun move ((pc, start, first, slots), moved) =
            if late start then moved
            else
              case Array.sub (code, pc) of
                One (d, next) => if c = d then add (next, start, first, slots, at, s, SOME c, after, moved) else moved
              | Of (chars, next) =>
                  if String.sub (chars, Char.ord c) = #"y" then add (next, start, first, slots, at, s, SOME c, after, moved)
                  else moved
              | _ => moved
          val moved = List.foldl move [] threads
        in
          run (moved, at, s, SOME c)
        end
    in
      run ([], 0, s0, NONE);
      !best
    end

  (* The deterministic way. *)

  (* The state of a set of instructions, from which all that need no character are followed. *)
  fun stateOf ({code, ...} : regexp, states) pcs =
    let
      fun follow (pc, set) =
        if IntRedBlackSet.member (set, pc) then set
        else
          let
            val set = IntRedBlackSet.add (set, pc)
          in
            case Array.sub (code, pc) of Fork (a, b) => follow (b, follow (a, set)) | _ => set
          end
      val all = IntRedBlackSet.toList (List.foldl follow IntRedBlackSet.empty pcs)
      val members = List.filter (fn pc => case Array.sub (code, pc) of Fork _ => false | _ => true) all
      fun accept (pc, rule) =
        case Array.sub (code, pc) of
          Accept r => if rule < 0 orelse r < rule then r else rule
        | _ => rule
    in
      if null members then Dead
      else
        To
          (case HashTable.find states members of
             SOME state => state
           | NONE =>
               let
                 val state =
                   State {members = members, accepts = List.foldl accept ~1 members, next = Array.array (256, Unknown)}
               in
                 HashTable.insert states (members, state);
                 state
               end)
    end

  fun edge (regexp as {code, ...} : regexp, states) (State {members, next, ...}, c) =
    case Array.sub (next, Char.ord c) of
      Unknown =>
        let
          fun target pc =
            case Array.sub (code, pc) of
              One (d, next) => if c = d then SOME next else NONE
            | Of (chars, next) => if String.sub (chars, Char.ord c) = #"y" then SOME next else NONE
            | _ => NONE
          val edge = stateOf (regexp, states) (List.mapPartial target members)
        in
          Array.update (next, Char.ord c, edge);
          edge
        end
    | edge => edge

  fun automaton (regexp as {entry, ...} : regexp, states, search) getc s0 =
    let
      val edge = edge (regexp, states)
      val noSlots = Vector.fromList []
      fun from (start, first) =
        let
          fun run (state as State {accepts, ...}, at, s, best) =
            let
              val best =
                if accepts < 0 then best
                else SOME {start = start, first = first, stop = at, behind = s, rule = accepts, slots = noSlots}
            in
              case getc s of
                NONE => best
              | SOME (c, s) =>
                  (case edge (state, c) of To state => run (state, at + 1, s, best) | _ => best)
            end
        in
          case stateOf (regexp, states) [entry] of
            To state => run (state, start, first, NONE)
          | _ => NONE
        end
      fun search' (at, s) =
        case from (at, s) of
          NONE =>
            if search then (case getc s of SOME (_, s) => search' (at + 1, s) | NONE => NONE) else NONE
        | found => found
    in
      search' (0, s0)
    end

  fun scan (regexp as {states, ...} : regexp, search) getc s =
    case states of
      SOME states => automaton (regexp, states, search) getc s
    | NONE => simulate (regexp, search) getc s

  fun tree ({shapes, ...} : regexp, {start, first, stop, rule, slots, ...} : 'a found) =
    let
      fun group (Shape (n, inner)) =
        case (Vector.sub (slots, 2 * n), Vector.sub (slots, 2 * n + 1)) of
          (SOME (a, s), SOME (b, _)) => SOME (MatchTree.Match ({pos = s, len = b - a}, List.mapPartial group inner))
        | _ => NONE
    in
      MatchTree.Match ({pos = first, len = stop - start}, List.mapPartial group (Vector.sub (shapes, rule)))
    end

  fun result (regexp, search) getc s =
    Option.map (fn found as {behind, ...} : 'a found => (tree (regexp, found), behind)) (scan (regexp, search) getc s)
  fun find regexp getc s = result (regexp, true) getc s
  fun prefix regexp getc s = result (regexp, false) getc s

  fun match rules =
    let
      val (exps, actions) = ListPair.unzip rules
      val regexp = compileRules exps
      val actions = Vector.fromList actions
    in
      fn getc => fn s =>
        case scan (regexp, false) getc s of
          NONE => NONE
        | SOME (found as {rule, behind, ...}) => SOME (Vector.sub (actions, rule) (tree (regexp, found)), behind)
    end
end

structure BackTrackEngine : REGEXP_ENGINE = RegExpEngineFn' (val groups = true val lines = false)
structure ThompsonEngine : REGEXP_ENGINE = RegExpEngineFn' (val groups = false val lines = true)
structure DfaEngine : REGEXP_ENGINE = ThompsonEngine
