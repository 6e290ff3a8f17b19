(* Condition': unset, then set for good; for negative acknowledgements and the ends of threads. For the library.

   A condition is a cell: unset it holds those who wait, the last one first, each with how many may still be added before those
   that are over are dropped. Who adds and who sets swap the state for another one, so there is no lock. *)
structure Condition' =
struct
  open BaseEvent'

  (* UNSET, WAITING, SET; AGED: set, and its priority has become higher than 1 since another event was taken *)
  datatype state = datatype Member'.condition
  type state = Member'.condition
  type condition = state ref

  fun condition () : condition = ref UNSET

  fun isSet condition =
    case !condition of
      SET => true
    | AGED _ => true
    | _ => false

  (* the first to come is first *)
  fun reverse (WAITING {fuel, next, synched, thread, waiting}, done) =
        reverse (next,
                 WAITING {fuel = fuel,
                          next = done,
                          synched = synched,
                          thread = thread,
                          waiting = waiting})
    | reverse (_, done) = done

  fun wake (WAITING {next, synched, thread, waiting, ...}) =
        (if isAlone (waiting, synched) then
           if stamp thread = waiting then (setStamp (thread, synched); Thread.ready thread) else ()
         else if seize {synched = synched, thread = thread, waiting = waiting} then
           (setStamp (thread, synched); Thread.ready thread)
         else ();
         wake next)
    | wake _ = ()

  fun set condition =
    let
      fun change () =
        case !condition of
          SET => ()
        | AGED _ => ()
        | unset => if swap (condition, unset, SET) then wake (reverse (unset, UNSET)) else change ()
    in
      Thread.atomicBegin ();
      change ();
      Thread.atomicEnd ()
    end

  (* without those that are over, and how many are left *)
  fun live (WAITING {fuel, next, synched, thread, waiting}, kept, n) =
        if isPast (thread, waiting) then live (next, kept, n)
        else
          live (next,
                WAITING
                  {fuel = fuel, next = kept, synched = synched, thread = thread, waiting = waiting},
                plus (n, 1))
    | live (_, kept, n) = (kept, n)

  fun add (condition, w as {synched, thread, waiting} : waiter) =
    let
      val () = noinline ()
      fun dead (state as WAITING {next, thread, waiting, ...}) =
            if isPast (thread, waiting) then dead next else state
        | dead state = state
      fun behind (state, fuel) =
        WAITING {fuel = fuel, next = state, synched = synched, thread = thread, waiting = waiting}
      fun try (old, new) = if swap (condition, old, new) then WAITS else add (condition, w)
    in
      case !condition of
        UNSET => try (UNSET, behind (UNSET, 16))
      | old as WAITING {fuel, ...} =>
          if fuel > 0 then try (old, behind (dead old, minus (fuel, 1)))
          else
            let
              val (kept, n) = live (old, UNSET, 0)
            in
              try (old, behind (reverse (kept, UNSET), Int.max (16, n)))
            end
      (* set meanwhile *)
      | _ => happened w
    end

  fun conditionEvt (condition, reason) =
    let
      fun poll ages =
        case !condition of
          SET => (if ages then ignore (swap (condition, SET, AGED 2)) else (); 3)
        | old as AGED n =>
            (if ages then ignore (swap (condition, old, AGED (n + 1))) else (); n + 2)
        | _ => 0
      fun commit () =
        (case !condition of
           old as AGED _ => ignore (swap (condition, old, SET))
         | _ => ();
         WON)
      fun block w = add (condition, w)
    in
      base ({poll = poll, commit = commit, block = block, reason = reason, place = nowhere},
            fn () => ())
    end
end
