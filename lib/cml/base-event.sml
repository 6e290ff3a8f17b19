(* BaseEvent': what an event is made of. For the library; Event' has what others use of it.

   An event is a base event with a function that gives its result, a choice, or something that makes an event when a thread
   synchronises on it. *)
structure BaseEvent' =
struct
  open Transaction'

  (* What a base event is made of. The three functions run in an atomic section. Each takes and releases what locks it
     needs.

     poll: 0 when the event cannot happen at once, else its priority. 1 is the lowest. 2 is that of an event with a
     fixed priority, which counts as the number of enabled events. 2 + n is the priority n of an event whose priority
     rises while it is passed over. A poll takes nothing and may be repeated. Its argument says that the thread may
     choose another event instead; then a priority that rises is higher at the next poll.

     commit: makes the event happen; this thread has offered nothing yet. WON: it has happened. READY t: likewise, and
     t is to be made ready. SWITCH t: likewise, and t is to run at once. LOST: another worker was faster (never with one worker).

     block: offers the event to others. A thread that makes it happen claims the waiter, leaves the message, commits,
     and makes the waiting thread ready; `complete` does all of that. The runtime does it for events without a message
     (timers, descriptors): what it keeps is the waiter, or for a timer the waiter's fields. The answers:
       WAITS     it is offered
       CANCEL f  likewise; f is called when another event of the choice has won
       TIMER t   likewise; t is the number of a timer, which is stopped then
       MATCHED   a partner had come since the poll: both are committed, the partner is ready, and the message is left
       GONE      the waiter's transaction was over already
     The last two never occur with one worker. *)
  datatype committed = WON | READY of Thread.thread | SWITCH of Thread.thread | LOST
  datatype blocked = datatype Transaction'.blocked
  type base =
    {poll : bool -> int,
     commit : unit -> committed,
     block : waiter -> blocked,
     (* the number that a thread dump shows for a thread that waits for this event alone *)
     reason : int,
     (* likewise: the place where the channel or variable was made (Transaction'.place), or `nowhere` *)
     place : place}

  (* How the event's result is found: it is the message that the partner has left, or what a function gives. *)
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

  (* Makes a waiter's event happen, with that message; false when the waiter's transaction is over. The caller may have
     the lock of what the event belongs to. *)
  fun complete (w, message) =
    if seize w then
      (leave (#thread w, message);
       commit w;
       Thread.ready (#thread w);
       true)
    else false

  (* What `poll` answers for an event with a fixed priority. *)
  fun fixed isEnabled = if isEnabled then 2 else 0
end
