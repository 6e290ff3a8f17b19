(* BaseEvent': what an event is made of. For the library; Event' has what others use of it.

   An event is a base event with a function that gives its result, a choice, or something that makes an event when a thread
   synchronises on it. *)
structure BaseEvent' =
struct
  open Transaction'

  (* What a base event is made of. All three run in an atomic section; a lock is theirs to take and to release.

     poll: 0 when it cannot be done at once. Else its priority: 1 is the lowest, 2 is that of a fixed event, which is as high
     as there are enabled ones, 2 + n is n, of one that ages. It changes nothing that is seen, and is asked again; but when it
     is told that another one may be done instead, one that ages is higher the next time.

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
    {poll : bool -> int, commit : unit -> committed, block : waiter -> blocked,
     (* of a thread that waits for it alone: the number that a thread dump shows *)
     reason : int,
     (* likewise: what knows where the program has made what it belongs to, or `nowhere` *)
     place : place}

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

  (* what `poll` says of a fixed event *)
  fun fixed isEnabled = if isEnabled then 2 else 0
end
