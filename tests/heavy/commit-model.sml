(* The commit protocol of lib/cml/event.sml and channel.sml, as a model that is explored exhaustively: every interleaving of
   two or three threads, each on a worker of its own, that synchronise once or twice on choices over two channels. A step is
   one access to a stamp, or what a lock protects.

   Checked in every state: a transaction is committed once, by whoever has claimed it, and each rendezvous joins a sender
   and a receiver of one channel. Checked at the end of every run: nobody waits who could meet another one that waits (no
   lost wake-up); no wake-up is left over. Checked of the whole graph: an end can be reached from every state (progress). *)

datatype way = SEND | RECV
type event = way * int

(* -- states *)

type entry = {t : int, gen : int, i : int}

(* stamp: generation and state; 0 WAITING, 1 CLAIMED, 2 + i SYNCHED by event i *)
type stamp = int * int

datatype pc =
  POLL of int * int list                   (* next event to look at; those enabled *)
| LOCK of int * int list                   (* commit to this one; the other enabled ones *)
| TAKE of int * int list                   (* holds its channel's lock *)
| GIVE of int * int list * entry           (* has claimed the partner *)
| FREE of int * int                        (* give the lock back, then wake this thread *)
| WAKE of int * int
| OFFER of int                             (* wants the lock of this event *)
| SCAN of int * entry list                 (* holds it; the entries passed *)
| OWN of int * entry * entry list          (* claims itself for this partner *)
| SECOND of int * entry * entry list       (* claims the partner *)
| BOTH of int * entry * entry list
| SELF of int * entry
| LATE of int * entry list                 (* its own transaction is over *)
| PARK
| CHECK                                    (* woken: is it over? *)
| END of int                               (* synchronised by this event *)
| DONE

type thread = {pc : pc, gen : int, left : event list list}
type state =
  {threads : thread list, stamps : stamp list, permits : int list,
   (* holder + 1 or 0, by channel; queues by channel: senders, receivers *)
   locks : int list, queues : (entry list * entry list) list,
   (* who has met whom: thread, generation, event on both sides, not yet seen by its thread *)
   met : (int * int * int) list}

exception Wrong of string

fun set (0, x, _ :: rest) = x :: rest
  | set (k, x, y :: rest) = y :: set (k - 1, x, rest)
  | set (_, _, []) = raise Subscript

(* -- keys *)

fun c n = String.str (Char.chr (n + 33))
fun ints l = String.concat (map c l) ^ " "
fun entry {t, gen, i} = [t, gen, i]
fun entries l = List.concat (map entry l)
fun pcKey pc =
  ints
    (case pc of
       POLL (i, l) => 0 :: i :: l
     | LOCK (i, l) => 1 :: i :: l
     | TAKE (i, l) => 2 :: i :: l
     | GIVE (i, l, e) => 3 :: i :: entry e @ l
     | FREE (i, t) => [4, i, t]
     | WAKE (i, t) => [5, i, t]
     | OFFER i => [6, i]
     | SCAN (i, l) => 7 :: i :: entries l
     | OWN (i, e, l) => 8 :: i :: entries (e :: l)
     | SECOND (i, e, l) => 9 :: i :: entries (e :: l)
     | BOTH (i, e, l) => 10 :: i :: entries (e :: l)
     | SELF (i, e) => 11 :: i :: entry e
     | LATE (i, l) => 12 :: i :: entries l
     | PARK => [13]
     | CHECK => [14]
     | END i => [15, i]
     | DONE => [16])
fun key ({threads, stamps, permits, locks, queues, met} : state) =
  String.concat
    [String.concat (map (fn {pc, gen, left} => pcKey pc ^ ints [gen, length left]) threads),
     ints (List.concat (map (fn (g, s) => [g, s]) stamps)), ints permits, ints locks,
     String.concat (map (fn (a, b) => ints (entries a) ^ ints (entries b)) queues),
     ints (List.concat (map (fn (a, b, c) => [a, b, c]) met))]

(* -- steps *)

fun threadOf (s : state, t) = List.nth (#threads s, t)
fun stampOf (s : state, t) = List.nth (#stamps s, t)
fun withPc ({threads, stamps, permits, locks, queues, met} : state, t, pc) : state =
  let val {gen, left, ...} = List.nth (threads, t)
  in
    {threads = set (t, {pc = pc, gen = gen, left = left}, threads), stamps = stamps, permits = permits, locks = locks,
     queues = queues, met = met}
  end
fun withThread ({threads, stamps, permits, locks, queues, met} : state, t, th) : state =
  {threads = set (t, th, threads), stamps = stamps, permits = permits, locks = locks, queues = queues, met = met}
fun withStamp ({threads, stamps, permits, locks, queues, met} : state, t, st) : state =
  {threads = threads, stamps = set (t, st, stamps), permits = permits, locks = locks, queues = queues, met = met}
fun withPermit ({threads, stamps, permits, locks, queues, met} : state, t, p) : state =
  {threads = threads, stamps = stamps, permits = set (t, p, permits), locks = locks, queues = queues, met = met}
fun withLock ({threads, stamps, permits, locks, queues, met} : state, ch, l) : state =
  {threads = threads, stamps = stamps, permits = permits, locks = set (ch, l, locks), queues = queues, met = met}
fun withMet ({threads, stamps, permits, locks, queues, met = _} : state, met) : state =
  {threads = threads, stamps = stamps, permits = permits, locks = locks, queues = queues, met = met}
fun queueOf (s : state, ch, SEND) = #1 (List.nth (#queues s, ch))
  | queueOf (s, ch, RECV) = #2 (List.nth (#queues s, ch))
fun withQueue ({threads, stamps, permits, locks, queues, met} : state, ch, way, q) : state =
  let
    val (a, b) = List.nth (queues, ch)
    val pair = case way of SEND => (q, b) | RECV => (a, q)
  in
    {threads = threads, stamps = stamps, permits = permits, locks = locks, queues = set (ch, pair, queues), met = met}
  end

fun other SEND = RECV
  | other RECV = SEND

fun choiceOf (s, t) = hd (#left (threadOf (s, t)))
fun eventOf (s, t, i) : event = List.nth (choiceOf (s, t), i)
fun isOver (s, {t, gen, ...} : entry) = let val (g, st) = stampOf (s, t) in g > gen orelse st > 1 end
(* compare-and-swap from WAITING to CLAIMED *)
fun claim (s, t, gen) =
  let val (g, st) = stampOf (s, t)
  in if g = gen andalso st = 0 then SOME (withStamp (s, t, (gen, 1))) else NONE end
fun release (s, t, gen) = withStamp (s, t, (gen, 0))
fun commit (s, t, gen, i) =
  if stampOf (s, t) = (gen, 1) then withStamp (s, t, (gen, 2 + i)) else raise Wrong "committed without a claim"

(* the event of the partner's entry must be the other half *)
fun meet (s : state, t, gen, i, {t = u, gen = h, i = j} : entry) =
  let
    val (way, ch) = eventOf (s, t, i)
    val (way', ch') = eventOf (s, u, j)
  in
    if t = u orelse way = way' orelse ch <> ch' then raise Wrong "no rendezvous" else ();
    withMet (s, (t, gen, i) :: (u, h, j) :: #met s)
  end

fun without (x, l) = List.filter (fn y => y <> x) l

(* what thread t can do *)
fun steps (s : state, t) : state list =
  let
    val {pc, gen, left} = threadOf (s, t)
    fun go pc = withPc (s, t, pc)
    fun free ch = List.nth (#locks s, ch) = 0
    fun waitsFor (i, f) = let val (way, ch) = eventOf (s, t, i) in if free ch then f (way, ch) else [] end
  in
    case pc of
      POLL (i, found) =>
        if i = length (hd left) then
          (case found of
             [] => [withStamp (withThread (s, t, {pc = OFFER 0, gen = gen + 1, left = left}), t, (gen + 1, 0))]
           | _ => map (fn k => go (LOCK (k, without (k, found)))) found)
        else
          waitsFor (i, fn (way, ch) =>
            let
              val q = List.filter (fn e => not (isOver (s, e))) (queueOf (s, ch, other way))
              val s = withQueue (s, ch, other way, q)
            in
              [withPc (s, t, POLL (i + 1, if null q then found else i :: found))]
            end)
    | LOCK (i, rest) => waitsFor (i, fn (_, ch) => [withPc (withLock (s, ch, t + 1), t, TAKE (i, rest))])
    | TAKE (i, rest) =>
        let val (way, ch) = eventOf (s, t, i)
        in
          case queueOf (s, ch, other way) of
            [] =>
              (* lost: the next one, or offer all *)
              let val s = withLock (s, ch, 0)
              in
                case rest of
                  [] => [withStamp (withThread (s, t, {pc = OFFER 0, gen = gen + 1, left = left}), t, (gen + 1, 0))]
                | _ => map (fn k => withPc (s, t, LOCK (k, without (k, rest)))) rest
              end
          | e :: q =>
              case claim (s, #t e, #gen e) of
                SOME s => [withPc (withQueue (s, ch, other way, q), t, GIVE (i, rest, e))]
              | NONE => if isOver (s, e) then [withQueue (s, ch, other way, q)] else [] (* spins *)
        end
    | GIVE (i, _, e) =>
        [withPc (commit (meet (s, t, gen + 1, i, e), #t e, #gen e, #i e), t, FREE (i, #t e))]
    | FREE (i, u) => [withPc (withLock (s, #2 (eventOf (s, t, i)), 0), t, WAKE (i, u))]
    | WAKE (i, u) =>
        if List.nth (#permits s, u) > 0 then raise Wrong "woken twice" else [withPc (withPermit (s, u, 1), t, END i)]
    | OFFER i =>
        if i = length (hd left) then [go PARK]
        else waitsFor (i, fn (_, ch) => [withPc (withLock (s, ch, t + 1), t, SCAN (i, []))])
    | SCAN (i, kept) =>
        let val (way, ch) = eventOf (s, t, i)
        in
          case queueOf (s, ch, other way) of
            [] =>
              let
                val s = withQueue (s, ch, other way, rev kept)
                val s = withQueue (s, ch, way, queueOf (s, ch, way) @ [{t = t, gen = gen, i = i}])
              in
                [withPc (withLock (s, ch, 0), t, OFFER (i + 1))]
              end
          | e :: q =>
              let val s = withQueue (s, ch, other way, q)
              in
                if #t e = t then [withPc (s, t, SCAN (i, e :: kept))]
                else if isOver (s, e) then [withPc (s, t, SCAN (i, kept))]
                else [withPc (s, t, OWN (i, e, kept))]
              end
        end
    | OWN (i, e, kept) =>
        (case claim (s, t, gen) of
           SOME s => [withPc (s, t, SECOND (i, e, kept))]
         | NONE => if #2 (stampOf (s, t)) > 1 then [go (LATE (i, e :: kept))] else [])
    | SECOND (i, e, kept) =>
        (case claim (s, #t e, #gen e) of
           SOME s => [withPc (s, t, BOTH (i, e, kept))]
         | NONE =>
             if isOver (s, e) then [withPc (release (s, t, gen), t, SCAN (i, kept))]
             else if t < #t e then []
             else [withPc (release (s, t, gen), t, OWN (i, e, kept))])
    | BOTH (i, e, kept) =>
        let
          val (way, ch) = eventOf (s, t, i)
          val s = withQueue (s, ch, other way, rev kept @ queueOf (s, ch, other way))
        in
          [withPc (commit (meet (s, t, gen, i, e), #t e, #gen e, #i e), t, SELF (i, e))]
        end
    | SELF (i, e) => [withPc (commit (s, t, gen, i), t, FREE (i, #t e))]
    | LATE (i, kept) =>
        let
          val (way, ch) = eventOf (s, t, i)
          val s = withQueue (s, ch, other way, rev kept @ queueOf (s, ch, other way))
        in
          [withPc (withLock (s, ch, 0), t, PARK)]
        end
    | PARK => if List.nth (#permits s, t) = 0 then [] else [withPc (withPermit (s, t, 0), t, CHECK)]
    | CHECK => let val (_, st) = stampOf (s, t) in [go (if st > 1 then END (st - 2) else PARK)] end
    | END i =>
        let
          (* one who committed without an offer has no generation of his own for it: he has the next one *)
          val mine = List.filter (fn (u, _, _) => u = t) (#met s)
          val s = withMet (s, List.filter (fn (u, _, _) => u <> t) (#met s))
        in
          (case mine of
             [(_, _, j)] => if i = j then () else raise Wrong "another event than the one that happened"
           | _ => raise Wrong "not one rendezvous");
          case tl left of
            [] => [withThread (s, t, {pc = DONE, gen = gen, left = []})]
          | rest => [withThread (s, t, {pc = POLL (0, []), gen = gen, left = rest})]
        end
    | DONE => []
  end

(* nothing can be done any more *)
fun checkEnd (s : state) =
  let
    fun waiting t = case #pc (threadOf (s, t)) of PARK => true | _ => false
    val all = List.tabulate (length (#threads s), fn t => t)
    fun could (a, b) =
      a <> b andalso waiting a andalso waiting b
      andalso List.exists (fn (way, ch) => List.exists (fn e => e = (other way, ch)) (choiceOf (s, b))) (choiceOf (s, a))
  in
    if List.exists (fn a => List.exists (fn b => could (a, b)) all) all then raise Wrong "lost wake-up" else ();
    if List.exists (fn t => not (waiting t) andalso #pc (threadOf (s, t)) <> DONE) all then raise Wrong "stuck" else ();
    if List.exists (fn p => p > 0) (#permits s) then raise Wrong "a wake-up is left over" else ();
    if List.exists (fn l => l > 0) (#locks s) then raise Wrong "a lock is left" else ()
  end

(* -- exploration *)

val buckets = 65536
fun hash s = Word.toInt (Word.andb (CharVector.foldl (fn (c, h) => h * 0w31 + Word.fromInt (ord c)) 0w7 s, 0w65535))

fun explore (name, programs : event list list list) =
  let
    val table = Array.array (buckets, [] : (string * int) list)
    val count = ref 0
    val edges : (int * int) list ref = ref []
    val ends : int list ref = ref []
    val todo : (state * int) list ref = ref []
    fun number s =
      let
        val k = key s
        val h = hash k
        val bucket = Array.sub (table, h)
      in
        case List.find (fn (k', _) => k' = k) bucket of
          SOME (_, n) => n
        | NONE =>
            let val n = !count
            in
              Array.update (table, h, (k, n) :: bucket);
              count := n + 1;
              todo := (s, n) :: !todo;
              n
            end
      end
    fun run () =
      case !todo of
        [] => ()
      | (s, n) :: rest =>
          let
            val () = todo := rest
            val next = List.concat (List.tabulate (length programs, fn t => steps (s, t)))
          in
            if null next then (checkEnd s; ends := n :: !ends)
            else app (fn s' => edges := (number s', n) :: !edges) next;
            run ()
          end
    val none = map (fn _ => 0) programs
    val _ =
      number
        {threads = map (fn p => {pc = POLL (0, []), gen = 0, left = p}) programs,
         stamps = map (fn _ => (0, 2)) programs, permits = none, locks = [0, 0], queues = [([], []), ([], [])], met = []}
    val () = run ()
    (* backwards from the ends *)
    val into = Array.array (!count, [] : int list)
    val () = app (fn (a, b) => Array.update (into, a, b :: Array.sub (into, a))) (!edges)
    val seen = Array.array (!count, false)
    fun back [] = ()
      | back (n :: rest) =
          if Array.sub (seen, n) then back rest
          else (Array.update (seen, n, true); back (List.revAppend (Array.sub (into, n), rest)))
    val () = back (!ends)
  in
    if Array.all (fn b => b) seen then () else raise Wrong "no end can be reached";
    print (name ^ ": " ^ Int.toString (!count) ^ " states ok\n")
  end
  handle Wrong what => print (name ^ " WRONG: " ^ what ^ "\n")

val both = [(SEND, 0), (RECV, 1)]
val htob = [(SEND, 1), (RECV, 0)]
val () = explore ("a sender and a receiver", [[[(SEND, 0)]], [[(RECV, 0)]]])
val () = explore ("crossed choices", [[both], [htob]])
val () = explore ("crossed choices, twice", [[both, both], [htob, htob]])
val () = explore ("both ends of one channel", [[[(SEND, 0), (RECV, 0)]], [[(RECV, 0), (SEND, 0)]]])
val () = explore ("both ends of one channel, three threads",
                  [[[(SEND, 0), (RECV, 0)]], [[(SEND, 0), (RECV, 0)]], [[(RECV, 0), (SEND, 0)]]])
val () = explore ("a choice between two partners", [[[(SEND, 0), (SEND, 1)]], [[(RECV, 0)]], [[(RECV, 1)]]])
val () = explore ("a cycle of three", [[[(SEND, 0), (RECV, 1)]], [[(RECV, 0), (SEND, 1)]], [[(SEND, 0), (RECV, 0)]]])
val () = explore ("one channel twice in a choice", [[[(SEND, 0), (SEND, 0)]], [[(RECV, 0), (RECV, 0)]], [[(RECV, 0)]]])
val () = explore ("dead entries of an earlier choice", [[both, [(RECV, 1)]], [[(RECV, 0)], [(SEND, 1)]]])
val () = explore ("three crossed choices", [[both], [htob], [both]])
val () = explore ("three crossed choices, once more", [[both, htob], [htob, both], [both]])
val () = explore ("a ring of three", [[both], [[(RECV, 0), (SEND, 1)], [(SEND, 0)]], [[(RECV, 0), (RECV, 1)]]])
