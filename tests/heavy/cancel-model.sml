(* How the wait of a thread in a scope is cancelled (lib/cml/transaction.sml, scope.sml), as a model that is explored
   exhaustively: every interleaving of a thread that waits twice, one that cancels its scope, and a partner that makes the
   first or the second wait's event happen, each on a worker of its own. Stores may be seen late by others, in the order in
   which they were made, until a compare-and-swap (as on x86-64).

   Checked in every state: a wait is ended once, by its event or by the cancelling. Checked at every end: no wait that is
   cancelled has taken its event, the partner's message has gone to a wait that says so, nobody waits in a cancelled scope,
   and a wait in a cancelled scope raises if its event did not happen. The partner may find that the wait is over.

   With a mistake planted the model must find it: without the fence between `open'` and the look at the scope; with a look
   before `open'`; with a claim that is none; with `open'` stored before `ifCancelled`. *)

CM.make "$/smlnj-lib.cm";

datatype mistake = NONE_PLANTED | NO_FENCE | LOOKS_FIRST | NO_CLAIM | OPENS_FIRST

(* words of memory *)
val cause = 0     (* 1: cancelled *)
val open' = 1     (* the stamp of the wait *)
val ifC = 2       (* the stamp that says that it was cancelled *)
val stamp = 3     (* of the thread *)
val offered = 4   (* the stamp that the partner finds, 0: nothing *)
val words = 5

(* The stamps of wait g, of one event: it waits with `waiting g`, is claimed with 1 more, its event has happened with 2 more,
   it is cancelled with 6 more. *)
fun waiting g = 8 * g
fun cancelled g = 8 * g + 6
fun isOver x = x mod 8 = 2 orelse x mod 8 = 6

exception Wrong of string

(* A step of a worker: what it does to the memory, and where it is then. *)
datatype step =
  STORE of int * int * int                    (* word, value, next *)
| LOAD of int * (int -> int)                  (* word; next, by the value *)
| CAS of int * int * int * int * int          (* word, old, new; next if it was so, else *)
| FENCE of int
| PARK of (int -> int)                        (* goes on when the stamp is over; next by the stamp *)
| STOP

