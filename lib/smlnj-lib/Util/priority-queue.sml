(* LeftPriorityQFn: applicative priority queues, the highest priority first. Leftist heaps (Crane, 1972).

   Keeps: no item is of higher priority than the one above it; a left side's spine is at least as long as the right's. *)

signature PRIORITY =
sig
  type priority
  val compare : (priority * priority) -> order
  (* The order of two priorities. *)
  type item
  val priority : item -> priority
  (* The item's priority. *)
end

signature MONO_PRIORITYQ =
sig
  type item
  type queue

  val empty : queue
  (* The queue without items. *)
  val singleton : item -> queue
  (* The queue of one item. *)
  val fromList : item list -> queue
  (* The queue of the list's items. *)
  val insert : (item * queue) -> queue
  (* The queue with the item. *)
  val remove : queue -> (item * queue)
  (* An item of the highest priority, and the queue without it. Raises Empty when there is none. *)
  val next : queue -> (item * queue) option
  (* SOME of an item of the highest priority and the queue without it, or NONE. *)
  val findAndRemove : queue * (item -> bool) -> (item * queue) option
  (* The first item in order of priority that satisfies the predicate. *)
  val delete : queue * (item -> bool) -> queue
  (* Without the items that satisfy the predicate. *)
  val merge : (queue * queue) -> queue
  (* The items of both queues. *)
  val numItems : queue -> int
  (* How many items the queue has. *)
  val isEmpty : queue -> bool
  (* Whether the queue has no items. *)
end

functor LeftPriorityQFn (P : PRIORITY) : MONO_PRIORITYQ =
struct
  type item = P.item

  datatype heap =
      E
    | N of int * item * heap * heap
  (* The length of the right spine first. *)

  datatype queue = Q of int * heap

  fun rank E = 0
    | rank (N (n, _, _, _)) = n

  fun node (x, a, b) = if rank a >= rank b then N (rank b + 1, x, a, b) else N (rank a + 1, x, b, a)

  fun join (a, E) = a
    | join (E, b) = b
    | join (a as N (_, x, al, ar), b as N (_, y, bl, br)) =
        (case P.compare (P.priority x, P.priority y) of
           LESS => node (y, bl, join (a, br))
         | _ => node (x, al, join (ar, b)))

  val empty = Q (0, E)
  fun singleton x = Q (1, N (1, x, E, E))
  fun isEmpty (Q (n, _)) = n = 0
  fun numItems (Q (n, _)) = n
  fun merge (Q (m, a), Q (n, b)) = Q (m + n, join (a, b))
  fun insert (x, q) = merge (singleton x, q)

  (* Neighbours are merged until one heap is left: linear in all. *)
  fun fromList l =
    let
      fun pairs (a :: b :: rest) = merge (a, b) :: pairs rest
        | pairs rest = rest
      fun all [] = empty
        | all [q] = q
        | all qs = all (pairs qs)
    in
      all (List.map singleton l)
    end

  fun next (Q (_, E)) = NONE
    | next (Q (n, N (_, x, a, b))) = SOME (x, Q (n - 1, join (a, b)))
  fun remove q = case next q of SOME found => found | NONE => raise Empty

  fun findAndRemove (q, f) =
    let
      fun search (q, passed) =
        case next q of
          NONE => NONE
        | SOME (x, rest) =>
            if f x then SOME (x, List.foldl insert rest passed) else search (rest, x :: passed)
    in
      search (q, [])
    end

  fun delete (Q (_, h), f) =
    let
      fun walk (E, l) = l
        | walk (N (_, x, a, b), l) = walk (a, walk (b, if f x then l else x :: l))
    in
      fromList (walk (h, []))
    end
end
