(* SingleFlight: what several threads ask for at a time is done once.

   A flight is a thread of its own, in a scope; those who asked wait for its end. The flight begins, and a thread joins it,
   when the thread's event is offered, not before: so an event that loses a choice at once has begun nothing. *)

signature SINGLE_FLIGHT =
sig
  (* calls under way, by their names *)
  type 'a group

  (* A group without calls. *)
  val group : unit -> 'a group

  (* The result of the function, or its exception. If a call of that name is under way, its result instead: the function
     is not called. The call is in a thread of its own; when all who wait for it have gone (cancelled, or another event has
     happened), it is cancelled. *)
  val run : 'a group * string -> (unit -> 'a) -> 'a
  (* The same as an event. The call begins when a thread waits for it, so in a choice where another event can happen at
     once it does not. *)
  val runEvt : 'a group * string -> (unit -> 'a) -> 'a CML.event
  (* How many calls are under way. *)
  val calls : 'a group -> int
end

structure SingleFlight :> SINGLE_FLIGHT =
struct
  datatype 'a outcome = FLIES | VALUE of 'a | RAISED of exn

  exception Unwanted

  type 'a flight =
    {outcome : 'a outcome ref,
     landed : Event'.condition,
     (* how many wait; ~1 when nobody may join *)
     waiting : int ref,
     (* set when nobody waits any more *)
     unwanted : Event'.condition}

  (* A table of those under way. The seed differs from group to group, since names may come from strangers. *)
  type 'a flights =
    {seed : word, count : int ref, slots : (string * 'a flight) list array ref}
  type 'a group = {lock : int ref, flights : 'a flights}

  fun group () : 'a group =
    {lock = Lock'.new (),
     flights =
       {seed = Word.fromInt (PrimClock'.time_monotonic ()),
        count = ref 0,
        slots = ref (Array.array (8, []))}}

  fun calls ({flights = {count, ...}, ...} : 'a group) = !count

  (* The number of slots is a power of 2. *)
  fun slotOf (seed, slots, name) =
    let
      fun mix (c, h) = Word.xorb (h, Word.fromInt (Char.ord c)) * 0w1099511628211
      val h = CharVector.foldl mix seed name
    in
      Word.toInt
        (Word.andb (Word.xorb (h, Word.>> (h, 0w32)), Word.fromInt (Array.length slots - 1)))
    end

  fun lookUp (_, []) = NONE
    | lookUp (name, (n, flight) :: rest) = if n = name then SOME flight else lookUp (name, rest)

  (* With the lock. *)
  fun find (name, {seed, slots, ...} : 'a flights) =
    lookUp (name, Array.sub (!slots, slotOf (seed, !slots, name)))

  fun put (slots, seed, entry as (name, _)) =
    let
      val i = slotOf (seed, slots, name)
    in
      Array.update (slots, i, entry :: Array.sub (slots, i))
    end

  fun add ({seed, count, slots} : 'a flights, entry) =
    let
      val old = !slots
      val () =
        if !count < Array.length old then ()
        else
          let
            val new = Array.array (2 * Array.length old, [])
          in
            Array.app (List.app (fn entry => put (new, seed, entry))) old;
            slots := new
          end
    in
      put (!slots, seed, entry);
      count := !count + 1
    end

  (* If it is there. *)
  fun drop ({seed, count, slots} : 'a flights, name, flight : 'a flight) =
    let
      val i = slotOf (seed, !slots, name)
      fun isIt (_, {waiting, ...} : 'a flight) = waiting = #waiting flight
      val (found, others) = List.partition isIt (Array.sub (!slots, i))
    in
      Array.update (!slots, i, others);
      count := !count - List.length found
    end

  fun fly
    ({lock, flights} : 'a group, name, flight as {outcome, landed, unwanted, ...} : 'a flight, f)
    () =
    let
      fun land result =
        let
          val () = Lock'.take lock
          val isNow = case !outcome of FLIES => true | _ => false
        in
          if isNow then (drop (flights, name, flight); outcome := result) else ();
          Lock'.release lock;
          Event'.set landed
        end
      (* The function may say CML.exit. *)
      val () = ThreadProps'.atEnd (fn () => land (RAISED Member'.Cancelled))
      val result =
        VALUE (Scope.run (fn scope =>
                 (Scope.daemon scope (fn () =>
                    (Event'.sync (Event'.conditionEvt (unwanted, ParkReason'.choose));
                     Scope.cancel (scope, Unwanted)));
                  f ())))
        handle e => RAISED e
    in
      land result;
      ThreadProps'.ends ()
    end

  (* In an atomic section, which goes on: joins a flight, or begins one. *)
  fun join (group as {lock, flights} : 'a group, name, f) =
    let
      val () = Lock'.lock lock
      val flight =
        case find (name, flights) of
          SOME (flight as {waiting, ...}) => (waiting := !waiting + 1; flight)
        | NONE =>
            let
              val flight =
                {outcome = ref FLIES,
                 landed = Event'.condition (),
                 waiting = ref 1,
                 unwanted = Event'.condition ()}
            in
              add (flights, (name, flight));
              Thread.ready (Thread.new (fly (group, name, flight, f)));
              flight
            end
    in
      Lock'.unlock lock;
      flight
    end

  (* One who waited has gone: the last one ends the flight, and who comes now begins another one. *)
  fun leave ({lock, flights} : 'a group, name, flight as {waiting, unwanted, ...} : 'a flight) =
    let
      val () = Lock'.take lock
      val () = waiting := !waiting - 1
      val isLast = !waiting = 0
    in
      if isLast then drop (flights, name, flight) else ();
      Lock'.release lock;
      if isLast then Event'.set unwanted else ()
    end

  fun runEvt (group, name) f =
    Event'.guard (fn () =>
      let
        val joined = ref NONE
        fun block w =
          let
            val flight as {landed, ...} = join (group, name, f)
          in
            joined := SOME flight;
            case Condition'.add (landed, w) of
              Event'.WAITS => Event'.CANCEL (fn () => leave (group, name, flight))
            | Event'.GONE => (leave (group, name, flight); Event'.GONE)
            | other => other
          end
        fun result () =
          case !joined of
            SOME {outcome = ref (VALUE x), ...} => x
          | SOME {outcome = ref (RAISED e), ...} => raise e
          | _ => raise Fail "SingleFlight"
      in
        Event'.base ({poll = fn _ => Event'.fixed false,
                      commit = fn () => Event'.LOST,
                      block = block,
                      reason = ParkReason'.variable,
                      place = Event'.nowhere},
                     result)
      end)
  fun run (group, name) f = Event'.sync (runEvt (group, name) f)
end
