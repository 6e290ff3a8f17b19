(* Event': first-class synchronous operations, and what base events are made of. For the library; programs see CML.Event. *)
signature EVENT' =
sig
  type waiter = Transaction'.waiter

  (* See BaseEvent'. *)
  datatype committed = datatype BaseEvent'.committed
  datatype blocked = datatype Transaction'.blocked
  type base = BaseEvent'.base

  type 'a event

  (* The second gives the result, outside the atomic section, when it has happened. *)
  val base : base * (unit -> 'a) -> 'a event
  (* Likewise; the result is the message that was left. *)
  val received : base -> 'a event
  (* The message that was left for the running thread by `complete`, `commit` or `block`: once, and with its own type. *)
  val message : unit -> 'a
  val leave : Thread.thread * 'a -> unit

  (* For who makes a waiter's event happen: false when its transaction is over. The lock may be held. *)
  val complete : waiter * 'a -> bool

  val never : 'a event
  val alwaysEvt : 'a -> 'a event
  val wrap : 'a event * ('a -> 'b) -> 'b event
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  val guard : (unit -> 'a event) -> 'a event
  val withNack : (unit event -> 'a event) -> 'a event
  val choose : 'a event list -> 'a event
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a

  (* A condition: unset, then set for good. *)
  type condition
  val condition : unit -> condition
  val set : condition -> unit
  val isSet : condition -> bool
  (* the number is the reason of `base` *)
  val conditionEvt : condition * int -> unit event

  (* what `poll` says of a fixed event: whether it is enabled *)
  val fixed : bool -> int

  (* what knows where the program has made what an event is of *)
  type place = Transaction'.place
  val nowhere : place
end

structure Event' :> EVENT' where type condition = Member'.condition ref =
struct
  open Sync'

  val never = CHOOSE []

  fun alwaysEvt x =
    base ({poll = fn _ => fixed true,
           commit = fn () => WON,
           block = fn _ => WAITS,
           reason = 0,
           place = nowhere},
          fn () => x)

  fun wrap (BASE (base, MESSAGE), f) = BASE (base, THUNK (fn () => f (collect ())))
    | wrap (BASE (base, THUNK value), f) = BASE (base, THUNK (fn () => f (value ())))
    | wrap (CHOOSE events, f) = CHOOSE (map (fn event => wrap (event, f)) events)
    | wrap (GUARD g, f) = GUARD (fn () => wrap (g (), f))
    | wrap (NACK g, f) = NACK (fn nack => wrap (g nack, f))

  (* a message raises nothing *)
  fun wrapHandler (event as BASE (_, MESSAGE), _) = event
    | wrapHandler (BASE (base, THUNK value), h) =
        BASE (base, THUNK (fn () => value () handle e => h e))
    | wrapHandler (CHOOSE events, h) = CHOOSE (map (fn event => wrapHandler (event, h)) events)
    | wrapHandler (GUARD g, h) = GUARD (fn () => wrapHandler (g (), h))
    | wrapHandler (NACK g, h) = NACK (fn nack => wrapHandler (g nack, h))

  val guard = GUARD
  val withNack = NACK
  (* choices of base events alone stay flat *)
  fun choose [event] = event
    | choose events =
        let
          fun isFlat (BASE _) = true
            | isFlat (CHOOSE events) = List.all (fn BASE _ => true | _ => false) events
            | isFlat _ = false
          fun parts (CHOOSE events) = events
            | parts event = [event]
        in
          if List.exists (fn CHOOSE _ => true | _ => false) events andalso List.all isFlat events
          then
            CHOOSE (List.concat (map parts events))
          else CHOOSE events
        end

  fun select (events as _ :: _ :: _) = syncMany (events, false)
    | select events = sync (choose events)
end
