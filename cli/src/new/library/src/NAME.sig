(* Queues: first in, first out. A queue never changes. *)

signature SIGNATURE =
sig
  type 'a queue

  val empty : 'a queue
  val isEmpty : 'a queue -> bool
  (* at the end *)
  val add : 'a queue * 'a -> 'a queue
  (* the first element and the others; takes constant time on average *)
  val take : 'a queue -> ('a * 'a queue) option
  (* in the order in which they were added *)
  val toList : 'a queue -> 'a list
end
