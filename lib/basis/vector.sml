(* Vector: immutable arrays. Built through an array that nobody else sees. *)

signature VECTOR =
sig
  datatype vector = datatype vector

  (* How many elements a vector can have. *)
  val maxLen : int
  (* The vector of the list's elements. Raises Size when there are too many. *)
  val fromList : 'a list -> 'a vector
  (* The vector of f 0, f 1, ..., f (n - 1). Raises Size when n is negative or too large. *)
  val tabulate : int * (int -> 'a) -> 'a vector
  (* How many elements it has. *)
  val length : 'a vector -> int
  (* Element i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : 'a vector * int -> 'a
  (* A copy, with element i changed; the vector stays as it is. Raises Subscript when there is none of that number. *)
  val update : 'a vector * int * 'a -> 'a vector
  (* All elements of all vectors, in order. Raises Size when there are too many. *)
  val concat : 'a vector list -> 'a vector
  (* Calls the function on each element and its index, from left to right. *)
  val appi : (int * 'a -> unit) -> 'a vector -> unit
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a vector -> unit
  (* The vector of what the function gives for each index and element. *)
  val mapi : (int * 'a -> 'b) -> 'a vector -> 'b vector
  (* The vector of what the function gives for each element. *)
  val map : ('a -> 'b) -> 'a vector -> 'b vector
  (* Goes from left to right: calls the function with index, element and the result so far. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from right to left: calls the function with index, element and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* SOME of the first element, with its index, for which the predicate holds, or NONE. *)
  val findi : (int * 'a -> bool) -> 'a vector -> (int * 'a) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a vector -> 'a option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a vector -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a vector -> bool
  (* The order of two vectors by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a vector * 'a vector -> order
end

(* Unchecked access, and new arrays: stored into before anybody else has them, so unwatched (`Maker`). Not for users. *)
structure ArrayPrim' =
struct
  val new = PrimArrays'.array_new : int * 'a -> 'a array
  val unsafeNew = PrimArrays'.array_new_uninit : int -> 'a array
  val length = PrimArrays'.array_length : 'a array -> int
  val unsafeSub = PrimArrays'.array_sub_unsafe : 'a array * int -> 'a
  val unsafeUpdate = PrimArrays'.array_update_unsafe : 'a array * int * 'a -> unit
  val freeze = PrimArrays'.cast : 'a array -> 'a vector

  val unsafeCopy = Copies'.array
  val unsafeCopyVec = Copies'.vector

  (* Elements are computed in order before there is an array for them: a function that is called may capture its
     continuation or raise, and no half-filled array is ever seen. *)
  fun fromList l =
    let
      val a = unsafeNew (List.length l)
      fun fill (_, []) = ()
        | fill (i, x :: rest) = (unsafeUpdate (a, i, x); fill (i + 1, rest))
    in
      fill (0, l);
      a
    end

  (* Nobody else has the array before it is filled. *)
  fun tabulate (n, f) =
    if n < 0 then raise Size
    else
      let
        val a = unsafeNew n
        fun fill i =
          if i >= n then a
          else
            let
              val x = f i
            in
              if !Reentry'.isPossible then again (a, i, x)
              else (unsafeUpdate (a, i, x); fill (i + 1))
            end
        (* `filled` counts the elements that are there; a place is filled once. *)
        and once (a, filled, i) =
          if i >= n then a
          else
            let
              val x = f i
            in
              if !filled = i then
                (unsafeUpdate (a, i, x);
                 filled := i + 1;
                 once (a, filled, i + 1))
              else again (a, i, x)
            end
        (* What is before the place is right; what is there may be somebody's. *)
        and again (a, i, x) =
          let
            val b = new (n, x)
          in
            unsafeCopy (a, 0, b, 0, i);
            once (b, ref (i + 1), i + 1)
          end
      in
        if !Reentry'.isPossible then once (a, ref 0, 0) else fill 0
      end

  (* parts as arrays of their own *)
  fun slice (a, i, n) =
    let
      val b = unsafeNew n
    in
      Copies'.inPieces (fn part => PrimArrays'.array_copy_unsafe part) (a, i, b, 0, n);
      b
    end
  fun sliceVec (v, i, n) =
    let
      val b = unsafeNew n
    in
      Copies'.inPieces (fn part => PrimArrays'.array_copy_of_vector part) (v, i, b, 0, n);
      b
    end

  (* parts of vectors one after the other *)
  fun concat parts =
    let
      fun total ([], n) = n
        | total ((_, _, k) :: rest, n) = total (rest, n + k)
      val b = unsafeNew (total (parts, 0) handle Overflow => raise Size)
      fun fill (_, []) = ()
        | fill (at, (v, i, n) :: rest) =
            (Copies'.inPieces (fn part => PrimArrays'.array_copy_of_vector part) (v, i, b, at, n);
             fill (at + n, rest))
    in
      fill (0, parts);
      b
    end
end

structure Vector : VECTOR =
struct
  datatype vector = datatype vector

  val maxLen = 70368744177663
  val length = PrimArrays'.array_length_of_vector : 'a vector -> int
  val sub = PrimArrays'.vector_sub : 'a vector * int -> 'a
  val unsafeSub = PrimArrays'.vector_sub_unsafe : 'a vector * int -> 'a

  local
    structure Loops =
      Elements' (type 'a seq = 'a vector val length = length val sub = unsafeSub)
  in
    open Loops
  end

  local
    open ArrayPrim'
  in
    fun fromList l = freeze (ArrayPrim'.fromList l)
    fun tabulate (n, f) = freeze (ArrayPrim'.tabulate (n, f))
    fun update (v, i, x) =
      let
        val n = PrimArrays'.array_length_of_vector v
      in
        if i < 0 orelse i >= n then raise Subscript
        else let val a = sliceVec (v, 0, n) in unsafeUpdate (a, i, x); freeze a end
      end
    fun concat vectors =
      freeze (ArrayPrim'.concat
                (List.map (fn v => (v, 0, PrimArrays'.array_length_of_vector v)) vectors))
  end

  fun mapi f v = tabulate (length v, fn i => f (i, unsafeSub (v, i)))
  fun map f v = tabulate (length v, fn i => f (unsafeSub (v, i)))
end

val vector = Vector.fromList