(* places of the thread: 20 * g + ..., of the two others below 100 each *)
fun thread mistake pc =
  let
    val g = pc div 20 + 1
    val base = pc - pc mod 20
    fun at k = base + k
    val after = if g = 2 then 40 else base + 20
  in
    if pc >= 40 then STOP
    else
      case pc mod 20 of
        0 => STORE (stamp, waiting g, at (if mistake = LOOKS_FIRST then 1 else if mistake = OPENS_FIRST then 3 else 2))
      | 1 => LOAD (cause, fn c => if c = 1 then at 6 else at 2)
      | 2 => STORE (ifC, cancelled g, at (if mistake = OPENS_FIRST then 4 else 3))
      | 3 => STORE (open', waiting g, at (if mistake = OPENS_FIRST then 2 else if mistake = LOOKS_FIRST then 7 else 4))
      | 4 => if mistake = NO_FENCE then LOAD (cause, fn c => if c = 1 then at 6 else at 7) else FENCE (at 5)
      | 5 => LOAD (cause, fn c => if c = 1 then at 6 else at 7)
        (* cancelled already: over, unless who cancels has claimed it *)
      | 6 => CAS (stamp, waiting g, cancelled g, after, at 8)
        (* the offer is under a lock *)
      | 7 => CAS (offered, 0, waiting g, at 8, at 8)
      | _ => PARK (fn _ => after)
  end

(* The state: memory, the stores of each worker that others do not see yet, and where each is. The two others keep what
   they have loaded. *)
type state =
  {memory : int list, late : (int * int) list list, pcs : int list, kept : int list list, ends : int list}

fun key ({memory, late, pcs, kept, ends} : state) =
  let
    fun ints l = String.concatWith "," (map Int.toString l)
  in
    String.concatWith ";"
      ([ints memory, ints pcs, ints ends] @ map ints kept
       @ map (fn l => ints (List.concat (map (fn (a, b) => [a, b]) l))) late)
  end

fun set (0, x, _ :: rest) = x :: rest
  | set (k, x, y :: rest) = y :: set (k - 1, x, rest)
  | set (_, _, []) = raise Subscript

(* what worker w loads: its own last late store, or the memory *)
fun load ({memory, late, ...} : state, w, word) =
  case List.find (fn (a, _) => a = word) (rev (List.nth (late, w))) of
    SOME (_, x) => x
  | NONE => List.nth (memory, word)

(* A store to the stamp that ends a wait is noted: each wait ends once. *)
fun write ({memory, late, pcs, kept, ends} : state, word, x) =
  let
    val ends =
      if word = stamp andalso isOver x then
        if List.exists (fn e => e div 8 = x div 8) ends then raise Wrong "a wait ended twice" else x :: ends
      else ends
  in
    {memory = set (word, x, memory), late = late, pcs = pcs, kept = kept, ends = ends}
  end

fun goTo (w, pc, {memory, late, pcs, kept, ends} : state) : state =
  {memory = memory, late = late, pcs = set (w, pc, pcs), kept = kept, ends = ends}
fun keep (w, l, {memory, late, pcs, kept, ends} : state) : state =
  {memory = memory, late = late, pcs = pcs, kept = set (w, l, kept), ends = ends}
fun delay (w, store, {memory, late, pcs, kept, ends} : state) : state =
  {memory = memory, late = set (w, List.nth (late, w) @ [store], late), pcs = pcs, kept = kept, ends = ends}
fun isSeen ({late, ...} : state, w) = List.null (List.nth (late, w))

(* the oldest late store of a worker is seen by all *)
fun flush ({late, memory, pcs, kept, ends} : state, w) =
  case List.nth (late, w) of
    [] => []
  | (word, x) :: rest => [write ({memory = memory, late = set (w, rest, late), pcs = pcs, kept = kept, ends = ends}, word, x)]

fun step mistake (s as {memory, pcs, kept, ...} : state, w) =
  let
    val pc = List.nth (pcs, w)
    val mine = List.nth (kept, w)
    fun plain (STORE (word, x, next)) = [goTo (w, next, delay (w, (word, x), s))]
      | plain (LOAD (word, next)) = [goTo (w, next (load (s, w, word)), s)]
      | plain (CAS (word, old, new, yes, no)) =
          if not (isSeen (s, w)) then []
          else if List.nth (memory, word) = old then [goTo (w, yes, write (s, word, new))]
          else [goTo (w, no, s)]
      | plain (FENCE next) = if isSeen (s, w) then [goTo (w, next, s)] else []
      | plain (PARK next) =
          let val x = load (s, w, stamp)
          in if isOver x then [goTo (w, next x, s)] else [] end
      | plain STOP = []
    (* loads a word, and keeps it *)
    fun take (word, next) = [goTo (w, next, keep (w, mine @ [load (s, w, word)], s))]
  in
    case w of
      0 => plain (thread mistake pc)
    | 1 =>
        (* who cancels: the cause, a fence, open', ifCancelled, a claim, the commit *)
        (case (pc, mine) of
           (0, _) => plain (STORE (cause, 1, 1))
         | (1, _) => plain (FENCE 2)
         | (2, _) => take (open', 3)
         | (3, [w']) => if w' = 0 then [goTo (w, 9, s)] else take (ifC, 4)
         | (4, [w', _]) =>
             if mistake = NO_CLAIM then
               [goTo (w, if load (s, w, stamp) = w' then 5 else 9, s)]
             else
               (* while somebody else decides, it waits *)
               if isSeen (s, w) andalso List.nth (memory, stamp) = w' + 1 then []
               else plain (CAS (stamp, w', w' + 1, 5, 9))
         | (5, [w', c]) => if c div 8 <> w' div 8 then raise Wrong "stamps of two waits" else plain (STORE (stamp, c, 9))
         | _ => [])
    | _ =>
        (* the partner: finds an offer, claims it, commits *)
        (case (pc, mine) of
           (0, _) =>
             let val x = List.nth (memory, offered)
             in if x = 0 then [] else [goTo (w, 1, keep (w, [x], write (s, offered, 0)))] end
         | (1, [x]) => if List.nth (memory, stamp) = x + 1 then [] else plain (CAS (stamp, x, x + 1, 2, 9))
         | (2, [x]) => plain (STORE (stamp, x + 2, 8))
         | _ => [])
  end

(* At an end nobody can go on. *)
fun check ({pcs, ends, ...} : state) =
  let
    val (thread, partner) = (List.nth (pcs, 0), List.nth (pcs, 2))
  in
    if thread < 40 then raise Wrong "the thread waits in a cancelled scope" else ();
    if partner = 8 andalso not (List.exists (fn e => e mod 8 = 2) ends) then raise Wrong "a message is lost" else ();
    if partner <> 8 andalso List.exists (fn e => e mod 8 = 2) ends then raise Wrong "a message from nowhere" else ();
    if length ends <> 2 then raise Wrong "a wait has no end" else ()
  end

fun explore mistake =
  let
    val table : (string, unit) HashTable.hash_table = HashTable.mkTable (HashString.hashString, op =) (1000, Fail "")
    val start : state =
      {memory = List.tabulate (words, fn _ => 0), late = [[], [], []], pcs = [0, 0, 0], kept = [[], [], []], ends = []}
    val ended = ref 0
    fun visit [] = ()
      | visit (s :: rest) =
          if Option.isSome (HashTable.find table (key s)) then visit rest
          else
            let
              val () = HashTable.insert table (key s, ())
              val next = List.concat (List.tabulate (3, fn w => step mistake (s, w) @ flush (s, w)))
            in
              if List.null next then (ended := !ended + 1; check s) else ();
              visit (next @ rest)
            end
  in
    visit [start];
    (HashTable.numItems table, !ended)
  end

val () =
  let val (states, ends) = explore NONE_PLANTED
  in print ("states: " ^ Int.toString states ^ ", ends: " ^ Int.toString ends ^ "\n") end
  handle Wrong what => print ("wrong: " ^ what ^ "\n")

fun plant (name, mistake) =
  (ignore (explore mistake); print (name ^ ": not found\n")) handle Wrong what => print (name ^ ": " ^ what ^ "\n")
val () = plant ("no fence", NO_FENCE)
val () = plant ("looks first", LOOKS_FIRST)
val () = plant ("no claim", NO_CLAIM)
val () = plant ("opens first", OPENS_FIRST)
