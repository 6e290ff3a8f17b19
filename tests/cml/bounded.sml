(* Mailboxes with a bound. There were none: a program whose producers are faster than its consumers kept every message in
   memory, and programs that counted tokens by hand got it wrong.

   What must hold on any number of workers, whatever the order: no more than the bound go in without a receiver; every
   message comes once, those of a sender in their order; a send that is cancelled, or that loses a choice, leaves nothing;
   who waits goes on when there is room; both ends in one choice do not serve each other. *)
open CML

val ms = Time.fromMilliseconds
fun say true what = print (what ^ "\n")
  | say false what = print ("NOT: " ^ what ^ "\n")
fun repeat (0, _) = ()
  | repeat (n, f) = (f (); repeat (n - 1, f))
(* a small generator of its own for each user *)
fun random seed =
  let val state = ref (Word.fromInt seed * 0w2654435761 + 0w12345)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word.toInt (Word.mod (Word.>> (!state, 0w33), Word.fromInt n)))
  end
fun drain box =
  case Mailbox.recvPoll box of
    SOME x => x :: drain box
  | NONE => []

(* -- which bounds there are *)
val () =
  app (fn n => say ((ignore (Mailbox.bounded n : int Mailbox.mbox); false) handle Size => true) ("no bound of " ^ Int.toString n))
    [0, ~1, valOf Int.minInt]
val () = say (null (drain (Mailbox.bounded (valOf Int.maxInt) : int Mailbox.mbox))) "any other"

(* -- one thread, against a list: what does not wait *)
val () =
  let
    val next = random 7
    fun play (box, bound) =
      let
        fun go (0, _, _) = true
          | go (n, held, x) =
              case next 6 of
                0 => if length held < bound then (Mailbox.send (box, x); go (n - 1, held @ [x], x + 1)) else go (n - 1, held, x)
              | 1 =>
                  let val sent = Mailbox.sendPoll (box, x)
                  in sent = (length held < bound) andalso go (n - 1, if sent then held @ [x] else held, x + 1) end
              | 2 =>
                  let
                    val sent =
                      select [wrap (Mailbox.sendEvt (box, x), fn () => true), wrap (timeOutEvt Time.zeroTime, fn () => false)]
                  in
                    (not sent orelse length held < bound) andalso go (n - 1, if sent then held @ [x] else held, x + 1)
                  end
              | 3 =>
                  if next 40 > 0 then go (n, held, x)
                  else drain box = held andalso go (n - 1, [], x)
              | k =>
                  let
                    val found =
                      if k = 4 orelse null held then Mailbox.recvPoll box
                      else SOME (if next 2 = 0 then Mailbox.recv box else sync (Mailbox.recvEvt box))
                  in
                    case (found, held) of
                      (NONE, []) => go (n - 1, [], x)
                    | (SOME y, first :: rest) => y = first andalso go (n - 1, rest, x)
                    | _ => false
                  end
      in
        go (400, [], 0)
      end
  in
    say (List.all (fn bound => play (Mailbox.bounded bound, bound)) [1, 2, 3, 7, 50]) "as a list with a bound";
    say (play (Mailbox.mailbox (), 1000000)) "without a bound, always room"
  end

(* -- nobody receives: so many go in, and no more; then all come, in order *)
fun fills bound =
  let
    val box = Mailbox.bounded bound
    val gone : int Mailbox.mbox = Mailbox.mailbox ()
    fun sender i () = (Mailbox.send (box, i); Mailbox.send (gone, i))
    val n = bound + 5
    val () = app (fn i => ignore (spawn (sender i))) (List.tabulate (n, fn i => i))
    val () = repeat (bound, fn () => ignore (Mailbox.recv gone))
    val () = sync (timeOutEvt (ms 2))
    val early = Mailbox.recvPoll gone
    val all = List.tabulate (n, fn _ => Mailbox.recv box)
  in
    repeat (5, fn () => ignore (Mailbox.recv gone));
    early = NONE andalso List.all (fn i => List.exists (fn x => x = i) all) (List.tabulate (n, fn i => i))
    andalso null (drain box)
  end
val () = say (List.all fills [1, 2, 10]) "as many as the bound, then the others"

