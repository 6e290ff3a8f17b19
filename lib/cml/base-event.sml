(* BaseEvent': what an event is made of. For the library; Event' has what others use of it.

   An event is a base event with a function that gives its result, a choice, or something that makes an event when a thread
   synchronises on it. *)
structure BaseEvent' =
struct
  open Transaction'

  (* What a base event is made of. All three run in an atomic section; a lock is theirs to take and to release.

     poll: whether it can be done at once. It changes nothing that is seen, and is asked again.

     priority: above 0 it ages, each time that the event could be done; 0 is that of a fixed event; below 0 it is fixed
     too, and as many are enabled as it says.

     commit: does it, nothing being offered by this thread, and says so (WON), or whom to run at once then (SWITCH), or
     that another worker was faster (LOST; never with one worker).

     block: offers it. Whoever makes it happen must claim the waiter, leave the message, commit, and make the thread ready:
     `complete` is all of that. The runtime can do it for a message of no content (timers, descriptors: its token is the
     waiter, or a timer carries its fields). The answer: WAITS; CANCEL f, f being called when another event of the choice
     has won; TIMER t, t being the number of a timer that is cancelled then; or MATCHED, when a partner was there by now
     (never with one worker): both are committed, the partner is ready, and the message is left; or GONE, when the waiter
     was over (likewise never with one worker). *)
  datatype committed = WON | SWITCH of Thread.thread | LOST
  datatype blocked = datatype Transaction'.blocked
  type base =
    {poll : unit -> bool, priority : int ref, commit : unit -> committed, block : waiter -> blocked,
     (* of a thread that waits for it alone: the number that a thread dump shows *)
     reason : int,
     (* likewise: where the program has made what it belongs to, or "" *)
     made : string}

  (* The result: the message that was left, or what a function makes. *)
  datatype 'a value = MESSAGE | THUNK of unit -> 'a

  fun result MESSAGE = collect ()
    | result (THUNK f) = f ()

  datatype 'a event =
    BASE of base * 'a value
  | CHOOSE of 'a event list
  | GUARD of unit -> 'a event
  | NACK of unit event -> 'a event

  fun base (b, value) = BASE (b, THUNK value)
  fun received b = BASE (b, MESSAGE)
  val message = collect

  (* For who makes a waiter's event happen: false when its transaction is over. The lock may be held. *)
  fun complete (w, message) =
    if seize w then
      (leave (#thread w, message);
       commit w;
       Thread.ready (#thread w);
       true)
    else false

  (* the priority of a fixed event *)
  val fixed = ref 0

  (* bumps one that ages: the next one that looks finds a higher one *)
  fun level priority =
    let val p = !priority
    in
      if p > 0 then (priority := p + 1; p + 1) else ~p
    end
end
