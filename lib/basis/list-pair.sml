(* ListPair: two lists in step. The functions whose names end in Eq raise UnequalLengths; the others stop at the end of
   the shorter list. *)

signature LIST_PAIR =
sig
  exception UnequalLengths

  (* Of lists of different lengths, those with Eq raise UnequalLengths; the others stop with the shorter one. *)
  val zip : 'a list * 'b list -> ('a * 'b) list
  val zipEq : 'a list * 'b list -> ('a * 'b) list
  (* pairs to a pair of lists *)
  val unzip : ('a * 'b) list -> 'a list * 'b list
  val app : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  val appEq : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  val map : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  val mapEq : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  val foldl : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldr : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldlEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldrEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  (* allEq is false where the lengths differ *)
  val all : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  val exists : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  (* true when the lengths are equal and all pairs satisfy the predicate *)
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
