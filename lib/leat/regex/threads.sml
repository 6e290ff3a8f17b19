(* RegexThreads': the groups of a match, and matches that a deterministic automaton cannot find.

   `track` walks over a short text and looks at one way after the other, the preferred one first, and at none twice (RE2
   and Go do so). `race` has all ways side by side (Pike's virtual machine): its memory does not grow with the text.
   Both take time in proportion to the text's length times that of the program. *)

structure RegexThreads' =
struct
  open RegexProgram'

  (* A character that begins at i, or ends there, if it is one in UTF-8. *)
  fun characterAt (text, hi, i) =
    let
      val b = ord (String.sub (text, i))
      fun tail (code, least, from, to) =
        if from = to then
          if code < least orelse code > 0x10FFFF orelse (code >= 0xD800 andalso code < 0xE000) then
            NONE
          else SOME (code, to)
        else if from < hi andalso ord (String.sub (text, from)) div 64 = 2 then
          tail (code * 64 + ord (String.sub (text, from)) mod 64, least, from + 1, to)
        else NONE
    in
      if b < 0x80 then SOME (b, i + 1)
      else if b < 0xC0 then NONE
      else if b < 0xE0 then tail (b mod 32, 0x80, i + 1, i + 2)
      else if b < 0xF0 then tail (b mod 16, 0x800, i + 1, i + 3)
      else if b < 0xF8 then tail (b mod 8, 0x10000, i + 1, i + 4)
      else NONE
    end

  fun characterBefore (text, lo, i) =
    let
      fun back j =
        if j < lo orelse i - j > 4 then NONE
        else if ord (String.sub (text, j)) div 64 = 2 then back (j - 1)
        else
          case characterAt (text, i, j) of
            SOME (c, next) => if next = i then SOME c else NONE
          | NONE => NONE
    in
      back (i - 1)
    end

  (* Whether a number is in one of the sorted ranges. *)
  fun within ranges c =
    let
      fun search (a, b) =
        if a >= b then false
        else
          let
            val middle = (a + b) div 2
            val (from, to) = Vector.sub (ranges, middle)
          in
            if c < from then search (a, middle)
            else if c > to then search (middle + 1, b)
            else true
          end
    in
      search (0, Vector.length ranges)
    end

  (* Whether the look holds at i. words: the characters of words, if the expression looks for them. *)
  fun holds words (text, lo, hi) (look, i) =
    let
      fun isWord c = Char.isAlphaNum c orelse c = #"_"
      fun byte j = j >= lo andalso j < hi andalso isWord (String.sub (text, j))
      fun inWord c = if c < 0x80 then isWord (chr c) else within words c
      fun character () =
        (case if i > lo then characterBefore (text, lo, i) else NONE of
           SOME c => inWord c
         | NONE => false) <>
          (case if i < hi then characterAt (text, hi, i) else NONE of
             SOME (c, _) => inWord c
           | NONE => false)
    in
      case look of
        TextBegin => i = lo
      | TextEnd => i = hi
      | LineBegin => i = lo orelse String.sub (text, i - 1) = #"\n"
      | LineEnd => i = hi orelse String.sub (text, i) = #"\n"
      | Word => byte (i - 1) <> byte i
      | NotWord => byte (i - 1) = byte i
      | UnicodeWord => character ()
      | NotUnicodeWord => not (character ())
    end

  fun edgeOf (edges, b) =
    let
      fun search (low, high) =
        if low >= high then ~1
        else
          let
            val middle = (low + high) div 2
            val (from, to, next) = Vector.sub (edges, middle)
          in
            if b < from then search (low, middle)
            else if b > to then search (middle + 1, high)
            else next
          end
    in
      search (0, Vector.length edges)
    end

  (* Where an instruction leads by a byte, or ~1. *)
  fun step (instruction, b) =
    case instruction of
      Range (from, to, next) => if from <= b andalso b <= to then next else ~1
    | Set (s, next) => if String.sub (s, b) = #"y" then next else ~1
    | Edges edges => edgeOf (edges, b)
    | _ => ~1

  (* So many pairs of an instruction and a place may `track` note. *)
  val mostTracked = 0x10000

  fun isShort ({code, ...} : program, start, stop) =
    Array.length code * (stop - start + 1) <= mostTracked

  datatype way =
      Try of int * int
    (* Another way has written this place. *)
    | Back of int * int

  (* The places of the groups of the match that begins at `start` and ends at `stop`: for each its beginning and its
     end, or ~1. *)
  fun track ({code, entry, ...} : program, groups, holds) (text, start, stop) =
    let
      val slots = Array.array (2 * groups + 2, ~1)
      val wide = stop - start + 1
      val seen = CharArray.array (Array.length code * wide, #"n")
      fun visit (pc, i, ways) =
        case Array.sub (code, pc) of
          Range (from, to, next) =>
            if i < stop then
              let
                val b = ord (String.sub (text, i))
              in
                if from <= b andalso b <= to then visit (next, i + 1, ways) else others ways
              end
            else others ways
        | Split (a, b) =>
            let
              val place = pc * wide + i - start
            in
              if CharArray.sub (seen, place) = #"y" then others ways
              else (CharArray.update (seen, place, #"y"); visit (a, i, Try (b, i) :: ways))
            end
        | Save (slot, next) =>
            let
              val old = Array.sub (slots, slot)
            in
              Array.update (slots, slot, i);
              visit (next, i, case ways of [] => [] | _ => Back (slot, old) :: ways)
            end
        | Assert (look, next) => if holds (look, i) then visit (next, i, ways) else others ways
        | Match =>
            (* A match that ends before is none that is preferred. *)
            if i = stop then () else others ways
        | Fail => others ways
        | instruction =>
            if i < stop then
              case step (instruction, ord (String.sub (text, i))) of
                ~1 => others ways
              | next => visit (next, i + 1, ways)
            else others ways
      and others [] = ()
        | others (Try (pc, i) :: ways) = visit (pc, i, ways)
        | others (Back (slot, old) :: ways) = (Array.update (slots, slot, old); others ways)
    in
      visit (entry, start, []);
      Array.update (slots, 0, start);
      Array.update (slots, 1, stop);
      Array.vector slots
    end

  (* The slots of a thread: those that were written last, before all others, and how many stand there. Threads that part
     have what they had in common once, and a vector of its own for each would be copied at each group. *)
  datatype slots = Slots of int vector | Written of int * int * slots * int

  fun vectorOf slots =
    let
      fun go (Slots v, []) = v
        | go (Slots v, oldest) =
            let
              val a = Array.tabulate (Vector.length v, fn k => Vector.sub (v, k))
            in
              List.app (fn (slot, i) => Array.update (a, slot, i)) oldest;
              Array.vector a
            end
        | go (Written (slot, i, rest, _), oldest) = go (rest, (slot, i) :: oldest)
    in
      go (slots, [])
    end

  (* Not more than so many are kept before the others, or a thread would have all that it has ever written. *)
  fun written most (slots, slot, i) =
    case slots of
      Slots _ => Written (slot, i, slots, 1)
    | Written (_, _, _, n) =>
        if n < most then Written (slot, i, slots, n + 1)
        else Slots (Vector.update (vectorOf slots, slot, i))

  (* The places of the preferred match that begins at `from`, or, with `later`, behind it, and of its groups, if there
     is one. skip: where the next match can begin, from a place on. stop: where the text ends; `whole`: of interest is
     what ends there alone. seen, stamp: an array for all instructions, and a number that is greater than all in it. *)
  fun race ({code, entry, ...} : program, groups, holds)
    {text, from, stop, later, whole, skip, seen, stamp} =
    let
      val none = Slots (Vector.tabulate (2 * groups + 2, fn _ => ~1))
      val write = written (2 * groups + 8)
      (* The mark of a place. *)
      val base = !stamp + 1 - from
      val () = stamp := base + stop + 1

      (* Threads from an instruction on, added to those that are there, the last one first. *)
      fun close (pc, slots, i, threads) =
        let
          fun visit (pc, slots, rest, threads) =
            if Array.sub (seen, pc) = base + i then others (rest, threads)
            else
              (Array.update (seen, pc, base + i);
               case Array.sub (code, pc) of
                 Split (a, b) => visit (a, slots, (b, slots) :: rest, threads)
               | Save (slot, next) => visit (next, write (slots, slot, i), rest, threads)
               | Assert (look, next) =>
                   if holds (look, i) then visit (next, slots, rest, threads)
                   else others (rest, threads)
               | Fail => others (rest, threads)
               | _ => others (rest, (pc, slots) :: threads))
          and others ([], threads) = threads
            | others ((pc, slots) :: rest, threads) = visit (pc, slots, rest, threads)
        in
          visit (pc, slots, [], threads)
        end

      (* Threads at i, the preferred one first. *)
      fun run (i, threads, best) =
        let
          val i = if null threads andalso later then skip (text, i, stop) else i
          val begins = not (isSome best) andalso (later orelse i = from)
          val threads =
            rev
              (if begins then close (entry, write (none, 0, i), i, rev threads)
               else rev threads)
          fun each ([], next, best) = (next, best)
            | each ((pc, slots) :: rest, next, best) =
                case Array.sub (code, pc) of
                  Match =>
                    if whole andalso i < stop then each (rest, next, best)
                    else (next, SOME (write (slots, 1, i)))
                | instruction =>
                    if i = stop then each (rest, next, best)
                    else
                      case step (instruction, ord (String.sub (text, i))) of
                        ~1 => each (rest, next, best)
                      | to => each (rest, close (to, slots, i + 1, next), best)
          val (next, best) = each (threads, [], best)
        in
          if i = stop orelse null next andalso (isSome best orelse not later) then best
          else run (i + 1, rev next, best)
        end
    in
      Option.map vectorOf (run (from, [], NONE))
    end
end
