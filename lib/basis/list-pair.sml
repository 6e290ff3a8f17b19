(* ListPair: two lists in step. The functions whose names end in Eq raise UnequalLengths; the others stop at the end of
   the shorter list. *)

signature LIST_PAIR =
sig
  exception UnequalLengths

  (* The pairs of elements at the same place. Stops with the shorter list. *)
  val zip : 'a list * 'b list -> ('a * 'b) list
  (* The pairs of elements at the same place. Raises UnequalLengths when the lengths differ. *)
  val zipEq : 'a list * 'b list -> ('a * 'b) list
  (* The list of the first parts, and the list of the second parts. *)
  val unzip : ('a * 'b) list -> 'a list * 'b list
  (* Calls the function on each pair of elements, from left to right. Stops with the shorter list. *)
  val app : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  (* As `app`; raises UnequalLengths at the end of the shorter list, after the calls. *)
  val appEq : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  (* What the function gives for each pair of elements. Stops with the shorter list. *)
  val map : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  (* As `map`; raises UnequalLengths when the lengths differ. *)
  val mapEq : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  (* Goes from left to right: calls the function with two elements and the result so far. Stops with the shorter
     list. *)
  val foldl : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  (* Goes from right to left: calls the function with two elements and the result so far. Surplus elements of the
     longer list, at its end, do not count. *)
  val foldr : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  (* As `foldl`; raises UnequalLengths when the lengths differ. *)
  val foldlEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  (* As `foldr`; raises UnequalLengths when the lengths differ. *)
  val foldrEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  (* Whether all pairs of elements satisfy the predicate, as far as the shorter list goes. *)
  val all : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  (* Whether a pair of elements satisfies the predicate, as far as the shorter list goes. *)
  val exists : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  (* Whether the lengths are equal and all pairs of elements satisfy the predicate. It raises nothing when they
     differ. *)
  val allEq : ('a * 'b -> bool) -> 'a list * 'b list -> bool
end

structure ListPair : LIST_PAIR =
struct
  exception UnequalLengths

  fun map f =
    let
      fun go (x :: xs, y :: ys) = let val z = f (x, y) in z :: go (xs, ys) end
        | go _ = []
    in
      go
    end

  fun mapEq f =
    let
      fun go (x :: xs, y :: ys) = let val z = f (x, y) in z :: go (xs, ys) end
        | go ([], []) = []
        | go _ = raise UnequalLengths
    in
      go
    end

  fun zip lists = map (fn pair => pair) lists
  fun zipEq lists = mapEq (fn pair => pair) lists

  fun unzip l =
    let
      fun go ([], xs, ys) = (xs, ys)
        | go ((x, y) :: rest, xs, ys) = go (rest, x :: xs, y :: ys)
    in
      go (List.rev l, [], [])
    end

  fun app f =
    let
      fun go (x :: xs, y :: ys) = (f (x, y); go (xs, ys))
        | go _ = ()
    in
      go
    end

  fun appEq f =
    let
      fun go (x :: xs, y :: ys) = (f (x, y); go (xs, ys))
        | go ([], []) = ()
        | go _ = raise UnequalLengths
    in
      go
    end

  fun foldl f init lists =
    let
      fun go (x :: xs, y :: ys, acc) = go (xs, ys, f (x, y, acc))
        | go (_, _, acc) = acc
      val (xs, ys) = lists
    in
      go (xs, ys, init)
    end

  fun foldlEq f init lists =
    let
      fun go (x :: xs, y :: ys, acc) = go (xs, ys, f (x, y, acc))
        | go ([], [], acc) = acc
        | go _ = raise UnequalLengths
      val (xs, ys) = lists
    in
      go (xs, ys, init)
    end

  fun foldr f init lists =
    let
      fun go (x :: xs, y :: ys) = f (x, y, go (xs, ys))
        | go _ = init
    in
      go lists
    end

  fun foldrEq f init lists =
    let
      fun go (x :: xs, y :: ys) = f (x, y, go (xs, ys))
        | go ([], []) = init
        | go _ = raise UnequalLengths
    in
      go lists
    end

  fun all p =
    let
      fun go (x :: xs, y :: ys) = p (x, y) andalso go (xs, ys)
        | go _ = true
    in
      go
    end

  fun exists p =
    let
      fun go (x :: xs, y :: ys) = p (x, y) orelse go (xs, ys)
        | go _ = false
    in
      go
    end

  fun allEq p =
    let
      fun go (x :: xs, y :: ys) = p (x, y) andalso go (xs, ys)
        | go ([], []) = true
        | go _ = false
    in
      go
    end
end
