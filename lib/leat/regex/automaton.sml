(* RegexAutomaton': a deterministic automaton for the instructions of a program, whose states and edges are made when a
   walk needs them first.

   A state is where the threads of the program are, the preferred one first. An edge is a number in a table, so most
   steps of a walk are one look at it. A walk that goes forwards drops all threads behind one that has a match: so it
   finds the end of the match that is preferred. One that goes backwards from there, over the reversed program, keeps
   them all, and finds the earliest beginning.

   Whether an edge of a line, of a word or of the text is somewhere, is known when the next byte is known. So threads
   wait before an Assert, and a match is noticed one step later: the state behind the byte that follows it says so.

   States have a bound; when there are more, all are forgotten, and made anew as they are needed. *)

structure RegexAutomaton' =
struct
  open RegexProgram'

  val sub = PrimArrays'.array_sub_unsafe
  val char = PrimStrings'.string_sub_unsafe

  (* What an edge's number says: a state, if it is not negative; or one of these; or, from `special` down, a state that
     has more to say: its last column has the sum of `matches` and `starting`. *)
  val unknown = ~1
  val dead = ~2
  (* A byte that is none of ASCII, where the edges of words of all alphabets matter. *)
  val quit = ~3
  (* No edge: the text's end, and a search that goes on from elsewhere. *)
  val ended = ~4
  val moved = ~5
  val special = ~8

  (* What is known of a place, as bits. The first three are also in a state, if threads wait. *)
  val textBegin = 0w1
  val lineBegin = 0w2
  val wordBehind = 0w4
  val known = 0w8
  val textEnd = 0w16
  val lineEnd = 0w32
  val wordAhead = 0w64
  val behind = 0w7
  (* Others in a state. *)
  val matched = 0w8
  val waiting = 0w16

  val matches = 1
  val starting = 2

  (* table: a row for each state, of a column for each class of bytes, one for the text's end, and one that says what is
     special; a state's number is that of its row's first element. keys: the states' bits and instructions, as texts.
     starts: the states in which walks begin, at a place of each kind. *)
  type automaton =
    {program : program,
     leftmost : bool,
     classes : string,
     samples : string,
     width : int,
     unicode : bool,
     skips : bool,
     table : int array ref,
     keys : string array ref,
     buckets : int list array ref,
     count : int ref,
     weight : int ref,
     starts : int array,
     seen : int array,
     stamp : int ref,
     now : int array,
     next : int array}

  (* So many numbers may the table have, and so many bytes the keys. *)
  val mostEdges = 0x40000
  val mostBytes = 0x200000

  fun automaton {program as {code, ...} : program, leftmost, classes, count = n, unicode, skips} :
    automaton =
    let
      val samples = CharArray.array (n, #"\000")
      val () =
        CharVector.appi (fn (b, class) => CharArray.update (samples, ord class, chr b)) classes
      val width = n + 2
    in
      {program = program,
       leftmost = leftmost,
       classes = classes,
       samples = CharArray.vector samples,
       width = width,
       unicode = unicode,
       skips = skips,
       table = ref (Array.array (8 * width, unknown)),
       keys = ref (Array.array (8, "")),
       buckets = ref (Array.array (64, [])),
       count = ref 0,
       weight = ref 0,
       starts = Array.array (8, ~1),
       seen = Array.array (Array.length code, 0),
       stamp = ref 0,
       now = Array.array (Array.length code, 0),
       next = Array.array (Array.length code, 0)}
    end

  fun isWord c = Char.isAlphaNum c orelse c = #"_"

  (* What is known of the place behind a byte, and of the place before one. *)
  fun behindByte c =
    Word.orb (if c = #"\n" then lineBegin else 0w0, if isWord c then wordBehind else 0w0)
  fun beforeByte c =
    Word.orb
      (known, Word.orb (if c = #"\n" then lineEnd else 0w0, if isWord c then wordAhead else 0w0))
  val beforeEnd = Word.orb (known, Word.orb (textEnd, lineEnd))

  fun has (place, bit) = Word.andb (place, bit) <> 0w0

  datatype answer =
      Yes
    | No
    | Later

  fun holds (look, place) =
    let
      fun whether b = if b then Yes else No
      fun ahead b = if has (place, known) then whether (b ()) else Later
      fun edge () = has (place, wordBehind) <> has (place, wordAhead)
    in
      case look of
        TextBegin => whether (has (place, textBegin))
      | LineBegin => whether (has (place, lineBegin))
      | TextEnd => ahead (fn () => has (place, textEnd))
      | LineEnd => ahead (fn () => has (place, lineEnd))
      | Word => ahead edge
      | UnicodeWord => ahead edge
      | NotWord => ahead (not o edge)
      | NotUnicodeWord => ahead (not o edge)
    end

  (* Instructions that are reached from one without a byte are added to a list of so many, if they are not there; the
     new number. A Split is in the list too: behind an Assert that holds later, a thread must not come to what was
     before it a second time. *)
  fun close ({program = {code, ...}, seen, stamp, ...} : automaton) (list, place) (pc, n) =
    let
      val mark = !stamp
      fun visit (pc, rest, n) =
        if Array.sub (seen, pc) = mark then others (rest, n)
        else
          (Array.update (seen, pc, mark);
           case Array.sub (code, pc) of
             Split (a, b) => (Array.update (list, n, pc); visit (a, b :: rest, n + 1))
           | Save (_, next) => visit (next, rest, n)
           | Assert (look, next) =>
               (case holds (look, place) of
                  Yes => visit (next, rest, n)
                | No => others (rest, n)
                | Later => add (pc, rest, n))
           | Fail => others (rest, n)
           | _ => add (pc, rest, n))
      and add (pc, rest, n) = (Array.update (list, n, pc); others (rest, n + 1))
      and others ([], n) = n
        | others (pc :: rest, n) = visit (pc, rest, n)
    in
      visit (pc, [], n)
    end

  fun fresh ({stamp, ...} : automaton) = stamp := !stamp + 1

  fun forget ({table, keys, buckets, count, weight, starts, ...} : automaton) =
    (Array.modify (fn _ => unknown) (!table);
     Array.modify (fn _ => "") (!keys);
     Array.modify (fn _ => []) (!buckets);
     Array.modify (fn _ => ~1) starts;
     count := 0;
     weight := 0)

  (* The key of a state: its bits, and the first n instructions of `next`, without Splits that no Assert follows. *)
  fun keyOf ({program = {code, ...}, next, ...} : automaton) (place, isMatch, n) =
    let
      fun lastWaiting i =
        if i < 0 then ~1
        else case Array.sub (code, Array.sub (next, i)) of Assert _ => i | _ => lastWaiting (i - 1)
      val last = lastWaiting (n - 1)
      fun compacted (i, m) =
        if i = n then m
        else
          let
            val pc = Array.sub (next, i)
          in
            case Array.sub (code, pc) of
              Split _ =>
                if i < last then (Array.update (next, m, pc); compacted (i + 1, m + 1))
                else compacted (i + 1, m)
            | _ => (Array.update (next, m, pc); compacted (i + 1, m + 1))
          end
      val n = compacted (0, 0)
      val bits =
        Word.orb (if last >= 0 then Word.orb (waiting, Word.andb (place, behind)) else 0w0,
                  if isMatch then matched else 0w0)
      fun byte i =
        if i = 0 then chr (Word.toInt bits)
        else
          let
            val pc = Array.sub (next, (i - 1) div 3)
          in
            case (i - 1) mod 3 of
              0 => chr (pc mod 256)
            | 1 => chr (pc div 256 mod 256)
            | _ => chr (pc div 65536)
          end
    in
      CharVector.tabulate (1 + 3 * n, byte)
    end

  fun hash (key, n) =
    let
      fun from (i, h) =
        if i = size key then
          Word.toInt (Word.andb (Word.xorb (h, Word.>> (h, 0w17)), Word.fromInt (n - 1)))
        else
          from (i + 1,
                Word.andb (Word.xorb (h, Word.fromInt (ord (String.sub (key, i)))) * 0w16777619,
                           0wxFFFFFFFF))
    in
      from (0, 0w2166136261)
    end

  (* The number of the state with a key, which may be a new one. *)
  fun numberOf (a as {table, keys, buckets, count, weight, width, ...} : automaton) (key, isStart) =
    let
      val h = hash (key, Array.length (!buckets))
      fun known [] = NONE
        | known (n :: rest) = if Array.sub (!keys, n) = key then SOME n else known rest
    in
      case known (Array.sub (!buckets, h)) of
        SOME n => n * width
      | NONE =>
          let
            val full = (!count + 1) * width > mostEdges orelse !weight > mostBytes
            val () = if full andalso !count > 0 then forget a else ()
            val n = !count
            val () =
              if n < Array.length (!keys) then ()
              else
                let
                  val old = !table
                  val oldKeys = !keys
                  val bound = n * width
                in
                  table :=
                    Array.tabulate
                      (2 * bound, fn i => if i < bound then Array.sub (old, i) else unknown);
                  keys :=
                    Array.tabulate (2 * n, fn i => if i < n then Array.sub (oldKeys, i) else "")
                end
            val () =
              if n < Array.length (!buckets) then ()
              else
                let
                  val size = 4 * Array.length (!buckets)
                  val new = Array.array (size, [])
                in
                  Array.appi
                    (fn (i, key) =>
                      if i < n then
                        let
                          val h = hash (key, size)
                        in
                          Array.update (new, h, i :: Array.sub (new, h))
                        end
                      else ())
                    (!keys);
                  buckets := new
                end
            val h = hash (key, Array.length (!buckets))
            val isMatch = has (Word.fromInt (ord (String.sub (key, 0))), matched)
          in
            Array.update (!keys, n, key);
            Array.update (!buckets, h, n :: Array.sub (!buckets, h));
            Array.update (!table,
                          n * width + width - 1,
                          (if isMatch then matches else 0) + (if isStart then starting else 0));
            count := n + 1;
            weight := !weight + size key + 40;
            n * width
          end
    end

  fun numberFor ({table, width, ...} : automaton) st =
    if Array.sub (!table, st + width - 1) = 0 then st else special - st

  (* Where a walk begins: a place with something known of what is behind; `loop`: later beginnings count too. *)
  fun makeStart (a as {program = {entry, loop, ...}, next, starts, skips, ...} : automaton)
    (place, later, index) =
    let
      val () = fresh a
      val n = close a (next, place) (if later then loop else entry, 0)
      val st = numberOf a (keyOf a (place, false, n), later andalso skips)
    in
      Array.update (starts, index, st);
      st
    end

  (* The place behind a byte has the numbers 2, 4 or 6, the text's beginning 0; 1 more where later beginnings count. *)
  fun startIndex (c, later) =
    (if isWord c then 2 else if c = #"\n" then 4 else 6) + (if later then 1 else 0)

  fun startAt (a as {starts, unicode, ...} : automaton) (before', later) =
    case before' of
      NONE =>
        let
          val index = if later then 1 else 0
          val st = Array.sub (starts, index)
        in
          if st >= 0 then st else makeStart a (Word.orb (textBegin, lineBegin), later, index)
        end
    | SOME c =>
        if unicode andalso c >= #"\128" then quit
        else
          let
            val index = startIndex (c, later)
            val st = Array.sub (starts, index)
          in
            if st >= 0 then st else makeStart a (behindByte c, later, index)
          end

  fun takes (instruction, b) =
    case instruction of
      Range (from, to, next) => if from <= b andalso b <= to then [next] else []
    | Set (s, next) => if String.sub (s, b) = #"y" then [next] else []
    | Edges edges =>
        Vector.foldr
          (fn ((from, to, next), l) => if from <= b andalso b <= to then next :: l else l)
          []
          edges
    | _ => []

  (* The number of the edge from a state by a class, or by the text's end, which is the class behind the last. It is put
     into the table, unless the states were forgotten on the way. *)
  fun edge
    (a as {program = {code, ...},
           leftmost,
           samples,
           unicode,
           table,
           keys,
           now,
           next,
           width,
           seen,
           stamp,
           ...} : automaton) (st, class) =
    let
      val key = Array.sub (!keys, st div width)
      val bits = Word.fromInt (ord (String.sub (key, 0)))
      val n = (size key - 1) div 3
      fun instruction i =
        let
          fun byte k = ord (String.sub (key, 1 + 3 * i + k))
        in
          byte 0 + 256 * byte 1 + 65536 * byte 2
        end
      val c = if class < size samples then SOME (String.sub (samples, class)) else NONE
      val n =
        if has (bits, waiting) then
          let
            val place =
              Word.orb
                (Word.andb (bits, behind), case c of SOME c => beforeByte c | NONE => beforeEnd)
            val () = fresh a
            fun each (i, m) =
              if i = n then m
              else
                let
                  val pc = instruction i
                in
                  case Array.sub (code, pc) of
                    Split _ => (Array.update (seen, pc, !stamp); each (i + 1, m))
                  | _ => each (i + 1, close a (now, place) (pc, m))
                end
          in
            each (0, 0)
          end
        else
          let
            fun each i = if i = n then () else (Array.update (now, i, instruction i); each (i + 1))
          in
            each 0;
            n
          end
      val () = fresh a
      val place = case c of SOME c => behindByte c | NONE => 0w0
      fun each (i, m, isMatch) =
        if i = n then (m, isMatch)
        else
          case Array.sub (code, Array.sub (now, i)) of
            Match => if leftmost then (m, true) else each (i + 1, m, true)
          | instruction =>
              (case c of
                 NONE => each (i + 1, m, isMatch)
               | SOME c =>
                   each (i + 1,
                         List.foldl (close a (next, place)) m (takes (instruction, ord c)),
                         isMatch))
    in
      if unicode andalso (case c of SOME c => c >= #"\128" | NONE => false) then
        (Array.update (!table, st + class, quit); quit)
      else
        let
          val (m, isMatch) = each (0, 0, false)
          val target = keyOf a (place, isMatch, m)
        in
          if size target = 1 andalso not isMatch then
            (Array.update (!table, st + class, dead); dead)
          else
            let
              val number = numberFor a (numberOf a (target, false))
            in
              (* Are the states still those? *)
              if st div width < Array.length (!keys) andalso Array.sub (!keys, st div width) = key
              then
                Array.update (!table, st + class, number)
              else ();
              number
            end
        end
    end

  (* -- walks *)

  (* The end of the preferred match that begins at `from`, or later; ~1: there is none; `quit`. The text is what is
     between lo and hi. `earliest`: the end of any match, as soon as there is one. skip: where the next match can begin,
     from a place on. *)
  fun forwards (a as {table, classes, samples, starts, width, unicode, ...} : automaton)
    (text, lo, hi, from, later, earliest, skip : string * int * int -> int) =
    let
      (* A function of its own: these loops are where the time goes. The number of the edge that the loop does not know,
         its state and place, and the last end of a match. *)
      fun steps (st, at, last) =
        let
          val () = PrimFunctions'.noinline ()
          val table = !table
          fun go (st, at, last) =
            if at = hi then (ended, st, at, last)
            else
              let
                val number = sub (table, st + ord (char (classes, ord (char (text, at)))))
              in
                if number >= 0 then go (number, at + 1, last)
                else if number <= special then
                  let
                    val st = special - number
                    val what = sub (table, st + width - 1)
                    val last = if what = starting then last else at
                  in
                    if what = matches then
                      if earliest then (dead, st, at, last) else go (st, at + 1, last)
                    else
                      let
                        val at' = skip (text, at + 1, hi)
                      in
                        if at' = at + 1 then go (st, at', last)
                        else
                          let
                            val c = char (text, at' - 1)
                            val st = sub (starts, startIndex (c, true))
                          in
                            if st < 0 orelse unicode andalso c >= #"\128" then
                              (moved, st, at', last)
                            else go (st, at', last)
                          end
                      end
                  end
                else (number, st, at, last)
              end
        in
          go (st, at, last)
        end

      fun run (st, at, last) =
        let
          val (number, st, at, last) = steps (st, at, last)
        in
          if number = unknown then
            let
              val number = edge a (st, ord (String.sub (classes, ord (String.sub (text, at)))))
            in
              if number >= 0 then run (number, at + 1, last)
              else if number <= special then
                let
                  val st = special - number
                  val isMatch = Array.sub (!table, st + width - 1) mod 2 = matches
                in
                  if isMatch andalso earliest then at
                  else run (st, at + 1, if isMatch then at else last)
                end
              else if number = dead then last
              else number
            end
          else if number = dead then last
          else if number = ended then
            let
              val column = size samples
              val number = Array.sub (!table, st + column)
              val number = if number = unknown then edge a (st, column) else number
            in
              if number <= special
                 andalso Array.sub (!table, special - number + width - 1) mod 2 = matches
              then hi
              else last
            end
          else if number = moved then begin (at, last)
          else number
        end
      and begin (at, last) =
        let
          val st = startAt a (if at = lo then NONE else SOME (String.sub (text, at - 1)), later)
        in
          if st < 0 then st else run (st, at, last)
        end
    in
      begin (if later then skip (text, from, hi) else from, ~1)
    end

  (* The earliest beginning, not before `limit`, of a match that ends at `from`; or `quit`. *)
  fun backwards (a as {table, classes, samples, width, ...} : automaton)
    (text, lo, hi, from, limit) =
    let
      fun steps (st, at, last) =
        let
          val () = PrimFunctions'.noinline ()
          val table = !table
          fun go (st, at, last) =
            if at = limit then (ended, st, at, last)
            else
              let
                val number = sub (table, st + ord (char (classes, ord (char (text, at - 1)))))
              in
                if number >= 0 then go (number, at - 1, last)
                else if number <= special then go (special - number, at - 1, at)
                else (number, st, at, last)
              end
        in
          go (st, at, last)
        end
      fun run (st, at, last) =
        let
          val (number, st, at, last) = steps (st, at, last)
        in
          if number = unknown then
            let
              val number = edge a (st, ord (String.sub (classes, ord (String.sub (text, at - 1)))))
            in
              if number >= 0 then run (number, at - 1, last)
              else if number <= special then run (special - number, at - 1, at)
              else if number = dead then last
              else number
            end
          else if number = ended then
            (* What is before decides whether one begins here. *)
            let
              val column =
                if limit = lo then size samples
                else ord (String.sub (classes, ord (String.sub (text, limit - 1))))
              val number = Array.sub (!table, st + column)
              val number = if number = unknown then edge a (st, column) else number
            in
              if number = quit then quit
              else if number <= special then limit
              else last
            end
          else if number = dead then last
          else number
        end
      val st = startAt a (if from = hi then NONE else SOME (String.sub (text, from)), false)
    in
      if st < 0 then st else run (st, from, ~1)
    end
end
