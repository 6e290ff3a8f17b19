(* The ways to answer and the three disciplines of an event queue. *)

(* As published: a handler that does not want an event raises Reject, one that is to be removed raises Terminate. *)
structure ByException : ANSWER =
struct
  exception Reject
  exception Terminate

  type answer = unit
  datatype verdict = REJECTED | ACCEPTED | FINISHED

  fun reject () = raise Reject
  fun accept () = ()
  fun finish () = raise Terminate

  fun ask (handler, event) =
    (handler event; ACCEPTED) handle Reject => REJECTED | Terminate => FINISHED
end

(* A result says the same. The difference between the two is what the exceptions cost. *)
structure ByResult : ANSWER =
struct
  datatype verdict = REJECTED | ACCEPTED | FINISHED
  type answer = verdict

  fun reject () = REJECTED
  fun accept () = ACCEPTED
  fun finish () = FINISHED

  fun ask (handler, event) = handler event
end

(* Handlers in the order in which they were set up. An entry that is removed while somebody remembers it, since it is the
   generator of an event, stays as a place until that event is dispatched. What has left has no pointers: the next entries do
   not hang on old ones that the collector has not looked at for long. *)
structure Row =
struct
  datatype 'h entry =
    ENTRY of
        {handler : 'h,
         next : 'h link ref,
         previous : 'h link ref,
         removed : bool ref,
         events : int ref}
  and 'h link = END | TO of 'h entry

  type 'h row = {first : 'h link ref, last : 'h link ref}

  fun new () : 'h row = {first = ref END, last = ref END}
  fun clear ({first, last} : 'h row) = (first := END; last := END)
  fun first ({first, ...} : 'h row) = !first
  fun next (ENTRY {next, ...}) = !next
  fun isRemoved (ENTRY {removed, ...}) = !removed
  fun same (ENTRY {removed = a, ...}, ENTRY {removed = b, ...}) = a = b

  fun append ({first, last} : 'h row, handler) =
    let
      val entry =
        TO (ENTRY {handler = handler,
                   next = ref END,
                   previous = ref (!last),
                   removed = ref false,
                   events = ref 0})
    in
      (case !last of END => first := entry | TO (ENTRY {next, ...}) => next := entry);
      last := entry
    end

  fun leave ({first, last} : 'h row, ENTRY {next, previous, ...}) =
    ((case !previous of END => first := !next | TO (ENTRY {next = its, ...}) => its := !next);
     (case !next of
        END => last := !previous
      | TO (ENTRY {previous = its, ...}) => its := !previous);
     next := END;
     previous := END)

  fun remove (row, entry as ENTRY {removed, events, ...}) =
    (removed := true;
     if !events = 0 then leave (row, entry) else ())

  fun remember (ENTRY {events, ...}) = events := !events + 1
  fun forget (row, entry as ENTRY {removed, events, ...}) =
    (events := !events - 1;
     if !removed andalso !events = 0 then leave (row, entry) else ())
end

(* Polled and Ordered share all but where they begin to ask. *)
functor InTurn (structure Answer : ANSWER val fromGenerator : bool) :> EVENT_QUEUE
  where type Answer.answer = Answer.answer =
struct
  structure Answer = Answer

  type source = unit ref
  fun source () = ref ()
  fun same (a : source, b) = a = b

  type handler = source -> Answer.answer

  (* an event has with it the handler that was running when it came, if that matters *)
  datatype event = EVENT of source * handler Row.link | CALL of unit -> unit

  val handlers : handler Row.row = Row.new ()
  val events : event Fifo.fifo ref = ref Fifo.empty
  val running : handler Row.link ref = ref Row.END
  val offered = ref 0

  fun clear () = (Row.clear handlers; events := Fifo.empty; running := Row.END; offered := 0)
  fun offers () = !offered

  fun handle' (_, handler) = Row.append (handlers, handler)
  fun event source =
    let
      val generator = if fromGenerator then !running else Row.END
    in
      case generator of Row.TO entry => Row.remember entry | Row.END => ();
      events := Fifo.add (!events, EVENT (source, generator))
    end
  fun call f = events := Fifo.add (!events, CALL f)

  fun ask (entry as Row.ENTRY {handler, ...}, source) =
    let
      val () = offered := !offered + 1
      val () = running := Row.TO entry
      val verdict = Answer.ask (handler, source)
    in
      running := Row.END;
      verdict
    end

  (* Offers the event to the handlers from this one on, up to that one or the last; whether one has accepted it. *)
  fun offer (_, Row.END, _) = false
    | offer (source, Row.TO entry, stop) =
        let
          val rejected =
            Row.isRemoved entry
            orelse (case ask (entry, source) of
                      Answer.REJECTED => true
                    | Answer.ACCEPTED => false
                    | Answer.FINISHED => (Row.remove (handlers, entry); false))
        in
          if not rejected then true
          else if isAt (entry, stop) then false
          else offer (source, Row.next entry, stop)
        end
  and isAt (entry, Row.TO stop) = Row.same (entry, stop)
    | isAt (_, Row.END) = false

  (* As the document proposes: the handlers set up after the one that the event comes from, in their order; then the others. *)
  fun dispatch (source, generator) =
    case generator of
      Row.END => ignore (offer (source, Row.first handlers, Row.END))
    | Row.TO entry =>
        (offer (source, Row.next entry, Row.END)
         orelse offer (source, Row.first handlers, generator);
         Row.forget (handlers, entry))

  fun step () =
    case Fifo.take (!events) of
      NONE => false
    | SOME (event, rest) =>
        (events := rest;
         (case event of CALL f => f () | EVENT e => dispatch e);
         true)
end

(* Each event is offered to all handlers, in the order in which they were set up. *)
functor Polled (Answer : ANSWER) = InTurn (structure Answer = Answer val fromGenerator = false)

(* The same, but those set up after the handler that the event comes from are asked first. *)
functor Ordered (Answer : ANSWER) = InTurn (structure Answer = Answer val fromGenerator = true)

(* A source has its handlers, and an event of the source is offered to them only. *)
functor Keyed (Answer : ANSWER) :> EVENT_QUEUE where type Answer.answer = Answer.answer =
struct
  structure Answer = Answer

  datatype source = SOURCE of (source -> Answer.answer) Fifo.fifo ref
  fun source () = SOURCE (ref Fifo.empty)
  fun same (SOURCE a, SOURCE b) = a = b

  datatype event = EVENT of source | CALL of unit -> unit

  val events : event Fifo.fifo ref = ref Fifo.empty
  val offered = ref 0

  fun clear () = (events := Fifo.empty; offered := 0)
  fun offers () = !offered

  fun handle' (SOURCE handlers, handler) = handlers := Fifo.add (!handlers, handler)
  fun event source = events := Fifo.add (!events, EVENT source)
  fun call f = events := Fifo.add (!events, CALL f)

  (* the handlers that have rejected it, the last one first *)
  fun dispatch (source as SOURCE handlers, rejected) =
    case Fifo.take (!handlers) of
      NONE => List.app (fn h => handle' (source, h)) (rev rejected)
    | SOME (handler, rest) =>
        (handlers := rest;
         offered := !offered + 1;
         case Answer.ask (handler, source) of
           Answer.REJECTED => dispatch (source, handler :: rejected)
         | Answer.ACCEPTED => back (handlers, handler :: rejected)
         | Answer.FINISHED => back (handlers, rejected))
  (* to their places before those that were not asked *)
  and back (_, []) = ()
    | back (handlers, kept) =
        let
          fun all fifo = case Fifo.take fifo of NONE => [] | SOME (h, rest) => h :: all rest
        in
          handlers :=
            foldl (fn (h, fifo) => Fifo.add (fifo, h)) Fifo.empty (rev kept @ all (!handlers))
        end

  fun step () =
    case Fifo.take (!events) of
      NONE => false
    | SOME (event, rest) =>
        (events := rest;
         (case event of CALL f => f () | EVENT source => dispatch (source, []));
         true)
end