(* -- many of both kinds, by plain calls and by choices that lose now and then *)
val () =
  let
    val (senders, receivers, each) = (5, 4, 60)
    val box : (int * int) Mailbox.mbox = Mailbox.bounded 3
    val quiet : unit chan = channel ()
    val stop : unit SyncVar.ivar = SyncVar.iVar ()
    val done : unit Mailbox.mbox = Mailbox.mailbox ()
    val got : (int * int) list Mailbox.mbox = Mailbox.mailbox ()
    fun sender id () =
      let
        val next = random id
        fun go k =
          if k = each then Mailbox.send (done, ())
          else if
            case next 4 of
              0 => (Mailbox.send (box, (id, k)); true)
            | 1 => (sync (Mailbox.sendEvt (box, (id, k))); true)
            | 2 => Mailbox.sendPoll (box, (id, k)) orelse (yield (); false)
            | _ =>
                select
                  [wrap (recvEvt quiet, fn () => false), wrap (Mailbox.sendEvt (box, (id, k)), fn () => true),
                   wrap (timeOutEvt (Time.fromMicroseconds (LargeInt.fromInt (next 60))), fn () => false)]
          then go (k + 1)
          else go k
      in
        go 0
      end
    fun receiver id () =
      let
        val next = random (100 + id)
        fun go l =
          case
            select
              [wrap (Mailbox.recvEvt box, SOME o SOME), wrap (SyncVar.iGetEvt stop, fn () => NONE),
               wrap (timeOutEvt (Time.fromMicroseconds (LargeInt.fromInt (next 60))), fn () => SOME NONE)]
          of
            SOME (SOME x) => go (x :: l)
          | SOME NONE => go (case if next 2 = 0 then Mailbox.recvPoll box else NONE of SOME x => x :: l | NONE => l)
          | NONE => Mailbox.send (got, l)
      in
        go []
      end
    val () = app (fn id => ignore (spawn (receiver id))) (List.tabulate (receivers, fn i => i))
    val () = app (fn id => ignore (spawn (sender id))) (List.tabulate (senders, fn i => i))
    val () = repeat (senders, fn () => Mailbox.recv done)
    val rest = fn () => drain box
    val () = SyncVar.iPut (stop, ())
    val lists = List.tabulate (receivers, fn _ => Mailbox.recv got)
    val all = rest () @ List.concat lists
    fun falls ((a, k) :: rest) = List.all (fn (b, m) => a <> b orelse k > m) rest andalso falls rest
      | falls [] = true
    fun once (a, k) = length (List.filter (fn x => x = (a, k)) all) = 1
  in
    say (length all = senders * each) "none lost, none doubled";
    say (List.all (fn a => List.all (fn k => once (a, k)) (List.tabulate (each, fn k => k))) (List.tabulate (senders, fn a => a)))
      "each once";
    say (List.all falls lists) "those of a sender in their order"
  end

(* -- both ends in one choice, alone and among others *)
val () =
  let
    val box : int Mailbox.mbox = Mailbox.bounded 1
    fun both x = select [wrap (Mailbox.sendEvt (box, x), fn () => 0), wrap (Mailbox.recvEvt box, fn y => y)]
    val first = both 1
    (* full: sending is no more possible, so it receives *)
    val second = both 2
    val results : (int * int) Mailbox.mbox = Mailbox.mailbox ()
    fun player id () =
      let
        fun go (0, sent, got) = Mailbox.send (results, (sent, got))
          | go (n, sent, got) =
              case both (id * 100 + n) of
                0 => go (n - 1, sent + id * 100 + n, got)
              | y => go (n - 1, sent, got + y)
      in
        go (40, 0, 0)
      end
    val () = app (fn id => ignore (spawn (player id))) [1, 2, 3, 4]
    val sums = List.tabulate (4, fn _ => Mailbox.recv results)
    val (sent, got) = foldl (fn ((s, g), (s', g')) => (s + s', g + g')) (0, 0) sums
  in
    say (first = 0 andalso second = 1) "sends, then receives";
    say (sent = got + foldl op + 0 (drain box)) "what was sent was received"
  end

(* -- cancelled while it waits: the message never comes, the place in the queue is free *)
val () =
  let
    val box : int Mailbox.mbox = Mailbox.bounded 1
    val () = Mailbox.send (box, 0)
    fun cancelled f = not (isSome (Scope.within (ms 1) (fn _ => f ())))
    val a = cancelled (fn () => Mailbox.send (box, 1))
    val b = cancelled (fn () => sync (Mailbox.sendEvt (box, 2)))
    val c = cancelled (fn () => select [Mailbox.sendEvt (box, 3), never])
    val told : unit Mailbox.mbox = Mailbox.mailbox ()
    val d =
      select
        [withNack (fn nack => (ignore (spawn (fn () => (sync nack; Mailbox.send (told, ())))); wrap (Mailbox.sendEvt (box, 4), fn () => false))),
         wrap (timeOutEvt (ms 1), fn () => true)]
    val () = Mailbox.recv told
    val held = drain box
    val e = cancelled (fn () => Mailbox.recv box)
    val f = cancelled (fn () => sync (Mailbox.recvEvt box))
    val () = Mailbox.send (box, 5)
  in
    say (a andalso b andalso c andalso d) "cancelled";
    say (held = [0]) "nothing of them came";
    say (e andalso f andalso drain box = [5]) "nor was anything taken by them"
  end

(* -- as tokens: the count is guarded, so the additions are, with one token *)
val () =
  let
    val token : unit Mailbox.mbox = Mailbox.bounded 1
    val count = ref 0
    val done : unit Mailbox.mbox = Mailbox.mailbox ()
    fun worker () =
      (repeat (30, fn () => (Mailbox.send (token, ()); count := !count + 1; Mailbox.recv token));
       Mailbox.send (done, ()))
    val () = repeat (4, fn () => ignore (spawn worker))
    val () = repeat (4, fn () => Mailbox.recv done)
  in
    say (!count = 120) "one at a time"
  end
