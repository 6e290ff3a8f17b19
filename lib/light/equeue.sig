(* What an event queue is made of: how handlers answer (ANSWER), and to whom an event is offered (EVENT_QUEUE).

   After the Equeue module of Stolpmann's Ocamlnet: a system has handlers, and a queue of events that are offered to them. A
   handler rejects an event that is not for it. One that has accepted an event stays for more, or is removed. *)

signature ANSWER =
sig
  type answer
  datatype verdict = REJECTED | ACCEPTED | FINISHED

  (* what a handler returns, if it returns: the event is not for it *)
  val reject : unit -> answer
  (* the event was for it, and it stays for more *)
  val accept : unit -> answer
  (* accepts, and the handler is removed *)
  val finish : unit -> answer

  (* offers the event to the handler, and says what it has answered *)
  val ask : ('a -> answer) * 'a -> verdict
end

signature EVENT_QUEUE =
sig
  structure Answer : ANSWER

  (* what events are of *)
  type source
  (* a source of its own *)
  val source : unit -> source
  (* whether both come from the same call of `source` *)
  val same : source * source -> bool

  (* Sets a handler up. It waits for events of the source; whether it is offered others too is the discipline's matter. *)
  val handle' : source * (source -> Answer.answer) -> unit
  (* queues an event *)
  val event : source -> unit
  (* queues a call, which is no handler's *)
  val call : (unit -> unit) -> unit

  (* takes what is first in the queue; false when nothing is there. An event that all reject is dropped. *)
  val step : unit -> bool
  (* forgets all handlers and events *)
  val clear : unit -> unit
  (* how many offers of an event to a handler there were since *)
  val offers : unit -> int
end

(* EQUEUE: threads over an event queue. *)

signature EQUEUE =
sig
  include MONADIC
  (* how many offers of an event to a handler the run has needed *)
  val offers : unit -> int
end
