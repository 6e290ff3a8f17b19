(* Condition': unset, then set for good; for negative acknowledgements and the ends of threads. For the library. *)
structure Condition' =
struct
  open BaseEvent'

  type condition = {lock : int ref, isSet : bool ref, priority : int ref, fuel : int ref, waiting : unit Waiting'.queue}

  fun condition () : condition = {lock = Lock'.new (), isSet = ref false, priority = ref 1, fuel = ref 16, waiting = Waiting'.new ()}

  fun isSet ({isSet, ...} : condition) = !isSet

  fun set ({lock, isSet, waiting, ...} : condition) =
    let
      fun wake () =
        case Waiting'.take waiting of
          Waiting'.NOBODY => ()
        | Waiting'.ITEM {thread, synched, ...} => (setStamp (thread, synched); Thread.ready thread; wake ())
    in
      Lock'.take lock;
      isSet := true;
      wake ();
      Lock'.release lock
    end

  fun conditionEvt ({lock, isSet, priority, fuel, waiting} : condition, reason) =
    let
      fun poll () = !isSet
      fun commit () = (priority := 1; WON)
      (* set meanwhile: as if somebody had set it now *)
      fun own w =
        case claim w of
          CLAIMED => (Transaction'.commit w; MATCHED)
        | OVER => GONE
        | BUSY => (Lock'.pause (); own w)
      fun block w =
        (Lock'.take lock;
         if !isSet then (Lock'.release lock; own w)
         else Waiting'.addChoice (waiting, w, (), fuel) before Lock'.release lock)
    in
      base ({poll = poll, priority = priority, commit = commit, block = block, reason = reason, made = ""}, fn () => ())
    end
end
