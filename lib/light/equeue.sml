(* Equeue: threads as handlers of an event queue. Where a thread would wait, it sets a handler up, which does the rest of its
   work; the events are that an MVar was filled and that one was emptied.

   A thread waits once at each place, so the handlers are one-shot. An event does not carry the value: the handler takes it,
   if nobody was faster, and rejects the event otherwise. So the order of those that wait is that in which the discipline
   asks, and a thread that comes along may be served before them. *)

functor EqueueFn (Q : EVENT_QUEUE) :> EQUEUE =
struct
  exception Deadlock

  type 'a action = ('a -> unit) -> unit
  type process = unit

  (* how many wait for each event: one that nobody waits for is not queued *)
  type 'a mvar =
    {value : 'a option ref,
     filled : Q.source,
     emptied : Q.source,
     takers : int ref,
     putters : int ref}

  fun >>= (action, rest) = action rest
  val finished = ()

  fun mvar () : 'a mvar =
    {value = ref NONE, filled = Q.source (), emptied = Q.source (), takers = ref 0, putters = ref 0}

  fun tell (waiting, source) = if !waiting > 0 then Q.event source else ()

  (* what the action did, if it could be done *)
  fun tryTake ({value, putters, emptied, ...} : 'a mvar) =
    case !value of
      NONE => NONE
    | some => (value := NONE; tell (putters, emptied); some)

  fun tryPut ({value, takers, filled, ...} : 'a mvar, x) =
    case !value of
      NONE => (value := SOME x; tell (takers, filled); SOME ())
    | SOME _ => NONE

  (* Tries it now, or else at each event of the source. *)
  fun wait (attempt, waiting, source) rest =
    case attempt () of
      SOME x => rest x
    | NONE =>
        let
          fun handler event =
            if not (Q.same (event, source)) then Q.Answer.reject ()
            else
              (waiting := !waiting - 1;
               case attempt () of
                 SOME x => (rest x; Q.Answer.finish ())
               | NONE => (waiting := !waiting + 1; Q.Answer.reject ()))
        in
          waiting := !waiting + 1;
          Q.handle' (source, handler)
        end

  fun take (m as {takers, filled, ...} : 'a mvar) = wait (fn () => tryTake m, takers, filled)
  fun put (m as {putters, emptied, ...} : 'a mvar, x) =
    wait (fn () => tryPut (m, x), putters, emptied)

  fun spawn thread rest = (Q.call thread; rest ())
  fun yield () rest = Q.call rest

  fun run main =
    let
      val result = ref NONE
      fun loop () =
        case !result of
          SOME x => x
        | NONE => if Q.step () then loop () else raise Deadlock
    in
      Q.clear ();
      main (fn x => result := SOME x);
      loop ()
    end

  val offers = Q.offers
end

(* The three disciplines, answered by exception as published, and by result. *)
structure Equeue = EqueueFn (Polled (ByException))
structure EqueueOrdered = EqueueFn (Ordered (ByException))
structure EqueueKeyed = EqueueFn (Keyed (ByException))
structure EqueueResult = EqueueFn (Polled (ByResult))
structure EqueueOrderedResult = EqueueFn (Ordered (ByResult))
structure EqueueKeyedResult = EqueueFn (Keyed (ByResult))
