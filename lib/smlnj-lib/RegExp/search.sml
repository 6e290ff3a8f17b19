(* RegExpSearchFn': where a match begins and ends, by the first automaton.

   A state has the threads' instructions in groups: those of one beginning are one group, the earliest beginning first,
   and an instruction that an earlier group has is dropped. So a search is one walk over the text, which begins a new
   group at each character, and an edge says which groups live on. The group that begins where the walk is needs no note
   of where that is. *)

functor RegExpSearchFn' (val lines : bool) =
struct
  open RegExpAutomata'

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

  (* The number for the table of what comes from a state by an edge, and the edge, if the threads live on. When there
     are too many edges, all are forgotten, and this one is not noted. *)
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

  (* The old groups' beginnings are (start, first) and those in `others`. The best match so far is from b to e, where
     the streams are f and behind, if its rule is not negative. Each that is found is better, for no group behind it is
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

      (* The next edge's number, the state, the place and the stream, when a group moves or one accepts; at the end of
         the text the number is `dead`. A function of its own: these loops are where the time goes, and what else the
         walk knows would need their registers. *)
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
end
