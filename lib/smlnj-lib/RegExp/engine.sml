(* RegExpEngineFn': the matcher behind BackTrackEngine, DfaEngine and ThompsonEngine.

   An expression becomes a nondeterministic automaton (Thompson, CACM 11:6, 1968). All its threads run side by side over
   the text, those of higher priority first; of two in the same state the second is dropped, for whatever it could find,
   the first finds too (Pike's virtual machine). So the time is at most text times automaton for every expression and
   text, also with the name of backtracking.

   The threads themselves run nowhere: what they do for a class of characters depends only on where they are, so two
   deterministic automata say it, whose states and edges are made when they are first needed, and kept within a bound (the
   crate regex-automata does the same). An edge is a number in a table: most steps are one look at it.

   The first automaton says where a match begins and ends. A state has the threads' instructions in groups: those of one
   beginning are one group, the earliest beginning first, and an instruction that an earlier group has is dropped. So a
   search is one walk over the text, which begins a new group at each character, and an edge says which groups live on. The
   group that begins where the walk is needs no note of where that is.

   The second one runs only if groups of the expression are asked for, over the match alone (Laurikari, SPIRE 2000). A
   state has the threads' instructions, and an edge says which thread each of them comes from, and which beginnings and
   ends of groups it has passed. Most expressions have one thread at most places; then an edge writes them where they stay.

   A walk has the automata for itself: it takes them out of the expression's pool, and puts them back at its end. So
   several threads may use one expression at the same time.

   Keeps: a thread with an earlier beginning has a higher priority than one with a later; threads at one position are in
   distinct states. *)

functor RegExpEngineFn'
  (val groups : bool
   (* Line ends count as ends; otherwise only the text's ends do. *)
   val lines : bool) : REGEXP_ENGINE =
struct
  structure R = RegExpSyntax

  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  datatype instruction =
      One of char * int
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

  (* Where the first automaton's threads are. members: the instructions of their groups. fresh: the last group begins here.
     old: how many groups there are besides. pending: whether some wait for a line's end. at: whether a line begins here, if
     that matters. rule: the first rule that accepts, or ~1. accepting: the group in which it does, which is the last one.
     more: whether later beginnings are of interest. *)
  datatype state =
    State of
        {members : int list list,
         fresh : bool,
         old : int,
         pending : bool,
         at : bool,
         rule : int,
         accepting : int,
         more : bool}

  (* A state, and for each of its old groups the number of the one before it, or ~1 if it began where that state is; NONE:
     they are those from before. *)
  type edge = {target : int, marks : int list option}

  (* What a thread passes between two characters: the beginning or the end of a group is here, or it has none any more. *)
  datatype passed =
      Here of int
    | Gone of int

  (* The second automaton. Each thread comes from one before it. *)
  type moves = {target : int, threads : (int * passed list) list}

  (* What an edge's number says: a state, where the walk goes on without more ado, if it is not negative; or one of these; or,
     below `accepting`, a state that accepts, where no group has moved; or, below `special`, the number of an edge. *)
  val unknown = ~1
  val dead = ~2
  (* Here a line ends, for which threads wait. *)
  val closing = ~3
  val accepting = ~8
  val special = ~0x1000000000

  (* An automaton's states: for each a row of edges, by the characters' classes, and by what else is told apart. A state's
     number is that of its row's first edge. weight: how many instructions all states have together, which is what most of
     the memory goes to where they have many. *)
  type ('key, 'state, 'edge) automaton =
    {width : int,
     table : int array ref,
     states : 'state DynamicArray.array,
     edges : 'edge DynamicArray.array,
     numbers : ('key, int) HashTable.hash_table,
     size : int ref,
     weight : int ref}

  (* starts: the states in which a search begins, and a look at a prefix; ~1 if not known. idle: the characters that leave a
     search where it began, as far as known. *)
  type automata =
    {finder : (bool * bool * bool * int list list, state, edge) automaton,
     starts : int array,
     idle : bool array,
     tracker : (bool * int list, bool * int list, moves) automaton}

  datatype pool =
      Empty
    | Pool of automata * pool

  type regexp =
    {code : instruction array,
     entry : int,
     groups : int,
     shapes : shape list vector,
     (* For each character its class: characters of a class are the same for every instruction. One of each class. *)
     classes : string,
     samples : string,
     pool : pool ref}

  exception Missing

  (* So many instructions may an expression have: `a{999999999}` is short, but not small. *)
  val mostCode = 10000000

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
                (if Array.sub (new, old) < 0 then
                   (Array.update (new, old, !count); count := !count + 1)
                 else ();
                 Array.update (class, i, Array.sub (new, old)))
              else ()
            end)
        end
      val done = ref []
      fun once text =
        if List.exists (fn t => t = text) (!done) then false else (done := text :: !done; true)
      val () = if lines then divide (fn c => c = #"\n") else ()
      val () =
        Array.app
          (fn One (c, _) => if once (str c) then divide (fn d => c = d) else ()
            | Of (chars, _) =>
                if once chars then divide (fn d => String.sub (chars, Char.ord d) = #"y") else ()
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
        let
          val at = DynamicArray.bound code + 1
        in
          if at >= mostCode then raise R.CannotCompile else ();
          DynamicArray.update (code, at, instruction);
          at
        end
      val count = ref 0

      fun setOf (chars, member, other) =
        CharVector.tabulate
          (256, fn i => if R.CharSet.member (chars, Char.chr i) then member else other)

      (* The expression with its groups numbered from outside in, from left to right; copies keep the numbers. *)
      datatype numbered =
          Leaf of int -> instruction
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
        | R.MatchSet chars =>
            let val s = setOf (chars, #"y", #"n") in (Leaf (fn next => Of (s, next)), []) end
        | R.NonmatchSet chars =>
            let val s = setOf (chars, #"n", #"y") in (Leaf (fn next => Of (s, next)), []) end
        | R.Char c => (Leaf (fn next => One (c, next)), [])
        | R.Begin => (Leaf AtBegin, [])
        | R.End => (Leaf AtEnd, [])
      and numberAll (make, l) =
        let
          val numbered = List.map number l
        in
          (make (List.map #1 numbered), List.concat (List.map #2 numbered))
        end

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
            List.foldl
              (fn (re, other) => emit (Fork (translate (re, next), other)))
              (translate (first, next))
              rest
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
        List.foldl
          (fn ((re, _), (i, l)) => (i + 1, translate (re, emit (Accept i)) :: l))
          (0, [])
          numbered
      (* The first rule is preferred. *)
      val entry =
        case starts of
          [] => emit (Accept ~1)
        | last :: others => List.foldl (fn (start, rest) => emit (Fork (start, rest))) last others
      val code = Array.tabulate (DynamicArray.bound code + 1, fn i => DynamicArray.sub (code, i))
      val (classes, samples) = classesOf code
    in
      {code = code,
       entry = entry,
       groups = !count,
       shapes = Vector.fromList (List.map #2 numbered),
       classes = classes,
       samples = samples,
       pool = ref Empty}
    end

  fun compile re = compileRules [re]

  (* Automata. *)

  (* So many edges, and instructions in its states, may an automaton have; then its states are made anew. *)
  val bound = 500000

  fun hashOf (l, h) = List.foldl (fn (i, h) => h * 0w31 + Word.fromInt i) (h * 0w31 + 0w5) l

  fun automatonOf (width, hash, state, edge) =
    {width = width,
     table = ref (Array.array (16 * width, unknown)),
     states = DynamicArray.array (16, state),
     edges = DynamicArray.array (16, edge),
     numbers = HashTable.mkTable (hash, op =) (64, Missing),
     size = ref 0,
     weight = ref 0}

  (* The classes have an edge each; the finder has one more, for a line's end at the same place; the tracker two, for the end
     of the match, before other text and where the text ends. *)
  fun automataOf ({samples, ...} : regexp) : automata =
    let
      fun flag (true, h) = h * 0w31 + 0w7
        | flag (false, h) = h * 0w31 + 0w11
      fun hash (at, more, fresh, groups) =
        List.foldl hashOf (flag (at, flag (more, flag (fresh, 0w1)))) groups
      val noState =
        State {members = [],
               fresh = false,
               old = 0,
               pending = false,
               at = false,
               rule = ~1,
               accepting = ~1,
               more = false}
      val n = size samples
    in
      {finder = automatonOf (n + 1, hash, noState, {target = ~1, marks = NONE}),
       starts = Array.array (2, ~1),
       idle = Array.array (256, false),
       tracker =
         automatonOf (n + 2,
                      fn (at, l) => hashOf (l, flag (at, 0w1)),
                      (false, []),
                      {target = ~1, threads = []})}
    end

  fun isFull ({size, weight, ...} : ('k, 's, 'e) automaton) = !size + !weight > bound

  (* Its states and edges are forgotten. *)
  fun forget ({width, table, edges, numbers, size, weight, states} : ('k, 's, 'e) automaton) =
    (table := Array.array (16 * width, unknown);
     DynamicArray.truncate (states, 0);
     DynamicArray.truncate (edges, 0);
     HashTable.clear numbers;
     size := 0;
     weight := 0)

  (* The number of a state, which may be a new one; it has so many instructions. *)
  fun numberOf ({width, table, states, numbers, size, weight, ...} : ('k, 's, 'e) automaton)
    (key, state, instructions) =
    case HashTable.find numbers key of
      SOME n => n
    | NONE =>
        let
          val n = !size
        in
          if n + width > Array.length (!table) then
            let
              val old = !table
            in
              table :=
                Array.tabulate
                  (2 * Array.length old, fn i => if i < n then Array.sub (old, i) else unknown)
            end
          else ();
          DynamicArray.update (states, n div width, state);
          HashTable.insert numbers (key, n);
          size := n + width;
          weight := !weight + instructions;
          n
        end

  fun stateAt ({width, states, ...} : ('k, 's, 'e) automaton) n =
    DynamicArray.sub (states, n div width)

  (* The number of an edge that is not only a state. *)
  fun specialOf ({edges, ...} : ('k, 's, 'e) automaton) edge =
    let
      val n = DynamicArray.bound edges + 1
    in
      DynamicArray.update (edges, n, edge);
      special - n
    end

  fun edgeAt ({edges, ...} : ('k, 's, 'e) automaton) number =
    DynamicArray.sub (edges, special - number)

  fun taken (regexp as {pool, ...} : regexp) =
    case !pool of
      Empty => automataOf regexp
    | old as Pool (automata, rest) =>
        if PrimRefs'.ref_cas (pool, old, rest) then automata else taken regexp

  fun putBack (regexp as {pool, ...} : regexp, automata) =
    let
      val old = !pool
    in
      if PrimRefs'.ref_cas (pool, old, Pool (automata, old)) then () else putBack (regexp, automata)
    end

  fun takes (instruction, c) =
    case instruction of
      One (d, next) => if c = d then SOME next else NONE
    | Of (chars, next) => if String.sub (chars, Char.ord c) = #"y" then SOME next else NONE
    | _ => NONE

  (* The first automaton. *)

  (* The mark of a group that begins where the state is. *)
  val here = ~2

  (* Groups of instructions, each with its mark, become a state, if one is left: what needs no character is followed;
     the lines' ends only where one is known to be. The marks of its groups, its key, and the state. *)
  fun stateOf ({code, ...} : regexp) {at, ended, more} groups =
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
        case Array.sub (code, pc) of
          Accept r => if rule < 0 orelse r < rule then r else rule
        | _ => rule
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
      val marks = List.filter (fn mark => mark <> here) (List.map #1 kept)
      val old = length marks
      val fresh = length members > old
      fun waits pc = case Array.sub (code, pc) of AtEnd _ => true | _ => false
      val pending = List.exists (List.exists waits) members
      val at = at andalso pending
    in
      if null kept andalso not more then NONE
      else
        SOME (marks,
              (at, more, fresh, members),
              State {members = members,
                     fresh = fresh,
                     old = old,
                     pending = pending,
                     at = at,
                     rule = rule,
                     accepting = accepting,
                     more = more})
    end

  (* A group counts too. *)
  fun weightOf members = List.foldl (fn (l, n) => length l + 1 + n) 0 members

  (* The number for the table of what comes from a state by an edge, and the edge, if the threads live on. When there are
     too many edges, all are forgotten, and this one is not noted. *)
  fun noted (finder : (bool * bool * bool * int list list, state, edge) automaton, starts)
    (State {old, fresh, ...}, place, next) =
    case next of
      NONE => (Array.update (!(#table finder), place, dead); NONE)
    | SOME (marks, key, state as State {rule, members, ...}) =>
        let
          val full = isFull finder
          val () = if full then (forget finder; Array.modify (fn _ => ~1) starts) else ()
          val target = numberOf finder (key, state, weightOf members)
          val marks =
            if marks = List.tabulate (old, fn i => i) then NONE
            else SOME (List.map (fn i => if fresh andalso i = old then ~1 else i) marks)
          val edge = {target = target, marks = marks}
          fun number () =
            if isSome marks then specialOf finder edge
            else if rule >= 0 then accepting - target
            else target
        in
          if full then () else Array.update (!(#table finder), place, number ());
          SOME edge
        end

  fun marked l =
    let
      fun from (_, []) = []
        | from (i, x :: rest) = (i, x) :: from (i + 1, rest)
    in
      from (0, l)
    end

  (* A match: how far its beginning and its end are from where the search began; the streams there; its rule. *)
  type 'a found = {start : int, first : 'a, stop : int, behind : 'a, rule : int}

  (* The old groups' beginnings are (start, first) and those in `others`. The best match so far is from b to e, where the
     streams are f and behind, if its rule is not negative. Each that is found is better, for no group behind it is
     left. *)
  fun look
    (regexp as {entry, classes, samples, ...} : regexp,
     {finder, starts, idle, ...} : automata,
     search) getc s0 =
    let
      val {table, ...} = finder
      val lineEnd = size samples

      fun nth (0, start, first, _) = (start, first)
        | nth (n, _, _, others) = List.nth (others, n - 1)

      (* The edge of a class that is not known yet. *)
      fun read (st, class) =
        let
          val before' as State {members, more, ...} = stateAt finder st
          val c = String.sub (samples, class)
          fun target pc = takes (Array.sub (#code regexp, pc), c)
          val moved = marked (List.map (List.mapPartial target) members)
          val groups = if more then moved @ [(here, [entry])] else moved
        in
          noted (finder, starts) (before',
                                  st + class,
                                  stateOf
                                    regexp
                                    {at = lines andalso c = #"\n", ended = false, more = more}
                                    groups)
        end

      (* What a state is where a line ends. *)
      fun ended st =
        let
          val before' as State {members, fresh, old, at, more, ...} = stateAt finder st
          val groups =
            List.map (fn (i, l) => (if fresh andalso i = old then here else i, l)) (marked members)
        in
          noted
            (finder, starts)
            (before', st + lineEnd, stateOf regexp {at = at, ended = true, more = more} groups)
        end

      (* Where no match has begun, most characters begin none. *)
      fun idling (at, s) =
        case getc s of
          SOME (c, s') =>
            if Array.sub (idle, Char.ord c) then idling (at + 1, s') else (at, s)
        | NONE => (at, s)

      (* The next edge's number, the state, the place and the stream, when a group moves or one accepts; at the end of the text
         the number is `dead`. A function of its own: these loops are where the time goes, and what else the walk knows would
         need their registers. *)
      fun steps (st, at, s) =
        let
          val () = PrimFunctions'.noinline ()
          val first = if search then Array.sub (starts, 1) else ~1
          val table = !table
          fun from (st, at, s) =
            case getc s of
              NONE => (dead, st, at, s)
            | SOME (c, s') =>
                let
                  val number = Array.sub (table, st + Char.ord (String.sub (classes, Char.ord c)))
                in
                  (* Most characters of a search change nothing, and which state the next one meets is known early. *)
                  if number = st
                  then
                    (if st = first then Array.update (idle, Char.ord c, true) else ();
                     from (st, at + 1, s'))
                  else if number < 0 then (number, st, at, s)
                  else if number = first then
                    let val (at, s) = idling (at + 1, s') in from (number, at, s) end
                  else from (number, at + 1, s')
                end
        in
          if st = first then let val (at, s) = idling (at, s) in from (st, at, s) end
          else from (st, at, s)
        end

      (* At a state, which may accept. *)
      fun enter (st, at, s, start, first, others, b, f, e, behind, rule) =
        let
          val State {rule = rule', accepting, old, ...} = stateAt finder st
        in
          if rule' < 0 then go (st, at, s, start, first, others, b, f, e, behind, rule)
          else
            let
              val (b, f) =
                if accepting = old then (at, s) else nth (accepting, start, first, others)
            in
              go (st, at, s, start, first, others, b, f, at, s, rule')
            end
        end
      and go (st, at, s, start, first, others, b, f, e, behind, rule) =
        let
          val (number, st, at, s) = steps (st, at, s)
        in
          case getc s of
            NONE => close (st, at, s, NONE, start, first, others, b, f, e, behind, rule)
          | SOME (c, s') =>
              step (number, st, at, s, c, s', start, first, others, b, f, e, behind, rule)
        end
      (* By an edge's number, over the character c. *)
      and step (number, st, at, s, c, s', start, first, others, b, f, e, behind, rule) =
        if number >= 0 then go (number, at + 1, s', start, first, others, b, f, e, behind, rule)
        else if number = dead then (b, f, e, behind, rule)
        else if number = closing then
          close (st, at, s, SOME (c, s'), start, first, others, b, f, e, behind, rule)
        else if number = unknown then
          let
            val class = Char.ord (String.sub (classes, Char.ord c))
            val State {pending, ...} = stateAt finder st
          in
            if lines andalso c = #"\n" andalso pending then
              (Array.update (!table, st + class, closing);
               close (st, at, s, SOME (c, s'), start, first, others, b, f, e, behind, rule))
            else
              case read (st, class) of
                NONE => (b, f, e, behind, rule)
              | SOME edge =>
                  follow (edge, at, s, at + 1, s', start, first, others, b, f, e, behind, rule)
          end
        else if number > special then
          enter (accepting - number, at + 1, s', start, first, others, b, f, e, behind, rule)
        else
          follow
            (edgeAt finder number, at, s, at + 1, s', start, first, others, b, f, e, behind, rule)
      (* By an edge from (at, s) to (at', s'). *)
      and follow (edge, at, s, at', s', start, first, others, b, f, e, behind, rule) =
        let
          val (start, first, others) = shifted (edge, at, s, start, first, others)
        in
          enter (#target edge, at', s', start, first, others, b, f, e, behind, rule)
        end
      and shifted ({marks, ...} : edge, at, s, start, first, others) =
        case marks of
          NONE => (start, first, others)
        | SOME marks =>
            let
              (* Groups stay in their order: one walk finds all. The i-th is the first of the rest. *)
              fun kept ([], _, _) = []
                | kept (~1 :: marks, i, rest) = (at, s) :: kept (marks, i, rest)
                | kept (n :: marks, i, rest) =
                    (case List.drop (rest, n - i) of
                       group :: rest => group :: kept (marks, n + 1, rest)
                     | [] => [])
            in
              case kept (marks, 0, (start, first) :: others) of
                (start, first) :: others => (start, first, others)
              | [] => (at, s, [])
            end
      (* Here a line or the text ends; `next` is what comes then. *)
      and close (st, at, s, next, start, first, others, b, f, e, behind, rule) =
        let
          val State {pending, ...} = stateAt finder st
          val number = if pending then Array.sub (!table, st + lineEnd) else dead
          val edge =
            if number = dead then NONE
            else if number = unknown then ended st
            else if number >= 0 then SOME {target = number, marks = NONE}
            else if number > special then SOME {target = accepting - number, marks = NONE}
            else SOME (edgeAt finder number)
        in
          case edge of
            NONE => (b, f, e, behind, rule)
          | SOME edge =>
              let
                val (start, first, others) = shifted (edge, at, s, start, first, others)
                val st = #target edge
                val State {rule = rule', accepting, old, ...} = stateAt finder st
                val (b, f, e, behind, rule) =
                  if rule' < 0 then (b, f, e, behind, rule)
                  else
                    let
                      val (b, f) =
                        if accepting = old then (at, s) else nth (accepting, start, first, others)
                    in
                      (b, f, at, s, rule')
                    end
              in
                case next of
                  NONE => (b, f, e, behind, rule)
                (* Nothing waits for the line's end any more. *)
                | SOME (c, s') =>
                    let
                      val number =
                        Array.sub (!table, st + Char.ord (String.sub (classes, Char.ord c)))
                    in
                      step (number, st, at, s, c, s', start, first, others, b, f, e, behind, rule)
                    end
              end
        end

      val which = if search then 1 else 0
      val () =
        if Array.sub (starts, which) >= 0 then ()
        else
          case stateOf regexp {at = true, ended = false, more = search} [(here, [entry])] of
            SOME (_, key, state as State {members, ...}) =>
              Array.update (starts, which, numberOf finder (key, state, weightOf members))
          | NONE => ()
      val start = Array.sub (starts, which)
      val (start, first, stop, behind, rule) =
        if start < 0 then (0, s0, 0, s0, ~1) else enter (start, 0, s0, 0, s0, [], 0, s0, 0, s0, ~1)
    in
      if rule < 0 then NONE
      else SOME {start = start, first = first, stop = stop, behind = behind, rule = rule}
    end

  (* The second automaton. *)

  (* What becomes of threads, the first one first, before a character: `next` says of an instruction that is no jump where
     it goes on, if it does. `ended`: the text ends here. Only without `lines` there are groups, so a line begins nowhere
     but at the text's beginning. *)
  fun moved ({code, ...} : regexp) {begun, ended} (threads, next) =
    let
      val seen = Array.array (Array.length code, false)
      fun gone (slot, last) = if slot > last then [] else Gone slot :: gone (slot + 1, last)
      (* passed: the last one first. *)
      fun follow (pc, source, passed, l) =
        if Array.sub (seen, pc) then l
        else
          (Array.update (seen, pc, true);
           case Array.sub (code, pc) of
             Fork (a, b) => follow (b, source, passed, follow (a, source, passed, l))
           | Start (n, last, to) =>
               (* Groups inside it are as if they had not taken part. *)
               follow (to,
                       source,
                       List.revAppend (Here (2 * n) :: gone (2 * n + 1, 2 * last + 1), passed),
                       l)
           | Stop (n, to) => follow (to, source, Here (2 * n + 1) :: passed, l)
           | AtBegin to => if begun then follow (to, source, passed, l) else l
           | AtEnd to => if ended then follow (to, source, passed, l) else l
           | instruction =>
               (case next instruction of
                  SOME to => (to, (source, rev passed)) :: l
                | NONE => l))
      val all =
        rev (List.foldl (fn ((source, pc), l) => follow (pc, source, [], l)) [] (marked threads))
      (* Of several at one instruction the first. *)
      fun once ([], _) = []
        | once ((to, thread) :: rest, there) =
            if List.exists (fn n => n = to) there then once (rest, there)
            else (to, thread) :: once (rest, to :: there)
    in
      once (all, [])
    end

  (* The threads' way, over a match of which it is known where it begins and ends: the rule, and a function that says of each
     beginning and end of a group where it is. A thread's are in a row of two arrays; ~1: it has none. *)
  fun track (regexp as {entry, groups, classes, samples, ...} : regexp, {tracker, ...} : automata)
    getc ({start, first, stop, ...} : 'a found) =
    let
      val {table, weight, ...} = tracker
      val row = 2 * groups

      fun written (places, streams, base, passed, at, s) =
        List.app
          (fn Here slot =>
                (Array.update (places, base + slot, at); Array.update (streams, base + slot, s))
            | Gone slot => Array.update (places, base + slot, ~1))
          passed

      (* What comes of a state by the edge at a place; `next` and `ended` as above. *)
      fun edge (st, place, ended, next) =
        let
          val (begun, threads) = stateAt tracker st
          val moved = moved regexp {begun = begun, ended = ended} (threads, next)
          val key = (false, List.map #1 moved)
          val full = isFull tracker
          val () = if full then forget tracker else ()
          val target = numberOf tracker (key, key, length moved)
          val froms = List.map #2 moved
          val moves = {target = target, threads = froms}
          val same = froms = List.map (fn (i, _) => (i, [])) (marked threads)
        in
          (* Of threads that pass many groups the edge is large, too. *)
          if full then ()
          else if same then Array.update (!table, place, target)
          else
            (weight := List.foldl (fn ((_, passed), n) => length passed + n) (!weight) froms;
             Array.update (!table, place, specialOf tracker moves));
          moves
        end

      (* The state, the place and the stream, as long as no group moves. A function of its own, as in `look`. *)
      fun steps (st, at, s) =
        let
          val () = PrimFunctions'.noinline ()
          val table = !table
          fun from (st, at, s) =
            if at = stop then (st, at, s)
            else
              case getc s of
                NONE => (st, at, s)
              | SOME (c, s') =>
                  let
                    val number = Array.sub (table, st + Char.ord (String.sub (classes, Char.ord c)))
                  in
                    if number >= 0 then from (number, at + 1, s') else (st, at, s)
                  end
        in
          from (st, at, s)
        end

      (* room: how many threads the arrays have rows for; there is a second pair, to which threads that change their rows are
         copied. *)
      fun run (st, at, s, places, streams, places', streams', room) =
        let
          val (st, at, s) = steps (st, at, s)
        in
          if at = stop then finish (st, s, places, streams)
          else
            case getc s of
              NONE => finish (st, s, places, streams)
            | SOME (c, s') =>
                let
                  val class = Char.ord (String.sub (classes, Char.ord c))
                  val number = Array.sub (!table, st + class)
                  val moves =
                    if number = unknown then
                      let
                        val c = String.sub (samples, class)
                      in
                        edge (st, st + class, false, fn instruction => takes (instruction, c))
                      end
                    else edgeAt tracker number
                in
                  move (moves, at, s, s', places, streams, places', streams', room)
                end
        end
      and move ({target, threads}, at, s, s', places, streams, places', streams', room) =
        let
          fun stay ([], _) = true
            | stay ((source, _) :: rest, i) = source = i andalso stay (rest, i + 1)
          fun write ([], _, _, _) = ()
            | write ((_, passed) :: rest, base, places, streams) =
                (written (places, streams, base, passed, at, s);
                 write (rest, base + row, places, streams))
        in
          if stay (threads, 0) then
            (write (threads, 0, places, streams);
             run (target, at + 1, s', places, streams, places', streams', room))
          else
            let
              val n = length threads
              val enough = n <= room
              val room' = if enough then room else 2 * n
              fun copied (from, to) =
                let
                  fun copy ([], _) = ()
                    | copy ((source, _) :: rest, base) =
                        (ArraySlice.copy {src = ArraySlice.slice (from, source * row, SOME row),
                                          dst = to,
                                          di = base};
                         copy (rest, base + row))
                in
                  copy (threads, 0)
                end
              val places' =
                if enough andalso Array.length places' > 0 then places'
                else Array.array (room' * row, ~1)
              val streams' =
                if enough andalso Array.length streams' > 0 then streams'
                else Array.array (room' * row, first)
            in
              copied (places, places');
              copied (streams, streams');
              write (threads, 0, places', streams');
              if enough then run (target, at + 1, s', places', streams', places, streams, room)
              else
                run (target,
                     at + 1,
                     s',
                     places',
                     streams',
                     Array.array (0, ~1),
                     Array.array (0, first),
                     room')
            end
        end
      (* The edges of the end have the rules as their states. *)
      and finish (st, s, places, streams) =
        let
          val ended = not (isSome (getc s))
          val place = st + size samples + (if ended then 1 else 0)
          val number = Array.sub (!table, place)
          val {target, threads} =
            if number <> unknown then edgeAt tracker number
            else
              let
                val (begun, before') = stateAt tracker st
                val accepted =
                  moved
                    regexp
                    {begun = begun, ended = ended}
                    (before', fn Accept rule => SOME rule | _ => NONE)
                val moves =
                  case accepted of
                    (rule, from) :: _ => {target = rule, threads = [from]}
                  | [] => {target = ~1, threads = []}
              in
                Array.update (!table, place, specialOf tracker moves);
                moves
              end
          val base =
            case threads of
              (source, passed) :: _ =>
                (written (places, streams, source * row, passed, stop, s); source * row)
            | [] => 0
          fun slot i =
            let
              val at = Array.sub (places, base + i)
            in
              if at < 0 then NONE else SOME (at, Array.sub (streams, base + i))
            end
        in
          if target < 0 then NONE else SOME (target, slot)
        end

      val () = if isFull tracker then forget tracker else ()
      val key = (start = 0, [entry])
      val st = numberOf tracker (key, key, 1)
    in
      run (st,
           start,
           first,
           Array.array (row, ~1),
           Array.array (row, first),
           Array.array (0, ~1),
           Array.array (0, first),
           1)
    end

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
