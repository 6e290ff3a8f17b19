(* RegExpGroups': the groups of a match, by the second automaton, over the match alone (Laurikari, SPIRE 2000).

   A state has the threads' instructions, and an edge says which thread each of them comes from, and which beginnings
   and ends of groups it has passed. Most expressions have one thread at most places; then an edge writes them where
   they stay. *)

structure RegExpGroups' =
struct
  open RegExpAutomata'

  (* What becomes of threads, the first one first, before a character: `next` says of an instruction that is no jump
     where it goes on, if it does. `ended`: the text ends here. Only without `lines` there are groups, so a line begins
     nowhere but at the text's beginning. *)
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

  (* The threads' way, over a match of which it is known where it begins and ends: the rule, and a function that says of
     each beginning and end of a group where it is. A thread's are in a row of two arrays; ~1: it has none. *)
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

      (* room: how many threads the arrays have rows for; there is a second pair, to which threads that change their
         rows are copied. *)
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
end
