(* Waiting': queues of waiters, each with what it offers. Those whose transaction is over are dropped when they come to the front;
   when one that has several events is added, those at the end that are over give place to it, and when as many were added
   as there were others, all of them go. So there are never more of them than that (or 16). The caller has the lock of what
   the queue belongs to. *)
structure Waiting' =
struct
  open Transaction'

  (* a waiter, what it offers, and the next one; one object *)
  datatype 'a items =
      NOBODY
    | ITEM of {next : 'a items, offer : 'a, synched : int, thread : Thread.thread, waiting : int}

  (* first to last, and last to first *)
  type 'a queue = {front : 'a items ref, back : 'a items ref}

  fun new () : 'a queue = {front = ref NOBODY, back = ref NOBODY}
  fun clear ({front, back} : 'a queue) = (front := NOBODY; back := NOBODY)

  (* When a cell has a queue because a second thread waited, it may go back to a lighter state. `idle` counts how often nobody
     was left in its queue since there was last more than one in it. *)
  val patience = 32
  fun contend ({front, back} : 'a queue, idle) =
    case (!front, !back) of
      (NOBODY, NOBODY) => ()
    | _ => idle := 0
  fun isIdle ({front, back} : 'a queue, idle) =
    case (!front, !back) of
      (NOBODY, NOBODY) => (idle := plus (!idle, 1); !idle > patience)
    | _ => false

  fun reverse (NOBODY, done) = done
    | reverse (ITEM {next, offer, synched, thread, waiting}, done) =
        reverse (next,
                 ITEM {next = done,
                       offer = offer,
                       synched = synched,
                       thread = thread,
                       waiting = waiting})

  fun length (NOBODY, n) = n
    | length (ITEM {next, ...}, n) = length (next, n + 1)

  fun waiterOf {next : 'a items, offer : 'a, synched, thread, waiting} : waiter =
    {synched = synched, thread = thread, waiting = waiting}

  (* The waiter has this event only, so it is over when it is taken. *)
  fun add ({back, ...} : 'a queue, {synched, thread, waiting} : waiter, offer) =
    back :=
      ITEM {next = !back, offer = offer, synched = synched, thread = thread, waiting = waiting}

  fun sweep ({front, back} : 'a queue, fuel) =
    let
      fun live (NOBODY, kept, n) = (kept, n)
        | live (ITEM (item as {next, offer, synched, thread, waiting}), kept, n) =
            if isOver (waiterOf item) then live (next, kept, n)
            else
              live (next,
                    ITEM {next = kept,
                          offer = offer,
                          synched = synched,
                          thread = thread,
                          waiting = waiting},
                    n + 1)
      (* the front from its end, then the back *)
      val (kept, n) = live (reverse (!back, NOBODY), #1 (live (!front, NOBODY, 0)), 0)
      val (kept, n) = live (kept, NOBODY, 0)
    in
      front := kept;
      back := NOBODY;
      fuel := Int.max (16, n)
    end

  (* The waiter has other events too. The last argument is how many may be added until the next sweep. *)
  fun addBehind (q as {back, ...} : 'a queue, {synched, thread, waiting} : waiter, offer, fuel) =
    let
      val () = noinline ()
      fun dead (items as ITEM {next, thread, waiting, ...}) =
            if isPast (thread, waiting) then dead next else items
        | dead NOBODY = NOBODY
    in
      if !fuel <= 0 then sweep (q, fuel) else ();
      back :=
        ITEM {next = dead (!back),
              offer = offer,
              synched = synched,
              thread = thread,
              waiting = waiting};
      fuel := minus (!fuel, 1);
      WAITS
    end

  (* The same; nobody stands there, or one who is over, as happens most. *)
  fun addChoice
    (q as {back, ...} : 'a queue, w as {synched, thread, waiting} : waiter, offer, fuel) =
    let
      fun first () =
        (back :=
           ITEM
             {next = NOBODY, offer = offer, synched = synched, thread = thread, waiting = waiting};
         WAITS)
    in
      case !back of
        NOBODY => first ()
      | ITEM {next = NOBODY, thread, waiting, ...} =>
          if isPast (thread, waiting) then first () else addBehind (q, w, offer, fuel)
      | _ => addBehind (q, w, offer, fuel)
    end

  (* Is there anybody? Another worker may take him before you do. *)
  fun isWaiting ({front, back} : 'a queue) =
    case !front of
      ITEM (item as {next, ...}) =>
        if isOver (waiterOf item) then (front := next; isWaiting {front = front, back = back})
        else true
    | NOBODY =>
        case !back of
          NOBODY => false
        | items =>
            (front := reverse (items, NOBODY);
             back := NOBODY;
             isWaiting {front = front, back = back})

  fun pop ({front, back} : 'a queue) =
    case !front of
      item as ITEM {next, ...} => (front := next; item)
    | NOBODY =>
        case !back of
          NOBODY => NOBODY
        | item as ITEM {next = NOBODY, ...} => (back := NOBODY; item)
        | items =>
            (back := NOBODY;
             case reverse (items, NOBODY) of
               item as ITEM {next, ...} => (front := next; item)
             | NOBODY => NOBODY)

  (* The first who still waits, claimed. *)
  fun take q =
    case pop q of
      NOBODY => NOBODY
    | found as ITEM (item as {thread, waiting, synched, ...}) =>
        if isAlone (waiting, synched) then if stamp thread = waiting then found else take q
        else if seize (waiterOf item) then found
        else take q

  (* Likewise for a thread whose own transaction is open to others: both are claimed. *)
  datatype 'a match = MATCH of 'a items | NONE_LIVE | TOO_LATE

  fun match ({front, back} : 'a queue, own) =
    let
      (* the items that were passed, before others *)
      fun keep ([], items) = items
        | keep ({next = _, offer, synched, thread, waiting} :: kept, items) =
            keep (kept,
                  ITEM {next = items,
                        offer = offer,
                        synched = synched,
                        thread = thread,
                        waiting = waiting})
      fun go (NOBODY, kept) =
            (case !back of
               NOBODY => (front := keep (kept, NOBODY); NONE_LIVE)
             | items => (back := NOBODY; go (reverse (items, NOBODY), kept)))
        | go (items as ITEM (item as {next, ...}), kept) =
            case seizeBoth (own, waiterOf item) of
              BOTH => (front := keep (kept, next); MATCH items)
            | DROP => go (next, kept)
            | KEEP => go (next, item :: kept)
            | LATE => (front := keep (kept, items); TOO_LATE)
    in
      go (!front, [])
    end
end
