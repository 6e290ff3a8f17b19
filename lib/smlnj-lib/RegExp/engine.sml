(* RegExpEngineFn': the matcher behind BackTrackEngine, DfaEngine and ThompsonEngine.

   An expression becomes a nondeterministic automaton (Thompson, CACM 11:6, 1968). All its threads run side by side over
   the text, those of higher priority first; of two in the same state the second is dropped, for whatever it could find,
   the first finds too (Pike's virtual machine). So the time is at most text times automaton for every expression and
   text, also with the name of backtracking. A thread carries where its groups began and ended.

   Where a match begins and ends, a deterministic automaton says; its states are made when they are first needed, and
   kept within a bound (the crate regex-automata does the same). A state has the threads' instructions in groups: those
   of one beginning are one group, the earliest beginning first, and an instruction that an earlier group has is dropped.
   So a search is one walk over the text, which begins a new group at each character, and an edge says which groups live
   on. Only if groups of the expression are asked for, the threads run once more, over the match alone.

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

  (* members: the instructions of the groups of threads. pending: whether some wait for a line's end. at: whether a line
     begins here, if that matters. rule: the first rule that accepts, or ~1. accepting: the group in which it does, which
     is the last one. more: whether later beginnings are of interest. next: by the characters' classes. ended: the state
     at the same place when it turns out to be a line's end. *)
  datatype state = State of
    {members : int list list, pending : bool, at : bool, rule : int, accepting : int, more : bool, next : edge array,
     ended : edge ref}
  (* Keep: the groups are those from before. Fresh: there is one, which begins here. Shift: for each group the number of
     the one before, or ~1 if it begins here. *)
  and edge
    = Unknown
    | Dead
    | Keep of state
    | Fresh of state
    | Shift of state * int list

  type regexp =
    {code : instruction array, entry : int, groups : int, shapes : shape list vector,
     (* For each character its class: characters of a class are the same for every instruction. One of each class. *)
     classes : string, samples : string,
     (* The automaton's states by their members, where they begin and search; how many edges they have. *)
     states : (bool * bool * int list list, state) HashTable.hash_table, edges : int ref}

  exception Missing

  (* Each instruction that reads divides the classes into characters that it takes and those that it does not. *)
  fun classesOf code =
    let
      val class = Array.array (256, 0)
      val count = ref 1
      fun divide takes =
        let
          (* A class's new number for the characters that are taken; ~1: not yet. *)
          val new = Array.array (!count, ~1)
          val rest = Array.array (!count, false)
          fun each f = let fun from i = if i < 256 then (f i; from (i + 1)) else () in from 0 end
          fun taken i = takes (Char.chr i)
        in
          each (fn i => if taken i then () else Array.update (rest, Array.sub (class, i), true));
          each (fn i =>
            let
              val old = Array.sub (class, i)
            in
              if taken i andalso Array.sub (rest, old) then
                (if Array.sub (new, old) < 0 then (Array.update (new, old, !count); count := !count + 1) else ();
                 Array.update (class, i, Array.sub (new, old)))
              else ()
            end)
        end
      val done = ref []
      fun once text = if List.exists (fn t => t = text) (!done) then false else (done := text :: !done; true)
      val () = if lines then divide (fn c => c = #"\n") else ()
      val () =
        Array.app
          (fn One (c, _) => if once (str c) then divide (fn d => c = d) else ()
            | Of (chars, _) => if once chars then divide (fn d => String.sub (chars, Char.ord d) = #"y") else ()
            | _ => ())
          code
      val samples = CharArray.array (!count, #"\000")
      val () = Array.appi (fn (i, k) => CharArray.update (samples, k, Char.chr i)) class
    in
      (CharVector.tabulate (256, fn i => Char.chr (Array.sub (class, i))), CharArray.vector samples)
    end

  fun compileRules rules =
    let
      val code = DynamicArray.array (64, Accept ~1)
      fun emit instruction =
        let val at = DynamicArray.bound code + 1 in DynamicArray.update (code, at, instruction); at end
      val count = ref 0

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
        | R.Begin => (Leaf AtBegin, [])
        | R.End => (Leaf AtEnd, [])
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
      fun hash (at, more, groups) =
        List.foldl (fn (l, h) => List.foldl (fn (i, h) => h * 0w31 + Word.fromInt i) (h * 0w31 + 0w5) l)
          ((if at then 0w7 else 0w11) + (if more then 0w13 else 0w17)) groups
      val (classes, samples) = classesOf code
    in
      {code = code, entry = entry, groups = !count, shapes = Vector.fromList (List.map #2 numbered), classes = classes,
       samples = samples, states = HashTable.mkTable (hash, op =) (64, Missing), edges = ref 0}
    end

  fun compile re = compileRules [re]

  (* A match: how far its beginning and its end are from where the search began; the streams there; its rule; where its
     groups begin and end. *)
  type 'a found = {start : int, first : 'a, stop : int, behind : 'a, rule : int, slots : (int * 'a) option vector}

  (* The threads' way, over a match of which it is known where it begins and ends. *)
  fun simulate ({code, entry, groups, ...} : regexp) getc {start, first, stop} =
    let
      val seen = Array.array (Array.length code, ~1)
      val noSlots = Vector.tabulate (2 * groups, fn _ => NONE)
      val best = ref NONE

      fun set (slots, change) = Vector.mapi change slots

      (* The threads that one becomes without reading, behind those that are there already. *)
      fun add (pc, slots, at, s, before', after, threads) =
        if Array.sub (seen, pc) = at then threads
        else
          (Array.update (seen, pc, at);
           case Array.sub (code, pc) of
             Fork (a, b) => add (b, slots, at, s, before', after, add (a, slots, at, s, before', after, threads))
           | Start (n, last, next) =>
               let
                 (* Groups inside it are as if they had not taken part. *)
                 fun change (i, old) =
                   if i = 2 * n then SOME (at, s) else if 2 * n < i andalso i <= 2 * last + 1 then NONE else old
               in
                 add (next, set (slots, change), at, s, before', after, threads)
               end
           | Stop (n, next) =>
               add
                 (next, set (slots, fn (i, old) => if i = 2 * n + 1 then SOME (at, s) else old), at, s, before', after,
                  threads)
           | AtBegin next => if before' then add (next, slots, at, s, before', after, threads) else threads
           | AtEnd next => if after then add (next, slots, at, s, before', after, threads) else threads
           | Accept rule =>
               (if at = stop andalso not (isSome (!best)) then
                  best := SOME {start = start, first = first, stop = at, behind = s, rule = rule, slots = slots}
                else ();
                threads)
           | _ => (pc, slots) :: threads)

      fun isEnd c = lines andalso c = #"\n"

      (* The threads at a position, the last one first. *)
      fun run (threads, at, s) =
        if at = stop then ()
        else
          case getc s of
            NONE => ()
          | SOME (c, s) =>
              let
                val at = at + 1
                val after = case getc s of NONE => true | SOME (c, _) => isEnd c
                fun move ((pc, slots), moved) =
                  case Array.sub (code, pc) of
                    One (d, next) => if c = d then add (next, slots, at, s, isEnd c, after, moved) else moved
                  | Of (chars, next) =>
                      if String.sub (chars, Char.ord c) = #"y" then add (next, slots, at, s, isEnd c, after, moved)
                      else moved
                  | _ => moved
              in
                run (List.foldr move [] threads, at, s)
              end
      fun after s = case getc s of NONE => true | SOME (c, _) => isEnd c
    in
      fn before' => (run (add (entry, noSlots, start, first, before', after first, []), start, first); !best)
    end

  (* The deterministic way. *)

  (* So many edges may the automaton of an expression have; then its states are made anew. *)
  val bound = 500000

  (* Groups of instructions, each with its mark, become a state, if one is left: what needs no character is followed;
     the lines' ends only where one is known to be. *)
  fun stateOf ({code, samples, states, edges, ...} : regexp) {at, ended, more} groups =
    let
      val seen = Array.array (Array.length code, false)
      fun follow (pc, l) =
        if Array.sub (seen, pc) then l
        else
          (Array.update (seen, pc, true);
           case Array.sub (code, pc) of
             Fork (a, b) => follow (b, follow (a, l))
           | Start (_, _, next) => follow (next, l)
           | Stop (_, next) => follow (next, l)
           | AtBegin next => if at then follow (next, l) else l
           | AtEnd next => if ended then follow (next, l) else pc :: l
           | _ => pc :: l)
      fun accept (pc, rule) =
        case Array.sub (code, pc) of Accept r => if rule < 0 orelse r < rule then r else rule | _ => rule
      (* Behind a group that accepts, no group matters. *)
      fun all ([], _, kept) = (rev kept, ~1, ~1)
        | all ((mark, pcs) :: rest, n, kept) =
            let
              val members = ListMergeSort.sort (op >) (List.foldl follow [] pcs)
              val rule = List.foldl accept ~1 members
            in
              if null members then all (rest, n, kept)
              else if rule >= 0 then (rev ((mark, members) :: kept), rule, n)
              else all (rest, n + 1, (mark, members) :: kept)
            end
      val (kept, rule, accepting) = all (groups, 0, [])
      val more = more andalso rule < 0
      val members = List.map #2 kept
      fun waits pc = case Array.sub (code, pc) of AtEnd _ => true | _ => false
      val pending = List.exists (List.exists waits) members
      val at = at andalso pending
    in
      if null kept andalso not more then NONE
      else
        SOME
          (List.map #1 kept,
           case HashTable.find states (at, more, members) of
             SOME state => state
           | NONE =>
               let
                 val classes = size samples
                 val state =
                   State
                     {members = members, pending = pending, at = at, rule = rule, accepting = accepting, more = more,
                      next = Array.array (classes, Unknown), ended = ref Unknown}
               in
                 if !edges > bound then (HashTable.clear states; edges := 0) else ();
                 edges := !edges + classes;
                 HashTable.insert states ((at, more, members), state);
                 state
               end)
    end

  fun edgeTo (_, NONE) = Dead
    | edgeTo (before', SOME (marks, state)) =
        if marks = [~1] then Fresh state
        else if marks = List.tabulate (length before', fn i => i) then Keep state
        else Shift (state, marks)

  fun marked l = let fun from (_, []) = [] | from (i, x :: rest) = (i, x) :: from (i + 1, rest) in from (0, l) end

  (* What a state is where a line ends. *)
  fun ended regexp (State {members, at, more, ended, ...}) =
    case !ended of
      Unknown =>
        let val edge = edgeTo (members, stateOf regexp {at = at, ended = true, more = more} (marked members))
        in ended := edge; edge end
    | edge => edge

  (* The edge of a class that is not known yet. *)
  fun edge (regexp as {code, entry, samples, ...} : regexp) (State {members, more, next, ...}, class) =
    let
      val c = String.sub (samples, class)
      fun target pc =
        case Array.sub (code, pc) of
          One (d, next) => if c = d then SOME next else NONE
        | Of (chars, next) => if String.sub (chars, Char.ord c) = #"y" then SOME next else NONE
        | _ => NONE
      val moved = marked (List.map (List.mapPartial target) members)
      val groups = if more then moved @ [(~1, [entry])] else moved
      val edge = edgeTo (members, stateOf regexp {at = lines andalso c = #"\n", ended = false, more = more} groups)
    in
      Array.update (next, class, edge);
      edge
    end

  (* The groups' beginnings are (start, first) and those in `others`. The best match so far is from b to e, where the
     streams are f and behind, if its rule is not negative. Each that is found is better, for no group behind it is
     left. *)
  fun automaton (regexp as {entry, classes, ...} : regexp, search) getc s0 =
    let
      fun nth (0, start, first, _) = (start, first)
        | nth (n, _, _, others) = List.nth (others, n - 1)
      (* The beginnings by an edge's marks; `here` for a group that begins here. *)
      fun shift (marks, start, first, others, here) =
        List.map (fn ~1 => here | n => nth (n, start, first, others)) marks

      fun run (state as State {rule = rule', accepting, ...}, at, s, start, first, others, (b, f, e, behind, rule)) =
        if rule' >= 0 then
          if accepting = 0 then go (state, at, s, start, first, others, start, first, at, s, rule')
          else
            let val (b, f) = nth (accepting, start, first, others)
            in go (state, at, s, start, first, others, b, f, at, s, rule') end
        else go (state, at, s, start, first, others, b, f, e, behind, rule)
      and go (state as State {pending, ...}, at, s, start, first, others, b, f, e, behind, rule) =
        case getc s of
          NONE =>
            if pending then close (state, at, s, start, first, others, b, f, e, behind, rule, NONE)
            else (b, f, e, behind, rule)
        | SOME (c, s') =>
            if lines andalso pending andalso c = #"\n" then
              close (state, at, s, start, first, others, b, f, e, behind, rule, SOME (c, s'))
            else read (state, at, s', c, start, first, others, b, f, e, behind, rule)
      (* Over a character. *)
      and read (state as State {next, ...}, at, s, c, start, first, others, b, f, e, behind, rule) =
        let
          val class = Char.ord (String.sub (classes, Char.ord c))
          val edge' = case Array.sub (next, class) of Unknown => edge regexp (state, class) | edge => edge
        in
          case edge' of
            Keep state => run (state, at + 1, s, start, first, others, (b, f, e, behind, rule))
          | Fresh state => run (state, at + 1, s, at + 1, s, [], (b, f, e, behind, rule))
          | Shift (state, marks) =>
              (case shift (marks, start, first, others, (at + 1, s)) of
                 (start, first) :: others => run (state, at + 1, s, start, first, others, (b, f, e, behind, rule))
               | [] => run (state, at + 1, s, start, first, [], (b, f, e, behind, rule)))
          | _ => (b, f, e, behind, rule)
        end
      (* Here a line or the text ends; `next` is what comes then. *)
      and close (state, at, s, start, first, others, b, f, e, behind, rule, next) =
        let
          fun goOn (state as State {rule = rule', accepting, ...}, start, first, others) =
            let
              val good as (b, f, e, behind, rule) =
                if rule' >= 0 then
                  let val (b, f) = nth (accepting, start, first, others) in (b, f, at, s, rule') end
                else (b, f, e, behind, rule)
            in
              case next of
                NONE => good
              | SOME (c, s) => read (state, at, s, c, start, first, others, b, f, e, behind, rule)
            end
        in
          case ended regexp state of
            Keep state => goOn (state, start, first, others)
          | Shift (state, marks) =>
              (case shift (marks, start, first, others, (at, s)) of
                 (start, first) :: others => goOn (state, start, first, others)
               | [] => goOn (state, start, first, []))
          | _ => (b, f, e, behind, rule)
        end

      val found =
        case stateOf regexp {at = true, ended = false, more = search} [(~1, [entry])] of
          SOME (_, state) => run (state, 0, s0, 0, s0, [], (0, s0, 0, s0, ~1))
        | NONE => (0, s0, 0, s0, ~1)
      val (start, first, stop, behind, rule) = found
    in
      if rule < 0 then NONE
      else SOME {start = start, first = first, stop = stop, behind = behind, rule = rule, slots = Vector.fromList []}
    end

  fun scan (regexp as {groups, ...} : regexp, search) getc s =
    case automaton (regexp, search) getc s of
      found as SOME {start, first, stop, ...} =>
        (* Only without `lines` there are groups, so a line begins nowhere but at the text's beginning. *)
        if groups = 0 then found
        else simulate regexp getc {start = start, first = first, stop = stop} (start = 0)
    | NONE => NONE

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
