(* Fifo, applicative queues, and Queue, imperative ones: two lists each, the rear one reversed
   (Hood and Melville, 1981; every operation constant, amortised over one line of use). *)

signature FIFO =
sig
  type 'a fifo

  exception Dequeue
  (* The queue is empty. *)

  val empty : 'a fifo
  (* The queue without items. *)
  val isEmpty : 'a fifo -> bool
  (* Whether the queue has no items. *)
  val enqueue : 'a fifo * 'a -> 'a fifo
  (* The queue with the item at its end. *)
  val dequeue : 'a fifo -> 'a fifo * 'a
  (* The queue without its first item, and that item. Raises Dequeue when there is none. *)
  val next : 'a fifo -> ('a * 'a fifo) option
  (* SOME of the first item and the queue without it, or NONE. *)
  val delete : ('a fifo * ('a -> bool)) -> 'a fifo
  (* Without the first item that satisfies the predicate. *)
  val head : 'a fifo -> 'a
  (* The first item. Raises Dequeue when there is none. *)
  val peek : 'a fifo -> 'a option
  (* SOME of the first item, or NONE. *)
  val length : 'a fifo -> int
  (* How many items the queue has. *)

  (* From the front to the end; foldr the other way *)

  val contents : 'a fifo -> 'a list
  (* The items, from the front to the end. *)
  val app : ('a -> unit) -> 'a fifo -> unit
  (* Calls the function on each item, from the front to the end. *)
  val map : ('a -> 'b) -> 'a fifo -> 'b fifo
  (* The queue of what the function gives for each item. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a fifo -> 'b
  (* From the front to the end: calls the function with an item and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a fifo -> 'b
  (* From the end to the front: calls the function with an item and the result so far. *)
end

signature QUEUE =
sig
  type 'a queue

  exception Dequeue

  val mkQueue : unit -> 'a queue
  (* Makes a queue without items. *)
  val clear : 'a queue -> unit
  (* Takes all items out. *)
  val isEmpty : 'a queue -> bool
  (* Whether the queue has no items. *)
  val enqueue : 'a queue * 'a -> unit
  (* Puts the item at the end. *)
  val dequeue : 'a queue -> 'a
  (* Takes the first item out, and gives it. Raises Dequeue when there is none. *)
  val next : 'a queue -> 'a option
  (* SOME of the first item, which it takes out, or NONE. *)
  val delete : ('a queue * ('a -> bool)) -> unit
  (* Takes out the first item that satisfies the predicate. *)
  val head : 'a queue -> 'a
  (* The first item, which stays. Raises Dequeue when there is none. *)
  val peek : 'a queue -> 'a option
  (* SOME of the first item, which stays, or NONE. *)
  val length : 'a queue -> int
  (* How many items the queue has. *)
  val contents : 'a queue -> 'a list
  (* The items, from the front to the end. *)
  val app : ('a -> unit) -> 'a queue -> unit
  (* Calls the function on each item, from the front to the end. *)
  val map : ('a -> 'b) -> 'a queue -> 'b queue
  (* A new queue of what the function gives for each item. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a queue -> 'b
  (* From the front to the end: calls the function with an item and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a queue -> 'b
  (* From the end to the front: calls the function with an item and the result so far. *)
end

structure Fifo :> FIFO =
struct
  (* The front, and the rear with the last item first. The front is empty only if the rear is. *)
  datatype 'a fifo = Q of 'a list * 'a list

  exception Dequeue

  val empty = Q ([], [])
  fun isEmpty (Q ([], _)) = true
    | isEmpty _ = false

  fun made ([], rear) = Q (rev rear, [])
    | made q = Q q

  fun enqueue (Q ([], _), x) = Q ([x], [])
    | enqueue (Q (front, rear), x) = Q (front, x :: rear)

  fun next (Q ([], _)) = NONE
    | next (Q (x :: front, rear)) = SOME (x, made (front, rear))

  fun dequeue q = case next q of SOME (x, q) => (q, x) | NONE => raise Dequeue

  fun peek (Q (x :: _, _)) = SOME x
    | peek (Q ([], _)) = NONE
  fun head q = case peek q of SOME x => x | NONE => raise Dequeue

  fun contents (Q (front, rear)) = front @ rev rear
  fun length (Q (front, rear)) = List.length front + List.length rear
  fun delete (q, f) =
    let
      fun go ([], _) = q
        | go (x :: rest, passed) =
            if f x then Q (List.revAppend (passed, rest), []) else go (rest, x :: passed)
    in
      go (contents q, [])
    end
  fun app f (Q (front, rear)) = (List.app f front; List.app f (rev rear))
  fun map f q = Q (List.map f (contents q), [])
  fun foldl f init (Q (front, rear)) = List.foldr f (List.foldl f init front) rear
  fun foldr f init (Q (front, rear)) = List.foldr f (List.foldl f init rear) front
end

structure Queue :> QUEUE =
struct
  type 'a queue = 'a Fifo.fifo ref

  exception Dequeue = Fifo.Dequeue

  fun mkQueue () = ref Fifo.empty
  fun clear q = q := Fifo.empty
  fun isEmpty q = Fifo.isEmpty (!q)
  fun enqueue (q, x) = q := Fifo.enqueue (!q, x)
  fun next q = case Fifo.next (!q) of SOME (x, rest) => (q := rest; SOME x) | NONE => NONE
  fun dequeue q = case next q of SOME x => x | NONE => raise Dequeue
  fun delete (q, f) = q := Fifo.delete (!q, f)
  fun head q = Fifo.head (!q)
  fun peek q = Fifo.peek (!q)
  fun length q = Fifo.length (!q)
  fun contents q = Fifo.contents (!q)
  fun app f q = Fifo.app f (!q)
  fun map f q = ref (Fifo.map f (!q))
  fun foldl f init q = Fifo.foldl f init (!q)
  fun foldr f init q = Fifo.foldr f init (!q)
end
