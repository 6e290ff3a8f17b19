(* List: finite sequences.

   A list that is built front to back needs a recursion for each element, or a reversal, which is faster behind some
   sixteen elements (docs/internals/decisions/026-building-lists.md has figures). `map` and its like use recursion, so
   that the function that is given stands in one place and can be inlined there: the stack is as deep as the heap is
   large. `tabulate` and `foldr` reverse, and `take` does what suits the number of elements. *)

signature LIST =
sig
  datatype list = datatype list
  exception Empty

  (* Whether the list is empty. *)
  val null : 'a list -> bool
  (* How many elements it has. Walks the list. *)
  val length : 'a list -> int
  (* The elements of the first list, then those of the second. Copies the first, shares the second. *)
  val @ : 'a list * 'a list -> 'a list
  (* The first element. Raises Empty when there is none. *)
  val hd : 'a list -> 'a
  (* The list without its first element. Raises Empty when there is none. *)
  val tl : 'a list -> 'a list
  (* The last element; walks the list. Raises Empty when there is none. *)
  val last : 'a list -> 'a
  (* SOME of the first element and the rest, or NONE of an empty list: a reader for `StringCvt`. *)
  val getItem : 'a list -> ('a * 'a list) option
  (* Element i, counted from 0; walks i elements. Raises Subscript when there is none of that number. *)
  val nth : 'a list * int -> 'a
  (* The first i elements. Raises Subscript when i is negative or there are fewer. *)
  val take : 'a list * int -> 'a list
  (* What follows the first i elements; it is shared, not copied. Raises Subscript when i is negative or there are
     fewer. *)
  val drop : 'a list * int -> 'a list
  (* The elements in reverse order. *)
  val rev : 'a list -> 'a list
  (* All elements of all lists, in order. *)
  val concat : 'a list list -> 'a list
  (* The elements of the first list in reverse order, then the second list. *)
  val revAppend : 'a list * 'a list -> 'a list
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a list -> unit
  (* The list of what the function gives for each element, from left to right. *)
  val map : ('a -> 'b) -> 'a list -> 'b list
  (* What the function gives as SOME for each element, from left to right; elements with NONE are left out. *)
  val mapPartial : ('a -> 'b option) -> 'a list -> 'b list
  (* SOME of the first element that satisfies the predicate, or NONE. *)
  val find : ('a -> bool) -> 'a list -> 'a option
  (* The elements that satisfy the predicate, in order. *)
  val filter : ('a -> bool) -> 'a list -> 'a list
  (* The elements that satisfy the predicate, and those that do not, both in order. *)
  val partition : ('a -> bool) -> 'a list -> 'a list * 'a list
  (* Goes from left to right: calls the function with an element and the result so far, which is the value at
     first. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b
  (* Goes from right to left: calls the function with an element and the result so far, which is the value at
     first. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a list -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a list -> bool
  (* `[f 0, f 1, ..., f (n - 1)]`. Raises Size when n is negative. *)
  val tabulate : int * (int -> 'a) -> 'a list
  (* The order of two lists by their first elements that differ, in the order that is given; a list that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a list * 'a list -> order
end

structure List : LIST =
struct
  datatype list = datatype list
  exception Empty = Empty

  fun null [] = true
    | null _ = false

  fun length l =
    let
      fun count ([], n) = n
        | count (_ :: rest, n) = count (rest, n + 1)
    in
      count (l, 0)
    end

  fun revAppend ([], l) = l
    | revAppend (x :: rest, l) = revAppend (rest, x :: l)

  fun rev l = revAppend (l, [])

  fun [] @ l = l
    | [x] @ l = x :: l
    | (x :: y :: rest) @ l = x :: y :: (rest @ l)

  fun hd (x :: _) = x
    | hd [] = raise Empty

  fun tl (_ :: rest) = rest
    | tl [] = raise Empty

  fun last [x] = x
    | last (_ :: rest) = last rest
    | last [] = raise Empty

  fun getItem [] = NONE
    | getItem (x :: rest) = SOME (x, rest)

  fun nth (l, n) =
    let
      fun go (x :: _, 0) = x
        | go (_ :: rest, n) = go (rest, n - 1)
        | go ([], _) = raise Subscript
    in
      if n < 0 then raise Subscript else go (l, n)
    end

  fun take (l, n) =
    let
      fun near (_, 0) = []
        | near (x :: rest, n) = x :: near (rest, n - 1)
        | near ([], _) = raise Subscript
      fun far (_, 0, taken) = rev taken
        | far (x :: rest, n, taken) = far (rest, n - 1, x :: taken)
        | far ([], _, _) = raise Subscript
    in
      if n < 0 then raise Subscript
      else if n <= 24 then near (l, n)
      else far (l, n, [])
    end

  fun drop (l, n) =
    let
      fun go (l, 0) = l
        | go (_ :: rest, n) = go (rest, n - 1)
        | go ([], _) = raise Subscript
    in
      if n < 0 then raise Subscript else go (l, n)
    end

  fun foldl f init l =
    let
      fun go ([], acc) = acc
        | go (x :: rest, acc) = go (rest, f (x, acc))
    in
      go (l, init)
    end

  fun foldr f init l = foldl f init (rev l)

  fun concat lists =
    case rev lists of
      [] => []
    | last :: others => foldl op @ last others

  fun app f =
    let
      fun go [] = ()
        | go (x :: rest) = (f x; go rest)
    in
      go
    end

  fun map f =
    let
      fun go [] = []
        | go (x :: rest) = let val y = f x in y :: go rest end
    in
      go
    end

  fun mapPartial f =
    let
      fun go [] = []
        | go (x :: rest) =
            case f x of
              NONE => go rest
            | SOME y => y :: go rest
    in
      go
    end

  fun find p =
    let
      fun go [] = NONE
        | go (x :: rest) = if p x then SOME x else go rest
    in
      go
    end

  fun filter p =
    let
      fun go [] = []
        | go (x :: rest) = if p x then x :: go rest else go rest
    in
      go
    end

  fun partition p l =
    let
      fun go ([], yes, no) = (rev yes, rev no)
        | go (x :: rest, yes, no) =
            if p x then go (rest, x :: yes, no) else go (rest, yes, x :: no)
    in
      go (l, [], [])
    end

  fun exists p =
    let
      fun go [] = false
        | go (x :: rest) = p x orelse go rest
    in
      go
    end

  fun all p =
    let
      fun go [] = true
        | go (x :: rest) = p x andalso go rest
    in
      go
    end

  fun tabulate (n, f) =
    let
      fun go (i, l) = if i >= n then rev l else go (i + 1, f i :: l)
    in
      if n < 0 then raise Size else go (0, [])
    end

  fun collate compare =
    let
      fun go ([], []) = EQUAL
        | go ([], _) = LESS
        | go (_, []) = GREATER
        | go (x :: xs, y :: ys) =
            case compare (x, y) of
              EQUAL => go (xs, ys)
            | unequal => unequal
    in
      go
    end
end

val op @ = List.@
val app = List.app
val foldl = List.foldl
val foldr = List.foldr
val hd = List.hd
val length = List.length
val map = List.map
val null = List.null
val rev = List.rev
val tl = List.tl
